"""Products of many rows have the same bits however the rows are split."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

import flexmb as fm
from flexmb.linalg.batched_rows import row_product, row_sum


@pytest.mark.parametrize("n", [1, 3, 8, 71, 500])
@pytest.mark.parametrize("order", ["C", "F"])
def test_bits_do_not_depend_on_the_number_of_rows(n: int, order: str) -> None:
    rng = np.random.default_rng(n)
    x, A = np.asarray(rng.normal(size=(1000, n)), order=order), rng.normal(size=(3, n))
    whole = row_product(x, A)
    np.testing.assert_allclose(whole, x @ A.T, rtol=0, atol=1e-12 * np.sqrt(n) * 10)
    for size in (1, 2, 7, 64, 333):
        pieces = [row_product(x[k : k + size], A) for k in range(0, len(x), size)]
        np.testing.assert_array_equal(np.concatenate(pieces), whole)
        sums = [row_sum(x[k : k + size]) for k in range(0, len(x), size)]
        np.testing.assert_array_equal(np.concatenate(sums), row_sum(x))
    np.testing.assert_allclose(row_sum(x), x @ np.ones(n), rtol=0, atol=1e-11)


@pytest.mark.parametrize(
    ("case", "signals", "end"),
    [
        ("flying_beam", ["beam.momentum", "beam.angular_momentum", "beam.center_of_mass", "beam.kinetic_energy"], 6.0),
        ("flexible_slider_crank_beam", ["rod.center_of_mass", "rod.momentum", "crank.angular_momentum"], 1e-3),
        ("double_pendulum_wall", ["lower.angular_momentum", "lower.center_of_mass", "upper.momentum"], 0.6),
    ],
)
def test_signals_do_not_depend_on_how_fast_the_machine_is(
    case: str, signals: list[str], end: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A slow machine looks at its states after every step, a fast one after many."""
    found = []
    for seconds in (1e-9, 10.0):
        monkeypatch.setattr(importlib.import_module("flexmb.drive.run"), "BLOCK_SECONDS", seconds)
        result = fm.load_case(
            case,
            [f"time.end={end}", f"output.signals={signals}"],
        ).run()
        found.append([result.signals[name] for name in signals])
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)
