"""Rotors of constant speed in small motion: exact transients, whirl, ledger, starts, and what is refused."""

import re
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest
from scipy import sparse

import flexmb as fm
from flexmb.errors import InputError
from flexmb.linalg.strain import spring_modes
from flexmb.parts.bodies.body import BodyParts
from flexmb.parts.bodies.rotor import Rotor
from flexmb.parts.bodies.spin_parts import Excitation, SpeedTable, Spin, SpinParts
from flexmb.parts.speed_history import SpeedHistory
from flexmb.schemes import HHT, GeneralizedAlpha, MoreauJean, Newmark, SchatzmanPaoli

SECOND = [MoreauJean(), SchatzmanPaoli(), Newmark(), HHT(), GeneralizedAlpha(), GeneralizedAlpha(0.0)]
J = np.array([[0.0, 1.0], [-1.0, 0.0]])


@dataclass
class Disk:
    """A disk on a massless shaft: unknowns y and z of one point, and all that spinning can add."""

    m: float = 1.6
    k: object = 4000.0
    c: object = 0.0
    speed: float = 25.0
    U: float = 0.0
    phase: float = 0.0
    gyro: float = 0.0
    cross: float = 0.0
    circulation: float = 0.0
    skew_damping: float = 0.0
    tables: tuple = ()
    velocity: tuple = (0.0, 0.0)
    angle0: float = 0.0
    constant: bool = True
    name: str = "r"
    role: ClassVar[str] = "bodies"

    def parts(self) -> BodyParts:
        K, C = np.eye(2) * self.k, np.eye(2) * self.c
        excitation = Excitation(f"{self.name}.node(0)", 0, 1, 1.0, 1.0, self.U, self.phase, weighs=True)
        spin = SpinParts(
            gyro=sparse.csr_array(self.gyro * J),
            circulation=sparse.csr_array(self.circulation * J),
            skew_damping=sparse.csr_array(self.skew_damping * J),
            cross=sparse.csr_array(self.cross * J),
            tables=self.tables,
            excitations=(excitation,) if self.U else (),
            spin=Spin(
                SpeedHistory(time=[0.0], speed=[self.speed], phase=self.angle0),
                self.constant,
                self.speed,
                self.angle0,
                0.0,
                np.zeros(2),
            ),
            axis=np.eye(3),
        )
        body = fm.Particle(self.name, self.m, axes="yz").parts()
        return replace(
            body,
            K=sparse.csr_array(K),
            C=sparse.csr_array(C),
            strain=spring_modes(np.arange(2), K, 2),
            v0=np.array(self.velocity, dtype=float),
            rigid_held=np.eye(2),
            spin=spin,
        )


def model(*bodies, **options):
    m = fm.Model(**options)
    for body in bodies:
        m.add(body)
    return m


def whirl(result, name="r"):
    """Return y + i z of a disk."""
    x = result.signals[f"{name}.position"]
    return x[:, 1] + 1j * x[:, 2]


# Laval rotor, data of the Exudyn example: m = 1.6, k = 4000, zeta = 0.005, eps = 0.01, W = w0 / 2 -----------

LAVAL = {"m": 1.6, "k": 4000.0, "c": 2 * 0.005 * np.sqrt(4000.0 * 1.6), "speed": 25.0, "U": 1.6 * 0.01}


def laval(t, phase=0.0, W=25.0):
    """z'' + 2 zeta w z' + w^2 z = eps W^2 exp(i (W t + phase)) from rest."""
    w, zeta, eps = 50.0, 0.005, 0.01
    A = eps * W**2 / (w**2 - W**2 + 2j * zeta * w * W) * np.exp(1j * phase)
    s = -zeta * w + np.array([1j, -1j]) * w * np.sqrt(1 - zeta**2)
    c = np.linalg.solve(np.array([[1, 1], s]), [-A, -1j * W * A])
    return A * np.exp(1j * W * t) + c[0] * np.exp(s[0] * t) + c[1] * np.exp(s[1] * t)


