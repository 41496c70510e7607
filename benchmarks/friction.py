"""Friction: what it adds to a step, how steps with many frictional contacts grow, and problems beside Siconos.

Four tables. Ratios: a beam that slides on some of its nodes, and the rotor that rubs, beside frictionless steps.
Growth: a beam that slides with all its nodes on a plane, 10 to 1,000 contacts and more. Siconos (``--siconos PYTHON``,
an interpreter that has it; Debian: python3-siconos, python3-scipy): the contact problem of one of these steps, solved
from the same guess to the same residual. Spheres (``--spheres N ...``): N^3 spheres that fall into a box with friction,
processor time per step over the run, and with Siconos the problem of the last step.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from rub_rotor import STEP, RubRotor

import flexmb as fm
from flexmb.drive import Plan, choose_engine
from flexmb.drive.spheres import SpheresEngine
from flexmb.drive.step_problem import StepProblem
from flexmb.kernels.cones.cones import judge_cones
from flexmb.kernels.laws.friction_record import R_T
from flexmb.kernels.multibody.multibody import IMPULSE, KINETIC
from flexmb.kernels.multibody_contacts.multibody_friction_sets import pile_of
from flexmb.nonsmooth import ContactSolver, residual
from flexmb.schemes.cone_contacts import dense_matrix
from flexmb.schemes.scheme import Scheme

SCHEMES: dict[str, Scheme] = {
    "moreau-jean": fm.MoreauJean(),
    "generalized-alpha": fm.GeneralizedAlpha(rho_inf=0.8, ggl=False),
    "generalized-alpha, ggl": fm.GeneralizedAlpha(rho_inf=0.8, ggl=True),
}
MU = 0.3
H = 1e-5
"""Step of the beams, s."""
SICONOS = Path(__file__).with_name("siconos_problem.py")


def sliding_beam(elements: int, nodes: list[int] | str, friction: float, bending: str = "planar") -> Any:
    """Return a steel beam, 1 m long, that slides on a plane with some of its nodes at 0.5 m/s."""
    model = fm.Model(gravity=(0.0, -9.81, 0.0))
    section = {"shape": "rectangle", "width": 0.01, "height": 0.01}
    keys = {"length": 1.0, "elements": elements, "section": section, "young": 2.1e11, "density": 7800.0}
    velocity = (0.5, 0.0, 0.2 if bending == "spatial" else 0.0)
    model.add(fm.Beam("beam", **keys, bending=bending, velocity=velocity))
    which = "beam.all" if nodes == "all" else [f"beam.node({k})" for k in nodes]
    law = {"friction": friction} if friction else {}
    model.add(fm.NodePlane("floor", nodes=which, point=(0.0, 0.0, 0.0), normal=(0.0, 1.0, 0.0), **law))
    return model.assemble()


def rubbing_rotor(friction: float) -> Any:
    """Return the rotor of ``rotor_rub``."""
    model = RubRotor().model()
    keys = {key: value for key, value in RubRotor().case["contacts"]["stator"].items() if key != "kind"}
    law = {"friction": friction, "radius": 0.01} if friction else {}
    model.add(fm.Clearance("stator", **keys, **law))
    return model.assemble()


class Steps:
    """A system under a scheme, stepped in pieces; each piece is timed."""

    def __init__(self, system: Any, scheme: Scheme, h: float, steps: int) -> None:
        self.engine = choose_engine(Plan(system, scheme, ContactSolver(), h, 0.0, 100 * steps, steps, steps))
        self.engine.start()
        self.steps, self.best = steps, np.inf
        self.engine.advance(steps)  # compiles what is missing, and settles

    def again(self) -> None:
        """Take another piece."""
        begin = time.perf_counter()
        self.engine.advance(self.steps)
        self.best = min(self.best, (time.perf_counter() - begin) / self.steps)
        if self.engine.failure is not None:
            raise self.engine.failure


def ratios(repeats: int, steps: int) -> list[tuple[str, str, float, float]]:
    """Return name, scheme, and seconds per step with friction and without."""
    cases = {
        f"beam, 200 elements, {k} contacts": (
            lambda mu, k=k: sliding_beam(200, np.linspace(0, 200, k).astype(int).tolist(), mu),
            H,
        )
        for k in (2, 10, 30)
    }
    cases["beam, 200 elements, 201 contacts"] = (lambda mu: sliding_beam(200, "all", mu), H)
    cases["rotor_rub, 1 contact"] = (rubbing_rotor, STEP)
    out = []
    for name, (system, h) in cases.items():
        for label, scheme in SCHEMES.items():
            both = [Steps(system(mu), scheme, h, steps) for mu in (MU, 0.0)]
            for _ in range(repeats):
                for one in both:
                    one.again()
            out.append((name, label, both[0].best, both[1].best))
    return out


def growth(sizes: list[int], repeats: int, steps: int, bending: str) -> list[tuple[int, str, float, float, float]]:
    """Return contacts, scheme, seconds per step with friction and without, and index sets per step."""
    out = []
    for size in sizes:
        for label, scheme in SCHEMES.items():
            both = [Steps(sliding_beam(size - 1, "all", mu, bending), scheme, H, steps) for mu in (MU, 0.0)]
            for _ in range(repeats):
                for one in both:
                    one.again()
            tally = both[0].engine.tally()
            out.append((size, label, both[0].best, both[1].best, tally.iterations / max(1, tally.contact_steps)))
    return out


def beside_siconos(python: str, size: int, steps: int) -> dict[str, float]:
    """Return seconds and residuals of one contact problem: ours in its step, Siconos' with its matrix given."""
    system, scheme = sliding_beam(size - 1, "all", MU), fm.MoreauJean()
    one = Steps(system, scheme, H, steps)
    one.again()
    cones = one.engine.cones.cones  # type: ignore[attr-defined]
    guess = cones.z.copy()
    W = dense_matrix(scheme.prepare(system, H), cones.first)  # type: ignore[arg-type]
    one.engine.advance(1)
    seconds = one.best
    found = {
        "contacts": size,
        "ours_s": seconds,
        "ours_residual": judge_cones(W, cones.b, cones.shape, cones.law, cones.z)[1],
    }
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "problem.npz"
        np.savez(file, W=W, b=cones.b, mu=cones.law[:, 0], guess=guess)
        answer = subprocess.run([python, str(SICONOS), str(file)], capture_output=True, text=True, timeout=500)
        if answer.returncode != 0:
            raise RuntimeError(f"Siconos did not run: {answer.stderr[-500:]}")
        for name, (spent, P) in json.loads(answer.stdout).items():
            found[f"{name}_s"] = spent
            found[f"{name}_residual"] = judge_cones(W, cones.b, cones.shape, cones.law, np.array(P))[1]
    return found


