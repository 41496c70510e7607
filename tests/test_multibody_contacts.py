"""Contacts in a multibody system: gaps of all kinds from their definition, in states far from the start."""

from __future__ import annotations

import inspect
import warnings
from typing import Any

import multibody_systems as ms
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from flexmb.assembly.builder import Builder
from flexmb.errors import InputError
from flexmb.kernels.geometry import tables as tab
from flexmb.parts.bodies import Bar, Beam, Particle, Rigid, RigidPlanar
from flexmb.parts.contacts import KINDS, Clearance, NodeCurve, NodeNode, NodePlane, Rope, Spheres, SphereSphere
from flexmb.parts.loads import Constant, Harmonic, Ramp
from flexmb.state import Array
from flexmb.system.model import Model

N = np.array([1.0, -2.0, 2.0]) / 3.0
P = np.array([0.1, 0.2, -3.0])
TURN = np.array([0.7, -1.1, 0.4])
BODIES = [
    Particle("ball", mass=2.0, position=(4, 1, 3)),
    Particle("bead", mass=1.0, position=(4, 1, 5), axes="z"),
    Rigid("crate", mass=3, inertia=[2, 2.5, 1.5], center=(0.2, -0.1, 0.4), position=(1, 2, 3), rotation=TURN,
          points={"tip": (1, 0, -2)}),
    Rigid("tray", mass=5, inertia=[2, 2.5, 1.5], center=(0.3, 0.3, 0.1), position=(-1, 0, 1), rotation=-TURN),
    RigidPlanar("link", mass=1, inertia=0.1, center=(0.5, 0), position=(6, 7, 0.5), angle=0.3,
                points={"end": (1, 0.2)}),
    Bar("rod", length=3, elements=4, area=1, young=50, density=1, position=(0, 0, 1), direction=(1, 2, 2)),
    Beam("arm", length=2, elements=2, section={"shape": "circle", "radius": 0.2}, young=80, density=2,
         bending="spatial", position=(0, 5, 2), direction=(1, 0, 1), supports=[("first", "clamped")]),
]  # fmt: skip


class World:
    """The bodies above with contacts, in a state; places of points are computed here from the bodies' own data."""

    def __init__(self, *contacts: Any, t0: float = 0.0, seed: int = 0, t: float = 0.83) -> None:
        self.b = Builder(np.zeros(3), t0)
        for part in (*BODIES, *contacts):
            part.add_to(self.b)
        self.s = self.b.build()
        self.start = np.array(self.b.q0)
        rng = np.random.default_rng(seed)
        dq = 0.3 * rng.normal(size=len(self.b.v0))
        for _, iv in self.b.frames:  # turned by a large angle
            dq[iv + 3 : iv + 6] *= 5
        self.q, self.t = ms.advanced(self.s, self.start, dq), t

    def gaps(self) -> Array:
        return ms.evaluate(self.s, self.q, np.zeros(len(self.b.v0)), self.t).rows.g

    def start_gaps(self, t: float = 0.0) -> Array:
        return ms.evaluate(self.s, self.start, np.zeros(len(self.b.v0)), t).rows.g

    def frame(self, body: str, q: Array) -> tuple[Array, Array]:
        """Return the position of the reference point and the axes of a rigid body."""
        at = self.b.bodies[body].attach
        assert at is not None
        if at.kind == tab.PLANAR:
            A = Rotation.from_rotvec([0, 0, q[at.iq + 2]]).as_matrix()
            return np.array([q[at.iq], q[at.iq + 1], 0.5]) - A @ [0.5, 0, 0], A
        A = Rotation.from_quat(q[at.iq + np.array([4, 5, 6, 3])]).as_matrix()
        centers = {"crate": (0.2, -0.1, 0.4), "tray": (0.3, 0.3, 0.1)}
        return q[at.iq : at.iq + 3] - A @ np.array(centers[body]), A

    def point(self, body: str, local: tuple[float, ...]) -> Array:
        """Return where a point of a rigid body is now."""
        x, A = self.frame(body, self.q)
        return np.asarray(x + A @ np.array(local))

    def node(self, body: str, i: int = 0) -> Array:
        """Return where a node of a body of small displacement is now."""
        part = next(p for p in BODIES if p.name == body)
        parts = part.parts()
        first = self.b.bodies[body].nodes[-1].qdof[-1] + 1 - parts.nv
        u = parts.displacement[3 * i : 3 * i + 3] @ self.q[first : first + parts.nv]
        return np.asarray(parts.points[i] + u)


