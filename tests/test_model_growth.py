"""What a model of many bodies takes to assemble: linear in their number, counted in calls and bytes, not in seconds."""

from __future__ import annotations

import cProfile
import pstats
from collections.abc import Callable
from types import SimpleNamespace

import numpy as np
import pytest
from assembly_memory import peak
from scipy import sparse

from flexmb import Particle, Rigid
from flexmb.assembly.attached import MOST_NOTES, Attached, _bridges, attached_notes
from flexmb.contacts import NodePlane
from flexmb.joints import Revolute
from flexmb.linalg.sparse_blocks import block_diagonal, rows_of, side_by_side
from flexmb.model import Model


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


def calls(model: Model) -> int:
    profile = cProfile.Profile()
    profile.enable()
    model.assemble()
    profile.disable()
    return int(pstats.Stats(profile).total_calls)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("make", "few", "most"),
    [(balls, 100, 2000), (chain, 110, 9000), (unnamed_chain, 110, 9000)],
    ids=["balls", "chain", "unnamed"],
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
