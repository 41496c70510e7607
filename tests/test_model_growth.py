"""What a model of many bodies takes to assemble: linear in their number, counted in calls and bytes, not in seconds."""

from __future__ import annotations

import cProfile
import pstats
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from assembly_memory import peak
from scipy import sparse

from flexmb import Particle, Rigid
from flexmb.assembly import pattern
from flexmb.assembly.attached import MOST_NOTES, Attached, _bridges, attached_notes
from flexmb.linalg.bordered import analyze
from flexmb.linalg.inverse_mass import SMALL, InverseMass
from flexmb.linalg.sparse_blocks import block_diagonal, rows_of, side_by_side
from flexmb.parts.contacts import NodePlane, SphereSphere
from flexmb.parts.joints import Revolute
from flexmb.system.model import Model
from flexmb.system.multibody_system import MultibodySystem


def balls(n: int) -> Model:
    model = Model(gravity=(0.0, 0.0, -9.81))
    for k in range(n):
        model.add(Particle(f"b{k}", mass=1.0, position=(0.0, 0.0, k + 1.0), axes="z"))
        model.add(NodePlane(f"c{k}", node=f"b{k}", normal=(0.0, 0.0, 1.0)))
    return model


def chain(n: int) -> Model:
    model = Model(gravity=(0.0, 0.0, -9.81))
    for k in range(n):
        model.add(Rigid(f"b{k}", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(k + 0.5, 0.0, 0.0)))
    for k in range(n):
        a = "ground" if k == 0 else f"b{k - 1}"
        model.add(Revolute(f"j{k}", a=a, b=f"b{k}", point=(float(k), 0.0, 0.0), axis=(0.0, 1.0, 0.0)))
    return model


def unnamed_chain(n: int) -> Model:
    """Each joint but the first takes its place from the tip of one body, and names no point of the next."""
    model = Model(gravity=(0.0, 0.0, -9.81))
    for k in range(n):
        place = (float(k), 0.0, 0.0)
        points = {"tip": (0.75, 0.0, 0.0)}
        model.add(Rigid(f"b{k}", mass=1.0, inertia=(0.1, 0.1, 0.1), position=place, points=points))
    for k in range(n):
        a = "ground" if k == 0 else f"b{k - 1}.tip"
        model.add(Revolute(f"j{k}", a=a, b=f"b{k}", axis=(0.0, 1.0, 0.0)))
    return model


def pendulums(n: int) -> Model:
    """Each on the ground, so that no two have anything to do with each other."""
    model = Model(gravity=(0.0, 0.0, -9.81))
    for k in range(n):
        model.add(Rigid(f"b{k}", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(float(k), 0.0, -0.5)))
        model.add(Revolute(f"j{k}", a="ground", b=f"b{k}", point=(float(k), 0.0, 0.0), axis=(0.0, 1.0, 0.0)))
    return model


def column(n: int) -> Model:
    model = Model(gravity=(0.0, 0.0, -9.81))
    for k in range(n):
        model.add(Particle(f"b{k}", mass=1.0, position=(0.0, 0.0, 0.1 * k)))
    model.add(SphereSphere("balls", chain=[f"b{k}" for k in range(n)], radius=0.05))
    return model


def bag(n: int) -> Model:
    """Rigid spheres, of which two can touch."""
    model = Model(gravity=(0.0, 0.0, -9.81))
    for k in range(n):
        model.add(Rigid(f"b{k}", mass=1.0, inertia=(1e-3, 1e-3, 1e-3), position=(0.2 * k, 0.0, 0.0)))
    model.add(SphereSphere("pair", a="b0", b="b1", radius=0.05))
    return model


