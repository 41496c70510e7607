"""Figures of studies: what is drawn is what the table says, nothing is covered, and files are the same each time."""

from __future__ import annotations

import csv
import io
import math
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from fake_study import FAILED_RUN, SCHEMES, STEPS, fake_row, fake_study, fake_table
from matplotlib.figure import Figure
from messages import only, says

from flexmb.analysis.measures import fitted_order, performance_profile
from flexmb.errors import InputError
from flexmb.postproc.study import draw_study
from flexmb.postproc.study.canvas import COLOURS, MARKERS, log_word, look
from flexmb.postproc.study.columns import Columns
from flexmb.postproc.study.draw import KINDS, draw_figure, rendered
from flexmb.postproc.study.folder import open_study
from flexmb.postproc.study.spec import Spec, spec_of
from flexmb.postproc.study.write import draw_all
from flexmb.postproc.style import STYLE
from flexmb.study.table import Row, Table

TABLE = fake_table()
LABELS = {
    "axis": [
        {"name": "scheme", "choices": []},
        {"name": "h", "key": "time.step", "unit": "s", "label": "step h"},
    ],
    "measure": [
        {"name": "error", "error": "rod.first.velocity.x"},
        {"name": "wall", "signal": "summary.wall_time_s"},
        {"name": "steps", "signal": "summary.steps"},
        {"name": "energy", "curve": "energy.total"},
    ],
}
COLUMNS = Columns(LABELS)
ZIPPED = [("a", 0.1), ("b", 0.2), ("a", 0.2)]
THREE = ["Newmark", "HHT, α = 0.1", "Moreau-Jean, θ = 1"]


def draw(table: Table = TABLE, **asked: object):
    drawing, notes = draw_figure(spec_of({"name": "it"} | asked), table, COLUMNS)
    return drawing, notes


def words_of(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.findobj(matplotlib.text.Text) if text.get_text()]


def labels_of(figure: Figure) -> list[str]:
    return [text.get_text() for legend in figure.legends for text in legend.get_texts()]


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = fake_study(tmp_path_factory.mktemp("study") / "schemes")
    draw_study(folder)
    return folder


def test_every_figure_is_there_as_svg_pdf_and_csv(drawn: Path) -> None:
    opened = open_study(drawn)
    specs = [spec_of(table) for table in opened.tables["figure"]]
    assert {spec.kind for spec in specs} == set(KINDS)
    for spec in specs:
        svg = (drawn / "figures" / f"{spec.name}.svg").read_text()
        assert "<svg" in svg
        assert (drawn / "figures" / f"{spec.name}.pdf").read_bytes().startswith(b"%PDF")
        rows = list(csv.reader((drawn / "figures" / f"{spec.name}.csv").open()))
        assert len(rows) > 5
        assert len({len(row) for row in rows}) == 1


def test_the_same_study_gives_the_same_bits(drawn: Path) -> None:
    """Also in another process: nothing comes from dates, addresses or random numbers."""
    opened = open_study(drawn)
    spec = next(spec_of(t) for t in opened.tables["figure"] if t["name"] == "order_norms")
    drawing, _ = draw_figure(spec, opened.table, Columns(opened.tables))
    for suffix in ("svg", "pdf"):
        assert rendered(drawing, spec, suffix) == (drawn / "figures" / f"order_norms.{suffix}").read_bytes()
    code = (
        "import sys, pathlib; from flexmb.postproc.study.folder import open_study;"
        "from flexmb.postproc.study.draw import *; from flexmb.postproc.study.spec import spec_of;"
        "o = open_study(pathlib.Path(sys.argv[1])); t = [t for t in o.tables['figure'] if t['name'] == 'order_norms'];"
        "d, _ = draw_figure(spec_of(t[0]), o.table, Columns(o.tables));"
        "sys.stdout.buffer.write(rendered(d, spec_of(t[0]), 'svg'))"
    )
    other = subprocess.run([sys.executable, "-c", code, str(drawn)], capture_output=True, check=True).stdout
    assert other == (drawn / "figures" / "order_norms.svg").read_bytes()


