"""Rotating beams: centrifugal stiffening, a stiff rotor, and the steps of implicit and explicit schemes on them."""

from __future__ import annotations

import functools
import sys
from pathlib import Path

import numpy as np
import pytest
from references import stiff_rotor
from references.rotating_beam import Eccentric, RotatingBeam, Stretching, in_hub_axes

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

import explicit_steps
from runge_kutta import IMAGINARY, Explicit

import flexmb as fm
from flexmb.case import load_case

ROOT = Path(__file__).parents[1]
SPEED = Eccentric.numbers["speed"]


# the references


@pytest.mark.parametrize(
    ("radius", "speed", "published"),
    [
        # Wright, Smith, Thresher, Wang (1982), J. Appl. Mech. 49, 197-202: uniform cantilever, no hub
        (0.0, 0.0, (3.5160, 22.0345, 61.6972)),
        (0.0, 1.0, (3.6817, 22.1810, 61.8418)),
        (0.0, 2.0, (4.1373, 22.6149, 62.2732)),
        (0.0, 3.0, (4.7973, 23.3203, 62.9850)),
        (0.0, 12.0, (13.1702, 37.6031, 79.6145)),
    ],
)
def test_reference_has_the_published_frequencies_out_of_the_plane(radius, speed, published):
    found = RotatingBeam(1.0, radius, 1.0, 1.0, speed).frequencies()
    np.testing.assert_allclose(found, published, rtol=0, atol=6e-5)


def test_reference_in_the_plane_has_the_square_of_the_speed_less():
    """So Southwell's coefficient of w^2 = w0^2 + a W^2 is less by one; by its mode at rest a = 1.193 without a hub."""
    keys = {"length": 1.0, "radius": 0.5, "EI": 1.0, "mass": 1.0, "speed": 4.0}
    flap, lag = RotatingBeam(**keys).frequencies(), RotatingBeam(**keys, in_plane=True).frequencies()
    np.testing.assert_allclose(lag**2, flap**2 - 16.0, rtol=1e-9)
    slow = RotatingBeam(1.0, 0.0, 1.0, 1.0, 0.01).frequencies(1)[0]
    assert (slow**2 - 3.5160152685**2) / 1e-4 == pytest.approx(1.193, abs=1e-3)


def test_reference_sags_as_a_cantilever_at_rest_and_hangs_as_a_chain_when_fast():
    still = RotatingBeam(10.0, 2.0, 1.4e4, 1.2, 0.0)
    assert still.steady(3.0) == pytest.approx(3.0 * 10.0**4 / (8 * 1.4e4), rel=1e-9)
    chain = RotatingBeam(10.0, 2.0, 1e-2, 1.2, 8.0, shapes=40)  # w' = (g / W^2) / (r + (L + x) / 2)
    assert chain.steady(1.2) == pytest.approx(2.0 / 64.0 * np.log(24.0 / 14.0), rel=0.01)


def test_reference_stretches_as_the_spin_up_beam_does():
    assert Stretching(10.0, 0.0, 2.8e7, 1.2, 6.0).extension(10.0) == pytest.approx(5.143e-4, rel=1e-4)


def test_reference_rotor_has_the_critical_speeds_of_lalanne_and_ferraris_model():
    """Their one shape, sin(pi y / L), gives m = 14.29, k = 1.195e6, gyroscopic 2.871: an upper bound."""
    y, s = np.pi / 3, stiff_rotor
    slope = (np.pi / s.LENGTH * np.cos(y)) ** 2
    beside = s.DENSITY * s.INERTIA * (np.pi / s.LENGTH) ** 2 * s.LENGTH / 2
    m = s.DISK * np.sin(y) ** 2 + s.DISK_ACROSS * slope + s.DENSITY * s.AREA * s.LENGTH / 2 + beside
    k, a = s.YOUNG * s.INERTIA * np.pi**4 / (2 * s.LENGTH**3), s.DISK_POLAR * slope + 2 * beside
    assert (m, k, a) == pytest.approx((14.29, 1.195e6, 2.871), rel=2e-3)
    held = k + s.SPRING * np.sin(2 * y) ** 2
    squares = np.sort(np.roots([m * m - a * a, -m * (k + held), k * held]))
    few, many = np.sqrt(squares), s.Rotor(shear=False).critical_speeds()
    assert np.all(many < few)
    np.testing.assert_allclose(many, few, rtol=0.09)


# the rotating beam


