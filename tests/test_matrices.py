"""Bodies given by their matrices beside the same systems of other parts, and the checks of their numbers."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse
from scipy.io import mmwrite

import flexmb as fm
from flexmb.parts.bodies.matrices import Matrices
from flexmb.system.impulse_map import impulses_on_points

SLIDE = {"normal": (0.0, 1.0, 0.0), "friction": 0.3}


def pushed(result: fm.Result) -> np.ndarray:
    """Return the impulses of contacts on the points at each state, (n + 1, points, 3)."""
    fields = result.fields
    return np.array([fields.maps.impulse @ P for P in fields.impulse[()]]).reshape(len(fields.impulse), -1, 3)


def pair(kind: str, **more: object) -> fm.Model:
    """Return two masses with a spring between them; one slides on a floor against its weight, and hits a wall."""
    model = fm.Model(gravity=(0.0, -10.0, 0.0))
    ends = {"a": (0.0, 0.0, 0.0), "b": (1.0, 0.0, 0.0)}
    if kind == "matrices":
        eye = np.eye(4)
        points = {name: {"at": at, "x": eye[2 * i], "y": eye[2 * i + 1]} for i, (name, at) in enumerate(ends.items())}
        K = np.zeros((4, 4))
        K[np.ix_([0, 2], [0, 2])] = 40.0 * np.array([[1.0, -1.0], [-1.0, 1.0]])
        body = model.add(
            Matrices(
                "pair",
                mass_matrix=np.diag([2.0, 2.0, 3.0, 3.0]),
                stiffness_matrix=K,
                damping_matrix=0.01 * K,
                points=points,
                rates=[-1.0, 0.0, -1.0, 0.0],
                translation={"x": [1.0, 0.0, 1.0, 0.0], "y": [0.0, 1.0, 0.0, 1.0]},
                center=(0.6, 0.0, 0.0),
                lines=[["a", "b"]],
                **more,
            )
        )
        a, b = body.point("a"), body.point("b")
    else:
        a, b = (
            model.add(fm.Particle(name, mass=m, position=at, velocity=(-1.0, 0.0, 0.0), axes="xy")).first
            for (name, at), m in zip(ends.items(), (2.0, 3.0), strict=True)
        )
        model.add(fm.Spring("spring", node=a, node2=b, direction=(1.0, 0.0, 0.0), stiffness=40.0))
        model.add(fm.Damper("damper", node=a, node2=b, direction=(1.0, 0.0, 0.0), coefficient=0.4))
    model.add(fm.NodePlane("floor_a", node=a, **SLIDE))
    model.add(fm.NodePlane("floor_b", node=b, **SLIDE))
    model.add(fm.NodePlane("wall", node=a, normal=(1.0, 0.0, 0.0), point=(-0.1, 0.0, 0.0), restitution=0.5))
    return model


@pytest.mark.parametrize("scheme", [fm.MoreauJean(), fm.GeneralizedAlpha(rho_inf=0.8, ggl=True)])
def test_two_masses_move_as_particles_with_a_spring(scheme: object) -> None:
    found, other = (fm.simulate(pair(kind), scheme, step=1e-3, end=0.5) for kind in ("matrices", "particles"))
    for name in ("position", "velocity"):
        for point in "ab":
            np.testing.assert_allclose(
                found.signals[f"pair.{point}.{name}"], other.signals[f"{point}.{name}"], atol=1e-12
            )
    for contact in found.contacts:
        np.testing.assert_allclose(found.contacts[contact].impulse, other.contacts[contact].impulse, atol=1e-12)
    for work in ("kinetic", "potential", "work_friction", "work_contact", "work_damping"):
        np.testing.assert_allclose(getattr(found.energy, work), getattr(other.energy, work), atol=1e-11)
    np.testing.assert_allclose(pushed(found).sum(axis=1), pushed(other).sum(axis=1), atol=1e-12)


def test_a_joint_makes_it_part_of_large_motion() -> None:
    """With a rigid body beside it the same motion comes from the system of large motion."""
    model = pair("matrices", coordinates=[0.02, 0.0, 0.05, 0.0])
    model.add(fm.Rigid("far", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(9.0, 9.0, 9.0)))
    alone = pair("matrices", coordinates=[0.02, 0.0, 0.05, 0.0])
    found, other = (fm.simulate(m, fm.MoreauJean(), step=1e-3, end=0.3) for m in (model, alone))
    assert found.signals["pair.b.position"][0, 0] == 1.05
    np.testing.assert_allclose(found.signals["pair.b.position"], other.signals["pair.b.position"], atol=1e-10)
    np.testing.assert_allclose(found.energy.work_friction, other.energy.work_friction, atol=1e-9)


def test_contact_impulses_act_on_the_point_of_the_contact_only() -> None:
    """A rod that turns about its middle: both ends and the middle share two coordinates."""
    points = {
        "middle": {"at": (0.0, 0.0, 0.0), "y": (1.0, 0.0)},
        "left": {"at": (-1.0, 0.0, 0.0), "y": (1.0, -1.0)},
        "right": {"at": (1.0, 0.0, 0.0), "y": (1.0, 1.0)},
    }
    model = fm.Model(gravity=(0.0, -10.0, 0.0))
    translation = {"y": (1.0, 0.0)}
    rod = Matrices("rod", mass_matrix=np.diag([3.0, 1.0]), points=points, translation=translation)
    model.add(rod)
    for name in ("left", "right"):
        model.add(fm.NodePlane(name, node=rod.point(name), normal=(0.0, 1.0, 0.0)))
    model.add(fm.NodalForce("push", node=rod.point("right"), force=(0.0, -4.0, 0.0)))
    result = fm.simulate(model, fm.MoreauJean(), step=1e-2, end=0.1)
    np.testing.assert_allclose(result.contacts["right"].impulse[1:], 1e-2 * 19.0)
    np.testing.assert_allclose(pushed(result)[-1], [[0.0, 0.0, 0.0], [0.0, 0.15, 0.0], [0.0, 0.19, 0.0]], atol=1e-12)


def test_moments_of_friction_rows_are_not_taken_for_forces() -> None:
    """A rod that turns about one end: a friction row at the other has a force of 1 along y and a moment of 0.2."""
    D, R = np.zeros((6, 2)), np.zeros((6, 2))
    D[1], D[4], R[2], R[5] = (1.0, 0.0), (1.0, 1.0), (0.0, 1.0), (0.0, 1.0)
    layout = SimpleNamespace(displacement=sparse.csr_array(D), rotation=sparse.csr_array(R))
    contacts = SimpleNamespace(
        G=sparse.csc_array([[1.0], [1.0]]),
        H=sparse.csc_array([[1.0], [1.2]]),
        nc=1,
        blocks=SimpleNamespace(nt=1, owner=np.array([0])),
        points=np.array([[1, -1]]),
    )
    on_points = impulses_on_points(layout, contacts).toarray()
    np.testing.assert_allclose(on_points.T, [[0.0, 0.0, 0.0, 0.0, 1.0, 0.0]] * 2, atol=1e-12)


def test_matrices_are_read_from_files(tmp_path: Path) -> None:
    M, K = np.array([[2.0, 0.5], [0.5, 1.0]]), np.array([[9.0, -1.0], [-1.0, 4.0]])
    mmwrite(tmp_path / "M.mtx", sparse.coo_array(M))
    sparse.save_npz(tmp_path / "K.npz", sparse.csr_array(K))
    np.save(tmp_path / "C.npy", 0.1 * K)
    (tmp_path / "case.toml").write_text(
        """
        [time]
        end = 0.1
        step = 0.01
        [scheme]
        name = "newmark"
        [bodies.part]
        kind = "matrices"
        mass_matrix = "M.mtx"
        stiffness_matrix = "K.npz"
        damping_matrix = "C.npy"
        rates = [1.0, 0.0]
        points = { tip = { at = [0.0, 0.0, 0.0], x = [1.0, 1.0] } }
        """
    )
    system = fm.load_case(tmp_path / "case.toml").model().assemble()
    for found, given in ((system.M, M), (system.K, K), (system.strain.matrix(), K), (system.C, 0.1 * K)):
        np.testing.assert_allclose(found.toarray(), given, rtol=1e-15)
    fm.load_case(tmp_path / "case.toml").run(tmp_path / "out")
    again = fm.load_case(tmp_path / "out" / "case.toml").model().assemble()
    np.testing.assert_array_equal(again.M.toarray(), system.M.toarray())


GOOD = {"mass_matrix": [[2.0, 0.0], [0.0, 1.0]], "points": {"tip": {"at": (0.0, 0.0, 0.0), "x": (1.0, 0.0)}}}


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"mass_matrix": [[2.0, 0.1], [0.0, 1.0]]}, "symmetric"),
        ({"mass_matrix": [[2.0, 3.0], [3.0, 1.0]]}, "positive definite"),
        ({"mass_matrix": [[1.0, 0.0], [0.0, -1.0]]}, "positive definite"),
        ({"mass_matrix": [[1.0, 0.0], [0.0, 0.0]]}, "positive definite"),
        ({"mass_matrix": [[1.0, 0.0]]}, "mass_matrix"),
        ({"mass_matrix": []}, "square"),
        ({"mass_matrix": 3.0}, "square"),
        ({"mass_matrix": "nowhere.mtx"}, "nowhere"),
        ({"mass_matrix": "table.csv"}, "mtx"),
        ({"stiffness_matrix": [[1.0]]}, "2 x 2"),
        ({"stiffness_matrix": [[1.0, 2.0], [0.0, 1.0]]}, "symmetric"),
        ({"damping_matrix": [[-1.0, 0.0], [0.0, 1.0]]}, "semidefinite"),
        ({"coordinates": [1.0]}, "2 numbers"),
        ({"rates": [1.0, np.nan]}, "finite"),
        ({"translation": {"x": [1.0, 0.0], "y": [0.0, 1.0]}}, "same mass"),
        ({"translation": {"up": [1.0, 0.0]}}, "up"),
        ({"translation": {"x": [0.0, 0.0]}}, "translation.*zero"),
        ({"translation": {"x": [1.0, 0.0], "z": [0.0, 0.0]}}, "z.*zero"),
        ({"points": {}}, "at least one"),
        ({"points": {"tip": {"at": (0.0, 0.0, 0.0), "x": (1.0,)}}}, "2 numbers"),
        ({"lines": [["tip", "top"]]}, "tip"),
    ],
)
def test_wrong_numbers_are_refused(wrong: dict[str, object], words: str) -> None:
    with pytest.raises(fm.InputError, match=words):
        Matrices("part", **(GOOD | wrong))


def test_start_inside_is_refused_unless_admitted() -> None:
    def model(depth: float) -> fm.Model:
        out = fm.Model(initial_penetration=depth)
        body = out.add(Matrices("part", **GOOD, coordinates=[-1e-5, 0.0]))
        out.add(fm.NodePlane("wall", node=body.point("tip"), normal=(1.0, 0.0, 0.0)))
        return out

    with pytest.raises(fm.InputError, match="initial penetration"):
        model(0.9e-5).assemble()
    with pytest.raises(fm.InputError, match="penetration"):
        model(-1.0).assemble()
    assert model(1.1e-5).assemble().contacts.nc == 1


def test_no_weight_without_translation_is_said() -> None:
    model = fm.Model(gravity=(0.0, -10.0, 0.0))
    model.add(Matrices("part", **GOOD, translation={"x": [1.0, 0.0]}))
    assert any("bodies.part" in note for note in model.assemble().notes)


def test_equilibrium_and_modes_do_not_depend_on_the_start() -> None:
    """Two masses between springs, the first at a stop that it starts inside of."""
    K = np.array([[300.0, -100.0], [-100.0, 100.0]])
    points = {"a": {"at": (0.0, 0.0, 0.0), "x": (1.0, 0.0)}, "b": {"at": (1.0, 0.0, 0.0), "x": (0.0, 1.0)}}
    translation = {"x": (1.0, 1.0)}
    model = fm.Model(gravity=(9.0, 0.0, 0.0), initial_penetration=1e-6)
    M = np.diag([1.0, 2.0])
    chain = Matrices(
        "chain", mass_matrix=M, stiffness_matrix=K, points=points, coordinates=(1e-7, 0.3), translation=translation
    )
    model.add(chain)
    model.add(fm.NodePlane("stop", node=chain.point("a"), normal=(-1.0, 0.0, 0.0)))
    found = fm.static_state(model)
    np.testing.assert_allclose(found.displacement[:, 0], [0.0, 18.0 / 100.0], atol=1e-12)
    omega2 = np.linalg.eigvals(np.linalg.solve(M, K))
    np.testing.assert_allclose(fm.modes(model.assemble()).omega ** 2, np.sort(omega2), rtol=1e-12)


def test_stiffness_of_coordinates_of_different_scales_keeps_its_digits():
    scales = np.array([1e-6, 1.0, 1e5, 3.0])
    A = np.random.default_rng(3).normal(size=(4, 4))
    K = (A @ A.T + 0.5 * np.eye(4)) * np.outer(scales, scales)
    body = fm.Matrices(
        "b", mass_matrix=np.diag(scales**2), stiffness_matrix=K, points={"tip": {"at": (0, 0, 0), "x": (1, 0, 0, 0)}}
    )
    strain = body.parts().strain
    np.testing.assert_allclose(strain.matrix().toarray(), K, rtol=2e-13)
    q = np.random.default_rng(4).normal(size=4) / scales
    np.testing.assert_allclose(strain.force(q) / scales, K @ q / scales, rtol=1e-12)
    assert strain.energy(q) == pytest.approx(0.5 * q @ K @ q, rel=1e-13)
