"""Movies of results, rendered off-screen: mp4 (H.264) and gif, written by the ffmpeg of imageio-ffmpeg."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from flexmb.errors import InputError
from flexmb.postproc.arrays import Array
from flexmb.postproc.player import default_speed
from flexmb.postproc.stage import Stage, draw
from flexmb.postproc.view import fineness, reduced
from flexmb.record.io.whole_file import whole_file

MP4 = ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-preset", "veryfast", "-crf", "20", "-movflags", "+faststart"]
PALETTE = "split[a][b];[a]palettegen=stats_mode=single[p];[b][p]paletteuse=new=1:dither=none"
GIF = ["-filter_complex", PALETTE, "-c:v", "gif", "-pix_fmt", "pal8"]
MOST_FRAMES = 100_000


@dataclass(frozen=True)
class Pace:
    """The time scale of a movie.

    Parameters
    ----------
    fps : float
        Frames per second.
    speed : float or None
        Seconds of the result per second of the movie; None: the movie lasts ten seconds.
    """

    fps: float = 30.0
    speed: float | None = None

    def times(self, known: Array) -> Array:
        """Return the time of every frame, s, from the first to the last of the known times."""
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
    """Write a movie and return its number of frames.

    Parameters
    ----------
    stage : Stage
    path : Path
        Ends in .mp4 or .gif; it appears when it is complete.
    pace : Pace
    size : tuple of int
        Even width and height, pixels.
    progress : function, optional
        Called with the number of frames written and their total.
    """
    if path.suffix.lower() == ".mp4" and (size[0] % 2 or size[1] % 2):
        raise InputError("must be even numbers for an mp4", key="size", value=f"{size[0]}x{size[1]}")
    times = pace.times(stage.times)
    drawn = pictures(stage, times, size)
    first = next(drawn)  # errors of the drawing are raised before anything is written
    try:
        with whole_file(path) as fresh:
            fresh.open("wb").close()  # to get the error message in one line
            with _ffmpeg(fresh, size, pace.fps) as add:
                for number, image in enumerate(chain([first], drawn)):
                    add(np.ascontiguousarray(image).data)
                    if progress is not None:
                        progress(number + 1, len(times))
    except OSError as err:
        raise InputError(f"the movie '{path}' cannot be written: {err.strerror or err}") from err
    finally:
        drawn.close()
    return len(times)


@contextmanager
def _ffmpeg(path: Path, size: tuple[int, int], fps: float) -> Iterator[Callable[[memoryview], object]]:
    """Yield the function that adds a frame to a movie; errors of ffmpeg are raised as OSError."""
    from imageio_ffmpeg import get_ffmpeg_exe

    how = MP4 if path.suffix.lower() == ".mp4" else GIF
    pictures_in = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{size[0]}x{size[1]}"]
    rate = ["-r", str(Fraction(fps).limit_denominator())]
    words = [get_ffmpeg_exe(), "-y", "-v", "error", *pictures_in, *rate, "-i", "-", "-an", *how, str(path)]
    with tempfile.TemporaryFile() as said:
        # in a separate session, so that Ctrl-C is received by this process alone
        ffmpeg = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=said, stderr=said, start_new_session=True)
        pipe: Any = ffmpeg.stdin
        try:
            with suppress(BrokenPipeError):  # it has ended with an error message
                yield pipe.write
                pipe.close()
            if ffmpeg.wait() != 0:
                said.seek(0)
                last = said.read().decode(errors="replace").strip().rpartition("\n")[2]
                raise OSError(last.rpartition(": ")[2] or f"ffmpeg ended with {ffmpeg.returncode}")
        finally:
            ffmpeg.kill()
            ffmpeg.wait()
            with suppress(OSError):
                pipe.close()


def pictures(stage: Stage, times: Array, size: tuple[int, int]) -> Generator[Any]:
    """Yield the picture of every time; consecutive frames of the same states are drawn once."""
    finer = fineness(size)
    plotter = draw(stage, float(times[0]), (finer * size[0], finer * size[1]))
    shown, image = None, None
    try:
        for t in times.tolist():
            if stage.states(t) != shown:
                stage.show(t, passing=True)
                shown, image = stage.states(t), reduced(plotter, finer)
            yield image
    finally:
        plotter.close()
