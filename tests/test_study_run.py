"""Studies run: what is measured, what is kept, what is repeated, and what a failed run does."""

from __future__ import annotations

import csv
import json
import math
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from messages import says
from study_files import STUDY, Inline, write_study

import flexmb as fm
from flexmb.analysis.exact import exact_solution
from flexmb.analysis.measures import graph_distance, kept
from flexmb.cli import main
from flexmb.drive.compiled_files import WORDS
from flexmb.errors import InputError
from flexmb.parts.bodies.matrices import Matrices
from flexmb.study.expectations import evaluate
from flexmb.study.folder import StudyFolder
from flexmb.study.measuring import cut, graph_vertices
from flexmb.study.run_digest import run_key
from flexmb.study.study import load_study
from flexmb.study.study_schema import OPTIONAL_WORKS, ExpectTable
from flexmb.study.table import Row, Table, load_table


@pytest.fixture(autouse=True)
def inline(monkeypatch: pytest.MonkeyPatch) -> type[Inline]:
    Inline.ran = []
    monkeypatch.setattr("flexmb.study.study.Local", Inline)
    return Inline


def ran() -> list[tuple[str, int]]:
    """Return which runs were run since the last call: scheme and steps (of references 400)."""
    out = [(str(task.axes["scheme"]), int(task.axes.get("n", 400))) for task in Inline.ran]  # type: ignore[arg-type]
    Inline.ran = []
    return out


ALL = [(scheme, n) for scheme in ("Moreau", "alpha") for n in (400, 20, 40, 80)]


def test_numbers_are_those_of_the_runs(tmp_path: Path) -> None:
    table = load_study(write_study(tmp_path)).run(tmp_path / "out")
    assert sorted(ran()) == sorted(ALL)
    assert [row.axes for row in table.rows] == [
        {"scheme": s, "n": n} for s in ("Moreau", "alpha") for n in (20, 40, 80)
    ]
    scheme = ["scheme.name=moreau-jean", "scheme.theta=0.5", "time.end=1.0"]
    result = fm.load_case("impact_oscillator", [*scheme, "time.steps=40"]).run()
    fine = fm.load_case("impact_oscillator", [*scheme, "time.steps=400"]).run()
    row = table.rows[1]
    assert row.numbers["impulse"] == result.contacts["stop"].impulse.sum()
    truth = exact_solution(fm.load_case("impact_oscillator", ["time.end=1.0"]).values.data)
    assert truth is not None
    off = result.signals["ball.velocity"][:, 0] - truth.curves["ball.velocity.x"](result.time)
    assert row.numbers["error"] == pytest.approx(np.abs(off).sum() / 40, rel=1e-13)
    apart = result.signals["ball.position"][:, 0] - fine.signals["ball.position"][::10, 0]
    assert row.numbers["apart"] == pytest.approx(np.abs(apart).max(), rel=1e-13)
    energy = result.summary["energy"]
    assert {k: row.numbers[k] for k in ("initial", "final", "contact")} == {
        k: energy[k] for k in ("initial", "final", "contact")
    }
    assert ledger_gap(row) == pytest.approx(0.0, abs=1e-14)
    keep = kept([result.energy.total], 10)
    assert row.arrays["energy"] == {"t": result.time[keep].tolist(), "y": result.energy.total[keep].tolist()}


def ledger_gap(row: Row) -> float:
    """Return initial energy, works and residual, minus the final energy."""
    table = Table((row,))
    names = table.numbers_without_zeros(OPTIONAL_WORKS)
    works = names[names.index("final") + 1 :]
    return row.numbers["initial"] + sum(row.numbers[name] for name in works) - row.numbers["final"]


LEDGER_STUDY = """
case = "bouncing_ball"
ledger = true

[[axis]]
name = "run"
choices = [
    { label = "ball", set = { "scheme.name" = "phem56" } },
    { label = "located", case = "block_on_incline", set = { "scheme.name" = "phem56" } },
    { label = "stepped", case = "block_on_incline", set = { "scheme.name" = "moreau-jean" } },
]
"""


