"""Make the pictures of docs/rotor_runs.md: ``python docs/figures_rotor_runs.py``.

Or those named: rub_penalty, rub_penalty_friction, sommerfeld, run_up.
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib
import numpy as np
from figures import DASHED, IMAGES, name
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import flexmb as fm
from flexmb.postproc.style import BLUE, FIELD_MAP, INK, ORANGE, PURPLE, SKY, STYLE, VERMILLION

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from references import jeffcott  # noqa: E402  (the references of the tests)
from rub_friction_figure import rub_penalty_friction  # noqa: E402

DISK = {"m": 1.6, "k": 4000.0, "c": 16.0, "U": 1.6e-3, "W": 40.0}
GAP, TURN = 1e-3, 2.0 * np.pi / 40.0
RUB = [
    "bodies.rotor.spin.speed=40.0",
    "bodies.rotor.material.density=0.1",
    "bodies.rotor.disks=[{node=1, mass=1.6, inertia=0.01, polar_inertia=0.02, eccentricity=0.001}]",
    "bodies.rotor.bearings=[{node=1, stiffness=0.0, damping=16.0}]",
]
"""What makes the case ``laval_rotor`` the rotor DISK, whose free orbit (1.62 mm) is wider than its ring."""
STIFF = np.array([10.0, 100.0, 1000.0, 10000.0])
"""Of the ring of springs, over that of the shaft."""
SHADES = matplotlib.colormaps[FIELD_MAP](np.linspace(0.85, 0.1, STIFF.size))
"""Their colours, darker as they get stiffer."""
MORE = np.array([10.0, 30.0, 100.0, 300.0, 1e3, 3e3, 1e4, 3e4, 1e5])
SPANS = {"first bounce": 0.09, "six bounces": 0.13, "17 bounces": 0.4}
"""s."""


def rub(restitution: float, rho_inf: float, end: float, step: float) -> fm.Result:
    """Run the rotor in its hard ring."""
    model = fm.load_case("laval_rotor", RUB).model()
    model.add(fm.Clearance("ring", node="rotor.mid", gap=GAP, restitution=restitution))
    scheme = fm.GeneralizedAlpha(rho_inf=rho_inf)
    return fm.simulate(model, scheme, end=end, step=step, signals=["rotor.mid.displacement"])


def orbit(result: fm.Result) -> np.ndarray:
    """Return y + i z of the disk."""
    x = result.signals["rotor.mid.displacement"]
    return np.asarray(x[:, 1] + 1j * x[:, 2])


def impulse_per_turn(steps: int) -> float:
    """Return the impulse of the last turn of a rub with so many steps to a turn."""
    result = rub(0.0, 0.8, 26 * TURN, TURN / steps)
    return float(result.contacts["ring"].impulse[-steps:].sum())


def bounce_differences() -> dict[str, list[float]]:
    """Return the distances of bouncing orbits in elastic rings (MORE) from the hard one, over the gap, by span."""
    t = np.linspace(0.0, max(SPANS.values()), 1601)
    hard, _ = jeffcott.bounces(t, **DISK, gap=GAP, restitution=1.0)
    off = [np.abs(jeffcott.penalty(t, **DISK, gap=GAP, stiffness=float(x * DISK["k"])) - hard) / GAP for x in MORE]
    return {word: [float(x[t <= end].max()) for x in off] for word, end in SPANS.items()}


def rub_penalty() -> Figure:
    """Return rings of springs that get stiffer beside the hard ring: steady rub, bounces, impulse, differences."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(9.6, 8.2), dpi=125, layout="constrained")
        (radius, path), (impulse, difference) = figure.subplots(2, 2)
        apart = draw_steady_rub(radius)
        draw_bounces(path)
        forces = np.array([jeffcott.annular_rub(**DISK, gap=GAP, stiffness=float(x * DISK["k"]))[1] for x in STIFF])
        hard_force = jeffcott.annular_rub(**DISK, gap=GAP)[1]
        draw_impulses(impulse, forces, hard_force)
        draw_differences(difference, {"steady orbit": apart, "impulse per turn": (1.0 - forces / hard_force).tolist()})
    return figure


def draw_steady_rub(axes: Axes) -> list[float]:
    """Draw the radius of a rub that starts from the hard orbit; return the largest distances from it, over the gap."""
    lag = np.arcsin(DISK["c"] * GAP / (DISK["U"] * DISK["W"]))
    t = np.linspace(0.0, 2.0 * TURN, 1601)
    steady = GAP * np.exp(1j * (DISK["W"] * t - lag))
    apart = []
    for x, colour in zip(STIFF, SHADES, strict=True):
        start = (steady[0], 1j * DISK["W"] * steady[0])
        soft = jeffcott.penalty(t, **DISK, gap=GAP, stiffness=float(x * DISK["k"]), start=start)
        axes.plot(t / TURN, 1e3 * np.abs(soft), color=colour, label=f"{x:g} k")
        apart.append(float(np.abs(soft - steady).max()) / GAP)
    axes.axhline(1e3 * GAP, label="hard", **DASHED)
    axes.set_xlabel("turns")
    name(axes, "Steady rub", "radius [mm]", columns=3)
    return apart


