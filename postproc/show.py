"""``result.show()``: a result at hand, in a notebook or in a window."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from flexmb.errors import InputError
from flexmb.postproc.moment import nearest_state
from flexmb.postproc.open_folder import opened
from flexmb.postproc.screen import has_screen, prepare_off_screen
from flexmb.postproc.view import check_look, picture
from flexmb.result import Result

SIZE = (1280, 720)


def show(result: Result, time: float | None = None, field: str = "displacement", scale: float = 1.0) -> Any:
    """Show a state of a result.

    In a notebook the picture is returned, and so appears below the cell; it needs no screen. Elsewhere a window with a
    time slider opens, and nothing is returned.

    Parameters
    ----------
    result : Result
    time : float, optional
        s; by default the middle of the contact with the largest impulse.
    field : str
        As in ``view``.
    scale : float
        Factor on displacements.
    """
    check_look(field, scale, SIZE)
    k = nearest_state(result, time)
    inline = in_notebook()
    if not inline and not has_screen():
        raise InputError("there is no screen to open a window on; save the result and use flexmb view --screenshot")
    prepare_off_screen()

    from flexmb.postproc.scene import Look, Scene
    from flexmb.postproc.stage import Stage

    states = np.array([k]) if inline else np.arange(len(result.fields))
    scene = Scene(opened(result), Look(field, scale, states))
    if inline:
        from PIL import Image

        return Image.fromarray(picture(scene, k, SIZE))
    from flexmb.postproc.window import open_window

    open_window(Stage([scene]), float(scene.times[k]), SIZE)
    return None


def in_notebook() -> bool:
    """Tell whether the code runs in the kernel of a notebook."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and "IPKernelApp" in getattr(shell, "config", {})