def test_node_plane_on_the_ground() -> None:
    refs = ["crate", "crate.tip", "crate.center", "link.end", "ball", "rod.last", "arm.mid"]
    w = World(*(NodePlane(f"c{k}", node=ref, point=P, normal=5 * N, radius=0.1 * k, restitution=0.5)
                for k, ref in enumerate(refs)))  # fmt: skip
    points = [w.point("crate", (0, 0, 0)), w.point("crate", (1, 0, -2)), w.point("crate", (0.2, -0.1, 0.4)),
              w.point("link", (1, 0.2, 0)), w.node("ball"), w.node("rod", 4), w.node("arm", 1)]  # fmt: skip
    assert w.gaps() == pytest.approx([N @ (x - P) - 0.1 * k for k, x in enumerate(points)], rel=1e-12)
    assert [g.labels for g in w.b.contacts] == [[f"c{k}"] for k in range(len(refs))]
    assert {g.e for g in w.b.contacts} == {0.5}
    state = ms.evaluate(w.s, w.q, np.zeros(len(w.b.v0)), w.t)
    for k, group in enumerate(w.b.contacts):
        ((at, plane),) = group.points
        assert state.markers.r[at] == pytest.approx(points[k], rel=1e-13)
        assert state.markers.r[plane] == pytest.approx(P)


def test_moving_plane_on_the_ground() -> None:
    d = np.array([0.0, 0.6, 0.8])
    motion = Harmonic(amplitude=0.3, omega=5.0, phase=0.4)
    w = World(NodePlane("wall", node="crate.tip", point=P, normal=N, motion=motion, motion_direction=2 * d),
              NodePlane("own", node="ball", point=P, normal=N, motion=Ramp(end_time=2.0, end_value=1.0)))  # fmt: skip
    s = 0.3 * np.sin(5 * w.t + 0.4)
    expected = [N @ (w.point("crate", (1, 0, -2)) - (P + d * s)), N @ (w.node("ball") - (P + N * w.t / 2))]
    assert w.gaps() == pytest.approx(expected, rel=1e-12)


def test_the_same_contact_in_a_linear_and_in_a_multibody_system() -> None:
    parts = [
        NodePlane("floor", nodes=["rod.all", "ball", "bead"], point=(0, 0, -9), normal=(0.1, 0.3, 1), radius=0.25,
                  motion=Harmonic(amplitude=0.3, omega=5.0), motion_direction=(1, 1, 1)),
        NodePlane("one", node="arm.last", point=(0, 0, -9), normal=(0.1, 0.3, 1)),
        NodeNode("pair", node="ball", node2="rod.last", offset=0.1),
    ]  # fmt: skip
    small = [part for part in BODIES if not part.large_motion]
    model, b = Model(), Builder(np.zeros(3), 0.0)
    for part in [*small, *parts]:
        model.add(part)
        part.add_to(b)
    linear, s = model.assemble(), b.build()
    q = np.random.default_rng(5).normal(size=linear.nv)
    state = ms.evaluate(s, q, np.zeros(linear.nv), 0.7)
    assert state.rows.g == pytest.approx(linear.contacts.g(0.7, q), rel=1e-13)
    assert tuple(label for g in b.contacts for label in g.labels) == linear.contacts.labels
    assert tuple(g.name for g in b.contacts) == linear.contacts.names
    assert len(s.functions.kind) == 1  # one function for all rows of a contact


