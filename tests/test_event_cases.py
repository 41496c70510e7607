"""Motions with located events against closed forms and references of 10 digits and more."""

import numpy as np
import pytest
from event_runs import SCHEMES, Run, ball, double_pendulum, fitted_order, rocking_block
from references import double_pendulum_wall, flexible_pendulum, tied_ball

import flexmb as fm


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_bouncing_ball_comes_to_rest_through_all_its_impacts(scheme):
    """RR-7151, example 1: t_n = 3 - 2^(2-n); 2 J are lost, what the closing impulse takes included."""
    run = Run(ball(), scheme, 5.0, 600)
    assert run.failure is None
    hits = run.times("impact")
    n = np.arange(1, hits.size + 1)
    assert hits.size >= {2: 5, 3: 8, 4: 9}.get(SCHEMES[scheme]().order, 12)
    np.testing.assert_allclose(hits, 3.0 - 2.0 ** (2.0 - n), rtol=0, atol=1e-12)
    assert [kind for _, kind, _ in run.events][-1] == "closing"
    assert run.counts["closing_work"] == pytest.approx(-2.0 * 4.0**-hits.size, rel=1e-6)
    assert run.contact_work == pytest.approx(-2.0, rel=1e-12)
    assert run.impulses[0] == pytest.approx(10.0, rel=1e-12)
    assert abs(run.block.gap[-1, 0]) < 1e-13
    assert abs(run.state.v[0]) < 1e-13
    assert run.unexplained < 1e-13


def test_the_end_of_an_accumulation_errs_with_the_third_power_of_the_shortest_flight():
    """A ball tied to a mass: of all its bounces those shorter than h* = T (h / T)^(p / 3) are ended."""
    exact, hits, rest = tied_ball.end(4.0)
    steps, errors, ended = (140, 200, 283, 400), [], []
    for n in steps:
        model = fm.Model(gravity=(0, 0, -tied_ball.GRAVITY))
        model.add(fm.Particle("ball", mass=1.0, position=(0, 0, 1), axes="z"))
        model.add(fm.Particle("mass", mass=1.0, position=(0, 0, 3), axes="z"))
        model.add(fm.Spring("tie", node="mass", node2="ball", stiffness=tied_ball.STIFFNESS, length=tied_ball.LENGTH))
        model.add(fm.NodePlane("floor", node="ball", normal=(0, 0, 1), restitution=tied_ball.RESTITUTION))
        run = Run(model, "dopri5", 4.0, n, signals=["mass.position", "mass.velocity"])
        assert run.failure is None
        found = run.times("impact")
        np.testing.assert_allclose(found, hits[: found.size], rtol=0, atol=1e-6)
        assert run.times("closing")[0] < rest
        errors.append(np.abs(run.block.probes[-1, [2, 5]] - exact).max())
        ended.append(hits[found.size] - hits[found.size - 1])
        shortest = 4.0 * (1.0 / n) ** (5 / 3)
        assert 0.5 * shortest < ended[-1] < shortest
        assert errors[-1] < 0.5 * shortest**3
    assert -fitted_order(ended, errors) == pytest.approx(3.0, abs=0.1)


