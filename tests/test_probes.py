"""Signals of large motion, against bodies made of point masses whose velocities are summed by hand."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pytest
from messages import pattern

from flexmb.assembly.builder import Builder, Group
from flexmb.assembly.markers import BodyInfo, Marker, ground, on_frame
from flexmb.errors import InputError
from flexmb.kernels.geometry.rotation import axes_of, exp_so3, quaternion_of
from flexmb.kernels.geometry.tables import FLOATING, NODE, PLANAR, System
from flexmb.system.layout import Carriers, carriers_of
from flexmb.system.probes import MultibodyProbe, default_names, probe

K = 7
HEIGHT = 0.6


@dataclass
class Masses:
    """Point masses of one body: what sums over them say is what the signals must say."""

    mass: np.ndarray
    places: list[Marker]


@dataclass
class World:
    """All bodies; ``momentum`` is the sum over the masses, by the definition of generalized momentum."""

    builder: Builder
    masses: dict[str, Masses]

    @cached_property
    def tables(self) -> System:
        return self.builder.build()

    @property
    def q0(self) -> np.ndarray:
        return np.array(self.builder.q0)

    @property
    def nv(self) -> int:
        return len(self.builder.v0)

    def carriers(self, name: str) -> Carriers:
        return carriers_of(self.masses[name].places, self.q0, self.nv)

    def momentum(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        p = np.zeros(self.nv)
        every = np.eye(self.nv)
        for name, body in self.masses.items():
            J = self.carriers(name).velocities(np.tile(q, (self.nv, 1)), every)  # per unit of each unknown
            p += np.einsum("dia,i,eia,e->d", J, body.mass, J, v)
        return p

    def probe(self, name: str) -> MultibodyProbe:
        return probe(name, self.builder.bodies, {joint.name: joint for joint in self.builder.joints}, self)

    def values(self, name: str, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        found = self.probe(name)
        out = found.evaluate(np.zeros(len(q)), q, v, np.zeros((len(q), 0)))
        assert out.shape == (len(q), found.size)
        return out


def lumps(rng: np.random.Generator, n: int, flat: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Return n masses and their places about their common centre."""
    m, s = rng.uniform(1.0, 2.0, n), rng.normal(size=(n, 3))
    s[:, 2] *= not flat
    return m, s - m @ s / m.sum()


def frame(builder: Builder, rng: np.random.Generator, label: str) -> tuple[int, int, np.ndarray, np.ndarray]:
    p = rng.normal(size=4)
    x, p = rng.normal(size=3), p / np.linalg.norm(p)
    A = np.empty((3, 3))
    axes_of(p, 0, A)
    return *builder.add_frame(x, p, np.zeros(3), np.zeros(3), label), x, A


def add_brick(builder: Builder, rng: np.random.Generator) -> Masses:
    m, s = lumps(rng, 5)
    iq, iv, x, A = frame(builder, rng, "brick")
    builder.add_matrix("M", iv + np.arange(3), m.sum() * np.eye(3))
    named = {"tip": on_frame(iq, iv, x, A, np.array([1.0, 2.0, 3.0]), "brick.tip")}
    reference = on_frame(iq, iv, x, A, np.array([0.5, 0.0, 0.0]), "brick")
    rows = iv + np.arange(3)[None]
    builder.add_body(BodyInfo("brick", [reference], named, True, m.sum(), iv + np.arange(6), None, rows))
    return Masses(m, [on_frame(iq, iv, x, A, s_i, "") for s_i in s])


def add_disc(builder: Builder, rng: np.random.Generator) -> Masses:
    m, s = lumps(rng, 4, flat=True)
    iq, iv = builder.add_plain(rng.normal(size=3), np.zeros(3), ["x", "y", "theta"])
    builder.add_matrix("M", iv + np.arange(2), m.sum() * np.eye(2))

    def place(local: np.ndarray) -> Marker:
        at = np.array([*builder.q0[iq : iq + 2], 0.0]) + local
        return Marker(PLANAR, at, np.eye(3), local, iq, iv, iv + np.arange(3), iq + np.arange(3), np.zeros((3, 6)))

    center = place(np.array([0.0, 0.0, HEIGHT]))
    rows = np.array([[iv, iv + 1, -1]])
    builder.add_body(
        BodyInfo("disc", [center], {}, True, m.sum(), iv + np.arange(3), None, rows, rigid=True, attach=center)
    )
    return Masses(m, [place(s_i + [0.0, 0.0, HEIGHT]) for s_i in s])


