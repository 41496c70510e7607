"""Circular clearances: gaps, the exact path of a ball in a ring, full annular rub, energy, and wrong input."""

from __future__ import annotations

import numpy as np
import pytest
from multibody_models import run
from rotor_models import Wheel, free, given, turned_frame, wheels_of_every_kind
from test_spin_kernels import JEFFCOTT, NO_LOSS, column, model_of, scale

import flexmb as fm
from flexmb.schemes import GeneralizedAlpha, MoreauJean

STILL = given([0.0], [0.0])


def puck(velocity, offset, gap=1.0, restitution=1.0, **more):
    """A disk without springs in a ring: a circular billiard."""
    wheel = Wheel("puck", STILL, velocity=[*velocity, 0.0, 0.0], **more)
    model = model_of(wheel)
    model.add(fm.Clearance("ring", node="puck", gap=gap, offset=offset, restitution=restitution))
    return model


# ------------------------------------------------------------------------------------------------- gaps


def test_gap_is_measured_across_the_axis_from_the_middle_of_the_ring():
    frame, offset = turned_frame(), np.array([0.1, 0.2, -0.3])
    model = model_of(Wheel("rotor", STILL, frame=frame, position=(1.0, 2.0, 3.0)))
    model.add(fm.Particle("ring", 2.0, position=(1.0, 2.1, 3.0)))
    model.add(fm.Clearance("a", node="rotor", gap=2.0, offset=offset))
    model.add(fm.Clearance("b", node="rotor", gap=2.0, offset=offset, stator="ring"))
    model.add(fm.Clearance("c", node="rotor", gap=2.0, axis=(0.0, 0.0, 2.0)))
    system = model.assemble()
    q = np.array([0.3, -0.4, 0.2, 0.1, 0.7, 0.5, -0.6])
    x = frame[:, 1:] @ q[:2]
    wanted = []
    for d, a in (
        (x - offset, frame[:, 0]),
        (x - [0, 0.1, 0] - q[4:] - offset, frame[:, 0]),
        (x, np.array([0, 0, 1.0])),
    ):
        wanted.append(2.0 - np.linalg.norm(np.cross(a, d)))
    np.testing.assert_allclose(system.g(0.0, q), wanted, rtol=1e-14)


def test_the_middle_of_the_ring_is_harmless():
    system = puck((1.0, 0.0), (0.0, 0.0, 0.0)).assemble()
    assert system.g(0.0, np.zeros(4)) == [1.0]
    assert system.gdot(0.0, np.zeros(4), system.v0) == [0.0]
    assert not system.G(0.0, np.zeros(4)).toarray().any()
    result = run(system, NO_LOSS, 0.01, 150)
    assert result.engine.failure is None
    # one bounce at 1 s, straight back; the step holds the ring at its end
    np.testing.assert_allclose(result.v[-1], [-1.0, 0.0, 0.0, 0.0], rtol=0, atol=1e-12)
    assert result.q[-1, 0] == pytest.approx(0.5, abs=0.011)


# ------------------------------------------------------------------------------------------------- billiard


def billiard(x, v, radius, end):
    """Return time, place and velocity after every bounce in a ring about the origin, exactly."""
    t, out = 0.0, []
    while True:
        b, c = x @ v / (v @ v), (x @ x - radius**2) / (v @ v)
        step = -b + np.sqrt(b * b - c)
        t, x = t + step, x + step * v
        if t > end:
            return out
        n = x / radius
        v = v - 2.0 * (n @ v) * n
        out.append((t, x, v))


def bounces(result):
    """Return the steps of impacts."""
    return np.flatnonzero(result.impulse[:, 0] > 0.0)