def test_chatter_on_a_shaken_plate_ends_in_rest_and_release():
    """E2: y'' = -g over a plate 0.12 sin 10 t, e = 0.3; reference by DOP853 at 1e-13 with landed events."""
    model = fm.Model(gravity=(0, 0, -9.81))
    model.add(fm.Particle("ball", mass=1.0, position=(0, 0, 0.5), axes="z"))
    shake = fm.Harmonic(amplitude=0.12, omega=10.0)
    model.add(fm.NodePlane("plate", node="ball", normal=(0, 0, 1), restitution=0.3, motion=shake))
    run = Run(model, "dopri5", 3.0, 300, tolerance=1e-11, signals=["ball.position", "ball.velocity"])
    assert run.failure is None
    hits, rests = run.times("impact"), run.times("closing")
    np.testing.assert_allclose(
        hits[:4], [0.322422044472634, 0.406792785201241, 0.428296309055692, 0.434592300109397], rtol=0, atol=1e-9
    )
    assert rests[0] == pytest.approx(0.437273723677314, abs=3e-4)  # the end of the sequence is closed early
    assert run.times("release")[0] == pytest.approx(0.724024204011521, abs=1e-7)
    late = hits[hits > 0.8]
    np.testing.assert_allclose(late[:2], [0.976452229075804, 1.00298834779248], rtol=0, atol=1e-7)
    assert run.block.probes[-1, 2] == pytest.approx(-0.118563794891143, abs=1e-8)
    assert run.block.probes[-1, 5] == pytest.approx(0.185101739865101, abs=1e-7)
    assert run.contact_work == pytest.approx(-2.88069837663173, abs=1e-7)
    assert run.unexplained < 1e-12


def oscillator():
    model = fm.Model()
    model.add(fm.Particle("ball", mass=1.0, position=(1, 0, 0), axes="x"))
    model.add(fm.Spring("spring", node="ball", anchor=(-2, 0, 0), length=2.0, stiffness=4.0))
    model.add(fm.Damper("damper", node="ball", anchor=(-2, 0, 0), coefficient=0.2))
    model.add(fm.NodePlane("stop", node="ball", normal=(1, 0, 0), restitution=0.8))
    return model


@pytest.mark.parametrize(("scheme", "order"), [(name, cls().order) for name, cls in SCHEMES.items()])
def test_an_impacting_oscillator_keeps_the_order(scheme, order):
    """E3: m = 1, c = 0.2, k = 4, e = 0.8."""
    errors, steps = [], (61, 101, 167)
    for n in steps:
        run = Run(oscillator(), scheme, 5.0, n)
        np.testing.assert_allclose(
            run.times("impact"),
            [0.811423505900970, 2.384187017344971, 3.956950528788971],
            rtol=0,
            atol=1e-2 if order == 2 else 1e-4,
        )
        x, v = run.block.gap[-1, 0], run.state.v[0]
        errors.append(max(abs(x - 0.270954915280394), abs(v + 0.331755062374764)))
        assert run.unexplained < 1e-13
    assert fitted_order(steps, errors) > order - 0.3


def test_a_bead_leaves_a_cylinder():
    """E6: R = 1, from 0.1 rad beside the top; leaves at cos th = (2/3) cos th0, bounces on a floor with e = 0.5."""
    model = fm.Model(gravity=(0, -9.81, 0))
    model.add(fm.Particle("bead", mass=1.0, position=(np.sin(0.1), np.cos(0.1), 0), axes="xy"))
    model.add(fm.RigidPlanar("drum", mass=1.0, inertia=1.0))
    model.add(fm.Fixed("held", a="ground", b="drum"))
    model.add(fm.SphereSphere("side", a="drum", b="bead", radius_a=1.0, radius_b=0.0))
    model.add(fm.NodePlane("floor", node="bead", point=(0, -1, 0), normal=(0, 1, 0), restitution=0.5))
    run = Run(model, "phem56", 2.0, 200, tolerance=1e-11)
    assert run.failure is None
    assert run.times("release")[0] == pytest.approx(0.9071101110462694, abs=1e-8)
    np.testing.assert_allclose(run.times("impact")[:2], [1.326503464371988, 1.940486851102513], rtol=0, atol=1e-8)
    assert run.unexplained < 1e-12


def test_a_block_rocks_on_a_smooth_plane_until_it_stands():
    """E8: e = 0; the standing corner lifts when the other one hits; rest at 0.2012993."""
    run = Run(rocking_block(), "dopri5", 0.3, 300, tolerance=1e-11)
    assert run.failure is None
    np.testing.assert_allclose(
        run.times("impact")[:5],
        [0.086139116293, 0.153792715955, 0.181618403903, 0.193140224400, 0.197916453483],
        rtol=0,
        atol=1e-9,
    )
    assert run.contact_work == pytest.approx(-0.0919291573, abs=1e-8)
    assert np.abs(run.block.gap[-1]).max() < 1e-12
    assert run.unexplained < 1e-12


