"""Input beyond all measure, and streams that take no words: a message names the thing; no internal error."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import pytest
import sound_folder
from fake_study import fake_study

import flexmb as fm
from flexmb.case.shipped import shipped_cases
from flexmb.cli import main
from flexmb.commands.terminal import Printed, visible
from flexmb.errors import InputError, readable
from flexmb.record.io.toml_text import MOST_LEVELS, TooMuch, toml_tree

CASE = shipped_cases()["impacting_bar"].read_text(encoding="utf-8")
SMALL = sound_folder.SMALL
sound, folder = sound_folder.sound, sound_folder.folder
LAST = CASE.count("\n") + 1
ESCAPES = "\x1b[31mred\x1b]0;window\x07"


def said_of(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """Return what is said of wrong input: one error, code 2."""
    capsys.readouterr()
    code, said = main(words), capsys.readouterr().err
    assert code == 2, said
    assert said.startswith("flexmb: error: ")
    assert len(said) < 2000
    return said


# Case files.

BEYOND: dict[str, tuple[str, tuple[str, ...]]] = {
    "lists in lists": ("x = " + "[" * 900 + "]" * 900 + "\n" + CASE, ("line 1", str(MOST_LEVELS))),
    "tables in tables": ("x = " + "{a=" * 900 + "1" + "}" * 900 + "\n" + CASE, ("line 1", str(MOST_LEVELS))),
    "over several lines": ("x = " + "[\n" * 900 + "]\n" * 900 + CASE, (f"line {MOST_LEVELS + 1}", str(MOST_LEVELS))),
    "header": (CASE + "[" + ".".join("a" * 900) + "]\n", (f"line {LAST}", "a.a.a", "900", str(MOST_LEVELS))),
    "quoted header": (CASE + "[" + ".".join(['"a"'] * 900) + "]\n", (f"line {LAST}", "900", str(MOST_LEVELS))),
    "dotted key": (".".join("a" * 900) + " = 1\n" + CASE, ("line 1", "a.a.a", "900", str(MOST_LEVELS))),
    "endless dotted key": (".".join("a" * 100_000) + " = 1\n" + CASE, ("line 1", "a.a.a", "100000")),
    "mixed": (
        "x = " + ("{" + ".".join("a" * 30) + " = ") * 20 + "1" + "}" * 20 + "\n" + CASE,
        ("x.a.a", str(MOST_LEVELS)),
    ),
    "endless key": ("a" * 100_000 + " = 1\n" + CASE, ("line 1", "aaa")),
    "digits": ("x = " + "9" * 5000 + "\n" + CASE, ("line 1", "999", "5000", "64 bits")),
    "digits of a time": (CASE.replace("end = ", "end = " + "9_9" * 3000 + " # "), ("9_99", "6000", "64 bits")),
    "hexadecimal digits": (
        CASE.replace("end = ", "end = 0x" + "f" * 5000 + " # "),
        ("time.end", "20000 bits", "64 bits"),
    ),
}


@pytest.mark.parametrize("name", BEYOND)
def test_toml_beyond_measure(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    text, named = BEYOND[name]
    (tmp_path / "case.toml").write_text(text)
    said = said_of(["validate", str(tmp_path / "case.toml")], capsys)
    assert "case.toml" in said
    for word in named:
        assert word in said, said


def test_toml_within_measure() -> None:
    deep = "x = " + "[" * MOST_LEVELS + "]" * MOST_LEVELS + "\n" + ".".join("a" * MOST_LEVELS) + " = 1\n"
    tree = toml_tree(deep + 's = "' + "[" * 900 + '"\nt = """\n' + ".".join("a" * 900) + '\n"""\n# ' + "[" * 900 + "\n")
    assert tree["s"] == "[" * 900
    assert tree["t"].startswith("a.a.")
    with pytest.raises(TooMuch):
        toml_tree("x = " + "[" * (MOST_LEVELS + 1) + "]" * (MOST_LEVELS + 1))
    with pytest.raises(ValueError, match="(?i)value"):
        toml_tree("x = ")


@pytest.mark.parametrize(
    ("override", "named"),
    [
        (".".join("a" * 100_000) + "=1", ("--set", "a.a.a", "100000")),
        ("time.end=" + "[" * 900 + "]" * 900, ("--set", "[[[", str(MOST_LEVELS))),
        ("time.end=" + "9" * 5000, ("--set", "999", "5000")),
        ("bodies." + "9" * 5000 + ".length=1", ("--set", "999")),
        ("time.end=0x" + "f" * 5000, ("--set", "time.end", "20000 bits")),
    ],
    ids=["key", "nested", "digits", "index", "hexadecimal"],
)
def test_overrides_beyond_measure(capsys: pytest.CaptureFixture[str], override: str, named: tuple[str, ...]) -> None:
    said = said_of(["validate", "impacting_bar", "--set", override], capsys)
    for word in named:
        assert word in said, said


def test_values_are_shown_short() -> None:
    assert readable(10**5000) == f"<int of {(10**5000).bit_length()} bits>"
    assert len(readable("x" * 10**6)) < 100
    nested: list[object] = []
    for _ in range(100_000):
        nested = [nested]
    assert "list" in readable(nested)
    assert len(str(InputError("no", where="w" * 10**6, key="k", value="v" * 10**6))) < 300
    while nested:  # taken apart by hand: Python would call itself for every level
        nested = nested.pop()  # type: ignore[assignment]


@pytest.mark.parametrize("mass", ["1e-310", "1e-320"])
def test_a_mass_too_small_to_divide_by_is_named(capsys: pytest.CaptureFixture[str], mass: str) -> None:
    said = said_of(["validate", "bouncing_pendulum", "--set", f"bodies.rod.mass={mass}"], capsys)
    assert "rod.x" in said
    assert f"{float(mass):.6g}" in said


# Result folders.


@pytest.mark.parametrize("name", ["time", "state/q", "signals/rod.mid.position", "layout/points"])
@pytest.mark.parametrize("stored", [False, True])
def test_arrays_that_announce_terabytes(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, stored: bool
) -> None:
    size = (folder / "result.h5").stat().st_size
    with h5py.File(folder / "result.h5", "r+") as file:
        del file[name]
        chunks = {"chunks": (1000,), "compression": "gzip"} if stored else {}
        file.create_dataset(name, shape=(10**12,), dtype="f8", **chunks)
        if stored:
            file[name][:10] = 1.0
    assert (folder / "result.h5").stat().st_size < 2 * size
    said = said_of(["export", str(folder), "--format", "csv", "-o", str(tmp_path / "csv")], capsys)
    assert "result.h5" in said
    assert f"/{name}" in said
    assert "8e+12" in said


def test_arrays_that_compress_well_are_read(folder: Path) -> None:
    with h5py.File(folder / "result.h5", "r+") as file:
        file.create_dataset("signals/quiet", data=np.zeros(2_000_000), chunks=(100_000,), compression="gzip")
    assert fm.load(folder).tree["/signals/quiet"][()].size == 2_000_000


ODD_SUMMARIES = {
    "half a pair": lambda text: text.replace('"title": "', '"title": "\\ud800 '),
    "half in a key": lambda text: text.replace('"title"', '"ti\\udfff": 1, "title"'),
    "half in a note": lambda text: text.replace('"notes": []', '"notes": ["\\ud83d"]'),
    "deep": lambda text: "[" * 100_000,
    "deep value": lambda text: '{"notes": ' + "[" * 700 + "]" * 700 + "}",
    "digits": lambda text: '{"h": ' + "9" * 5000 + "}",
}


@pytest.mark.parametrize("name", ODD_SUMMARIES)
def test_odd_summaries(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    path = folder / "summary.json"
    text = ODD_SUMMARIES[name](path.read_text())
    path.write_text(text)
    code, said = main(["report", str(folder), "-o", str(tmp_path / "page.html")]), capsys.readouterr().err
    if "half" in name:
        assert code == 0
        (tmp_path / "page.html").read_text(encoding="utf-8")
        fm.load(folder).save(tmp_path / "again")
    else:
        assert code == 2
        assert "summary.json" in said


def in_place_of(path: Path, way: str) -> None:
    path.unlink()
    if way == "folder":
        path.mkdir()
    elif way == "link":
        path.symlink_to("nowhere")
    else:
        path.symlink_to(path.name)


@pytest.mark.parametrize("way", ["folder", "link", "ring"])
@pytest.mark.parametrize("name", ["result.h5", "summary.json", "case.toml", "fields.vtkhdf"])
def test_something_else_in_place_of_a_file(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, way: str
) -> None:
    in_place_of(folder / name, way)
    run = ["run", "impacting_bar", "-o", str(folder), "--quiet", *(word for s in SMALL for word in ("--set", s))]
    capsys.readouterr()
    for command in (
        ["report", str(folder), "-o", str(tmp_path / "page.html")],
        ["export", str(folder), "--format", "csv", "-o", str(tmp_path / "csv")],
        [*run, "--resume"],
        run,
        [*run, "--overwrite"],
    ):
        code, said = main(command), capsys.readouterr().err
        assert code in (0, 2), (command, said)
        assert "internal error" not in said, (command, said)
        assert code == 0 or str(folder) in said, (command, said)


def test_a_deep_case_file_in_a_folder_is_refused(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "case.toml").write_text("x = " + "[" * 900 + "]" * 900)
    assert main(["report", str(folder), "-o", str(tmp_path / "page.html")]) == 2
    assert "case.toml" in capsys.readouterr().err


def test_broken_formulas_in_a_study_are_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = fake_study(tmp_path / "study")
    text = (folder / "study.toml").read_text(encoding="utf-8")
    text = "[[figure]]".join(text.split("[[figure]]")[:4])  # lines over numbers, over words, and bars
    for key in ("unit", "label", "title", "caption"):
        text = text.replace(f'{key} = "', f'{key} = "$\\\\frac{{$ $a_{{$ ')
    (folder / "study.toml").write_text(text, encoding="utf-8")
    assert main(["report", str(folder)]) == 0
    assert "not drawn" not in capsys.readouterr().err
    assert "frac" in (folder / "report.html").read_text(encoding="utf-8")


# What is printed, and where to.


def test_control_characters_are_shown() -> None:
    assert visible("plain é → 𝄞\n\ttab") == "plain é → 𝄞\n\ttab"
    assert visible(ESCAPES) == r"\x1b[31mred\x1b]0;window\x07"
    assert visible("a\rb\x7f\x9b\u202e\u2028\ud800\U000e0001") == r"a\x0db\x7f\x9b\u202e\u2028\ud800\U000e0001"


def test_escape_sequences_of_a_title_do_not_reach_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    title = CASE.replace('title = "', 'title = "\\u001b[31mred\\u001b]0;window\\u0007')
    (tmp_path / "case.toml").write_text(title + '\n["\\u001b[2Jx"]\n')
    assert r"\x1b[2Jx" in said_of(["validate", str(tmp_path / "case.toml")], capsys)
    (tmp_path / "case.toml").write_text(title)
    run = ["run", str(tmp_path / "case.toml"), "-o", str(tmp_path / "out"), *(w for s in SMALL for w in ("--set", s))]
    assert main(run) == 0
    said = capsys.readouterr()
    assert r"\x1b[31mred\x1b]0;window\x07" in said.out
    assert "\x1b" not in said.out + said.err
    assert main(["report", str(tmp_path / "out")]) == 0
    said = capsys.readouterr()
    assert "\x1b" not in said.out + said.err
    assert json.loads((tmp_path / "out" / "summary.json").read_text())["title"].startswith(ESCAPES)


class Full(io.StringIO):
    def write(self, text: str) -> int:
        raise OSError(28, "No space left on device")


def test_a_stream_that_is_full_drops_the_rest() -> None:
    printed = Printed(Full())
    print("a", file=printed)  # type: ignore[arg-type]
    print("b", file=printed)  # type: ignore[arg-type]
    assert printed.error is not None
    assert printed.error.errno == 28
    nothing = Printed(None)
    print("a", file=nothing, flush=True)  # type: ignore[arg-type]
    assert not nothing.isatty()


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_what_an_encoding_lacks_is_shown_by_number(encoding: str) -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding, errors="strict")
    print("é → 𝄞 \ud800", file=Printed(stream))  # type: ignore[arg-type]
    stream.flush()
    known = {"ascii": r"\xe9 \u2192 \U0001d11e", "latin-1": r"é \u2192 \U0001d11e", "utf-8": "é → 𝄞"}[encoding]
    assert raw.getvalue().decode(encoding) == rf"{known} \ud800" + "\n"


def in_a_process(
    words: str, *flags: str, cwd: Path | None = None, **settings: str
) -> subprocess.CompletedProcess[bytes]:
    """Run flexmb in a shell, which can close and redirect streams."""
    command = f"{sys.executable} {' '.join(flags)} -m flexmb {words}"
    environment = dict(os.environ, PYTHONPATH=str(Path(__file__).parents[1])) | settings
    return subprocess.run(["sh", "-c", command], capture_output=True, env=environment, cwd=cwd, check=False)


STREAMS: dict[str, tuple[str, int, str]] = {
    "stdout closed": ("schemes >&-", 0, ""),
    "stdout full": ("schemes >/dev/full", 2, "stdout"),
    "stderr closed": ("validate nowhere 2>&-", 2, ""),
    "stderr full": ("validate nowhere 2>/dev/full", 2, ""),
    "both full": ("--help >/dev/full 2>/dev/full", 2, ""),
}


@pytest.mark.parametrize("name", STREAMS)
def test_streams_that_take_no_words(name: str) -> None:
    words, code, named = STREAMS[name]
    done = in_a_process(words)
    said = done.stderr.decode()
    assert done.returncode == code, said
    assert "Traceback" not in said
    assert "Exception ignored" not in said
    assert named in said


BROKEN = {
    "an error": ("stderr", ["validate", "nowhere"], 2),
    "a wrong option": ("stderr", ["validate", "--nothing"], 2),
    "a note": ("stderr", ["validate", "impacting_bar", "--set", "scheme.name=moreau-jean"], 0),
    "the output": ("stdout", ["schemes"], 0),
    "the output after a wrong input": ("stdout", ["check", "impacting_bar", "nowhere"], 2),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_pipe_whose_reader_has_gone_changes_no_exit_code(name: str) -> None:
    stream, words, code = BROKEN[name]
    reader, writer = os.pipe()
    os.close(reader)
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | {stream: writer}
    environment = dict(os.environ, PYTHONPATH=str(Path(__file__).parents[1]))
    environment.pop("PYTHONUNBUFFERED", None)  # the output leaves at the end, when the code is known
    run = subprocess.Popen([sys.executable, "-m", "flexmb", *words], env=environment, text=True, **pipes)  # type: ignore[call-overload]
    os.close(writer)
    out, said = run.communicate()
    assert run.returncode == code, said
    assert stream == "stdout" or code == 2 or out  # all of it comes out
    assert "Traceback" not in (said or "")
    assert "Exception ignored" not in (said or "")


def test_a_run_goes_on_without_a_reader_of_its_notes(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    words = ["run", "impacting_bar", "-o", str(tmp_path / "r"), "--set", "scheme.name=moreau-jean"]
    environment = dict(os.environ, PYTHONPATH=str(Path(__file__).parents[1]))
    with subprocess.Popen([sys.executable, "-m", "flexmb", *words], env=environment, stderr=writer) as run:
        os.close(writer)
    assert run.returncode == 0
    assert fm.load(tmp_path / "r").summary["status"] == "complete"


def test_without_docstrings_and_asserts(tmp_path: Path) -> None:
    plain, bare = in_a_process("schemes"), in_a_process("schemes", "-OO")
    assert bare.returncode == 0, bare.stderr
    assert bare.stdout == plain.stdout
    assert in_a_process("--help", "-OO").stdout == in_a_process("--help").stdout


def test_a_working_folder_that_is_gone(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    remove: Callable[[], None] = gone.rmdir
    done = subprocess.run(
        [sys.executable, "-m", "flexmb", "run", "impacting_bar", "--quiet"],
        capture_output=True,
        cwd=gone,
        preexec_fn=remove,
        env=dict(os.environ, PYTHONPATH=str(Path(__file__).parents[1])),
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert b"folder" in done.stderr
    assert b"internal error" not in done.stderr
