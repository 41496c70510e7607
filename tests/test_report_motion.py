"""The motion on the page: which states are shown, and what of them; numbers as they are packed."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import fake_multibody
import numpy as np
import pytest
from messages import says

import flexmb as fm
from flexmb.postproc.deformation import held_points
from flexmb.postproc.open_folder import open_folder
from flexmb.postproc.report.charts import cycle
from flexmb.postproc.report.motion import MOST_FRAMES, Motion, motion_of
from flexmb.postproc.report.numbers import Numbers
from flexmb.postproc.report.runs import open_runs
from flexmb.postproc.report.views import Views, views_of

ROOM = 10_000_000
COARSE = ["bodies.rod.elements=40", "time.step=5e-3"]


@pytest.fixture(scope="module")
def ball(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ball that hits the floor once, at t = 1, in 1,201 states."""
    folder = tmp_path_factory.mktemp("motion") / "ball"
    fm.load_case("bouncing_ball", ["time.end=1.2", "output.fields_every=1"]).run(folder)
    return folder


@pytest.fixture(scope="module")
def bar(ball: Path) -> Path:
    fm.load_case("impacting_bar", COARSE).run(ball.parent / "bar")
    return ball.parent / "bar"


def unpacked(numbers: Numbers, k: int) -> np.ndarray:
    kind, first, count, base, factor = numbers.index[k]
    return base + factor * np.frombuffer(base64.b64decode(numbers.base64()), "<" + kind, count, first).astype(float)


def shown(*folders: Path) -> tuple[Views, Numbers]:
    numbers = Numbers()
    return views_of(open_runs(folders, cycle), numbers), numbers


def spec_of(motion: Motion) -> tuple[dict[str, Any], Numbers]:
    numbers = Numbers()
    return motion.spec(numbers, "run", motion.scene.camera, {"displacement": (0.0, 1.0)}), numbers


def test_states_are_few_and_evenly_spread(ball: Path) -> None:
    opened = open_folder(ball)
    assert len(opened.result.fields) == 1201
    states = motion_of(opened, ROOM).states
    assert len(states) == MOST_FRAMES
    assert [states[0], states[-1]] == [0, 1200]
    assert set(np.diff(states)) == {4, 5}
    assert len(motion_of(opened, 500).states) == 50  # ten bytes each


def test_impulses_of_states_left_out_are_shown_in_the_next(ball: Path) -> None:
    motion = motion_of(open_folder(ball), 500)
    result = fm.load(ball)
    (hit,) = np.flatnonzero(np.asarray(result.fields.impulse[()]).any(axis=1))
    assert hit not in motion.states
    spec, numbers = spec_of(motion)
    (frame,) = unpacked(numbers, spec["impulse"]["frame"])
    assert motion.states[int(frame) - 1] < hit < motion.states[int(frame)]
    vector = unpacked(numbers, spec["impulse"]["vector"])
    assert vector == pytest.approx([0.0, 0.0, float(np.abs(result.fields.impulse[hit]).max())], abs=1e-6)
    radius = motion.scene.thickness.radius(0)
    assert unpacked(numbers, spec["impulse"]["out"]) == pytest.approx([radius])  # it ends at the surface of the ball
    length = motion.scene.arrows.length(motion.scene.impulses.largest)
    assert unpacked(numbers, spec["impulse"]["length"]) == pytest.approx([length])


def test_planes_stand_below_the_surface_of_what_touches_them(ball: Path) -> None:
    motion = motion_of(open_folder(ball), ROOM)
    (plane,) = spec_of(motion)[0]["planes"]
    assert plane["reach"] == pytest.approx(motion.scene.thickness.radius(0))


def test_a_plane_moves_when_it_does(tmp_path: Path) -> None:
    fm.load_case("bar_on_moving_wall").run(tmp_path / "run")
    result, motion = fm.load(tmp_path / "run"), motion_of(open_folder(tmp_path / "run"), ROOM)
    spec, numbers = spec_of(motion)
    offsets = unpacked(numbers, spec["planes"][0]["offsets"])
    x = np.array([frame["displacement"][0, 0] for frame in motion.frames]) + result.layout.points[0, 0]
    wanted = x - np.interp(motion.times, result.time, result.contacts["wall"].gap.ravel())
    assert np.ptp(wanted) > 0.01
    np.testing.assert_allclose(offsets, wanted, atol=1e-6)


