"""Motion along the circle of a clearance, for many states."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from flexmb.kernels.geometry.clearance import directions
from flexmb.state import Array
from flexmb.system.layout import carriers_of
from flexmb.system.probes.moving import MovingSystem, place_of


def tangential_velocity(rows: Sequence[int], system: MovingSystem) -> Callable[[Array, Array], Array]:
    """Return the function (q, v) -> velocity of the inner places against the outer ones along a x n, (k, m), m/s.

    n points outward, normal to the axis a; the velocity is zero for a place at the centre of its circle.

    Parameters
    ----------
    rows : sequence of int
        m rows of kind CLEARANCE.
    system : MovingSystem
    """
    table, markers = system.tables.rows, system.tables.markers
    slots = [table.ptr[r] + end for r in rows for end in (0, 1)]
    places = [place_of(markers, int(table.marker[s])) for s in slots]
    carriers = carriers_of(places, system.q0, system.nv)
    axis, offset = table.a[list(rows)], table.b[list(rows)]

    def velocity(q: Array, v: Array) -> Array:
        x, rate = (y[:, 1::2] - y[:, 0::2] for y in (carriers.positions(q), carriers.velocities(q, v)))
        out = np.zeros((x.size // 3, 3, 3))
        directions((x - offset).reshape(-1, 3), np.tile(axis, (len(q), 1)), out)
        return np.asarray(np.sum(rate.reshape(-1, 3) * out[:, 1], axis=1).reshape(len(q), -1))

    return velocity
