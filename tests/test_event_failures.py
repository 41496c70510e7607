"""Events that come to no end, or cannot be located: exit code 3 with time, contact and what was tried."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from event_runs import ball

import flexmb as fm
from flexmb.cli import main
from flexmb.drive.events.event_times import MOST_EVENTS, EventTimes
from flexmb.drive.events.landing import Landing
from flexmb.errors import SimulationError

COLLAPSE = """
[time]
end = 2.0
tolerance = 1e-8

[scheme]
name = "dopri5"

[bodies.left]
kind = "particle"
mass = 1.0
position = [0.0, 0.0, 0.0]
velocity = [1.0, 0.0, 0.0]
axes = "x"

[bodies.middle]
kind = "particle"
mass = 1.0
position = [0.5, 0.0, 0.0]
axes = "x"

[bodies.right]
kind = "particle"
mass = 1.0
position = [1.0, 0.0, 0.0]
velocity = [-0.9, 0.0, 0.0]
axes = "x"

[contacts.first]
kind = "node-node"
node = "middle"
node2 = "left"
restitution = 0.06

[contacts.second]
kind = "node-node"
node = "right"
node2 = "middle"
restitution = 0.06

[output]
interval = 0.1
"""


def failed(text: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> tuple[str, fm.Result]:
    """Run a case that must end with exit code 3; return what was said, and the results that were kept."""
    (folder / "case.toml").write_text(text)
    assert main(["run", str(folder / "case.toml"), "-o", str(folder / "out")]) == 3
    said = capsys.readouterr().err
    assert "Traceback" not in said
    return said, fm.load(folder / "out")


def test_balls_that_collapse_without_a_force_end_the_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three free balls with e < 7 - 4 sqrt(3) = 0.0718: infinitely many impacts, and no second derivative of a gap."""
    monkeypatch.setattr("flexmb.drive.events.event_times.MOST_EVENTS", 12)
    said, result = failed(COLLAPSE, tmp_path, capsys)
    assert all(word in said for word in ("12 events within", "t = 0.", "contact 'second'", "hybrid", "moreau-jean"))
    assert not result.complete
    assert 3 < result.time.size < 21
    np.testing.assert_allclose(result.energy.total[:4], 0.5 * (1.0 + 0.81), rtol=1e-12)


