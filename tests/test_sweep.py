"""Lines drawn with their sections: volume, place and turn of the surfaces, without any picture."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.postproc.structure import Shapes
from flexmb.postproc.sweep import SIDES, Ball, Outline, Run, Sweep, runs_of
from flexmb.postproc.thickness import Thickness
from flexmb.record.io.frames import PointMaps

CIRCLE = 0.5 * SIDES * np.sin(2 * np.pi / SIDES)
"""Area of the drawn circle of radius 1."""


def made(outline: Outline, x: np.ndarray, sides: np.ndarray, balls: list[Ball] | None = None):
    n = len(x) - 1
    sweep = Sweep([Run(np.arange(n), np.arange(n + 1), outline)], balls or [])
    mesh = sweep.mesh.copy()
    sweep.update(mesh, x, sides)
    return sweep, mesh


def volume(mesh) -> float:
    """Return what a closed surface holds: a sum over its triangles, positive when they are seen from outside."""
    whole = mesh.triangulate()
    a, b, c = (np.asarray(whole.points, dtype=float)[whole.regular_faces[:, k]] for k in range(3))
    return float(np.sum(a * np.cross(b, c)) / 6.0)


@pytest.mark.parametrize(
    ("outline", "area"),
    [
        (Outline(True, (0.2, 0.0)), CIRCLE * 0.04),
        (Outline(True, (0.2, 0.15)), CIRCLE * (0.04 - 0.0225)),
        (Outline(False, (0.3, 0.1)), 0.03),
    ],
)
def test_surface_encloses_area_times_length(outline: Outline, area: float) -> None:
    d = np.array([2.0, 1.0, 2.0]) / 3.0
    x = np.array([1.0, -1.0, 0.5]) + np.outer([0.0, 0.7, 1.0, 3.0], d)
    sides = np.broadcast_to([0.0, 1.0, 0.0], (3, 2, 3))
    sweep, mesh = made(outline, x, sides)
    assert volume(mesh) == pytest.approx(3.0 * area, rel=1e-5)
    assert sorted(set(sweep.cell_of_face.tolist())) == [0, 1, 2]
    normals = np.asarray(mesh.point_data["Normals"])
    np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1.0, rtol=1e-6)
    faces = mesh.compute_normals(
        cell_normals=True, point_normals=False, consistent_normals=False, auto_orient_normals=False
    )
    for k in range(0, mesh.n_cells, 7):  # light falls on a face from where it is seen
        assert np.min(normals[mesh.get_cell(k).point_ids] @ faces.cell_data["Normals"][k]) > 0.9


def test_rectangle_has_its_height_along_y() -> None:
    x = np.outer([0.0, 1.0], [1.0, 0.0, 0.0])
    for y in ([0.0, 1.0, 0.0], [0.0, 0.6, 0.8]):
        _, mesh = made(Outline(False, (0.4, 0.1)), x, np.broadcast_to(y, (1, 2, 3)))
        points = np.asarray(mesh.points)
        assert np.ptp(points @ y) == pytest.approx(0.4)
        assert np.ptp(points @ np.cross([1.0, 0.0, 0.0], y)) == pytest.approx(0.1)


def test_balls_and_lines_together() -> None:
    x = np.array([[0.0, 0, 0], [1.0, 0, 0], [3.0, 1.0, 2.0]])
    sweep = Sweep([Run(np.array([0]), np.array([0, 1]), Outline(True, (0.1, 0.0)))], [Ball(2, 0.5)])
    mesh = sweep.mesh.copy()
    sweep.update(mesh, x, np.zeros((1, 2, 3)))  # no axes known: any will do for a circle
    ball = np.asarray(mesh.points)[sweep.point_of_corner == 2] - x[2]
    np.testing.assert_allclose(np.linalg.norm(ball, axis=1), 0.5, rtol=1e-5)
    assert volume(mesh) == pytest.approx(CIRCLE * 0.01 + 4 / 3 * np.pi * 0.125, rel=0.02)
    assert set(sweep.cell_of_face.tolist()) == {0, -1}


def test_runs_end_where_the_section_or_the_chain_does() -> None:
    lines = np.array([[0, 1], [1, 2], [2, 3], [5, 6]])
    size = np.array([[0.1, 0.0], [0.1, 0.0], [0.2, 0.0], [0.2, 0.0]])
    runs = runs_of(lines, np.ones(4, dtype=bool), size)
    assert [run.cells.tolist() for run in runs] == [[0, 1], [2], [3]]
    assert [run.points.tolist() for run in runs] == [[0, 1, 2], [2, 3], [5, 6]]
    assert runs_of(np.zeros((0, 2), dtype=int), np.zeros(0, dtype=bool), np.zeros((0, 2))) == []


def test_sections_of_bodies_turn_with_them() -> None:
    """A flat exact beam along x, turned a quarter about its axis: its height then points along z."""
    model = fm.Model()
    section = {"shape": "rectangle", "width": 0.05, "height": 0.2}
    steel = {"young": 2e11, "density": 7800.0, "poisson": 0.3}
    model.add(fm.ExactBeam("beam", length=1.0, elements=2, section=section, material=steel))
    system = model.assemble(signals=[])
    layout = system.layout
    shapes = Shapes(PointMaps(layout, None), Thickness(layout, 1.2))
    assert shapes.thickness.enlarged == 1.0
    turned = np.tile([np.pi / 2, 0.0, 0.0], (3, 1))
    for rotation, (height, width) in ((None, (1, 2)), (turned, (2, 1))):
        points = np.asarray(shapes.mesh(layout.points, rotation).points)
        assert np.ptp(points[:, height]) == pytest.approx(0.2, rel=1e-5)
        assert np.ptp(points[:, width]) == pytest.approx(0.05, rel=1e-5)
        assert np.ptp(points[:, 0]) == pytest.approx(1.0, rel=1e-5)
