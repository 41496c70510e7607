"""Limits: e = 0 and 1, zero gap, redundant contacts, tiny and large steps, strong damping, many contacts."""

import numpy as np
import pytest
from runs import MEMBERS, label, run
from scipy import sparse
from systems import Load, Sine, bar_system, contacts, random_system, system

import flexmb as fm
from flexmb.nonsmooth.solvers import ContactSolver
from flexmb.schemes import HHT, GeneralizedAlpha, MoreauJean, MoreauJeanDissipative, Newmark, SchatzmanPaoli
from flexmb.system.linear_system import Probe

PROPER = [m for m in MEMBERS if m.name != "naive-hht"]
GGL = [m for m in PROPER if getattr(m, "ggl", False)]
VELOCITY_LEVEL = [m for m in PROPER if m.name.startswith("moreau") or getattr(m, "ggl", None) is False]


def point_mass(e=0.0, gap=0.0, v0=-1.0, weight=0.0, copies=1):
    con = contacts(1, np.ones((1, copies)), g0=[gap] * copies, e=[e] * copies)
    probe = [Probe("q", "q", np.zeros(1), sparse.csr_array(np.eye(1)))]
    return system([[2.0]], [[0.0]], F0=[-weight], v0=[v0], con=con, probes=probe)


@pytest.mark.parametrize(("scheme", "e"), [(s, e) for s in PROPER for e in (0.0, 0.3, 1.0) if s.restitutes or not e])
def test_newtons_law_at_zero_gap(scheme, e):
    """A mass that starts on the plane with speed -1 leaves with e; impulse m (1 + e)."""
    block, motor = run(point_mass(e), scheme, 1e-3, 20)
    assert block.velocity[-1, 0] == pytest.approx(e, abs=1e-12)
    assert block.impulse.sum() == pytest.approx(2.0 * (1.0 + e), abs=1e-12)


@pytest.mark.parametrize("scheme", [s for s in PROPER if s.restitutes], ids=label)
def test_elastic_impact_keeps_energy_and_dead_one_takes_it(scheme):
    for e, kept in ((1.0, 1.0), (0.0, 0.0), (0.5, 0.25)):
        block, motor = run(point_mass(e, gap=0.0105), scheme, 1e-3, 40)
        energy = block.energy[:, 0]
        assert energy[0] == pytest.approx(1.0)
        assert energy[-1] == pytest.approx(kept, abs=1e-12)
        # for theta != 1/2 the identity books part of a jump as numerical; together they are the loss
        assert block.energy[-1, 4] + block.energy[-1, 5] == pytest.approx(kept - 1.0, abs=1e-12)
        theta = getattr(scheme, "vartheta", 0.5)
        if scheme.name != "schatzman-paoli":  # it spreads an impact over two steps
            assert motor.tally().gain_steps == int(theta > 1.0 / (1.0 + e))


@pytest.mark.parametrize("scheme", PROPER, ids=label)
@pytest.mark.parametrize("h", [1e-8, 1e-3, 0.5, 1e3])
def test_resting_weight(scheme, h):
    """P = m g h per step at every step size, no drift."""
    block, motor = run(point_mass(v0=0.0, weight=19.62), scheme, h, 50)
    # Schatzman-Paoli centres its steps on samples: half a step's impulse at t_0 comes with the first
    first = 1.5 if scheme.name == "schatzman-paoli" else 1.0
    assert block.impulse[1, 0] == pytest.approx(first * 19.62 * h, rel=1e-10)
    np.testing.assert_allclose(block.impulse[2:, 0], 19.62 * h, rtol=1e-10)
    assert np.abs(block.probes[:, 0]).max() <= 1e-12 * max(1.0, 10 * h * h)


@pytest.mark.parametrize("scheme", PROPER, ids=label)
def test_redundant_contacts_change_nothing(scheme):
    one, _ = run(point_mass(0.4, gap=0.0105, weight=19.62), scheme, 1e-3, 200)
    three, motor = run(point_mass(0.4, gap=0.0105, weight=19.62, copies=3), scheme, 1e-3, 200)
    assert motor.failure is None
    np.testing.assert_allclose(three.probes, one.probes, rtol=0, atol=1e-13)
    np.testing.assert_allclose(three.impulse.sum(1), one.impulse[:, 0], rtol=0, atol=1e-12)


