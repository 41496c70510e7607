"""Potra, Anitescu, Gavrea and Trinkle (2006), IJNME 66: their tables and figures, and closed forms."""

import multibody_models as models
import numpy as np
import pytest
from exact import bouncing_ball, impacting_oscillator
from frictional_systems import carts, puck, pushed_block, signals, with_friction
from runs import run
from scipy.integrate import solve_ivp
from systems import contacts, random_system, system

import flexmb as fm
from flexmb.errors import InputError
from flexmb.nonsmooth.pyramid import facet_directions
from flexmb.nonsmooth.solvers import ContactNotConverged, ContactSolver
from flexmb.schemes.block_rows import BlockRows
from flexmb.schemes.trapezoidal_piece import PoissonImpact

VARIANTS = [fm.Potra("I"), fm.Potra("II")]
STICKS_AT, COMES_TO = 0.338608184671980, 3.004348569726865  # of the block with 8 cos t, mu = 0.8, from rest at 3


def end_of_block(scheme, k):
    n = 2 * 2**k
    block, motor = run(pushed_block(8.0), scheme, 2.0 / n, n)
    assert motor.failure is None
    return block


@pytest.mark.parametrize(
    ("scheme", "errors"),
    [
        (VARIANTS[0], (5.197e-5, 1.025e-5, 2.555e-6, 6.551e-7, 1.549e-7)),  # table II
        (VARIANTS[1], (8.023e-5, 2.310e-5, 5.619e-6, 1.395e-6, 3.652e-7, 8.246e-8)),  # table III
    ],
    ids=["table II", "table III"],
)
def test_errors_of_the_block_that_slides_and_sticks(scheme, errors):
    for k, printed in zip(range(5, 11), errors, strict=False):
        found = abs(end_of_block(scheme, k).probes[-1, 0] - COMES_TO)
        assert found == pytest.approx(printed, rel=1.2e-3)


def test_variant_I_stops_a_block_that_sticks_and_variant_II_lets_it_swing():
    one, two = (end_of_block(scheme, 6) for scheme in VARIANTS)
    stuck = one.time > STICKS_AT + 0.1
    assert np.abs(one.probes[stuck, 2]).max() <= 1e-15
    swings = two.probes[stuck, 2]
    np.testing.assert_allclose(swings[1:], -swings[:-1], rtol=0, atol=1e-15)
    assert np.abs(swings).max() > 1e-4


def test_errors_of_the_double_pendulum_and_of_its_joints():
    """Table I: restitution 0.1, five impacts. The paper takes states from the polynomials, so a few per cent differ."""
    exact = np.array([0.0219462575638, -0.9997591518856, 0.0238513095094, -1.9997573372725])
    table = [
        (2.38e-3, 1.27e-3, 3.18e-3),
        (6.14e-4, 3.14e-4, 8.29e-4),
        (1.54e-4, 7.82e-5, 2.14e-4),
        (3.95e-5, 1.95e-5, 5.48e-5),
    ]
    found = []
    for k, printed in zip(range(5, 9), table, strict=True):
        places = ["upper.position", "lower.position"]
        result = fm.simulate(models.double_pendulum(0.1), VARIANTS[1], steps=int(2.5 * 2**k), end=2.5, signals=places)
        x = np.concatenate([result.signals[name][-1, :2] for name in places])
        error = np.linalg.norm(x - exact)
        joints = (x[:2] @ x[:2] - 1.0, (x[2:] - x[:2]) @ (x[2:] - x[:2]) - 1.0)
        assert (error, *joints) == pytest.approx(printed, rel=0.09)
        assert result.summary["energy"]["residual_max"] <= 1e-14 * result.summary["energy"]["scale"]
        found.append(error)
    assert np.log2(found[0] / found[-1]) / 3 == pytest.approx(2.0, abs=0.05)


