"""Reports of several runs: what belongs to which, what they have in common, and what is said of the rest."""

from __future__ import annotations

import html
import json
import re
import shlex
import shutil
import tomllib
from pathlib import Path

import numpy as np
import pytest
from messages import only, says
from report_page import Page

import flexmb as fm
from flexmb.analysis.exact import exact_solution
from flexmb.cli import main
from flexmb.postproc.report import write_report

CASES = Path(__file__).parents[1] / "cases"
COARSE = ["bodies.rod.elements=40", "time.step=5e-3"]


@pytest.fixture(scope="module")
def bar(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report") / "bar"
    fm.load_case(CASES / "impacting_bar.toml", COARSE).run(folder)
    return folder


@pytest.fixture(scope="module")
def moreau(bar: Path) -> Path:
    folder = bar.parent / "moreau"
    fm.load_case(CASES / "impacting_bar.toml", [*COARSE, "scheme.name=moreau-jean"]).run(folder)
    return folder


@pytest.fixture(scope="module")
def short(bar: Path) -> Path:
    folder = bar.parent / "short"
    fm.load_case(CASES / "impacting_bar.toml", [*COARSE, "time.end=0.4", "scheme.name=newmark"]).run(folder)
    return folder


@pytest.fixture(scope="module")
def ball(bar: Path) -> Path:
    folder = bar.parent / "ball"
    fm.load_case(CASES / "bouncing_ball.toml", ["time.step=2e-2"]).run(folder)
    return folder


def test_several_runs_are_compared(bar: Path, moreau: Path, tmp_path: Path) -> None:
    page = Page(write_report([bar, moreau], tmp_path / "both.html").path)
    a, b = fm.load(bar), fm.load(moreau)
    for result, label in ((a, "generalized-alpha"), (b, "moreau-jean")):
        t, force = page.curve("Force", label)
        np.testing.assert_allclose(force, result.contacts["wall"].force, atol=1e-3)
        row = next(row for row in page.rows if row[0] == label and len(row) == 9)
        assert float(row[2]) == pytest.approx(result.summary["energy"]["final"], rel=1e-7)
        assert float(row[5]) == pytest.approx(result.summary["energy"]["contact"], rel=1e-6, abs=1e-9)
    assert page.curve("Total energy", "exact")[1] == pytest.approx(500.0)
    assert [motion["label"] for motion in page.data["motions"]] == ["generalized-alpha", "moreau-jean"]
    assert page.row("folder") == ["folder", "bar", "moreau"]
    assert page.row("scheme")[2].startswith("moreau-jean")  # each has its own facts
    assert page.row("size") == ["size", "41 unknowns, 1 contact", "41 unknowns, 1 contact"]
    exact = exact_solution(tomllib.loads((bar / "case.toml").read_text()))
    assert exact is not None
    for signal, get in (
        ("contacts.wall.force", lambda r: r.contacts["wall"].force),
        ("rod.mid.velocity.x", lambda r: r.signals["rod.mid.velocity"][:, 0]),
    ):
        for cell, result in zip(page.row(signal)[2:], (a, b), strict=True):  # each its own distances
            off = np.abs(get(result) - exact.curves[signal](result.time))
            mean, largest = (float(word) for word in re.findall(r"[0-9.e+-]+", cell))
            assert mean == pytest.approx(off.mean(), rel=0.02)
            assert largest == pytest.approx(off.max(), rel=0.01)
    lost = page.curve("Work: contacts", "moreau-jean")[1]
    np.testing.assert_allclose(lost, b.energy.work_contact, atol=1e-4)
    assert lost[-1] < -1.0
    colours = {c["label"]: c["colour"] for c in page.chart("Force")["curves"]}
    assert len(set(colours.values())) == 3


def test_runs_that_differ_in_the_problem_have_no_common_exact_solution(bar: Path, tmp_path: Path) -> None:
    case = fm.load_case(CASES / "impacting_bar.toml", [*COARSE, "bodies.rod.velocity=[-8.0, 0.0, 0.0]"])
    case.run(tmp_path / "slow")
    written = write_report([bar, tmp_path / "slow"], tmp_path / "both.html")
    assert says(written.notes, "runs ... different exact solutions")
    page = Page(written.path)
    assert [c["label"] for c in page.chart("Gap")["curves"]] == ["bar", "slow"]
    damped = fm.load_case(CASES / "impacting_bar.toml", [*COARSE, "bodies.rod.damping={beta=1e-4}"])
    damped.run(tmp_path / "damped")
    notes = write_report([tmp_path / "damped"]).notes
    assert says(only(notes), "exact solution ... body 'rod' ... damping")


def test_command_line(bar: Path, moreau: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["report", str(bar), str(moreau)]) == 0
    assert capsys.readouterr().out.startswith("written: comparison.html (")
    assert (tmp_path / "comparison.html").stat().st_size < 8e6


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_the_exact_solution_goes_to_the_end_of_the_longest_run(
    bar: Path, short: Path, tmp_path: Path, order: tuple[int, int]
) -> None:
    alone = Page(write_report([bar], tmp_path / "alone.html").path)
    written = write_report([(bar, short)[k] for k in order], tmp_path / "both.html")
    assert not any("exact" in note for note in written.notes)
    page = Page(written.path)
    for title in ("Force", "Accumulated impulse", "Total energy", "rod.mid.position.x"):
        assert page.curve(title, "exact")[0].max() == pytest.approx(2.0)
    for signal in ("rod.mid.position.x", "contacts.wall.gap"):
        cells = page.row(signal)[2:]
        assert cells[order.index(0)] == alone.row(signal)[2]
        assert float(cells[order.index(1)].split()[0]) < 1e-9  # before the impact it flies


def test_a_run_without_exact_solution_is_named(bar: Path, tmp_path: Path) -> None:
    text = (bar / "case.toml").read_text()
    other = Path(shutil.copytree(bar, tmp_path / "other"))
    (other / "case.toml").write_text(re.sub(r"(?s)\[exact\].*?\n\n", "", text))
    written = write_report([bar, other], tmp_path / "both.html")
    assert says(only(written.notes), "exact solution ... other")
    assert len(Page(written.path).chart("Gap")["curves"]) == 2


def test_runs_are_called_by_what_tells_them_apart(bar: Path, moreau: Path, ball: Path, tmp_path: Path) -> None:
    def labels(*folders: Path) -> list[str]:
        chart = Page(write_report(folders, tmp_path / "x.html").path).chart("Total energy")
        return [curve["label"] for curve in chart["curves"] if curve["label"] != "exact"]

    assert labels(bar, moreau) == ["generalized-alpha", "moreau-jean"]
    fine = tmp_path / "fine"
    fm.load_case(CASES / "impacting_bar.toml", ["bodies.rod.elements=40", "time.step=2e-3"]).run(fine)
    assert labels(bar, fine) == ["h = 0.005 s", "h = 0.002 s"]
    other = tmp_path / "other"
    fm.load_case(CASES / "impacting_bar.toml", ["bodies.rod.elements=40", "time.step=5e-3", "scheme.rho_inf=0.5"]).run(
        other
    )
    assert labels(bar, other) == ["generalized-alpha (rho_inf = 0.8)", "generalized-alpha (rho_inf = 0.5)"]
    # neither the step nor the parameter alone: what differs is said
    assert labels(other, fine) == [
        "generalized-alpha (rho_inf = 0.5), h = 0.005 s",
        "generalized-alpha (rho_inf = 0.8), h = 0.002 s",
    ]
    assert labels(moreau, fine) == ["moreau-jean, h = 0.005 s", "generalized-alpha, h = 0.002 s"]
    chosen = [tmp_path / "loose", tmp_path / "tight"]
    for folder, tolerance in zip(chosen, ("1e-3", "1e-4"), strict=True):
        fm.load_case("four_bar", ["time.end=0.05", f"time.tolerance={tolerance}"]).run(folder)
    assert labels(*chosen) == ["tolerance = 0.001", "tolerance = 0.0001"]
    assert labels(ball, bar) == ["ball", "bar"]  # not by their steps: they are different cases
    page = Page(tmp_path / "x.html")
    assert page.row("title")[1:] == [fm.load(folder).summary["title"] for folder in (ball, bar)]
    mesh = tmp_path / "mesh"
    fm.load_case(CASES / "impacting_bar.toml", ["bodies.rod.elements=20", "time.step=4e-3"]).run(mesh)
    assert labels(bar, mesh) == ["bar", "mesh"]


def test_what_only_some_runs_recorded_is_shown_and_said(bar: Path, ball: Path, tmp_path: Path) -> None:
    page = Page(write_report([ball, bar], tmp_path / "both.html").path)
    for title, label, other in (("ball.position.z", "ball", "bar"), ("rod.mid.position.x", "bar", "ball")):
        for nth in range(3):  # over time, as a portrait, as a spectrum
            chart = page.chart(title, nth)
            assert [curve["label"] for curve in chart["curves"]] == [label]
            assert chart["note"] == f"Not recorded by {other}."
    gaps = [chart for chart in page.data["charts"] if chart["title"] == "Gap"]
    assert [(c["curves"][0]["label"], c["note"]) for c in gaps] == [
        ("ball", "Not recorded by bar."),
        ("bar", "Not recorded by ball."),
    ]
    assert page.source.count('class="legend"') == len(page.data["charts"]) - 2  # also of one curve; not of bars


def test_what_moves_in_a_later_run_only_is_shown(bar: Path, tmp_path: Path) -> None:
    still = tmp_path / "still"
    quiet = ["bodies.rod.velocity=[0, 0, 0]", "time.end=0.1"]
    fm.load_case(CASES / "impacting_bar.toml", [*COARSE, *quiet]).run(still)
    page = Page(write_report([still, bar], tmp_path / "both.html").path)
    assert [c["label"] for c in page.chart("rod.last.velocity.x")["curves"]] == ["still", "bar"]


def test_a_signal_that_one_run_lacks_is_shown_of_the_others(
    bar: Path, ball: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "x.html"
    page = Page(write_report([ball, bar], out, ["rod.mid.position", "energy.kinetic"]).path)
    assert page.chart("rod.mid.position.x")["note"] == "Not recorded by ball."
    assert len(page.chart("energy.kinetic")["curves"]) == 2
    assert main(["report", str(ball), str(bar), "--signal", "rod.mod.position", "-o", str(out)]) == 2
    err = capsys.readouterr().err
    assert says(err, "ball ... signal 'rod.mod.position'")
    assert says(err, "bar ... signal 'rod.mod.position' ... result ... rod.mid.position")


def test_more_runs_than_colours_are_dashed(bar: Path, tmp_path: Path) -> None:
    folders = []
    for k in range(7):
        folder = tmp_path / f"run{k}"
        folder.mkdir()
        for name in ("result.h5", "summary.json", "case.toml"):
            (folder / name).symlink_to(bar / name)
        folders.append(folder)
    curves = Page(write_report(folders, tmp_path / "seven.html").path).chart("Gap")["curves"]
    looks = [(curve["colour"], curve["dashed"]) for curve in curves]
    assert len(set(looks)) == 8  # with the exact one
    assert [dashed for _, dashed in looks] == [False] * 6 + [True, True]
    assert looks[6][0] == looks[0][0]


def test_the_commands_make_the_page_again(
    bar: Path, moreau: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    one, two = (Path(shutil.copytree(bar, tmp_path / name / "my run; rm x")) for name in "ab")
    page = Page(write_report([one, two, moreau], "both of them.html", ["rod.mid.velocity"]).path)
    lines = html.unescape(page.source.partition("<pre>")[2].partition("</pre>")[0]).splitlines()
    names = ["a-my run; rm x", "b-my run; rm x", "moreau"]
    assert [shlex.split(line) for line in lines] == [
        *(["flexmb", "run", f"{name}.toml", "-o", f"again/{name}"] for name in names),
        [
            "flexmb",
            "report",
            *(f"again/{n}" for n in names),
            "--signal",
            "rod.mid.velocity",
            "-o",
            "both of them.html",
        ],
    ]
    for name in names:
        assert f"({name}.toml)" in page.text
    assert page.row("folder")[1:] == ["a/my run; rm x", "b/my run; rm x", "moreau"]


def test_versions_are_those_of_each_run(bar: Path, tmp_path: Path) -> None:
    other = Path(shutil.copytree(bar, tmp_path / "other"))
    summary = json.loads((other / "summary.json").read_text())
    summary["versions"]["numpy"] = "1.2.3"
    summary["steps"] = 77
    (other / "summary.json").write_text(json.dumps(summary))
    page = Page(write_report([bar, other], tmp_path / "x.html").path)
    assert page.row("numpy") == ["numpy", np.__version__, "1.2.3"]
    assert page.row("steps") == ["steps", "400 of 0.005 s", "77 of 0.005 s"]
