"""The driver with events: orders through impacts, snapshots, steps by tolerance, kinks, what it refuses and says."""

import numpy as np
import pytest
from event_runs import SCHEMES, Run, ball, double_pendulum, fitted_order, rocking_block
from references import double_pendulum_wall

import flexmb as fm
from flexmb.drive.engine import Plan
from flexmb.drive.events.event_engine import EventEngine
from flexmb.drive.events.impacts import Instantly
from flexmb.drive.events.watch import Watch
from flexmb.errors import InputError
from flexmb.nonsmooth.solvers import ContactSolver

SIGNALS = [f"{body}.{what}" for what in ("position", "velocity") for body in ("upper", "lower")]
ORDERS = [
    ("hem5", 4.7, (67, 101, 131, 173)),
    ("phem56", 4.7, (211, 269, 353, 443)),
    ("dopri5", 4.8, (113, 163, 223, 283)),
    ("rkf45", 3.8, (173, 239, 331, 457)),
]


@pytest.fixture(scope="module")
def reference():
    """Return positions and velocities of the double pendulum at 2.5 s, and its impacts."""
    x, v, hits = double_pendulum_wall.trajectory(np.array([0.0, 2.5]))
    return np.concatenate([x[-1], v[-1]]), np.array([t for t, _ in hits])


def ends(run):
    """Return positions and velocities of both masses in the plane."""
    x = run.block.probes[-1].reshape(4, 3)[:, :2]
    return x.ravel()


@pytest.mark.parametrize(("scheme", "least", "steps"), ORDERS)
def test_orders_through_five_impacts(scheme, least, steps, reference):
    errors = []
    for n in steps:
        run = Run(double_pendulum(), scheme, 2.5, n, signals=SIGNALS)
        assert run.failure is None
        assert run.times("impact").size == 5
        errors.append(np.abs(ends(run) - reference[0]).max())
        assert run.unexplained < 1e-13
        assert np.abs(run.block.joint_g).max() < 1e-12
    assert fitted_order(steps, errors) > least
    np.testing.assert_allclose(run.times("impact"), reference[1], rtol=0, atol=3e-7)


@pytest.mark.parametrize("constraints", ["ggl", "index2", "index3"])
def test_the_alpha_family_keeps_order_two_through_impacts(constraints, reference):
    scheme, errors, steps = fm.GeneralizedAlpha(rho_inf=0.8, constraints=constraints), [], (67, 101, 139, 199)
    for n in steps:
        run = Run(double_pendulum(), scheme, 2.5, n, signals=SIGNALS)
        assert run.failure is None
        errors.append(np.abs(ends(run) - reference[0]).max())
        assert run.unexplained < 1e-12
    assert fitted_order(steps, errors) == pytest.approx(2.0, abs=0.1)


@pytest.mark.parametrize("scheme", [*SCHEMES, "generalized-alpha"])
def test_a_run_goes_on_from_a_snapshot_with_the_same_bits(scheme):
    scheme = fm.SCHEMES[scheme]()
    system = double_pendulum().assemble()
    plan = Plan(system, scheme, ContactSolver(), 0.05, 0.0, 20, 1, 20, 0.0 if scheme.order == 2 else 1e-7, True)
    whole = EventEngine(plan)
    whole.start()
    whole.advance(12)  # beyond the first impact
    kept, later = whole.snapshot(), whole.advance(8)
    other = EventEngine(plan)
    other.restore(kept, 12)
    again = other.advance(8)
    assert later.step.size == 8
    for name in ("gap", "velocity", "impulse", "energy", "multiplier", "probes"):
        np.testing.assert_array_equal(getattr(later, name), getattr(again, name))
    assert whole.tally().events == other.tally().events


def test_a_snapshot_holds_closed_contacts():
    run = Run(rocking_block(), "hem5", 0.3, 300)
    kept = run.engine.snapshot()
    assert kept["closed"][0].sum() == 2.0
    other = EventEngine(run.engine.plan)
    other.restore(kept, 300)
    np.testing.assert_array_equal(other.motion.phase.closed, [0, 1])


