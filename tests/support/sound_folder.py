"""A small result folder without damage, and a copy of it for each test, as fixtures for the modules that name them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import flexmb as fm

SMALL = ["bodies.rod.elements=6", "time.step=2e-2", "output.fields_every=5"]
"""What makes impacting_bar small."""


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder that no test changes."""
    folder = tmp_path_factory.mktemp("sound") / "bar"
    fm.load_case("impacting_bar", SMALL).run(folder)
    return folder


@pytest.fixture
def folder(sound: Path, tmp_path: Path) -> Path:
    """Return a copy of it."""
    return Path(shutil.copytree(sound, tmp_path / "bar"))
