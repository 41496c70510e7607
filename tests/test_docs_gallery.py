"""Pages made of cases and studies: what was expected beside what came out, pictures that show it, what went wrong."""

from __future__ import annotations

import dataclasses
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pictures import require_drawing
from PIL import Image

DOCS = Path(__file__).parents[1] / "docs"
sys.path.insert(0, str(DOCS))

from gallery import case_run, galleries, signals_run  # noqa: E402
from gallery.case_page import case_page, section_of  # noqa: E402
from gallery.case_run import group_of  # noqa: E402
from gallery.plain import lettered, plain_words  # noqa: E402
from gallery.shelf import Shelf  # noqa: E402
from gallery.signals_run import framed, signals_chart, telling  # noqa: E402
from gallery.study_page import WORDS, words_of  # noqa: E402
from gallery.study_run import cases_of, group_of_study  # noqa: E402

from flexmb import load_study  # noqa: E402
from flexmb.case import load_case, shipped_cases  # noqa: E402
from flexmb.case.shipped import shipped_studies  # noqa: E402
from flexmb.postproc.instant import nearest_state  # noqa: E402
from flexmb.postproc.named_curves import Curves  # noqa: E402
from flexmb.postproc.signal_units import unit_of_signal  # noqa: E402

QUICK = "bouncing_ball"
CHANGED = ("restitution = 0.5", "restitution = 0.4")
TINY = """
title = "Two | steps"
description = "Nothing *much*."
case = "bouncing_ball"
ledger = true

[set]
"time.end" = 0.5

[[axis]]
name = "steps"
key = "time.steps"
values = [11, 13]

[[measure]]
name = "h"
signal = "summary.h"

[[figure]]
name = "balance"
kind = "lines"
x = "steps"
y = ["final"]
caption = "No impact yet."

[[expect]]
measure = "final"
reduce = "max"
value = 2.0
rtol = 1e-9
source = "free fall from 1 m | 2 m/s^2"
"""


def test_groups_of_the_cases() -> None:
    found = {name: group_of(load_case(name)) for name in shipped_cases()}
    assert set(found.values()) == set(galleries.CASES.groups)
    of_each = ("two_bars", "flying_beam", "chain_of_balls", "four_bar", "rotor_rub")
    assert tuple(found[name] for name in of_each) == galleries.CASES.groups
    assert found["stiff_rotor"] == "rotors"
    assert found["double_pendulum_wall"] == "mechanisms"


def rows_of(page: str) -> list[list[str]]:
    """Return the rows of the table of expectations."""
    lines = page.partition("## Expected and computed")[2].strip().partition("\n\n")[0].splitlines()
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


def test_a_page_is_made_once_and_kept(tmp_path: Path) -> None:
    require_drawing()
    said: list[str] = []
    built = galleries.build(galleries.CASES, tmp_path, said.append, [QUICK])
    (one,) = built.exhibits
    assert one.ok
    assert not built.failed
    assert said[0].startswith(f"gallery 1/1: {QUICK} ok")
    names = {place.rpartition("/")[2] for place in built.files}
    assert names >= {"view.png", "thumb.png", "signals.png", "energy.png", "report.html", f"{QUICK}.toml"}
    for place in re.findall(r"\]\((?!\.\./)([^)#]+)\)", one.text):
        assert f"gallery/{place}" in built.files, place
    for name in ("view", "signals", "energy"):  # pictures lead to themselves in full size
        assert re.search(rf"\[!\[[^\]]+\]\({QUICK}/{name}\.png\)\]\({QUICK}/{name}\.png\)", one.text), name
    assert load_case(QUICK).file.read_text().rstrip() in one.text
    assert f"flexmb run {QUICK}" in one.text
    assert f'href="{QUICK}.html"' in built.pages["gallery/index.md"]
    again = galleries.build(galleries.CASES, tmp_path, said.append, [QUICK])
    assert said[1].endswith("(kept)")
    assert again.pages == built.pages


def test_expectations_have_units_numbers_and_sources() -> None:
    case = load_case(QUICK)
    summary = case.run().summary
    facts = {"name": QUICK, "title": case.title, "error": "", "summary": summary, "pictures": []}
    head, _, *rows = rows_of(case_page(facts, ""))
    assert head == ["what", "unit", "expected", "tolerance", "computed", "source"]
    assert len(rows) == len(case.expects) == 9
    for expect, (what, unit, expected, tolerance, computed, source) in zip(case.expects, rows, strict=True):
        assert expect.signal in what.replace("<wbr>", "")
        assert unit == unit_of_signal(expect.signal) != ""
        assert source == plain_words(expect.source) != ""
        number = [float(word) for word in re.findall(r"-?\d[\d.e+-]*", expected)]
        assert number == [pytest.approx(expect.value if expect.value is not None else expect.at_most, rel=1e-7)]
        assert tolerance.startswith("±") == (expect.value is not None)
        assert computed.startswith("✓&nbsp;")
    assert {row[1] for row in rows} == {"m", "m/s", "N s", "J"}


