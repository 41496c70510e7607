"""Problems of many contacts in large motion that accelerated sweeps leave: plain ones, proximal method, gradients.

The compiled loop calls back where its sweeps and patches do not reach the tolerance
(``multibody_friction_sets``). That costs some thousand sweeps with W at hand, tens of sparse factorizations, or
some ten thousand products with W.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from flexmb.drive.step_problem import StepProblem
from flexmb.errors import InputError
from flexmb.kernels.multibody.machine import MachineWorkspace
from flexmb.kernels.multibody_contacts.multibody_friction_sets import HEAD, LIMIT, REACHED, ROWS, TAKEN
from flexmb.nonsmooth import residual as cone_residual
from flexmb.nonsmooth.methods import barzilai_borwein
from flexmb.nonsmooth.methods.nsgs import sparse_rows_of, sweep
from flexmb.nonsmooth.methods.registry import UNSYMMETRIC
from flexmb.nonsmooth.problem import ContactProblem
from flexmb.nonsmooth.sparse_newton import QUICK, Schedule, sparse_proximal
from flexmb.state import Array

SWEEPS = 3000
"""Gauss-Seidel sweeps beforehand: with W available they cost no more than some tens of factorizations."""
SOON = 20
"""Linear systems of a first attempt by the quick schedule: most problems that sweeps have brought near need fewer."""
GRADIENTS = 30_000
"""Projected gradients after it: in settled piles they need 2,000 to 30,000 products with W, each as cheap as a sweep,
where the proximal method takes hundreds of systems, or finds only answers near."""
TRIES = (
    (80, QUICK),
    (300, Schedule(fall=0.3, rise=3.0, vain=6)),
    (300, Schedule(first=1e-2, fall=0.3, rise=3.0, vain=6)),
    (300, Schedule(first=1e-3)),
    (300, Schedule(share=0.5)),
)
"""Most linear systems of an attempt, and its schedule: the quick one first, then gentle ones, for contacts that are
wedged so that Newton's method finds only answers near."""
LEVELS = 8
"""Maximum number of rounds in which velocity-level contacts are added or removed (GGL)."""
_CALLED = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)


class SparseCones:
    """The callback of the compiled loop; it exists as long as the machine."""

    def __init__(self, workspace: MachineWorkspace) -> None:
        self.workspace = workspace
        self.failed: BaseException | None = None
        self._door = _CALLED(self._enter)
        address = ctypes.cast(self._door, ctypes.c_void_p).value or 0
        workspace.machine.rare[-1] = address

    def _enter(self, _: int, place: int) -> int:
        """Solve the problem whose array is at an address; no exception passes through compiled functions."""
        try:
            head = _array(place, HEAD)
            sent = _array(place, HEAD + int(head[ROWS]))
            self._solve(sent)
        except InputError:  # numbers that are not finite: the step fails
            return 1
        except BaseException as err:
            self.failed = err
            return 1
        return 0

    def _solve(self, sent: Array) -> None:
        """Continue from the given impulses; keep the better result."""
        task, P, tol = StepProblem.of(self.workspace), sent[HEAD:].copy(), float(sent[LIMIT])
        for _ in range(LEVELS if task.ggl else 1):
            on = task.counting(P)
            problem, rows = task.part(on)
            x, taken, residual = solve_wedged(problem, P[rows], tol)
            sent[TAKEN] += taken
            P = np.zeros(P.size)
            P[rows] = x
            if np.array_equal(on, task.counting(P)):
                break
        else:
            residual = np.inf if task.ggl else residual
        if residual < sent[REACHED]:
            sent[HEAD:], sent[REACHED] = P, residual


def solve_wedged(problem: ContactProblem, P: Array, tol: float) -> tuple[Array, int, float]:
    """Return the best answer of all methods, each from the one before, their iterations, and its residual."""
    swept = P.copy()
    taken, residual = sweep(problem, sparse_rows_of(problem), swept, 1.0, SWEEPS, tol)
    if residual <= cone_residual(problem, P):
        P = swept
    if residual > tol:
        P, count, residual = sparse_proximal(problem, P, SOON, tol)
        taken += count
    if residual > tol and problem.asymmetry <= UNSYMMETRIC:
        x, count = barzilai_borwein.solve(problem, P, tol, GRADIENTS)
        taken += count
        if (reached := cone_residual(problem, x)) < residual:
            P, residual = x, reached
    for systems, how in TRIES:
        if residual <= tol:
            break
        P, count, residual = sparse_proximal(problem, P, systems, tol, how)
        taken += count
    return P, taken, residual


def _array(address: int, count: int) -> Array:
    """Return the array at an address."""
    pointer: Any = ctypes.cast(address, ctypes.POINTER(ctypes.c_double))
    return np.ctypeslib.as_array(pointer, (count,))
