"""The only time loop: from a model to samples, in blocks, with progress and checkpoints."""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from flexmb.drive import Engine, Plan, choose_engine
from flexmb.drive.choose_engine import check_laws
from flexmb.drive.energy_bounds import EnergyBounds
from flexmb.drive.engine import require_fitting, truncate
from flexmb.drive.multibody_engine import MultibodyEngine
from flexmb.drive.stepping_time import SteppingTime
from flexmb.errors import InputError, SimulationError
from flexmb.kernels.multibody import ITERATIONS, STEPS
from flexmb.nonsmooth.solvers import ContactSolver
from flexmb.record.plan_notes import notes_of
from flexmb.record.result import MemorySink, Result
from flexmb.record.run_warnings import warn_notes
from flexmb.record.samples import Block, Checkpoint, RunInfo, Sink, Tally, count_kept
from flexmb.schemes.compiled_numbers import check_scheme
from flexmb.schemes.scheme import Scheme
from flexmb.state import Array
from flexmb.system.linear_system import LinearSystem
from flexmb.system.model import Model
from flexmb.system.multibody_system import MultibodySystem

BLOCK_BYTES = 32_000_000
"""Most memory a block of samples may take."""
BLOCK_SECONDS = 0.2
"""How long a block should run, so that progress is seen and an interrupt is felt."""
MOST_STEPS = 2**53
"""Up to here n h is a time for every whole n."""
INTERVALS = 500
"""Between samples, by default, where a tolerance chooses the steps."""
BOUNDS = "energy_bounds"
"""Array of a checkpoint that holds what the energy bounds have seen."""


@dataclass(frozen=True)
class Outcome:
    """What a run came to: the figures for its summary.

    ``wall_time_s`` is the loop with its writing, ``stepping_time_s`` the steps alone (``SteppingTime``).
    """

    tally: Tally
    engine: str
    wall_time_s: float
    steps: int
    stepping_time_s: float = 0.0