def test_plane_of_a_rigid_body() -> None:
    d = np.array([0.0, 0.6, 0.8])
    w = World(
        NodePlane("a", nodes=["ball", "crate.tip", "arm.last"], body="tray", point=P, normal=N, radius=0.2),
        NodePlane("b", node="rod.first", body="link", point=P, normal=N, motion=Constant(0.7), motion_direction=d),
    )

    def gap(body: str, x: Array, offset: float) -> float:
        """Return the gap in the axes that the plane moves with."""
        (x0, A0), (x1, A1) = w.frame(body, w.start), w.frame(body, w.q)
        return float(N @ (A0 @ A1.T @ (x - x1) + x0 - P)) - offset

    points = [w.node("ball"), w.point("crate", (1, 0, -2)), w.node("arm", 2)]
    expected = [gap("tray", x, 0.2) for x in points] + [gap("link", w.node("rod"), 0.7 * float(N @ d))]
    assert w.gaps() == pytest.approx(expected, rel=1e-12)
    assert w.b.contacts[0].labels == ["a[ball]", "a[crate.tip]", "a[arm.node(2)]"]
    state = ms.evaluate(w.s, w.start, np.zeros(len(w.b.v0)), 0.0)
    assert all(state.markers.r[plane] == pytest.approx(P) for g in w.b.contacts for _, plane in g.points)


def test_node_node_along_a_fixed_direction() -> None:
    w = World(NodeNode("a", node="crate.tip", node2="ball", direction=3 * N, offset=0.3),
              NodeNode("b", node="arm.last", node2="link.end", restitution=0.2))  # fmt: skip
    d = w.b.place("arm.last", "").position - w.b.place("link.end", "").position
    d /= np.linalg.norm(d)
    expected = [N @ (w.point("crate", (1, 0, -2)) - w.node("ball")) - 0.3,
                d @ (w.node("arm", 2) - w.point("link", (1, 0.2, 0)))]  # fmt: skip
    assert w.gaps() == pytest.approx(expected, rel=1e-12)
    assert [g.e for g in w.b.contacts] == [0.0, 0.2]


def test_spheres() -> None:
    w = World(
        SphereSphere("a", a="ball", b="crate.tip", radius_a=0.1, radius_b=0.25, restitution=0.6),
        SphereSphere("b", a="arm.last", b="link.end", radius=0.2),
        SphereSphere("row", chain=["ball", "bead", "crate", "tray.center"], radius=[0.1, 0.2, 0.3, 0.4]),
        SphereSphere("ring", chain=["ball", "bead", "crate", "ball"], radius=0.05),
    )
    ball, bead, crate = w.node("ball"), w.node("bead"), w.point("crate", (0, 0, 0))
    tray = w.point("tray", (0.3, 0.3, 0.1))

    def far(x: Array, y: Array) -> float:
        return float(np.sqrt(np.sum((x - y) ** 2)))

    expected = [
        far(ball, w.point("crate", (1, 0, -2))) - 0.35, far(w.node("arm", 2), w.point("link", (1, 0.2, 0))) - 0.4,
        far(ball, bead) - 0.3, far(bead, crate) - 0.5, far(crate, tray) - 0.7,
        far(ball, bead) - 0.1, far(bead, crate) - 0.1, far(crate, ball) - 0.1,
    ]  # fmt: skip
    assert w.gaps() == pytest.approx(expected, rel=1e-12)
    assert [g.labels for g in w.b.contacts] == [
        ["a"], ["b"], ["row[ball-bead]", "row[bead-crate]", "row[crate-tray.center]"],
        ["ring[ball-bead]", "ring[bead-crate]", "ring[crate-ball]"],
    ]  # fmt: skip
    assert [len(g.points) for g in w.b.contacts] == [1, 1, 3, 3]
    assert [g.e for g in w.b.contacts] == [0.6, 0, 0, 0]


