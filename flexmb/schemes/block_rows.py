"""Rows of some contacts as one matrix: of each its normal, then the rows beside it (``schemes.contact_stack``)."""

from __future__ import annotations

import numpy as np

from flexmb.errors import InputError
from flexmb.schemes.contact_stack import Stack
from flexmb.schemes.frictional import directions, surface_rates
from flexmb.state import Array, IntArray
from flexmb.system.contact_blocks import Blocks
from flexmb.system.linear_contacts import FEW
from flexmb.system.protocol import Instant, System


class BlockRows:
    """The rows of the contacts ``which``, block by block, with their laws.

    Parameters
    ----------
    blocks : Blocks
    which : int array
        Contacts, in order.
    mu : (nc,) array
        Coefficients of friction of all contacts.
    """

    def __init__(self, blocks: Blocks, which: IntArray, mu: Array) -> None:
        self.blocks, self.which, self.stack = blocks, which, Stack.of(blocks, which)
        self.law: Array = np.stack([mu[which], blocks.roll[which], blocks.spin[which]], axis=1)

    @property
    def size(self) -> int:
        """Number of rows."""
        return int(self.stack.rows.size)

    def directions(self, at: Instant) -> Array:
        """Return the directions of the rows as columns, (nv, n)."""
        G, H = at.G, at.H
        if G.shape[0] * (G.shape[1] + H.shape[1]) > FEW:
            return np.asarray(directions(at)[:, self.stack.rows].toarray())
        both = np.concatenate([G.toarray(), H.toarray()], axis=1)  # much faster than columns of sparse matrices
        return np.ascontiguousarray(both[:, self.stack.rows])

    def rates(self, at: Instant) -> Array:
        """Return the rates of the rows in an instant, (n,)."""
        return np.concatenate([at.U, at.U_T])[self.stack.rows]

    def given(self, at: Instant) -> Array:
        """Return the part of their rates that prescribed motions have, (n,)."""
        return surface_rates(at)[self.stack.rows]

    def spread(self, x: Array) -> tuple[Array, Array]:
        """Return x (n,) distributed to the normals of all contacts, (nc,), and to the rows beside them, (nt,)."""
        out = np.zeros(self.blocks.nc + self.blocks.nt)
        out[self.stack.rows] = x
        return out[: self.blocks.nc], out[self.blocks.nc :]


def refuse_tangential_restitution(scheme: str, system: System) -> None:
    """Raise InputError, naming the contact, if one has a tangential restitution."""
    found = np.flatnonzero(system.contacts.blocks.e_T)
    if found.size:
        i = int(found[0])
        message = f"must be 0 with the scheme '{scheme}'; use another one, e.g. moreau-jean"
        where = f"contacts.{system.contacts.labels[i]}"
        raise InputError(message, where=where, key="tangential_restitution", value=float(system.contacts.blocks.e_T[i]))
