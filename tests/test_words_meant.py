"""Wrong keywords and values in Python and case files are answered with what is meant."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import flexmb as fm
from flexmb.checks.values import unknown_key
from flexmb.cli import main
from flexmb.errors import InputError


def ball() -> fm.Model:
    model = fm.Model()
    model.add(fm.Particle("ball", mass=1.0, velocity=(1.0, 0, 0)))
    return model


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"dt": 1e-3, "end": 1.0}, ("dt", "step, s")),
        ({"h": 1e-3, "end": 1.0}, ("h", "step, s")),
        ({"step": 1e-3, "t_end": 1.0}, ("t_end", "end, s")),
        ({"step": 1e-3, "T": 1.0}, ("T", "end, s")),
        ({"h": 1e-3}, ("h", "step, s")),
        ({"step": 1e-3, "record": ["ball.position"], "end": 1.0}, ("record", "signals")),
    ],
)
@pytest.mark.parametrize("scheme", ["moreau-jean", fm.MoreauJean, fm.MoreauJean()], ids=["name", "class", "object"])
def test_keywords_of_simulate(keys: dict[str, Any], words: tuple[str, str], scheme: Any) -> None:
    with pytest.raises(fm.InputError) as caught:
        fm.simulate(ball(), scheme, **keys)
    assert caught.value.key == words[0]
    assert f"(here: {words[1]}" in str(caught.value)


def test_a_missing_end_is_still_named() -> None:
    with pytest.raises(fm.InputError, match=r"time\.end"):
        fm.simulate(ball(), "moreau-jean", step=1e-3)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: fm.Model(g=9.81), ("Model", "g = 9.81", "here: gravity")),
        (lambda: fm.GeneralizedAlpha(rho=0.8), ("GeneralizedAlpha", "rho = 0.8", "here: rho_inf")),
        (lambda: fm.GeneralizedAlpha(rho_in=0.8), ("GeneralizedAlpha", "did you mean 'rho_inf'")),
        (lambda: fm.MoreauJean(teta=0.5), ("MoreauJean", "did you mean 'theta'")),
        (lambda: fm.Gravity(9.81), ("gravity.acceleration = 9.81", "three components", "-9.81]")),
        (lambda: with_gravity(9.81).assemble(), ("gravity.acceleration = 9.81", "three components", "-9.81]")),
    ],
)
def test_keywords_of_models_and_schemes(make: Callable[[], object], words: tuple[str, ...]) -> None:
    with pytest.raises(fm.InputError) as caught:
        make()
    for word in words:
        assert word in str(caught.value), word


def with_gravity(value: Any) -> fm.Model:
    model = ball()
    model.gravity = value
    return model


CONTACT = ["kind", "restitution", "friction", "node", "nodes", "point", "normal"]


@pytest.mark.parametrize("key", ["penalty", "stiffness", "damping", "k", "c", "penalty_stiffness"])
def test_contacts_have_no_penalty(key: str) -> None:
    words = unknown_key(key, CONTACT)
    assert "here: restitution" in words
    assert "contacts are hard" in words
    assert "penalty" in words
    assert "spring" in words  # what to use in place of a soft contact


def test_n_of_a_contact_is_its_normal() -> None:
    assert "here: normal" in unknown_key("n", CONTACT)
    assert "here: node" in unknown_key("n", ["node", "mass"])


CASE = """
[time]
end = 1.0
step = 0.01
[scheme]
name = "newmark"
[gravity]
acceleration = [0.0, 0.0, -9.81]
[bodies.rod]
kind = "beam"
length = 1.0
elements = 3
material = { young = 1e9, density = 1.0 }
section = { shape = "rectangle", width = 0.1, height = 0.1 }
"""
SECTION = 'section = { shape = "rectangle", width = 0.1, height = 0.1 }'


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('name = "newmark"', 'integrator = "newmark"', ("write name = .. in place of integrator",)),
        ("[0.0, 0.0, -9.81]", "9.81", ("gravity.acceleration = 9.81", "three components, e.g. [0.0, 0.0, -9.81]")),
        ("[0.0, 0.0, -9.81]", "[0.0, -9.81]", ("gravity.acceleration", "3 entries")),
        (SECTION, "section = { width = 0.1, height = 0.1 }", ('add shape = "rectangle"',)),
        (SECTION, "section = { diameter = 0.1 }", ('add shape = "circle"',)),
        (SECTION, "section = { outer = 0.1, inner = 0.05 }", ('add shape = "ring"',)),
        ('kind = "beam"', 'type = "beam"', ("write kind = .. in place of type",)),
    ],
)
def test_words_of_case_files(
    old: str, new: str, words: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert old in CASE
    (tmp_path / "case.toml").write_text(CASE.replace(old, new))
    assert main(["check", str(tmp_path / "case.toml")]) == 2
    said = capsys.readouterr().err
    for word in words:
        assert word in said, word


def test_errors_of_tables_within_tables_are_listed_with_the_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = CASE.replace("elements = 3", "elemnts = 3\nsupports = [{ nod = 'first', kind = 'clmped' }]")
    text = text.replace("young = 1e9, density", "yung = 1e9, densiti").replace("width = 0.1", "widht = 0.1")
    (tmp_path / "case.toml").write_text(text)
    assert main(["validate", str(tmp_path / "case.toml")]) == 2
    said = capsys.readouterr().err
    wrong = ("elemnts", "supports.0.nod", "supports.0.kind", "material.yung", "material.densiti", "section.widht")
    assert f"{len(wrong)} errors" in said
    for word in wrong:
        assert f"bodies.rod.{word} = " in said, word


def test_no_error_is_listed_that_follows_from_another(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without the key that is meant, a length and a material would be missing."""
    text = CASE.replace("length = 1.0", "lngt = 1.0").replace("material =", "mat_of_rod =")
    (tmp_path / "case.toml").write_text(text)
    assert main(["validate", str(tmp_path / "case.toml")]) == 2
    said = capsys.readouterr().err
    assert "lngt" in said
    assert "mat_of_rod" in said
    assert "2 errors" in said


def test_dimensions_of_no_single_shape_get_no_advice() -> None:
    with pytest.raises(fm.InputError) as caught:
        fm.Beam(
            "b", length=1.0, elements=1, section={"width": 1.0, "inner": 0.5}, material={"young": 1.0, "density": 1.0}
        )
    assert "add shape" not in str(caught.value)


@pytest.mark.parametrize("large", [False, True])
def test_a_point_without_its_body_is_answered_with_both(large):
    model = fm.Model()
    model.add(
        fm.Beam("mast", length=1.0, elements=2, area=1e-4, inertia=1e-9, young=1e9, density=1e3, points={"eye": 0.5})
    )
    if large:
        model.add(fm.Rigid("block", mass=1.0, inertia=(1.0, 1.0, 1.0)))
    model.add(fm.NodalForce("pull", node="eye", force=(0.0, 1.0, 0.0)))
    with pytest.raises(InputError, match=r"loads\.pull\.node = .*mast\.eye"):
        model.assemble()


def test_the_geometry_of_gmsh_is_no_mesh(tmp_path):
    (tmp_path / "arch.geo").write_text("Point(1) = {0, 0, 0, 0.5};\n")
    with pytest.raises(InputError, match=r"mesh = .*arch\.geo.*gmsh -1 arch\.geo.*arch\.msh"):
        fm.Beam("arch", mesh=tmp_path / "arch.geo", area=1e-4, inertia=1e-9, young=1e9, density=1e3)
