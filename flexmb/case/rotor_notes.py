"""Notes on rotors: too few steps per revolution, misplaced bearings, self-excited whirl at the speeds of the run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from flexmb.checks.values import unit
from flexmb.errors import FlexmbError, InputError
from flexmb.record.io.structure import Tree
from flexmb.state import Array

if TYPE_CHECKING:
    from flexmb.case.case import Case
    from flexmb.parts.contacts.clearance import Clearance
    from flexmb.system.rotating import RotatingSystem

STEADY = "initial.steady starts it in an unstable motion"


BESIDE = 1e-3
"""Axial distance, m, above which two ends do not belong to one bearing or ring."""
STEPS_PER_TURN = 20
"""Fewer steps per revolution cause a note: 20 reproduce the whirl frequency with an error of about 1 %."""


def step_notes(case: Case) -> tuple[str, ...]:
    """Return a note if there are too few steps per revolution of the fastest rotor."""
    from flexmb.analysis.rotors.speed_path import SpeedPath
    from flexmb.analysis.rotors.speeds import speed_words

    plan, system = case.plan, _system(case)
    if system is None or plan.tolerance:
        return ()
    path = SpeedPath.of_run(system, plan.t0, plan.time(plan.steps))
    fast = np.abs(path.speeds).max(axis=0)
    k = int(fast.argmax())
    turn = 2.0 * np.pi / float(fast[k]) if fast[k] else np.inf
    if turn >= STEPS_PER_TURN * plan.h * (1.0 - 1e-9):
        return ()
    words = f"only {turn / plan.h:.3g} steps per revolution of '{system.rotors[k].name}' at its highest speed"
    speed = f"{speed_words(float(fast[k]))}, so unbalance and whirl near it are coarse"
    return (f"{words}, {speed}; time.step = {turn / STEPS_PER_TURN:.3g} gives {STEPS_PER_TURN}",)


def place_notes(case: Case) -> tuple[str, ...]:
    """Return notes on bearings and rings whose two ends are at different axial positions."""
    from flexmb.parts.contacts.clearance import Clearance
    from flexmb.parts.loads.bearing import Bearing

    system = _system(case)
    if system is None:
        return ()
    model, points, out = case.model(), system.nodes.points, []
    for load in model.loads.values():
        if isinstance(load, Bearing) and str(load.to) != "ground":
            at, to = (points[system.nodes.one(end, load.where)] for end in (load.node, load.to))
            beside = abs(float((at - to) @ unit(load.direction, "direction", load.where)))
            if beside > BESIDE:
                words = f"'{load.to}' is {beside:.4g} m away from '{load.node}' along the axis"
                out.append(f"{load.where}: {words}; a bearing acts as if both were at the same position")
    axes = {rotor.name: rotor.parts.axis[:, 0] for rotor in system.rotors}
    for contact in model.contacts.values():
        if isinstance(contact, Clearance):
            out += _ring_notes(contact, system, axes)
    return tuple(out)


def _ring_notes(contact: Clearance, system: RotatingSystem, axes: Mapping[str, Array]) -> list[str]:
    """Return notes on rings of a clearance at an axial distance from their nodes."""
    points, offset = system.nodes.points, np.asarray(contact.offset, dtype=np.float64)
    for ref in contact.refs():
        for at in system.nodes.resolve(ref, contact.where):
            label = system.nodes.labels([at])[0]
            axis = axes.get(label.partition(".")[0])
            if contact.axis is not None:
                axis = unit(contact.axis, "axis", contact.where)
            if axis is None:
                continue
            middle = points[at] if contact.on_ground else points[system.nodes.one(contact.stator, contact.where)]
            beside = abs(float((points[at] - middle - offset) @ axis))
            if beside > BESIDE:
                words = f"the middle of the ring is {beside:.4g} m away from '{label}' along the axis"
                return [f"{contact.where}: {words}; only distances transverse to the axis are used"]
    return []


def whirl_notes(case: Case, tree: Tree | None = None) -> tuple[str, ...]:
    """Return notes on linearly unstable rotors, none if they are stable.

    Parameters
    ----------
    case : Case
    tree : Tree, optional
        Result of the run. With it, free spins are checked at their actual speeds; without it, at the speeds that the
        drive would reach without vibration.
    """
    system = _system(case)
    if system is None:
        return ()
    if tree is not None and not any(rotor.parts.spin.free for rotor in system.rotors):
        return case.whirl_notes  # prescribed spins are known before the run
    try:
        with np.errstate(all="ignore", over="raise"):
            found = _words(case, system, tree)
    except (FlexmbError, ArithmeticError, ValueError, RuntimeError) as err:  # numbers too far apart for eigenvalues
        return (f"the stability of the rotor could not be determined ({type(err).__name__}: {err})",)
    return (found,) if found else ()


def _system(case: Case) -> RotatingSystem | None:
    """Return the linear system of a case with rotors; None without any, and with joints or bodies in large motion."""
    from flexmb.system.rotating import has_rotor, rotating_system

    model = case.model()
    try:
        return rotating_system(model) if has_rotor(model) else None
    except InputError:
        return None


def _words(case: Case, system: RotatingSystem, tree: Tree | None) -> str:
    from flexmb.analysis.rotors.speed_path import SpeedPath
    from flexmb.analysis.rotors.stability import self_excited

    plan = case.plan
    known = {} if tree is None else _taken(case, system, tree)
    path = SpeedPath.of_run(system, plan.t0, plan.time(plan.steps), known)
    found = self_excited(system, path)
    if found is None:
        return ""
    words = [f"the linear system (contacts open) is {found}"]
    if any(rotor.parts.spin.free for rotor in system.rotors):
        low, high = found.span
        whose = "of the run" if known else "that the drive would reach without vibration"
        words.append(f"evaluated: the speeds {whose}, {low:.6g} to {high:.6g} rad/s")
    if found.span[0] == found.span[1]:
        words.append("flexmb campbell computes the onset")
    if found.at_start and case.values.tables.initial.steady:
        words.append(STEADY)
    return "; ".join(words)


def _taken(case: Case, system: RotatingSystem, tree: Tree) -> Mapping[str, tuple[Array, Array]]:
    """Return times and speeds of the free spins of a run: as recorded, or from the stored full states."""
    out = {}
    names = list(case.plan.system.dof_names)
    for rotor in system.rotors:
        signal, unknown = f"/signals/{rotor.name}.spin_speed", f"{rotor.name}.spin"
        if not rotor.parts.spin.free:
            continue
        if signal in tree:
            time, speed = tree["/time"][()], np.ravel(tree[signal][()])
        elif unknown in names:
            time, speed = tree["/state/time"][()], tree["/state/v"][:, names.index(unknown)]
        else:
            continue
        fine = np.isfinite(speed)  # a failed run may end with numbers that are not finite
        out[rotor.name] = np.asarray(time)[fine], np.asarray(speed)[fine]
    return out
