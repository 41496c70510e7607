"""Figures that cannot be written are refused in words, from Python and from the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from fake_files import memory_result, written
from messages import says

from flexmb.cli import main
from flexmb.errors import InputError

LOCKED = Path("/proc/x.png")
"""Where nobody can write."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder that is called as a picture is."""
    (tmp_path / "dir.png").mkdir()
    return tmp_path / "dir.png"


def test_figures_of_results(folder: Path) -> None:
    result = memory_result()
    draws = (result.plot_energy, lambda save: result.plot_contact("wall", save=save))
    for draw in draws:
        with pytest.raises(InputError, match="figure '.*dir.png'.*saved.*folder"):
            draw(save=folder)
        with pytest.raises(InputError, match="figure '/proc/x.png'.*saved"):
            draw(save=LOCKED)


def test_the_plot_command(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    from matplotlib.figure import Figure

    run = written(folder.parent / "run")
    monkeypatch.setattr("flexmb.commands.plot._figure", lambda *args: Figure())
    for out, words in (
        (folder, "it is a folder"),
        (LOCKED, ""),
        (folder / "no/x.png", f"there is no folder '{folder / 'no'}'"),
    ):
        assert main(["plot", str(run), "orbit", "-o", str(out)]) == 2
        said = capsys.readouterr().err.splitlines()[-1]
        assert said.startswith(f"flexmb: error: the figure '{out}' cannot be saved: {words}"), said
    assert main(["plot", str(run), "orbit", "-o", "x.gif"]) == 2
    assert "allowed: .svg, .pdf, .png" in capsys.readouterr().err


def test_folders_of_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("mine")
    for command in (["spectrum", "newmark"], ["static", "laval_rotor"]):
        assert main([*command, "-o", str(tmp_path / "file")]) == 2
        assert says(capsys.readouterr().err, f"flexmb: error: '{tmp_path / 'file'}' ... exists")
    assert (tmp_path / "file").read_text() == "mine"


def test_a_result_folder_that_is_not_there_is_named_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for more in ([], ["-o", "x.png"]):
        assert main(["plot", "results/nothing", "energy", *more]) == 2
        assert capsys.readouterr().err == "flexmb: error: there is no result folder 'results/nothing'\n"
    assert main(["plot", "results/nothing", "bifurcation", "-o", "x.png"]) == 2
    assert "results/nothing" in capsys.readouterr().err