def test_legends_stand_outside_of_all_frames_and_inside_the_figure(drawn: Path) -> None:
    opened = open_study(drawn)
    for table in opened.tables["figure"]:
        drawing, _ = draw_figure(spec_of(table), opened.table, Columns(opened.tables))
        figure = drawing.figure
        with matplotlib.rc_context(STYLE):
            figure.draw_without_rendering()
            boxes = [axes.get_tightbbox() for axes in figure.axes]
            for legend in figure.legends:
                box = legend.get_window_extent()
                assert not any(box.overlaps(other) for other in boxes), table["name"]
                assert box.x0 >= 0.0
                assert box.x1 <= figure.bbox.x1, table["name"]
                assert box.y0 >= 0.0
            assert min(box.x0 for box in boxes) >= -1.0
            assert max(box.x1 for box in boxes) <= figure.bbox.x1 + 1.0, table["name"]


def test_twelve_series_differ_without_colours() -> None:
    looks = [look(place) for place in range(len(MARKERS))]
    assert len({one["marker"] for one in looks}) == len(MARKERS) >= 12
    pairs = {(look(p)["color"], look(p)["marker"]) for p in range(len(COLOURS) * len(MARKERS))}
    assert len(pairs) == len(COLOURS) * len(MARKERS)


def test_a_series_looks_the_same_in_all_figures() -> None:
    whole, _ = draw(kind="lines", x="h", y=["final"], by=["scheme"])
    few, _ = draw(kind="lines", x="h", y=["final"], by=["scheme"], where={"scheme": THREE})
    by_label = {line.get_label(): line.get_marker() for line in whole.figure.legends[0].get_lines()}
    assert {
        line.get_label(): line.get_marker() for line in few.figure.legends[0].get_lines()
    }.items() <= by_label.items()


def test_lines_are_the_columns_from_left_to_right() -> None:
    backwards = Table(TABLE.rows[::-1])
    drawing, notes = draw(backwards, kind="lines", x="h", y=["final"], by=["scheme"], where={"scheme": THREE})
    lines = [line for line in drawing.figure.axes[0].get_lines() if len(line.get_xdata()) == len(STEPS)]
    assert len(lines) == 3
    for line, scheme in zip(lines, [s for s in SCHEMES[::-1] if s in THREE], strict=True):
        rows = TABLE.where({"scheme": scheme})
        np.testing.assert_array_equal(line.get_xdata(), STEPS)
        np.testing.assert_array_equal(line.get_ydata(), rows.column("final"))
    assert notes == ()
    assert drawing.figure.axes[0].get_xlabel() == "step h [s]"
    assert drawing.figure.axes[0].get_ylabel() == "final energy [J]"
    rows = list(csv.DictReader(io.StringIO(drawing.to_csv())))
    assert {float(row["final [J]"]) for row in rows if row["scheme"] == "Newmark"} == {
        float(x) for x in TABLE.where({"scheme": "Newmark"}).column("final")
    }


def test_failed_runs_are_left_out_and_named() -> None:
    drawing, notes = draw(kind="lines", x="h", y=["final"], by=["scheme"])
    assert says(only(notes), "1 of 60 runs failed ... Schatzman-Paoli, step h = 0.008 s")
    line = drawing.figure.axes[0].get_lines()[FAILED_RUN[0]]
    assert list(line.get_xdata()) == [h for k, h in enumerate(STEPS) if k != FAILED_RUN[1]]
    with pytest.raises(InputError, match="figure 'it'.*runs.*succeeded"):
        draw(kind="lines", x="h", y=["final"], where={"scheme": SCHEMES[FAILED_RUN[0]], "h": STEPS[FAILED_RUN[1]]})


def test_values_that_are_missing_or_not_positive_are_said() -> None:
    rows = [replace(row, numbers=dict(row.numbers)) for row in TABLE.where({"scheme": "Newmark"}).rows]
    rows[0].numbers["error"], rows[1].numbers["error"] = math.nan, -1.0
    _, notes = draw(Table(tuple(rows)), kind="lines", x="h", y=["error"], log="xy")
    first, second = notes
    assert says(first, "1 run ... error")
    assert says(second, "1 value of error ... logarithmic")


def test_words_on_an_axis_are_not_joined_by_lines() -> None:
    drawing, _ = draw(kind="lines", x="scheme", y=["final"], by=["h"])
    assert all(line.get_linestyle() == "None" for line in drawing.figure.axes[0].get_lines())
    assert [label.get_text() for label in drawing.figure.axes[0].get_xticklabels()] == SCHEMES


