"""Contact problems with friction that have no solution: refused at every tolerance, size and scale; runs end there.

Bodies are pressed by a floor that rises against a lid. Impulses without bound change nothing about that, and must not
make it a small error.
"""

from __future__ import annotations

import json

import numpy as np
import pytest

import flexmb as fm
from flexmb.assembly import contact_sets
from flexmb.cli import main
from flexmb.errors import NotConverged
from flexmb.nonsmooth import ContactNotConverged, ContactProblem, ContactSolver, residual
from flexmb.nonsmooth.methods.registry import NAMES

SOLVERS = [name for name in NAMES if name not in ("exact", "pgs", "clarabel")]


def pressed(masses, speed, weight=0.0, mu=0.3):
    """Particles in a column between a floor that rises and a lid, in the plane: contact i is below body i."""
    n = len(masses)
    inverse = np.diag(1.0 / np.repeat(masses, 2))
    G = np.zeros((2 * n, 2 * (n + 1)))
    for i in range(n + 1):
        for body, sign in ((i - 1, -1.0), (i, 1.0)):
            if 0 <= body < n:
                G[2 * body, 2 * i], G[2 * body + 1, 2 * i + 1] = sign, sign
    b = G.T @ np.tile([-weight, 0.0], n)
    b[0] -= speed
    return ContactProblem(G.T @ inverse @ G, b, mu, 2)


@pytest.mark.parametrize("tolerance", [1e-12, 1e-10, 1e-8, 1e-6, 1e-4, 1e-2])
@pytest.mark.parametrize("name", SOLVERS)
def test_a_pressed_body_is_an_error_at_every_tolerance(name, tolerance):
    with pytest.raises(ContactNotConverged) as refused:
        ContactSolver(name, tolerance, max_iterations=500).solve(pressed([1.0], 1.0))
    assert refused.value.residual > 1e-2


@pytest.mark.parametrize(
    ("masses", "speed", "weight", "tolerance"),
    [
        ([1.0] * 15, 1.0, 0.0, 1e-6),
        ([1.0] * 60, 1.0, 0.0, 1e-6),
        ([1.0], 1e-2, 1.0, 1e-6),
        ([1.0] * 5, 1e-3, 1.0, 1e-8),
        ([1.0], 1e-4, 1.0, 1e-10),
        ([1e3, 1e-1], 1.0, 0.0, 1e-6),
        ([1e-3, 1e3, 1e-3], 1.0, 0.0, 1e-8),
    ],
)
def test_columns_slow_presses_and_light_bodies_are_errors(masses, speed, weight, tolerance):
    """What is violated is shared by many contacts, or small beside the weight, or met by a light body alone."""
    problem = pressed(masses, speed, weight)
    with pytest.raises(ContactNotConverged):
        ContactSolver("auto", tolerance).solve(problem)


@pytest.mark.parametrize("growth", [1e2, 1e4, 1e6, 1e8, 1e10])
def test_the_residual_of_impulses_that_grow_does_not_fall(growth):
    """The best share of the violation, half of it at each contact, and any impulse: the judge says a quarter."""
    problem = pressed([1.0], 1.0)
    P = np.array([growth + 0.5, 0.0, growth, 0.0])
    np.testing.assert_allclose(problem.w(P)[[0, 2]], -0.5, atol=1e-5)
    assert residual(problem, P) >= 0.2


def test_large_impulses_of_a_solution_pass():
    """A body in a groove whose walls are almost upright: impulses of 5e4 times that of its weight."""
    slope = 1e-5
    G = np.array([[slope, 1.0, slope, -1.0], [1.0, -slope, -1.0, -slope]])
    problem = ContactProblem(G.T @ G, G.T @ np.array([-1.0, 0.0]), 1e-9, 2)
    solution = ContactSolver(tolerance=1e-13).solve(problem)
    assert solution.P[0] == pytest.approx(0.5 / slope, rel=1e-3)