def hub_and_beam(kind, speed, gravity=0.05, elements=20):
    """Return the model of ``rotating_beam_eccentric`` with an exact or a floating beam."""
    ecc, r, numbers = Eccentric.ECCENTRICITY, Eccentric.numbers["radius"], Eccentric.numbers
    model = fm.Model(gravity=(0, 0, -gravity))
    model.add(fm.Rigid("hub", mass=100.0, inertia=[104.0, 104.0, 200.0], angular_velocity=(0, 0, speed)))
    place = {"length": 10.0, "elements": elements, "position": (r, ecc, 0), "angular_velocity": (0, 0, speed)}
    if kind == "exact":
        stiffness = {"EA": Eccentric.EA, "GA": Eccentric.GA, "GJ": 1.4e4, "EIy": 1.4e4, "EIz": 1.4e4}
        inertia = {"mass_per_length": numbers["mass"], "rotary_x": 1.2e-3, "rotary_y": 6e-4, "rotary_z": 6e-4}
        model.add(fm.ExactBeam("beam", about=(0, 0, 0), stiffness=stiffness, inertia=inertia, **place))
    else:
        section = {"area": 1.0, "inertia_y": 5e-4, "inertia_z": 5e-4, "torsion": 1e-3}
        material = {"young": 2.8e7, "density": numbers["mass"], "poisson": 0.3}
        velocity = np.cross((0, 0, speed), (r + 5.0, ecc, 0))
        model.add(fm.FloatingBeam("beam", section=section, material=material, modes=12, velocity=velocity, **place))
    model.add(fm.Revolute("axis", a="ground", b="hub", axis=(0, 0, 1), drive=fm.Polynomial(coefficients=[0.0, speed])))
    model.add(fm.Fixed("clamp", a="hub", b="beam.first"))
    return model


def frequency(t, x):
    """Return the angular frequency of an oscillation from its falls through the mean."""
    x = x - x.mean()
    k = np.flatnonzero((x[:-1] > 0.0) & (x[1:] <= 0.0))
    falls = t[k] + (t[k + 1] - t[k]) * x[k] / (x[k] - x[k + 1])
    return 2.0 * np.pi * (falls.size - 1) / (falls[-1] - falls[0])


@functools.cache
def spun(kind, speed):
    """Return times and the tip in the axes of the hub; little gravity, so that all is linear."""
    signal = "beam.last.position"
    run = fm.simulate(hub_and_beam(kind, speed), fm.GeneralizedAlpha(rho_inf=0.8), 4e-3, 4.0, signals=[signal])
    return run.time, in_hub_axes(run.signals[signal], speed * run.time)


@pytest.mark.parametrize("speed", [2.0, 8.0, SPEED])
def test_exact_beam_stiffens_as_it_turns(speed):
    t, tip = spun("exact", speed)
    keys = Eccentric.numbers | {"EI": 1.4e4, "speed": speed}
    flap, lag = RotatingBeam(**keys), RotatingBeam(**keys, in_plane=True)
    assert frequency(t, tip[:, 2]) == pytest.approx(flap.frequencies(1)[0], rel=4e-3)
    assert frequency(t, tip[:, 1]) == pytest.approx(lag.frequencies(1)[0], rel=6e-3)


def test_floating_beam_does_not_stiffen_and_must_not_be_used_here():
    """At twice the lowest frequency its lag is more than twice too large, its frequency a third too low."""
    t, tip = spun("floating", 8.0)
    lag = RotatingBeam(**(Eccentric.numbers | {"EI": 1.4e4, "speed": 8.0}), in_plane=True)
    steady = lag.steady(1.2 * 64.0 * Eccentric.ECCENTRICITY)
    assert frequency(t, tip[:, 1]) < 0.7 * lag.frequencies(1)[0]
    assert (tip[:, 1] - tip[0, 1]).max() > 2.0 * (2.0 * steady)
    t, tip = spun("exact", 8.0)
    assert (tip[:, 1] - tip[0, 1]).max() == pytest.approx(2.0 * steady, rel=0.05)


@functools.cache
def eccentric():
    return load_case(ROOT / "cases" / "rotating_beam_eccentric.toml").run()


def test_eccentric_beam_moves_as_the_reference():
    """The whole curve: sideways, up and down, and, after the waves of stretching have gone, along."""
    result = eccentric()
    tip = in_hub_axes(result.signals["beam.last.position"], SPEED * result.time)
    off = np.abs(tip - Eccentric.tip(result.time))
    swing = np.ptp(tip, axis=0)
    assert off[:, 1].max() < 0.06 * swing[1]
    assert off[:, 2].max() < 0.03 * swing[2]
    assert off[result.time > 2.8, 0].max() < 0.1 * Eccentric.stretching.extension(10.0)


