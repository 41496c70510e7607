"""What free flight keeps, that the ledger closes and its terms are right, and that small motion comes out the same."""

from __future__ import annotations

import numpy as np
import pytest
from multibody_models import GRAVITY, SECTION, Z, asymmetric_body, run
from references.ode import solve
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.schemes import HHT, GeneralizedAlpha, MoreauJean, MoreauJeanDissipative, Newmark
from flexmb.system.multibody_system import MultibodySystem

STEEL = {"section": SECTION, "material": {"young": 2e9, "density": 3000.0}, "length": 1.0}
SCHEMES = [
    GeneralizedAlpha(0.8),
    GeneralizedAlpha(1.0),
    GeneralizedAlpha(0.8, constraints="index3"),
    GeneralizedAlpha(0.8, constraints="index2"),
    GeneralizedAlpha(0.8, ggl=False),
    HHT(),
    Newmark(0.5, 0.8),
    MoreauJean(),
    MoreauJean(0.6, projection=True),
    MoreauJeanDissipative(0.6),
]
KINETIC, POTENTIAL, EXTERNAL, DAMPING, CONTACT, NUMERICAL, RESIDUAL = range(7)


def drift(x):
    """Return the largest change since the start over the size at the start."""
    return np.abs(x - x[0]).max() / np.linalg.norm(x[0])


# -------------------------------------------------------------------------------------------- free flight


@pytest.mark.parametrize("h", [1e-2, 1e-1])
@pytest.mark.parametrize("scheme", [GeneralizedAlpha(1.0), Newmark(), MoreauJean()], ids=repr)
def test_a_free_rigid_body_keeps_momentum_angular_momentum_and_energy(scheme, h):
    r = run(asymmetric_body(), scheme, h, 10_000)
    A = Rotation.from_quat(r.q[:, [4, 5, 6, 3]]).as_matrix()
    J = np.array([[1.0, 0.1, -0.2], [0.1, 2.0, 0.15], [-0.2, 0.15, 2.5]])
    spin = np.einsum("nij,jk,nk->ni", A, J, r.v[:, 3:])
    assert drift(r.v[:, :3]) <= 1e-10
    assert drift(spin) <= 1e-10
    assert drift(r.energy[:, KINETIC : KINETIC + 1]) <= 1e-10
    assert np.ptp(r.v[:, 3:], axis=0).min() > 0.5  # it tumbles
    assert np.abs(np.linalg.norm(r.q[:, 3:7], axis=1) - 1.0).max() < 1e-12


def test_damped_schemes_keep_the_angular_momentum_too():
    """Nothing but torques changes it, whatever the scheme does to the energy."""
    for scheme in (GeneralizedAlpha(0.0), GeneralizedAlpha(0.8), HHT(0.3), MoreauJean(1.0)):
        r = run(asymmetric_body(), scheme, 5e-2, 2000)
        A = Rotation.from_quat(r.q[:, [4, 5, 6, 3]]).as_matrix()
        J = np.array([[1.0, 0.1, -0.2], [0.1, 2.0, 0.15], [-0.2, 0.15, 2.5]])
        assert drift(np.einsum("nij,jk,nk->ni", A, J, r.v[:, 3:])) <= 1e-10
        assert drift(r.energy[:, :1]) > 1e-6


def flying(kind, **more):
    model = fm.Model()
    model.add(kind("beam", velocity=(1, 2, 0.5), angular_velocity=(0.3, 2.0, 3.0), **STEEL, **more))
    return model


def flight(model, h, steps=10_000):
    """Return the drifts of momentum, angular momentum and energy with rho_inf = 1, and their series."""
    signals = ["beam.momentum", "beam.angular_momentum"]
    r = fm.simulate(model, GeneralizedAlpha(1.0), steps=steps, end=h * steps, signals=signals)
    series = [r.signals[name] for name in signals] + [r.energy.total[:, None]]
    assert r.energy.potential.max() > 1e-7 * r.energy.total[0]  # it is stretched and bent
    return [drift(x) for x in series], series


@pytest.mark.parametrize("h", [1e-3, 5e-3])
def test_a_free_floating_beam_keeps_them_as_well(h):
    drifts, _ = flight(flying(fm.FloatingBeam, elements=6, modes=3), h)
    assert max(drifts) <= 1e-10


# ------------------------------------------------------------------------------------------------ the ledger


