"""Contact of nodes with planar curves, slots and ropes: motions, laws, what is refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import InputError
from flexmb.state import Array

DOWN = (0.0, -9.81, 0.0)
PARABOLA = {"kind": "parabola", "start": (2.0, 2.0), "end": (0.0, 0.0), "control": (1.0, 0.0)}
FLAT = {"kind": "segment", "end": (-5.0, 0.0)}


def bead(x: Any, v: Any = (0.0, 0.0, 0.0), gravity: Any = None, **keys: Any) -> fm.Model:
    """Return a model of a particle and a curve."""
    model = fm.Model(gravity=gravity)
    model.add(fm.Particle("bead", mass=1.0, position=x, velocity=v))
    model.add(fm.NodeCurve("track", node="bead", **keys))
    return model


def parabola(slot: bool) -> fm.Model:
    return bead((2, 2, 0), (-1, -2, 0), DOWN, slot=slot, side="right", pieces=[PARABOLA, FLAT])


def corner(degrees: float, e: float) -> fm.Model:
    """Return a point that slides into a wall."""
    b = math.radians(degrees)
    wall = {"kind": "segment", "end": (2 * math.cos(b), 2 * math.sin(b))}
    floor = {"kind": "segment", "start": (-2.0, 0.0), "end": (0.0, 0.0)}
    return bead((-0.5, 0, 0), (1, 0, 0), pieces=[floor, wall], restitution=e)


def error(h: float, scheme: Any) -> float:
    """Return the error of the thesis' first example with a slot at t = 1."""
    result = fm.simulate(parabola(True), scheme, step=h, end=1.0)
    assert np.abs(result.energy.residual).max() < 1e-11
    return abs(result.signals["bead.position"][-1, 0] + 2.521891523254723)


@pytest.mark.parametrize(
    ("scheme", "order"), [(fm.MoreauJean(), 1.5), (fm.GeneralizedAlpha(rho_inf=0.8), 1.8)], ids=["moreau-jean", "alpha"]
)
def test_slot_with_a_jump_of_curvature_converges(scheme: Any, order: float) -> None:
    """Haddouni 2015, 4.3.3.4, example 1; the reference is that of events."""
    coarse, fine = error(4e-3, scheme), error(1e-3, scheme)
    assert fine < 3e-5
    assert math.log(coarse / fine, 4) > order


def test_slot_is_recorded_as_a_joint_and_its_force_jumps() -> None:
    result = fm.simulate(parabola(True), fm.GeneralizedAlpha(rho_inf=0.8), step=1e-3, end=1.0)
    force = result.joints["track"].force.ravel()
    t = result.time
    # t* = 0.6208432057019318: m (g + xdot^2 / R) before it, m g after it; the normal points upwards
    assert force[t < 0.6205][-1] == pytest.approx(9.81 + 6.651315659326356**2, rel=1e-3)
    np.testing.assert_allclose(force[t > 0.9], 9.81, rtol=1e-6)  # what rings behind the jump has died out


@pytest.mark.parametrize(
    ("degrees", "e", "v"),
    [(30, 0.0, (0.75, 0.433012701892219)), (30, 0.5, (0.625, 0.649519052838329)), (120, 0.5, (-0.5, 0.0))],
)
def test_both_pieces_act_at_a_concave_corner(degrees: float, e: float, v: tuple[float, float]) -> None:
    model = corner(degrees, e)
    for scheme in (fm.MoreauJean(), fm.GeneralizedAlpha(rho_inf=0.8)):
        result = fm.simulate(model, scheme, step=1e-2, end=1.0)
        np.testing.assert_allclose(result.signals["bead.velocity"][-1, :2], v, rtol=0, atol=1e-12)
        assert np.abs(result.energy.residual).max() < 1e-14
    if degrees == 120:  # the impulses of floor and wall
        total = result.contacts["track"].impulse.sum(axis=0)
        np.testing.assert_allclose(total, [0.866025403784439, 1.732050807568877], rtol=1e-12)


