"""The camera of very many points: as of all of them, in the memory of a few."""

from __future__ import annotations

import numpy as np

from flexmb.postproc.camera import look_at
from flexmb.postproc.outline import FEW, outermost


def test_few_points_are_all_kept() -> None:
    points = np.random.default_rng(1).normal(size=(FEW, 3))
    assert outermost(points) is points


def test_the_outermost_of_many_show_as_much() -> None:
    random, up = np.random.default_rng(2), np.array([0.0, 0.0, 1.0])
    for sizes in ((1.0, 1.0, 1.0), (5.0, 1.0, 0.2)):
        points = random.normal(size=(3 * FEW, 3))
        points *= np.array(sizes) / np.linalg.norm(points, axis=1, keepdims=True)  # on an ellipsoid
        kept = outermost(points)
        assert len(kept) <= 400
        square = np.array([0.6, 0.8, 0.0])
        full, few = look_at(points, up, [], square), look_at(kept, up, [], square)
        assert np.all(few.half <= full.half)
        np.testing.assert_allclose(few.half, full.half, rtol=2e-2)
        np.testing.assert_allclose(few.centre, full.centre, rtol=0, atol=2e-2 * max(sizes))