@pytest.mark.parametrize("scheme", [NO_LOSS, MoreauJean(0.5)], ids=repr)
def test_billiard_in_a_ring(scheme):
    """The path is a polygon around a circle; time and place of every bounce are found to the order of the step."""
    middle, start = np.array([0.0, 0.3]), np.array([1.0, 0.4])
    exact = billiard(-middle, start, 1.0, 12.0)
    for h in (8e-3, 2.5e-4):
        result = run(puck(start, (0.0, 0.0, 0.3)), scheme, h, round(12.0 / h))
        assert result.engine.failure is None
        hits = bounces(result)
        assert len(hits) == len(exact) > 5
        for bounce, (i, (t, x, v)) in enumerate(zip(hits, exact, strict=True), start=1):  # each misses by some h
            assert abs(result.t[i] - t) < 3.0 * bounce * h
            assert np.abs(result.q[i, :2] - middle - x).max() < 3.0 * bounce * h
            assert np.abs(result.v[i, :2] - v).max() < 3.0 * bounce * h
        speed = np.hypot(result.v[:, 0], result.v[:, 1])
        np.testing.assert_allclose(speed, speed[0], rtol=1e-12)
        assert np.abs(column(result, "residual")).max() < 1e-9 * scale(result)
        if scheme is NO_LOSS:
            assert result.gap.min() > -1e-12


def test_restitution_along_the_normal_only():
    """At each bounce the radial velocity is reversed by e, the one along the circle kept."""
    result = run(puck((1.0, 0.4), (0.0, 0.0, 0.3), restitution=0.6), NO_LOSS, 1e-3, 9000)
    checked = 0
    for i in bounces(result)[:3]:
        d = result.q[i, :2] - [0.0, 0.3]
        n = d / np.linalg.norm(d)
        before, after = result.v[i - 1, :2], result.v[i, :2]
        s = np.array([-n[1], n[0]])
        assert after @ s == pytest.approx(before @ s, rel=1e-10)
        assert after @ n == pytest.approx(-0.6 * (before @ n), rel=1e-9)
        checked += 1
    assert checked == 3
    assert np.abs(column(result, "residual")).max() < 1e-9 * scale(result)
    assert column(result, "work_contact")[-1] < 0.0


# ------------------------------------------------------------------------------------------------- rub


RUB = {"mass": 1.0, "K": [100.0, 100.0, 5.0, 5.0], "C": [2.0, 2.0, 0.1, 0.1], "unbalance": 0.01}
GAP, SPEED = 0.01, 8.0


def rubbing(spin, restitution=0.0, **more):
    model = model_of(Wheel("rotor", spin, **{**RUB, **more}))
    model.add(fm.Clearance("rub", node="rotor", gap=GAP, restitution=restitution))
    return model


@pytest.mark.parametrize("scheme", [GeneralizedAlpha(0.9), MoreauJean(0.55)], ids=repr)
def test_full_annular_rub(scheme):
    """Synchronous whirl on the ring, z = c exp(i (W t - lag)): m z'' + d z' + k z + N z / c = U W^2 exp(i W t), so

    sin(lag) = d c / (U W),   N = U W^2 cos(lag) - (k - m W^2) c.
    """
    h, steps = 2e-3, 10000
    model = rubbing(given([0.0], [SPEED]))
    result = run(model.assemble(["contacts.rub.tangential_velocity"]), scheme, h, steps)
    assert result.engine.failure is None
    sine = 2.0 * GAP / (0.01 * SPEED)
    force = 0.01 * SPEED**2 * np.sqrt(1.0 - sine**2) - (100.0 - SPEED**2) * GAP
    z = result.q[:, 0] + 1j * result.q[:, 1]
    lag = np.angle(np.exp(1j * SPEED * result.t[-1000:]) / z[-1000:])
    np.testing.assert_allclose(np.abs(z[-1000:]), GAP, rtol=1e-3)
    np.testing.assert_allclose(np.sin(lag), sine, rtol=0, atol=5e-3)
    pressed = result.impulse[-1000:, 0] / h
    assert pressed.mean() == pytest.approx(force, rel=5e-3)
    if isinstance(scheme, GeneralizedAlpha):  # the other one lets go of the ring for single steps
        np.testing.assert_allclose(pressed, force, rtol=5e-3)
        assert result.gap.min() > -1e-14
    residual = np.abs(column(result, "residual")).max()
    assert residual < 1e-9 * scale(result)
    # all that the drive brings is lost in the damper, d (c W)^2 in a second, and a little in the scheme
    drive, lost = (np.diff(column(result, name)[[-1000, -1]])[0] for name in ("work_drive", "work_damping"))
    assert drive == pytest.approx(2.0 * (GAP * SPEED) ** 2 * 999 * h, rel=3e-2)
    assert lost == pytest.approx(-drive, rel=3e-2)


