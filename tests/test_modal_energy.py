"""Modes of a run: their energies add up, and their measured damping is that of the amplification matrix."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from runs import MEMBERS, label
from systems import bar_system, random_system, system

import flexmb as fm
from flexmb.analysis.modal_energy import longest, lost, modal_measure, modal_motion, powers, scheme_of
from flexmb.analysis.spectrum import spectrum
from flexmb.errors import InputError
from flexmb.schemes import (
    HHT,
    SCHEMES,
    GeneralizedAlpha,
    MoreauJean,
    MoreauJeanDissipative,
    Newmark,
    SchatzmanPaoli,
)

FAMILY = [
    *MEMBERS,
    GeneralizedAlpha(rho_inf=0.3),
    HHT(alpha=0.3),
    MoreauJeanDissipative(theta=1.0),
    Newmark(beta=0.4, gamma=0.8),
    SchatzmanPaoli(weighting="theta", theta=1.0),
]
ELEMENTS = 12


@pytest.fixture(scope="module", params=[0.0, 1e-3], ids=["undamped", "Rayleigh"])
def ringing(request):
    """A clamped bar of which every mode is excited."""
    model = fm.Model()
    support, damping = [{"node": "first", "kind": "clamped"}], {"alpha": 200 * request.param, "beta": request.param}
    bar = {"length": 10, "elements": ELEMENTS, "area": 1, "young": 900, "density": 1}
    model.add(fm.Bar("rod", **bar, supports=support, damping=damping))
    still = model.assemble()
    found, rng = fm.modes(still, still.nv), np.random.default_rng(3)
    q0, v0 = rng.uniform(0.5, 1.0, still.nv) / found.omega, rng.uniform(-1.0, 1.0, still.nv)
    zeta = 0.5 * (damping["alpha"] / found.omega + damping["beta"] * found.omega)
    return replace(still, q0=found.shapes @ q0, v0=found.shapes @ v0), found, zeta


def test_every_scheme_is_among_them():
    assert {scheme.name for scheme in FAMILY} == {name for name, cls in SCHEMES.items() if cls.driver == "steps"}


@pytest.mark.parametrize("scheme", FAMILY, ids=label)
@pytest.mark.parametrize("h", [0.01, 0.1, 0.8])
def test_measured_damping_is_that_of_the_amplification_matrix(ringing, scheme, h):
    """All modes of a free vibration, omega h from 0.05 to 100, against ``spectrum`` with zeta of Rayleigh's formula."""
    bar, found, zeta = ringing
    if found.omega[-1] * h >= scheme.stability:
        pytest.skip("explicit: refuses such a step")
    measured = modal_measure(bar, fm.simulate(bar, scheme, step=h, end=200 * h, fields_every=1), ELEMENTS)
    theory = [spectrum(scheme, [w * h], z).damping[0] for w, z in zip(found.omega, zeta, strict=True)]
    np.testing.assert_allclose(measured["omega_h"], found.omega * h, rtol=1e-12)
    np.testing.assert_allclose(measured["damping"], theory, rtol=0, atol=1e-6)
    np.testing.assert_allclose(measured["damping_theory"], theory, rtol=0, atol=1e-9)
    inside = measured["theory_omega_h"]
    assert inside[0] == pytest.approx(found.omega[0] * h)
    assert inside[-1] == pytest.approx(found.omega[-1] * h)


def test_states_kept_now_and_then_give_the_damping_of_slow_modes(ringing):
    bar, found, _ = ringing
    scheme = MoreauJean(theta=0.7)
    every, now_and_then = (
        modal_measure(bar, fm.simulate(bar, scheme, step=0.02, end=4.06, fields_every=k), ELEMENTS) for k in (1, 5)
    )
    slow = found.omega * 0.02 * 5 < np.pi
    assert 2 <= slow.sum() < ELEMENTS
    np.testing.assert_allclose(
        np.array(now_and_then["damping"])[slow], np.array(every["damping"])[slow], rtol=0, atol=1e-9
    )
    assert np.isnan(np.array(now_and_then["damping"])[~slow]).all()


@pytest.mark.parametrize("weight", [0.0, 10.0])
def test_energies_of_all_modes_add_up_to_the_total_with_a_rigid_one_and_through_an_impact(weight):
    bar = bar_system(30, gap=1.0)
    bar = replace(bar, F0=-weight * np.asarray(bar.M.sum(axis=1)).ravel(), V0=3.0)
    result = fm.simulate(bar, GeneralizedAlpha(rho_inf=0.6), step=5e-3, end=2.0, fields_every=1)
    motion = modal_motion(bar, result.fields.q[:], result.fields.v[:], fm.modes(bar, bar.nv))
    assert motion.modes.omega[0] == 0.0 < motion.modes.omega[1]
    total = motion.energy.sum(axis=1) + motion.constant
    np.testing.assert_allclose(total, result.energy.total, rtol=0, atol=1e-9 * np.ptp(result.energy.kinetic))
    assert (motion.energy[:, 1:] >= 0.0).all()
    assert result.contacts["c0"].impulse.max() > 1.0


