"""Planar curves of pieces: distance, normal and curvature against brute force and differences, corners, ends."""

from __future__ import annotations

import math

import numpy as np
import pytest

from flexmb.kernels.geometry import curves as kc
from flexmb.kernels.geometry.tables import Curves
from flexmb.parts.contacts.curve import Curve, joined
from flexmb.parts.contacts.curve_pieces import read_pieces
from flexmb.state import Array

SEGMENT = [{"kind": "segment", "start": (-1.0, 0.2), "end": (2.0, 1.0)}]
ARC = [{"kind": "arc", "start": (1.0, 0.0), "end": (-0.6, 0.8), "center": (0.0, 0.0)}]
CLOCKWISE = [{"kind": "arc", "start": (1.0, 0.0), "end": (-0.6, 0.8), "center": (0.0, 0.0), "clockwise": True}]
PARABOLA = [{"kind": "parabola", "start": (2.0, 2.0), "end": (-1.0, 0.5), "control": (0.5, -1.0)}]
SPLINE = [{"kind": "spline", "start": (0.0, 0.0), "through": [(1.0, 0.6), (2.0, -0.3)], "end": (3.0, 0.4)}]
KINDS = {"segment": SEGMENT, "arc": ARC, "clockwise arc": CLOCKWISE, "parabola": PARABOLA, "spline": SPLINE}


def curve(pieces: list[dict[str, object]], side: float = 1.0, slot: bool = False, straight: bool = False) -> Curve:
    return joined(read_pieces(pieces, "contacts.c"), side, slot, straight or slot, "contacts.c")


def tables(c: Curve, side: float = 1.0, held: int = -1) -> Curves:
    whole = (0, len(c.pieces) - 1)
    chains = np.array([(*chain, *whole) for chain in c.chains], dtype=np.int64)
    return Curves(c.pieces, chains, np.full(len(chains), side), np.full(len(chains), held, dtype=np.int64))


def fine(c: Curve) -> Array:
    """Return many points of the curve."""
    return np.array([kc.place_on(c.pieces, k, s)[:2] for k in range(len(c.pieces)) for s in np.linspace(0, 1, 4001)])


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize("kind", KINDS)
def test_gap_normal_and_bend_of_every_kind(kind: str, side: float) -> None:
    """The gap is the signed distance; n is its gradient, bend t t^T its second derivative."""
    c = curve(KINDS[kind], side)
    table, points = tables(c, side), fine(c)
    rng = np.random.default_rng(3)
    inside, spacing = 0, np.hypot(*np.diff(points, axis=0).T).max()
    for x, y in rng.uniform(-1.5, 3.5, (200, 2)):
        g, n_x, n_y, bend, k = kc.curve_gap(table, 0, x, y)
        d = np.hypot(points[:, 0] - x, points[:, 1] - y).min()
        assert abs(g) - 1e-12 <= d <= math.hypot(g, spacing)
        assert math.hypot(n_x, n_y) == pytest.approx(1.0, abs=1e-14)
        foot = (x - g * n_x, y - g * n_y)
        before, after = kc.beyond(c.pieces, k, *foot)
        if max(before, after) > -1e-3 or d < 1e-2:
            continue
        inside += 1
        e = 1e-5
        values = {(i, j): kc.curve_gap(table, 0, x + i * e, y + j * e) for i in (-1, 0, 1) for j in (-1, 0, 1)}
        gradient = [(values[1, 0][0] - values[-1, 0][0]) / (2 * e), (values[0, 1][0] - values[0, -1][0]) / (2 * e)]
        np.testing.assert_allclose(gradient, [n_x, n_y], rtol=0, atol=1e-8)
        H = np.array(
            [
                [(values[1, 0][m] - values[-1, 0][m]) / (2 * e), (values[0, 1][m] - values[0, -1][m]) / (2 * e)]
                for m in (1, 2)
            ]
        )
        t = np.array([-n_y, n_x])
        np.testing.assert_allclose(H, bend * np.outer(t, t), rtol=0, atol=1e-7 * max(1.0, bend * bend))
    assert inside >= 15


@pytest.mark.parametrize("kind", KINDS)
def test_the_left_side_is_the_free_one(kind: str) -> None:
    c = curve(KINDS[kind])
    for k in range(len(c.pieces)):
        x, y, t_x, t_y, _ = kc.place_on(c.pieces, k, 0.4)
        assert kc.curve_gap(tables(c), 0, x - 1e-3 * t_y, y + 1e-3 * t_x)[0] == pytest.approx(1e-3, rel=1e-9)
        assert kc.curve_gap(tables(c, -1.0), 0, x - 1e-3 * t_y, y + 1e-3 * t_x)[0] == pytest.approx(-1e-3, rel=1e-9)


