"""Internal variables of contact laws from step to step, and mu of a step (``flexmb.laws``)."""

from __future__ import annotations

import numpy as np

from flexmb.kernels.laws.friction_law import friction_coefficient, state_after
from flexmb.kernels.laws.law_codes import BETA, STATES, THETA, U_1
from flexmb.state import Array, IntArray, State
from flexmb.system.contact_blocks import Blocks
from flexmb.system.protocol import System


def no_laws(system: System, state: State | None = None) -> dict[str, Array]:
    """Return the arrays of ``Memory`` for the rows beside the normals and the state of the laws, at the start.

    ``state`` is that of the start, which bonds need: one without viscosity holds no more than beta = w / (C_N g^2).
    """
    blocks = system.contacts.blocks
    laws = np.zeros((0 if blocks.normals_only else STATES, blocks.nc))
    if not blocks.normals_only:
        laws[THETA], laws[BETA] = blocks.friction[:, 6], blocks.cohesion[:, 4]
    if blocks.cohesion.any() and state is not None:
        C_N, _, w, viscosity, beta = blocks.cohesion.T
        Y = C_N * np.maximum(system.instant(state.t, state.q, state.v).g, 0.0) ** 2
        beyond = (viscosity == 0.0) & (beta * Y > w)
        laws[BETA, beyond] = w[beyond] / Y[beyond]
    return {"rows": np.zeros((1, blocks.nt)), "laws": laws}


def coefficients(blocks: Blocks, slip: Array, laws: Array) -> Array:
    """Return mu of each contact in a step, (nc,), from slip speeds (nc,) at its start and the state of the laws."""
    if not blocks.friction[:, 1].any():
        return blocks.friction[:, 0].copy()
    numbers = zip(blocks.friction, slip, laws[THETA], strict=True)
    return np.array([friction_coefficient(row, float(V), float(state)) for row, V, state in numbers])


def _place(blocks: Blocks) -> IntArray:
    """Return the index of a contact's tangent for a row, 0 or 1; rows of rolling and spinning count as 1."""
    return np.asarray(np.minimum(np.arange(blocks.nt) - blocks.start[:-1][blocks.owner], 1), dtype=np.int64)


def tangent_displacements(blocks: Blocks, laws: Array) -> Array:
    """Return the displacements along the tangents since the start, (nt,); 0 for axes."""
    return np.where(blocks.tangent, laws[U_1 + _place(blocks), blocks.owner], 0.0)


def laws_after(blocks: Blocks, laws: Array, slip: Array, h: float, g: Array, du: Array) -> Array:
    """Return the state of the laws after a step, (4, nc).

    Parameters
    ----------
    blocks : Blocks
    laws : (4, nc) array
        At its start.
    slip : (nc,) array
        Slip speeds at its start.
    h : float
    g : (nc,) array
        Gaps at its end.
    du : (nt,) array
        What the rows beside the normals have moved by.
    """
    new = laws.copy()
    for i in np.flatnonzero(blocks.friction[:, 1]):
        new[THETA, i] = state_after(blocks.friction[i], float(slip[i]), float(laws[THETA, i]), h)
    if not blocks.cohesion.any():
        return new
    np.add.at(new, (U_1 + _place(blocks), blocks.owner), np.where(blocks.tangent, du, 0.0))
    C_N, C_T, w, viscosity, _ = blocks.cohesion.T
    Y = C_N * np.maximum(g, 0.0) ** 2 + C_T * (new[U_1] ** 2 + new[U_1 + 1] ** 2)
    # implicit in beta: viscosity (beta+ - beta) / h = -[beta+ Y - w]_+
    beta, up, down = laws[BETA], viscosity * laws[BETA] + h * w, viscosity + h * Y
    new[BETA] = np.where(up < beta * down, up / np.where(down > 0.0, down, 1.0), beta)
    return new
