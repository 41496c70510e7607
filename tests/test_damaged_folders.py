"""Folders of failed or killed runs are shown with a note; those that were cut or edited are refused, by name."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import pytest
import sound_folder
from messages import says
from pictures import require_drawing

import flexmb as fm
from flexmb.cli import main
from flexmb.errors import InputError
from flexmb.postproc.open_folder import open_folder
from flexmb.record.io.run_folder import REPORT

SMALL = sound_folder.SMALL
sound, folder = sound_folder.sound, sound_folder.folder
Damage = Callable[[Path], object]


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
        "view": ["view", str(folder), "--screenshot", str(out / "view.png"), "--size", "640x360"],
        "report": ["report", str(folder), "-o", str(out / "page.html")],
        "csv": ["export", str(folder), "--format", "csv", "-o", str(out / "csv")],
        "pvd": ["export", str(folder), "--format", "pvd", "-o", str(out / "pvd")],
        "plot": ["plot", str(folder), "forces", "-o", str(out / "forces.png")],
    }


DAMAGED: dict[str, tuple[Damage, str]] = {
    **{f"result cut at {part}": (cut("result.h5", part), "result.h5") for part in (0.0, 0.01, 0.3, 0.7, 0.999)},
    "no result": (lambda folder: (folder / "result.h5").unlink(), "result.h5"),
    "no layout": (changed("layout", None), "/layout"),
    "no times": (changed("time", None), "/time"),
    "times shorter": (changed("time", lambda v: v[:-3]), "/time"),
    "times of a hole": (changed("state/time", lambda v: np.where(np.arange(len(v)) == 2, 0.0, v)), "/state/time"),
    "states are few": (changed("state/q", lambda v: v[:2]), "/state/q"),
    "cells of other points": (changed("layout/cells", lambda v: v + 1000), "/layout"),
    "map of another size": (changed("layout/displacement/shape", lambda v: v + 1), "/layout"),
    "signal cut": (changed("signals/rod.mid.position", lambda v: v[:5]), "/signals/rod.mid.position"),
    "contact cut": (changed("contacts/wall/gap", lambda v: v[:5]), "/contacts/wall/gap"),
    "energy cut": (changed("energy/kinetic", lambda v: v[:5]), "/energy/kinetic"),
    "no sections": (changed("layout/sections/axes", None), "/layout"),
    "cut checkpoint": (killed_with_cut_checkpoint, "checkpoint.npz"),
    "summary cut": (cut("summary.json", 0.4), "summary.json"),
    "summary of other kinds": (summary('{"h": "x", "scheme": 3, "notes": 1}'), "h = 'x'"),
    "summary without h": (summary("{}"), "summary.json"),
    "case cut": (case("[bodies.rod"), "case.toml"),
    "case of other bytes": (lambda folder: (folder / "case.toml").write_bytes(b"\xff\xfe\x00"), "case.toml"),
    "case of other kinds": (case("contacts = 4"), "contacts = 4"),
    "case of other numbers": (case("[contacts.wall]\nnormal = [0, 0, 0]"), "contacts.wall.normal = [0, 0, 0]"),
}
"""Damage, and what the one error must name."""
UNFINISHED: dict[str, tuple[Damage, str]] = {
    "fields cut": (cut("fields.vtkhdf", 0.5), "fields.vtkhdf"),
    "no fields": (lambda folder: (folder / "fields.vtkhdf").unlink(), "fields.vtkhdf"),
    "no case": (lambda folder: (folder / "case.toml").unlink(), ""),
    "no summary": (lambda folder: (folder / "summary.json").unlink(), "there is no summary.json"),
    "killed": (killed, "the run is not finished"),
    "failed": (summary('{"status": "failed", "failure": {"error": "no way"}, "h": 0.02}'), "the run failed: no way"),
}
"""What is shown, and what is said of it."""


@pytest.mark.parametrize("name", DAMAGED)
def test_one_paragraph_says_what_is_damaged(
    folder: Path, tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    damage, named = DAMAGED[name]
    damage(folder)
    with pytest.raises(InputError):
        open_folder(folder)
    for what, words in commands(folder, tmp_path).items():
        code, said = main(words), capsys.readouterr().err
        assert code == 2, (what, said)
        assert said.startswith("flexmb: error: ")
        assert said.count("\n") == 1
        assert str(folder) in said
        assert named in said


@pytest.mark.parametrize("name", UNFINISHED)
def test_what_is_there_is_shown_with_a_note(
    folder: Path, tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    require_drawing()
    damage, note = UNFINISHED[name]
    damage(folder)
    for what in ("view", "report"):
        assert main(commands(folder, tmp_path)[what]) == 0
        said = capsys.readouterr().err
        assert note in said, said
        assert "internal" not in said
    page = (tmp_path / "page.html").read_text().replace("&#x27;", "'").replace("&#39;", "'")
    assert note in page


def test_states_that_are_no_numbers_are_said_so(
    folder: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    changed("state/q", lambda v: np.full_like(v, np.nan))(folder)
    assert main(commands(folder, tmp_path)["view"]) == 2
    assert says(capsys.readouterr().err, "state ... finite number")
    assert main(commands(folder, tmp_path)["report"]) == 0
    assert says((tmp_path / "page.html").read_text(), "21 ... 21 states ... not finite")


def test_states_that_are_numbers_are_shown_beside_others(
    folder: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    require_drawing()
    count = len(fm.load(folder).fields)

    def spoil(values: np.ndarray) -> np.ndarray:
        values[[3, count - 1]] = np.nan
        return values

    changed("state/v", spoil)(folder)
    third = float(fm.load(folder).fields.times[3])
    note = f"2 of {count} states are not finite and left out, the first at t = {third:.6g} s"
    own = commands(folder, tmp_path)
    movie = ["view", str(folder), "--movie", str(tmp_path / "x.gif"), "--size", "640x360", "--fps", "2"]
    for command in (own["view"], movie, own["report"]):
        assert main(command) == 0
        assert note in capsys.readouterr().err


def test_energies_that_are_no_numbers_have_no_bars(folder: Path, tmp_path: Path) -> None:
    changed("energy/kinetic", lambda v: np.full_like(v, np.nan))(folder)
    assert main(commands(folder, tmp_path)["report"]) == 0
    page = (tmp_path / "page.html").read_text()
    assert "Energy over time" in page
    assert "Initial + works = final" not in page


def test_load_says_what_is_wrong(folder: Path) -> None:
    (folder / "case.toml").write_bytes(b"\xff\xfe\x00")
    assert fm.load(folder).time.size == 101
    cut("result.h5", 0.5)(folder)
    with pytest.raises(InputError, match="result file"):
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


def edited(**values: object) -> Damage:
    """Return a change of summary.json; a dotted key, with __ for dots, goes deeper."""

    def damage(folder: Path) -> None:
        path = folder / "summary.json"
        whole = json.loads(path.read_text())
        for key, value in values.items():
            *groups, last = key.split("__")
            node = whole
            for group in groups:
                node = node[int(group) if group.isdecimal() else group]
            node[int(last) if last.isdecimal() else last] = value
        path.write_text(json.dumps(whole))

    return damage


ODD_SUMMARIES: dict[str, tuple[Damage, str]] = {
    "no signal": (edited(expectations__0={"ok": True}), "expectations.0"),
    "bound of null": (edited(expectations__0={"ok": True, "signal": "a", "at_most": None}), "expectations.0"),
    "time of letters": (edited(expectations__3__time="x"), "expectations.3"),
    "ok of letters": (edited(expectations__1__ok="<b>"), "expectations.1"),
    "no list": (edited(expectations=["x", 3]), "expectations.0"),
    "residual": (edited(energy__residual_max="small"), "energy.residual_max"),
    "newton": (edited(newton_iterations="many"), "newton_iterations"),
    "tolerance": (edited(tolerance="tight"), "tolerance"),
    "several": (edited(steps="many", wall_time_s={}, dofs=[1]), "steps"),
    "huge": (edited(steps=10**400), "steps"),
    "engine": (edited(engine=3), "engine"),
    "versions": (edited(versions__numpy={"a": 1}), "versions.numpy"),
    "notes": (edited(notes=[{"a": 1}, "b"]), "notes.0"),
}


@pytest.mark.parametrize("name", ODD_SUMMARIES)
def test_odd_entries_of_a_summary_are_named(
    folder: Path, tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    damage, place = ODD_SUMMARIES[name]
    damage(folder)
    assert main(commands(folder, tmp_path)["report"]) == 2
    said = capsys.readouterr().err
    assert str(folder / "summary.json") in said
    assert place in said


def test_what_a_summary_may_lack_is_no_damage(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    edited(tolerance=1e-3, steps_taken=None, joints=None, newton_iterations=7, expectations__0__got=None)(folder)
    assert main(commands(folder, tmp_path)["report"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("name", "rows", "words"),
    [
        ("energy/kinetic", slice(-1, None), "at 1 of 101 samples, the first at t = 2 s"),
        ("energy/work_contact", slice(-1, None), "at 1 of 101 samples, the first at t = 2 s"),
        ("energy/potential", slice(50, 60), "at 10 of 101 samples, the first at t = 1 s"),
    ],
)
def test_energies_with_gaps_keep_their_works(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, rows: slice, words: str
) -> None:
    from report_page import Page

    def spoil(values: np.ndarray) -> np.ndarray:
        values[rows] = np.nan
        return values

    changed(name, spoil)(folder)
    assert main(commands(folder, tmp_path)["report"]) == 0
    note = f"energies are not finite {words}"
    assert note in capsys.readouterr().err
    page = Page(tmp_path / "page.html")
    assert page.text.count(note) == 1
    labels = [curve["label"] for curve in page.chart("Works since the start")["curves"]]
    assert labels == ["contacts", "scheme", "change of the energy"]
    stack = [curve["label"] for curve in page.chart("Energy over time")["curves"]]
    assert stack == ["kinetic", "potential", "lost to contacts", "lost to scheme", "= initial + work supplied"]
    figure = fm.load(folder).plot_energy()
    words = [text.get_text() for axes in figure.axes for text in axes.get_legend().get_texts()]
    assert not [word for word in words if "nan" in word]
    assert sum(word.startswith("contacts ") for word in words) == 1
    assert figure.get_supxlabel() == note


def test_states_too_large_to_draw_are_left_out(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def spoil(values: np.ndarray) -> np.ndarray:
        values[3] = 1e300
        return values

    changed("state/q", spoil)(folder)
    assert main(commands(folder, tmp_path)["report"]) == 0
    said = capsys.readouterr().err
    assert says(said, "1 ... 21 states ... not finite")
    assert "Warning" not in said


def test_an_unfinished_run_ends_with_its_last_row(folder: Path) -> None:
    whole = np.asarray(fm.load(folder).fields.q[()])
    killed(folder)
    with h5py.File(folder / "result.h5.part", "r+") as file:  # rows to come are zero
        file["state/step"][8:] = 0
        file["state/q"][8:] = 0.0
    q = open_folder(folder).result.fields.q
    assert q.shape == whole[:8].shape
    for part in (-1, -8, 3, (-1, 2), (slice(None), 1), slice(-3, None), slice(None), (), ..., slice(5, 99)):
        np.testing.assert_array_equal(q[part], whole[:8][part], err_msg=str(part))
    with pytest.raises(IndexError):
        q[8]


def test_a_result_without_energies_has_no_figure_of_them(folder: Path) -> None:
    changed("energy", None)(folder)
    with pytest.raises(InputError, match="result.*energies"):
        fm.load(folder).plot_energy()
