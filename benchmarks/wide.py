"""Structures too wide for bands: lattices of beams that fall onto a floor, time per step against their size.

Printed for each size: unknowns, half-bandwidth, numbers in the factor; processor time in microseconds of one bare solve
of SuperLU with the matrix of the step, of one solve with flexmb's own factors, of a compiled step in flight and in
contact, and of a step in contact in the general engine. The programs alternate; the shortest of the repeats counts.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import meshio
import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

import flexmb as fm
from flexmb.drive import Plan, choose_engine
from flexmb.kernels.algebra.supernodes import solve_supernodes
from flexmb.linalg import band_order
from flexmb.linalg.factor import SparseFactor
from flexmb.nonsmooth import ContactSolver
from flexmb.schemes.scheme import Scheme

SCHEMES: dict[str, Scheme] = {
    "moreau-jean": fm.MoreauJean(),
    "schatzman-paoli": fm.SchatzmanPaoli(),
    "generalized-alpha": fm.GeneralizedAlpha(rho_inf=0.8, ggl=False),
    "generalized-alpha, ggl": fm.GeneralizedAlpha(rho_inf=0.8, ggl=True),
}
BAYS = {500: (16, 9), 2000: (32, 19), 8000: (66, 39), 32000: (132, 79)}
"""Bays along and across of a lattice with about so many unknowns."""
H = 1e-5
"""Step, s."""


def lattice(nx: int, ny: int) -> meshio.Mesh:
    """Return nx by ny square bays of 1 m, each with both diagonals."""
    at = np.arange((nx + 1) * (ny + 1)).reshape(ny + 1, nx + 1)
    pairs = [(at[:, :-1], at[:, 1:]), (at[:-1], at[1:]), (at[:-1, :-1], at[1:, 1:]), (at[:-1, 1:], at[1:, :-1])]
    lines = np.concatenate([np.stack([a.ravel(), b.ravel()], axis=1) for a, b in pairs])
    points = np.stack([at.ravel() % (nx + 1), 0 * at.ravel(), at.ravel() // (nx + 1)], axis=1)
    return meshio.Mesh(points.astype(float), [("line", lines)])


def frame(nx: int, ny: int, velocity: float) -> Any:
    """Return a frame of steel beams that moves from a floor, on which four nodes stand, or towards it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "lattice.vtk"
        meshio.write(path, lattice(nx, ny))
        model = fm.Model(gravity=(0.0, 0.0, -9.81))
        section = {"shape": "rectangle", "height": 0.05, "width": 0.03}
        material = {"young": 2.1e11, "density": 7800.0}
        keys = {"section": section, "material": material, "damping": (0.5, 1e-6), "velocity": (0.0, 0.0, velocity)}
        model.add(fm.Beam("frame", mesh=str(path), **keys))
        feet = [f"frame.node({i})" for i in np.linspace(0, nx, 4).astype(int)]
        model.add(fm.NodePlane("floor", nodes=feet, point=(0.0, 0.0, 0.0), normal=(0.0, 0.0, 1.0)))
        return model.assemble()


def mean_of(take: Callable[[], object], count: int) -> float:
    """Return the processor time of one of ``count`` calls, us."""
    began = time.process_time()
    for _ in range(count):
        take()
    return 1e6 * (time.process_time() - began) / count


class Run:
    """An engine that takes the same steps again and again."""

    def __init__(self, system: Any, scheme: Scheme, engine: str, steps: int) -> None:
        self.steps = steps
        self.engine: Any = choose_engine(Plan(system, scheme, ContactSolver(), H, 0.0, 10**9, 1, 10**9), engine)
        self.engine.start()
        self.engine.advance(5)
        self.begin = self.engine.snapshot()

    def __call__(self) -> float:
        """Return microseconds of a step."""
        self.engine.restore(self.begin, 5)
        blocks = []
        taken = mean_of(lambda: blocks.append(self.engine.advance(self.steps)), 1) / self.steps
        if self.engine.failure is not None:
            raise SystemExit(str(self.engine.failure))
        self.in_contact = float((blocks[0].impulse > 0.0).any(axis=1).mean())
        return taken


def measure(size: int, scheme: Scheme, steps: int, repeats: int) -> dict[str, float]:
    """Return microseconds of each program."""
    flying, landing = (frame(*BAYS[size], velocity) for velocity in (1.0, -1.0))
    S = sparse.csr_array(landing.M + 0.5 * H * landing.C + 0.25 * H * H * landing.K)
    lu = splu(sparse.csc_matrix(S), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    own, b = SparseFactor(S).supernodes(), np.random.default_rng(0).normal(size=landing.nv)
    flight, contact = Run(flying, scheme, "compiled", steps), Run(landing, scheme, "compiled", steps)
    programs: dict[str, Callable[[], float]] = {
        "SuperLU": lambda: mean_of(lambda: lu.solve(b), steps),
        "own": lambda: mean_of(lambda: solve_supernodes(own, b.copy()), steps),
        "flight": flight,
        "contact": contact,
        "general": Run(landing, scheme, "general", max(steps // 10, 5)),
    }
    best = dict.fromkeys(programs, np.inf)
    for _ in range(repeats):
        for name, program in programs.items():
            best[name] = min(best[name], program())
    if flight.in_contact > 0.0 or contact.in_contact < 1.0:
        raise SystemExit(f"in contact: {flight.in_contact}, {contact.in_contact} of the steps")
    width = band_order(*landing.patterns).bandwidth
    return {"nv": float(landing.nv), "width": float(width), "size": float(own.low.size), **best}


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[500, 2000, 8000], choices=BAYS)
    parser.add_argument("--schemes", nargs="+", default=list(SCHEMES), choices=SCHEMES)
    parser.add_argument("--steps", type=int, default=100, help="compiled steps in a repeat")
    parser.add_argument("--repeats", type=int, default=7)
    given = parser.parse_args()
    heads = [
        "unknowns",
        "half-band",
        "in factor",
        "scheme",
        "SuperLU solve",
        "own solve",
        "step in flight",
        "x SuperLU",
    ]
    heads += ["step in contact", "x SuperLU", "general engine", "x step"]
    print("|", " | ".join(heads), "|")
    print("|---" * len(heads) + "|")
    for size in given.sizes:
        for name in given.schemes:
            t = measure(size, SCHEMES[name], given.steps, given.repeats)
            cells = [f"{t['nv']:,.0f}", f"{t['width']:.0f}", f"{t['size']:,.0f}", name]
            cells += [f"{t['SuperLU']:.0f}", f"{t['own']:.0f}"]
            cells += [f"{t['flight']:.0f}", f"{t['flight'] / t['SuperLU']:.1f}"]
            cells += [f"{t['contact']:.0f}", f"{t['contact'] / t['SuperLU']:.1f}"]
            cells += [f"{t['general']:.0f}", f"{t['general'] / t['contact']:.1f}"]
            print("|", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()
