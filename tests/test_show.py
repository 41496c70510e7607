"""``result.show()``: a page to turn in a notebook, a window elsewhere, a picture where neither can be."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser import browser
from messages import says
from missing import missing
from pictures import require_drawing, run_bar

import flexmb as fm
from flexmb.errors import InputError
from flexmb.postproc import show as module
from flexmb.postproc.interactive_page import Turnable
from flexmb.postproc.open_folder import open_folder, opened
from flexmb.record.result import Result


@pytest.fixture(scope="module")
def bar(tmp_path_factory: pytest.TempPathFactory) -> Result:
    require_drawing()
    return fm.load(run_bar(tmp_path_factory.mktemp("show") / "bar"))


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "in_notebook", lambda: True)


def copy_of(result: Result, **other: Any) -> Result:
    tree = {name: np.array(result.tree[name][()]) for name in result.tree}
    return Result(tree, dict(result.summary), other.get("case_text", result.case_text))


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("contacts = ", "case.toml"),
        ("contacts = 5", "contacts = 5"),
        ("[contacts.wall]\nnormal = 'x'", "contacts.wall.normal = 'x'"),
    ],
)
def test_a_case_that_is_none_is_said_so(bar: Result, text: str, named: str) -> None:
    with pytest.raises(InputError, match=named):
        opened(copy_of(bar, case_text=text))


def test_results_at_hand_have_the_notes_of_their_folders(bar: Result, tmp_path: Path) -> None:
    spoilt = copy_of(bar)
    spoilt.tree["/state/q"][7] = np.nan
    spoilt.tree["/state/impulse"][-1] = np.inf
    spoilt.summary |= {"status": "failed", "failure": {"error": "no way"}}
    spoilt.save(tmp_path / "bar")
    at_hand, of_folder = opened(spoilt), open_folder(tmp_path / "bar")
    assert at_hand.notes == of_folder.notes == opened(fm.load(tmp_path / "bar")).notes
    assert len(at_hand.notes) == 3
    assert says(at_hand.notes, "1 ... 201 states ... not finite ... t = 0.07 s")
    assert at_hand.notes[0] == "the run failed: no way"
    assert at_hand.h == pytest.approx(5e-3)
    assert len(at_hand.result.fields) == 200
    assert spoilt.show(time=0.07, backend="static").size == module.SIZE
    with pytest.raises(InputError, match="result.*damaged: .*state/q"):
        opened(Result({k: v for k, v in spoilt.tree.items() if k != "/state/q"}, {}))


def test_without_a_screen_a_picture_is_written_and_said_so(
    bar: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from PIL import Image

    monkeypatch.setattr(module, "has_screen", lambda: False)
    monkeypatch.chdir(tmp_path)
    with pytest.warns(UserWarning, match="display.*window.*'bar_view.png'") as said:
        image = bar.show(time=0.8)
    assert said[0].filename == __file__
    written = np.asarray(Image.open("bar_view.png"))
    np.testing.assert_array_equal(written, np.asarray(image))
    assert written.std() > 10
    Path("result_view.png").mkdir()
    with pytest.warns(UserWarning, match="'result_view.png'"):
        assert copy_of(bar).show().size == module.SIZE


def test_with_a_screen_a_window_opens(bar: Result, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Any] = []
    monkeypatch.setattr(module, "has_screen", lambda: True)
    monkeypatch.setattr("flexmb.postproc.window.open_window", lambda *words: calls.append(words))
    assert bar.show(time=0.8, scale=2.0) is None
    ((stage, t, size),) = calls
    assert (t, size, stage.scale) == (pytest.approx(0.8), module.SIZE, 2.0)
    assert len(stage.scenes[0].look.states) == 201


@pytest.mark.usefixtures("notebook")
def test_a_notebook_gets_a_page_and_where_it_shows_none_a_picture(bar: Result, tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        page = bar.show(time=0.8, field="velocity")
    assert isinstance(page, Turnable)
    bundle = page._repr_mimebundle_()
    assert bundle["text/html"].startswith("<iframe")
    assert bundle["image/png"].startswith(b"\x89PNG")
    assert len(bundle["text/html"]) < 1_000_000
    assert page.save(tmp_path / "x.html").read_text() == page.page
    with pytest.warns(UserWarning, match="'velocity.x'.*picture; field='velocity'"):
        assert bar.show(field="velocity.x").size == module.SIZE
    with pytest.raises(InputError, match="backend = 'trame'.*html, static, window"):
        bar.show(backend="trame")


@pytest.mark.usefixtures("notebook")
def test_why_there_is_no_page_is_said(bar: Result, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise InputError("not this one")

    monkeypatch.setattr("flexmb.postproc.report.views.motion_of", fail)
    with pytest.warns(UserWarning, match="page.*picture.*motion"):
        assert bar.show().size == module.SIZE


def test_the_page_shows_what_was_asked_for_and_plays(bar: Result, tmp_path: Path) -> None:
    html = bar.show(time=0.8, field="velocity", scale=3.0, backend="html")._repr_mimebundle_()["text/html"]
    (tmp_path / "notebook.html").write_text(f"<!DOCTYPE html><html><body>{html}</body></html>")
    with browser(tmp_path / "profile") as page:
        page.get((tmp_path / "notebook.html").as_uri())
        page.switch_to.frame(0)
        read = "return ['field', 'scale', 'clock'].map(k => document.getElementById(k).value)"
        assert page.execute_script(read) == ["1", "3", "t = 0.8 s"]
        drawn = page.execute_script("return document.querySelector('canvas').toDataURL()")
        page.execute_script(
            "const s = document.getElementById('slider'); s.value = 10; s.dispatchEvent(new Event('input'))"
        )
        assert page.execute_script(read)[2] == "t = 0.1 s"
        assert page.execute_script("return document.querySelector('canvas').toDataURL()") != drawn
        assert [entry for entry in page.get_log("browser") if entry["level"] == "SEVERE"] == []


def test_a_kernel_shows_it_below_the_cell(bar: Result) -> None:
    try:
        import ipykernel  # noqa: F401
        import nbformat
        from nbclient import NotebookClient
    except ImportError as err:
        missing(f"{err.name} is not installed")
    code = f"import flexmb as fm\nfm.load({json.dumps(str(bar.folder))}).show()"
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)])
    NotebookClient(notebook, timeout=600, kernel_name="python3").execute()
    outputs = notebook.cells[0]["outputs"]  # after messages of a first import on stderr, such as of a font cache
    (output,) = [each for each in outputs if each["output_type"] != "stream"]
    assert output["output_type"] == "execute_result"
    assert sorted(output["data"]) == ["image/png", "text/html", "text/plain"]


def test_pages_that_cannot_be_written_are_refused_in_words(tmp_path: Path) -> None:
    page = Turnable("<html></html>", None)
    assert page.save(tmp_path / "a.html").read_text() == "<html></html>"
    (tmp_path / "b.html").mkdir()
    with pytest.raises(InputError, match=r"b.html' is a folder"):
        page.save(tmp_path / "b.html")
    with pytest.raises(InputError, match="there is no folder"):
        page.save(tmp_path / "no" / "c.html")
    with pytest.raises(InputError, match="page '/proc/x.html'"):
        page.save("/proc/x.html")
