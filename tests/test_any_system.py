"""Schemes that are written over the words of ``system.protocol``: one source on bars, rotors and bodies that turn."""

from dataclasses import replace

import multibody_models as models
import numpy as np
import pytest
from runs import run
from systems import bar_system, random_system

import flexmb as fm
from flexmb.errors import InputError
from flexmb.kernels.geometry.tables import CLASSES, JOINT
from flexmb.schemes import SCHEMES
from flexmb.schemes.scheme import Scheme

NOT_TURNING = {"schatzman-paoli"}
"""Schemes for systems whose unknowns are plain numbers: what they refuse is tested in test_rotor_schemes."""
ANYWHERE = [cls() for cls in SCHEMES.values() if cls.any_system and cls.name not in NOT_TURNING]
WITH_RESTITUTION = [(s, e) for s in ANYWHERE for e in (0.0, 0.5, 1.0) if s.restitutes or not e]
EXPLICIT = [scheme for scheme in ANYWHERE if np.isfinite(scheme.stability)]


def closes(result, tolerance=1e-12):
    energy = result.summary["energy"]
    assert energy["residual_max"] <= tolerance * energy["scale"]


def tumbling(restitution=0.5, planes=1):
    """A body that turns about its middle axis and falls on a tip."""
    model = fm.Model(gravity=(0, 0, -9.81))
    body = {"mass": 1.0, "inertia": [1.0, 2.0, 3.0], "angular_velocity": [0.1, 5.0, 0.1], "position": [0, 0, 1]}
    model.add(fm.Rigid("top", points={"tip": [0, 0, -0.5]}, **body))
    for k in range(planes):
        model.add(fm.NodePlane(f"floor{k}", node="top.tip", normal=[0, 0, 1], restitution=restitution))
    return model


def rubbing(restitution=0.0, spin=None):
    """A short, soft rotor with a heavy disk whirls into its ring."""
    model = fm.Model()
    rotor = {
        "stations": [0.0, 0.2, 0.4],
        "outer_diameter": 0.02,
        "material": {"young": 2.1e9, "density": 7800.0},
        "disks": [{"node": 1, "mass": 2.0, "inertia": 0.01, "polar_inertia": 0.02, "eccentricity": 1e-3}],
        "supports": [{"node": node, "kind": "pinned"} for node in ("first", "last")],
    }
    spin = {"kind": "constant", "speed": 60.0} if spin is None else spin
    model.add(fm.Rotor("rotor", theory="euler-bernoulli", spin=spin, **rotor))
    model.add(fm.Clearance("ring", node="rotor.mid", gap=5e-4, restitution=restitution))
    return model


@pytest.mark.parametrize(("scheme", "restitution"), WITH_RESTITUTION, ids=repr)
def test_the_ledger_closes_on_a_body_that_turns_and_hits(scheme, restitution):
    result = fm.simulate(tumbling(restitution), scheme, step=5e-3, end=1.0)
    assert result.contacts["floor0"].impulse.sum() > 1.0
    closes(result)


@pytest.mark.parametrize("scheme", ANYWHERE, ids=repr)
def test_order_on_a_body_that_turns(scheme):
    """Without contact, against the implicit scheme with a hundredth of the step."""
    exact = fm.simulate(tumbling(0.0), fm.GeneralizedAlpha(rho_inf=1.0), step=2e-5, end=0.3, every=15000)
    errors = []
    for steps in (15, 30, 60):
        found = fm.simulate(tumbling(0.0), scheme, steps=steps, end=0.3)
        errors.append(np.abs(found.signals["top.orientation"][-1] - exact.signals["top.orientation"][-1]).max())
    order = 1 if scheme.name == "euler-linearized" else 2  # without forces of positions theta does not count
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.15)
    assert np.log2(errors[1] / errors[2]) == pytest.approx(order, abs=0.15)


LINEARLY_IMPLICIT = ("potra", "euler-linearized")


def change_of_angular_momentum(scheme, h):
    model = fm.Model()
    model.add(fm.Rigid("top", mass=1.0, inertia=[1.0, 2.0, 3.0], angular_velocity=[0.1, 5.0, 0.1]))
    result = fm.simulate(model, scheme, step=h, end=2.0, signals=["top.angular_momentum"])
    L = result.signals["top.angular_momentum"]
    return np.abs(L - L[0]).max() / np.abs(L[0]).max()