def test_turning_and_moving_the_curve_changes_nothing() -> None:
    given = [
        {"kind": "segment", "start": (-1.0, 0.3), "end": (0.0, 0.0)},
        {"kind": "arc", "end": (1.0, 1.0), "center": (0.0, 1.0)},
        {"kind": "parabola", "end": (2.0, 1.5), "control": (1.1, 1.6)},
        {"kind": "spline", "through": [(3.0, 1.1)], "end": (4.0, 2.0)},
    ]
    a, shift = 0.7, np.array([3.0, -2.0])
    R = np.array([[math.cos(a), -math.sin(a)], [math.sin(a), math.cos(a)]])

    def moved(p: dict[str, object]) -> dict[str, object]:
        out = dict(p)
        for key in ("start", "end", "center", "control"):
            if key in p:
                out[key] = tuple(R @ np.array(p[key]) + shift)
        if "through" in p:
            out["through"] = [tuple(R @ np.array(x) + shift) for x in p["through"]]  # type: ignore[attr-defined]
        return out

    first, second = curve(given), curve([moved(p) for p in given])
    assert first.chains == second.chains
    for p in np.random.default_rng(5).uniform(-1.5, 4.0, (200, 2)):
        for row in range(len(first.chains)):
            g, n_x, n_y, bend, k = kc.curve_gap(tables(first), row, *p)
            G, N_x, N_y, B, K = kc.curve_gap(tables(second), row, *(R @ p + shift))
            assert (pytest.approx(g, abs=1e-12), k) == (G, K)
            np.testing.assert_allclose([N_x, N_y], R @ [n_x, n_y], rtol=0, atol=1e-9)
            assert pytest.approx(bend, rel=1e-7) == B


def step(side: float = 1.0, slot: bool = False) -> Curve:
    """Return a stair that goes down: a convex corner at (0, 1), a concave one at (0, 0)."""
    down = [
        {"kind": "segment", "start": (-2.0, 1.0), "end": (0.0, 1.0)},
        {"kind": "segment", "end": (0.0, 0.0)},
        {"kind": "segment", "end": (2.0, 0.0)},
    ]
    return curve(down, side, slot)


def test_junctions_are_told_from_the_free_side() -> None:
    assert step().junctions == ["convex", "concave", "open"]
    assert step(-1.0).junctions == ["concave", "convex", "open"]
    assert step(slot=True).junctions == ["kink", "kink", "straight"]
    assert step().chains == [(0, 1), (2, 2)]
    assert [step().label(k) for k in range(2)] == ["1-2", "3"]
    assert step(slot=True).chains == [(0, 2)]
    smooth = [*ARC, {"kind": "segment", "end": (-0.6 - 0.8, 0.8 - 0.6)}]
    assert curve(smooth).junctions == ["smooth", "open"]


def test_convex_corner_turns_the_normal() -> None:
    table = tables(step())
    g, n_x, n_y, bend, _ = kc.curve_gap(table, 0, 0.3, 1.4)
    assert g == pytest.approx(0.5)
    assert bend == pytest.approx(2.0)
    assert (n_x, n_y) == (pytest.approx(0.6), pytest.approx(0.8))
    g, n_x, n_y, bend, _ = kc.curve_gap(table, 0, 0.0, 1.0)
    assert (g, n_x, n_y, bend) == (0.0, pytest.approx(math.sqrt(0.5)), pytest.approx(math.sqrt(0.5)), 0.0)


def test_concave_corner_has_two_rows_that_go_on_straight() -> None:
    table = tables(step())
    for x, y in ((0.2, 0.1), (-0.1, 0.2), (0.1, -0.2), (-0.1, -0.2)):
        assert kc.curve_gap(table, 0, x, y)[:3] == (pytest.approx(x), pytest.approx(1.0), pytest.approx(0.0))
        assert kc.curve_gap(table, 1, x, y)[:3] == (pytest.approx(y), pytest.approx(0.0), pytest.approx(1.0))


def test_a_row_acts_through_no_other_part_of_the_curve() -> None:
    """A C-shaped room: the wall at x = 2 goes on straight beyond its corner, but not into the upper arm."""
    corners = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (3, 2), (3, 3), (0, 3), (0, 0)]
    walls = [{"kind": "segment", "start": a, "end": b} for a, b in zip(corners[:-1], corners[1:], strict=True)]
    c = curve(walls)
    assert c.closed
    assert len(c.chains) == 6
    polygon = np.array(corners[:-1], dtype=float)

    def in_room(x: float, y: float) -> bool:
        return (0 < x < 2 and 0 < y < 1) or (0 < x < 1 and 0 < y < 3) or (0 < x < 3 and 2 < y < 3)

    table, found = tables(c), 0
    for x, y in np.random.default_rng(1).uniform(-0.2, 3.2, (2000, 2)):
        gaps = [kc.curve_gap(table, row, x, y)[0] for row in range(len(c.chains))]
        if in_room(x, y):
            found += 1
            assert min(gaps) > 0.0, (x, y, gaps)
        elif min(abs(np.hypot(*(polygon - (x, y)).T))) > 0.3 and min(abs(g) for g in gaps) < 0.1:
            assert min(gaps) < 0.0, (x, y, gaps)
    assert found > 500


