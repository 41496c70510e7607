"""Siconos' ``.dat`` files: local problems read and written, global ones and those with joints read in local form.

A file is a list of words: for local problems ``dim nc W q mu [mu_r]``, for global ones ``dim nc M H f w mu``, for mixed
ones ``W q`` and the kind of each block of W. A matrix is its storage, rows and columns, and then: 0 dense, by columns;
1 blocks by compressed rows of blocks, each by columns; 2 the output of CSparse.
"""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from flexmb.nonsmooth.formats import foreign_dim
from flexmb.nonsmooth.problem import ContactProblem
from flexmb.nonsmooth.reduce import local_form, thinned, without_joints
from flexmb.state import Array, IntArray

DENSE, BLOCKS, CSPARSE = 0, 1, 2
"""Storage formats of matrices."""
COMPLEMENTARITY, EQUALITY, FRICTION = 0, 2, 4
"""Kinds of the blocks of mixed problems."""


class Words:
    """The words of a file, read in sequence."""

    def __init__(self, text: str) -> None:
        self.words = text.split()
        self.at = 0

    @property
    def left(self) -> int:
        """Number of words not yet read."""
        return len(self.words) - self.at

    def take(self, count: int) -> list[str]:
        """Return the next words."""
        if count > self.left:
            raise ValueError(f"ends after {len(self.words)} words, {count - self.left} more are needed")
        self.at += count
        return self.words[self.at - count : self.at]

    def integer(self) -> int:
        """Return the next word as an integer."""
        return int(self.take(1)[0])

    def integers(self, count: int) -> IntArray:
        """Return the next words as integers."""
        return np.array(self.take(count), dtype=np.int64)

    def floats(self, count: int) -> Array:
        """Return the next words as numbers."""
        return np.array(self.take(count), dtype=np.float64)


def read_dat(path: str | PathLike[str]) -> ContactProblem:
    """Read a contact problem from a file of Siconos."""
    words = Words(Path(path).read_text())
    if words.left and int(words.words[0]) in (DENSE, BLOCKS):
        return _mixed(words)
    return _pure(words)


def _pure(words: Words) -> ContactProblem:
    """Return a problem whose blocks are all frictional contacts."""
    dim, nc = words.integer(), words.integer()
    if dim not in (2, 3, 5):
        raise ValueError(f"dim = {dim}: allowed are 2, 3 and 5")
    n, laws = dim * nc, 2 if dim == 5 else 1
    W, _ = _matrix(words)
    if words.left > n + laws * nc + 1:  # some files have one word more: the storage again
        H, _ = _matrix(words)
        f = words.floats(W.shape[0])
        W, b = local_form(W, H, f, words.floats(n))
    else:
        W, b = thinned(W), words.floats(n)
    mu = words.floats(nc)
    return ContactProblem(W=W, b=b, mu=mu, dim=dim, roll=words.floats(nc) if dim == 5 else np.zeros(nc))


def _mixed(words: Words) -> ContactProblem:
    """Return a problem whose blocks are joints, complementarity rows and frictional contacts, without its joints."""
    W, ends = _matrix(words)
    q = words.floats(W.shape[0])
    if W.shape[1] != q.size:
        raise ValueError(f"W has {q.size} rows and {W.shape[1]} columns")
    joints: list[int] = []
    contacts: list[int] = []
    dims: list[int] = []
    mu: list[float] = []
    begin = 0
    for end in ends:
        kind, rows = words.integer(), list(range(begin, int(end)))
        if kind == EQUALITY:
            joints += rows
        elif kind == COMPLEMENTARITY:
            contacts, dims, mu = contacts + rows, dims + [1] * len(rows), mu + [0.0] * len(rows)
        elif kind == FRICTION:
            contacts, dims, mu = contacts + rows, [*dims, len(rows)], [*mu, float(words.floats(1)[0])]
        else:
            raise ValueError(f"kind of block {kind}: allowed are 0, 2 and 4")
        begin = int(end)
    rows_of = np.array(joints, dtype=np.int64), np.array(contacts, dtype=np.int64)
    left, b = without_joints(W.toarray(), q, *rows_of)
    return ContactProblem(W=left, b=b, mu=np.array(mu), dim=np.array(dims, dtype=np.int64))