def test_nodes_that_cannot_move_are_left_out_or_watched() -> None:
    beam = dict(normal=(0, 0, 1), point=(0, 0, 1.5))
    w = World(NodePlane("still", nodes="arm.all", **beam),
              NodePlane("moving", nodes="arm.all", **beam, motion=Ramp(end_time=1.0, end_value=5.0)))  # fmt: skip
    still, moving = w.b.contacts
    assert still.labels == ["still[arm.node(1)]", "still[arm.node(2)]"]
    assert moving.labels == ["moving[arm.node(0)]", "moving[arm.node(1)]", "moving[arm.node(2)]"]
    rows = w.s.rows
    first = rows.marker[rows.ptr[2] : rows.ptr[3]]
    assert set(w.s.markers.kind[first].tolist()) == {tab.GROUND}
    assert w.gaps()[2] == pytest.approx(0.5 - 5 * 0.83, rel=1e-13)
    assert w.s.markers.kind[moving.points[0][0]] == tab.NODE


def test_a_bar_across_the_normal_is_watched_as_if_it_were_fixed() -> None:
    b = Builder(np.zeros(3), 0.0)
    Bar("rod", length=1, elements=2, area=1, young=1, density=1, direction=(1, 1, 0), position=(0, 0, 1)).add_to(b)
    Particle("ball", mass=1, position=(0, 0, 2)).add_to(b)
    # the normal is perpendicular to the bar up to round-off only
    n = np.array([1e-17, 0, 1])
    NodePlane("p", nodes=["rod.all", "ball"], normal=n, motion=Ramp(end_time=1.0)).add_to(b)
    s = b.build()
    kinds = [s.markers.kind[s.rows.marker[s.rows.ptr[r] + 1]] for r in range(4)]
    assert kinds == [tab.GROUND] * 3 + [tab.NODE]