def motor_and_lever():
    """A driven arm, a lever on it with springs and dampers, a follower force, and a floor it strikes."""
    model = fm.Model(gravity=GRAVITY, project=True)
    points = {"tip": (0.6, 0, 0)}
    model.add(fm.Rigid("arm", mass=1.0, inertia=[0.01, 0.1, 0.1], center=(0.5, 0, 0), points={"tip": (1, 0, 0)}))
    keys = {"inertia": [0.01, 0.05, 0.05], "center": (0.3, 0, 0), "rotation": (0, 0, -1.0), "points": points}
    model.add(fm.Rigid("lever", mass=0.5, position=(1, 0, 0), **keys))
    drive = fm.Harmonic(amplitude=0.5, omega=6.0)
    model.add(fm.Revolute("motor", a="ground", b="arm", point=(0, 0, 0), axis=Z, drive=drive))
    model.add(fm.Revolute("hinge", a="arm.tip", b="lever", axis=Z))
    keys = {"point_a": (0.5, -1, 0.2), "stiffness": 30.0, "damping": 2.0}
    model.add(fm.SpringDamper("link", a="ground", b="lever.tip", **keys))
    model.add(fm.TorsionSpring("twist", joint="hinge", stiffness=3.0, damping=0.1, rest=0.5))
    wave = fm.Harmonic(amplitude=1.0, omega=4.0)
    model.add(fm.NodalForce("push", node="lever.tip", force=(1, 2, 0), follower=True, function=wave))
    model.add(fm.NodePlane("floor", node="lever.tip", point=(0, -0.55, 0), normal=(0, 1, 0), restitution=0.6))
    return model


def falling_beam(kind, **more):
    """A beam on a pin falls onto a stop; its own damping acts."""
    model = fm.Model(gravity=GRAVITY)
    model.add(kind("beam", elements=4, damping=(0.0, 1e-3), **STEEL, **more))
    model.add(fm.Revolute("pin", a="beam.first", axis=Z))
    nodes = ["beam.last", "beam.mid"] if kind is fm.ExactBeam else ["beam.last"]
    model.add(fm.NodePlane("stop", nodes=nodes, point=(0, -0.4, 0), normal=(0, 1, 0), restitution=0.5))
    return model


MODELS = {
    "motor and lever": motor_and_lever,
    "exact beam": lambda: falling_beam(fm.ExactBeam),
    "floating beam": lambda: falling_beam(fm.FloatingBeam, modes=2),
}


@pytest.fixture(scope="module", params=MODELS, ids=str)
def struck(request):
    return MODELS[request.param]().assemble()


@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
def test_ledger_closes_with_drives_dampers_followers_and_impacts(struck, scheme):
    r = run(struck, scheme, 1e-3, 1500)
    assert r.engine.failure is None
    assert (r.impulse > 0.0).any(axis=1).sum() > 5
    scale = r.engine.tally().energy_scale
    assert np.abs(r.energy[:, RESIDUAL]).max() <= 1e-9 * scale
    assert np.abs(r.energy[-1, DAMPING]) > 0.05 * scale
    assert np.abs(r.energy[:, CONTACT]).max() > 0.01 * scale
    if struck.tables.functions.kind.size:
        assert np.abs(r.energy[:, EXTERNAL]).max() > 0.1 * scale
    # what is called numerical is small where the scheme does not damp by design
    if scheme.order == 2 and not isinstance(scheme, MoreauJean):
        assert np.abs(r.energy[-1, NUMERICAL]) < 0.1 * scale


def arm(**more):
    """A horizontal arm of 1 m about a pin, its inertia about the pin 1 kg m^2."""
    model = fm.Model(gravity=more.pop("gravity", None), project=True)
    keys = {"mass": 1.2, "inertia": [0.01, 0.7, 0.7], "center": (0.5, 0, 0), "points": {"tip": (1, 0, 0)}}
    model.add(fm.Rigid("arm", **keys))
    model.add(fm.Revolute("pin", a="ground", b="arm", point=(0, 0, 0), axis=Z, **more))
    return model


INERTIA = 0.7 + 1.2 * 0.25


@pytest.mark.parametrize("scheme", [GeneralizedAlpha(0.8), GeneralizedAlpha(1.0, constraints="index2"), MoreauJean()])
@pytest.mark.parametrize("gravity", [None, GRAVITY], ids=["weightless", "weight"])
def test_drive_work_is_the_energy_it_brings(scheme, gravity):
    """A driven arm: energies are known at any time, whatever scheme computes them."""
    drive = fm.Harmonic(amplitude=1.5, omega=3.0)
    errors = []
    for n in (200, 400, 800):
        r = run(arm(drive=drive, gravity=gravity), scheme, 1.0 / n, n)
        angle, rate = 1.5 * np.sin(3.0 * r.t), 4.5 * np.cos(3.0 * r.t)
        kinetic = 0.5 * INERTIA * rate**2
        potential = 0.0 if gravity is None else 1.2 * 9.81 * 0.5 * np.sin(angle)
        if scheme.name != "moreau-jean":  # whose positions drift from the drive
            np.testing.assert_allclose(r.q[:, 0], 0.5 * np.cos(angle), atol=1e-3)
        change = kinetic - kinetic[0] + potential
        assert np.abs(change).max() > 4.0
        errors.append(np.abs(r.energy[:, EXTERNAL] - change).max())
        assert np.abs(r.energy[:, RESIDUAL]).max() < 1e-11
    order = np.log2(errors[1] / errors[2])
    assert order > (0.9 if scheme.name == "moreau-jean" else 1.9)
    assert errors[-1] < (5e-2 if scheme.name == "moreau-jean" else 1e-3)


