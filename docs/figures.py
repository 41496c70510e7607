"""Make the pictures of README and docs: ``python docs/figures.py`` all of them, or those whose names are given.

``impacting_bar`` (the bar beside the exact solution, and what ``flexmb view`` shows), ``bouncing_pendulum`` (two
schemes on a joint and a contact), ``four_bar`` and ``flexible_slider_crank`` (what ``flexmb view`` shows),
``spin_up_beam`` (a sequence of shapes and the lag of the tip), ``rotors`` (linear analyses, orbits, spectra and
forces), ``spectra`` (what schemes do to a frequency), ``paraview`` (fields.vtkhdf by VTK's own reader, and two schemes
side by side), ``rings`` (a rotor that rubs), ``friction`` (stick-slip, a friction cone), ``tutorial`` (the
figure that the code of docs/tutorial.md draws). docs/images holds them.
"""

from __future__ import annotations

import contextlib
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy.special import ellipk, ellipkinc

import flexmb as fm
from flexmb.analysis.spectrum import spectrum
from flexmb.postproc.campbell_plot import plot_campbell
from flexmb.postproc.open_folder import open_folder
from flexmb.postproc.orbit_plot import plot_orbits
from flexmb.postproc.plots import draw_energy, draw_works
from flexmb.postproc.report import write_report
from flexmb.postproc.rotor_forces_plot import plot_rotor_forces
from flexmb.postproc.rotor_spectrum_plot import plot_spectrum, plot_waterfall
from flexmb.postproc.shapes_plot import plot_shapes
from flexmb.postproc.spectrum_plot import plot_spectra
from flexmb.postproc.static_plot import plot_static
from flexmb.postproc.style import BLUE, INK, STYLE, VERMILLION
from flexmb.postproc.unbalance_plot import plot_unbalance
from flexmb.postproc.view import view

IMAGES = Path(__file__).parent / "images"
DASHED = {"color": INK, "linestyle": (0, (4, 2)), "linewidth": 1.1}

# Doyen, Ern, Piperno (2011): E = 900, rho = 1, A = 1, L = 10, gap 5, speed 10. The wave speed is c = 30, so the bar
# stays at the wall while the wave runs there and back, 2 L / c = 2/3, and pushes with rho A c v = 300.
SPEED, MEETS, LEAVES, PLATEAU = 10.0, 1 / 2, 1 / 2 + 2 / 3, 300.0

# Acary (2019), bouncing pendulum, with the masses of the shipped case: m = 1, l = 1, J = 1/3, g = 9.81, e = 0.8.
# phi is the angle from hanging, phi'' = -STIFF sin phi; it starts at 90 degrees, the wall is at 45.
WEIGHT, WALL, RESTITUTION = 9.81, np.pi / 4, 0.8
STIFF, E_REST = WEIGHT / (1 / 3 + 1), -WEIGHT * np.cos(WALL)
MOREAU = ["scheme.name=moreau-jean", "scheme.theta=0.5555555555555556"]  # 1 / (1 + e), the lecture's

# spin_up_beam: times to show, s, and the lag (s, m) by a plane exact beam of high order (docs/cases.md)
SHOWN = (3.0, 4.4, 5.2, 6.0, 6.6, 7.2)
LAGS = ((3.0, 0.217), (5.0, 0.468), (6.76, 0.574), (10.0, 0.363))

# nelson_mcvaugh with damped bearings of unequal stiffness and 10 g mm out of balance on the disk
DAMPED_BEARINGS = (
    "["
    + ", ".join(
        f"{{ node = {node}, stiffness = [[3.5e7, -8.7e6], [-8.7e6, 3.5e7]], damping = 2e3 }}" for node in (10, 14)
    )
    + "]"
)  # the unequal bearings of the paper, k_yz = k_zy = -8.7e6 N/m
OUT = "[{ node = 4, magnitude = 1e-5 }]"

SHAKEN = fm.Harmonic(
    amplitude=1e-3, frequency=12.0, phase=np.pi / 2, offset=-1e-3
)  # a table that presses more and less, m