def test_the_second_by_makes_panels_with_one_y_axis() -> None:
    drawing, _ = draw(kind="curves", y=["energy"], by=["scheme", "h"], where={"scheme": THREE, "h": STEPS[:3]})
    axes = drawing.figure.axes
    assert [one.get_title(loc="left") for one in axes] == [f"step h = {h:g} s" for h in STEPS[:3]]
    assert len({one.get_ylim() for one in axes}) == 1
    assert labels_of(drawing.figure)[:-1] == [s for s in SCHEMES if s in THREE]


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"kind": "lines", "x": "hh", "y": ["final"]}, "'it' = 'hh' ... study ... column"),
        ({"kind": "lines", "x": "h", "y": ["nothing"]}, "'it' = 'nothing' ... study ... column"),
        ({"kind": "lines", "x": "h", "y": []}, "needs x and y"),
        ({"kind": "lines", "x": "h", "y": ["final"]}, "runs ... step h = 0.001 s ... differ ... scheme"),
        ({"kind": "order", "x": "h", "y": ["error"]}, "differ in scheme"),
        (
            {"kind": "curves", "y": ["energy"], "by": ["scheme"]},
            "runs ... 'Moreau-Jean ... = 1/2' ... differ ... h",
        ),
        ({"kind": "curves", "y": ["speed"], "by": ["scheme"]}, "run ... curve ... energy"),
        ({"kind": "modes", "x": "hertz", "y": ["modes"]}, "x = 'hertz' ... frequency_hz, omega_h"),
        ({"kind": "modes", "y": ["modes.loss"]}, "modes, modes.damping, modes.lost"),
        ({"kind": "profile", "y": ["wall"]}, "one by"),
        ({"kind": "profile", "y": ["scheme"], "by": ["scheme"]}, "'scheme' ... column ... texts; numbers"),
        ({"kind": "lines", "x": "h", "y": ["scheme"], "by": ["scheme"]}, "'scheme' ... column ... texts"),
        ({"kind": "bars", "y": ["scheme"], "by": ["scheme"]}, "'scheme' ... column ... texts"),
        ({"kind": "order", "x": "scheme", "y": ["error"], "by": ["h"]}, "'scheme' ... column ... texts"),
        ({"kind": "work-precision", "x": "scheme", "y": ["error"], "by": ["h"]}, "'scheme' ... column ... texts"),
        ({"kind": "pie", "y": ["wall"]}, "lines, bars"),
        ({"kind": "lines", "x": "h", "y": ["final"], "where": {"scheme": "Euler"}}, "run ... value"),
    ],
)
def test_what_cannot_be_drawn_says_why(asked: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match="figure 'it'|table") as caught:
        draw(**asked)
    assert says(str(caught.value), message)


def test_orders_are_fitted_written_and_saved() -> None:
    few, _ = draw(kind="order", x="h", y=["error", "graph"], by=["scheme"], where={"scheme": THREE})
    for y, axes in zip(("error", "graph"), few.figure.axes, strict=True):
        for scheme in THREE:
            rows = TABLE.where({"scheme": scheme})
            order = fitted_order(np.array(rows.column("h")), np.array(rows.column(y)))
            assert f"{order:.2f}" in [text.get_text() for text in axes.texts]
    saved = list(csv.DictReader(io.StringIO(few.to_csv())))
    assert len(saved) == 3 * 2 * len(STEPS)
    assert {row["unit"] for row in saved if row["measure"] == "error"} == {"m"}  # velocity in L1 over time
    many, notes = draw(kind="order", x="h", y=["error"], by=["scheme"])
    rows = TABLE.where({"scheme": "Newmark"})
    order = fitted_order(np.array(rows.column("h")), np.array(rows.column("error")))
    assert f"Newmark: {order:.2f}" in labels_of(many.figure)
    assert says(notes, "numbers ... legend ... fitted orders")


def test_fitted_lines_and_triangles_have_the_slope_they_say() -> None:
    h = np.array(STEPS)
    rows = tuple(Row(k, str(k), {"h": float(x)}, "done", "", {"error": float(3.0 * x**2)}) for k, x in enumerate(h))
    drawing, _ = draw(Table(rows), kind="order", x="h", y=["error"])
    points, fit, triangle = drawing.figure.axes[0].get_lines()
    np.testing.assert_allclose(fit.get_ydata(), 3.0 * h**2, rtol=1e-12)
    x, y = np.log(triangle.get_xdata()), np.log(triangle.get_ydata())
    assert (y[2] - y[0]) / (x[2] - x[0]) == pytest.approx(2.0)
    assert (triangle.get_ydata() < 3.0 * triangle.get_xdata() ** 2).all()  # below the line
    assert [text.get_text() for text in drawing.figure.axes[0].texts] == ["2", "2.00"]
    assert points.get_linestyle() == "None"


