"""Rotors: critical speeds and whirl of published rotors, and what disks, bearings, couplings and spin add."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.linalg import eigh

from flexmb import InputError, Model, Rotor
from flexmb.parts.bodies.body import BodyParts
from flexmb.parts.bodies.spin_parts import SpinParts
from tests.test_shaft import whirl

STEEL = {"young": 2.0e11, "density": 7800.0, "poisson": 0.3}
SHAFT = {"stations": [0.0, 0.2, 0.4, 0.6], "outer_diameter": 0.03, "material": STEEL}

# Nelson and McVaugh, The dynamics of rotor-bearing systems using finite elements, J. Eng. Ind. 98 (1976), table 1
CM = 0.01
NELSON: dict[str, Any] = {
    "stations": CM
    * np.array(
        [
            *(0, 1.27, 5.08, 7.62, 8.89, 10.16, 10.67, 11.43, 12.70, 13.46, 16.51, 19.05, 22.86, 26.67, 28.70, 30.48),
            *(31.50, 34.54, 35.50),
        ]
    ),
    "outer_diameter": 2
    * CM
    * np.array(
        [
            *(0.51, 1.02, 0.76, 2.03, 2.03, 3.30, 3.30, 2.54, 2.54, 1.27, 1.27, 1.52, 1.52, 1.27, 1.27),
            *(3.81, 2.03, 2.03),
        ]
    ),
    "inner_diameter": 2 * CM * np.array([0] * 6 + [1.52, 1.78] + [0] * 9 + [1.52]),
    "material": {"young": 2.078e11, "density": 7806.0, "poisson": 0.3},
    "disks": [{"node": 4, "mass": 1.401, "inertia": 0.00136, "polar_inertia": 0.00203}],
    "bearings": [{"node": 10, "stiffness": 4.378e7}, {"node": 14, "stiffness": 4.378e7}],
}

# a rotor that rubs, from the test data of ROSS (ross-rotordynamics 2.3), without its contact
MM = 0.001
RUBBING: dict[str, Any] = {
    "stations": MM
    * np.array(
        [
            *(0, 25, 64, 104, 124, 143, 175, 207, 239, 271, 303, 335, 345, 355, 380, 408, 436, 466, 496, 526, 556),
            *(586, 614, 647, 657, 667, 702, 737, 772, 807, 842, 862, 881, 914),
        ]
    ),
    "outer_diameter": 0.019,
    "material": {"young": 2.17e11, "density": 7850.0, "poisson": 0.2992610837438423},
    "damping": {"alpha": 8.0501, "beta": 1e-5},
    "disks": [
        {"node": node, "mass": 2.6375, "inertia": 0.003844540885417, "polar_inertia": 0.0075132484375}
        for node in (12, 24)
    ],
    "bearings": [
        {"node": 4, "stiffness": [[4.4e5, 0], [0, 4.6114e5]], "damping": [[27.4, 0], [0, 2.505]]},
        {"node": 31, "stiffness": [[9.5e5, 0], [0, 1.09e8]], "damping": [[50.4, 0], [0, 100.4553]]},
    ],
}


def parts_of(**keys: Any) -> tuple[BodyParts, SpinParts]:
    parts = Rotor("r", **keys).parts()
    assert parts.spin is not None
    return parts, parts.spin


def eigenvalues(speed: float, **keys: Any) -> np.ndarray:
    parts, spin = parts_of(**keys)
    C = parts.C + spin.skew_damping + speed * spin.gyro
    K = parts.K + spin.cross + speed * spin.circulation
    return whirl(parts.M.toarray(), C.toarray(), K.toarray())


# synchronous critical speeds, rpm, of the same 18 elements in ROSS 2.3
CRITICAL = {
    "euler-bernoulli": [15477, 17160, 46748, 50128, 64759, 96097],
    "timoshenko": [15361, 17011, 46507, 49815, 64186, 94896],
}


@pytest.mark.parametrize("theory", CRITICAL)
def test_critical_speeds_of_nelson_and_mcvaugh(theory: str) -> None:
    parts, spin = parts_of(**NELSON, theory=theory)
    # q = x exp(i W t) at the speed W: K x = W^2 (M - i gyro) x, Hermitian
    inverse = eigh(parts.M.toarray() - 1j * spin.gyro.toarray(), parts.K.toarray(), eigvals_only=True)
    speeds = np.sort(1.0 / np.sqrt(inverse[inverse > 0.0])) * 30.0 / np.pi
    assert speeds[:6] == pytest.approx(CRITICAL[theory], rel=4e-5)


# whirl frequencies, rad/s, ROSS 2.3: eigenvalues from its M, K and G over the lateral unknowns
WHIRL = {
    ("euler-bernoulli", 0.0): [1703.9824, 1703.9824, 5081.7682, 5081.7682, 7994.3858, 7994.3858, 12762.5224],
    ("euler-bernoulli", 5e3): [1452.5984, 1961.1653, 4891.0285, 5242.0233, 7059.8760, 9057.5656, 12460.5049],
    ("euler-bernoulli", 1e4): [1227.6476, 2202.5482, 4663.2595, 5380.2398, 6358.1704, 10051.9187, 12219.5626],
    ("timoshenko", 0.0): [1690.3375, 1690.3375, 5052.4109, 5052.4109, 7938.3413, 7938.3413, 12531.0392],
    ("timoshenko", 5e3): [1441.3928, 1943.8952, 4864.8650, 5210.3522, 6995.4798, 8990.4344, 12241.5254],
    ("timoshenko", 1e4): [1218.0210, 2180.6007, 4640.3989, 5346.9924, 6281.1870, 9948.1657, 12009.6301],
}


@pytest.mark.parametrize(("theory", "speed"), WHIRL)
def test_whirl_frequencies_are_those_of_ross(theory: str, speed: float) -> None:
    found = eigenvalues(speed, **NELSON, theory=theory).imag
    assert found[:7] == pytest.approx(WHIRL[theory, speed], rel=1e-7)


# eigenvalues, 1/s, ROSS 2.3, with the damping of the shaft and of unlike bearings
DAMPED = {
    0.0: [-1.12210 + 181.77290j, -0.97283 + 187.56699j, -5.50941 + 539.88428j, -2.44078 + 581.80585j],
    40 * np.pi: [-1.11446 + 181.56834j, -0.98035 + 187.76085j, -5.50422 + 539.77487j, -2.44611 + 581.85134j],
    300.0: [-1.09000 + 180.74103j, -1.00423 + 188.53794j, -5.48053 + 539.26368j, -2.47043 + 582.06198j],
}


@pytest.mark.parametrize("speed", DAMPED)
def test_damped_whirl_on_unlike_bearings_is_that_of_ross(speed: float) -> None:
    found = eigenvalues(speed, **RUBBING)[:4]
    assert found == pytest.approx(np.array(DAMPED[speed]), abs=2e-5)


def test_rotary_inertia_and_shear_can_be_left_out() -> None:
    bare = eigenvalues(0.0, **SHAFT, theory="euler-bernoulli", rotary_inertia=False)[-1].imag
    rayleigh = eigenvalues(0.0, **SHAFT, theory="euler-bernoulli")[-1].imag
    assert rayleigh < bare
    _, spin = parts_of(**SHAFT, rotary_inertia=False)
    assert spin.gyro.nnz == 0
    assert spin.spin.inertia > 0.0
    stiff = eigenvalues(0.0, **SHAFT, shear_factor=1e9)
    assert stiff == pytest.approx(eigenvalues(0.0, **SHAFT, theory="euler-bernoulli"), rel=1e-6)


K2, C2 = [[2e6, 3e5], [-1e5, 4e6]], [[30.0, 7.0], [1.0, 50.0]]


def test_a_bearing_is_split_into_what_stores_damps_and_drives() -> None:
    free, _ = parts_of(**SHAFT)
    parts, spin = parts_of(**SHAFT, bearings=[{"node": 1, "stiffness": K2, "damping": C2}])
    at = [parts.dof_names.index(f"r.node(1).{letter}") for letter in ("v", "w")]
    K, C = (parts.K - free.K).toarray(), (parts.C - free.C).toarray()
    for whole, even, odd in ((K2, K, spin.cross), (C2, C, spin.skew_damping)):
        assert np.allclose(even, even.T, rtol=1e-12)
        assert np.array_equal(odd.toarray(), -odd.toarray().T)
        full = even + odd.toarray()
        assert full[np.ix_(at, at)] == pytest.approx(np.array(whole), rel=1e-6)
        assert np.abs(np.delete(np.delete(full, at, 0), at, 1)).max() < 1e-6
    assert abs(parts.strain.matrix() - parts.K).max() < 1e-12 * abs(parts.K).max()


def test_forms_of_a_bearing() -> None:
    def added(**keys: Any) -> np.ndarray:
        parts, spin = parts_of(**SHAFT, bearings=[{"node": "last", **keys}])
        at = [parts.dof_names.index(f"r.node(3).{letter}") for letter in ("v", "w", "theta_y", "theta_z")]
        return (parts.K + spin.cross - parts_of(**SHAFT)[0].K).toarray()[np.ix_(at, at)]

    matrix = np.arange(16.0).reshape(4, 4) * 1e5
    for given, full in (
        (5e5, np.diag([5e5, 5e5, 0.0, 0.0])),
        (K2, np.pad(K2, (0, 2))),
        (matrix.tolist(), matrix),
    ):
        assert added(stiffness=given) == pytest.approx(full, abs=1e-3)


def test_speed_dependent_bearings_are_tables() -> None:
    plain, _ = parts_of(**SHAFT)
    bearing = {"node": 2, "speed": [0.0, 100.0, 300.0], "stiffness": [1e6, 2e6, 6e6], "damping": C2}
    hold = [{"node": 2, "fix": ["transverse_z"]}]
    parts, spin = parts_of(**SHAFT, bearings=[bearing])
    (table,) = spin.tables
    assert abs(parts.K - plain.K).max() == 0.0
    assert [parts.dof_names[i] for i in table.unknowns] == ["r.node(2).v", "r.node(2).w"]
    K, C = table.at(200.0)
    assert pytest.approx(4e6 * np.eye(2)) == K
    assert pytest.approx(np.array(C2)) == C
    parts, spin = parts_of(**SHAFT, bearings=[bearing], supports=hold)
    (table,) = spin.tables
    assert [parts.dof_names[i] for i in table.unknowns] == ["r.node(2).v"]
    assert table.K.shape == (3, 1, 1)
    matrices = [[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]]
    _, spin = parts_of(**SHAFT, bearings=[{"node": 2, "speed": [0, 1], "stiffness": matrices}])
    assert np.array_equal(spin.tables[0].K, matrices)


def test_an_unbalance_and_an_eccentric_disk_are_the_same_rotating_force() -> None:
    disk = {"node": 1, "mass": 2.0, "inertia": 0.01, "polar_inertia": 0.02, "eccentricity": 3e-4, "phase": 0.4}
    hold = [{"node": 1, "fix": ["transverse_z"]}]
    parts, spin = parts_of(**SHAFT, disks=[disk], unbalances=[{"node": 2, "magnitude": 5e-4, "phase": -0.2}])
    one, two = spin.excitations
    names = parts.dof_names
    assert (names[one.a], names[one.b]) == ("r.node(1).v", "r.node(1).w")
    assert (one.label, one.amplitude, one.phase) == ("r.node(1)", pytest.approx(6e-4), 0.4)
    assert (names[two.a], two.amplitude, two.phase) == ("r.node(2).v", 5e-4, -0.2)
    assert (one.a_factor, one.b_factor, one.weighs, two.weighs) == (1.0, 1.0, True, True)
    shaft = 7800.0 * 0.6 * np.pi * 0.03**4 / 32
    assert spin.spin.inertia == pytest.approx(shaft + 0.02 + 2.0 * 3e-4**2, rel=1e-12)
    _, spin = parts_of(**SHAFT, disks=[disk], supports=hold)
    assert spin.excitations[0].b == -1


def test_a_tilted_disk_gives_the_moment_that_changes_its_angular_momentum() -> None:
    tau, lean, I_d, I_p = 1e-4, 0.7, 0.03, 0.05
    disk = {"node": 1, "mass": 2.0, "inertia": I_d, "polar_inertia": I_p, "tilt": tau, "tilt_phase": lean}
    parts, spin = parts_of(**SHAFT, disks=[disk])
    (e,) = spin.excitations
    assert [parts.dof_names[i] for i in (e.a, e.b)] == ["r.node(1).theta_z", "r.node(1).theta_y"]
    assert not e.weighs

    def momentum(angle: float, speed: float) -> np.ndarray:
        # the disk's own axis in space, leaning by tau from d = x; spin about x
        own = np.array([1.0, tau * np.cos(angle + lean), tau * np.sin(angle + lean)])
        inertia = I_d * np.eye(3) + (I_p - I_d) * np.outer(own, own) / (own @ own)
        return inertia @ np.array([speed, 0.0, 0.0])

    def angle(t: float) -> float:
        return 0.3 + 20.0 * t + 40.0 * t**2

    t, dt = 0.6, 1e-5
    speed, growth = 20.0 + 80.0 * t, 80.0
    rate = (momentum(angle(t + dt), speed + growth * dt) - momentum(angle(t - dt), speed - growth * dt)) / (2 * dt)
    psi = angle(t) + e.phase
    on_a = e.amplitude * e.a_factor * (speed**2 * np.cos(psi) + growth * np.sin(psi))
    on_b = e.amplitude * e.b_factor * (speed**2 * np.sin(psi) - growth * np.cos(psi))
    # what the disk does to the shaft about z (theta_z) and y (theta_y)
    assert [on_a, on_b] == pytest.approx([-rate[2], -rate[1]], rel=1e-6)


def test_internal_damping_makes_whirl_grow_above_the_known_speed() -> None:
    # Jeffcott: m r'' + (c_e + c_i) r' + (k - i W c_i) r = 0 grows for W > omega (1 + c_e/c_i)
    beta = 1e-4
    pins = [{"node": "first", "fix": ["transverse"]}, {"node": "last", "fix": ["transverse"]}]
    keys = SHAFT | {"stations": [0.0, 0.3, 0.6], "theory": "euler-bernoulli", "rotary_inertia": False}
    keys |= {"supports": pins, "internal_damping": beta, "disks": [{"node": 1, "mass": 1e3}]}
    k = 48 * 2.0e11 * np.pi * 0.03**4 / 64 / 0.6**3
    outer = 0.5 * beta * k
    keys["bearings"] = [{"node": 1, "damping": outer}]
    omega = eigenvalues(0.0, **keys)[0].imag
    limit = omega * (1.0 + outer / (beta * k))
    assert eigenvalues(0.998 * limit, **keys)[:2].real.max() < 0.0
    assert eigenvalues(1.002 * limit, **keys)[:2].real.max() > 0.0
    # the growing one is forward: v + i w turns with the spin
    _, spin = parts_of(**keys)
    parts = parts_of(**keys)[0]
    assert abs(spin.circulation + spin.circulation.T).max() == 0.0
    S = np.zeros(spin.circulation.shape)
    for a, b, sign in (("v", "w", -1.0), ("theta_z", "theta_y", 1.0)):
        for node in range(3):
            names = [f"r.node({node}).{letter}" for letter in (a, b)]
            if all(name in parts.dof_names for name in names):
                i, j = (parts.dof_names.index(name) for name in names)
                S[i, j], S[j, i] = sign, -sign
    internal = beta * parts_of(**keys | {"bearings": []})[0].K.toarray()
    assert spin.circulation.toarray() == pytest.approx(-internal @ S, rel=1e-12, abs=1e-9 * beta * k)
    assert spin.resistance is not None
    assert spin.resistance.toarray() == pytest.approx(S.T @ internal @ S, rel=1e-12, abs=1e-9 * beta * k)


COUPLING = {"nodes": [1, 2], "lateral": 3e6, "angular": 2e3, "axial": 4e5, "torsional": 6e2}


def test_a_coupling_takes_the_place_of_the_shaft() -> None:
    heavy = {"mass": 1.0, "inertia": 0.004, "polar_inertia": 0.006}
    parts, spin = parts_of(**SHAFT, couplings=[COUPLING | heavy])
    assert parts.mass == pytest.approx(7800.0 * 0.4 * np.pi * 0.03**2 / 4 + 1.0, rel=1e-12)
    assert spin.spin.inertia == pytest.approx(7800.0 * 0.4 * np.pi * 0.03**4 / 32 + 0.006, rel=1e-12)
    assert parts.rigid_free.shape[1] == 4
    assert np.abs(parts.K @ parts.rigid_free).max() < 1e-14 * abs(parts.K).max()
    # clamped at one end, an end force turns the coupling by its moment and shears it
    clamp = [{"node": 0, "kind": "clamped"}]
    keys = SHAFT | {"theory": "euler-bernoulli"}
    parts, _ = parts_of(**keys, couplings=[COUPLING], supports=clamp)
    force = np.zeros(parts.nv)
    tip = parts.dof_names.index("r.node(3).v")
    force[tip] = 1.0
    bend = 2.0e11 * np.pi * 0.03**4 / 64
    piece, lever = 0.2**3 / (3 * bend), 0.4
    # shaft 0..1 under force and moment lever, coupling of length 0.2, shaft 2..3
    first = piece + lever * 0.2**2 / (2 * bend) + lever * (0.2**2 / (2 * bend) + lever * 0.2 / bend)
    # slopes of a coupling count as the mean of its ends: half way along it
    coupling = 1.0 / 3e6 + 0.3 * 0.3 / 2e3
    assert np.linalg.solve(parts.K.toarray(), force)[tip] == pytest.approx(first + coupling + piece, rel=1e-9)


def test_all_unknowns_twist_and_stretch_between_drive_and_thrust_bearing() -> None:
    keys = SHAFT | {"unknowns": "all", "drive": "last", "couplings": [COUPLING | {"torsional_damping": 3.0}]}
    parts, spin = parts_of(**keys, bearings=[{"node": 0, "stiffness": 1e6, "axial": 5e5, "axial_damping": 8.0}])
    names = parts.dof_names
    assert "r.node(3).phi" not in names
    area, polar = np.pi * 0.03**2 / 4, np.pi * 0.03**4 / 32
    force = np.zeros((parts.nv, 2))
    push, twist = names.index("r.node(3).u"), names.index("r.node(0).phi")
    force[push, 0] = force[twist, 1] = 1.0
    K = parts.K.toarray()
    line = [i for i, name in enumerate(names) if name.endswith((".u", ".phi"))]
    found = np.linalg.solve(K[np.ix_(line, line)], force[line])
    assert found[line.index(push), 0] == pytest.approx(1 / 5e5 + 0.4 / (2.0e11 * area) + 1 / 4e5, rel=1e-9)
    assert found[line.index(twist), 1] == pytest.approx(0.4 / (2.0e11 / 2.6 * polar) + 1 / 6e2, rel=1e-9)
    assert parts.C[names.index("r.node(0).u"), names.index("r.node(0).u")] == 8.0
    # the twist is that beyond the drive: a rotor that spins up as a whole has the inertia J
    J, m = spin.spin.inertia, spin.spin.torsion
    held = 7800.0 * polar * 0.2 * 0.5
    assert m.sum() + held == pytest.approx(J, rel=1e-12)


def test_constant_spin_is_small_motion_and_others_are_not() -> None:
    def made(**spin: Any) -> Rotor:
        return Rotor("r", **SHAFT, spin=spin)

    assert not made(kind="constant", speed=3.0).large_motion
    assert not made(kind="ramp", **{"from": 3.0}, to=3.0, duration=1.0).large_motion
    table = {"kind": "table", "time": [0.0, 1.0], "speed": [2.0, 2.0]}  # its end is looked at
    for spin in (table, {"kind": "ramp", "to": 3.0, "duration": 1.0}, {"kind": "free", "torque": 1.0}):
        assert made(**spin).large_motion
    constant = made(kind="constant", speed=3.0, phase=0.5)._spin
    assert constant.constant
    assert constant.angle is not None
    assert float(constant.angle.value(2.0)) == 6.5
    ramp = made(kind="ramp", **{"from": 1.0}, to=3.0, start=1.0, duration=2.0)._spin
    assert (ramp.constant, ramp.speed, ramp.free) == (False, 1.0, False)
    assert ramp.angle is not None
    assert ramp.angle.value(np.array([0.0, 1.0, 3.0, 4.0])) == pytest.approx([0.0, 1.0, 5.0, 8.0])
    motor = {"speed": [0.0, 100.0], "torque": [5.0, 0.0]}
    free = made(kind="free", speed=2.0, torque={"kind": "ramp", "end_time": 1.0}, drag=0.1, characteristic=motor)._spin
    assert (free.free, free.speed, free.drag) == (True, 2.0, 0.1)
    assert free.characteristic is not None
    assert free.characteristic[1].tolist() == [5.0, 0.0]


def test_gravity_bends_it_as_its_weight_does() -> None:
    disk = {"node": 1, "mass": 2.0, "inertia": 0.01, "polar_inertia": 0.02}
    bearings = [{"node": "first", "stiffness": 1e6}, {"node": "last", "stiffness": 1e6}]
    rotor = Rotor("r", **SHAFT, disks=[disk], bearings=bearings)
    parts = rotor.parts()
    weight = parts.gravity @ np.array([0.0, 0.0, -9.81])
    names = parts.dof_names
    force = 1e6 * np.linalg.solve(parts.K.toarray(), weight)[[names.index(f"r.node({i}).w") for i in (0, 3)]]
    shaft = 7800.0 * 0.6 * np.pi * 0.03**2 / 4
    assert force == pytest.approx(-9.81 * (shaft / 2 + 2.0 * np.array([2 / 3, 1 / 3])), rel=1e-9)
    assert rotor.disk_list[0][1].mass == 2.0


def test_bearings_hold_a_rotor_as_supports_do() -> None:
    from flexmb import NodalForce

    def model(**keys: Any) -> Model:
        out = Model(initial_static=["push"])
        out.add(Rotor("r", **SHAFT, **keys))
        out.add(NodalForce("push", node="r.mid", force=(0.0, 1.0, 0.0)))
        return out

    one = [{"node": 0, "stiffness": 1e6}]
    with pytest.raises(InputError, match="body 'r' is not supported"):
        model(bearings=one).assemble()
    two = [*one, {"node": 3, "stiffness": 1e6}]
    assert model(bearings=two).assemble().q0.any()
