"""``flexmb view``: a window with a time slider, or a picture without any screen."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmb.errors import InputError
from flexmb.postproc.moment import nearest_state
from flexmb.postproc.open_folder import open_folder
from flexmb.postproc.screen import has_screen, prepare_off_screen

if TYPE_CHECKING:
    from flexmb.postproc.scene import Scene

SUFFIXES = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp")
FIELDS = tuple(f"{name}{part}" for name in ("displacement", "velocity") for part in ("", ".x", ".y", ".z"))
SMALLEST, LARGEST = (480, 270), (7680, 4320)
"""Sizes of a picture between which its text can be read and a machine can draw it, pixels."""


@dataclass(frozen=True)
class Shown:
    """What was shown.

    Parameters
    ----------
    time : float
        The time of the state that was shown (first), s.
    notes : tuple of str
        What is wrong with the result, or drawn other than it is.
    """

    time: float
    notes: tuple[str, ...]


def view(
    folder: str | Path,
    screenshot: str | Path | None = None,
    time: float | None = None,
    scale: float | None = None,
    field: str = "displacement",
    size: tuple[int, int] = (1600, 900),
    off_screen: bool | None = None,
) -> Shown:
    """Look at a result folder.

    Parameters
    ----------
    folder : path
        A result folder; of an unfinished or failed run what is there is shown, and the picture says so.
    screenshot : path, optional
        Write a picture (png, jpg, tif, bmp) and open no window.
    time : float, optional
        The time to show, s; the nearest kept state is taken. By default the middle of the contact with the largest
        impulse, or the end of a run without contact.
    scale : float, optional
        Factor on displacements, 1 by default.
    field : str
        ``displacement`` or ``velocity`` (their magnitude), or a component such as ``velocity.x``.
    size : tuple of int
        Width and height, pixels.
    off_screen : bool, optional
        Draw without a window; by default when a picture is asked for.

    Returns
    -------
    Shown
        The time shown and notes on what the picture shows. Colours span the values of the shown state in a
        picture, those of the whole run in a window.
    """
    path = None if screenshot is None else _usable(Path(screenshot))
    scale = 1.0 if scale is None else float(scale)
    check_look(field, scale, size)
    opened = open_folder(folder)
    k = nearest_state(opened.result, time)
    hidden = path is not None if off_screen is None else off_screen
    if path is None and (hidden or not has_screen()):
        raise InputError("there is no screen to open a window on; --screenshot F.png writes a picture instead")
    prepare_off_screen()

    from flexmb.postproc.scene import Look, Scene

    states = np.array([k]) if path is not None else np.arange(len(opened.result.fields))
    scene = Scene(opened, Look(field, scale, states))
    if path is not None:
        _write(picture(scene, k, size), path)
    else:
        from flexmb.postproc.window import open_window

        open_window(scene, k, size)
    return Shown(float(scene.times[k]), scene.notes)


def picture(scene: Scene, k: int, size: tuple[int, int]) -> np.ndarray:
    """Return the picture of state ``k``, (height, width, 3) bytes, drawn off-screen.

    It is drawn twice as large and then reduced: smooth edges, also of what can be seen through.
    """
    import pyvista as pv
    from PIL import Image

    finer = 2 if size[0] * size[1] <= LARGEST[0] * LARGEST[1] // 4 else 1
    plotter: Any = pv.Plotter(off_screen=True, window_size=[finer * n for n in size], lighting="light kit")
    try:
        plotter.render_window.SetMultiSamples(0)
        scene.add_to(plotter, k)
        image = np.asarray(plotter.screenshot(return_img=True))
    finally:
        plotter.close()
    return np.asarray(Image.fromarray(image).reduce(finer)) if finer > 1 else image


def _usable(path: Path) -> Path:
    if path.suffix.lower() not in SUFFIXES:
        ending = path.suffix or "no ending"
        raise InputError(f"a picture cannot be written as '{path}' ({ending}); allowed: {', '.join(SUFFIXES)}")
    if path.is_dir():
        raise InputError(f"the picture '{path}' is a folder")
    if not path.parent.is_dir():
        raise InputError(f"the picture '{path}' cannot be written: there is no folder '{path.parent}'")
    return path


def check_look(field: str, scale: float, size: tuple[int, int]) -> None:
    """Raise InputError when the field, the scale or the size of a picture cannot be."""
    if field not in FIELDS:
        near = difflib.get_close_matches(field, FIELDS, n=1, cutoff=0.4)
        hint = f"did you mean '{near[0]}'? " if near else ""
        raise InputError(f"{hint}allowed: {', '.join(FIELDS)}", key="field", value=field)
    if not 0.0 < scale < np.inf:
        raise InputError("must be a positive number", key="scale", value=scale)
    if not all(low <= n <= high for low, n, high in zip(SMALLEST, size, LARGEST, strict=True)):
        limits = f"{SMALLEST[0]}x{SMALLEST[1]} to {LARGEST[0]}x{LARGEST[1]} pixels"
        raise InputError(f"must be {limits}", key="size", value=f"{size[0]}x{size[1]}")


def _write(image: np.ndarray, path: Path) -> None:
    from PIL import Image

    try:
        Image.fromarray(image).save(path)
    except OSError as err:
        raise InputError(f"the picture '{path}' cannot be written: {err.strerror or err}") from err
