"""The interface of engines: the plan of a run, requests and answers."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from flexmb.errors import NOT_FINITE, InputError, SimulationError
from flexmb.kernels.laws.friction_record import BESIDE_COLUMNS, LAW_COLUMNS
from flexmb.kernels.small_motion.ledger import (
    COLUMNS,
    CONTACT_RESIDUAL,
    CONTACT_STEPS,
    ENERGY_MAX,
    FALLING_CONTACT,
    FALLING_MAX,
    FALLING_TIME,
    FRICTION_GAIN_CONTACT,
    FRICTION_GAIN_MAX,
    FRICTION_GAIN_STEPS,
    FRICTION_GAIN_TIME,
    GAIN_CONTACT,
    GAIN_MAX,
    GAIN_STEPS,
    GAIN_TIME,
    ITERATIONS,
    MIN_GAP,
    MIN_GAP_TIME,
    PROJECTION,
    RESIDUAL_MAX,
    SCALE,
)
from flexmb.nonsmooth.solvers import ContactSolver
from flexmb.record.samples import Block, JointGroups, Tally
from flexmb.schemes.scheme import Scheme
from flexmb.state import Array, IntArray
from flexmb.system.linear_system import LinearSystem
from flexmb.system.multibody_system import MultibodySystem

if TYPE_CHECKING:
    from flexmb.drive.events.vibrations import Vibrations


@dataclass(frozen=True)
class Plan:
    """A run before its first step: system, scheme, time grid, and the steps to sample.

    With a ``tolerance`` the steps between the points of the grid t0 + n h are chosen by their local error. With
    ``events`` impacts, releases and changes of stick and slip are located (``drive.events``).
    """

    system: LinearSystem | MultibodySystem
    scheme: Scheme
    solver: ContactSolver
    h: float
    t0: float
    steps: int
    every: int
    fields_every: int
    tolerance: float = 0.0
    events: bool | None = None

    @property
    def with_events(self) -> bool:
        """Whether events are located: requested, or implied by the scheme."""
        return bool(self.events) or self.scheme.driver == "events"

    @property
    def linear(self) -> LinearSystem:
        """The system, for engines of small motion."""
        assert isinstance(self.system, LinearSystem)
        return self.system

    def time(self, n: int) -> float:
        """Return the time of step n."""
        return self.t0 + n * self.h

    @property
    def span(self) -> float:
        """The duration of the run, s."""
        return self.time(self.steps) - self.t0

    @cached_property
    def start_vibrations(self) -> Vibrations:
        """The vibrations and decays about the start, computed once."""
        from flexmb.drive.events.vibrations import vibrations

        return vibrations(self.system, self.t0)

    @cached_property
    def stability_note(self) -> str:
        """The note on explicit steps between events, made once; may be empty."""
        from flexmb.drive.events.stiffness import stability_note

        return stability_note(self) if self.with_events else ""

    def samples_in(self, n0: int, n1: int) -> IntArray:
        """Return the steps in (n0, n1] that are samples."""
        return _marked(n0, n1, self.every, self.steps)

    def fields_in(self, n0: int, n1: int) -> IntArray:
        """Return the steps in (n0, n1] at which the full state is stored."""
        return _marked(n0, n1, self.fields_every, self.steps)

    def empty_block(self, step: IntArray, field_step: IntArray) -> Block:
        """Return a block with space for the given samples."""
        width = sum(p.size for p in self.system.probes)
        k, f, nc, blocks = step.size, field_step.size, self.system.contacts.nc, self.system.contacts.blocks
        block = Block(
            step=step,
            time=np.asarray(self.t0 + step * self.h, dtype=np.float64),
            probes=np.zeros((k, width)),
            gap=np.zeros((k, nc)),
            velocity=np.zeros((k, nc)),
            impulse=np.zeros((k, nc)),
            energy=np.zeros((k, COLUMNS)),
            field_step=field_step,
            field_q=np.zeros((f, self.system.nq)),
            field_v=np.zeros((f, self.system.nv)),
            field_impulse=np.zeros((f, self.system.impulse_map.shape[1])),
            beside=np.zeros((k, BESIDE_COLUMNS, blocks.nt)),
            laws=np.zeros((k, LAW_COLUMNS, 0 if blocks.normals_only else nc)),
        )
        joints: JointGroups | None = self.system.joints
        if joints is not None:
            block.multiplier, block.joint_g, block.joint_gdot, block.joint_impulse = np.zeros((4, k, joints.nj))
        return block


class Engine(Protocol):
    """Advances a run; deterministic, and completely described by its snapshot."""

    name: str
    step: int
    failure: SimulationError | None
    progress: Callable[[int, int], None] | None = None
    """Called by engines whose steps take long, from within a step; it may raise KeyboardInterrupt."""

    def start(self) -> Block:
        """Return the block with the sample at the start."""
        ...

    def advance(self, n: int) -> Block:
        """Take up to n steps; on failure return what was reached and set ``failure``."""
        ...

    def snapshot(self) -> dict[str, Array]:
        """Return copies of the complete state of the engine."""
        ...

    def restore(self, arrays: dict[str, Array], step: int) -> None:
        """Continue from a snapshot taken at ``step``."""
        ...

    def tally(self) -> Tally:
        """Return the statistics of all steps."""
        ...

    def make_room_for(self, arrays: Mapping[str, Array]) -> None:
        """Adapt arrays to the sizes of a snapshot; those of most engines do not vary."""
        return

    def cause_of_growth(self) -> str:
        """Return why energy grows at the state that was reached, if the engine can tell; else an empty text."""
        return ""


def tally_of(ledger: Array, steps: int, labels: Sequence[str]) -> Tally:
    """Return the tally from the ledger; ``labels`` are those of the contacts."""

    def label(place: int) -> str:
        return labels[int(ledger[place])] if ledger[place] >= 0.0 else ""

    return Tally(
        steps=steps,
        min_gap=float(ledger[MIN_GAP]),
        min_gap_time=float(ledger[MIN_GAP_TIME]),
        gain_steps=int(ledger[GAIN_STEPS]),
        gain_max=float(ledger[GAIN_MAX]),
        gain_time=float(ledger[GAIN_TIME]),
        gain_contact=label(GAIN_CONTACT),
        friction_gain_steps=int(ledger[FRICTION_GAIN_STEPS]),
        friction_gain_max=float(ledger[FRICTION_GAIN_MAX]),
        friction_gain_time=float(ledger[FRICTION_GAIN_TIME]),
        friction_gain_contact=label(FRICTION_GAIN_CONTACT),
        falling_max=float(ledger[FALLING_MAX]),
        falling_time=float(ledger[FALLING_TIME]),
        falling_contact=label(FALLING_CONTACT),
        contact_residual_max=float(ledger[CONTACT_RESIDUAL]),
        residual_max=float(ledger[RESIDUAL_MAX]),
        energy_max=float(ledger[ENERGY_MAX]),
        energy_scale=float(ledger[SCALE]),
        contact_steps=int(ledger[CONTACT_STEPS]),
        projection=float(ledger[PROJECTION]),
        iterations=int(ledger[ITERATIONS]),
    )


def truncate(block: Block, samples: int, fields: int) -> Block:
    """Return the first rows of a block."""
    kept: dict[str, Any] = {}
    for f in dataclasses.fields(Block):
        values = getattr(block, f.name)
        kept[f.name] = None if values is None else values[: fields if f.name.startswith("field_") else samples]
    return Block(**kept)


def not_finite(plan: Plan, n: int) -> SimulationError:
    """Return the error for a motion that has overflowed."""
    return SimulationError(NOT_FINITE, time=plan.time(n), step=n)


def require_fitting(stored: Mapping[str, np.ndarray], own: Mapping[str, np.ndarray]) -> None:
    """Raise InputError unless the arrays of a snapshot have the names, shapes and types of an engine's own.

    Parameters
    ----------
    stored, own : mapping of str to array
        Arrays of the checkpoint, and of the engine's ``snapshot``.
    """
    wrong = [f"it lacks the array {name}" for name in own if name not in stored]
    wrong += [f"it has an array {name} that this run does not have" for name in stored if name not in own]
    for name in own.keys() & stored.keys():
        mine, found = own[name], stored[name]
        if (found.shape, found.dtype) != (mine.shape, mine.dtype):
            wrong.append(f"{name} should be {mine.dtype} {mine.shape} and is {found.dtype} {found.shape}")
    if wrong:
        message = f"the checkpoint does not fit this run: {'; '.join(sorted(wrong))}; start again with --overwrite"
        raise InputError(message, key="resume")


def _marked(n0: int, n1: int, every: int, last: int) -> IntArray:
    first = (n0 // every + 1) * every
    steps = np.arange(first, n1 + 1, every, dtype=np.int64)
    if n0 < last <= n1 and (steps.size == 0 or steps[-1] != last):
        steps = np.append(steps, np.int64(last))
    return steps
