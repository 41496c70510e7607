"""The summary of a run, for memory and disk."""

from __future__ import annotations

import dataclasses
import datetime
import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Protocol

import numpy as np

from flexmb.record.idle_friction import idle_notes
from flexmb.record.io.structure import Tree
from flexmb.record.plan_notes import notes_of
from flexmb.record.run_notes import run_notes
from flexmb.record.samples import EVENT_NUMBERS, JointGroups, RunInfo, Tally
from flexmb.record.small_motion_notes import small_motion_notes
from flexmb.system.user_functions import user_functions

_ENERGY_NUMBERS = (
    *(
        "initial",
        "final",
        "external",
        "drive",
        "spin",
        "cross",
        "damping",
        "contact",
        "friction",
        "rolling",
        "cohesion",
        "projection",
        "closing",
        "numerical",
        "residual_max",
        "max",
        "scale",
        "moved",
        "round_off",
    ),
    *("contact_projection", "gain_steps", "gain_max", "gain_time"),
    *("friction_gain_steps", "friction_gain_max", "friction_gain_time"),
)
SUMMARY_NUMBERS = (
    "h",
    "t0",
    "steps",
    "steps_taken",
    "dofs",
    "joints",
    "contacts",
    "wall_time_s",
    "cpu_time_s",
    "us_per_step",
    "joint_position_error",
    "joint_velocity_error",
    "max_penetration",
    "min_gap",
    "min_gap_time",
    "contact_steps",
    "contact_residual_max",
    "solver_iterations",
    "newton_iterations",
    "evaluations",
    *(f"energy.{name}" for name in _ENERGY_NUMBERS),
    *(f"events.{name}" for name in EVENT_NUMBERS),
)
"""Dotted names of the numbers in a summary that expectations can refer to."""
_PACKAGES = ("flexmb", "numpy", "scipy", "scikit-fem", "numba", "h5py")


class Figures(Protocol):
    """Statistics of a run (``drive.run.Outcome``)."""

    @property
    def tally(self) -> Tally:
        """Statistics over every step, recorded or not."""
        ...

    @property
    def stepping_time_s(self) -> float:
        """Seconds spent in the steps alone, without recording."""
        ...

    @property
    def wall_time_s(self) -> float:
        """Time spent in the loop, s."""
        ...

    @property
    def cpu_time_s(self) -> float | None:
        """Processor time spent in the loop, s; None if it was not measured."""
        ...


def summarize(tree: Tree, run: RunInfo, outcome: Figures, *, title: str = "", resumed_at: int = 0) -> dict[str, Any]:
    """Return the summary of a run.

    Parameters
    ----------
    tree : Tree
        Recorded data; the first and last energies are taken from it.
    run : RunInfo
    outcome : Figures
    title : str
    resumed_at : int
        The step from which a resumed run continued; the times are those of the steps after it.
    """
    tally, wall_time_s = outcome.tally, outcome.wall_time_s
    steps_taken = tally.steps_taken or tally.steps
    # a resumed run has executed its share of the steps, if a tolerance controls them
    taken = (tally.steps - resumed_at) * steps_taken / max(1, tally.steps)
    joints, energy = run.system.joints, energy_figures(tree, tally)
    return {
        "title": title,
        "status": "complete",
        "scheme": scheme_parameters(run.scheme),
        "constraints": getattr(run.scheme, "joint_level", None) if joints is not None and joints.nj else None,
        "h": run.h,
        "t0": run.t0,
        "steps": tally.steps,
        "tolerance": run.tolerance or None,
        "steps_taken": steps_taken,
        "dofs": run.system.nv,
        "joints": 0 if joints is None else len(joints.names),
        "contacts": run.system.contacts.nc,
        "engine": run.engine,
        "computed": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "wall_time_s": wall_time_s,
        "cpu_time_s": outcome.cpu_time_s,
        "us_per_step": 1e6 * outcome.stepping_time_s / taken if taken > 0 else 0.0,
        "joint_position_error": _largest(tree, "position_error"),
        "joint_velocity_error": _largest(tree, "velocity_error"),
        "max_penetration": max(0.0, -tally.min_gap),
        "min_gap": tally.min_gap,
        "min_gap_time": tally.min_gap_time,
        "contact_steps": tally.contact_steps,
        "contact_residual_max": tally.contact_residual_max or None,
        "solver_iterations": tally.iterations,
        "newton_iterations": tally.newton_iterations,
        "evaluations": evaluations(run, tally),
        "switches": [{"time": t, "reason": reason, "contact": contact} for t, reason, contact in tally.switches],
        "joint_rows": {} if joints is None else _rows_of(joints),
        "energy": energy,
        "events": dict.fromkeys(EVENT_NUMBERS, 0) | tally.events,
        "event_list": [list(event) for event in tally.event_list],
        "notes": [
            *notes_of(run),
            *tally.notes,
            *run_notes(run, tally, energy),
            *small_motion_notes(tree, run),
            *idle_notes(tree, run),
        ],
        "callables": user_functions(run.system),
        "expectations": [],
        "expectation_notes": [],
        "versions": versions(),
    }


