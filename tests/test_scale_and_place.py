"""Where a mechanism is, how fast it flies and how large it is: the same motion, to round-off."""

from __future__ import annotations

import numpy as np
import pytest
from multibody_models import run
from references import four_bar as four_bar_data

import flexmb as fm
from flexmb.kernels.multibody.multibody import ITERATIONS

Y, Z, TILTED = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.48, 0.6, 0.64)
FAR, FAST = np.array([1000.0, 300.0, -700.0]), np.array([100.0, 30.0, -70.0])

SCHEMES = {
    "ggl": fm.GeneralizedAlpha(rho_inf=0.8),
    "index3": fm.GeneralizedAlpha(rho_inf=0.8, constraints="index3"),
    "index2": fm.GeneralizedAlpha(rho_inf=0.8, constraints="index2"),
    "hht": fm.HHT(alpha=0.1),
    "newmark": fm.Newmark(),
    "moreau-jean": fm.MoreauJean(theta=0.5),
    "moreau-jean projected": fm.MoreauJean(theta=0.5, projection=True),
}
schemes = pytest.mark.parametrize("scheme", SCHEMES.values(), ids=SCHEMES)


def arrived(system, scheme, h, steps, **more):
    r = run(system, scheme, h, steps, **more)
    assert r.engine.failure is None, r.engine.failure
    return r


def iterations(r) -> float:
    return float(r.engine.motion.numbers[ITERATIONS])


def bars(n=2, size=1.0, place=(0, 0, 0), velocity=(0, 0, 0), spin=(0.0, -1.0), on_ground=False, gravity=9.81):
    """Bars of length ``size`` in a row, hinged to each other; the first to the ground or flying, with ``spin`` each."""
    model, place, velocity = fm.Model(gravity=(0, 0, -gravity)), np.array(place, float), np.array(velocity, float)
    for k in range(n):
        ends = {"points": {"left": (-0.5 * size, 0, 0), "right": (0.5 * size, 0, 0)}}
        turning = (0.0, 0.0 if on_ground else spin[k % 2], 0.0)
        moving = velocity + [0.0, 0.0, 0.0 if on_ground else -0.5 * size * spin[k % 2] - size * sum(spin[:k])]
        model.add(
            fm.Rigid(
                f"bar{k}",
                mass=1.0,
                inertia=np.array([0.01, 0.1, 0.1]) * size**2,
                position=place + [(k + 0.5) * size, 0, 0],
                velocity=moving,
                angular_velocity=turning,
                **ends,
            )  # fmt: skip
        )
        if k or on_ground:
            model.add(fm.Revolute(f"pin{k}", a=f"bar{k - 1}.right" if k else "ground", b=f"bar{k}.left", axis=Y))
    return model


def apart(r, i, j):
    """Return the vector between the centres of two spatial bodies over time."""
    return r.q[:, 7 * j : 7 * j + 3] - r.q[:, 7 * i : 7 * i + 3]


@schemes
def test_a_pendulum_swings_the_same_a_kilometre_away(scheme):
    here, there = (arrived(bars(place=p, on_ground=True), scheme, 1e-3, 500) for p in ((0, 0, 0), FAR))
    for i in (0, 7):
        np.testing.assert_allclose(there.q[:, i : i + 3] - FAR, here.q[:, i : i + 3], atol=1e-9, rtol=0)
    np.testing.assert_allclose(there.v, here.v, atol=1e-9, rtol=0)
    assert iterations(there) <= 1.1 * iterations(here)


@schemes
def test_two_hinged_bodies_move_the_same_when_they_fly_past(scheme):
    """10 s at 126 m/s, seen from their common velocity."""
    rest, flying = (arrived(bars(velocity=v, gravity=0.0), scheme, 2e-3, 5000, every=50) for v in (np.zeros(3), FAST))
    for i in (0, 7):
        way = flying.q[:, i : i + 3] - flying.t[:, None] * FAST
        np.testing.assert_allclose(way, rest.q[:, i : i + 3], atol=1e-9, rtol=0)
    turns = [3, 4, 5, 9, 10, 11]
    np.testing.assert_allclose(flying.v[:, turns], rest.v[:, turns], atol=1e-9, rtol=0)
    assert iterations(flying) <= 1.1 * iterations(rest)


@schemes
def test_two_hinged_bodies_fall_two_kilometres(scheme):
    """20 s of free fall; against each other they move as without a weight."""
    falling, floating = (arrived(bars(gravity=g), scheme, 4e-3, 5000, every=50) for g in (9.81, 0.0))
    assert falling.q[-1, 2] < -1900.0
    np.testing.assert_allclose(apart(falling, 0, 1), apart(floating, 0, 1), atol=1e-9, rtol=0)
    assert iterations(falling) <= 1.1 * iterations(floating) + 5000


