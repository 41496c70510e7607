"""Lock of a folder, so that only one process writes to it at a time: runs, saved results, exports and studies.

The lock is one of the operating system on a file in the folder. It is released with its process, however that ends; the
file is removed with the lock, and one left by a killed process is reused.
"""

from __future__ import annotations

import errno
import os
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from flexmb.errors import FolderWarning, InputError
from flexmb.record.io.disk_space import reason
from flexmb.record.run_warnings import warn_notes

LOCK = ".lock.part"
"""Name of the lock file; it has the extension of all files of an unfinished run."""
_NO_LOCKS = (errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOLCK, errno.EINVAL)
"""Error numbers of file systems without locks."""


class FolderLock:
    """Lock of a folder, held from construction until ``release``.

    Parameters
    ----------
    folder : Path
        Must exist.
    name : str
        Name of the file.
    wait : bool
        Whether to wait for a process that holds the lock; otherwise raise InputError.
    what : str
        Description of the activity of the other process, for the error.

    Raises
    ------
    InputError
        If another process holds the lock, or the file cannot be created.
    """

    def __init__(self, folder: Path, name: str = LOCK, *, wait: bool = False, what: str = "writes to") -> None:
        path = folder / name
        try:
            handle = _locked(path, wait)
        except BlockingIOError as err:
            message = f"another process {what} '{folder}' now; wait until it has ended, or choose another folder"
            raise InputError(message) from err
        except OSError as err:
            raise InputError(f"the folder '{folder}' cannot be written to: {reason(err)}") from err
        self._end = weakref.finalize(self, _release, handle, path, os.getpid())

    def release(self) -> None:
        """Release the lock; a second call has no effect."""
        self._end()


@contextmanager
def sole_writer(folder: Path, name: str = LOCK, *, wait: bool = False, what: str = "writes to") -> Iterator[None]:
    """Hold the lock of a folder during a block; see ``FolderLock``."""
    lock = FolderLock(folder, name, wait=wait, what=what)
    try:
        yield
    finally:
        lock.release()


def make_folder(folder: Path) -> list[Path]:
    """Create a folder and its parents; return the created ones, innermost first."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    return missing


def remove_made(made: list[Path]) -> None:
    """Remove folders created by ``make_folder`` if they are empty."""
    with suppress(OSError):
        for path in made:
            path.rmdir()


def _locked(path: Path, wait: bool) -> IO[bytes]:
    """Return the lock file, open and locked."""
    while True:
        handle = path.open("ab")
        try:
            _lock(handle, wait)
            if _is_at(handle, path):
                return handle
        except OSError as err:
            if err.errno in _NO_LOCKS:
                words = (
                    f"the disk of '{path.parent}' has no locks: a second process that writes there cannot be detected"
                )
                warn_notes([words], kind=FolderWarning)
                return handle
            handle.close()
            raise
        handle.close()  # the previous owner removed the file before the lock was acquired: try again with a new one


def _is_at(handle: IO[bytes], path: Path) -> bool:
    """Return whether an open file is still the one with that name."""
    try:
        return os.path.samestat(os.fstat(handle.fileno()), path.stat())
    except FileNotFoundError:
        return False


def _release(handle: IO[bytes], path: Path, owner: int) -> None:
    if os.getpid() != owner:
        return  # a fork of the process does not own the lock
    if os.name != "nt" and _is_at(handle, path):
        with suppress(OSError):  # removed while locked, so that no later process can have locked this file
            path.unlink()
    handle.close()
    if os.name == "nt":
        with suppress(OSError):  # Windows does not remove open files
            path.unlink()


if os.name == "nt":
    import msvcrt
    import time

    def _lock(handle: IO[bytes], wait: bool) -> None:
        while True:
            try:
                handle.seek(0)
                msvcrt.locking(handle.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
                return
            except OSError as err:
                if not wait:
                    raise BlockingIOError(err.errno, err.strerror) from err
                time.sleep(0.1)

else:
    import fcntl

    def _lock(handle: IO[bytes], wait: bool) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