def check_whole(where: str, key: str, value: int) -> None:
    """Raise InputError unless ``value`` is an integer."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise InputError("must be an integer", where=where, key=key, value=value)


def time_grid(
    start: float,
    end: float,
    step: float | None = None,
    steps: int | None = None,
    tolerance: float | None = None,
    interval: float | None = None,
) -> tuple[int, float]:
    """Return the number of steps and their size; with a ``tolerance`` those of the intervals between samples.

    Raises
    ------
    InputError
        When the step or interval does not divide the time span, or not just one of ``step``, ``steps`` and
        ``tolerance`` is given.
    """
    for key, value in (("start", start), ("end", end)):
        _check_number("time", key, value)
    if not (np.isfinite(end - start) and end > start):
        raise InputError(f"must be later than start = {start:g}", where="time", key="end", value=end)
    ways = {"tolerance": tolerance, "step": step, "steps": steps}
    given = [key for key, value in ways.items() if value is not None]
    if len(given) != 1:
        key = given[0] if given else "step"
        raise InputError("give one of step, steps and tolerance", where="time", key=key, value=ways[key])
    if tolerance is None:
        if interval is not None:
            message = "belongs to time.tolerance; samples of a run with steps of one size are counted by every"
            raise InputError(message, where="output", key="interval", value=interval)
        return _count_steps(start, end, step, steps)
    _check_number("time", "tolerance", tolerance)
    if not (np.isfinite(tolerance) and tolerance > 0.0):
        raise InputError("must be a positive number", where="time", key="tolerance", value=tolerance)
    return _count_steps(start, end, interval, INTERVALS if interval is None else None, "output", "interval")


def _check_number(where: str, key: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)):
        raise InputError("must be a number", where=where, key=key, value=value)


def _count_steps(
    start: float, end: float, step: float | None, steps: int | None, where: str = "time", key: str = "step"
) -> tuple[int, float]:
    """Return the number of steps and their size, from one of the two; ``where`` and ``key`` are those of ``step``."""
    span = end - start
    if steps is not None:
        check_whole("time", "steps", steps)
        if not 1 <= steps <= MOST_STEPS:
            words = "must be at least 1" if steps < 1 else f"must be at most {MOST_STEPS}"
            raise InputError(words, where="time", key="steps", value=steps)
        return int(steps), span / steps
    assert step is not None
    _check_number(where, key, step)
    if not (np.isfinite(step) and step > 0.0):
        raise InputError("must be a positive number", where=where, key=key, value=step)
    if span < step * (1.0 - 1e-9):
        message = f"is longer than the time span {span:g}; use {span!r} (1 {key}) or less"
        raise InputError(message, where=where, key=key, value=step)
    if span / step > MOST_STEPS:
        message = f"is too small for the time span {span:g}: more than {MOST_STEPS} {key}s"
        raise InputError(message, where=where, key=key, value=step)
    n = round(span / step)
    if abs(n * step - span) > 1e-9 * span:
        below, above = int(span / step), int(span / step) + 1
        raise InputError(
            f"does not divide the time span {span:g} into whole {key}s ({span / step:.6g}); "
            f"use {span / below!r} ({below} {key}s) or {span / above!r} ({above} {key}s)",
            where=where,
            key=key,
            value=step,
        )
    return n, float(step)


def simulate(
    model: Model | LinearSystem | MultibodySystem,
    scheme: Scheme,
    step: float | None = None,
    end: float | None = None,
    *,
    start: float = 0.0,
    steps: int | None = None,
    tolerance: float | None = None,
    every: int = 1,
    interval: float | None = None,
    fields_every: int | None = None,
    signals: Sequence[str] | None = None,
    solver: ContactSolver | None = None,
    engine: str = "auto",
    title: str = "",
    progress: Callable[[int, int], None] | None = None,
) -> Result:
    """Integrate a model and return the result, held in memory.

    Parameters
    ----------
    model : Model, LinearSystem or MultibodySystem
    scheme : Scheme
        E.g. ``GeneralizedAlpha(rho_inf=0.8)``.
    step, end : float
        Step size and end time, s; ``step`` must divide ``end - start``. ``steps`` or ``tolerance`` may stand for
        ``step``.
    start : float
        Time of the initial state, s.
    steps : int, optional
        Number of steps, in place of ``step``.
    tolerance : float, optional
        Local error per step, in place of ``step``: the steps are chosen by it. For systems in large motion and schemes
        of the alpha family.
    every : int
        Samples are taken every so many steps, or intervals (works and impulses are added up over all of them).
    interval : float, optional
        With ``tolerance``, the time between samples, s; it must divide ``end - start``. Default: a 500th of it.
    fields_every : int, optional
        The whole state is kept every so many steps; default: about 200 times in the run.
    signals : sequence of str, optional
        Names of the signals to record, in place of the default ones.
    solver : ContactSolver, optional
    engine : str
        "auto", "compiled" or "general".
    title : str
    progress : callable, optional
        Called with (steps done, steps in all).

    Returns
    -------
    Result
    """
    if end is None:
        raise InputError("is needed", where="time", key="end")
    n, h = time_grid(start, end, step, steps, tolerance, interval)
    system = model.assemble(signals=signals, t0=start) if isinstance(model, Model) else model
    fields_every = max(1, n // 200) if fields_every is None else fields_every
    plan = Plan(system, scheme, solver or ContactSolver(), h, start, n, every, fields_every, tolerance or 0.0)
    sink = MemorySink()
    with telling_failures(notes_of(plan)):
        outcome = run(plan, sink, engine=engine, progress=progress)
    result = sink.result(outcome, title=title)
    warn_notes(result.notes, notes_of(plan))
    return result


@contextmanager
def telling_failures(told: Collection[str]) -> Iterator[None]:
    """Tell what the steps of a run met on their way when it fails, but for what was told before."""
    try:
        yield
    except SimulationError as err:
        if isinstance(err.tally, Tally):
            warn_notes(err.tally.notes, told)
        raise


def run(
    plan: Plan,
    sink: Sink,
    *,
    engine: str = "auto",
    resume: Checkpoint | None = None,
    progress: Callable[[int, int], None] | None = None,
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
        Called with (steps done, steps in all) after each block.
    checkpoint_every : float
        Seconds between checkpoints.

    Raises
    ------
    SimulationError
        When a step fails, or its energies cannot be believed; the samples before it have reached the sink.
    """
    for name in ("every", "fields_every"):
        check_whole("output", name, getattr(plan, name))
        if getattr(plan, name) < 1:
            raise InputError("must be at least 1", where="output", key=name, value=getattr(plan, name))
    check_plan(plan)
    motor, bounds = choose_engine(plan, engine), EnergyBounds(_round_off(plan))
    if resume is not None:
        _restore(motor, bounds, resume, plan)
    warn_notes(notes_of(plan))
    grid = (plan.h, plan.t0, plan.steps, plan.every, plan.fields_every)
    sink.begin(RunInfo(plan.system, plan.scheme, *grid, motor.name, plan.tolerance))
    if resume is None:
        block = motor.start()
        bounds.first_bad(block.energy)  # the start is kept whatever it is; later samples say so
        sink.append(block)
        samples, fields = block.step.size, block.field_step.size
    else:
        samples, fields = resume.samples, resume.fields
    began = saved = clock.perf_counter()
    size, stepping = 256, SteppingTime()
    while motor.step < plan.steps:
        before, asked = clock.perf_counter(), min(size, _most_steps(plan))
        known, at = motor.snapshot(), motor.step
        with stepping:
            block = motor.advance(asked)
            stepping.steps = motor.step - at
        bad, words = bounds.first_bad(block.energy)
        if bad >= 0:
            raise _stopped(motor, sink, block, bad, words, (known, at))
        sink.append(block)
        samples, fields = samples + block.step.size, fields + block.field_step.size
        if motor.failure is not None:
            motor.failure.tally = _tally(motor)
            raise motor.failure
        if progress is not None:
            progress(motor.step, plan.steps)
        now = clock.perf_counter()
        size = _next_size(asked, now - before)
        if now - saved > checkpoint_every and motor.step < plan.steps:
            arrays = {**motor.snapshot(), BOUNDS: bounds.numbers}
            sink.checkpoint(Checkpoint(motor.step, samples, fields, arrays, motor.name))
            saved = now
    return Outcome(_tally(motor), motor.name, clock.perf_counter() - began, plan.steps, stepping.seconds)