def test_a_column_of_beads():
    """E9: three beads above each other over a floor, e = 0.9."""
    model = fm.Model(gravity=(0, 0, -9.81))
    for i in range(3):
        model.add(fm.Particle(f"b{i}", mass=1.0, position=(0, 0, 1.0 + 0.25 * i), axes="z"))
    model.add(fm.NodePlane("floor", node="b0", point=(0, 0, 0.1), normal=(0, 0, 1), restitution=0.9))
    for i in (1, 2):
        pair = {"node": f"b{i}", "node2": f"b{i - 1}", "direction": (0, 0, 1), "offset": 0.2}
        model.add(fm.NodeNode(f"c{i}", restitution=0.9, **pair))
    run = Run(model, "hem5", 0.592, 120)
    hits = [(t, label) for t, kind, label in run.events if kind == "impact"]
    given = [0.4283529368781193, 0.4346154067155187, 0.4406482919907991, 0.4412074802285708, 0.4469869376582346]
    given += [0.4530458896021723, 0.5906600418527022]
    np.testing.assert_allclose([t for t, _ in hits], given, rtol=0, atol=1e-12)
    assert [label for _, label in hits] == ["floor", "c1", "floor", "c2", "c1", "floor", "c2"]


@pytest.mark.parametrize(
    ("e", "impact", "after"),
    [
        ((1.0, 1.0), "newton", (-1 / 3, 2 / 3, 2 / 3)),
        ((1.0, 1.0), "poisson", (-1 / 3, 2 / 3, 2 / 3)),
        ((0.0, 1.0), "newton", (1 / 3, 1 / 3, 1 / 3)),
        ((0.0, 1.0), "poisson", (1 / 6, 1 / 6, 2 / 3)),
    ],
)
def test_one_ball_hits_two_that_touch(e, impact, after):
    """E10: one problem over all closed contacts."""
    model = fm.Model()
    for i, x in enumerate((-0.5, 1.0, 2.0)):
        model.add(fm.Particle(f"b{i}", mass=1.0, position=(x, 0, 0), velocity=(1.0 if i == 0 else 0.0, 0, 0), axes="x"))
    for i in (0, 1):
        pair = {"node": f"b{i + 1}", "node2": f"b{i}", "direction": (1, 0, 0), "offset": 1.0}
        model.add(fm.NodeNode(f"c{i}", restitution=e[i], impact=impact, **pair))
    run = Run(model, "dopri5", 0.8, 8)
    assert run.failure is None
    np.testing.assert_allclose(run.state.v, after, rtol=0, atol=1e-12)
    assert run.unexplained < 1e-13


def test_a_ball_on_a_chain_of_springs_is_let_go():
    """E10: m = 1 on five masses of 1/5 with springs 1000, e = 0; release, and a sixth of the energy lost."""
    n, mass, k = 5, 0.2, 1000.0
    model = fm.Model()
    model.add(fm.Particle("ball", mass=1.0, position=(-1, 0, 0), velocity=(1, 0, 0), axes="x"))
    for i in range(n):
        model.add(fm.Particle(f"m{i}", mass=mass, position=(i, 0, 0), axes="x"))
    for i in range(n - 1):
        model.add(fm.Spring(f"s{i}", node=f"m{i}", node2=f"m{i + 1}", stiffness=k, length=1.0))
    model.add(fm.NodeNode("hit", node="m0", node2="ball", direction=(1, 0, 0), offset=1.0))
    run = Run(model, "dopri5", 0.2, 200)
    assert run.failure is None
    assert run.times("release")[0] == pytest.approx(0.115503744091, abs=1e-9)
    assert run.state.v[0] == pytest.approx(0.2344345143163, abs=1e-9)
    assert run.energy[-1, :2].sum() == pytest.approx(0.5 * 5 / 6, rel=1e-8)  # what the method damps


