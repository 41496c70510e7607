"""What ``flexmb`` exports, to type checkers and at run time; schemes are found by their files."""

from __future__ import annotations

import ast
from pathlib import Path
from types import ModuleType
from typing import ClassVar

import pytest

import flexmb
import flexmb as fm
from flexmb import schemes
from flexmb.drive.check_plan import WITH_ERROR
from flexmb.schemes.scheme import EVERYWHERE, IN_LARGE_MOTION


def static_names(module: ModuleType) -> set[str]:
    """Return the names that type checkers see as exported: those of the block for them, but for star imports."""
    assert module.__file__ is not None
    tree = ast.parse(Path(module.__file__).read_text())
    block = next(node for node in tree.body if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test))
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    return {alias.asname for node in imports for alias in node.names if alias.asname}


def test_type_checkers_see_what_there_is():
    assert static_names(schemes) <= set(schemes.__all__)
    assert static_names(flexmb) == set(flexmb.__all__) - set(schemes.__all__)
    assert {"Model", "StormerVerlet", "SCHEMES", "simulate"} <= set(flexmb.__all__)


def test_every_name_is_exported_once():
    names = fm.__all__
    assert list(names) == sorted(set(names)) == dir(fm)
    assert all(getattr(fm, name) is not None for name in names)


class Bold(fm.MoreauJean):
    """A scheme in a file of its own."""

    name: ClassVar[str] = "bold"
    error_known: ClassVar[str] = "on Sundays"


class Timid(fm.StormerVerlet):
    """Another one."""

    name: ClassVar[str] = "timid"
    large_motion: ClassVar[str] = "without joints"


def test_messages_name_a_scheme_once_its_file_exists(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(schemes, "SCHEMES", {**schemes.SCHEMES, "bold": Bold, "timid": Timid})
    assert "bold" in str(EVERYWHERE).split(", ")
    assert "timid" not in str(EVERYWHERE)
    assert "timid without joints" in str(IN_LARGE_MOTION)
    assert "schatzman-paoli where" in str(IN_LARGE_MOTION)
    assert "bold on Sundays" in str(WITH_ERROR)


def test_schemes_between_events_and_for_demonstration_are_not_recommended():
    assert not {"phem56", "naive-hht", "potra"} & set(str(EVERYWHERE).split(", "))
    named = {"generalized-alpha", "hht", "newmark", "moreau-jean", "moreau-jean-dissipative"}
    assert {words.removeprefix("or ").split(" ")[0] for words in str(WITH_ERROR).split(", ")} == named
    assert "with theta = 1/2" in str(WITH_ERROR)
