"""Compiled kernels kept in files, so that only the first run on a machine compiles them.

numba's own cache of a function is renewed when *its* file changes, not when a function it calls does; it stops the
program where it finds no folder to write to or a damaged file, and runs machine code without a check that the file is
whole. So kernels have a cache of their own, in the folder that numba chooses: ``NUMBA_CACHE_DIR``, else ``__pycache__``
beside the sources, else the user's. There is one file for every signature. Its first line holds the stamp of all it
was made from and the SHA-256 of the rest; when one of them disagrees, the kernel is compiled and the file replaced.

Where a version of numba lacks what that needs (``numba_inside.py``), kernels are compiled at every start, and a note
says so.
"""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import io
import os
import pickle
import sys
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numba

from flexmb.kernels.compilation.numba_inside import (
    KNOWN,
    as_data,
    cache_folder,
    cache_of,
    can_be_kept,
    entry_callback,
    from_data,
    keep_in,
    machine_code,
    pickled,
)
from flexmb.kernels.compilation.sources import PACKAGES, digest_of, package_of

FORMAT = b"flexmb-kernel-1"
LOOSE_FORM = "-loose"
"""Suffix of the files of loose forms (``jit.py``)."""
AT_EVERY_START = "kernels are compiled at every start, which takes a minute"
CURE = "set the environment variable NUMBA_CACHE_DIR to a folder that can be written"

listeners: list[Callable[[str], None]] = []
"""Functions to call with the name of each kernel that is about to be compiled."""

_said: set[str] = set()
_folders: dict[tuple[str, str], Path | None] = {}


def _say_once(kind: str, words: str) -> None:
    """Print a note on stderr unless one of its kind was printed already."""
    if kind not in _said:
        _said.add(kind)
        print(f"note: {words}", file=sys.stderr, flush=True)


def _folder(function: Callable[..., Any]) -> Path | None:
    """Return the folder that numba chooses for the compiled files of a function; None where there is none."""
    at = os.path.dirname(inspect.getfile(function)), str(numba.config.CACHE_DIR)  # type: ignore[attr-defined]
    if at not in _folders:
        _folders[at] = cache_folder(function)
        if _folders[at] is None:
            _say_once("no place", f"there is no place to keep compiled files in, so {AT_EVERY_START}; {CURE}")
    return _folders[at]


def _made_from(thing: Any, packages: set[str]) -> str | None:
    """Return the digest of the sources of a function or class; None when they cannot be read or are elsewhere."""
    if thing.__qualname__ != thing.__name__:
        return None
    return digest_of(Path(inspect.getfile(thing)), thing.__module__, packages)


def _classes(types: Any) -> Iterator[type]:
    """Yield the classes of the named tuples among types of arguments, and of those inside them."""
    for kind in types if isinstance(types, tuple) else getattr(types, "args", ()):
        if hasattr(kind, "instance_class"):
            yield kind.instance_class
        yield from _classes(tuple(getattr(kind, "types", ())))


class DamagedFileError(Exception):
    """A compiled file does not hold what was written to it."""


