"""A run made by hand, without model, scheme or loop: two bars' worth of points and a particle, random numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import sparse

from flexmb.record.samples import ENERGY_COLUMNS, Block, RunInfo
from flexmb.system.linear_system import Contacts, Layout, LinearSystem, Probe


@dataclass(frozen=True)
class FakeScheme:
    name: ClassVar[str] = "fake"
    theta: float = 0.25

    def notes(self, jointed: bool, bounces: bool = False) -> tuple[str, ...]:
        return ()


def system() -> LinearSystem:
    """Four points on a line along x (unknowns 0..3) and a particle that moves in y and z (unknowns 4, 5)."""
    nv = 6
    rows = [0, 3, 6, 9, 13, 14]
    D = sparse.csr_array((np.ones(nv), (rows, range(nv))), shape=(15, nv))
    points = np.array([[0.0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0], [5, 1, 2]])
    layout = Layout(
        points=points,
        cells=np.array([[0, 1], [1, 2], [2, 3]]),
        vertices=np.array([4]),
        body_of_point=np.array([0, 0, 0, 0, 1]),
        bodies=("rod", "ball"),
        displacement=D,
        rotation=sparse.csr_array((15, nv)),
        radius_of_cell=np.array([0.1, 0.2, 0.3]),
    )
    G = np.zeros((nv, 3))
    G[0, 0], G[4, 1], G[5, 2] = 1.0, 0.6, -1.0
    none = np.full(3, -1)
    contacts = Contacts(
        names=("wall", "floor"),
        start=np.array([0, 1, 3]),
        labels=("wall", "floor[0]", "floor[1]"),
        g0=np.ones(3),
        G=sparse.csc_array(G),
        e=np.zeros(3),
        motions=(),
        motion_of=none,
        motion_coef=np.zeros(3),
    )
    eye = sparse.csr_array(np.eye(nv))
    end = sparse.csr_array((np.ones(1), ([0], [0])), shape=(3, nv))
    height = sparse.csr_array((np.ones(1), ([0], [4])), shape=(1, nv))
    return LinearSystem(
        M=eye,
        C=sparse.csr_array((nv, nv)),
        K=eye,
        F0=np.zeros(nv),
        V0=0.0,
        loads=(),
        contacts=contacts,
        q0=np.zeros(nv),
        v0=np.zeros(nv),
        probes=(Probe("rod.first.position", "q", points[0], end), Probe("ball.height", "q", np.zeros(1), height)),
        layout=layout,
    )


def run_info(steps: int = 10, every: int = 1, fields_every: int = 4) -> RunInfo:
    return RunInfo(system(), FakeScheme(), 0.25, 1.0, steps, every, fields_every, "general")


def blocks(run: RunInfo, sizes: tuple[int, ...] = (3, 5, 3)) -> list[Block]:
    """Random samples of a run with every = 1, cut into blocks of the given sizes."""
    rng = np.random.default_rng(7)
    out, first = [], 0
    for k in sizes:
        step = np.arange(first, first + k)
        kept = step[(step % run.fields_every == 0) | (step == run.steps)]
        out.append(
            Block(
                step=step,
                time=run.t0 + step * run.h,
                probes=rng.normal(size=(k, 4)),
                gap=rng.normal(size=(k, 3)),
                velocity=rng.normal(size=(k, 3)),
                impulse=rng.normal(size=(k, 3)),
                energy=rng.normal(size=(k, len(ENERGY_COLUMNS))),
                field_step=kept,
                field_q=rng.normal(size=(len(kept), 6)),
                field_v=rng.normal(size=(len(kept), 6)),
                field_impulse=rng.normal(size=(len(kept), 3)),
            )
        )
        first += k
    return out