@pytest.mark.parametrize("scheme", [s for s in ANYWHERE if s.name not in LINEARLY_IMPLICIT], ids=repr)
def test_a_free_body_keeps_its_angular_momentum(scheme):
    assert change_of_angular_momentum(scheme, 0.01) <= 1e-12


@pytest.mark.parametrize("scheme", [s for s in ANYWHERE if s.name in LINEARLY_IMPLICIT], ids=repr)
def test_linearly_implicit_schemes_keep_angular_momentum_to_their_order(scheme):
    one, half = (change_of_angular_momentum(scheme, h) for h in (0.01, 0.005))
    assert one <= (2e-2 if scheme.order == 2 else 0.5)
    assert np.log2(one / half) >= scheme.order - 0.3


@pytest.mark.parametrize(("scheme", "restitution"), [(s, 0.8 * e) for s, e in WITH_RESTITUTION if e != 0.5], ids=repr)
def test_a_rotor_in_a_clearance(scheme, restitution):
    """Impulses and orbit beside those of the compiled Moreau-Jean with the same step."""
    one, two = (
        fm.simulate(rubbing(restitution), s, step=2e-5, end=0.06, every=10, signals=["rotor.mid.displacement"])
        for s in (scheme, fm.MoreauJean())
    )
    assert one.contacts["ring"].impulse.sum() > 0.01
    first = np.flatnonzero(two.contacts["ring"].impulse)[0]
    x, y = (r.signals["rotor.mid.displacement"][: first + 5] for r in (one, two))
    assert np.abs(x - y).max() <= 2e-3 * 5e-4
    closes(one, 1e-11)


@pytest.mark.parametrize("scheme", ANYWHERE, ids=repr)
def test_redundant_planes_change_nothing(scheme):
    e = 0.5 if scheme.restitutes else 0.0
    one, three = (fm.simulate(tumbling(e, k), scheme, step=5e-3, end=0.6) for k in (1, 3))
    for name in ("top.position", "top.angular_velocity"):
        np.testing.assert_allclose(three.signals[name], one.signals[name], rtol=0, atol=1e-11)


@pytest.mark.parametrize("scheme", ANYWHERE, ids=repr)
def test_a_run_is_taken_up_again_with_the_same_bits(scheme):
    from flexmb.drive import Plan, choose_engine
    from flexmb.nonsmooth.solvers import ContactSolver

    e = 0.5 if scheme.restitutes else 0.0
    plan = Plan(tumbling(e).assemble(), scheme, ContactSolver(), 5e-3, 0.0, 120, 7, 30)
    whole = choose_engine(plan)
    whole.start()
    rest = whole.advance(120)
    first, again = choose_engine(plan), choose_engine(plan)
    first.start()
    early = first.advance(50)
    saved = first.snapshot()
    first.advance(20)
    again.restore(saved, 50)
    late = again.advance(120)
    for name in ("probes", "gap", "velocity", "impulse", "energy", "field_q", "field_impulse"):
        both = np.concatenate([getattr(early, name), getattr(late, name)])
        assert np.array_equal(both, getattr(rest, name)), name
    assert rest.impulse.any()


@pytest.mark.parametrize("scheme", EXPLICIT, ids=repr)
def test_steps_beyond_the_stability_limit_are_refused_and_those_below_are_stable(scheme):
    bar = bar_system(40, gap=5.003)
    element, c = 10.0 / 40, 30.0
    limit = scheme.stability * element / (np.sqrt(12.0) * c)  # the highest frequency of linear elements
    with pytest.raises(InputError) as refused:
        run(bar, scheme, 1.001 * limit, 5)
    assert refused.value.key == "step"
    named = float(str(refused.value).split("below ")[1].split(" s")[0])
    assert named == pytest.approx(limit, rel=1e-5)
    block, motor = run(bar, scheme, 0.98 * limit, 400)
    assert motor.failure is None
    assert block.impulse.sum() > 1.0
    assert block.energy[:, :2].sum(axis=1).max() <= 1.2 * block.energy[0, :2].sum()


