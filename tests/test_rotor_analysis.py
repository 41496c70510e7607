"""Linear analyses of rotors against closed forms and published figures."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hand_rotor import HandRotor, skew, unbalance
from known_rotors import CRITICAL, RUB_HZ, RUB_LOG_DEC, nelson_mcvaugh, rub_rotor

import flexmb as fm
from flexmb import InputError
from flexmb.analysis.rotors import eigenpairs, undamped
from flexmb.analysis.rotors.whirl import half_axes, inclination, whirl_word
from flexmb.parts.bodies.spin_parts import SpeedTable

RPM = 30 / np.pi


def model(*parts: object, gravity: object = None) -> fm.Model:
    out = fm.Model(gravity=gravity)  # type: ignore[arg-type]
    for part in parts:
        out.add(part)  # type: ignore[type-var]
    return out


def shaft(theory: str, elements: int, **more: object) -> fm.Rotor:
    """A thick round shaft on two pins: d = 0.2 m, 1 m long."""
    pins = [{"node": "first", "kind": "pinned"}, {"node": "last", "kind": "pinned"}]
    material = {"young": 2e11, "density": 7800.0, "poisson": 0.3}
    stations = np.linspace(0.0, 1.0, elements + 1)
    return fm.Rotor(
        "rotor", stations=stations, outer_diameter=0.2, material=material, theory=theory, supports=pins, **more
    )  # type: ignore[arg-type]


def jeffcott(c: float = 3.0, internal: float = 0.0, cross: float = 0.0, speed: float = 10.0) -> fm.Model:
    """m = 2 kg on k = 800 N/m: omega = 20 rad/s."""
    one = np.eye(2)
    return model(
        HandRotor(
            "rotor",
            M=2.0 * one,
            K=800.0 * one,
            C=(c + internal) * one,
            circulation=skew(internal),
            cross=skew(cross),
            excitations=[unbalance(0, 2.0 * 1e-3, 0.3)],
            speed=speed,
        )
    )


def tilting_disk(Id: float = 1.0, Ip: float = 1.6) -> fm.Model:
    """A disk that moves (10 rad/s) and tilts (20 rad/s at rest) without coupling."""
    gyro = np.zeros((4, 4))
    gyro[2:, 2:] = skew(Ip)
    return model(HandRotor("rotor", np.diag([1, 1, Id, Id]), np.diag([100.0, 100, 400, 400]), gyro=gyro, turns=True))


@pytest.mark.parametrize("theory", CRITICAL)
def test_critical_speeds_of_nelson_and_mcvaugh(theory: str) -> None:
    found = fm.critical_speeds(model(fm.Rotor("rotor", **nelson_mcvaugh(theory))))
    np.testing.assert_allclose([c.speed * RPM for c in found], CRITICAL[theory], rtol=5e-5)
    assert [c.whirl for c in found] == ["backward", "forward"] * 3


def test_damped_and_direct_critical_speeds_agree_without_damping() -> None:
    system = fm.rotating_system(model(fm.Rotor("rotor", **nelson_mcvaugh("timoshenko"))))
    direct = fm.critical_speeds(system, 4, damped=False)
    crossings = fm.campbell(system, np.linspace(0.0, 5500.0, 6), count=4).critical
    np.testing.assert_allclose([c.speed for c in crossings], [c.speed for c in direct], rtol=1e-9)
    second = fm.critical_speeds(system, 3, order=2.0, damped=False)
    lines = fm.campbell(system, np.linspace(0.0, 2600.0, 3), count=4, orders=(2.0,)).critical
    np.testing.assert_allclose([c.speed for c in lines[:3]], [c.speed for c in second], rtol=1e-9)


def test_frequencies_and_damping_of_another_program() -> None:
    """The rotor on 34 stations with Rayleigh damping and unequal bearings, beside ROSS 2.3."""
    found = fm.rotor_modes(model(fm.Rotor("rotor", **rub_rotor())), count=9)
    np.testing.assert_allclose(np.abs(found.eigenvalues) / (2 * np.pi), RUB_HZ, rtol=2e-7)
    np.testing.assert_allclose(found.log_decrement, RUB_LOG_DEC, rtol=1e-6)
    assert found.stable


def whirl_frequencies(theory: str, n: int, W: float, kGA: float) -> list[float]:
    """Return the roots w of mode n of the pinned shaft, forward positive, backward negative.

    r = R sin(k x) exp(i w t), turn of the section P cos(k x) exp(i w t), k = n pi / L:
    (kGA k^2 - rho A w^2) R = kGA k P,  (E I k^2 + kGA - rho I w^2 + 2 rho I W w) P = kGA k R.
    """
    E, rho, A, inertia, k = 2e11, 7800.0, np.pi * 0.2**2 / 4, np.pi * 0.2**4 / 64, n * np.pi
    if theory == "euler-bernoulli":
        mass = rho * A + rho * inertia * k**2
        return np.roots([mass, -2 * rho * inertia * k**2 * W, -E * inertia * k**4]).tolist()
    first = np.array([-rho * A, 0.0, kGA * k**2])
    second = np.array([-rho * inertia, 2 * rho * inertia * W, E * inertia * k**2 + kGA])
    roots = np.roots(np.polysub(np.polymul(first, second), [(kGA * k) ** 2]))
    return sorted(roots.real.tolist(), key=abs)[:2]


@pytest.mark.parametrize("theory", ["timoshenko", "euler-bernoulli"])
@pytest.mark.parametrize("W", [0.0, 3000.0])
def test_whirl_of_a_pinned_shaft_converges_to_the_closed_form(theory: str, W: float) -> None:
    errors = []
    for elements in (8, 16, 32):
        rotor = shaft(theory, elements)
        e = rotor.elements
        kGA = 12 * e.EI[0] / (e.Phi[0] * e.h[0] ** 2) if theory == "timoshenko" else np.inf
        exact = [w for n in (1, 2) for w in whirl_frequencies(theory, n, W, kGA)]
        found = fm.rotor_modes(model(rotor), W, count=4)
        signed = sorted(exact, key=abs)
        np.testing.assert_allclose(found.omega, np.abs(signed), rtol=1e-2)
        if W:
            assert found.whirl == tuple("forward" if w > 0 else "backward" for w in signed)
            assert abs(abs(signed[1]) - abs(signed[0])) > 0.01 * abs(signed[0])  # the gyroscopic effect is seen
        else:
            assert set(found.whirl) == {"planar"}
        errors.append(np.abs(found.omega / np.abs(signed) - 1.0))
    # with shear the second order: the shear angle is constant in an element
    order, close = (2.0, 5e-4) if theory == "timoshenko" else (4.0, 2e-5)
    np.testing.assert_array_less(errors[-1], close)
    np.testing.assert_allclose(np.log2(np.array(errors[:-1]) / np.array(errors[1:])), order, rtol=0, atol=0.1)


def test_unbalance_response_of_a_jeffcott_rotor() -> None:
    w, zeta, e = 20.0, 3.0 / (2 * np.sqrt(800.0 * 2.0)), 1e-3
    W = np.linspace(1.0, 60.0, 60)
    found = fm.unbalance_response(jeffcott(), W)
    exact = e * W**2 / np.sqrt((w**2 - W**2) ** 2 + (2 * zeta * w * W) ** 2)
    lag = np.arctan2(2 * zeta * w * W, w**2 - W**2)
    np.testing.assert_allclose(found.amplitude[:, 0, 0], exact * np.exp(1j * (0.3 - lag)), rtol=1e-12)
    np.testing.assert_allclose(found.amplitude[:, 0, 1], -1j * found.amplitude[:, 0, 0], rtol=1e-12)
    np.testing.assert_allclose(found.major[:, 0], exact, rtol=1e-12)
    np.testing.assert_allclose(found.minor[:, 0], exact, rtol=1e-12)  # round, forward
    assert found.labels == ("rotor",)


def test_unbalance_response_of_a_shaft_between_bearings() -> None:
    """Forces on the bearings are K x + C x', and balance what the shaft's inertia and unbalance need."""
    rotor = fm.Rotor("rotor", **rub_rotor(unbalances=[{"node": 12, "magnitude": 5e-4, "phase": -np.pi / 2}]))
    found = fm.unbalance_response(model(rotor), [50.0, 200.0], nodes=["rotor.node(4)", "rotor.node(12)"])
    W, system = 200.0, fm.rotating_system(model(rotor))
    x = found.amplitude[1, 0]
    force = np.diag([4.4e5, 4.6114e5]) @ x + 1j * W * np.diag([27.4, 2.505]) @ x
    np.testing.assert_allclose(found.forces[1, 0], force, rtol=1e-12)
    assert found.bearings == ("rotor.node(4)", "rotor.node(31)")
    M, C, K = system.at(W)
    q = np.linalg.solve((K - W**2 * M + 1j * W * C).toarray(), W**2 * system.rotors[0].parts.excitation())
    np.testing.assert_allclose(found.amplitude[1], system.orbits(q)[[4, 12]], rtol=1e-8)
    assert abs(system.rotors[0].parts.excitation()).max() == pytest.approx(5e-4)


def test_damped_oscillator() -> None:
    found = fm.rotor_modes(jeffcott())
    zeta = 3.0 / (2 * np.sqrt(1600.0))
    np.testing.assert_allclose(found.eigenvalues, -0.75 + 20j * np.sqrt(1 - zeta**2), rtol=1e-12)
    np.testing.assert_allclose(found.damping_ratio, zeta, rtol=1e-12)
    np.testing.assert_allclose(found.log_decrement, 2 * np.pi * zeta / np.sqrt(1 - zeta**2), rtol=1e-12)
    assert sorted(found.whirl) == ["backward", "forward"]


def test_overdamped_modes_do_not_oscillate() -> None:
    found = fm.rotor_modes(jeffcott(c=100.0), count=2)
    roots = np.roots([2.0, 100.0, 800.0])
    np.testing.assert_allclose(found.eigenvalues, [roots.max(), roots.max()], rtol=1e-10)
    assert set(found.whirl) == {"not oscillating"}
    assert np.isinf(found.log_decrement).all()


def test_cross_coupling_is_stable_up_to_c_omega() -> None:
    """(k - i q) drives forward whirl: at q = c omega, lam = i omega exactly."""
    assert fm.instability(jeffcott(cross=60.0 * (1 - 1e-6))) is None
    found = fm.instability(jeffcott(cross=60.0 * (1 + 1e-6)))
    assert found is not None
    assert found.whirl == "forward"
    assert found.frequency == pytest.approx(20 / (2 * np.pi), rel=1e-6)
    lam = fm.rotor_modes(jeffcott(cross=60.0)).eigenvalues
    np.testing.assert_allclose(lam[np.argmax(lam.real)], 20j, rtol=1e-12)
    strong = fm.instability(jeffcott(cross=90.0))
    assert strong is not None
    assert strong.growth == pytest.approx(np.roots([2.0, 3.0, 800.0 - 90j]).real.max(), rel=1e-10)
    assert "forward" in str(strong)
    assert "95.493 rpm" in str(strong)


def test_onset_of_internal_damping() -> None:
    """Rotating damping c_i beside standing damping c: unstable above omega (1 + c / c_i)."""
    found = fm.campbell(jeffcott(c=3.0, internal=2.0), np.linspace(0.0, 80.0, 17), count=2)
    assert [(o.grows, o.whirl) for o in found.onsets] == [(True, "forward")]
    assert found.onsets[0].speed == pytest.approx(20 * (1 + 3 / 2), rel=1e-10)
    assert fm.instability(jeffcott(c=3.0, internal=2.0), 49.9) is None
    assert fm.instability(jeffcott(c=3.0, internal=2.0), 50.1) is not None


def test_lines_are_those_of_the_lowest_modes_and_what_grows_beside_them_is_told() -> None:
    """Two masses, one of which is nearly overdamped: it oscillates slower than the other, but is the higher mode."""
    C, cross = np.diag([1.0, 1.0, 59.99, 59.99]), np.kron(np.diag([0.0, 1.0]), skew(5000.0))
    K = np.diag([100.0, 100.0, 900.0, 900.0])
    damped = model(HandRotor("rotor", np.eye(4), K, C))
    found = fm.campbell(damped, [0.0, 1.0], count=2)
    np.testing.assert_allclose(found.omega, np.sqrt(100 - 0.25), rtol=1e-10)
    assert not found.growth.any()
    driven = fm.campbell(model(HandRotor("rotor", np.eye(4), K, C, cross=cross)), [0.0, 1.0], count=2)
    assert not driven.unstable.any()
    assert driven.growth == pytest.approx(np.roots([1.0, 59.99, 900.0 - 5000.0j]).real.max(), rel=1e-9)


def test_lines_go_straight_through_crossings() -> None:
    """The backward tilting mode falls from 20 to 5.7 rad/s through both modes of translation at 10 rad/s."""
    W = np.linspace(0.0, 40.0, 21)
    found = fm.campbell(tilting_disk(), W, count=4)
    f = 1.6 * W / 2
    exact = np.array([np.full_like(W, 10), np.full_like(W, 10), np.sqrt(f**2 + 400) - f, np.sqrt(f**2 + 400) + f]).T
    np.testing.assert_allclose(found.omega, exact, rtol=1e-10)
    assert found.whirl[-1] == ("backward", "forward", "backward", "forward")
    crossing = 20 / np.sqrt(1 + 1.6)  # backward: w = W where Id w^2 + Ip w^2 = k
    np.testing.assert_allclose([c.speed for c in found.critical], [10, 10, crossing], rtol=1e-11)


def test_crossing_exactly_at_a_speed() -> None:
    """Where two eigenvalues are equal at a speed of the grid, shapes are told apart by those before."""
    meets = (400 - 10.0**2) / (10.0 * 1.6)  # sqrt(f^2 + 400) - f = 10
    W = meets + np.arange(-3.0, 4.0)
    found = fm.campbell(tilting_disk(), W, count=4)
    f = 1.6 * W / 2
    tilting = np.sqrt(f**2 + 400) - f
    assert tilting[3] == pytest.approx(10.0, rel=1e-14)
    line = int(np.argmax(np.abs(found.omega[0] - 10.0) * (found.omega[0] < 15)))
    np.testing.assert_allclose(found.omega[:, line], tilting, rtol=1e-10)


def test_speed_tables() -> None:
    """k = 800 at rest, 1600 at 40 rad/s: critical where 2 W^2 = 800 + 20 W."""
    K = np.array([800.0, 1600.0])[:, None, None] * np.eye(2)
    table = SpeedTable("b", np.arange(2), np.array([0.0, 40.0]), K, np.zeros_like(K))
    rotor = model(HandRotor("rotor", 2 * np.eye(2), 1e-9 * np.eye(2), tables=[table]))
    found = fm.critical_speeds(rotor, top=40.0)
    np.testing.assert_allclose([c.speed for c in found], np.roots([2.0, -20.0, -800.0]).max(), rtol=1e-9)
    np.testing.assert_allclose(fm.rotor_modes(rotor, 20.0).omega, np.sqrt(600.0), rtol=1e-9)


def test_sparse_and_dense_eigenvalues_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    rotor = model(fm.Rotor("rotor", **nelson_mcvaugh("timoshenko", internal_damping=1e-6)))
    dense = fm.rotor_modes(rotor, 4000.0), fm.critical_speeds(rotor, damped=False)
    monkeypatch.setattr(eigenpairs, "DENSE_LIMIT", 10)
    monkeypatch.setattr(undamped, "DENSE_LIMIT", 10)
    sparse = fm.rotor_modes(rotor, 4000.0), fm.critical_speeds(rotor, damped=False)
    np.testing.assert_allclose(sparse[0].eigenvalues, dense[0].eigenvalues, rtol=1e-9)
    assert sparse[0].whirl == dense[0].whirl
    np.testing.assert_allclose([c.speed for c in sparse[1]], [c.speed for c in dense[1]], rtol=1e-9)
    np.testing.assert_array_equal(fm.rotor_modes(rotor, 4000.0).shapes, sparse[0].shapes)  # the same bits again


@pytest.mark.parametrize("limit", [10, 1000])
def test_rigid_motions_are_named(limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A free shaft has two translations and two tilts; of the tilts one goes round with Ip W / Id."""
    monkeypatch.setattr(eigenpairs, "DENSE_LIMIT", limit)
    material = {"young": 2e11, "density": 7800.0}
    rotor = fm.Rotor("rotor", stations=np.linspace(0, 1, 21), outer_diameter=0.1, material=material)
    for W in (0.0, 300.0):
        found = fm.rotor_modes(model(rotor), W, count=7)
        rigid = [k for k, word in enumerate(found.whirl) if word == "rigid"]
        assert len(rigid) >= 2
        assert (found.eigenvalues[rigid] == 0.0).all()
        assert found.stable
        assert found.omega[-1] > 1000.0
    # about the middle: polar m d^2 / 8, diametral m (d^2 / 16 + L^2 / 12)
    precession = 300.0 * (0.1**2 / 8) / (0.1**2 / 16 + 1 / 12)
    assert np.abs(found.omega - precession).min() < 1e-6 * precession


