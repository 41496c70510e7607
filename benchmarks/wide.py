"""Structures too wide for bands: lattices of beams that fall onto a floor, time per step against their size.

Printed for each size: unknowns, half-bandwidth, numbers in the factor; processor time in microseconds of one bare solve
of SuperLU with the matrix of the step, of one solve with flexmb's own factors, of a compiled step, and of a step in the
general engine. The programs alternate; the shortest of the repeats counts.
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
from flexmb.kernels.supernodes import solve_supernodes
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


def falling_frame(nx: int, ny: int) -> Any:
    """Return a frame of steel beams that stands on a floor with four nodes and is thrown onto it at 0.1 m/s."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "lattice.vtk"
        meshio.write(path, lattice(nx, ny))
        model = fm.Model(gravity=(0.0, 0.0, -9.81))
        section = {"shape": "rectangle", "height": 0.05, "width": 0.03}
        material = {"young": 2.1e11, "density": 7800.0}
        keys = {"section": section, "material": material, "damping": (0.5, 1e-6), "velocity": (0.0, 0.0, -0.1)}
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


def measure(system: Any, scheme: Scheme, steps: int, repeats: int) -> dict[str, float]:
    """Return microseconds of each program."""
    nv = system.nv
    S = sparse.csr_array(system.M + 0.5 * H * system.C + 0.25 * H * H * system.K)
    lu = splu(sparse.csc_matrix(S), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    own, b = SparseFactor(S).supernodes(), np.random.default_rng(0).normal(size=nv)
    slow, fast = max(steps // 10, 5), steps
    plan = Plan(system, scheme, ContactSolver(), H, 0.0, 10**9, 1, 10**9)
    engines = {name: choose_engine(plan, name) for name in ("compiled", "general")}
    for engine in engines.values():
        engine.start()
        engine.advance(5)
    programs: dict[str, Callable[[], float]] = {
        "SuperLU": lambda: mean_of(lambda: lu.solve(b), fast),
        "solve": lambda: mean_of(lambda: solve_supernodes(own, b.copy()), fast),
        "compiled": lambda: mean_of(lambda: engines["compiled"].advance(fast), 1) / fast,
        "general": lambda: mean_of(lambda: engines["general"].advance(slow), 1) / slow,
    }
    best = {name: np.inf for name in programs}
    for _ in range(repeats):
        for name, program in programs.items():
            best[name] = min(best[name], program())
    if any(engine.failure for engine in engines.values()):
        raise SystemExit(f"{engines['compiled'].failure or engines['general'].failure}")
    return {"in factor": float(own.low.size), **best}


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[500, 2000, 8000], choices=BAYS)
    parser.add_argument("--schemes", nargs="+", default=list(SCHEMES), choices=SCHEMES)
    parser.add_argument("--steps", type=int, default=200, help="compiled steps in a repeat at 2,000 unknowns")
    parser.add_argument("--repeats", type=int, default=5)
    given = parser.parse_args()
    heads = ["unknowns", "half-band", "in factor", "scheme", "SuperLU solve", "own solve", "step", "x SuperLU"]
    print("|", " | ".join([*heads, "general", "x step"]), "|")
    print("|---" * (len(heads) + 2) + "|")
    for size in given.sizes:
        system = falling_frame(*BAYS[size])
        width = band_order(*system.patterns).bandwidth
        for name in given.schemes:
            t = measure(system, SCHEMES[name], max(given.steps * 2000 // size, 20), given.repeats)
            own = f"{t['SuperLU']:.0f} | {t['solve']:.0f} | {t['compiled']:.0f} | {t['compiled'] / t['SuperLU']:.2f}"
            other = f"{t['general']:.0f} | {t['general'] / t['compiled']:.1f}"
            print(f"| {system.nv:,} | {width} | {t['in factor']:,.0f} | {name} | {own} | {other} |", flush=True)


if __name__ == "__main__":
    main()
