"""Numbers of a page: as they are, and each array once."""

from __future__ import annotations

import base64

import numpy as np

from flexmb.postproc.report.numbers import Numbers


def unpacked(numbers: Numbers, k: int) -> np.ndarray:
    kind, first, count, base, factor = numbers.index[k]
    return base + factor * np.frombuffer(base64.b64decode(numbers.base64()), "<" + kind, count, first).astype(float)


def test_numbers_are_kept_as_they_are_and_once() -> None:
    numbers = Numbers()
    values = np.array([0.004, 1e148, -1.2345678901234567e-9, np.nan, np.inf, 1e305])
    k = numbers.add(values)
    np.testing.assert_array_equal(unpacked(numbers, k)[:3], values[:3])
    assert np.isnan(unpacked(numbers, k)[3:]).all()  # no numbers, or too large to draw
    assert numbers.add(values.copy()) == k
    assert len(numbers.index) == 1
    numbers.add_whole([1, 2, 3])
    far = 1e148 * np.array([1.0, -2.0, 0.5])
    np.testing.assert_allclose(unpacked(numbers, numbers.add_single(far)), far, rtol=1e-6)
    np.testing.assert_allclose(unpacked(numbers, numbers.add_coarse(far)), far, rtol=1e-4)
    assert all(first % 8 == 0 for _, first, *_ in numbers.index)  # as browsers want it
