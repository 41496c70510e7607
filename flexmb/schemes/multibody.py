"""The numbers of a scheme as the compiled loop of large motion takes them."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.errors import InputError
from flexmb.kernels.multibody import ALPHA, BOTH, INDEX2, INDEX3, MOREAU, SchemeNumbers
from flexmb.kernels.tables import System
from flexmb.schemes.alpha_family import Alpha
from flexmb.schemes.moreau_jean import MoreauJean, MoreauJeanDissipative

LEVELS = {"index3": INDEX3, "index2": INDEX2, "ggl": BOTH}


def scheme_numbers(
    scheme: object, *, eps: float = 0.0, error: float = 0.0, tolerance: float = 1e-12, max_iterations: int = 40
) -> SchemeNumbers:
    """Return the numbers of a scheme.

    Parameters
    ----------
    scheme : Scheme
        Of the alpha family or of Moreau-Jean's.
    eps : float
        Regularization of redundant joints.
    error : float
        Local error per step that adaptive runs aim at, 0 for steps of one size.
    tolerance : float
        Newton's corrections over the velocities.
    """
    common: dict[str, Any] = {"tolerance": tolerance, "max_iterations": max_iterations, "eps": eps, "error": error}
    if isinstance(scheme, Alpha) and not scheme.contact_level.startswith("naive"):
        c = scheme.coefficients
        return SchemeNumbers(
            family=ALPHA,
            joint_level=LEVELS[scheme.joint_level],
            contact_ggl=int(scheme.contact_level == "ggl"),
            alpha_m=float(c.alpha_m),
            alpha_f=float(c.alpha_f),
            beta=float(c.beta),
            gamma=float(c.gamma),
            theta=0.0,
            vartheta=0.0,
            forecast=0.5,
            projection=0,
            **common,
        )
    if isinstance(scheme, MoreauJean):
        if scheme.theta <= 0.0:
            message = "must be greater than 0 for systems with joints or large motion (the step is implicit)"
            raise InputError(message, where="scheme", key="theta", value=scheme.theta)
        return SchemeNumbers(
            family=MOREAU,
            joint_level=INDEX2,
            contact_ggl=0,
            alpha_m=0.0,
            alpha_f=0.0,
            beta=0.0,
            gamma=1.0,
            theta=float(scheme.theta),
            vartheta=float(scheme.vartheta),
            forecast=float(scheme.gamma),
            projection=int(scheme.projection),
            **common,
        )
    name = getattr(scheme, "name", type(scheme).__name__)
    allowed = "generalized-alpha, hht, newmark, moreau-jean, moreau-jean-dissipative"
    message = f"works on systems of small motion without joints only; here use one of {allowed}"
    raise InputError(message, where="scheme", key="name", value=name)


def check_damping(scheme: object, tables: System) -> None:
    """Raise InputError where a scheme takes damping at another velocity than the step of large motion does.

    The always-dissipative variant is so with damping at the mean velocity, its other forces at theta; the step of large
    motion weighs all forces alike.
    """
    if not isinstance(scheme, MoreauJeanDissipative) or scheme.theta == scheme.vartheta:
        return
    parts = [tables.springs.c, tables.torsions.c, tables.beams.beta, tables.linear.C.val, tables.floating.C]
    parts += [tables.rotors.drag, tables.rotors.table_value[:, 1]]
    if any(np.any(part) for part in parts):
        message = (
            "must be 0.5 with dampers or damped bodies in large motion: the damping of this scheme belongs to the mean "
            "velocity, but would act at theta here, where it may add energy; or take moreau-jean or generalized-alpha"
        )
        raise InputError(message, where="scheme", key="theta", value=scheme.theta)
