"""Rigid bodies: mass properties against quadrature, start values and places by hand, and what bad input gets."""

from __future__ import annotations

import inspect
import warnings
from pathlib import Path
from typing import Any

import meshio
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from flexmb.assembly.builder import Builder
from flexmb.errors import InputError
from flexmb.kernels.geometry import tables as tab
from flexmb.parts.bodies import KINDS, Bar, Beam, Particle, Rigid, RigidPlanar
from flexmb.parts.bodies.shapes import Box, Cylinder, Sphere
from flexmb.state import Array
from flexmb.system.model import Model

G = np.array([0.3, -9.81, 0.7])
J = np.array([[2.0, 0.3, -0.2], [0.3, 2.5, 0.1], [-0.2, 0.1, 1.5]])
C = np.array([0.2, -0.1, 0.4])
TURN = np.array([0.7, -1.1, 0.4])
A = Rotation.from_rotvec(TURN).as_matrix()


def built(*bodies: Any, gravity: Array = G) -> tuple[Builder, tab.System]:
    b = Builder(gravity, 0.0)
    for body in bodies:
        body.add_to(b)
    return b, b.build()


def dense(matrix: tab.Matrix, n: int) -> Array:
    out = np.zeros((n, n))
    for i in range(n):
        out[i, matrix.col[matrix.ptr[i] : matrix.ptr[i + 1]]] = matrix.val[matrix.ptr[i] : matrix.ptr[i + 1]]
    return out


def point_inertia(x: Array, m: Array) -> Array:
    """Return the inertia of points about the origin."""
    return np.einsum("i,ij,ij->", m, x, x) * np.eye(3) - np.einsum("i,ij,ik->jk", m, x, x)


# ---------------------------------------------------------------------------------------- mass properties


def gauss(n: int, a: float, b: float) -> tuple[Array, Array]:
    x, w = np.polynomial.legendre.leggauss(n)
    return 0.5 * (b - a) * x + 0.5 * (a + b), 0.5 * (b - a) * w


def cloud(shape: Any) -> tuple[Array, Array]:
    """Return points and volumes that integrate quadratic functions over the shape."""
    circle = 2 * np.pi * np.arange(5) / 5
    if isinstance(shape, Box):
        axes = [gauss(2, -0.5 * s, 0.5 * s) for s in shape.size]
        x = np.array([[a, b, c] for a in axes[0][0] for b in axes[1][0] for c in axes[2][0]])
        w = np.array([a * b * c for a in axes[0][1] for b in axes[1][1] for c in axes[2][1]])
    elif isinstance(shape, Cylinder):
        (r, wr), (z, wz) = gauss(3, 0, shape.radius), gauss(2, -0.5 * shape.length, 0.5 * shape.length)
        local = [(ri * np.cos(f), ri * np.sin(f), zi) for ri in r for f in circle for zi in z]
        w = np.array([ri * wi * 2 * np.pi / 5 * wj for ri, wi in zip(r, wr, strict=True) for _ in circle for wj in wz])
        a = np.array({"x": [1, 0, 0], "y": [0, 1, 0], "z": [0, 0, 1]}.get(shape.axis, shape.axis), dtype=float)
        a /= np.linalg.norm(a)
        e1 = np.cross(a, [0.3, 0.5, -0.8])
        e1 /= np.linalg.norm(e1)
        x = np.array(local) @ np.array([e1, np.cross(a, e1), a])
    else:
        (r, wr), (u, wu) = gauss(3, 0, shape.radius), gauss(2, -1, 1)
        s = np.sqrt(1 - u**2)
        x = np.array([[ri * sj * np.cos(f), ri * sj * np.sin(f), ri * uj]
                      for ri in r for uj, sj in zip(u, s, strict=True) for f in circle])  # fmt: skip
        w = np.array(
            [ri**2 * wi * wj * 2 * np.pi / 5 for ri, wi in zip(r, wr, strict=True) for wj in wu for _ in circle]
        )
    return x + np.asarray(shape.center), w


