"""A contact problem that is not solved ends the run by name, and is kept beside the results."""

import json

import numpy as np
import pytest

from flexmb.assembly import contact_sets
from flexmb.cli import main
from flexmb.nonsmooth import ContactNotConverged, ContactSolver
from flexmb.nonsmooth.problem import ContactProblem

CASE = """
title = "a solver that is given one sweep"
[scheme]
name = "moreau-jean"
[time]
step = 1e-3
end = 0.05
[solver]
name = "nsgs"
max_iterations = 1
[bodies.beam]
kind = "beam"
length = 1.0
elements = 4
area = 1e-4
inertia = 1e-9
material = { young = 2e11, density = 7800.0 }
position = [0.0, 0.01, 0.0]
velocity = [1.0, -1.0, 0.0]
orientation = [0.0, 1.0, 0.0]
[contacts.floor]
kind = "node-plane"
nodes = "beam.all"
normal = [0.0, 1.0, 0.0]
friction = 0.3
restitution = 0.5
impact = "poisson"
"""


def test_a_run_that_fails_on_a_contact_problem_keeps_it(tmp_path, capsys):
    case, out = tmp_path / "case.toml", tmp_path / "out"
    case.write_text(CASE)
    assert main(["run", str(case), "-o", str(out), "--quiet"]) == 3
    said = capsys.readouterr().err
    assert "floor[beam.node(" in said
    assert "contact_problem.npz" in said
    failure = json.loads((out / "summary.json").read_text())["failure"]
    assert failure["problem"] == "contact_problem.npz"
    assert failure["time"] > 0.0
    problem = ContactProblem.load(out / failure["problem"])
    assert problem.nc >= 2
    assert np.all(problem.mu == 0.3)
    case.write_text(CASE.replace("max_iterations = 1", ""))
    assert main(["run", str(case), "-o", str(out), "--quiet", "--overwrite"]) == 0
    assert not (out / failure["problem"]).exists()


LARGE = """
title = "a tower of blocks under a solver that is given one sweep"
[scheme]
name = "SCHEME"
GGL
[time]
step = 1e-3
end = 0.05
[solver]
name = "psor"
max_iterations = 1
[gravity]
acceleration = [0.0, 0.0, -9.81]
[bodies.block]
kind = "rigid"
mass = 1.0
inertia = [0.1, 0.1, 0.1]
position = [0.0, 0.0, 0.1]
velocity = [1.0, 0.2, 0.0]
angular_velocity = [0.1, 0.0, 0.5]
points = { a = [0.1, 0.1, -0.1], b = [-0.1, 0.1, -0.1], c = [-0.1, -0.1, -0.1], d = [0.1, -0.1, -0.1] }
[contacts.floor]
kind = "node-plane"
nodes = ["block.a", "block.b", "block.c", "block.d"]
normal = [0.0, 0.0, 1.0]
friction = 0.3
"""


@pytest.mark.parametrize("few", [200, 0])
@pytest.mark.parametrize(("scheme", "ggl"), [("moreau-jean", ""), ("generalized-alpha", "ggl = true")])
def test_large_motion_keeps_the_problem_too(tmp_path, capsys, monkeypatch, few, scheme, ggl):
    """What is kept is the problem of the step: other solvers solve it, the one that failed does not."""
    monkeypatch.setattr(contact_sets, "FEW_WITH_FRICTION", few)
    case, out = tmp_path / "case.toml", tmp_path / "out"
    case.write_text(LARGE.replace("SCHEME", scheme).replace("GGL", ggl))
    assert main(["run", str(case), "-o", str(out), "--quiet"]) == 3
    said = capsys.readouterr().err
    assert "floor[block." in said
    assert "contact_problem.npz" in said
    summary = json.loads((out / "summary.json").read_text())
    assert (summary["status"], summary["engine"]) == ("failed", "compiled")
    problem = ContactProblem.load(out / summary["failure"]["problem"])
    assert np.all(problem.mu[problem.shape[:, 0] == 2] == 0.3)
    solution = ContactSolver().solve(problem)
    assert solution.P.max() > 0.0
    with pytest.raises(ContactNotConverged):
        ContactSolver("psor", max_iterations=1).solve(problem)
