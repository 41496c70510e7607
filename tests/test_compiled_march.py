"""The compiled loop of Runge-Kutta steps is the one of Python: samples, works, counts, events, step for step."""

from __future__ import annotations

import numpy as np
import pytest
from event_runs import Run, double_pendulum
from multibody_models import everything, four_bar, pendulum

import flexmb as fm
from flexmb.drive.events import event_engine
from flexmb.drive.events.compiled_march import CompiledMarch

METHODS = ("dopri5", "phem56", "hem5", "rkf45", "hybrid")


def driven_crank():
    """Return a crank with a prescribed angle and a body that turns freely at its end, in space."""
    model = fm.Model(gravity=(0, -9.81, 0), project=True)
    model.add(fm.Rigid("crank", mass=1.0, inertia=[0.1, 0.2, 0.3], center=[0.5, 0, 0], points={"pin": [1, 0, 0]}))
    model.add(
        fm.Rigid(
            "bob",
            mass=0.7,
            inertia=[0.02, 0.05, 0.04],
            center=[0.3, 0.1, 0],
            position=[1, 0, 0],
            angular_velocity=[3, 2, 1],
        )
    )
    swing = fm.Harmonic(amplitude=0.5, frequency=0.7)
    model.add(fm.Revolute("axle", a="ground", b="crank", axis=[0, 0, 1], drive=swing))
    model.add(fm.Spherical("ball", a="crank.pin", b="bob", point=[1, 0, 0]))
    return model


def both(monkeypatch, build, method, end, samples, tolerance):
    """Return a run with the compiled loop, how many steps it took, and one without it."""
    taken = []
    go = CompiledMarch.go

    def counted(self, motion, t):
        before = motion.counts.get("steps")
        answer = go(self, motion, t)
        taken.append(motion.counts.get("steps") - before)
        return answer

    with monkeypatch.context() as patch:
        patch.setattr(CompiledMarch, "go", counted)
        ours = Run(build(), method, end, samples, tolerance)
    with monkeypatch.context() as patch:
        patch.setattr(event_engine, "compiled_march", lambda *given: None)
        oracle = Run(build(), method, end, samples, tolerance)
    return ours, int(sum(taken)), oracle


def same(ours, oracle, rounding=1e-11):
    """Assert that two runs are the same to round-off of the size of each column."""
    assert ours.failure is None
    assert oracle.failure is None
    for name in ("probes", "gap", "velocity", "impulse", "multiplier", "joint_g", "joint_gdot", "field_q", "field_v"):
        left, right = getattr(ours.block, name), getattr(oracle.block, name)
        scale = max(1.0, float(np.abs(right).max(initial=0.0)))
        np.testing.assert_allclose(left, right, rtol=0.0, atol=rounding * scale, err_msg=name)
    scale = np.abs(oracle.energy[:, :6]).max()
    np.testing.assert_allclose(ours.energy, oracle.energy, rtol=0.0, atol=rounding * scale)
    assert ours.unexplained < 1e-12


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("build", [four_bar, lambda: four_bar(spatial=True), driven_crank])
def test_mechanisms_step_for_step(monkeypatch, build, method) -> None:
    ours, taken, oracle = both(monkeypatch, build, method, 0.4, 4, 1e-7)
    if taken == 0:  # rows of a linkage in space depend on each other: Python's business
        assert oracle.engine.motion.phase.depends(oracle.state.here)
        return
    assert taken == ours.counts["steps"]
    assert ours.counts["rejected"] == oracle.counts["rejected"]
    assert {**ours.counts, "projection_work": 0.0} == {**oracle.counts, "projection_work": 0.0}
    same(ours, oracle)


@pytest.mark.parametrize("method", METHODS)
def test_steps_of_one_size(monkeypatch, method) -> None:
    ours, taken, oracle = both(monkeypatch, driven_crank, method, 0.2, 40, 0.0)
    assert taken == 40
    same(ours, oracle)


