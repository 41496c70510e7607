"""From a model to a result held in memory."""

from __future__ import annotations

import dataclasses
import inspect
import time as clock
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from flexmb.checks.foreign_keys import in_our_words
from flexmb.checks.values import nearest
from flexmb.drive.check_plan import check_plan, early_notes
from flexmb.drive.engine import Engine, Plan
from flexmb.drive.run import Cancelled, Outcome, run
from flexmb.drive.start_state import Start, kept_state, started_from
from flexmb.drive.time_grid import time_grid
from flexmb.errors import FlexmbError, InputError, SimulationError
from flexmb.nonsmooth.solvers import ContactSolver
from flexmb.record.result import MemorySink, Result
from flexmb.record.run_warnings import warn_notes
from flexmb.record.samples import Tally
from flexmb.schemes import SCHEMES
from flexmb.schemes.scheme import Scheme
from flexmb.system.linear_system import LinearSystem
from flexmb.system.model import Model
from flexmb.system.multibody_system import MultibodySystem


def simulate(
    model: Model | LinearSystem | MultibodySystem,
    scheme: Scheme | type[Scheme] | str,
    step: float | None = None,
    end: float | None = None,
    *,
    start: float | None = None,
    start_from: Start | None = None,
    steps: int | None = None,
    tolerance: float | None = None,
    events: bool | None = None,
    every: int = 1,
    interval: float | None = None,
    fields_every: int | None = None,
    signals: Sequence[str] | None = None,
    solver: ContactSolver | None = None,
    engine: str = "auto",
    title: str = "",
    progress: Callable[[int, int], None] | None = None,
    cancel: Callable[[], bool] | None = None,
    **options: Any,
) -> Result:
    """Integrate a model and return the result, held in memory.

    Parameters
    ----------
    model : Model, LinearSystem or MultibodySystem
    scheme : Scheme, or its class or name
        E.g. ``GeneralizedAlpha(rho_inf=0.8)``; or ``"generalized-alpha"`` with ``rho_inf=0.8`` among ``options``.
    step, end : float
        Step size, and time at the end of the run (not its duration), s; ``step`` must divide ``end - start``.
        ``steps`` or ``tolerance`` may be given instead.
    start : float, optional
        Time of the initial state, s; 0, or the time of the state of ``start_from``.
    start_from : Result, or (Result, time), optional
        Start from the last stored state of this result, or from the one at ``time``, instead of the initial state of
        the model. The scheme restarts from positions and velocities; energies and works are counted from there.
    steps : int, optional
        Number of steps, instead of ``step``.
    tolerance : float, optional
        Local error per step, instead of ``step``: step size control. For the alpha family, ``MoreauJean(theta=0.5)``
        and all event-driven schemes.
    events : bool, optional
        Whether impacts, releases and stick-slip transitions are located, with a scheme of the alpha family between
        them; schemes such as ``phem56`` imply it, and False with them is an InputError.
    every : int
        Steps, or intervals, between samples (works and impulses are accumulated over all steps).
    interval : float, optional
        With ``tolerance``, the time between samples, s; it must divide ``end - start``. Default: a 500th of it.
    fields_every : int, optional
        Steps between stored complete states; default: about 200 states in the run.
    signals : sequence of str, optional
        Names of the signals to record, instead of the default ones.
    solver : ContactSolver, optional
    engine : str
        "auto", "compiled" or "general".
    title : str
    progress : callable, optional
        Called with (steps done, total steps), about five times a second.
    cancel : callable, optional
        Called as often; when it returns True the run ends.
    options
        Parameters of the scheme, if it is given by its class or name.

    Returns
    -------
    Result
        If the run was canceled or interrupted (Ctrl-C), the results so far, with ``complete`` False.

    Raises
    ------
    SimulationError
        If a step fails; its ``result`` has the results so far, as has that of an InputError about a user-defined
        function that fails during the run.
    """
    chosen = chosen_scheme(scheme, options)
    if end is None:
        raise InputError("is needed", where="time", key="end")
    state = None if start_from is None else kept_state(start_from)
    start = start if start is not None else 0.0 if state is None else state[0]
    n, h = time_grid(start, end, step, steps, tolerance, interval)
    system = model.assemble(signals=signals, t0=start) if isinstance(model, Model) else model
    if state is not None:
        system = started_from(system, start, *state[1:])
    fields_every = max(1, n // 200) if fields_every is None else fields_every
    plan = Plan(system, chosen, solver or ContactSolver(), h, start, n, every, fields_every, tolerance or 0.0, events)
    sink, began = MemorySink(), clock.perf_counter()
    try:
        with telling_failures(early_notes(plan)):
            outcome = run(plan, sink, engine=engine, progress=progress, cancel=cancel)
    except (FlexmbError, KeyboardInterrupt, Cancelled) as err:
        if not sink.has_samples:
            raise
        there_is = sink.unfinished(err, clock.perf_counter() - began, title)
        if not isinstance(err, FlexmbError):
            return there_is
        err.result = there_is
        raise
    result = sink.result(outcome, title=title)
    warn_notes(result.notes, early_notes(plan))
    return result


def chosen_scheme(scheme: Scheme | type[Scheme] | str, options: dict[str, Any]) -> Scheme:
    """Return a scheme that is given as itself, or as its class or name with options."""
    if isinstance(scheme, str):
        if scheme not in SCHEMES:
            message = f"there is no such scheme{nearest(scheme, list(SCHEMES))}; schemes: {', '.join(SCHEMES)}"
            raise InputError(message, key="scheme", value=scheme)
        scheme = SCHEMES[scheme]
    if isinstance(scheme, type):
        allowed = [field.name for field in dataclasses.fields(scheme) if field.init]  # type: ignore[arg-type]
        for key in options:
            if key not in allowed:
                words = (
                    f"is not an option of it{_meant(key, [*OWN, *allowed])}; options: {', '.join(allowed) or 'none'}"
                )
                raise InputError(words, where=f"simulate, scheme '{scheme.name}'", key=key, value=options[key])
        return scheme(**options)
    if isinstance(scheme, str) or not callable(getattr(scheme, "step", None)):
        words = "must be a scheme or the name of one, such as GeneralizedAlpha(rho_inf=0.8) or 'generalized-alpha'"
        raise InputError(words, key="scheme", value=scheme)
    for key, value in options.items():
        words = f"is not a keyword of simulate{_meant(key, OWN)}; options belong to the scheme object"
        raise InputError(words, where="simulate", key=key, value=value)
    return scheme


def _meant(key: str, allowed: list[str]) -> str:
    return in_our_words(key, allowed) or nearest(key, allowed)


@contextmanager
def telling_failures(told: Collection[str]) -> Iterator[None]:
    """Issue the notes of a failed run that were not issued before."""
    try:
        yield
    except SimulationError as err:
        if isinstance(err.tally, Tally):
            warn_notes(err.tally.notes, told)
        raise


OWN = [name for name in inspect.signature(simulate).parameters if name != "options"]
"""Keywords of ``simulate``."""

__all__ = ["Engine", "Outcome", "Plan", "check_plan", "run", "simulate", "telling_failures", "time_grid"]