def test_a_drive_at_constant_speed_does_no_work_and_a_lifting_one_lifts():
    r = run(arm(drive=fm.Polynomial(coefficients=[0.0, 2.0])), GeneralizedAlpha(1.0), 1e-2, 100)
    np.testing.assert_allclose(r.energy[:, KINETIC], 0.5 * INERTIA * 4.0, rtol=1e-12)
    assert np.abs(r.energy[:, EXTERNAL]).max() < 1e-7
    model = fm.Model(gravity=GRAVITY, project=True)
    model.add(fm.Rigid("lift", mass=2.0, inertia=[1, 1, 1]))
    model.add(fm.Prismatic("shaft", a="ground", b="lift", axis=(0, 1, 0), drive=fm.Polynomial(coefficients=[0, 0.5])))
    r = run(model, GeneralizedAlpha(0.8), 1e-2, 100)
    np.testing.assert_allclose(r.energy[:, EXTERNAL], 2.0 * 9.81 * 0.5 * r.t, atol=1e-11)
    np.testing.assert_allclose(r.lam[:, -1], 2.0 * 9.81, rtol=1e-11)


def test_damping_work_is_the_integral_of_the_power():
    """A pendulum with a torsional spring and damper: -int c theta'^2 dt from the equation of the angle."""
    model = arm(gravity=GRAVITY)
    model.add(fm.TorsionSpring("twist", joint="pin", stiffness=4.0, damping=0.8))

    def rhs(t, y):
        torque = -4.0 * y[0] - 0.8 * y[1] - 1.2 * 9.81 * 0.5 * np.cos(y[0])
        return [y[1], torque / INERTIA, 0.8 * y[1] ** 2]

    times = np.linspace(0.0, 2.0, 201)
    wanted = -solve(rhs, [0.0, 0.0, 0.0], times)[:, 2]
    for scheme in (GeneralizedAlpha(0.8), GeneralizedAlpha(1.0, constraints="index3")):
        errors = []
        for k in (2, 4, 8):
            r = run(model, scheme, 1e-2 / k, 200 * k, every=k)
            np.testing.assert_allclose(r.t, times, atol=1e-12)
            errors.append(np.abs(r.energy[:, DAMPING] - wanted).max())
            assert np.abs(r.energy[:, NUMERICAL]).max() < 1e-2
        assert wanted[-1] < -2.0
        assert errors[-1] < 1e-4
        assert np.log2(errors[1] / errors[2]) > 1.9


@pytest.mark.parametrize("follower", [False, True])
def test_external_work_is_force_times_way(follower):
    """A moment of 3 N m, or a follower force of 3 N across the tip of 1 m: work 3 theta, and theta = 3 t^2/2."""
    for scheme in (GeneralizedAlpha(0.8), MoreauJean()):
        model = arm()
        keys = {"force": (0, 3, 0), "node": "arm.tip"} if follower else {"moment": (0, 0, 3), "node": "arm"}
        model.add(fm.NodalForce("push", **keys, follower=follower))
        r = run(model, scheme, 2.5e-3, 400)
        angle = 2.0 * np.unwrap(np.arctan2(r.q[:, 6], r.q[:, 3]))
        first = scheme.name == "moreau-jean"
        np.testing.assert_allclose(angle, 1.5 * r.t**2, atol=2e-2 if first else 1e-3)
        np.testing.assert_allclose(r.energy[:, EXTERNAL], 3.0 * angle, atol=2e-4 if follower else 1e-11)
        np.testing.assert_allclose(r.energy[:, KINETIC], 3.0 * angle, atol=2e-2 if first else 1e-3)