@pytest.mark.parametrize("scheme", VARIANTS, ids=repr)
def test_impacts_of_the_double_pendulum_are_found(scheme):
    result = fm.simulate(models.double_pendulum(0.1), scheme, steps=320, end=2.5)
    impulse = result.contacts["wall"].impulse
    for node, times in ((0, (0.545229943827, 1.284071674388, 2.130553544348)), (1, (0.707571786029, 2.096669998041))):
        steps = np.flatnonzero(impulse[:, node] > 0.0)
        np.testing.assert_array_equal(steps, np.ceil(np.array(times) / 2.5 * 320).astype(int))


@pytest.mark.parametrize("scheme", VARIANTS, ids=repr)
@pytest.mark.parametrize(
    ("delta", "x1", "apart", "atol"),
    [(1e2, (0.06128, 0.14817, 0.19826), -0.019596, 2e-4), (1e3, (0.05081, 0.14588, 0.21570), -0.002238, 4e-4)],
)
def test_carts_and_stopper_with_a_damper(scheme, delta, x1, apart, atol):
    """Section 10.3 with h = 1e-3; figures of Moreau-Jean's scheme at 2e-6 (theta = 1) and 1e-5 (theta = 1/2)."""
    block, motor = run(carts(delta=delta), scheme, 1e-3, 4000)
    np.testing.assert_allclose(block.probes[[1000, 2000, 4000], 0], x1, rtol=0, atol=atol)
    assert block.probes[-1, 2] - block.probes[-1, 0] - 5.0 == pytest.approx(apart, abs=5e-6)
    assert motor.tally().residual_max <= 1e-13 * motor.tally().energy_scale
    E = block.energy[:, 0] + block.energy[:, 1]
    assert E.max() <= E[0] * (1.0 + 1e-12)


@pytest.mark.parametrize("scheme", VARIANTS, ids=repr)
def test_stiff_carts_stay_together_and_gain_no_energy(scheme):
    """Delta to 1e6 and gamma to 1e6 with h = 0.01: figures 6 and 7 of the paper."""
    block, _ = run(carts(delta=1e6), scheme, 1e-2, 400)
    E = block.energy[:, 0] + block.energy[:, 1]
    assert E.max() <= E[0] * (1.0 + 1e-12)
    assert abs(block.probes[-1, 2] - block.probes[-1, 0] - 5.0) <= 1e-5
    for gamma, x2, atol in ((1e2, 4.90218, 1e-3), (1e4, None, 0.0), (1e6, 4.920256400, 2e-3)):
        stiff = carts(gamma=gamma, delta=10.0, q0=(0.2, 5.2), v0=(-3.0, -3.0))
        block, _ = run(stiff, scheme, 1e-2, 200)
        E = block.energy[:, 0] + block.energy[:, 1]
        assert E.max() <= E[0] * (1.0 + 1e-12)
        if x2 is not None:  # gamma to infinity: cart 2 stops at 4.920256400, closed form
            assert block.probes[-1, 2] == pytest.approx(x2, abs=atol)


@pytest.mark.parametrize(
    ("v", "e", "P", "U_N", "loss"),
    [
        ((-0.2, -1.0, 0.0), 0.5, (1.05, 0.71), 0.56, -0.580769),
        ((1.0, -1.0, 0.0), 1.0, (0.54054054, -0.07567568), None, -0.182469),
    ],
)
def test_poissons_impact_of_a_rod(v, e, P, U_N, loss):
    """A rod of 1 m and 1 kg at 45 degrees touches the floor, mu = 0.8: closed form."""
    arm = 0.5 * np.sqrt(0.5)  # the lower end is left of the centre and below
    con = with_friction(contacts(3, [[0.0], [1.0], [-arm]], g0=[0.0], e=[e]), [[1.0], [0.0], [arm]], 0.8)
    rod = system(np.diag([1.0, 1.0, 1.0 / 12.0]), np.zeros((3, 3)), con=con, v0=v)
    before = rod.instant(0.0, rod.q0, rod.v0)
    rows = BlockRows(con.blocks, np.array([0]), np.array([0.8]))
    impact = PoissonImpact(rod, before, rows, np.array([e]), 8, ContactSolver())
    np.testing.assert_allclose(impact.P, P, rtol=0, atol=1e-8)
    if U_N is not None:
        assert impact.after.U[0] == pytest.approx(U_N)
    assert impact.after.kinetic / before.kinetic - 1.0 == pytest.approx(loss, abs=1e-6)


