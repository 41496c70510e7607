"""Systems whose matrices never change while the directions of their contacts do: what is kept, and what not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from multibody_models import run
from rotor_models import Wheel, free, given
from test_clearance import RUB, puck, rubbing
from test_spin_kernels import column, model_of, scale

import flexmb as fm
from flexmb.kernels.multibody.multibody import FACTORIZATIONS
from flexmb.schemes import GeneralizedAlpha, MoreauJean, SchatzmanPaoli

SCHEMES = [
    GeneralizedAlpha(0.8),
    GeneralizedAlpha(0.8, ggl=False),
    MoreauJean(0.55),
    SchatzmanPaoli("symmetric"),
]
H, STEPS = 1e-3, 1200


def two_rings(restitution=0.0):
    """Return a rotor that rubs in a fixed ring and in one that is free to move."""
    model = rubbing(given([0.0], [8.0]), restitution)
    model.add(fm.Particle("shield", 3.0))
    model.add(fm.Clearance("other", node="rotor", stator="shield", gap=0.009, restitution=restitution))
    return model


MODELS = {
    "rub": lambda: rubbing(given([0.0], [8.0])),
    "bounces": lambda: rubbing(given([0.0], [8.0]), 0.9),
    "two rings": two_rings,
    "puck": lambda: puck((3.0, 1.0), (0.0, 0.1, 0.2)),
}


def factored(result):
    return result.engine.workspace.machine.step[FACTORIZATIONS]


def difference(a, b):
    """Return by how much two runs differ, over the size of their coordinates and velocities."""
    return max(np.abs(x - y).max() / np.abs(x).max() for x, y in ((a.q, b.q), (a.v, b.v)))


@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
@pytest.mark.parametrize("name", MODELS)
def test_what_is_kept_changes_nothing(name, scheme):
    system = MODELS[name]().assemble([])
    assert system.constant
    kept, anew = (run(s, scheme, H, STEPS) for s in (system, replace(system, constant=False)))
    for result in (kept, anew):
        assert result.engine.failure is None
        assert np.abs(column(result, "residual")).max() < 1e-12 * scale(result)
    assert np.count_nonzero(anew.impulse) >= 2
    np.testing.assert_array_equal(kept.impulse > 0.0, anew.impulse > 0.0)
    assert difference(kept, anew) < 1e-11
    np.testing.assert_allclose(kept.impulse, anew.impulse, rtol=0.0, atol=1e-10 * anew.impulse.max())
    # the mass at the start, and the matrix of the step: once each
    assert factored(kept) <= 2 < STEPS < factored(anew)


def test_a_new_size_of_the_step_needs_new_factors():
    system = MODELS["rub"]().assemble([])
    kept, anew = (
        fm.simulate(s, GeneralizedAlpha(0.8), end=1.0, tolerance=1e-5, interval=0.01)
        for s in (system, replace(system, constant=False))
    )
    for name in ("rotor.displacement", "rotor.velocity"):
        if name in kept.signals:
            np.testing.assert_allclose(kept.signals[name], anew.signals[name], rtol=0.0, atol=1e-9)
    np.testing.assert_allclose(kept.contacts["rub"].gap, anew.contacts["rub"].gap, rtol=0.0, atol=1e-10)


def test_many_contacts_that_act_need_no_room_for_each_unknown():
    """More unknowns with contacts than responses are kept of: the same motion."""
    model = fm.Model(gravity=(0.0, 0.0, -9.81))
    for k in range(30):
        model.add(fm.Particle(f"p{k}", 1.0 + 0.1 * k, velocity=(0.3, 0.1 * k, 0.2)))
        model.add(fm.Clearance(f"ring{k}", node=f"p{k}", gap=0.01, axis=(1.0, 0.0, 0.0), restitution=0.5))
    system = model.assemble([])
    assert system.constant
    assert system.machine().machine.scatter.unit_v.size == 0
    kept, anew = (run(s, GeneralizedAlpha(0.8), H, 100) for s in (system, replace(system, constant=False)))
    assert np.count_nonzero(anew.impulse) > 30
    assert difference(kept, anew) < 1e-11
    assert factored(kept) <= 3


@pytest.mark.parametrize(
    "change",
    [
        lambda m: m.add(fm.Spring("spring", node="rotor", stiffness=5.0, direction=(0.0, 1.0, 0.0))),
        lambda m: m.add(fm.Rigid("body", mass=1.0, inertia=[1.0, 1.0, 1.0])),
    ],
    ids=["spring", "rigid body"],
)
def test_what_makes_matrices_change(change):
    model = MODELS["rub"]()
    change(model)
    assert not model.assemble([]).constant


@pytest.mark.parametrize("spin", [given([0.0, 1.0], [8.0, 9.0]), free(8.0, 1.0)], ids=["run-up", "free"])
def test_a_spin_that_changes_changes_the_matrices(spin):
    model = model_of(Wheel("rotor", spin, **RUB))
    model.add(fm.Clearance("rub", node="rotor", gap=0.01))
    assert not model.assemble([]).constant
