"""Impacts: restitution of velocities (Newton) or of impulses (Poisson), and tangential restitution.

newton     U_N+ + e U_N- >= 0  perp  P_N >= 0,     tangential law on U_T+ + e_T U_T-
poisson    compression: U_N -> 0 with P_c; then decompression: P_N = e (P_c - P_s)_N + x, 0 <= U_N+ perp x >= 0,
           each phase with Coulomb's law on its own normal impulse; P_s is the impulse due to the forces of the step
           alone
"""

from __future__ import annotations

from flexmb.checks.values import choice, finite
from flexmb.errors import InputError

KINDS = ("newton", "poisson")


def is_poisson(value: object, where: str) -> bool:
    """Return whether the key ``impact`` selects Poisson's law."""
    return choice(value, "impact", where, KINDS) == "poisson"


def normal_restitution(value: object, where: str) -> float:
    """Return a checked restitution in [0, 1]."""
    e = finite(value, "restitution", where)
    if not 0.0 <= e <= 1.0:
        raise InputError("must lie between 0 and 1", where=where, key="restitution", value=value)
    return e


def tangential_restitution(value: object, where: str, *, friction: bool, poisson: bool) -> float:
    """Return a checked tangential restitution in (-1, 1); other than zero it requires friction and Newton's law."""
    key = "tangential_restitution"
    e_T = finite(value, key, where)
    if not -1.0 < e_T < 1.0:
        raise InputError("must lie between -1 and 1, both excluded", where=where, key=key, value=value)
    if e_T and not friction:
        raise InputError("has no effect without friction", where=where, key=key, value=value)
    if e_T and poisson:
        message = 'requires impact = "newton"; Poisson\'s law has the restitution of normal impulses only'
        raise InputError(message, where=where, key=key, value=value)
    return e_T