def test_an_impacting_bar_on_a_fixed_mesh():
    """E11: ten elements, e = 0; impact, persistent contact and release, as the semi-discrete theory says."""
    model = fm.Model()
    rod = fm.Bar(
        "rod", length=10.0, elements=10, section={"area": 1.0}, material={"young": 900.0, "density": 1.0},
        position=(5, 0, 0), direction=(1, 0, 0), velocity=(-10, 0, 0),
    )  # fmt: skip
    model.add(rod)
    model.add(fm.NodePlane("wall", node="rod.first", normal=(1, 0, 0)))
    run = Run(model, "dopri5", 2.0, 2700, signals=["rod.first.position", "rod.last.position"])
    assert run.failure is None
    assert run.times("impact")[0] == pytest.approx(0.5, abs=1e-12)
    assert run.times("release")[0] == pytest.approx(1.146382911433, abs=1e-9)
    assert run.block.probes[-1, 0] == pytest.approx(7.668162998597, abs=1e-9)
    assert run.block.probes[-1, 3] - 10.0 == pytest.approx(7.908081186381, abs=1e-9)
    assert run.impulses[0] == pytest.approx(193.984760445, abs=1e-8)
    assert run.contact_work == pytest.approx(-14.433756729636, abs=1e-10)
    assert run.unexplained < 1e-13


def block():
    """Return Potra's block (section 10.2): 8 cos t on a floor with mu = 0.8."""
    model = fm.Model(gravity=(0, 0, -9.81))
    model.add(fm.Particle("block", mass=1.0, position=(3, 0, 0), axes="xz"))
    push = fm.Harmonic(omega=1.0, phase=0.5 * np.pi)
    model.add(fm.NodalForce("push", node="block", force=(8, 0, 0), function=push))
    model.add(fm.NodePlane("floor", node="block", normal=(0, 0, 1), friction=0.8))
    return model


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_block_slides_and_sticks(scheme):
    """E14: sticks at 0.338608184671980, q(2) = 3.004348569726865."""
    run, order = Run(block(), scheme, 2.0, 100, signals=["block.position"]), SCHEMES[scheme]().order
    assert run.failure is None
    assert run.times("stick")[0] == pytest.approx(0.338608184671980, abs={2: 1e-3, 3: 2e-7}.get(order, 1e-9))
    close = {2: 2e-3, 3: 1e-6, 4: 5e-10}.get(order, 1e-11)  # steps of 0.02 s
    assert run.block.probes[-1, 0] == pytest.approx(3.004348569726865, abs=close)
    assert run.energy[-1, 9] < 0.0
    assert run.unexplained < 1e-13


@pytest.mark.parametrize(("mu", "after"), [(0.1, (1.55, 1.5, -9.0)), (0.6, (4 / 3, 1.5, -40 / 3))])
def test_a_disc_hits_a_rough_plane(mu, after):
    """E14: R = 0.1, J = m R^2 / 2, e = 0.5, from (2, -3, 0): it slides, or sticks, in the impact."""
    model = fm.Model()
    model.add(fm.RigidPlanar("disc", mass=1.0, inertia=0.005, position=(0, 0.25), velocity=(2, -3)))
    floor = {"node": "disc", "radius": 0.1, "normal": (0, 1, 0), "restitution": 0.5, "friction": mu}
    model.add(fm.NodePlane("floor", **floor))
    run = Run(model, "dopri5", 0.1, 10)
    assert run.failure is None
    assert run.times("impact")[0] == pytest.approx(0.05, abs=1e-12)
    np.testing.assert_allclose(run.state.v, after, rtol=0, atol=1e-9)
    assert run.unexplained < 1e-12


