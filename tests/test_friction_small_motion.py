"""Friction in the compiled loops of small motion: exact figures, no creep, orders, the ledger, and both engines."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rough_systems import Constant, Sine, incline, random_friction, rough_bar, run, with_friction
from systems import contacts, system

from flexmb.drive import Plan, choose_engine
from flexmb.errors import InputError
from flexmb.nonsmooth.problem import residual
from flexmb.nonsmooth.solvers import ContactNotConverged, ContactSolver
from flexmb.schemes.alpha import HHT, GeneralizedAlpha, NaiveHHT, Newmark
from flexmb.schemes.moreau_jean import MoreauJean, MoreauJeanDissipative
from flexmb.schemes.schatzman_paoli import SchatzmanPaoli
from flexmb.system.linear_system import Load

SCHEMES = {
    "moreau-jean": MoreauJean(),
    "moreau-jean theta": MoreauJean(theta=0.7),
    "dissipative": MoreauJeanDissipative(),
    "newmark": Newmark(),
    "newmark velocity": Newmark(ggl=False),
    "hht": HHT(),
    "generalized-alpha": GeneralizedAlpha(rho_inf=0.8),
    "generalized-alpha velocity": GeneralizedAlpha(rho_inf=0.8, ggl=False),
}
EVERY = pytest.mark.parametrize("scheme", SCHEMES.values(), ids=SCHEMES.keys())


def loosened(scheme, tolerance):
    """What a scheme of first order may miss an exact figure by, where one of second order has ``tolerance``."""
    return tolerance if scheme.order == 2 else 400.0 * tolerance


TURNED = pytest.mark.parametrize("turned", [0.0, 0.35])


@EVERY
@TURNED
def test_block_stops_on_an_incline_and_stays(scheme, turned):
    s, up = incline(0.5, 2.0, turned=turned)
    block, _ = run(s, scheme, 1e-3, 2000)
    x = block.field_q @ up
    assert x[-1] == pytest.approx(0.251117160261, abs=loosened(scheme, 1e-6))
    assert abs(x[-1] - x[999]) <= 1e-13
    assert block.energy[-1, 9] == pytest.approx(-2.314894565, abs=loosened(scheme, 1e-5))
    assert (block.status[:240] == 2).all()
    assert (block.status[260:] == 1).all()
    assert block.tangential[-1, 0] / block.impulse[-1, 0] == pytest.approx(np.tan(np.radians(20.0)), rel=1e-9)


@EVERY
def test_block_slides_back(scheme):
    s, up = incline(0.3, 2.0)
    block, _ = run(s, scheme, 1e-4, 20000, every=200)
    assert block.field_q[-1] @ up == pytest.approx(-0.498747597767, abs=2e-4)
    assert block.slip[-1, 0] == pytest.approx(-0.986714379698, abs=3e-4)
    down, up = incline(0.5, -2.0)
    assert run(down, scheme, 1e-3, 2000)[0].field_q[-1] @ up == pytest.approx(
        -1.594928511481, abs=loosened(scheme, 2e-6)
    )


@EVERY
@TURNED
def test_a_sticking_contact_does_not_creep(scheme, turned):
    """Held by friction for 1e5 steps, against gravity on a slope and against a stretched spring."""
    s, up = incline(0.5, 0.0, turned=turned)
    assert abs(run(s, scheme, 1e-3, 100_000, every=10_000)[0].field_q[-1] @ up) <= 1e-13
    s, up = incline(0.5, 0.0, x0=0.03, k=100.0, m=1.0, degrees=0.0, turned=turned)
    assert abs(run(s, scheme, 1e-3, 100_000, every=10_000)[0].field_q[-1] @ up - 0.03) <= 1e-13


@EVERY
def test_a_block_on_two_feet_does_not_creep(scheme):
    """Redundant tangents: how the feet share friction is open, that the block stays is not."""
    G, H = np.array([[0.0, 0.0], [1.0, 1.0], [-0.5, 0.5]]), np.array([[1.0, 1.0], [0.0, 0.0], [0.3, 0.3]])
    con = with_friction(contacts(3, G, g0=[0.0, 0.0], e=[0.0, 0.0]), H, 1, 0.5)
    slope = np.radians(20.0)
    F0 = 2.0 * 9.81 * np.array([-np.sin(slope), -np.cos(slope), 0.0])
    s = system(np.diag([2.0, 2.0, 0.4]), np.zeros((3, 3)), F0=F0, con=con, v0=[2.0, 0.0, 0.0])
    block, _ = run(s, scheme, 1e-3, 20_000, every=1000, tolerance=1e-10)
    assert block.field_q[0, 0] == pytest.approx(0.251117160261, abs=loosened(scheme, 1e-6))
    assert np.ptp(block.field_q[:, 0]) <= 1e-14
    assert block.tangential[-1].sum() / block.impulse[-1].sum() == pytest.approx(np.tan(slope), rel=1e-9)


@EVERY
def test_no_contact_is_lost_once_the_block_has_moved(scheme):
    s, _ = incline(0.5, 2.0, turned=0.35)
    block, _ = run(s, scheme, 1e-3, 100_000, every=1000)
    assert (block.impulse > 0.0).all()
    assert np.ptp(block.energy[1:, 9]) <= 1e-12


@EVERY
def test_potras_block(scheme):
    """Pushed by 8 cos t on a floor: it slides until t = 0.3386 and sticks (Potra et al. 2006, tables II and III)."""
    s = potra_block()
    errors = [abs(run(s, scheme, 2.0 / n, n, every=n)[0].field_q[-1, 0] - 3.004348569726865) for n in (64, 512)]
    assert errors[0] <= loosened(scheme, 2e-4)
    assert errors[1] <= loosened(scheme, 4e-5)
    block, _ = run(s, scheme, 2.0 / 512, 512)
    assert block.time[np.flatnonzero(block.status[:, 0] == 1)[0]] == pytest.approx(0.338608184671980, abs=0.01)


def potra_block():
    con = with_friction(contacts(2, np.array([[0.0], [1.0]]), g0=[0.0], e=[0.0]), np.array([[1.0], [0.0]]), 1, 0.8)
    push = Load("push", np.array([1.0, 0.0]), Sine(8.0, 1.0, 0.5 * np.pi))
    return system(np.eye(2), np.zeros((2, 2)), F0=[0.0, -9.81], con=con, loads=(push,), q0=[3.0, 0.0])


@EVERY
def test_dry_oscillator_comes_to_rest(scheme):
    """m = k = 1, friction force 1, x0 = 12, v0 = 6: seven turning points, rest at 0.682178936724."""
    con = with_friction(contacts(2, np.array([[0.0], [1.0]]), g0=[0.0], e=[0.0]), np.array([[1.0], [0.0]]), 1, 0.1)
    s = system(np.eye(2), np.diag([1.0, 0.0]), F0=[0.0, -10.0], con=con, q0=[12.0, 0.0], v0=[6.0, 0.0])
    block, _ = run(s, scheme, 2e-3, 12_500, every=5)
    assert block.field_q[-1, 0] == pytest.approx(0.682178936724, abs=loosened(scheme, 2e-4))
    assert block.field_q[:, 0].max() == pytest.approx(13.317821063, abs=loosened(scheme, 1e-4))
    assert np.ptp(block.field_q[block.time > 22.5, 0]) <= 1e-13


@EVERY
def test_belt(scheme):
    """A mass on a belt: it sticks until its spring pulls it off, then swings, touching the belt's speed."""
    con = with_friction(
        contacts(2, np.array([[0.0], [1.0]]), g0=[0.0], e=[0.0]),
        np.array([[1.0], [0.0]]),
        1,
        0.3,
        drift=np.array([-0.5]),
    )
    s = system(np.eye(2), np.diag([100.0, 0.0]), F0=[0.0, -10.0], con=con, v0=[0.5, 0.0])
    block, e = run(s, scheme, 2e-4, 5000)
    assert block.field_q[-1, 0] == pytest.approx(0.031238771, abs=loosened(scheme, 1e-6))
    assert (block.status[:250] == 1).all()
    # the belt drives: what it does is booked as a drive's work, and friction on the mass is what is left
    drive, friction = block.energy[-1, 7], block.energy[-1, 9]
    assert drive > 0.0
    assert friction < 0.0
    assert abs(block.energy[:, 6]).max() <= 1e-12 * e.live.ledger[12]


