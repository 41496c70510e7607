"""Rows of some contacts as one matrix: of each its normal, then the rows beside it (``system.contact_blocks``)."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from flexmb.errors import InputError
from flexmb.state import Array, IntArray
from flexmb.system.contact_blocks import Blocks
from flexmb.system.protocol import Instant, System


class BlockRows:
    """The rows of the contacts ``which``, block by block.

    Parameters
    ----------
    blocks : Blocks
    which : int array
        Contacts, in order.
    """

    def __init__(self, blocks: Blocks, which: IntArray) -> None:
        self.blocks, self.which = blocks, which
        nc, start = blocks.nc, blocks.start
        parts = [np.concatenate([[i], nc + np.arange(start[i], start[i + 1])]) for i in which]
        self.order: IntArray = np.concatenate(parts).astype(np.int64) if parts else np.zeros(0, dtype=np.int64)
        self.shape: IntArray = np.stack([blocks.slides, blocks.turns, blocks.spins], axis=1)[which]

    @property
    def size(self) -> int:
        """Number of rows."""
        return int(self.order.size)

    def directions(self, at: Instant) -> Array:
        """Return the directions of the rows as columns, (nv, n)."""
        both = sparse.hstack([at.G, at.H], format="csc") if self.blocks.nt else at.G
        return np.asarray(both[:, self.order].toarray())

    def rates(self, at: Instant) -> Array:
        """Return their rates in an instant, (n,)."""
        return np.concatenate([at.U, at.U_T])[self.order]

    def given(self, at: Instant) -> Array:
        """Return the part of their rates that prescribed motions have, (n,)."""
        return np.concatenate([at.g_t, at.H_t])[self.order]

    def law(self, at: Instant) -> Array:
        """Return mu and the lengths of rolling and spinning of each contact, (nb, 3)."""
        blocks = self.blocks
        return np.stack([blocks.friction[:, 0], blocks.roll, blocks.spin], axis=1)[self.which]

    def spread(self, x: Array) -> tuple[Array, Array]:
        """Return x (n,) as a number per normal of all contacts, (nc,), and per row beside them, (nt,)."""
        out = np.zeros(self.blocks.nc + self.blocks.nt)
        out[self.order] = x
        return out[: self.blocks.nc], out[self.blocks.nc :]


def refuse_tangential_restitution(scheme: str, system: System) -> None:
    """Raise InputError, naming the contact, where one has a tangential restitution."""
    found = np.flatnonzero(system.contacts.blocks.e_T)
    if found.size:
        i = int(found[0])
        message = f"must be 0 with the scheme '{scheme}'; take another for it, e.g. moreau-jean"
        where = f"contacts.{system.contacts.labels[i]}"
        raise InputError(message, where=where, key="tangential_restitution", value=float(system.contacts.blocks.e_T[i]))


def per_contact(blocks: Blocks, x: Array) -> tuple[Array, Array]:
    """Return sums per contact of numbers x (nt,) of the rows beside normals: of sliding and of turning, (nc,) each."""
    k = np.arange(blocks.nt) - blocks.start[blocks.owner]
    slides = k < blocks.slides[blocks.owner]
    out = np.zeros((2, blocks.nc))
    np.add.at(out, (np.where(slides, 0, 1), blocks.owner), x)
    return out[0], out[1]
