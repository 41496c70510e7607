"""The way of a new user: a frame from gmsh between two stops, its damping fitted to data, a PDF figure."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

import flexmb as fm
from flexmb.cli import main

WIDTH, HEIGHT, ELEMENTS = 2.0, 1.5, 4
BETA = 2e-4
"""Damping of the frame that made the data, s; the fit starts at a quarter of it."""

CASE = """
title = "Portal frame between two stops"

[time]
end = 0.12
step = 1e-4

[scheme]
name = "generalized-alpha"
rho_inf = 0.8

[bodies.frame]
kind = "beam"
mesh = "frame.msh"
material = { young = 2.1e11, density = 7850.0 }
section = { shape = "rectangle", width = 0.04, height = 0.04 }
supports = [{ node = "feet", kind = "clamped" }]
damping = { beta = 5e-5 }

[loads.shaker]
kind = "force"
node = "frame.left"
force = [1000.0, 0.0, 0.0]
function = { kind = "harmonic", omega = 60.0 }

[contacts.left_stop]
kind = "node-plane"
node = "frame.left"
normal = [1.0, 0.0, 0.0]
point = [-0.006, 0.0, 0.0]
restitution = 0.3

[contacts.right_stop]
kind = "node-plane"
node = "frame.right"
normal = [-1.0, 0.0, 0.0]
point = [2.006, 0.0, 0.0]
restitution = 0.3

[output]
every = 2
signals = ["frame.left.displacement", "frame.right.displacement"]
"""
FIT = """
case = "frame.toml"

[[parameter]]
name = "beta"
key = "bodies.frame.damping.beta"
start = 5e-5
from = 1e-5
to = 1e-3
log = true
unit = "s"

[[objective]]
signal = "frame.left.displacement.x"
data = "measured.csv"
column = "x"
sigma = 1e-5
"""


def gmsh_text() -> str:
    """Return a portal frame in gmsh's format 2.2: points and curves with physical groups, nodes as gmsh numbers them.

    The points of the geometry come first, then those within each curve.
    """
    corners = [(0.0, 0.0, 0.0), (0.0, 0.0, HEIGHT), (WIDTH, 0.0, HEIGHT), (WIDTH, 0.0, 0.0)]
    nodes, lines = list(corners), []
    for curve, group in enumerate((4, 5, 4)):
        a, b = corners[curve], corners[curve + 1]
        inner = range(len(nodes) + 1, len(nodes) + ELEMENTS)
        for k in range(1, ELEMENTS):
            nodes.append(tuple(x + k / ELEMENTS * (y - x) for x, y in zip(a, b, strict=True)))  # type: ignore[arg-type]
        way = [curve + 1, *inner, curve + 2]
        lines += [f"1 2 {group} {curve + 1} {p} {q}" for p, q in zip(way[:-1], way[1:], strict=True)]
    cells = ["15 2 1 1 1", "15 2 1 4 4", "15 2 2 2 2", "15 2 3 3 3", *lines]
    names = ['0 1 "feet"', '0 2 "left"', '0 3 "right"', '1 4 "columns"', '1 5 "beam"']
    blocks = {
        "MeshFormat": ["2.2 0 8"],
        "PhysicalNames": [str(len(names)), *names],
        "Nodes": [str(len(nodes)), *(f"{k} {x} {y} {z}" for k, (x, y, z) in enumerate(nodes, 1))],
        "Elements": [str(len(cells)), *(f"{k} {cell}" for k, cell in enumerate(cells, 1))],
    }
    return "".join(f"${name}\n" + "\n".join(rows) + f"\n$End{name}\n" for name, rows in blocks.items())


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder that the user works in, with mesh, case and fit."""
    monkeypatch.chdir(tmp_path)
    Path("frame.msh").write_text(gmsh_text())
    Path("frame.toml").write_text(CASE)
    Path("damping.toml").write_text(FIT)
    return tmp_path


def test_from_a_mesh_to_a_figure_in_print(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", "frame.toml"]) == 0
    assert main(["run", "frame.toml", "-o", "reference", "--set", f"bodies.frame.damping.beta={BETA}"]) == 0
    reference = fm.load("reference")
    for stop in ("left_stop", "right_stop"):
        assert reference.contacts[stop].impulse.sum() > 0.0, stop  # both stops are hit
    assert reference.layout.cells.shape[0] == 3 * ELEMENTS
    with open("measured.csv", "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["t", "x"])
        rows.writerows(zip(reference.time[::10], reference.signals["frame.left.displacement"][::10, 0], strict=True))

    capsys.readouterr()
    assert main(["fit", "damping.toml", "-o", "fitted"]) == 0
    assert "beta" in capsys.readouterr().out
    found = json.loads(Path("fitted/fit.json").read_text())["parameters"]
    assert found[0]["value"] == pytest.approx(BETA, rel=2e-3)

    assert main(["run", "fitted/best.toml", "-o", "best"]) == 0
    apart = fm.load("best").signals["frame.left.displacement"] - reference.signals["frame.left.displacement"]
    assert abs(apart).max() < 3e-5  # three sigma
    for kind in ("signals", "moment", "contact", "xt"):
        assert main(["plot", "best", kind, "-o", f"{kind}.pdf"]) == 0, kind
        assert Path(f"{kind}.pdf").read_bytes().startswith(b"%PDF")
