"""The only time loop: from a plan to samples, in blocks, with progress and checkpoints."""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

from flexmb.drive.check_plan import check_plan, early_notes
from flexmb.drive.choose_engine import choose_engine
from flexmb.drive.energy_bounds import EXPLICIT_GAIN, MOST_GAIN, EnergyBounds
from flexmb.drive.engine import Engine, Plan, require_fitting, truncate
from flexmb.drive.feedback import Feedback
from flexmb.drive.stepping_time import SteppingTime
from flexmb.drive.time_grid import check_whole
from flexmb.errors import InputError, SimulationError
from flexmb.record.run_warnings import warn_notes
from flexmb.record.samples import Block, Checkpoint, RunInfo, Sink, Tally, count_kept
from flexmb.state import Array
from flexmb.system.multibody_system import MultibodySystem

BLOCK_BYTES = 32_000_000
"""Maximum memory of a block of samples."""
BLOCK_SECONDS = 0.2
"""Target duration of a block, for progress output and interrupts."""
BOUNDS = "energy_bounds"
"""Array of a checkpoint with the state of the energy bounds."""


class Cancelled(BaseException):
    """The caller has ended a run; like an interrupt it is no error."""

    tally: Tally


@dataclass(frozen=True)
class Outcome:
    """Outcome of a run: the numbers for its summary.

    ``wall_time_s`` is the loop with its writing, ``cpu_time_s`` the processor time of all threads in it,
    ``stepping_time_s`` the steps alone (``SteppingTime``).
    """

    tally: Tally
    engine: str
    wall_time_s: float
    steps: int
    stepping_time_s: float = 0.0
    cpu_time_s: float = 0.0


def run(
    plan: Plan,
    sink: Sink,
    *,
    engine: str = "auto",
    resume: Checkpoint | None = None,
    progress: Callable[[int, int], None] | None = None,
    cancel: Callable[[], bool] | None = None,
    checkpoint_every: float = 20.0,
) -> Outcome:
    """Take a plan to its end, handing samples to a sink.

    Parameters
    ----------
    plan : Plan
    sink : Sink
    engine : str
        "auto", "compiled" or "general".
    resume : Checkpoint, optional
        Continue from here; the sink must already hold its samples.
    progress : callable, optional
        Called with (steps done, steps in all) after each block, and within long intervals of runs with events.
    cancel : callable, optional
        Asked after each block (about 0.2 s) whether the run shall end there.
    checkpoint_every : float
        Seconds between checkpoints.

    Raises
    ------
    Cancelled
        When ``cancel`` said so.
    SimulationError
        When a step fails, or its energies cannot be believed; the samples before it have reached the sink.
    """
    _check_output(plan)
    check_plan(plan, engine)
    motor, bounds, feedback = (
        choose_engine(plan, engine),
        _bounds(plan),
        Feedback(plan.system, plan.h),
    )
    if feedback:  # the engine begins with the forces of the start, which need its state
        feedback.take(motor.start(), first=True)
        motor = choose_engine(plan, engine)
    if resume is not None:
        _restore(motor, bounds, resume, plan)
    motor.progress = progress
    warn_notes(early_notes(plan))
    samples, fields = _begin(motor, sink, bounds, resume, plan)
    began = saved = clock.perf_counter()
    used = clock.process_time()
    # intervals between samples of a run with events can each take thousands of steps: progress is shown after the first
    size, stepping = 1 if plan.with_events else 256, SteppingTime()
    while motor.step < plan.steps:
        before, asked = clock.perf_counter(), 1 if feedback else min(size, _most_steps(plan))
        block = _next_block(motor, sink, bounds, stepping, asked)
        samples, fields = samples + block.step.size, fields + block.field_step.size
        feedback.take(block)
        if progress is not None:
            progress(motor.step, plan.steps)
        if cancel is not None and cancel():
            cancelled = Cancelled()
            cancelled.tally = _tally(motor, bounds.floor)
            raise cancelled
        now = clock.perf_counter()
        size = _next_size(asked, now - before)
        if now - saved > checkpoint_every and motor.step < plan.steps:
            arrays = {**motor.snapshot(), BOUNDS: bounds.numbers}
            sink.checkpoint(Checkpoint(motor.step, samples, fields, arrays, motor.name))
            saved = now
    seconds = clock.perf_counter() - began, plan.steps, stepping.seconds, clock.process_time() - used
    return Outcome(_tally(motor, bounds.floor), motor.name, *seconds)


