"""How bodies are deformed, apart from how they move: their way from the nearest place a rigid body could be in."""

from __future__ import annotations

import numpy as np

from flexmb.postproc.arrays import Array, IntArray


def deformation(reference: Array, places: Array, body_of_point: IntArray) -> Array:
    """Return what of the places of points is deformation of their bodies, (n, 3), m.

    Of each body the rotation R and the middles c0, c are taken for which the sum of |x - c - R (x0 - c0)|^2 is least
    (Kabsch 1976); what is left is its deformation. Rigid bodies and single points have none.

    Parameters
    ----------
    reference, places : (n, 3) arrays
        Places at rest and now, m.
    body_of_point : (n,) int array
    """
    out = np.zeros_like(places)
    for body in np.unique(body_of_point):
        own = body_of_point == body
        x0 = reference[own] - reference[own].mean(axis=0)
        x = places[own] - places[own].mean(axis=0)
        U, _, Vt = np.linalg.svd(x0.T @ x)
        handed = np.diag([1.0, 1.0, np.sign(np.linalg.det(U @ Vt))])
        out[own] = x - x0 @ (U @ handed @ Vt)
    return out