def box_of_spheres(n: int) -> Any:
    """Return n^3 spheres above the floor of a box, a little apart and not quite in rows."""
    radius, rng, names = 0.05, np.random.default_rng(1), []
    model, d, J = fm.Model(gravity=(0.0, 0.0, -9.81)), 2.05 * radius, 0.4 * radius**2
    for k, place in enumerate(np.ndindex(n, n, n)):
        x = (np.array(place) - 0.5 * (n - 1)) * d + 0.01 * radius * rng.uniform(-1.0, 1.0, 3)
        x[2] += 0.5 * (n - 1) * d + 1.01 * radius
        names.append(f"s{k}")
        model.add(fm.Rigid(names[-1], mass=1.0, inertia=(J, J, J), position=x))
    model.add(fm.Spheres("grains", bodies="s*", radius=radius, friction=MU))
    for name, normal in {"e": (-1, 0, 0), "w": (1, 0, 0), "n": (0, -1, 0), "s": (0, 1, 0), "floor": (0, 0, 1)}.items():
        wall = 0.0 if name == "floor" else 0.5 * n * d + 0.02 * radius
        keys = {"normal": normal, "point": -wall * np.array(normal, dtype=float), "radius": radius}
        model.add(fm.NodePlane(name, nodes=names, friction=MU, **keys))
    return model.assemble()


