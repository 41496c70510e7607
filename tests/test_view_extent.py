"""The room a picture has and the size of its symbols: those of the whole run, whatever state is shown."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from messages import says
from pictures import SIZE, chroma, colours_at, pixels, require_drawing, scene_of

import flexmb as fm
from flexmb.postproc import extent as room
from flexmb.postproc import sampling
from flexmb.postproc.camera import ROOM
from flexmb.postproc.sampling import blocks, rows_of, some_of
from flexmb.postproc.thickness import BALL
from flexmb.postproc.view import picture
from flexmb.record.result import Result

PERIODS = 59


@pytest.fixture(scope="module")
def spring(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A mass on a spring of 3 m that swings between -1 and 1; 590 states, ten in each of 59 periods, and the last."""
    model = fm.Model()
    ball = model.add(fm.Particle("ball", mass=1.0, position=(1, 0, 0), axes="x"))
    model.add(fm.Spring("s", node=ball.first, anchor=(-2, 0, 0), stiffness=4 * np.pi**2, length=2.0))
    folder = tmp_path_factory.mktemp("room") / "spring"
    scheme = fm.GeneralizedAlpha(rho_inf=1.0)
    return fm.simulate(model, scheme, step=0.01, end=float(PERIODS), fields_every=10).save(folder)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A mass that swings a millimetre at the end of a spring of 1 m."""
    model = fm.Model()
    ball = model.add(fm.Particle("ball", mass=1.0, position=(1, 0, 0), velocity=(0.005, 0, 0), axes="x"))
    model.add(fm.Spring("s", node=ball.first, anchor=(0, 0, 0), stiffness=39.5))
    folder = tmp_path_factory.mktemp("room") / "tiny"
    return fm.simulate(model, fm.GeneralizedAlpha(rho_inf=1.0), step=0.01, end=2.0).save(folder)


def whirl(turns: int, per_turn: int, growth: float = 0.0) -> Result:
    """Return a particle that runs around the origin, away from any axis; its states are made up."""
    model = fm.Model()
    model.add(fm.Particle("ball", mass=1.0, velocity=(0, 0, 0)))
    result = fm.simulate(model, fm.MoreauJean(), step=1.0, end=float(turns * per_turn), fields_every=1)
    turn = 2 * np.pi * (np.arange(turns * per_turn + 1) / per_turn + 1 / 16)
    across = np.array([[1.0, 1.0, 0.0], [-0.3, 0.3, 1.0]])
    path = np.stack([np.cos(turn), np.sin(turn)], axis=1) @ across * np.exp(growth * turn)[:, None]
    return Result(dict(result.tree) | {"/state/q": path}, result.summary)


def test_symbols_have_the_size_of_the_whole_run(spring: Path, tiny: Path) -> None:
    """Both ends of a spring count, and pictures of any state have the room and the sizes that movies have."""
    for folder, size in ((spring, 3.0), (tiny, 1.0)):
        whole, _ = scene_of(folder, whole=True)
        assert whole.thickness.size == pytest.approx(size, rel=1e-2)
        for t in (0.0, 0.02, 0.3, 1.5):
            scene, _ = scene_of(folder, t)
            assert scene.thickness.size == pytest.approx(whole.thickness.size, rel=1e-12)
            assert scene.shapes.radius(0) == pytest.approx(BALL * size, rel=1e-2)
            np.testing.assert_allclose(scene.camera.centre, whole.camera.centre, atol=1e-9)
            np.testing.assert_allclose(scene.camera.half, whole.camera.half, rtol=1e-9)


def test_a_ball_that_hardly_moves_is_seen(tiny: Path) -> None:
    require_drawing()
    scene, k = scene_of(tiny, 0.02)
    at = scene.positions(scene.frame(k))[0] + 0.6 * BALL * np.array([[0, 0, 1], [0, 0, -1], [0, 0, 0]])
    assert chroma(colours_at(picture(scene, k, SIZE), pixels(scene, k, at))).min() > 40


@pytest.mark.parametrize("scale", [1.0, 4.0])
def test_a_vibration_in_step_with_the_samples_has_room(spring: Path, scale: float) -> None:
    """Of 591 states in 59 periods, 60 that are evenly spaced would all be near the same end."""
    scene, _ = scene_of(spring, scale=scale, whole=True)
    evenly = scene.fields.q[:: len(scene.times) // PERIODS][:, 0]
    assert np.ptp(evenly) < 0.3
    assert scene.swept[:, 0].max() == pytest.approx(1.0, abs=0.02)
    assert scene.swept[:, 0].min() == pytest.approx(min(1.0 - 2.0 * scale, -2.0), abs=0.05 * scale)
    scene.rescale(2.0 * scale)
    assert scene.swept[:, 0].min() == pytest.approx(1.0 - 4.0 * scale, abs=0.1 * scale)
    assert len(scene.frames) < 100


def test_of_too_many_states_some_are_looked_at(spring: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "MOST", 100)
    scene, _ = scene_of(spring, whole=True)
    assert scene.room.reach.ends[0, 0, 0] == pytest.approx(-2.0, abs=0.1)


@pytest.mark.parametrize("growth", [0.0, 0.02])
def test_whirling_things_stay_in_view(tmp_path: Path, growth: float) -> None:
    """The camera stands aslant: what is farthest for it is so along none of the axes."""
    folder = whirl(PERIODS, 10, growth).save(tmp_path / "whirl")
    scene, _ = scene_of(folder, whole=True)
    camera = scene.camera
    places = np.array([scene.positions(scene.frame(k))[0] for k in range(len(scene.times))]) - camera.centre
    seen = np.abs(np.stack([places @ camera.right, places @ camera.up], axis=1)) + scene.shapes.radius(0)
    assert np.all(seen.max(axis=0) <= ROOM * camera.half)


def test_a_run_that_blows_up_leaves_room_for_what_was_before(tmp_path: Path) -> None:
    sound, wild = whirl(20, 10), whirl(20, 10)
    wild.tree["/state/q"][150:] *= 10.0 ** np.arange(51)[:, None]
    wild.summary["status"] = "failed"
    usual = scene_of(sound.save(tmp_path / "sound"), 50.0)[0].thickness.size
    folder = wild.save(tmp_path / "wild")
    for whole in (False, True):
        scene, _ = scene_of(folder, 50.0, whole=whole)
        assert scene.thickness.size < 20.0 * usual
        assert any(says(note, "motion ... t = 15") for note in scene.notes)
    scene, k = scene_of(folder, 199.0)  # this state is one that is too large
    assert scene.thickness.size > np.abs(scene.fields.q[k]).max()
    assert not any("room" in note for note in scene.notes)


def test_some_of_many() -> None:
    states = np.arange(5, 1005)
    for most in (2, 7, 60, 333, 999):
        some = some_of(states, most)
        assert len(some) == most
        assert np.all(np.diff(some) > 0)
        assert (some[0], some[-1]) == (5, 1004)
        assert np.diff(some).max() <= 2 * np.ceil(1000 / most)
    assert some_of(states, 1000) is states
    for period in (10, 1000 / 60, 1000 / 59, 17, 33.3):
        phase = np.sort(some_of(states, 60) / period % 1.0)
        assert np.diff(phase, append=phase[0] + 1.0).max() < 0.25, period


def test_rows_are_those_asked_for() -> None:
    """Whether they are read at once or one by one."""

    class Counted:
        shape = (10_000, 500)
        reads = 0

        def __getitem__(self, part: object) -> np.ndarray:
            self.reads += 1
            rows = np.arange(10_000)[part]
            return np.multiply.outer(rows, np.ones(500))

    values = Counted()
    for states, reads in ((np.array([3, 4, 9]), 1), (np.array([3, 5000, 9000]), 3)):
        values.reads = 0
        np.testing.assert_array_equal(rows_of(values, states)[:, 0], states)
        assert values.reads == reads


def test_blocks_are_larger_for_small_states() -> None:
    states = np.arange(100_000)
    for width, size in ((3, sampling.BLOCK_NUMBERS // 3), (10**4, sampling.BLOCK), (10**6, 4), (10**8, 1)):
        own = list(blocks(states, width))
        np.testing.assert_array_equal(np.concatenate(own), states)
        assert len(own[0]) == size
