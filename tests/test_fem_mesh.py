"""Line meshes: spacing, files in any order, and files that cannot be used."""

from __future__ import annotations

from pathlib import Path

import meshio
import numpy as np
import pytest

from flexmb.errors import InputError
from flexmb.fem.mesh import LineMesh, spaced
from flexmb.fem.network_mesh import read_network
from flexmb.parts.bodies import Bar
from flexmb.parts.bodies.line_mesh_keys import straight_mesh

MESHES = Path(__file__).parents[1] / "meshes"
PROPS = {"area": 1.0, "young": 1.0, "density": 1.0}


def read_line_mesh(path: Path) -> LineMesh:
    return straight_mesh(read_network(path, ""), "", str(path))


def write(path: Path, points: np.ndarray, lines: np.ndarray, cell: str = "line", **kw: object) -> Path:
    meshio.Mesh(points, [(cell, lines)]).write(path, **kw)
    return path


def shuffled_chain(n: int, direction: tuple, origin: tuple, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = np.sort(rng.uniform(0.0, 4.0, n))
    d = np.array(direction) / np.linalg.norm(direction)
    points = np.array(origin) + x[:, None] * d
    order = rng.permutation(n)
    place = np.argsort(order)
    lines = np.column_stack([place[:-1], place[1:]])
    flip = rng.random(n - 1) < 0.5
    lines[flip] = lines[flip, ::-1]
    return points[order], lines[rng.permutation(n - 1)], x - x[0]


def test_uniform_and_graded_spacing() -> None:
    assert np.array_equal(spaced(10.0, 4), [0.0, 2.5, 5.0, 7.5, 10.0])
    x = spaced(10.0, 7, 20.0)
    h = np.diff(x)
    assert x[0] == 0.0
    assert x[-1] == pytest.approx(10.0, rel=1e-15)
    assert h[-1] / h[0] == pytest.approx(20.0, rel=1e-12)
    assert h[1:] / h[:-1] == pytest.approx(np.full(6, 20.0 ** (1 / 6)), rel=1e-12)
    assert np.diff(spaced(10.0, 7, 0.05)) == pytest.approx(h[::-1], rel=1e-12)


@pytest.mark.parametrize(
    ("name", "keys"),
    [("a.msh", {"file_format": "gmsh22", "binary": False}), ("b.msh", {"file_format": "gmsh"}), ("c.vtu", {}),
     ("d.vtk", {}), ("e.xdmf", {"data_format": "XML"})],
)  # fmt: skip
def test_files_in_any_order_come_back_sorted(tmp_path: Path, name: str, keys: dict) -> None:
    points, lines, x = shuffled_chain(30, (1.0, -2.0, 0.5), (3.0, 1.0, -1.0))
    mesh = read_line_mesh(write(tmp_path / name, points, lines, **keys))
    # -y is the largest component of the way up x, so the chain is counted from its other end
    assert mesh.x == pytest.approx(x[-1] - x[::-1], abs=1e-9)
    assert mesh.direction == pytest.approx(-np.array([1.0, -2.0, 0.5]) / np.sqrt(5.25), rel=1e-9)
    back = mesh.reversed()
    assert back.x == pytest.approx(x, abs=1e-9)
    assert back.direction == pytest.approx(-mesh.direction, rel=1e-15)
    assert back.origin == pytest.approx(mesh.origin + x[-1] * mesh.direction, rel=1e-12)


def test_shipped_meshes() -> None:
    rod = read_line_mesh(MESHES / "graded_rod.msh")
    assert rod.x.size == 81
    assert rod.x[-1] == pytest.approx(10.0, rel=1e-12)
    assert np.array_equal(rod.origin, [5.0, 0.0, 0.0])
    assert np.array_equal(rod.direction, [1.0, 0.0, 0.0])
    h = np.diff(rod.x)
    assert h[-1] / h[0] == pytest.approx(20.0, rel=1e-9)
    raw = meshio.read(MESHES / "graded_rod.msh").points[:, 0]
    assert np.any(np.diff(raw) < 0)  # its nodes are shuffled
    arm = read_line_mesh(MESHES / "cantilever.vtu")
    assert arm.x.size == 61
    assert arm.x[-1] == pytest.approx(1.0, rel=1e-12)
    assert np.diff(arm.x)[-1] / np.diff(arm.x)[0] == pytest.approx(0.1, rel=1e-9)


def test_body_on_a_mesh_file(tmp_path: Path) -> None:
    points, lines, x = shuffled_chain(12, (1.0, 2.0, 2.0), (3.0, 1.0, -1.0), seed=4)
    path = write(tmp_path / "rod.vtu", points, lines)
    there = Bar("rod", mesh=path, **PROPS).parts()
    order = np.argsort(points @ np.array([1.0, 2.0, 2.0]))
    assert there.points == pytest.approx(points[order], abs=1e-12)
    moved = Bar("rod", mesh=path, position=(0, 0, 7), direction=(0, 0, -2), **PROPS).parts()
    # the file's own direction points up z: the given one points down, so the chain is counted from the other end
    assert moved.points[:, 2] == pytest.approx(7.0 - (x[-1] - x[::-1]), abs=1e-12)
    assert there.mass == pytest.approx(x[-1], rel=1e-12)


def test_quadratic_lines_and_unused_nodes(tmp_path: Path) -> None:
    points = np.array([[0.0, 0, 0], [9.0, 9, 9], [1.0, 0, 0], [0.5, 0, 0], [3.0, 0, 0], [2.0, 0, 0]])
    lines = np.array([[2, 0, 3], [2, 4, 5]])
    mesh = read_line_mesh(write(tmp_path / "quad.vtu", points, lines, "line3"))
    assert np.array_equal(mesh.x, [0.0, 1.0, 3.0])
    points[5, 0] = 2.2
    with pytest.raises(InputError, match=r"midside node 5 is 0\.2 m away"):
        read_line_mesh(write(tmp_path / "off.vtu", points, lines, "line3"))
    parts = Bar("rod", mesh=tmp_path / "quad.vtu", order=2, **PROPS).parts()
    assert parts.points[:, 0] == pytest.approx([0, 0.5, 1, 2, 3])


CHAIN = np.array([[0, 1], [1, 2], [2, 3]])


@pytest.mark.parametrize(
    ("points", "lines", "words"),
    [
        ([[0, 0], [1, 0], [2, 0.01], [3, 0]], CHAIN, r"node 2.*file.*\(2, 0.01, 0\).*off.*0\.01 m"),
        ([[0, 0], [2, 0], [1, 0], [3, 0]], CHAIN, "folds back.*node 2"),
        ([[0, 0], [1, 0], [2, 0], [3, 0]], [[0, 1], [2, 3]], "2 separate pieces"),
        ([[0, 0], [1, 0], [0, 0]], [[0, 1], [1, 2]], "the chain is closed"),
    ],
)
def test_chains_that_cannot_be_used(tmp_path: Path, points: list, lines: list, words: str) -> None:
    xyz = np.column_stack([np.array(points, dtype=float), np.zeros(len(points))])
    path = write(tmp_path / "bad.vtu", xyz, np.array(lines))
    with pytest.raises(InputError, match=words) as caught:
        Bar("rod", mesh=path, **PROPS)
    assert "bad.vtu" in str(caught.value)
    assert "bodies.rod.mesh" in str(caught.value)


def test_files_that_cannot_be_used(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    with pytest.raises(InputError, match=r"bodies\.rod\.mesh = '.*nowhere\.msh'.*mesh file"):
        Bar("rod", mesh=tmp_path / "nowhere.msh", **PROPS)
    for name in ("broken.msh", "broken.vtu", "broken.unheardof"):
        (tmp_path / name).write_text("this is not a mesh\n")
        with pytest.raises(InputError, match=rf"{name}.*meshio cannot read this mesh file"):
            Bar("rod", mesh=tmp_path / name, **PROPS)
    path = write(tmp_path / "tri.vtu", np.eye(3), np.array([[0, 1, 2]]), "triangle")
    with pytest.raises(InputError, match=r"tri\.vtu.*no line cells \(cells found: triangle\)"):
        Bar("rod", mesh=path, **PROPS)
    assert capsys.readouterr().out == ""


def test_mesh_excludes_length_elements_and_grading() -> None:
    for extra in ({"length": 1.0}, {"elements": 3}, {"grading": 2.0}):
        with pytest.raises(InputError, match=rf"bodies\.rod\.{next(iter(extra))} = "):
            Bar("rod", mesh=MESHES / "graded_rod.msh", **extra, **PROPS)
