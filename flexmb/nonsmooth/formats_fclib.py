"""FCLIB's HDF5 files: local problems read and written, global and rolling ones read and converted to local form."""

from __future__ import annotations

from os import PathLike
from typing import Any

import h5py
import numpy as np
from scipy import sparse

from flexmb.errors import InputError
from flexmb.nonsmooth.formats import checked, foreign_dim
from flexmb.nonsmooth.problem import ContactProblem
from flexmb.nonsmooth.reduce import local_form, thinned, without_joints
from flexmb.state import Array

LOCAL, GLOBAL = ("fclib_local", "fclib_local_rolling"), ("fclib_global", "fclib_global_rolling")
CSC, CSR = -1, -2
"""Values of ``nz`` of a matrix that are not a number of triplets."""


def read_fclib(path: str | PathLike[str]) -> ContactProblem:
    """Read a contact problem from a file of FCLIB."""
    with h5py.File(path, "r") as file:
        names = [name for name in (*LOCAL, *GLOBAL) if name in file]
        if not names:
            words = f"has none of {', '.join((*LOCAL, *GLOBAL))}"
            raise InputError(words, where="contact problem", key="path", value=str(path))
        return _read(file[names[0]], names[0] in GLOBAL)


def _read(group: Any, is_global: bool) -> ContactProblem:
    """Return the problem of an HDF5 group; joints, with the impulses y, are eliminated.

    Global ones are ``M v = H r + G y + f, u = H^T v + w, G^T v + b = 0``, local ones
    ``u = W r + V y + q, V^T r + R y + s = 0``.
    """
    vectors = group["vectors"]
    mu = _vector(vectors, "mu")
    dim = int(np.ravel(group["spacedim"])[0])
    roll = np.zeros(mu.size)
    for key in ("mu_r", "mu_roll"):
        if key in vectors:
            roll, dim = _vector(vectors, key), 5
    of_joints = "G" if is_global else "V"
    coupled = _has(group, of_joints)
    stray = [key for key in (("b",) if is_global else ("s",)) if key in vectors and np.size(vectors[key])]
    stray += [key for key in ("R",) if not is_global and _has(group, key)]
    if stray and not coupled:
        raise InputError(f"has {' and '.join(stray)} of joints without {of_joints}", where="contact problem")
    if is_global:
        H, w = _matrix(group["H"]), _vector(vectors, "w")
        if coupled:
            H, w = sparse.hstack([H, _matrix(group["G"])]), np.concatenate([w, _vector(vectors, "b")])
        W, b = local_form(_matrix(group["M"]), H, _vector(vectors, "f"), w)
    else:
        W, b = _matrix(group["W"]), _vector(vectors, "q")
        if coupled:
            V, s = _matrix(group["V"]), _vector(vectors, "s")
            R = _matrix(group["R"]) if _has(group, "R") else sparse.csc_array((s.size, s.size))
            W, b = sparse.block_array([[W, V], [V.T, R]]), np.concatenate([b, s])
    if coupled:
        n = dim * mu.size
        W, b = without_joints(sparse.csc_array(W).toarray(), b, np.arange(n, b.size), np.arange(n))
    return ContactProblem(W=thinned(W), b=b, mu=mu, dim=dim, roll=roll)


def _vector(group: Any, key: str) -> Array:
    """Return a vector of FCLIB."""
    return np.asarray(group[key], dtype=np.float64)


def _has(group: Any, key: str) -> bool:
    """Return whether there is a matrix that is not empty."""
    return key in group and min(int(np.ravel(group[key][size])[0]) for size in ("m", "n")) > 0


def _matrix(group: Any) -> Any:
    """Return a matrix of FCLIB: triplets, compressed columns or compressed rows."""
    m, n, nz = (int(np.ravel(group[key])[0]) for key in ("m", "n", "nz"))
    i, p = np.asarray(group["i"], dtype=np.int64), np.asarray(group["p"], dtype=np.int64)
    x: Array = np.asarray(group["x"], dtype=np.float64)
    if nz >= 0:
        return sparse.csc_array(sparse.coo_array((x[:nz], (i[:nz], p[:nz])), shape=(m, n)))
    if nz == CSC:
        return checked(sparse.csc_array((x, i, p), shape=(m, n)))
    if nz == CSR:
        return sparse.csc_array(checked(sparse.csr_array((x, i, p), shape=(m, n))))
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
