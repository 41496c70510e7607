"""What holds for every frictional system: the energy identity, limits of the laws, and how tangents are chosen."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from runs import run
from scipy import sparse
from systems import random_system
from systems_with_laws import blocks_of, random_frictional, with_rows

from flexmb.schemes import MoreauJean, MoreauJeanDissipative
from flexmb.schemes.stormer_verlet import StormerVerlet

SCHEMES = [MoreauJean(), MoreauJean(theta=0.8), MoreauJeanDissipative(), StormerVerlet()]


def names(scheme):
    return repr(scheme)


def left_over(block):
    """Return what the works leave of the change of energy, from the definition and not from the ledger's own column."""
    T, V, external, damping, contact, numerical = block.energy.T[:6]
    friction = block.energy[:, 9]
    return T + V - (T + V)[0] - external - damping - contact - numerical - friction


@pytest.mark.parametrize("scheme", SCHEMES, ids=names)
@settings(max_examples=12, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    nc=st.integers(1, 3),
    moving=st.booleans(),
    rolling=st.booleans(),
    poisson=st.booleans(),
    bonded=st.booleans(),
    h=st.sampled_from([1e-3, 1e-2]),
)
def test_the_ledger_closes(scheme, seed, nc, moving, rolling, poisson, bonded, h):
    laws = {"poisson": poisson, "cohesion": [40.0, 20.0, 0.05, 1e-3, 1.0] if bonded else None}
    system = random_frictional(seed, nc=nc, moving=moving, rolling=rolling, **laws)
    block, motor = run(system, scheme, h, 60, "general")
    assert motor.failure is None
    scale = motor.tally().energy_scale
    assert np.abs(left_over(block)).max() <= 1e-12 * scale
    np.testing.assert_allclose(block.energy[:, 6], left_over(block), atol=1e-13 * scale)


@pytest.mark.parametrize("scheme", SCHEMES, ids=names)
def test_friction_does_work_in_these_systems(scheme):
    """Sliding and rolling, sticking and slipping do happen, and surfaces that move drive."""
    sticks, slips, works = 0, 0, 0
    for seed in range(4):
        block, motor = run(random_frictional(seed, rolling=True), scheme, 1e-2, 60, "general")
        sticks, slips = sticks + int((block.status == 1).sum()), slips + int((block.status == 2).sum())
        works += bool(np.abs(block.energy[-1, 9]) > 1e-3 * motor.tally().energy_scale)
    assert sticks > 0
    assert slips > 10
    assert works > 2


@pytest.mark.parametrize("scheme", SCHEMES, ids=names)
@pytest.mark.parametrize("seed", range(3))
def test_without_friction_all_is_as_without_its_rows(scheme, seed):
    plain = random_system(seed, nv=8, nc=3)
    rng = np.random.default_rng(seed)
    rough = with_rows(plain, blocks_of(3, 2, mu=0.0), rng.normal(size=(8, 6)))
    one, two = (run(made, scheme, 1e-2, 60, "general") for made in (plain, rough))
    scale = np.abs(one[1].state.v).max()
    assert one[0].impulse.any()
    np.testing.assert_allclose(two[1].state.v, one[1].state.v, atol=1e-11 * scale)
    assert not two[0].tangential.any()


@pytest.mark.parametrize("scheme", SCHEMES, ids=names)
@pytest.mark.parametrize("e", [0.0, 1.0])
def test_equal_restitutions_never_gain_in_an_impact(scheme, e):
    """e = e_T at all contacts: the energy of an impact falls, whatever mu; it is kept for e = e_T = 1."""
    e_T = min(e, 1.0 - 1e-9)
    for seed in range(12):
        system = random_frictional(seed, nc=1, moving=False, planar=seed % 2 == 0, slides=2, equal=e)
        blocks = replace(system.contacts.blocks, e_T=np.full(1, e_T))
        assert blocks.nt > 0
        con = replace(system.contacts, g0=-system.contacts.G.T @ system.q0, blocks=blocks)
        still = replace(system, contacts=con, F0=np.zeros(8), loads=(), C=sparse.csr_array((8, 8)), strain=None)
        still = replace(still, K=sparse.csr_array((8, 8)), strain=None)
        block, _ = run(still, scheme, 1e-3, 1, "general")
        T = block.energy[:, 0]
        assert T[1] <= T[0] * (1.0 + 1e-9)
        if e == 1.0 and block.status[1, 0] == 1:
            assert T[1] == pytest.approx(T[0], rel=1e-8)


@pytest.mark.parametrize("scheme", SCHEMES, ids=names)
@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10**6), angle=st.floats(0.1, 6.0))
def test_results_do_not_depend_on_how_tangents_are_chosen(scheme, seed, angle):
    rng = np.random.default_rng(seed)
    nc, nv = 2, 10
    plain = random_system(seed, nv=nv, nc=nc, moving=False)
    H, mu, e_T = rng.normal(size=(nv, 2 * nc)), rng.uniform(0.1, 1.0, nc), rng.uniform(-0.5, 0.9, nc)
    drift = rng.normal(size=2 * nc)
    c, s = np.cos(angle), np.sin(angle)
    turn = np.kron(np.eye(nc), [[c, -s], [s, c]])
    one, two = (
        run(with_rows(plain, blocks_of(nc, 2, mu=mu, e_T=e_T), H @ Q, drift=drift @ Q), scheme, 1e-2, 25, "general")
        for Q in (np.eye(2 * nc), turn)
    )
    scale = np.abs(one[0].impulse).max() + 1e-300
    np.testing.assert_allclose(two[0].impulse, one[0].impulse, atol=1e-7 * scale)
    np.testing.assert_allclose(two[0].tangential, one[0].tangential @ turn, atol=1e-7 * scale)
