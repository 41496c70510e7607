"""The picture ``rub_penalty_friction`` of docs/rotor_runs.md: rings of springs with friction beside the rigid ring."""

from __future__ import annotations

import matplotlib
import numpy as np
from figures import DASHED, name
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from references import rough_ring
from rough_rub import (
    DISK,
    GAP,
    MU,
    RIM,
    ROLLING,
    TURN,
    bounces,
    in_springs,
    rub,
    steady_difference,
    whip,
    whip_in_springs,
)

from flexmb.postproc.style import BLUE, FIELD_MAP, INK, ORANGE, SKY, STYLE, VERMILLION

STIFF = np.array([10.0, 100.0, 1e3, 1e4])
"""Of the ring of springs, over that of the shaft."""
SHADES = matplotlib.colormaps[FIELD_MAP](np.linspace(0.85, 0.1, STIFF.size))
MORE = np.array([10.0, 30.0, 100.0, 300.0, 1e3, 3e3, 1e4, 3e4, 1e5])
SPANS = {"first bounce": 0.09, "four bounces": 0.13}
"""s."""


def rub_penalty_friction() -> Figure:
    """Return springs that get stiffer beside the rigid ring: bounces, dry whip, friction torque, differences."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(9.6, 8.2), dpi=125, layout="constrained")
        (path, rate), (work, difference) = figure.subplots(2, 2)
        hard, whirl = bounces(), whip()
        _draw_bounces(path, *hard)
        _draw_whip(rate, *whirl)
        _draw_torque(work)
        _draw_differences(difference, hard, whirl)
    return figure


def _draw_bounces(axes: Axes, time: np.ndarray, hard: np.ndarray) -> None:
    late = time > 0.06
    for x, colour in zip(STIFF, SHADES, strict=True):
        soft = 1e3 * in_springs(time, float(x))[late]
        axes.plot(soft.real, soft.imag, color=colour, linewidth=1.0, label=f"{x:g} k")
    axes.plot(
        1e3 * hard[late].real, 1e3 * hard[late].imag, color=VERMILLION, linewidth=1.3, label="flexmb, rigid, e = 1"
    )
    angle = np.linspace(0.0, 2.0 * np.pi, 400)
    axes.plot(np.cos(angle), np.sin(angle), color=INK, linewidth=0.9, label="ring")
    axes.set_aspect("equal", adjustable="datalim")
    axes.set_xlabel("y [mm]")
    name(axes, "Bounces", "z [mm]", columns=3)


def _draw_whip(axes: Axes, time: np.ndarray, rigid: np.ndarray) -> None:
    for x, colour in zip(STIFF, SHADES, strict=True):
        axes.plot(1e3 * time, whip_in_springs(time, float(x)), color=colour, linewidth=1.0, label=f"{x:g} k")
    axes.plot(1e3 * time, rigid, color=VERMILLION, linewidth=1.3, label="flexmb, rigid")
    axes.axhline(ROLLING, label="rolling", **DASHED)
    axes.set_xlabel("time [ms]")
    name(axes, "Dry whip", "backward whirl [rad/s]", columns=3)


def _draw_torque(axes: Axes) -> None:
    work = MU * RIM * DISK["W"] * TURN
    soft = [work * rough_ring.annular_rub(**DISK, gap=GAP, mu=MU, stiffness=float(x * DISK["k"]))[2] for x in STIFF]
    axes.semilogx(STIFF, soft, "o-", color=BLUE, label="springs")
    axes.axhline(work * rough_ring.annular_rub(**DISK, gap=GAP, mu=MU)[2], label="rigid, exact", **DASHED)
    for steps, marker in ((100, "v"), (200, "s"), (400, "^")):
        energy = rub(0.0, 0.8, 26 * TURN, TURN / steps).energy
        given = energy.work_drive - energy.work_spin
        label = f"flexmb, {steps} steps per turn"
        axes.plot([4e4], [given[-1] - given[-1 - steps]], marker, color=VERMILLION, markersize=5, label=label)
    axes.set_xlabel("stiffness of the ring / that of the shaft")
    name(axes, "", "work of the drive against friction per turn [J]")


def _draw_differences(axes: Axes, hard: tuple[np.ndarray, np.ndarray], whirl: tuple[np.ndarray, np.ndarray]) -> None:
    axes.loglog(MORE, [steady_difference(float(x)) for x in MORE], "o-", color=BLUE, label="steady rub")
    rates = [np.abs(whip_in_springs(whirl[0], float(x)) - whirl[1]).max() / ROLLING for x in MORE]
    axes.loglog(MORE, rates, "^-", color=SKY, label="dry whip")
    orbits = [np.abs(in_springs(hard[0], float(x)) - hard[1]) / GAP for x in MORE]
    for (word, end), marker, colour in zip(SPANS.items(), "sD", (VERMILLION, ORANGE), strict=True):
        off = [x[hard[0] <= end].max() for x in orbits]
        axes.loglog(MORE, off, marker + "-", color=colour, markersize=4, label=word)
    axes.loglog(MORE, 3.0 / MORE, label="~ 1 / stiffness", **DASHED)
    axes.loglog(MORE, 0.6 / np.sqrt(MORE), color=INK, linestyle=":", label="~ 1 / √stiffness")
    axes.set_xlabel("stiffness of the ring / that of the shaft")
    name(axes, "", "relative difference from the rigid ring", columns=3)
