"""A contact problem that is not solved ends the run by name, and is kept beside the results."""

import json

import numpy as np

from flexmb.cli import main
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
