"""The contact problem of a Newton iteration in large motion, as data, from the current machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from flexmb.kernels.multibody.machine import MachineWorkspace
from flexmb.kernels.multibody.multibody import CANDIDATE, CENTRED, RATE, H
from flexmb.kernels.multibody_contacts.friction_blocks import POSITION, block_laws, blocks_of, given
from flexmb.kernels.multibody_contacts.friction_sweeps import Pile
from flexmb.kernels.multibody_contacts.multibody_friction import between
from flexmb.kernels.multibody_contacts.multibody_friction_sets import pile_of
from flexmb.nonsmooth.problem import ContactProblem
from flexmb.state import Array, IntArray


@dataclass(frozen=True, eq=False)
class StepProblem:
    """All candidates of an iteration: U = W P + b.

    With GGL blocks take turns: the position of a contact (nu / h against the gap over h), then its impulses.

    Parameters
    ----------
    W : (n, n) array or scipy sparse array
    b : (n,) array
    shape : (nb, 3) int array
    start : (nb + 1,) int array
    law : (nb, 3) array
    P : (n,) array
        Impulses of now.
    ggl : bool
    """

    W: Any
    b: Array
    shape: IntArray
    start: IntArray
    law: Array
    P: Array
    ggl: bool

    @classmethod
    def of(cls, workspace: MachineWorkspace) -> StepProblem:
        """Return the problem of the candidates of the trial."""
        at, machine = workspace.at, workspace.machine
        ggl = bool(machine.numbers.contact_ggl == 1)
        if machine.sets.part_ptr.size > 1:
            p, _, _, _, P = pile_of(at)
            return cls(_sparse_matrix(p, float(machine.step[H])), p.b, p.shape, p.start, p.law, P, ggl)
        candidates = np.flatnonzero(machine.trial.contact[CANDIDATE] > 0.0)
        place, kind, shape, start = blocks_of(at, candidates, ggl)
        law = block_laws(at, candidates, shape.shape[0])
        b, now, P = given(at, place, kind)
        if machine.numbers.form == CENTRED:
            b = b - machine.e[place] * machine.motion.rows[RATE, machine.system.joints + place]
        W, b = between(at, place, kind, b, now, P)
        return cls(W, b, shape, start, law, P, ggl)

    def counting(self, P: Array) -> NDArray[np.bool_]:
        """Return the active blocks: with GGL impulses only of contacts that close or have a position impulse."""
        on = np.ones(self.shape.shape[0], dtype=bool)
        if self.ggl:
            first = self.start[:-1:2]
            on[1::2] = (self.b[first] <= 0.0) | (P[first] > 0.0)
        return on

    def part(self, on: NDArray[np.bool_]) -> tuple[ContactProblem, IntArray]:
        """Return the problem of some blocks, and its rows among all."""
        rows = np.flatnonzero(np.repeat(on, np.diff(self.start)))
        mu, roll, spin = self.law[on].T
        W = self.W[rows][:, rows]
        return ContactProblem(W, self.b[rows], mu=mu, roll=roll, spin=spin, shape=self.shape[on]), rows


def _sparse_matrix(p: Pile, h: float) -> sparse.csr_array:
    """Return the matrix for many contacts."""
    rows, shape = p.rows, (p.b.size, p.unknowns)
    G = sparse.csr_array((rows.g, rows.g_dof, rows.g_ptr), shape=shape)
    W: Any = G @ sparse.csr_array((rows.v, rows.x_dof, rows.x_ptr), shape=shape).T
    if p.ggl:
        by_place = p.kind == POSITION
        Q = G @ sparse.csr_array((rows.q, rows.x_dof, rows.x_ptr), shape=shape).T
        W = sparse.diags_array(by_place / h) @ Q + sparse.diags_array(1.0 - by_place) @ W
    return sparse.csr_array(W + sparse.diags_array(rows.alone))