@pytest.mark.parametrize("scheme", ["hem5", "phem56", "dopri5"])
def test_a_double_pendulum_hits_a_wall_at_the_times_of_the_reference(scheme):
    """E4: at a tolerance of 1e-8, times to 4e-8 and positions at 2.5 s to 1e-8."""
    x, _, hits = double_pendulum_wall.trajectory(np.array([0.0, 2.5]))
    signals = ["upper.position", "lower.position"]
    run = Run(double_pendulum(), scheme, 2.5, 1, tolerance=1e-8, signals=signals)
    assert run.failure is None
    np.testing.assert_allclose(run.times("impact"), [t for t, _ in hits], rtol=0, atol=4e-8)
    np.testing.assert_allclose(run.block.probes[-1, [0, 1, 3, 4]], x[-1], rtol=0, atol=1e-8)


def test_a_rope_becomes_slack_and_taut():
    """E7: L = 1, from the bottom with v0^2 = 4 g L: slack at cos th = -2/3, a parabola, taut again."""
    model = fm.Model(gravity=(0, -9.81, 0))
    speed = np.sqrt(4.0 * 9.81)
    model.add(fm.Particle("bob", mass=1.0, position=(0, -1, 0), velocity=(speed, 0, 0), axes="xy"))
    model.add(fm.Rope("rope", a="ground", b="bob", length=1.0))
    run = Run(model, "phem56", 1.3, 13, tolerance=1e-11)
    assert run.failure is None
    assert run.times("release")[0] == pytest.approx(0.493116094853, abs=1e-9)
    assert run.times("impact")[0] == pytest.approx(1.270335446834, abs=1e-9)
    assert run.contact_work == pytest.approx(-0.5 * 5.6477939577**2, abs=1e-8)  # e = 0
    assert run.unexplained < 1e-12


def test_a_slider_in_a_clearance_hits_rests_and_is_let_go_at_the_times_of_the_reference():
    """E12, smooth walls: five impacts, two rests, two releases, and a sixth impact."""
    run = Run(fm.load_case("clearance_event_driven").plan.system, "phem56", 0.05, 10, tolerance=1e-9)
    assert run.failure is None
    hits, lets = np.unique(run.times("impact")), np.unique(run.times("release"))
    large = [0.002692502752, 0.005607797868, 0.007465635170, 0.025868167676, 0.028633275737, 0.039755701450]
    nearest = [hits[np.argmin(np.abs(hits - t))] for t in large]
    np.testing.assert_allclose(nearest, large, rtol=0, atol=2e-9)
    np.testing.assert_allclose(lets, [0.015020309097, 0.034298095116], rtol=0, atol=2e-8)
    early = np.array([0.0091304, 0.0302326]) - np.unique(run.times("closing"))  # sequences are ended before their end
    assert (early > 0.0).all()
    assert early.max() < 1e-4
    assert run.contact_work == pytest.approx(-0.090349994392, abs=1e-8)


@pytest.mark.parametrize(
    ("scheme", "tolerance"), [("phem56", 1e-6), ("phem56", 1e-8), ("hem5", 1e-6), ("radau-iia-5", 1e-6)]
)
def test_corners_that_lose_their_forces_together_leave_together(scheme, tolerance):
    """E12, one sample: forces that all vanish have no scale of their own; one at a time the corners closed in turns."""
    run = Run(fm.load_case("clearance_event_driven").plan.system, scheme, 0.05, 1, tolerance=tolerance)
    assert run.failure is None
    assert run.times("contact").size == 0
    lets = np.repeat([0.015020309097, 0.034298095116], 2)
    np.testing.assert_allclose(run.times("release"), lets, rtol=0, atol=tolerance)
    assert run.unexplained < 1e-12


