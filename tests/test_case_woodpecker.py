"""Glocker's woodpecker, on a hand-made system and as a shipped case, beside a stepping of its own."""

from __future__ import annotations

import numpy as np
import pytest
from references import woodpecker
from rough_systems import with_friction
from runs import run
from systems import contacts, system

import flexmb as fm
from flexmb.schemes import MoreauJean


def toy():
    """The toy as a system: matrices, weight, gaps and rows of the reference."""
    con = contacts(3, woodpecker.NORMALS.T, g0=woodpecker.GAPS, e=woodpecker.RESTITUTION)
    con = with_friction(con, woodpecker.TANGENTS.T, 1, woodpecker.MU)
    q0, v0 = woodpecker.START
    return system(woodpecker.M, woodpecker.K, F0=woodpecker.F, con=con, q0=q0, v0=v0)


@pytest.mark.parametrize("engine", ["compiled", "general"])
def test_woodpecker_has_the_figures_of_siconos(engine):
    """t = 0.29998 with steps of 2e-5 (14,999 of them); the interpreted engine goes a tenth of the way."""
    steps = 14_999 if engine == "compiled" else 1_500
    block, _ = run(toy(), MoreauJean(), 2e-5, steps, engine=engine, every=steps, fields_every=steps)
    q, v, _ = woodpecker.march(2e-5, steps)
    np.testing.assert_allclose(block.field_q[-1], q[-1], atol=1e-8)
    np.testing.assert_allclose(block.field_v[-1], v[-1], atol=1e-5)
    if engine == "compiled":
        np.testing.assert_allclose(block.field_q[-1], [-0.0413481868, -0.1034684683, -0.3409339756], atol=2e-8)


def test_shipped_case_has_the_ledger_of_the_sheet():
    """The same steps as those of the reference, to t = 1.2 with 1e-5."""
    case = fm.load_case("woodpecker", ["time.step=1e-5"])
    energy = case.run().energy
    np.testing.assert_allclose(energy.total[-1] - energy.total[0], -7.78319e-3, atol=5e-9)
    np.testing.assert_allclose(energy.work_contact[-1], -1.01288e-3, atol=5e-9)
    np.testing.assert_allclose(energy.work_friction[-1], -6.77031e-3, atol=5e-9)