def test_an_event_that_no_step_lands_on_ends_the_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A landing whose iteration stays a millimetre off, as where the gap jumps."""
    from flexmb.drive.events import motion

    land = motion.land

    def off(*given):
        found = land(*given)
        return Landing(found.step, found.s, -1e-3, found.tries)

    monkeypatch.setattr(motion, "land", off)
    said, result = failed(COLLAPSE, tmp_path, capsys)
    assert "the event (closing) was not located" in said
    assert all(word in said for word in ("steps between 0 and", "the nearest has -0.001", "t = 0.", "contact 'second'"))
    assert not result.complete
    assert result.time.size > 3


def test_a_thousand_bounces_between_two_samples_are_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """A ball on a floor, e = 1, and one between two walls without a force: their flights do not become shorter."""
    monkeypatch.setattr("flexmb.drive.events.event_times.MOST_EVENTS", 20)
    result = fm.simulate(
        ball(restitution=1.0, gravity=20.0, height=1e-2), "dopri5", tolerance=1e-9, interval=2.0, end=4.0
    )
    fall = np.sqrt(2.0 * 1e-2 / 20.0)
    assert result.summary["events"]["impacts"] == int((4.0 / fall + 1.0) / 2.0)
    model = fm.Model()
    model.add(fm.Particle("ball", mass=1.0, position=(0, 0, 0.3), velocity=(0, 0, 1), axes="z"))
    model.add(fm.NodePlane("floor", node="ball", normal=(0, 0, 1), restitution=1.0))
    model.add(fm.NodePlane("roof", node="ball", point=(0, 0, 1), normal=(0, 0, -1), restitution=1.0))
    result = fm.simulate(model, "dopri5", tolerance=1e-9, interval=50.0, end=50.0)
    assert result.summary["events"]["impacts"] == 50


def test_a_ball_whose_flights_become_short_is_stopped_where_no_accumulation_is_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("flexmb.drive.events.event_times.MOST_EVENTS", 20)
    monkeypatch.setattr("flexmb.drive.events.settling.Settling._end_accumulation", lambda self, now, *given: now)
    with pytest.raises(SimulationError) as caught:
        fm.simulate(ball(), "dopri5", tolerance=1e-9, interval=5.0, end=5.0)
    assert caught.value.contact == "floor"
    assert caught.value.time == pytest.approx(3.0, abs=1e-4)
    assert "moreau-jean" in str(caught.value)


def pushed_ball(off: list[tuple[float, float]]) -> fm.Model:
    """Return a ball, e = 1, that bounces every 20 ms, but hovers at its apex in some periods."""
    time, value = [-1.0], [1.0]
    for begin, end in off:
        for t, before in ((begin, 1.0), (end, 0.0)):
            time += [t - 1e-4, t + 1e-4]
            value += [before, 1.0 - before]
    model = fm.Model()
    model.add(fm.Particle("ball", mass=1.0, position=(0, 5e-4, 0), axes="y"))
    model.add(fm.NodePlane("floor", node="ball", normal=(0, 1, 0), restitution=1.0))
    push = fm.Table(time=[*time, 1e3], value=[*value, 1.0])
    model.add(fm.NodalForce("push", node="ball", force=(0, -10, 0), function=push))
    return model


@pytest.mark.parametrize(
    "off",
    [[(-0.5, 5.0)], [(-0.5, 150.0)], [(0.08, 50.08)], [(0.2, 50.2)], [(0.08, 50.08), (50.28, 60.28), (60.36, 61.36)]],
    ids=["5 s of rest", "150 s of rest", "early calm", "calm", "three calms"],
)
def test_calm_periods_before_and_between_bounces_are_no_accumulation(
    off: list[tuple[float, float]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Calm time counted in the first half of the events: the second half seemed to come ever faster."""
    monkeypatch.setattr("flexmb.drive.events.event_times.MOST_EVENTS", 20)
    last = off[-1][1]
    end = last + 1.0
    result = fm.simulate(pushed_ball(off), "dopri5", tolerance=1e-8, interval=end / 20, end=end)
    calm = sum(stop - max(start, 0.0) for start, stop in off)
    assert result.summary["events"]["impacts"] == pytest.approx((end - calm) / 0.02, abs=1.01)


def test_an_accumulation_after_a_calm_period_is_closed_or_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("flexmb.drive.events.event_times.MOST_EVENTS", 20)
    model = fm.Model()
    model.add(fm.Particle("ball", mass=1.0, position=(0, 0, 1), axes="z"))
    model.add(fm.NodePlane("floor", node="ball", normal=(0, 0, 1), restitution=0.5))
    push = fm.Table(time=[0.0, 5.0, 5.001, 100.0], value=[0.0, 0.0, 1.0, 1.0])
    model.add(fm.NodalForce("push", node="ball", force=(0, 0, -2.0), function=push))
    result = fm.simulate(model, "dopri5", tolerance=1e-9, interval=1.0, end=10.0)
    assert result.summary["events"]["closings"] == 1
    monkeypatch.setattr("flexmb.drive.events.settling.Settling._end_accumulation", lambda self, now, *given: now)
    with pytest.raises(SimulationError, match="20 events within"):
        fm.simulate(model, "dopri5", tolerance=1e-9, interval=1.0, end=10.0)


def counted(intervals: np.ndarray) -> EventTimes:
    """Return a full count of events with these intervals."""
    events = EventTimes()
    for t in 100.0 + np.concatenate([[0.0], np.cumsum(intervals)]):
        assert not events.full
        events.add(t)
    assert events.full
    return events


def test_which_sequences_of_events_accumulate() -> None:
    k = np.arange(MOST_EVENTS)
    calm, regular, tight = np.full(k.size, 0.02), np.full(k.size, 0.02), 0.99**k
    calm[[100, 500]] = 1500.0, 100.0
    assert counted(0.985**k).shrink()
    assert counted(tight).shrink()
    assert counted(np.where(k == 50, 150.0, tight)).shrink()
    assert not counted(0.998**k).shrink()
    assert not counted(regular).shrink()
    assert not counted(calm).shrink()
    for apart in (0.0, 1e-5 * 0.01 ** (k // 334)):  # groups of four, simultaneous or closer and closer
        assert not counted(np.where(k % 4 == 0, 0.02, apart)).shrink()
    assert not counted(np.where(k < 500, 0.02, 1e-4)).shrink()  # a faster rhythm, and no end