@pytest.mark.parametrize("scheme", SECOND, ids=repr)
def test_laval_rotor_from_rest_is_the_exact_transient(scheme):
    errors = []
    for steps in (40000, 80000):
        result = fm.simulate(model(Disk(**LAVAL)), scheme, steps=steps, end=0.5, every=steps // 500)
        exact = laval(result.time)
        errors.append(np.abs(whirl(result) - exact).max() / np.abs(exact).max())
    assert errors[1] < 1e-6
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.05)


@pytest.mark.parametrize("speed", [25.0, -25.0])
def test_phases_add_to_the_spin_angle_and_speeds_may_be_negative(speed):
    disk = Disk(**{**LAVAL, "speed": speed}, phase=0.7, angle0=-0.2)
    result = fm.simulate(model(disk), GeneralizedAlpha(), steps=8000, end=0.4, every=20)
    np.testing.assert_allclose(whirl(result), laval(result.time, 0.5, speed), rtol=0, atol=1e-7)


def test_unbalance_is_booked_as_the_work_of_the_drive():
    result = fm.simulate(model(Disk(**LAVAL)), GeneralizedAlpha(), steps=4000, end=1.0, every=10)
    z, W = laval(result.time), 25.0
    fine = np.linspace(0.0, 1.0, 200001)
    v = np.gradient(laval(fine), fine)
    work = np.sum(1.6 * 0.01 * W**2 * (np.exp(-1j * W * fine) * v).real) * (fine[1] - fine[0])
    energy = result.energy
    assert energy.work_drive[-1] == pytest.approx(work, rel=1e-3)
    np.testing.assert_array_equal(energy.work_external, energy.work_drive)
    assert np.abs(energy.residual).max() <= 1e-13 * energy.kinetic.max()
    assert np.abs(z).max() > 0.004


@pytest.mark.parametrize("scheme", [MoreauJean(), SchatzmanPaoli(), GeneralizedAlpha(1.0)], ids=repr)
def test_gyroscopic_whirl_goes_from_y_to_z_at_the_exact_rate(scheme):
    """A top without springs: c' = i (gyro W / m) c for c = y' + i z' (signs as of a disk's theta_y, theta_z)."""
    disk = Disk(m=2.0, k=0.0, gyro=3.0, speed=4.0, velocity=(1.0, 0.0))
    result = fm.simulate(model(disk), scheme, steps=20000, end=1.0, every=100)
    v = result.signals["r.velocity"]
    np.testing.assert_allclose(v[:, 1] + 1j * v[:, 2], np.exp(6j * result.time), rtol=0, atol=1e-6)
    assert np.ptp(result.energy.kinetic) < 1e-9
    assert not result.energy.work_external.any()


# cross-coupling ---------------------------------------------------------------------------------------------

SEAL = {"m": 2.0, "c": 5.0, "k": 800.0, "speed": 10.0}


def unstable(kc):
    """Return the root of m s^2 + c s + k - i kc with the larger real part."""
    roots = np.roots([2.0, 5.0, 800.0 - 1j * kc])
    return roots[np.argmax(roots.real)]


@pytest.mark.parametrize("way", ["cross", "circulation", "table"])
def test_whirl_in_a_cross_coupled_bearing_grows_at_its_eigenvalue(way):
    kc, root = 150.0, unstable(150.0)
    assert root.real > 0.2
    start = -1j * root * 1e-3  # z(0) = 0 cannot be pure: the velocity alone starts both roots
    disk = Disk(**SEAL, velocity=(start.real, start.imag))
    if way == "table":
        K = 800.0 * np.eye(2) + kc * J
        steps = np.array([-1.0, 1.0])[:, None, None]  # what is between the entries is linear
        table = SpeedTable("r.node(0)", np.arange(2), np.array([5.0, 15.0]), K + 77.0 * steps * J, 0.0 * steps * J)
        disk = replace(disk, k=0.0, tables=(table,))
    else:
        disk = replace(disk, **{way: kc / (10.0 if way == "circulation" else 1.0)})
    result = fm.simulate(model(disk), GeneralizedAlpha(), steps=40000, end=6.0, every=40)
    other = -2.5 - root
    A = start / (root - other)
    exact = A * (np.exp(root * result.time) - np.exp(other * result.time))
    assert np.abs(whirl(result) - exact).max() < 1e-4 * np.abs(exact).max()
    late = result.time > 4.0
    rate = np.polyfit(result.time[late], np.log(np.abs(whirl(result)[late])), 1)[0]
    assert rate == pytest.approx(root.real, rel=1e-3)
    energy = result.energy
    gained = energy.total - energy.total[0]
    assert energy.work_cross[-1] > gained[-1] > 0.0
    np.testing.assert_array_equal(energy.work_external, energy.work_cross)
    # power of the cross force kc |z|^2 Im(s) on a circular whirl
    power = np.polyfit(result.time[late], np.log(energy.work_cross[late]), 1)[0]
    assert power == pytest.approx(2 * root.real, rel=2e-2)
    assert np.abs(energy.residual).max() <= 1e-12 * energy.work_cross.max()


