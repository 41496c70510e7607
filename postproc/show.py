"""``result.show()``: an existing result, in a notebook or in a window."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmb.errors import InputError
from flexmb.postproc.instant import nearest_state
from flexmb.postproc.open_folder import Opened, opened
from flexmb.postproc.screen import has_screen, prepare_off_screen
from flexmb.postproc.view import check_look, picture
from flexmb.record.result import Result

if TYPE_CHECKING:
    from flexmb.postproc.scene import Scene

SIZE = (1280, 720)
BACKENDS = ("html", "static", "window")
NO_SCREEN = "there is no display for a window, so a picture was rendered off-screen"


def show(
    result: Result,
    time: float | None = None,
    field: str = "displacement",
    scale: float = 1.0,
    backend: str | None = None,
) -> Any:
    """Show a result, initially at a given time.

    Parameters
    ----------
    result : Result
    time : float, optional
        s; by default the middle of the contact with the largest impulse.
    field : str
        As in ``view``.
    scale : float
        Factor on displacements.
    backend : str, optional
        ``html``: an interactive page with time and fields to choose, which needs no server and remains interactive in a
        saved notebook. ``static``: a picture. ``window``: a window with a time slider. By default a page in a
        notebook and a window elsewhere; where that cannot be, a picture and a warning that says why.

    Returns
    -------
    Turnable, PIL.Image.Image or None
        The page or the picture, which appears below the cell of a notebook; nothing when a window was open.
    """
    check_look(field, scale, SIZE)
    if backend not in (None, *BACKENDS):
        raise InputError(f"must be one of {', '.join(BACKENDS)}", key="backend", value=backend)
    shown = opened(result)
    k = nearest_state(shown.result, time)
    backend = backend or ("html" if in_notebook() else "window")
    if backend == "window":
        return _window(shown, k, field, scale)
    scene = _scene(shown, field, scale, np.array([k]))
    image = _picture(scene, k)
    return image if backend == "static" else _page(scene, k, image)


def _scene(shown: Opened, field: str, scale: float, states: Any) -> Scene:
    prepare_off_screen()

    from flexmb.postproc.scene import Look, Scene

    return Scene(shown, Look(field, scale, states))


def _picture(scene: Scene, k: int) -> Any:
    from PIL import Image

    return Image.fromarray(picture(scene, k, SIZE))


def _page(scene: Scene, k: int, image: Any) -> Any:
    """Return an interactive page, or the picture if that is not possible."""
    from flexmb.postproc.interactive_page import MotionPage, Turnable

    field = scene.look.field
    if "." in field:
        _warn(f"pages color by magnitudes, so '{field}' is a picture; field='{field.partition('.')[0]}' can be turned")
        return image
    try:
        return Turnable(MotionPage(scene, float(scene.times[k])).html(), image)
    except InputError as err:
        _warn(f"there is no interactive page, but a picture: {err}")
        return image


def _window(shown: Opened, k: int, field: str, scale: float) -> Any:
    """Open a window; without a screen write a picture instead, and return it."""
    if not has_screen():
        image = _picture(_scene(shown, field, scale, np.array([k])), k)
        name = "result" if shown.result.folder is None else shown.result.folder.resolve().name
        path = Path(f"{name}_view.png")
        try:
            image.save(path)
        except OSError as err:
            _warn(f"{NO_SCREEN}; '{path}' cannot be written ({err.strerror or err})")
        else:
            _warn(f"{NO_SCREEN}: '{path}'")
        return image
    scene = _scene(shown, field, scale, np.arange(len(shown.result.fields)))
    from flexmb.postproc.stage import Stage
    from flexmb.postproc.window import open_window

    open_window(Stage([scene]), float(scene.times[k]), SIZE)
    return None


def _warn(words: str) -> None:
    warnings.warn(words, stacklevel=5)


def in_notebook() -> bool:
    """Return whether the code runs in the kernel of a notebook."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and "IPKernelApp" in getattr(shell, "config", {})
