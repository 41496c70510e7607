"""Contacts as blocks of rows: a normal with its gap, tangents that slide, rotations that roll or spin; laws as numbers.

The normal row of contact i is column i of ``Instant.G``; its other rows are the columns ``start[i]:start[i + 1]``
of ``Instant.H``, in this order: ``slides[i]`` tangential directions, ``turns[i]`` axes of rolling (across the normal),
``spins[i]`` axis of spinning (the normal). A block of the contact problem stacks the normal on them:

    U = (U_N, U_T, omega_T, omega_N),      P = (P_N, P_T, m_T, m_N)
    |P_T| <= mu P_N,   |m_T| <= roll P_N,   |m_N| <= spin P_N
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from flexmb.laws.contact_law import ContactLaw
from flexmb.state import Array, IntArray


class RowCounts(Protocol):
    """Number of rows of each contact of a group beside its normal."""

    @property
    def slides(self) -> IntArray:
        """Number of tangents of each contact, (k,)."""
        ...

    @property
    def turns(self) -> IntArray:
        """Number of axes of rolling, (k,)."""
        ...

    @property
    def spins(self) -> IntArray:
        """Number of axes of spinning, (k,)."""
        ...


@dataclass(frozen=True, eq=False)
class Blocks:
    """Rows beside the normals, and what the laws of all contacts say in numbers.

    Parameters
    ----------
    slides, turns, spins : (nc,) int arrays
        Tangential rows (0, 1 or 2), rows of rolling (0, 1 or 2) and of spinning (0 or 1) of each contact.
    friction : (nc, 8) array
        Numbers of the law of friction, see ``flexmb.laws.friction``; the first is mu of Coulomb's law.
    e_T : (nc,) array
        Tangential restitution.
    roll, spin : (nc,) arrays
        Lengths: |m_T| <= roll P_N, |m_N| <= spin P_N, m.
    cohesion : (nc, 5) array
        Numbers of an interface that breaks, see ``flexmb.laws.cohesion``; zero for none.
    poisson : (nc,) bool array
        Whether restitution is that of impulses (Poisson) and not of velocities (Newton).
    """

    slides: IntArray
    turns: IntArray
    spins: IntArray
    friction: Array
    e_T: Array
    roll: Array
    spin: Array
    cohesion: Array
    poisson: np.ndarray

    @classmethod
    def frictionless(cls, nc: int) -> Blocks:
        """Return nc contacts with normals only."""
        none = np.zeros(nc, dtype=np.int64)
        zero = np.zeros(nc)
        return cls(
            none, none, none, np.zeros((nc, 8)), zero, zero, zero, np.zeros((nc, 5)), np.zeros(nc, dtype=np.bool_)
        )

    @classmethod
    def of(cls, laws: Sequence[ContactLaw], rows: Sequence[tuple[int, RowCounts | None]]) -> Blocks:
        """Return the contacts of groups: each has a law, a number of contacts, and rows beside their normals."""
        count = np.array([n for n, _ in rows], dtype=np.int64)
        none = [np.zeros(n, dtype=np.int64) for n in count]

        def counted(which: str) -> IntArray:
            found = [zero if r is None else getattr(r, which) for (_, r), zero in zip(rows, none, strict=True)]
            return np.concatenate([np.zeros(0, dtype=np.int64), *found])

        def repeated(which: str, *shape: int) -> Array:
            values = np.array([getattr(law, which) for law in laws], dtype=np.float64).reshape(len(laws), *shape)
            return np.repeat(values, count, axis=0)

        return cls(
            slides=counted("slides"),
            turns=counted("turns"),
            spins=counted("spins"),
            friction=repeated("friction", 8),
            e_T=repeated("e_T"),
            roll=repeated("roll"),
            spin=repeated("spin"),
            cohesion=repeated("cohesion", 5),
            poisson=repeated("poisson") > 0.0,
        )

    @property
    def nc(self) -> int:
        """Number of contacts."""
        return int(self.slides.size)

    @cached_property
    def sizes(self) -> IntArray:
        """Rows of each contact beside its normal, (nc,)."""
        return self.slides + self.turns + self.spins

    @cached_property
    def start(self) -> IntArray:
        """First column of H of each contact, and the end, (nc + 1,)."""
        return np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.int64)

    @property
    def nt(self) -> int:
        """Number of columns of H."""
        return int(self.start[-1])

    @cached_property
    def owner(self) -> IntArray:
        """The contact of each column of H, (nt,)."""
        return np.repeat(np.arange(self.nc, dtype=np.int64), self.sizes)

    @cached_property
    def tangent(self) -> np.ndarray:
        """Whether a column of H is a tangent, not an axis of rolling or spinning, (nt,) bool."""
        place = np.arange(self.nt) - self.start[:-1][self.owner]
        return np.asarray(place < self.slides[self.owner])

    def by_contact(self, x: Array) -> Array:
        """Return the sums over the rows of each contact, (nc,), of x (nc + nt,) over normals and rows beside them."""
        beside = np.bincount(self.owner, weights=x[self.nc :], minlength=self.nc)
        return np.asarray(x[: self.nc] + beside, dtype=np.float64)

    def slip(self, U_T: Array) -> Array:
        """Return the slip speed of each contact, (nc,), from the rates of all rows beside the normals, (nt,)."""
        squares = np.where(self.tangent, U_T, 0.0) ** 2
        return np.asarray(np.sqrt(np.bincount(self.owner, weights=squares, minlength=self.nc)))

    @property
    def rough(self) -> np.ndarray:
        """Which contacts have friction, (nc,)."""
        return np.asarray((self.friction != 0.0).any(axis=1) & (self.slides > 0))

    def laws(self) -> dict[str, int]:
        """Return the laws beyond normals with Newton's law, as keys of contacts, and the first contact with each."""
        found = {
            "friction": self.rough,
            "rolling": self.turns > 0,
            "spinning": self.spins > 0,
            "impact": self.poisson,
            "cohesion": (self.cohesion != 0.0).any(axis=1),
        }
        return {key: int(np.flatnonzero(there)[0]) for key, there in found.items() if there.any()}

    @property
    def normals_only(self) -> bool:
        """Whether all contacts have normals with Newton's law only."""
        return self.nt == 0 and not self.poisson.any() and not self.cohesion.any()
