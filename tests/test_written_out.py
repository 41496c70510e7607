"""``-o`` of the analyses: a folder for everything, or one file for the figure alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from flexmb.cli import main

ANALYSES = {
    "modes": ["modes", "portal_frame", "-n", "2"],
    "static": ["static", "portal_frame"],
    "rotor modes": ["modes", "laval_rotor", "-n", "2"],
    "rotor static": ["static", "laval_rotor"],
    "campbell": ["campbell", "laval_rotor", "-n", "2", "--speeds", "0:100:3"],
    "unbalance": ["unbalance", "laval_rotor", "--speeds", "10:100:3"],
    "spectrum": ["spectrum", "newmark"],
}
BEGINS = {".pdf": b"%PDF", ".svg": b"<?xml", ".png": b"\x89PNG"}


@pytest.mark.parametrize("what", ANALYSES)
def test_a_file_gets_the_figure_alone(what: str, tmp_path: Path) -> None:
    for ending, begin in BEGINS.items() if what == "static" else [(".pdf", b"%PDF")]:
        file = tmp_path / f"figure{ending}"
        assert main([*ANALYSES[what], "-o", str(file)]) == 0
        assert file.read_bytes().startswith(begin)
        assert list(tmp_path.iterdir()) == [file]
        file.unlink()


def test_a_folder_gets_tables_and_all_kinds_of_figures(tmp_path: Path) -> None:
    assert main(["modes", "portal_frame", "-n", "2", "-o", str(tmp_path / "out")]) == 0
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {"modes.csv", "modes.vtu", "modes.pdf", "modes.svg", "modes.png"}


@pytest.mark.parametrize(
    ("case", "name", "word"),
    [
        ("portal_frame", "figure.jpg", ".pdf"),
        ("portal_frame", "nowhere/figure.pdf", "nowhere"),
        ("bouncing_ball", "figure.pdf", "bars or beams"),
    ],
)
def test_figures_that_cannot_be_written(case: str, name: str, word: str, tmp_path: Path, capsys) -> None:
    assert main(["modes", case, "-o", str(tmp_path / name)]) == 2
    assert word in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