def test_point_flies_off_a_convex_corner_and_a_ball_rolls_around_it() -> None:
    table = [{"kind": "segment", "start": (-2.0, 0.0), "end": (0.0, 0.0)}, {"kind": "segment", "end": (0.0, -9.0)}]
    result = fm.simulate(bead((-0.5, 0, 0), (1, 0, 0), DOWN, pieces=table), fm.MoreauJean(), step=1e-3, end=1.0)
    fallen = 0.5 * 9.81 * 0.5**2
    assert result.signals["bead.position"][-1, 1] == pytest.approx(-fallen, rel=5e-3)
    # a ball at rest on the corner, pushed gently, leaves it at cos = 2/3, as from a cylinder
    model = bead((0.05 * math.sin(0.1), 0.05 * math.cos(0.1), 0), (0, 0, 0), DOWN, pieces=table, radius=0.05)
    result = fm.simulate(model, fm.GeneralizedAlpha(rho_inf=0.8), step=2e-4, end=0.25)
    gap, x = result.contacts["track"].gap, result.signals["bead.position"]
    first = int(np.flatnonzero(gap > 1e-9)[0])
    assert x[first, 1] / math.hypot(*x[first, :2]) == pytest.approx(2.0 / 3.0 * math.cos(0.1), abs=5e-3)


def turned(keys: dict[str, Any], R: Array, p: Array) -> dict[str, Any]:
    return keys | {"point": p, "x_axis": R[:, 0], "y_axis": R[:, 1]}


def test_the_plane_of_the_curve_may_stand_anywhere() -> None:
    """The same motion, turned and shifted in space; along the normal of the plane the bead moves freely."""
    keys: dict[str, Any] = {"pieces": [PARABOLA, FLAT], "side": "right", "restitution": 0.5, "friction": 0.2}
    g, x, v = np.array(DOWN), np.array([1.5, 2.0, 0.0]), np.array([-0.4, 0.1, 0.3])
    R, _ = np.linalg.qr(np.random.default_rng(4).normal(size=(3, 3)))
    R[:, 2] *= np.linalg.det(R)
    p = np.array([0.3, -1.0, 2.0])
    plain = fm.simulate(bead(x, v, g, **keys), fm.MoreauJean(), step=2e-3, end=1.0)
    model = bead(R @ x + p, R @ v, R @ g, **turned(keys, R, p))
    other = fm.simulate(model, fm.MoreauJean(), step=2e-3, end=1.0)
    expected = plain.signals["bead.position"] @ R.T + p
    np.testing.assert_allclose(other.signals["bead.position"], expected, rtol=0, atol=1e-9)
    np.testing.assert_allclose(other.contacts["track"].gap, plain.contacts["track"].gap, rtol=0, atol=1e-9)
    assert plain.signals["bead.velocity"][-1, 2] < 0.3  # friction acts along the normal of the plane, too
    assert np.abs(other.energy.residual).max() < 1e-11


def test_curve_on_a_body_pushes_back() -> None:
    """A block with a slot slides freely; momentum along x and energy stay."""
    model = fm.Model(gravity=DOWN)
    model.add(fm.RigidPlanar("block", mass=2.0, inertia=1.0, position=(0, 0, 0)))
    model.add(fm.Prismatic("rail", a="block", axis=(1, 0, 0)))
    model.add(fm.Particle("bead", mass=1.0, position=(-1, 0, 0)))
    arc = {"kind": "arc", "start": (-1.0, 0.0), "end": (1.0, 0.0), "center": (0.0, 0.0)}
    model.add(fm.NodeCurve("hollow", node="bead", body="block", pieces=[arc], slot=True))
    result = fm.simulate(model, fm.GeneralizedAlpha(rho_inf=0.9), step=1e-3, end=1.5)
    momentum = 2.0 * result.signals["block.velocity"][:, 0] + result.signals["bead.velocity"][:, 0]
    np.testing.assert_allclose(momentum, 0.0, rtol=0, atol=1e-10)
    assert np.abs(result.energy.total - result.energy.total[0]).max() < 1e-3
    d = result.signals["bead.position"] - result.signals["block.position"]
    np.testing.assert_allclose(np.linalg.norm(d, axis=1), 1.0, rtol=0, atol=1e-5)
    assert np.abs(result.signals["block.position"][:, 0]).max() > 0.3


