"""A rub with mu = 0.3 is the limit of rings of springs that get stiffer, with Coulomb's law smoothed less and less."""

from __future__ import annotations

import numpy as np
import pytest
from references import rough_ring
from rough_rub import (
    DISK,
    GAP,
    MU,
    RIM,
    ROLLING,
    TURN,
    bounces,
    in_springs,
    rub,
    steady_difference,
    whip,
    whip_in_springs,
)


def test_the_steady_rub_is_that_of_the_closed_form() -> None:
    _, lag, N = rough_ring.annular_rub(**DISK, gap=GAP, mu=MU)
    off, angle = [], []
    for steps in (100, 200):
        result = rub(0.0, 0.8, 26 * TURN, TURN / steps)
        ring, energy = result.contacts["ring"], result.energy
        off.append(1.0 - float(ring.impulse[-steps:].sum()) / (N * TURN))
        np.testing.assert_allclose(ring.tangential_impulse[-steps:], -MU * ring.impulse[-steps:], rtol=1e-9)
        x = result.signals["rotor.mid.displacement"][-1, 1:] @ [1.0, 1.0j]
        angle.append(abs(np.angle(x * np.exp(-1j * (DISK["W"] * result.time[-1] - lag)))))
        # the drive holds the speed against the torque of friction
        given = energy.work_drive - energy.work_spin
        assert given[-1] - given[-1 - steps] == pytest.approx(MU * N * RIM * DISK["W"] * TURN, rel=2e-3)
    assert abs(off[1]) <= 1e-3
    assert angle[1] <= 0.6 * angle[0] <= 1e-2  # of first order
    assert 0.0 < N < rough_ring.annular_rub(**DISK, gap=GAP, mu=0.0)[2]


def test_springs_of_a_steady_rub_converge() -> None:
    rigid = rough_ring.annular_rub(**DISK, gap=GAP, mu=MU)[2]
    soft = [rough_ring.annular_rub(**DISK, gap=GAP, mu=MU, stiffness=x * DISK["k"])[2] for x in (1e2, 1e3, 1e4)]
    off = 1.0 - np.array(soft) / rigid
    np.testing.assert_allclose(off[:-1] / off[1:], 10.0, rtol=1e-2)
    apart = np.array([steady_difference(x) for x in (1e2, 1e3, 1e4)])
    assert (apart[1:] <= 0.2 * apart[:-1]).all()
    assert apart[-1] <= 1e-3


def test_bounces_in_springs_converge_to_ours() -> None:
    time, rigid = bounces()
    first = time <= 0.09
    off = np.array([np.abs(in_springs(time[first], x) - rigid[first]).max() / GAP for x in (1e2, 1e3, 1e4, 1e5)])
    np.testing.assert_allclose(off[:-1] / off[1:], np.sqrt(10.0), rtol=0.15)  # as long as a touch of springs lasts
    assert off[-1] <= 3e-3


def test_dry_whip_in_springs_converges_to_ours() -> None:
    time, rigid = whip()
    assert rigid[-1] == pytest.approx(ROLLING, rel=1e-5)
    off = np.array([np.abs(whip_in_springs(time, x) - rigid).max() / ROLLING for x in (1e2, 1e3, 1e4, 1e5)])
    assert (off[1:] <= 0.3 * off[:-1]).all()
    assert off[-1] <= 3e-3
