"""What does not fit in a tree of arrays is found out, array by array."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import flexmb as fm
from flexmb.io.structure import Tree
from flexmb.io.tree_check import damage

Change = Callable[[np.ndarray], np.ndarray]


@pytest.fixture(scope="module")
def tree() -> Tree:
    """Two balls with a spring between them, which is a mark; its run is short."""
    return fm.load_case("two_ball_oscillator", ["time.end=0.1", "output.fields_every=20"]).run().tree


def with_number(place: int, number: float) -> Change:
    def change(values: np.ndarray) -> np.ndarray:
        out = values.copy()
        out.flat[place] = number
        return out

    return change


def test_a_sound_tree_has_no_damage(tree: Tree) -> None:
    assert damage(tree) == ([], [])
    assert len(tree["/layout/marks/kind"]) == 1


MAPS: dict[str, tuple[str, Change]] = {
    "short indptr": ("indptr", lambda v: v[:-1]),
    "indptr that begins late": ("indptr", lambda v: np.maximum(v, 1)),
    "indptr below zero": ("indptr", with_number(0, -1)),
    "indptr that goes back": ("indptr", lambda v: np.concatenate([v[:1], v[-1:], 0 * v[3:], v[-1:]])),
    "indptr that ends late": ("indptr", with_number(-1, 10**9)),
    "indptr that ends early": ("indptr", lambda v: np.minimum(v, v[-1] - 1)),
    "indptr of parts": ("indptr", lambda v: v.astype(float)),
    "two indptr": ("indptr", lambda v: np.stack([v, v])),
    "column that is not there": ("indices", with_number(0, 10**9)),
    "column below zero": ("indices", with_number(0, -1)),
    "fewer columns than data": ("indices", lambda v: v[:-1]),
    "columns of parts": ("indices", lambda v: v.astype(float)),
    "words for numbers": ("data", lambda v: v.astype("S")),
    "two data": ("data", lambda v: np.stack([v, v])),
    "three sizes": ("shape", lambda v: np.append(v, 1)),
    "other rows": ("shape", lambda v: v + [3, 0]),
    "other columns": ("shape", lambda v: v + [0, 1]),
}


@pytest.mark.parametrize("name", MAPS)
@pytest.mark.parametrize("room", ["displacement", "impulse"])
def test_maps_that_do_not_fit(tree: Tree, room: str, name: str) -> None:
    part, change = MAPS[name]
    path = f"/layout/{room}/{part}"
    wrong, _ = damage({**tree, path: change(np.asarray(tree[path][()]))})
    assert wrong == [f"/layout/{room} does not fit"]


MARKS: dict[str, tuple[str, Change]] = {
    "point that is not there": ("point", with_number(1, 2)),
    "point below the ground and nowhere": ("point", with_number(0, -3)),
    "points of parts": ("point", lambda v: v.astype(float)),
    "one end": ("point", lambda v: v[:, :1]),
    "kinds that are numbers": ("kind", lambda v: np.zeros(len(v))),
    "names that are numbers": ("name", lambda v: np.zeros(len(v))),
    "one offset": ("offset", lambda v: v[:, 0]),
    "offset of no number": ("offset", with_number(0, np.nan)),
    "axis in a plane": ("axis", lambda v: v[:, :2]),
    "axis of no number": ("axis", with_number(0, np.inf)),
    "one size": ("size", lambda v: v[:, 0]),
    "size of no number": ("size", with_number(0, np.nan)),
    "sizes in words": ("size", lambda v: v.astype("S")),
    "more sizes than marks": ("size", lambda v: np.concatenate([v, v])),
}


@pytest.mark.parametrize("name", MARKS)
def test_marks_that_do_not_fit_are_left_out(tree: Tree, name: str) -> None:
    part, change = MARKS[name]
    path = f"/layout/marks/{part}"
    assert damage({**tree, path: change(np.asarray(tree[path][()]))}) == ([], ["/layout/marks"])
