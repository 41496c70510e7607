"""Many contacts with friction in large motion: sweeps at sparse cost against full matrices; spheres all against all."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from friction_models import G, closure, friction_run, incline, sphere
from test_friction_large import GGL, MJ, VELOCITY, every_scheme, pendulum_on_a_belt

import flexmb as fm
from flexmb.assembly import contact_sets
from flexmb.cli import main
from flexmb.errors import InputError, NotConverged, RunWarning
from flexmb.record.summary_text import summary_lines


@every_scheme(MJ, GGL, VELOCITY)
def test_sweeps_and_full_matrices_agree(scheme, monkeypatch) -> None:
    """The belt has joints, restitution, rolling and a moving surface."""
    runs = []
    for few in (200, 0):
        monkeypatch.setattr(contact_sets, "FEW_WITH_FRICTION", few)
        runs.append(friction_run(pendulum_on_a_belt(), scheme, 2e-3, 250))
    assert [run.engine.workspace.machine.sets.part_ptr.size > 1 for run in runs] == [False, True]
    np.testing.assert_allclose(runs[1].field_q, runs[0].field_q, atol=1e-6)
    np.testing.assert_allclose(runs[1].tangential.sum(axis=0), runs[0].tangential.sum(axis=0), atol=1e-6)
    assert runs[0].impulse[:, 2].max() > 0.0
    for run in runs:
        assert closure(run) <= 1e-12


def test_a_block_that_sticks_does_not_creep_by_sweeps(monkeypatch) -> None:
    monkeypatch.setattr(contact_sets, "FEW_WITH_FRICTION", 0)
    run = friction_run(incline(), MJ, 0.01, 1000)
    assert np.abs(run.field_q[:, :3] - run.field_q[0, :3]).max() <= 1e-10


def box(n: int, mu: float = 0.3, e: float = 0.0) -> fm.Model:
    """n^3 spheres in a box, a little apart at first and not quite in rows."""
    radius, rng = 0.05, np.random.default_rng(1)
    model, names, d = fm.Model(gravity=(0.0, 0.0, -G)), [], 2.05 * radius
    J = 0.4 * radius**2
    for k, place in enumerate(np.ndindex(n, n, n)):
        x = (np.array(place) - 0.5 * (n - 1)) * d + 0.01 * radius * rng.uniform(-1.0, 1.0, 3)
        x[2] += 0.5 * (n - 1) * d + 1.01 * radius
        names.append(f"s{k}")
        model.add(fm.Rigid(names[-1], mass=1.0, inertia=(J, J, J), position=x))
    laws = {"friction": mu, "restitution": e}
    model.add(fm.Spheres("grains", bodies="s*", radius=radius, **laws))
    wall = 0.5 * n * d + 0.02 * radius
    for name, normal in (("east", (-1, 0, 0)), ("west", (1, 0, 0)), ("north", (0, -1, 0)), ("south", (0, 1, 0))):
        keys = {"normal": normal, "point": -wall * np.array(normal, dtype=float), "radius": radius}
        model.add(fm.NodePlane(name, nodes=names, **keys, **laws))
    model.add(fm.NodePlane("floor", nodes=names, normal=(0, 0, 1), radius=radius, **laws))
    return model


@pytest.mark.parametrize("few", [0, 1000])
def test_spheres_in_a_box_come_to_rest_with_friction(few, monkeypatch) -> None:
    monkeypatch.setattr(contact_sets, "FEW_WITH_FRICTION", few)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RunWarning)
        result = fm.simulate(box(3), MJ, step=2e-3, end=0.3)
    energy = result.energy
    assert energy.kinetic[-1] <= 0.03 * energy.kinetic.max()
    assert energy.work_friction[-1] < 0.0
    assert np.abs(energy.residual).max() <= 1e-12 * np.abs(energy.potential).max()
    weight = 27 * G * 2e-3
    assert result.contacts["floor"].impulse[-20:].sum(axis=1).mean() == pytest.approx(weight, rel=0.1)


@pytest.mark.parametrize("few", [0, 1000])
def test_the_largest_residual_that_was_accepted_is_reported(few, monkeypatch) -> None:
    """27 spheres, more than 60 rows: above the tolerance asked for, below that of so many rows; text and summary."""
    monkeypatch.setattr(contact_sets, "FEW_WITH_FRICTION", few)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RunWarning)
        runs = [
            fm.simulate(box(3), MJ, step=2e-3, end=0.1, solver=fm.ContactSolver("nsgs", tolerance))
            for tolerance in (1e-4, 1e-8)
        ]
        frictionless = fm.simulate(box(2, mu=0.0), MJ, step=2e-3, end=0.02)
    reached = [run.summary["contact_residual_max"] for run in runs]
    assert 1e-6 < reached[0] <= 1e-4
    assert 0.0 < reached[1] <= 1e-6
    assert f"residual     {reached[0]:.3g} at most" in "\n".join(summary_lines(runs[0].summary))
    assert frictionless.summary["contact_residual_max"] is None


@every_scheme(MJ, GGL)
@pytest.mark.parametrize("few", [200, 0])
def test_solvers_are_called_by_name(scheme, few, monkeypatch) -> None:
    monkeypatch.setattr(contact_sets, "FEW_WITH_FRICTION", few)
    belt, model = pendulum_on_a_belt().assemble(), incline(0.3, v=2.0).assemble()
    reference = friction_run(belt, scheme, 2e-3, 150)
    for name in ("nsgs", "psor", "proximal-newton"):
        other = friction_run(belt, scheme, 2e-3, 150, solver=fm.ContactSolver(name))
        np.testing.assert_allclose(other.field_q, reference.field_q, atol=1e-6)
    with pytest.raises(NotConverged):  # automatic ones go on with other methods
        friction_run(model, scheme, 5e-3, 20, solver=fm.ContactSolver("psor", max_iterations=1))
    friction_run(model, scheme, 5e-3, 20, solver=fm.ContactSolver(max_iterations=1))


def test_what_a_named_solver_leaves_adds_up_in_redundant_corners() -> None:
    """A block on four corners: nsgs ends at its tolerance, auto at round-off.

    What is left of U at 1e-10 adds up in the gaps; after 25 steps one is above the margin of 1e-12 in which contacts
    are looked at, that corner opens for a step, and the block stands on three, a few micrometres aslant. With a
    tolerance at round-off all are one motion.
    """
    model = incline(0.3, v=2.0).assemble()
    reference = friction_run(model, MJ, 2e-3, 60)
    tight = friction_run(model, MJ, 2e-3, 60, solver=fm.ContactSolver("nsgs", tolerance=1e-14))
    np.testing.assert_allclose(tight.field_q, reference.field_q, atol=1e-13)
    loose = friction_run(model, MJ, 2e-3, 60, solver=fm.ContactSolver("nsgs"))
    np.testing.assert_allclose(loose.field_q[:20], reference.field_q[:20], atol=1e-10)
    np.testing.assert_allclose(loose.field_q, reference.field_q, atol=1e-4)


@pytest.mark.parametrize("name", ["apgd", "barzilai-borwein", "admm", "clarabel", "exact"])
def test_solvers_that_the_loop_cannot_call_are_refused_by_name(name) -> None:
    for model in (incline(), box(2)):
        with pytest.raises(InputError) as refused:
            fm.simulate(model, MJ, step=1e-3, end=2e-3, solver=fm.ContactSolver(name))
        assert (refused.value.where, refused.value.key, refused.value.value) == ("solver", "name", name)
        assert "nsgs" in str(refused.value)
        assert "proximal-newton" in str(refused.value)


ROLLS = """
[scheme]
name = "moreau-jean"
[time]
end = 0.01
step = 0.005
[bodies.b]
kind = "rigid"
mass = 1.0
inertia = [0.1, 0.1, 0.1]
[contacts.floor]
kind = "node-plane"
node = "b"
normal = [0, 0, 1]
friction = 0.3
[solver]
name = "%s"
"""


def test_a_case_is_refused_before_it_runs(tmp_path, capsys) -> None:
    """The solver that the compiled loop cannot call; step by step in Python it can be called."""
    case = tmp_path / "case.toml"
    for name, code in (("apgd", 2), ("nsgs", 0)):
        case.write_text(ROLLS % name)
        assert main(["validate", str(case)]) == code
    said = capsys.readouterr().err
    assert all(word in said for word in ("solver.name", "apgd", "nsgs"))
    settings = {"step": 1e-3, "end": 1e-3, "solver": fm.ContactSolver("apgd")}
    assert fm.simulate(sphere(), MJ, engine="general", **settings).summary["steps"] == 1


def test_exact_is_for_one_contact_at_one_level() -> None:
    exact = fm.ContactSolver("exact")
    runs = [friction_run(sphere(), VELOCITY, 1e-3, 50, solver=solver) for solver in (exact, None)]
    np.testing.assert_allclose(runs[0].field_q, runs[1].field_q, atol=1e-12)
    with pytest.raises(InputError, match="ggl"):
        fm.simulate(sphere(), GGL, step=1e-3, end=0.05, solver=exact)


@every_scheme(MJ, GGL)
def test_spheres_record_what_friction_does_to_them(scheme) -> None:
    """Two balls, the upper thrown across the lower one, which is held by its weight: as the pair listed by name."""
    runs = []
    for listed in (False, True):
        model = fm.Model(gravity=(0.0, 0.0, -G))
        J = 0.4 * 0.05**2
        places = {"a": ((0.0, 0.0, 0.05), (0.0, 0.0, 0.0)), "b": ((0.01, 0.0, 0.1495), (0.3, 0.1, -0.2))}
        for name, (x, v) in places.items():
            model.add(fm.Rigid(name, mass=1.0, inertia=(J, J, J), position=x, velocity=v))
        pair = fm.SphereSphere("balls", a="a", b="b", radius_a=0.05, radius_b=0.05, friction=0.3)
        model.add(pair if listed else fm.Spheres("balls", bodies=["a", "b"], radius=0.05, friction=0.3))
        model.add(fm.NodePlane("floor", nodes=["a", "b"], normal=(0, 0, 1), radius=0.05, friction=0.3))
        runs.append(fm.simulate(model, scheme, step=1e-3, end=0.06))
    spheres, pair = (run.contacts["balls"] for run in runs)
    size = np.linalg.norm(pair.tangential_impulse, axis=1)
    assert size.max() > 1e-3
    np.testing.assert_allclose(np.sum(spheres.tangential_impulse, axis=1), size, atol=1e-9)
    closed = pair.status.ravel() > 0
    for side in (0, 1):
        np.testing.assert_allclose(spheres.slip[closed, side], np.linalg.norm(pair.slip, axis=1)[closed], atol=1e-8)
        assert not spheres.slip[~closed, side].any()
    floors = [run.contacts["floor"] for run in runs]
    np.testing.assert_allclose(floors[0].slip, floors[1].slip, atol=1e-8)
    assert np.abs(floors[0].slip).max() > 1e-3
