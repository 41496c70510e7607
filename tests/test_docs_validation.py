"""The validation manual and the Python reference: complete, with sources, and errors that are seen."""

from __future__ import annotations

import inspect
import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest

import flexmb as fm

DOCS = Path(__file__).parents[1] / "docs"
sys.path.insert(0, str(DOCS))

from api_page import api_page, public, values  # noqa: E402
from gallery import validation_run  # noqa: E402
from gallery.validation_page import validation_page  # noqa: E402
from validation.comparison import Curve  # noqa: E402

QUICK = ("thrown_bar", "ball", "oscillator", "dry_oscillator", "four_bar", "painleve", "laval")
"""Comparisons that take no time."""


def everything() -> dict[str, validation_run.Comparison]:
    found = [one for name in validation_run.families() for one in validation_run.comparisons(name)]
    assert len({one.name for one in found}) == len(found)
    return {one.name: one for one in found}


def test_there_are_enough_comparisons_each_with_its_source() -> None:
    assert len(everything()) >= 25
    for one in everything().values():
        assert len(one.source) > 4, one.name
        assert len(one.reference) > 4, one.name
        assert len(one.words) > 10, one.name


def test_sources_of_the_comparisons_are_in_the_bibliography() -> None:
    entries = [line for line in (DOCS / "bibliography.md").read_text().splitlines() if line.startswith("* ")]
    found = 0
    for one in everything().values():
        for author, year in re.findall(r"([A-ZÉ][\w-]+)(?:, [A-ZÉ][\w-]+)*(?: et al\.)? \((\d{4})\)", one.source):
            assert any(author in entry and year in entry for entry in entries), (one.name, author, year)
            found += 1
    assert found >= 20


@pytest.mark.parametrize("name", QUICK)
def test_curves_are_those_of_the_references(name: str) -> None:
    for curve in everything()[name].run():
        assert curve.ok, (curve.label, curve.error)
        assert curve.at_most <= 0.05
        size = np.ptp(curve.reference)
        moved = Curve(curve.label, curve.x, np.add(curve.computed, 0.06 * size), curve.reference, curve.at_most)
        assert not moved.ok


def test_error_is_over_the_range_of_the_reference() -> None:
    x = np.linspace(0.0, 1.0, 11)
    reference = 5.0 + 2.0 * x
    spike = reference + np.where(x == x[3], 0.1, 0.0)
    assert Curve("a", x, spike, reference, 1.0).error == pytest.approx(0.05)
    assert Curve("a", x, spike, reference, 1.0, mean=True).error == pytest.approx(0.05 / 11)
    assert Curve("a", x, np.full(11, 3.3), np.full(11, 3.0), 1.0).error == pytest.approx(0.1)


def test_page_of_a_family_has_its_figures_errors_and_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few = [everything()[name] for name in ("ball", "oscillator")]
    monkeypatch.setattr(validation_run, "comparisons", lambda name: few)
    assert validation_run.make(validation_run.families()["particles"], tmp_path)
    facts = json.loads((tmp_path / "facts.json").read_text())
    page = validation_page(facts, "")
    for one in few:
        assert (tmp_path / f"{one.name}.png").stat().st_size > 5_000
        assert f"particles/{one.name}.png" in page
        assert f"flexmb run {one.case}" in page
    curves = facts["summary"]["expectations"]
    assert len(re.findall(r"^\| .* ✓", page, re.M)) == len(curves) == 4
    facts["comparisons"][0]["curves"][0]["ok"] = False
    assert "**✗**" in validation_page(facts, "")


def test_the_reference_of_the_interface_has_every_public_name() -> None:
    page = api_page()
    listed = {name for name, _, _ in public()}
    assert listed | set(values()) == set(fm.__all__)
    for name, place, _ in public():
        assert f"::: {place}\n" in page
        assert inspect.getdoc(getattr(fm, name)), name
    for name in values():
        assert f"fm.{name}" in page


def test_code_of_the_tutorial_runs_and_says_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    text = (DOCS / "tutorial.md").read_text()
    space: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", text, re.S):
        exec(compile(block, "tutorial.md", "exec"), space)
    out = capsys.readouterr().out
    assert Path("bar.pdf").stat().st_size > 5_000
    said = "".join(re.findall(r"prints\n\n```\n(.*?)```", text, re.S))
    for got, page in zip(out.splitlines(), said.splitlines(), strict=True):
        if page.startswith("residual"):
            assert abs(float(got.split()[1])) < 1e-10  # round-off: the digits are the machine's
        else:
            assert got == page
    taken = [float(word) for word in re.findall(r"work_contact +(-[\d.e+-]+) J", out)]
    words = [float(word) for word in re.findall(r"[Tt]he contact \w+ ([\d.]+) J", text)]
    assert words, "the page says what the contact takes"
    assert taken == pytest.approx([-word for word in words], abs=0.05)