def press(bodies=1, kind="rigid"):
    """Bodies under a lid, above a floor that rises by 1 m/s and presses them from 0.01 s on; 6 rows for each."""
    model = fm.Model()
    names = [f"b{k}" for k in range(bodies)]
    for k, name in enumerate(names):
        where = (float(k), 0.0, 0.005)
        if kind == "rigid":
            model.add(fm.Rigid(name, mass=1.0, inertia=(0.1, 0.1, 0.1), position=where))
        else:
            model.add(fm.Particle(name, mass=1.0, position=where))
    model.add(fm.NodePlane("lid", nodes=names, normal=(0, 0, -1), point=(0, 0, 0.01), friction=0.3))
    moves = {"motion": fm.Table(time=[0.0, 1.0], value=[0.0, 1.0]), "motion_direction": (0, 0, 1)}
    model.add(fm.NodePlane("push", nodes=names, normal=(0, 0, 1), friction=0.3, **moves))
    return model


def assert_ends(model, tolerance, scheme=None, **settings):
    """The run ends where the bodies are pressed, and says where; its residual is none that rounding could explain."""
    solver = fm.ContactSolver(tolerance=tolerance)
    with pytest.raises(NotConverged) as ended:
        fm.simulate(model, scheme or fm.MoreauJean(), step=1e-3, end=0.02, solver=solver, **settings)
    assert ended.value.time == pytest.approx(0.01, abs=1.6e-3)
    assert ended.value.contact.startswith(("push", "lid"))
    assert ended.value.residual > 1e-2


@pytest.mark.parametrize(
    ("bodies", "few", "tolerance"),
    [(1, 200, 1e-8), (1, 0, 1e-4), (15, 200, 1e-10), (15, 0, 1e-10), (110, 0, 1e-10)],
)
def test_large_motion_ends_at_every_size(bodies, few, tolerance, monkeypatch):
    """Full matrices and sweeps; 90 rows, accepted at 1e-8, and 660, at 1e-6 and with sparse factors."""
    monkeypatch.setattr(contact_sets, "FEW_WITH_FRICTION", few)
    assert_ends(press(bodies), tolerance)


@pytest.mark.parametrize("bodies", [1, 40])
def test_small_motion_ends(bodies):
    """Full matrices and index sets."""
    assert_ends(press(bodies, "particle"), 1e-6)


@pytest.mark.parametrize("kind", ["particle", "rigid"])
def test_the_general_engine_ends(kind):
    assert_ends(press(1, kind), 1e-6, engine="general")


def test_both_levels_end():
    assert_ends(press(15), 1e-10, fm.GeneralizedAlpha(rho_inf=0.8))


PRESSED = """
[scheme]
name = "moreau-jean"
[time]
end = 0.02
step = 0.001
[solver]
tolerance = 1e-6
[bodies.b]
kind = "particle"
mass = 1.0
position = [0.0, 0.0, 0.005]
[contacts.lid]
kind = "node-plane"
node = "b"
normal = [0.0, 0.0, -1.0]
point = [0.0, 0.0, 0.01]
friction = 0.3
[contacts.push]
kind = "node-plane"
node = "b"
normal = [0.0, 0.0, 1.0]
friction = 0.3
motion = { kind = "table", time = [0.0, 1.0], value = [0.0, 1.0] }
motion_direction = [0.0, 0.0, 1.0]
"""


def test_the_run_keeps_the_problem_and_solve_refuses_it(tmp_path, capsys):
    case, out = tmp_path / "case.toml", tmp_path / "out"
    case.write_text(PRESSED)
    assert main(["run", str(case), "-o", str(out), "--quiet"]) == 3
    assert "t = 0.011 s" in capsys.readouterr().err
    failure = json.loads((out / "summary.json").read_text())["failure"]
    assert (failure["contact"], failure["problem"]) == ("push", "contact_problem.npz")
    for tolerance in ("1e-10", "1e-6", "1e-3"):
        assert main(["solve", str(out / failure["problem"]), "--tolerance", tolerance]) == 3
