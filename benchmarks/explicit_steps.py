"""Steps of the implicit alpha scheme beside those of the explicit Runge-Kutta method of order four, on stiff beams.

    python benchmarks/explicit_steps.py [--quick] [--picture FILE.png]

The rotating beam with 5 elements (31 degrees of freedom, the driven hub counted, as in Haddouni 2015, table 3.8) and
the stiff rotor (figures 3.15 and 3.16), both as in the shipped cases.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from runge_kutta import IMAGINARY, Explicit

import flexmb as fm
from flexmb.case import load_case
from flexmb.system.multibody_system import MultibodySystem

CASES = Path(__file__).parents[1] / "cases"
TOLERANCES = (1e-2, 1e-4, 1e-6)
THESIS = {"alpha scheme": (156, 474, 2437), "Runge-Kutta 4": (41428, 41700, 41562), "HEM5": (34123, 34364, 62255)}
"""Steps of Haddouni (2015), table 3.8, at these tolerances; rho_inf = 0.8."""


@dataclass(frozen=True)
class Problem:
    """A shipped case, what is changed in it, its span and step, and the signal to compare."""

    case: str
    signal: str
    end: float
    h: float
    overrides: tuple[str, ...] = ()

    @cached_property
    def system(self) -> MultibodySystem:
        """The equations of motion."""
        system = load_case(CASES / f"{self.case}.toml", self.overrides).model().assemble([self.signal])
        assert isinstance(system, MultibodySystem)
        return system

    @property
    def freedom(self) -> int:
        """Degrees of freedom."""
        return self.system.nv - self.system.nj

    def implicit(self, rho_inf: float = 0.8, end: float | None = None, **keys: Any) -> fm.Result:
        """Return the run of the alpha scheme with ``step=`` or ``tolerance=``."""
        scheme = fm.GeneralizedAlpha(rho_inf=rho_inf, ggl=True)
        return fm.simulate(self.system, scheme, end=self.end if end is None else end, **keys)

    def differences(self, steps: Sequence[float], h: float) -> list[float]:
        """Return how far the signal is in the end from that of Runge-Kutta with step h, m."""
        exact = Explicit(self.system).run(h, round(self.end / h)).signal(self.signal)[-1]
        runs = [self.implicit(step=step).signals[self.signal][-1] for step in steps]
        return [float(np.linalg.norm(x - exact)) for x in runs]


BEAM = Problem("rotating_beam_eccentric", "beam.last.position", 3.0, 2e-3, ("bodies.beam.elements=5",))
ROTOR = Problem("stiff_rotor", "disk.position", 2.0, 4e-4)
STARTED_BEAM = Problem(
    "rotating_beam_eccentric",
    "beam.last.position",
    0.2,
    2e-3,
    (
        *BEAM.overrides,
        *(f"bodies.{body}.angular_velocity=[0.0, 0.0, 0.0]" for body in ("hub", "beam")),
        "joints.axis.drive={kind = 'spin-up', rate = 12.566370614359172, duration = 0.4}",
    ),
)
"""The same beam started from rest: without the waves of a sudden stretching, which long steps leave out."""
HEAVY_ROTOR = Problem(
    "stiff_rotor",
    "disk.position",
    0.05,
    4e-4,
    ("gravity.acceleration=[0.0, 0.0, -9.81]", "joints.motor.drive.duration=0.1"),
)
"""The same rotor, dropped into its bearings and started twenty times faster: something to see in a short run."""


def limits(problem: Problem, steps: int) -> float:
    """Print the largest stable step of Runge-Kutta and how many times larger the step of the case is; return it."""
    explicit = Explicit(problem.system)
    omega, found = explicit.highest_frequency(), explicit.largest_step(steps)
    print(
        f"{problem.case}: highest frequency {omega / (2 * math.pi):.4g} Hz; "
        f"Runge-Kutta is stable up to h = {found:.4g} s "
        f"(2 sqrt(2)/omega = {IMAGINARY / omega:.4g}); the alpha scheme runs at {problem.h:g} s, "
        f"{problem.h / found:.0f} times as much"
    )
    return found


def counts(problem: Problem, limit: float) -> list[int]:
    """Print the steps of the alpha scheme by tolerance, and those of Runge-Kutta at its limit; return the former."""
    explicit = problem.end / limit
    print(f"\n{problem.case}, {problem.end:g} s: Runge-Kutta at its limit {explicit:.0f} steps")
    print("| tolerance | steps, rho_inf = 0.8 | Runge-Kutta / alpha | table 3.8: alpha | Runge-Kutta / alpha |")
    print("|---|---|---|---|---|")
    found = []
    for tolerance, alpha, rk in zip(TOLERANCES, THESIS["alpha scheme"], THESIS["Runge-Kutta 4"], strict=True):
        taken = int(problem.implicit(tolerance=tolerance).summary["steps_taken"])
        found.append(taken)
        print(f"| {tolerance:g} | {taken} | {explicit / taken:.0f} | {alpha} | {rk / alpha:.0f} |")
    return found


def agreement(problem: Problem, steps: Sequence[float], h: float) -> None:
    """Print the differences of both methods and their orders."""
    off = problem.differences(steps, h)
    print(f"\n{problem.case}, {problem.signal} at {problem.end:g} s: alpha scheme against Runge-Kutta with h = {h:g} s")
    for k, (step, d) in enumerate(zip(steps, off, strict=True)):
        order = f", order {math.log(off[k - 1] / d) / math.log(steps[k - 1] / step):.2f}" if k else ""
        print(f"  h = {step:g} s: {d:.3g} m{order}")


def picture(file: Path, limit: float, taken: Sequence[int], end: float = 1.0) -> None:
    """Draw the deflection by both methods, and steps against tolerance."""
    import matplotlib
    from matplotlib.figure import Figure

    from flexmb.postproc.style import BLUE, FAINT, ORANGE, STYLE, VERMILLION

    every = round(2e-3 / (0.9 * limit))
    path = Explicit(BEAM.system).run(2e-3 / every, round(end * every / 2e-3), every)
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(9.6, 4.0), layout="constrained")
        left, right = figure.subplots(1, 2)
        label = f"Runge-Kutta, h = {2e-3 / every:.2g} s"
        left.plot(path.time, path.signal(BEAM.signal)[:, 2], color=FAINT, alpha=0.6, linewidth=5.0, label=label)
        for h, style, colour in ((2e-3, "-", BLUE), (1e-2, (0, (2, 2)), VERMILLION)):
            run = BEAM.implicit(step=h, end=end)
            label = f"alpha scheme, h = {h:g} s, {h / limit:.0f} times the limit"
            left.plot(run.time, run.signals[BEAM.signal][:, 2], linestyle=style, color=colour, label=label)
        left.set(xlabel="time [s]", ylabel="height of the tip [m]", xlim=(0.0, end))
        left.set_title(f"Rotating beam, {BEAM.freedom + 1} degrees of freedom", pad=44)
        right.loglog(TOLERANCES, taken, "o-", color=BLUE, label="alpha scheme")
        right.axhline(BEAM.end / limit, color=FAINT, linewidth=3.0, label="Runge-Kutta at its limit")
        right.loglog(TOLERANCES, THESIS["alpha scheme"], "s--", color=ORANGE, label="alpha scheme, Haddouni's beam")
        right.loglog(TOLERANCES, THESIS["Runge-Kutta 4"], "^--", color=VERMILLION, label="Runge-Kutta, Haddouni's beam")
        right.invert_xaxis()
        right.set(xlabel="tolerance", ylabel="steps", ylim=(50, 5e5))
        right.set_title(f"Steps for {BEAM.end:g} s", pad=44)
        for axes, columns in ((left, 1), (right, 2)):  # above the frames, off the curves
            axes.legend(loc="lower left", bbox_to_anchor=(0.0, 1.01), ncols=columns)
        figure.savefig(file, dpi=125)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables; draw the picture if asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--quick", action="store_true", help="short runs: the limits only, found over 300 steps")
    parser.add_argument("--picture", type=Path, help="file to draw the comparison to")
    given = parser.parse_args(arguments)
    began = time.perf_counter()
    steps = 300 if given.quick else 3000
    print(f"rotating beam: {BEAM.freedom + 1} degrees of freedom, the driven one counted")
    limit, _ = limits(BEAM, steps), limits(ROTOR, steps)
    if given.quick:
        return
    taken = counts(BEAM, limit)
    agreement(STARTED_BEAM, (4e-3, 2e-3, 1e-3, 5e-4, 2.5e-4), 2e-5)
    agreement(HEAVY_ROTOR, (5e-4, 2.5e-4, 1.25e-4, 6.25e-5), 4e-6)
    if given.picture:
        picture(given.picture, limit, taken)
    print(f"\n{time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
