"""Checks before the first step: tables that do not cover the run, schemes that do not support the system."""

from __future__ import annotations

from flexmb.drive.choose_engine import check_laws
from flexmb.drive.engine import Plan
from flexmb.drive.events.integrators import check_events
from flexmb.errors import InputError
from flexmb.record.plan_notes import notes_of
from flexmb.schemes.compiled_numbers import check_scheme
from flexmb.schemes.scheme import SchemesThat
from flexmb.system.multibody_system import MultibodySystem
from flexmb.system.user_functions import functions_of, sampled_functions

LEAST_TOLERANCE, LEAST_OF_HALVING = 1e-14, 1e-13
"""Smallest tolerances: of estimates from accelerations, and of those from differences between positions."""

WITH_ERROR = SchemesThat(lambda c: c.error_known != "", lambda c: c.error_known.replace("always", ""))
"""Schemes of which a tolerance can choose the steps, in small motion and in large."""


def early_notes(plan: Plan) -> tuple[str, ...]:
    """Return the notes on a run before its first step, also on explicit steps that stability makes many."""
    words = plan.stability_note
    return (*notes_of(plan), words) if words else notes_of(plan)


def check_plan(plan: Plan, engine: str = "auto") -> None:
    """Raise InputError when a table does not cover the run, or scheme or solver do not fit system and engine."""
    system, end = plan.system, plan.time(plan.steps)
    if isinstance(system, MultibodySystem):
        if not plan.with_events:
            check_scheme(plan.scheme, system)
        outside = system.outside(system.v0)
        if outside:
            raise InputError(f"{outside} at the start", where="bodies")
    else:
        plan.scheme.check(system)
    if plan.events is False and plan.with_events:
        message = f"cannot be false with '{plan.scheme.name}', which integrates between events; leave it out"
        raise InputError(message, where="time", key="events", value=False)
    if plan.with_events:
        check_events(plan.scheme, system)
    else:
        _check_steps(plan, engine)
    if plan.tolerance:
        _check_tolerance(plan)
    if plan.with_events:
        from flexmb.drive.events.stiffness import check_stability

        check_stability(plan)
    if plan.every != 1 and sampled_functions(plan.system):
        message = "a force that depends on the motion of its node is sampled in every step; leave this at 1"
        raise InputError(message, where="output", key="every", value=plan.every)
    for where, function in functions_of(system):
        check = getattr(function, "check_span", None)
        if check is not None:
            check(plan.t0, end, where)


def _check_steps(plan: Plan, engine: str) -> None:
    """Raise InputError for laws, a solver or a tolerance that time stepping does not support."""
    check_laws(plan, engine)
    if plan.tolerance and not plan.scheme.has_error_estimate:
        name = getattr(plan.scheme, "name", type(plan.scheme).__name__)
        message = f"requires a scheme with an error estimate: one of {WITH_ERROR}; with {name} give step or steps"
        raise InputError(message, where="time", key="tolerance", value=plan.tolerance)


def _check_tolerance(plan: Plan) -> None:
    """Raise InputError for a tolerance below what double precision can reach."""
    by_forces = isinstance(plan.system, MultibodySystem) and plan.scheme.error_in_large_motion
    least = LEAST_TOLERANCE if plan.with_events or by_forces else LEAST_OF_HALVING
    if plan.tolerance < least:
        message = f"is below the accuracy of double precision; must be at least {least:g}"
        raise InputError(message, where="time", key="tolerance", value=plan.tolerance)
