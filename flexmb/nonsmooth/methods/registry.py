"""The registry of solvers by name."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from flexmb.errors import InputError
from flexmb.kernels.cones.cones import AUTO, EXACT, LEMKE, NEWTON, NSGS, PROXIMAL, PSOR
from flexmb.nonsmooth.problem import ContactProblem
from flexmb.state import Array

NAMES: dict[str, str] = {
    "auto": "auto",
    "exact": "exact",
    "nsgs": "nsgs",
    "psor": "psor",
    "newton": "newton",
    "proximal-newton": "proximal_newton",
    "apgd": "apgd",
    "barzilai-borwein": "barzilai_borwein",
    "admm": "admm",
    "lemke": "lemke",
    "clarabel": "interior_point",
    "pgs": "nsgs",
}
"""Names of the solvers and their files; ``pgs`` is the name of ``nsgs`` without friction."""
KERNELS = {
    "auto": AUTO,
    "exact": EXACT,
    "nsgs": NSGS,
    "pgs": NSGS,
    "psor": PSOR,
    "newton": NEWTON,
    "proximal-newton": PROXIMAL,
    "lemke": LEMKE,
}
"""Solvers available in compiled loops, and their codes in ``flexmb.kernels.cones.cones``."""
UNSYMMETRIC = 1e-2
"""Asymmetry of W up to which it counts as a rounded symmetric matrix (files with few digits)."""


def method_of(name: str) -> Any:
    """Return the module of a solver."""
    return import_module(f"flexmb.nonsmooth.methods.{NAMES[name]}")


def run(name: str, problem: ContactProblem, P: Array, tolerance: float, max_iterations: int) -> tuple[Array, int]:
    """Solve a problem by the solver of a name; return the impulses and the number of iterations."""
    method = method_of(name)
    if getattr(method, "SYMMETRIC", False) and problem.asymmetry > UNSYMMETRIC:
        words = (
            f"supports symmetric W only, this one is unsymmetric by {problem.asymmetry:.3g} of its largest entry; "
            "auto, nsgs, psor, newton, proximal-newton, admm and lemke support it"
        )
        raise InputError(words, where="ContactSolver", key="name", value=name)
    P, k = method.solve(problem, P, tolerance, max_iterations)
    return P, int(k)
