"""Points of bodies in a floating frame, as places and as a picture."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from flexmb.assembly.markers import Marker, Picture
from flexmb.fem.line_sections import LineSections
from flexmb.kernels.geometry.tables import FLOATING
from flexmb.state import Array, IntArray


def floating_places(
    start: tuple[int, int, int, int], x: Array, A: Array, local: Array, D: Array, labels: Sequence[str], eta: Array
) -> list[Marker]:
    """Return the places of k points.

    Parameters
    ----------
    start : (frame_q, frame_v, mode_q, mode_v)
        First unknowns of frame and modes.
    x, A : (3,) and (3, 3) arrays
        Frame at the start.
    local : (k, 3) array
        Points in the frame, undeformed, m.
    D : (k, m, 6) array
        Displacement and rotation per mode, in the frame's axes.
    labels : (k,) texts
    eta : (m,) array
        Modes at the start.
    """
    frame_q, frame_v, mode_q, mode_v = start
    m = D.shape[1]
    dof = np.concatenate([frame_v + np.arange(6), mode_v + np.arange(m)]).astype(np.int64)
    qdof = np.concatenate([frame_q + np.arange(3), -np.ones(3), mode_q + np.arange(m)]).astype(np.int64)
    return [
        Marker(
            kind=FLOATING,
            position=x + A @ (s + eta @ D_i[:, :3]),
            axes=A,
            local=s,
            iq=frame_q,
            iv=frame_v,
            dof=dof,
            qdof=qdof,
            D=np.vstack([np.zeros((6, 6)), D_i]),
            turns=True,
            label=label,
        )
        for s, D_i, label in zip(local, D, labels, strict=True)
    ]


def floating_picture(
    start: tuple[int, int, int, int],
    local: Array,
    D: Array,
    lines: IntArray,
    radius: float,
    sections: LineSections | None = None,
) -> Picture:
    """Return the picture of the points; arguments as in ``floating_places``, and ``lines`` with their ``sections``."""
    frame_q, frame_v, mode_q, mode_v = start
    k = local.shape[0]
    point, mode, part = np.nonzero(D)
    return Picture(
        kind=np.full(k, FLOATING, dtype=np.int64),
        iq=np.full(k, frame_q, dtype=np.int64),
        iv=np.full(k, frame_v, dtype=np.int64),
        local=local,
        lines=lines,
        radius=radius,
        row=6 * point + part,
        vdof=mode_v + mode,
        qdof=mode_q + mode,
        value=D[point, mode, part],
        sections=sections,
    )
