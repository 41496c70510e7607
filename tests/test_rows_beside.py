"""Rows beside the normals in large motion: rates of material points, turns of tangents, conjugate forces."""

from __future__ import annotations

import numpy as np
import pytest
from rotor_models import Wheel, free, given
from scipy.spatial.transform import Rotation
from test_spin_kernels import model_of

import flexmb as fm
from flexmb.errors import InputError
from flexmb.kernels.multibody.rows_beside import space_tangent

LAWS = {"friction": 0.3, "rolling": 0.01, "spinning": 0.02}


def ball(name: str, x: tuple[float, float, float]) -> fm.Rigid:
    return fm.Rigid(name, mass=2.0, inertia=(0.03, 0.04, 0.05), position=x)


def plane_model() -> fm.Model:
    model = fm.Model()
    model.add(ball("ball", (0.1, 0.2, 0.3)))
    model.add(fm.NodePlane("floor", node="ball", normal=(0.2, -0.3, 1.0), point=(0.0, 0.0, 0.0), radius=0.2, **LAWS))
    return model


def carried_plane_model() -> fm.Model:
    model = fm.Model()
    model.add(ball("ball", (0.1, 0.2, 0.9)))
    model.add(ball("table", (0.3, 0.0, 0.0)))
    keys = {"normal": (0.2, -0.3, 1.0), "point": (0.1, 0.3, 0.2), "radius": 0.2, "body": "table"}
    model.add(fm.NodePlane("top", node="ball", **keys, **LAWS))
    return model


def pair_model() -> fm.Model:
    model = fm.Model()
    model.add(ball("a", (0.1, 0.2, 0.3)))
    model.add(ball("b", (0.5, -0.1, 0.6)))
    model.add(fm.SphereSphere("pair", a="a", b="b", radius_a=0.2, radius_b=0.3, **LAWS))
    return model


def ring_model() -> fm.Model:
    model = fm.Model()
    model.add(ball("disk", (0.1, 0.2, 0.3)))
    model.add(ball("ring", (0.0, 0.0, 0.1)))
    keys = {"gap": 0.5, "stator": "ring", "axis": (0.0, 0.6, 0.8), "radius": 0.4, "offset": (0.02, 0.0, 0.01)}
    model.add(fm.Clearance("rub", node="disk", **keys, **LAWS))
    return model


MODELS = {"plane": plane_model, "carried plane": carried_plane_model, "pair": pair_model, "ring": ring_model}


def state_of(system, seed: int = 3):
    """Return a random state near the start."""
    rng = np.random.default_rng(seed)
    q = system.advance(system.q0, 0.1 * rng.normal(size=system.nv))
    return q, rng.normal(size=system.nv)


def pose(system, q, marker: int):
    point = system.at(0.0, q, np.zeros(system.nv))
    return point.markers.r[marker].copy(), point.markers.R[marker].copy()


def carried(system, q, marker: int, x, dq):
    """Return where a point at x that moves with a marker is after the increment dq."""
    r, R = pose(system, q, marker)
    r_1, R_1 = pose(system, system.advance(q, dq), marker)
    return r_1 + R_1 @ R.T @ (x - r)