@pytest.mark.parametrize("scheme", EXPLICIT, ids=repr)
def test_the_limit_is_found_in_large_motion_too_and_names_the_part(scheme):
    model = fm.Model()
    model.add(fm.Rigid("heavy", mass=100.0, inertia=[1, 1, 1]))
    model.add(fm.Particle("light", mass=0.01, position=(1, 0, 0)))
    model.add(fm.SpringDamper("s", a="heavy", b="light", stiffness=400.0, length=1.0))
    omega = np.sqrt(400.0 * (1 / 0.01 + 1 / 100.0))
    with pytest.raises(InputError, match="'light'"):
        fm.simulate(model, scheme, steps=100, end=101.0 * scheme.stability / omega)
    closes(fm.simulate(model, scheme, steps=200, end=190 * scheme.stability / omega))


@pytest.mark.parametrize("scheme", EXPLICIT, ids=repr)
def test_joints_are_refused_by_name(scheme):
    model = fm.Model(gravity=(0, -9.81, 0))
    model.add(fm.Rigid("rod", mass=1.0, inertia=[1, 1, 1], center=[0.5, 0, 0]))
    model.add(fm.Revolute("pin", a="rod", axis=[0, 0, 1]))
    with pytest.raises(InputError, match="'pin'"):
        fm.simulate(model, scheme, step=1e-3, end=0.1)


def test_both_systems_say_the_same_of_the_same_structure():
    """A rotor of constant speed is a constant system; with a ring too wide to touch it is a multibody system."""
    small = rubbing()
    del small.contacts["ring"]
    one = small.assemble()
    two = rubbing().assemble()
    rng = np.random.default_rng(3)
    q, v = 1e-4 * rng.normal(size=one.nv), rng.normal(size=one.nv)
    a, b = one.instant(0.3, q, v), two.instant(0.3, q, v)
    assert a.F.shape == b.F.shape == (CLASSES, one.nv)
    assert not b.F[JOINT].any()
    scale = np.abs(a.F).max()
    np.testing.assert_allclose(a.F.sum(axis=0), b.F.sum(axis=0), rtol=0, atol=1e-10 * scale)
    np.testing.assert_allclose(a.p, b.p, rtol=1e-12, atol=1e-12 * np.abs(a.p).max())
    assert a.kinetic == pytest.approx(b.kinetic, rel=1e-12)
    assert a.potential == pytest.approx(b.potential, rel=1e-9)
    for c in ((1.0, 0.1, 0.0), (1.0, 1e-3, 1e-6), (2.0, 0.0, 1e-6)):
        x = rng.normal(size=one.nv)
        np.testing.assert_allclose(one.factor(a, *c).solve(x), two.factor(b, *c).solve(x), rtol=1e-7)


def test_an_instant_is_not_overwritten_by_the_next():
    system = tumbling().assemble()
    one = system.instant(0.0, system.start, system.v0)
    g, F, G = one.g.copy(), one.F.copy(), one.G.toarray()
    system.instant(1.0, system.advance(system.start, np.full(system.nv, 0.3)), 2.0 * system.v0)
    assert np.array_equal(one.g, g)
    assert np.array_equal(one.F, F)
    assert np.array_equal(one.G.toarray(), G)
    np.testing.assert_allclose(one.U, system.gdot(0.0, system.start, system.v0), rtol=0, atol=1e-14)


def test_constant_systems_keep_their_factors():
    s = replace(random_system(1))
    here = s.instant(0.0, s.q0, s.v0)
    assert s.factor(here, 1.0, 0.1, 0.2) is s.factor(here, 1.0, 0.1, 0.2)
    x = np.arange(1.0, s.nv + 1.0)
    M, C, K = s.matrices(here)
    got = s.factor(here, 2.0, 0.3, 0.4).solve(x)
    np.testing.assert_allclose((2.0 * M + 0.3 * C + 0.4 * K) @ got, x, rtol=1e-10)


ONE_SOURCE = [s for s in ANYWHERE if type(s).large_motion_numbers is not Scheme.large_motion_numbers] + [
    fm.MoreauJean(theta=0.8),
    fm.MoreauJean(theta=1.0, gamma=0.0),
    fm.GeneralizedAlpha(ggl=False),
    fm.GeneralizedAlpha(rho_inf=1.0, constraints="index2"),
    fm.GeneralizedAlpha(rho_inf=0.0, constraints="index3"),
    fm.HHT(alpha=0.2, ggl=False, constraints="ggl"),
    fm.Newmark(beta=0.4, gamma=0.7, ggl=False, constraints="index2"),
]
"""Schemes with a compiled step of large motion besides their definition."""


