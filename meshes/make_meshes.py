"""Write the line meshes of this folder (run it here; needs meshio).

``graded_rod.msh``     gmsh 4.1, 80 elements on x = 5 .. 15, 20 times finer at the near end, nodes and lines shuffled.
``cantilever.vtu``     60 elements on x = 0 .. 1 (along y = z = 0), 10 times finer at the far end, lines in file order.
``portal.msh``         gmsh 2.2, frame of two columns and a beam, 3 m high and 4 m wide, 12 elements each; named groups.
``arch.msh``           gmsh 2.2, half a circle of radius 1 m, 48 chords; named supports and crown.
``truss.msh``          gmsh 2.2, Warren truss of four bays of 1 m; named feet, chords and diagonals.
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


class Drawing:
    """Points and lines with the names of their groups, to be written as gmsh's format 2.2."""

    def __init__(self) -> None:
        self.points: dict[tuple[float, float, float], int] = {}
        self.lines: list[tuple[int, int, str]] = []
        self.named: list[tuple[int, str]] = []

    def point(self, x: float, z: float, name: str = "") -> int:
        """Return the point at (x, 0, z), a new one where there is none."""
        place = (round(x, 12), 0.0, round(z, 12))
        number = self.points.setdefault(place, len(self.points))
        if name:
            self.named.append((number, name))
        return number

    def line(self, a: int, b: int, group: str, elements: int = 1) -> None:
        """Add a straight line of some elements between two points."""
        places = list(self.points)
        start, end = np.array(places[a]), np.array(places[b])
        way = [a, *(self.point(*(start + (end - start) * k / elements)[[0, 2]]) for k in range(1, elements)), b]
        self.lines += [(way[k], way[k + 1], group) for k in range(elements)]

    def write(self, path: Path) -> None:
        """Write the file; gmsh opens it, too."""
        groups = list(dict.fromkeys([(0, name) for _, name in self.named] + [(1, name) for _, _, name in self.lines]))
        tag = {group: k + 1 for k, group in enumerate(groups)}
        text = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$PhysicalNames", str(len(groups))]
        text += [f'{dim} {tag[dim, name]} "{name}"' for dim, name in groups]
        text += ["$EndPhysicalNames", "$Nodes", str(len(self.points))]
        text += [f"{k + 1} {x:.12g} {y:.12g} {z:.12g}" for (x, y, z), k in self.points.items()]
        cells = [(15, tag[0, name], [k]) for k, name in self.named]
        cells += [(1, tag[1, name], [a, b]) for a, b, name in self.lines]
        text += ["$EndNodes", "$Elements", str(len(cells))]
        text += [
            f"{i + 1} {kind} 2 {group} {group} {' '.join(str(k + 1) for k in nodes)}"
            for i, (kind, group, nodes) in enumerate(cells)
        ]
        path.write_text("\n".join([*text, "$EndElements", ""]))


def portal(height: float = 3.0, width: float = 4.0, elements: int = 12) -> Drawing:
    """Return two columns and a beam."""
    out = Drawing()
    feet = [out.point(0.0, 0.0, "feet"), out.point(width, 0.0, "feet")]
    tops = [out.point(0.0, height, "left"), out.point(width, height, "right")]
    for foot, top in zip(feet, tops, strict=True):
        out.line(foot, top, "columns", elements)
    out.line(tops[0], tops[1], "beam", elements)
    return out


def arch(radius: float = 1.0, chords: int = 48) -> Drawing:
    """Return half a circle over the x axis."""
    out = Drawing()
    angle = np.pi * (1.0 - np.arange(chords + 1) / chords)
    name = {0: "supports", chords // 2: "crown", chords: "supports"}
    nodes = [out.point(radius * np.cos(a), radius * np.sin(a), name.get(k, "")) for k, a in enumerate(angle)]
    for a, b in zip(nodes[:-1], nodes[1:], strict=True):
        out.line(a, b, "rib")
    return out


def truss(bays: int = 4, size: float = 1.0) -> Drawing:
    """Return a Warren truss of equilateral triangles."""
    out = Drawing()
    rise = size * np.sqrt(3.0) / 2.0
    bottom = [out.point(k * size, 0.0, "feet" if k in (0, bays) else "") for k in range(bays + 1)]
    top = [out.point((k + 0.5) * size, rise) for k in range(bays)]
    for row in (bottom, top):
        for a, b in zip(row[:-1], row[1:], strict=True):
            out.line(a, b, "chords")
    for k, peak in enumerate(top):
        out.line(bottom[k], peak, "diagonals")
        out.line(peak, bottom[k + 1], "diagonals")
    return out


def main() -> None:
    """Write the files beside this script."""
    here = Path(__file__).parent
    points, lines = shuffled(graded(5.0, 10.0, 80, 20.0), seed=1)
    meshio.Mesh(points, [("line", lines)]).write(here / "graded_rod.msh", file_format="gmsh", binary=False)
    points = graded(0.0, 1.0, 60, 0.1)
    lines = np.column_stack([np.arange(60), np.arange(1, 61)])
    meshio.Mesh(points, [("line", lines)]).write(here / "cantilever.vtu")
    portal().write(here / "portal.msh")
    arch().write(here / "arch.msh")
    truss().write(here / "truss.msh")


if __name__ == "__main__":
    main()