@pytest.mark.parametrize("theory", ["timoshenko", "euler-bernoulli"])
def test_static_state_of_a_pinned_shaft(theory: str) -> None:
    """Weight p per length and a disk in the middle: textbook deflection, shear force and moment."""
    L, E, d, g, m = 1.0, 2e11, 0.2, 9.81, 50.0
    rotor = shaft(theory, 6, disks=[{"node": 3, "mass": m, "inertia": 1.0, "polar_inertia": 2.0}])
    found = fm.static_deflection(model(rotor, gravity=(0.0, 0.0, -g)))
    inertia, p = np.pi * d**4 / 64, 7800.0 * np.pi * d**2 / 4 * g
    e = rotor.elements
    kGA = 12 * e.EI[0] / (e.Phi[0] * e.h[0] ** 2) if theory == "timoshenko" else np.inf
    middle = 5 * p * L**4 / (384 * E * inertia) + m * g * L**3 / (48 * E * inertia)
    middle += p * L**2 / (8 * kGA) + m * g * L / (4 * kGA)
    assert found.deflection[3, 1] == pytest.approx(-middle, rel=1e-9)
    assert found.displacement[3] == pytest.approx([0.0, 0.0, -middle], rel=1e-9, abs=1e-20)
    half = 0.5 * (p * L + m * g)
    np.testing.assert_allclose(found.reactions, [[0.0, half], [0.0, half]], rtol=1e-9, atol=1e-9)
    x, (left,) = found.shafts[0].x, found.shafts
    moment = half * x - p * x**2 / 2 - m * g * np.maximum(x - 0.5, 0.0)
    np.testing.assert_allclose(left.moment[:, 1], moment, rtol=0, atol=1e-9 * moment.max())
    right = np.arange(12) >= 6  # ends of the elements behind the disk
    np.testing.assert_allclose(left.shear[:, 1], half - p * x - m * g * right, rtol=1e-8, atol=1e-6)
    np.testing.assert_allclose(left.moment[:, 0], 0.0, rtol=0, atol=1e-9)


