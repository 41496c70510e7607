"""A tree of arrays that is not the one its run wrote is found out."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import pytest

import flexmb as fm
from flexmb.cli import main
from flexmb.record.io.structure import DIGEST, Tree, layout_from
from flexmb.record.io.tree_check import damage

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
    assert damage(tree) == ""
    assert len(tree["/layout/marks/kind"]) == 1


@pytest.fixture(scope="module")
def bar(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A result with sections."""
    folder = tmp_path_factory.mktemp("checked") / "bar"
    fm.load_case("impacting_bar", ["bodies.rod.elements=6", "time.step=2e-2", "output.fields_every=20"]).run(folder)
    return folder


def test_files_hold_the_tree_that_was_in_memory(bar: Path, tree: Tree, tmp_path: Path) -> None:
    """Their checksum is made of types and bits, so that none of them may change on the way."""
    assert damage(fm.load(bar).tree) == ""
    result = fm.load_case("double_pendulum_wall", ["time.end=0.01"]).run()
    assert damage(result.tree) == ""
    result.save(tmp_path / "saved")
    assert damage(fm.load(tmp_path / "saved").tree) == ""


def test_every_array_of_a_layout_is_looked_at(bar: Path) -> None:
    tree = fm.load(bar).tree
    for name in (name for name in tree if name.startswith("/layout/") and name != DIGEST):
        whole = np.asarray(tree[name][()])
        if not whole.size:
            continue
        other = whole.view(np.uint8).copy()
        other.flat[-1] ^= 1
        assert "/layout" in damage({**tree, name: other.view(whole.dtype).reshape(whole.shape)}), name
        assert damage({**tree, name: whole[:-1]}), name
        assert damage({key: tree[key] for key in tree if key != name}), name
    assert "/layout" in damage({**tree, DIGEST: np.array([b"x"])})


ROWS: dict[str, tuple[str, Change]] = {
    "times shorter": ("/time", lambda v: v[:-3]),
    "a time of no number": ("/time", with_number(3, np.nan)),
    "times that go back": ("/state/time", with_number(2, 0.0)),
    "steps of parts": ("/step", lambda v: v.astype(float)),
    "few states": ("/state/q", lambda v: v[:2]),
    "narrow states": ("/state/q", lambda v: v[:, :2]),
    "a signal cut": ("/signals/rod.mid.position", lambda v: v[:5]),
    "a signal in words": ("/signals/rod.mid.position", lambda v: v.astype("S")),
    "gaps side by side": ("/contacts/wall/gap", lambda v: v[:, None]),
    "an energy cut": ("/energy/kinetic", lambda v: v[:5]),
}


@pytest.mark.parametrize("name", ROWS)
def test_rows_that_do_not_fit_are_named(bar: Path, name: str) -> None:
    tree, (path, change) = fm.load(bar).tree, ROWS[name]
    found = damage({**tree, path: change(np.asarray(tree[path][()]))})
    assert path in found or "list of arrays" in found
    assert damage({key: tree[key] for key in tree if key != path})


def old(tree: Tree) -> dict[str, object]:
    """Return a result of before: without a checksum, and without what sections lacked."""
    return {name: tree[name] for name in tree if name not in (DIGEST, "/layout/sections/other")}


def test_older_results_have_no_checksum(bar: Path, tree: Tree) -> None:
    assert damage(old(tree)) == ""
    assert damage(old(fm.load(bar).tree)) == ""
    assert not layout_from(old(fm.load(bar).tree)).sections.other.any()


POINTING: dict[str, Change] = {
    "/layout/cells": lambda v: v + 1000,
    "/layout/vertices": lambda v: np.array([10**9]),
    "/layout/displacement/shape": lambda v: v + 3,
    "/layout/impulse/indptr": lambda v: v[:-1],
    "/layout/rotation/indices": lambda v: v[:-1],
    "/layout/body_of_point": lambda v: v[:2],
}


@pytest.mark.parametrize("path", POINTING)
def test_nothing_points_beyond_the_points_of_an_older_result(bar: Path, path: str) -> None:
    tree = old(fm.load(bar).tree)
    values = np.asarray(tree[path][()])
    if path == "/layout/rotation/indices" and not values.size:
        values = np.zeros(2, dtype=np.int64)
    assert damage({**tree, path: POINTING[path](values)})


OVERWRITTEN = ("bodies", "sections/axes", "radius_of_cell", "contacts", "digest")


@pytest.mark.parametrize("name", OVERWRITTEN)
def test_overwritten_bytes_of_a_layout_are_refused(
    bar: Path, tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = Path(shutil.copytree(bar, tmp_path / "bar"))
    with h5py.File(folder / "result.h5", "r+") as file:
        values = file[f"layout/{name}"]
        values[...] = np.frombuffer(b"\xff" * values[()].nbytes, dtype=values.dtype).reshape(values.shape)
    picture = ["view", str(folder), "--screenshot", str(tmp_path / "bar.png"), "--size", "640x360"]
    for command in (picture, ["report", str(folder), "-o", str(tmp_path / "page.html")]):
        assert main(command) == 2
        said = capsys.readouterr().err
        assert str(folder) in said
        assert "/layout" in said