def test_tables_are_taken_at_the_speed_and_parted():
    K = np.array([[[500.0, 30.0], [10.0, 700.0]], [[900.0, 50.0], [-20.0, 600.0]]])
    C = np.array([[[5.0, 3.0], [1.0, 7.0]], [[9.0, 5.0], [-2.0, 6.0]]])
    disk = Disk(k=100.0, c=1.0, gyro=0.2, skew_damping=4.0, tables=(SpeedTable("x", np.arange(2), [0.0, 40.0], K, C),))
    s = model(
        Disk(name="other", U=1.0), replace(disk, tables=(replace(disk.tables[0], speed=np.array([0.0, 40.0])),))
    ).assemble()
    K_at, C_at = K[0] + 0.625 * (K[1] - K[0]), C[0] + 0.625 * (C[1] - C[0])
    whole = (s.K + s.cross).toarray()[2:, 2:]
    np.testing.assert_allclose(whole, 100.0 * np.eye(2) + K_at, rtol=1e-14)
    np.testing.assert_allclose((s.C + s.gyro).toarray()[2:, 2:], np.eye(2) + (4.0 + 25 * 0.2) * J + C_at, rtol=1e-14)
    np.testing.assert_array_equal(s.K.toarray(), s.K.toarray().T)
    np.testing.assert_array_equal(s.cross.toarray(), -s.cross.toarray().T)
    np.testing.assert_allclose(s.strain.matrix().toarray(), s.K.toarray(), rtol=0, atol=1e-10)
    assert [load.drive for load in s.loads] == [True, True]
    assert not s.loads[0].B[2:].any()


# starts -----------------------------------------------------------------------------------------------------


def shaft(refine=1, speed=120.0, **options):
    """A rotor with two disks on skewed, cross-coupled bearings, horizontal."""
    x = np.linspace(0.0, 0.9, 9 * refine + 1)
    bearing = {"stiffness": [[4e6, 3e5], [-5e5, 6e6]], "damping": [[300.0, 40.0], [-60.0, 500.0]]}
    given = {
        "stations": x,
        "outer_diameter": 0.03,
        "material": {"young": 2.1e11, "density": 7850.0, "poisson": 0.3},
        "damping": (2.0, 1e-6),
        "internal_damping": 2e-5,
        "spin": {"kind": "constant", "speed": speed, "phase": 0.3},
        "disks": [
            {"node": 3 * refine, "mass": 4.0, "inertia": 0.01, "polar_inertia": 0.018, "eccentricity": 1e-4},
            {
                "node": 6 * refine,
                "mass": 2.0,
                "inertia": 0.006,
                "polar_inertia": 0.011,
                "tilt": 1e-3,
                "tilt_phase": 1.0,
            },
        ],
        "bearings": [{"node": refine, **bearing}, {"node": 8 * refine, **bearing}],
        "unbalances": [{"node": 6 * refine, "magnitude": 3e-4, "phase": -1.0}],
    }
    return Rotor("rotor", **(given | options))


