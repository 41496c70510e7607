"""The pictures of friction.md: stick-slip on belts, waves locked in by friction, and dry whip, beside what is exact."""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import flexmb as fm

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests"))
from references import dry_friction, dry_whip, rough_bar  # noqa: E402

BLUE, RED, GREY = "#1f5a92", "#b3402e", "#777777"


def belts(axes: plt.Axes) -> None:
    """Position of the two masses of ``stick_slip_belt``."""
    result = fm.load_case("stick_slip_belt").run()
    t = result.time
    exact = dry_friction.coulomb_belt(t)[0]
    falling = dry_friction.falling_belt(t, lambda v: 0.2 + 0.1 * np.exp(-((v / 0.5) ** 2)), 100.0, 10.0, 0.5)[0]
    for name, curve, colour in (("coulomb", exact, BLUE), ("stribeck", falling, RED)):
        axes.plot(t, 1e3 * curve, color=GREY, lw=2.6, alpha=0.5)
        axes.plot(t, 1e3 * result.signals[f"{name}.position"][:, 0], color=colour, lw=1.0, label=name.capitalize())
    axes.set(
        xlabel="time, s",
        ylabel="position, mm",
        title="Masses on belts (gray: exact)",
        xlim=(0.0, 2.0),
        ylim=(-75.0, 90.0),
    )
    axes.legend(loc="lower center", ncols=2, frameon=False)


def bar(axes: plt.Axes) -> None:
    """Displacement along the bar on a rough floor at four times."""
    nodes = range(0, 101, 2)
    signals = [f"bar.node({k}).displacement" for k in nodes]
    result = fm.load_case("bar_on_rough_floor", ["output.signals=" + str(signals).replace("'", '"')]).run()
    x, fine = np.array([0.1 * k for k in nodes]), np.linspace(0.0, 10.0, 401)
    for time, colour in ((0.05, "#9db8d4"), (0.1, "#6690bb"), (0.2, "#3a6ea5"), (0.5, RED)):
        i = int(np.searchsorted(result.time, time - 1e-9))
        axes.plot(fine, 1e3 * rough_bar.displacement(fine, time), color=GREY, lw=2.6, alpha=0.5)
        u = [1e3 * result.signals[name][i, 0] for name in signals]
        axes.plot(x, u, color=colour, lw=1.0, label=f"t = {time:g} s" if time < 0.4 else "at rest, locked in")
    axes.set(xlabel="place in the bar, m", ylabel="displacement, mm", title="Bar pushed on a rough floor")
    axes.legend(frameon=False)


def whip(axes: plt.Axes) -> None:
    """Backward whirl of the disk in the ring."""
    result = fm.load_case("rotor_dry_whip").run()
    x, v = result.signals["disk.position"], result.signals["disk.velocity"]
    rate = -(x[:, 0] * v[:, 1] - x[:, 1] * v[:, 0]) / (x[:, 0] ** 2 + x[:, 1] ** 2)
    axes.plot(1e3 * result.time, dry_whip.whirl(result.time)[0], color=GREY, lw=2.6, alpha=0.5, label="exact")
    axes.plot(1e3 * result.time, rate, color=RED, lw=1.0, label="computed")
    axes.axhline(100.0, color=BLUE, lw=0.8, ls=":")
    axes.text(39.5, 104.0, "natural frequency", color=BLUE, ha="right", fontsize=8)
    axes.set(
        xlabel="time, ms", ylabel="backward whirl, rad/s", title="Dry whip: slip, then rolling", ylim=(80.0, 320.0)
    )
    axes.legend(loc="center right", frameon=False)


def main() -> None:
    """Write docs/images/friction.png."""
    figure, axes = plt.subplots(1, 3, figsize=(12.0, 3.6), layout="constrained")
    for draw, place in zip((belts, bar, whip), axes, strict=True):
        draw(place)
        place.spines[["top", "right"]].set_visible(False)
    figure.savefig(HERE / "images" / "friction.png", dpi=120)


if __name__ == "__main__":
    main()
