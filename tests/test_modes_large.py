"""Modes of systems in large motion, linearized at the start, against closed forms."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from messages import says
from multibody_models import GRAVITY, pendulum
from test_multibody_failures import LOCKED

import flexmb as fm
from flexmb.analysis.modes import modes
from flexmb.cli import main
from flexmb.errors import InputError

Z = (0.0, 0.0, 1.0)


@pytest.mark.parametrize("spatial", [False, True])
def test_a_hanging_rod_swings_as_a_pendulum(spatial: bool):
    turn = {"rotation": (0, 0, -np.pi / 2)} if spatial else {"angle": -np.pi / 2}
    found = modes(pendulum(spatial=spatial, **turn).assemble())
    np.testing.assert_allclose(found.omega, [np.sqrt(0.5 * 9.81 / (1.0 / 3.0))], rtol=1e-12)
    assert found.acceleration == 0.0
    assert not found.growth.any()


def test_a_rod_on_its_head_falls():
    found = modes(pendulum(angle=np.pi / 2).assemble())
    np.testing.assert_allclose(found.growth, [np.sqrt(0.5 * 9.81 / (1.0 / 3.0))], rtol=1e-12)
    np.testing.assert_array_equal(found.omega, [0.0])


def test_a_start_that_is_no_equilibrium_says_how_it_begins():
    found = modes(pendulum().assemble())  # horizontal
    assert found.acceleration == pytest.approx(0.5 * 9.81 / (1.0 / 3.0))
    np.testing.assert_array_equal(found.omega, [0.0])  # its weight does not change with the angle


def test_two_masses_on_rods():
    """Double pendulum of equal masses and lengths: omega^2 = (2 -+ sqrt 2) g / l."""
    model = fm.Model(gravity=GRAVITY)
    for k in (1, 2):
        model.add(fm.Particle(f"m{k}", 1.0, position=(0.0, -float(k), 0.0), axes="xy"))
    model.add(fm.Distance("rod1", a="ground", b="m1", point=(0, 0, 0)))
    model.add(fm.Distance("rod2", a="m1", b="m2"))
    found = modes(model.assemble())
    np.testing.assert_allclose(found.omega**2, 9.81 * (2.0 + np.sqrt(2.0) * np.array([-1, 1])), rtol=1e-11)
    # shapes: x2/x1 = sqrt 2 +- ... of the same eigenproblem, with unit modal mass
    x = found.shapes[[0, 2]]
    np.testing.assert_allclose(x[1] / x[0], [1.0 + np.sqrt(2.0), 1.0 - np.sqrt(2.0)], rtol=1e-9)
    np.testing.assert_allclose((x**2).sum(axis=0), 1.0, rtol=1e-12)


def test_a_clamped_exact_beam_has_the_frequencies_of_a_cantilever():
    """Slender, 40 elements of second order: (1.875104, 4.694091)^2 sqrt(EI / rho A L^4), in two directions."""
    section = {"shape": "rectangle", "height": 0.01, "width": 0.02}
    model = fm.Model()
    model.add(fm.ExactBeam("beam", length=1.0, elements=40, section=section, young=7e10, density=2700.0))
    model.add(fm.Fixed("clamp", a="beam.first"))
    found = modes(model.assemble(), 4)
    stiff = [np.sqrt(7e10 * d**2 / 12.0 / 2700.0) for d in (0.01, 0.02)]
    exact = np.sort([root**2 * c for root in (1.8751041, 4.6940911) for c in stiff])
    np.testing.assert_allclose(found.omega, exact, rtol=4e-3)
    assert found.acceleration == 0.0


def test_free_bodies_and_held_ones():
    free = fm.Model()
    free.add(fm.Rigid("body", mass=1.0, inertia=[1.0, 2.0, 2.0]))
    found = modes(free.assemble())
    np.testing.assert_array_equal(found.omega, np.zeros(6))
    free.add(fm.Fixed("weld", a="body"))
    with pytest.raises(InputError, match="joints.*freedom"):
        modes(free.assemble())
    with pytest.raises(InputError, match="1.*number.*motions.*joints allow, 1"):
        modes(pendulum().assemble(), 2)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hanging = LOCKED[: LOCKED.index("[bodies.rod]")].replace("angular_velocity = 2.0", "center = [0.5, 0.0]")
    shape = 'shape = { kind = "box", size = [1.0, 0.1, 0.1], center = [0.5, 0.0, 0.0] }'
    path = tmp_path / "hanging.toml"
    pin = '\n[joints.pin]\nkind = "revolute"\na = "crank"\naxis = [0.0, 0.0, 1.0]\npoint = [0.0, 0.0, 0.0]\n'
    path.write_text(hanging + shape + pin + "[gravity]\nacceleration = [9.81, 0.0, 0.0]\n")
    assert main(["modes", str(path), "-o", str(tmp_path / "out")]) == 0
    said = capsys.readouterr()
    assert says(said.out, "linearized ... rest ... damping ... contact")
    assert f"{np.sqrt(0.5 * 9.81 / 0.35):.9g}" in said.out
    assert said.err == ""
    assert main(["modes", str(path), "--set", "gravity.acceleration=[0.0, -9.81, 0.0]"]) == 0
    assert says(capsys.readouterr().err, "note ... equilibrium (accelerations ... 14")
    import meshio

    shape = meshio.read(tmp_path / "out/modes.vtu").point_data["mode_01"]
    assert np.linalg.norm(shape, axis=1).max() == pytest.approx(1.0)
    assert main(["modes", str(path), "--set", "gravity.acceleration=[-9.81, 0.0, 0.0]"]) == 0
    assert "unstable, grows with " in capsys.readouterr().out
