"""``modes.csv`` and ``modes.vtu``: frequencies in a table, shapes as displacements of the mesh."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from flexmb.io.frames import cells_of
from flexmb.layout import Layout
from flexmb.state import Array


def write_modes(omega: Array, shapes: Array, layout: Layout, folder: Path) -> list[Path]:
    """Write frequencies (rad/s and Hz) and shapes; the largest displacement of each shape is 1."""
    import meshio  # slow to import

    folder.mkdir(parents=True, exist_ok=True)
    table, mesh = folder / "modes.csv", folder / "modes.vtu"
    numbers = np.arange(1, len(omega) + 1)
    rows = np.column_stack([numbers, omega, omega / (2 * np.pi)])
    np.savetxt(
        table,
        rows,
        delimiter=",",
        fmt=["%d", "%.17g", "%.17g"],
        header="mode,omega [rad/s],frequency [Hz]",
        comments="",
    )
    vectors = {}
    for k in range(len(omega)):
        u = np.asarray(layout.displacement @ shapes[:, k]).reshape(-1, 3)
        largest = float(np.max(np.linalg.norm(u, axis=1)))
        # torsion moves no node; its shape stays zero
        vectors[f"mode_{k + 1:02d}"] = u / largest if largest > 0 else u
    meshio.Mesh(layout.points, cells_of(layout), point_data=vectors).write(mesh)
    return [table, mesh]