def test_triangles_stay_below_runs_that_scatter() -> None:
    h = np.geomspace(1e-3, 1e-2, 14)
    error = h * np.where(np.arange(14) == 11, 0.05, 1.0)
    rows = tuple(
        Row(k, str(k), {"h": float(x)}, "done", "", {"error": float(e)})
        for k, (x, e) in enumerate(zip(h, error, strict=True))
    )
    drawing, _ = draw(Table(rows), kind="order", x="h", y=["error"])
    triangle = drawing.figure.axes[0].get_lines()[-1]
    x, top = np.log(triangle.get_xdata()[:2]), np.log(triangle.get_ydata()[[0, 2]])
    assert x[0] < np.log(h[11]) < x[1]
    assert np.interp(np.log(h[11]), x, top) < np.log(error[11])


def test_bars_add_up_to_their_marks_also_where_a_scheme_gives_energy() -> None:
    drawing, notes = draw(kind="bars", by=["scheme"], where={"h": 8e-3})
    axes = drawing.figure.axes[0]
    rows = TABLE.where({"h": 8e-3}).rows
    sums = np.zeros(len(rows))
    for container in axes.containers:
        sums += [patch.get_width() for patch in container.patches]
    marks = {
        round(float(np.mean(m.get_ydata()))): float(m.get_xdata()[0])
        for m in axes.get_lines()
        if m.get_linewidth() == 1.6
    }
    for k, row in enumerate(rows):
        if row.done:
            assert sums[k] == pytest.approx(row.numbers["initial"] - row.numbers["final"], abs=1e-10)
            assert marks[k] == pytest.approx(sums[k], abs=1e-10)
    assert len({patch.get_hatch() for container in axes.containers for patch in container.patches}) == 3
    gives = rows[6].numbers
    assert gives["numerical"] > 0.0
    assert min(patch.get_width() for patch in axes.containers[2].patches) == pytest.approx(-gives["numerical"])
    assert "failed" in [text.get_text() for text in axes.texts]
    assert any(says(note, "parts add up ... within") for note in notes)
    assert [label.get_text() for label in axes.get_yticklabels()] == SCHEMES


def test_a_ledger_that_does_not_close_is_said() -> None:
    rows = [replace(row, numbers=dict(row.numbers)) for row in TABLE.where({"h": 8e-3, "scheme": THREE}).rows]
    rows[1].numbers["final"] -= 7.0
    _, notes = draw(Table(tuple(rows)), kind="bars", by=["scheme"])
    assert says(only(notes), "parts add up ... 7 J")


def test_all_works_of_the_ledger_count_in_the_bars() -> None:
    rows = [replace(row, numbers=dict(row.numbers)) for row in TABLE.where({"h": 8e-3, "scheme": THREE}).rows]
    for k, row in enumerate(rows):
        row.numbers.update(friction=-3.0 * k, closing=-1.0, projection=0.0, final=row.numbers["final"] - 3.0 * k - 1.0)
    drawing, notes = draw(Table(tuple(rows)), kind="bars", by=["scheme"])
    assert "e-1" in only(notes)  # the bars add up to the marks
    words = labels_of(drawing.figure)
    assert {"dissipated by friction", "dissipated by closings"} <= set(words)
    assert "dissipated by projections" not in words
    _, notes = draw(Table(tuple(rows)), kind="bars", by=["scheme"], y=["contact", "damping", "numerical"])
    assert not any("add up" in note for note in notes)


def test_work_of_loads_counts_in_the_mark() -> None:
    rows = [replace(row, numbers=dict(row.numbers)) for row in TABLE.where({"h": 8e-3, "scheme": THREE}).rows]
    for row in rows:
        row.numbers["external"], row.numbers["final"] = 50.0, row.numbers["final"] + 50.0
    drawing, notes = draw(Table(tuple(rows)), kind="bars", by=["scheme"])
    assert "initial + work of loads − final" in labels_of(drawing.figure)
    assert "e-1" in notes[0]