def test_corners_of_a_turned_slider_hit_in_turns_within_two_microseconds():
    """E12 with -0.01 rad/s of the slider at the start: eleven impacts from t = 0.0026909 on, flight until 2.8 ms."""
    case = fm.load_case("clearance_event_driven", ["bodies.slider.angular_velocity=-0.01"])
    run = Run(case.plan.system, "phem56", 0.0028, 4, tolerance=1e-9)
    assert run.failure is None
    hits = [(t, label) for t, kind, label in run.events if kind == "impact"][:11]
    assert hits[0][0] == pytest.approx(0.0026909, abs=5e-8)
    assert hits[10][0] - hits[0][0] < 2e-6
    assert [label for _, label in hits] == ["above[slider.a]", "above[slider.b]"] * 5 + ["above[slider.a]"]
    assert run.block.gap[-1].min() > 0.0
    assert run.unexplained < 1e-12


def test_carts_hit_a_stopper_and_turn_at_the_times_of_the_reference():
    """E14, variant (b) with gamma = 100."""
    run = Run(fm.load_case("carts_events").plan.system, "dopri5", 2.0, 20, tolerance=1e-10)
    assert run.failure is None
    assert run.times("impact")[0] == pytest.approx(0.07238978196, abs=2e-10)
    turns = [(t, label) for t, kind, label in run.events if kind in ("stick", "slip")]
    for time, label in ((0.25041500953, "floor[cart2]"), (0.56345456419, "floor[cart1]")):
        near = [t for t, what in turns if what == label and abs(t - time) < 1e-3]
        assert near, turns
        assert near[0] == pytest.approx(time, abs=1e-9)


@pytest.mark.parametrize("scheme", ["dopri5", "phem56", "hem5"])
def test_a_flexible_pendulum_stays_at_a_stop(scheme):
    """Persistent contact from 0.431 to 0.481 s, then free: as the semi-discrete solution has it."""
    times = np.array([0.44, 0.45, 0.46, 0.47, 0.48, 0.6])
    exact, events = flexible_pendulum.trajectory(times)
    run = Run(fm.load_case("flexible_pendulum_stop").plan.system, scheme, 0.6, 60, tolerance=1e-11)
    assert run.failure is None
    assert [(round(t, 6), kind) for t, kind in events] == [(0.431324, "impact"), (0.480872, "release")]
    assert run.times("impact")[0] == pytest.approx(events[0][0], abs=1e-10)
    assert run.times("release")[0] == pytest.approx(events[1][0], abs=1e-9)
    kept = [int(round(100 * t)) - 1 for t in times]
    np.testing.assert_allclose(run.block.probes[kept][:, [0, 1, 3, 4]], exact[:, 8:12], rtol=0, atol=1e-9)
    assert np.abs(run.block.gap[kept[:5]]).max() < 1e-12
    assert run.unexplained < 1e-12


def test_a_flexible_pendulum_hits_a_stop():
    """A floating beam whose mass matrix depends on its shape: impacts, persistent contact, release.

    Times by hem5 at a tolerance of 1e-9, another method than the one that runs here.
    """
    model = fm.Model(gravity=(0, -9.81, 0))
    section = {"shape": "rectangle", "height": 0.05, "width": 0.05}
    material = {"young": 2e6, "density": 1000.0, "poisson": 0.3}
    shape = {"length": 1.0, "elements": 4, "section": section, "material": material}
    model.add(fm.FloatingBeam("rod", **shape, direction=(0.3, -0.95, 0)))
    model.add(fm.Revolute("hinge", a="ground", b="rod.first", axis=(0, 0, 1)))
    model.add(fm.NodePlane("stop", node="rod.last", normal=(1, 0, 0)))
    run = Run(model, "phem56", 0.485, 1, tolerance=1e-8)
    assert run.failure is None
    np.testing.assert_allclose(run.times("impact"), [0.4582751546279, 0.4583931443289], rtol=0, atol=1e-8)
    np.testing.assert_allclose(run.times("release"), [0.4777918584548], rtol=0, atol=1e-7)
    assert run.unexplained < 1e-12
