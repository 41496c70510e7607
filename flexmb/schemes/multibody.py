"""The numbers of a scheme as the compiled loop of large motion takes them, and the systems it runs on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flexmb.errors import InputError
from flexmb.kernels.multibody import ALPHA, BOTH, INDEX2, INDEX3, MOREAU, SCHATZMAN, SchemeNumbers
from flexmb.schemes.alpha_family import Alpha
from flexmb.schemes.moreau_jean import MoreauJean
from flexmb.schemes.schatzman_paoli import SchatzmanPaoli

if TYPE_CHECKING:
    from flexmb.multibody_system import MultibodySystem

LEVELS = {"index3": INDEX3, "index2": INDEX2, "ggl": BOTH}
UNUSED: dict[str, Any] = {
    **{"joint_level": INDEX2, "contact_ggl": 0, "alpha_m": 0.0, "alpha_f": 0.0, "beta": 0.0, "gamma": 1.0},
    **{"theta": 0.0, "vartheta": 0.0, "w0": 0.0, "w2": 0.0, "forecast": 0.5, "projection": 0},
}
"""Numbers of the other families."""

EVERYWHERE = "generalized-alpha, hht, newmark, moreau-jean, moreau-jean-dissipative"
"""Schemes that run on every system in large motion."""


def scheme_numbers(
    scheme: object, *, eps: float = 0.0, error: float = 0.0, tolerance: float = 1e-12, max_iterations: int = 40
) -> SchemeNumbers:
    """Return the numbers of a scheme.

    Parameters
    ----------
    scheme : Scheme
        Of the alpha family, of Moreau-Jean's, or Schatzman-Paoli's.
    eps : float
        Regularization of redundant joints.
    error : float
        Local error per step that adaptive runs aim at, 0 for steps of one size.
    tolerance : float
        Newton's corrections over the velocities.
    """
    common = {"tolerance": tolerance, "max_iterations": max_iterations, "eps": eps, "error": error}
    return SchemeNumbers(**{**UNUSED, **common, **_own_numbers(scheme)})


def _own_numbers(scheme: object) -> dict[str, Any]:
    """Return the numbers that the family of a scheme reads."""
    if isinstance(scheme, Alpha) and not scheme.contact_level.startswith("naive"):
        c = scheme.coefficients
        own: dict[str, Any] = {name: float(getattr(c, name)) for name in ("alpha_m", "alpha_f", "beta", "gamma")}
        own |= {"joint_level": LEVELS[scheme.joint_level], "contact_ggl": int(scheme.contact_level == "ggl")}
        return {"family": ALPHA, **own}
    if isinstance(scheme, MoreauJean):
        if scheme.theta <= 0.0:
            message = "must be greater than 0 for systems with joints or large motion (the step is implicit)"
            raise InputError(message, where="scheme", key="theta", value=scheme.theta)
        weights = {"theta": float(scheme.theta), "vartheta": float(scheme.vartheta)}
        return {"family": MOREAU, **weights, "forecast": float(scheme.gamma), "projection": int(scheme.projection)}
    if isinstance(scheme, SchatzmanPaoli):
        w0, _, w2 = scheme.weights
        return {"family": SCHATZMAN, "w0": float(w0), "w2": float(w2)}
    name = getattr(scheme, "name", type(scheme).__name__)
    message = "has no step of large motion"
    if isinstance(scheme, Alpha):
        message = "is a demonstration for small motion, inconsistent on purpose (it treats impacts like other forces)"
    message += f"; here use one of {EVERYWHERE}, or schatzman-paoli where there are no joints and large rotations"
    raise InputError(message, where="scheme", key="name", value=name)


def check_scheme(scheme: object, system: MultibodySystem) -> None:
    """Raise InputError when a scheme does not run in large motion, or not on this system."""
    scheme_numbers(scheme)
    if not isinstance(scheme, SchatzmanPaoli):
        return
    turning = dict.fromkeys(system.dof_names[iv].split(".")[0] for iv in system.tables.unknowns.frame_v)
    in_the_way = [("joints", system.joints.names), ("bodies with large rotations", tuple(turning))]
    found = [f"{word} {', '.join(map(repr, names))}" for word, names in in_the_way if names]
    if found:
        message = (
            "is for systems without joints and without large rotations (rotors of any spin, particles, bodies of small "
            f"displacement); in the way: {' and '.join(found)}; use one of {EVERYWHERE}"
        )
        raise InputError(message, where="scheme", key="name", value=scheme.name)