def test_other_columns_are_stacked_as_they_are() -> None:
    drawing, _ = draw(kind="bars", y=["wall", "error"], by=["scheme"], where={"h": 2e-3, "scheme": THREE})
    axes = drawing.figure.axes[0]
    rows = TABLE.where({"h": 2e-3, "scheme": THREE}).rows
    assert [p.get_width() for p in axes.containers[0].patches] == [row.numbers["wall"] for row in rows]
    assert labels_of(drawing.figure) == ["wall", "error"]


def test_curves_have_markers_at_times_of_their_own_and_the_exact_one_beside() -> None:
    drawing, _ = draw(kind="curves", y=["energy"], by=["scheme"], where={"h": 2e-3})
    lines = [line for line in drawing.figure.axes[0].get_lines() if line.get_marker() != "None"]
    assert len(lines) == len(SCHEMES)
    at = [frozenset(line.get_markevery()) for line in lines]
    assert all(not (a & b) for k, a in enumerate(at) for b in at[k + 1 :])
    exact = [line for line in drawing.figure.axes[0].get_lines() if line.get_marker() == "None"]
    assert len(exact) == 1
    assert (exact[0].get_ydata() == 500.0).all()
    assert labels_of(drawing.figure)[-1] == "exact"


def test_exact_curves_that_differ_are_all_drawn() -> None:
    """Runs with other samples have one exact curve; with other restitution they have others."""
    t = [np.linspace(0.0, 1.0, n) for n in (101, 77, 101)]
    exact = [np.where(s < 0.5, -1.0, e) for s, e in zip(t, (0.5, 0.5, 0.8), strict=True)]
    curves = [{"t": s.tolist(), "y": x.tolist(), "exact": x.tolist()} for s, x in zip(t, exact, strict=True)]
    rows = [Row(k, f"k{k}", {"e": k}, "done", "", {}, {"energy": own}) for k, own in enumerate(curves)]
    drawing, _ = draw(Table(tuple(rows)), kind="curves", y=["energy"], by=["e"])
    ends = [line.get_ydata()[-1] for line in drawing.figure.axes[0].get_lines() if line.get_marker() == "None"]
    assert ends == [0.5, 0.8]


def test_work_and_precision_over_all_costs() -> None:
    drawing, _ = draw(kind="work-precision", y=["error"], by=["scheme"])
    assert [axes.get_xlabel() for axes in drawing.figure.axes] == ["wall [s]", "steps"]
    assert all(axes.get_xscale() == axes.get_yscale() == "log" for axes in drawing.figure.axes)
    rows = TABLE.where({"scheme": SCHEMES[0]})
    np.testing.assert_array_equal(drawing.figure.axes[0].get_lines()[0].get_xdata(), rows.column("wall"))
    one, _ = draw(kind="work-precision", x="steps", y=["error"], by=["scheme"])
    assert len(one.figure.axes) == 1


def test_profiles_count_failures() -> None:
    drawing, notes = draw(kind="profile", y=["wall"], by=["scheme"])
    costs = [
        [float(fake_row(0, k, j).numbers.get("wall", math.nan)) for k in range(len(SCHEMES))] for j in range(len(STEPS))
    ]
    profile = performance_profile(np.array(costs))
    for k, line in enumerate(drawing.figure.axes[0].get_lines()):
        tau, rho = profile.steps(k)
        np.testing.assert_allclose(line.get_xdata()[:-1], tau)
        np.testing.assert_allclose(line.get_ydata()[:-1], rho)
    assert drawing.figure.axes[0].get_lines()[FAILED_RUN[0]].get_ydata()[-1] == pytest.approx(0.8)
    assert says(only(notes), "1 of 60 runs failed ... infinite ratio ... Schatzman-Paoli, step h = 0.008 s")


def test_profiles_need_problems_with_several_solvers() -> None:
    rows = [Row(k, f"k{k}", {"scheme": s, "h": h}, "done", "", {"wall": 1.0}) for k, (s, h) in enumerate(ZIPPED)]
    with pytest.raises(InputError, match="problem.*two solvers.*axis.*vary together.*'scheme'"):
        draw(Table(tuple(rows[:2])), kind="profile", y=["wall"], by=["scheme"])
    _, notes = draw(Table(tuple(rows)), kind="profile", y=["wall"], by=["scheme"])
    assert says(only(notes), "1 of 2 problems ... failure")


