"""The pieces of the benchmarks work at small sizes and compute what they say; how fast is no matter for a test."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

import bar as bench
import bare_solve
import contacts
import exudyn_bar
import flexmb_bar
import friction
import impacting_bar
import long_run
import start_up
import studies
import viewing
from study_files import Inline

import flexmb as fm
from flexmb.kernels.laws.friction_record import STATUS
from flexmb.schemes import SCHEMES
from flexmb.schemes.scheme import Scheme

TINY = ["--sizes", "20", "40", "--schemes", "moreau-jean", "generalized-alpha", "--repeats", "2", "--steps", "30"]


def tridiagonal(bare: bare_solve.BareSolve) -> np.ndarray:
    return np.diag(bare.diagonal) + np.diag(bare.beside, 1) + np.diag(bare.beside, -1)


def test_bare_solve_solves_the_iteration_matrix_of_the_bar():
    problem = impacting_bar.problem(20, 30)
    bare, system = bare_solve.BareSolve(problem), impacting_bar.assemble(problem)
    A = (system.M + problem.h**2 / 4 * system.K).toarray()
    np.testing.assert_allclose(tridiagonal(bare), A, rtol=0, atol=1e-13 * abs(A).max())
    bare_solve.solve(bare.low, bare.inverse, bare.b, bare.x)
    np.testing.assert_allclose(A @ bare.x, bare.b, rtol=0, atol=1e-12 * abs(bare.b).max())
    assert bare.seconds_of_one() > 0.0


@pytest.mark.parametrize("elements", [200, 1_000, 10_000, 100_000])
def test_a_third_of_what_is_timed_is_contact(elements):
    problem = impacting_bar.problem(elements)
    flight = problem.gap / (impacting_bar.SPEED * problem.h)
    wave = 2 * impacting_bar.LENGTH / np.sqrt(impacting_bar.YOUNG / impacting_bar.DENSITY) / problem.h
    contact = min(wave, problem.steps - flight)
    assert contact / problem.steps == pytest.approx(1 / 3, rel=1e-3)


def test_all_schemes_are_measured_and_the_measured_run_is_the_shipped_case():
    names = flexmb_bar.variants()
    compiled = {name for name, cls in SCHEMES.items() if cls.compiled_step is not Scheme.compiled_step}
    assert {name.removesuffix(" + GGL") for name in names} == {n for n in compiled if np.isinf(SCHEMES[n].stability)}
    assert {"moreau-jean", "schatzman-paoli", "newmark"} <= set(names)
    assert {name for name in names if names[name].name == "generalized-alpha"} == {
        "generalized-alpha + GGL",
        "generalized-alpha",
    }
    scheme = names["generalized-alpha + GGL"]
    assert impacting_bar.problem(200).gap == 5.0
    ours = flexmb_bar.FlexmbBar("ours", scheme, impacting_bar.problem(200))
    assert ours.plan.steps == 1000
    assert 333 <= ours.tally.contact_steps <= 337
    assert ours.tally.min_gap >= -1e-12
    assert 0.0 < ours.seconds_of_one() < np.inf
    assert 0.0 < ours.prepare_s < np.inf
    assert 0.0 < ours.summary_s < np.inf


def test_exudyn_moves_the_same_bar():
    pytest.importorskip("exudyn")
    problem = impacting_bar.problem(50, 250)
    theirs = exudyn_bar.ExudynBar(problem)
    ours = flexmb_bar.FlexmbBar("ours", flexmb_bar.variants()["generalized-alpha + GGL"], problem)
    sink = flexmb_bar.MemorySink()
    flexmb_bar.run(ours.plan, sink)
    q, v = (sink.tree()[f"/state/{name}"][-1] for name in "qv")
    # after the bounce, within the 2 % the penalty costs
    assert theirs.velocity.mean() == pytest.approx(v.mean(), abs=0.2)
    assert theirs.displacement.mean() == pytest.approx(q.mean(), abs=0.3)
    assert v.mean() == pytest.approx(impacting_bar.SPEED, rel=0.05)
    assert theirs.newton_steps < 1.2 * problem.steps
    assert theirs.seconds_of_one() > 0.0


def test_bar_prints_all_sizes_and_writes_csv(tmp_path, capsys):
    file = tmp_path / "bar.csv"
    rows = bench.main([*TINY, "--no-exudyn", "--csv", str(file)])
    text = capsys.readouterr().out
    assert [row.name for row in rows if row.elements == 20] == [
        "bare tridiagonal solve",
        "generalized-alpha + GGL",
        "generalized-alpha",
        "moreau-jean",
    ]
    for row in rows:
        assert 0.0 < row.us_min <= row.us_median < np.inf
        assert 0.0 < row.ratio_min < np.inf
        assert text.count(f"  {row.name}  ") == 3  # at each size, and in the table of growth
    bare = [row for row in rows if row.name.startswith("bare")]
    assert [row.ratio_min for row in bare] == [1.0, 1.0]
    ours = next(row for row in rows if row.name == "moreau-jean")
    assert ours.ratio_min == pytest.approx(ours.us_min / bare[0].us_min, rel=1e-12)
    assert 9 <= ours.contact_steps <= 11
    with file.open() as lines:
        table = list(csv.DictReader(lines))
    assert [float(line["us_min"]) for line in table] == [row.us_min for row in rows]


def test_a_flat_beam_is_measured_in_flight_and_in_contact(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["contacts.py", "--sizes", "10", "40", "--steps", "80"])
    contacts.main()
    lines = [line.split() for line in capsys.readouterr().out.splitlines()[1:]]
    assert [int(line[0]) for line in lines] == [10, 10, 10, 40, 40, 40]
    for line in lines:
        assert int(line[-1]) == int(line[0])  # all contacts were pressed at once
        assert all(float(x) > 0.0 for x in line[-7:-3])


def test_unknown_scheme_is_named(capsys):
    with pytest.raises(SystemExit):
        bench.main(["--schemes", "eulerish"])
    assert "eulerish" in capsys.readouterr().err


def test_slope_is_the_exponent():
    sizes = np.array([200.0, 1e3, 1e4, 1e5])
    assert bench.slope(sizes, 3e-3 * sizes**1.25) == pytest.approx(1.25, abs=1e-12)


def test_import_times_are_added_up_by_package():
    log = (
        "import time: self [us] | cumulative | imported package\n"
        "import time:      1000 |       1000 |     numpy.core\n"
        "import time:       500 |       1500 |   numpy\n"
        "some other line\n"
        "import time:      4000 |       5500 | flexmb\n"
    )
    modules = start_up.module_times(log)
    assert list(modules.items()) == [("flexmb", 4e-3), ("numpy.core", 1e-3), ("numpy", 5e-4)]
    assert start_up.package_times(modules) == pytest.approx({"flexmb": 4e-3, "numpy": 1.5e-3}, rel=1e-12)


def test_memory_is_reported_once_at_each_mark():
    seen = []
    progress = long_run.watcher((10, 50, 100), lambda mark, memory: seen.append((mark, memory["peak"])))
    for done in (0, 9, 10, 11, 60, 99, 100):
        progress(done, 100)
    assert [mark for mark, _ in seen] == [10, 50, 100]
    assert all(peak > 1.0 for _, peak in seen)


def test_long_run_reports_memory_and_time():
    rows = long_run.measure(steps=1000, every=10, fields_every=1000)
    assert rows[-1]["mark"] == "end"
    assert [row["mark"] for row in rows[:-1]][-1] == 100
    assert rows[-1]["steps"] == 1000
    assert rows[-1]["engine"] == "compiled"
    assert all(row["peak"] >= row["now"] > 10.0 for row in rows)
    assert rows[-1]["wall_s"] > 0.0
    assert rows[-1]["disk_mb"] > 0.0


def test_rates_of_studies_count_what_ended_after_the_first_of_each_worker(tmp_path, monkeypatch):
    assert studies.rate([1.0, 2.0, 3.0], 1) == 1.0
    assert studies.rate([1.0, 1.0, 2.0, 2.0, 3.0, 3.0], 2) == 2.0
    monkeypatch.setattr("flexmb.study.study.Local", Inline)
    went = studies.finished(tmp_path, 3, 10, 1)
    assert len(went.times) == 3
    assert went.times == sorted(went.times)
    assert went.cpu > 0.0


def test_wall_clock_and_processor_time_are_told_apart(tmp_path: Path) -> None:
    first_is_slow = f"import pathlib, time; p = pathlib.Path({str(tmp_path / 'done')!r})\n"
    first_is_slow += "time.sleep(0.0 if p.exists() else 3.0); p.touch()"
    idle, busy = "import time; time.sleep(1.0)", "import time\nwhile time.process_time() < 0.5: pass"
    wall, work = viewing.measure([sys.executable, "-c", idle], 1)
    assert wall >= 1.0
    assert work < 0.6  # starting the interpreter
    assert viewing.measure([sys.executable, "-c", busy], 1)[1] >= 0.45
    assert viewing.measure([sys.executable, "-c", first_is_slow], 2)[0] < 3.0  # the least of both
    with pytest.raises(subprocess.CalledProcessError):
        viewing.measure([sys.executable, "-c", "raise SystemExit(2)"], 1)


def test_viewing_measures_commands_that_work(tmp_path: Path) -> None:
    long, bar = viewing.make(tmp_path, 2000)
    commands = viewing.tasks(long, bar, tmp_path, 300)
    assert fm.load(long).step[-1] == 2000
    assert fm.load(bar).time[-1] == pytest.approx(viewing.BAR_SECONDS)
    viewing.measure(commands["report, bar"], 1)
    assert (tmp_path / "bar.html").stat().st_size < 8e6
    movie = commands["view --movie, bar, 300 pictures"]
    assert movie[movie.index("--speed") + 1] == "0.2"  # 2 s at 30 pictures a second in 300 pictures


def test_friction_benchmark_measures_beams_that_slide():
    rows = friction.growth([4, 40], repeats=1, steps=5, bending="planar")
    assert [(size, label) for size, label, *_ in rows] == [(n, k) for n in (4, 40) for k in friction.SCHEMES]
    assert all(rough > 0.0 and smooth > 0.0 for *_, rough, smooth, _ in rows)
    one = friction.Steps(friction.sliding_beam(9, "all", friction.MU), fm.MoreauJean(), friction.H, 5)
    assert (one.engine.live.laws[STATUS] == 2).all()  # every contact slips