@pytest.mark.parametrize("name", MODELS)
def test_rates_are_those_of_material_points_and_of_relative_rotations(name: str) -> None:
    system = MODELS[name]().assemble()
    blocks = system.contacts.blocks
    assert (blocks.slides[0], blocks.turns[0], blocks.spins[0]) == (2, 2, 1)
    q, v = state_of(system)
    here = system.instant(0.0, q, v)
    rows = system.tables.rows
    A, B = rows.marker[rows.ptr[0] : rows.ptr[0] + 2]
    n = here._grad[rows.ptr[0] + 1, :3]
    arm = {"plane": 0.2, "carried plane": 0.2, "pair": 0.3, "ring": 0.4}[name]
    c = pose(system, q, B)[0] - arm * n
    tangents = [here._grad[rows.ptr[1 + k] + 1, :3] for k in range(2)]
    frame = np.array([n, *tangents])
    np.testing.assert_allclose(frame @ frame.T, np.eye(3), rtol=0, atol=1e-14)
    eps = 1e-5
    ahead, behind = ([carried(system, q, m, c, s * eps * v) for m in (A, B)] for s in (1.0, -1.0))
    rate = ((ahead[1] - ahead[0]) - (behind[1] - behind[0])) / (2.0 * eps)
    np.testing.assert_allclose(here.U_T[:2], frame[1:] @ rate, rtol=0, atol=1e-8)
    turned = [
        Rotation.from_matrix(pose(system, system.advance(q, eps * v), m)[1] @ pose(system, q, m)[1].T).as_rotvec() / eps
        for m in (A, B)
    ]
    axes = [here._grad[rows.ptr[3 + k] + 1, 3:] for k in range(3)]
    np.testing.assert_allclose(np.array(axes) @ np.array(axes).T, np.eye(3), rtol=0, atol=1e-14)
    np.testing.assert_allclose(axes[2], n, rtol=0, atol=1e-14)
    np.testing.assert_allclose(here.U_T[2:], np.array(axes) @ (turned[1] - turned[0]), rtol=0, atol=1e-4)


@pytest.mark.parametrize("name", ["pair", "ring", "carried plane"])
def test_impulses_beside_normals_keep_momentum_and_angular_momentum(name: str) -> None:
    system = MODELS[name]().assemble()
    q, v = state_of(system)
    here = system.instant(0.0, q, v)
    impulses = here.to_space(here.H.toarray())
    x = (q[:3], q[7:10])
    np.testing.assert_allclose(impulses[0:3] + impulses[6:9], 0.0, rtol=0, atol=1e-14)
    spins = impulses[3:6] + impulses[9:12]
    spins += np.cross(x[0], impulses[0:3].T).T + np.cross(x[1], impulses[6:9].T).T
    np.testing.assert_allclose(spins, 0.0, rtol=0, atol=1e-14)


def test_tangents_of_spheres_do_not_turn_with_them() -> None:
    system = pair_model().assemble()
    rows = system.tables.rows
    before = system.instant(0.0, system.q0, system.v0)
    turned = np.zeros(system.nv)
    turned[3:6], turned[9:12] = (0.3, -1.0, 0.7), (2.0, 0.1, 0.4)
    after = system.instant(0.0, system.advance(system.q0, turned), system.v0)
    for k in range(2):
        slot = rows.ptr[1 + k] + 1
        np.testing.assert_allclose(after._grad[slot, :3], before._grad[slot, :3], rtol=0, atol=1e-15)


def test_tangents_in_space_are_smooth_in_the_normal() -> None:
    rng = np.random.default_rng(5)
    p = np.array([0.533, 0.377, 0.758]) / np.linalg.norm([0.533, 0.377, 0.758])
    for n in [*np.eye(3), *-np.eye(3), *rng.normal(size=(200, 3))]:
        n = n / np.linalg.norm(n)
        near = n + 1e-7 * rng.normal(size=3)
        near /= np.linalg.norm(near)
        t = np.array([space_tangent(tuple(n), which) for which in (0, 1)])
        np.testing.assert_allclose(np.array([n, *t]) @ np.array([n, *t]).T, np.eye(3), rtol=0, atol=1e-13)
        turned = np.array([space_tangent(tuple(near), which) for which in (0, 1)])
        assert np.abs(turned - t).max() <= 1e-6 / (1.0 + n @ p)
    t = np.array([space_tangent(tuple(-p), which) for which in (0, 1)])
    np.testing.assert_allclose(np.array([-p, *t]) @ np.array([-p, *t]).T, np.eye(3), rtol=0, atol=1e-12)