OMEGA_H = np.geomspace(0.01, 1000.0, 401)
SPECTRA = {
    "generalized-alpha, ρ∞ = 0.8": fm.GeneralizedAlpha(rho_inf=0.8),
    "hht, α = 0.1": fm.HHT(alpha=0.1),
    "moreau-jean-dissipative, θ = 0.6": fm.MoreauJeanDissipative(theta=0.6),
    "moreau-jean, θ = 1/2": fm.MoreauJean(theta=0.5),
    "newmark, β = 1/4, γ = 1/2": fm.Newmark(),
    "schatzman-paoli, symmetric": fm.SchatzmanPaoli(),
    "naive-hht, α = 0": fm.NaiveHHT(),
}
"""The schemes as they are by default."""


def exact_tip(t: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the exact position of the impacting end, m."""
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
    """Return the times of the pendulum's impacts and the energy it has from there on, s and J, (count,)."""
    n = np.arange(count)
    energy = E_REST * (1.0 - RESTITUTION ** (2 * n))  # after n impacts: each leaves the part e^2 above the rest
    m = np.sin(0.5 * np.arccos(-energy / WEIGHT)) ** 2  # it turns where energy = -m g l cos(phi)
    swing = (ellipk(m) - ellipkinc(np.arcsin(np.sin(0.5 * WALL) / np.sqrt(m)), m)) / np.sqrt(STIFF)
    return np.cumsum(np.where(n == 0, 1.0, 2.0) * swing), E_REST * (1.0 - RESTITUTION ** (2 * (n + 1)))


def pendulum_figure(results: dict[str, fm.Result]) -> Figure:
    """Return gap, penetration, joint error and energy of the bouncing pendulum, one curve per scheme."""
    impacts, left = exact_impacts(60)
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(9.6, 6.4), dpi=125, layout="constrained")
        (gap, energy), (inside, joint) = figure.subplots(2, 2, sharex=True)
        for (label, result), colour, width in zip(results.items(), (BLUE, VERMILLION), (1.4, 1.1), strict=True):
            t, look = result.time, {"color": colour, "label": label, "linewidth": width}
            gap.plot(t, result.contacts["wall"].gap, **look)
            depth = -result.contacts["wall"].gap
            inside.semilogy(t[depth > 0.0], depth[depth > 0.0], ".", markersize=4, **look)
            joint.semilogy(t, np.maximum(result.joints["pin"].position_error, 1e-17), **look)
            energy.plot(t, result.energy.total, **look)
        energy.step(np.append(0.0, impacts), np.append(0.0, left), where="post", label="exact", **DASHED)
        for axes in (inside, joint):
            axes.set_ylim(1e-17, 1e-2)
            axes.set_xlabel("time [s]")
        gap.axhline(0.0, color=INK, linewidth=0.7)
        name(gap, "Gap to the wall", "gap [m]")
        name(energy, "Energy", "energy [J]", columns=3)
        name(inside, "Steps inside the wall", "penetration [m]")
        name(joint, "Error of the pin", "distance from its place [m]")
        gap.set_xlim(0.0, 6.0)
    return figure


