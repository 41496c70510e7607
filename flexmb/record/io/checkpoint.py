"""``checkpoint.npz``: state from which a run continues bit for bit; replaced atomically.

An npz file whose zip comment, its last bytes, is the checksum of all bytes before it. A file without a matching
checksum is rejected before its content is read. Whether it belongs to the run (arrays, step, counts) is checked by the
caller.
"""

from __future__ import annotations

import hashlib
import io
import os
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from flexmb.errors import InputError
from flexmb.record.io.planned_file import sync
from flexmb.record.samples import Checkpoint

FORMAT = 2
"""Version of the stored content; 1 had neither version nor checksum."""
ANEW = "start again with --overwrite"
_NUMBERS = ("step", "samples", "fields")
_WORDS = ("engine", "run")
_MARK = b"flexmb checkpoint blake2b "
_SEAL = len(_MARK) + 64


def write_checkpoint(path: Path, point: Checkpoint) -> None:
    """Write a checkpoint next to the old one, then replace the old one."""
    fresh = path.with_name(path.name + ".part")
    with fresh.open("wb") as handle:
        handle.write(_sealed(_packed(point)))
        handle.flush()
        os.fsync(handle.fileno())
    os.replace(fresh, path)
    sync(path.parent)


def read_checkpoint(path: Path) -> Checkpoint:
    """Read a checkpoint; InputError if it is damaged or of another version."""
    try:
        arrays = _unpacked(_unsealed(path.read_bytes()))
        version = int(arrays.pop("_format"))
        if version != FORMAT:
            raise ValueError(f"its format is {version}, that of this flexmb is {FORMAT}")
        own: dict[str, Any] = {name: int(arrays.pop(f"_{name}")) for name in _NUMBERS}
        own |= {name: str(arrays.pop(f"_{name}")) for name in _WORDS}
    except KeyError as err:
        raise InputError(f"the checkpoint '{path}' cannot be read (it lacks {err}); {ANEW}") from err
    except (OSError, ValueError, TypeError, EOFError, zipfile.BadZipFile) as err:
        raise InputError(f"the checkpoint '{path}' cannot be read ({err}); {ANEW}") from err
    return Checkpoint(arrays=arrays, **own)


def _packed(point: Checkpoint) -> bytes:
    """Return a checkpoint as npz, with space for the checksum."""
    out = io.BytesIO()
    arrays: dict[str, Any] = {"_format": np.array(FORMAT, dtype=np.int64)}
    arrays |= {f"_{name}": np.array(getattr(point, name), dtype=np.int64) for name in _NUMBERS}
    arrays |= {f"_{name}": np.array(getattr(point, name)) for name in _WORDS} | point.arrays
    # np.savez has allow_pickle only since numpy 2.2; earlier versions would store it as an array
    np.savez(out, **arrays)
    with zipfile.ZipFile(out, "a") as file:
        file.comment = bytes(_SEAL)
    return out.getvalue()


def _unpacked(content: bytes) -> dict[str, np.ndarray]:
    with np.load(io.BytesIO(content), allow_pickle=False) as stored:
        return {name: stored[name] for name in stored.files}


def _sealed(content: bytes) -> bytes:
    return content[:-_SEAL] + _seal(content[:-_SEAL])


def _unsealed(content: bytes) -> bytes:
    """Return the content of a file; ValueError if its checksum does not match."""
    body, seal = content[:-_SEAL], content[-_SEAL:]
    if not seal.startswith(_MARK):
        raise ValueError("it has no checksum: it was written by an older flexmb, changed or truncated")
    if seal != _seal(body):
        raise ValueError("its checksum does not match: it was changed or damaged")
    return content


def _seal(body: bytes) -> bytes:
    return _MARK + hashlib.blake2b(body, digest_size=32).hexdigest().encode()
