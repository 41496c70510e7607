"""Charts of a report hold the numbers of the result, and nothing is left out unsaid."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from messages import says
from report_page import Page

import flexmb as fm
from flexmb.analysis.exact import exact_solution
from flexmb.analysis.measures.thinning import kept
from flexmb.cli import main
from flexmb.postproc.ledger import ledger_of
from flexmb.postproc.named_curves import Curves
from flexmb.postproc.report import write_report
from flexmb.postproc.report.charts import Curve, amplitude_floor
from flexmb.postproc.report.numbers import Numbers
from flexmb.postproc.report.paths import MOST, OFF, shown_path
from flexmb.record.result import Result

COARSE = ["bodies.rod.elements=40", "time.step=5e-3"]


@pytest.fixture(scope="module")
def bar(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("charts") / "bar"
    fm.load_case("impacting_bar", COARSE).run(folder)
    return folder


def test_forces_are_means_over_the_time_between_samples(tmp_path: Path) -> None:
    result = fm.load_case("impacting_bar", [*COARSE, "output.every=7"]).run(tmp_path / "bar")
    wall = result.contacts["wall"]
    dt = np.diff(result.time, prepend=-5e-3)
    assert dt[1] == pytest.approx(7 * 5e-3)
    assert dt[-1] == pytest.approx(5e-3)  # 400 = 57 * 7 + 1
    np.testing.assert_allclose(Curves(result)["contacts.wall.force"], wall.impulse / dt, rtol=1e-9)
    page = Page(write_report([tmp_path / "bar"]).path)
    np.testing.assert_allclose(page.curve("Force", "generalized-alpha")[1], wall.impulse / dt, atol=1e-3)
    assert says(page.chart("Force")["note"], "Impulse ... previous sample")
    assert page.curve("Force", "generalized-alpha")[1].max() == pytest.approx(300.0, rel=0.2)


def test_groups_have_their_smallest_gap_and_the_sum_of_their_forces(tmp_path: Path) -> None:
    model = fm.Model(gravity=(0.0, 0.0, -9.81))
    section = fm.Section(shape="circle", radius=0.05)
    model.add(fm.Beam("rod", length=1, elements=3, section=section, young=1e5, density=100, orientation=(0, 0, 1)))
    model.add(fm.NodePlane("floor", nodes="rod.all", point=(0, 0, -0.05), normal=(0.02, 0, 1.0)))
    result = fm.simulate(model, fm.MoreauJean(), step=2e-3, end=0.3)
    result.save(tmp_path / "rod")
    page, floor = Page(write_report([tmp_path / "rod"]).path), result.contacts["floor"]
    assert np.ptp(floor.gap, axis=1).max() > 1e-3
    assert (floor.force > 0.0).sum(axis=1).max() > 1
    for title, values in (
        ("Gap (smallest of 4)", floor.gap.min(axis=1)),
        ("Relative velocity (smallest of 4)", floor.velocity.min(axis=1)),
        ("Force (sum of 4)", floor.force.sum(axis=1)),
        ("Accumulated impulse (sum of 4)", np.cumsum(floor.impulse.sum(axis=1))),
    ):
        np.testing.assert_allclose(page.curve(title, "moreau-jean")[1], values, atol=1e-4 * np.abs(values).max())


def test_exact_portraits_and_impulses_are_those_of_the_solution(bar: Path, tmp_path: Path) -> None:
    page = Page(write_report([bar], tmp_path / "x.html").path)
    exact = exact_solution(fm.load_case("impacting_bar").values.data)
    assert exact is not None
    x, v = page.curve("rod.mid.position.x", "exact", nth=1)
    assert (x.min(), x.max()) == pytest.approx((10 - 20 / 3, 40 / 3), abs=1e-4)
    assert set(v.round(3)) == {-10.0, 0.0, 10.0}
    t, given = page.curve("Accumulated impulse", "exact")
    np.testing.assert_allclose(given, exact.given["wall"](t), atol=1e-3)
    assert given[-1] == pytest.approx(200.0, abs=1e-3)


def with_signal(bar: Path, folder: Path, values: np.ndarray) -> Path:
    shutil.copytree(bar, folder)
    with h5py.File(folder / "result.h5", "r+") as file:
        file["signals/rod.last.position"][:, 0] = values
    return folder


def test_spectra_have_the_amplitudes_of_the_signal(bar: Path, tmp_path: Path) -> None:
    t = fm.load(bar).time
    sine = 7.0 + 0.3 * np.sin(2 * np.pi * 25.0 * t) + 0.02 * np.sin(2 * np.pi * 60.0 * t)
    page = Page(write_report([with_signal(bar, tmp_path / "sine", sine)]).path)
    f, amplitude = page.curve("rod.last.position.x", "generalized-alpha", nth=2)
    assert f[np.argmax(amplitude)] == pytest.approx(25.0, abs=0.01)
    assert amplitude.max() == pytest.approx(0.3, rel=0.01)
    assert amplitude[np.argmin(np.abs(f - 60.0))] == pytest.approx(0.02, rel=0.05)


def test_spectra_are_cut_off_at_a_millionth_of_the_peak() -> None:
    f = np.linspace(1.0, 100.0, 100)
    (cut,) = amplitude_floor([Curve("a", f, np.where(f < 50, 10.0 ** (-f / 5), 1e-30))])
    assert cut.y.min() == pytest.approx(1e-6 * 10.0**-0.2)
    assert cut.x[-1] < 40.0
    np.testing.assert_array_equal(cut.y[:20], 10.0 ** (-f[:20] / 5))


def ledger_by_hand(columns: Mapping[str, Any]) -> Result:
    n = 5
    names = ("kinetic", "potential", "work_external", "work_damping", "work_contact", "numerical", "residual")
    zero = {name: np.zeros(n) for name in (*names, "work_drive", "work_cross")}
    tree = {f"/energy/{name}": np.asarray(values, dtype=float) for name, values in (zero | dict(columns)).items()}
    return Result(tree | {"/time": np.arange(n) * 1.0, "/step": np.arange(n)}, {"h": 1.0})


def test_external_work_is_split_into_loads_drives_and_cross_coupling() -> None:
    ramp = np.arange(5.0)
    result = ledger_by_hand(
        {"kinetic": 2.0 + 7.0 * ramp, "work_external": 7.0 * ramp, "work_drive": 4.0 * ramp, "work_cross": 1.0 * ramp}
    )
    ledger = ledger_of(result)
    assert ledger is not None
    assert {part.word: part.values[1] for part in ledger.works} == {"loads": 2.0, "drives": 4.0, "cross-coupling": 1.0}
    np.testing.assert_array_equal(np.sum([part.values for part in ledger.works], axis=0), ledger.total - 2.0)


def test_works_that_are_no_numbers_are_not_left_out() -> None:
    ledger = ledger_of(ledger_by_hand({"kinetic": np.ones(5), "work_damping": [0.0, 0.0, np.nan, 0.0, 0.0]}))
    assert ledger is not None
    assert [part.word for part in ledger.works] == ["damping"]
    assert [part.word for part in ledger.found] == ["kinetic", "potential"]  # nothing of it can be stacked
    assert says(ledger.gaps, "energies ... 1 of 5 samples ... t = 2 s")


def test_many_contacts_and_signals_are_counted(tmp_path: Path) -> None:
    model = fm.Model()
    for k in range(12):
        ball = model.add(fm.Particle(f"ball{k}", mass=1.0 + k, position=(0, 0, 1), velocity=(0, 0, -1), axes="z"))
        model.add(fm.NodePlane(f"floor{k}", node=ball.first, normal=(0, 0, 1)))
    fm.simulate(model, fm.MoreauJean(), step=0.1, end=1.5).save(tmp_path / "balls")
    page = Page(write_report([tmp_path / "balls"]).path)
    shown = [name for name in (f"floor{k}" for k in range(12)) if f"<h3>{name}</h3>" in page.source]
    assert shown == [f"floor{k}" for k in range(6, 12)]  # the heaviest
    assert says(page.text, "6 contacts ... smaller impulses")
    over_time = [c["title"] for c in page.data["charts"] if c["title"].startswith("ball") and c.get("time")]
    assert len(over_time) == 18
    assert says(page.text, "6 ... signals move ... --signal")  # 12 positions and velocities
    page = Page(write_report([tmp_path / "balls"], signals=[f"ball{k}.position" for k in range(12)]).path)
    assert "more signals move" not in page.text
    assert says(page.text, "9 ... 12 ... others ... --signal")


def polygon(revolutions: int, each: int) -> tuple[np.ndarray, np.ndarray]:
    t = np.linspace(0.0, 2 * np.pi * revolutions, revolutions * each + 1)
    size = 1.0 + 0.1 * np.sin(t / 50)
    return size * np.cos(t), 1e-5 * size * np.sin(t)


@pytest.mark.parametrize(("revolutions", "each", "whole"), [(600, 100, False), (30, 2000, True), (3, 100, True)])
def test_long_orbits_stay_round(revolutions: int, each: int, whole: bool) -> None:
    x, y = polygon(revolutions, each)
    first, keep = shown_path(x, y)
    assert (first == 0) == whole
    assert keep[0] == first
    assert keep[-1] == len(x) - 1
    assert len(keep) <= MOST
    # where samples are left out, straight lines between the others are near them
    rows = np.arange(first, len(x))
    off = max(np.abs(np.interp(rows, keep, z[keep]) - z[rows]).max() / np.ptp(z) for z in (x, y))
    assert off < 3 * OFF
    for z in (x, y):
        assert np.ptp(z[keep]) == pytest.approx(np.ptp(z[rows]), rel=2 * OFF)


def test_the_last_part_of_a_long_orbit_is_said_to_be_that(tmp_path: Path) -> None:
    x, z = polygon(600, 100)
    model = fm.Model()
    model.add(fm.Particle("stone", mass=1.0, velocity=(1.0, 0, 0)))
    result = fm.simulate(model, fm.MoreauJean(), step=1e-3, end=60.0, fields_every=1000)
    result.tree["/signals/stone.position"][:] = np.column_stack([x, 0 * x, z])
    result.save(tmp_path / "stone")
    page = Page(write_report([tmp_path / "stone"]).path)
    (orbit,) = [chart for chart in page.data["charts"] if chart.get("equal")]
    (curve,) = orbit["curves"]
    count = curve["samples"]
    assert says(orbit["note"], f"{count} of 60001 samples ... t = {(60001 - count) * 1e-3:.4g} s")
    np.testing.assert_allclose(page.numbers(curve["x"])[0], x[60001 - count], atol=1e-6)
    assert "There are 60001 samples." in page.text
    over_time = page.chart("stone.position.x")["curves"][0]
    assert over_time["samples"] == 60001
    assert len(page.numbers(over_time["x"])) <= 2002


def test_curves_without_thinning_are_not_said_to_be_thinned(bar: Path, tmp_path: Path) -> None:
    page = Page(write_report([bar], tmp_path / "x.html").path)
    assert "samples. Charts" not in page.text
    spec = Curve("a", np.arange(9.0), np.arange(9.0)).spec(Numbers())
    assert spec["samples"] == 9


def test_pictures_of_rotors_have_whole_titles_and_letters_of_a_font(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from matplotlib.figure import Figure
    from matplotlib.text import Text

    saved = []
    monkeypatch.setattr(Figure, "savefig", lambda self, *_, **__: saved.append(self))
    short = ["time.end=0.2", "time.step=1e-3", "output.every=1", "output.fields_every=10"]
    title = "A Laval rotor whose title has more words than there is room for in half the width of a page"
    fm.load_case("laval_rotor", [*short, f'title="{title}"']).run(tmp_path / "rotor")
    write_report([tmp_path / "rotor"])
    assert len(saved) == 4
    for figure in saved:
        figure.draw_without_rendering()
        words = [text for text in figure.findobj(Text) if "Laval" in text.get_text()]
        assert len(words) == 1
        assert words[0].get_window_extent().x1 <= figure.bbox.width
        assert "\n" in words[0].get_text() or "…" in words[0].get_text()
    monkeypatch.undo()
    assert main(["plot", str(tmp_path / "rotor"), "forces", "-o", str(tmp_path / "forces.pdf")]) == 0
    assert b"/Type3" not in (tmp_path / "forces.pdf").read_bytes()


def test_bands_lie_on_each_other_also_where_samples_are_left_out(tmp_path: Path) -> None:
    fm.load_case("bouncing_ball", ["output.every=1"]).run(tmp_path / "ball")
    page = Page(write_report([tmp_path / "ball"]).path)
    bands = [curve for curve in page.chart("Energy over time")["curves"] if "low" in curve]
    assert len(bands) > 2
    assert bands[0]["samples"] > 2000
    for below, above in zip(bands[:-1], bands[1:], strict=True):
        np.testing.assert_array_equal(page.numbers(below["x"]), page.numbers(above["x"]))
        np.testing.assert_allclose(page.numbers(below["y"]), page.numbers(above["low"]), atol=1e-6)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_no_number_takes_no_extreme_from_its_stretch(bad: float) -> None:
    y = np.linspace(3.0, 4.0, 5000)
    y[::7] = bad
    y[1000], y[1001] = 9.0, -9.0
    assert {1000, 1001} <= set(kept([y], 200).tolist())
