"""``SpeedTable``: stiffness and damping that depend on the speed of a rotor."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from flexmb.state import Array, IntArray


@dataclass(frozen=True)
class SpeedTable:
    """Stiffness and damping that depend on the speed: linear between the entries of a table.

    Parameters
    ----------
    label : str
    unknowns : (m,) int array
        The unknowns it acts on.
    speed : (ns,) array
        Increasing, rad/s.
    K, C : (ns, m, m) arrays
        Not symmetric in general.
    """

    label: str
    unknowns: IntArray
    speed: Array
    K: Array
    C: Array

    def at(self, speed: float) -> tuple[Array, Array]:
        """Return K and C at a speed; outside the table its end values: an error in runs, a note in analyses."""
        x = float(np.clip(speed, self.speed[0], self.speed[-1]))
        i = int(np.clip(np.searchsorted(self.speed, x, side="right") - 1, 0, self.speed.size - 2))
        s = (x - self.speed[i]) / (self.speed[i + 1] - self.speed[i])
        return (1.0 - s) * self.K[i] + s * self.K[i + 1], (1.0 - s) * self.C[i] + s * self.C[i + 1]

    def placed(self, block: Array, nv: int) -> sparse.csr_array:
        """Return a matrix over the unknowns of the table among all of a body, (nv, nv)."""
        m = self.unknowns.size
        where = (np.repeat(self.unknowns, m), np.tile(self.unknowns, m))
        return sparse.csr_array(sparse.coo_array((block.ravel(), where), shape=(nv, nv)))