def flying_beam(velocity):
    """A beam that is bent and turns: one end has a kick against the other."""
    model = fm.Model()
    section, material = {"shape": "circle", "radius": 0.01}, {"young": 2.1e9, "poisson": 0.3, "density": 7800.0}
    model.add(
        fm.ExactBeam(
            "beam",
            length=1.0,
            elements=4,
            direction=(1, 0, 0),
            section=section,
            material=material,
            velocity=tuple(velocity),
            angular_velocity=(0, 3.0, 1.0),
        )  # fmt: skip
    )
    return model


@pytest.mark.parametrize("scheme", [SCHEMES["ggl"], SCHEMES["moreau-jean"]], ids=["ggl", "moreau-jean"])
def test_an_exact_beam_flies_a_kilometre(scheme):
    rest, flying = (arrived(flying_beam(v), scheme, 2e-3, 5000, every=500) for v in (np.zeros(3), [100.0, 0.0, 0.0]))
    for i in range(0, 35, 7):
        way = flying.q[:, i : i + 3] - flying.t[:, None] * [100.0, 0.0, 0.0]
        np.testing.assert_allclose(way, rest.q[:, i : i + 3], atol=1e-9, rtol=0)
    assert iterations(flying) <= 1.1 * iterations(rest)


def particles(place, velocity):
    """Two particles on a spring, and a third that the second hits."""
    model = fm.Model()
    for k, (x, v) in enumerate(((0.0, 1.0), (1.0, -0.5), (1.5, -0.5))):
        model.add(
            fm.Particle(f"p{k}", 1.0, position=place + np.array([x, 0, 0]), velocity=velocity + np.array([v, 0, 0]))
        )
    model.add(fm.SpringDamper("spring", a="p0", b="p1", stiffness=40.0, length=1.0))
    model.add(fm.SphereSphere("touch", a="p1", b="p2", radius_a=0.1, radius_b=0.1, restitution=0.7))
    return model


@pytest.mark.parametrize("scheme", [*SCHEMES.values(), fm.SchatzmanPaoli()], ids=[*SCHEMES, "schatzman-paoli"])
def test_particles_swing_and_hit_the_same_far_away_and_flying(scheme):
    here = arrived(particles(np.zeros(3), np.zeros(3)), scheme, 2e-3, 5000, every=50)
    assert here.impulse.any()
    for place, velocity in ((FAR, np.zeros(3)), (np.zeros(3), FAST)):
        r = arrived(particles(place, velocity), scheme, 2e-3, 5000, every=50)
        way = r.q - np.tile(r.t[:, None] * velocity, 3)
        np.testing.assert_allclose(way, here.q, atol=1e-9, rtol=0)


def motor(kind, place):
    """A body with no arm and no extent but its inertia, driven about the axis through its centre."""
    drive = {"drive": fm.SpinUp(rate=20.0, duration=0.2)}
    model = fm.Model(gravity=(0, 0, -9.81))

    def rotor(name, **more):
        model.add(fm.Rigid(name, mass=1.0, inertia=[0.01, 0.02, 0.03], position=place, **more))

    rotor("rotor")
    if kind == "revolute":
        model.add(fm.Revolute("shaft", a="ground", b="rotor", axis=TILTED, **drive))
    elif kind == "cylindrical":
        model.add(fm.Cylindrical("shaft", a="ground", b="rotor", axis=TILTED, **drive))
    elif kind == "gear":
        rotor("wheel")
        model.add(fm.Revolute("shaft", a="ground", b="rotor", axis=TILTED, **drive))
        model.add(fm.Revolute("other", a="ground", b="wheel", axis=TILTED))
        model.add(fm.Gear("teeth", joint1="shaft", joint2="other", ratio=2.0))
    else:
        rotor("inner")
        model.add(fm.Revolute("shaft", a="ground", b="rotor", axis=TILTED, **drive))
        model.add(fm.Revolute("tilt", a="rotor", b="inner", point=place, axis=(0.8, 0.0, -0.6)))
    return model


@pytest.mark.parametrize("kind", ["revolute", "cylindrical", "gear", "gimbal"])
@schemes
def test_a_motor_stands_at_the_origin_as_well_as_elsewhere(kind, scheme):
    here, there = (arrived(motor(kind, p), scheme, 1e-3, 300) for p in (np.zeros(3), FAR))
    np.testing.assert_allclose(there.v, here.v, atol=1e-9, rtol=0)
    np.testing.assert_allclose(here.v[-1, 3:6], 20.0 * np.array(TILTED), rtol=1e-4)


