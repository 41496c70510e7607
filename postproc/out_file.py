"""Output files of pictures, movies, figures and pages, with clear errors if they cannot be written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from flexmb.errors import InputError
from flexmb.record.io.whole_file import whole_file


def require_place(path: Path, what: str) -> Path:
    """Return the path of a file; InputError if it is a folder, or its folder does not exist."""
    if path.is_dir():
        raise InputError(f"the {what} '{path}' is a folder")
    if not path.parent.is_dir():
        raise InputError(f"the {what} '{path}' cannot be written: there is no folder '{path.parent}'")
    return path


@contextmanager
def writing(path: Path, what: str, done: str = "written") -> Iterator[Path]:
    """Yield a name to write to, see ``whole_file``; system errors become an InputError."""
    try:
        with whole_file(path) as fresh:
            yield fresh
    except OSError as err:
        raise InputError(f"the {what} '{path}' cannot be {done}: {err.strerror or err}") from err