@pytest.mark.parametrize("scheme", VARIANTS, ids=repr)
def test_order_two_on_a_surface_that_turns(scheme):
    """A bead inside a ring under gravity, against the pendulum's equation: contact all the time."""
    model = fm.Model(gravity=(0, -9.81, 0))
    model.add(fm.Particle("bead", 1.0, position=(0.6, -0.8, 0), axes="xy", velocity=(0.8, 0.6, 0)))
    model.add(fm.Clearance("ring", node="bead", gap=1.0, axis=(0, 0, 1), offset=(-0.6, 0.8, 0)))
    start = [np.arctan2(-0.8, 0.6), 1.0]
    found = solve_ivp(lambda t, y: [y[1], -9.81 * np.cos(y[0])], (0.0, 1.0), start, rtol=1e-12, atol=1e-13).y[:, -1]
    exact = found[1] * np.array([-np.sin(found[0]), np.cos(found[0])])
    errors = []
    for n in (80, 160, 320):
        result = fm.simulate(model, scheme, steps=n, end=1.0, signals=["bead.velocity"])
        errors.append(np.abs(result.signals["bead.velocity"][-1, :2] - exact).max())
    assert np.log2(errors[0] / errors[2]) / 2 == pytest.approx(2.0, abs=0.1)


@pytest.mark.parametrize("scheme", VARIANTS, ids=repr)
def test_order_two_in_smooth_sliding_on_a_spring(scheme):
    """m = k = 1, friction 0.1 against a motion that does not turn within the run: closed form."""
    errors = []
    for n in (20, 40, 80):
        con = with_friction(contacts(2, [[0.0], [1.0]], g0=[0.0], e=[0.0]), [[1.0], [0.0]], 0.1)
        s = system(np.eye(2), np.diag([1.0, 0.0]), F0=[0.0, -1.0], con=con, q0=[3.0, 0.0], v0=[-0.5, 0.0])
        block, _ = run(s, scheme, 2.0 / n, n, fields_every=n)
        exact = 0.1 + 2.9 * np.cos(2.0) - 0.5 * np.sin(2.0)
        errors.append(abs(block.field_q[-1, 0] - exact))
    assert np.log2(errors[0] / errors[2]) / 2 == pytest.approx(2.0, abs=0.05)


@pytest.mark.parametrize("scheme", VARIANTS, ids=repr)
def test_a_block_that_stopped_on_an_incline_does_not_creep(scheme):
    """m = 2, 20 degrees, mu = 0.5, 2 m/s upwards: stops at t = x = 0.251117160261."""
    incline = pushed_block(mu=0.5, q0=(0.0, 0.0), v0=(2.0, 0.0), mass=2.0, slope=np.radians(20.0))
    block, motor = run(incline, scheme, 1e-3, 2000)
    assert block.probes[-1, 0] == pytest.approx(0.251117160261, abs=2e-6)
    if scheme.variant == "I":
        assert abs(block.probes[-1, 0] - block.probes[1000, 0]) <= 1e-13
    assert motor.tally().residual_max <= 1e-13 * motor.tally().energy_scale


@pytest.mark.parametrize("facets", [3, 4, 8, 32])
def test_a_pyramid_loses_what_its_facets_say(facets):
    """A puck that slides along a direction: deceleration mu g times how far the pyramid reaches against it."""
    mu, v0, h, n = 0.3, np.array([1.0, 0.37]), 1e-3, 10
    block, _ = run(puck(mu, v0), fm.Potra(facets=facets), h, n)
    lost = v0 - block.probes[-1, 3:5]
    edges = facet_directions(2, facets)
    best = edges[:, np.argmin(edges.T @ v0)]  # the edge that dissipates most
    np.testing.assert_allclose(lost, -mu * 9.81 * h * n * best, rtol=0, atol=1e-12)


