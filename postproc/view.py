"""``flexmb view``: a window with a time slider, or a picture rendered off-screen."""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmb.checks.extras import require
from flexmb.errors import InputError
from flexmb.postproc.instant import nearest, nearest_state
from flexmb.postproc.open_folder import open_folder
from flexmb.postproc.out_file import require_place, writing
from flexmb.postproc.screen import has_screen, prepare_off_screen

if TYPE_CHECKING:
    from flexmb.postproc.scene import Scene
    from flexmb.postproc.stage import Stage

SUFFIXES = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp")
MOVIES = (".mp4", ".gif")
SMALLEST, LARGEST = (640, 360), (7680, 4320)
"""Smallest size with readable text and largest size that can be rendered, pixels."""
MOST_FOLDERS, MOST_FPS, MOST_FPS_GIF = 6, 240.0, 50.0
SCALES = 1e-6, 1e9
"""Limits of the magnification of displacements, beyond which nothing is visible or numbers overflow."""
NO_SCREEN = (
    "there is no display for a window, so a picture was rendered off-screen; --movie F.mp4 makes a movie, --web a "
    "page for a browser"
)


@dataclass(frozen=True)
class Shown:
    """The result of ``view``.

    Parameters
    ----------
    time : float
        The time of the state that was shown (first), s.
    notes : tuple of str
        Problems of the result, and deviations of the picture from it.
    picture, movie : Path or None
        Files written.
    frames : int
        Number of pictures of a movie.
    """

    time: float
    notes: tuple[str, ...]
    picture: Path | None = None
    movie: Path | None = None
    frames: int = 0


def view(
    folder: str | Path | Sequence[str | Path],
    screenshot: str | Path | None = None,
    time: float | None = None,
    scale: float | None = None,
    field: str | None = None,
    size: tuple[int, int] = (1600, 900),
    off_screen: bool | None = None,
    *,
    movie: str | Path | None = None,
    fps: float = 30.0,
    speed: float | None = None,
    progress: Callable[[int, int], None] | None = None,
    ends: tuple[float, float] | None = None,
) -> Shown:
    """Show a result folder, or several side by side.

    Parameters
    ----------
    folder : path or sequence of paths
        Result folders; of an unfinished or failed run the available part is shown, and the picture says so.
    screenshot : path, optional
        Write a picture (png, jpg, tif, bmp) and open no window.
    time : float, optional
        The time to show, s; the nearest kept state is taken. By default the middle of the contact with the largest
        impulse, or the end of a run without contact.
    scale : float, optional
        Factor on displacements, 1 by default.
    field : str, optional
        ``displacement``, ``velocity``, ``bending_moment`` (their magnitude, or a component such as ``velocity.x``),
        ``axial_force`` or ``energy_density``; by default the axial force where all lines are bars, else displacement.
    size : tuple of int
        Width and height, pixels.
    off_screen : bool, optional
        Draw without a window; by default when there is no screen. Without a picture or movie asked for, a picture
        ``FOLDER_view.png`` is written to the current folder.
    movie : path, optional
        Write a movie (mp4, gif) of the whole run and open no window.
    fps : float
        Frames per second of the movie.
    speed : float, optional
        Seconds of the result per second of the viewer; by default the run takes ten seconds.
    progress : function, optional
        Called with the pictures of a movie done, and all of them.
    ends : tuple of float, optional
        Values at the ends of the colours, in the unit of the field, for pictures that are to be compared.

    Returns
    -------
    Shown
        The time shown and notes on what the picture shows. Colours span the values of the shown state in a
        picture, those of the whole run in a window or movie.
    """
    folders = [folder] if isinstance(folder, str | Path) else list(folder)
    picture_path = None if screenshot is None else usable(Path(screenshot), SUFFIXES, "picture")
    movie_path = None if movie is None else usable(Path(movie), MOVIES, "movie")
    check_look(field, scale := 1.0 if scale is None else float(scale), size)
    _check_pace(fps, speed, movie_path)
    notes: tuple[str, ...] = ()
    if picture_path is None and movie_path is None and (not has_screen() if off_screen is None else off_screen):
        picture_path = Path(f"{Path(folders[0]).resolve().name}_view.png")
        notes = (NO_SCREEN,) if off_screen is None else ()
    prepare_off_screen()
    whole = movie_path is not None or picture_path is None
    stage, t = staged(folders, time, scale, field, whole=whole, ends=ends)
    if picture_path is None and movie_path is None:
        from flexmb.postproc.window import open_window

        open_window(stage, t, size, speed)
    if picture_path is not None:
        _write(picture(stage.scenes, stage.scenes[0].nearest(t), size), picture_path)
    frames = 0 if movie_path is None else _movie(stage, movie_path, fps, speed, size, progress)
    return Shown(t, (*notes, *stage.notes), picture_path, movie_path, frames)


