"""The walk-throughs are true: their code runs as it stands, their errors are the program's, their names exist."""

from __future__ import annotations

import ast
import re
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from runs import run
from systems import random_system, system

from flexmb.analysis.modes import modes
from flexmb.case import load_case
from flexmb.cli import main
from flexmb.drive import Plan, choose_engine
from flexmb.drive.simulate import simulate
from flexmb.errors import InputError
from flexmb.nonsmooth.solvers import ContactSolver
from flexmb.parts.bodies import KINDS as BODIES
from flexmb.parts.contacts import KINDS as CONTACTS
from flexmb.schemes import GeneralizedAlpha
from flexmb.system.model import Model

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
HAMMER = re.findall(r"```toml\n(.*?)```", (DOCS / "write_case.md").read_text(), re.S)
ERRORS = re.findall(r"`([^`\n]+)` -> `([^`\n]+)`\n\n```\n(.*?)```", (DOCS / "write_case.md").read_text(), re.S)


def code_of(page: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(), re.S)


def module(name: str, code: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the code of a page as the module it would be."""
    made = types.ModuleType(name)
    monkeypatch.setitem(sys.modules, name, made)
    exec(compile(code, name, "exec"), made.__dict__)
    return made


def case_of(text: str, tmp_path: Path) -> Path:
    """Return a file with the one case of a text."""
    (block,) = re.findall(r"```toml\n(.*?)```", text, re.S)
    path = tmp_path / "case.toml"
    path.write_text(block)
    return path


def test_symbols_are_names_in_their_files() -> None:
    page = (DOCS / "symbols.md").read_text()
    rows = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in page.splitlines() if "| `" in line]
    assert len(rows) >= 50
    for cells in rows:
        assert len(cells) == 5, cells
        tree = ast.parse((ROOT / cells[3].strip("`")).read_text())
        found: set[str] = set()
        for node in ast.walk(tree):
            found |= {str(getattr(node, key)) for key in ("id", "attr", "arg", "name") if hasattr(node, key)}
        names = re.findall(r"`([^`]+)`", cells[2])
        assert names, cells
        assert set(names) <= found, (cells, set(names) - found)


@pytest.mark.parametrize(("old", "new", "message"), ERRORS)
def test_errors_of_the_first_case(
    old: str, new: str, message: str, tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    assert HAMMER[1].count(old) == 1
    Path("hammer.toml").write_text(HAMMER[1].replace(old, new))
    assert main(["validate", "hammer.toml"]) == 2
    assert capsys.readouterr().err == message


def test_the_first_case_and_its_figures(tmp_path: Path) -> None:
    bar, hammer = tmp_path / "bar.toml", tmp_path / "hammer.toml"
    bar.write_text(HAMMER[0])
    hammer.write_text(HAMMER[1])
    assert len(ERRORS) == 5
    assert modes(load_case(bar).plan.system, 1).frequency[0] == pytest.approx(0.75, rel=1e-4)
    page = (DOCS / "write_case.md").read_text()
    said = [float(word) for word in re.findall(r"The force at 0.3 s is ([\d., ]+) N", page)[0].split(", ")]
    got = []
    for step in (4e-3, 2e-3, 1e-3, 5e-4):
        summary = load_case(hammer, [f"time.step={step}"]).run().summary
        got.append(summary["expectations"][0]["got"])
        assert summary["expectations"][1]["got"] == pytest.approx(10 * np.exp(-0.6), rel=1e-5)
        assert step > 1e-3 or all(entry["ok"] for entry in summary["expectations"])
    assert [round(force, 2) for force in got] == said
    wrong = load_case(hammer, ["bodies.hammer.mass=11"]).run().summary["expectations"]
    assert not all(entry["ok"] for entry in wrong)


def test_the_scheme_of_the_page_keeps_its_order_and_its_books(monkeypatch: pytest.MonkeyPatch) -> None:
    code = code_of("write_scheme.md")[0]
    scheme = module("flexmb.schemes.symplectic_euler", code, monkeypatch).SymplecticEuler()
    for seed, h in ((0, 1e-3), (1, 1e-2), (2, 1e-2), (3, 1e-2)):
        block, motor = run(random_system(seed, spin=bool(seed % 2)), scheme, h, 60)
        assert motor.name == "general"
        T, V, ext, damp, con, num, _, _, _ = block.energy.T[:9]
        left = T + V - (T + V)[0] - ext - damp - con - num
        assert np.abs(left).max() <= 1e-12 * motor.tally().energy_scale
    assert block.impulse.any()
    plan = Plan(random_system(0), scheme, ContactSolver(), 1e-3, 0.0, 5, 1, 5)
    assert choose_engine(plan).name == "general"
    with pytest.raises(InputError, match="symplectic-euler"):
        choose_engine(plan, "compiled")
    M, K = np.eye(1), np.array([[4.0]])
    errors = []
    for n in (200, 400, 800):
        block, _ = run(system(M, K, q0=np.ones(1)), scheme, 1.3 / n, n, fields_every=n)
        errors.append(abs(block.field_q[-1, 0] - np.cos(2.6)))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(scheme.order, abs=0.1)
    assert np.log2(errors[1] / errors[2]) == pytest.approx(scheme.order, abs=0.1)


def test_the_string_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    element, body = code_of("write_element.md")
    fem = module("flexmb.fem.string", element, monkeypatch)
    x = np.array([0.0, 0.2, 0.5, 1.0])
    field = fem.string_field(x, 3.0, 40.0)
    np.testing.assert_allclose(field.strain.matrix().toarray(), field.K.toarray(), rtol=0, atol=1e-13)
    cls = module("flexmb.parts.bodies.string", body, monkeypatch).String
    monkeypatch.setitem(BODIES, "string", cls)
    path = case_of((DOCS / "write_element.md").read_text(), tmp_path)
    case = load_case(path)
    result = case.run()
    assert result.summary["engine"] == "compiled"
    assert all(entry["ok"] for entry in result.summary["expectations"])
    assert result.contacts["fret"].impulse.sum() > 0.0
    exact = np.array([1, 2, 3]) / 1.3 * np.sqrt(70.0 / (7800.0 * np.pi * 4e-8))
    np.testing.assert_allclose(modes(case.plan.system, 3).frequency, exact, rtol=2e-3)
    bed = load_case(path, ["bodies.string.bed=5e4"]).plan.system
    omega = np.sqrt((70.0 * (np.pi / 0.65) ** 2 + 5e4) / (7800.0 * np.pi * 4e-8))
    assert 2.0 * np.pi * modes(bed, 1).frequency[0] == pytest.approx(omega, rel=2e-4)


def test_the_slot_of_the_page_in_small_and_large_motion(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from flexmb.parts.bodies import RigidPlanar
    from flexmb.parts.joints import Revolute

    (code,) = code_of("write_contact.md")
    cls = module("flexmb.parts.contacts.slot", code, monkeypatch).Slot
    monkeypatch.setitem(CONTACTS, "slot", cls)
    result = load_case(case_of((DOCS / "write_contact.md").read_text(), tmp_path)).run()
    assert all(entry["ok"] for entry in result.summary["expectations"])
    model = Model(gravity=(0, -9.81, 0))
    rod = model.add(RigidPlanar("rod", mass=1, inertia=1 / 3, center=(1, 0), points={"tip": (2, 0)}))
    model.add(Revolute("pin", a="ground", b="rod", axis=(0, 0, 1)))
    model.add(cls("slot", node=rod.point("tip"), width=1.0, normal=(1, 0, 0), point=(1.6, 0, 0), restitution=0.5))
    large = simulate(model, GeneralizedAlpha(), step=2e-3, end=1.0)
    assert large.summary["max_penetration"] < 1e-12
    assert large.contacts["slot"].impulse[:, 0].sum() > 1.0


def test_the_mechanisms_of_the_page_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = (DOCS / "multibody.md").read_text().partition("## Two examples")[2].partition("## Small or large")[0]
    (code,), (said,) = re.findall(r"```python\n(.*?)```", page, re.S), re.findall(r"```\n(joint.*?)```", page, re.S)
    exec(code, {})
    for got, promised in zip(capsys.readouterr().out.splitlines(), said.splitlines(), strict=True):
        if "e-" in promised:
            assert float(got.split()[2 if "joint" in got else 1]) < 1e-14  # round-off: the digits are the machine's
        else:
            assert got.split() == promised.split()
    assert load_case(case_of(page, tmp_path)).plan.steps == 1000
    page = (DOCS / "rotors.md").read_text().partition("## A first rotor")[2].partition("## Linear analyses")[0]
    assert load_case(case_of(page, tmp_path)).plan.steps == 20000
