"""Stiff models under explicit integrators: steps that let vibrations grow are refused before the first one, or noted.

A step multiplies the amplitude of a vibration q'' + c q' + omega^2 q = 0 by the spectral radius r(h omega, h c) of the
integrator. Runge-Kutta methods have r slightly above 1 in ranges of h omega far below the limit beyond which a step
gains a hundredth (``Scheme.stability``): HEM5 between 0 and 1.28, DOPRI5 from 0.998, RKF45 from 0 on. What counts is
therefore the factor over the run, r^(2 N) for the energy after N steps, of every vibration with its own damping.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from flexmb.errors import InputError
from flexmb.linalg.frequencies import highest_frequency
from flexmb.schemes.scheme import Scheme
from flexmb.state import Array
from flexmb.system.linear_system import LinearSystem
from flexmb.system.multibody_system import MultibodySystem

MOST = 400
"""Number of unknowns up to which all vibrations are computed; beyond it the fastest one."""
USE_INSTEAD = "use generalized-alpha with events = true, or an implicit Runge-Kutta method"
STEP_GROWS = 1.01
"""Growth of an amplitude in one step that is refused."""
NOTED, REFUSED = 0.01, float(np.log(2.0))
"""Logarithm of the growth of the energy of a vibration over a run that causes a note, and that is refused."""
MANY, TOO_MANY = 1e5, 1e8
"""Number of steps that causes a note, and number of steps that is rejected, where a tolerance chooses the steps."""


@dataclass(frozen=True)
class Vibrations:
    """Undamped modes about a state that the joints allow, without contacts.

    Parameters
    ----------
    omega : (m,) array
        Angular frequencies above zero, rad/s, ascending.
    damping : (m,) array
        Modal damping c = phi . C phi at phi . M phi = 1, 1/s.
    parts : tuple of str
        The part that moves most in each.
    all_of_them : bool
        False for large models, of which only the fastest was computed.
    """

    omega: Array
    damping: Array
    parts: tuple[str, ...]
    all_of_them: bool = True

    @property
    def fastest(self) -> tuple[float, str]:
        """Highest angular frequency, rad/s, and the part that vibrates with it; 0 without vibrations."""
        return (float(self.omega[-1]), self.parts[-1]) if self.omega.size else (0.0, "")


def vibrations(
    system: LinearSystem | MultibodySystem, t: float, q: Array | None = None, v: Array | None = None
) -> Vibrations:
    """Return the vibrations about a state, by default that of the start."""
    here = system.instant(t, system.start if q is None else q, system.v0 if v is None else v)
    M, C, K = system.matrices(here)
    if not system.nv or not np.isfinite(K.data).all():
        return Vibrations(np.zeros(0), np.zeros(0), ())
    if system.nv <= MOST:
        Z = linalg.null_space(here.G_J.toarray().T) if system.nj else np.eye(system.nv)
        if not Z.shape[1]:
            return Vibrations(np.zeros(0), np.zeros(0), ())
        stiff = Z.T @ (0.5 * (K + K.T)).toarray() @ Z
        squares, shapes = linalg.eigh(stiff, Z.T @ M.toarray() @ Z)
        shapes = Z @ shapes
    else:
        top, shape = highest_frequency(M, K, system.factor(here, 1.0, 0.0, 0.0).solve if system.nj else None)
        size = float(np.sqrt(shape @ (M @ shape)))
        squares, shapes = np.array([top * top]), shape[:, None] / (size if size > 0.0 else 1.0)
    moves = squares > 1e-12 * max(float(np.abs(squares).max(initial=0.0)), 1e-300)
    shapes = shapes[:, moves]
    names = system.dof_names
    most = np.abs(shapes).argmax(axis=0) if shapes.size else ()
    parts = tuple(names[int(k)].partition(".")[0] if names else "the system" for k in most)
    damping = np.einsum("ij,ij->j", shapes, C @ shapes)
    return Vibrations(np.sqrt(squares[moves]), damping, parts, system.nv <= MOST)


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
    """Return how far growths of amplitudes per step lie beyond what is accepted: above 1 they are refused."""
    return np.asarray(np.maximum(step / np.log(STEP_GROWS), 2.0 * steps * step / REFUSED))


def check_stability(scheme: Scheme, system: LinearSystem | MultibodySystem, t: float, h: float, span: float) -> None:
    """Raise InputError for steps of one size with which a vibration grows, in a step or over the run."""
    if not np.isfinite(scheme.stability):
        return
    found = vibrations(system, t)
    step = growth(scheme, h, found)
    if not step.size or _beyond(step, span / h).max() < 1.0:
        return
    k = int(np.argmax(step))
    least = h
    while _beyond(growth(scheme, least, found), span / least).max() >= 1.0:
        least *= 0.98
    raise InputError(
        f"is too long for '{scheme.name}', which is explicit: {_grows(found, step, k, span / h)}; take a smaller step, "
        f"{0.98 * least:.3g} s for instance, or {USE_INSTEAD}",
        where="time",
        key="step",
        value=h,
    )


def _grows(found: Vibrations, step: Array, k: int, steps: float) -> str:
    """Return what steps do to the k-th vibration."""
    energy = 2.0 * steps * step[k]
    over = f"{np.exp(energy):.3g}" if energy < 700.0 else f"1e{energy / np.log(10.0):.0f}"
    return (
        f"'{found.parts[k]}' vibrates with {found.omega[k]:.6g} rad/s, a step multiplies the amplitude of this "
        f"vibration by {np.exp(min(step[k], 700.0)):.6g}, the run its energy by {over}"
    )


def stability_note(
    scheme: Scheme, system: LinearSystem | MultibodySystem, t: float, h: float, span: float, tolerance: float
) -> str:
    """Return what is said of a run with an explicit integrator; may be empty. ``h`` counts without a tolerance."""
    if not np.isfinite(scheme.stability):
        return ""
    found = vibrations(system, t)
    if tolerance:
        least, words = _many_steps(scheme, found, span)
        return words if least > MANY else ""
    step = growth(scheme, h, found)
    if step.size and 2.0 * span / h * float(step.max()) > NOTED:
        words = _grows(found, step, int(np.argmax(step)), span / h)
        return f"time.step = {h:.6g} with '{scheme.name}', which is explicit: {words}; a smaller step avoids that"
    if not found.all_of_them and found.omega.size:
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
    """Return how many steps stability asks for where a tolerance chooses them, and what is said of many."""
    omega, part = found.fastest
    least = span * omega / scheme.stability
    return least, (
        f"'{scheme.name}' is explicit, and '{part}' vibrates with up to {omega:.6g} rad/s: stability alone asks for "
        f"{least:.2g} steps; {USE_INSTEAD}"
    )


def check_tolerance(scheme: Scheme, system: LinearSystem | MultibodySystem, t: float, span: float) -> None:
    """Raise InputError where a tolerance chooses the steps and stability requires more than any run can take."""
    if not np.isfinite(scheme.stability):
        return
    least, words = _many_steps(scheme, vibrations(system, t), span)
    if least > TOO_MANY:
        raise InputError(words, where="scheme", key="name", value=scheme.name)


def cause_of_growth(
    scheme: Scheme, system: LinearSystem | MultibodySystem, t: float, q: Array, v: Array, h: float
) -> str:
    """Return which vibration steps of h let grow at a state of the run; empty if none."""
    if not np.isfinite(scheme.stability):
        return ""
    found = vibrations(system, t, q, v)
    step = growth(scheme, h, found)
    if not step.size or not step.max() > 1e-6:
        return ""
    k = int(np.argmax(step))
    return (
        f"'{scheme.name}' is explicit, and '{found.parts[k]}' vibrates with {found.omega[k]:.6g} rad/s at "
        f"t = {t:.6g} s: a step of {h:.6g} s multiplies its amplitude by {np.exp(min(step[k], 700.0)):.6g}"
    )