def test_bodies_of_small_displacement_meet_curves() -> None:
    """The end of a bar against a slope slides down it: directions change, matrices do not."""
    model = fm.Model()
    kwargs: dict[str, Any] = {"length": 1.0, "elements": 4, "area": 1e-4, "young": 1e7, "density": 1e3}
    model.add(fm.Bar("rod", position=(0, 0, 0), direction=(1, 0, 0), velocity=(1, 0, 0), **kwargs))
    arc = {"kind": "arc", "start": (2.1, -1.0), "end": (2.1, 1.0), "center": (2.1, 0.0), "clockwise": True}
    model.add(fm.NodeCurve("stop", node="rod.last", pieces=[arc]))
    plane = fm.Model()
    plane.add(fm.Bar("rod", position=(0, 0, 0), direction=(1, 0, 0), velocity=(1, 0, 0), **kwargs))
    plane.add(fm.NodePlane("stop", node="rod.last", point=(1.1, 0, 0), normal=(-1, 0, 0)))
    results = [fm.simulate(m, fm.MoreauJean(), step=1e-4, end=0.15) for m in (model, plane)]
    a, b = (r.signals["rod.last.position"][:, 0] for r in results)
    np.testing.assert_allclose(a, b, rtol=0, atol=1e-12)  # a bar moves along x only: the arc is as good as a plane
    assert results[0].contacts["stop"].impulse.sum() > 0.1


def test_rope_is_slack_and_taut_again() -> None:
    """From the bottom with v0^2 = 4 g L: slack at cos = -2/3, then a parabola, then taut with a jerk."""
    model = fm.Model(gravity=DOWN)
    model.add(fm.Particle("stone", mass=1.0, position=(0, -1, 0), velocity=(math.sqrt(4 * 9.81), 0, 0)))
    model.add(fm.Rope("rope", a="stone", point=(0, 0, 0), length=1.0))
    result = fm.simulate(model, fm.GeneralizedAlpha(rho_inf=0.8), step=2e-4, end=1.4)
    gap, t = result.contacts["rope"].gap, result.time
    opened = np.flatnonzero(gap > 1e-7)
    assert t[opened[0]] == pytest.approx(0.493116094853, abs=5e-3)
    assert t[opened[-1]] == pytest.approx(1.270335446834, abs=1e-3)
    jerk = result.contacts["rope"].impulse[opened[-1] + 1]
    assert jerk == pytest.approx(5.6477939577, rel=5e-3)  # and the pull of the rest of that step
    assert np.abs(result.energy.residual).max() < 1e-11


def refusal(keys: dict[str, Any]) -> str:
    """Return why a curve with these keys is refused."""
    base: dict[str, Any] = {"node": "bead", "pieces": [PARABOLA, FLAT]}
    model = fm.Model()
    model.add(fm.Particle("bead", mass=1.0, position=(2, 3, 0)))
    model.add(fm.RigidPlanar("block", mass=1.0, inertia=1.0, position=(0, -9, 0), points={"tip": (1, 0, 0)}))

    def assemble() -> None:
        model.add(fm.NodeCurve("track", **(base | keys)))
        model.assemble()

    with pytest.raises(InputError) as caught:
        assemble()
    return str(caught.value)


