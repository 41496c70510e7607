"""Input that runs with events refuse."""

from __future__ import annotations

import pytest
from event_runs import ball

import flexmb as fm
from flexmb.errors import InputError


@pytest.mark.parametrize("scheme", ["phem56", "hybrid", "radau-iia-5"])
def test_events_cannot_be_false_with_an_integrator_between_events(scheme):
    with pytest.raises(InputError, match=scheme) as found:
        fm.simulate(ball(), scheme, step=0.1, end=0.1, events=False)
    assert (found.value.where, found.value.key, found.value.value) == ("time", "events", False)
    assert fm.simulate(ball(), scheme, step=0.1, end=0.1).complete


def test_events_false_in_a_case_file_is_refused_with_its_place():
    with pytest.raises(InputError, match="phem56"):
        fm.load_case("double_pendulum_wall", ["scheme={name='phem56'}", "time.events=false"]).plan  # noqa: B018
    assert not fm.load_case("double_pendulum_wall", ["time.events=false"]).plan.with_events


@pytest.mark.parametrize("static", [0.0, 0.3])
@pytest.mark.parametrize("scheme", ["phem56", "hybrid", "newmark"])
def test_friction_that_depends_on_the_slip_is_refused(scheme, static):
    """Also without friction at rest, where the first number of the law is zero."""
    model = fm.Model(gravity=(6.0, 0.0, -9.81))
    model.add(fm.Particle("block", mass=2.0, axes="xz"))
    law = {"kind": "stribeck", "static": static, "dynamic": 0.2, "speed": 0.1}
    model.add(fm.NodePlane("floor", node="block", normal=(0.0, 0.0, 1.0), friction=law))
    with pytest.raises(InputError, match="floor"):
        fm.simulate(model, scheme, step=0.01, end=0.01, events=True)