def spheres(n: int, steps: int, piece: int, python: str | None) -> None:
    """Print processor seconds per step, piece by piece, of n^3 spheres; and the last problem beside Siconos."""
    h, scheme = 2e-3, fm.MoreauJean(theta=0.5)
    engine = choose_engine(Plan(box_of_spheres(n), scheme, ContactSolver(), h, 0.0, steps, piece, steps))
    assert isinstance(engine, SpheresEngine)
    engine.start()
    before = np.zeros(0)
    for k in range(0, steps, piece):
        begin, tally = time.process_time(), engine.tally()
        engine.advance(piece - 1)
        motion = engine.motion
        before = np.concatenate([motion.contact[IMPULSE], motion.beside[R_T]])
        engine.advance(1)
        spent, pressed = (time.process_time() - begin) / piece, int((engine.motion.contact[IMPULSE] > 0.0).sum())
        sweeps = (engine.tally().iterations - tally.iterations) / piece
        kinetic = float(engine.motion.numbers[KINETIC])
        print(f"{n**3} spheres, {k + piece:5d} steps, {pressed:5d} pressed, {1e3 * spent:8.1f} ms per step, ", end="")
        print(f"{sweeps:7.1f} iterations, kinetic energy {kinetic:.3g} J", flush=True)
        if engine.failure is not None:
            raise engine.failure
    if python is None:
        return
    task, place = StepProblem.of(engine.workspace), pile_of(engine.workspace.at)[2]
    same = before.size == engine.motion.contact.shape[1] + engine.motion.beside.shape[1]
    guess = before[place] if same else np.zeros(task.P.size)
    problem = task.part(task.counting(task.P))[0]
    solver, ours = ContactSolver(tolerance=1e-6), np.inf
    for _ in range(3):  # the first compiles what is missing
        begin = time.process_time()
        solution = solver.solve(problem, guess)
        ours = min(ours, time.process_time() - begin)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "problem.npz"
        np.savez(file, W=problem.W.toarray(), b=problem.b, mu=problem.mu, guess=guess)
        answer = subprocess.run([python, str(SICONOS), str(file)], capture_output=True, text=True, timeout=900)
    if answer.returncode != 0:
        raise RuntimeError(f"Siconos did not run: {answer.stderr[-500:]}")
    print(f"its problem of {problem.n} rows alone: ours {ours:.3f} s, residual {solution.residual:.2g}")
    for name, (spent, P) in json.loads(answer.stdout).items():
        print(f"{name} {spent:.3f} s, residual {residual(problem, np.array(P)):.2g}")


def main(arguments: list[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10, 31, 100, 316, 1000, 3162])
    parser.add_argument("--spatial", type=int, nargs="*", default=[100, 1000])
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--siconos", metavar="PYTHON", help="an interpreter that has Siconos")
    parser.add_argument("--spheres", type=int, nargs="*", default=[], metavar="N")
    parser.add_argument("--sphere-steps", type=int, default=400)
    parser.add_argument("--siconos-sizes", type=int, nargs="+", default=[100, 1000])
    args = parser.parse_args(arguments)
    for n in args.spheres:
        spheres(n, args.sphere_steps, 20, args.siconos)
    if args.spheres:
        return
    print(f"{'':<36}{'scheme':<26}{'friction':>10}{'without':>10}  us{'ratio':>8}")
    for name, label, rough, smooth in ratios(args.repeats, args.steps):
        print(f"{name:<36}{label:<26}{1e6 * rough:10.2f}{1e6 * smooth:10.2f}    {rough / smooth:8.2f}", flush=True)
    for bending, sizes in (("planar", args.sizes), ("spatial", args.spatial)):
        print(f"\n{bending + ', contacts':<36}{'scheme':<26}{'friction':>10}{'without':>10}  ms{'ratio':>8}{'sets':>8}")
        for size, label, rough, smooth, sets in growth(sizes, args.repeats, args.steps, bending):
            times = f"{1e3 * rough:10.3f}{1e3 * smooth:10.3f}    {rough / smooth:8.2f}{sets:8.2f}"
            print(f"{size:<36}{label:<26}{times}", flush=True)
    for size in args.siconos_sizes if args.siconos else []:
        print("\n" + "  ".join(f"{k} {v:.3g}" for k, v in beside_siconos(args.siconos, size, args.steps).items()))


if __name__ == "__main__":
    main(sys.argv[1:])
