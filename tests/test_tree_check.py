"""What does not fit in a tree of arrays is found out, array by array."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import pytest
from pictures import require_drawing

import flexmb as fm
from flexmb.cli import main
from flexmb.io.structure import Tree, layout_from
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
    "names that are no words": ("name", lambda v: np.full_like(v, b"\xff")),
    "more sizes than marks": ("size", lambda v: np.concatenate([v, v])),
}


@pytest.mark.parametrize("name", MARKS)
def test_marks_that_do_not_fit_are_left_out(tree: Tree, name: str) -> None:
    part, change = MARKS[name]
    path = f"/layout/marks/{part}"
    assert damage({**tree, path: change(np.asarray(tree[path][()]))}) == ([], ["/layout/marks"])


@pytest.fixture(scope="module")
def bar(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A result with sections."""
    folder = tmp_path_factory.mktemp("checked") / "bar"
    fm.load_case("impacting_bar", ["bodies.rod.elements=6", "time.step=2e-2", "output.fields_every=20"]).run(folder)
    return folder


def everywhere(number: float) -> Change:
    return lambda v: np.full_like(v, number)


SECTIONS: dict[str, tuple[str, Change]] = {
    "axes of no number": ("axes", everywhere(np.nan)),
    "one axis of no number": ("axes", with_number(4, np.inf)),
    "axes that are no unit vectors": ("axes", with_number(4, 1e9)),
    "axes in a plane": ("axes", lambda v: v[:, :, :2]),
    "axes in a row": ("axes", lambda v: v.reshape(len(v), 9)),
    "axes in words": ("axes", lambda v: v.astype("S")),
    "size of no number": ("size", with_number(3, np.nan)),
    "size beyond everything": ("size", with_number(3, 1e300)),
    "size below zero": ("size", with_number(3, -1.0)),
    "one size": ("size", lambda v: v[:, 0]),
    "outline that is not known": ("outline", with_number(2, 7)),
    "outlines of parts": ("outline", lambda v: v.astype(float)),
    "length zero": ("length", with_number(1, 0.0)),
    "lengths side by side": ("length", lambda v: v[:, None]),
    "fewer stiffnesses": ("stiffness", lambda v: v[:, :5]),
    "stiffness beyond everything": ("stiffness", with_number(0, np.inf)),
    "half without another": ("other", with_number(0, -1)),
    "halves that do not point back": ("other", with_number(2, 1)),
    "halves far away": ("other", with_number(2, 5)),
    "halves of parts": ("other", lambda v: v.astype(float)),
    "fewer rows than lines": ("stiffness", lambda v: v[:-1]),
}


@pytest.mark.parametrize("name", SECTIONS)
def test_sections_that_do_not_fit_are_left_out(bar: Path, name: str) -> None:
    tree, (part, change) = fm.load(bar).tree, SECTIONS[name]
    assert damage(tree) == ([], [])
    path = f"/layout/sections/{part}"
    assert damage({**tree, path: change(np.asarray(tree[path][()]))}) == ([], ["/layout/sections"])


def test_sections_of_older_results_fit(bar: Path) -> None:
    tree = dict(fm.load(bar).tree)
    del tree["/layout/sections/other"]
    assert damage(tree) == ([], [])
    assert not layout_from(tree).sections.other.any()


MAY_BE_UNKNOWN = ("stiffness", "length")


def test_sections_of_which_nothing_is_known_fit(bar: Path) -> None:
    tree = fm.load(bar).tree
    paths = [f"/layout/sections/{part}" for part in MAY_BE_UNKNOWN]
    unknown = {path: np.asarray(tree[path][()]) * np.nan for path in paths}
    assert damage({**tree, **unknown}) == ([], [])


BEYOND: dict[str, str] = {"points": "points", "displacement/data": "displacement", "radius_of_cell": "radius_of_cell"}


@pytest.mark.parametrize("part", BEYOND)
@pytest.mark.parametrize("number", [np.nan, np.inf, 1e300])
def test_layouts_that_cannot_be_drawn_are_refused(bar: Path, part: str, number: float) -> None:
    tree, path = fm.load(bar).tree, f"/layout/{part}"
    wrong, _ = damage({**tree, path: with_number(2, number)(np.asarray(tree[path][()]))})
    assert wrong == [f"/layout/{BEYOND[part]} does not fit"]


def test_surfaces_without_any_face_are_refused(bar: Path) -> None:
    """They are stored only where there are some; of a body without one nothing would be left to draw."""
    whole, none = np.array([[0, 1, 2]]), np.zeros((0, 3), dtype=np.int64)
    assert damage({**fm.load(bar).tree, "/layout/triangles": whole}) == ([], [])
    for faces in (none, whole[0], whole[:, :2], np.array(3)):
        wrong, _ = damage({**fm.load(bar).tree, "/layout/triangles": faces})
        assert wrong == ["/layout/triangles does not fit"]


OVERWRITTEN = ("bodies", "sections/axes", "sections/size", "sections/stiffness", "radius_of_cell", "contacts")


@pytest.mark.parametrize("name", OVERWRITTEN)
def test_overwritten_bytes_of_a_layout_are_no_internal_error(
    bar: Path, tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    require_drawing()
    folder = Path(shutil.copytree(bar, tmp_path / "bar"))
    with h5py.File(folder / "result.h5", "r+") as file:
        values = file[f"layout/{name}"]
        values[...] = np.frombuffer(b"\xff" * values[()].nbytes, dtype=values.dtype).reshape(values.shape)
    picture = ["view", str(folder), "--screenshot", str(tmp_path / "bar.png"), "--size", "640x360"]
    for command in (picture, ["report", str(folder), "-o", str(tmp_path / "page.html")]):
        code, said = main(command), capsys.readouterr().err
        assert code in (0, 2), said
        assert "internal" not in said