@pytest.mark.parametrize("scheme", PROPER, ids=label)
@pytest.mark.parametrize("name", ["newton", "lemke", "pgs"])
def test_solvers_agree(scheme, name):
    s = random_system(7, nc=4)
    reference, _ = run(s, scheme, 0.01, 60)
    other, motor = run(s, scheme, 0.01, 60, solver=ContactSolver(name, tolerance=1e-12))
    if name == "pgs" and motor.failure is not None:
        assert "pgs" in str(motor.failure)  # may fail on skew problems, loudly
        return
    np.testing.assert_allclose(other.probes, reference.probes, rtol=0, atol=1e-7)


def scheme_free_gap(s, scheme, state, h, memory, fixed):
    """The gaps at t + h of the same step without contacts."""
    bare = system(s.M.toarray(), s.K.toarray(), s.C.toarray(), s.F0, s.loads)
    kept = memory.with_(contacts=np.zeros((3, 0)))
    new, _, _ = scheme.step(bare, state, h, kept, scheme.prepare(bare, h), ContactSolver())
    return s.contacts.g(new.t, new.q)


@pytest.mark.parametrize("scheme", GGL, ids=label)
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("stiff", [1.0, 1e3])
def test_ggl_with_damping_is_solved_coupled(scheme, seed, stiff):
    """The complementarity holds for the *final* q and v, damping strong: nothing of the coupling was dropped."""
    base = random_system(seed, nc=3, moving=True)
    s = system(
        base.M.toarray(),
        base.K.toarray(),
        stiff * base.C.toarray(),
        base.F0,
        base.loads,
        base.contacts,
        base.q0,
        base.v0,
    )
    solver, h = ContactSolver(), 0.02
    fixed = scheme.prepare(s, h)
    assert np.abs(fixed.blocks.W_q_Lam).max() > 0.0
    state = s.initial_state(0.0)
    memory = scheme.start(s, state, h, fixed, solver)
    pushed = 0
    for _ in range(60):
        free_memory = memory
        new, memory, report = scheme.step(s, state, h, memory, fixed, solver)
        g, U_n, U = s.contacts.g(new.t, new.q), s.contacts.U(state.t, state.v), s.contacts.U(new.t, new.v)
        scale = max(1.0, np.abs(U).max(), np.abs(U_n).max())
        assert g.min() >= -1e-13 * scale
        hit = report.P > 1e-12
        assert np.abs((U + s.contacts.e * U_n)[hit]).max(initial=0.0) <= 1e-11 * scale
        # an impulse acts only where the contact is closed at position level
        free = scheme_free_gap(s, scheme, state, h, free_memory, fixed)
        assert ((free[hit] <= 1e-12) | (np.abs(g[hit]) <= 1e-12 * scale)).all()
        # the smooth equation itself: M a is f at the final (q, v), filtered
        a, p, before = memory.vectors[0], memory.vectors[1:].sum(axis=0), free_memory.vectors[1:].sum(axis=0)
        np.testing.assert_allclose(p, s.M @ a, rtol=0, atol=1e-9 * max(1.0, np.abs(p).max()))
        f = [s.F(at.t) - s.K @ at.q - s.C @ at.v for at in (new, state)]
        np.testing.assert_allclose(
            p, scheme.coefficients.filtered(*f, before), rtol=0, atol=1e-9 * max(1.0, np.abs(p).max())
        )
        pushed += int(hit.any())
        state = new
    assert pushed > 0


@pytest.mark.parametrize("scheme", GGL, ids=label)
@pytest.mark.parametrize("gap", [5.0, 5.003, 5.0131])
def test_ggl_bar_never_penetrates_nor_gains(scheme, gap):
    """NUMERICS 1.4: g >= -1e-14 scale at every sample, E <= E0 (1 + 1e-12), sum of impulses = momentum change."""
    s = bar_system(200, gap=gap)
    block, motor = run(s, scheme, 2e-3, 1000, fields_every=1000)
    E = block.energy[:, 0] + block.energy[:, 1]
    assert block.gap.min() >= -1e-14 * gap
    assert E.max() <= E[0] * (1.0 + 1e-12)
    momentum = np.ones(201) @ (s.M @ block.field_v[-1]) - np.ones(201) @ (s.M @ s.v0)
    assert block.impulse.sum() == pytest.approx(momentum, abs=1e-10)
    assert motor.tally().gain_steps == 0


