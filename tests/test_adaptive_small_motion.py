"""Steps by tolerance of constant systems: order, impacts found by halving, ledger, resumed bits, refusals."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.drive import Plan, choose_engine
from flexmb.drive.adaptive import _lowest
from flexmb.errors import InputError
from flexmb.nonsmooth.solvers import ContactSolver

SCHEMES = [
    fm.GeneralizedAlpha(rho_inf=0.8),
    fm.GeneralizedAlpha(rho_inf=0.5, ggl=False),
    fm.HHT(alpha=0.1),
    fm.Newmark(),
    fm.MoreauJean(theta=0.5),
]
G = 9.81


def oscillator() -> fm.Model:
    """Return a mass of 1 kg on a spring, 1 m from the ground, driven off its own frequency."""
    model = fm.Model()
    model.add(fm.Particle("p", mass=1.0, position=(1.0, 0.0, 0.0), velocity=(0.3, 0.0, 0.0), axes="x"))
    model.add(fm.Spring("s", node="p", anchor=(0.0, 0.0, 0.0), direction=(1.0, 0.0, 0.0), stiffness=40.0, length=1.0))
    push = fm.Harmonic(amplitude=1.0, frequency=0.7)
    model.add(fm.NodalForce("f", node="p", force=(5.0, 0.0, 0.0), function=push))
    return model


def driven(t: np.ndarray) -> np.ndarray:
    """Return the exact displacement of the oscillator: x'' + 40 x = 5 sin(2 pi 0.7 t)."""
    w, W = np.sqrt(40.0), 2.0 * np.pi * 0.7
    forced = 5.0 / (40.0 - W * W)
    return forced * np.sin(W * t) + (0.3 - forced * W) / w * np.sin(w * t)


def ball(e: float) -> fm.Model:
    """Return a ball 1 m above a floor."""
    model = fm.Model(gravity=(0.0, 0.0, -G))
    model.add(fm.Particle("p", mass=1.0, position=(0.0, 0.0, 1.0), axes="z"))
    model.add(fm.NodePlane("floor", node="p", normal=(0.0, 0.0, 1.0), restitution=e))
    return model


def height(t: float, e: float) -> float:
    """Return the exact height of the ball."""
    hit, v = np.sqrt(2.0 / G), np.sqrt(2.0 * G)
    if t < hit:
        return 1.0 - 0.5 * G * t * t
    for _ in range(1000):
        v *= e
        if v == 0.0 or t < hit + 2.0 * v / G:
            s = t - hit
            return v * s - 0.5 * G * s * s if v else 0.0
        hit += 2.0 * v / G
    return 0.0


@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
def test_the_error_falls_with_the_tolerance_at_the_order_of_the_scheme(scheme) -> None:
    """Local error h^3 = tolerance: steps go with tolerance^(-1/3), the error of the run with tolerance^(2/3)."""
    tolerances, errors, counts = 10.0 ** -np.arange(3.0, 7.0), [], []
    for tolerance in tolerances:
        result = fm.simulate(oscillator(), scheme, end=2.0, tolerance=tolerance, interval=0.1)
        errors.append(np.abs(result.signals["p.position"][:, 0] - 1.0 - driven(result.time)).max())
        counts.append(result.summary["steps_taken"])
        assert result.summary["steps"] == 20
        assert np.abs(result.energy.residual).max() < 1e-13 * 5.0
    assert np.polyfit(np.log(tolerances), np.log(errors), 1)[0] == pytest.approx(2.0 / 3.0, abs=0.08), errors
    assert np.polyfit(np.log(tolerances), np.log(counts), 1)[0] == pytest.approx(-1.0 / 3.0, abs=0.06), counts


@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
def test_the_order_holds_where_every_step_has_another_length(scheme) -> None:
    """What is filtered moves to the time it stands for; left where it is, generalized-alpha has order 1."""
    system, solver, errors = oscillator().assemble(), ContactSolver(), []
    for n in (40, 80, 160):
        lengths = (0.5 / n, 1.5 / n)
        fixed = [scheme.prepare(system, h) for h in lengths]
        state = system.initial_state(0.0)
        memory, last = scheme.start(system, state, lengths[0], fixed[0], solver), lengths[0]
        for k in range(n):
            h = lengths[k % 2]
            memory = scheme.resized(system, state, memory, last, h)
            state, memory, _ = scheme.step(system, state, h, memory, fixed[k % 2], solver)
            last = h
        errors.append(abs(state.q[0] - driven(state.t)))
    assert np.log2(errors[1] / errors[2]) == pytest.approx(2.0, abs=0.2), errors


@pytest.mark.filterwarnings("ignore::flexmb.errors.RunWarning")
@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
@pytest.mark.parametrize("e", [0.0, 0.7, 1.0])
def test_impacts_are_found_to_the_tolerance(scheme, e: float) -> None:
    """With e = 0.7 the ball has come to rest after 2.6 s, through infinitely many bounces; each costs some halvings."""
    errors = []
    for tolerance in (1e-4, 1e-6):
        result = fm.simulate(ball(e), scheme, end=3.0, tolerance=tolerance, interval=0.05)
        exact = np.array([height(t, e) for t in result.time])
        errors.append(np.abs(result.signals["p.position"][:, 2] - exact).max())
        assert result.summary["steps_taken"] < 1000  # even steps of the length at the impacts: 3e6
        assert np.abs(result.energy.residual).max() < 1e-13 * G
        assert result.contacts["floor"].gap.min() > -tolerance
    assert errors[0] < 4.0 * 1e-4
    assert errors[1] < 4.0 * 1e-6


def test_a_contact_that_opens_again_inside_a_step_is_not_missed() -> None:
    """A mass between two springs grazes a plane: at both ends of the longest step its gap is open."""
    model = fm.Model()
    model.add(fm.Particle("p", mass=1.0, position=(0.0, 0.0, 0.0), velocity=(1.0, 0.0, 0.0), axes="x"))
    model.add(fm.Spring("s", node="p", direction=(1.0, 0.0, 0.0), stiffness=4.0))
    model.add(fm.NodePlane("wall", node="p", point=(0.499, 0.0, 0.0), normal=(-1.0, 0.0, 0.0)))
    result = fm.simulate(model, fm.Newmark(), end=2.0, tolerance=1e-3, interval=1.0)
    assert result.contacts["wall"].impulse.sum() > 0.0
    assert result.signals["p.position"][:, 0].max() < 0.5


def test_the_least_of_a_cubic_is_that_of_many_points() -> None:
    rng = np.random.default_rng(0)
    ends = rng.normal(size=(4, 200))
    ends[:, :3] = [[1.0, 1.0, 0.5], [-8.0, -2.0, -1.0], [1.0, 1.0, 0.5], [8.0, 2.0, 1.0]]  # a = 0, and deep
    g_0, d_0, g_1, d_1 = ends
    s = np.linspace(0.0, 1.0, 2001)[:, None]
    cubic = ((2.0 * (g_0 - g_1) + d_0 + d_1) * s + 3.0 * (g_1 - g_0) - 2.0 * d_0 - d_1) * s**2 + d_0 * s + g_0
    found, dips = _lowest(g_0, d_0, g_1, d_1), (d_0 < 0.0) & (d_1 > 0.0)
    np.testing.assert_allclose(found[dips], cubic.min(axis=0)[dips], atol=1e-5)
    np.testing.assert_array_equal(found[~dips], np.minimum(g_0, g_1)[~dips])


def bar() -> fm.Model:
    """Return a bar that is thrown against a wall."""
    model = fm.Model()
    steel = {"length": 1.0, "elements": 10, "area": 1.0, "young": 900.0, "density": 1.0}
    rod = model.add(fm.Bar("rod", position=(0.2, 0, 0), direction=(1, 0, 0), velocity=(-5, 0, 0), **steel))
    model.add(fm.NodePlane("wall", node=rod.first, normal=(1.0, 0.0, 0.0), restitution=0.3))
    return model


@pytest.mark.parametrize("scheme", [fm.GeneralizedAlpha(rho_inf=0.8), fm.MoreauJean(theta=0.5)], ids=repr)
def test_a_run_goes_on_from_a_snapshot_with_the_same_bits(scheme) -> None:
    system = bar().assemble()
    plan = Plan(system, scheme, ContactSolver(), 0.01, 0.0, 30, 1, 10, 1e-5)
    whole, first, second = (choose_engine(plan) for _ in range(3))
    whole.start()
    block = whole.advance(30)
    first.start()
    first.advance(11)
    second.restore(first.snapshot(), 11)
    rest = second.advance(30)
    assert whole.tally().steps_taken > 60
    for name in ("probes", "gap", "velocity", "impulse", "energy"):
        np.testing.assert_array_equal(getattr(rest, name), getattr(block, name)[11:])
    assert second.tally().steps_taken == whole.tally().steps_taken


def test_a_tolerance_needs_a_scheme_that_knows_its_error() -> None:
    for scheme in (fm.MoreauJean(theta=0.6), fm.SchatzmanPaoli(), fm.NaiveHHT()):
        with pytest.raises(InputError) as caught:
            fm.simulate(oscillator(), scheme, end=1.0, tolerance=1e-4)
        assert scheme.name in str(caught.value)
        assert "tolerance" in str(caught.value)
    with pytest.raises(InputError) as caught:
        fm.simulate(oscillator(), fm.Newmark(), end=1.0, tolerance=1e-4, engine="compiled")
    assert "general" in str(caught.value)


def test_a_motion_that_no_step_resolves_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("flexmb.drive.adaptive.MOST_HALVINGS", 2)
    with pytest.raises(fm.SimulationError) as caught:
        fm.simulate(oscillator(), fm.Newmark(), end=2.0, tolerance=1e-9, interval=1.0)
    assert "1e-09" in str(caught.value)


def test_a_tolerance_below_round_off_is_refused() -> None:
    with pytest.raises(InputError) as caught:
        fm.simulate(oscillator(), fm.Newmark(), end=2.0, tolerance=1e-20)
    assert "1e-20" in str(caught.value)
    assert "tolerance" in str(caught.value)
