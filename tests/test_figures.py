"""Figures of a run by ``flexmb plot``: what they show, what is asked for in vain, and every format."""

from __future__ import annotations

import logging
import shutil
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import flexmb as fm
from flexmb.cli import main
from flexmb.postproc.chain_of_lines import areas, chain_of_body
from flexmb.postproc.fields import signed, usual_field
from flexmb.postproc.moment_plot import end_moments, plot_moment
from flexmb.postproc.named_curves import Curves
from flexmb.postproc.open_folder import open_folder, opened
from flexmb.postproc.phase_plot import Section, drive_period, in_jumps, plot_phase, plot_poincare, section_points
from flexmb.postproc.plots import plot_energy, plot_signals
from flexmb.postproc.plotted import coinciding
from flexmb.postproc.scene import Look, Scene
from flexmb.postproc.space_time_plot import plot_space_time
from flexmb.postproc.structure import Shapes
from flexmb.postproc.ticks import prefixed, with_power
from flexmb.postproc.time_stretch import stretch_of

MESHES = Path(__file__).parents[1] / "meshes"
STEEL = {"young": 2e11, "density": 7800.0}


@pytest.fixture(scope="module")
def bar() -> fm.Result:
    """A bar of unit impedance that has struck a wall: stress -v rho c behind a front that moves with c = 1 m/s."""
    model = fm.Model()
    model.add(
        fm.Bar(
            "rod", length=1.0, elements=50, area=1.0, young=1.0, density=1.0, position=(0.1, 0, 0), velocity=(-1, 0, 0)
        )
    )
    model.add(fm.NodePlane("wall", node="rod.first", normal=(1.0, 0, 0)))
    return fm.simulate(model, fm.GeneralizedAlpha(rho_inf=0.5), step=5e-3, end=1.0, fields_every=2)


@pytest.fixture(scope="module")
def beam() -> fm.Result:
    """A cantilever at rest under its static tip load."""
    model = fm.Model(initial_static=())
    model.add(
        fm.Beam(
            "arm", length=2.0, elements=8, section={"shape": "rectangle", "height": 0.05, "width": 0.02},
            material=STEEL, orientation=(0, 0, 1.0), supports=[{"node": "first", "kind": "clamped"}],
        )
    )  # fmt: skip
    model.add(fm.NodalForce("tip", node="arm.last", force=(0.0, 0.0, -100.0)))
    model.initial_steady = True
    return fm.simulate(model, fm.Newmark(), step=1e-4, end=1e-3)