def draw_bounces(axes: Axes) -> None:
    """Draw the first bounces in rings of springs and in the hard ring, with e = 1."""
    bouncing = rub(1.0, 1.0, 0.13, 1.25e-5)
    late = bouncing.time > 0.06
    for x, colour in zip(STIFF, SHADES, strict=True):
        soft = 1e3 * jeffcott.penalty(bouncing.time, **DISK, gap=GAP, stiffness=float(x * DISK["k"]))[late]
        axes.plot(soft.real, soft.imag, color=colour, linewidth=1.0, label=f"{x:g} k")
    hard = 1e3 * orbit(bouncing)[late]
    axes.plot(hard.real, hard.imag, color=VERMILLION, linewidth=1.3, label="flexmb, hard, e = 1")
    angle = np.linspace(0.0, 2.0 * np.pi, 400)
    axes.plot(np.cos(angle), np.sin(angle), color=INK, linewidth=0.9, label="ring")
    axes.set_aspect("equal", adjustable="datalim")
    axes.set_xlabel("y [mm]")
    name(axes, "First bounces", "z [mm]", columns=3)


def draw_impulses(axes: Axes, forces: np.ndarray, hard_force: float) -> None:
    """Draw the impulse per turn over the stiffness of the ring, and that of hard runs with three steps."""
    axes.semilogx(STIFF, forces * TURN, "o-", color=BLUE, label="springs")
    axes.axhline(hard_force * TURN, label="hard, exact", **DASHED)
    for steps, marker in ((100, "v"), (200, "s"), (400, "^")):
        label = f"flexmb, {steps} steps per turn"
        axes.plot([4e4], [impulse_per_turn(steps)], marker, color=VERMILLION, markersize=5, label=label)
    axes.set_xlabel("stiffness of the ring / that of the shaft")
    name(axes, "", "impulse per turn [N s]")


def draw_differences(axes: Axes, steady: dict[str, list[float]]) -> None:
    """Draw the differences of elastic rings from the hard ring, over their stiffness."""
    for (word, values), marker, colour in zip(steady.items(), "o^", (BLUE, SKY), strict=True):
        axes.loglog(STIFF, values, marker + "-", color=colour, label=word)
    colours = (VERMILLION, ORANGE, PURPLE)
    for (word, values), marker, colour in zip(bounce_differences().items(), "sDv", colours, strict=True):
        axes.loglog(MORE, values, marker + "-", color=colour, markersize=4, label=word)
    axes.loglog(STIFF, 0.6 / STIFF, label="~ 1 / stiffness", **DASHED)
    axes.loglog(MORE, 0.6 / np.sqrt(MORE), color=INK, linestyle=":", label="~ 1 / √stiffness")
    axes.set_xlabel("stiffness of the ring / that of the shaft")
    name(axes, "", "relative difference from the hard ring", columns=3)


def sommerfeld() -> Figure:
    """Return speed and radius of the rotor with a weak and a stronger motor."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(9.6, 4.2), dpi=125, layout="constrained")
        speed, radius = figure.subplots(1, 2)
        for torque, colour in ((0.1, BLUE), (0.2, VERMILLION)):
            result = fm.load_case("sommerfeld", [f"bodies.rotor.spin.characteristic.torque=[{torque}, 0.0]"]).run()
            label = f"{torque:g} N m at rest"
            speed.plot(result.time, result.signals["rotor.spin_speed"], color=colour, label=label)
            radius.plot(result.time, 1e3 * np.abs(orbit(result)), color=colour, linewidth=0.9, label=label)
        speed.axhline(50.0, label="critical speed", **DASHED)
        for axes in (speed, radius):
            axes.set_xlabel("time [s]")
            axes.set_xlim(0.0, 30.0)
        name(speed, "Speed", "speed [rad/s]", columns=3)
        name(radius, "Orbit of the disk", "radius [mm]")
    return figure


def run_up() -> Figure:
    """Return the radius over the speed of the run-up, beside the steady orbits."""
    result = fm.load_case("run_up").run()
    rotor = {"m": 1.6, "k": 4000.0, "c": 3.2, "U": 1.6e-3}
    speeds = np.linspace(20.0, 100.0, 801)
    slow = [1e3 * jeffcott.steady_radius(**rotor, W=W) for W in speeds]
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8.0, 3.8), dpi=125, layout="constrained")
        axes = figure.subplots()
        speed = np.ravel(result.signals["rotor.spin_speed"])
        axes.plot(speed, 1e3 * np.abs(orbit(result)), color=BLUE, label="run-up, 10 rad/s²")
        axes.plot(speeds, slow, label="steady orbits (slow passage)", **DASHED)
        axes.set_xlim(20.0, 100.0)
        axes.set_xlabel("speed [rad/s]")
        name(axes, "Through the critical speed", "radius [mm]")
    return figure


PICTURES = {
    "rub_penalty": rub_penalty,
    "rub_penalty_friction": rub_penalty_friction,
    "sommerfeld": sommerfeld,
    "run_up": run_up,
}


def main(names: list[str]) -> None:
    """Make the pictures named, or all."""
    for word in names or list(PICTURES):
        PICTURES[word]().savefig(IMAGES / f"{word}.png")


if __name__ == "__main__":
    main(sys.argv[1:])