def test_a_horizontal_rotor_starts_sagged_and_stays_so():
    still = {"disks": [{"node": 3, "mass": 4.0, "inertia": 0.01, "polar_inertia": 0.018}], "unbalances": []}
    m = model(shaft(**still), gravity=(0.0, 0.0, -9.81), initial_static=["gravity"])
    s = m.assemble()
    q = np.linalg.solve((s.K + s.cross).toarray(), s.F0)
    np.testing.assert_allclose(s.q0, q, rtol=1e-9, atol=1e-9 * np.abs(q).max())
    result = fm.simulate(m, GeneralizedAlpha(), steps=2000, end=0.1, signals=["rotor.node(3).displacement"])
    moved = result.signals["rotor.node(3).displacement"]
    assert np.abs(moved[0, 1]) > 1e-7  # cross-coupling leads the sag sideways
    assert np.abs(moved - moved[0]).max() < 1e-9 * np.abs(moved[0]).max()
    assert moved[0, 2] < -1e-5


@pytest.mark.parametrize("scheme", [MoreauJean(), SchatzmanPaoli(), GeneralizedAlpha()], ids=repr)
def test_steady_start_is_the_closed_form_and_is_kept(scheme):
    disk = Disk(**LAVAL, phase=0.4)
    m = model(disk, gravity=(0.0, 0.0, -10.0), initial_steady=True)
    result = fm.simulate(m, scheme, start=0.3, steps=20000, end=2.3, every=50)
    A = 0.01 * 25.0**2 / np.hypot(50.0**2 - 25.0**2, 2 * 0.005 * 50.0 * 25.0)  # |r| of the Jeffcott rotor
    lag = np.arctan2(2 * 0.005 * 50.0 * 25.0, 50.0**2 - 25.0**2)
    exact = A * np.exp(1j * (25.0 * result.time + 0.4 - lag)) - 10.0j / 2500.0
    assert np.abs(whirl(result)[0] - exact[0]) < 1e-15
    np.testing.assert_allclose(whirl(result), exact, rtol=0, atol=2e-6 * A)


def test_steady_start_of_a_whole_rotor_repeats_itself_every_turn():
    """Two excitations, tilt, skew bearings, gyroscopic moments and circulation, gravity, a harmonic load."""
    m = model(shaft(), gravity=(0.0, 0.0, -9.81), initial_steady=True)
    harmonic = {"kind": "harmonic", "omega": 240.0, "phase": 0.2, "offset": 0.5}
    m.add(fm.NodalForce("push", node="rotor.node(5)", force=(0, 3.0, 0), function=harmonic))
    turn = 2 * np.pi / 120.0
    result = fm.simulate(m, GeneralizedAlpha(0.9), steps=24000, end=6 * turn, every=100)
    y = result.signals["rotor.mid.position"][:, 1:]
    rows = y.shape[0] // 6
    orbit = y[1 : rows + 1]
    size = np.ptp(orbit, axis=0).max()
    assert size > 1e-5
    for k in range(1, 6):
        assert np.abs(y[1 + k * rows : 1 + (k + 1) * rows] - orbit).max() < 1e-4 * size
    now, later = m.assemble(), m.assemble(t0=turn)
    np.testing.assert_allclose(later.q0, now.q0, rtol=0, atol=1e-12)
    np.testing.assert_allclose(later.v0, now.v0, rtol=0, atol=1e-10)


def test_loads_of_the_rotor_are_the_forces_of_its_unbalance():
    """U W^2 (cos psi along y, sin psi along z); (I_d - I_p) tilt W^2 on the slopes (v', w') = (theta_z, -theta_y)."""
    s = model(shaft()).assemble()
    name = {dof: i for i, dof in enumerate(s.dof_names)}
    for t in (0.0, 0.0123):
        phi, W2 = 0.3 + 120.0 * t, 120.0**2
        F = np.zeros(s.nv)
        for node, U, phase in ((3, 4e-4, 0.0), (6, 3e-4, -1.0)):
            F[name[f"rotor.node({node}).v"]] += U * W2 * np.cos(phi + phase)
            F[name[f"rotor.node({node}).w"]] += U * W2 * np.sin(phi + phase)
        U = (0.006 - 0.011) * 1e-3
        F[name["rotor.node(6).theta_z"]] += U * W2 * np.cos(phi + 1.0)
        F[name["rotor.node(6).theta_y"]] -= U * W2 * np.sin(phi + 1.0)
        np.testing.assert_allclose(s.F(t), F, rtol=0, atol=1e-12)


