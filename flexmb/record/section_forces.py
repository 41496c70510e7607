"""Section forces of lines at the middle of the elements, from positions and rotations of their ends.

In the axes d, y, z of a line of length l, with displacements u and rotations t of its ends A and B,

    stretch and shear   (u_B - u_A)/l - (t_A + t_B)/2 x d          curvature   (t_B - t_A)/l

for nodes of small displacement and in floating frames; for nodes that are frames, as in ``multibody.exact_beam``,

    R_m^T (r_B - r_A)/l - d      log(R_A^T R_B)/l,      R_m the rotation halfway between the ends.

Stress resultants are stiffness times strain, see ``LineSections``. Along a half of a quadratic bar the stretch changes
by as much, d, as the halves of its element differ in the middle, and the mean of its square is larger by d^2/12.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from flexmb.fem.line_sections import LineSections
from flexmb.kernels.geometry.tables import FRAME
from flexmb.linalg.quaternions import from_vector, inverse, product, to_vector, turned
from flexmb.state import Array, IntArray
from flexmb.system.layout import Layout

UNITS = {"axial_force": "N", "bending_moment": "N m", "energy_density": "J/m"}
"""Section quantities of every line with their units: tension is positive, the moment is a vector in space."""


class SectionForces:
    """Stress resultants of the lines of a layout.

    Parameters
    ----------
    layout : Layout
        With ``sections``.
    """

    def __init__(self, layout: Layout) -> None:
        assert layout.sections is not None, "the layout of an older result has no stiffness"
        self.layout = layout
        self.sections: LineSections = layout.sections

    def values(self, q: Array) -> dict[str, Array]:
        """Return ``UNITS`` in k states q (k, nq): (k, m), the moment (k, m, 3); nan for unknown stiffness."""
        with np.errstate(over="ignore", invalid="ignore"):  # a diverging motion overflows here first
            strain, turn = self.strains(q)
            resultant = self.sections.stiffness * strain
            density = 0.5 * np.sum(resultant * strain, axis=-1)
            density[:, self._halves] += self._varying(strain[..., 0])
            moment = np.einsum("mij,kmj->kmi", self.sections.axes[:, :, 1:], resultant[..., 4:])
            return {
                "axial_force": resultant[..., 0],
                "bending_moment": turned(turn, moment),
                "energy_density": density,
            }

    @cached_property
    def _halves(self) -> IntArray:
        """Numbers of the lines that are halves of quadratic elements."""
        return np.flatnonzero(self.sections.other)

    def _varying(self, stretch: Array) -> Array:
        """Return the energy per length of the deviation of the stretch of the halves from its mean, (k, m)."""
        own = self._halves
        change = stretch[:, own + self.sections.other[own]] - stretch[:, own]
        return np.asarray(self.sections.stiffness[own, 0] * change**2 / 24.0)

    def strains(self, q: Array) -> tuple[Array, Array]:
        """Return stretch, shear (2), twist and curvature (2), (k, m, 6), and the rotations of the axes, (k, m, 4)."""
        small, large = self._small, self._large
        strain = np.zeros((len(q), len(self.sections), 6))
        turn = np.zeros((len(q), len(self.sections), 4))
        turn[..., 0] = 1.0
        if small.size:
            strain[:, small] = self._small_strains(q, small)
            if self.layout.carriers is not None:
                turn[:, small] = self.layout.carriers.frames(q)[:, self.layout.cells[small, 0]]
        if large.size:
            strain[:, large], turn[:, large] = self._large_strains(q, large)
        return strain, turn

    @cached_property
    def _large(self) -> IntArray:
        """Numbers of the lines between frames."""
        carriers, cells = self.layout.carriers, self.layout.cells
        if carriers is None:
            return np.zeros(0, dtype=np.int64)
        return np.flatnonzero(np.all(carriers.kind[cells] == FRAME, axis=1))

    @cached_property
    def _small(self) -> IntArray:
        return np.setdiff1d(np.arange(len(self.sections)), self._large)

    def _small_strains(self, q: Array, own: IntArray) -> Array:
        layout, length = self.layout, self.sections.length[own, None]
        if layout.carriers is None:
            u, t = layout.displacements(q), layout.rotations(q)
        else:
            elastic = layout.carriers.elastic(q)
            u, t = elastic[..., :3], elastic[..., 3:]
        a, b = layout.cells[own].T
        mean, axes = 0.5 * (t[:, a] + t[:, b]), self.sections.axes[own]
        stretch = (u[:, b] - u[:, a]) / length - np.cross(mean, axes[None, :, :, 0])
        along = np.concatenate([stretch, (t[:, b] - t[:, a]) / length], axis=-1).reshape(len(q), len(own), 2, 3)
        return np.asarray(np.einsum("mij,kmsi->kmsj", axes, along)).reshape(len(q), len(own), 6)

    def _large_strains(self, q: Array, own: IntArray) -> tuple[Array, Array]:
        carriers, length = self.layout.carriers, self.sections.length[own, None]
        assert carriers is not None
        a, b = self.layout.cells[own].T
        r, p = carriers.positions(q), carriers.orientations(q)
        t = to_vector(product(inverse(p[:, a]), p[:, b]))
        middle = product(p[:, a], from_vector(0.5 * t))
        stretch = turned(inverse(middle), (r[:, b] - r[:, a]) / length)
        axes = self.sections.axes[own]
        stretch = np.einsum("mij,kmi->kmj", axes, stretch) - np.array([1.0, 0.0, 0.0])
        bent = np.einsum("mij,kmi->kmj", axes, t / length)
        return np.concatenate([stretch, bent], axis=-1), middle