def test_planar_bodies_have_one_tangent_and_one_axis_of_rolling() -> None:
    model = fm.Model()
    model.add(fm.RigidPlanar("disk", mass=1.0, inertia=0.1, position=(0.0, 1.0)))
    model.add(fm.RigidPlanar("other", mass=1.0, inertia=0.1, position=(0.64, 1.48)))
    model.add(fm.NodePlane("floor", node="disk", normal=(0.0, 1.0, 0.0), radius=0.5, friction=0.3, rolling=0.01))
    model.add(fm.SphereSphere("pair", a="disk", b="other", radius=0.4, friction=0.3, rolling=0.01))
    system = model.assemble()
    blocks = system.contacts.blocks
    np.testing.assert_array_equal([blocks.slides, blocks.turns, blocks.spins], [[1, 1], [1, 1], [0, 0]])
    q, v = system.q0.copy(), np.array([1.0, 0.0, 3.0, 0.0, 0.0, 2.0])
    U_T = system.instant(0.0, q, v).U_T
    t = np.array([-0.6, 0.8])  # z x n, n from the disk to the other
    expected = [1.0 + 0.5 * 3.0, 3.0, -t[0] * 1.0 - 0.4 * (3.0 + 2.0), 2.0 - 3.0]
    np.testing.assert_allclose(np.abs(U_T), np.abs(expected), rtol=0, atol=1e-14)


def test_a_particle_in_space_slides_and_does_not_roll() -> None:
    model = fm.Model()
    model.add(fm.Particle("p", 1.0, position=(0.0, 0.0, 1.0)))
    model.add(ball("b", (3.0, 0.0, 1.0)))  # makes it large motion
    model.add(fm.NodePlane("floor", node="p", normal=(0.0, 0.0, 1.0), friction=0.3))
    blocks = model.assemble().contacts.blocks
    assert (blocks.slides[0], blocks.turns[0]) == (2, 0)
    model.add(fm.NodePlane("other", node="p", normal=(0.0, 1.0, 0.0), point=(0.0, -1.0, 0.0), rolling=0.1))
    with pytest.raises(InputError) as err:
        model.assemble()
    assert "rolling" in str(err.value)
    assert "other" in str(err.value)


def test_surfaces_that_move_add_to_the_rates() -> None:
    model = fm.Model()
    model.add(ball("ball", (0.0, 0.0, 1.0)))
    keys = {"node": "ball", "normal": (0.0, 0.0, 1.0), "friction": 0.3}
    model.add(fm.NodePlane("belt", **keys, surface_velocity=(0.5, -0.2, 0.0)))
    wave = {"kind": "harmonic", "amplitude": 0.1, "frequency": 2.0}
    model.add(fm.NodePlane("shaker", **keys, motion=wave, motion_direction=(0.6, 0.0, 0.8)))
    system = model.assemble()
    here = system.instant(0.03, system.q0, system.v0)
    rate = 0.1 * 4.0 * np.pi * np.cos(4.0 * np.pi * 0.03)
    np.testing.assert_allclose(here.H_t, [-0.5, 0.2, -0.6 * rate, 0.0], rtol=0, atol=1e-14)
    np.testing.assert_allclose(here.U_T, here.H_t, rtol=0, atol=1e-14)
    np.testing.assert_allclose(here.g_t, [0.0, -0.8 * rate], rtol=0, atol=1e-14)


def rub_model(spin, **keys) -> fm.Model:
    model = model_of(Wheel("rotor", spin))
    model.add(fm.Clearance("ring", node="rotor", gap=0.5, radius=0.3, friction=0.2, **keys))
    return model