def test_a_tolerance_chooses_the_steps(reference):
    found = []
    for tolerance in (1e-6, 1e-8):
        run = Run(double_pendulum(), "phem56", 2.5, 5, tolerance=tolerance, signals=SIGNALS)
        assert run.failure is None
        found.append((run.counts["steps"], np.abs(ends(run) - reference[0]).max()))
    (few, rough), (many, fine) = found
    assert few < many < 4 * few
    assert rough < 1e-4
    assert fine < 1e-6
    np.testing.assert_allclose(run.times("impact"), reference[1], rtol=0, atol=1e-7)


def test_kinks_of_loads_are_steps():
    """A force that is a table with corners: between them the motion is a cubic, which order 4 follows exactly."""
    model = fm.Model()
    model.add(fm.Particle("m", mass=1.0, axes="x"))
    table = fm.Table(time=[0.0, 0.33, 0.71, 2.0], value=[0.0, 1.0, -2.0, 1.0])
    model.add(fm.NodalForce("push", node="m", force=(1, 0, 0), function=table))
    run = Run(model, "rkf45", 1.0, 1)
    np.testing.assert_allclose(run.times("kink"), [0.33, 0.71], rtol=0, atol=1e-15)
    v, x, f, t = 0.0, 0.0, 0.0, 0.0
    for end, value in ((0.33, 1.0), (0.71, -2.0), (1.0, -2.0 + 3.0 * 0.29 / 1.29)):
        d = end - t
        x, v = x + d * v + d * d * (2.0 * f + value) / 6.0, v + 0.5 * d * (f + value)
        t, f = end, value
    assert run.state.v[0] == pytest.approx(v, abs=1e-12)
    assert run.state.q[0] == pytest.approx(x, abs=1e-11)


@pytest.mark.parametrize(("ends", "steps"), [(0.2, 15), (2.1, 15), (2.1, 3)])
def test_a_plate_that_starts_at_once_hits_what_lies_on_it(ends, steps):
    """A ramp of the plane's position: its speed jumps at a kink, which is an impact."""
    motion = fm.Ramp(start_time=0.1, end_time=ends, end_value=ends - 0.1)
    model = ball(restitution=0.5, gravity=9.81, height=0.0, motion=motion)
    run = Run(model, "dopri5", 0.15, steps)
    assert run.failure is None
    assert run.times("impact")[0] == pytest.approx(0.1, abs=1e-9)
    assert run.block.velocity[2 * steps // 3 - 1, 0] == pytest.approx(
        0.5, abs=1e-6
    )  # the sample at the kink is that after it
    assert run.unexplained < 1e-12


def wheel(drive):
    """A wheel at 2 rad/s with a prescribed rotation."""
    model = fm.Model()
    model.add(fm.RigidPlanar("wheel", mass=1.0, inertia=0.4, angular_velocity=2.0))
    model.add(fm.Revolute("shaft", a="ground", b="wheel", axis=(0, 0, 1), drive=drive))
    return model


@pytest.mark.parametrize(
    ("end", "steps", "kink", "last"),
    [
        (1.0, 10, 0.37, 2.0),
        (0.3, 3, 0.1, 2.0),  # 0.3 / 3 is less than 0.1
        (1.0, 10, 0.3 + 5e-11, 100.0),  # within round-off of 100
        (1.0, 10, 0.3 + 2e-10, 100.0),  # the step ends within the margin, where the slope is that before
    ],
)
@pytest.mark.parametrize("scheme", [*SCHEMES, "generalized-alpha", "newmark"])
def test_a_drive_whose_speed_jumps_is_an_impact_at_its_kink(scheme, end, steps, kink, last):
    """From 2 to 5 rad/s, also just after the end of a step: the work of the drive is J (5^2 - 2^2) / 2."""
    turn = fm.Table(time=[0.0, kink, last], value=[0.0, 2.0 * kink, 2.0 * kink + 5.0 * (last - kink)])
    run = Run(wheel(turn), fm.SCHEMES[scheme](), end, steps)
    assert run.failure is None
    np.testing.assert_allclose(run.times("kink"), [kink], rtol=0, atol=1e-10)
    assert run.state.v[2] == pytest.approx(5.0, abs=1e-12)
    assert run.state.q[2] == pytest.approx(2.0 * kink + 5.0 * (end - kink), abs=1e-12)
    assert run.column("work_drive")[-1] == pytest.approx(0.5 * 0.4 * 21.0, abs=1e-12)
    assert np.abs(run.column("numerical")).max() < 1e-12
    assert run.unexplained < 1e-13