def test_tangential_velocity_is_that_along_the_circle():
    model = rubbing(given([0.0], [SPEED]))
    model.add(fm.Particle("shield", 3.0, velocity=(0.0, 0.001, 0.002)))
    model.add(fm.Clearance("other", node="rotor", stator="shield", gap=1.0, offset=(0.0, 0.1, 0.0)))
    names = ["contacts.rub.tangential_velocity", "contacts.other.tangential_velocity"]
    system = model.assemble(names)
    q, v = np.random.default_rng(0).normal(size=(2, 4, system.nv))
    found = [p.evaluate(np.zeros(4), q, v, np.zeros((4, 0)))[:, 0] for p in system.probes]
    z, rate = q[:, 0] + 1j * q[:, 1], v[:, 0] + 1j * v[:, 1]
    np.testing.assert_allclose(found[0], np.imag(rate * np.conj(z)) / np.abs(z), rtol=1e-12)
    z, rate = z - 0.1 - q[:, 5] - 1j * q[:, 6], rate - v[:, 5] - 1j * v[:, 6]
    np.testing.assert_allclose(found[1], np.imag(rate * np.conj(z)) / np.abs(z), rtol=1e-12)
    still = system.probes[0].evaluate(np.zeros(1), np.zeros((1, system.nv)), v[:1], np.zeros((1, 0)))
    assert still == [[0.0]]


@pytest.mark.parametrize("scheme", [GeneralizedAlpha(0.9), NO_LOSS, MoreauJean(0.6)], ids=repr)
def test_bouncing_rub_closes_its_books(scheme):
    """Run-up through the critical speed within a ring, with hard bounces; given spin, free spin, moving ring."""
    keys = {**JEFFCOTT, "unbalance": 0.02, "tilt": 0.01}
    for spin in (
        given([0.0, 2.0], [5.0, 60.0]),
        free(5.0, 1.0, characteristic=(np.array([0.0, 99.0]), np.full(2, 30.0))),
    ):
        model = model_of(Wheel("rotor", spin, **keys))
        model.add(fm.Particle("shield", 3.0))
        for k, axis in enumerate(np.eye(3)):
            model.add(fm.Spring(f"mount{k}", node="shield", stiffness=5000.0, direction=axis))
        model.add(fm.Clearance("rub", node="rotor", stator="shield", gap=0.012, restitution=0.7))
        result = run(model, scheme, 5e-4, 4000)
        assert result.engine.failure is None
        assert np.count_nonzero(result.impulse) > 20
        assert np.abs(column(result, "residual")).max() < 1e-9 * scale(result)
        if isinstance(scheme, GeneralizedAlpha):
            assert result.gap.min() > -1e-13


def test_impact_of_rotor_and_ring_keeps_momentum_and_energy():
    model = model_of(Wheel("rotor", STILL, mass=2.0, velocity=[1.0, 0.4, 0.0, 0.0]))
    model.add(fm.Particle("shield", 3.0, velocity=(0.0, -0.2, 0.1)))
    model.add(fm.Clearance("rub", node="rotor", stator="shield", gap=0.3, restitution=1.0))
    result = run(model, NO_LOSS, 1e-3, 3000)
    assert np.count_nonzero(result.impulse) >= 3
    p = 2.0 * result.v[:, :2] + 3.0 * result.v[:, 5:7]
    np.testing.assert_allclose(p, np.tile(p[0], (len(p), 1)), rtol=1e-9)
    np.testing.assert_allclose(column(result, "kinetic"), column(result, "kinetic")[0], rtol=1e-9)