@pytest.mark.parametrize("scheme", VELOCITY_LEVEL, ids=label)
def test_velocity_level_schemes_penetrate_a_little_but_do_not_sink(scheme):
    """Without GGL the node stops up to half a step's travel past the wall and stays there."""
    block, motor = run(bar_system(200, gap=5.003), scheme, 2e-3, 1000)
    touching = block.impulse[:, 0] > 0.0
    depth = -block.gap[touching, 0]
    assert depth.max() <= 10.0 * 2e-3
    inside = (block.time > 0.52) & (block.time < 1.1)
    assert np.ptp(block.gap[inside, 0]) <= 1e-4
    force = block.impulse[inside, 0] / 2e-3
    assert np.abs(force[50:-50] - 300.0).max() <= 3.0  # no chatter: the force is there at every step


def test_energy_gain_is_shown():
    """Counter-example of NUMERICS 1.4: m=1, e=0, theta=1/2, h=0.1, g=-0.1, U=+1, F=-100 gives P=9, dE - W = +4.5."""
    con = contacts(1, np.ones((1, 1)), g0=[-0.1], e=[0.0])
    s = system([[1.0]], [[0.0]], loads=[Load("f", np.array([-100.0]), Sine(0.0, 1.0, 0.0, 1.0))], v0=[1.0], con=con)
    for engine in ("general", "compiled"):
        block, motor = run(s, MoreauJean(), 0.1, 1, engine)
        tally = motor.tally()
        assert block.impulse[-1, 0] == pytest.approx(9.0)
        assert block.energy[-1, 4] == pytest.approx(4.5)
        assert (tally.gain_steps, tally.gain_time) == (1, 0.1)
        assert tally.gain_max == pytest.approx(4.5)


@pytest.mark.parametrize("scheme", [MoreauJeanDissipative(theta=0.7), MoreauJeanDissipative(theta=1.0)], ids=label)
def test_dissipative_variant_never_gains_in_unforced_impacts(scheme):
    s = random_system(9, nc=3, loaded=False, moving=False, e=0.8)
    s = system(s.M.toarray(), s.K.toarray(), con=s.contacts, q0=s.q0, v0=s.v0)
    block, _ = run(s, scheme, 0.01, 400)
    E = block.energy[:, 0] + block.energy[:, 1]
    assert np.diff(E).max() <= 1e-12 * E[0]
    assert E[-1] < 0.9 * E[0]


def test_energy_conserving_ggl_books_the_whole_loss_at_the_contact():
    """rho_inf = 1 on the grid-aligned gap: numerical 0, contact -rho A l v0^2 / (4 sqrt 3), h = 2e-3."""
    block, _ = run(bar_system(200, gap=5.0), GeneralizedAlpha(1.0), 2e-3, 1000)
    assert np.abs(block.energy[:, 5]).max() <= 1e-10
    assert block.energy[-1, 4] == pytest.approx(-0.05 * 100.0 / (4 * np.sqrt(3)), rel=1e-6)


def test_impact_of_the_end_node_loses_what_the_mesh_says():
    """Semi-discrete bar, h -> 0: P = rho A l |v0| / (2 sqrt 3), loss rho A l v0^2 / (4 sqrt 3) (consistent mass)."""
    n, v0 = 200, -10.0
    length = 10.0 / n
    for scheme in (GeneralizedAlpha(1.0), MoreauJean(), Newmark(), SchatzmanPaoli()):
        h = 1e-7
        s = bar_system(n, gap=0.5 * h * abs(v0), v0=v0)
        block, motor = run(s, scheme, h, 3)
        assert block.impulse.sum() == pytest.approx(length * abs(v0) / (2 * np.sqrt(3)), rel=1e-3), scheme
        assert -block.energy[-1, 4] == pytest.approx(length * v0**2 / (4 * np.sqrt(3)), rel=1e-3), scheme


