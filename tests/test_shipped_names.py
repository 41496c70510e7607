"""Shipped cases and meshes by their names: whatever stands in a folder, and in cases as run, which hold elsewhere."""

from __future__ import annotations

import re
import shutil
import tomllib
from pathlib import Path

import numpy as np
import pytest
from messages import says

from flexmb.analysis.rotors.run_parts import RunParts
from flexmb.case import load_case
from flexmb.cli import main
from flexmb.errors import InputError
from flexmb.shipped_data import mesh_name, shipped_folder, shipped_mesh

SHORT = ["time.step=1e-4"]
ROTOR = """
[time]
end = 0.1
step = 1e-3
[scheme]
name = "newmark"
[bodies.rotor]
kind = "rotor"
stations = [0.0, 0.5, 1.0]
outer_diameter = 0.01
material = { young = 2.1e11, density = 7800.0 }
spin = { kind = "constant", speed = 25.0 }
supports = [{ node = "first", kind = "pinned" }]
[bodies.beam]
kind = "beam"
mesh = "cantilever.vtu"
section = { shape = "rectangle", height = 0.01, width = 0.04 }
material = { young = 210e9, density = 7800.0 }
supports = [{ node = "first", kind = "clamped" }]
[loads.ring]
kind = "bearing"
node = "rotor.last"
to = "beam.last"
stiffness = 1e5
"""


def test_a_folder_with_the_name_of_a_shipped_case_does_not_hide_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["run", "bouncing_ball", "-o", "bouncing_ball", "--set", "time.end=0.01"]) == 0
    assert main(["run", "bouncing_ball", "-o", "again", "--set", "time.end=0.01"]) == 0
    assert (tmp_path / "again" / "case.toml").is_file()
    assert main(["run", "bouncing_ball/", "-o", "third"]) == 2  # which can only mean the folder
    assert says(capsys.readouterr().err, "folder ... case file")
    (tmp_path / "other").mkdir()
    with pytest.raises(InputError, match="'other' is a folder"):
        load_case("other")
    shutil.copy(tmp_path / "again" / "case.toml", tmp_path / "two_bars")  # a file of that name is meant
    assert load_case("two_bars").title == load_case("bouncing_ball").title


def test_a_case_as_run_calls_a_shipped_mesh_by_its_name_and_runs_anywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / "run"
    short = [word for item in SHORT for word in ("--set", item)]
    assert main(["run", "beam_on_stop", "-o", str(run), *short]) == 0
    text = (run / "case.toml").read_text(encoding="utf-8")
    assert 'mesh = "cantilever.vtu"' in text
    assert not re.search(r'"[^"]*/\w+/', text)  # no place on this disk
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    shutil.copy(run / "case.toml", elsewhere / "beam.toml")
    monkeypatch.chdir(elsewhere)
    assert main(["run", "beam.toml", "-o", "again"]) == 0
    assert (elsewhere / "again" / "case.toml").read_text(encoding="utf-8") == text
    # the same case is the same, by whichever file it comes
    assert main(["run", str(run / "case.toml"), "-o", str(run), "--resume"]) == 0
    assert main(["run", "beam_on_stop", "-o", "again", *short, "--resume"]) == 0


def test_a_mesh_of_ones_own_is_called_by_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = tmp_path / "mine" / "cantilever.vtu"  # one of the same name beside the case comes first
    own.parent.mkdir()
    shutil.copy(shipped_folder("meshes") / own.name, own)
    text = load_case("beam_on_stop", SHORT).to_toml()
    (own.parent / "case.toml").write_text(text)
    as_run = load_case(own.parent / "case.toml").to_toml()
    assert tomllib.loads(as_run)["bodies"]["beam"]["mesh"] == str(own)
    monkeypatch.chdir("/")
    (tmp_path / "elsewhere.toml").write_text(as_run)
    assert load_case(tmp_path / "elsewhere.toml").to_toml() == as_run


def test_names_of_meshes() -> None:
    shipped = shipped_folder("meshes") / "cantilever.vtu"
    assert shipped_mesh("cantilever.vtu") == shipped
    assert mesh_name(str(shipped)) == "cantilever.vtu"
    assert mesh_name("/nowhere/cantilever.vtu") == "/nowhere/cantilever.vtu"
    for odd in ("../meshes/cantilever.vtu", "no.vtu", "", "a" * 5000, "a\0b"):
        assert shipped_mesh(odd) is None


def test_bearings_of_a_result_find_beams_with_a_shipped_mesh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "rotor.toml").write_text(ROTOR)
    text = load_case(tmp_path / "rotor.toml").to_toml()
    monkeypatch.chdir(tmp_path)
    (bearing,) = RunParts(tomllib.loads(text)).bearings()
    assert bearing.node == ("rotor", 2)
    assert bearing.to == ("beam", 60)
    np.testing.assert_allclose(bearing.axes, [[0, 0], [1, 0], [0, 1]], atol=1e-15)
