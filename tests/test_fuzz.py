"""Case files and result folders after accidents of all kinds: an answer in words and a code, soon, never a traceback.

300 case files and 100 folders, the same ones every time. ``FLEXMB_FUZZ=5000 pytest tests/test_fuzz.py`` takes so many
case files, and a third as many folders.
"""

from __future__ import annotations

import os
import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import numpy as np
import pytest
from mutations import damaged, mutated

import flexmb as fm
from flexmb.case.shipped import shipped_cases
from flexmb.cli import main
from flexmb.errors import InputError

ASKED = int(os.environ.get("FLEXMB_FUZZ", "0"))
FILES, FOLDERS = (ASKED, ASKED // 3) if ASKED else (300, 100)
PARTS = 10
"""Tests that share the files, so that a failure is quick to find."""
LONGEST = 20
"""Seconds of processor time, of which a loaded machine takes no more, within which there must be an answer."""
QUICK = ("impacting_bar", "bouncing_ball", "chain_of_balls", "two_ball_oscillator", "bouncing_pendulum")
"""Cases whose mutants are also run, a few steps."""
SMALL = {
    "impacting_bar": ["bodies.rod.elements=6", "time.step=2e-2", "output.fields_every=5"],
    "bouncing_pendulum": ["time.end=0.05"],
}


class NoAnswer(BaseException):
    """Nothing catches it on the way."""


@contextmanager
def in_time() -> Iterator[None]:
    def late(number: int, frame: FrameType | None) -> None:
        raise NoAnswer

    before = signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, LONGEST)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def answers(words: list[str], capsys: pytest.CaptureFixture[str], codes: tuple[int, ...]) -> int:
    """Give a command line, and look at code and words; what is compiled meanwhile counts, so warm up before."""
    with in_time():
        code = main(words)
    said = capsys.readouterr()
    for text in (said.out, said.err):
        assert "internal error" not in text, (words, text)
        assert "Traceback" not in text, (words, text)
        assert "\x1b" not in text, words
    assert code in codes, (words, code, said.err)
    if code == 2:
        assert "flexmb: error: " in said.err, (words, said.err)
        assert len(said.err) < 20_000, words
    return code


@pytest.fixture(scope="module")
def warm() -> None:
    """Compile what validation and the runs below need, outside the time of an answer; mutants may name any scheme."""
    assert main(["warm", "--quiet"]) == 0
    assert main(["validate", *shipped_cases()]) == 0


def test_the_limit_is_that_of_the_processor_and_not_of_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "LONGEST", 0.05)
    with in_time():
        time.sleep(0.2)
    with pytest.raises(NoAnswer), in_time():
        sum(1 for _ in range(10**9))


@pytest.mark.usefixtures("warm")
@pytest.mark.parametrize("part", range(PARTS))
def test_mutated_cases(part: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = {name: path.read_text(encoding="utf-8") for name, path in shipped_cases().items()}
    names = list(texts)
    capsys.readouterr()
    for k in range(part, FILES, PARTS):
        file = tmp_path / f"case{k}.toml"
        file.write_bytes(mutated(texts[names[k % len(names)]], np.random.default_rng([k, 1])))
        assert answers(["validate", str(file)], capsys, (0, 2)) in (0, 2)


@pytest.mark.usefixtures("warm")
@pytest.mark.parametrize("name", QUICK)
def test_mutated_cases_that_run(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A few steps of what is valid: done, or a failure that says so, with a result that can be read."""
    text = shipped_cases()[name].read_text(encoding="utf-8")
    steps = ["--set", "time.steps=3", "--set", "output.every=1"]
    assert main(["run", name, *steps, "--quiet", "-o", str(tmp_path / "first")]) in (0, 3)
    tried = max(8, FILES // 40)
    for k in range(tried):
        file, out = tmp_path / f"case{k}.toml", tmp_path / str(k)
        file.write_bytes(mutated(text, np.random.default_rng([k, 2])))
        code = answers(["run", str(file), *steps, "-o", str(out)], capsys, (0, 2, 3))
        if code != 2:
            assert (out / "summary.json").is_file()
            answers(["export", str(out), "--format", "csv", "-o", str(tmp_path / "csv")], capsys, (0, 2))


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("sound")
    for name, overrides in SMALL.items():
        fm.load_case(name, overrides).run(root / name)
        main(["report", str(root / name), "-o", str(root / "warm.html")])
    return {name: root / name for name in SMALL}


@pytest.mark.parametrize("part", range(PARTS))
def test_damaged_folders(part: int, sound: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = list(sound)
    capsys.readouterr()
    for k in range(part, FOLDERS, PARTS):
        folder = tmp_path / str(k)
        shutil.copytree(sound[names[k % len(names)]], folder)
        said = damaged(folder, np.random.default_rng([k, 3]))
        with in_time():
            try:
                result = fm.load(folder)
                assert len(result.time) == len(result.step), said
            except InputError:
                pass
        for command in commands(folder, tmp_path, k):
            answers(command, capsys, (0, 2))


def commands(folder: Path, out: Path, k: int) -> list[list[str]]:
    """The readers, taken in turn: each folder meets two of them."""
    readers = (
        ["report", str(folder), "-o", str(out / "page.html")],
        ["export", str(folder), "--format", "pvd", "-o", str(out / f"pvd{k}")],
        ["plot", str(folder), "forces", "-o", str(out / "forces.png")],
        ["export", str(folder), "--format", "xdmf", "-o", str(out / f"xdmf{k}")],
    )
    return [["export", str(folder), "--format", "csv", "-o", str(out / f"csv{k}")], readers[k % 4]]