@pytest.mark.parametrize("scheme", [*VARIANTS, fm.Potra(facets=5)], ids=repr)
@pytest.mark.parametrize("slides", [1, 2])
@pytest.mark.parametrize("seed", range(4))
def test_the_ledger_closes_with_friction_and_moving_surfaces(scheme, slides, seed):
    rng = np.random.default_rng(seed)
    base = random_system(seed, nc=3)
    H, drift = rng.normal(size=(base.nv, 3 * slides)), rng.normal(size=3 * slides)
    con = with_friction(base.contacts, H, rng.uniform(0, 1, 3), slides, drift)
    parts = (base.M.toarray(), base.K.toarray(), base.C.toarray(), base.F0, base.loads)
    s = system(*parts, con=con, q0=base.q0, v0=base.v0)
    block, motor = run(s, scheme, 1e-2, 80)
    assert motor.failure is None
    assert block.impulse.any()
    assert motor.tally().residual_max <= 1e-12 * motor.tally().energy_scale
    assert np.abs(block.energy[-1, 9]) > 0.0  # work of friction


def test_bad_input_is_named():
    for key, value in (("facets", 2), ("facets", 8.0), ("facets", True), ("variant", "III")):
        with pytest.raises(InputError) as refused:
            fm.Potra(**{key: value})
        assert (refused.value.key, refused.value.value) == (key, value)


@pytest.mark.parametrize("scheme", VARIANTS, ids=repr)
def test_order_two_in_L1_through_impacts(scheme):
    """An oscillator that strikes a stop at its rest position, restitution 0.7: located impacts keep the order."""
    errors = []
    for n in (503, 1009, 2039):
        con = contacts(1, np.ones((1, 1)), g0=[0.0], e=[0.7])
        s = system([[1.0]], [[4.0]], [[0.2]], q0=[1.0], con=con, probes=signals(1))
        block, _ = run(s, scheme, 7.0 / n, n)
        q, v = impacting_oscillator(block.time)
        errors.append(7.0 / n * (np.abs(block.probes[:, 0] - q).sum() + np.abs(block.probes[:, 1] - v).sum()))
    assert np.log(errors[0] / errors[2]) / np.log(2039 / 503) == pytest.approx(2.0, abs=0.05)


def test_a_bouncing_ball_comes_to_rest():
    """Bounces accumulate at t = 3 (f = -2, e = 1/2, from height 1): those shorter than a step are left out."""
    con = contacts(1, np.ones((1, 1)), g0=[0.0], e=[0.5])
    s = system(np.eye(1), np.zeros((1, 1)), F0=[-2.0], q0=[1.0], con=con, probes=signals(1))
    block, _ = run(s, fm.Potra(), 4.0 / 503, 503)
    q, v = bouncing_ball(block.time)
    np.testing.assert_allclose(block.probes[:, 0], q, rtol=0, atol=1e-4)
    assert not block.probes[block.time > 3.01].any()
    assert block.impulse.sum() == pytest.approx(8.0, abs=1e-12)


@pytest.mark.parametrize("facets", [6, 8])
def test_a_problem_without_solution_names_the_scheme_and_its_facets(facets):
    """A particle between two planes that close: no one has asked for Lemke's method."""
    model = fm.Model()
    model.add(fm.Particle("block", mass=1.0))
    model.add(fm.NodePlane("floor", node="block", normal=(0, 0, 1), friction=0.3))
    down = {"motion": fm.Ramp(start_time=0.0, end_time=1.0, end_value=-1.0), "motion_direction": (0, 0, 1)}
    model.add(fm.NodePlane("top", node="block", normal=(0, 0, -1), friction=0.3, point=(0, 0, 1e-3), **down))
    with pytest.raises(ContactNotConverged, match=rf"potra.*facets = {facets}\b") as failed:
        fm.simulate(model, fm.Potra(facets=facets), step=1e-3, end=0.05)
    assert "solver 'lemke'" not in str(failed.value)
    assert failed.value.problem.mu.max() == 0.0  # that of the pyramids, see docs/contact_problems.md
