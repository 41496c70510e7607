"""The notebook of the docs is that of its script, and its code runs."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from pictures import require_drawing

DOCS = Path(__file__).parents[1] / "docs"
sys.path.insert(0, str(DOCS))

import make_notebook  # noqa: E402

from flexmb.postproc import show  # noqa: E402

CELLS: list[dict[str, Any]] = json.loads(make_notebook.NOTEBOOK.read_text(encoding="utf-8"))["cells"]


def test_the_notebook_is_that_of_the_script_with_its_outputs() -> None:
    assert [cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"]) for cell in CELLS] == list(
        make_notebook.CELLS
    )
    codes = [cell for cell in CELLS if cell["cell_type"] == "code"]
    assert len(codes) == 6
    assert all(cell["outputs"] for cell in codes)
    assert not [out for cell in codes for out in cell["outputs"] if out["output_type"] == "error"]


def test_the_code_of_the_notebook_runs_and_prints_what_it_shows(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    require_drawing()
    monkeypatch.setattr(show, "in_notebook", lambda: True)
    space: dict[str, Any] = {}
    values = []
    for cell in filter(make_notebook.is_code, make_notebook.CELLS):
        *before, last = cell.splitlines()
        exec("\n".join(before), space)
        values.append(eval(last, space))
    printed = capsys.readouterr().out
    (shown,) = [out["text"] for cell in CELLS for out in cell.get("outputs", []) if out["output_type"] == "stream"]
    for got, promised in zip(printed.splitlines(), "".join(shown).splitlines(), strict=True):
        if "unexplained" in promised:  # round-off: its digits are the machine's
            assert float(got.split()[1]) < 1e-10
        else:
            assert got == promised
    result, _, *figures, shown_below = values
    assert result.summary["status"] == "complete"
    assert [len(figure.axes) for figure in figures] == [3, 2, 2]
    assert shown_below.picture.size == show.SIZE


def test_what_is_missing_is_said_in_a_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "nbformat", None)
    monkeypatch.setitem(sys.modules, "ipykernel", None)
    with pytest.raises(SystemExit, match=re.escape("pip install -e '.[notebook]'")):
        make_notebook.main(tmp_path / "none.ipynb")
    assert not list(tmp_path.iterdir())