@pytest.mark.parametrize(
    ("n", "u", "friction"),
    [(50, 0.053069, -0.428149), (100, 0.053149, -0.426954), (200, 0.053140, -0.425886), (400, 0.053193, -0.425485)],
)
def test_bar_on_a_rough_floor(n, u, friction):
    """One contact per node, pushed at the end: a wave that friction stops and locks in; the index sets for many."""
    h = 0.5 * (10.0 / n) / 30.0
    block, e = run(rough_bar(n), MoreauJean(), h, int(np.ceil(0.4 / h)))
    assert type(e.cones.solver).__name__ == "SparseCones"
    assert block.probes[-1, 0] == pytest.approx(u, abs=1e-6)
    assert block.energy[-1, 9] == pytest.approx(friction, abs=1e-6)
    assert block.energy[-1, 2] == pytest.approx(0.64, abs=0.005)
    assert block.energy[-1, 1] == pytest.approx(0.2133333, abs=0.006)
    assert np.abs(block.field_v[-1]).max() <= 1e-14
    assert np.abs(block.energy[:, 6]).max() <= 1e-14


@EVERY
def test_many_contacts_and_few_agree(scheme, monkeypatch):
    """The index sets find what the dense matrix does, with every scheme."""
    s = rough_bar(40)
    h = 0.5 * (10.0 / 40) / 30.0
    many, e = run(s, scheme, h, 60)
    monkeypatch.setattr("flexmb.schemes.cone_contacts.sparse_pays", lambda system: False)
    few, f = run(s, scheme, h, 60)
    assert (type(e.cones.solver).__name__, type(f.cones.solver).__name__) == ("SparseCones", "DenseCones")
    assert np.abs(many.field_q - few.field_q).max() <= 1e-13
    assert np.abs(many.tangential - few.tangential).max() <= 1e-12
    assert (many.status == few.status).all()


