"""Stiff models with explicit integrators: steps beyond the stability limit are refused before the first one."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from flexmb.errors import InputError
from flexmb.linalg.frequencies import highest_frequency
from flexmb.schemes.scheme import Scheme
from flexmb.state import Array
from flexmb.system.linear_system import LinearSystem
from flexmb.system.multibody_system import MultibodySystem

MOST = 400
"""Number of unknowns up to which vibrations with joints are computed."""
USE_INSTEAD = "use generalized-alpha with events = true, or an implicit Runge-Kutta method"


def fastest(system: LinearSystem | MultibodySystem, t: float) -> tuple[float, str]:
    """Return the highest angular frequency at the start, rad/s, and the part that vibrates with it."""
    here = system.instant(t, system.start, system.v0)
    M, _, K = system.matrices(here)
    if not system.nj:
        omega, shape = highest_frequency(M, K)
    elif system.nv <= MOST:
        omega, shape = _with_joints(M.toarray(), K.toarray(), here.G_J.toarray())
    else:
        return 0.0, ""
    part = system.dof_names[int(np.argmax(np.abs(shape)))].partition(".")[0] if system.dof_names else "the system"
    return omega, part


def _with_joints(M: Array, K: Array, G: Array) -> tuple[float, Array]:
    """Return the highest frequency, and its shape, of motions admitted by the joints."""
    Z = linalg.null_space(G.T)
    if not Z.shape[1] or not np.isfinite(K).all():
        return 0.0, np.zeros(M.shape[0])
    squares, shapes = linalg.eigh(Z.T @ (0.5 * (K + K.T)) @ Z, Z.T @ M @ Z)
    return float(np.sqrt(max(squares[-1], 0.0))), np.asarray(Z @ shapes[:, -1])


def check_stability(scheme: Scheme, system: LinearSystem | MultibodySystem, t: float, h: float) -> None:
    """Raise InputError for a constant step size beyond the stability limit of an explicit integrator."""
    if not np.isfinite(scheme.stability):
        return
    omega, part = fastest(system, t)
    if h * omega < scheme.stability:
        return
    message = (
        f"must be below {scheme.stability / omega:.6g} s for '{scheme.name}', which is explicit: '{part}' vibrates "
        f"with up to {omega:.6g} rad/s; take a smaller step, or {USE_INSTEAD}"
    )
    raise InputError(message, where="time", key="step", value=h)


MANY, TOO_MANY = 1e5, 1e8
"""Number of steps that causes a note, and number of steps that is rejected."""


def stiffness_note(scheme: Scheme, system: LinearSystem | MultibodySystem, t: float, span: float) -> str:
    """Return a note on an explicit integrator whose adaptive steps are limited by stability."""
    if not np.isfinite(scheme.stability):
        return ""
    omega, part = fastest(system, t)
    least = span * omega / scheme.stability
    if least < MANY:
        return ""
    message = (
        f"'{scheme.name}' is explicit, and '{part}' vibrates with up to {omega:.6g} rad/s: stability alone requires "
        f"{least:.2g} steps; {USE_INSTEAD}"
    )
    if least > TOO_MANY:
        raise InputError(message, where="scheme", key="name", value=scheme.name)
    return message