def add_nodes(builder: Builder, rng: np.random.Generator, name: str) -> Masses:
    """Add a particle (``ball``) or three nodes that move along x (``bar``)."""
    single = name == "ball"
    nodes, ways = (1, np.eye(3)) if single else (3, np.eye(3)[:1])
    points, m, n = rng.normal(size=(nodes, 3)), rng.uniform(1.0, 2.0, nodes), nodes * len(ways)
    iq, iv = builder.add_plain(np.zeros(n), np.zeros(n), ["u"] * n)
    places = []
    for i, point in enumerate(points):
        dof = len(ways) * i + np.arange(len(ways))
        D = np.column_stack([ways, np.zeros_like(ways)])
        places.append(Marker(NODE, point, np.eye(3), point, -1, -1, iv + dof, iq + dof, D, turns=False))
    builder.add_matrix("M", iv + np.arange(n), np.diag(np.repeat(m, len(ways))))
    total = np.hstack([m_i * ways.T for m_i in m])
    center = m @ points / m.sum()
    named = {} if single else {"first": places[0], "mid": places[1], "last": places[2]}
    info = BodyInfo(name, places, named, single, m.sum(), iv + np.arange(n), momentum_map=total, center=center)
    builder.add_body(info)
    return Masses(m, places)


def add_beam(builder: Builder, rng: np.random.Generator) -> Masses:
    """Add three frames with lumps of their own."""
    nodes, masses, spread, rows = [], [], [], []
    for i in range(3):
        m, s = lumps(rng, 3)
        iq, iv, x, A = frame(builder, rng, f"beam.node({i})")
        builder.add_matrix("M", iv + np.arange(3), m.sum() * np.eye(3))
        nodes.append(on_frame(iq, iv, x, A, np.zeros(3), f"beam.node({i})"))
        masses.append(m)
        spread += [on_frame(iq, iv, x, A, s_i, "") for s_i in s]
        rows.append(iv + np.arange(3))
    m = np.concatenate(masses)
    unknowns = rows[0][0] + np.arange(18)
    named = {"first": nodes[0], "mid": nodes[1], "last": nodes[2]}
    builder.add_body(BodyInfo("beam", nodes, named, False, m.sum(), unknowns, None, np.array(rows)))
    return Masses(m, spread)


def add_arm(builder: Builder, rng: np.random.Generator) -> Masses:
    """Add a floating body of six masses and two modes; its frame is not at the centre of mass."""
    m, s, phi = rng.uniform(1.0, 2.0, 6), rng.normal(size=(6, 3)), rng.normal(size=(6, 2, 3))
    iq, iv, x, A = frame(builder, rng, "arm")
    mq, mv = builder.add_plain(rng.normal(size=2), np.zeros(2), ["a", "b"])
    dof = np.concatenate([iv + np.arange(6), mv + np.arange(2)])
    qdof = np.concatenate([iq + np.arange(3), [-1, -1, -1], mq + np.arange(2)])
    cross = np.array([np.cross(np.eye(3), s_i).T for s_i in s])  # -s~ as columns: omega -> omega x s
    Psi = np.concatenate([np.tile(np.eye(3), (6, 1, 1)), cross], axis=2)
    places = []
    for s_i, phi_i in zip(s, phi, strict=True):
        D = np.vstack([np.zeros((6, 6)), np.column_stack([phi_i, rng.normal(size=(2, 3))])])
        places.append(Marker(FLOATING, x, A, s_i, iq, iv, dof, qdof, D, label="arm"))
    zero = np.zeros
    builder.add_floating(
        frame_q=iq, frame_v=iv, mode_q=mq, mode_v=mv, modes=2, rr0=np.einsum("i,iab,iac->bc", m, Psi, Psi),
        rr1=zero((2, 6, 6)), rr2=zero((4, 6, 6)), rf0=np.einsum("i,iab,ika->kb", m, Psi, phi), rf1=zero((4, 6)),
        ff=zero(4), K=zero(4), C=zero(4),
    )  # fmt: skip
    rows = iv + np.arange(3)[None]
    builder.add_body(BodyInfo("arm", places, {"first": places[0], "last": places[-1]}, False, m.sum(), dof, None, rows))
    return Masses(m, places)