def test_eccentric_beam_books_its_energy():
    """The drive's work is all that comes in; what goes is numerical, the waves of the sudden stretching."""
    result = eccentric()
    energy = result.summary["energy"]
    assert np.abs(result.energy.residual).max() <= 1e-11 * energy["scale"]
    assert energy["damping"] == 0.0
    assert energy["external"] == pytest.approx(energy["drive"], rel=1e-12)
    assert -50.0 < energy["numerical"] < 0.0


# the stiff rotor


def test_stiff_rotor_runs_through_its_critical_speeds_as_the_linear_rotor():
    result = explicit_steps.ROTOR.implicit(step=4e-4, end=1.1)
    disk = result.signals["disk.position"][:, [0, 2]] * (1.0, -1.0)  # (y, x, -z) is right-handed
    run_up = stiff_rotor.Rotor(modes=3).run_up(stiff_rotor.spin_up(300.0 * np.pi, 2.0), result.time, rtol=1e-6)
    largest = np.abs(run_up).max(axis=0)
    # 12 elements are stiffer by 0.3 %, which the phase shows
    assert np.all(np.abs(disk - run_up).max(axis=0) < 0.1 * largest)
    np.testing.assert_allclose(np.abs(disk).max(axis=0), largest, rtol=0.04)
    assert np.abs(result.energy.residual).max() <= 1e-10 * result.summary["energy"]["scale"]


def test_stiff_rotor_has_frequencies_of_1e5_hz():
    assert Explicit(explicit_steps.ROTOR.system).highest_frequency() == pytest.approx(2 * np.pi * 9.2e4, rel=0.02)


# implicit and explicit steps


@pytest.mark.parametrize("problem", [explicit_steps.BEAM, explicit_steps.ROTOR], ids=lambda problem: problem.case)
def test_alpha_scheme_steps_fifty_times_as_far_as_runge_kutta_can(problem):
    """The case's step is stable (its run above), Runge-Kutta's limit is 2 sqrt(2) over the highest frequency."""
    explicit = Explicit(problem.system)
    limit = IMAGINARY / explicit.highest_frequency()
    assert problem.h / limit > 50.0
    assert explicit.stable(0.97 * limit, 200)
    assert not explicit.stable(1.08 * limit, 300)


def test_beam_has_the_degrees_of_freedom_of_the_thesis():
    assert explicit_steps.BEAM.freedom + 1 == 31  # the driven angle of the hub counted


def test_runge_kutta_has_order_four():
    """Rotations in space included: a beam, soft enough for long steps, on a ball joint."""
    model = fm.Model(gravity=(0, 0, -9.81))
    stiffness = {"EA": 1e3, "GA": 1e3, "GJ": 10.0, "EIy": 10.0, "EIz": 15.0}
    inertia = {"mass_per_length": 1.0, "rotary_x": 0.2, "rotary_y": 0.1, "rotary_z": 0.12}
    spin = np.array([3.0, 2.0, 5.0])
    model.add(fm.ExactBeam("b", length=1.0, elements=2, stiffness=stiffness, inertia=inertia, angular_velocity=spin))
    model.add(fm.Spherical("pin", a="ground", b="b.first"))
    system = model.assemble(["b.last.position"])
    runs = [Explicit(system).run(0.2 / n, n).signal("b.last.position")[-1] for n in (200, 400, 800, 3200)]
    off = [np.linalg.norm(x - runs[-1]) for x in runs[:-1]]
    assert off[0] / off[1] == pytest.approx(16.0, rel=0.15)
    assert off[1] / off[2] == pytest.approx(16.0, rel=0.15)


def test_both_agree_where_both_run():
    """Differences fall with the square of the alpha scheme's step, 180, 90 and 45 times Runge-Kutta's limit."""
    off = explicit_steps.STARTED_BEAM.differences((4e-3, 2e-3, 1e-3), 2e-5)
    assert off[0] / off[1] == pytest.approx(4.0, rel=0.15)
    assert off[1] / off[2] == pytest.approx(4.0, rel=0.15)
    assert off[2] < 1e-4  # of a tip that has moved by 2.7 m


def test_adaptive_alpha_scheme_needs_a_seventieth_of_the_steps():
    """Haddouni (2015), table 3.8: 88 times fewer at 1e-4; here over a sixth of the case."""
    beam = explicit_steps.BEAM
    explicit = 0.5 * Explicit(beam.system).highest_frequency() / IMAGINARY
    taken = beam.implicit(end=0.5, tolerance=1e-4).summary["steps_taken"]
    assert explicit / taken > 70.0


def test_benchmark_prints_limits(capsys):
    explicit_steps.main(["--quick"])
    said = capsys.readouterr().out
    assert "31 degrees of freedom" in said
    assert "90 times as much" in said or "89 times as much" in said
