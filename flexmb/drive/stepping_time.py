"""Measurement of the time of steps, excluding blocks of steps during which something was compiled."""

from __future__ import annotations

import time

from flexmb.kernels.compilation.cache import listeners


class SteppingTime:
    """Time of blocks of steps, each inside ``with``; ``steps`` is set to the number of steps of the block."""

    def __init__(self) -> None:
        self.steps = 0
        self._all, self._clean = [0, 0.0], [0, 0.0]  # steps and seconds, of all blocks and of those without compilation

    def __enter__(self) -> SteppingTime:
        self._compiled = False
        listeners.append(self._hear)
        self._began = time.perf_counter()
        return self

    def __exit__(self, *_: object) -> None:
        seconds = time.perf_counter() - self._began
        listeners.remove(self._hear)
        for sums in (self._all,) if self._compiled else (self._all, self._clean):
            sums[0] += self.steps
            sums[1] += seconds

    def _hear(self, name: str) -> None:
        self._compiled = True

    @property
    def seconds(self) -> float:
        """Time of all steps, extrapolated from the blocks without compilation if there are any."""
        steps, seconds = self._clean
        return seconds * self._all[0] / steps if steps else self._all[1]