@pytest.fixture(scope="module")
def world() -> World:
    rng = np.random.default_rng(11)
    builder = Builder(np.zeros(3), 0.0)
    masses = {"brick": add_brick(builder, rng), "disc": add_disc(builder, rng), "arm": add_arm(builder, rng)}
    masses |= {name: add_nodes(builder, rng, name) for name in ("ball", "bar")}
    masses["beam"] = add_beam(builder, rng)
    R = np.empty((3, 3))
    exp_so3(rng.normal(size=3), R)
    beam = builder.bodies["beam"].nodes
    builder.joints = [
        Group("hinge", angle=builder.angle(builder.marker(beam[1], R), builder.marker(beam[2], R))),
        Group("weld"),
        Group("axle", angle=builder.angle(builder.marker(ground(np.zeros(3))), builder.marker(disc_place(builder)))),
    ]
    return World(builder, masses)


def disc_place(builder: Builder) -> Marker:
    return builder.bodies["disc"].nodes[0]


@pytest.fixture(scope="module")
def motion(world: World) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(12)
    q, v = rng.normal(size=(K, world.q0.size)), rng.normal(size=(K, world.nv))
    for iq, _ in world.builder.frames:
        q[:, iq + 3 : iq + 7] /= np.linalg.norm(q[:, iq + 3 : iq + 7], axis=1, keepdims=True)
    return q, v


@pytest.mark.parametrize("body", ["brick", "disc", "arm", "ball", "bar", "beam"])
def test_sums_over_the_masses(body: str, world: World, motion: tuple[np.ndarray, np.ndarray]) -> None:
    q, v = motion
    m, carriers = world.masses[body].mass, world.carriers(body)
    r, rdot = carriers.positions(q), carriers.velocities(q, v)
    tight = {"rtol": 0.0, "atol": 1e-12}
    np.testing.assert_allclose(world.values(f"{body}.momentum", q, v), np.einsum("i,kia->ka", m, rdot), **tight)
    center = np.einsum("i,kia->ka", m, r) / m.sum()
    np.testing.assert_allclose(world.values(f"{body}.center_of_mass", q, v), center, **tight)
    energy = 0.5 * np.einsum("i,kia,kia->k", m, rdot, rdot)
    np.testing.assert_allclose(world.values(f"{body}.kinetic_energy", q, v)[:, 0], energy, **tight)
    if body != "bar":
        angular = np.einsum("i,kia->ka", m, np.cross(r, rdot))
        np.testing.assert_allclose(world.values(f"{body}.angular_momentum", q, v), angular, rtol=0.0, atol=3e-12)


@pytest.mark.parametrize("name", ["brick", "brick.tip", "disc", "ball", "bar.node(2)", "beam.last", "arm.first"])
def test_places(name: str, world: World, motion: tuple[np.ndarray, np.ndarray]) -> None:
    q, v = motion
    (place,) = world.builder.places(name, "")
    carrier = carriers_of([place], world.q0, world.nv)
    expected = {
        "position": carrier.positions(q),
        "velocity": carrier.velocities(q, v),
        "displacement": carrier.positions(q) - carrier.positions(world.q0[None]),
        "rotation": carrier.rotations(q),
        "angular_velocity": carrier.angular_velocities(q, v),
        "orientation": carrier.orientations(q),
    }
    for quantity, values in expected.items():
        if quantity in ("rotation", "angular_velocity", "orientation") and not place.turns:
            with pytest.raises(InputError, match="have no rotation"):
                world.probe(f"{name}.{quantity}")
        else:
            np.testing.assert_array_equal(world.values(f"{name}.{quantity}", q, v), values[:, 0])


def test_modes(world: World, motion: tuple[np.ndarray, np.ndarray]) -> None:
    q, v = motion
    first = int(world.tables.floating.mode_q[0])
    np.testing.assert_array_equal(world.values("arm.modes", q, v), q[:, first : first + 2])
    np.testing.assert_array_equal(world.values("arm.mode(1)", q, v)[:, 0], q[:, first + 1])


