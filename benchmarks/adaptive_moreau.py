"""Does Moreau's time stepping gain by steps chosen by their error? RR-7151, section 5, on its two examples.

    python benchmarks/adaptive_moreau.py

Steps are halved, err = |q_half - q_full| (eq 67), h <- h min(5, max(1/2, (tol / err)^(1/k))), k = 1 in a step in which
a contact closes, else 3 (eqs 66, 69; the order of the scheme without impacts is 2 for theta = 1/2, not 1). Printed is,
over many tolerances, the error of constant steps over that of adaptive ones with the same number of evaluations: above
1 the adaptive steps gain. "bound" adds h <= g / |U|, without which impacts are jumped over: flights of the ball are
exact, so that nothing bounds the steps there.
"""

from __future__ import annotations

import numpy as np

import flexmb as fm
from flexmb.drive.events.stepping import Stepping
from flexmb.nonsmooth.solvers import ContactSolver
from flexmb.state import State

END = 5.0


def ball(t: np.ndarray) -> np.ndarray:
    """Return the height of the ball: f = -2, e = 1/2, q0 = 1 (RR eq 10)."""
    n = np.where(t < 3.0, np.floor(2.0 - np.log2(np.maximum(3.0 - t, 1e-12)) + 1e-12), 60.0)
    first = np.where(t < 1.0, 0.0, 3.0 - 2.0 ** (2.0 - n))
    s = t - first
    return np.where(t < 1.0, 1.0 - t * t, np.where(t < 3.0, 2.0 ** (1.0 - n) * s - s * s, 0.0))


def oscillator(t: np.ndarray) -> np.ndarray:
    """Return the place of the oscillator: m = 1, c = 0.2, k = 4, e = 0.7, q0 = 1 (RR eq 11)."""
    a, k, e = 0.1, 4.0, 0.7
    w = np.sqrt(k - a * a)
    hit = (np.pi - np.arctan2(w, a)) / w
    speed = e * np.exp(-a * hit) * (k / w) * np.sin(w * hit)
    n = np.floor((t - hit) * w / np.pi)
    s = t - hit - n * np.pi / w
    free = np.exp(-a * t) * (np.cos(w * t) + a / w * np.sin(w * t))
    later = speed * (e * np.exp(-a * np.pi / w)) ** n / w * np.exp(-a * s) * np.sin(w * s)
    return np.where(t < hit, free, later)


PROBLEMS = {"ball": ("bouncing_ball", ball), "oscillator": ("impact_oscillator", oscillator)}


class Problem:
    """One of the examples: its system and its steps."""

    def __init__(self, name: str) -> None:
        case, self.exact = PROBLEMS[name]
        self.system = fm.load_case(case).plan.system
        self.steps = Stepping(self.system, ContactSolver(), gamma=0.5)
        self.calls = 0

    def step(self, state: State, h: float) -> State:
        """Take one step that begins anew."""
        self.calls += 1
        self.steps.begin(state, h)
        return self.steps.step(state.t, state.q, state.v, h)[0]

    def gap(self, state: State) -> tuple[float, float]:
        """Return gap and relative velocity."""
        here = self.system.instant(state.t, state.q, state.v)
        return float(here.g[0]), float(here.U[0])

    def error(self, times: list[float], gaps: list[float]) -> float:
        """Return the L1 error of the place at the ends of the steps, by the trapezoidal rule."""
        t = np.array(times)
        return float(np.trapezoid(np.abs(np.array(gaps) - self.exact(t)), t))

    def constant(self, n: int) -> float:
        """Return the error of n steps of one size."""
        state = State(0.0, self.system.q0.copy(), self.system.v0.copy())
        times, gaps = [0.0], [self.gap(state)[0]]
        for k in range(n):
            new = self.step(state, END / n)
            state = State(END * (k + 1) / n, new.q, new.v)
            times.append(state.t)
            gaps.append(self.gap(state)[0])
        return self.error(times, gaps)

    def adaptive(self, tol: float, bound: bool) -> tuple[float, int]:
        """Return the error of steps chosen by a tolerance, and the steps that were evaluated."""
        state, h, self.calls = State(0.0, self.system.q0.copy(), self.system.v0.copy()), 1e-2, 0
        times, gaps = [0.0], [self.gap(state)[0]]
        while state.t < END and self.calls < 60_000:
            g, U = self.gap(state)
            if bound and U < 0.0 and g > 0.0:
                h = min(h, max(g / -U, tol))
            h = min(h, END - state.t)
            whole, middle = self.step(state, h), self.step(state, 0.5 * h)
            end = self.step(middle, 0.5 * h)
            err = float(np.abs(end.q - whole.q).max())
            g_1, _ = self.gap(end)
            power = 1.0 if (g > 0.0) != (g_1 > 0.0) else 3.0
            grown = min(5.0, max(0.5, (tol / err) ** (1.0 / power))) if err > 0.0 else 5.0
            if err <= tol:
                state = end
                times.append(state.t)
                gaps.append(g_1)
            h *= min(grown, 0.9) if err > tol else grown
        return self.error(times, gaps), self.calls


def ratios(name: str, bound: bool, tolerances: np.ndarray) -> np.ndarray:
    """Return errors of constant over adaptive steps at the same work."""
    problem, out = Problem(name), []
    for tol in tolerances:
        adaptive, calls = problem.adaptive(float(tol), bound)
        out.append(problem.constant(calls) / adaptive)
    return np.array(out)


def main() -> None:
    """Print the ratios."""
    tolerances = np.geomspace(1e-2, 3e-5, 12)
    for name in PROBLEMS:
        for bound in (False, True):
            r = ratios(name, bound, tolerances)
            words = f"median {np.median(r):.2f}, from {r.min():.3f} to {r.max():.2f}"
            print(f"{name:11} {'h <= g/|U|' if bound else 'no bound':11} error constant / adaptive: {words}")


if __name__ == "__main__":
    main()