def _matrix(words: Words) -> tuple[Any, IntArray]:
    """Return a matrix and the ends of its blocks of rows (without blocks, its number of rows)."""
    kind, m, n = words.integer(), words.integer(), words.integer()
    if kind == DENSE:
        words.take(2)
        return sparse.csc_array(words.floats(m * n).reshape((n, m)).T), np.array([m])
    if kind == BLOCKS:
        return _blocks(words, m, n)
    if kind == CSPARSE:
        return _csparse(words, m, n), np.array([m])
    raise ValueError(f"storage {kind} of a matrix: allowed are 0, 1 and 2")


def _blocks(words: Words, m: int, n: int) -> tuple[Any, IntArray]:
    """Return a matrix stored by blocks, and the ends of the blocks of rows."""
    count, block_rows, block_columns = words.integer(), words.integer(), words.integer()
    row_ends, column_ends = words.integers(block_rows), words.integers(block_columns)
    pointers, places = words.integer(), words.integer()
    ptr, columns = words.integers(pointers), words.integers(places)
    rows = np.concatenate([[0], row_ends]), np.concatenate([[0], column_ends])
    entries: list[tuple[IntArray, IntArray, Array]] = []
    owner = np.repeat(np.arange(pointers - 1), np.diff(ptr))
    for k in range(count):
        words.take(1)
        i, j = owner[k], columns[k]
        height, width = int(rows[0][i + 1] - rows[0][i]), int(rows[1][j + 1] - rows[1][j])
        value = words.floats(height * width)
        r, c = np.tile(np.arange(height), width), np.repeat(np.arange(width), height)
        entries.append((rows[0][i] + r, rows[1][j] + c, value))
    i_all, j_all, x = (np.concatenate([entry[d] for entry in entries]) if entries else np.zeros(0) for d in range(3))
    return sparse.csc_array(sparse.coo_array((x, (i_all, j_all)), shape=(m, n))), row_ends


def _csparse(words: Words, m: int, n: int) -> Any:
    """Return a matrix as printed by CSparse, by columns or by triplets."""
    words.integer()
    while words.words[words.at] != "nnz:":
        words.take(1)
    count = int(words.take(2)[1].rstrip(","))
    if words.words[words.at].startswith("1-norm"):
        words.take(2)
    i, j, x = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64), np.empty(count)
    column, k = -1, 0
    while k < count:
        if words.words[words.at] == "col":
            column = int(words.take(7)[1])  # col j : locations a to b
            continue
        i[k] = words.integer()
        j[k] = column if column >= 0 else words.integer()
        x[k] = float(words.take(2)[1])
        k += 1
    return sparse.csc_array(sparse.coo_array((x, (i, j)), shape=(m, n)))


def write_dat(problem: ContactProblem, path: str | PathLike[str]) -> None:
    """Write a contact problem as a local problem of Siconos: W dense, or by blocks where it is sparse."""
    dim = foreign_dim(problem, "Siconos' .dat")
    lines = [str(dim), str(problem.nc)]
    if problem.sparse:
        lines += _block_lines(problem.W, dim)
    else:
        n = problem.n
        lines += [str(DENSE), str(n), str(n), f"{n} {n}", *(_numbers(column) for column in problem.W.T)]
    lines += [_numbers(problem.b), _numbers(problem.mu)]
    if dim == 5:
        lines.append(_numbers(problem.roll))
    Path(path).write_text("\n".join(lines) + "\n")


def _block_lines(W: Any, dim: int) -> list[str]:
    """Return the lines of a matrix by blocks."""
    blocks = sparse.bsr_array(W, blocksize=(dim, dim))
    blocks.sort_indices()
    n, count = W.shape[0], len(blocks.indices)
    ends = " ".join(str(dim * (k + 1)) for k in range(n // dim))
    lines = [str(BLOCKS), str(n), str(n), str(count), str(n // dim), str(n // dim), ends, ends]
    lines += [str(blocks.indptr.size), str(count)]
    lines += [" ".join(map(str, blocks.indptr)), " ".join(map(str, blocks.indices))]
    for k, block in enumerate(blocks.data):
        lines += [str(k), _numbers(block.T.ravel())]
    return lines


def _numbers(values: Array) -> str:
    """Return numbers printed without loss of precision."""
    return " ".join(repr(float(x)) for x in values)