def _check_output(plan: Plan) -> None:
    """Raise InputError unless samples and fields are kept every so many steps."""
    for name in ("every", "fields_every"):
        check_whole("output", name, getattr(plan, name))
        if getattr(plan, name) < 1:
            raise InputError("must be at least 1", where="output", key=name, value=getattr(plan, name))


def _begin(motor: Engine, sink: Sink, bounds: EnergyBounds, resume: Checkpoint | None, plan: Plan) -> tuple[int, int]:
    """Open the sink, with the start unless it is resumed; return how many samples and fields it holds."""
    grid = (plan.h, plan.t0, plan.steps, plan.every, plan.fields_every)
    sink.begin(RunInfo(plan.system, plan.scheme, *grid, motor.name, plan.tolerance))
    if resume is not None:
        return resume.samples, resume.fields
    block = motor.start()
    bounds.first_bad(block.energy)  # the start is kept whatever it is; later samples say so
    sink.append(block)
    return block.step.size, block.field_step.size


def _next_block(motor: Engine, sink: Sink, bounds: EnergyBounds, stepping: SteppingTime, asked: int) -> Block:
    """Take some steps and hand on their samples; raise what has failed in them, with the samples before it kept."""
    known, at = motor.snapshot(), motor.step
    try:
        with stepping:
            block = motor.advance(asked)
            stepping.steps = motor.step - at
    except InputError:  # of a user's function
        _up_to_failure(motor, sink, bounds, (known, at), asked // 2)
        raise
    bad, words = bounds.first_bad(block.energy)
    if bad >= 0:
        raise _stopped(motor, sink, block, bad, words, (known, at), bounds.floor)
    sink.append(block)
    if motor.failure is not None:
        motor.failure.tally = _tally(motor, bounds.floor)
        raise motor.failure
    return block


def _restore(motor: Engine, bounds: EnergyBounds, point: Checkpoint, plan: Plan) -> None:
    """Restore engine and bounds from a checkpoint; raise InputError before if it does not match."""
    anew = "start anew with --overwrite"
    if point.engine not in ("", motor.name):
        message = f"the checkpoint comes from the {point.engine} engine, this run uses the {motor.name} one"
        raise InputError(message, key="resume")
    if not 0 <= point.step <= plan.steps:
        message = f"the checkpoint is at step {point.step}, and this run has {plan.steps} steps; {anew}"
        raise InputError(message, key="resume")
    for name, every in (("samples", plan.every), ("fields", plan.fields_every)):
        found, due = getattr(point, name), count_kept(point.step, every, plan.steps)
        if found != due:
            message = (
                f"the checkpoint at step {point.step} contains {found} {name}, but {due} are expected there; {anew}"
            )
            raise InputError(message, key="resume")
    motor.make_room_for(point.arrays)
    require_fitting(point.arrays, {**motor.snapshot(), BOUNDS: bounds.numbers})
    motor.restore({name: values for name, values in point.arrays.items() if name != BOUNDS}, point.step)
    bounds.numbers = point.arrays[BOUNDS]


def _up_to_failure(
    motor: Engine, sink: Sink, bounds: EnergyBounds, before: tuple[dict[str, Array], int], n: int
) -> None:
    """Take the steps again that come before one in which a user's function fails, and hand on their samples.

    The engine goes back to ``before``, its snapshot and step before the block, and on by n steps at most at a time.
    """
    motor.restore(*before)
    while n:
        known, at = motor.snapshot(), motor.step
        try:
            block = motor.advance(n)
        except InputError:
            motor.restore(known, at)
            n //= 2
            continue
        bad, _ = bounds.first_bad(block.energy)
        if bad >= 0 or motor.failure is not None or motor.step == at:
            return
        sink.append(block)


def _stopped(
    motor: Engine, sink: Sink, block: Block, bad: int, words: str, before: tuple[dict[str, Array], int], floor: float
) -> SimulationError:
    """Hand a block to the sink up to a sample that cannot be believed, and return the error that ends the run.

    The engine is taken back to ``before``, its snapshot and step before the block, and on to the last sample that is
    kept: so the tally counts what the results show.
    """
    sink.append(truncate(block, bad, int(np.searchsorted(block.field_step, block.step[bad]))))
    motor.restore(*before)
    motor.advance(int(block.step[bad - 1]) - motor.step if bad else 0)
    cause = motor.cause_of_growth()
    words += f" ({cause})" if cause else ""
    error = SimulationError(words, time=float(block.time[bad]), step=int(block.step[bad]))
    error.tally = _tally(motor, floor)
    return error


def _round_off(plan: Plan) -> float:
    """Return the energy that round-off may make of a system at rest, J.

    In large motion that of 1e-9 of its size in a step, taken for motion; and 1e-10 of what the forces of the start
    would do in a step if no contact held the system.
    """
    system = plan.system
    if not system.nv:
        return 0.0
    here = system.instant(plan.t0, system.start, system.v0)
    mass = system.matrices(here)[0].diagonal()
    pushed = np.divide(here.F.sum(axis=0) ** 2, mass, out=np.zeros(system.nv), where=mass > 0.0)
    floor = 0.5e-10 * plan.h**2 * float(pushed.sum())
    if isinstance(system, MultibodySystem):
        floor += 0.5 * float(mass[~system.turning].max(initial=0.0)) * (1e-9 * system.extent / plan.h) ** 2
    return floor


def _correction(plan: Plan) -> float:
    """Return the energy that moving contacts out of their initial penetration in the first step may add, J.

    Each contact inside by d is moved out by dq = M^-1 G d / (G^T M^-1 G), the least motion in the mass metric: against
    the forces of the start, |F| |dq|, with the elastic energy dq K dq / 2 and, at position level, the speed dq / h.
    """
    system = plan.system
    if isinstance(system, MultibodySystem):  # there the initial state is projected
        return 0.0
    here = system.instant(plan.t0, system.start, system.v0)
    inside = np.flatnonzero(here.g < -here.gap_noise)
    if not inside.size:
        return 0.0
    G = system.contacts.G[:, inside].toarray()
    moved = splu(sparse.csc_array(system.M)).solve(G)
    dq = moved @ (-here.g[inside] / np.einsum("ij,ij->j", G, moved))
    against = float(np.abs(here.F.sum(axis=0)) @ np.abs(dq))
    return against + 0.5 * float(dq @ (system.K @ dq)) + 0.5 * float(dq @ (system.M @ dq)) / plan.h**2


def _bounds(plan: Plan) -> EnergyBounds:
    """Return the bounds of the energies; explicit integrators do not overshoot, and may add little."""
    correction = _correction(plan)
    if plan.with_events and np.isfinite(plan.scheme.stability):
        from flexmb.drive.events.vibrations import damping_takes

        return EnergyBounds(_round_off(plan), EXPLICIT_GAIN, damping_takes(plan.system, plan.t0), correction)
    return EnergyBounds(_round_off(plan), MOST_GAIN, correction=correction)


def _tally(motor: Engine, round_off: float) -> Tally:
    """Return the tally of a run with its round-off, J."""
    tally = motor.tally()
    tally.round_off = round_off
    return tally


def _most_steps(plan: Plan) -> int:
    """Return how many steps may go into a block for its samples and fields to fit."""
    system = plan.system
    width = sum(p.size for p in system.probes) + 3 * system.contacts.nc + 9
    if isinstance(system, MultibodySystem):  # signals are taken from whole states after a block
        width += system.nq + system.nv + 3 * system.nj
    rows = max(1, BLOCK_BYTES // (8 * width))
    fields = max(1, BLOCK_BYTES // (16 * max(system.nv, 1)))
    tables = BLOCK_BYTES // (8 * (len(system.loads) + 2 * len(system.contacts.motions) + 1))
    return min(rows * plan.every, fields * plan.fields_every, tables)


def _next_size(size: int, seconds: float) -> int:
    """Return a block size that takes about BLOCK_SECONDS, growing at most eightfold at a time."""
    if seconds <= 0.0:
        return size * 8
    return int(np.clip(size * BLOCK_SECONDS / seconds, 1, size * 8))
