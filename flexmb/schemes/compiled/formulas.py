"""Formulas that definitions and compiled steps share: of numbers there, of arrays here."""

from __future__ import annotations

from typing import TypeVar

from flexmb.kernels.compilation.jit import formula
from flexmb.state import Array

X = TypeVar("X", float, Array)


@formula
def mean(weight: float, x_1: X, x: X) -> X:
    """Return x_{n+theta} = theta x_{n+1} + (1 - theta) x_n, theta the weight of the end."""
    return weight * x_1 + (1.0 - weight) * x


@formula
def increment(h: float, vartheta: float, v: X, dv: X) -> X:
    """Return h v_{n+vartheta}, by the change dv of the velocity (Moreau-Jean)."""
    return h * (v + vartheta * dv)


@formula
def filtered(alpha_m: float, alpha_f: float, x_1: X, x: X, x_hat: X) -> X:
    """Return x^_{n+1} of (1 - alpha_m) x^_{n+1} + alpha_m x^_n = (1 - alpha_f) x_{n+1} + alpha_f x_n (alpha family)."""
    return ((1.0 - alpha_f) * x_1 + alpha_f * x - alpha_m * x_hat) / (1.0 - alpha_m)