@pytest.mark.parametrize("scheme", [*SCHEMES, "generalized-alpha"])
def test_a_drive_that_stops_at_the_end_of_the_run_stops_the_wheel(scheme):
    run = Run(wheel(fm.Ramp(start_time=0.0, end_time=1.0, end_value=2.0)), fm.SCHEMES[scheme](), 1.0, 10)
    assert run.failure is None
    np.testing.assert_allclose(run.column("work_drive"), [0.0] * 10 + [-0.8], rtol=0, atol=1e-12)
    assert np.abs(run.column("numerical")).max() < 1e-12
    assert abs(run.state.v[2]) < 1e-12


@pytest.mark.parametrize("scheme", [*SCHEMES, "generalized-alpha", "newmark"])
def test_a_block_that_sticks_begins_to_slip_where_the_force_exceeds_friction(scheme):
    """8 sin t on 1 kg, mu m g = 3.924 N: sticks until sin t = 3.924 / 8, then slides in closed form."""
    model = fm.Model(gravity=(0, 0, -9.81))
    model.add(fm.Particle("block", mass=1.0, axes="xz"))
    model.add(fm.NodalForce("push", node="block", force=(8, 0, 0), function=fm.Harmonic(omega=1.0)))
    model.add(fm.NodePlane("floor", node="block", normal=(0, 0, 1), friction=0.4))
    scheme = fm.SCHEMES[scheme]()
    run = Run(model, scheme, 2.0, 100)
    slips = np.arcsin(0.4905)
    t = 2.0 - slips
    x = 8.0 * (t * np.cos(slips) - np.sin(2.0) + np.sin(slips)) - 1.962 * t * t
    assert run.failure is None
    assert run.times("slip") == pytest.approx([slips], abs={2: 1e-4, 3: 1e-7}.get(scheme.order, 1e-9))
    assert run.state.q[0] == pytest.approx(x, abs={2: 1e-3, 3: 1e-6}.get(scheme.order, 1e-8))
    assert run.unexplained < 1e-13


def test_dense_output_of_hem5_is_of_order_four():
    model, errors = double_pendulum(), []
    system = model.assemble()
    from flexmb.smooth.dense import inside_of
    from flexmb.smooth.phase import Phase

    for h in (0.04, 0.02):
        for scheme in (fm.Hem5(dense="own"), fm.Hem5()):
            phase = Phase(system)
            state = phase.begin(0.0, system.start, system.v0)
            step = scheme.smooth_step(phase, state, h)
            half = scheme.smooth_step(phase, scheme.smooth_step(phase, state, 0.25 * h).end, 0.05 * h).end
            x, _ = inside_of(system, step).at(0.3)
            errors.append(np.abs(system.advance(state.q, x) - half.q).max())
    own, hermite = np.log2(np.array(errors[:2]) / errors[2:])
    assert own > 4.5
    assert hermite > 5.5


REFUSED = [
    ({"scheme": fm.MoreauJean()}, "moreau-jean"),
    ({"scheme": fm.Phem56(), "tolerance": 1e-16, "step": None, "interval": 0.01}, "tolerance"),
]


@pytest.mark.parametrize(("how", "named"), REFUSED)
def test_what_is_refused(how, named):
    options = {"step": 0.01, "end": 0.02, "events": True} | how
    with pytest.raises(InputError, match=named):
        fm.simulate(ball(), **options)


def test_friction_in_space_is_refused_by_name():
    model = fm.Model(gravity=(0, 0, -9.81))
    model.add(fm.Particle("ball", mass=1.0))
    model.add(fm.NodePlane("floor", node="ball", normal=(0, 0, 1), friction=0.3))
    with pytest.raises(InputError, match=r"floor.*hybrid") as caught:
        fm.simulate(model, fm.Phem56(), step=0.01, end=0.1)
    assert "friction" in str(caught.value)