def _restore(motor: Engine, bounds: EnergyBounds, point: Checkpoint, plan: Plan) -> None:
    """Bring engine and bounds to where a checkpoint stands; InputError, before that, when it does not fit."""
    anew = "start anew with --overwrite"
    if point.engine not in ("", motor.name):
        message = f"the checkpoint comes from the {point.engine} engine, this run uses the {motor.name} one"
        raise InputError(message, key="resume")
    if not 0 <= point.step <= plan.steps:
        message = f"the checkpoint stands at step {point.step}, and this run has {plan.steps} steps; {anew}"
        raise InputError(message, key="resume")
    for name, every in (("samples", plan.every), ("fields", plan.fields_every)):
        found, due = getattr(point, name), count_kept(point.step, every, plan.steps)
        if found != due:
            message = f"the checkpoint at step {point.step} counts {found} {name}, and {due} are due there; {anew}"
            raise InputError(message, key="resume")
    if isinstance(motor, MultibodyEngine):
        motor.make_room_for(point.arrays)
    require_fitting(point.arrays, {**motor.snapshot(), BOUNDS: bounds.numbers})
    motor.restore({name: values for name, values in point.arrays.items() if name != BOUNDS}, point.step)
    bounds.numbers = point.arrays[BOUNDS]


def _stopped(
    motor: Engine, sink: Sink, block: Block, bad: int, words: str, before: tuple[dict[str, Array], int]
) -> SimulationError:
    """Hand a block to the sink up to a sample that cannot be believed, and return the error that ends the run.

    The engine is taken back to ``before``, its snapshot and step before the block, and on to the last sample that is
    kept: so the tally counts what the results show.
    """
    sink.append(truncate(block, bad, int(np.searchsorted(block.field_step, block.step[bad]))))
    motor.restore(*before)
    motor.advance(int(block.step[bad - 1]) - motor.step if bad else 0)
    error = SimulationError(words, time=float(block.time[bad]), step=int(block.step[bad]))
    error.tally = _tally(motor)
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


def _tally(motor: Engine) -> Tally:
    """Return the tally of a run, with what only steps of large motion count."""
    tally = motor.tally()
    if isinstance(motor, MultibodyEngine):
        numbers = motor.motion.numbers
        tally.newton_iterations, tally.steps_taken = int(numbers[ITERATIONS]), int(numbers[STEPS])
        tally.notes = motor.notes()
        tally.bending = motor.bending
    return tally


def check_plan(plan: Plan) -> None:
    """Raise InputError when a table does not cover the run, or the scheme does not fit the system."""
    system, end = plan.system, plan.time(plan.steps)
    if isinstance(system, MultibodySystem):
        check_scheme(plan.scheme, system)
        outside = system.outside(system.v0)
        if outside:
            raise InputError(f"{outside} at the start", where="bodies")
    else:
        plan.scheme.check(system)
    check_laws(plan)
    if plan.tolerance and not isinstance(system, MultibodySystem):
        message = "is for systems in large motion; here, without joints and turning bodies, give step or steps"
        raise InputError(message, where="time", key="tolerance", value=plan.tolerance)
    if plan.tolerance and not plan.scheme.has_error_estimate:
        name = getattr(plan.scheme, "name", type(plan.scheme).__name__)
        message = f"needs generalized-alpha, hht or newmark, whose error is known; with {name} give step or steps"
        raise InputError(message, where="time", key="tolerance", value=plan.tolerance)
    for where, function in _functions(system):
        check = getattr(function, "check_span", None)
        if check is not None:
            check(plan.t0, end, where)


def _functions(system: LinearSystem | MultibodySystem) -> Sequence[tuple[str, object]]:
    """Return the functions of time of a system and where they stand in a case file."""
    if isinstance(system, MultibodySystem):
        return system.functions
    contacts = system.contacts
    found: list[tuple[str, object]] = [(f"loads.{load.name}.function", load.phi) for load in system.loads]
    for m, motion in enumerate(contacts.motions):
        row = int(np.flatnonzero(contacts.motion_of == m)[0])
        group = contacts.names[int(np.searchsorted(contacts.start, row, side="right")) - 1]
        found.append((f"contacts.{group}.motion", motion))
    return found


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


__all__ = ["Engine", "Outcome", "Plan", "check_plan", "run", "simulate", "time_grid"]