@pytest.mark.parametrize("scheme", [GeneralizedAlpha(), GeneralizedAlpha(ggl=False), MoreauJean(), HHT()], ids=label)
def test_hundreds_of_contacts(scheme):
    """Every node of a string that falls on the floor, redundantly supported, pressed by its weight."""
    n = 301
    main, off = np.full(n, 2.0), -np.ones(n - 1)
    K = 50.0 * (np.diag(main) + np.diag(off, 1) + np.diag(off, -1))
    x = np.linspace(0, 1, n)
    con = contacts(n, np.eye(n), g0=np.full(n, 1e-3), e=np.zeros(n))
    q0 = 0.02 * np.sin(np.pi * x)
    s = system(np.eye(n) * 1e-2, K, F0=np.full(n, -0.2), con=con, q0=q0, v0=-(np.sin(3 * np.pi * x) ** 2))
    block, motor = run(s, scheme, 1e-3, 150)
    assert motor.failure is None
    assert motor.tally().contact_steps > 40
    assert (block.impulse > 0).sum(1).max() > 200
    if getattr(scheme, "ggl", False):
        assert block.gap.min() >= -1e-15
    assert motor.tally().residual_max <= 1e-12 * motor.tally().energy_scale


def test_rho_inf_orders_the_dissipation():
    lost = []
    for rho in (1.0, 0.9, 0.5, 0.0):
        block, _ = run(bar_system(100), GeneralizedAlpha(rho), 2e-3, 1000)
        lost.append(-block.energy[-1, 5])
    assert lost == sorted(lost)
    assert lost[0] == pytest.approx(0.0, abs=1e-10)
    assert lost[-1] > 1.0


def test_a_contact_that_ends_open_gets_no_impulse():
    """Closed is what the *solution* closes: a contact pressed only on the way there has no velocity row."""
    from flexmb.kernels.lcp.lcp_others import solver_settings
    from flexmb.kernels.small_motion.arrays import Delassus
    from flexmb.kernels.small_motion.contact_step import solve_ggl as compiled
    from flexmb.kernels.small_motion.ledger import TERMS_SIZE
    from flexmb.schemes.alpha_contacts import AlphaBlocks, solve_ggl

    # found by search: contact 3 is pressed in the second round and free again in the third
    W = np.array([[1.919, -0.374, -2.3, -0.815], [-0.374, 7.746, -1.828, 1.593], [-2.3, -1.828, 3.803, 1.353],
                  [-0.815, 1.593, 1.353, 3.81]])  # fmt: skip
    g_free, b_v = np.array([-0.982, 0.626, 0.676, 0.042]), np.array([-1.0, 5.0, 5.0, -3.0])
    nothing = np.zeros((4, 4))
    s = system(np.eye(4), np.eye(4), con=contacts(4, np.eye(4), g0=np.ones(4), e=np.zeros(4)))
    nu, Lam, _ = solve_ggl(AlphaBlocks(W, nothing, nothing, W), g_free, b_v, 1.0, np.arange(4), s, ContactSolver(), 0.0)
    nu2, Lam2 = np.zeros(4), np.zeros(4)
    compiled(solver_settings(), 1.0, Delassus(W, nothing, nothing, W), g_free, b_v, nu2, Lam2, np.zeros(TERMS_SIZE))
    for position, velocity in ((nu, Lam), (nu2, Lam2)):
        g = g_free + W @ position
        assert g.min() >= -1e-12
        open_at_end = (position == 0.0) & (g_free > 0.0)
        assert open_at_end.any()
        assert not velocity[open_at_end].any()
        assert velocity.any()


@pytest.mark.parametrize(
    ("axes", "friction", "events"),
    [
        ("xz", 0.3, {"phem56", "hybrid"}),
        ("xyz", 0.3, {"hybrid"}),  # two tangents
        ("xz", {"kind": "stribeck", "static": 0.4, "dynamic": 0.2, "speed": 0.1}, set()),  # not of Coulomb
    ],
)
def test_alternatives_for_friction_accept_the_model(axes, friction, events):
    def model() -> fm.Model:
        made = fm.Model(gravity=(0.0, 0.0, -9.81))
        made.add(fm.Particle("puck", mass=1.0, position=(0.0, 0.0, 0.1), axes=axes))
        made.add(fm.NodePlane("floor", node="puck", normal=(0.0, 0.0, 1.0), friction=friction))
        return made

    with pytest.raises(fm.InputError, match="friction") as told:
        fm.simulate(model(), "schatzman-paoli", step=1e-3, end=0.01)
    words = told.value.message.partition("use one of ")[2].replace(",", " ").split()
    named = [word for word in words if word in fm.SCHEMES]
    assert "moreau-jean" in named
    assert {"phem56", "hybrid"} & set(named) == events
    for name in named:
        fm.simulate(model(), name, step=1e-3, end=0.002)
