"""Stiff models under explicit integrators: steps that let motions grow are refused before the first one, or noted.

A step multiplies the amplitude of a vibration q'' + c q' + omega^2 q = 0 by the spectral radius r(h omega, h c) of the
integrator. Runge-Kutta methods have r slightly above 1 in ranges of h omega far below the limit beyond which a step
gains a hundredth (``Scheme.stability``): HEM5 between 0 and 1.28, DOPRI5 from 0.998, RKF45 from 0 on. What counts is
therefore the factor over the run, r^(2 N) for the energy after N steps, of every vibration with its own damping, and
of every motion that damping makes decay: the steps of an explicit integrator let it grow if h c is too large.
"""

from __future__ import annotations

import numpy as np

from flexmb.drive.engine import Plan
from flexmb.drive.events.vibrations import MOST, Vibrations, vibrations
from flexmb.errors import InputError
from flexmb.schemes.scheme import Scheme
from flexmb.state import Array
from flexmb.system.linear_system import LinearSystem
from flexmb.system.multibody_system import MultibodySystem

USE_INSTEAD = (
    "use generalized-alpha, whose time stepping over impacts is compiled; with events = true it locates them, as "
    "implicit Runge-Kutta methods do, with more computing time per step"
)
STEP_GROWS = 1.01
"""Growth of an amplitude in one step that is refused."""
NOTED, REFUSED = 0.01, float(np.log(2.0))
"""Logarithm of the growth of the energy of a vibration over a run that causes a note, and that is refused."""
MANY, TOO_MANY = 1e5, 1e8
"""Number of steps that causes a note, and number of steps that is rejected, where a tolerance chooses the steps."""


def growth(scheme: Scheme, h: float, found: Vibrations) -> Array:
    """Return the logarithm of what a step multiplies the amplitude of each vibration by, beyond what the motion does.

    Negative damping lets a vibration grow by itself: that part is not the scheme's.
    """
    if not found.omega.size:
        return np.zeros(0)
    k, c = (h * found.omega) ** 2, h * found.damping
    maps = np.stack([scheme.amplification(float(x), float(y)) for x, y in zip(k, c, strict=True)])
    radius = np.abs(np.linalg.eigvals(maps)).max(axis=1)
    exact = np.real(-0.5 * c + np.sqrt(0.25 * c * c - k + 0j))
    return np.asarray(np.log(np.maximum(radius, 1e-300)) - np.maximum(exact, 0.0))


def _beyond(step: Array, steps: float) -> Array:
    """Return growth factors of amplitudes per step over the accepted ones: refused above 1."""
    return np.asarray(np.maximum(step / np.log(STEP_GROWS), 2.0 * steps * step / REFUSED))


def check_stability(plan: Plan) -> None:
    """Raise InputError for steps of one size with which a motion grows, or where a tolerance leads to too many."""
    scheme, h, span = plan.scheme, plan.h, plan.span
    if not np.isfinite(scheme.stability):
        return
    found = plan.start_vibrations
    if plan.tolerance:
        least, words = _many_steps(scheme, found, span)
        if least > TOO_MANY:
            raise InputError(words, where="scheme", key="name", value=scheme.name)
        return
    step = growth(scheme, h, found)
    if not step.size or _beyond(step, span / h).max() < 1.0:
        return
    k = int(np.argmax(step))
    raise InputError(
        f"is too long for '{scheme.name}', which is explicit: {_grows(found, step, k, span / h)}; take a smaller step, "
        f"{_accepted(scheme, h, span, found):.3g} s for instance, or {USE_INSTEAD}",
        where="time",
        key="step",
        value=h,
    )


def _accepted(scheme: Scheme, h: float, span: float, found: Vibrations) -> float:
    """Return a step below h that is accepted, with a margin of 2 %: h itself is not."""

    def fine(step: float) -> bool:
        return bool(_beyond(growth(scheme, step, found), span / step).max() < 1.0)

    good, bad = 0.5 * h, h
    while not fine(good):
        good, bad = 0.5 * good, good
    while bad > 1.01 * good:
        middle = float(np.sqrt(good * bad))
        good, bad = (middle, bad) if fine(middle) else (good, middle)
    good *= 0.98
    while not fine(good):  # a step below an accepted one need not be accepted
        good *= 0.98
    return good


def _grows(found: Vibrations, step: Array, k: int, steps: float) -> str:
    """Return what steps do to the k-th vibration."""
    energy = 2.0 * steps * step[k]
    over = f"{np.exp(energy):.3g}" if energy < 700.0 else f"1e{energy / np.log(10.0):.0f}"
    return (
        f"{found.words(k)}, a step multiplies the amplitude of this motion by "
        f"{np.exp(min(step[k], 700.0)):.6g}, the run its energy by {over}"
    )


def stability_note(plan: Plan) -> str:
    """Return the note on a run with an explicit integrator; may be empty. The step counts without a tolerance."""
    scheme, h, span = plan.scheme, plan.h, plan.span
    if not np.isfinite(scheme.stability):
        return ""
    found = plan.start_vibrations
    if plan.tolerance:
        least, words = _many_steps(scheme, found, span)
        return words if least > MANY else ""
    step = growth(scheme, h, found)
    if step.size and 2.0 * span / h * float(step.max()) > NOTED:
        words = _grows(found, step, int(np.argmax(step)), span / h)
        return f"time.step = {h:.6g} with '{scheme.name}', which is explicit: {words}; a smaller step avoids that"
    if not found.all_of_them and found.omega.size and found.omega[-1] > 0.0:
        band = Vibrations(np.linspace(0.02, 1.0, 50) * found.omega[-1], np.zeros(50), 50 * found.parts)
        step = growth(scheme, h, band)
        if 2.0 * span / h * float(step.max()) > NOTED:
            k = int(np.argmax(step))
            return (
                f"time.step = {h:.6g} with '{scheme.name}', which is explicit: a vibration with about "
                f"{band.omega[k]:.3g} rad/s would be multiplied by {np.exp(step[k]):.6g} in a step; of a model with "
                f"more than {MOST} unknowns only the highest frequency is computed, {band.omega[-1]:.6g} rad/s"
            )
    return ""


def _many_steps(scheme: Scheme, found: Vibrations, span: float) -> tuple[float, str]:
    """Return the number of steps required by stability with a tolerance, and the message if it is large."""
    k = found.fastest
    if k < 0:
        return 0.0, ""
    least = span * float(found.rates[k]) / scheme.stability
    return least, (
        f"'{scheme.name}' is explicit, and {found.words(k)}: stability alone requires {least:.2g} steps; {USE_INSTEAD}"
    )


def cause_of_growth(
    scheme: Scheme, system: LinearSystem | MultibodySystem, t: float, q: Array, v: Array, h: float
) -> str:
    """Return which motion steps of h let grow at a state of the run; empty if none."""
    if not np.isfinite(scheme.stability):
        return ""
    found = vibrations(system, t, q, v)
    step = growth(scheme, h, found)
    if not step.size or not step.max() > 1e-6:
        return ""
    k = int(np.argmax(step))
    return (
        f"'{scheme.name}' is explicit, and {found.words(k)} at t = {t:.6g} s: a step of {h:.6g} s multiplies its "
        f"amplitude by {np.exp(min(step[k], 700.0)):.6g}"
    )
