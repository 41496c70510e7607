"""Bearings with tables over the speed, and free spins that leave them."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from messages import says
from multibody_models import plan_of, run
from test_rotor_motion import model_of, shaft
from test_rotor_schemes import EVERY, name_of

import flexmb as fm
from flexmb.cli import main
from flexmb.drive.simulate import check_plan
from flexmb.schemes import SchatzmanPaoli

FAST_CASE = """
[bodies.r]
kind = "rotor"
stations = [0.0, 0.2, 0.4]
outer_diameter = 0.03
material = { young = 2.0e11, density = 7800.0 }
disks = [{ node = 1, mass = 1.0, inertia = 0.01, polar_inertia = 0.02 }]
bearings = [{ node = 0, stiffness = 1e6 }, { node = 2, speed = [0.0, 50.0], stiffness = [1e6, 2e6] }]
spin = { kind = "free", speed = 40.0, torque = 20.0 }

[scheme]
name = "NAME"

[time]
end = 0.03
step = 1e-4
"""


@pytest.mark.parametrize("scheme", EVERY, ids=name_of)
def test_a_free_spin_that_leaves_a_table_ends_the_run(scheme, tmp_path, monkeypatch, capsys):
    """J = 0.02 kg m^2 and the shaft's: 20 N m take it from 40 to 50 rad/s in about 10 ms."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fast.toml").write_text(FAST_CASE.replace("NAME", scheme.name))
    assert main(["run", "fast.toml", "-o", "out", "--quiet"]) == 3
    err = capsys.readouterr().err
    table = r"table.*bearing.*node\(2\).* 0 to 50 rad/s"
    assert re.search(table + r".*rotor 'r'.* 50\.0\d* rad/s.*t = ", err), err
    result = fm.load("out")
    speed = np.ravel(result.signals["r.spin_speed"])
    assert result.summary["status"] == "failed"
    assert speed[-1] <= 50.0 < speed[-1] + 1e-4 * 20.0 / 0.019  # a step more would be outside
    assert re.search(rf"at t = {result.time[-1] + 1e-4:.6g}\d* s", err), err
    # up to there nothing differs from a run that ends there
    assert main(["run", "fast.toml", "-o", "good", "--quiet", "--set", f"time.end={result.time[-1]:.6g}"]) == 0
    good = fm.load("good").summary
    for key in ("steps", "energy"):
        assert result.summary[key] == good[key], key


def test_a_table_of_a_bearing_between_bodies_is_left_too():
    model = model_of(shaft({"kind": "free", "speed": 40.0, "torque": 20.0}))
    model.add(fm.Bearing("seal", node="rotor.node(2)", speed=[0.0, 45.0], stiffness=[1e3, 2e3]))
    result = run(model, SchatzmanPaoli(), 1e-4, 400)
    assert says(str(result.engine.failure), "extend ... table ... bearing ... loads.seal ... covers 0 ... 45 rad/s")
    assert result.v[-1, -1] <= 45.0


def test_a_start_outside_a_table_is_an_input_error():
    system = model_of(shaft({"kind": "free", "speed": 40.0})).assemble()
    fast = fm.Bearing("seal", node="rotor.node(2)", speed=[0.0, 30.0], stiffness=[1e3, 2e3])
    model = model_of(shaft({"kind": "free", "speed": 20.0}))
    model.add(fast)
    slow = model.assemble()
    check_plan(plan_of(slow, SchatzmanPaoli(), 1e-4, 10))
    with pytest.raises(fm.InputError, match="covers 0.*30 rad/s.*rotor 'rotor'.*40 rad/s"):
        check_plan(plan_of(replace(slow, v0=system.v0), SchatzmanPaoli(), 1e-4, 10))