def chain(size):
    """Four links about axes that are neither parallel nor those of space, so that none stays in a plane."""
    model = fm.Model(gravity=(1.0, 2.0, -9.81))
    for k, axis in enumerate(((0.0, 0.6, 0.8), (0.0, 0.8, -0.6), (0.28, 0.96, 0.0), (0.0, 0.6, 0.8))):
        ends = {"points": {"left": (-0.5 * size, 0, 0), "right": (0.5 * size, 0, 0)}}
        inertia = np.array([0.01, 0.1, 0.1]) * size**2
        model.add(fm.Rigid(f"bar{k}", mass=1.0, inertia=inertia, position=((k + 0.5) * size, 0, 0), **ends))
        model.add(fm.Revolute(f"pin{k}", a=f"bar{k - 1}.right" if k else "ground", b=f"bar{k}.left", axis=axis))
    return model


@pytest.mark.parametrize("size", [3e-4, 1e-5, 1e-8])
@schemes
def test_chains_of_tiny_links(size, scheme):
    """With times that go with the root of the lengths a chain falls the same, whatever its size."""
    factor = np.sqrt(size)
    large = arrived(chain(1.0), scheme, 1e-3, 200)
    small = arrived(chain(size), scheme, 1e-3 * factor, 200)
    for i in range(0, 28, 7):
        np.testing.assert_allclose(small.q[:, i : i + 3] / size, large.q[:, i : i + 3], atol=1e-9, rtol=0)


def four_bar(length, mass, time):
    """The four-bar linkage of ``references.four_bar`` in other units."""
    d, speedup = four_bar_data, length / time**2
    model = fm.Model(gravity=(0.0, -9.81 * speedup, 0.0))
    tip = length * d.L1 * np.array([np.cos(d.START[0]), np.sin(d.START[0]), 0.0])
    places = {"crank": (d.L1, (0, 0, 0)), "coupler": (d.L2, tip), "rocker": (d.L3, (length * d.D, 0, 0))}
    for (name, (ell, place)), angle in zip(places.items(), d.START, strict=True):
        keys = {"mass": mass * d.MASS, "inertia": mass * d.MASS * (length * ell) ** 2 / 12.0, "angle": angle}
        arm = {"center": (0.5 * length * ell, 0), "points": {"tip": (length * ell, 0)}}
        model.add(fm.RigidPlanar(name, **keys, **arm, position=place))
    model.add(fm.Revolute("pin1", a="ground", b="crank", point=(0, 0, 0), axis=Z))
    model.add(fm.Revolute("pin2", a="crank.tip", b="coupler", axis=Z))
    model.add(fm.Revolute("pin3", a="coupler.tip", b="rocker.tip", axis=Z))
    model.add(fm.Revolute("pin4", a="ground", b="rocker", point=(length * d.D, 0, 0), axis=Z))
    model.add(fm.NodalForce("motor", node="crank", moment=(0, 0, d.TORQUE * mass * length * speedup)))
    return model


UNITS = [
    (1e-6, 1, 1),
    (1e6, 1, 1),
    (1, 1e-6, 1),
    (1, 1e6, 1),
    (1, 1, 1e-6),
    (1, 1, 1e6),
    (1e-6, 1e6, 1e-6),
    (1e6, 1e-6, 1e6),
]


@schemes
def test_the_four_bar_has_the_same_digits_in_all_units(scheme):
    """Lengths, masses and times from 1e-6 to 1e6: the same angles, and as many iterations but for round-off."""
    one = arrived(four_bar(1, 1, 1), scheme, 1e-3, 300)
    for length, mass, time in UNITS:
        r = arrived(four_bar(length, mass, time), scheme, 1e-3 * time, 300)
        np.testing.assert_allclose(r.q[:, 2::3], one.q[:, 2::3], atol=1e-11, rtol=0, err_msg=f"{length, mass, time}")
        np.testing.assert_allclose(time * r.v[:, 2::3], one.v[:, 2::3], atol=1e-9, rtol=0)
        assert iterations(r) <= 1.1 * iterations(one)


@pytest.mark.parametrize("second", [1e-6, 1.0, 1e6])
def test_a_vibration_that_starts_at_its_turning_point_fits_a_body_at_rest_in_any_unit_of_time(second):
    """Its rate there is round-off of the largest one, A omega cos(pi/2); a real misfit is still refused.

    Not so for very slow ones: less than 1e-11 rad/s is taken for rounded input of a body at rest, and mended.
    """
    for phase, fits in ((np.pi / 2, True), (np.pi / 2 - 1e-6, second > 1.0)):
        model = fm.Model()
        model.add(fm.RigidPlanar("arm", mass=1.0, inertia=0.1))
        drive = fm.Harmonic(amplitude=0.4, omega=3.0 / second, phase=phase, offset=-0.4)
        model.add(fm.Revolute("motor", a="ground", b="arm", axis=(0, 0, 1), drive=drive))
        if fits:
            model.assemble()
        else:
            with pytest.raises(fm.InputError, match="motor"):
                model.assemble()
