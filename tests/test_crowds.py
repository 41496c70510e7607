"""Pictures of many bodies: coarser balls, shorter arrows, and regions from the outermost points."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import flexmb as fm
from flexmb.parts.bodies.shapes import AROUND, AROUND_OF_CROWD, CROWD, Sphere
from flexmb.postproc import outline as outlines
from flexmb.postproc.extent import DIRECTIONS
from flexmb.postproc.impulses import MANY
from flexmb.postproc.outline import FEW, outermost
from flexmb.postproc.view import staged


def balls(count: int) -> fm.Model:
    """Return a row of balls that rest on a floor."""
    model = fm.Model(gravity=(0, 0, -9.81))
    for k in range(count):
        shape = Sphere(radius=0.1)
        model.add(fm.Rigid(f"b{k}", density=1000.0, shape=shape, position=(0.25 * k, 0.0, 0.1)))
    nodes = [f"b{k}" for k in range(count)]
    model.add(fm.NodePlane("floor", nodes=nodes, normal=(0, 0, 1), radius=0.1))
    return model


def points_per_ball(count: int) -> int:
    return sum(row == 0 for row in balls(count).assemble().layout.body_of_point.tolist())


def test_balls_of_a_crowd_have_fewer_points() -> None:
    touching = 1  # the point of the contact
    assert points_per_ball(2) == len(Sphere(radius=0.1).surface(AROUND)[0]) + touching
    assert points_per_ball(CROWD + 1) == len(Sphere(radius=0.1).surface(AROUND_OF_CROWD)[0]) + touching


def test_a_coarse_ball_is_closed_and_nearly_has_the_volume() -> None:
    sphere = Sphere(radius=0.3)
    points, triangles = sphere.surface(AROUND_OF_CROWD)
    corners = points[triangles]
    volume = np.einsum("ij,ij->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6
    assert 0.9 * sphere.volume() < volume < sphere.volume()
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    assert {tuple(e) for e in edges.tolist()} == {tuple(e[::-1]) for e in edges.tolist()}


def test_an_outline_has_the_extent_of_its_cloud() -> None:
    cloud = np.random.default_rng(5).normal(size=(FEW + 1, 3)) * [1.0, 5.0, 0.2]
    own = outermost(cloud)
    assert len(own) < 200
    for side in (1.0, -1.0):
        assert (side * own @ DIRECTIONS.T).max(axis=0).tolist() == (side * cloud @ DIRECTIONS.T).max(axis=0).tolist()
    every = np.random.default_rng(6).normal(size=(50, 3))
    every /= np.linalg.norm(every, axis=1)[:, None]
    assert ((own @ every.T).max(axis=0) > 0.98 * (cloud @ every.T).max(axis=0)).all()
    assert len(outermost(cloud[:FEW])) == FEW


def test_arrows_of_many_contacts_are_shorter_and_the_region_is_that_of_all_points(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fm.simulate(balls(2 * MANY), fm.MoreauJean(), step=1e-3, end=3e-3).save(tmp_path / "many")
    fm.simulate(balls(2), fm.MoreauJean(), step=1e-3, end=3e-3).save(tmp_path / "two")
    few, many = (staged([tmp_path / name], None, 1.0, None, whole=False)[0].scenes[0] for name in ("two", "many"))
    assert few.arrows.size == pytest.approx(few.thickness.size, rel=1e-12)
    assert many.arrows.size == pytest.approx(many.thickness.size * np.sqrt(0.5), rel=1e-12)
    reduced = many.content
    monkeypatch.setattr(outlines, "FEW", 10**9)
    whole = staged([tmp_path / "many"], None, 1.0, None, whole=False)[0].scenes[0].content
    assert len(reduced) < 0.5 * len(whole)
    assert reduced.min(axis=0) == pytest.approx(whole.min(axis=0), abs=1e-12)
    assert reduced.max(axis=0) == pytest.approx(whole.max(axis=0), abs=1e-12)
