"""Pictures of results for tests: a small bar, a scene of it, and where vtk puts points of space."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import InputError
from flexmb.postproc.moment import nearest_state
from flexmb.postproc.open_folder import open_folder
from flexmb.postproc.screen import prepare_off_screen

SIZE = (800, 450)


def require_drawing() -> None:
    """Skip where nothing can be drawn for want of EGL and OSMesa; in CI that is an error."""
    try:
        prepare_off_screen()
    except InputError as err:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(err))


def run_bar(folder: Path, overrides: list[str] | None = None) -> Path:
    """Run a coarse impacting bar into a folder."""
    coarse = ["bodies.rod.elements=60", "time.step=5e-3", "output.fields_every=2"]
    case = fm.load_case("impacting_bar", [*coarse, *(overrides or [])])
    case.run(folder)
    return folder


def scene_of(folder: Path, time: float | None = None, field: str = "displacement", scale: float = 1.0):
    from flexmb.postproc.scene import Look, Scene

    opened = open_folder(folder)
    k = nearest_state(opened.result, time)
    return Scene(opened, Look(field, scale, np.array([k]))), k


def pixels(scene, k: int, points: np.ndarray) -> np.ndarray:
    """Return where vtk itself puts points of space on a picture of ``SIZE``: columns and rows, (n, 2)."""
    from flexmb.postproc.stage import Stage, draw

    plotter = draw(Stage([scene]), float(scene.times[k]), SIZE)
    plotter.render()
    out = []
    renderer = plotter.renderers[0]
    for point in points:
        renderer.SetWorldPoint(*point, 1.0)
        renderer.WorldToDisplay()
        x, y, _ = renderer.GetDisplayPoint()
        out.append((x, SIZE[1] - y))
    plotter.close()
    return np.array(out)


def colours_at(image: np.ndarray, places: np.ndarray) -> np.ndarray:
    columns, rows = np.floor(places).astype(int).T
    return image[rows, columns].astype(float)


def chroma(colours: np.ndarray) -> np.ndarray:
    return colours.max(axis=1) - colours.min(axis=1)


def place_on_map(colours: np.ndarray) -> np.ndarray:
    """Return where on viridis colours lie, 0 to 1, by their direction alone: light and shade do not matter."""
    import matplotlib

    table = matplotlib.colormaps["viridis"](np.linspace(0, 1, 256))[:, :3]
    unit = colours / np.linalg.norm(colours, axis=1, keepdims=True)
    return np.argmax(unit @ (table / np.linalg.norm(table, axis=1, keepdims=True)).T, axis=1) / 255


def on_the_axis(*x: float) -> np.ndarray:
    return np.array([[value, 0.0, 0.0] for value in x])
