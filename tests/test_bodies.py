"""Bodies: geometry, named nodes, supports, damping, initial velocity, and what is refused."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from flexmb.assembly.node_ref import NodeRef
from flexmb.errors import InputError
from flexmb.fem import Material, Section
from flexmb.parts.bodies import Bar, Beam, Damping, Particle, Support

BAR = {"length": 10.0, "elements": 4, "area": 2.0, "young": 900.0, "density": 1.5}
BEAM = {"length": 2.0, "elements": 4, "area": 0.1, "inertia": 1e-3, "young": 1e5, "density": 2.0}


def bar(**kw: object) -> Bar:
    return Bar("rod", **{**BAR, **kw})


def beam(**kw: object) -> Beam:
    return Beam("arm", **{**BEAM, **kw})


SPATIAL = {
    "section": {"area": 0.1, "inertia": 1e-3, "torsion": 1e-3},
    "area": None,
    "inertia": None,
    "bending": "spatial",
}


def test_contract_of_the_architecture_page() -> None:
    rod = Bar("rod", length=10, elements=200, area=1, young=900, density=1, position=(5, 0, 0), direction=(1, 0, 0),
              velocity=(-10, 0, 0))  # fmt: skip
    parts = rod.parts()
    assert parts.nv == 201
    assert parts.points[0] == pytest.approx([5, 0, 0])
    assert parts.points[-1] == pytest.approx([15, 0, 0])
    assert np.array_equal(parts.v0, np.full(201, -10.0))
    assert 0.5 * parts.v0 @ (parts.M @ parts.v0) == pytest.approx(500.0, rel=1e-13)


def test_section_and_material_in_three_ways() -> None:
    flat = bar().parts()
    tables = bar(area=None, young=None, density=None, section={"area": 2.0}, material={"young": 900.0, "density": 1.5})
    objects = bar(
        area=None, young=None, density=None, section=Section(area=2.0), material=Material(young=900, density=1.5)
    )
    for other in (tables.parts(), objects.parts()):
        assert abs(other.K - flat.K).max() == 0.0
        assert abs(other.M - flat.M).max() == 0.0
    assert dataclasses.replace(bar(), length=5.0).parts().mass == pytest.approx(15.0)


def test_bar_moves_its_nodes_along_its_direction() -> None:
    parts = bar(direction=(1, 2, 2), position=(1, 0, 0), velocity=(2, 4, 4)).parts()
    d = np.array([1, 2, 2]) / 3
    assert parts.points == pytest.approx(np.array([1, 0, 0]) + np.linspace(0, 10, 5)[:, None] * d)
    q = np.arange(5.0)
    assert (parts.displacement @ q).reshape(5, 3) == pytest.approx(q[:, None] * d)
    assert parts.v0 == pytest.approx(np.full(5, 6.0))
    assert parts.rotation.nnz == 0
    assert parts.momentum @ parts.v0 == pytest.approx(30.0 * np.array([2, 4, 4]))
    assert np.array_equal(parts.cells, [[0, 1], [1, 2], [2, 3], [3, 4]])
    assert parts.center == pytest.approx(np.array([1, 0, 0]) + 5 * d)


def test_planar_beam_moves_in_its_plane() -> None:
    parts = beam(direction=(0, 0, -1), velocity=(0, 3, 1)).parts()
    # along z the default bending direction is y; the rotation axis is d x y = -z x y = x
    q = np.zeros((5, 3))
    q[2] = [0.1, 0.2, 0.3]
    u, r = (parts.displacement @ q.ravel()).reshape(5, 3), (parts.rotation @ q.ravel()).reshape(5, 3)
    assert u[2] == pytest.approx([0.0, 0.2, -0.1])
    assert r[2] == pytest.approx([0.3, 0.0, 0.0])
    assert parts.v0.reshape(5, 3) == pytest.approx(np.tile([-1.0, 3.0, 0.0], (5, 1)))
    # theta = dw/dx: bending line w = a x^2, end slope 2 a L
    x = np.linspace(0, 2, 5)
    bent = np.column_stack([np.zeros(5), 0.01 * x**2, 0.02 * x]).ravel()
    assert 0.5 * bent @ (parts.K @ bent) == pytest.approx(0.5 * 1e5 * 1e-3 * 0.02**2 * 2.0, rel=1e-9)


def test_default_frame_and_given_orientation() -> None:
    d, y, z = beam().frame()
    assert np.array_equal(d, [1, 0, 0])
    assert np.array_equal(y, [0, 1, 0])
    assert np.array_equal(z, [0, 0, 1])
    d, y, z = beam(direction=(1, 1, 0), orientation=(5, 0, 1)).frame()
    assert np.column_stack([d, y, z]).T @ np.column_stack([d, y, z]) == pytest.approx(np.eye(3), abs=1e-15)
    assert np.linalg.det(np.column_stack([d, y, z])) == pytest.approx(1.0)
    assert y @ np.array([5, 0, 1]) > 0


def test_spatial_signs() -> None:
    parts = beam(**SPATIAL).parts()
    x = np.linspace(0, 2, 5)
    # w = a x^2 along z needs theta_y = -2 a x; with the wrong sign the energy would be far larger
    q = np.zeros((5, 6))
    q[:, 2], q[:, 4] = 0.01 * x**2, -0.02 * x
    assert 0.5 * q.ravel() @ (parts.K @ q.ravel()) == pytest.approx(0.5 * 100 * 0.02**2 * 2.0, rel=1e-9)
    q = np.zeros((5, 6))
    q[:, 1], q[:, 5] = 0.01 * x**2, 0.02 * x
    assert 0.5 * q.ravel() @ (parts.K @ q.ravel()) == pytest.approx(0.5 * 100 * 0.02**2 * 2.0, rel=1e-9)


def test_node_references() -> None:
    rod = bar(points={"quarter": 2.5, "end": "last", "third": "node(3)"})
    assert rod.first == NodeRef("rod", "first")
    assert str(rod.node(3)) == "rod.node(3)"
    assert str(rod.all) == "rod.all"
    assert NodeRef.parse("rod.node( 17 )") == NodeRef("rod", 17)
    assert NodeRef.parse("ball") == NodeRef("ball", "first")
    assert rod.point("quarter") == NodeRef("rod", "quarter")
    assert rod.parts().named == {"first": 0, "mid": 2, "last": 4, "quarter": 1, "end": 4, "third": 3}
    # of two nodes equally near the middle, the lower
    assert bar(elements=5).parts().named["mid"] == 2
    assert bar(elements=4, grading=50.0).parts().named["mid"] == 3
    for text in ("rod.", "rod.node(-1)", "rod.node(x)", ".first", "rod.first.last", ""):
        with pytest.raises(InputError, match="does not name a node"):
            NodeRef.parse(text)
    for index in (5, -1, True, 1.0):
        with pytest.raises(InputError, match=r"bodies\.rod\.node = .*node\(0\) \.\.\. node\(4\), first, mid, last"):
            rod.node(index)


@pytest.mark.parametrize(
    ("points", "words"),
    [
        ({"p": 2.6}, r"points\.p = 2\.6.*node.*distance.*node\(1\).*2\.5 m"),
        ({"p": "node(9)"}, r"points\.p = 'node\(9\)'.*node"),
        ({"p": "all"}, "names no node"),
        ({"mid": 2.5}, r"^bodies\.rod\.points\.mid.*reserved"),
        ({"velocity": 2.5}, "reserved"),
        ({"a b": 2.5}, r"points\.a b: a name is letters"),
        ([1.0], r"bodies\.rod\.points = \[1\.0\].*table"),
        (3, r"bodies\.rod\.points = 3.*table"),
    ],
)
def test_wrong_points(points: object, words: str) -> None:
    with pytest.raises(InputError, match=words):
        bar(points=points)


def free_names(body: Bar | Beam) -> set[str]:
    return {name.split(".", 1)[1] for name in body.parts().dof_names}


def test_supports_take_unknowns_out() -> None:
    names = free_names(bar(supports=[{"node": "first", "kind": "clamped"}]))
    assert names == {f"node({i}).u" for i in range(1, 5)}
    everything = free_names(beam(elements=1))
    assert everything == {f"node({i}).{c}" for i in (0, 1) for c in ("u", "w", "theta")}
    held = {
        "clamped": {"u", "w", "theta"},
        "pinned": {"u", "w"},
    }
    for kind, gone in held.items():
        left = free_names(beam(elements=1, supports=[{"node": "last", "kind": kind}]))
        assert everything - left == {f"node(1).{c}" for c in gone}
    for fix, gone in {"axial": {"u"}, "transverse": {"w"}, "rotation": {"theta"}, "x": {"u"}, "y": {"w"}}.items():
        left = free_names(beam(elements=1, supports=[Support("node(1)", fix=[fix])]))
        assert everything - left == {f"node(1).{c}" for c in gone}


def test_spatial_supports() -> None:
    everything = free_names(beam(elements=1, **SPATIAL))
    expected = {
        "transverse": {"v", "w"},
        "rotation": {"theta_y", "theta_z"},
        "torsion": {"phi"},
        "rotation_y": {"theta_y"},
        "transverse_z": {"w"},
        "z": {"w"},
    }
    for fix, gone in expected.items():
        left = free_names(beam(elements=1, supports=[(0, [fix])], **SPATIAL))
        assert everything - left == {f"node(0).{c}" for c in gone}, fix


def test_supported_body_keeps_rows_of_the_free_one() -> None:
    whole = beam().parts()
    held = beam(supports=[("first", "clamped"), ("node(2)", ["transverse"])]).parts()
    free = [i for i in range(15) if i not in (0, 1, 2, 7)]
    assert abs(held.K - whole.K[free][:, free]).max() == 0.0
    assert abs(held.M - whole.M[free][:, free]).max() == 0.0
    assert np.array_equal(held.gravity, whole.gravity[free])
    assert abs(held.displacement - whole.displacement[:, free]).max() == 0.0
    assert held.dof_names == tuple(whole.dof_names[i] for i in free)
    # momentum of the free unknowns, with the mass coupling to the held ones counted
    v = np.random.default_rng(0).normal(size=len(free))
    padded = np.zeros(15)
    padded[free] = v
    assert held.momentum @ v == pytest.approx(whole.momentum @ padded, rel=1e-13)


@pytest.mark.parametrize(
    ("supports", "words"),
    [
        (
            [{"node": "first", "kind": "glued"}],
            'supports\\[0\\]\\.kind = \'glued\'.*\\"clamped\\", \\"pinned\\"',
        ),
        ([{"node": "frist", "kind": "clamped"}], r"supports\[0\]\.node = 'frist': body 'rod'.*node"),
        ([("first", "clamped"), {"node": "node(9)", "kind": "clamped"}], r"supports\[1\]\.node = 'node\(9\)'"),
        ([{"node": "first"}], "kind.*fix"),
        ([{"node": "first", "kind": "clamped", "fix": ["x"]}], "kind.*fix"),
        ([{"node": "first", "knid": "clamped"}], r"supports\[0\]\.knid.*unknown key.*'kind'"),
        ([{"kind": "clamped"}], "needs node"),
        ([{"node": "first", "fix": ["y"]}], "fix = 'y'.*body moves.*axis.*axial, x"),
        ([{"node": "first", "fix": ["axail"]}], "did you mean 'axial'"),
        ("first", "must be a list"),
        (["first"], r"supports\[0\] = 'first'"),
        (3, r"bodies\.rod\.supports = 3.*list"),
        ([{"node": "first", "fix": 3}], r"supports\[0\]\.fix = 3.*list.*directions"),
        ([{"node": "first", "fix": {"x": 1}}], r"supports\[0\]\.fix = \{'x': 1\}.*list.*directions"),
        ([("first", [1])], r"supports\[0\]\.fix = \[1\].*list.*directions"),
        ([Support("first")], r"^bodies\.rod\.supports\[0\].*kind.*fix"),
    ],
)
def test_wrong_supports(supports: object, words: str) -> None:
    with pytest.raises(InputError, match=words):
        bar(supports=supports)


def test_global_direction_of_an_oblique_body_is_refused() -> None:
    with pytest.raises(InputError, match="moves.*axis alone"):
        bar(direction=(1, 1, 0), supports=[{"node": "first", "fix": ["x"]}])


def test_velocity_against_a_support_is_refused() -> None:
    with pytest.raises(InputError, match=r"bodies\.rod\.velocity.*support.*axial motion.*node\(4\)"):
        bar(velocity=(1, 0, 0), supports=[("last", "pinned")])
    with pytest.raises(InputError, match="support.*axial motion"):
        bar(velocity=(1e200, 0, 0), supports=[("last", "pinned")])
    # along a free direction it is fine, also obliquely where round-off leaves a trace of the held one
    beam(direction=(1, 2, 2), velocity=(1, 2, 2), supports=[("all", ["transverse"])])


def test_a_body_held_everywhere_is_refused() -> None:
    with pytest.raises(InputError, match="body.*free unknown"):
        bar(supports=[("all", "clamped")]).parts()


def test_velocity_off_the_axis_is_refused_with_the_part_that_is_off() -> None:
    with pytest.raises(InputError, match=r"velocity.*bar's axis.*part \(0, 0\.5, 0\) m/s.*deviates"):
        bar(velocity=(3, 0.5, 0))
    with pytest.raises(InputError, match="velocity.*bar's axis"):
        bar(velocity=(3e200, 1e200, 0))
    with pytest.raises(InputError, match=r"velocity.*beam's plane.*part \(0, 0, 2\) m/s"):
        beam(velocity=(1, 1, 2))
    bar(direction=(1, 2, 2), velocity=np.array([1, 2, 2]) / 7)
    beam(velocity=(1, 2, 3), **SPATIAL)


def test_rayleigh_damping() -> None:
    for damping in (Damping(0.3, 0.02), {"alpha": 0.3, "beta": 0.02}, (0.3, 0.02)):
        parts = bar(damping=damping).parts()
        assert abs(parts.C - (0.3 * parts.M + 0.02 * parts.K)).max() < 1e-15
    assert bar().parts().C.nnz == 0
    assert abs(bar(damping={"beta": 2.0}).parts().C - 2.0 * bar().parts().K).max() == 0.0
    assert abs(bar(damping={"alpha": 2.0}).parts().C - 2.0 * bar().parts().M).max() == 0.0
    with pytest.raises(InputError, match=r"bodies\.rod\.damping\.beta = -0\.1.*negative"):
        bar(damping={"beta": -0.1})
    with pytest.raises(InputError, match=r"bodies\.rod\.damping\.alpha = -1.*negative"):
        bar(damping=(-1, 0))
    with pytest.raises(InputError, match=r"bodies\.rod\.damping\.gamma = 1.*unknown key"):
        bar(damping={"gamma": 1})
    with pytest.raises(InputError, match=r"bodies\.rod\.damping = 3"):
        bar(damping=3)


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"length": 0.0}, r"bodies\.rod\.length = 0\.0.*positive"),
        ({"length": None}, r"bodies\.rod\.length: is missing"),
        ({"elements": 0}, r"bodies\.rod\.elements = 0.*least 1"),
        ({"elements": 2.5}, r"bodies\.rod\.elements = 2\.5.*integer"),
        ({"elements": None}, r"bodies\.rod\.elements: is missing"),
        ({"grading": -1.0}, r"bodies\.rod\.grading = -1\.0.*positive"),
        ({"grading": 1e300}, r"bodies\.rod\.grading = 1e\+300: so steep"),
        ({"direction": (0, 0, 0)}, r"bodies\.rod\.direction = \(0, 0, 0\): has zero length"),
        ({"direction": (1, 0)}, r"bodies\.rod\.direction = \(1, 0\).*three numbers"),
        ({"position": (1, 0, "a")}, r"bodies\.rod\.position.*must be three numbers"),
        ({"velocity": (1, 0, float("inf"))}, r"bodies\.rod\.velocity.*must be finite"),
        ({"order": 3}, r"bodies\.rod\.order = 3.*1"),
        ({"mass": "lumpy"}, r"bodies\.rod\.mass = 'lumpy'.*of.*did.*'lumped'"),
        ({"young": -900.0}, r"bodies\.rod\.young = -900\.0.*positive"),
        ({"density": None}, r"bodies\.rod = .*needs density"),
        ({"area": None}, r"bodies\.rod\.section: is missing"),
        ({"section": {"area": 1.0}}, r"bodies\.rod\.area = 2\.0.*section"),
        ({"area": None, "section": {"area": -1.0}}, r"bodies\.rod\.section\.area = -1\.0.*positive"),
        ({"area": None, "section": {"aera": 1.0}}, r"bodies\.rod\.section\.aera.*did.*'area'"),
        ({"area": None, "section": 4}, r"bodies\.rod\.section = 4.*table.*Section"),
    ],
)
def test_wrong_bars(keys: dict, words: str) -> None:
    with pytest.raises(InputError, match=words):
        bar(**keys)


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"inertia": None}, r"bodies\.arm\.section.*planar beam.*inertia_z"),
        ({"bending": "spatial"}, "spatial beam.*torsion"),
        ({"bending": "sideways"}, r"bodies\.arm\.bending = 'sideways'"),
        ({"orientation": (2, 0, 0)}, r"bodies\.arm\.orientation = \(2, 0, 0\).*parallel"),
        ({"orientation": (0, 0, 0)}, r"bodies\.arm\.orientation = \(0, 0, 0\): has zero length"),
    ],
)
def test_wrong_beams(keys: dict, words: str) -> None:
    with pytest.raises(InputError, match=words):
        beam(**keys)


@pytest.mark.parametrize("name", ["", "1a", "a.b", "a b", "contacts", "energy", 3])
def test_wrong_names(name: object) -> None:
    with pytest.raises(InputError, match="name"):
        Bar(name, **BAR)
    with pytest.raises(InputError, match="name"):
        Particle(name, mass=1.0)


def test_particle() -> None:
    parts = Particle("ball", 2.0, (1, 2, 3), (0, 4, 5), axes="zy").parts()
    assert parts.dof_names == ("ball.y", "ball.z")
    assert np.array_equal(parts.v0, [4.0, 5.0])
    assert np.array_equal(parts.M.toarray(), 2.0 * np.eye(2))
    assert np.array_equal(parts.displacement.toarray(), [[0, 0], [1, 0], [0, 1]])
    assert np.array_equal(parts.gravity @ np.array([1.0, -3.0, -9.0]), [-6.0, -18.0])
    assert np.array_equal(parts.momentum @ parts.v0, [0.0, 8.0, 10.0])
    assert Particle("ball", mass=1.0).parts().nv == 3


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"mass": -1.0}, r"bodies\.ball\.mass = -1\.0.*positive"),
        ({"mass": 0.0}, r"bodies\.ball\.mass = 0\.0.*positive"),
        ({"axes": ""}, r"bodies\.ball\.axes = ''"),
        ({"axes": "xx"}, r"bodies\.ball\.axes = 'xx'"),
        ({"axes": "xw"}, r"bodies\.ball\.axes = 'xw'"),
        ({"axes": "x", "velocity": (1, 0, 2)}, r"particle's axes 'x'.*part \(0, 0, 2\) m/s"),
    ],
)
def test_wrong_particles(keys: dict, words: str) -> None:
    with pytest.raises(InputError, match=words):
        Particle("ball", **{"mass": 1.0, **keys})


@pytest.mark.parametrize("position", [["1", "2", "3"], [True, False, True], [10**400, 0, 0]])
def test_texts_and_truth_values_are_no_coordinates(position):
    with pytest.raises(InputError, match=r"bodies\.p\.position"):
        Particle("p", 1.0, position=position)
