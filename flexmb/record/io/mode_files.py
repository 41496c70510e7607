"""``modes.csv`` and ``modes.vtu``: frequencies in a table, shapes as displacements of the mesh."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from flexmb.record.io.frames import cells_of
from flexmb.record.io.whole_file import whole_file, write_table
from flexmb.state import Array
from flexmb.system.layout import Layout


def write_modes(omega: Array, shapes: Array, layout: Layout, folder: Path, q: Array | None = None) -> list[Path]:
    """Write frequencies (rad/s and Hz) and shapes about q (the reference); the largest displacement of each is 1."""
    numbers = range(1, len(omega) + 1)
    columns = {"mode": numbers, "omega [rad/s]": omega, "frequency [Hz]": omega / (2 * np.pi)}
    table = write_table(folder / "modes.csv", columns)
    return [table, write_shapes(shapes, layout, folder / "modes.vtu", q)]


def write_shapes(shapes: np.ndarray, layout: Layout, path: Path, q: Array | None = None) -> Path:
    """Write shapes about q as displacements of the mesh; for complex ones also the shape a quarter period later."""
    import meshio  # slow import

    path.parent.mkdir(parents=True, exist_ok=True)
    vectors = {}
    for k in range(shapes.shape[1]):
        if q is None:
            u = np.asarray(layout.displacement @ shapes[:, k]).reshape(-1, 3)
        else:  # in large motion
            u = layout.velocities(q[None], shapes[None, :, k])[0]
        largest = float(np.max(np.linalg.norm(u, axis=1)))
        # torsion moves no node; its shape is zero
        u = u / largest if largest > 0 else u
        vectors[f"mode_{k + 1:02d}"] = u.real
        if np.iscomplexobj(shapes):
            vectors[f"mode_{k + 1:02d}_quarter"] = -u.imag
    with whole_file(path) as fresh:
        meshio.Mesh(layout.points, cells_of(layout), point_data=vectors).write(fresh)
    return path