# engines and ledger on whole rotors -------------------------------------------------------------------------


@pytest.mark.parametrize(("refine", "h", "corrected"), [(1, 5e-5, False), (4, 2e-4, True)])
@pytest.mark.parametrize("scheme", [MoreauJean(0.6), SchatzmanPaoli(), GeneralizedAlpha(), HHT(ggl=False)], ids=repr)
def test_rotor_against_a_stop_in_both_engines(scheme, refine, h, corrected):
    m = model(shaft(refine), gravity=(0.0, 0.0, -9.81))
    m.add(
        fm.NodePlane("stop", nodes=f"rotor.node({5 * refine})", point=(0, 0, -2e-5), normal=(0, 0, 1), restitution=0.4)
    )
    assert scheme.prepare(m.assemble(), h).S.refine is corrected
    one, two = (fm.simulate(m, scheme, step=h, end=200 * h, engine=e) for e in ("compiled", "general"))
    assert one.summary["contact_steps"] == two.summary["contact_steps"] > 1
    a, b = (r.signals["rotor.mid.position"] for r in (one, two))
    np.testing.assert_allclose(a, b, rtol=0, atol=1e-8 * np.abs(a[:, 1:]).max())
    for r in (one, two):
        e = r.energy
        scale = max(np.abs(e.total).max(), e.kinetic.max(), np.abs(e.work_drive).max())
        assert np.abs(e.residual).max() < 1e-9 * scale
        assert e.work_cross.any()
        assert e.work_drive.any()


@pytest.mark.parametrize("scheme", [MoreauJean(), GeneralizedAlpha()], ids=repr)
def test_the_equations_of_large_motion_give_the_same_run(scheme):
    """A clearance that nothing reaches makes it a system in large motion: other matrices, other loop, same schemes."""
    runs = []
    for far in (False, True):
        m = model(shaft(), gravity=(0.0, 0.0, -9.81))
        if far:
            m.add(fm.Clearance("far", node="rotor.mid", gap=1.0))
        assert m.large_motion is far
        runs.append(fm.simulate(m, scheme, step=1e-4, end=0.05, signals=["rotor.node(6).displacement"]))
    a, b = (r.signals["rotor.node(6).displacement"] for r in runs)
    np.testing.assert_allclose(a, b, rtol=0, atol=1e-8 * np.abs(a).max())
    for name in ("kinetic", "work_drive", "work_cross", "work_damping"):
        x, y = (getattr(r.energy, name) for r in runs)
        np.testing.assert_allclose(x, y, rtol=0, atol=1e-7 * np.abs(runs[0].energy.work_drive).max(), err_msg=name)


def test_short_steps_of_a_rotor_close_the_ledger_without_corrected_solutions():
    m = model(shaft(2), gravity=(0.0, 0.0, -9.81))
    s = m.assemble()
    scheme, h = GeneralizedAlpha(), 2e-6
    assert not scheme.prepare(s, h).S.refine
    result = fm.simulate(m, scheme, step=h, end=4000 * h, every=40)
    energy = result.energy
    assert np.abs(energy.residual).max() < 1e-12 * np.abs(energy.work_drive).max()


# what is refused --------------------------------------------------------------------------------------------


def refusal(*bodies, parts=(), **options):
    """Return why a model is refused."""
    m = model(*bodies, **options)
    for part in parts:
        m.add(part)
    with pytest.raises(InputError) as caught:
        m.assemble()
    return str(caught.value)


def test_speeds_outside_a_table_are_refused():
    table = SpeedTable("r.node(0)", np.arange(2), np.array([30.0, 50.0]), np.zeros((2, 2, 2)), np.zeros((2, 2, 2)))
    assert re.search(
        r"bodies\.r\.spin\.speed = 25\.0: the bearing at r\.node\(0\) is given for speeds from 30",
        refusal(Disk(tables=(table,))),
    )


