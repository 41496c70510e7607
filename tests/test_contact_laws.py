"""Laws of contact: what users write, the rows it gives, and mu, rolling and restitution along the motion."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from systems import contacts
from systems_with_laws import blocks_of

import flexmb as fm
from flexmb.errors import InputError
from flexmb.kernels.laws.friction_law import friction_coefficient, state_after
from flexmb.laws.friction import friction_numbers
from flexmb.nonsmooth.solvers import ContactSolver
from flexmb.parts.contacts import KINDS
from flexmb.schemes import SCHEMES
from flexmb.schemes.contact_stack import ContactTask, Stack

STRIBECK = {"kind": "stribeck", "static": 0.5, "dynamic": 0.2, "speed": 0.4, "exponent": 1.0}
AGING = {"kind": "rate-and-state", "mu": 0.4, "a": 0.03, "b": 0.02, "speed": 0.1, "length": 0.01}

WRONG = [
    ({"friction": -0.1}, "friction"),
    ({"friction": float("nan")}, "friction"),
    ({"friction": "rough"}, "friction"),
    ({"friction": True}, "friction"),
    ({"friction": {"mu": 0.3}}, "friction"),
    ({"friction": {"kind": "columb", "mu": 0.3}}, "kind"),
    ({"friction": {"kind": "coulomb"}}, ""),
    ({"friction": {"kind": "coulomb", "mu": -0.3}}, "mu"),
    ({"friction": {"kind": "coulomb", "mu": 0.3, "speed": 1.0}}, "speed"),
    ({"friction": {**STRIBECK, "speed": 0.0}}, "speed"),
    ({"friction": {**STRIBECK, "static": -1.0}}, "static"),
    ({"friction": {**AGING, "length": 0.0}}, "length"),
    ({"friction": {**AGING, "state": -1.0}}, "state"),
    ({"friction": 0.3, "tangential_restitution": 1.0}, "tangential_restitution"),
    ({"friction": 0.3, "tangential_restitution": -1.0}, "tangential_restitution"),
    ({"tangential_restitution": 0.5}, "tangential_restitution"),
    ({"friction": 0.3, "tangential_restitution": 0.5, "impact": "poisson"}, "tangential_restitution"),
    ({"rolling": -1e-3}, "rolling"),
    ({"spinning": -1e-3}, "spinning"),
    ({"impact": "elastic"}, "impact"),
    ({"restitution": 1.5}, "restitution"),
    ({"cohesion": 3.0}, "cohesion"),
    ({"cohesion": {"energy": 1.0}}, ""),
    ({"cohesion": {"normal_stiffness": 1e4, "energy": 0.0}}, "energy"),
    ({"cohesion": {"normal_stiffness": -1e4, "energy": 1.0}}, "normal_stiffness"),
    ({"cohesion": {"normal_stiffness": 1e4, "energy": 1.0, "intensity": 1.5}}, "intensity"),
    ({"cohesion": {"normal_stiffness": 1e4, "energy": 1.0, "viscosity": -1.0}}, "viscosity"),
]
NEEDED = {
    "node-plane": {"node": "b", "normal": (0, 1, 0)},
    "node-node": {"node": "a", "node2": "b"},
    "sphere-sphere": {"a": "a", "b": "b", "radius": 0.1},
    "spheres": {"bodies": ["a", "b"], "radius": 0.1},
    "clearance": {"node": "a", "gap": 0.1},
    "node-curve": {"node": "a", "pieces": [{"kind": "segment", "start": (0.0, 0.0), "end": (1.0, 0.0)}]},
    "rope": {"a": "a", "point": (0.0, 0.0, 0.0), "length": 1.0},
}
LAWLESS = ("rope",)
"""Kinds at which nothing slides or breaks: laws are refused there, whatever their numbers."""


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("keys", "named"), WRONG)
def test_wrong_laws_are_refused_by_key_on_every_kind_of_contact(kind, keys, named):
    with pytest.raises(InputError) as refused:
        KINDS[kind]("c", **NEEDED[kind], **keys)
    assert refused.value.where.startswith("contacts.c")
    assert refused.value.key == named or (kind in LAWLESS and refused.value.key in keys)


@pytest.mark.parametrize("word", ["mu", "friction_coefficient", "coefficient"])
def test_words_of_others_are_answered_with_ours(word):
    from flexmb.checks.values import unknown_key

    names = [name for name in NEEDED["node-plane"]] + ["friction", "restitution"]
    assert "friction" in unknown_key(word, names).split(";")[0]


def particle(gravity=10.0, mass=1.0, velocity=(0.0, 0.0, 0.0), **plane):
    model = fm.Model(gravity=(0.0, -gravity, 0.0) if gravity else None)
    model.add(fm.Particle("b", mass=mass, position=(0.0, 0.0, 0.0), velocity=velocity))
    model.add(fm.NodePlane("floor", node="b", normal=(0.0, 1.0, 0.0), **plane))
    return model


def test_what_cannot_carry_a_law_is_refused_by_name():
    for key in ("rolling", "spinning"):
        with pytest.raises(InputError) as refused:
            particle(**{key: 1e-3}).assemble()
        assert (refused.value.where, refused.value.key) == ("contacts.floor", key)
    with pytest.raises(InputError, match="plane") as refused:
        particle(friction=0.3, surface_velocity=(0.0, 1.0, 0.0))
    assert refused.value.key == "surface_velocity"
    with pytest.raises(InputError) as refused:
        particle(surface_velocity=(1.0, 0.0, 0.0))
    assert refused.value.key == "surface_velocity"
    rod = fm.Model()
    rod.add(
        fm.Bar(
            "rod", length=1.0, elements=2, section=fm.Section(area=1.0), material=fm.Material(young=1.0, density=1.0)
        )
    )
    rod.add(fm.NodePlane("wall", node="rod.first", normal=(1.0, 0.0, 0.0), friction=0.3))
    with pytest.raises(InputError) as refused:
        rod.assemble()
    assert (refused.value.where, refused.value.key) == ("contacts.wall", "friction")


@pytest.mark.parametrize("name", ["schatzman-paoli", "naive-hht"])
@pytest.mark.parametrize(
    ("law", "key"),
    [({"friction": 0.3}, "friction"), ({"impact": "poisson"}, "impact")],
)
def test_schemes_without_friction_refuse_it_and_name_those_that_have_it(name, law, key):
    with pytest.raises(InputError) as refused:
        fm.simulate(particle(**law), SCHEMES[name](), step=1e-3, end=1e-2)
    for word in (key, "floor", "moreau-jean"):
        assert word in refused.value.message
    assert refused.value.value == name


def beam(**plane):
    model = fm.Model()
    section, material = fm.Section(area=1e-4, inertia=1e-9), fm.Material(young=2e11, density=7800.0)
    model.add(fm.Beam("beam", length=1.0, elements=2, section=section, material=material))
    model.add(fm.NodePlane("floor", nodes="beam.all", normal=(0.0, 1.0, 0.0), **plane))
    return model.assemble()


def test_rows_that_nothing_can_move_are_left_out():
    space, plane = particle(friction=0.3).assemble().contacts, beam(friction=0.3).contacts
    assert list(space.blocks.slides) == [2]
    assert list(plane.blocks.slides) == [1, 1, 1]
    both = np.column_stack([space.G.toarray(), space.H.toarray()])
    np.testing.assert_allclose(both.T @ both, np.eye(3), atol=1e-15)
    assert not (plane.G.T @ plane.H).toarray().any()


def test_in_a_plane_the_tangent_is_the_direction_things_move_in():
    """An inclined beam on an inclined floor slides along the floor, in its own plane."""
    model = fm.Model()
    section, material = fm.Section(area=1e-4, inertia=1e-9), fm.Material(young=2e11, density=7800.0)
    slope = np.array([0.6, 0.0, 0.8])
    model.add(
        fm.Beam(
            "beam",
            length=1.0,
            elements=1,
            section=section,
            material=material,
            direction=slope,
            orientation=(-0.8, 0, 0.6),
        )
    )
    model.add(fm.NodePlane("floor", nodes="beam.all", normal=(-0.8, 0.0, 0.6), friction=0.3))
    contacts = model.assemble().contacts
    assert list(contacts.blocks.slides) == [1, 1]
    np.testing.assert_allclose(np.abs(contacts.H.toarray()[[0, 3], [0, 1]]), 1.0, atol=1e-15)
    assert np.abs(contacts.H.toarray()).sum() == pytest.approx(2.0)


def test_a_surface_that_moves_across_what_can_move_keeps_both_rows():
    """Friction acts along the whole slip: a belt that runs sideways lessens what is left of it along the beam."""
    across = beam(friction=0.3, surface_velocity=(0.0, 0.0, 2.0)).contacts
    assert list(across.blocks.slides) == [2, 2, 2]
    assert list(beam(friction=0.3, surface_velocity=(2.0, 0.0, 0.0)).contacts.blocks.slides) == [1, 1, 1]
    along = []
    for sideways in (0.0, 3.0):
        model = fm.Model(gravity=(0.0, -10.0, 0.0))
        section, material = fm.Section(area=1e-2, inertia=1e-5), fm.Material(young=1e9, density=1000.0)
        start = {"position": (0.0, 0.0, 0.0), "velocity": (4.0, 0.0, 0.0), "orientation": (0.0, 1.0, 0.0)}
        model.add(fm.Beam("beam", length=1.0, elements=1, section=section, material=material, **start))
        belt = {"surface_velocity": (0.0, 0.0, sideways)} if sideways else {}
        model.add(fm.NodePlane("floor", nodes="beam.all", normal=(0.0, 1.0, 0.0), friction=0.3, **belt))
        ends = ["beam.first.velocity", "beam.last.velocity"]
        result = fm.simulate(model, fm.MoreauJean(), step=1e-3, end=0.01, signals=ends)
        along.append(4.0 - np.mean([result.signals[name][-1, 0] for name in ends]))
    assert along[0] == pytest.approx(0.03, rel=0.1)
    assert along[1] / along[0] == pytest.approx(4.0 / 5.0, rel=5e-3)


def test_friction_on_the_surface_of_a_sphere_turns_the_node():
    rolls, flat = beam(friction=0.3, radius=0.1, point=(0.0, -0.1, 0.0)), beam(friction=0.3)
    more = (rolls.contacts.H - flat.contacts.H).toarray()
    assert np.abs(more).max() == pytest.approx(0.1)
    assert not more[[k for k in range(9) if k % 3 != 2]].any()  # unknowns of a node: u, w, theta


def test_stribecks_friction_along_a_motion():
    """A block slows down on friction that rises as it gets slower, until it stops and stays."""
    g = 10.0
    model = particle(g, velocity=(1.0, 0.0, 0.0), friction=STRIBECK)
    result = fm.simulate(model, fm.MoreauJean(), step=5e-4, end=0.5, signals=["b.velocity"], engine="general")

    def slows(_, v):
        return -g * (0.2 + 0.3 * np.exp(-np.abs(v) / 0.4))

    def stops(_, v):
        return v[0]

    stops.terminal = True
    exact = solve_ivp(slows, (0.0, 1.0), [1.0], rtol=1e-10, atol=1e-12, events=stops, dense_output=True)
    t, v = result.time, result.signals["b.velocity"][:, 0]
    before = t < exact.t_events[0][0] - 1e-3
    np.testing.assert_allclose(v[before], exact.sol(t[before])[0], atol=1e-3)
    assert np.abs(v[t > exact.t_events[0][0] + 1e-3]).max() <= 1e-13


def test_rate_and_state_in_steady_sliding_and_at_rest():
    """A spring holds a block on a belt: after the length D_c it pulls with mu of steady sliding; at rest theta ages."""
    row = friction_numbers(AGING, "contacts.floor")
    V, N, k = 0.5, 10.0, 200.0
    model = particle(10.0, friction=AGING, surface_velocity=(V, 0.0, 0.0))
    model.add(fm.Spring("spring", node="b", anchor=(-1.0, 0.0, 0.0), stiffness=k, length=1.0))
    model.add(fm.Damper("damper", node="b", direction=(1.0, 0.0, 0.0), coefficient=10.0))
    result = fm.simulate(model, fm.MoreauJean(), step=1e-3, end=4.0, signals=["b.displacement"], engine="general")
    steady = 0.4 + 0.03 * np.arcsinh(0.5 * V / 0.1) + 0.02 * np.log(0.1 / V)
    assert result.signals["b.displacement"][-1, 0] == pytest.approx(steady * N / k, rel=1e-6)
    assert friction_coefficient(row, V, 0.01 / V) == pytest.approx(steady)
    assert state_after(row, 0.0, 0.2, 0.3) == pytest.approx(0.5)
    assert state_after(row, V, 0.2, 1e3) == pytest.approx(0.01 / V)
    once, twice = state_after(row, V, 0.2, 0.02), state_after(row, V, state_after(row, V, 0.2, 0.01), 0.01)
    assert once == pytest.approx(twice, rel=1e-14)


@pytest.mark.parametrize("impact", ["newton", "poisson"])
def test_a_resting_contact_does_not_rebound_from_its_weight(impact):
    model = particle(10.0, restitution=0.8, impact=impact, friction=0.1)
    result = fm.simulate(model, fm.MoreauJean(), step=1e-2, end=1.0, signals=["b.position"], engine="general")
    assert np.abs(result.signals["b.position"]).max() <= 1e-13


def test_a_ball_bounces_the_same_by_both_laws():
    """Without friction and with one contact the laws are one."""
    heights = []
    for impact in ("newton", "poisson"):
        model = particle(10.0, restitution=0.8, impact=impact, velocity=(0.0, 3.0, 0.0))
        result = fm.simulate(model, fm.MoreauJean(), step=1e-3, end=2.0, signals=["b.position"], engine="general")
        heights.append(result.signals["b.position"][:, 1])
    np.testing.assert_allclose(heights[1], heights[0], atol=1e-12)
    assert heights[0].max() > 0.4


def test_newtons_restitution_is_none_of_the_forces_a_poisson_contact_rests_under():
    """Two coupled contacts hit at once, without forces: compression 10/3 and 8/3 N s, decompression e 8/3."""
    blocks = blocks_of(2, 0, poisson=[False, True])
    numbers = replace(contacts(2, np.eye(2), g0=[0.0, 0.0], e=[1.0, 0.5]), blocks=blocks)
    W, U = np.array([[1.0, -0.5], [-0.5, 1.0]]), np.array([-1.0, -1.0])
    task = ContactTask(numbers, np.zeros(2), ContactSolver(), 0.0)
    P, _ = task.impact(W, U, U, Stack.of(blocks, np.arange(2)), np.zeros(2))
    assert P[1] == pytest.approx(4.0, rel=1e-9)


def two_beams(offset, large):
    """Two parallel beams, ``offset`` apart, that touch at their ends."""
    model = fm.Model()
    section, material = fm.Section(area=1e-4, inertia=1e-9), fm.Material(young=2e11, density=7800.0)
    keys = {"length": 1.0, "elements": 1, "section": section, "material": material}
    for name, y in (("low", 0.0), ("high", 0.2)):
        model.add(fm.Beam(name, position=(0.0, y, 0.0), orientation=(0.0, 1.0, 0.0), **keys))
    ends = {"node": "high.last", "node2": "low.last"}
    model.add(fm.NodeNode("touch", **ends, direction=(0.0, 1.0, 0.0), offset=offset, friction=0.3))
    if large:
        model.add(fm.Rigid("far", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(9.0, 0.0, 0.0)))
    return model.assemble()


def test_nodes_touch_in_the_middle_of_their_offset_in_small_and_large_motion():
    small, large = two_beams(0.2, large=False), two_beams(0.2, large=True)
    at = [system.instant(0.0, system.start, system.v0).H.toarray()[:12, 0] for system in (small, large)]
    np.testing.assert_allclose(*at, atol=1e-14)
    levers = np.abs(at[0] - two_beams(0.0, large=False).contacts.H.toarray()[:, 0])
    np.testing.assert_allclose(np.sort(levers)[-3:], [0.0, 0.1, 0.1], atol=1e-14)