def test_the_spin_moves_the_rim_of_a_disk() -> None:
    given_spin = rub_model(given([0.0], [7.0])).assemble()
    free_spin = rub_model(free(7.0, 0.5)).assemble()
    q, v = np.array([0.1, 0.2, 0.0, 0.0]), np.array([0.4, -0.3, 0.0, 0.0])
    u = np.array([0.1, 0.2]) / np.hypot(0.1, 0.2)
    s = np.array([-u[1], u[0]])
    here = given_spin.instant(0.0, q, v)
    np.testing.assert_allclose(here.H_t, [7.0 * 0.3], rtol=1e-14)
    np.testing.assert_allclose(here.U_T, [s @ v[:2] + 7.0 * 0.3], rtol=1e-14)
    there = free_spin.instant(0.0, np.append(q, 12.0), np.append(v, 7.0))
    np.testing.assert_allclose(there.H_t, [0.0], rtol=0, atol=1e-15)
    np.testing.assert_allclose(there.U_T, here.U_T, rtol=1e-13)
    np.testing.assert_allclose(there.H.toarray()[-1], [0.3], rtol=1e-13)  # the torque on the spin
    opposite = rub_model(given([0.0], [7.0]), axis=(-1.0, 0.0, 0.0)).assemble().instant(0.0, q, v)
    np.testing.assert_allclose(opposite.U_T, -here.U_T, rtol=1e-14)


def test_a_spinning_disk_needs_its_radius() -> None:
    model = model_of(Wheel("rotor", given([0.0], [7.0])))
    model.add(fm.Clearance("ring", node="rotor", gap=0.5, friction=0.2))
    with pytest.raises(InputError) as err:
        model.assemble()
    assert "radius" in str(err.value)


def test_systems_without_friction_have_no_rows_beside_normals() -> None:
    model = fm.Model()
    model.add(ball("ball", (0.0, 0.0, 1.0)))
    model.add(fm.NodePlane("floor", node="ball", normal=(0.0, 0.0, 1.0), radius=0.2))
    system = model.assemble()
    assert system.tables.rows.kind.size == system.tables.contacts == 1
    assert system.instant(0.0, system.q0, system.v0).H.shape == (6, 0)


def bars(*positions: tuple[float, float, float]) -> fm.Model:
    """Bars along x, whose nodes move along x only."""
    model = fm.Model()
    keys = {"section": fm.Section(area=1e-4), "material": fm.Material(young=2e11, density=7800.0)}
    for name, position in zip("ab", positions, strict=True):
        model.add(fm.Bar(name, length=1.0, elements=1, position=position, **keys))
    return model


def test_spheres_on_parallel_rails_slide_along_them() -> None:
    model = bars((0.0, 0.0, 0.0), (0.1, 0.2, 0.0))
    model.add(fm.SphereSphere("pair", a="a.last", b="b.last", radius=0.1, friction=0.3))
    system = model.assemble()
    assert list(system.contacts.blocks.slides) == [1]
    n = np.array([0.1, 0.2]) / np.hypot(0.1, 0.2)
    U_T = system.instant(0.0, system.q0, np.array([0.0, 1.0, 0.0, 3.0])).U_T
    np.testing.assert_allclose(np.abs(U_T), 2.0 * n[1], rtol=0, atol=1e-14)


@pytest.mark.parametrize("kind", ["plane", "nodes", "pair", "chain"])
def test_friction_where_nothing_can_slide_is_refused(kind: str) -> None:
    model = bars((0.0, 0.0, 0.0), (1.3, 0.0, 0.0))
    model.add(ball("far", (9.0, 0.0, 0.0)))
    contact = {
        "plane": lambda: fm.NodePlane("c", node="a.last", normal=(-1.0, 0.0, 0.0), point=(2.0, 0.0, 0.0), friction=0.3),
        "nodes": lambda: fm.NodeNode("c", node="b.first", node2="a.last", friction=0.3),
        "pair": lambda: fm.SphereSphere("c", a="a.last", b="b.first", radius=0.1, friction=0.3),
        "chain": lambda: fm.SphereSphere("c", chain=["a.last", "b.first"], radius=0.1, friction=0.3),
    }
    model.add(contact[kind]())
    with pytest.raises(InputError) as err:
        model.assemble()
    assert (err.value.key, err.value.where) == ("friction", "contacts.c")