@pytest.fixture(scope="module")
def driven(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a linear oscillator on its steady motion, driven with 2 rad/s."""
    model = fm.Model()
    model.add(fm.Particle("ball", mass=1.0, axes="x"))
    model.add(fm.Spring("spring", node="ball", anchor=(-1.0, 0, 0), stiffness=1.0))
    model.add(fm.NodalForce("drive", node="ball", force=(1.0, 0, 0), function=fm.Harmonic(omega=2.0)))
    model.initial_steady = True
    result = fm.simulate(model, fm.Newmark(), steps=4000, end=4.0 * np.pi, start=0.0)
    return result.save(tmp_path_factory.mktemp("driven") / "run")


def test_space_time_diagram_shows_the_wave_front(bar: fm.Result) -> None:
    figure = plot_space_time(opened(bar))
    assert "stress" in figure.axes[1].get_xlabel() + figure.axes[0].get_xlabel() + figure.axes[2].get_xlabel()
    mesh = figure.axes[0].collections[0]
    assert mesh.norm.vcenter == 0.0
    assert mesh.norm.vmin == -mesh.norm.vmax
    shown = np.asarray(mesh.get_array()).reshape(-1, 50)
    scale = 10.0 ** round(np.log10(1.0 / np.abs(shown).max()) / 3.0) if np.abs(shown).max() > 10 else 1.0
    t = bar.fields.times
    k = int(np.argmin(np.abs(t - 0.6)))  # the front is 0.5 m in
    x = (np.arange(50) + 0.5) / 50
    assert shown[k][x < 0.4] * scale == pytest.approx(-1.0, abs=0.05)
    assert shown[k][x > 0.7] * scale == pytest.approx(0.0, abs=0.05)
    layout = bar.layout
    assert areas(layout, chain_of_body(layout, "rod").cells) == pytest.approx(1.0, rel=1e-12)
    with pytest.raises(fm.InputError, match="field"):
        plot_space_time(opened(bar), field="colour")
    with pytest.raises(fm.InputError, match="rod"):
        plot_space_time(opened(bar), body="rood")


def test_moment_line_is_that_of_statics(beam: fm.Result) -> None:
    maps = beam.fields.maps
    ends, axis = end_moments(maps, np.asarray(beam.fields.q[0])[None], np.arange(8))
    x = np.linspace(0.0, 2.0, 9)
    exact = -100.0 * (2.0 - x)  # tension on the upper side
    assert axis == "z"
    assert ends[0, :, 0] == pytest.approx(exact[:-1], rel=1e-6, abs=1e-6)
    assert ends[0, :, 1] == pytest.approx(exact[1:], rel=1e-6, abs=1e-6)
    figure = plot_moment(opened(beam))
    assert "M" in figure.axes[0].get_ylabel()
    assert plot_moment(opened(beam), envelope=True).axes[0].lines
    with pytest.raises(fm.InputError, match="arm"):
        plot_moment(opened(beam), body="leg")


def test_moment_of_a_frame_is_drawn_on_it() -> None:
    model = fm.Model(initial_static=("push",))
    model.add(
        fm.Beam(
            "frame", mesh=MESHES / "portal.msh", section={"area": 0.01, "inertia": 1e-5}, material=STEEL,
            supports=[{"node": "feet", "kind": "clamped"}],
        )
    )  # fmt: skip
    model.add(fm.NodalForce("push", node="frame.left", force=(1000.0, 0, 0)))
    result = fm.simulate(model, fm.Newmark(), step=1e-5, end=2e-5)
    figure = plot_moment(opened(result), time=0.0)
    feet = [text.get_text() for text in figure.axes[0].texts]
    # of the feet of a portal with k = 3/4: H h/4 (1 + 3k)/(1 + 6k) times 2
    k = (1e-5 / 4.0) / (1e-5 / 3.0)
    assert float(feet[0].split()[0]) * 1.0 == pytest.approx(1500.0 * (1 + 3 * k) / (1 + 6 * k), rel=0.01)


def test_stroboscopic_points_of_a_steady_motion_coincide(driven: Path) -> None:
    shown = open_folder(driven)
    curves = Curves(shown.result)
    names = ("ball.position.x", "ball.velocity.x")
    inside = np.ones(len(curves.time), dtype=bool)
    at, points = section_points(curves, names, Section(np.pi), inside)
    assert at == pytest.approx(np.pi * np.arange(5), abs=1e-9)
    assert np.ptp(points, axis=0) == pytest.approx([0.0, 0.0], abs=1e-4)
    at, points = section_points(curves, names, Section(None, "ball.position.x", 0.1), inside)
    assert points[:, 0] == pytest.approx(0.1, abs=1e-6)
    assert len(at) == 4
    assert plot_phase(shown).axes[0].get_xlabel().startswith("position.x")
    assert plot_poincare(shown, section=Section(np.pi)).axes
    with pytest.raises(fm.InputError, match="period"):
        plot_poincare(shown)  # saved from Python: no case says what drives it
    load = {"loads": {"a": {"function": {"kind": "harmonic", "frequency": 4.0}}}}
    rotor = {"bodies": {"stop": {"kind": "particle"}, "rotor": {"spin": {"kind": "constant", "speed": -8.0}}}}
    crank = {"joints": {"motor": {"kind": "revolute", "drive": {"kind": "spin-up", "rate": 4.0, "duration": 1.0}}}}
    assert drive_period(load) == drive_period(load | rotor) == 0.25
    assert drive_period(rotor) == pytest.approx(np.pi / 4.0)
    assert drive_period(crank) == pytest.approx(np.pi / 2.0)
    odd = {"bodies": {"a": 3, "b": {"spin": None}, "c": {"spin": 3.0}, "d": {"spin": {"kind": "constant"}}}}
    screw = {"kind": "cylindrical", "drive": {"kind": "spin-up", "rate": 4.0, "duration": 1.0}}
    unfinished = {"kind": "revolute", "drive": {"kind": "spin-up", "duration": 1.0}}
    assert drive_period(odd | {"joints": {"a": 3, "b": unfinished, "c": screw}}) == pytest.approx(np.pi / 2.0)
    with pytest.raises(fm.InputError, match="period"):
        drive_period(odd)


def test_jumps_of_impacts_are_no_crossings_of_a_section() -> None:
    """A ball thrown up and down between a floor and gravity: its velocity falls, and rises in impacts only."""
    model = fm.Model(gravity=(0.0, 0.0, -9.81))
    model.add(fm.Particle("ball", mass=1.0, axes="z", position=(0.0, 0.0, 0.1)))
    model.add(fm.NodePlane("floor", node="ball", normal=(0.0, 0.0, 1.0), restitution=0.9))
    shown = opened(fm.simulate(model, fm.MoreauJean(), step=1e-3, end=1.0))
    jumps = in_jumps(Curves(shown.result), "ball.velocity.z")
    assert np.flatnonzero(jumps).tolist() == np.flatnonzero(shown.result.contacts["floor"].impulse).tolist()
    assert 2 <= jumps.sum() <= 4
    with pytest.raises(fm.InputError, match="jumps at impacts"):
        plot_poincare(shown, section=Section(None, "ball.velocity.z", 0.0))
    inside, names = np.ones(len(jumps), dtype=bool), ("ball.position.z", "ball.velocity.z")
    rising = section_points(Curves(shown.result), names, Section(None, "ball.position.z", 0.02), inside)[1]
    assert len(rising) == jumps.sum()  # the position passes through all it crosses
    falling = np.diff(np.sign(shown.result.signals["ball.velocity"][:, 2]))
    assert np.sum(falling < 0) >= 1


def test_contact_that_lasts_makes_no_jumps() -> None:
    t = np.linspace(0.0, 1.0, 101)
    contact = SimpleNamespace(impulse=np.ones(101))

    class Wave(SimpleNamespace):
        def __getitem__(self, name: str) -> np.ndarray:
            return np.sin(2.0 * np.pi * t + 3.0)

    wave = Wave(result=SimpleNamespace(contacts={"stop": contact}), expand=lambda names: names)
    assert not in_jumps(wave, "ball.velocity.x").any()  # type: ignore[arg-type]


@pytest.mark.parametrize("suffix", ["pdf", "svg", "png"])
def test_every_kind_by_one_command(driven: Path, tmp_path: Path, suffix: str, capsys: pytest.CaptureFixture) -> None:
    for kind, more in (("energy", []), ("signals", []), ("phase", []), ("poincare", ["--period", "3.14159265"])):
        path = tmp_path / f"{kind}.{suffix}"
        assert main(["plot", str(driven), kind, "-o", str(path), *more]) == 0
        assert path.stat().st_size > 1000
    capsys.readouterr()


def test_one_command_writes_every_format_and_has_a_default_place(driven: Path, tmp_path: Path) -> None:
    wanted = [tmp_path / f"fig.{suffix}" for suffix in ("pdf", "svg", "png")]
    assert main(["plot", str(driven), "energy", *(word for path in wanted for word in ("-o", str(path)))]) == 0
    assert all(path.stat().st_size > 1000 for path in wanted)
    folder = tmp_path / "copy"
    shutil.copytree(driven, folder)
    assert main(["plot", str(folder), "signals"]) == 0
    assert (folder / "signals.pdf").stat().st_size > 1000


def test_a_stretch_of_time_is_what_the_run_did_there(bar: fm.Result) -> None:
    part = stretch_of(bar, 0.3, 0.7)
    inside = (bar.time >= 0.3) & (bar.time <= 0.7)
    assert 10 < inside.sum() < len(bar.time)
    assert part.time == pytest.approx(bar.time[inside], abs=0)
    assert part.contacts["wall"].force == pytest.approx(bar.contacts["wall"].force[inside], abs=1e-12)
    for name in ("rod.first.position", "rod.first.velocity"):
        assert np.array_equal(part.signals[name], bar.signals[name][inside])
    works = part.energy.work_external + part.energy.work_damping + part.energy.work_contact + part.energy.numerical
    assert part.energy.total - part.energy.total[0] == pytest.approx(works + part.energy.residual, abs=1e-13)
    assert part.energy.work_contact[0] == 0.0
    for axes in plot_energy(part).axes:
        assert axes.get_xlim() == pytest.approx((part.time[0], part.time[-1]))
    with pytest.raises(fm.InputError, match="samples"):
        stretch_of(bar, 2.0, 3.0)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["moment"], "bars or beams"),
        (["moment", "--from", "0.1"], "from"),
        (["energy", "--from", "1e9"], "samples"),
        (["xt"], "bars or beams"),
        (["contact"], "no contacts"),
        (["poincare", "--section", "ball.position.x"], "SIGNAL=VALUE"),
        (["poincare", "--section", "ball.position.x=99"], "no point"),
        (["poincare", "--period", "-1"], "period"),
        (["energy", "--period", "1"], "poincare"),
        (["phase", "--x", "ball.postion.x"], "ball.position"),
        (["signals", "--signal", "ball.color"], "ball.color"),
        (["phase", "--from", "1e9"], "samples"),
        (["bifurcation"], "study"),
    ],
)
def test_figures_that_cannot_be(
    driven: Path, tmp_path: Path, options: list[str], words: str, capsys: pytest.CaptureFixture
) -> None:
    assert main(["plot", str(driven), *options, "-o", str(tmp_path / "f.png")]) == 2
    assert words in capsys.readouterr().err
    assert not (tmp_path / "f.png").exists()


CASE = """
[time]
end = 12.566370614359172
steps = 400
[scheme]
name = "newmark"
[initial]
steady = true
[bodies.ball]
kind = "particle"
mass = 1.0
axes = "x"
[loads.spring]
kind = "spring"
node = "ball"
anchor = [-1.0, 0.0, 0.0]
stiffness = 1.0
[loads.drive]
kind = "force"
node = "ball"
force = [1.0, 0.0, 0.0]
function = { kind = "harmonic", omega = 2.0 }
"""
STUDY = """
case = "case.toml"
keep = KEEP
[[axis]]
name = "k"
key = "loads.spring.stiffness"
values = [1.0, 2.0]
[[measure]]
name = "end"
signal = "ball.position.x"
reduce = "last"
"""


def test_bifurcation_diagram_of_a_study(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    (tmp_path / "case.toml").write_text(CASE)
    for keep, code in (("true", 0), ("false", 2)):
        (tmp_path / "study.toml").write_text(STUDY.replace("KEEP", keep))
        folder = tmp_path / keep
        assert main(["study", str(tmp_path / "study.toml"), "-o", str(folder), "--quiet"]) == 0
        path = tmp_path / f"{keep}.svg"
        assert main(["plot", str(folder), "bifurcation", "-o", str(path), "--key", "k"]) == code
        assert path.exists() == (code == 0)
    assert "keep" in capsys.readouterr().err
    assert main(["plot", str(tmp_path / "true"), "bifurcation", "-o", str(path), "--key", "omega"]) == 2
    assert "k" in capsys.readouterr().err


def test_curves_that_coincide_share_a_line_and_its_label(driven: Path) -> None:
    t = np.linspace(0.0, 1.0, 5)
    assert coinciding([("a", t), ("b", 2 * t), ("c", t + 1e-12)]) == [["a", "c"], ["b"]]
    model = fm.Model()
    for name, z in (("one", 0.0), ("two", 0.0), ("three", 1.0)):
        model.add(fm.Particle(name, mass=1.0, position=(0, 0, z), velocity=(0, 0, 1.0)))
    result = fm.simulate(model, fm.Newmark(), step=0.1, end=0.5)
    axes = plot_signals(result, ["one.position.z", "two.position.z", "three.position.z"]).axes[0]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == [
        "one.position.z = two.position.z",
        "three.position.z",
    ]


def test_prefixes_in_place_of_powers_of_ten() -> None:
    assert with_power("gap [m]", -6) == "gap [µm]"
    assert with_power("force [N]", 3) == "force [kN]"
    assert with_power("length [m]", 3) == "length [10³ m]"
    assert with_power("angle [rad]", -3) == "angle [10⁻³ rad]"
    assert prefixed("stress [Pa]", 3e8) == (1e6, "stress [MPa]")


def test_bars_are_coloured_by_their_force_about_zero(bar: fm.Result, beam: fm.Result) -> None:
    assert usual_field([bar.layout]) == "axial_force"
    assert usual_field([bar.layout, beam.layout]) == "displacement"
    assert signed("velocity.x")
    assert not signed("velocity")
    low, high = Scene(opened(bar), Look("axial_force", 1.0, np.arange(len(bar.fields)))).limits
    assert low == -high < 0.0
    low, high = Scene(opened(bar), Look("velocity", 1.0, np.arange(len(bar.fields)))).limits
    assert low >= 0.0


def test_a_body_on_two_stops_stands_on_two_slabs(bar: fm.Result) -> None:
    points = np.column_stack([np.linspace(0.0, 10.0, 11), np.zeros(11), np.zeros(11)])
    cells = np.column_stack([np.arange(10), np.arange(1, 11)])
    layout = SimpleNamespace(points=points, cells=cells, body_of_point=np.zeros(11, dtype=int))
    shapes = Shapes(SimpleNamespace(layout=layout), SimpleNamespace(size=10.0, radius=lambda body: 0.1))
    for own, slabs in (([2, 8], 2), ([4, 5], 1), (list(range(11)), 1)):
        plane = SimpleNamespace(normal=np.array([0.0, 0, 1.0]), points=np.array(own))
        assert shapes.slab(plane, 0.0, points[own]).n_points == 8 * slabs


def test_rigid_bodies_without_a_shape_are_links_between_their_points() -> None:
    model = fm.Model()
    points = {"a": (-1.0, 0, 0), "b": (1.0, 0, 0)}
    model.add(fm.Rigid("rod", mass=1.0, inertia=(1.0, 1.0, 1.0), points=points))
    model.add(fm.Rigid("dot", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(0, 5.0, 0)))
    layout = model.assemble().layout
    assert layout.points[layout.cells].tolist() == [[[0, 0, 0], [-1, 0, 0]], [[0, 0, 0], [1, 0, 0]]]
    assert layout.vertices.tolist() == [3]


def test_notes_of_a_run_reach_the_log(caplog: pytest.LogCaptureFixture) -> None:
    model = fm.Model(gravity=(0.0, 0.0, -9.81))
    model.add(fm.Bar("rod", length=1.0, elements=2, area=1.0, young=1.0, density=1.0))
    with caplog.at_level(logging.WARNING, logger="flexmb"), pytest.warns(fm.RunWarning, match="across the bar"):
        fm.simulate(model, fm.Newmark(), step=0.1, end=0.2)
    assert any("across the bar" in record.getMessage() for record in caplog.records)


def test_results_draw_the_figures_of_the_command(bar: fm.Result, beam: fm.Result, driven: Path, tmp_path: Path) -> None:
    steady = fm.load(driven)
    drawn = {
        "xt": bar.plot_xt(save=tmp_path / "xt.pdf"),
        "moment": beam.plot_moment(envelope=True, save=tmp_path / "moment.svg"),
        "phase": steady.plot_phase(save=tmp_path / "phase.png"),
        "poincare": steady.plot_poincare(period=0.05, save=tmp_path / "poincare.png"),
    }
    for name, figure in drawn.items():
        assert figure._repr_png_().startswith(b"\x89PNG"), name  # notebooks show it
        assert list(tmp_path.glob(f"{name}.*")), name
    with pytest.raises(fm.InputError, match="signal"):
        steady.plot_poincare(signal="nothing.position.x", value=1.0)


def test_round_off_of_a_state_at_rest_gets_no_full_colours(bar: fm.Result, tmp_path: Path) -> None:
    bar.save(tmp_path / "bar")
    shown = open_folder(tmp_path / "bar")
    before = Scene(shown, Look("axial_force", 1.0, states=np.array([0])))
    assert before.limits[1] >= 1e-10  # of forces of order 1 in the run; at the start they are round-off
    after = Scene(shown, Look("axial_force", 1.0, states=np.arange(len(shown.result.fields.times))))
    assert after.limits[1] == pytest.approx(1.0, rel=0.5)


def test_a_section_of_one_point_has_no_scale_of_times(driven: Path) -> None:
    figure = plot_poincare(open_folder(driven), start=0.1, end=6.0, section=Section(np.pi))
    assert len(figure.axes) == 1
    assert "1 point" in figure.axes[0].get_title(loc="left") + figure.axes[0].get_title()
