"""Time per step: without the blocks in which something was compiled."""

from __future__ import annotations

import pytest

from flexmb.drive import stepping_time
from flexmb.drive.stepping_time import SteppingTime
from flexmb.kernels.compilation.cache import listeners


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [0.0]
    monkeypatch.setattr(stepping_time.time, "perf_counter", lambda: now[0])
    return now


def block(timer: SteppingTime, clock: list[float], steps: int, seconds: float, compiles: bool = False) -> None:
    with timer:
        if compiles:
            for hear in listeners:
                hear("some kernel")
        clock[0] += seconds
        timer.steps = steps


def test_blocks_that_compile_do_not_count(clock: list[float]) -> None:
    timer = SteppingTime()
    block(timer, clock, 100, 5.0, compiles=True)
    block(timer, clock, 300, 0.6)
    assert timer.seconds == pytest.approx(0.8)
    assert not listeners


def test_unless_all_do(clock: list[float]) -> None:
    timer = SteppingTime()
    block(timer, clock, 100, 5.0, compiles=True)
    assert timer.seconds == 5.0
    assert SteppingTime().seconds == 0.0