def test_the_columns_of_the_ledger_add_up(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_study(tmp_path, LEDGER_STUDY)
    assert main(["study", str(path), "-o", str(tmp_path / "out"), "--no-figures"]) == 0
    table = load_table(tmp_path / "out")
    assert all(abs(ledger_gap(row)) < 1e-12 * row.numbers["initial"] for row in table.rows)
    works = {name: [bool(row.numbers[name]) for row in table.rows] for name in OPTIONAL_WORKS}
    assert works["friction"] == [False, True, True]
    assert any(works["closing"])
    assert "friction" in capsys.readouterr().out.splitlines()[1].split()
    smooth = Table(tuple(row for row in table.rows if row.axes["run"] == "ball"))
    assert "friction" in smooth.numbers
    assert "friction" not in smooth.numbers_without_zeros(OPTIONAL_WORKS)


def test_errors_in_all_norms(tmp_path: Path) -> None:
    measures = "".join(
        f'\n[[measure]]\nname = "{norm}{against}"\nerror = "ball.velocity.x"\nagainst = "{against}"\nnorm = "{norm}"\n'
        f"from = 0.25\nto = 0.95\nrelative = {relative}\n"
        for norm in ("L1", "L2", "sup", "graph")
        for against, relative in (("exact", "false"), ("fine", "true"))
    )
    text = STUDY.replace("[20, 40, 80]", "[40]") + measures
    table = load_study(write_study(tmp_path, text)).run(tmp_path / "out")
    scheme = ["scheme.name=moreau-jean", "scheme.theta=0.5", "time.end=1.0"]
    result = fm.load_case("impact_oscillator", [*scheme, "time.steps=40"]).run()
    fine = fm.load_case("impact_oscillator", [*scheme, "time.steps=400"]).run()
    inside, fine_inside = slice(10, 39), slice(100, 381)
    t, v = result.time[inside], result.signals["ball.velocity"][inside, 0]
    v_fine = fine.signals["ball.velocity"][:, 0]
    a, w = 0.1, math.sqrt(4.0 - 0.01)
    t_hit = (math.pi - math.atan2(w, a)) / w

    def before(s: np.ndarray) -> np.ndarray:
        return -np.exp(-a * s) * (4.0 / w) * np.sin(w * s)

    speed = 0.7 * abs(float(before(np.array(t_hit))))

    def after(s: np.ndarray) -> np.ndarray:
        return speed * np.exp(-a * (s - t_hit)) * (np.cos(w * (s - t_hit)) - (a / w) * np.sin(w * (s - t_hit)))

    e = v - np.where(t < t_hit, before(t), after(t))
    d, ref = v - v_fine[fine_inside][::10], v_fine[fine_inside][::10]
    dense = np.linspace(t[0], t[-1], 8_001)
    dense = np.sort(np.concatenate([dense, [t_hit, t_hit]]))
    k = int(np.searchsorted(dense, t_hit))
    graph = np.concatenate([before(dense[: k + 1]), after(dense[k + 1 :])])
    row = table.rows[0].numbers
    assert row["L1exact"] == pytest.approx(np.abs(e).sum() / 40, rel=1e-9)
    assert row["L2exact"] == pytest.approx(math.sqrt((e**2).sum() / 40), rel=1e-9)
    assert row["supexact"] == pytest.approx(np.abs(e).max(), rel=1e-9)
    assert row["graphexact"] == pytest.approx(graph_distance(t, v, dense, graph), abs=1e-5)
    assert row["L1fine"] == pytest.approx(np.abs(d).sum() / np.abs(ref).sum(), rel=1e-12)
    assert row["L2fine"] == pytest.approx(math.sqrt((d**2).sum() / (ref**2).sum()), rel=1e-12)
    assert row["supfine"] == pytest.approx(np.abs(d).max() / np.abs(ref).max(), rel=1e-12)
    whole = graph_distance(t, v, fine.time[fine_inside], v_fine[fine_inside]) / np.ptp(v_fine[fine_inside])
    assert row["graphfine"] == pytest.approx(whole, rel=1e-12)


def test_the_graph_of_an_exact_curve_has_its_jumps(tmp_path: Path) -> None:
    exact = exact_solution(fm.load_case("bouncing_ball").values.data)
    assert exact is not None
    t = np.linspace(0.0, 1.75, 15)
    times, values = graph_vertices(exact, "ball.velocity.z", t)
    k = np.flatnonzero(np.diff(times) == 0.0)
    assert times[k].tolist() == [1.0, 1.0]  # a sample falls on the impact as well
    np.testing.assert_allclose(values[k[0] : k[0] + 3], [-2.0, 1.0, 1.0], atol=1e-7)
    flying = times < 1.0
    np.testing.assert_allclose(values[flying], -2.0 * times[flying], atol=1e-12)
    after = times > 1.0
    np.testing.assert_allclose(values[after], 1.0 - 2.0 * (times[after] - 1.0), atol=1e-12)


def test_what_a_step_is_beside_the_structure(tmp_path: Path) -> None:
    text = (
        'case = "impacting_bar"\n[set]\n"time.end" = 0.01\n[[axis]]\nname = "l"\nkey = "bodies.rod.elements"\n'
        'values = [1, 20]\n[[measure]]\nname = "cfl"\nquantity = "cfl"\n[[measure]]\nname = "w"\n'
        'quantity = "omega_max_h"'
    )
    one, many = load_study(write_study(tmp_path, text)).run().rows
    h, c = 2e-3, 30.0
    assert one.numbers["cfl"] == pytest.approx(c * h / 10.0, rel=1e-14)
    assert many.numbers["cfl"] == pytest.approx(c * h / 0.5, rel=1e-13)
    # linear elements, consistent mass: the highest mode alternates, omega = sqrt(12) c / l
    assert one.numbers["w"] == pytest.approx(math.sqrt(12) * c * h / 10.0, rel=1e-12)
    assert many.numbers["w"] == pytest.approx(math.sqrt(12) * c * h / 0.5, rel=1e-9)


def test_started_again_nothing_is_repeated(tmp_path: Path) -> None:
    path, out = write_study(tmp_path), tmp_path / "out"
    load_study(path).run(out)
    first = (out / "table.csv").read_text()
    ran()
    load_study(path).run(out)
    assert ran() == []
    assert (out / "table.csv").read_text() == first
    write_study(tmp_path, STUDY.replace("Moreau", "Jean").replace("A small study", "x"))  # words change nothing
    table = load_study(path).run(out)
    assert ran() == []
    assert table.column("scheme") == ["Jean"] * 3 + ["alpha"] * 3


def test_only_what_is_new_is_run(tmp_path: Path) -> None:
    path, out = write_study(tmp_path), tmp_path / "out"
    whole = load_study(path).run(out)
    ran()
    write_study(tmp_path, STUDY.replace("[20, 40, 80]", "[10, 40]"))
    part = load_study(path).run(out)
    assert ran() == [("Moreau", 10), ("alpha", 10)]
    assert [row.index for row in part.rows] == [0, 1, 2, 3]
    assert load_table(out) == part  # runs of before are out of the way
    write_study(tmp_path, STUDY)
    assert load_study(path).run(out) == whole  # and come back
    assert ran() == []
    write_study(tmp_path, STUDY.replace('norm = "sup"', 'norm = "L1"'))  # another measure
    load_study(path).run(out)
    assert sorted(ran()) == sorted(set(ALL) - {("Moreau", 400), ("alpha", 400)})
    load_study(path, ["bodies.ball.mass=2.0"]).run(out)
    assert sorted(ran()) == sorted(ALL)


def test_the_same_run_at_two_places_is_run_once(tmp_path: Path) -> None:
    first = next(line for line in STUDY.splitlines() if "Moreau" in line)
    text = STUDY.replace("[20, 40, 80]", "[20]").replace(first, first + first.replace("Moreau", "again"))
    path, out = write_study(tmp_path, text), tmp_path / "out"
    for _ in range(2):
        table = load_study(path).run(out)
        assert [row.axes["scheme"] for row in table.rows] == ["Moreau", "again", "alpha"]
        assert table.rows[0].numbers == table.rows[1].numbers
    assert len(Inline.ran) == 4


FAILING = STUDY.replace("[20, 40, 80]", "[20, 40]") + (
    '\n[[axis]]\nname = "spring"\nkey = "loads.spring.stiffness"\nvalues = [4.0, 1e-3]\n'
)
"""The exact solution does not hold for the soft spring: it is damped too much."""


def test_a_failed_run_is_a_row_that_says_why(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, out = write_study(tmp_path, FAILING), tmp_path / "out"
    assert main(["study", str(path), "-o", str(out), "--no-figures"]) == 0
    said = capsys.readouterr()
    assert says(said.err, "4 ... 8 runs failed ... run 1")
    assert "overdamped" in said.err
    table = load_table(out)
    assert [row.status for row in table.rows] == ["done", "failed"] * 4
    assert all(row.numbers == {} and "overdamped" in row.error for row in table.rows if not row.done)
    with (out / "table.csv").open() as handle:
        lines = list(csv.DictReader(handle))
    assert lines[1]["impulse"] == ""
    assert "overdamped" in lines[1]["failure"]
    ran()
    main(["study", str(path), "-o", str(out), "--no-figures", "--quiet"])
    assert ran() == []  # it would fail again


def test_all_failed(tmp_path: Path) -> None:
    fast = '"time.end" = 1.0\n"bodies.ball.velocity" = [1e300, 0.0, 0.0]'
    path = write_study(tmp_path, STUDY.replace('"time.end" = 1.0', fast))
    assert main(["study", str(path), "-o", str(tmp_path / "out"), "--no-figures", "--quiet"]) == 3


def test_a_failed_reference(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = STUDY.replace('set = { "time.steps" = 400 }', 'set = { "time.steps" = 400, "contacts.stop.point" = [0, 0] }')
    path = write_study(tmp_path, text)
    assert main(["study", str(path)]) == 2  # seen before anything runs
    text = STUDY.replace('set = { "time.steps" = 400 }', 'set = { "loads.spring.stiffness" = 1e300 }')
    path = write_study(tmp_path, text)
    capsys.readouterr()
    assert main(["study", str(path), "-o", str(tmp_path / "out"), "--no-figures"]) == 3
    assert "reference run 'fine' failed" in capsys.readouterr().err
    assert ran() == [("Moreau", 400), ("alpha", 400), ("Moreau", 20), ("Moreau", 40), ("Moreau", 80)]  # no other alpha


def test_a_lost_run_is_repeated_when_started_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, out = write_study(tmp_path), tmp_path / "out"
    whole = Inline.run

    def losing(self: Inline, tasks: Any, curves: Any) -> Any:
        for task, answer, why in whole(self, tasks, curves):
            lost = task.axes.get("n") == 40
            yield task, "" if lost else answer, "its worker died" if lost else why

    monkeypatch.setattr(Inline, "run", losing)
    table = load_study(path).run(out)
    assert [row.error for row in table.rows] == ["", "its worker died", ""] * 2
    monkeypatch.setattr(Inline, "run", whole)
    ran()
    assert all(row.done for row in load_study(path).run(out).rows)
    assert ran() == [("Moreau", 40), ("alpha", 40)]


def test_another_study_in_the_folder_is_refused(tmp_path: Path) -> None:
    out = tmp_path / "out"
    load_study(write_study(tmp_path)).run(out)
    for old, new, word in (("a small study", "another", "title"), ("impact_oscillator", "bouncing_ball", "case")):
        path = write_study(tmp_path, STUDY.replace(old, new).replace("stop", "floor").replace("l.impulse", "l"))
        if word == "title":
            path = write_study(tmp_path, STUDY.replace(old, new))
            with pytest.raises(InputError, match=f"contains another study .its {word}"):
                load_study(path).run(out)
        else:
            with pytest.raises(InputError, match=f"contains another study .its {word}"):
                StudyFolder(out, load_study(path).file)
    fm.load_case("impact_oscillator", ["time.steps=2"]).run(tmp_path / "run")
    with pytest.raises(InputError, match="contains a run"):
        load_study(write_study(tmp_path)).run(tmp_path / "run")


def test_two_processes_at_a_time_are_refused(tmp_path: Path) -> None:
    study = load_study(write_study(tmp_path))
    folder = StudyFolder(tmp_path / "out", study.file)
    with folder.locked(), pytest.raises(InputError, match="process runs.*study"):
        study.run(tmp_path / "out")


def test_results_are_kept_on_request(tmp_path: Path) -> None:
    text = STUDY.replace("ledger = true", "ledger = true\nkeep = true").replace("[20, 40, 80]", "[20]")
    table = load_study(write_study(tmp_path, text)).run(tmp_path / "out")
    bare = load_study(write_study(tmp_path, text.replace("keep = true", ""))).run()
    for row, same in zip(table.rows, bare.rows, strict=True):
        result = fm.load(tmp_path / "out" / "runs" / row.key)
        assert result.contacts["stop"].impulse.sum() == row.numbers["impulse"]
        assert {**row.numbers, "seconds": 0} == {**same.numbers, "seconds": 0}


def test_list_prints_commands_that_do_the_study(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "with a space"
    folder.mkdir()
    path, out = write_study(folder), folder / "out"
    assert main(["study", str(path), "-o", str(out), "--set", "bodies.ball.mass=2.0", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 6
    assert not out.exists()
    for line in reversed(lines):
        words = shlex.split(line)
        assert words[0] == "flexmb"
        assert main(words[1:]) == 0
    assert sorted(ran()) == sorted(ALL)
    assert main(shlex.split(lines[2])[1:]) == 0
    load_study(path, ["bodies.ball.mass=2.0"]).run(out)
    assert ran() == []
    assert len(list(csv.reader((out / "table.csv").read_text().splitlines()))) == 7
    assert main([*shlex.split(lines[0])[1:-1], "6"]) == 2
    assert "0 to 5" in capsys.readouterr().err


@pytest.mark.parametrize(("right", "wrong"), [("contacts.stop", "contacts.stp"), ("time.steps", "time.stepz")])
def test_a_wrong_study_is_refused_run_by_run_too(tmp_path: Path, right: str, wrong: str) -> None:
    path = write_study(tmp_path, STUDY.replace(right, wrong))
    assert main(["study", str(path), "-o", str(tmp_path / "out"), "--run", "1"]) == 2
    assert not (tmp_path / "out").exists()


def test_expectations(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    steps = STUDY.replace(
        'key = "time.steps"\nvalues = [20, 40, 80]', 'key = "time.step"\nvalues = [0.01, 0.005, 0.0025]'
    )
    more = """
[[expect]]
order = "error"
over = "n"
where = { scheme = "alpha" }
at_least = 0.5
source = "it converges"
[[expect]]
measure = "impulse"
where = { scheme = "alpha", n = 0.005 }
value = 4.0
rtol = 1e-9
"""
    path, out = write_study(tmp_path, steps + more), tmp_path / "out"
    args = ["study", str(path), "-o", str(out), "--no-figures"]
    assert main(args) == 0
    said = capsys.readouterr().out
    assert says(said, "ok order ... error ... scheme = alpha >= 0.5")
    assert says(said, "FAIL impulse ... scheme = alpha ... = 0.005 = 4 (rtol 1e-09) ... 3.1")
    entries = json.loads((out / "summary.json").read_text())["expectations"]
    assert [entry["ok"] for entry in entries] == [True, True, False]
    table = load_table(out).where({"scheme": "alpha"})
    slope = np.polyfit(np.log(table.column("n")), np.log(table.column("error")), 1)[0]  # type: ignore[arg-type]
    assert entries[1]["got"] == pytest.approx(slope, rel=1e-10)
    assert main([*args, "--check"]) == 1
    assert main([*args, "--check", "--quiet", "--set", "output.every=1"]) == 1


def test_a_number_that_is_none_is_not_passed_over_by_an_expectation() -> None:
    rows = [Row(k, f"k{k}", {"n": k}, "done", "", {"x": x}) for k, x in enumerate((1.0, math.nan, 2.0))]
    for reduce in ("max", "min", "mean"):
        [entry] = evaluate([ExpectTable(measure="x", reduce=reduce, at_most=9.0, at_least=0.0)], Table(tuple(rows)))
        assert (entry["got"], entry["ok"]) == (None, False)


def test_a_reference_must_cover_the_run(tmp_path: Path) -> None:
    text = STUDY.replace('"time.steps" = 400', '"time.steps" = 400, "time.end" = 0.5')
    table = load_study(write_study(tmp_path, text)).run(tmp_path / "out")
    words = "measure 'apart': the reference 'fine' runs from 0 to 0.5 s, and is needed from 0 to 1 s"
    assert {row.error for row in table.rows} == {words}


def test_graphs_on_other_grids_are_compared_over_the_same_times() -> None:
    """A line is its own graph, wherever its samples lie."""
    fine, coarse = np.linspace(0.0, 1.0, 1001), np.linspace(0.0, 1.0, 14)[3:9]
    assert graph_distance(coarse, 50.0 * coarse, *cut(fine, 50.0 * fine, coarse)) == pytest.approx(0.0, abs=1e-13)
    t, y = cut(fine, 50.0 * fine, fine[200:301])
    assert (t.tolist(), y.tolist()) == (fine[200:301].tolist(), (50.0 * fine[200:301]).tolist())


def test_curves_have_the_exact_one_beside(tmp_path: Path) -> None:
    text = STUDY.replace("[20, 40, 80]", "[40]") + '\n[[measure]]\nname = "v"\ncurve = "ball.velocity.x"\n'
    table = load_study(write_study(tmp_path, text)).run(tmp_path / "out")
    truth = exact_solution(fm.load_case("impact_oscillator", ["time.end=1.0"]).values.data)
    assert truth is not None
    found = table.rows[0].arrays["v"]
    assert found["exact"] == truth.curves["ball.velocity.x"](np.array(found["t"])).tolist()


def test_what_may_go_better_another_time_is_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def measured(*_: object) -> None:
        raise MemoryError("no room")

    path = write_study(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr("flexmb.study.task.measured", measured)
        table = load_study(path).run(tmp_path / "out")
    assert {row.error.partition("failed: ")[2] for row in table.rows} == {"internal error: MemoryError: no room"}
    assert all(row.done for row in load_study(path).run(tmp_path / "out").rows)


@pytest.mark.parametrize(
    "body", [{"kind": "beam", "mesh": "a"}, *({"kind": "matrices", key: "a"} for key in Matrices.files)]
)
def test_a_mesh_or_matrix_that_changes_is_another_run(tmp_path: Path, body: dict[str, str]) -> None:
    file, data = tmp_path / "a", {"bodies": {"rod": body}}
    keys = [run_key(data, tmp_path, (), {})]
    for words in ("one", "two!"):
        file.write_text(words)
        keys.append(run_key(data, tmp_path, (), {}))
    assert len(set(keys)) == 3


def test_a_step_on_the_command_line_takes_the_place_of_that_of_the_file(tmp_path: Path) -> None:
    text = STUDY.replace('"time.end" = 1.0', "time = { end = 1.0, step = 0.1 }").replace("time.steps", "scheme.theta")
    path = write_study(tmp_path, text.replace(', "scheme.theta" = 0.5', "").replace(" = 400", " = 0.9"))
    study = load_study(path, ["time.steps=7"])
    assert {".".join(map(str, s.path)): s.value for s in study.file.common} == {"time.end": 1.0, "time.steps": 7}
    with pytest.raises(InputError, match="axis 'n' changes.*value.*runs"):
        load_study(write_study(tmp_path), ["time.step=0.1"])


def test_loops_that_are_missing_are_compiled_first_once_for_each_family(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    warmed: list[list[str]] = []
    said: list[str] = []
    monkeypatch.setattr(Inline, "warm", lambda self, tasks: warmed.append([t.axes["scheme"] for t in tasks]))
    study = load_study(write_study(tmp_path))
    study.run(say=said.append)
    assert (warmed, said) == ([], [])
    monkeypatch.setattr("flexmb.study.plan.will_compile", lambda scheme: True)
    study.run(say=said.append)
    assert warmed == [["Moreau", "alpha"]]
    assert said == [WORDS]


def test_python(tmp_path: Path) -> None:
    table = fm.load_study(write_study(tmp_path, STUDY.replace("[20, 40, 80]", "[20]"))).run(jobs=1)
    assert table.column("scheme") == ["Moreau", "alpha"]
    assert table.where({"scheme": "alpha"}).column("impulse")[0] > 3.0  # type: ignore[operator]
    with pytest.raises(InputError, match="at least 1"):
        fm.load_study(write_study(tmp_path)).run(jobs=0)


def test_shipped_studies_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["study"]) == 0
    assert main(["cases"]) == 0
    assert "impacting_bar" in capsys.readouterr().out


def test_options_that_exclude_each_other(tmp_path: Path) -> None:
    assert main(["study", str(write_study(tmp_path)), "--list", "--run", "1"]) == 2