def test_static_state_on_bearings_and_at_speed() -> None:
    rotor = fm.Rotor("rotor", **nelson_mcvaugh("timoshenko", spin={"kind": "constant", "speed": 100.0}))
    found = fm.static_deflection(model(rotor, gravity=(0.0, -9.81, 0.0)))
    assert found.speed == 100.0
    np.testing.assert_allclose(found.reactions.sum(axis=0), [9.81 * rotor.total_mass, 0.0], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(found.shafts[0].moment[[0, -1]], 0.0, rtol=0, atol=1e-9)
    # internal damping turns the sag of a spinning shaft sideways, against the spin
    soft = {"spin": {"kind": "constant", "speed": 100.0}, "internal_damping": 1e-3}
    turned = fm.static_deflection(model(shaft("timoshenko", 4, **soft), gravity=(0.0, 0.0, -9.81)))
    y, z = turned.deflection[2]
    assert y / z == pytest.approx(-1e-3 * 100.0, rel=1e-9)


def test_reactions_carry_the_weight_beside_couplings_and_with_internal_damping() -> None:
    coupling = {"nodes": [0, 1], "lateral": 1e8, "angular": 1e6, "mass": 30.0, "inertia": 1.0, "polar_inertia": 1.0}
    spinning = {"spin": {"kind": "constant", "speed": 100.0}, "internal_damping": 1e-3}
    for more in ({"couplings": [coupling]}, spinning, {"couplings": [coupling | {"lateral_damping": 1e4}], **spinning}):
        rotor = shaft("timoshenko", 4, disks=[{"node": 1, "mass": 50.0, "inertia": 1.0, "polar_inertia": 2.0}], **more)
        found = fm.static_deflection(model(rotor, gravity=(0.0, 0.0, -9.81)))
        weight = 9.81 * rotor.total_mass
        np.testing.assert_allclose(found.reactions.sum(axis=0), [0.0, weight], rtol=1e-9, atol=1e-9 * weight)
        # moments about the first pin
        last = float(found.reactions[1, 1])
        assert last == pytest.approx(weight * rotor.parts().center[0], rel=1e-9)
        # the shaft that ends at the last pin hands over its shear force, and nothing to the side
        np.testing.assert_allclose(found.shafts[0].shear[-1], [0.0, -last], rtol=1e-9, atol=1e-9 * weight)
        np.testing.assert_allclose(found.shafts[0].moment[-1], 0.0, rtol=0, atol=1e-8 * weight)


def test_reactions_hold_what_acts_on_held_nodes() -> None:
    """The part of a force that a support takes is in its reaction; so are a preloaded spring's and a bearing's."""
    weight = {"gravity": (0.0, 0.0, -9.81)}
    more = {"bearings": [{"node": "last", "stiffness": [[1e7, 0.0], [0.0, 0.0]]}]}
    rotor = replace(
        shaft("timoshenko", 4, **more),
        supports=[{"node": "first", "kind": "pinned"}, {"node": "last", "fix": ["transverse_z"]}],
    )
    bare = fm.static_deflection(model(rotor, **weight))
    assert bare.bearings == ("rotor.node(4)", "rotor.node(0)", "rotor.node(4)")
    force = fm.NodalForce("push", node="rotor.last", force=(0.0, 300.0, -200.0))
    pushed = fm.static_deflection(model(rotor, force, **weight))
    taken = [[-300.0, 0.0], [0.0, 0.0], [0.0, 200.0]]  # along y by the bearing, along z by the support
    np.testing.assert_allclose(pushed.reactions - bare.reactions, taken, rtol=0, atol=1e-6)
    # a spring of 5000 N/m along (0.6, 0.8), 20 mm longer than it would be
    spring = fm.Spring("pull", node="rotor.last", anchor=(1.0, -0.3, -0.4), stiffness=5e3, length=0.48)
    pulled = fm.static_deflection(model(rotor, spring, **weight))
    tension = 5e3 * (0.02 + 0.6 * pulled.deflection[4, 0])
    taken = [[0.6 * tension, 0.0], [0.0, 0.0], [0.0, 0.8 * tension]]
    np.testing.assert_allclose(pulled.reactions - bare.reactions, taken, rtol=0, atol=1e-6)
    bare = fm.static_deflection(model(shaft("timoshenko", 4), **weight))
    # a ball hangs on the pin by a bearing with cross-coupling: it sags by K^-1 m g, and the pin carries its weight
    K = np.array([[4e4, 1e4], [-1e4, 3e4]])
    ball = fm.Particle("ball", mass=2.0, axes="yz")
    for law in ({"stiffness": K.tolist()}, {"stiffness": [K.tolist(), (3 * K).tolist()], "speed": [0.0, 50.0]}):
        bearing = fm.Bearing("hang", node="rotor.first", to="ball", **law)
        hung = fm.static_deflection(model(shaft("timoshenko", 4), ball, bearing, **weight), speed=25.0)
        pins = [hung.bearings.index(f"rotor.node({node})") for node in (0, 4)]
        np.testing.assert_allclose(hung.reactions[pins] - bare.reactions, [[0.0, 19.62], [0.0, 0.0]], rtol=0, atol=1e-9)
        stiffness = K if "speed" not in law else 2.0 * K
        np.testing.assert_allclose(hung.deflection[-1], np.linalg.solve(stiffness, [0.0, -19.62]), rtol=1e-9)


def test_peaks_are_found_between_the_speeds_of_a_range() -> None:
    """|r| = e W^2 / sqrt((w^2 - W^2)^2 + (2 zeta w W)^2) is largest at w / sqrt(1 - 2 zeta^2)."""
    zeta = 3.0 / (2 * np.sqrt(800.0 * 2.0))
    rotor = jeffcott()
    found = fm.unbalance_response(rotor, np.linspace(0.0, 60.0, 8))
    (peak,), forces = fm.unbalance_peaks(rotor, found)
    assert forces == ()
    assert peak.speed == pytest.approx(20.0 / np.sqrt(1 - 2 * zeta**2), rel=1e-6)
    assert peak.major == pytest.approx(1e-3 / (2 * zeta * np.sqrt(1 - zeta**2)), rel=1e-10)
    assert peak.minor == pytest.approx(peak.major, rel=1e-10)
    assert peak.major > 1.02 * found.major.max()
    (last,), _ = fm.unbalance_peaks(rotor, fm.unbalance_response(rotor, [1.0, 5.0, 10.0]))
    assert last.speed == 10.0  # no maximum inside


def test_peaks_of_forces_on_bearings() -> None:
    rotor = model(fm.Rotor("rotor", **rub_rotor(unbalances=[{"node": 12, "magnitude": 5e-4}])))
    coarse = fm.unbalance_response(rotor, np.linspace(100.0, 300.0, 21))
    orbits, forces = fm.unbalance_peaks(rotor, coarse)
    assert len(forces) == 2
    for b, peak in enumerate(forces):
        around = fm.unbalance_response(rotor, peak.speed + np.linspace(-0.5, 0.5, 11))
        force = half_axes(around.forces)[0][:, b]
        assert peak.major == pytest.approx(force[5], rel=1e-12)
        assert force.argmax() == 5
        assert peak.major > half_axes(coarse.forces)[0][:, b].max()
    for peak in orbits:
        around = fm.unbalance_response(rotor, peak.speed + np.linspace(-0.5, 0.5, 11))
        assert around.major[:, 0].argmax() == 5


def test_orbits() -> None:
    t = np.linspace(0.0, 2 * np.pi, 721)
    orbit = np.array([2.0 + 1.0j, 0.5 - 1.5j])
    y, z = (orbit[:, None] * np.exp(1j * t)).real
    radius, angle = np.hypot(y, z), np.arctan2(z, y)
    major, minor = half_axes(orbit)
    assert [major, abs(minor)] == pytest.approx([radius.max(), radius.min()], rel=1e-4)
    assert np.mod(inclination(orbit) - angle[np.argmax(radius)] + 0.1, np.pi) == pytest.approx(0.1, abs=0.01)
    turns = float(np.unwrap(angle)[-1] - np.unwrap(angle)[0])
    assert np.sign(minor) == np.sign(turns)
    round_and_round = np.array([[1.0, -1.0j], [1.0, -1.0j]])
    assert whirl_word(round_and_round) == "forward"
    assert whirl_word(round_and_round.conj()) == "backward"
    assert whirl_word(np.array([[1.0, -1.0j], [1.0, 1.0j]])) == "mixed"
    assert whirl_word(np.array([[1.0, 2.0], [1.0, 2.0]])) == "planar"


def test_several_rotors_turn_at_their_ratio() -> None:
    def disk(name: str, speed: float) -> HandRotor:
        gyro = np.zeros((4, 4))
        gyro[2:, 2:] = skew(1.0)
        stiff = np.diag([100.0, 100, 400, 400])
        out = unbalance(0, 1e-3, width=4, name=name)
        return HandRotor(name, np.eye(4), stiff, gyro=gyro, turns=True, speed=speed, excitations=[out])

    both = model(disk("a", 10.0), disk("b", -20.0))
    system = fm.rotating_system(both)
    assert [r.ratio for r in system.rotors] == [1.0, -2.0]
    assert [r.ratio for r in fm.rotating_system(both, same_speed=True).rotors] == [1.0, 1.0]
    found = fm.rotor_modes(system, 10.0, count=8)
    f = np.array([5.0, 10.0])
    exact = np.sort(np.concatenate([np.full(4, 10.0), np.sqrt(f**2 + 400) - f, np.sqrt(f**2 + 400) + f]))
    np.testing.assert_allclose(np.sort(found.omega), exact, rtol=1e-10)
    assert found.whirl[-2:] == ("forward", "forward")  # each in the sense of its own spin
    response = fm.unbalance_response(system, [2.0, 4.0], rotor="b")
    W = 2.0 * response.speeds
    assert response.ratio == -2.0
    np.testing.assert_allclose(response.major[:, 0], 1e-3 * W**2 / np.abs(100 - W**2), rtol=1e-10)


def test_what_has_no_linear_system() -> None:
    ball = fm.Particle("ball", mass=1.0, position=(0, 0, 0))
    with pytest.raises(InputError, match="rotor.*model; bodies: ball"):
        fm.rotor_modes(model(ball))
    with pytest.raises(InputError, match="small displacements.*kind 'rigid'"):
        fm.campbell(model(shaft("timoshenko", 2), fm.Rigid("block", mass=1.0, inertia=(1, 1, 1))))
    free = fm.Rotor("rotor", stations=[0, 1], outer_diameter=0.1, material={"young": 2e11, "density": 7800.0})
    with pytest.raises(InputError, match="body 'rotor'"):
        fm.static_deflection(model(free, gravity=(0, 0, -1)))
    with pytest.raises(InputError, match="there is no excitation"):
        fm.unbalance_response(model(shaft("timoshenko", 2)), [1.0, 2.0])
    with pytest.raises(InputError, match="increasing"):
        fm.campbell(model(shaft("timoshenko", 2)), [2.0, 1.0])
    with pytest.raises(InputError, match="1.*number.*unknowns, 8"):
        fm.rotor_modes(model(shaft("timoshenko", 2)), count=9)
