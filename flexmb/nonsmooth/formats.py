"""Contact problems in files: npz of flexmb, FCLIB's HDF5 and Siconos' ``.dat``, chosen by the file extension."""

from __future__ import annotations

import tokenize
import zipfile
import zlib
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from flexmb.errors import InputError

if TYPE_CHECKING:
    from flexmb.nonsmooth.problem import ContactProblem

FIELDS = ("W", "b", "mu", "dim")
"""Arrays of every flexmb file."""
SPARSE = ("W_val", "W_idx", "W_ptr")
"""Arrays in place of W if it is sparse: compressed rows."""
SUFFIXES = {".npz": "flexmb", ".hdf5": "FCLIB", ".h5": "FCLIB", ".dat": "Siconos"}
"""The program of each file extension."""
DAMAGED = (
    *(ArithmeticError, AttributeError, EOFError, LookupError, MemoryError, OSError, RuntimeError, TypeError),
    *(SyntaxError, ValueError, tokenize.TokenError, zipfile.BadZipFile, zlib.error),
)
"""What readers raise if a file is damaged or of another format."""


def save_npz(problem: ContactProblem, path: str | PathLike[str]) -> None:
    """Write a problem as npz, from which ``load_npz`` recovers it exactly."""
    if Path(path).suffix.lower() not in ("", ".npz"):
        words = "must end with .npz or have no extension; flexmb.nonsmooth.write_problem writes the other formats"
        raise InputError(words, where="ContactProblem.save", key="path", value=str(path))
    W = problem.W
    data: dict[str, Any] = {"mu": problem.mu, "roll": problem.roll, "spin": problem.spin}
    data |= dict(zip(SPARSE, (W.data, W.indices, W.indptr), strict=True)) if problem.sparse else {"W": W}
    with open(path, "wb") as file:
        np.savez(file, b=problem.b, dim=np.asarray(problem.dim), shape=problem.shape, **data)


def load_npz(path: str | PathLike[str]) -> dict[str, Any]:
    """Read the output of ``save_npz``, as the arguments of ``ContactProblem``."""
    where = "ContactProblem.load"
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as data:
            out = {key: data[key] for key in ("b", "mu")}
            out |= {key: data[key] for key in ("roll", "spin", "shape") if key in data}
            dim = data["dim"]
            out["dim"] = dim.item() if dim.ndim == 0 else dim
            n = out["b"].size
            if SPARSE[0] in data:
                parts = tuple(data[key] for key in SPARSE)
                if any(part.dtype.kind not in "iu" for part in parts[1:]):
                    raise ValueError(f"{' and '.join(SPARSE[1:])} must be integers")
                out["W"] = checked(sparse.csr_array(parts, shape=(n, n)))
            else:
                out["W"] = data["W"]
            return out
    except (FileNotFoundError, IsADirectoryError):
        raise InputError("no such file", where=where, key="path", value=str(path)) from None
    except DAMAGED as err:
        words = f"not a saved contact problem ({err}); it must hold {', '.join(FIELDS)}"
        raise InputError(words, where=where, key="path", value=str(path)) from None


def checked(A: Any) -> Any:
    """Return a matrix of compressed rows or columns, or raise ValueError if indices are outside it."""
    A.check_format(full_check=True)
    return A


def read_problem(path: str | PathLike[str]) -> ContactProblem:
    """Read a contact problem in any of the formats; global and mixed ones are converted to local form.

    Parameters
    ----------
    path : path
        Ends with ``.npz`` (ours), ``.hdf5`` or ``.h5`` (FCLIB) or ``.dat`` (Siconos).
    """
    suffix = _suffix(path)
    if not Path(path).is_file():
        raise InputError("no such file", where="contact problem", key="path", value=str(path))
    try:
        return _read(path, suffix)
    except InputError as err:
        if isinstance(err.value, str) and err.value == str(path):
            raise
        words = f"not a valid contact problem ({err})"
    except DAMAGED as err:
        words = f"not a contact problem of {SUFFIXES[suffix]} ({err})"
    raise InputError(words, where="contact problem", key="path", value=str(path))


def _read(path: str | PathLike[str], suffix: str) -> ContactProblem:
    """Read a file of an extension."""
    if suffix == ".npz":
        from flexmb.nonsmooth.problem import ContactProblem

        return ContactProblem.load(path)
    if suffix == ".dat":
        from flexmb.nonsmooth.formats_siconos import read_dat

        return read_dat(path)
    from flexmb.nonsmooth.formats_fclib import read_fclib

    return read_fclib(path)


def write_problem(problem: ContactProblem, path: str | PathLike[str]) -> None:
    """Write a contact problem in the format given by the file extension (see ``read_problem``)."""
    suffix = _suffix(path)
    if suffix == ".npz":
        problem.save(path)
    elif suffix == ".dat":
        from flexmb.nonsmooth.formats_siconos import write_dat

        write_dat(problem, path)
    else:
        from flexmb.nonsmooth.formats_fclib import write_fclib

        write_fclib(problem, path)


def _suffix(path: str | PathLike[str]) -> str:
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        words = f"must end with one of {', '.join(SUFFIXES)}"
        raise InputError(words, where="contact problem", key="path", value=str(path))
    return suffix


def foreign_dim(problem: ContactProblem, kind: str) -> int:
    """Return the common ``dim`` of a problem that other codes support (2, 3, or 5 with rolling), or raise."""
    dim = problem.dim
    if isinstance(dim, int) and dim in (2, 3, 5):
        rows = {2: (1, 0, 0), 3: (2, 0, 0), 5: (2, 2, 0)}[dim]
        if (problem.shape == rows).all():
            return dim
    words = f"{kind} holds contacts of one size, dim 2, 3 or 5 (rolling), only; .npz holds all"
    raise InputError(words, where="contact problem", key="dim", value=dim if isinstance(dim, int) else dim.tolist())