def test_rings_of_several_nodes():
    keys = {"length": 1.0, "elements": 4, "section": {"shape": "circle", "diameter": 0.02}, "young": 2e9}
    model = fm.Model(gravity=(0.0, -9.81, 0.0))
    supports = [{"node": node, "kind": "pinned"} for node in ("first", "last")]
    model.add(fm.Beam("beam", bending="spatial", density=3000.0, supports=supports, **keys))
    model.add(fm.Clearance("tube", node="beam.all", gap=1e-3, axis=(1.0, 0.0, 0.0)))
    system = model.assemble()
    assert system.contacts.labels == tuple(f"tube[beam.node({i})]" for i in (1, 2, 3))
    result = run(system, GeneralizedAlpha(0.8), 1e-4, 2000)
    assert result.engine.failure is None
    assert result.gap.min() > -1e-13
    assert np.count_nonzero(result.impulse[:, 1]) > 5
    assert np.abs(column(result, "residual")).max() < 1e-9 * scale(result)


# ------------------------------------------------------------------------------------------------- wrong input


BAD = {
    "gap zero": ({"gap": 0.0}, r"contacts\.rub\.gap = 0\.0"),
    "gap below": (
        {"gap": 0.2, "offset": (0.5, 0.0, 0.3)},
        r"gap = 0\.2.*smaller.*eccentricity.*node rotor, 0\.3 m",
    ),
    "axis": ({"axis": (0, 0, 0)}, "axis"),
    "axis missing": ({"node": "dot"}, r"contacts\.rub\.axis.*does.*spin"),
    "no node": ({"node": []}, "least.*node"),
    "twice": ({"node": ["rotor", "rotor"]}, "node rotor.*twice"),
    "itself": ({"stator": "rotor"}, "body"),
    "nobody": ({"node": "rotar"}, "body 'rotar'"),
    "no stator": ({"stator": "rin"}, "body 'rin'"),
    "restitution": ({"restitution": 2.0}, "between 0 and 1"),
    "stuck": ({"node": "bar.last", "axis": (1, 0, 0)}, r"node bar\.node\(1\).*move normal.*axis"),
    "all stuck": ({"node": "bar.all", "axis": (1, 0, 0)}, "2 nodes.*move normal.*axis"),
}


@pytest.mark.parametrize("case", BAD)
def test_wrong_input(case):
    keys, words = BAD[case]
    model = model_of(Wheel("rotor", STILL))
    model.add(fm.Particle("dot", 1.0))
    model.add(fm.Bar("bar", length=1.0, elements=1, area=1e-4, young=1e9, density=1e3))

    def build():
        model.add(fm.Clearance("rub", **{"node": "rotor", "gap": 0.5, **keys}))
        return model.assemble()

    with pytest.raises(fm.InputError, match=words):
        build()


@pytest.mark.parametrize(
    ("signal", "words"),
    [
        ("contacts.rob.tangential_velocity", "no such contact"),
        ("contacts.rub.gap", "has tangential_velocity"),
        ("contacts.floor.tangential_velocity", "has tangential_velocity"),
    ],
)
def test_wrong_signals(signal, words):
    model = rubbing(given([0.0], [SPEED]))
    model.add(fm.NodePlane("floor", node="rotor", point=(0, -1, 0), normal=(0, 1, 0)))
    with pytest.raises(fm.InputError, match=words):
        model.assemble([signal])


def test_a_clearance_makes_the_model_one_of_large_motion():
    model = fm.Model()
    model.add(fm.Particle("dot", 1.0))
    assert not model.large_motion
    model.add(fm.Clearance("ring", node="dot", gap=0.1, axis=(0, 0, 1)))
    assert model.large_motion
    assert wheels_of_every_kind()[0].large_motion
