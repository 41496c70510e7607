"""Impulses of contacts in small motion as vectors on points."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from flexmb.state import Array, IntArray
from flexmb.system.layout import Layout
from flexmb.system.linear_contacts import Contacts


def impulses_on_points(layout: Layout, contacts: Contacts) -> sparse.csr_array:
    """Return the map from the impulses of normals, then of the rows beside them, to vectors on points, (3 n, nc + nt).

    The columns of the displacement D are unit vectors at single nodes, for bars, beams and particles: then
    D (G P + H R) are these vectors. Unknowns that move several points have the smallest vectors f on the points of the
    contact with D^T f = G P.
    """
    D, blocks = layout.displacement, contacts.blocks
    J = sparse.csc_array(contacts.G if not blocks.nt else sparse.hstack([contacts.G, contacts.H]))
    plain = sparse.csr_array(D @ J)
    shared = _shared(D)
    if not shared.any():
        return plain
    columns = sparse.lil_array(plain)
    for j, owner in enumerate([*range(contacts.nc), *blocks.owner.tolist()]):
        its = J.indices[J.indptr[j] : J.indptr[j + 1]]
        if shared[its].any():
            columns[:, [j]] = _on_points(layout, contacts.points[owner], J[:, [j]].toarray().ravel())[:, None]
    return sparse.csr_array(columns)


def _shared(D: sparse.csr_array) -> NDArray[np.bool_]:
    """Return which unknowns displace points, and not just one point by a unit vector, (nv,) bool."""
    A = sparse.csc_array(D)
    unknown = np.repeat(np.arange(A.shape[1]), np.diff(A.indptr))
    length = np.bincount(unknown, weights=A.data**2, minlength=A.shape[1])
    first, last = np.full(A.shape[1], A.shape[0]), np.full(A.shape[1], -1)
    np.minimum.at(first, unknown, A.indices // 3)
    np.maximum.at(last, unknown, A.indices // 3)
    return np.asarray((length > 0.0) & ((first != last) | (np.abs(length - 1.0) > 1e-9)))


def _on_points(layout: Layout, points: IntArray, force: Array) -> Array:
    """Return the smallest vectors on points, (3 n,), with a generalized force; moments take what they cannot."""
    rows = (3 * points[points >= 0][:, None] + np.arange(3)).ravel()
    D = layout.displacement[rows].toarray()
    R = layout.rotation[rows].toarray()
    out = np.zeros(layout.displacement.shape[0])
    f = np.linalg.lstsq(D.T, force, rcond=1e-9)[0]
    if np.linalg.norm(D.T @ f - force) > 1e-9 * np.linalg.norm(force):
        f = np.linalg.lstsq(np.vstack([D, R]).T, force, rcond=1e-9)[0][: rows.size]
    out[rows] = f
    return out
