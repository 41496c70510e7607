"""Friction: |P_T| <= mu P_N; mu is a number (Coulomb), or follows the slip speed V = |U_T| and a state.

    coulomb          mu
    stribeck         mu = dynamic + (static - dynamic) exp(-(V / speed)^exponent)
    rate-and-state   mu = [mu_0 + a asinh(V / (2 V_0)) + b ln(theta V_0 / D_c)]_+,     theta' = 1 - V theta / D_c

(Stribeck 1902; Dieterich 1979 and Ruina 1983, the aging law.) V is that at the start of a step, so that mu is a number
within it; theta is integrated exactly for that V (``kernels.laws.friction_law``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from flexmb.checks.plugins import Registry, law_word
from flexmb.checks.values import check_keys, choice, finite, nonnegative, positive
from flexmb.errors import InputError
from flexmb.kernels.laws.law_codes import COULOMB, RATE_AND_STATE, STRIBECK
from flexmb.state import Array

SIZE = 8
"""Number of parameters of a law; the first is mu (static in Stribeck's law, mu_0 of rate and state), the second its
kind."""


def friction_numbers(value: object, where: str) -> Array:
    """Return the parameters of a law of friction, (8,), from the value of the key ``friction``.

    Parameters
    ----------
    value : float or mapping
        mu, or a table with the key ``kind``.
    where : str
        Its contact, for errors.
    """
    if not isinstance(value, Mapping):
        if isinstance(value, str):
            message = 'must be a number, mu, or a table such as { kind = "coulomb", mu = 0.3 }'
            raise InputError(message, where=where, key="friction", value=value)
        return _row(COULOMB, nonnegative(value, "friction", where))
    table = f"{where}.friction"
    if "kind" not in value:
        message = f"needs kind, one of {', '.join(KINDS)}"
        raise InputError(message, where=where, key="friction", value=dict(value))
    make, needed, others = KINDS[choice(value["kind"], "kind", table, tuple(KINDS))]
    check_keys(value, ["kind", *needed, *others], list(needed), table)
    return np.asarray(make(value, table), dtype=np.float64)


def _coulomb(data: Mapping[str, object], where: str) -> Array:
    return _row(COULOMB, nonnegative(data["mu"], "mu", where))


def _stribeck(data: Mapping[str, object], where: str) -> Array:
    static, dynamic = (nonnegative(data[key], key, where) for key in ("static", "dynamic"))
    exponent = positive(data.get("exponent", 2.0), "exponent", where)
    return _row(STRIBECK, static, dynamic, positive(data["speed"], "speed", where), exponent)


def _rate_and_state(data: Mapping[str, object], where: str) -> Array:
    mu = nonnegative(data["mu"], "mu", where)
    a, b = (finite(data[key], key, where) for key in ("a", "b"))
    speed, length = (positive(data[key], key, where) for key in ("speed", "length"))
    state = positive(data.get("state", length / speed), "state", where)
    return _row(RATE_AND_STATE, mu, a, b, speed, length, state)


def _row(kind: int, mu: float, *others: float) -> Array:
    row = np.zeros(SIZE)
    row[:2], row[2 : 2 + len(others)] = (mu, kind), others
    return row


Make = Callable[[Mapping[str, object], str], Array]

OWN: dict[str, tuple[Make, tuple[str, ...], tuple[str, ...]]] = {
    "coulomb": (_coulomb, ("mu",), ()),
    "stribeck": (_stribeck, ("static", "dynamic", "speed"), ("exponent",)),
    "rate-and-state": (_rate_and_state, ("mu", "a", "b", "speed", "length"), ("state",)),
}
"""Laws by the value of ``kind``: function that makes their parameters, required keys, optional keys."""
KINDS = Registry(OWN, "laws", law_word)
"""Shipped laws and those of plug-ins."""


def slides(row: Array) -> bool:
    """Return whether the parameters of a law can give friction other than zero."""
    return bool(row.any())
