"""Numbers at an axis are short, all different, and with the label they tell where their ticks are."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from matplotlib.figure import Figure

from flexmb.postproc.ticks import Ticks, offset_of, power_of, take_out_power


def drawn(low: float, high: float, height: float = 2.4) -> tuple[str, list[str], np.ndarray, Ticks]:
    """Return the label of an axis, its numbers, where they stand, and who wrote them."""
    figure = Figure(figsize=(6.0, height))
    axes = figure.subplots()
    axes.plot([0.0, 1.0], [low, high])
    take_out_power(axes.yaxis, axes.get_ylim(), "energy [J]")
    assert axes.yaxis.get_offset_text().get_text() == ""
    words = [text.get_text() for text in axes.get_yticklabels()]
    form = axes.yaxis.get_major_formatter()
    assert isinstance(form, Ticks)
    return axes.get_ylabel(), words, axes.get_yticks(), form


@pytest.mark.parametrize(
    ("low", "high", "label", "some"),
    [
        (50000.0, 50000.02, "energy − 50000 J [J]", ("0.000", "0.005", "0.020")),
        (123456.0, 123456.5, "energy − 123456 J [J]", ("0.0", "0.1", "0.5")),
        (1e-4, 1.0000002e-4, "energy − 0.0001 J [pJ]", ("0", "5", "20")),
        (1e-7, 1.0000001e-7, "energy − 10⁻⁷ J [10⁻¹⁵ J]", ("0", "2", "10")),
        (2.5e9, 2.5e9 + 8.0, "energy − 2.5·10⁹ J [J]", ("0", "2", "8")),
        (499.99996, 500.00004, "energy − 500 J [µJ]", ("−20", "0", "20")),
        (-50000.02, -50000.0, "energy + 50000 J [J]", ("−0.010", "0.000")),
        (5000.0, 5001.0, "energy [J]", ("5000.0", "5000.2", "5001.0")),
        (-1e5, 3e5, "energy [kJ]", ("−100", "0", "300")),
        (0.0, 1.0, "energy [J]", ("0.0", "0.2", "1.0")),
        (0.0, 10.0, "energy [J]", ("0", "2", "10")),
    ],
)
def test_numbers_and_label(low: float, high: float, label: str, some: tuple[str, ...]) -> None:
    words, numbers, _, _ = drawn(low, high)
    assert words == label
    assert set(some) <= set(numbers)


def test_numbers_differ_and_are_right_in_every_range() -> None:
    rng = np.random.default_rng(11)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(200):
            size = float(rng.choice([-1.0, 1.0])) * 10.0 ** rng.uniform(-12, 12)
            low = float(rng.choice([0.0, float(f"{size:.{rng.integers(1, 12)}g}")]))
            span = 10.0 ** rng.uniform(-12, 2) * (abs(low) or 1.0)
            _, words, places, form = drawn(low, low + span, rng.uniform(1.0, 6.0))
            assert len(set(words)) == len(words), (low, span, words)
            assert max(len(word) for word in words) <= 11, (low, span, words)
            told = np.array([float(word.replace("−", "-")) for word in words]) * 10.0**form.power + form.offset
            assert np.abs(told - places).max() <= 0.06 * np.diff(places).min() + 4e-16 * abs(low), (low, span)


def test_ends_that_are_no_range_have_no_offset() -> None:
    for ends in ((0.0, 0.0), (5.0, 5.0), (np.nan, 1.0), (1.0, np.inf), (3.0, 2.0)):
        assert offset_of(*ends) == 0.0
    assert power_of(np.nan, 1.0) == 0
    assert Ticks(0.0, 0)(0.25) == "0.25"
    assert Ticks(0.0, 0).format_ticks([-0.5]) == ["−0.5"]
