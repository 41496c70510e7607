"""Entries of the ledger that only runs with located events have: closings of accumulations, projections."""

from __future__ import annotations

import numpy as np
import pytest
from event_runs import Run, ball
from multibody_models import four_bar

import flexmb as fm
from flexmb.postproc.ledger import ledger_of
from flexmb.record.result import Result
from flexmb.record.samples import EVENT_WORKS
from flexmb.record.summary_text import energy_lines

SCHEME = fm.SCHEMES["phem56"]()
WORKS = ("work_external", "work_damping", "work_contact", "work_friction", *EVENT_WORKS, "numerical")


@pytest.fixture(scope="module")
def bouncing() -> Result:
    """The ball of RR-7151, example 1, with a coarse tolerance: accumulation ends early, by a closing that counts."""
    return fm.simulate(ball(), SCHEME, end=5.0, tolerance=1e-3, interval=0.1)


def test_a_closing_is_an_entry_of_its_own(bouncing: Result) -> None:
    energy, events = bouncing.energy, bouncing.summary["events"]
    jumps = np.flatnonzero(np.diff(energy.work_closing))
    assert events["closings"] == jumps.size == 1
    assert energy.work_closing[-1] == pytest.approx(-2.0 * 4.0 ** -events["impacts"], rel=1e-6)
    assert energy.work_closing[-1] < -1e-9  # no round-off
    assert energy.work_contact[-1] == pytest.approx(-2.0 - energy.work_closing[-1], rel=1e-12)
    assert energy.work_closing[-1] == events["closing_work"] == bouncing.summary["energy"]["closing"]


def test_the_balance_needs_the_closing(bouncing: Result) -> None:
    energy = bouncing.energy
    works = sum(getattr(energy, name) for name in WORKS)
    np.testing.assert_allclose(energy.total - energy.total[0], works, rtol=0.0, atol=1e-13)
    assert np.abs(energy.residual).max() < 1e-13


def test_a_closing_is_a_part_of_the_balance_in_charts_and_text(bouncing: Result) -> None:
    ledger = ledger_of(bouncing)
    assert ledger is not None
    (part,) = [part for part in ledger.works if np.array_equal(part.values, bouncing.energy.work_closing)]
    assert sum(float(p.values[-1]) for p in ledger.works) == pytest.approx(-2.0, rel=1e-12)
    (line,) = [line for line in energy_lines(bouncing.summary["energy"]) if part.word in line]
    assert float(line.split()[-1]) == pytest.approx(part.values[-1])


def test_projections_are_an_entry_of_their_own() -> None:
    """Dormand-Prince's method lets the joints of a four-bar drift; every step brings them back."""
    run = Run(four_bar(), "dopri5", 0.2, 20, signals=[])
    assert run.failure is None
    done = run.column("work_projection")
    assert run.counts["projections"] >= 20
    assert done[-1] == run.counts["projection_work"]
    assert np.abs(np.diff(done)).max() > 1e3 * np.finfo(float).eps * np.abs(run.column("kinetic")).max()
    assert run.unexplained < 1e-12


def test_only_runs_with_located_events_have_these_entries() -> None:
    plain = fm.simulate(ball(), fm.MoreauJean(), step=1e-2, end=0.1)
    assert not any(name.rpartition("/")[2] in EVENT_WORKS for name in plain.tree)
    assert not plain.energy.work_closing.any()
    located = fm.simulate(ball(), SCHEME, step=1e-2, end=0.1)
    assert {f"/energy/{name}" for name in EVENT_WORKS} <= set(located.tree)


@pytest.mark.parametrize("name", ["newmark", "hht", "generalized-alpha"])
@pytest.mark.parametrize("belt", [0.0, 0.1])
def test_the_alpha_family_closes_while_a_contact_slips(name: str, belt: float) -> None:
    """A mass on a spring slips and sticks under a load: forces of its contact are not along the rows of their rates.

    Stick and slip follow each other, and none lasts for no time.
    """
    model = fm.Model(gravity=(0.0, 0.0, -10.0))
    block = model.add(fm.Particle("block", mass=1.0, velocity=(belt, 0.0, 0.0), axes="xz"))
    model.add(fm.Spring("spring", node=block.first, direction=(1.0, 0.0, 0.0), stiffness=100.0))
    push = fm.Harmonic(amplitude=4.0, omega=3.0)
    model.add(fm.NodalForce("push", node=block.first, force=(1.0, 0.0, 0.0), function=push))
    speed = {"surface_velocity": (belt, 0.0, 0.0)} if belt else {}
    model.add(fm.NodePlane("floor", node=block.first, normal=(0.0, 0.0, 1.0), friction=0.3, **speed))
    result = fm.simulate(model, name, step=0.01, end=3.0, events=True)
    energy = result.energy
    assert -energy.work_friction[-1] > 0.05
    assert np.abs(energy.residual).max() < 1e-13 * max(1.0, -energy.work_friction[-1])
    found = [(t, kind) for t, kind, _ in result.summary["event_list"] if kind in ("slip", "stick")]
    assert len(found) > 2
    assert np.diff([t for t, _ in found]).min() > 1e-3