def driven():
    """A crank that is driven beside a body that turns freely."""
    model = tumbling()
    model.add(fm.Rigid("crank", mass=2.0, inertia=[0.1, 0.2, 0.2], center=[0.3, 0, 0], position=[3, 0, 0]))
    drive = {"kind": "harmonic", "amplitude": 0.3, "frequency": 2.0, "phase": 0.5 * np.pi, "offset": -0.3}
    model.add(fm.Revolute("motor", a="ground", b="crank", point=[3, 0, 0], axis=[0, 1, 0], drive=drive))
    return model


MODELS = {
    "tumbling": (tumbling, 5e-3, 160),
    "driven": (driven, 5e-3, 60),
    "rotor in a ring": (lambda: rubbing(0.3), 5e-5, 900),
    "four-bar": (models.four_bar, 2e-3, 40),
    "four-bar in space": (lambda: models.four_bar(spatial=True), 2e-3, 25),
    "heavy top": (models.heavy_top, 2e-3, 25),
    "double pendulum with a wall": (models.double_pendulum, 5e-3, 120),
    "every kind of body, joint and load": (models.everything, 1e-3, 15),
}


@pytest.mark.parametrize("scheme", ONE_SOURCE, ids=repr)
@pytest.mark.parametrize("name", MODELS)
def test_the_compiled_step_of_large_motion_is_the_definition(scheme, name):
    """The same source that steps bars steps mechanisms, and agrees with the compiled loop, term by term."""
    make, h, steps = MODELS[name]
    made = make()
    system = made.assemble() if isinstance(made, fm.Model) else made
    # redundant joints: forces of least norm, by two ways of finding them
    loose = 100.0 if name == "four-bar in space" else 1.0
    found = compiled_is_the_definition(system, scheme, h, steps, loose)
    assert len(found.time) == steps + 1


def compiled_is_the_definition(system, scheme, h, steps, loose=1.0):
    """Compare every signal with the largest of its quantity in the run, or with the size of the system."""
    one, two = (fm.simulate(system, scheme, step=h, end=h * steps, engine=e) for e in ("compiled", "general"))
    assert (one.summary["engine"], two.summary["engine"]) == ("compiled", "general")
    scales = {"position": system.size, "velocity": system.size / (h * steps)}
    for signal, a in one.signals.items():
        quantity = signal.rpartition(".")[2]
        scales[quantity] = max(scales.get(quantity, 0.0), np.abs(a).max())
    for signal, a in one.signals.items():
        atol = 1e-10 * loose * scales[signal.rpartition(".")[2]]
        np.testing.assert_allclose(two.signals[signal], a, rtol=0, atol=atol, err_msg=signal)
    for contact in one.contacts:
        a, b = one.contacts[contact].impulse, two.contacts[contact].impulse
        np.testing.assert_allclose(b, a, rtol=0, atol=1e-10 * loose * np.abs(a).max())
    scale = one.summary["energy"]["scale"]
    for term in ("kinetic", "potential", "work_external", "work_damping", "work_contact", "numerical", "work_drive"):
        a, b = getattr(one.energy, term), getattr(two.energy, term)
        np.testing.assert_allclose(b, a, rtol=0, atol=1e-10 * loose * scale, err_msg=term)
    closes(two, 1e-11)
    assert set(one.joints) == set(two.joints)
    largest = max((np.abs(joint.force).max() for joint in one.joints.values()), default=0.0)
    for joint in one.joints:
        a, b = one.joints[joint].force, two.joints[joint].force
        np.testing.assert_allclose(b[1:], a[1:], rtol=0, atol=1e-8 * loose * largest, err_msg=joint)
    return one


@pytest.mark.filterwarnings("ignore::flexmb.errors.RunWarning")
@pytest.mark.parametrize("free", [False, True], ids=["given spin", "free spin"])
@pytest.mark.parametrize("scheme", [fm.SchatzmanPaoli(), fm.SchatzmanPaoli("theta", 0.7)], ids=repr)
def test_the_compiled_steps_of_schatzman_paoli_are_its_definition(scheme, free):
    """On a rotor that hits its ring; with a free spin the masses depend on its angle."""
    spin = {"kind": "free", "speed": 60.0, "torque": 2.0} if free else {"kind": "constant", "speed": 60.0}
    found = compiled_is_the_definition(rubbing(0.3, spin).assemble(), scheme, 5e-5, 900)
    assert found.contacts["ring"].impulse.sum() > 0.0
    closes(found)


