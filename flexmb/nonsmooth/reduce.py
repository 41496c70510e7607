"""Global and mixed contact problems in local form: all unknowns except contact impulses are eliminated."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

from flexmb.errors import InputError
from flexmb.nonsmooth.blocks import finite
from flexmb.state import Array, IntArray

FULL, SMALL = 0.25, 10_000
"""Density of W above which it is stored densely, and number of entries below which this is always done."""
OUTSIDE, ROUND_OFF = 1e-8, 1e-14
"""Largest part of the rows of joints outside the range of their matrix, over these rows and over all rows."""


def thinned(W: Any) -> Any:
    """Return W as a sparse array if most entries are zero, else dense."""
    W = sparse.csr_array(W)
    size = W.shape[0] * W.shape[1]
    return W if size > SMALL and W.nnz < FULL * size else W.toarray()


def both_halves(M: sparse.csc_array) -> sparse.csc_array:
    """Return the symmetric matrix of which only one half was stored."""
    below, above = sparse.tril(M, -1).nnz, sparse.triu(M, 1).nnz
    if (below == 0) == (above == 0):
        return M
    return sparse.csc_array(M + M.T - sparse.diags_array(M.diagonal()))


def local_form(M: Any, H: Any, f: Array, w: Array) -> tuple[Any, Array]:
    """Return W = H^T M^-1 H and b = H^T M^-1 f + w of ``M v = H r + f, u = H^T v + w``.

    Parameters
    ----------
    M : (m, m) sparse array
    H : (m, n) sparse array
    f : (m,) array
    w : (n,) array
    """
    M, H = both_halves(sparse.csc_array(M)), sparse.csc_array(H)
    if M.shape != (f.size, f.size) or H.shape != (f.size, w.size):
        raise InputError(
            f"M {M.shape}, H {H.shape}, f ({f.size},) and w ({w.size},) do not fit", where="contact problem", key="M"
        )
    try:
        factors = splu(M)
    except RuntimeError:
        raise InputError("must be regular", where="contact problem", key="M", value=M.shape) from None
    W = H.T @ factors.solve(H.toarray())
    return thinned(np.asarray(W)), np.asarray(H.T @ factors.solve(f) + w)


def without_joints(W: Array, q: Array, joints: IntArray, contacts: IntArray) -> tuple[Array, Array]:
    """Return W and b of the contact rows with the rows ``joints``, where u = 0, eliminated.

    Redundant joints share their impulse by least norm (pseudo-inverse).

    Raises
    ------
    InputError
        When no impulses of the joints make their u zero for all impulses of the contacts, or they are not unique in
        their effect on the contacts: columns of [W_jc, q_j] or of W_cj^T are not in the range of W_jj.
    """
    if not joints.size:
        return W[np.ix_(contacts, contacts)], q[contacts]
    W = finite("W", W)  # with others the singular values may not converge
    own, across, back = W[np.ix_(joints, joints)], W[np.ix_(joints, contacts)], W[np.ix_(contacts, joints)]
    inverse = np.linalg.pinv(own, rcond=1e-10)
    share = back @ inverse
    pairs = (across - own @ (inverse @ across), across, W), (back - share @ own, back, W)
    for left, whole, near in (*pairs, (q[joints] - own @ (inverse @ q[joints]), q[joints], q)):
        bound = OUTSIDE * np.abs(whole).max(initial=0.0) + ROUND_OFF * np.abs(near).max(initial=0.0)
        if np.abs(left).max(initial=0.0) > bound:
            words = "the impulses of the joints do not follow from those of the contacts: the matrix of the joints"
            raise InputError(f"{words} is singular, and does not fit the other rows", where="contact problem")
    return W[np.ix_(contacts, contacts)] - share @ across, q[contacts] - share @ q[joints]