def calls(model: Model) -> int:
    """Count the calls of assembling, and of the room a run begins with."""
    profile = cProfile.Profile()
    profile.enable()
    system = model.assemble()
    if isinstance(system, MultibodySystem):
        system.machine()
    profile.disable()
    return int(pstats.Stats(profile).total_calls)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("make", "few", "most"),
    [
        (balls, 100, 1100),
        (chain, 110, 5000),
        (unnamed_chain, 110, 5000),
        (pendulums, 110, 5000),
        (column, 110, 2000),
        (bag, 110, 2500),
    ],
    ids=["balls", "chain", "unnamed", "pendulums", "column", "bag"],
)
@pytest.mark.parametrize("measure", [calls, peak])
def test_calls_and_memory_grow_with_the_number_of_bodies_and_no_faster(
    measure: Callable[[Model], int], make: Callable[[int], Model], few: int, most: int
) -> None:
    make(2).assemble()  # imports, caches
    one, two, three = (measure(make(n)) for n in (few, few + few // 2, 2 * few))
    assert three - two < 1.3 * (two - one)
    if measure is calls:
        assert (three - two) / (few - few // 2) < most


def test_processor_time_of_a_long_chain_grows_with_its_links_and_no_faster() -> None:
    """Full matrices are not seen in calls."""
    chain(20).assemble()

    def seconds(n: int) -> float:
        model = chain(n)
        began = time.process_time()
        model.assemble(signals=[]).machine()  # type: ignore[union-attr]
        return time.process_time() - began

    few, many = (min(seconds(n) for _ in range(3)) for n in (200, 1000))
    assert many < 9.0 * few  # 5 is linear, 25 the square


def test_machines_of_a_system_share_one_pattern(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[int] = []

    def counted(nv: int, *args: Any) -> Any:
        found.append(nv)
        return analyze(nv, *args)

    monkeypatch.setattr(pattern, "analyze", counted)
    system = chain(3).assemble()
    assert isinstance(system, MultibodySystem)
    assert system.machine().machine.sym is system.machine().machine.sym
    assert found == [system.nv]


def test_many_joints_without_points_have_few_notes() -> None:
    notes = unnamed_chain(40).assemble().notes
    assert len(notes) == MOST_NOTES + 1
    assert "joints.j1 " in notes[0]
    assert f"{39 - MOST_NOTES} " in notes[-1]
    assert "joints.j39" in notes[-1]


def test_looking_for_loops_grows_with_the_number_of_joints_and_no_faster() -> None:
    def counted(n: int) -> int:
        joints = [SimpleNamespace(where=f"joints.j{k}", a=f"b{k - 1}.tip", b=f"b{k}") for k in range(1, n)]
        held = [Attached(joint.where, "b", joint.b, np.zeros(3), 1.0) for joint in joints]
        profile = cProfile.Profile()
        profile.runcall(attached_notes, held, joints)
        return int(pstats.Stats(profile).total_calls)  # type: ignore[attr-defined]

    one, two, three = counted(60), counted(90), counted(120)
    assert three - two < 1.05 * (two - one)


def linked(start: str, goal: str, pairs: list[tuple[str, str]]) -> bool:
    reached: set[str] = set()
    fresh = {start}
    while fresh:
        reached |= fresh
        fresh = {y for pair in pairs for x, y in (pair, pair[::-1]) if x in fresh} - reached
    return goal in reached


def test_joints_in_no_loop_are_those_without_which_their_bodies_part() -> None:
    rng = np.random.default_rng(0)
    for _ in range(300):
        bodies, joints = int(rng.integers(2, 9)), int(rng.integers(1, 12))
        ends = {f"j{k}": (f"b{a}", f"b{b}") for k, (a, b) in enumerate(rng.integers(0, bodies, (joints, 2)))}
        parted = {w for w, e in ends.items() if not linked(*e, [pair for other, pair in ends.items() if other != w])}
        assert _bridges(ends) == parted


def random_blocks(rng: np.random.Generator) -> list[sparse.csr_array]:
    shapes = [(2, 3), (1, 1), (0, 2), (4, 4), (3, 0)]
    return [sparse.csr_array(np.where(rng.random(s) < 0.5, rng.standard_normal(s), 0.0)) for s in shapes]


def test_blocks_are_put_together_as_scipy_does() -> None:
    blocks = random_blocks(np.random.default_rng(0))
    together = block_diagonal(blocks)
    assert np.array_equal(together.toarray(), sparse.block_diag(blocks).toarray())
    assert np.array_equal(rows_of(together, 2, 6).toarray(), together.toarray()[2:6])
    columns = [sparse.csc_array(np.arange(6.0).reshape(3, 2) - 2.0), sparse.csc_array((3, 0)), sparse.csc_array((3, 1))]
    assert np.array_equal(side_by_side(3, columns).toarray(), sparse.hstack(columns).toarray())
    assert side_by_side(3, []).shape == (3, 0)
    assert block_diagonal([]).shape == (0, 0)


@pytest.mark.parametrize("sizes", [(1, 1, 3, 2, 3, 1), (3, SMALL + 5, 1, SMALL + 1), (SMALL,)])
def test_the_inverse_of_a_mass_matrix_body_by_body_is_that_of_the_whole(sizes: tuple[int, ...]) -> None:
    rng = np.random.default_rng(3)
    n = sum(sizes)
    blocks = [np.eye(k) + (a := rng.standard_normal((k, k))) @ a.T for k in sizes]
    mixed = rng.permutation(n)
    full = sparse.block_diag(blocks).toarray()[np.ix_(mixed, mixed)]
    rows, cols = np.indices((n, n)).reshape(2, -1)  # zeros are stored, too: they couple nothing
    M = sparse.csr_array(sparse.coo_array((full.ravel(), (rows, cols)), shape=(n, n)))
    G = np.where(rng.random((n, 130)) < 0.1, rng.standard_normal((n, 130)), 0.0)
    inverse, X = InverseMass(M), np.linalg.solve(full, G)
    assert np.unique(inverse.part).size == len(sizes)
    assert np.allclose(inverse.times(sparse.csc_array(G)).toarray(), X, rtol=0.0, atol=1e-12)
    assert np.allclose(inverse.diagonal(sparse.csc_array(G)), np.sum(G * X, axis=0), rtol=1e-12, atol=1e-13)
