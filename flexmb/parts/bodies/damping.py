"""Rayleigh damping of a body."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scipy import sparse

from flexmb.checks.values import from_table, located, nonnegative
from flexmb.errors import InputError


@dataclass(frozen=True)
class Damping:
    """Rayleigh damping, C = alpha M + beta K.

    Parameters
    ----------
    alpha : float
        Mass-proportional part, 1/s.
    beta : float
        Stiffness-proportional part, s.
    """

    alpha: float = 0.0
    beta: float = 0.0

    def __post_init__(self) -> None:
        nonnegative(self.alpha, "alpha", "damping")
        nonnegative(self.beta, "beta", "damping")

    @classmethod
    def read(cls, data: object, where: str) -> Damping:
        """Return damping from user input: an object, a table, a pair (alpha, beta), or None."""
        if data is None:
            return cls()
        if isinstance(data, Damping):
            return data
        if isinstance(data, Mapping):
            return from_table(cls, data, where)
        if isinstance(data, Sequence) and not isinstance(data, str) and len(data) == 2:
            with located(where):
                return cls(*data)
        raise InputError("must be { alpha = .., beta = .. } or a pair (alpha, beta)", where=where, value=data)

    def matrix(self, M: sparse.csr_array, K: sparse.csr_array) -> sparse.csr_array:
        """Return C; without entries if there is no damping."""
        if self.alpha and self.beta:
            return sparse.csr_array(self.alpha * M + self.beta * K)
        if self.alpha:
            return sparse.csr_array(self.alpha * M)
        if self.beta:
            return sparse.csr_array(self.beta * K)
        return sparse.csr_array(M.shape)
