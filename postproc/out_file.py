"""Files that pictures, movies, figures and pages are written to: in words why one cannot be."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from flexmb.errors import InputError
from flexmb.record.io.whole_file import whole_file


def require_place(path: Path, what: str) -> Path:
    """Return the path of a file; InputError when it is a folder, or has none to be in."""
    if path.is_dir():
        raise InputError(f"the {what} '{path}' is a folder")
    if not path.parent.is_dir():
        raise InputError(f"the {what} '{path}' cannot be written: there is no folder '{path.parent}'")
    return path


@contextmanager
def writing(path: Path, what: str, done: str = "written") -> Iterator[Path]:
    """Give a name to write to, see ``whole_file``; what the system says of a file that cannot be is an InputError."""
    try:
        with whole_file(path) as fresh:
            yield fresh
    except OSError as err:
        raise InputError(f"the {what} '{path}' cannot be {done}: {err.strerror or err}") from err
