"""Pictures of results for tests: a small bar, a scene of it, and where vtk puts points of space."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from missing import missing

import flexmb as fm
from flexmb.errors import InputError
from flexmb.postproc.instant import nearest_state
from flexmb.postproc.open_folder import open_folder
from flexmb.postproc.screen import prepare_off_screen

SIZE = (800, 450)


def require_drawing() -> None:
    """Skip where nothing can be drawn for want of EGL and OSMesa; in CI that is an error."""
    try:
        prepare_off_screen()
    except InputError as err:
        missing(str(err))


def run_bar(folder: Path, overrides: list[str] | None = None) -> Path:
    """Run a coarse impacting bar into a folder."""
    coarse = ["bodies.rod.elements=60", "time.step=5e-3", "output.fields_every=2"]
    case = fm.load_case("impacting_bar", [*coarse, *(overrides or [])])
    case.run(folder)
    return folder


def scene_of(
    folder: Path, time: float | None = None, field: str = "displacement", scale: float = 1.0, whole: bool = False
):
    """Return a scene made for the state nearest to a time, or for the whole run, and the number of that state."""
    from flexmb.postproc.scene import Look, Scene

    opened = open_folder(folder)
    k = nearest_state(opened.result, time)
    return Scene(opened, Look(field, scale, np.arange(len(opened.result.fields)) if whole else np.array([k]))), k


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


def shot(plotter) -> np.ndarray:
    """Return what a plotter shows."""
    plotter.render()
    return np.asarray(plotter.screenshot(return_img=True))


def coloured_columns(plotter) -> np.ndarray:
    """Return the columns of the scene that hold a colour of the bar."""
    image = plotter.screenshot(return_img=True).astype(float)[60 : SIZE[1] // 2, : int(0.85 * SIZE[0])]
    return np.flatnonzero(np.any(np.ptp(image, axis=2) > 60, axis=0))


CHARACTERS = {
    "space": " ",
    "plus": "+",
    "equal": "=",
    "minus": "-",
    "bracketright": "]",
    "bracketleft": "[",
    "question": "?",
}


def press(plotter, key: str) -> None:
    """Press a key as the X server reports it: pressed, a character typed, released."""
    character = CHARACTERS.get(key, key if len(key) == 1 else "\0")
    plotter.iren.interactor.SetKeyEventInformation(0, 0, character, 1, key)
    for event in ("KeyPressEvent", "CharEvent", "KeyReleaseEvent"):
        plotter.iren.interactor.InvokeEvent(event)
