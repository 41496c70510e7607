"""Case files and result folders after an accident: changed values, lost lines, other bytes, other files."""

from __future__ import annotations

import copy
import json
import os
import shutil
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from flexmb.case.toml_writer import to_toml

Rng = np.random.Generator

VALUES: tuple[Any, ...] = (
    *(0, 1, -1, 2, 7, 10**6, 2**40, 2**63, -(2**70), 10**400),
    *(0.0, -0.0, 1.0, -2.5, 1e-320, 1e-12, 1e12, 1e300, -1e300, float("nan"), float("inf"), float("-inf")),
    *(True, False, "", "x", "auto", "rod", "rod.all", "first", "\x1b[31mred\x07", "a\x00b", "é→𝄞", "$\\frac{", "%s{0}"),
    *("x" * 500, "../../etc", "/", [], {}, [[]], [{}], [1.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [float("nan")] * 3),
    *([1e200, -1e200, 1e200], ["x"], [True], [[1.0, 2.0], [3.0]], {"x": 1}, {"kind": "x"}, {"kind": "constant"}),
)
TEXTS = (
    *("[", "]", "[[", "{", "}", '"', "'", '"""', "'''", "=", ".", ",", "#", "\\", "\n", "\t", " = ", "= =", "[]\n"),
    *("\x00", "\x1b[2J", "\u202e", "\ufeff", "é", "𝄞", "\r", "\u2028", "1e999", "-", "0x", "nan", "inf", "1979-05-27"),
    *("v = " + "[" * 900 + "]" * 900 + "\n", "v = " + "{a=" * 900 + "1" + "}" * 900 + "\n", "v = " + "9" * 5000 + "\n"),
    *("\n[" + ".".join("a" * 900) + "]\n", ".".join("a" * 5000) + " = 1\n", "a" * 20000 + " = 1\n", " " * 5000),
)


def leaves(node: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the paths of all entries of a tree, tables and lists too."""
    entries = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    return [place for key, inner in entries for place in ((*path, key), *leaves(inner, (*path, key)))]


def _at(tree: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        tree = tree[key]
    return tree


def _pick(rng: Rng, items: Any) -> Any:
    return items[int(rng.integers(len(items)))]


def _spoil(tree: dict[str, Any], rng: Rng) -> None:
    """Change one entry of a tree."""
    paths = leaves(tree)
    if not paths:
        return
    path = _pick(rng, paths)
    parent, key = _at(tree, path[:-1]), path[-1]
    way = int(rng.integers(8))
    if way <= 2:
        parent[key] = copy.deepcopy(_pick(rng, VALUES))
    elif way == 3 and isinstance(parent[key], int | float) and not isinstance(parent[key], bool):
        parent[key] = float(parent[key]) * float(_pick(rng, (-1.0, 0.0, 1e-9, 1e9, 1e-3, 1e3)))
    elif way == 4:
        del parent[key]
    elif way == 5 and isinstance(parent, dict):
        parent[_pick(rng, ("x", "kind", "node", "nam", "", "a b", "é", *(str(p[-1]) for p in paths)))] = parent.pop(key)
    elif way == 6:  # two entries change places
        other = _pick(rng, paths)
        if other[: len(path)] != path and path[: len(other)] != other:
            there, name = _at(tree, other[:-1]), other[-1]
            parent[key], there[name] = there[name], parent[key]
    else:  # a copy elsewhere
        other = _pick(rng, [p for p in paths if isinstance(_at(tree, p), dict)] or [()])
        target = _at(tree, other)
        if isinstance(target, dict):
            target[str(key)] = copy.deepcopy(parent[key])


def _spoil_text(text: str, rng: Rng) -> str:
    """Change a TOML text as an editor, or a broken disk, would."""
    lines, way, at = text.split("\n"), int(rng.integers(7)), int(rng.integers(len(text) + 1))
    row, other = int(rng.integers(len(lines))), int(rng.integers(len(lines)))
    if way == 0:
        return text[:at]
    if way == 1:
        return text[:at] + _pick(rng, TEXTS) + text[at:]
    if way == 2:
        return "\n".join(lines[:row] + [_pick(rng, TEXTS).strip("\n")] + lines[row:])
    if way == 3:
        return "\n".join(lines[:row] + lines[row + 1 :])
    if way == 4:
        return "\n".join([*lines, lines[row]])
    if way == 5:
        lines[row], lines[other] = lines[other], lines[row]
        return "\n".join(lines)
    return text[:at] + text[at + int(rng.integers(1, 40)) :]


def mutated(text: str, rng: Rng) -> bytes:
    """Return a case file after one to three accidents."""
    if rng.random() < 0.65:
        tree = tomllib.loads(text)
        for _ in range(int(rng.integers(1, 4))):
            _spoil(tree, rng)
        try:
            return to_toml(tree).encode("utf-8", "replace")
        except (TypeError, AttributeError):  # lists of tables and numbers: the writer has no way to put them
            pass
    for _ in range(int(rng.integers(1, 4))):
        text = _spoil_text(text, rng)
    out = bytearray(text.encode("utf-8", "replace"))
    if rng.random() < 0.2 and out:
        at = int(rng.integers(len(out)))
        out[at : at + 8] = rng.bytes(8)
    return bytes(out)


# Result folders.


def _bytes_lost(path: Path, rng: Rng) -> None:
    with path.open("r+b") as file:
        file.truncate(int(rng.random() * path.stat().st_size))


def _bytes_changed(path: Path, rng: Rng) -> None:
    data = bytearray(path.read_bytes())
    for _ in range(int(rng.integers(1, 6))):
        at, many = int(rng.integers(len(data) + 1)), int(rng.integers(1, 65))
        data[at : at + many] = _pick(rng, (rng.bytes(many), b"\xff" * many, b"\x00" * many))
    path.write_bytes(bytes(data))


def _gone(path: Path, rng: Rng) -> None:
    path.unlink()


def _folder_there(path: Path, rng: Rng) -> None:
    path.unlink()
    path.mkdir()


def _link_to_nothing(path: Path, rng: Rng) -> None:
    path.unlink()
    path.symlink_to("nowhere")


def _link_to_itself(path: Path, rng: Rng) -> None:
    path.unlink()
    os.symlink(path.name, path)


def _another_file(path: Path, rng: Rng) -> None:
    others = [p for p in path.parent.iterdir() if p.is_file() and p != path]
    if others:
        shutil.copy(_pick(rng, others), path)


def _empty(path: Path, rng: Rng) -> None:
    path.write_bytes(b"")


ANY_FILE: tuple[Callable[[Path, Rng], None], ...] = (
    *(_bytes_lost, _bytes_changed, _bytes_changed, _gone, _folder_there, _link_to_nothing, _link_to_itself),
    *(_another_file, _empty),
)


def _array_changed(path: Path, rng: Rng) -> None:
    """Change, retype, reshape, enlarge or drop an array of an HDF5 file."""
    with h5py.File(path, "r+") as file:
        names: list[str] = []
        file.visit(names.append)
        name = _pick(rng, names)
        node, way = file[name], int(rng.integers(9))
        old = node[()] if isinstance(node, h5py.Dataset) else np.zeros(3)
        del file[name]
        if way == 0:
            return
        if way == 1:
            file.create_group(name)
        elif way == 2:
            file.create_dataset(name, shape=(10**12, 3), dtype="f8")
        elif way == 3:
            file.create_dataset(name, shape=(10**12,), dtype="f8", chunks=(1000,), maxshape=(None,), compression="gzip")
        elif way == 4:
            file[name] = np.asarray(old).reshape(-1)[: int(rng.integers(4))]
        elif way == 5:
            file[name] = h5py.Empty("f8")
        elif way == 6:
            file[name] = _pick(rng, ("words", b"\xff\xfe", 3, [b"a", b"\xff"], [True], 1j))
        elif way == 7 and np.asarray(old).dtype.kind in "fiu":
            factor = _pick(rng, (np.nan, np.inf, -1.0, 1e200, 1e6, 0.0))
            with np.errstate(all="ignore"):
                file[name] = (np.asarray(old) * factor).astype(np.asarray(old).dtype)
        else:
            file[name] = np.atleast_1d(old)[None]


def _json_changed(path: Path, rng: Rng) -> None:
    tree = json.loads(path.read_text())
    for _ in range(int(rng.integers(1, 4))):
        _spoil(tree, rng)
    text = json.dumps(tree)
    if rng.random() < 0.3:
        half = text.replace('"title": "', '"title": "\\ud800 ')
        text = _pick(rng, ("[" * 100_000, '{"h": ' + "9" * 5000 + "}", half, "3"))
    path.write_text(text)


def _toml_changed(path: Path, rng: Rng) -> None:
    path.write_bytes(mutated(path.read_text(), rng))


def damaged(folder: Path, rng: Rng) -> str:
    """Damage a result folder in one or two places and say where."""
    own = {".h5": _array_changed, ".vtkhdf": _array_changed, ".json": _json_changed, ".toml": _toml_changed}
    said = []
    for _ in range(int(rng.integers(1, 3))):
        files = sorted(p for p in folder.iterdir() if p.is_file() and p.suffix in own)
        if not files:
            break
        path = _pick(rng, files)
        way = own[path.suffix] if rng.random() < 0.6 else _pick(rng, ANY_FILE)
        try:
            way(path, rng)
        except (OSError, ValueError, KeyError, RuntimeError):  # what is damaged already cannot be changed with care
            _bytes_changed(path, rng)
        said.append(f"{way.__name__} {path.name}")
    return ", ".join(said)