def spin_up_figure(exact: fm.Result, floating: fm.Result) -> Figure:
    """Return shapes of the beam while it is spun up, and the lag of its tip in two formulations."""
    angle = fm.SpinUp(rate=6.0, duration=15.0).value
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(9.6, 4.6), dpi=125, layout="constrained")
        shapes, lag = figure.subplots(1, 2, width_ratios=(1.0, 1.25))
        colours = matplotlib.colormaps["viridis"](np.linspace(0.0, 0.88, len(SHOWN)))
        for time, colour in zip(SHOWN, colours, strict=True):
            points = np.asarray(exact.mesh(time, warp=True).points)
            a = float(angle(time))
            shapes.plot([0.0, 10.0 * np.cos(a)], [0.0, 10.0 * np.sin(a)], **{**DASHED, "linewidth": 0.7})
            shapes.plot(points[:, 0], points[:, 1], color=colour, linewidth=2.4, label=f"{time:g} s")
        for result, colour, word in ((exact, BLUE, "exact-beam"), (floating, VERMILLION, "floating-beam")):
            tip, a = result.signals["beam.last.position"], angle(result.time)
            lag.plot(result.time, np.sin(a) * tip[:, 0] - np.cos(a) * tip[:, 1], color=colour, label=word)
        lag.plot(*zip(*LAGS, strict=True), "o", color=INK, markersize=4, markerfacecolor="none", label="reference")
        lag.axhline(0.0, color=INK, linewidth=0.7)
        lag.set_xlim(0.0, 20.0)
        shapes.set_aspect("equal")
        shapes.set_xlabel("x [m]")
        lag.set_xlabel("time [s]")
        name(shapes, "Spin-up: the beam at", "y [m]", columns=3)
        name(lag, "Lag of the tip", "lag [m]", columns=3)
    return figure


def floating_spin_up() -> fm.Result:
    """Run the case ``spin_up_beam`` with a floating beam of the same stiffness and mass per length."""
    model = fm.Model()
    section = {"area": 1e-3, "inertia": 5e-7, "torsion": 1e-6}  # EA = 2.8e7, EI = 1.4e4, rho A = 1.2
    material = {"young": 2.8e10, "density": 1200.0}
    model.add(fm.FloatingBeam("beam", length=10.0, elements=16, section=section, material=material, modes=4))
    drive = fm.SpinUp(rate=6.0, duration=15.0)
    model.add(fm.Revolute("hub", a="ground", b="beam.first", axis=(0.0, 0.0, 1.0), drive=drive))
    return fm.simulate(model, fm.GeneralizedAlpha(rho_inf=0.8), step=0.01, end=20.0, signals=["beam.last.position"])


def impacting_bar(work: Path) -> None:
    """Draw the bar beside the exact solution, and what ``flexmb view`` shows of it."""
    result = fm.load_case("impacting_bar").run(work / "impacting_bar")
    bar_figure(result).savefig(IMAGES / "impacting_bar.png")
    view(work / "impacting_bar", screenshot=IMAGES / "impacting_bar_view.png")


def bouncing_pendulum(work: Path) -> None:
    """Draw the pendulum with two schemes."""
    results = {
        "generalized-alpha, GGL": fm.load_case("bouncing_pendulum").run(),
        "moreau-jean": fm.load_case("bouncing_pendulum", MOREAU).run(),
    }
    pendulum_figure(results).savefig(IMAGES / "bouncing_pendulum.png")


def four_bar(work: Path) -> None:
    """Draw what ``flexmb view`` shows of the four-bar linkage."""
    fm.load_case("four_bar").run(work / "four_bar")
    view(work / "four_bar", screenshot=IMAGES / "four_bar_view.png", time=0.3, size=(1200, 675))


def flexible_slider_crank(work: Path) -> None:
    """Draw what ``flexmb view`` shows of the slider-crank with an elastic rod."""
    fm.load_case("flexible_slider_crank_beam").run(work / "crank")
    view(work / "crank", screenshot=IMAGES / "slider_crank_view.png", time=0.0125, size=(1200, 675))


def spin_up_beam(work: Path) -> None:
    """Draw the beam that is spun up."""
    exact = fm.load_case("spin_up_beam").run()
    spin_up_figure(exact, floating_spin_up()).savefig(IMAGES / "spin_up_beam.png")


