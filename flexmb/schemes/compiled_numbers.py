"""The parameters of a scheme for the compiled loop of large motion, and the check of systems."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flexmb.errors import InputError
from flexmb.kernels.multibody.multibody import CENTRED, INDEX2, SchemeNumbers
from flexmb.schemes.scheme import Scheme

if TYPE_CHECKING:
    from flexmb.system.multibody_system import MultibodySystem

UNUSED: dict[str, Any] = {
    **{"joint_level": INDEX2, "contact_ggl": 0, "alpha_m": 0.0, "alpha_f": 0.0, "beta": 0.0, "gamma": 1.0},
    **{"theta": 0.0, "vartheta": 0.0, "w0": 0.0, "w2": 0.0, "forecast": 0.5, "projection": 0, "error_weight": 0.0},
}
"""Parameters of the other families."""


def scheme_numbers(
    scheme: Scheme, *, eps: float = 0.0, error: float = 0.0, tolerance: float = 1e-12, max_iterations: int = 40
) -> SchemeNumbers:
    """Return the parameters of a scheme.

    Parameters
    ----------
    scheme : Scheme
        One with a compiled step of large motion.
    eps : float
        Regularization of redundant joints.
    error : float
        Local error per step that adaptive runs aim at, 0 for steps of one size.
    tolerance : float
        Newton's corrections over the velocities.
    """
    common = {"tolerance": tolerance, "max_iterations": max_iterations, "eps": eps, "error": error}
    return SchemeNumbers(**{**UNUSED, **common, **scheme.large_motion_numbers()})


def check_scheme(scheme: Scheme, system: MultibodySystem) -> None:
    """Raise InputError if a scheme does not support large motion, or not this system."""
    compiled = type(scheme).large_motion_numbers is not Scheme.large_motion_numbers
    numbers = scheme_numbers(scheme) if compiled or not scheme.any_system else None
    scheme.check(system)
    if system.spheres and (numbers is None or numbers.form == CENTRED):
        message = "cannot be used with contacts of kind spheres: list the pairs (sphere-sphere), or take another scheme"
        raise InputError(f"{message}, e.g. generalized-alpha", where="scheme", key="name", value=scheme.name)