def test_ends_are_open_or_straight() -> None:
    g, n_x, n_y, bend, _ = kc.curve_gap(tables(curve(SEGMENT)), 0, 2.3, 1.4)
    assert (g, n_x, n_y, bend) == pytest.approx((0.5, 0.6, 0.8, 2.0))
    line = np.array([3.0, 0.8]) / math.hypot(3.0, 0.8)
    g, n_x, n_y, bend, _ = kc.curve_gap(tables(curve(SEGMENT, straight=True)), 0, 2.3, 1.4)
    assert g == pytest.approx(0.4 * line[0] - 0.3 * line[1])
    assert bend == 0.0
    assert (n_x, n_y) == pytest.approx((-line[1], line[0]))


def test_slot_goes_over_its_kinks_without_a_jump() -> None:
    """On the line that halves the angle both pieces have one distance, of one sign."""
    table = tables(step(slot=True))
    rng = np.random.default_rng(2)
    for _ in range(200):
        s, angle, e = rng.uniform(-0.3, 0.3), math.pi / 4, 1e-9
        across = np.array([math.cos(angle), math.sin(angle)])
        near = [np.array([0.0, 1.0]) + s * across + k * e * np.array([1.0, -1.0]) for k in (-1, 1)]
        gaps = [kc.curve_gap(table, 0, *p)[0] for p in near]
        assert gaps[0] == pytest.approx(gaps[1], abs=1e-8)
        assert gaps[0] == pytest.approx(s * math.sqrt(0.5), abs=1e-8)


def test_held_piece_goes_on_as_it_bends() -> None:
    parabola = [{"kind": "parabola", "start": (2.0, 2.0), "end": (0.0, 0.0), "control": (1.0, 0.0)}]
    c = curve([*parabola, {"kind": "segment", "end": (-5.0, 0.0)}], -1.0)
    table = tables(c, -1.0, held=0)
    for x in (1.0, 0.1, -0.1, -0.5):
        g, n_x, n_y, bend, k = kc.curve_gap(table, 0, x, 0.5 * x * x)
        n = np.array([-x, 1.0]) / math.hypot(x, 1.0)
        assert g == pytest.approx(0.0, abs=1e-15)
        assert k == 0
        np.testing.assert_allclose([n_x, n_y], n, rtol=0, atol=1e-12)
        assert bend == pytest.approx(-((1.0 + x * x) ** -1.5), rel=1e-10)
    assert kc.curve_gap(tables(c, -1.0), 0, -0.5, 0.125)[0] == pytest.approx(0.125)


def test_smooth_junction_is_no_corner() -> None:
    """A point at the junction, or off it by round-off, has the normal and the bend of one of the pieces."""
    parabola = [{"kind": "parabola", "start": (2.0, 2.0), "end": (0.0, 0.0), "control": (1.0, 0.0)}]
    table = tables(curve([*parabola, {"kind": "segment", "end": (-5.0, 0.0)}], -1.0), -1.0)
    for dx in (0.0, 1e-17, -1e-17, 1e-13, -1e-13):
        for dy in (0.0, 1e-16, -1e-16, 1e-5):
            g, n_x, n_y, bend, _ = kc.curve_gap(table, 0, dx, dy)
            assert g == pytest.approx(dy, abs=1e-15)
            assert (n_x, n_y) == (pytest.approx(0.0, abs=1e-12), pytest.approx(1.0))
            assert bend == pytest.approx(0.0, abs=1e-12) or bend == pytest.approx(-1.0, rel=2e-5)


def test_whole_circle_and_closed_spline() -> None:
    circle = curve([{"kind": "arc", "start": (1.0, 0.0), "end": (1.0, 0.0), "center": (0.0, 0.0)}], -1.0)
    assert circle.closed
    assert circle.junctions == ["smooth"]
    for angle in np.linspace(0.0, 2.0 * math.pi, 33):
        u = np.array([math.cos(angle), math.sin(angle)])
        found = kc.curve_gap(tables(circle, -1.0), 0, *(1.5 * u))
        assert found[0] == pytest.approx(0.5)
        assert found[3] == pytest.approx(1.0 / 1.5)
        np.testing.assert_allclose(found[1:3], u, rtol=0, atol=1e-12)
    points = [(math.cos(a), math.sin(a)) for a in np.linspace(0.0, 2.0 * math.pi, 17)[1:-1]]
    spline = curve([{"kind": "spline", "start": (1.0, 0.0), "through": points, "end": (1.0, 0.0)}], -1.0)
    assert spline.closed
    assert set(spline.junctions) == {"smooth"}
    P = spline.pieces
    np.testing.assert_allclose(P[:, kc.K1], np.roll(P[:, kc.K0], -1), rtol=1e-9)
    np.testing.assert_allclose(P[:, kc.K1], 1.0, rtol=0, atol=1.1 * (math.pi / 8) ** 2 / 12)  # of a cubic spline