def test_angle_of_a_joint(world: World) -> None:
    """Turned about the z axis of the first marker by a known angle, on bodies that turn as they like."""
    rng = np.random.default_rng(13)
    angle = np.linspace(0.3, 30.0, 200)
    q, v = np.tile(world.q0, (200, 1)), np.zeros((200, world.nv))
    markers, angles = world.tables.markers, world.tables.angles
    A, B = int(angles.A[0]), int(angles.B[0])
    p = rng.normal(size=4)
    p /= np.linalg.norm(p)
    R = np.empty((3, 3))
    axes_of(p, 0, R)
    z = np.zeros((3, 3))
    spin = rng.normal(size=3)
    for k, a in enumerate(angle):
        exp_so3(np.array([0.0, 0.0, a]), z)
        # R_B = R_A turned about its own z axis
        q[k, markers.iq[A] + 3 :][:4] = p
        q[k, markers.iq[B] + 3 :][:4] = quaternion_of(R @ markers.R0[A] @ z @ markers.R0[B].T)
        omega = spin + 1.7 * (R @ markers.R0[A])[:, 2]
        axes_b = R @ markers.R0[A] @ z @ markers.R0[B].T
        v[k, markers.iv[A] + 3 :][:3] = R.T @ spin
        v[k, markers.iv[B] + 3 :][:3] = axes_b.T @ omega
    np.testing.assert_allclose(world.values("joints.hinge.angle", q, v)[:, 0], angle, rtol=0, atol=1e-12)
    np.testing.assert_allclose(world.values("joints.hinge.angle_rate", q, v)[:, 0], 1.7, rtol=0, atol=1e-12)
    # as the steps have followed it, when they say so
    theta = rng.normal(size=(200, 2))
    found = world.probe("joints.hinge.angle").evaluate(angle, q, v, np.zeros((200, 0)), theta)
    np.testing.assert_array_equal(found[:, 0], theta[:, 0])
    disc = disc_place(world.builder)
    q[:, disc.iq + 2] = world.q0[disc.iq + 2] + angle
    v[:, disc.iv + 2] = -2.5
    turned = world.values("joints.axle.angle", q, v)[:, 0]
    np.testing.assert_allclose(turned - turned[0], angle - angle[0], rtol=0, atol=1e-12)
    np.testing.assert_allclose(world.values("joints.axle.angle_rate", q, v)[:, 0], -2.5, rtol=0, atol=1e-12)


def test_default_names(world: World) -> None:
    names = default_names(world.builder.bodies, world.builder.joints)
    assert names[:4] == ["brick.position", "brick.velocity", "brick.orientation", "brick.angular_velocity"]
    assert {"disc.rotation", "ball.velocity", "bar.mid.position", "beam.last.velocity", "arm.first.position"} <= set(
        names
    )
    assert "bar.first.rotation" not in names
    assert names[-2:] == ["joints.hinge.angle", "joints.axle.angle"]
    q, v = world.q0[None], np.zeros((1, world.nv))
    for name in names:
        assert np.isfinite(world.values(name, q, v)).all()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("brik.position", "'brick.position'"),
        ("brick.tip.velocty", "'brick.tip.velocity'"),
        ("brick.tp.velocity", "did you mean 'tip'?"),
        ("brick.tip.momentum", "body ... momentum, angular_momentum, center_of_mass, kinetic_energy"),
        ("beam.position", "node: beam.first.position, beam.mid.position, beam.last.position"),
        ("beam.all.position", "3 nodes ... single"),
        ("beam.node(3).position", "mid, last, node(0) ... node(2)"),
        ("bar.angular_momentum", "'bar' has momentum, center_of_mass, kinetic_energy"),
        ("bar.first.rotation", "nodes ... body ... rotation"),
        ("beam.modes", "'beam' has no modes"),
        ("arm.mode(2)", "mode(0) ... mode(1)"),
        ("joints.hing.angle", "did you mean 'hinge'?"),
        ("joints.hinge.angel", "did you mean 'angle'?"),
        ("joints.hinge.force", "recorded anyway"),
        ("joints.weld.angle", "joints ... hinge, axle"),
        ("nonsense", "bodies: brick, disc, arm, ball, bar, beam; joints: hinge, weld, axle"),
        (7, "unknown signal"),
    ],
)
def test_unknown_signals(name: str, words: str, world: World) -> None:
    with pytest.raises(InputError, match=pattern(words)) as info:
        world.probe(name)
    assert (info.value.where, info.value.key, info.value.value) == ("output", "signals", name)
