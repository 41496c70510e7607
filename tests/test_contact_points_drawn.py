"""Impulses are shown where they act, also where what is drawn of a body has no corner."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from pictures import require_drawing, scene_of

import flexmb as fm
from flexmb.postproc.impulses import Arrows
from flexmb.postproc.planes import contact_planes


@pytest.fixture(scope="module")
def pendulum(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The lecture's pendulum: the centre of its rod, which no corner of the box is near, touches the wall."""
    require_drawing()
    folder = tmp_path_factory.mktemp("pendulum") / "run"
    fm.load_case("bouncing_pendulum", ["time.end=0.6", "output.fields_every=1"]).run(folder)
    return folder


def test_impulse_on_the_centre_of_a_box_acts_there(pendulum: Path) -> None:
    scene, _ = scene_of(pendulum)
    signals, maps = fm.load(pendulum).signals, scene.fields.maps
    pushed = np.flatnonzero(abs(maps.impulse).sum(axis=1).reshape(-1, 3).any(axis=1))
    assert len(pushed) == 1
    for k in (0, 150, len(scene.times) - 1):
        x = scene.fields.frame(k)["displacement"][pushed[0]] + maps.layout.points[pushed[0]]
        np.testing.assert_allclose(x[:2], signals["rod.center.position"][k][:2], atol=1e-12)
    # the arrow of the first impact ends there, and comes from the wall
    hit = int(np.flatnonzero(np.asarray(scene.fields.impulse).any(axis=1))[0])
    frame = scene.fields.frame(hit)
    arrow = Arrows(scene, scene.arrows).at(-1, hit, False, scene.positions(frame), np.zeros((0, 3)))[0]
    np.testing.assert_allclose(arrow.points[:, 0].max(), np.sqrt(0.5), atol=1e-2)
    np.testing.assert_allclose(arrow.points[:, 1].mean(), -np.sqrt(0.5), atol=1e-2)


def test_the_wall_reaches_along_the_whole_rod(pendulum: Path) -> None:
    scene, k = scene_of(pendulum, 0.466)
    (plane,), _ = contact_planes(scene.opened)
    slab = np.asarray(scene.slab(plane, 0.466, scene.fields.frame(k)).points)
    assert slab[:, 0].max() == pytest.approx(np.sqrt(0.5), abs=1e-6)
    assert slab[:, 1].min() < -np.sqrt(2.0) < -0.0 < slab[:, 1].max()
