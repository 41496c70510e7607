"""Movies of results, drawn without a screen: mp4 (H.264) and gif, written by the ffmpeg that imageio-ffmpeg brings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from flexmb.errors import InputError
from flexmb.postproc.arrays import Array
from flexmb.postproc.player import default_speed
from flexmb.postproc.stage import Stage, draw
from flexmb.postproc.view import fineness, reduced

MP4 = ["-preset", "veryfast", "-crf", "20", "-movflags", "+faststart"]
GIF = ["-filter_complex", "split[a][b];[a]palettegen=stats_mode=single[p];[b][p]paletteuse=new=1:dither=none"]
MOST_FRAMES = 100_000


@dataclass(frozen=True)
class Pace:
    """How time passes in a movie.

    Parameters
    ----------
    fps : float
        Pictures a second.
    speed : float or None
        Seconds of the result per second of the movie; None: the movie lasts ten seconds.
    """

    fps: float = 30.0
    speed: float | None = None

    def times(self, known: Array) -> Array:
        """Return the time of every picture, s, from the first to the last of the known times."""
        speed = default_speed(known) if self.speed is None else self.speed
        length = float(known[-1] - known[0])
        count = int(np.floor(length / speed * self.fps * (1.0 + 1e-12))) + 1
        if count > MOST_FRAMES:
            least = length * self.fps / MOST_FRAMES
            message = f"makes {count} pictures, more than {MOST_FRAMES}; from {least:.3g} on there are fewer"
            raise InputError(message, key="speed", value=speed)
        return np.asarray(known[0] + np.arange(count) * speed / self.fps)


def write_movie(
    stage: Stage,
    path: Path,
    pace: Pace,
    size: tuple[int, int],
    progress: Callable[[int, int], None] | None = None,
) -> int:
    """Write a movie and return its number of pictures.

    Parameters
    ----------
    stage : Stage
    path : Path
        Ends in .mp4 or .gif; it appears when it is complete.
    pace : Pace
    size : tuple of int
        Even width and height, pixels.
    progress : function, optional
        Called with the pictures done and all of them.
    """
    import imageio_ffmpeg

    if path.suffix.lower() == ".mp4" and (size[0] % 2 or size[1] % 2):
        raise InputError("must be even numbers for an mp4", key="size", value=f"{size[0]}x{size[1]}")
    times = pace.times(stage.times)
    part = path.with_name(f"{path.stem}.part{path.suffix}")
    how: dict[str, Any] = {"codec": "gif", "pix_fmt_out": "pal8", "output_params": GIF}
    if path.suffix.lower() == ".mp4":
        how = {"codec": "libx264", "output_params": MP4}
    writer = imageio_ffmpeg.write_frames(str(part), size, fps=pace.fps, macro_block_size=1, **how)
    try:
        part.open("wb").close()  # to hear why, which ffmpeg does not say in one line
        writer.send(None)
        for number, image in enumerate(pictures(stage, times, size)):
            writer.send(np.ascontiguousarray(image))
            if progress is not None:
                progress(number + 1, len(times))
        writer.close()
        part.replace(path)
    except OSError as err:
        raise InputError(f"the movie '{path}' cannot be written: {err.strerror or str(err).splitlines()[0]}") from err
    finally:
        writer.close()
        if part.is_file():
            part.unlink()
    return len(times)


def pictures(stage: Stage, times: Array, size: tuple[int, int]) -> Iterator[Any]:
    """Give the picture of every time; one that shows the states of the picture before is not drawn again."""
    finer = fineness(size)
    plotter = draw(stage, float(times[0]), (finer * size[0], finer * size[1]))
    shown, image = None, None
    try:
        for t in times.tolist():
            if stage.states(t) != shown:
                stage.show(t)
                shown, image = stage.states(t), reduced(plotter, finer)
            yield image
    finally:
        plotter.close()
