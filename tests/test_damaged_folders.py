"""Folders that were cut, edited or lost a file: what is there is shown with a note, or one paragraph says why not."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import pytest
from pictures import require_drawing

import flexmb as fm
from flexmb.cli import main
from flexmb.errors import InputError
from flexmb.io.run_folder import REPORT
from flexmb.postproc.open_folder import open_folder

SMALL = ["bodies.rod.elements=6", "time.step=2e-2", "output.fields_every=5"]
Damage = Callable[[Path], object]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sound") / "bar"
    fm.load_case("impacting_bar", SMALL).run(folder)
    return folder


@pytest.fixture
def folder(sound: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(sound, tmp_path / "bar"))


def cut(name: str, part: float) -> Damage:
    def damage(folder: Path) -> None:
        with (folder / name).open("r+b") as file:
            file.truncate(int(part * (folder / name).stat().st_size))

    return damage


def changed(name: str, change: Callable[[np.ndarray], object] | None) -> Damage:
    def damage(folder: Path) -> None:
        with h5py.File(folder / "result.h5", "r+") as file:
            old = file[name][()] if isinstance(file[name], h5py.Dataset) else None
            del file[name]
            if change is not None:
                file[name] = change(old)

    return damage


def killed(folder: Path) -> None:
    for name in ("case.toml", "result.h5", "fields.vtkhdf"):
        (folder / name).rename(folder / f"{name}.part")
    (folder / "summary.json").unlink()


def killed_with_cut_checkpoint(folder: Path) -> None:
    killed(folder)
    (folder / "checkpoint.npz").write_bytes(b"")


def summary(words: str) -> Damage:
    return lambda folder: (folder / "summary.json").write_text(words)


def case(words: str) -> Damage:
    return lambda folder: (folder / "case.toml").write_text(words)


def commands(folder: Path, out: Path) -> dict[str, list[str]]:
    return {
        "view": ["view", str(folder), "--screenshot", str(out / "view.png"), "--size", "480x270"],
        "report": ["report", str(folder), "-o", str(out / "page.html")],
        "csv": ["export", str(folder), "--format", "csv", "-o", str(out / "csv")],
        "pvd": ["export", str(folder), "--format", "pvd", "-o", str(out / "pvd")],
        "plot": ["plot", str(folder), "forces", "-o", str(out / "forces.png")],
    }


HOPELESS: dict[str, Damage] = {
    **{f"result cut at {part}": cut("result.h5", part) for part in (0.0, 0.01, 0.3, 0.7, 0.999)},
    "no result": lambda folder: (folder / "result.h5").unlink(),
    "no layout": changed("layout", None),
    "no times": changed("time", None),
    "times shorter": changed("time", lambda v: v[:-3]),
    "times of a hole": changed("state/time", lambda v: np.where(np.arange(len(v)) == 2, 0.0, v)),
    "states are few": changed("state/q", lambda v: v[:2]),
    "cells of other points": changed("layout/cells", lambda v: v + 1000),
    "map of another size": changed("layout/displacement/shape", lambda v: v + 1),
}
"""Damage after which nothing can be drawn."""
HARMLESS: dict[str, tuple[Damage, str]] = {
    "fields cut": (cut("fields.vtkhdf", 0.5), "fields.vtkhdf, the file for ParaView, is damaged"),
    "no fields": (lambda folder: (folder / "fields.vtkhdf").unlink(), "is missing"),
    "no case": (lambda folder: (folder / "case.toml").unlink(), ""),
    "no summary": (lambda folder: (folder / "summary.json").unlink(), "there is no summary.json"),
    "killed": (killed, "the run is not finished"),
    "killed, cut checkpoint": (killed_with_cut_checkpoint, "checkpoint.npz cannot be read"),
    "summary cut": (cut("summary.json", 0.4), "cannot be read as a summary"),
    "summary of other kinds": (summary('{"h": "x", "scheme": 3, "notes": 1}'), "scheme, notes, h left out"),
    "failed": (summary('{"status": "failed", "failure": {"error": "no way"}, "h": 0.02}'), "the run failed: no way"),
    "case cut": (case("[bodies.rod"), "case.toml cannot be read"),
    "case of other kinds": (case("contacts = 4"), "'contacts' is not a list of tables"),
    "case of other numbers": (case("[contacts.wall]\nnormal = [0, 0, 0]"), "'contacts.wall.normal' is not a direction"),
    "signal cut": (changed("signals/rod.mid.position", lambda v: v[:5]), "/signals/rod.mid.position left out"),
    "contact cut": (changed("contacts/wall/gap", lambda v: v[:5]), "/contacts/wall left out"),
    "energy cut": (changed("energy/kinetic", lambda v: v[:5]), "/energy left out"),
    "no sections": (changed("layout/sections/axes", None), "/layout/sections left out"),
}
"""Damage after which pictures can be made, and what is said."""


@pytest.mark.parametrize("name", HOPELESS)
def test_one_paragraph_says_why_nothing_is_drawn(
    folder: Path, tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    HOPELESS[name](folder)
    with pytest.raises(InputError):
        open_folder(folder)
    for what, words in commands(folder, tmp_path).items():
        if what == "report" and name not in ("result cut at 0.3", "no layout", "states are few"):
            continue  # these stand for the others
        if what == "csv" and name.startswith(("no layout", "times of a hole", "states", "cells", "map")):
            continue  # tables do not need what is damaged
        code, said = main(words), capsys.readouterr().err
        if what == "report":
            assert code == 0, said  # it shows what the summary and the samples tell
            continue
        assert code == 2, (what, said)
        assert said.startswith("flexmb: error: ")
        assert said.count("\n") == 1
        assert "Traceback" not in said


@pytest.mark.parametrize("name", HARMLESS)
def test_what_is_there_is_shown_with_a_note(
    folder: Path, tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    require_drawing()
    damage, note = HARMLESS[name]
    damage(folder)
    for what in ("view", "report"):
        assert main(commands(folder, tmp_path)[what]) == 0
        said = capsys.readouterr().err
        assert note in said, said
        assert "internal" not in said
    page = (tmp_path / "page.html").read_text().replace("&#x27;", "'").replace("&#39;", "'")
    assert note.removesuffix(" left out") in page


def test_states_that_are_no_numbers_are_said_so(
    folder: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    require_drawing()
    changed("state/q", lambda v: np.full_like(v, np.nan))(folder)
    assert main(commands(folder, tmp_path)["view"]) == 2
    assert "no finite numbers" in capsys.readouterr().err
    assert main(commands(folder, tmp_path)["report"]) == 0
    assert "not a finite number" in (tmp_path / "page.html").read_text()


def test_energies_that_are_no_numbers_have_no_bars(folder: Path, tmp_path: Path) -> None:
    changed("energy/kinetic", lambda v: np.full_like(v, np.nan))(folder)
    assert main(commands(folder, tmp_path)["report"]) == 0
    page = (tmp_path / "page.html").read_text()
    assert "Where the energy is" in page
    assert "Initial + works = final" not in page


def test_load_says_what_is_wrong(folder: Path) -> None:
    (folder / "case.toml").write_bytes(b"\xff\xfe\x00")
    assert fm.load(folder).time.size == 101
    cut("result.h5", 0.5)(folder)
    with pytest.raises(InputError, match="cannot be read as a result file"):
        fm.load(folder)


def test_bytes_overwritten_anywhere_are_no_internal_error(
    folder: Path, sound: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = (sound / "result.h5").read_bytes()
    for k, place in enumerate(np.linspace(0.0, 0.5, 40)):
        spoilt, at = bytearray(whole), int(place * len(whole))
        spoilt[at : at + 64] = b"\xff" * 64
        (folder / "result.h5").write_bytes(bytes(spoilt))
        try:
            opened = open_folder(folder)
            assert all(len(opened.result.tree[name].shape) < 4 for name in opened.result.tree)
        except InputError:
            pass
        if k % 8 == 0:
            assert main(commands(folder, tmp_path)["report"]) in (0, 2)
            assert "internal" not in capsys.readouterr().err


def test_a_new_run_removes_the_report_of_the_old_one(tmp_path: Path) -> None:
    folder = tmp_path / "bar"
    run = ["run", "impacting_bar", "--quiet", "-o", str(folder), *(word for o in SMALL for word in ("--set", o))]
    assert main(run) == 0
    assert main(["report", str(folder)]) == 0
    assert main([*run, "--overwrite"]) == 0
    assert not (folder / REPORT).exists()
    (folder / REPORT).write_text("<html>mine</html>")
    (folder / "bar.png").write_bytes(b"picture")
    assert main([*run, "--overwrite"]) == 0
    assert (folder / REPORT).read_text() == "<html>mine</html>"
    assert (folder / "bar.png").is_file()
    assert json.loads((folder / "summary.json").read_text())["status"] == "complete"