def test_units_of_what_expectations_are_about() -> None:
    units = {
        **{"summary.max_penetration": "m", "summary.energy.gain_steps": "", "summary.energy.residual_max": "J"},
        **{"summary.steps": "", "analysis.critical_speed.3": "rad/s", "joints.pin.position_error": "m or rad"},
        **{"contacts.wall.force.2": "N", "rotor.spin_speed": "rad/s", "body.angular_momentum.x": "kg m²/s"},
    }
    assert {name: unit_of_signal(name) for name in units} == units
    counts = ("summary.steps", "summary.dofs")
    for name in shipped_cases():
        assert all(unit_of_signal(e.signal) for e in load_case(name).expects if not e.signal.startswith(counts)), name


def test_what_a_run_warns_of_and_notes_stands_on_its_page() -> None:
    energy = {"initial": 1.0, "final": 0.5, "numerical": -0.5, "moved": 1.0, "residual_max": 0.0}
    case = load_case(QUICK)
    summary: dict[str, Any] = {**case.run().summary, "energy": energy | {"gain_steps": 2, "gain_max": 1e-3}}
    facts = {"name": QUICK, "title": "", "error": "", "summary": summary | {"notes": ["a | b"]}, "pictures": []}
    page = case_page(facts, "")
    box = page.partition('!!! warning "Warnings and notes of the run"\n')[2].partition("\n\n[")[0]
    said = re.findall(r"^    \* (.*)$", box, re.M)
    assert said[0].startswith("the scheme itself took 50 % of the energy moved")
    assert said[1].startswith("in 2 steps a contact added energy")
    assert "[energy.md](../energy.md)" in said[1]
    assert said[2] == "a \\| b"
    told = [said[1].replace("[energy.md](../energy.md)", "docs/energy.md")]
    assert case_page(facts | {"summary": summary | {"notes": told}}, "").count("a contact added energy") == 1
    quiet = case_page(facts | {"summary": summary | {"energy": energy | {"numerical": 0.0}, "notes": []}}, "")
    assert "Warnings and notes of the run" not in quiet


