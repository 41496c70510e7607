"""Help with writing case files: templates, shipped files shown, the schema that editors read."""

from __future__ import annotations

import copy
import json
import re
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from flexmb.case.json_schema import case_schema
from flexmb.case.part_tables import KINDS
from flexmb.case.shipped import shipped_cases, shipped_fits, shipped_studies, shipped_templates
from flexmb.cli import main
from flexmb.parts.time_functions import KINDS as FUNCTIONS
from flexmb.schemes import SCHEMES

SCHEMA = case_schema()
VALIDATOR = jsonschema.Draft7Validator(SCHEMA)
CASES = {**shipped_cases(), **{f"template {name}": path for name, path in shipped_templates().items()}}
CASES.pop("template study")


def read(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def test_the_schema_is_one_of_its_draft() -> None:
    jsonschema.Draft7Validator.check_schema(SCHEMA)


def test_references_within_the_schema_are_uris() -> None:
    """Taplo refuses the whole schema for a reference with a space."""
    pattern = re.compile(r"#/definitions/[A-Za-z0-9_.~-]+")
    references = re.findall(r'"\$ref": "([^"]*)"', json.dumps(case_schema()))
    assert len(references) > 5
    assert [words for words in references if not pattern.fullmatch(words)] == []


@pytest.mark.parametrize("name", CASES)
def test_every_shipped_file_fits_the_schema(name: str) -> None:
    assert [error.message for error in VALIDATOR.iter_errors(read(CASES[name]))] == []


def test_every_kind_is_in_the_schema_with_its_keys_described() -> None:
    for role, kinds in KINDS.items():
        tables = SCHEMA["properties"][role]["additionalProperties"]["oneOf"]
        assert [table["properties"]["kind"]["const"] for table in tables] == list(kinds)
        for table in tables:
            assert table["description"]
    names = [table["properties"]["name"]["const"] for table in SCHEMA["properties"]["scheme"]["oneOf"]]
    assert names == list(SCHEMES)
    functions = SCHEMA["definitions"]["time_function"]["anyOf"][1]["oneOf"]
    assert [table["properties"]["kind"]["const"] for table in functions] == list(FUNCTIONS)


def test_every_key_of_a_part_is_described() -> None:
    for role in KINDS:
        for table in SCHEMA["properties"][role]["additionalProperties"]["oneOf"]:
            bare = [key for key, value in table["properties"].items() if key != "kind" and not value["description"]]
            assert bare == [], table["properties"]["kind"]["const"]


WRONG = [
    (("bodies", "rod", "lenght"), 3.0),
    (("bodies", "rod", "elements"), "many"),
    (("bodies", "rod", "elements"), 2.5),
    (("bodies", "rod", "kind"), "string"),
    (("bodies", "rod", "section"), {"aera": 1.0}),
    (("bodies", "rod", "position"), "origin"),
    (("contacts", "wall", "motion"), {"kind": "ramp"}),
    (("contacts", "wall", "motion"), {"kind": "table", "time": [0.0, 1.0], "value": "up"}),
    (("scheme", "rho"), 0.8),
    (("scheme", "ggl"), 1),
    (("time", "end"), "2 s"),
    (("outputs",), {}),
]


@pytest.mark.parametrize(("path", "value"), WRONG, ids=lambda item: str(item))
def test_wrong_keys_and_types_do_not_fit_it(path: tuple[str, ...], value: Any) -> None:
    data = copy.deepcopy(read(shipped_cases()["impacting_bar"]))
    table = data
    for key in path[:-1]:
        table = table[key]
    table[path[-1]] = value
    assert not VALIDATOR.is_valid(data)


def test_the_command_prints_and_writes_the_schema(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema"]) == 0
    assert json.loads(capsys.readouterr().out) == SCHEMA
    assert main(["schema", "-o", str(tmp_path / "s.json")]) == 0
    assert json.loads((tmp_path / "s.json").read_text()) == SCHEMA


OTHERS = {
    "study": {**shipped_studies(), "template": shipped_templates()["study"]},
    "fit": shipped_fits(),
}
MISSPELT = {"study": ("axis", 0, "valeus"), "fit": ("parameter", 0, "form")}


@pytest.mark.parametrize("kind", OTHERS)
def test_studies_and_fits_have_schemas(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", kind]) == 0
    schema = json.loads(capsys.readouterr().out)
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    for path in OTHERS[kind].values():
        data = read(path)
        assert [error.message for error in validator.iter_errors(data)] == [], path
        table, number, key = MISSPELT[kind]
        if table in data:
            data[table][number][key] = 1.0
            assert not validator.is_valid(data)
        assert not validator.is_valid(read(path) | {"cse": "x"})


@pytest.mark.parametrize("name", [name for name in shipped_templates() if name != "study"])
def test_a_template_becomes_a_file_that_runs_into_its_contact(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["init", name]) == 0
    assert f"{name}.toml" in capsys.readouterr().out
    assert main(["run", f"{name}.toml", "-o", "out", "--quiet"]) == 0
    summary = json.loads(Path("out/summary.json").read_text())
    assert summary["contact_steps"] > 0
    assert summary["energy"]["residual_max"] <= 1e-12 * summary["energy"]["scale"]


def test_the_template_of_a_study_can_be_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "mine.toml"
    assert main(["init", "study", "-o", str(target)]) == 0
    assert "flexmb study" in capsys.readouterr().out
    assert main(["study", str(target), "--list"]) == 0
    assert len(capsys.readouterr().out.strip().splitlines()) >= 9


def test_a_case_is_run_wherever_flexmb_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "studies" / "env" / "templates" / "bar.toml"
    source.parent.mkdir(parents=True)
    source.write_text("")
    monkeypatch.setattr("flexmb.case.shipped.find_template", lambda name: source)
    assert main(["init", "bar", "-o", str(tmp_path / "mine.toml")]) == 0
    assert "flexmb run" in capsys.readouterr().out


def test_a_shipped_case_is_a_template_too(tmp_path: Path) -> None:
    target = tmp_path / "ball.toml"
    assert main(["init", "bouncing_ball", "-o", str(target)]) == 0
    assert target.read_text() == shipped_cases()["bouncing_ball"].read_text()


def test_nothing_is_overwritten_and_unknown_templates_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bar.toml").write_text("mine")
    assert main(["init", "bar"]) == 2
    assert "bar.toml" in capsys.readouterr().err
    assert Path("bar.toml").read_text() == "mine"
    assert main(["init", "baar"]) == 2
    words = capsys.readouterr().err
    assert "baar" in words
    assert "mechanism" in words


def test_without_a_name_the_templates_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init"]) == 0
    listed = capsys.readouterr().out
    assert all(name in listed for name in shipped_templates())


def test_cases_shows_a_file_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cases", "--show", "two_bars"]) == 0
    assert capsys.readouterr().out == shipped_cases()["two_bars"].read_text()
    assert main(["cases", "--show", "dissipation_bar"]) == 0
    assert 'case = "impacting_bar"' in capsys.readouterr().out
    assert main(["cases", "--show", "three_bars"]) == 2
    assert "two_bars" in capsys.readouterr().err