def rotors(folder: Path) -> None:
    """Make the pictures of docs/rotors.md."""
    case = fm.load_case("nelson_mcvaugh")
    speeds = np.linspace(0.0, 11000.0, 56)
    damped = fm.load_case(
        "nelson_mcvaugh", [f"bodies.rotor.bearings={DAMPED_BEARINGS}", f"bodies.rotor.unbalances={OUT}"]
    )
    plot_campbell(fm.campbell(damped, speeds, count=8), case.title).savefig(IMAGES / "campbell.png", dpi=110)
    plot_shapes(fm.rotor_modes(case, 4000.0, 6), case.title).savefig(IMAGES / "rotor_modes.png", dpi=90)
    response = fm.unbalance_response(damped, np.linspace(10.0, 6500.0, 1300))
    plot_unbalance(response, damped.title).savefig(IMAGES / "unbalance.png", dpi=100)
    model = case.model()
    model.gravity = (0.0, 0.0, -9.81)
    plot_static(fm.static_deflection(model), case.title).savefig(IMAGES / "rotor_static.png", dpi=100)
    fm.load_case("rotor_rub").run(folder / "rub")
    fm.load_case("rub_two_disks").run(folder / "two")
    rub, two = open_folder(folder / "rub"), open_folder(folder / "two")
    plot_orbits(rub).savefig(IMAGES / "rub_orbits.png", dpi=100)
    plot_spectrum(rub, top=300.0).savefig(IMAGES / "rub_spectrum.png", dpi=100)
    plot_waterfall(two).savefig(IMAGES / "rub_waterfall.png", dpi=100)
    plot_rotor_forces(two).savefig(IMAGES / "rub_forces.png", dpi=100)


def spectra(work: Path) -> None:
    """Draw what each scheme does to a frequency, with the parameters it has by default."""
    plot_spectra({words: spectrum(scheme, OMEGA_H) for words, scheme in SPECTRA.items()}).savefig(
        IMAGES / "spectrum.png", dpi=150
    )


def paraview(work: Path) -> None:
    """Draw fields.vtkhdf as ParaView does, with VTK's reader and filters alone; and two results side by side."""
    folder = work / "beam_on_stop"
    fm.load_case("beam_on_stop").run(folder)
    warped_picture(folder / "fields.vtkhdf", 30, IMAGES / "paraview_beam_on_stop.png")
    both = [work / "alpha", work / "moreau"]
    for folder, scheme in zip(both, ("generalized-alpha", "moreau-jean"), strict=True):
        # words that have room over half of the picture
        fm.load_case("impacting_bar", [f"scheme.name={scheme}", "title=A bar against a wall"]).run(folder)
    view(both, screenshot=IMAGES / "impacting_bar_side_by_side.png", field="axial_force", time=0.7)


def rings(work: Path) -> None:
    """Draw disks, bearings, a hard stator and an elastic ring as ``flexmb view`` shows them."""
    fm.load_case("rub_two_disks").run(work / "rings")
    view(work / "rings", screenshot=IMAGES / "rub_two_disks_view.png", scale=200.0, size=(1600, 900))


def friction(work: Path) -> None:
    """Draw a block that sticks and slips on a belt, and the friction cone of a puck on a spring."""
    law = {"kind": "stribeck", "static": 0.5, "dynamic": 0.25, "speed": 0.2}
    belt, puck = fm.Model(), fm.Model()
    block = belt.add(fm.Particle("block", mass=1.0, axes="xz"))
    belt.add(fm.NodePlane("belt", node=block.first, normal=(0, 0, 1), friction=law, surface_velocity=(0.5, 0.0, 0.0)))
    disk = puck.add(fm.Particle("puck", mass=1.0, position=(0.6, 0.0, 0.0), velocity=(0.0, 1.5, 0.0)))
    puck.add(fm.NodePlane("table", node=disk.first, normal=(0, 0, 1), friction=0.3, motion=SHAKEN))
    for model, node in ((belt, block.first), (puck, disk.first)):
        model.gravity = (0.0, 0.0, -9.81)
        model.add(fm.Spring("x", node=node, anchor=(-2.0, 0.0, 0.0), stiffness=20.0, length=2.0))
    puck.add(fm.Spring("y", node=disk.first, anchor=(0.6, -2.0, 0.0), stiffness=20.0, length=2.0))
    sliding = fm.simulate(belt, fm.MoreauJean(), step=1e-3, end=4.0)
    sliding.plot_contact("belt").savefig(IMAGES / "friction_contact.png", dpi=90)
    whirling = fm.simulate(puck, fm.MoreauJean(), step=1e-3, end=2.5)
    whirling.plot_cone("table").savefig(IMAGES / "friction_cone.png", dpi=90)