class KernelCache:
    """The compiled forms of one function, as numba's dispatchers and callbacks ask for them."""

    def __init__(self, function: Callable[..., Any], packages: set[str] = PACKAGES, form: str = "") -> None:
        self.function, self.packages = function, packages
        self.name = f"{function.__module__.rpartition('.')[2]}.{function.__qualname__}{form}"
        made_from = _made_from(function, packages)
        self.stamp = hashlib.sha256(f"{numba.__version__} {sys.version} {made_from}".encode()).hexdigest().encode()

    @property
    def folder(self) -> Path | None:
        """Where the files are; None where there is no place for them."""
        return _folder(self.function)

    @property
    def cache_path(self) -> str | None:
        """The folder, by numba's name for it."""
        return None if self.folder is None else str(self.folder)

    def files(self) -> Iterator[Path]:
        """Yield the files of this function, of this Python, up to date or not."""
        if self.folder is not None:
            yield from sorted(self.folder.glob(f"{self.name}.{sys.implementation.cache_tag}.*.nbc"))

    def _file(self, folder: Path, sig: Any, codegen: Any) -> tuple[Path, tuple[Any, ...]]:
        """Return the file of a signature, and the key it must hold: names of files may agree by chance, keys not."""
        machine = machine_code(codegen)
        key = (sig, machine, self.function.__code__.co_firstlineno, *self.made_for(sig))
        form = hashlib.sha256(f"{sig} {machine}".encode()).hexdigest()[:16]
        return folder / f"{self.name}.{sys.implementation.cache_tag}.{form}.nbc", key

    def made_for(self, sig: Any) -> tuple[str, ...]:
        """Return the digests of the modules of a signature's named tuples, but for those of the function's own package.

        Their types may choose what is compiled. An empty word stands for a module whose sources are not known.
        """
        own = package_of(self.function.__module__, self.packages)
        others = {cls for cls in _classes(sig) if own is None or package_of(cls.__module__, {own}) != own}
        return tuple(sorted({_made_from(cls, self.packages) or "" for cls in others}))

    def read(self, file: Path) -> tuple[Any, io.BytesIO] | None:
        """Return the key of a file and what follows it; None when it is not there or was made from other sources."""
        try:
            first, _, body = file.read_bytes().partition(b"\n")
        except FileNotFoundError:
            return None
        except OSError as err:
            raise DamagedFileError(err.strerror) from err
        words = first.split(b" ")
        if len(words) != 3 or words[0] != FORMAT:
            raise DamagedFileError("it is not a compiled kernel")
        if words[1] != self.stamp:
            return None
        if hashlib.sha256(body).hexdigest().encode() != words[2]:
            raise DamagedFileError("its checksum is wrong")
        rest = io.BytesIO(body)
        return pickle.load(rest), rest

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled function of a signature; None when it must be compiled, which listeners hear."""
        target_context.refresh()
        found = self._load(sig, target_context)
        if found is None:
            for hear in listeners:
                hear(self.name.removesuffix(LOOSE_FORM))
        return found

    def _load(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled function of a signature from its file, or None."""
        if self.folder is None:
            return None
        file, key = self._file(self.folder, sig, target_context.codegen())
        if "" in key[3:]:
            return None
        try:
            found = self.read(file)
            if found is None or found[0] != key:
                return None
            return from_data(target_context, pickle.load(found[1]))
        except Exception as err:  # whatever a file holds, the kernel can be compiled
            words = f"compiled file '{file}' cannot be used ({err or type(err).__name__})"
            _say_once("damaged", f"{words}; it is compiled again, and so is any other")
            return None

    def save_overload(self, sig: Any, compiled: Any) -> None:
        """Keep the compiled function of a signature."""
        data = None if self.folder is None else as_data(compiled)
        if self.folder is None or data is None:
            return
        file, key = self._file(self.folder, sig, compiled.codegen)
        if "" in key[3:]:
            return
        body = pickled(key) + data
        first = b" ".join((FORMAT, self.stamp, hashlib.sha256(body).hexdigest().encode()))
        try:
            _replace(file, first + b"\n" + body)
        except OSError as err:
            words = f"compiled file '{file}' cannot be written ({err.strerror})"
            _say_once("not written", f"{words}; what is not kept is compiled at every start")

    def flush(self) -> None:
        """Forget the compiled functions of all signatures."""
        for file in self.files():
            file.unlink(missing_ok=True)

    def enable(self) -> None:
        """Do nothing: the cache is always on."""

    def disable(self) -> None:
        """Do nothing: the cache is always on."""


def _replace(file: Path, content: bytes) -> None:
    """Write a file in one go, so that no other process sees a part of it; an empty folder in its place is removed."""
    file.parent.mkdir(parents=True, exist_ok=True)
    written = file.with_name(f"{file.name}.tmp.{uuid.uuid4().hex[:16]}")
    try:
        written.write_bytes(content)
        if file.is_dir():
            file.rmdir()
        written.replace(file)
    except OSError:
        with contextlib.suppress(OSError):
            written.unlink(missing_ok=True)
        raise


def keep(compiled: Any, function: Callable[..., Any], packages: set[str] = PACKAGES, form: str = "") -> None:
    """Keep what numba compiles of a function in files, if its package has all that it is made from.

    A function of elsewhere, or one inside another, which may close over values, is compiled whenever it is used: its
    sources do not tell all that its machine code depends on. So is one for a named tuple of elsewhere.
    """
    if not (KNOWN and can_be_kept(compiled)):
        _say_once("no place", f"compiled files of numba {numba.__version__} cannot be kept, so {AT_EVERY_START}")
    elif _made_from(function, packages) is not None:
        keep_in(compiled, KernelCache(function, packages, form))


def callback(function: Callable[..., Any], signature: Any, **options: Any) -> Any:
    """Compile a function to one that C can call, or load it."""
    if not KNOWN:
        return numba.cfunc(signature, **options)(function)
    made = entry_callback(function, signature, options)
    keep(made, function)
    made.compile()
    return made


def kept_signatures(dispatcher: Any) -> list[Any]:
    """Return the signatures whose compiled functions are kept for this machine."""
    kernels: KernelCache = cache_of(dispatcher)
    here = machine_code()
    found = []
    for file in kernels.files():
        with contextlib.suppress(Exception):  # a damaged file: what is not kept
            read = kernels.read(file)
            if read is not None and read[0][1] == here and read[0][3:] == kernels.made_for(read[0][0]):
                found.append(read[0][0])
    return found


def is_kept(function: Callable[..., Any]) -> bool:
    """Tell whether a compiled form of a function, up to date, is kept for this machine."""
    kernels = KernelCache(function)
    for file in kernels.files():
        with contextlib.suppress(Exception):  # a damaged file: what is not kept
            read = kernels.read(file)
            if read is not None and read[0][1] == machine_code():
                return True
    return False
