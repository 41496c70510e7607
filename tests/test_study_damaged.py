"""Study folders that were edited or damaged: one paragraph says what is wrong, and nothing is written elsewhere."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from fake_study import fake_study
from messages import says

from flexmb.cli import main
from flexmb.postproc.study.page import inline
from flexmb.study.table import same

FIGURE = '\n[[figure]]\nname = {}\nkind = "order"\nx = "h"\ny = ["error"]\nby = ["scheme"]\n'
EVIL = "'a\"><img src=x onerror=alert(1)><b id=\"'"


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = fake_study(tmp_path_factory.mktemp("study") / "sound")
    text = (made / "study.toml").read_text(encoding="utf-8")
    (made / "study.toml").write_text(text.partition("[[figure]]")[0], encoding="utf-8")
    return made


@pytest.fixture
def folder(sound: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(sound, tmp_path / "in" / "study"))


def refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """Return what the report says of a folder that it does not take."""
    capsys.readouterr()
    before = sorted(folder.parents[1].rglob("*"))
    assert main(["report", str(folder)]) == 2
    assert sorted(folder.parents[1].rglob("*")) == before
    said = capsys.readouterr().err
    assert said.startswith("flexmb: error: ")
    return said


@pytest.mark.parametrize("name", [EVIL, '"../../evil"', '"a/b"', '""', '"a\\n"', f'"{"a" * 200}"', "5"])
def test_names_of_figures_are_names_of_files(folder: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    with (folder / "study.toml").open("a", encoding="utf-8") as file:
        file.write(FIGURE.format(name))
    assert "figure.0.name" in refused(folder, capsys)


def test_two_figures_do_not_have_one_name(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with (folder / "study.toml").open("a", encoding="utf-8") as file:
        file.write(2 * FIGURE.format('"a"'))
    assert says(refused(folder, capsys), "figure.1.name = 'a' ... figure")


def test_identifiers_of_an_inlined_picture_are_no_markup() -> None:
    found = inline('<svg width="1"><g id="a"/><use href="#a"/></svg>', 'n"><img src=x onerror="\\1')
    assert "<img" not in found
    assert found.count("n&quot;&gt;&lt;img src=x onerror=&quot;\\1-a") == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("axis = 5", "axis = 5: must be a list"),
        ("set = 5", "set = 5: "),
        ("figure = 5", "figure = 5: must be a list"),
        ("measure = ['a']", "measure.0 = 'a': must be a table"),
        ("expect = 5", "expect = 5: must be a list"),
        ("title = 5", "title = 5: must be a text"),
        ("axis = [{ keys = 5, values = [1] }]", "axis.0.keys = 5 ... list"),
        ("axis = [{ name = 'a', choices = [5] }]", "axis.0.choices.0 = 5 ... table"),
        ("[[figure]]\nname = 'a'\nkind = 'order'\ny = 5", "figure.0.y = 5: must be a list"),
        ("[[figure]]\nname = 'a'\nkind = 'pie'", "figure.0.kind = 'pie': "),
    ],
)
def test_study_files_of_another_shape_are_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], words: str, message: str
) -> None:
    (folder / "study.toml").write_text(f'case = "impacting_bar"\n{words}\n')
    said = refused(folder, capsys)
    assert says(said, message)
    assert "study.toml, line " in said


@pytest.mark.parametrize(
    ("summary", "message"),
    [
        ([1], "it = [1]: must be a table"),
        ({"expectations": 5}, "expectations = 5: must be a list"),
        ({"expectations": [5]}, "expectations.0 = 5: must be a table"),
        ({"expectations": [{"measure": "error", "at_most": "x", "ok": True}]}, "expectations.0.at_most = 'x'"),
        ({"expectations": [{"ok": True, "value": 1.0, "atol": 1.0}]}, "order ... measure"),
        ({"versions": [1]}, "versions = [1]: "),
        ({"wall_time_s": "long"}, "wall_time_s = 'long' ... number"),
    ],
)
def test_summaries_of_another_shape_are_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], summary: Any, message: str
) -> None:
    (folder / "summary.json").write_text(json.dumps(summary))
    said = refused(folder, capsys)
    assert "summary.json' is damaged: " in said
    assert says(said, message)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"index": "one"}, "index = 'one' ... integer"),
        ({"axes": 5}, "axes = 5: "),
        ({"axes": {"h": [1.0]}}, "axes.h"),
        ({"status": "well"}, "status = 'well' ... 'done' ... 'failed'"),
        ({"numbers": {"error": "x"}}, "numbers.error = 'x' ... number"),
        ({"arrays": {"energy": {"t": [0.0, 1.0], "y": [1.0]}}}, "'energy' ... lengths"),
    ],
)
def test_runs_of_another_shape_are_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], change: dict[str, Any], message: str
) -> None:
    path = folder / "runs" / f"{3:020x}.json"
    row = json.loads(path.read_text())
    path.write_text(json.dumps(row | change))
    said = refused(folder, capsys)
    assert f"{path.name}' is damaged: " in said
    assert says(said, message)
    path.write_text(json.dumps({key: value for key, value in row.items() if key != "axes"}))
    assert "axes: is missing" in refused(folder, capsys)
    path.write_text(json.dumps(row)[:40])
    assert f"{path.name}' cannot be read" in refused(folder, capsys)


def test_values_of_other_kinds_are_not_the_same() -> None:
    assert same(1, 1.0)
    assert not same([1.0], 1.0)
    assert not same({"a": 1}, 1.0)
    assert not same("1", 1.0)
