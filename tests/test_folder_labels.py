"""Names that tell folders apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from flexmb.postproc.folder_labels import folder_labels


def test_parents_are_added_until_names_differ(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    for given, labels in (
        (["run"], ["run"]),
        (["."], ["here"]),
        (["a", "b/"], ["a", "b"]),
        (["a/run", "b/run"], ["a/run", "b/run"]),
        (["a/run", "b/run", "c"], ["a/run", "b/run", "c"]),
        (["run", "a/run"], ["here/run", "a/run"]),
        (["a/x/run", "b/x/run", "b/y/run"], ["a/x/run", "b/x/run", "y/run"]),
        (["run", "../here/run", "b"], ["run (1)", "run (2)", "b"]),
        (["/run", "/a/run"], ["/run", "a/run"]),
        (["/", "/a"], ["/", "a"]),
    ):
        assert folder_labels([Path(name) for name in given]) == labels
