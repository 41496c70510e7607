"""The shipped rotors: whole curves against exact transients and integrations that share no code with the program."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from references import jeffcott
from references.rub_rotor import Ring, RubRotor

import flexmb as fm

SLOW, FAST = 62.83185307179586, 251.32741228718345
"""600 and 2400 rpm."""


@functools.cache
def outcome(name, *overrides):
    return fm.load_case(name, overrides).run()


def whirl(result, node="rotor.mid"):
    x = result.signals[f"{node}.displacement"]
    return x[:, 1] + 1j * x[:, 2]


@pytest.mark.parametrize(
    "name", ["laval_rotor", "nelson_mcvaugh", "run_up", "sommerfeld", "rotor_rub", "rub_two_disks"]
)
def test_there_are_expectations_with_sources(name):
    case = fm.load_case(name)
    kinds = {expect.signal.partition(".")[0] for expect in case.expects}
    assert kinds - {"summary"}, "only about the summary"
    assert all(len(expect.source) > 5 for expect in case.expects)


# ------------------------------------------------------------------------------------------------- one disk


def test_laval_rotor_is_the_exact_transient():
    result = outcome("laval_rotor")
    exact = jeffcott.transient(result.time, m=1.6, k=4000.0, c=0.8, U=0.016, W=25.0)
    radius = jeffcott.steady_radius(m=1.6, k=4000.0, c=0.8, U=0.016, W=25.0)
    assert np.abs(whirl(result) - exact).max() < 1e-6 * radius


def test_laval_rotor_is_of_second_order_in_the_step():
    off = []
    for h in (4e-4, 2e-4, 1e-4):
        result = outcome("laval_rotor", f"time.step={h}", "output.every=1")
        off.append(np.abs(whirl(result) - jeffcott.transient(result.time, 1.6, 4000.0, 0.8, 0.016, 25.0)).max())
    np.testing.assert_allclose(np.log2(np.array(off[:-1]) / off[1:]), 2.0, atol=0.05)


def test_run_up_whole_curve():
    result = outcome("run_up")
    exact = jeffcott.driven(
        result.time, 1.6, 4000.0, 3.2, 1.6e-3, lambda s: 10.0 * s, lambda s: 10.0, lambda s: 5.0 * s**2
    )
    radius = np.abs(exact)
    assert np.abs(whirl(result) - exact).max() < 5e-3 * radius.max()
    top = np.argmax(np.abs(whirl(result)))
    assert result.time[top] == pytest.approx(result.time[np.argmax(radius)], abs=5e-3)
    np.testing.assert_allclose(np.ravel(result.signals["rotor.spin_speed"]), 10.0 * result.time, atol=1e-9)


@pytest.mark.parametrize("torque", [0.1, 0.2])
def test_sommerfeld_whole_curves(torque):
    """The weak motor hangs below the critical speed of 50 rad/s, one twice as strong gets through."""
    result = outcome("sommerfeld", f"bodies.rotor.spin.characteristic.torque=[{torque}, 0.0]", "time.end=20.0")
    inertia = 0.02 + 1.6 * 1e-3**2
    exact, speed = jeffcott.free(result.time, 1.6, 4000.0, 3.2, 1.6e-3, inertia, lambda W: torque * (1.0 - W / 120.0))
    found = np.ravel(result.signals["rotor.spin_speed"])
    assert np.abs(found - speed).max() < 0.02
    before = result.time < (15.0 if torque == 0.1 else 5.0)  # later a little of the speed turns the phase
    assert np.abs(whirl(result) - exact)[before].max() < 0.02 * np.abs(exact).max()
    assert np.abs(np.abs(whirl(result)) - np.abs(exact)).max() < 0.02 * np.abs(exact).max()
    assert (found[-1] > 60.0) == (torque == 0.2)


# ------------------------------------------------------------------------------------------------- rub


def test_textbook_rotor_has_the_frequencies_of_ross():
    """ROSS 2.3 at 1200 rpm, without its torsional modes, Hz."""
    ross = [28.89749815, 29.88306779, 85.90783856, 92.60451654, 152.65266388, 157.46593488, 278.19839779, 349.60216201]
    np.testing.assert_allclose(RubRotor().frequencies(125.66370614359172, 8), ross, rtol=1e-6)


def test_rotor_rub_goes_to_the_textbook_rotor_with_first_order():
    """Orbits over the whole time and the impulse; its sum over time by the mean, for an impact may be a sample late."""
    rotor, W = RubRotor(modes=12), 125.66370614359172
    contact = (rotor.rows(12), 7.95e-5, 0.0)
    t, x, impulse = rotor.march(1.25e-6, 0.2, (W, W, 1e9), [(12, 5e-4, -np.pi / 2)], [contact], every=160)
    theirs, off = np.cumsum(impulse[:, 0]), []
    for h in (4e-5, 2e-5):
        changes = (f"time.step={h}", "time.end=0.2", f"output.every={round(2e-4 / h)}", "output.fields_every=5000")
        result = outcome("rotor_rub", *changes)
        np.testing.assert_allclose(result.time, t, atol=1e-12)
        apart = [
            np.abs(whirl(result, f"rotor.{name}") - [1.0, 1j] @ (rotor.rows(node) @ x.T))
            for name, node in (("disk", 12), ("other_disk", 24))
        ]
        assert max(each[t < 0.023].max() for each in apart) < 1e-8  # before the first touch
        ours = np.cumsum(result.contacts["stator"].impulse.ravel())
        off.append([*(each.max() / 7.95e-5 for each in apart), abs(ours[-1] / theirs[-1] - 1.0)])
        assert np.abs(ours - theirs).mean() < 0.01 * theirs[-1]
    ratios = np.array(off[0]) / off[1]
    assert np.all((ratios > 1.6) & (ratios < 2.6))
    assert max(off[1]) < 0.03


def test_two_rubbing_disks_whole_curves():
    rotor = RubRotor(modes=8, ring=Ring(2.0, 2e6, 100.0))
    contacts = [(rotor.rows(12), 2e-4, 0.3), (rotor.rows(24, ring=True), 1.5e-4, 0.3)]
    entries = [(12, 5e-4, 0.0), (24, 2e-4, 2.0)]
    t, x, impulse = rotor.march(4e-5, 0.8, (SLOW, FAST, 1.0), entries, contacts, every=5)
    result = outcome("rub_two_disks", "time.end=0.8")
    np.testing.assert_allclose(result.time, t, atol=1e-12)
    for name, node in (("disk", 12), ("other_disk", 24)):
        y, z = rotor.rows(node) @ x.T
        off = np.abs(whirl(result, f"rotor.{name}") - (y + 1j * z))
        assert off[t < 0.48].max() < 2e-7
        assert off.max() < 0.05 * 2e-4
    for k, name in enumerate(("stator", "ring")):
        ours, theirs = np.cumsum(result.contacts[name].impulse.ravel()), np.cumsum(impulse[:, k])
        assert np.abs(ours - theirs).mean() < 0.01 * theirs[-1]
        assert ours[-1] == pytest.approx(theirs[-1], rel=0.01)
    gap = 1.5e-4 - np.abs(whirl(result, "rotor.other_disk") - whirl(result, "ring"))
    np.testing.assert_allclose(result.contacts["ring"].gap.ravel(), gap, rtol=0, atol=1e-15)
