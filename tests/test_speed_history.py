"""Angles by their speed: exact integrals, corners, spans."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad

from flexmb.errors import InputError
from flexmb.kernels.geometry.tables import SPEED_TABLE
from flexmb.parts.speed_history import SpeedHistory

HISTORY = SpeedHistory(time=[0.5, 1.0, 2.5, 3.0], speed=[10.0, 40.0, -5.0, -5.0], phase=0.7)


@pytest.mark.parametrize("t", [-1.0, 0.0, 0.3, 0.5, 0.8, 1.0, 1.7, 2.5, 2.9, 3.0, 7.0])
def test_the_angle_is_the_integral_of_the_speed(t: float) -> None:
    exact = 0.7 + quad(lambda s: float(HISTORY.rate(s)), 0.0, t, points=[0.5, 1.0, 2.5, 3.0], limit=200)[0]
    assert float(HISTORY.value(t)) == pytest.approx(exact, rel=1e-10)


def test_speed_and_acceleration() -> None:
    t = np.array([-1.0, 0.5, 0.75, 1.0, 2.5, 3.0, 9.0])
    assert HISTORY.rate(t) == pytest.approx([10.0, 10.0, 25.0, 40.0, -5.0, -5.0, -5.0])
    assert HISTORY.second(t) == pytest.approx([0.0, 60.0, 60.0, -30.0, 0.0, 0.0, 0.0])
    assert HISTORY.value(t).shape == t.shape
    # n h may miss a corner by the last bit
    assert float(HISTORY.second(np.nextafter(1.0, 0.0))) == -30.0


def test_constant_speed() -> None:
    one = SpeedHistory(time=[2.0], speed=[3.0], phase=-1.0)
    assert one.constant
    assert one.value(np.array([0.0, 2.0, -1.0])) == pytest.approx([-1.0, 5.0, -4.0])
    assert one.second(np.array([0.0, 2.0, 5.0])).tolist() == [0.0, 0.0, 0.0]
    assert not HISTORY.constant
    assert one.speeds(0.0, 9.0) == (3.0, 3.0)
    assert HISTORY.speeds(0.0, 2.0) == (10.0, 40.0)
    assert HISTORY.speeds(1.5, 2.0) == (10.0, 25.0)


def test_numbers_for_the_compiled_loops() -> None:
    kind, numbers = HISTORY.code()
    assert kind == SPEED_TABLE
    times, speeds, angles = numbers.reshape(3, -1)
    assert times.tolist() == [0.5, 1.0, 2.5, 3.0]
    assert speeds.tolist() == [10.0, 40.0, -5.0, -5.0]
    assert angles == pytest.approx(HISTORY.value(times), rel=1e-14)


def test_spans() -> None:
    HISTORY.check_span(-10.0, 10.0)
    table = SpeedHistory(time=[0.0, 2.0], speed=[0.0, 1.0], everywhere=False)
    table.check_span(0.0, 2.0 + 1e-12, "bodies.r.spin")
    words = r"bodies\.r\.spin\.time: the table covers 0 to 2 s, but it is needed from 0 to 3 s; extend it"
    with pytest.raises(InputError, match=words):
        table.check_span(0.0, 3.0, "bodies.r.spin")


@pytest.mark.parametrize(
    ("time", "speed", "words"),
    [
        ([0.0, 1.0], [1.0], "speed.*1 entries.*time.*2"),
        ([0.0, 1.0, 1.0], [1.0, 2.0, 3.0], "time.*increase.*entry 2 .1..*1"),
        ([], [], "time.*least.*time"),
        (["0"], [1.0], "time.*list.*finite numbers"),
    ],
)
def test_wrong_tables(time: list[float], speed: list[float], words: str) -> None:
    with pytest.raises(InputError, match=words):
        SpeedHistory(time=time, speed=speed)
