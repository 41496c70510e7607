"""Messages that name the cause: contacts that a body cannot feel, starts inside a ring, words of other programs."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import flexmb as fm
from flexmb.checks.foreign_keys import WORDS
from flexmb.checks.values import unknown_key

RECT = {"shape": "rectangle", "height": 0.02, "width": 0.03}
STEEL = {"young": 2e11, "density": 7800.0}


def beam(**keys: object) -> fm.Beam:
    return fm.Beam(
        "arm", length=1.0, elements=10, section=RECT, material=STEEL, points={"pad": 0.6},
        supports=[{"node": "first", "kind": "clamped"}], **keys,
    )  # fmt: skip


@pytest.mark.parametrize("large", [False, True])
def test_a_contact_that_a_planar_beam_cannot_feel_names_orientation_and_the_point(large: bool) -> None:
    def model(body: fm.Beam, node: str = "arm.pad") -> fm.Model:
        out = fm.Model()
        out.add(body)
        out.add(fm.NodePlane("stop", node=node, normal=(0, 0, 1.0), point=(0, 0, -0.01)))
        if large:
            out.add(fm.Rigid("far", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(9.0, 0, 0)))
        return out

    with pytest.raises(fm.InputError) as caught:
        model(beam()).assemble()
    words = str(caught.value)
    for word in ("contacts.stop", "arm.pad", "node(6)", "orientation = [0, 0, 1]", "spatial"):
        assert word in words, word
    model(beam(orientation=(0, 0, 1.0))).assemble()  # what the message says helps
    model(beam(bending="spatial")).assemble()
    with pytest.raises(fm.InputError, match="support") as caught:
        model(beam(orientation=(0, 0, 1.0)), "arm.first").assemble()
    assert "orientation" not in str(caught.value)


def test_a_contact_across_a_bar_is_told_from_that() -> None:
    model = fm.Model()
    model.add(fm.Bar("rod", length=1.0, elements=4, area=1e-4, material=STEEL))
    model.add(fm.NodePlane("stop", node="rod.mid", normal=(0, 0, 1.0), point=(0, 0, -0.01)))
    with pytest.raises(fm.InputError, match="bar") as caught:
        model.assemble()
    assert "orientation" not in str(caught.value)


@pytest.mark.parametrize("large", [False, True])
def test_a_start_inside_because_of_the_sag_says_so(large: bool) -> None:
    def model(gap: float, static: tuple[str, ...] = ("gravity",)) -> fm.Model:
        out = fm.Model(gravity=(0.0, 0.0, -9.81), initial_static=static)
        out.add(beam(orientation=(0, 0, 1.0)))
        if large:
            out.add(fm.Clearance("ring", node="arm.last", gap=gap, axis=(1.0, 0, 0)))
        else:
            out.add(fm.NodePlane("ring", node="arm.last", normal=(0, 0, 1.0), point=(0, 0, -gap)))
        return out

    sag = 7800.0 * 6e-4 * 9.81 / (8.0 * 2e11 * 0.03 * 0.02**3 / 12.0)
    with pytest.raises(fm.InputError) as caught:
        model(0.5 * sag).assemble()
    words = str(caught.value)
    for word in ("contacts.ring", "gravity", "sag", f"{sag:.4g}"[:5], f"{0.5 * sag:.4g}"[:5], "initial.static"):
        assert word in words, word
    model(1.01 * sag).assemble()
    model(0.5 * sag, ()).assemble()
    # one that is inside anyway has another cause
    out = fm.Model()
    out.add(fm.Particle("ball", mass=1.0))
    out.add(fm.NodePlane("floor", node="ball", normal=(0, 0, 1.0), point=(0, 0, 0.1)))
    with pytest.raises(fm.InputError) as caught:
        out.assemble()
    assert "sag" not in str(caught.value)


@pytest.mark.parametrize("large", [False, True])
def test_a_reversed_normal_is_named_with_the_point(large: bool) -> None:
    out = fm.Model()
    if large:
        out.add(fm.Rigid("arm", mass=1.0, inertia=(1.0, 1.0, 1.0), points={"tip": (0.5, 0.0, 0.0)}))
    else:
        out.add(fm.Bar("arm", length=0.5, elements=2, young=1e9, density=1e3, area=1e-4, points={"tip": 0.5}))
    out.add(fm.NodePlane("stop", node="arm.tip", normal=(2.0, 0.0, 0.0), point=(0.6, 0.0, 0.0)))
    with pytest.raises(fm.InputError, match=r"0\.1 m inside.*arm\.tip may move \(\[-2, 0, 0\] instead of \[2"):
        out.assemble()


def _assembled(make: Callable[[], object]) -> object:
    model = fm.Model()
    model.add(make())
    return model.assemble()


@pytest.mark.parametrize("name", ["mid", "velocity"])
def test_a_reserved_name_of_a_point_is_named_where_it_is(name: str) -> None:
    where = rf"^bodies\.arm\.points\.{name}: this name is reserved"
    for make in (
        lambda: fm.Bar("arm", length=1.0, elements=2, young=1.0, density=1.0, area=1.0, points={name: 1.0}),
        lambda: fm.Rigid("arm", mass=1.0, inertia=(1.0, 1.0, 1.0), points={name: (1, 0, 0)}),
        lambda: fm.Matrices("arm", mass_matrix=((1.0,),), points={name: {"at": (0, 0, 0), "y": (1.0,)}}),
    ):
        with pytest.raises(fm.InputError, match=where):
            _assembled(make)


@pytest.mark.parametrize(
    ("typed", "allowed", "meant"),
    [
        ("mu", ["friction", "restitution"], "friction"),
        ("friction_coefficient", ["friction"], "friction"),
        ("friction-coefficient", ["friction", "node"], "friction"),
        ("cor", ["friction", "restitution"], "restitution"),
        ("E", ["young", "density"], "young"),
        ("E", ["section", "material"], "material"),
        ("e", ["restitution"], "restitution"),
        ("rho", ["young", "density"], "density"),
        ("dt", ["start", "end", "step"], "step"),
        ("t_end", ["start", "end", "step"], "end"),
        ("A", ["area", "young"], "area"),
        ("L", ["length"], "length"),
        ("nel", ["elements"], "elements"),
        ("nu", ["poisson"], "poisson"),
        ("g", ["acceleration"], "acceleration"),
        ("v0", ["velocity"], "velocity"),
        ("type", ["kind", "mass"], "kind"),
        ("young", ["material", "spin"], "material"),
    ],
)
def test_words_people_type_are_answered_with_the_key_that_is_meant(typed: str, allowed: list[str], meant: str) -> None:
    assert f"(here: {meant}" in unknown_key(typed, allowed)


def test_every_word_is_in_small_letters_and_names_a_key() -> None:
    for word, answers in WORDS.items():
        assert word == word.lower()
        assert all(how.startswith(ours) or ours in how for ours, how in answers), word


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: fm.Bar("rod", length=1.0, elements=2, E=2e11), ("Bar", "E", "young", "material")),
        (lambda: fm.NodePlane("wall", node="rod.first", normal=(1, 0, 0), mu=0.3), ("NodePlane", "mu", "friction")),
        (lambda: fm.Particle("ball", weight=2.0), ("Particle", "weight", "mass")),
    ],
)
def test_unknown_keywords_in_python_are_answered_as_in_case_files(make: object, words: tuple[str, ...]) -> None:
    with pytest.raises(fm.InputError) as caught:
        make()
    for word in words:
        assert word in str(caught.value), word


@pytest.mark.parametrize(
    ("key", "allowed", "word"),
    [
        ("hinge", ("fixed", "revolute", "prismatic"), "revolute"),
        ("floor", ("node-plane", "node-node"), "node-plane"),
        ("mass", ("bar", "particle"), "particle"),
        ("stop", ("step", "end"), "end"),
        ("gap", ("node", "point", "normal"), "point"),
        ("mu_s", ("kind", "static", "dynamic"), "static"),
        ("zeta", ("mass", "damping"), "alpha"),
        ("body1", ("a", "b"), "a and b"),
    ],
)
def test_words_of_other_programs_name_what_is_meant(key: str, allowed: tuple[str, ...], word: str) -> None:
    assert f"here: {word}" in unknown_key(key, allowed) or word in unknown_key(key, allowed).partition(";")[0]
