"""The yardstick: one compiled tridiagonal solve, factored before, and nothing else."""

from __future__ import annotations

import time

import numpy as np
from impacting_bar import AREA, DENSITY, LENGTH, YOUNG, Problem
from numba import njit

Array = np.ndarray


def factor(diagonal: Array, beside: Array) -> tuple[Array, Array]:
    """Return the multipliers (n-1,) and inverse pivots (n,) of L D L^T of a symmetric tridiagonal matrix."""
    pivot, low = diagonal.copy(), np.empty(beside.size)
    for i in range(beside.size):
        low[i] = beside[i] / pivot[i]
        pivot[i + 1] -= low[i] * beside[i]
    return low, 1.0 / pivot


@njit(cache=True)
def solve(low: Array, inverse: Array, b: Array, x: Array) -> None:
    """Write the solution into ``x`` by substitution from one end to the other and back (Thomas)."""
    n = x.size
    x[:] = b
    for i in range(1, n):
        x[i] -= low[i - 1] * x[i - 1]
    x[n - 1] *= inverse[n - 1]
    for i in range(n - 2, -1, -1):
        x[i] = x[i] * inverse[i] - low[i] * x[i + 1]


@njit(cache=True)
def solve_often(low: Array, inverse: Array, b: Array, x: Array, count: int) -> float:
    """Solve ``count`` times without returning to Python; the sum keeps every solve needed."""
    total = 0.0
    for k in range(count):
        b[0] = 1.0 + k
        solve(low, inverse, b, x)
        total += x[0]
    return total


class BareSolve:
    """Solves with the iteration matrix of the bar, M + h^2 K / 4."""

    name = "bare tridiagonal solve"

    def __init__(self, bar: Problem) -> None:
        n, length = bar.elements, LENGTH / bar.elements
        mass, stiffness = DENSITY * AREA * length, YOUNG * AREA / length
        end = mass / 3 + bar.h**2 / 4 * stiffness
        self.diagonal = np.full(n + 1, 2 * end)
        self.diagonal[[0, -1]] = end
        self.beside = np.full(n, mass / 6 - bar.h**2 / 4 * stiffness)
        self.low, self.inverse = factor(self.diagonal, self.beside)
        self.b = np.random.default_rng(0).standard_normal(n + 1)
        self.x = np.zeros(n + 1)
        self.count = 4 * bar.steps  # lasts as long as a run, so that a busy machine interrupts both alike
        self.seconds_of_one()  # compiles

    def seconds_of_one(self) -> float:
        """Return the seconds of a solve, the mean of many."""
        began = time.perf_counter()
        solve_often(self.low, self.inverse, self.b, self.x, self.count)
        return (time.perf_counter() - began) / self.count