@pytest.mark.parametrize("scheme", [GeneralizedAlpha(1.0), GeneralizedAlpha(0.8, ggl=False), MoreauJean()], ids=repr)
def test_contact_work_is_what_newtons_law_takes(scheme):
    """A spinning body strikes a wall with an eccentric point, once: -(1 - e^2) U^2 / (2 W)."""
    model = fm.Model()
    keys = {"inertia": [0.3, 0.5, 0.7], "velocity": (-2, 0.3, 0), "angular_velocity": (0, 0, 0.4)}
    model.add(fm.Rigid("body", mass=2.0, points={"nose": (0, 0.5, 0.2)}, **keys))
    model.add(fm.NodePlane("wall", node="body.nose", point=(-0.5, 0, 0), normal=(1, 0, 0), restitution=0.4))
    system = model.assemble()
    r = run(system, scheme, 1e-3, 400)
    (hit,) = np.flatnonzero(r.impulse[:, 0] > 0.0)
    M, _, _ = system.tangents(0.0, r.q[hit], r.v[hit])
    G = system.G(0.0, r.q[hit]).toarray()[:, 0]
    W = G @ np.linalg.solve(M.toarray(), G)
    before = G @ r.v[hit - 1]
    wanted = -0.5 * (1.0 - 0.4**2) * before**2 / W
    assert wanted < -1.0
    assert r.energy[-1, CONTACT] == pytest.approx(wanted, rel=2e-3)
    assert r.impulse[hit, 0] == pytest.approx(-1.4 * before / W, rel=2e-3)
    assert G @ r.v[hit] == pytest.approx(-0.4 * before, rel=2e-3)


# ----------------------------------------------------------------- the same motion as the loop of small motion


def small_parts(extra):
    """Bar, beam and ball with springs, dampers, loads and three kinds of contact; ``extra`` makes it large motion."""
    model = fm.Model(gravity=GRAVITY)
    keys = {"area": 1e-3, "young": 1e8, "density": 2000.0, "velocity": (0, -1, 0), "damping": (0.3, 1e-5)}
    bar = model.add(fm.Bar("bar", length=1.0, elements=8, position=(0, 0.02, 0), direction=(0, 1, 0), **keys))
    keys = {"supports": [{"node": "first", "kind": "clamped"}], "damping": (0.1, 1e-4), **STEEL}
    beam = model.add(fm.Beam("beam", elements=6, bending="spatial", position=(1, 0, 0), **keys))
    model.add(fm.Particle("ball", 0.5, position=(2, 0.05, 0), velocity=(0, -2, 0)))
    model.add(fm.NodeNode("hit", node="ball", node2=beam.last, direction=(0, 1, 0), restitution=0.6))
    plane = {"normal": (0, 1, 0), "restitution": 0.4}
    wave = fm.Harmonic(amplitude=0.02, omega=20.0)
    model.add(fm.NodePlane("floor", nodes=["bar.first", "ball"], point=(0, -0.1, 0), motion=wave, **plane))
    model.add(fm.NodePlane("ledge", nodes="beam.all", point=(0, -0.08, 0), **plane))
    model.add(fm.Spring("spring", node=bar.last, node2=beam.mid, stiffness=500.0, direction=(0, 1, 0)))
    model.add(fm.Damper("damper", node="ball", coefficient=0.3, anchor=(2, 1, 0)))
    # in one plane, so that rotations of nodes are the same in both: vectors there, and turns about one axis here
    wave = fm.Harmonic(amplitude=1.0, omega=30.0)
    model.add(fm.NodalForce("push", node=beam.last, force=(0, 3, 0), moment=(0, 0, 0.2), function=wave))
    if extra == "far body":
        model.add(fm.Rigid("far", mass=1.0, inertia=[1, 1, 1], position=(50, 0, 0)))
    elif extra == "held particle":
        model.add(fm.Particle("held", 1.0, position=(5, 0, 0)))
        model.add(fm.Spherical("pin", a="held"))
    return model


SIGNALS = ["bar.first.position", "bar.last.velocity", "beam.last.position", "beam.mid.velocity", "ball.velocity"]
WORKS = ("kinetic", "potential", "work_external", "work_damping", "work_contact", "numerical")


@pytest.mark.parametrize("extra", ["far body", "held particle"])
@pytest.mark.parametrize(
    "scheme",
    [s for s in SCHEMES if getattr(s, "constraints", "auto") == "auto"],
    ids=repr,
)
def test_linear_parts_move_as_in_small_motion(scheme, extra):
    small, large = (small_parts(e).assemble(signals=SIGNALS) for e in ("", extra))
    assert isinstance(large, MultibodySystem)
    assert not isinstance(small, MultibodySystem)
    a, b = (fm.simulate(s, scheme, step=1e-3, end=0.4) for s in (small, large))
    assert a.summary["contact_steps"] == b.summary["contact_steps"] > 20
    for name in SIGNALS:
        np.testing.assert_allclose(b.signals[name], a.signals[name], atol=1e-10, err_msg=name)
    for name in ("hit", "floor", "ledge"):
        assert a.contacts[name].impulse.sum() > 0.5
        np.testing.assert_allclose(b.contacts[name].impulse, a.contacts[name].impulse, atol=1e-10, err_msg=name)
        np.testing.assert_allclose(b.contacts[name].gap, a.contacts[name].gap, atol=1e-10, err_msg=name)
    if extra == "held particle":
        for name in WORKS:
            x, y = getattr(a.energy, name), getattr(b.energy, name)
            np.testing.assert_allclose(y - y[0], x - x[0], atol=1e-10, err_msg=name)
