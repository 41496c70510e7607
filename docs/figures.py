"""Make the pictures of README and docs: ``python docs/figures.py`` all of them, or those whose names are given.

``impacting_bar`` (the bar beside the exact solution, and what ``flexmb view`` shows), ``bouncing_pendulum`` (two schemes
on a joint and a contact), ``four_bar`` and ``flexible_slider_crank`` (what ``flexmb view`` shows), ``spin_up_beam`` (a
sequence of shapes and the lag of the tip). Every picture runs its shipped case; docs/images holds them.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy.special import ellipk, ellipkinc

import flexmb as fm
from flexmb.postproc.plots import draw_energy, draw_works
from flexmb.postproc.style import BLUE, INK, STYLE, VERMILLION
from flexmb.postproc.view import view

IMAGES = Path(__file__).parent / "images"
DASHED = {"color": INK, "linestyle": (0, (4, 2)), "linewidth": 1.1}

# Doyen, Ern, Piperno (2011): E = 900, rho = 1, A = 1, L = 10, gap 5, speed 10. The wave speed is c = 30, so the bar
# stays at the wall while the wave runs there and back, 2 L / c = 2/3, and pushes with rho A c v = 300.
SPEED, MEETS, LEAVES, PLATEAU = 10.0, 1 / 2, 1 / 2 + 2 / 3, 300.0

# Acary (2019), bouncing pendulum, with the masses of the shipped case: m = 1, l = 1, J = 1/3, g = 9.81, e = 0.8.
# phi is the angle from hanging, phi'' = -STIFF sin phi; it starts at 90 degrees, the wall is at 45.
STIFF, E_REST, RESTITUTION, WALL = 9.81 / (1 / 3 + 1), -9.81 / np.sqrt(2.0), 0.8, np.pi / 4
MOREAU = ["scheme.name=moreau-jean", "scheme.theta=0.5555555555555556"]  # 1 / (1 + e), the lecture's


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
            axes.set_xlim(0.0, 2.0)
    return figure


def name(axes: Axes, title: str, label: str, columns: int = 2) -> None:
    """Write title, axis label and legend as the charts of ``flexmb.postproc`` do."""
    axes.set_title(title)
    axes.set_ylabel(label)
    axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.02), ncols=columns)


def exact_impacts(count: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the times of the pendulum's impacts and its energy after each, s and J, (count,)."""
    n = np.arange(count)
    energy = E_REST * (1.0 - RESTITUTION ** (2 * n))  # before impact n + 1: each leaves the part e^2 above the rest
    top = np.arccos(np.clip(-energy / 9.81, 0.0, 1.0))  # where it turns: E = -m g l cos phi... measured from the pin
    top = np.where(n == 0, 0.5 * np.pi, top)
    m = np.sin(0.5 * top) ** 2
    swing = (ellipk(m) - ellipkinc(np.arcsin(np.sin(0.5 * WALL) / np.sqrt(m)), m)) / np.sqrt(STIFF)
    return np.cumsum(np.where(n == 0, 1.0, 2.0) * swing), E_REST * (1.0 - RESTITUTION ** (2 * (n + 1)))
