"""The mode that grows fastest, against all eigenvalues; onsets on the way through speeds against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from hand_rotor import HandRotor, skew
from known_rotors import rub_rotor
from scipy import linalg, sparse

import flexmb as fm
from flexmb.analysis.rotors import growth
from flexmb.analysis.rotors.eigenpairs import Matrices
from flexmb.analysis.rotors.growth import fastest, reach
from flexmb.analysis.rotors.speed_path import SpeedPath, bends
from flexmb.analysis.rotors.stability import self_excited
from flexmb.parts.bodies.spin_parts import SpeedTable


def matrices(M: np.ndarray, C: np.ndarray, K: np.ndarray) -> Matrices:
    return Matrices(*(sparse.csr_array(A) for A in (M, C, K)))


def eigenvalues(system: Matrices) -> np.ndarray:
    n, (M, C, K) = system.nv, (A.toarray() for A in (system.M, system.C, system.K))
    return linalg.eigvals(np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, K), -np.linalg.solve(M, C)]]))


def one(part: object) -> fm.Model:
    model = fm.Model()
    model.add(part)  # type: ignore[type-var]
    return model


def jeffcott(c: float, internal: float = 0.0, cross: float = 0.0) -> fm.RotatingSystem:
    """m = 2 kg on k = 800 N/m: omega = 20 rad/s."""
    one_each = np.eye(2)
    matrices = {"circulation": skew(internal), "cross": skew(cross)}
    return fm.rotating_system(
        one(HandRotor("rotor", 2 * one_each, 800 * one_each, (c + internal) * one_each, **matrices))
    )


@pytest.mark.parametrize("kind", ["damped", "negative damping", "negative stiffness", "no damping"])
def test_fastest_of_random_systems(kind: str) -> None:
    """Symmetric and skew matrices of all sizes; some grow, some do not."""
    rng, n, seen = np.random.default_rng(3), 7, set()
    for _ in range(25):
        A, B, G, S = rng.normal(size=(4, n, n))
        M, K = A @ A.T + np.eye(n), 100.0 * (B @ B.T + 0.1 * np.eye(n))
        low, size = 10.0 ** rng.uniform(-2, 2), 10.0 ** rng.uniform(-2, 3)
        C = low * np.diag(rng.uniform(0.1, 1.0, n)) if kind != "no damping" else np.zeros((n, n))
        if kind == "negative damping":
            C[2, 2] = -low
        if kind == "negative stiffness":
            K[3, 3] = -K[3, 3] if rng.random() < 0.5 else K[3, 3]
        system = matrices(M, C + 3.0 * (G - G.T), K + size * (S - S.T))
        lam = eigenvalues(system)
        right = lam[lam.real > 1e-6 * np.abs(lam)]
        found = fastest(system, 5.0)
        seen.add(right.size > 0)
        if not right.size:
            assert found is None or found.eigenvalue.real < 1e-6 * abs(found.eigenvalue)
            continue
        assert found is not None
        assert found.eigenvalue.real == pytest.approx(right.real.max(), rel=1e-7)
        assert np.abs(right).max() <= reach(system, 5.0)
    assert True in seen
    assert (False in seen) is (kind != "no damping")


def test_reach_of_internal_damping_and_of_a_seal() -> None:
    """With internal damping no mode above the speed grows, of a seal none above cross-coupling over damping."""
    system = jeffcott(c=1e-9, internal=2.0)
    assert reach(Matrices(*system.at(60.0)), 0.0) == pytest.approx(1.1 * 60.0, rel=1e-6)
    seal = jeffcott(c=3.0, cross=90.0)
    assert reach(Matrices(*seal.at(0.0)), 0.0) == pytest.approx(1.1 * 30.0, rel=1e-6)
    assert reach(Matrices(*jeffcott(c=3.0).at(1e4)), 1e4) == 0.0
    assert reach(Matrices(*jeffcott(c=-3.0).at(1.0)), 1.0) == np.inf


@pytest.mark.parametrize("whole", [300, 10])
def test_an_unstable_mode_above_many_overdamped_ones_is_found(whole: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """60 unknowns overdamped below 20 rad/s, and one whirl at 1000 rad/s that cross-coupling without damping drives."""
    monkeypatch.setattr(growth, "WHOLE", whole)
    monkeypatch.setattr(growth, "LIMIT", 40)
    monkeypatch.setattr(growth, "FAR", 300.0)
    n = 62
    k = np.concatenate([np.linspace(100.0, 900.0, n - 2), [1e6, 1e6]])
    C = np.diag(np.concatenate([np.linspace(100.0, 200.0, n - 2), [0.0, 0.0]]))
    K = np.diag(k)
    K[-2:, -2:] += skew(50.0)
    found = fastest(matrices(np.eye(n), C, K), 10.0)
    assert found is not None
    exact = max(np.roots([1.0, 0.0, 1e6 - 50.0j]), key=lambda lam: lam.real)
    assert found.eigenvalue.real == pytest.approx(exact.real, rel=1e-9)
    assert abs(found.eigenvalue.imag) == pytest.approx(abs(exact.imag), rel=1e-9)


def test_rigid_motions_do_not_grow() -> None:
    """A free rotor: its rigid motions have double eigenvalues zero, which split by round-off."""
    free = rub_rotor(bearings=[])
    assert fm.instability(one(fm.Rotor("rotor", **free)), 100.0) is None
    inner = fm.instability(one(fm.Rotor("rotor", **(free | {"damping": None, "internal_damping": 1e-6}))), 3000.0)
    assert inner is not None  # the first bending mode, below the speed
    assert 50.0 < inner.frequency < 3000.0 / (2 * np.pi)


@pytest.mark.parametrize("ratio", [0.5, 1.5, 4.0])
def test_onset_of_internal_damping_on_a_ramp(ratio: float) -> None:
    """Unstable above omega (1 + c_ext / c_int); growth and time of passing in closed form."""
    c_int = 2.0
    system = jeffcott(c=ratio * c_int, internal=c_int)
    onset = 20.0 * (1.0 + ratio)
    path = SpeedPath(np.array([1.0, 3.0, 4.0]), np.array([[0.0], [160.0], [0.0]]))
    found = self_excited(system, path)
    assert found is not None
    assert found.onset.speed == pytest.approx(onset, rel=0.01)
    assert found.onset.speed >= onset
    assert found.time == pytest.approx(1.0 + found.onset.speed / 80.0, rel=1e-9)
    assert (found.onset.whirl, found.at_start, found.span) == ("forward", False, (0.0, 160.0))
    assert found.worst.speed == 160.0
    exact = np.roots([2.0, (1.0 + ratio) * c_int, 800.0 - 1j * c_int * 160.0]).real.max()
    assert found.worst.growth == pytest.approx(exact, rel=1e-9)
    assert "unstable from" in str(found)
    assert f"passed at {found.time:.4g} s" in str(found)
    assert self_excited(system, SpeedPath(np.array([0.0, 1.0]), np.array([[0.0], [0.99 * onset]]))) is None
    other = self_excited(system, SpeedPath(np.array([0.0, 1.0]), np.array([[0.0], [-1.02 * onset]])))
    assert other is not None  # it turns the other way, just beyond the onset
    assert -1.01 * onset <= other.onset.speed <= -onset
    assert other.onset.whirl == "forward"
    back = SpeedPath(np.array([0.0, 1.0]), np.array([[160.0], [10.0]]))
    down = self_excited(system, back)
    assert down is not None
    assert (down.at_start, down.time) == (True, 0.0)


def test_onset_of_a_seal_whose_cross_coupling_grows_with_the_speed() -> None:
    """q(W) = 3 W from a table: unstable above q = c omega; a band of speeds narrower than the parts is found, too."""
    c, E, none = 4.5, np.eye(2), np.zeros((5, 2, 2))
    cross = np.array([skew(0.0), skew(300.0)])
    law = SpeedTable("seal", np.arange(2), np.array([0.0, 100.0]), cross, none[:2])
    system = fm.rotating_system(one(HandRotor("rotor", 2 * E, 800 * E, c * E, tables=[law])))
    found = self_excited(system, SpeedPath.through(system, 0.0, 100.0))
    assert found is not None
    assert 30.0 <= found.onset.speed <= 30.0 * 1.01
    assert np.isnan(found.time)
    assert "passed" not in str(found)
    peak = np.array([skew(0.0), skew(0.0), skew(300.0), skew(0.0), skew(0.0)])
    band = SpeedTable("seal", np.arange(2), np.array([0.0, 70.9, 71.0, 71.1, 100.0]), peak, none)
    narrow = fm.rotating_system(one(HandRotor("rotor", 2 * E, 800 * E, c * E, tables=[band])))
    seen = self_excited(narrow, SpeedPath.through(narrow, 0.0, 100.0))
    assert seen is not None
    assert 70.9 < seen.onset.speed < 71.1


@pytest.mark.parametrize("count", [40, 121])
def test_every_bend_of_a_long_table_is_looked_at(count: int) -> None:
    """Cross-coupling at one speed of many; also where the speeds of the run have a corner right there."""
    c, E, none = 4.5, np.eye(2), np.zeros((count, 2, 2))
    speed = np.linspace(0.0, 100.0, count)
    for k in range(count // 2, count // 2 + 4):
        cross = none.copy()
        cross[k] = skew(300.0)
        law = SpeedTable("seal", np.arange(2), speed, cross, none)
        system = fm.rotating_system(one(HandRotor("rotor", 2 * E, 800 * E, c * E, tables=[law])))
        corner = SpeedPath(np.array([0.0, 1.0, 2.0]), np.array([[0.0], [speed[k]], [100.0]]))
        for path in (SpeedPath.through(system, 0.0, 100.0), corner):
            found = self_excited(system, path)
            assert found is not None
            assert speed[k - 1] < found.onset.speed < speed[k]
            assert found.worst.speed == pytest.approx(speed[k], rel=1e-12)


def test_bends_of_a_table() -> None:
    """Straight pieces have none inside; a parabola is within f'' h^2 / 8 of its chords."""
    speed = np.linspace(0.0, 1.0, 1001)
    K = np.zeros((speed.size, 2, 2))
    K[:, 0, 0] = 1e9 * np.abs(speed - 0.3)
    C = np.zeros_like(K)
    assert bends(SpeedTable("", np.arange(2), speed, K, C)).tolist() == [0.0, 0.3, 1.0]
    C[:, 0, 1] = speed**2
    found = bends(SpeedTable("", np.arange(2), speed, 0.0 * K, C))
    assert found.size < 40
    assert np.abs(np.interp(speed, found, found**2) - speed**2).max() <= 1e-3


def test_too_little_stiffness_grows_however_light_the_shaft() -> None:
    """lam^2 m + lam c + k = 0 with k < 0, beside unknowns of next to no mass, whose own rates are 1e6 times higher."""
    m, k, c = np.array([2.0, 2.0, 1e-12, 1e-12]), -50.0, 3.0
    K = np.diag([900.0, 900.0, 950.0, 950.0])
    K[[0, 1, 2, 3], [2, 3, 0, 1]] = -950.0  # the light unknowns follow: 900 - 950^2 / 950 = k
    system = matrices(np.diag(m), np.diag([c, c, 1e-9, 1e-9]), K)
    assert system.lowest > 10.0
    found = fastest(system, 10.0)
    assert found is not None
    assert found.eigenvalue == pytest.approx(np.roots([2.0, c, k]).max(), rel=1e-6)


def test_a_shaft_with_much_internal_damping_has_modes_and_an_onset() -> None:
    """Damping in proportion to the stiffness puts very many eigenvalues next to -1/b, where iterations fail."""
    b = 2e-4
    system = fm.rotating_system(one(fm.Rotor("rotor", **rub_rotor(internal_damping=b))))
    found = self_excited(system, SpeedPath.through(system, 0.0, 900.0))
    assert found is not None
    lam = eigenvalues(Matrices(*system.at(900.0)))
    assert found.worst.growth == pytest.approx(lam.real.max(), rel=1e-6)
    assert eigenvalues(Matrices(*system.at(0.985 * found.onset.speed))).real.max() < 0.0
    modes = fm.rotor_modes(system, 900.0, 12)
    assert modes.eigenvalues.real.max() == pytest.approx(lam.real.max(), rel=1e-6)


def test_a_campbell_map_tells_growth_above_its_lines() -> None:
    """The mode that grows is the 31st pair: none of the two lines, nor of the modes computed beside them."""
    n = 62
    k, cross = np.linspace(100.0, 1e4, n // 2).repeat(2), np.zeros((n, n))
    cross[-2:, -2:] = skew(500.0)
    rotor = HandRotor("rotor", np.eye(n), np.diag(k), 1.0 * np.eye(n), cross=cross)
    found = fm.campbell(one(rotor), [0.0, 1.0], count=2)
    assert not found.unstable.any()
    assert found.growth == pytest.approx(np.roots([1.0, 1.0, 1e4 - 500.0j]).real.max(), rel=1e-9)


def test_free_spins_follow_their_drive_alone() -> None:
    """J W' = T (1 - W/W_0) has W = W_0 + (W_1 - W_0) exp(-T t / (J W_0)); a run's own speeds take its place."""
    motor = {"kind": "free", "speed": 10.0, "characteristic": {"speed": [0.0, 200.0], "torque": [3.0, 0.0]}}
    model = one(fm.Rotor("rotor", **rub_rotor(spin=motor)))
    model.add(
        fm.Rotor("other", **rub_rotor(position=(0.0, 1.0, 0.0), spin={"kind": "ramp", "to": 50.0, "duration": 1.0}))
    )
    system = fm.rotating_system(model)
    J = system.rotors[0].parts.spin.inertia
    path = SpeedPath.of_run(system, 0.0, 2.0)
    exact = 200.0 - 190.0 * np.exp(-3.0 * path.time / (J * 200.0))
    np.testing.assert_allclose(path.speeds[:, 0], exact, rtol=1e-4)
    np.testing.assert_allclose(path.speeds[:, 1], np.minimum(50.0 * path.time, 50.0), rtol=1e-12)
    taken = SpeedPath.of_run(system, 0.0, 2.0, {"rotor": (np.array([0.0, 2.0]), np.array([10.0, 30.0]))})
    assert taken.span == (10.0, 30.0)
    assert taken.at(0.5).tolist() == [15.0, 25.0]
    M, C, K = system.at_each([15.0, 25.0])
    parts = [rotor.parts.matrices(speed) for rotor, speed in zip(system.rotors, (15.0, 25.0), strict=True)]
    assert abs(C - system.C - parts[0][0] - parts[1][0]).max() == 0.0
    pulse = {"kind": "free", "torque": {"kind": "table", "time": [0.0, 1.0, 1.1, 1.2, 2.0], "value": [0, 0, 5.0, 0, 0]}}
    pushed = fm.rotating_system(one(fm.Rotor("rotor", **rub_rotor(spin=pulse))))
    end = SpeedPath.of_run(pushed, 0.0, 2.0).speeds[-1, 0]
    assert end == pytest.approx(0.5 / pushed.rotors[0].parts.spin.inertia, rel=1e-3)  # the impulse of 0.5 N m s