@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 10_000), name=st.sampled_from(sorted(SCHEMES)), axes=st.booleans(), spin=st.booleans())
def test_ledger_closes_on_random_systems(seed, name, axes, spin):
    """Restitution along normals and tangents, surfaces that move, damping, spin: the identity holds to round-off."""
    s = random_friction(seed, axes=axes, spin=spin)
    block, e = run(s, SCHEMES[name], 5e-3, 200, tolerance=1e-10)
    assert np.abs(block.energy[:, 6]).max() <= 1e-12 * e.live.ledger[12]


@settings(deadline=None, max_examples=10)
@given(seed=st.integers(0, 10_000), axes=st.booleans(), dissipative=st.booleans())
def test_both_engines_agree(seed, axes, dissipative):
    s = random_friction(seed, axes=axes)
    scheme = MoreauJeanDissipative() if dissipative else MoreauJean(theta=0.6)
    a, _ = run(s, scheme, 5e-3, 60)
    b, _ = run(s, scheme, 5e-3, 60, engine="general")
    for what in ("field_q", "field_v", "impulse", "tangential", "slip", "work", "work_friction"):
        assert np.abs(getattr(a, what) - getattr(b, what)).max() <= 1e-10, what
    assert (a.status == b.status).all()


def orders(scheme, s, T, counts, exact):
    """Errors of the last position along the first unknown."""
    return [abs(run(s, scheme, T / n, n, every=n)[0].field_q[-1, 0] - exact) for n in counts]


@pytest.mark.parametrize("name", ["moreau-jean", "newmark", "newmark velocity", "hht", "generalized-alpha"])
def test_order_two_while_sliding(name):
    """An oscillator that slides one way under a force: smooth motion, second order."""
    con = with_friction(contacts(2, np.array([[0.0], [1.0]]), g0=[0.0], e=[0.0]), np.array([[1.0], [0.0]]), 1, 0.2)
    s = system(np.eye(2), np.diag([4.0, 0.0]), F0=[0.0, -10.0], con=con, v0=[5.0, 0.0])
    # x'' + 4 x = -2 while it slides to the right: until the speed vanishes at t > 0.4
    exact = -0.5 + 0.5 * np.cos(0.8) + 2.5 * np.sin(0.8)
    e = orders(SCHEMES[name], s, 0.4, (50, 100, 200), exact)
    assert np.log2(e[0] / e[1]) == pytest.approx(2.0, abs=0.1)
    assert np.log2(e[1] / e[2]) == pytest.approx(2.0, abs=0.1)