SHAPES = [
    Box(size=(0.3, 0.5, 1.1), center=(0.2, 0.1, -0.4)),
    Cylinder(radius=0.3, length=1.2, axis="y", center=(-0.5, 0.2, 0.1)),
    Cylinder(radius=0.2, length=0.9, axis=(1.0, -2.0, 2.0), center=(0.5, 0.6, 0.1)),
    Sphere(radius=0.4, center=(1.0, -1.0, 0.5)),
]


@pytest.mark.parametrize("shapes", [*([s] for s in SHAPES), SHAPES], ids=lambda s: "+".join(x.kind for x in s))
def test_density_gives_mass_centre_and_inertia(shapes: list[Any]) -> None:
    found = Rigid("b", density=7.8, shape=shapes).mass_properties
    x, w = (np.concatenate(parts) for parts in zip(*map(cloud, shapes), strict=True))
    m = 7.8 * w
    assert found.mass == pytest.approx(m.sum(), rel=1e-13)
    assert found.center == pytest.approx(m @ x / m.sum(), rel=1e-12)
    assert found.inertia == pytest.approx(point_inertia(x - found.center, m), rel=1e-12, abs=1e-13)


def test_shapes_as_tables_are_the_shapes() -> None:
    tables = [
        {"kind": "box", "size": [0.3, 0.5, 1.1], "center": [0.2, 0.1, -0.4]},
        {"kind": "cylinder", "radius": 0.3, "length": 1.2, "axis": "y", "center": [-0.5, 0.2, 0.1]},
        {"kind": "cylinder", "radius": 0.2, "length": 0.9, "axis": [1.0, -2.0, 2.0], "center": [0.5, 0.6, 0.1]},
        {"kind": "sphere", "radius": 0.4, "center": [1.0, -1.0, 0.5]},
    ]
    given, objects = (Rigid("b", density=2, shape=s).mass_properties for s in (tables, SHAPES))
    assert given.mass == objects.mass
    assert np.array_equal(given.inertia, objects.inertia)


def test_inertia_as_three_six_or_nine_numbers() -> None:
    six = [J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]]
    for inertia in (six, J, J.tolist()):
        assert np.array_equal(Rigid("b", mass=1, inertia=inertia).mass_properties.inertia, J)
    assert np.array_equal(Rigid("b", mass=1, inertia=[1, 2, 2.5]).mass_properties.inertia, np.diag([1, 2, 2.5]))


def test_inertia_about_the_reference_point() -> None:
    rng = np.random.default_rng(3)
    x, m = rng.normal(size=(9, 3)), rng.uniform(0.5, 1, size=9)
    c = m @ x / m.sum()
    body = Rigid("b", mass=m.sum(), center=c, inertia=point_inertia(x, m), inertia_about="reference")
    assert body.mass_properties.inertia == pytest.approx(point_inertia(x - c, m), rel=1e-13, abs=1e-13)
    assert np.array_equal(body.mass_properties.center, c)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: s.kind)