def test_two_runs_of_one_system_do_not_meet():
    """Angles are continued from step to step, past half a turn: a second run in between changes nothing."""
    from flexmb.drive import Plan, choose_engine
    from flexmb.nonsmooth.solvers import ContactSolver

    model = fm.Model()
    model.add(fm.Rigid("rod", mass=1.0, inertia=[0.1, 0.1, 0.1], angular_velocity=[0, 0, 20.0]))
    model.add(fm.Revolute("pin", a="ground", b="rod", axis=[0, 0, 1]))
    model.add(fm.TorsionSpring("spring", joint="pin", stiffness=0.01))
    system = model.assemble()
    plan = Plan(system, fm.MoreauJean(), ContactSolver(), 5e-3, 0.0, 300, 1, 300)
    asked = system.f(0.0, system.q0, system.v0)
    alone, first, second = (choose_engine(plan, "general") for _ in range(3))
    for engine in (alone, first, second):
        engine.start()
        engine.advance(100 if engine is not second else 3)
    assert np.array_equal(alone.advance(100).energy, first.advance(100).energy)
    assert abs(first.theta[0]) > 2.0 * np.pi
    assert np.array_equal(system.f(0.0, system.q0, system.v0), asked)


@pytest.mark.parametrize("scheme", [*ANYWHERE, fm.MoreauJean(theta=1.0)], ids=repr)
def test_bodies_at_rest_stay_there(scheme):
    model = fm.Model(gravity=(0, 0, -9.81))
    for k in range(4):
        place = [0, 0, 0.1 * k]
        model.add(fm.Rigid(f"b{k}", mass=0.37 + 0.13 * k, inertia=[1e-2, 2e-2, 3e-2], position=place))
        model.add(fm.NodePlane(f"c{k}", node=f"b{k}", normal=[0, 0, 1], point=place))
    result = fm.simulate(model, scheme, step=1e-3, end=0.05, engine="general")
    assert np.abs(result.signals["b3.position"] - [0, 0, 0.3]).max() <= 1e-12
    assert result.contacts["c3"].impulse.sum() == pytest.approx(0.76 * 9.81 * 0.05)


@pytest.mark.parametrize("scheme", ANYWHERE, ids=repr)
def test_a_free_spin_that_leaves_the_table_of_a_bearing_ends_the_run(scheme):
    from flexmb.errors import SimulationError

    model = fm.Model()
    bearings = [{"node": 0, "stiffness": 1e6}, {"node": 2, "speed": [0.0, 50.0], "stiffness": [1e6, 2e6]}]
    disks = [{"node": 1, "mass": 1.0, "inertia": 0.01, "polar_inertia": 0.02}]
    spin = {"kind": "free", "speed": 49.9, "torque": 20.0}
    shaft = {"stations": [0.0, 0.2, 0.4], "outer_diameter": 0.03, "material": {"young": 2.0e11, "density": 7800.0}}
    model.add(fm.Rotor("r", bearings=bearings, disks=disks, spin=spin, **shaft))
    with pytest.raises(SimulationError, match="bearing.*50 rad/s"):
        fm.simulate(model, scheme, step=2e-6, end=4e-4, engine="general")


def test_the_highest_frequency_is_found_whatever_unknowns_it_joins():
    """A stiff spring between the unknowns 0 and 6 of many: a start that is blind to it would miss it."""
    from scipy import sparse

    from flexmb.linalg.frequencies import highest_frequency

    n = 90
    K = np.diag(np.full(n, 1e-3))
    for i, j, k in ((0, 6, 1e6), (20, 21, 1.0), (50, 53, 2.0)):
        K[[i, j], [i, j]] += k
        K[i, j] -= k
        K[j, i] -= k
    omega, shape = highest_frequency(sparse.eye_array(n, format="csr"), sparse.csr_array(K))
    assert omega == pytest.approx(np.sqrt(2e6 + 1e-3), rel=1e-7)
    assert set(np.argsort(np.abs(shape))[-2:]) == {0, 6}