def stiff(k):
    model = fm.Model()
    model.add(fm.Particle("weight", mass=1.0, position=(1, 0, 0), axes="x"))
    model.add(fm.Particle("tip", mass=1e-3, position=(2, 0, 0), axes="x"))
    model.add(fm.Spring("needle", node="weight", node2="tip", stiffness=k, length=1.0))
    return model


def test_a_stiff_model_is_refused_with_frequency_part_and_what_to_use():
    with pytest.raises(InputError) as caught:
        fm.simulate(stiff(1e6), fm.Dopri5(), step=0.01, end=0.1)
    said = str(caught.value)
    assert all(word in said for word in ("tip", "rad/s", "generalized-alpha", "step"))
    assert "31638" in said  # sqrt(k (1/m + 1/M))
    fm.simulate(stiff(1e6), fm.Dopri5(), step=2e-5, end=2e-4)


def test_contacts_that_hold_each_other_know_how_their_tangents_turn(monkeypatch):
    """Three points that stick: whether they can stay is asked with the rates of their tangents, not with none."""
    model = fm.Model(gravity=(0, -9.81, 0))
    points = {"left": (-0.2, -0.5), "middle": (0, -0.5), "right": (0.2, -0.5)}
    model.add(fm.RigidPlanar("block", mass=1.0, inertia=0.1, position=(0, 0.5), points=points))
    nodes = [f"block.{point}" for point in points]
    model.add(fm.NodePlane("floor", nodes=nodes, normal=(0, 1, 0), friction=0.8))
    motion = Run(model, "dopri5", 0.1, 2).engine.motion
    assert motion._dependent
    assert motion.phase.stuck.size == 3
    seen = []
    monkeypatch.setattr(Instantly, "stay", lambda self, closed, slip, bias: seen.append(bias) or (np.ones(3), 0, 0))
    motion._holds(motion.phase.at(0.1, motion.state.q, np.array([0.0, 0.0, 2.0])))
    np.testing.assert_allclose(np.abs(seen[0]), 4.0 * np.abs([-0.2, 0.0, 0.2]), atol=1e-9)


def test_a_gap_that_stays_at_zero_and_then_falls_is_an_event():
    """A contact that was let go and sinks at once, slower than its threshold over the first part of the step."""
    run = Run(ball(height=0.0), "dopri5", 1e-3, 1)
    motion = run.engine.motion
    motion.phase = motion.phase.with_(np.zeros(0, dtype=np.int64))
    state = motion.phase.begin(0.0, np.zeros(1), np.zeros(1))
    step = motion.scheme.smooth_step(motion.phase, state, 3e-6)
    watch = Watch(motion.phase, step, motion.thresholds)
    gap = {s: watch.value(("closing", 0), watch.at(s)) for s in (0.125, 1.0)}
    assert -watch.tau_0[0] < gap[0.125] < 0.0
    assert gap[1.0] < -watch.tau_0[0]
    event = watch.first()
    assert event.kind == "closing"
    assert event.s < 1.0


@pytest.mark.parametrize("omega", [1.9, 2.3, 5.7])
@pytest.mark.parametrize(("scheme", "steps", "tol"), [("dopri5", 10, 1e-8), (fm.GeneralizedAlpha(0.8), 100, 1e-4)])
def test_contacts_that_share_their_force_are_let_go_together(scheme, steps, tol, omega):
    """A ball on a floor that is there twice, lifted by 1.5 m g sin(omega t): it leaves where that is m g."""
    model = ball(gravity=9.81, height=0.0)
    lift = fm.Harmonic(omega=omega)
    model.add(fm.NodalForce("lift", node="ball", force=(0, 0, 1.5 * 9.81), function=lift))
    model.add(fm.NodePlane("again", node="ball", normal=(0, 0, 1), restitution=0.5))
    run = Run(model, scheme, 0.5, steps)
    assert run.failure is None
    assert run.times("release") == pytest.approx(2 * [np.arcsin(1.0 / 1.5) / omega], abs=tol)
    assert run.counts["count"] == 4
