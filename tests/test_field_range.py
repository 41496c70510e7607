"""Colours span the values of all states that are shown."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from pictures import scene_of

import flexmb as fm
from flexmb.postproc import field_range as module
from flexmb.postproc import sampling
from flexmb.postproc.field_range import coloured_values, field_range
from flexmb.postproc.fields import FIELDS


@pytest.fixture(scope="module", params=["beam_on_stop", "pendulum_with_flexible_rod_and_stop"])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("range") / request.param
    end = {"beam_on_stop": 0.06, "pendulum_with_flexible_rod_and_stop": 0.52}[request.param]
    fm.load_case(request.param, [f"time.end={end}", "output.fields_every=5"]).run(out)
    return out


@pytest.mark.parametrize("field", FIELDS)
def test_the_range_is_that_of_every_state(folder: Path, field: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """There are more states than are read at a time, and than the room of a motion is found from."""
    monkeypatch.setattr(sampling, "BLOCK", 64)
    monkeypatch.setattr(sampling, "BLOCK_NUMBERS", 1)
    scene, _ = scene_of(folder, field=field, whole=True)
    assert len(scene.times) > 128
    values = [scene.values(scene.frame(k)) for k in range(len(scene.times))]
    own = slice(None) if scene.on_lines else scene.coloured
    every = np.concatenate([v[own] for v in values])
    low, high, count = field_range(scene.fields, field, scene.look.states, scene.coloured)
    assert (low, high) == pytest.approx((np.nanmin(every), np.nanmax(every)), rel=1e-12)
    assert count == len(scene.times)
    if high > low:
        most = max(-low, high)  # what has a sign has zero in the middle of its colours
        assert scene.limits == ((-most, most) if scene.signed else (low, high))


def test_of_too_many_states_some_are_looked_at_and_the_picture_says_so(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene, _ = scene_of(folder, field="velocity", whole=True)
    width = len(scene.reference)
    for name in ("MOST", "MOST_LARGE"):
        monkeypatch.setattr(module, name, 50 * width)
    every = len(scene.times)
    low, high, count = field_range(scene.fields, "velocity", np.arange(every), np.arange(width))
    assert count == 50
    assert 0.0 <= low < high
    assert f"colors span 50 of {every} states" in scene.notes


def test_what_is_coloured() -> None:
    vectors = np.array([[[3.0, 4.0, 0.0], [0.0, 0.0, -2.0]]])
    np.testing.assert_array_equal(coloured_values("displacement", vectors), [[5.0, 2.0]])
    np.testing.assert_array_equal(coloured_values("bending_moment.z", vectors), [[0.0, -2.0]])
    np.testing.assert_array_equal(coloured_values("axial_force", np.array([[-1.0, 2.0]])), [[-1.0, 2.0]])


def test_another_field_has_another_range(folder: Path) -> None:
    scene, _ = scene_of(folder, whole=True)
    before = scene.limits
    scene.recolour("velocity")
    assert scene.limits != before