def test_the_picture_of_a_page_shows_the_heaviest_contact(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    require_drawing()
    result = load_case(QUICK).run(tmp_path / "run")
    assert case_run.view_time(result, "displacement", "particles") == pytest.approx(1.0, abs=0.02)

    def drawn(name: str) -> np.ndarray:
        (tmp_path / name).mkdir()
        case_run.draw_view(result, tmp_path / "run", "particles", tmp_path / name)
        return np.asarray(Image.open(tmp_path / name / "view.png").convert("L"), dtype=np.float64)

    shown = drawn("shown")
    assert shown.shape == (case_run.FINER * case_run.SIZE[1], case_run.FINER * case_run.SIZE[0])
    assert np.mean(shown < 128.0) > 0.003  # neither blank nor without words and curves
    monkeypatch.setattr(case_run, "view_time", lambda *given: 0.0)
    scene = slice(0, int(0.42 * len(shown)))  # where the ball stands elsewhere at the start
    assert np.mean(np.abs(shown - drawn("start"))[scene] > 60.0) > 2e-4


@pytest.mark.parametrize(
    ("name", "group", "time"),
    [
        ("beam_on_stop", "beams", 0.03625),
        ("impact_oscillator", "particles", 0.84),
        ("pendulum_with_flexible_rod_and_stop", "mechanisms", 0.5),
    ],
)
def test_the_picture_of_a_page_shows_the_state_that_holds_the_blow(name: str, group: str, time: float) -> None:
    result = load_case(name).run()
    shown = nearest_state(result, case_run.view_time(result, "displacement", group))
    before, at = result.fields.times[shown - 1 : shown + 1]
    assert at == pytest.approx(time, abs=1e-9)
    since = (result.time > before) & (result.time <= at)
    assert sum(np.abs(contact.impulse[since]).sum() for contact in result.contacts.values()) > 0.0


def test_charts_leave_out_round_off_and_what_is_drawn_already() -> None:
    case = load_case("beam_on_stop", ["time.end=0.05"])
    curves = Curves(case.run())
    asked = ["contacts.stop.gap", "contacts.stop.velocity", "energy.total"]
    same = ["beam.last.velocity.z", "beam.last.position.z"]
    assert telling(curves, [*asked, *same]) == asked[:2]
    assert telling(curves, same) == same
    pair = ["contacts.stop.impulse", "contacts.stop.force"]
    assert telling(curves, pair) == ["contacts.stop.force"]
    assert telling(curves, pair[:1]) == ["contacts.stop.impulse"]
    pendulum = Curves(load_case("bouncing_pendulum").run())
    errors = ["joints.pin.position_error", "joints.pin.velocity_error"]
    assert telling(pendulum, [*errors, "rod.center.position.y"]) == ["rod.center.position.y"]
    assert not set(telling(pendulum, errors)) & set(errors)
    assert signals_chart(case, case.run()) is not None


def test_the_search_for_signals_ends_with_those_that_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pile of a thousand spheres has tens of thousands of curves, of which each pair would be compared."""

    class Pile(dict[str, np.ndarray]):
        names = property(list)

    compared, same = [], signals_run._same
    monkeypatch.setattr(signals_run, "_same", lambda *pair: compared.append(pair) or same(*pair))
    pile: Any = Pile({f"ball.position.{k}": np.linspace(0.0, 1.0, 5) ** (1.0 + k / 9.0) for k in range(200)})
    assert telling(pile, []) == pile.names[: signals_run.MOST]
    assert len(compared) <= signals_run.MOST**2


class Sampled(dict[str, np.ndarray]):
    """Curves over five samples."""

    time = np.linspace(0.0, 1.0, 5)


def test_an_axis_names_the_quantity_of_columns_and_components() -> None:
    from matplotlib.figure import Figure

    axes = Figure().subplots()
    rows = {f"contacts.balls.gap.{k}": np.linspace(0.0, 3.0 + k, 5) for k in range(3)}
    curves: Any = Sampled(rows)
    signals_run._draw(axes, curves, list(rows))
    assert axes.get_ylabel() == "gap [m]"


def test_signals_of_other_sizes_have_frames_of_their_own() -> None:
    curves = Curves(load_case("rotating_beam_eccentric", ["time.end=0.6"]).run())
    x, y, z = (f"beam.last.position.{axis}" for axis in "xyz")
    assert framed(curves, [x, y, z]) == [[x, y], [z]]
    bar = Curves(load_case("bar_dropped_by_gripper", ["time.end=0.1"]).run())
    assert telling(bar, ["bar.momentum.x", "bar.momentum.z"]) == ["bar.momentum.z"]  # of 1e-16 and 1.5 kg m/s


def gallery_of(tmp_path: Path, text: str) -> galleries.Built:
    """Return the gallery of one case with this text."""
    source = tmp_path / "cases" / "one.toml"
    source.parent.mkdir()
    source.write_text(text)
    alone = dataclasses.replace(galleries.CASES, sources=lambda: {"one": source})
    return galleries.build(alone, tmp_path / "shelf", lambda line: None)


def test_a_case_that_misses_an_expectation_is_shown_as_failed(tmp_path: Path) -> None:
    text = shipped_cases()[QUICK].read_text()
    assert CHANGED[0] in text
    built = gallery_of(tmp_path, text.replace(*CHANGED).replace("end = 4.0", "end = 3.5"))
    assert built.failed == ["one"]
    (one,) = built.exhibits
    assert "✗" in one.text
    assert re.search(r'!!! failure "\d of 9 expectations failed"', one.text)
    assert 'class="failed"' in built.pages["gallery/index.md"]


def test_a_case_that_cannot_be_run_has_a_page_that_says_why_and_is_tried_again(tmp_path: Path) -> None:
    built = gallery_of(tmp_path, 'title = "<b>wrong</b>"\n[time]\nend = 1.0\n')
    assert built.failed == ["one"]
    text = built.pages["gallery/one.md"]
    assert "The run failed" in text
    assert "\none.toml" in text  # not where it was built
    assert "scheme" in text
    assert not list((tmp_path / "shelf").rglob("made"))
    assert "no picture" in built.pages["gallery/index.md"]


def test_words_of_a_case_are_no_markup() -> None:
    assert plain_words("a < b <script> `x_y` *c* [d](e) a_word |v|") == (
        "a &lt; b &lt;script&gt; `x_y` \\*c\\* \\[d\\](e) a\\_word \\|v\\|"
    )
    facts = {"name": "n", "title": "<img src=x>", "group": "bars", "error": "broken", "description": "# no heading"}
    page = case_page(facts, 'x = "```"\n')
    assert "<img" not in page
    assert "\n# no heading" not in page
    assert "````toml" in page


def test_formulas_of_case_files_get_their_letters() -> None:
    assert lettered("rho A L v0^2 / 2 >= sqrt(pi) q_1, theta'+ = -e theta'-") == "ρ A L v₀² / 2 ≥ √(π) q₁, θ'+ = -e θ'-"
    assert lettered("0 <= g perp lambda, (e exp(-a pi / omega))^n") == "0 ≤ g ⊥ λ, (e exp(-a π / ω))ⁿ"
    assert lettered("generalized-alpha with rho_inf = 0.8") == "generalized-alpha with ρ∞ = 0.8"
    unchanged = "10.5 m and 3.2e-10 of v0.25, alphabet, moreau-jean, v_max, 2^10"
    assert lettered(unchanged) == unchanged


def test_the_shelf_forgets_what_has_changed(tmp_path: Path) -> None:
    source, shelf = tmp_path / "a.toml", Shelf(tmp_path / "shelf")
    source.write_text("1")
    made = [shelf.get(source, lambda place: True) for _ in range(2)]
    assert [kept for _, kept in made] == [False, True]
    source.write_text("2")
    again, kept = shelf.get(source, lambda place: False)
    assert not kept
    assert not made[0][0].exists()
    assert shelf.get(source, lambda place: True)[1] is False  # it was not worth keeping
    shelf.clear_others([])
    assert not again.exists()


def test_a_study_has_a_page_with_figures_expectations_table_and_file(tmp_path: Path) -> None:
    source = tmp_path / "tiny.toml"
    source.write_text(TINY)
    gallery = dataclasses.replace(galleries.STUDIES, sources=lambda: {"tiny": source})
    said: list[str] = []
    built = galleries.build(gallery, tmp_path / "shelf", said.append)
    (one,) = built.exhibits
    assert one.ok
    assert one.title == "Two | steps"
    assert one.group == "energy"
    assert "meets its 1 expectation." in one.text
    assert "# Two \\| steps" in one.text
    assert "| max of final | J | = 2 (rtol 1e-09) | ✓&nbsp;2 | free fall from 1 m \\| 2 m/s² |" in one.text
    assert "<td>11</td>" in one.text
    assert "*No impact yet.*" in one.text
    assert "flexmb study tiny" in one.text
    assert TINY.strip() in one.text
    places = re.findall(r"\]\((?!\.\./)([^)#]+)\)", one.text)
    assert {place.rpartition("/")[2] for place in places} == {"balance.svg", "report.html", "table.csv", "tiny.toml"}
    for place in [*places, one.thumb]:
        assert built.files[f"study_gallery/{place}"].stat().st_size > 100, place
    galleries.build(gallery, tmp_path / "shelf", said.append)
    assert [line.rpartition(" (")[2] == "kept)" for line in said] == [False, True]


def test_a_study_that_fails_has_a_page_that_says_why(tmp_path: Path) -> None:
    source = tmp_path / "bad.toml"
    source.write_text(TINY.replace('case = "bouncing_ball"', 'case = "no_such_ball"'))
    built = galleries.build(
        dataclasses.replace(galleries.STUDIES, sources=lambda: {"bad": source}), tmp_path, lambda line: None
    )
    assert built.failed == ["bad"]
    assert "no_such_ball" in built.pages["study_gallery/bad.md"]


def test_what_is_kept_of_a_study_depends_on_its_cases(tmp_path: Path) -> None:
    names = {name: {path.stem for path in cases_of(path)} for name, path in shipped_studies().items()}
    assert names["orders_ball_oscillator"] == {"bouncing_ball", "impact_oscillator"}
    assert names["dissipation_bar"] == {"impacting_bar"}
    source, case = tmp_path / "a.toml", tmp_path / "case.toml"
    source.write_text("1")
    case.write_text("1")
    shelf = Shelf(tmp_path / "shelf", lambda path: [case])
    before = shelf.place(source)
    assert shelf.place(source) == before
    case.write_text("2")
    assert shelf.place(source) != before


def test_every_shipped_study_has_a_section_a_picture_and_a_command() -> None:
    text = WORDS.read_text()
    names = list(shipped_studies())
    assert sorted(re.findall(r"^## `(\w+)`$", text, re.M)) == sorted(names)
    for name in names:
        section = section_of(name, WORDS)
        assert f"](../images/shipped_{name}.png)" in section, name
        assert f"```\nflexmb study {name}\n```" in section, name
        for part in ("**Question.**", "**Varied.**", "**Results", "**Source.**"):
            assert part in words_of(name), (name, part)
        assert re.search(rf"^\| `{name}` \|.*\| {load_study(name).count} \|$", text, re.M), name
        assert "![" not in words_of(name)
        assert "flexmb study" not in words_of(name)
        assert words_of(name).startswith("**Question.**")
        assert (DOCS / "images" / f"shipped_{name}.png").stat().st_size < 60_000, name
    assert {group_of_study(load_study(name).tables) for name in names} == set(galleries.STUDIES.groups)