def _movie(
    stage: Stage,
    path: Path,
    fps: float,
    speed: float | None,
    size: tuple[int, int],
    progress: Callable[[int, int], None] | None,
) -> int:
    """Write a movie and return the number of its frames."""
    from flexmb.postproc.movie import Pace, write_movie

    return write_movie(stage, path, Pace(fps, speed), size, progress)


def serve(
    folders: Sequence[str | Path],
    time: float | None,
    scale: float | None,
    field: str | None,
    size: tuple[int, int],
    speed: float | None,
    host: str,
    port: int,
    ready: Callable[[str, tuple[str, ...]], None],
    ends: tuple[float, float] | None = None,
) -> None:
    """Serve the viewer of result folders as a web page, until interrupted.

    Parameters
    ----------
    folders, time, scale, field, size, speed, ends
        As in ``view``.
    host, port
        Where to listen; port 0 is any that is free.
    ready : function
        Called with the address and the notes when the page is there.
    """
    from flexmb.postproc.web_address import check_port, reach, require_port

    check_port(port)
    scale = 1.0 if scale is None else float(scale)
    check_look(field, scale, size)
    _check_pace(30.0, speed)
    require("web", "--web")
    from flexmb.postproc import web

    require_port(host, port)
    prepare_off_screen()
    stage, t = staged(folders, time, scale, field, whole=True, ends=ends)
    notes = (*stage.notes, *reach(host))
    web.serve(stage, t, size, speed, (host, port), lambda address: ready(address, notes))


def staged(
    folders: Sequence[str | Path],
    time: float | None,
    scale: float,
    field: str | None,
    *,
    whole: bool,
    ends: tuple[float, float] | None = None,
) -> tuple[Stage, float]:
    """Return the scenes of result folders, and the time of the kept state of the first to be shown, s.

    Parameters
    ----------
    folders : sequence of paths
    time : float or None
        The time asked for, s.
    scale, field, ends
        As in ``Look``.
    whole : bool
        Whether the whole run will be shown, not only this time.
    """
    from flexmb.postproc.fields import usual_field
    from flexmb.postproc.scene import Look, Scene
    from flexmb.postproc.stage import Stage

    if ends is not None and not (math.isfinite(ends[0]) and math.isfinite(ends[1]) and ends[0] < ends[1]):
        raise InputError("must be two numbers, the first the smaller", key="range", value=f"{ends[0]:g} {ends[1]:g}")
    if not 1 <= len(folders) <= MOST_FOLDERS:
        raise InputError(f"must be 1 to {MOST_FOLDERS} folders", key="folders", value=len(folders))
    opened = [open_folder(path) for path in folders]
    field = field or usual_field(one.result.layout for one in opened)
    first = opened[0].result
    t = float(first.fields.times[nearest_state(first, time)])
    scenes = []
    for one in opened:
        times = one.result.fields.times
        states = np.arange(len(times)) if whole else np.array([nearest(times, t)])
        scenes.append(Scene(one, Look(field, scale, states, ends)))
    return Stage(scenes), float(scenes[0].times[scenes[0].nearest(t)])