def report(work: Path) -> None:
    """Draw the first part of the report of the bar; needs Chromium."""
    browser = shutil.which("chromium")
    if browser is None:
        print("report.png stays as it is: there is no chromium here")
        return
    fm.load_case("impacting_bar").run(work / "reported")
    page = work / "report.html"
    write_report([work / "reported"], page)
    # the motion and the energy on one page, without the tables between them
    hide = "<style>#run, #expectations { display: none } :root { overflow: hidden }</style></head>"
    page.write_text(page.read_text(encoding="utf-8").replace("</head>", hide, 1), encoding="utf-8")
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--window-size=1255,1107", "--virtual-time-budget=3000"]
    shot = f"--screenshot={IMAGES / 'report.png'}"
    subprocess.run([browser, *flags, f"--user-data-dir={work / 'profile'}", shot, page.as_uri()], check=True)


def warped_picture(path: Path, state: int, image: Path) -> None:
    """Read a state, warp it by its displacement, draw tubes and colour them by the bending moment on the cells."""
    from PIL import Image

    from flexmb.postproc.screen import prepare_off_screen

    prepare_off_screen()
    import pyvista as pv

    reader = pv.get_reader(path)  # a vtkHDFReader
    reader.reader.SetStep(state)
    grid = reader.read()
    tubes = grid.warp_by_vector("displacement", factor=5.0).extract_surface(algorithm=None).tube(radius=0.008)
    tubes["moment"] = np.linalg.norm(tubes["bending_moment"], axis=1)
    plotter = pv.Plotter(off_screen=True, window_size=[2400, 840])
    plotter.add_mesh(grid.extract_surface(algorithm=None), color="gray", line_width=4)
    bar = {"title": "bending moment, magnitude [N m]\n", "title_font_size": 40, "label_font_size": 34, "n_labels": 4}
    place = {"position_x": 0.25, "position_y": 0.06, "width": 0.5, "height": 0.16, "fmt": "%.3g"}
    plotter.add_mesh(tubes, scalars="moment", cmap="viridis", scalar_bar_args=bar | place)
    words = f"fields.vtkhdf, t = {reader.reader.GetTimeValue():.4g} s, warped by 5 times the displacement"
    plotter.add_text(words, font_size=18, color="black", position="upper_left")
    plotter.view_xz()
    plotter.camera.zoom(1.9)
    picture = plotter.screenshot(return_img=True)
    plotter.close()
    Image.fromarray(picture).reduce(2).save(image)


def tutorial(folder: Path) -> None:
    """Run the code of the tutorial and keep its figure as a picture."""
    space: dict[str, Any] = {}
    text = (IMAGES.parent / "tutorial.md").read_text(encoding="utf-8")
    with contextlib.chdir(folder):
        for block in re.findall(r"```python\n(.*?)```", text, re.S):
            exec(compile(block, "tutorial.md", "exec"), space)
    space["figure"].savefig(IMAGES / "tutorial.png", dpi=200)


PICTURES: tuple[Callable[[Path], None], ...] = (
    impacting_bar,
    bouncing_pendulum,
    four_bar,
    flexible_slider_crank,
    spin_up_beam,
    rotors,
    spectra,
    paraview,
    rings,
    friction,
    report,
    tutorial,
)


def main(names: list[str]) -> None:
    """Make the pictures named, or all."""
    IMAGES.mkdir(exist_ok=True)
    known = {draw.__name__: draw for draw in PICTURES}
    with tempfile.TemporaryDirectory() as temporary:
        for word in names or list(known):
            known[word](Path(temporary))
    for path in sorted(IMAGES.glob("*.png")):
        print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main(sys.argv[1:])
