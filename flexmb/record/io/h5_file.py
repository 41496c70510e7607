"""HDF5 files, opened so that neither a full disk nor a lock causes a crash.

HDF5 does not survive a failed write: it keeps the unwritten data, tries again when the file is closed and when the
process ends, and crashes. Therefore ``new_h5`` makes it write through a Python file object that stores the first error,
discards all further output, and raises the error after HDF5 has closed the file.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import h5py

BROKEN = (OSError, RuntimeError, KeyError, ValueError, TypeError, UnicodeDecodeError)
"""Exceptions that h5py raises for a damaged file."""


class NewFile(h5py.File):  # type: ignore[misc]
    """An HDF5 file that is being written."""

    def __init__(self, out: _Steady) -> None:
        self._out = out
        super().__init__(out, "w", libver="earliest")

    def check(self) -> None:
        """Raise the first write error, if any, to stop the run."""
        if self._out.error is not None:
            raise self._out.error


@contextmanager
def new_h5(path: Path) -> Iterator[NewFile]:
    """Create an HDF5 file; it is complete when the block has ended, and removed after a write error.

    Raises
    ------
    OSError
        With the name of the file, if the disk is full or a limit is reached.
    """
    out = _Steady(path)
    try:
        file = NewFile(out)
        try:
            yield file
        finally:
            file.close()
        file.check()
    except BaseException as err:
        out.close()
        path.unlink(missing_ok=True)
        if out.error is not None and err is not out.error:  # messages of HDF5 for an incomplete file
            raise out.error from err
        raise
    out.close()


def open_h5(path: Path) -> h5py.File:
    """Open a file for reading, as h5py does by default: HDF5 refuses a file opened twice with different locking.

    If that fails (no locks on this disk, or the file is open without a lock), no lock is needed: finished files are
    never written again.
    """
    try:
        return h5py.File(path, "r")
    except OSError:
        return h5py.File(path, "r", locking=False)


def write_at(handle: Any, path: Path, place: int, data: memoryview) -> None:
    """Write bytes at an offset of an open, unbuffered file; an error names the file.

    Parameters
    ----------
    handle : io.FileIO
    path : Path
        Its name.
    place : int
    data : memoryview
        Of bytes.
    """
    try:
        handle.seek(place)
        while data:
            data = data[handle.write(data) :]
    except OSError as err:
        raise OSError(err.errno, err.strerror, str(path)) from err


class _Steady:
    """A file object for HDF5 whose writes never fail; ``error`` is the first error."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.error: BaseException | None = None
        self._raw = path.open("w+b", buffering=0)

    def close(self) -> None:
        self._raw.close()

    def seek(self, place: int, whence: int = os.SEEK_SET) -> int:
        return self._raw.seek(place, whence)

    def tell(self) -> int:
        return self._raw.tell()

    def read(self, size: int = -1) -> bytes:
        return self._raw.read(size)

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer).cast("B")
        got = self._raw.readinto(view)
        view[got:] = bytes(len(view) - got)  # after an error the file has no further data
        return len(view)

    def write(self, data: Any) -> int:
        view = memoryview(data).cast("B")
        size = len(view)
        if self.error is None:
            try:
                write_at(self._raw, self.path, self._raw.tell(), view)
            except BaseException as err:  # an interrupt is also raised after HDF5 has finished
                self.error = err
        return size

    def truncate(self, size: int) -> int:
        if self.error is None:
            try:
                self._raw.truncate(size)
            except BaseException as err:
                named = OSError(err.errno, err.strerror, str(self.path)) if isinstance(err, OSError) else err
                self.error = named
        return size

    def flush(self) -> None:
        pass
