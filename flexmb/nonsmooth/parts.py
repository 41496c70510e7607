"""Parts of a contact problem that W does not couple with each other."""

from __future__ import annotations

import numpy as np

from flexmb.nonsmooth.methods.scaled import Scaled
from flexmb.nonsmooth.problem import ContactProblem
from flexmb.state import Array, IntArray


def part(problem: ContactProblem, contacts: IntArray) -> tuple[ContactProblem, IntArray]:
    """Return the problem of some contacts, and its rows in the whole one."""
    rows = np.concatenate([np.arange(problem.start[i], problem.start[i + 1]) for i in contacts])
    mu, roll, spin = problem.law[contacts].T
    laws = {"mu": mu, "roll": roll, "spin": spin, "shape": problem.shape[contacts]}
    return ContactProblem(problem.W[rows][:, rows], problem.b[rows], **laws), rows


def errors_and_sizes(problem: ContactProblem, P: Array) -> tuple[Array, Array]:
    """Return the error of the natural map of each contact, (nc,), and the size of its impulses and of b."""
    scaled, first = Scaled(problem), problem.start[:-1]
    D, x = scaled.D, P / scaled.D
    wrong = x - scaled.project(x - scaled.W @ x - scaled.b - scaled.rise(x))
    size = np.maximum.reduceat(np.maximum(np.abs(x), np.abs(scaled.b)), first)
    return D[first] * np.sqrt(np.add.reduceat(wrong**2, first)), D[first] * size
