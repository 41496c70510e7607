"""Bending of a straight beam described by modes: its distance from the tangents at its ends."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.state import Array


@dataclass(frozen=True)
class Bending:
    """Deflection of a floating beam over its length.

    A cantilever is bent by the deflection of its tip, a beam supported at both ends by its slope there: both measure
    the rotations that linear strains neglect.

    Parameters
    ----------
    name : str
        The body.
    first : int
        Index of its first mode in q.
    map : (k, 2, m) array
        Modal coordinates -> distances of the nodes from the tangents at both ends along y and z, over the length.
    """

    name: str
    first: int
    map: Array

    @classmethod
    def of(cls, name: str, first: int, x: Array, D: Array) -> Bending:
        """Return the deflections of nodes at x along the axis; D (n, m, 6) are displacements and rotations per mode."""
        rows = []
        for end in (0, -1):
            reach = (x - x[end])[:, None]
            along_y = D[:, :, 1] - D[end, :, 1] - reach * D[end, :, 5]
            along_z = D[:, :, 2] - D[end, :, 2] + reach * D[end, :, 4]  # theta_y = -dw/dx
            rows.append(np.stack([along_y, along_z], axis=1))
        return cls(name, first, np.concatenate(rows) / (x[-1] - x[0]))

    def shares(self, q: Array) -> Array:
        """Return the largest deflection relative to the length, (k,), of the states q, (k, nq)."""
        modes = q[:, self.first : self.first + self.map.shape[2]]
        with np.errstate(all="ignore"):  # a failed run may end with numbers that are not finite
            off = np.linalg.norm(np.tensordot(modes, self.map, axes=(1, 2)), axis=2).max(axis=1)
        return np.where(np.isfinite(off), off, 0.0)