def test_surface_is_closed_points_outwards_and_nearly_has_the_volume(shape: Any) -> None:
    points, triangles = shape.surface()
    corners = points[triangles]
    volume = np.einsum("ij,ij->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6
    assert volume == pytest.approx(shape.volume(), rel=1e-12 if shape.kind == "box" else 0.03)
    assert volume <= shape.volume() * (1 + 1e-12)
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    assert len(np.unique(edges, axis=0)) == len(edges)
    assert {tuple(e) for e in edges.tolist()} == {tuple(e[::-1]) for e in edges.tolist()}
    assert set(triangles.ravel().tolist()) == set(range(len(points)))


# ---------------------------------------------------------------------------------------- in the builder

SPIN = np.array([1.5, -0.5, 2.0])
BODY = dict(mass=3.0, inertia=J, center=C, position=(1, 2, 3), velocity=(4, 5, 6), points={"tip": (1, 0, -2)})


def test_start_values_mass_and_weight() -> None:
    b, s = built(Particle("ball", mass=1.0), Rigid("b", **BODY, rotation=TURN, angular_velocity=SPIN))
    q, v = np.array(b.q0)[3:], np.array(b.v0)[3:]
    assert q[:3] == pytest.approx([1, 2, 3] + A @ C, rel=1e-14)
    assert Rotation.from_quat(q[[4, 5, 6, 3]]).as_matrix() == pytest.approx(A, abs=1e-14)
    assert np.linalg.norm(q[3:]) == pytest.approx(1.0, abs=3e-16)
    assert v[:3] == pytest.approx(np.array([4, 5, 6]) + np.cross(A @ SPIN, A @ C), rel=1e-14)
    assert np.array_equal(v[3:], SPIN)
    expected = np.zeros((9, 9))
    expected[:3, :3], expected[3:6, 3:6], expected[6:, 6:] = np.eye(3), 3.0 * np.eye(3), J
    assert np.array_equal(dense(s.linear.M, 9), expected)
    assert np.array_equal(s.linear.F0, [*G, *(3.0 * G), 0, 0, 0])
    assert s.linear.V0 == 0.0
    assert s.linear.q_of_v.tolist() == [0, 1, 2, 3, 4, 5, -1, -1, -1]
    assert (s.unknowns.frame_q.tolist(), s.unknowns.frame_v.tolist()) == ([3], [3])
    assert b.dof_names[3:] == ["b.x", "b.y", "b.z", "b.turn_x", "b.turn_y", "b.turn_z"]


def test_orientation_in_all_ways() -> None:
    p = Rotation.from_rotvec(TURN).as_quat()[[3, 0, 1, 2]]
    ways: list[dict[str, Any]] = [dict(quaternion=p), dict(rotation=TURN), dict(axes=[A[:, 0], A[:, 1]])]
    for way in ways:
        b, _ = built(Rigid("b", mass=1, inertia=[1, 1, 1], **way))
        assert b.q0[3:] == pytest.approx(p, abs=1e-15)
    assert built(Rigid("b", mass=1, inertia=[1, 1, 1]))[0].q0[3:] == [1, 0, 0, 0]


def test_angular_velocity_in_space() -> None:
    b, _ = built(Rigid("b", mass=1, inertia=[1, 1, 1], rotation=TURN, angular_velocity_space=SPIN))
    assert b.v0[3:] == pytest.approx(A.T @ SPIN, rel=1e-14)


def test_places() -> None:
    b, _ = built(Particle("ball", mass=1.0), Rigid("b", **BODY, rotation=TURN))
    x = np.array([1.0, 2.0, 3.0])
    for ref, local, label in (("b", (0, 0, 0), "b"), ("b.center", C, "b.center"), ("b.tip", (1, 0, -2), "b.tip")):
        place = b.place(ref, "here")
        assert place.position == pytest.approx(x + A @ np.array(local), rel=1e-14)
        assert place.local == pytest.approx(np.array(local) - C, abs=1e-15)
        assert place.axes == pytest.approx(A, abs=1e-14)
        assert (place.kind, place.iq, place.iv, place.label) == (tab.FRAME, 3, 3, label)
    assert b.place("b.first", "here") is b.place("b", "here")
    picked = b.place("b", "here", point=np.array([0.3, 0.1, 5.0]))
    start = x + A @ C
    assert start + A @ picked.local == pytest.approx([0.3, 0.1, 5.0], abs=1e-14)
    info = b.bodies["b"]
    assert info.rigid
    assert info.single
    assert info.mass == 3.0
    assert info.momentum_rows.tolist() == [[3, 4, 5]]
    assert info.attach is not None
    assert np.array_equal(info.attach.local, np.zeros(3))


def test_picture_of_shapes_and_of_none(tmp_path: Path) -> None:
    b, _ = built(Rigid("b", **BODY, rotation=TURN, shape=SHAPES[0]), Rigid("dot", mass=1, inertia=[1, 1, 1], center=C))
    picture = b.bodies["b"].picture
    points, triangles = SHAPES[0].surface()
    assert picture is not None
    assert picture.local == pytest.approx(points + np.array(SHAPES[0].center) - C, abs=1e-15)
    assert np.array_equal(picture.triangles, triangles)
    assert picture.vertices.size == 0
    assert set(picture.kind.tolist()) == {tab.FRAME}
    dot = b.bodies["dot"].picture
    assert dot is not None
    assert dot.local == pytest.approx(-C[None])  # the reference point
    assert (dot.vertices.tolist(), len(dot.triangles)) == ([0], 0)
    assert (set(dot.iq.tolist()), set(dot.iv.tolist())) == ({7}, {6})


def test_picture_of_a_surface_mesh(tmp_path: Path) -> None:
    points = np.array([[9, 9, 9], [0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1.0]])
    cells = [("quad", np.array([[1, 2, 3, 4]])), ("triangle", np.array([[1, 2, 5]])), ("line", np.array([[0, 5]]))]
    meshio.Mesh(points, cells).write(tmp_path / "s.vtu")
    b, _ = built(Rigid("b", mass=1, inertia=[1, 1, 1], center=C, mesh=tmp_path / "s.vtu", shape=SHAPES[3]))
    picture = b.bodies["b"].picture
    sphere = len(SHAPES[3].surface()[0])
    assert picture is not None
    assert picture.local[sphere:] == pytest.approx(points[1:] - C)  # the point that no surface uses is left out
    assert (picture.triangles[-3:] - sphere).tolist() == [[0, 1, 2], [0, 2, 3], [0, 1, 4]]
    meshio.Mesh(points, cells[2:]).write(tmp_path / "lines.vtu")
    with pytest.raises(InputError, match="triangles.*quadrilaterals .cells.*line."):
        Rigid("b", mass=1, inertia=[1, 1, 1], mesh=tmp_path / "lines.vtu")


# ---------------------------------------------------------------------------------------- planar

PLANAR = dict(mass=3.0, inertia=0.7, center=(0.5, -0.2), angle=0.6, velocity=(1, 2), angular_velocity=1.5)


def test_planar_body() -> None:
    gravity = np.array([0.5, -9.81, 0.0])
    body = RigidPlanar("b", **PLANAR, position=(4, 3, 0.25), points={"tip": (1, 2), "top": (1, 2, 0.5)})
    b, s = built(Particle("ball", mass=1.0), body, gravity=gravity)
    R = Rotation.from_rotvec([0, 0, 0.6]).as_matrix()
    arm = R @ [0.5, -0.2, 0.0]
    assert b.q0[3:] == pytest.approx([4 + arm[0], 3 + arm[1], 0.6], rel=1e-14)
    assert b.v0[3:] == pytest.approx([1 - 1.5 * arm[1], 2 + 1.5 * arm[0], 1.5], rel=1e-14)
    assert np.array_equal(dense(s.linear.M, 6)[3:, 3:], np.diag([3.0, 3.0, 0.7]))
    assert s.linear.F0[3:] == pytest.approx([1.5, -29.43, 0.0], rel=1e-14)
    for ref, point in (("b", (0, 0, 0)), ("b.tip", (1, 2, 0)), ("b.top", (1, 2, 0.5)), ("b.center", (0.5, -0.2, 0))):
        place = b.place(ref, "here")
        assert place.position == pytest.approx([4, 3, 0.25] + R @ np.array(point), rel=1e-14)
        r = np.array([b.q0[3], b.q0[4], 0.0]) + R @ place.local
        assert r == pytest.approx(place.position, rel=1e-14)
        assert (place.kind, place.iq, place.iv) == (tab.PLANAR, 3, 3)
        assert (place.dof.tolist(), place.qdof.tolist(), place.D.shape) == ([3, 4, 5], [3, 4, 5], (3, 6))
    picked = b.place("b", "here", point=np.array([1.0, 1.0, 1.0]))
    assert np.array([b.q0[3], b.q0[4], 0.0]) + R @ picked.local == pytest.approx([1, 1, 1], rel=1e-14)
    info = b.bodies["b"]
    assert info.momentum_rows.tolist() == [[3, 4, -1]]
    assert info.rigid
    assert info.single
    assert info.picture is not None
    assert np.array([b.q0[3], b.q0[4], 0.0]) + R @ info.picture.local[0] == pytest.approx([4, 3, 0.25], rel=1e-14)


def test_planar_body_does_not_follow_gravity_along_z() -> None:
    with pytest.raises(InputError, match="gravity.*component.*z .0.7 m/s.2..*planar body"):
        built(RigidPlanar("b", **PLANAR))


# ---------------------------------------------------------------------------------------- bodies of small displacement


def test_bodies_of_small_displacement_are_what_the_linear_system_has() -> None:
    bodies = [
        Bar("rod", length=3, elements=3, area=1, young=50, density=1, position=(0, 0, 1), direction=(1, 2, 2),
            damping=(0.1, 0.2), velocity=(1, 2, 2)),
        Beam("arm", length=2, elements=2, section={"shape": "circle", "radius": 0.2}, young=80, density=2,
             bending="spatial", position=(0, 5, 2), direction=(1, 0, 1), supports=[("first", "clamped")],
             points={"tip": "last"}),
        Particle("bead", mass=1.5, position=(4, 1, 5), velocity=(0, 0, 2), axes="xz"),
    ]  # fmt: skip
    model = Model(gravity=G)
    for body in bodies:
        model.add(body)
    linear = model.assemble()
    b, s = built(*bodies)
    n = linear.nv
    for mine, theirs in ((s.linear.M, linear.M), (s.linear.C, linear.C), (s.linear.K, linear.K)):
        assert np.array_equal(dense(mine, n), theirs.toarray())
    assert pytest.approx(linear.F0, rel=1e-14) == s.linear.F0
    assert pytest.approx(linear.V0, rel=1e-14) == s.linear.V0
    assert np.array_equal(b.q0, np.zeros(n))
    assert np.array_equal(b.v0, linear.v0)
    assert tuple(b.dof_names) == linear.dof_names
    q = np.random.default_rng(1).normal(size=n)
    moved = (linear.layout.displacement @ q).reshape(-1, 3)
    turned = (linear.layout.rotation @ q).reshape(-1, 3)
    places = [place for info in b.bodies.values() for place in info.nodes]
    for i, place in enumerate(places):
        change = q[place.dof] @ place.D
        assert change == pytest.approx([*moved[i], *turned[i]], abs=1e-14)
        assert np.array_equal(place.position, linear.layout.points[i])
        assert np.array_equal(place.dof, place.qdof)
        assert (place.kind, place.iq, place.iv) == (tab.NODE, -1, -1)
        assert np.all(np.any(place.D, axis=1))
    assert [p.turns for p in places] == [False] * 4 + [False, True, True] + [False]  # the clamped node does not turn
    assert [p.label for p in places][3:] == ["rod.node(3)", "arm.node(0)", "arm.node(1)", "arm.node(2)", "bead"]
    assert b.place("arm.tip", "here") is places[6]
    assert b.place("bead", "here") is places[7]
    for name, info in b.bodies.items():
        picture = info.picture
        assert picture is not None
        local = np.zeros((len(info.nodes), 6))
        np.add.at(local.reshape(-1), picture.row, picture.value * q[picture.vdof])
        first = next(k for k, place in enumerate(places) if place is info.nodes[0])
        count = len(info.nodes)
        assert local == pytest.approx(np.hstack([moved, turned])[first : first + count], abs=1e-14)
        assert np.array_equal(picture.vdof, picture.qdof)
        assert len(picture.lines) == count - 1
        assert picture.vertices.tolist() == ([0] if name == "bead" else [])
        assert info.momentum_map is not None
        assert info.momentum_map.shape == (3, info.unknowns.size)
    rod = b.bodies["rod"]
    assert rod.momentum_map @ linear.v0[rod.unknowns] == pytest.approx([3, 6, 6], rel=1e-13)


def test_unknowns_of_q_and_v_differ_after_a_frame() -> None:
    b, _ = built(Rigid("b", mass=1, inertia=[1, 1, 1]), Particle("bead", mass=1, axes="z"))
    place = b.place("bead", "here")
    assert (place.dof.tolist(), place.qdof.tolist()) == ([6], [7])
    picture = b.bodies["bead"].picture
    assert picture is not None
    assert (picture.vdof.tolist(), picture.qdof.tolist(), picture.row.tolist()) == ([6], [7], [2])


def test_kinds_are_found_by_their_files() -> None:
    assert {"bar", "beam", "particle", "rigid", "rigid-planar"} <= set(KINDS)
    assert KINDS["rigid"] is Rigid
    assert [KINDS[k].large_motion for k in ("bar", "beam", "particle", "rigid", "rigid-planar")] == [0, 0, 0, 1, 1]


# ---------------------------------------------------------------------------------------- bad input

BOX = {"kind": "box", "size": [1, 1, 1]}
WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "no mass": (dict(inertia=[1, 1, 1]), "bodies.b.mass.*missing"),
    "no inertia": (dict(mass=1), "bodies.b.inertia.*missing"),
    "mass zero": (dict(mass=0, inertia=[1, 1, 1]), "bodies.b.mass = 0.*positive"),
    "zero inertia": (dict(mass=1, inertia=[0, 0, 0]), "principal moments 0, 0, 0.*positive"),
    "one zero": (dict(mass=1, inertia=[0, 1, 1]), "principal moments 0, 1, 1.*positive"),
    "indefinite": (dict(mass=1, inertia=[1, 1, 1, 2, 0, 0]), "principal moments -1, 1, 3.*positive"),
    "triangle": (dict(mass=1, inertia=[1, 2, 3.1]), "moments 1, 2, 3.1 .*larger.*sum"),
    "hidden triangle": (dict(mass=1, inertia=[3, 3, 1.5, 2, 0, 0]), "moments 1, 1.5, 5 .*larger.*sum"),
    "not symmetric": (dict(mass=1, inertia=[[1, 0.1, 0], [0, 1, 0], [0, 0, 1]]), "symmetric"),
    "two numbers": (dict(mass=1, inertia=[1, 1]), r"inertia = \[1, 1\].*\[Ixx"),
    "too near": (dict(mass=1, inertia=[1, 1, 1], center=[2, 0, 0], inertia_about="reference"),
                 "moments.*mass -3, -3, 1"),
    "about": (dict(mass=1, inertia=[1, 1, 1], inertia_about="centre"), "'center'"),
    "quaternion": (dict(quaternion=[1, 0, 0, 0.1]), "length 1.*1.00498756"),
    "axes length": (dict(axes=[[1, 0, 0], [0, 2, 0]]), "y axis.*length 1.*2"),
    "axes angle": (dict(axes=[[1, 0, 0], [0.6, 0.8, 0]]), "perpendicular.* 0.6"),
    "two orientations": (dict(quaternion=[1, 0, 0, 0], rotation=[0, 0, 0]), "b.rotation.*quaternion"),
    "two spins": (dict(angular_velocity=[1, 0, 0], angular_velocity_space=[1, 0, 0]), "not both"),
    "density and mass": (dict(mass=1, density=1, shape=BOX), "bodies.b.mass = 1.*density"),
    "density alone": (dict(density=1), "density = 1.0.*shape"),
    "huge": (dict(density=1e300, shape={"kind": "sphere", "radius": 1e60}), "too large"),
    "shape kind": (dict(shape={"kind": "ball", "radius": 1}), "bodies.b.shape.kind.*must"),
    "mesh shape": (dict(shape={"kind": "mesh", "file": "a.stl"}), "key mesh"),
    "shape key": (dict(shape=[BOX, {"kind": "sphere", "size": 1}]), r"bodies.b.shape\[1\].size.*unknown key"),
    "shape size": (dict(shape={"kind": "box", "size": [1, 1, 0]}), "shape.size.*three positive numbers"),
    "no shapes": (dict(shape=[]), "least.*shape"),
    "no mesh": (dict(mesh="nowhere.stl"), "bodies.b.mesh = 'nowhere.stl'.*mesh file"),
    "point name": (dict(points={"center": [0, 0, 0]}), "bodies.b.points.center.*reserved"),
    "point": (dict(points={"tip": [0, 0]}), "bodies.b.points.tip .*three numbers"),
    "name": (dict(name="ground"), "reserved"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_bad_rigid_body(case: str) -> None:
    given, words = WRONG[case]
    good: dict[str, Any] = {"name": "b"}
    if not {"mass", "inertia", "density"} & set(given):
        good |= {"mass": 1.0, "inertia": [1, 1, 1]}
    with pytest.raises(InputError, match=words):
        Rigid(**(good | given))


def test_limits_of_the_checks_are_allowed() -> None:
    Rigid("disc", mass=1, inertia=[1, 1, 2])  # a lamina: exactly the sum
    Rigid("disc", mass=1, inertia=[1, 1, 2 * (1 + 4e-10)])
    with pytest.raises(InputError, match="larger than the sum"):
        Rigid("disc", mass=1, inertia=[1, 1, 2 * (1 + 2e-9)])
    body = Rigid("b", mass=1, inertia=[1, 1, 1], quaternion=[0.70710678, 0.70710678, 0, 0])  # typed digits
    assert np.linalg.norm(built(body)[0].q0[3:]) == pytest.approx(1.0, abs=3e-16)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (dict(mass=-1), "mass = -1: must be positive"),
        (dict(inertia=0.0), "inertia = 0.0: must be positive"),
        (dict(inertia=[1, 1, 1]), "must be a number"),
        (dict(velocity=(0, 0, 1)), "cannot move along z"),
        (dict(center=(1,)), "two or three numbers"),
        (dict(points={"a.b": (0, 0)}), "points.a.b: a name is"),
    ],
)
def test_bad_planar_body(given: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        RigidPlanar("b", **(PLANAR | given))


VALUES = (
    1, 0, -2.5, float("nan"), float("inf"), 1e300, 1e-320, 4 * 10**18, True, "", "x", "a\0b", "x" * 300,
    {}, {"x": 1}, {"kind": "x"}, {"kind": "box"}, {"kind": "sphere", "radius": 1e300}, [], [1.0],
    {"kind": "box", "size": [1e-320, 1, 1]}, {"kind": "cylinder", "radius": 1e200, "length": 1e-200},
    [1, float("nan"), 0],
    [0.0] * 3, [1e200, -1e200, 1e200], [1e300] * 3, [1e-320] * 3, ["x"], [True] * 3, [[1.0, 2.0], [3.0]],
    [[1, 2, 3], [4, 5, 6]], [[1e300, 0, 0], [0, 1e300, 0]], [1e300, 0, 0, 1e300], [{}],
    [1e300, 1e300, 1e300, 1e300, 0, 0],
)  # fmt: skip


@pytest.mark.parametrize("cls", [Rigid, RigidPlanar])
def test_values_a_key_was_not_made_for(cls: Any) -> None:
    good: dict[str, Any] = {"mass": 1.0, "inertia": [1, 1, 1], "center": [0.1, 0, 0], "inertia_about": "reference"}
    goods = [good, {"density": 1.0, "shape": BOX}] if cls is Rigid else [PLANAR]
    refused = 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for base in goods:
            for key in inspect.signature(cls).parameters:
                for value in VALUES:
                    try:
                        body = cls(**({"name": "b"} | base | {key: value}))
                    except InputError:
                        refused += 1
                        continue
                    body.add_to(Builder(np.zeros(3), 0.0))
    assert refused > 300