def test_where_contacts_act_the_losses_tell_which_frequencies_paid():
    """Moreau-Jean with theta > 1/2 takes from the high modes of a ringing bar, and nothing from its flight."""
    bar = bar_system(30, gap=1.0)
    result = fm.simulate(bar, MoreauJean(theta=0.8), step=5e-3, end=3.0, fields_every=1)
    found = modal_measure(bar, result, 31)
    left = np.array(found["lost_free"])
    assert abs(left[0]) < 1e-9
    assert (left[1:] > -1e-9).all()
    assert left[1:].sum() > 1.0
    # with theta > 1/2 all that goes in free steps is the scheme's; the ledger knows the same sum from its own identity
    impulse = result.contacts["c0"].impulse != 0.0
    both = ~(impulse[1:] | impulse[:-1])
    assert left.sum() == pytest.approx(-np.diff(result.energy.numerical)[both].sum(), rel=1e-9)
    # after the impact the bar flies: modes that still ring are measured
    measured, theory = np.array(found["damping"]), np.array(found["damping_theory"])
    seen = ~np.isnan(measured)
    assert not seen[0]
    assert seen[1:6].all()
    np.testing.assert_allclose(measured[seen], theory[seen], rtol=0, atol=1e-6)


def test_a_long_flight_before_the_impact_does_not_hide_what_rings_after_it():
    """A bar flies undeformed for 1/2 s, and only then it is struck; it is free again from 7/6 s on."""
    short = ["time.end=1.5", "bodies.rod.elements=20", "output.fields_every=1", "scheme.name=generalized-alpha"]
    case = fm.load_case("impacting_bar", short)
    result = case.run()
    free = ~np.asarray(result.fields.impulse[:]).any(axis=1)
    assert longest(free).start == 0
    found = modal_measure(case, result, 21)
    assert np.isfinite(found["damping"][1:]).all()
    np.testing.assert_allclose(found["damping"][1:], found["damping_theory"][1:], rtol=0, atol=1e-6)


def test_gravity_only_shifts_the_rest(ringing):
    bar, found, zeta = ringing
    hanging = replace(bar, F0=np.linspace(1.0, 2.0, bar.nv))
    measured = modal_measure(hanging, fm.simulate(hanging, HHT(), step=0.05, end=8.0, fields_every=1), 5)
    theory = [spectrum(HHT(), [w * 0.05], z).damping[0] for w, z in zip(found.omega[:5], zeta, strict=False)]
    np.testing.assert_allclose(measured["damping"], theory, rtol=0, atol=1e-9)


def test_what_is_no_free_vibration_of_one_mode_has_no_damping(ringing):
    bar, found, _ = ringing
    scheme = Newmark()
    only_first = replace(bar, q0=found.shapes[:, 0], v0=np.zeros(bar.nv))
    measured = modal_measure(only_first, fm.simulate(only_first, scheme, step=0.05, end=5.0, fields_every=1), 4)
    assert np.isfinite(measured["damping"][0])
    assert np.isnan(measured["damping"][1:]).all()  # not excited
    loaded = random_system(1, nc=0)
    assert np.isnan(
        modal_measure(loaded, fm.simulate(loaded, scheme, step=0.01, end=1.0, fields_every=1), 5)["damping"]
    ).all()
    coupled = random_system(1, nc=0, loaded=False)  # damping that is not Rayleigh's
    assert np.isnan(
        modal_measure(coupled, fm.simulate(coupled, scheme, step=0.05, end=9.0, fields_every=1), 3)["damping"]
    ).all()
    short = fm.simulate(bar, scheme, step=0.1, end=0.4, fields_every=1)
    assert np.isnan(modal_measure(bar, short, 3)["damping"]).all()


def test_one_oscillator_has_no_line_of_theory():
    one = system(1.0, 4.0, q0=[1.0])
    found = modal_measure(one, fm.simulate(one, Newmark(), step=0.1, end=5.0, fields_every=1), 9)
    assert found["frequency_hz"] == [pytest.approx(1 / np.pi)]
    assert found["energy_first"] == [pytest.approx(2.0)]
    assert "theory_omega_h" not in found


def test_large_motion_is_refused():
    case = fm.load_case("bouncing_pendulum", ["time.end=0.01"])
    with pytest.raises(InputError, match="small motion"):
        modal_measure(case, case.run(), 3)


def test_a_case_will_do_and_its_scheme_is_read_from_the_summary():
    case = fm.load_case("impact_oscillator", ["output.fields_every=1"])
    result = case.run()
    assert scheme_of(result.summary["scheme"]) == case.scheme
    assert modal_measure(case, result, 1)["omega_h"][0] > 0.0


def test_powers_by_hand():
    n = np.arange(20)
    y = np.stack([0.9**n + 2.0 * (-0.5) ** n, 3.0 * 0.9**n - (-0.5) ** n], axis=1)
    np.testing.assert_allclose(np.sort(powers(y, 2).real), [-0.5, 0.9], rtol=1e-12)
    np.testing.assert_allclose(powers(y * 0 + 0.9 ** n[:, None], 3), [0.9], rtol=1e-12)
    assert powers(y, 1).size == 0  # one power does not do
    assert powers(np.random.default_rng(0).normal(size=(50, 2)), 3).size == 0
    assert powers(np.full((9, 2), np.nan), 2).size == 0
    assert powers(np.zeros((9, 2)), 2).size == 0


def test_stretches_and_losses_by_hand():
    free = np.array([True, False, True, True, True, False, True, True])
    assert longest(free) == slice(2, 5)
    assert longest(~np.ones(3, dtype=bool)) == slice(0, 0)
    energy = np.array([9.0, 8.0, 7.0, 5.0, 4.0, 3.5, 3.0, 2.0])[:, None]
    assert lost(energy, free) == pytest.approx([2.0 + 1.0 + 1.0])
