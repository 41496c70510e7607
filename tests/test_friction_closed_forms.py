"""Friction with Moreau-Jean and Stormer-Verlet against closed forms: inclines, oscillators, a rod's impact, a bar."""

import numpy as np
import pytest
from runs import run
from systems_with_laws import rod, rough_bar

import flexmb as fm
from flexmb.schemes.stormer_verlet import StormerVerlet

SLOPE = np.radians(20.0)
UP = np.array([np.cos(SLOPE), np.sin(SLOPE), 0.0])
SCHEMES = [fm.MoreauJean(), fm.MoreauJeanDissipative(theta=0.5), StormerVerlet()]


def names(scheme):
    return scheme.name


def sliding(mu, v, mass=2.0, slope=SLOPE, **more):
    """A block on a slope; x up the slope."""
    up = np.array([np.cos(slope), np.sin(slope), 0.0])
    model = fm.Model(gravity=(0.0, -9.81, 0.0))
    model.add(fm.Particle("block", mass=mass, position=(0.0, 0.0, 0.0), velocity=v * up))
    model.add(fm.NodePlane("floor", node="block", normal=(-up[1], up[0], 0.0), friction=mu, **more))
    return model


def along(result, up=UP):
    return result.signals["block.displacement"] @ up


@pytest.mark.parametrize("scheme", SCHEMES, ids=names)
@pytest.mark.parametrize(
    ("mu", "v", "x_end", "error"),
    [
        (0.5, 2.0, 0.251117160261, 5e-7),
        (0.3, 2.0, -0.498747597767, 3e-4),
        (0.5, -2.0, -1.594928511481, 5e-6),
    ],
)
def test_block_on_an_incline(scheme, mu, v, x_end, error):
    result = fm.simulate(sliding(mu, v), scheme, step=1e-3, end=2.0, signals=["block.displacement"], engine="general")
    x = along(result)
    assert abs(x[-1] - x_end) < error
    energy = result.summary["energy"]
    assert energy["residual_max"] <= 1e-12 * energy["scale"]
    if (mu, v) == (0.5, 2.0):
        assert abs(x[-1] - x[len(x) // 2]) <= 1e-13
        assert energy["friction"] == pytest.approx(-2.314894565, abs=1e-5)
        floor = result.contacts["floor"]
        assert (floor.status[-500:] == 1).all()  # sticks, with T / N = tan of the slope
        pressed = floor.friction_impulse[-1] / floor.impulse[-1]
        assert np.abs(pressed) == pytest.approx(np.tan(SLOPE), rel=1e-10)


@pytest.mark.parametrize("scheme", SCHEMES, ids=names)
def test_a_stretched_spring_does_not_move_a_sticking_block(scheme):
    model = sliding(0.5, 0.0, mass=1.0, slope=0.0)
    model.add(spring(100.0, length=0.97))
    result = fm.simulate(model, scheme, step=1e-3, end=2.0, signals=["block.displacement"], engine="general")
    assert np.abs(result.signals["block.displacement"]).max() <= 1e-13


def spring(stiffness, length=1.0):
    """A spring along x to an anchor at a distance of 1 m."""
    return fm.Spring("spring", node="block", anchor=(-1.0, 0.0, 0.0), stiffness=stiffness, length=length)


@pytest.mark.parametrize("scheme", SCHEMES, ids=names)
def test_with_much_friction_a_block_sticks_at_once(scheme):
    result = fm.simulate(sliding(1e6, -2.0), scheme, step=1e-3, end=0.1, signals=["block.velocity"], engine="general")
    assert np.abs(result.signals["block.velocity"][1:]).max() <= 1e-14
    assert (result.contacts["floor"].status[1:] == 1).all()


@pytest.mark.parametrize(("engine", "end"), [("compiled", 101.0), ("general", 3.0)])
def test_no_creep_over_many_steps(engine, end):
    """A block that sticks on a slope after sliding does not move any more, to the last bits, over 1e5 steps."""
    model, what = sliding(0.5, 2.0), ["block.displacement"]
    result = fm.simulate(model, fm.MoreauJean(), step=1e-3, end=end, every=1000, signals=what, engine=engine)
    x = along(result)
    assert x[1] > 0.25
    assert abs(x[-1] - x[1]) <= 1e-13


@pytest.mark.parametrize("scheme", SCHEMES, ids=names)
def test_potras_block(scheme):
    """A block under a force 8 cos t moves, stops at t = 0.3386 and sticks for good."""
    model = sliding(0.8, 0.0, mass=1.0, slope=0.0)
    force = fm.Harmonic(amplitude=8.0, omega=1.0, phase=0.5 * np.pi)
    model.add(fm.NodalForce("push", node="block", force=(1.0, 0.0, 0.0), function=force))
    result = fm.simulate(
        model, scheme, step=2.0**-10, end=2.0, signals=["block.displacement", "block.velocity"], engine="general"
    )
    x, v = result.signals["block.displacement"][:, 0], result.signals["block.velocity"][:, 0]
    assert x[-1] == pytest.approx(0.004348569726865, abs=2e-6)
    stopped = result.time[np.flatnonzero(np.abs(v) > 1e-12)[-1]]
    assert stopped == pytest.approx(0.338608184671980, abs=2.0**-9)


@pytest.mark.parametrize("scheme", SCHEMES, ids=names)
def test_dry_oscillator(scheme):
    """m = k = 1 with a friction force of 1: turning points fall by 2 in each half turn, until it rests."""
    model = fm.Model(gravity=(0.0, -10.0, 0.0))
    model.add(fm.Particle("block", mass=1.0, position=(12.0, 0.0, 0.0), velocity=(6.0, 0.0, 0.0)))
    model.add(fm.NodePlane("floor", node="block", normal=(0.0, 1.0, 0.0), friction=0.1))
    model.add(fm.Spring("spring", node="block", anchor=(-1.0, 0.0, 0.0), stiffness=1.0, length=1.0))
    h = 5e-3
    result = fm.simulate(model, scheme, step=h, end=25.0, signals=["block.position"], engine="general")
    x, t = result.signals["block.position"][:, 0], result.time
    assert x.max() == pytest.approx(13.317821063, abs=5e-5)
    assert t[np.argmax(x)] == pytest.approx(0.432407776, abs=h)
    later = t > 0.432407776 + 6.0 * np.pi - 0.5
    assert x[later & (t < 20.0)].max() == pytest.approx(1.317821063, abs=5e-4)
    assert x[-1] == pytest.approx(0.682178936724, abs=4e-4)
    assert abs(x[-1] - x[t > 22.5][0]) <= 1e-13


@pytest.mark.parametrize("scheme", SCHEMES, ids=names)
@pytest.mark.parametrize("moves", ["surface_velocity", "motion"])
def test_block_on_a_belt(scheme, moves):
    """It sticks until the spring pulls more than friction, then swings and touches the speed of the belt."""
    belt = {"surface_velocity": (0.5, 0.0, 0.0)}
    if moves == "motion":
        belt = {"motion": fm.Polynomial(coefficients=[0.0, 0.5]), "motion_direction": (1.0, 0.0, 0.0)}
    model = fm.Model(gravity=(0.0, -10.0, 0.0))
    model.add(fm.Particle("block", mass=1.0, position=(0.0, 0.0, 0.0), velocity=(0.5, 0.0, 0.0)))
    model.add(fm.NodePlane("floor", node="block", normal=(0.0, 1.0, 0.0), friction=0.3, **belt))
    model.add(spring(100.0))
    result = fm.simulate(model, scheme, step=5e-4, end=1.0, signals=["block.displacement"], engine="general")
    x, t = result.signals["block.displacement"][:, 0], result.time
    exact = np.where(t < 0.06, 0.5 * t, 0.03 + 0.05 * np.sin(10.0 * (t - 0.06)))
    assert np.abs(x - exact).max() < 3e-5
    energy = result.summary["energy"]
    assert energy["residual_max"] <= 1e-12 * energy["scale"]
    # the belt's work is friction's, and what the block and its spring have taken
    assert energy["drive"] > 0.0 > energy["friction"]


TABLE = [
    ((-1, -1, 0), 0.3, 0.5, 0.0, (0.73170732, 0.21951220), (0.5, -1.54878049), -0.462671),
    ((-0.2, -1, 0), 0.8, 0.5, 0.0, (1.0125, 0.6875), (0.5, 0.0), -0.618990),
    ((-0.2, -1, 0), 0.8, 0.5, 0.5, (1.05, 0.75), (0.5, 0.1), -0.576923),
    ((-0.2, -1, 0), 0.8, 1.0, 1.0, (1.4, 1.0), (1.0, 0.2), 0.0),
    ((1, -1, 0), 0.8, 1.0, 0.0, (0.875, 0.125), (1.0, 0.0), 1 / 16),
    ((1, -1, 0), 0.8, 1.0, 1.0, (0.54054054, -0.43243243), (1.0, -0.89189189), -0.023375),
]
POISSON = [
    ((-0.2, -1, 0), 0.8, 0.5, (1.05, 0.71), (0.56, 0.0), -0.580769),
    ((1, -1, 0), 0.8, 1.0, (0.54054054, -0.07567568), None, -0.182469),
]


@pytest.mark.parametrize("scheme", SCHEMES, ids=names)
@pytest.mark.parametrize(("v", "mu", "e", "e_T", "P", "U", "change"), TABLE)
def test_a_rod_strikes_the_floor(scheme, v, mu, e, e_T, P, U, change):
    """Newton's law with friction, one row of which gains a sixteenth of the energy, which the ledger shows."""
    block, motor = run(rod(v, mu, e, e_T), scheme, 1e-3, 1, "general")
    assert_impact(block, motor, P, U, change)


@pytest.mark.parametrize("scheme", SCHEMES, ids=names)
@pytest.mark.parametrize(("v", "mu", "e", "P", "U", "change"), POISSON)
def test_a_rod_strikes_the_floor_by_poissons_law(scheme, v, mu, e, P, U, change):
    block, motor = run(rod(v, mu, e, 0.0, poisson=True), scheme, 1e-3, 1, "general")
    assert_impact(block, motor, P, U, change)


def assert_impact(block, motor, P, U, change):
    assert motor.failure is None
    T = block.energy[:, 0]
    np.testing.assert_allclose([block.impulse[1, 0], block.tangential[1, 0]], P, atol=1e-8)
    if U is not None:
        np.testing.assert_allclose([block.velocity[1, 0], block.slip[1, 0]], U, atol=1e-8)
    assert (T[1] - T[0]) / T[0] == pytest.approx(change, abs=1e-6)
    works = motor.tally()
    assert abs(block.energy[1, 6]) <= 1e-14
    if change > 0.0:
        assert works.gain_max + works.friction_gain_max > 0.0


def test_an_elastic_bar_pushed_on_a_rough_floor():
    """The wave stops with the bar locked in; two thirds of the work are friction's."""
    n, c = 100, 30.0
    le = 10.0 / n
    h = 0.5 * le / c
    steps = round(0.4 / h)
    block, motor = run(rough_bar(n), fm.MoreauJean(), h, steps, "general")
    assert motor.failure is None
    u = motor.state.q[: n + 1]
    x = np.linspace(0.0, 10.0, n + 1)
    exact = np.where(x < 8.0, 3.0 * (8.0 - x) ** 2 / (4.0 * c**2), 0.0)
    assert np.abs(u - exact).max() < 5e-4
    assert u[0] == pytest.approx(0.053149, abs=2e-6)
    assert np.abs(motor.state.v).max() <= 1e-12
    ledger = dict(
        zip(("T", "V", "external", "damping", "contact", "numerical", "residual"), block.energy[-1], strict=False)
    )
    assert ledger["external"] == pytest.approx(0.64, rel=5e-3)
    assert motor.tally().energy_scale * 1e-13 > abs(ledger["residual"])
