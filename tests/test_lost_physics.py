"""Physics that would get lost silently: gravity that a body cannot feel, angles in degrees, loops that are open."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.case import load_case
from flexmb.cli import main
from flexmb.errors import InputError

DOWN = (0.0, 0.0, -9.81)
STEEL = {"young": 2e11, "density": 7800.0}
CLAMP = [{"node": "first", "kind": "clamped"}]
RHO = fm.GeneralizedAlpha(rho_inf=0.8)


def beam(**keys: object) -> fm.Beam:
    section = {"shape": "rectangle", "width": 0.02, "height": 0.02}
    return fm.Beam("rod", length=1.0, elements=4, section=section, supports=CLAMP, **STEEL, **keys)


def model(body: object, gravity: tuple[float, float, float] = DOWN) -> fm.Model:
    out = fm.Model(gravity=gravity)
    out.add(body)
    return out


# gravity across a beam ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("direction", [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (1.0, 0.0, -1.0)])
@pytest.mark.parametrize("large", [False, True])
def test_a_plane_of_bending_that_nobody_chose_must_hold_gravity(direction, large):
    """The error names the beam, the key, and a value that works: with it the beam feels all of its weight."""
    parts = model(beam(direction=direction))
    if large:
        parts.add(fm.Rigid("ball", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(5.0, 5.0, 5.0)))
    with pytest.raises(InputError) as error:
        parts.assemble()
    assert (error.value.where, error.value.key) == ("bodies.rod", "orientation")
    text = str(error.value)
    value = tuple(float(x) for x in text[text.index("[") + 1 : text.index("]")].split(","))
    sound = model(beam(direction=direction, orientation=value))
    result = fm.simulate(sound, RHO, step=1e-3, end=0.02)
    assert not result.summary["notes"]
    spatial = fm.simulate(model(beam(direction=direction, bending="spatial")), RHO, step=1e-3, end=0.02)
    np.testing.assert_allclose(result.energy.kinetic[-1], spatial.energy.kinetic[-1], rtol=1e-8)


def test_a_plane_across_gravity_that_was_chosen_is_noted():
    """A frame that lies flat: gravity is meant to have no effect, and the run says so."""
    result = fm.simulate(model(beam(orientation=(0.0, 1.0, 0.0))), RHO, step=1e-3, end=0.01)
    (note,) = result.summary["notes"]
    assert "bodies.rod" in note
    assert "9.81" in note


def test_gravity_within_the_plane_needs_no_word():
    for gravity, keys in (((0.0, -9.81, 0.0), {}), (DOWN, {"direction": (0.0, 0.0, 1.0)}), ((0.0, 0.0, 0.0), {})):
        assert model(beam(**keys), gravity).assemble().notes == ()


def test_a_bar_across_gravity_is_noted():
    def bar(direction: tuple[float, float, float]) -> fm.Bar:
        return fm.Bar("rod", length=1.0, elements=4, area=1e-4, direction=direction, **STEEL)

    (note,) = model(bar((1.0, 0.0, 0.0))).assemble().notes
    assert "bodies.rod" in note
    assert model(bar((1.0, 0.0, -1.0))).assemble().notes == ()


def test_validate_refuses_it(tmp_path, capsys):
    path = tmp_path / "flat.toml"
    path.write_text(
        """
[time]
end = 0.1
step = 1e-3
[scheme]
name = "generalized-alpha"
[gravity]
acceleration = [0.0, 0.0, -9.81]
[bodies.rod]
kind = "beam"
length = 1.0
elements = 4
young = 2e11
density = 7800.0
section = { shape = "rectangle", width = 0.02, height = 0.02 }
supports = [{ node = "first", kind = "clamped" }]
"""
    )
    assert main(["validate", str(path)]) == 2
    assert "bodies.rod.orientation" in capsys.readouterr().err
    assert main(["validate", str(path), "--set", "bodies.rod.orientation=[0.0, 0.0, 1.0]"]) == 0


# angles -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("body", ["crank", "coupler", "rocker"])
def test_degrees_where_radians_are_meant(body, capsys):
    """The error names key and value, and says what 90 degrees are."""
    assert main(["validate", "four_bar", "--set", f"bodies.{body}.angle=90"]) == 2
    said = capsys.readouterr().err
    assert f"bodies.{body}.angle" in said
    assert "90" in said
    assert "1.5707963" in said


def test_which_angles_may_be_large():
    """A place on a body is within a turn; what turns with time may go on for ever."""
    with pytest.raises(InputError, match="rotation"):
        fm.Rigid("top", mass=1.0, inertia=(1.0, 1.0, 1.0), rotation=(0.0, 0.0, 90.0))
    with pytest.raises(InputError, match="phase"):
        fm.Disk(node=0, mass=1.0, inertia=1.0, polar_inertia=1.0, eccentricity=1e-3, phase=90.0)
    fm.RigidPlanar("disk", mass=1.0, inertia=1.0, angle=-2.0 * np.pi)
    turning = fm.Model()
    turning.add(fm.RigidPlanar("disk", mass=1.0, inertia=1.0))
    turning.add(fm.Revolute("pin", a="ground", b="disk", axis=(0, 0, 1), drive=fm.Ramp(end_time=0.5, end_value=25.0)))
    turning.project = True
    assert fm.simulate(turning, RHO, step=1e-3, end=0.5).signals["joints.pin.angle"][-1] == pytest.approx(25.0)


# loops --------------------------------------------------------------------------------------------------------------


def test_a_loop_that_is_open_where_no_point_is_named(capsys):
    """The crank of the four-bar linkage at 1.5 rad: its tip is 135 mm from where the coupler begins."""
    assert main(["validate", "four_bar", "--set", "bodies.crank.angle=1.5"]) == 2
    said = capsys.readouterr().err
    assert "joints.pin2" in said
    assert "coupler" in said
    assert "0.134683" in said
    # where nothing else holds the coupler, the same joint closes no loop
    values = load_case("four_bar", ["bodies.crank.angle=1.5"]).values
    chain = fm.Model(gravity=(0.0, -9.81, 0.0))
    for part in values.parts:
        if part.name != "pin3":
            chain.add(part)
    assert any("joints.pin2" in note for note in chain.assemble().notes)


def test_a_point_that_is_given_closes_a_loop_anywhere():
    values = load_case("four_bar").values
    loop = fm.Model(gravity=(0.0, -9.81, 0.0))
    for part in values.parts:
        if part.name == "pin2":
            part = fm.Revolute("pin2", a="crank", b="coupler", point=(0.1, 0.3, 0.0), axis=(0, 0, 1))
        loop.add(part)
    assert loop.assemble().notes == ()
