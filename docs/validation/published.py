"""Numbers printed in papers: tables of errors of a scheme, end states of test sets."""

from __future__ import annotations

import numpy as np

import flexmb as fm
from validation.comparison import Curve, compared, component

TITLE = "Published tables"
HALVINGS = "$k$ of the step $h = 2^{-k}$ s"
PENDULUM = (0.0219462575638, -0.9997591518856, 0.0238513095094, -1.9997573372725)
"""Places of both masses at 2.5 s, from ``tests/references/double_pendulum_wall.py``."""
BLOCK = 3.004348569726865
"""Place of the block at 2 s, closed form (``tests/references/dry_friction.py``)."""


def decades(label: str, errors: list[float], printed: tuple[float, ...], at_most: float = 1e-3) -> Curve:
    """Return errors of steps of 2^-5 s, halved successively, and those printed, in decades."""
    halvings = 5 + np.arange(len(printed), dtype=float)
    return Curve(label, halvings, np.log10(np.abs(errors)), np.log10(printed), at_most, abscissa=HALVINGS)


@compared("potra_double_pendulum", "Potra's scheme: double pendulum with five impacts",
          "Potra et al. (2006), table I", "printed table", "scheme.variant=II")  # fmt: skip
def pendulum_table(result: fm.Result) -> list[Curve]:
    """The error of the position at 2.5 s, and the errors of both rods, with $h = 2^{-5}$ to $2^{-9}$.

    The paper takes states from interpolating polynomials, so its errors differ by up to 9 %.
    """
    places, rods = [], ([], [])  # type: ignore[var-annotated]
    for k in range(5, 10):
        run = fm.load_case("potra_double_pendulum", ["scheme.variant=II", f"time.step={2.0**-k}"]).run()
        x = np.concatenate([run.signals[f"{name}.position"][-1, :2] for name in ("upper", "lower")])
        places.append(float(np.linalg.norm(x - PENDULUM)))
        for errors, rod in zip(rods, (x[:2], x[2:] - x[:2]), strict=True):
            errors.append(float(rod @ rod - 1.0))
    return [
        decades("log10, error of the positions", places, (2.38e-3, 6.14e-4, 1.54e-4, 3.95e-5, 1.01e-5), 2e-2),
        decades("log10, error of the upper rod", rods[0], (1.27e-3, 3.14e-4, 7.82e-5, 1.95e-5, 4.88e-6), 2e-2),
        decades("log10, error of the lower rod", rods[1], (3.18e-3, 8.29e-4, 2.14e-4, 5.48e-5, 1.37e-5), 2e-2),
    ]


def block_errors(variant: str, count: int) -> list[float]:
    """Return the errors of the place of Potra's block at 2 s, with steps of 2^-5 s, halved successively."""
    sets = [f"scheme.variant={variant}"]
    runs = [fm.load_case("potra_block", [*sets, f"time.step={2.0**-k}"]).run() for k in range(5, 5 + count)]
    return [float(component(run, "block.position", 0)[-1]) - BLOCK for run in runs]


@compared("potra_block", "Potra's scheme I: block that sticks", "Potra et al. (2006), table II", "printed table")
def block_table_one(result: fm.Result) -> list[Curve]:
    """The error of the position at 2 s, with $h = 2^{-5}$ to $2^{-9}$."""
    printed = (5.197e-5, 1.025e-5, 2.555e-6, 6.551e-7, 1.549e-7)
    return [decades("log10, error of the position", block_errors("I", 5), printed)]


@compared("potra_block", "Potra's scheme II: block that sticks", "Potra et al. (2006), table III", "printed table",
          "scheme.variant=II")  # fmt: skip
def block_table_two(result: fm.Result) -> list[Curve]:
    """The error of the position at 2 s, with $h = 2^{-5}$ to $2^{-10}$."""
    printed = (8.023e-5, 2.310e-5, 5.619e-6, 1.395e-6, 3.652e-7, 8.246e-8)
    return [decades("log10, error of the position", block_errors("II", 6), printed)]


@compared("flexible_slider_crank", "End state of the flexible slider-crank",
          "Test Set for IVP Solvers, release 2.4, problem crank", "printed numbers")  # fmt: skip
def crank_table(result: fm.Result) -> list[Curve]:
    """Position and velocity of the slider at 0.1 s, over the printed numbers.

    The velocity contains an axial vibration of the rod of 0.001 m/s at 25000 rad/s.
    """
    x, v = (component(result, f"slider.{name}", 0)[-1] for name in ("position", "velocity"))
    found = np.array([x / 0.1697373326718410, v / -8.753116989887888])
    return [Curve("over the printed number", [1.0, 2.0], found, [1.0, 1.0], 1e-4, abscissa="position, velocity")]
