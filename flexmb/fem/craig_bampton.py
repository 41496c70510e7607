"""Craig-Bampton reduction: modes of a flexible body in a floating frame.

Static modes (prescribed interface motion, unloaded interior) and the lowest normal modes of the body fixed at its
interface span the reduced space; rigid motions are removed and the rest is orthonormalized. Fields that M and K do not
couple (stretching, bending in both planes, torsion) are reduced one by one, so that their modes remain separate, also
for equal frequencies.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import linalg, sparse
from scipy.sparse import csgraph
from scipy.sparse.linalg import eigsh, splu

from flexmb.errors import InputError
from flexmb.state import Array, IntArray

DENSE_LIMIT = 1200
"""Number of unknowns up to which normal modes are computed densely; above, by shift and invert."""
RANK = 1e-9
"""Singular value, relative to the largest, that counts as zero."""


class FlexibleModes(NamedTuple):
    """Modes in order of frequency: Phi^T M Phi = 1, Phi^T K Phi = diag(omega^2), Phi^T M (rigid motion) = 0."""

    shapes: Array  # (n, m)
    omega: Array  # (m,), rad/s


class _Field(NamedTuple):
    """One uncoupled part of the body."""

    unknowns: IntArray  # (k,) in the body
    M: sparse.csc_array  # (k, k)
    K: sparse.csc_array
    held: IntArray  # interface unknowns, within the field
    inside: IntArray  # the others
    rigid: Array  # (k, r) rigid motions, orthonormal


def craig_bampton(
    M: sparse.csr_array,
    K: sparse.csr_array,
    interface: IntArray,
    normal: int,
    rigid: Array,
    max_frequency: float | None = None,
) -> FlexibleModes:
    """Return the flexible modes of a free body.

    Parameters
    ----------
    M, K : (n, n) sparse arrays
        Mass and stiffness over all unknowns, without supports.
    interface : (k,) int array
        Unknowns at which the body is connected to others; none: its free modes are used.
    normal : int
        Number of normal modes, the lowest ones with fixed interface.
    rigid : (n, r) array
        Rigid motions (columns; they may depend on each other).
    max_frequency : float, optional
        Modes above it are dropped, Hz.
    """
    if not (np.isfinite(M.data).all() and np.isfinite(K.data).all()):
        raise InputError("holds numbers too large or too small to compute with")
    # unknowns of like mass: displacements and rotations of a small body differ by its length; powers of two are exact
    own = M.diagonal()
    unit = np.exp2(-np.round(0.5 * np.log2(np.where(own > 0.0, own, 1.0))))
    D = sparse.diags_array(unit)
    M, K, rigid = sparse.csr_array(D @ M @ D), sparse.csr_array(D @ K @ D), rigid / unit[:, None]
    fields = _fields(M, K, np.asarray(interface, dtype=np.int64), rigid)
    available = sum(f.inside.size - (0 if f.held.size else f.rigid.shape[1]) for f in fields)
    if not 0 <= normal <= available:
        message = f"must lie between 0 and the number of inner unknowns, {available}"
        raise InputError(message, key="modes", value=normal)
    lowest = [_normal_modes(f, normal) for f in fields]
    owner = np.repeat(np.arange(len(fields)), [omega.size for omega, _ in lowest])
    order = np.argsort(np.concatenate([omega for omega, _ in lowest]), kind="stable")[:normal]
    counts = np.bincount(owner[order], minlength=len(fields))
    found = [_flexible(f, X[:, : counts[i]]) for i, (f, (_, X)) in enumerate(zip(fields, lowest, strict=True))]
    return _collect(fields, found, unit, max_frequency)


def _collect(
    fields: list[_Field], found: list[tuple[Array, Array]], unit: Array, max_frequency: float | None
) -> FlexibleModes:
    """Return the modes of all fields in order of frequency, each with its first largest entry positive.

    ``unit`` (n,) are the units of the unknowns that the fields are computed in.
    """
    omega = np.concatenate([w for w, _ in found])
    shapes = np.zeros((unit.size, omega.size))
    first = 0
    for f, (w, X) in zip(fields, found, strict=True):
        shapes[f.unknowns, first : first + w.size] = X
        first += w.size
    shapes *= unit[:, None]
    order = np.argsort(omega, kind="stable")
    if max_frequency is not None:
        order = order[omega[order] <= 2.0 * np.pi * max_frequency]
    omega, shapes = omega[order], shapes[:, order]
    # entries equal up to round-off: the first of them decides, on every machine
    large = np.argmax(np.abs(shapes) >= 0.999 * np.abs(shapes).max(axis=0, initial=0.0), axis=0)
    return FlexibleModes(shapes * np.sign(shapes[large, np.arange(omega.size)]), omega)


def _fields(M: sparse.csr_array, K: sparse.csr_array, interface: IntArray, rigid: Array) -> list[_Field]:
    pattern = sparse.csr_array(abs(M) + abs(K))
    pattern.eliminate_zeros()
    count, label = csgraph.connected_components(pattern, directed=False)
    fields = []
    for i in range(count):
        index = np.flatnonzero(label == i)
        M_i, K_i = (sparse.csc_array(A[index][:, index]) for A in (M, K))
        held = np.isin(index, interface)
        motions = _orthonormal(rigid[index])
        if held.any() and _orthonormal(motions[held]).shape[1] < motions.shape[1]:
            raise InputError("a rigid motion remains if these unknowns are fixed", key="interface")
        fields.append(_Field(index, M_i, K_i, np.flatnonzero(held), np.flatnonzero(~held), motions))
    return fields


def _orthonormal(X: Array) -> Array:
    """Return an orthonormal basis of the span of the columns of X."""
    left, values, _ = np.linalg.svd(X, full_matrices=False)
    return np.asarray(left[:, values > RANK * values.max(initial=0.0)])


def _normal_modes(f: _Field, normal: int) -> tuple[Array, Array]:
    """Return the lowest frequencies, (c,), and shapes, (k, c), of the field with fixed interface.

    A field without interface is free: its rigid motions are neither counted nor returned.
    """
    loose = 0 if f.held.size else f.rigid.shape[1]
    k = min(normal + loose, f.inside.size)
    shapes = np.zeros((f.unknowns.size, max(k - loose, 0)))
    if k <= loose:
        return np.zeros(0), shapes
    M, K = (sparse.csc_array(A[f.inside][:, f.inside]) for A in (f.M, f.K))
    if f.inside.size <= DENSE_LIMIT:
        squares, X = linalg.eigh(K.toarray(), M.toarray(), subset_by_index=[0, k - 1])
    else:
        # a small negative shift keeps the matrix regular, for supported and free fields
        shift = -1e-12 * float(np.max(K.diagonal() / M.diagonal()))
        start = np.random.default_rng(0).standard_normal(f.inside.size)
        squares, X = eigsh(K, k=k, M=M, sigma=shift, which="LM", v0=start)
        order = np.argsort(squares)
        squares, X = squares[order], X[:, order]
    shapes[f.inside] = X[:, loose:]
    return np.sqrt(np.maximum(squares[loose:], 0.0)), shapes


def _static_modes(f: _Field) -> Array:
    """Return static modes, (k, number of interface unknowns less that of rigid motions).

    All static modes together span the rigid motions. Those of interface motions other than rigid ones are sufficient,
    and their number is that of the directions, so no rank has to be determined numerically.
    """
    fixed = f.rigid[f.held]
    shapes = np.zeros((f.unknowns.size, f.held.size - fixed.shape[1]))
    if not shapes.size:
        return shapes
    shapes[f.held] = np.linalg.svd(fixed)[0][:, fixed.shape[1] :] if fixed.size else np.eye(f.held.size)
    if f.inside.size:
        K_inside = sparse.csc_array(f.K[f.inside][:, f.inside])
        shapes[f.inside] = -splu(K_inside).solve(f.K[f.inside][:, f.held] @ shapes[f.held])
    return shapes


def _flexible(f: _Field, normal: Array) -> tuple[Array, Array]:
    """Return frequencies and shapes of the field in the space of static and normal modes without rigid motions."""
    T = np.hstack([_static_modes(f), normal]) if f.held.size else normal
    if not T.shape[1]:
        return np.zeros(0), T
    if f.rigid.shape[1]:
        inverse = np.linalg.inv(f.rigid.T @ (f.M @ f.rigid))
        # repeated for the digits that the first projection of a nearly rigid mode loses
        for _ in range(2):
            T = T - f.rigid @ (inverse @ (f.rigid.T @ (f.M @ T)))
    T = T / np.sqrt(np.einsum("ij,ij->j", T, f.M @ T))
    squares, Y = np.linalg.eigh(T.T @ (f.M @ T))
    T = T @ (Y / np.sqrt(squares))
    # the mass matrix, equal to 1 up to round-off, corrects the last digits
    squares, Y = linalg.eigh(T.T @ (f.K @ T), T.T @ (f.M @ T))
    return np.sqrt(np.maximum(squares, 0.0)), np.asarray(T @ Y)