def evaluations(run: RunInfo, tally: Tally) -> int:
    """Return the number of force evaluations; 0 if it is not counted (general engine, large motion).

    With located events it includes all stages and Moreau's steps; in compiled steps of large motion one for each
    iteration and one at the end of a step; in small motion one for each step.
    """
    if run.with_events:
        return int(tally.events.get("evaluations", 0))
    taken = tally.steps_taken or tally.steps
    if run.system.joints is None:
        return taken
    return tally.newton_iterations + taken if tally.newton_iterations else 0


def _rows_of(joints: JointGroups) -> dict[str, list[str]]:
    """Return the constrained coordinates of each joint, in the order of its forces and impulses."""
    own = {name: joints.labels[a:b] for name, a, b in zip(joints.names, joints.start, joints.start[1:], strict=False)}
    return {name: [label.removeprefix(f"{name}: ") for label in labels] for name, labels in own.items()}


def energy_figures(tree: Tree, tally: Tally) -> dict[str, Any]:
    """Return the energy table: first and last sample, works over the run, and the sums over all steps."""
    column = {name: tree[f"/energy/{name}"] for name in _columns(tree)}
    total = {k: float(column["kinetic"][k]) + float(column["potential"][k]) for k in (0, -1)}
    return {
        "initial": total[0],
        "final": total[-1],
        "external": float(column["work_external"][-1]),
        "drive": float(column["work_drive"][-1]),
        "spin": _last(column, "work_spin"),
        "cross": float(column["work_cross"][-1]),
        "damping": float(column["work_damping"][-1]),
        "contact": float(column["work_contact"][-1]),
        "friction": _last(column, "work_friction"),
        "rolling": _last(column, "work_rolling"),
        "cohesion": _last(column, "work_cohesion"),
        "projection": _last(column, "work_projection"),
        "closing": _last(column, "work_closing"),
        "numerical": float(column["numerical"][-1]),
        "contact_projection": tally.projection,
        "residual_max": tally.residual_max,
        "max": tally.energy_max,
        "scale": tally.energy_scale,
        "round_off": tally.round_off,
        "moved": _moved(column),
        "gain_steps": tally.gain_steps,
        "gain_max": tally.gain_max,
        "gain_time": tally.gain_time,
        "gain_contact": tally.gain_contact or None,
        "friction_gain_steps": tally.friction_gain_steps,
        "friction_gain_max": tally.friction_gain_max,
        "friction_gain_time": tally.friction_gain_time,
        "friction_gain_contact": tally.friction_gain_contact or None,
    }


def _last(column: dict[str, Any], name: str) -> float:
    """Return the last number of a column, zero if it is not recorded."""
    return float(column[name][-1]) if name in column else 0.0


def _moved(column: dict[str, Any]) -> float:
    """Return the largest energy exchanged: kinetic, potential above its lowest value, works (except the scheme's)."""
    kinetic, potential = np.asarray(column["kinetic"][()]), np.asarray(column["potential"][()])
    names = [f"work_{name}" for name in ("external", "damping", "contact", "friction", "closing")]
    works = sum(np.abs(column[name][()]) for name in names if name in column)
    return float(max(kinetic.max(), potential.max() - potential.min(), np.max(works)))


def _largest(tree: Tree, what: str) -> float | None:
    """Return the largest error of all joints at the samples, None without joints."""
    found = [float(np.max(tree[name][()])) for name in tree if name.startswith("/joints/") and name.endswith(what)]
    return max(found, default=None)


def _columns(tree: Tree) -> list[str]:
    return [name.removeprefix("/energy/") for name in tree if name.startswith("/energy/")]


def scheme_parameters(scheme: object) -> dict[str, Any]:
    """Return a scheme's name and parameters."""
    out: dict[str, Any] = {"name": getattr(scheme, "name", type(scheme).__name__)}
    if dataclasses.is_dataclass(scheme):
        out |= {field.name: getattr(scheme, field.name) for field in dataclasses.fields(scheme) if field.init}
    return out


@cache
def versions() -> dict[str, str]:
    """Return the versions of Python, flexmb and the packages that computed the run."""
    out = {"python": platform.python_version()}
    for name in _PACKAGES:
        try:
            out[name] = version(name)
        except PackageNotFoundError:
            out[name] = "not installed"
    return out


def tally_from(tree: Tree) -> Tally:
    """Return the tally computed from the samples alone (for a failed run without tally)."""
    gaps = [tree[name] for name in tree if name.startswith("/contacts/") and name.endswith("/gap")]
    steps, times = tree["/step"][()], tree["/time"][()]
    tally = Tally(steps=int(steps[-1]))
    for gap in gaps:
        lowest = np.asarray(gap[()]).reshape(len(times), -1).min(axis=1)
        k = int(np.argmin(lowest))
        if lowest[k] < tally.min_gap:
            tally.min_gap, tally.min_gap_time = float(lowest[k]), float(times[k])
    energy = np.asarray(tree["/energy/kinetic"][()]) + np.asarray(tree["/energy/potential"][()])
    tally.energy_max = float(energy.max())
    tally.residual_max = float(np.abs(tree["/energy/residual"][()]).max())
    return tally
