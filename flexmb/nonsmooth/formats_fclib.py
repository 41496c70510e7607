"""FCLIB's HDF5 files: local problems read and written, global and rolling ones read and converted to local form."""

from __future__ import annotations

from os import PathLike
from typing import Any

import h5py
import numpy as np
from scipy import sparse

from flexmb.errors import InputError
from flexmb.nonsmooth.formats import foreign_dim
from flexmb.nonsmooth.problem import ContactProblem
from flexmb.nonsmooth.reduce import local_form, thinned
from flexmb.state import Array

LOCAL, GLOBAL = ("fclib_local", "fclib_local_rolling"), ("fclib_global", "fclib_global_rolling")
CSC, CSR = -1, -2
"""Values of ``nz`` of a matrix that are not a number of triplets."""


def read_fclib(path: str | PathLike[str]) -> ContactProblem:
    """Read a contact problem from a file of FCLIB."""
    try:
        with h5py.File(path, "r") as file:
            names = [name for name in (*LOCAL, *GLOBAL) if name in file]
            if not names:
                words = f"has none of {', '.join((*LOCAL, *GLOBAL))}"
                raise InputError(words, where="contact problem", key="path", value=str(path))
            return _read(file[names[0]], names[0] in GLOBAL)
    except (OSError, KeyError, ValueError, IndexError, TypeError, AttributeError) as err:
        words = f"not a contact problem of FCLIB ({err})"
        raise InputError(words, where="contact problem", key="path", value=str(path)) from None


def _read(group: Any, is_global: bool) -> ContactProblem:
    """Return the problem of an HDF5 group."""
    _refuse_joints(group)
    vectors = group["vectors"]
    mu = np.asarray(vectors["mu"], dtype=np.float64)
    dim = int(np.ravel(group["spacedim"])[0])
    roll = np.zeros(mu.size)
    for key in ("mu_r", "mu_roll"):
        if key in vectors:
            roll, dim = np.asarray(vectors[key], dtype=np.float64), 5
    if is_global:
        f, w = (np.asarray(vectors[key], dtype=np.float64) for key in ("f", "w"))
        W, b = local_form(_matrix(group["M"]), _matrix(group["H"]), f, w)
    else:
        W, b = thinned(_matrix(group["W"])), np.asarray(vectors["q"], dtype=np.float64)
    return ContactProblem(W=W, b=b, mu=mu, dim=dim, roll=roll)


def _refuse_joints(group: Any) -> None:
    """Raise InputError for equations other than contacts: G (b) of global problems, V and R (s) of local ones."""
    for key in ("G", "V", "R"):
        if key in group and min(int(np.ravel(group[key][size])[0]) for size in ("m", "n")) > 0:
            words = "equations of joints in addition to contacts are not read from FCLIB files; eliminate them first"
            raise InputError(words, where="contact problem", key=key)


def _matrix(group: Any) -> sparse.csc_array:
    """Return a matrix of FCLIB: triplets, compressed columns or compressed rows."""
    m, n, nz = (int(np.ravel(group[key])[0]) for key in ("m", "n", "nz"))
    i, p = np.asarray(group["i"], dtype=np.int64), np.asarray(group["p"], dtype=np.int64)
    x: Array = np.asarray(group["x"], dtype=np.float64)
    if nz >= 0:
        return sparse.csc_array(sparse.coo_array((x[:nz], (i[:nz], p[:nz])), shape=(m, n)))
    if nz == CSC:
        return sparse.csc_array((x, i, p), shape=(m, n))
    if nz == CSR:
        return sparse.csc_array(sparse.csr_array((x, i, p), shape=(m, n)))
    raise ValueError(f"nz = {nz}: allowed are -2, -1 and numbers of triplets")


def write_fclib(problem: ContactProblem, path: str | PathLike[str]) -> None:
    """Write a contact problem as a local problem of FCLIB, W as compressed rows."""
    dim = foreign_dim(problem, "FCLIB")
    W = sparse.csr_array(problem.W)
    with h5py.File(path, "w") as file:
        group = file.create_group(LOCAL[1] if dim == 5 else LOCAL[0])
        group["spacedim"] = np.array([3 if dim == 5 else dim], dtype=np.int32)
        vectors = group.create_group("vectors")
        vectors["q"], vectors["mu"] = problem.b, problem.mu
        if dim == 5:
            vectors["mu_r"] = problem.roll
        matrix = group.create_group("W")
        for key, value in {"m": W.shape[0], "n": W.shape[1], "nz": CSR, "nzmax": W.nnz}.items():
            matrix[key] = np.array([value], dtype=np.int32)
        matrix["p"], matrix["i"], matrix["x"] = W.indptr.astype(np.int32), W.indices.astype(np.int32), W.data
        info = group.create_group("info")
        info["title"], info["description"], info["math_info"] = "contact problem", "written by flexmb", ""