GAP = {"kind": "segment", "start": (0.0, 0.25), "end": (-5.0, 0.0)}
REFUSED: list[tuple[tuple[str, ...], dict[str, Any]]] = [
    (("start", "segment", "parabola", "0.25"), dict(pieces=[PARABOLA, GAP])),
    (("start",), dict(pieces=[FLAT])),
    (("end", "zero length"), dict(pieces=[PARABOLA, {"kind": "segment", "end": (0.0, 0.0)}])),
    (("kind", "'parabola'", "spline"), dict(pieces=[PARABOLA | {"kind": "parabla"}])),
    (("pieces[1]", "sweep"), dict(pieces=[PARABOLA, FLAT | {"sweep": 1.0}])),
    (("center", "pieces[0]"), dict(pieces=[{"kind": "arc", "start": (1, 0), "end": (0, 2), "center": (0, 0)}])),
    (("control",), dict(pieces=[PARABOLA | {"control": (1.0, 1.0)}])),
    (("through",), dict(pieces=[{"kind": "spline", "start": (0, 0), "end": (1, 0), "through": []}])),
    (("through",), dict(pieces=[{"kind": "spline", "start": (0, 0), "end": (1, 0), "through": [(0.5, 1), (0.5, 1)]}])),
    (("pieces[1]", "turns back"), dict(pieces=[PARABOLA, {"kind": "segment", "end": (1.0, 0.0)}])),
    (("side",), dict(side="up")),
    (("ends",), dict(slot=True, ends="open", side="right")),
    (("restitution",), dict(slot=True, restitution=0.5, side="right")),
    (("friction",), dict(slot=True, friction=0.5, side="right")),
    (("radius", "1 m"), dict(side="right", radius=1.5)),
    (("y_axis",), dict(y_axis=(1.0, 1.0, 0.0))),
    (("body",), dict(body="bead.x")),
    (("node", "itself"), dict(node="block.tip", body="block")),
    (("3 m inside",), dict(side="left", pieces=[{"kind": "segment", "start": (9, 0), "end": (-9, 0)}])),
    (("node", "named twice"), dict(node=["bead", "bead"], side="right")),
    (("off by 1",), dict(slot=True, pieces=[{"kind": "segment", "start": (-9.0, 2.0), "end": (9.0, 2.0)}])),
]


@pytest.mark.parametrize(("words", "keys"), REFUSED)
def test_what_is_refused(words: tuple[str, ...], keys: dict[str, Any]) -> None:
    text = refusal(keys)
    assert all(word in text for word in ("contacts.track", *words)), text


def test_curves_are_drawn() -> None:
    system = parabola(False).assemble()
    marks = system.layout.marks
    edges = marks.kind == b"edge"
    assert edges.sum() == 25
    start, end = marks.offset[edges, 0], marks.offset[edges, 1]
    np.testing.assert_allclose(start[1:], end[:-1])
    np.testing.assert_allclose(start[:-1, 1], 0.5 * start[:-1, 0] ** 2, rtol=0, atol=1e-12)


def on_incline(scheme: Any, mu: float, contact: Any) -> Array:
    """Return where a particle goes that starts at rest on an incline."""
    model = fm.Model(gravity=(0.0, 0.0, -9.81))
    model.add(fm.Particle("block", mass=1.0, axes="xz", position=(0.0, 0.0, 0.0)))
    model.add(contact(mu))
    result = fm.simulate(model, scheme, step=1e-3, end=0.05, signals=["block.position"])
    return result.signals["block.position"]


def segment(mu: float) -> fm.NodeCurve:
    """Return a straight segment, long beside the way that a block goes on it, of the slope 0.3."""
    line = {"kind": "segment", "start": (5.0, -1.5), "end": (-5.0, 1.5)}
    axes = {"x_axis": (1, 0, 0), "y_axis": (0, 0, 1)}
    return fm.NodeCurve("floor", node="block", side="right", pieces=[line], friction=mu, **axes)


def plane(mu: float) -> fm.NodePlane:
    """Return the same incline as a plane."""
    return fm.NodePlane("floor", node="block", normal=(0.3 / math.sqrt(1.09), 0.0, 1.0 / math.sqrt(1.09)), friction=mu)


WITH_FRICTION = [
    fm.GeneralizedAlpha(rho_inf=0.8), fm.GeneralizedAlpha(rho_inf=0.8, ggl=False), fm.HHT(), fm.Newmark(),
    fm.MoreauJean(), fm.MoreauJeanDissipative(), fm.StormerVerlet(), fm.Potra(), fm.EulerLinearized(),
]  # fmt: skip


@pytest.mark.parametrize("mu", [0.05, 0.2])
@pytest.mark.parametrize("scheme", WITH_FRICTION, ids=lambda s: s.name + ("" if getattr(s, "ggl", True) else "-rates"))
def test_a_segment_is_a_plane_where_a_block_begins_to_slide(scheme: Any, mu: float) -> None:
    """Gaps from a long segment round off by its length, however short the way from the middle of it is."""
    x = on_incline(scheme, mu, segment)
    np.testing.assert_allclose(x, on_incline(scheme, mu, plane), rtol=0, atol=1e-14)
    assert x[-1, 0] > 5e-4
