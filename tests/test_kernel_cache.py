"""Compiled kernels are kept while they and their sources are what they were, wherever the files are."""

from __future__ import annotations

import ast
import importlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import numba
import pytest

from flexmb.kernels.compilation import cache
from flexmb.kernels.compilation.cache import keep, kept_signatures
from flexmb.kernels.compilation.sources import imported, source_digests

KERNELS = Path(cache.__file__).parents[1]
TINY = {
    "base": "FACTOR = 2.0\n",
    "step": "import numba\nfrom tiny import base\n\n@numba.njit\ndef step(x):\n    return base.FACTOR * x\n",
    "other": "import numba\n\n@numba.njit\ndef other(x):\n    return x - 1.0\n",
}
Start = Callable[[str], ModuleType]


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    """Import a module of a small package of kernels afresh, as a new process does."""
    folder = tmp_path / "tiny"
    folder.mkdir()
    for name, text in {"__init__": "", **TINY}.items():
        (folder / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setattr(cache, "_said", set())

    def forget() -> None:
        source_digests.cache_clear()
        cache._folders.clear()
        for name in [name for name in sys.modules if name.split(".")[0] == "tiny"]:
            del sys.modules[name]
        importlib.invalidate_caches()

    def again(name: str) -> ModuleType:
        forget()
        module = importlib.import_module(f"tiny.{name}")
        kernel = getattr(module, name)
        keep(kernel, kernel.py_func, packages={"tiny"})
        return module

    yield again
    forget()


def was_loaded(kernel: numba.core.dispatcher.Dispatcher) -> bool:
    return sum(kernel.stats.cache_hits.values()) == 1 and not kernel.stats.cache_misses


def files(tmp_path: Path) -> list[Path]:
    return sorted(tmp_path.rglob("*.nbc"))


@pytest.fixture(params=["beside the sources", "NUMBA_CACHE_DIR", "the user's"])
def place(request: pytest.FixtureRequest, start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every folder that compiled files may be kept in."""
    beside = tmp_path / "tiny" / "__pycache__"
    if request.param == "NUMBA_CACHE_DIR":
        monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "given"))
        return tmp_path / "given"
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    if request.param == "the user's":
        beside.write_text("no folder can be made here, as on a read-only disk")
        monkeypatch.setenv("HOME", str(tmp_path / "home"))
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
        return tmp_path / "home"
    return beside


def edit(tmp_path: Path, factor: float) -> None:
    (tmp_path / "tiny" / "base.py").write_text(f"FACTOR = {factor}\n")


def test_compiled_files_are_found_again_and_made_anew_after_an_edit(start: Start, place: Path, tmp_path: Path) -> None:
    first = start("step").step
    assert first(3.0) == 6.0
    assert not was_loaded(first)
    kept = files(tmp_path)
    assert [place in file.parents for file in kept] == [True]
    second = start("step").step
    assert second(3.0) == 6.0
    assert was_loaded(second)
    edit(tmp_path, 5.0)  # of another file than that of the function
    third = start("step").step
    assert third(3.0) == 15.0
    assert files(tmp_path) == kept
    fourth = start("step").step
    assert fourth(3.0) == 15.0
    assert was_loaded(fourth)


def test_an_edit_recompiles_what_builds_on_it_and_nothing_else(start: Start, tmp_path: Path) -> None:
    assert start("other").other(3.0) == 2.0
    edit(tmp_path, 5.0)
    again = start("other").other
    assert again(3.0) == 2.0
    assert was_loaded(again)


def test_a_process_with_old_sources_does_not_spoil_the_files_of_one_with_new_ones(start: Start, tmp_path: Path) -> None:
    old = start("step").step
    edit(tmp_path, 5.0)
    new = start("step").step
    assert (new(3.0), old(3.0)) == (15.0, 6.0)  # the old one writes last
    assert start("step").step(3.0) == 15.0


def directory(file: Path) -> None:
    file.unlink()
    file.mkdir()


def flip(file: Path, at: int) -> None:
    content = bytearray(file.read_bytes())
    content[at] ^= 0xFF
    file.write_bytes(content)


DAMAGE = {
    "empty": lambda file: file.write_bytes(b""),
    "truncated": lambda file: file.write_bytes(file.read_bytes()[:-100]),
    "random bytes": lambda file: file.write_bytes(bytes(range(256)) * 10),
    "a pickle of something else": lambda file: file.write_bytes(b"\x80\x04K\x01."),
    "one byte of the machine code": lambda file: flip(file, -2000),
    "one byte of the first line": lambda file: flip(file, 3),
    "a folder": directory,
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
def test_a_damaged_file_is_named_compiled_again_and_replaced(
    damage: Callable[[Path], None], start: Start, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    start("step").step(3.0)
    [file] = files(tmp_path)
    damage(file)
    assert kept_signatures(start("step").step) == []
    hurt = start("step").step
    assert hurt(3.0) == 6.0
    assert not was_loaded(hurt)
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert str(file) in said
    again = start("step").step
    assert again(3.0) == 6.0
    assert was_loaded(again)
    assert len(kept_signatures(again)) == 1
    assert capsys.readouterr().err == ""


def test_a_file_that_may_not_be_read_is_compiled_again(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    start("step").step(3.0)
    [file] = files(tmp_path)

    read_bytes = Path.read_bytes

    def refuse(self: Path) -> bytes:
        if self == file:
            raise PermissionError(13, "Permission denied")
        return read_bytes(self)

    monkeypatch.setattr(Path, "read_bytes", refuse)
    assert start("step").step(3.0) == 6.0
    said = capsys.readouterr().err
    assert str(file) in said
    assert "Permission denied" in said


def test_the_file_of_another_function_is_not_taken_for_this_one(start: Start, tmp_path: Path) -> None:
    two = TINY["step"] + "\n\n@numba.njit\ndef half(x):\n    return x / base.FACTOR\n"
    (tmp_path / "tiny" / "step.py").write_text(two)
    module = start("step")
    keep(module.half, module.half.py_func, packages={"tiny"})
    assert (module.step(3.0), module.half(3.0)) == (6.0, 1.5)
    half, step = files(tmp_path)
    assert half.name.startswith("step.half.")
    shutil.copy(half, step)
    assert start("step").step(3.0) == 6.0


def test_a_place_that_cannot_be_written_is_said_once(
    start: Start, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    start("step").step(3.0)
    [file] = files(tmp_path)
    directory(file)
    (file / "of somebody else").touch()
    for _ in range(2):
        assert start("step").step(3.0) == 6.0
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 2  # it cannot be read, and it cannot be written
    assert all(str(file) in line for line in said)
    assert [child.name for child in file.iterdir()] == ["of somebody else"]
    assert not list(tmp_path.rglob("*.tmp.*"))


def test_an_unknown_numba_compiles_and_says_so(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cache, "KNOWN", False)
    assert start("step").step(3.0) == 6.0
    assert start("other").other(3.0) == 2.0
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert numba.__version__ in said
    assert files(tmp_path) == []


def test_without_a_place_for_compiled_files_everything_works_and_one_note_names_the_cure(tmp_path: Path) -> None:
    root = KERNELS.parent
    shutil.copytree(root, tmp_path / "flexmb", ignore=shutil.ignore_patterns("__pycache__", "postproc"))
    for package in {path.parent for path in (tmp_path / "flexmb" / "kernels").rglob("*.py")}:
        (package / "__pycache__").write_text("not a folder")
    (tmp_path / "file").touch()
    shutil.copy(root.parent / "cases" / "bouncing_ball.toml", tmp_path)
    nowhere = str(tmp_path / "file" / "below")
    variables = {"NUMBA_CACHE_DIR": nowhere, "HOME": nowhere, "XDG_CACHE_HOME": nowhere, "PYTHONPATH": str(tmp_path)}
    program = """
from flexmb.cli import main
assert main(["validate", "bouncing_ball.toml"]) == 0
import numpy as np
from flexmb.kernels.algebra.banded import dot
import flexmb.kernels as kernels
assert (dot(np.ones(3), np.ones(3)), dot(np.ones(3, dtype=int), np.ones(3))) == (3.0, 3.0)
print(kernels.__file__)
"""
    done = subprocess.run(
        [sys.executable, "-B", "-c", program],
        env={**os.environ, **variables},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert f"{tmp_path / 'flexmb' / 'kernels'}" in done.stdout
    assert done.stderr.count("NUMBA_CACHE_DIR") == 1


def module_name(path: Path) -> str:
    """Return the full name of a kernel module."""
    return ".".join(["flexmb", "kernels", *path.relative_to(KERNELS).with_suffix("").parts])


def test_every_kernel_is_kept_by_our_cache() -> None:
    kernels = {}
    for path in KERNELS.rglob("*.py"):
        name = module_name(path)
        for word, value in vars(importlib.import_module(name.removesuffix(".__init__"))).items():
            if isinstance(value, numba.core.dispatcher.Dispatcher):
                kernels[f"{name}.{word}"] = type(value._cache)
    assert len(kernels) > 100
    assert {name for name, kind in kernels.items() if kind is not cache.KernelCache} == set()


@pytest.mark.parametrize("path", sorted(KERNELS.rglob("*.py")), ids=module_name)
def test_imports_are_those_that_python_sees(path: Path) -> None:
    modules = {module_name(other) for other in KERNELS.rglob("*.py")}
    expected = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            expected |= {node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)}
    assert imported(path.read_text(), module_name(path)) & modules == expected & modules


def test_imports_of_all_forms_are_seen() -> None:
    source = """
from pack.one import x
from pack import two, three as four
from pack import (
    five,  # with a word
    six,
)
from .seven import y
from . import eight
from ..inner.eleven import w
from pack.inner import twelve
import pack.nine
import pack.inner.thirteen as short, pack.fourteen
def late():
    from pack.ten import z
import package.no
from other.pack import never
"""
    found = imported(source, "pack.inner.here")
    direct = {"one", "two", "three", "five", "six", "nine", "ten", "fourteen"}
    inner = {"inner.seven", "inner.eight", "inner.eleven", "inner.twelve", "inner.thirteen"}
    assert found >= {f"pack.{name}" for name in direct | inner}
    assert not found & {"pack.no", "pack.never", "pack.seven", "pack.four"}


def test_digests_follow_imports_between_packages_of_a_package(tmp_path: Path) -> None:
    """A module of one sub-package depends on what it imports from another, and on nothing else."""
    texts = {"low/base": "A = 1\n", "low/free": "B = 1\n", "high/top": "from pack.low.base import A\n"}
    for name, text in texts.items():
        path = tmp_path / "pack" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    before = source_digests(tmp_path / "pack", "pack")
    (tmp_path / "pack/low/base.py").write_text("A = 2\n")
    source_digests.cache_clear()
    after = source_digests(tmp_path / "pack", "pack")
    assert {name for name in before if before[name] != after[name]} == {"pack.low.base", "pack.high.top"}