WRONG: dict[str, tuple[Any, str]] = {
    "supported": (NodePlane("c", node="arm.first", normal=N), "node arm.first.*move.*normal.*support"),
    "planar": (NodePlane("c", node="link", normal=(0, 0, 1)), "node link.*move.*normal"),
    "inside": (NodePlane("c", nodes="arm.all", normal=(0, 0, 1), point=(0, 0, 2.25), radius=0.5),
               "node arm.node.0..*0.75 m inside"),
    "twice": (NodePlane("c", nodes=["crate.tip", "ball", "crate.tip"], normal=N), "node crate.tip.*twice"),
    "several": (NodePlane("c", node="rod.all", normal=N), "5 nodes"),
    "no body": (NodePlane("c", node="ball", normal=N, body="try"), "body 'try'.*'tray'"),
    "carrier": (NodePlane("c", node="ball", normal=N, body="rod"), "rigid body.*: crate, tray, link"),
    "no point": (NodePlane("c", node="crate.top", normal=N), "point.*did.*'tip'"),
    "neither": (NodeNode("c", node="arm.first", node2="link", direction=(0, 0, 1)), "node.*move"),
    "coincide": (SphereSphere("c", a="crate.tip", b="copy", radius=1), "centers.*'crate.tip'.*'copy' coincide"),
    "fixed": (SphereSphere("c", a="arm.first", b="ground", radius=1), "'arm.node.0.'.*'ground'.*move"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_wrong_contacts_of_a_model(case: str) -> None:
    contact, words = WRONG[case]
    b = Builder(np.zeros(3), 0.0)
    for body in BODIES:
        body.add_to(b)
    Particle("copy", mass=1, position=b.place("crate.tip", "").position).add_to(b)
    with pytest.raises(InputError, match=words) as info:
        contact.add_to(b)
    assert info.value.where == "contacts.c"


def test_a_motion_that_cannot_be_compiled() -> None:
    class Mine:
        def value(self, t: float) -> float:
            return t

        rate = value

    with pytest.raises(InputError, match="contacts.c.motion.*one.*time functions"):
        World(NodePlane("c", node="ball", normal=N, motion=Mine()))


PLANE: dict[str, Any] = {"node": "ball", "normal": (0, 0, 1)}
TWO: dict[str, Any] = {"a": "ball", "b": "bead", "radius": 0.1}
ROW: dict[str, Any] = {"chain": ["b1", "b2", "b3"], "radius": 0.1}


@pytest.mark.parametrize(
    ("cls", "given", "words"),
    [
        (NodePlane, PLANE | {"radius": -1}, "contacts.c.radius = -1.*negative"),
        (NodePlane, PLANE | {"body": "tray.tip"}, "contacts.c.body = 'tray.tip'.*rigid body"),
        (NodePlane, PLANE | {"node": "tray.tip", "body": "tray"}, "contact.*body"),
        (SphereSphere, {"a": "ball", "radius": 1}, "contacts.c.b: is missing"),
        (SphereSphere, {"a": "ball", "b": "bead"}, "contacts.c.radius_a: give either"),
        (SphereSphere, TWO | {"radius_a": 1}, "contacts.c.radius_a = 1.*radius_a.*radius"),
        (SphereSphere, TWO | {"b": "ball.first"}, "contact.*body"),
        (SphereSphere, TWO | {"radius": 0}, "two points never touch"),
        (SphereSphere, TWO | {"radius": [1, 1]}, "must be a number"),
        (SphereSphere, TWO | {"restitution": 1.1}, "must lie between 0 and 1"),
        (SphereSphere, ROW | {"a": "ball"}, "contacts.c.a = 'ball'.*effect.*chain"),
        (SphereSphere, ROW | {"chain": ["b1"]}, "at least two"),
        (SphereSphere, ROW | {"chain": "b1"}, "at least two"),
        (SphereSphere, ROW | {"chain": ["b1", "b2", "b1"]}, "neighbors twice"),
        (SphereSphere, ROW | {"radius": [1, 1]}, "2 entries.*chain.*3"),
    ],
)
def test_wrong_keys(cls: Any, given: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        cls("c", **given)


VALUES = (
    1, 0, -2.5, float("nan"), float("inf"), 1e300, True, "", "x", "rod.all", "a\0b", {}, {"x": 1}, [], [1.0],
    [1.0, float("nan"), 0.0], [0.0] * 3, [1e200, -1e200, 1e200], ["x"], [True] * 3, [[1.0, 2.0], [3.0]], [{}],
    ["x", "x"],
)  # fmt: skip


@pytest.mark.parametrize(("cls", "base"), [(NodePlane, PLANE), (SphereSphere, TWO), (SphereSphere, ROW)])
def test_values_a_key_was_not_made_for(cls: Any, base: dict[str, Any]) -> None:
    refused = 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for key in inspect.signature(cls).parameters:
            for value in VALUES:
                try:
                    contact = cls(**({"name": "c"} | base | {key: value}))
                    World(contact)
                except InputError:
                    refused += 1
    assert refused > 100


def test_what_needs_large_motion() -> None:
    assert not NodePlane("c", node="ball", normal=N, radius=0.2).large_motion
    assert not NodePlane("c", node="ball", normal=N, body="ground").large_motion
    assert NodePlane("c", node="ball", normal=N, body="tray").large_motion
    assert not NodeNode("c", node="ball", node2="bead").large_motion
    assert SphereSphere("c", a="ball", b="bead", radius=1).large_motion
    assert Spheres("c", bodies="*", radius=1).large_motion
    kinds = {"node-node": NodeNode, "node-plane": NodePlane, "sphere-sphere": SphereSphere, "clearance": Clearance}
    assert kinds | {"spheres": Spheres, "node-curve": NodeCurve, "rope": Rope} == KINDS