def test_only_deformation_grows_in_large_motion(tmp_path: Path) -> None:
    """Boxes that turn keep their shape, and the rod that bends has no rotation of its own in what grows."""
    motion = motion_of(open_folder(fake_multibody.saved(tmp_path / "mechanism")), ROOM)
    spec, numbers = spec_of(motion)
    assert spec["scalable"]
    grown = unpacked(numbers, spec["grown"]).reshape(motion.displacement.shape)
    body = motion.layout.body_of_point
    assert np.abs(motion.displacement[:, body < 2]).max() > 0.5
    assert np.abs(grown[:, body < 2]).max() < 1e-3  # the packing
    assert np.abs(grown[-1, body == 2]).max() > 0.1
    held = held_points(motion.scene.fields.maps) & (body == 2)
    assert held.any()
    np.testing.assert_allclose(grown[:, held], 0.0, atol=1e-3)  # joints stay closed, contacts touch


def test_rotors_grow_and_pendulums_do_not(tmp_path: Path) -> None:
    fm.load_case("rotor_rub", ["time.end=0.01", "output.fields_every=50"]).run(tmp_path / "rotor")
    fm.load_case("double_pendulum_wall", ["time.end=0.5"]).run(tmp_path / "pendulum")
    rotor, pendulum = (spec_of(motion_of(open_folder(tmp_path / name), ROOM))[0] for name in ("rotor", "pendulum"))
    assert rotor["scalable"]
    assert all(rotor["marks"]["grow"])
    assert not pendulum["scalable"]  # its masses move far, and have no deformation


def test_runs_side_by_side_share_what_they_have(bar: Path, ball: Path, tmp_path: Path) -> None:
    fm.load_case("impacting_bar", [*COARSE, "bodies.rod.velocity=[-5.0, 0.0, 0.0]"]).run(tmp_path / "slow")
    views, _ = shown(bar, tmp_path / "slow")
    fast, slow = views.specs
    assert fast["camera"] == slow["camera"]
    assert [field["limits"] for field in fast["fields"]] == [field["limits"] for field in slow["fields"]]
    assert [field["name"] for field in fast["fields"]] == [
        *("displacement", "velocity", "axial force", "bending moment", "energy density")
    ]
    views, numbers = shown(bar, ball)  # the first has fields that the second lacks
    assert [[field["name"] for field in spec["fields"]] for spec in views.specs] == [["displacement", "velocity"]] * 2
    assert views.specs[0]["camera"]["half"][0] > 4 * views.specs[1]["camera"]["half"][0]
    assert says(views.notes[0], "view ... scale, arrows ... colors")
    assert views.notes[0].count("the longest") == 2
    for spec in views.specs:
        lengths = unpacked(numbers, spec["impulse"]["length"])
        assert lengths.max() < 0.3 * max(spec["camera"]["half"])


def test_a_run_that_blew_up_is_drawn_until_then(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = ["bodies.rod.elements=120", "time.step=5e-3", "scheme.name=moreau-jean", "scheme.theta=0.0"]
    monkeypatch.setattr("flexmb.drive.run.MOST_GAIN", np.inf)  # or the run ends before that
    with pytest.raises(fm.SimulationError):
        fm.load_case("impacting_bar", keys).run(tmp_path / "blown")
    views, numbers = shown(tmp_path / "blown")
    (spec,) = views.specs
    times, all_of = unpacked(numbers, spec["times"]), fm.load(tmp_path / "blown").fields.times
    assert 0.3 < times[-1] < all_of[-1]
    assert says(views.notes[1], f"motion ... t = {times[-1]:.4g} s ... too large")
    assert np.abs(unpacked(numbers, spec["moved"])).max() < 1000.0
    assert float(views.notes[0].split()[-3]) < 1000.0  # the longest arrow
