"""Cohesion: an interface that can debond (Raous, Cangemi, Cocu 1999; Monerie and Acary 2001).

With the intensity beta in [0, 1], the gap g and the tangential displacement u_T since the start,

    (r_N + beta^2 C_N g,  r_T + beta^2 C_T u_T)  obeys Signorini's and Coulomb's law
    viscosity beta' = -[ beta (C_N g^2 + C_T |u_T|^2) - w ]_+

and without viscosity beta = min(beta, w / (C_N g^2 + C_T |u_T|^2)). In mode I the force has its peak sqrt(w C_N) at
g = sqrt(w / C_N), and w is the total work of separation. Stiffnesses and energies are those of one contact.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from flexmb.checks.values import check_keys, finite, nonnegative, positive
from flexmb.errors import InputError
from flexmb.state import Array

SIZE = 5
"""Parameters of the law: C_N, C_T (N/m), w (J), viscosity (J s), initial beta; all zero without cohesion."""

NEEDED = ("normal_stiffness", "energy")
OTHERS = ("tangential_stiffness", "viscosity", "intensity")


def cohesion_numbers(value: object, where: str) -> Array:
    """Return the parameters of cohesion, (5,), from the table under the key ``cohesion``; None for none.

    ``normal_stiffness`` C_N and ``tangential_stiffness`` C_T (by default 0) in N/m, ``energy`` w in J, ``viscosity`` in
    J s (by default 0) and ``intensity``, beta at the start, in (0, 1] (by default 1).
    """
    if value is None:
        return np.zeros(SIZE)
    table = f"{where}.cohesion"
    if not isinstance(value, Mapping):
        message = "must be a table such as { normal_stiffness = 1e6, energy = 10.0 }"
        raise InputError(message, where=where, key="cohesion", value=value)
    check_keys(value, [*NEEDED, *OTHERS], list(NEEDED), table)
    C_N = positive(value["normal_stiffness"], "normal_stiffness", table)
    C_T = nonnegative(value.get("tangential_stiffness", 0.0), "tangential_stiffness", table)
    w = positive(value["energy"], "energy", table)
    viscosity = nonnegative(value.get("viscosity", 0.0), "viscosity", table)
    beta = finite(value.get("intensity", 1.0), "intensity", table)
    if not 0.0 < beta <= 1.0:
        message = "must be greater than 0 and at most 1"
        raise InputError(message, where=table, key="intensity", value=value["intensity"])
    return np.array([C_N, C_T, w, viscosity, beta])
