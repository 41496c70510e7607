"""Places of loads in a multibody system, and whether motion is possible there."""

from __future__ import annotations

import numpy as np

from flexmb.assembly.builder import Builder
from flexmb.assembly.markers import Marker
from flexmb.checks.values import vector
from flexmb.errors import InputError
from flexmb.kernels.geometry.tables import GROUND, NODE, PLANAR
from flexmb.state import Array

FORCE, MOMENT = "force", "moment"
_LEAST = 1e-12
"""Fraction of a vector below which a component counts as round-off."""


def acts(place: Marker, x: Array, what: str) -> bool:
    """Return whether a force or moment x can do work at a place."""
    if place.kind == GROUND:
        return False
    if place.kind == PLANAR:
        felt = x[:2] if what == FORCE else x[2:]
    elif place.kind == NODE:
        felt = place.D[:, :3] @ x if what == FORCE else place.D[:, 3:] @ x
    else:
        felt = x
    return bool(np.any(np.abs(felt) > _LEAST * np.abs(x).max()))


def end(builder: Builder, ref: object, point: object, where: str, key: str) -> Marker:
    """Return the place named by ``ref``, or with ``point`` (in space) that point of a rigid body or the ground."""
    if point is None:
        return builder.place(ref, where, key)
    x = vector(point, f"point_{key}", where)
    info = builder.bodies.get(str(ref))
    if str(ref) != "ground" and (info is None or not info.rigid):
        builder.place(ref, where, key)  # an unknown name raises its own error
        message = f"only rigid bodies and the ground have arbitrary points, and {key} = '{ref}' is neither"
        raise InputError(message, where=where, key=f"point_{key}", value=tuple(x.tolist()))
    return builder.place(ref, where, key, x)
