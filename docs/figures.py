"""Make the pictures of the README: ``python docs/figures.py``.

Runs the shipped case ``impacting_bar`` and writes docs/images/impacting_bar.png, the computed bar beside the exact
solution, and docs/images/impacting_bar_view.png, what ``flexmb view`` shows.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

import flexmb as fm
from flexmb.postproc.plots import draw_energy, draw_works
from flexmb.postproc.style import BLUE, INK, STYLE
from flexmb.postproc.view import view

IMAGES = Path(__file__).parent / "images"
DASHED = {"color": INK, "linestyle": (0, (4, 2)), "linewidth": 1.1}

# Doyen, Ern, Piperno (2011): E = 900, rho = 1, A = 1, L = 10, gap 5, speed 10. The wave speed is c = 30, so the bar
# stays at the wall while the wave runs there and back, 2 L / c = 2/3, and pushes with rho A c v = 300.
SPEED, MEETS, LEAVES, PLATEAU = 10.0, 1 / 2, 1 / 2 + 2 / 3, 300.0


def exact_tip(t: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the exact position of the end that meets the wall, m."""
    return np.maximum(np.maximum(SPEED * (MEETS - t), SPEED * (t - LEAVES)), 0.0)


def exact_force(t: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the exact contact force, N."""
    return np.where((t > MEETS) & (t < LEAVES), PLATEAU, 0.0)


def bar_figure(result: fm.Result) -> Figure:
    """Return tip position and contact force beside the exact ones, and the energy ledger."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(9.6, 6.0), dpi=125, layout="constrained")
        (tip, force), (energy, works) = figure.subplots(2, 2, sharex=True)
        t = result.time
        fine = np.unique(np.concatenate([t, *(np.array([x - 1e-9, x + 1e-9]) for x in (MEETS, LEAVES))]))
        tip.plot(t, result.signals["rod.first.position"][:, 0], color=BLUE, label="computed")
        tip.plot(fine, exact_tip(fine), label="exact", **DASHED)
        name(tip, "Tip of the bar", "distance from the wall [m]")
        force.plot(t, result.contacts["wall"].force, color=BLUE, label="computed")
        force.plot(fine, exact_force(fine), label="exact: 300 N plateau", **DASHED)
        name(force, "Contact force", "force [N]")
        draw_energy(energy, result)
        draw_works(works, result)
        for axes in (tip, force):
            axes.set_xlabel("")
    return figure


def name(axes: Axes, title: str, label: str) -> None:
    """Write title, axis label and legend as the charts of ``flexmb.postproc`` do."""
    axes.set_title(title)
    axes.set_ylabel(label)
    axes.set_xlim(0.0, 2.0)
    axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.02), ncols=2)


def main() -> None:
    """Run the bar and write its pictures."""
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "impacting_bar"
        result = fm.load_case("impacting_bar").run(folder)
        bar_figure(result).savefig(IMAGES / "impacting_bar.png")
        view(folder, screenshot=IMAGES / "impacting_bar_view.png")
    for path in sorted(IMAGES.glob("impacting_bar*.png")):
        print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