def test_a_spin_that_changes_has_no_linear_system():
    assert re.search(r"bodies\.r\.spin.*large motion", refusal(Disk(constant=False)))


def test_steady_starts_that_cannot_be():
    ramp = fm.NodalForce("push", node="r", force=(0, 1, 0), function={"kind": "ramp", "end_time": 1.0})
    assert re.search(
        r"initial\.steady = True: load 'push' is neither constant nor harmonic",
        refusal(Disk(), parts=[ramp], initial_steady=True),
    )
    assert re.search(r"bodies\.r\.velocity", refusal(Disk(velocity=(1.0, 0.0)), initial_steady=True))
    both = {"initial_steady": True, "initial_static": ["gravity"], "gravity": (0, 0, -9.81)}
    assert re.search(r"initial\.static.*not from both", refusal(Disk(), **both))
    assert re.search("excited at a natural frequency", refusal(Disk(speed=50.0, U=1.0), initial_steady=True))
    loose = fm.Particle("loose", 1.0)
    assert re.search(
        r"initial\.steady = True: body 'loose' is not supported",
        refusal(loose, initial_steady=True, gravity=(0, 0, -9.81)),
    )
    assert re.search(
        r"initial\.steady.*large motion",
        refusal(shaft(spin={"kind": "ramp", "to": 9.0, "duration": 1.0}), initial_steady=True),
    )
    assert re.search(r"initial\.static = 'gravity': is not a force", refusal(Disk(), initial_static=["gravity"]))


def test_matrices_that_are_not_skew_are_refused():
    s = model(Disk()).assemble()
    with pytest.raises(InputError, match=r"system\.gyro.*skew matrix.*2 unknowns"):
        replace(s, gyro=sparse.csr_array(np.array([[0.0, 1.0], [1.0, 0.0]])))


CASE = """
title = "rotor"
[time]
end = 0.01
step = 1e-4
[scheme]
name = "generalized-alpha"
[gravity]
acceleration = [0.0, 0.0, -9.81]
[initial]
START
[bodies.rotor]
kind = "rotor"
stations = [0.0, 0.3, 0.6]
outer_diameter = 0.03
material = { young = 2.1e11, density = 7850.0, poisson = 0.3 }
spin = { kind = "constant", speed = 100.0 }
disks = [{ node = 1, mass = 4.0, inertia = 0.01, polar_inertia = 0.018, eccentricity = 1e-4 }]
bearings = [{ node = 0, stiffness = 1e6, damping = 100.0 }, { node = 2, stiffness = 1e6, damping = 100.0 }]
"""


def test_starts_from_a_case_file(tmp_path):
    path = tmp_path / "case.toml"
    systems = {}
    for start in ("", 'static = ["gravity"]', "steady = true"):
        path.write_text(CASE.replace("START", start))
        case = fm.load_case(path)
        systems[start] = case.plan.system
        assert ("steady = true" in case.to_toml()) == (start == "steady = true")
    none, sagged, steady = systems.values()
    assert not none.q0.any()
    np.testing.assert_allclose(none.K @ sagged.q0, none.F0, rtol=0, atol=1e-9 * np.abs(none.F0).max())
    assert not sagged.v0.any()
    assert np.abs(steady.v0).max() > 1e-4


def test_the_speed_of_a_constant_rotor_can_be_recorded():
    model = fm.Model()
    bearings = [{"node": node, "stiffness": 1e6} for node in (0, 2)]
    material = {"young": 2.1e11, "density": 7800.0, "poisson": 0.3}
    spin = {"kind": "constant", "speed": 30.0}
    model.add(
        fm.Rotor(
            "rotor", stations=[0.0, 0.3, 0.6], outer_diameter=0.02, material=material, bearings=bearings, spin=spin
        )
    )
    probe = model.assemble(["rotor.spin_speed"]).probes[0]
    assert (probe.size, probe.offset.tolist(), probe.B.shape[0]) == (1, [30.0], 1)