@pytest.mark.parametrize("method", METHODS)
def test_impacts_are_left_to_the_driver(monkeypatch, method) -> None:
    """Five impacts of the double pendulum: most steps are compiled, those near the wall are not."""
    ours, taken, oracle = both(monkeypatch, double_pendulum, method, 2.5, 10, 1e-8)
    assert 0.5 * ours.counts["steps"] < taken < ours.counts["steps"]
    assert ours.counts["impacts"] == oracle.counts["impacts"] == 5
    np.testing.assert_allclose(ours.times("impact"), oracle.times("impact"), rtol=0.0, atol=1e-10)
    same(ours, oracle, 1e-9)


def beam_on_a_hinge():
    """Return a geometrically exact beam with damping, a hinge with a spring, geared to a wheel."""
    model = fm.Model(gravity=(0, -9.81, 0))
    keys = {"length": 1.0, "elements": 2, "section": {"shape": "circle", "diameter": 0.02}, "damping": (0.0, 1e-4)}
    model.add(fm.ExactBeam("rod", material={"young": 2e8, "density": 3000.0}, **keys))
    model.add(fm.RigidPlanar("wheel", mass=0.2, inertia=0.01, position=(0, 1, 0)))
    model.add(fm.Revolute("hinge", a="ground", b="rod.first", axis=[0, 0, 1]))
    model.add(fm.Revolute("axle", a="ground", b="wheel", point=(0, 1, 0), axis=[0, 0, 1]))
    model.add(fm.Gear("gear", joint1="hinge", joint2="axle", ratio=3.0))
    model.add(fm.TorsionSpring("coil", joint="hinge", stiffness=2.0, damping=0.05))
    model.add(fm.NodePlane("floor", nodes="rod.all", point=(0, -5, 0), normal=(0, 1, 0)))
    return model


def test_an_accumulation_is_the_same(monkeypatch) -> None:
    """A pendulum that comes to rest at a wall."""
    build = lambda: pendulum(wall=0.3, restitution=0.4)  # noqa: E731
    ours, taken, oracle = both(monkeypatch, build, "phem56", 3.0, 30, 1e-7)
    assert taken > 0
    assert ours.counts["impacts"] == oracle.counts["impacts"] > 5
    assert ours.counts["closings"] == oracle.counts["closings"] == 1
    same(ours, oracle, 1e-9)


def test_beams_springs_and_angles(monkeypatch) -> None:
    ours, taken, oracle = both(monkeypatch, beam_on_a_hinge, "dopri5", 0.02, 4, 1e-6)
    assert taken == ours.counts["steps"] > 20
    same(ours, oracle, 1e-10)


def test_models_it_is_not_for_have_none() -> None:
    """Redundant joints, masses that change, functions in Python."""

    def march(model, method="dopri5"):
        return Run(model, method, 1e-6, 1).engine.motion.march

    assert march(four_bar()) is not None
    assert march(four_bar(spatial=True)) is None
    assert march(everything(damping=0.0), "phem56") is None  # floating beams, rotors with drag
    assert march(four_bar(), "radau-iia-5") is None
    model = four_bar()
    model.add(fm.NodalForce("push", node="crank", force=(1, 0, 0), function=lambda t: np.sin(t)))
    assert march(model) is None


def test_runs_go_on_with_the_same_bits() -> None:
    """A snapshot between samples restores a compiled run, too."""
    whole, half, rest = (Run(driven_crank(), "phem56", 0.4, 8, 1e-7, taken=k) for k in (8, 4, 0))
    rest.engine.restore(half.engine.snapshot(), 4)
    rest.engine.advance(4)
    for name, value in whole.engine.snapshot().items():
        np.testing.assert_array_equal(rest.engine.snapshot()[name], value, err_msg=name)


def test_a_hybrid_run_that_steps_in_time_is_the_same(monkeypatch) -> None:
    """Two events within ten h* are an accumulation: time stepping takes over, and located events come back."""
    build = lambda: pendulum(wall=0.3, restitution=0.4)  # noqa: E731
    ours, taken, oracle = both(monkeypatch, build, fm.Hybrid(most_events=2), 3.0, 30, 1e-7)
    assert taken > 0
    switches = [(reason, contact) for _, reason, contact in ours.engine.motion.switches()]
    assert "clustered" in {reason for reason, _ in switches}
    assert switches == [(reason, contact) for _, reason, contact in oracle.engine.motion.switches()]
    same(ours, oracle, 1e-8)