def test_slip_follows_the_rotation_of_a_force_in_space():
    """Two tangents: friction is against the velocity whichever way the tangents point."""
    results = []
    for angle in (0.0, 0.6):
        c, s_ = np.cos(angle), np.sin(angle)
        H = np.array([[c, -s_], [s_, c], [0.0, 0.0]])
        con = with_friction(contacts(3, np.array([[0.0], [0.0], [1.0]]), g0=[0.0], e=[0.0]), H, 2, 0.4)
        s = system(np.eye(3), np.diag([9.0, 4.0, 0.0]), F0=[0.5, -0.3, -9.81], con=con, v0=[2.0, 1.0, 0.0])
        results.append(run(s, GeneralizedAlpha(rho_inf=0.9), 1e-3, 700)[0])
    a, b = results
    assert np.abs(a.field_q - b.field_q).max() <= 1e-12
    assert (a.status == b.status).all()
    assert (a.status == 2).any()
    assert (a.status == 1).any()


def test_a_run_goes_on_with_the_same_bits():
    s, scheme = random_friction(3), GeneralizedAlpha(rho_inf=0.7)
    whole, _ = run(s, scheme, 5e-3, 120)
    plan = Plan(s, scheme, ContactSolver(tolerance=1e-12), 5e-3, 0.0, 120, 1, 1)
    first, second = choose_engine(plan), choose_engine(plan)
    first.start()
    first.advance(60)
    second.start()
    second.restore(first.snapshot(), 60)
    rest = second.advance(60)
    assert (rest.field_q == whole.field_q[60:]).all()
    assert (rest.work_friction == whole.work_friction[60:]).all()


def test_refused_by_name():
    s, _ = incline(0.5, 0.0)
    for scheme in (SchatzmanPaoli(), NaiveHHT()):
        with pytest.raises(InputError, match="friction"):
            run(s, scheme, 1e-3, 10)


def test_constant_load_moves_no_block_below_its_bound():
    s, up = incline(0.5, 0.0, degrees=0.0, load=Constant(0.49 * 9.81 * 2.0))
    assert run(s, GeneralizedAlpha(), 1e-3, 1000)[0].field_q[-1] @ up == pytest.approx(0.0, abs=1e-15)
    s, up = incline(0.5, 0.0, degrees=0.0, load=Sine(1.02 * 0.5 * 9.81 * 2.0, 10.0))
    assert (run(s, GeneralizedAlpha(), 1e-3, 1000)[0].status == 2).any()


def test_solvers_by_name_agree_and_say_what_they_did_not_solve():
    s = rough_bar(12)
    h = 0.5 * (10.0 / 12) / 30.0
    reference, _ = run(s, MoreauJean(), h, 30)

    def by_name(name, **limits):
        plan = Plan(s, MoreauJean(), ContactSolver(name, **limits), h, 0.0, 30, 1, 1)
        e = choose_engine(plan)
        e.start()
        return e.advance(30), e

    for name in ("nsgs", "proximal-newton", "apgd"):
        block, e = by_name(name)
        assert e.failure is None
        assert e.name == ("general" if name == "apgd" else "compiled")
        assert np.abs(block.field_q - reference.field_q).max() <= 1e-7
    block, e = by_name("nsgs", max_iterations=1)
    assert isinstance(e.failure, ContactNotConverged)
    assert e.failure.contact in s.contacts.labels
    assert e.failure.time == pytest.approx(h * e.failure.step)
    assert e.failure.problem.nc > 1
    assert residual(e.failure.problem, e.failure.solution.z) > 1e-10


@pytest.mark.parametrize("axes", [False, True])
@pytest.mark.parametrize("ggl", [False, True])
@pytest.mark.parametrize("seed", [0, 2, 3, 4, 5])
def test_both_engines_agree_on_the_alpha_family(seed, axes, ggl):
    """With friction on both levels a step may have several answers: of 100 systems one or two differ by engine then."""
    s = random_friction(seed, axes=axes)
    a, _ = run(s, GeneralizedAlpha(rho_inf=0.8, ggl=ggl), 5e-3, 60)
    b, _ = run(s, GeneralizedAlpha(rho_inf=0.8, ggl=ggl), 5e-3, 60, engine="general")
    for what in ("field_q", "field_v", "impulse", "tangential", "slip", "work_friction"):
        assert np.abs(getattr(a, what) - getattr(b, what)).max() <= 1e-10, what