def test_spectra_have_markers_for_modes_and_lines_for_theory() -> None:
    where = {"h": 4e-3, "scheme": THREE}
    drawing, notes = draw(kind="modes", x="omega_h", y=["modes"], by=["scheme"], where=where)
    damping, loss = drawing.figure.axes
    own = TABLE.where(where).rows[0].arrays["modes"]
    measured = next(line for line in damping.get_lines() if line.get_marker() != "None")
    np.testing.assert_allclose(measured.get_ydata(), own["damping"][1:])  # the rigid motion has none
    theory = next(line for line in damping.get_lines() if len(line.get_xdata()) == 31)
    np.testing.assert_allclose(theory.get_ydata(), own["theory_damping"])
    lost = next(line for line in loss.get_lines() if line.get_marker() != "None")
    np.testing.assert_allclose(lost.get_ydata(), own["lost_free"])
    whole, _ = draw(kind="modes", y=["modes.lost"], by=["scheme"], where=where)
    lost = next(line for line in whole.figure.axes[0].get_lines() if line.get_marker() != "None")
    np.testing.assert_allclose(lost.get_ydata(), np.array(own["energy_first"]) - own["energy_last"])
    assert notes == ()
    hertz, _ = draw(kind="modes", y=["modes.damping", "modes.lost_free"], by=["scheme"], where=where)
    assert [axes.get_xlabel() for axes in hertz.figure.axes] == ["frequency [Hz]"] * 2
    line = next(line for line in hertz.figure.axes[0].get_lines() if len(line.get_xdata()) == 31)
    assert line.get_xdata()[-1] == pytest.approx(own["frequency_hz"][-1])


def test_dollars_are_no_formulas() -> None:
    rows = tuple(
        replace(row, axes={"scheme": "a $x$ b", "h": row.axes["h"]}) for row in TABLE.where({"scheme": "Newmark"}).rows
    )
    drawing, _ = draw(Table(rows), kind="lines", x="h", y=["final"], by=["scheme"], title="$1 or $2")
    svg = rendered(drawing, Spec("it", "lines"), "svg").decode()
    assert "$1 or $2" in svg
    assert "a $x$ b" in svg


def test_numbers_on_logarithmic_axes() -> None:
    assert [log_word(x, "125") for x in (1e-3, 2e-3, 5.0, 1e4)] == ["0.001", "0.002", "5", "10000"]
    assert log_word(1e-5, "1") == "$10^{-5}$"
    assert log_word(3e-3, "25") == ""
    assert log_word(2e-7, "25") == r"$2\!\cdot\!10^{-7}$"


def test_units_of_measures() -> None:
    norms = {
        norm: {"name": norm, "error": "rod.first.velocity.x", "norm": norm} for norm in ("L1", "L2", "sup", "graph")
    }
    position = {"name": "q", "error": "rod.first.position.x"}
    given = {"name": "own", "quantity": "cfl", "unit": "1"}
    relative = {"name": "relative", "error": "rod.first.position.x", "relative": True}
    impulse = {"name": "impulse", "signal": "contacts.wall.impulse", "reduce": "sum"}
    columns = Columns({"measure": [*norms.values(), position, given, relative, impulse]})
    units = {
        name: columns.unit(name) for name in ("L1", "L2", "sup", "graph", "q", "own", "relative", "impulse", "final")
    }
    assert units == {
        "L1": "m",
        "L2": "m/s s$^{1/2}$",
        "sup": "m/s",
        "graph": "",
        "q": "m s",
        "own": "1",
        "relative": "",
        "impulse": "N s",
        "final": "J",
    }


def test_a_figure_that_cannot_be_drawn_keeps_no_other_from_it(tmp_path: Path) -> None:
    folder = fake_study(tmp_path / "s")
    few = (
        'title = "t"\ncase = "impacting_bar"\n[[figure]]\nname = "bad"\nkind = "lines"\nx = "h"\ny = ["nothing"]\n'
        '[[figure]]\nname = "good"\nkind = "lines"\nx = "h"\ny = ["final"]\nby = ["scheme"]\n'
    )
    (folder / "study.toml").write_text(few)
    drawn = draw_all(folder)
    assert [path.name for path in drawn.files] == ["good.svg", "good.pdf", "good.csv", "report.html"]
    assert says(drawn.notes[0], "figure 'bad' = 'nothing'")
    assert "not drawn: figure &#x27;bad&#x27;" in drawn.page.read_text()
