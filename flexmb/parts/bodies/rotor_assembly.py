"""Assembly of the shaft, disks, bearings and couplings of a rotor."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from flexmb.fem.shaft import Plane, rotating
from flexmb.linalg.strain import Strain, spring_modes, stack
from flexmb.parts.bodies.body import Dof
from flexmb.parts.bodies.spin_parts import Excitation, SpeedTable
from flexmb.state import Array, IntArray

MATRICES = ("M", "C", "K", "gyro", "circulation", "skew_damping", "cross", "resistance")


class RotorAssembly:
    """Matrices of a rotor under construction, over all its unknowns, including fixed ones.

    Parameters
    ----------
    dofs : sequence of Dof
        The unknowns of a node.
    x : (n,) array
        The nodes along the axis, m.
    """

    def __init__(self, dofs: Sequence[Dof], x: Array) -> None:
        self.dofs, self.x = dofs, x
        self.size = len(dofs) * x.size
        self._column = {dof.letter: j for j, dof in enumerate(dofs)}
        self._entries: dict[str, list[tuple[IntArray, IntArray, Array]]] = {which: [] for which in MATRICES}
        self._strains: list[Strain] = []
        self.gravity = np.zeros((self.size, 3))
        self.mass = 0.0
        self.mass_moment = 0.0
        self.inertia = 0.0
        self.tables: list[SpeedTable] = []
        self.excitations: list[Excitation] = []

    def has(self, letter: str) -> bool:
        """Return whether the nodes have an unknown of this letter."""
        return letter in self._column

    def at(self, node: int, letters: Sequence[str]) -> IntArray:
        """Return the unknowns of a node by their letters."""
        return np.array([len(self.dofs) * node + self._column[letter] for letter in letters], dtype=np.int64)

    def along(self, letters: Sequence[str], nodes: Sequence[int] | None = None) -> IntArray:
        """Return these unknowns of some nodes (by default all), node by node."""
        columns = np.array([self._column[letter] for letter in letters], dtype=np.int64)
        rows = np.arange(self.x.size) if nodes is None else np.asarray(nodes, dtype=np.int64)
        return (len(self.dofs) * rows[:, None] + columns).ravel()

    def planes(self, nodes: Sequence[int] | None = None) -> tuple[Plane, Plane]:
        """Return the planes along y and z: deflection and slope of some nodes (by default all)."""
        y, z = (self.along(letters, nodes) for letters in (("v", "theta_z"), ("w", "theta_y")))
        return Plane(y, np.ones(y.size)), Plane(z, np.tile([1.0, -1.0], z.size // 2))

    def add(self, which: str, dof: IntArray, block: Array | sparse.sparray, sign: Array | None = None) -> None:
        """Add a block to a matrix; its unknown i is ``sign[i]`` (if None, 1) times unknown ``dof[i]``."""
        coo = sparse.coo_array(block)  # type: ignore[arg-type]
        data = coo.data if sign is None else coo.data * sign[coo.row] * sign[coo.col]
        self._entries[which].append((dof[coo.row], dof[coo.col], np.asarray(data, dtype=np.float64)))

    def add_internal_damping(self, A: sparse.csr_array, nodes: Sequence[int] | None = None) -> None:
        """Add A, over deflections and slopes in a plane, as damping that turns with the shaft."""
        for plane in self.planes(nodes):
            self.add("C", plane.dof, A, plane.sign)
            self.add("resistance", plane.dof, A, plane.sign)
        self.add_rotating("circulation", A, nodes)

    def add_rotating(self, which: str, A: sparse.csr_array, nodes: Sequence[int] | None = None) -> None:
        """Add A, over deflections and slopes in a plane, as a coupling of the planes that rotates with the shaft."""
        self.add(which, np.arange(self.size, dtype=np.int64), rotating(A, *self.planes(nodes), self.size))

    def add_strain(self, strain: Strain, K: tuple[IntArray, sparse.sparray, Array | None] | None = None) -> None:
        """Add elastic energy as deformation modes over all unknowns, and its matrix in the form of ``add``.

        Without K it is the matrix of the modes.
        """
        self._strains.append(strain)
        self.add("K", *(np.arange(self.size, dtype=np.int64), strain.matrix()) if K is None else K)

    def add_springs(self, dof: IntArray, K: Array) -> None:
        """Add the symmetric stiffness K between the unknowns ``dof`` and the ground."""
        self.add_strain(spring_modes(dof, K, self.size))

    def add_mass(self, node: int, mass: float, inertia: float, polar: float, eccentricity: float = 0.0) -> None:
        """Add a spinning mass with its inertia about a diameter and about the axis to a node."""
        about_axis = polar + mass * eccentricity**2
        for j, dof in enumerate(self.dofs):
            value = mass if not dof.turns else about_axis if dof.letter == "phi" else inertia
            k = len(self.dofs) * node + j
            self.add("M", np.array([k]), np.array([[value]]))
            if not dof.turns:
                self.gravity[k] += mass * dof.vector
        self.add("gyro", self.at(node, ("theta_y", "theta_z")), polar * np.array([[0.0, 1.0], [-1.0, 0.0]]))
        self.mass += mass
        self.mass_moment += mass * float(self.x[node])
        self.inertia += about_axis

    def matrix(self, which: str) -> sparse.csr_array:
        """Return the sum of the contributions to a matrix so far."""
        parts = self._entries[which]
        rows, cols, data = (np.concatenate([part[k] for part in parts] or [np.empty(0)]) for k in range(3))
        where = (rows.astype(np.int64), cols.astype(np.int64))
        out = sparse.csr_array(sparse.coo_array((data, where), shape=(self.size, self.size)))
        out.eliminate_zeros()
        out.sort_indices()
        return out

    def strain(self) -> Strain:
        """Return all deformation modes."""
        return stack(self._strains, self.size)