def picture(scene: Scene | Sequence[Scene], k: int, size: tuple[int, int]) -> np.ndarray:
    """Return the picture of state ``k`` (of the first scene), (height, width, 3) bytes, drawn off-screen.

    It is rendered at twice the size and then reduced for smooth edges, also of transparent objects.
    """
    from flexmb.postproc.scene import Scene
    from flexmb.postproc.stage import Stage, draw

    stage = Stage([scene] if isinstance(scene, Scene) else scene)
    finer = fineness(size)
    plotter = draw(stage, float(stage.scenes[0].times[k]), (finer * size[0], finer * size[1]))
    try:
        return reduced(plotter, finer)
    finally:
        plotter.close()


def fineness(size: tuple[int, int]) -> int:
    """Return the factor by which a picture is rendered larger."""
    return 2 if size[0] * size[1] <= LARGEST[0] * LARGEST[1] // 4 else 1


def reduced(plotter: Any, finer: int) -> np.ndarray:
    """Return the content of a plotter, reduced to its final size."""
    from PIL import Image

    plotter.render()  # a second screenshot would return the first picture
    image = np.asarray(plotter.screenshot(return_img=True))
    return np.asarray(Image.fromarray(image).reduce(finer)) if finer > 1 else image


def usable(path: Path, suffixes: Sequence[str], what: str) -> Path:
    """Return the path of a picture or movie; raise if it cannot be written."""
    if path.suffix.lower() not in suffixes:
        ending = path.suffix or "no ending"
        raise InputError(f"a {what} cannot be written as '{path}' ({ending}); allowed: {', '.join(suffixes)}")
    return require_place(path, what)


def check_look(field: str | None, scale: float, size: tuple[int, int]) -> None:
    """Raise InputError if the field, the scale or the size of a picture is not possible."""
    from flexmb.postproc.fields import FIELDS

    if field is not None and field not in FIELDS:
        near = difflib.get_close_matches(field, FIELDS, n=1, cutoff=0.4)
        hint = f"did you mean '{near[0]}'? " if near else ""
        raise InputError(f"{hint}allowed: {', '.join(FIELDS)}", key="field", value=field)
    check_scale(scale)
    if not all(low <= n <= high for low, n, high in zip(SMALLEST, size, LARGEST, strict=True)):
        limits = f"{SMALLEST[0]}x{SMALLEST[1]} to {LARGEST[0]}x{LARGEST[1]} pixels"
        raise InputError(f"must be {limits}", key="size", value=f"{size[0]}x{size[1]}")


def check_scale(scale: object) -> float:
    """Return a factor on displacements as a number; raise InputError if it cannot be used."""
    try:
        factor = float(str(scale))
    except ValueError:
        factor = np.nan
    if not SCALES[0] <= factor <= SCALES[1]:
        raise InputError(f"must be a number from {SCALES[0]:g} to {SCALES[1]:g}", key="scale", value=scale)
    return factor


def _check_pace(fps: float, speed: float | None, movie: Path | None = None) -> None:
    if speed is not None and not 0.0 < speed < np.inf:
        raise InputError("must be a positive number", key="speed", value=speed)
    if not 1.0 <= fps <= MOST_FPS:
        raise InputError(f"must be 1 to {MOST_FPS:g} frames per second", key="fps", value=fps)
    if movie is not None and movie.suffix.lower() == ".gif" and fps > MOST_FPS_GIF:
        why = "browsers show frames shorter than 0.02 s more slowly; an mp4 may have more"
        raise InputError(f"a gif must have 1 to {MOST_FPS_GIF:g} frames per second: {why}", key="fps", value=fps)


def _write(image: np.ndarray, path: Path) -> None:
    from PIL import Image

    with writing(path, "picture") as fresh:
        Image.fromarray(image).save(fresh)
