"""Write the two line meshes of this folder (run it here; needs meshio).

``graded_rod.msh``     gmsh 4.1, 80 elements on x = 5 .. 15, 20 times finer at the near end, nodes and lines shuffled.
``cantilever.vtu``     60 elements on x = 0 .. 1 (along y = z = 0), 10 times finer at the far end, lines in file order.
"""

from __future__ import annotations

from pathlib import Path

import meshio
import numpy as np


def graded(start: float, length: float, elements: int, ratio: float) -> np.ndarray:
    """Return points on the x axis, (elements + 1, 3); ``ratio`` is the last element length over the first."""
    sizes = ratio ** (np.arange(elements) / (elements - 1))
    x = start + length * np.concatenate(([0.0], np.cumsum(sizes))) / sizes.sum()
    return np.column_stack([x, np.zeros_like(x), np.zeros_like(x)])


def shuffled(points: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the same chain with its nodes, its lines and the ends of lines in random order."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(points))
    place = np.argsort(order)
    lines = np.column_stack([place[:-1], place[1:]])
    lines = rng.permuted(lines, axis=1)[rng.permutation(len(lines))]
    return points[order], lines


def main() -> None:
    """Write the files beside this script."""
    here = Path(__file__).parent
    points, lines = shuffled(graded(5.0, 10.0, 80, 20.0), seed=1)
    meshio.Mesh(points, [("line", lines)]).write(here / "graded_rod.msh", file_format="gmsh", binary=False)
    points = graded(0.0, 1.0, 60, 0.1)
    lines = np.column_stack([np.arange(60), np.arange(1, 61)])
    meshio.Mesh(points, [("line", lines)]).write(here / "cantilever.vtu")


if __name__ == "__main__":
    main()
