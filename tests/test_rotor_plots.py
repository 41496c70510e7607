"""Pictures of rotors hold the numbers they were made of."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fake_run import FakeScheme
from hand_rotor import HandRotor, skew
from known_rotors import nelson_mcvaugh
from matplotlib.figure import Figure
from matplotlib.text import Text

import flexmb as fm
from flexmb.case.toml_writer import to_toml
from flexmb.errors import InputError
from flexmb.postproc.campbell_plot import plot_campbell
from flexmb.postproc.open_folder import Opened, open_folder
from flexmb.postproc.orbit_plot import contact_arcs, draw_orbit, plot_orbits, samples_per_turn
from flexmb.postproc.rotor_forces_plot import bearing_force, plot_rotor_forces
from flexmb.postproc.rotor_results import Whirl, recorded, speed_of
from flexmb.postproc.rotor_spectrum_plot import plot_spectrum, plot_waterfall, window_length
from flexmb.postproc.shapes_plot import in_phase, plot_shapes
from flexmb.postproc.spectrum import full_spectrum
from flexmb.postproc.static_plot import plot_static
from flexmb.postproc.unbalance_plot import plot_unbalance
from flexmb.record.result import MemorySink, Result
from flexmb.record.samples import ENERGY_COLUMNS, Block, RunInfo

FORWARD, BACKWARD = 1e-4, 2e-5
SIGNALS = ["rotor.node(1).position", "rotor.node(1).velocity", "rotor.last.position"]


def whirl(t: np.ndarray) -> np.ndarray:
    """A node that goes round forward with 20 Hz and backward with 35 Hz, (n, 2)."""
    z = FORWARD * np.exp(2j * np.pi * 20 * t) + BACKWARD * np.exp(-2j * np.pi * 35 * t)
    return np.column_stack([z.real, z.imag])


@pytest.fixture(scope="module")
def opened() -> Opened:
    """A result of a rotor whose motion is given: axis along (0, 1, 0), y = (-1, 0, 0), z = (0, 0, 1)."""
    rotor: dict[str, Any] = {
        "stations": [0.0, 0.5, 1.0],
        "outer_diameter": 0.05,
        "material": {"young": 2e11, "density": 7800.0},
        "direction": [0.0, 1.0, 0.0],
        "position": [1.0, 2.0, 3.0],
        "spin": {"kind": "constant", "speed": 40 * np.pi},
        "bearings": [{"node": 1, "stiffness": [[1e6, 2e5], [0.0, 3e6]], "damping": 50.0}, {"node": "last"}],
    }
    model = fm.Model()
    model.add(fm.Rotor("rotor", **rotor))
    system = model.assemble(SIGNALS)
    system = dataclasses.replace(
        system, probes=system.probes[: len(SIGNALS)]
    )  # as in folders without the motion of bearings
    t = np.arange(4001) * 2.5e-4
    yz = whirl(t)
    axes = np.array([[-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    moved, rate = yz @ axes, np.gradient(yz, t, axis=0) @ axes
    run = RunInfo(system, FakeScheme(), 2.5e-4, 0.0, 4000, 1, 1000, "general")
    kept = np.arange(0, 4001, 1000)
    none = np.zeros((t.size, 0))
    states = np.zeros((kept.size, system.nv))
    places = [moved + [1.0, 2.5, 3.0], rate, np.tile([1.0, 3.0, 3.0], (t.size, 1))]
    sink = MemorySink()
    sink.begin(run)
    sink.append(
        Block(
            step=np.arange(t.size),
            time=t,
            probes=np.concatenate(places, axis=1),
            gap=none,
            velocity=none,
            impulse=none,
            energy=np.zeros((t.size, len(ENERGY_COLUMNS))),
            field_step=kept,
            field_q=states,
            field_v=states,
            field_impulse=np.zeros((kept.size, 0)),
        )
    )
    tree = sink.tree()
    for what in ("gap", "velocity", "impulse"):
        tree[f"/contacts/rub/{what}"] = np.where(np.arange(t.size) % 100 == 0, 1e-3, 0.0)
    rub = {"kind": "clearance", "node": "rotor.node(1)", "gap": 1.1e-4, "offset": [-1e-5, 0.0, 0.0]}
    case = {"bodies": {"rotor": {"kind": "rotor", **rotor}}, "contacts": {"rub": rub}}
    return Opened(Result(tree, {"h": 2.5e-4, "title": "given whirl"}), case, ())


def changed(opened: Opened, **keys: Any) -> Opened:
    """Return the result as that of a rotor with other keys."""
    rotor = opened.case["bodies"]["rotor"] | keys
    return Opened(opened.result, opened.case | {"bodies": {"rotor": rotor}}, ())


def curves(axes: Any) -> dict[str, np.ndarray]:
    return {line.get_label(): np.asarray(line.get_xydata()) for line in axes.get_lines()}


def test_displacements_are_taken_across_the_axis(opened: Opened) -> None:
    node, end = recorded(opened)
    assert (node.name, end.name) == ("rotor.node(1)", "rotor.last")  # the one in a clearance comes first
    np.testing.assert_allclose(node.yz, whirl(node.time), atol=1e-15)
    np.testing.assert_array_equal(end.yz, 0.0)
    with pytest.raises(InputError, match=r"'rotor.node\(0\)'.*recorded.*'rotor.node\(1\)'"):
        recorded(opened, ["rotor.node(0)"])
    assert recorded(opened, ["rotor.node(2)"])[0].name == "rotor.last"


def test_orbits(opened: Opened, tmp_path: Path) -> None:
    figure = plot_orbits(opened, ["rotor.node(1)"], start=0.5)
    (axes,) = figure.axes
    lines = curves(axes)
    np.testing.assert_allclose(lines["0.5 to 1 s"], whirl(np.arange(2000, 4001) * 2.5e-4), atol=1e-15)
    np.testing.assert_array_equal(lines["in contact"], lines["0.5 to 1 s"][::100])
    wall, circle = axes.patches
    assert circle.get_radius() == 1.1e-4
    assert circle.center == pytest.approx((1e-5, 0.0))
    assert wall.get_radii()[0] - wall.get_width() == pytest.approx(1.1e-4)  # the stator is outside,
    (dots,) = (line for line in axes.get_lines() if line.get_label() == "in contact")
    assert dots.get_zorder() < circle.get_zorder()  # where nothing hides it
    figure.savefig(tmp_path / "orbits.png")
    with pytest.raises(InputError, match="fewer than 16 samples"):
        plot_orbits(opened, start=0.999)


def test_contact_that_lasts_is_an_arc_of_the_orbit() -> None:
    yz = np.arange(20.0).reshape(10, 2)
    hits = np.array([1, 1, 0, 1, 0, 0, 1, 1, 1, 0], dtype=np.bool_)
    arcs, dots = contact_arcs(yz, hits)
    gap = [np.nan, np.nan]
    np.testing.assert_array_equal(arcs, [yz[0], yz[1], gap, yz[6], yz[7], yz[8], gap])
    np.testing.assert_array_equal(dots, yz[[3]])
    arcs, dots = contact_arcs(yz, ~np.zeros(10, dtype=np.bool_))
    assert len(arcs) == 11
    assert len(dots) == 0


def test_powers_of_ten_stand_in_the_labels_of_orbits_and_static_states(opened: Opened) -> None:
    figure = plot_orbits(opened, ["rotor.node(1)"])
    figure.draw_without_rendering()
    (axes,) = figure.axes
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("y [µm]", "z [µm]")
    assert axes.xaxis.get_offset_text().get_text() == axes.yaxis.get_offset_text().get_text() == ""
    assert max(abs(float(word.get_text().replace("−", "-"))) for word in axes.get_xticklabels()) > 100.0
    model = fm.Model(gravity=(0.0, 0.0, -9.81))
    model.add(fm.Rotor("rotor", **nelson_mcvaugh("timoshenko")))
    assert plot_static(fm.static_deflection(model)).axes[0].get_ylabel() == "deflection [µm]"


def test_orbits_with_corners_say_how_many_samples_a_turn_has(opened: Opened) -> None:
    angle = 2.0 * np.pi * np.arange(200) / 13.0
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    assert samples_per_turn(circle) == pytest.approx(13.0)
    assert samples_per_turn(np.zeros((20, 2))) == np.inf
    figure = Figure()
    coarse = Whirl("rotor.last", 0.01 * np.arange(200.0), circle)
    unrecorded = dataclasses.replace(opened, case=opened.case | {"contacts": {}})
    draw_orbit(figure.subplots(), unrecorded, coarse, np.ones(200, dtype=bool))
    assert "0 to 1.99 s, 13 samples per revolution" in curves(figure.axes[0])
    assert not [name for name in curves(plot_orbits(opened).axes[0]) if "samples" in name]


def test_long_titles_go_on_in_a_second_line_and_stay_in_the_picture(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(opened.result.summary, "title", "a rotor in a ring of a long name " * 3)
    for figure in (plot_orbits(opened, ["rotor.last"]), plot_waterfall(opened, ["rotor.last"])):
        figure.draw_without_rendering()
        titles = [figure._suptitle] if figure._suptitle else [figure.axes[0]._left_title]
        (box,) = [title.get_window_extent() for title in titles]
        assert titles[0].get_text().count("\n") == 1
        assert box.x0 >= 0.0
        assert box.x1 <= figure.bbox.x1


@pytest.mark.parametrize("node", ["rotor.mid", ["rotor.first", "rotor.node(1)"], "rotor.all", "rotor.disk"])
def test_a_clearance_is_drawn_however_its_node_is_called(opened: Opened, node: object) -> None:
    named = changed(opened, points={"disk": 0.5})
    named.case["contacts"] = {"rub": opened.case["contacts"]["rub"] | {"node": node}}
    figure = plot_orbits(named, ["rotor.disk"])
    assert figure.axes[0].get_title(loc="left") == "rotor.node(1)"
    assert [patch.get_radius() for patch in figure.axes[0].patches[1:]] == [1.1e-4]


def test_spectrum_tells_forward_from_backward(opened: Opened) -> None:
    node = recorded(opened)[0]
    frequency, amplitude = full_spectrum(node.time, node.yz)
    for f, size in ((20.0, FORWARD), (-35.0, BACKWARD)):
        assert amplitude[np.argmin(np.abs(frequency - f))] == pytest.approx(size, rel=2e-3)
    assert amplitude[np.argmin(np.abs(frequency - 35.0))] < 1e-4 * FORWARD
    (axes,) = plot_spectrum(opened, ["rotor.node(1)"]).axes
    shown = curves(axes)["rotor.node(1)"]
    assert shown[np.argmax(shown[:, 1])] == pytest.approx([20.0, FORWARD], rel=1e-2)
    assert axes.get_xlim() == pytest.approx((-100.0, 100.0))  # five times the speed


def test_waterfall(opened: Opened, tmp_path: Path) -> None:
    """Windows of eight turns (0.4 s) would be more than a quarter of the second; fine steps show the same lines."""
    assert window_length(np.linspace(0.0, 100.0, 11), np.full(11, 40 * np.pi)) == pytest.approx(2.5)  # a fortieth
    assert window_length(np.linspace(0.0, 10.0, 11), np.full(11, 40 * np.pi)) == pytest.approx(0.4)
    ramp = np.linspace(0.0, 2 * np.pi * 100.0, 11)  # 50 Hz in the mean, 10 Hz/s
    assert window_length(np.linspace(0.0, 10.0, 11), ramp) == pytest.approx(0.25)  # 0.16, but a fortieth
    assert window_length(np.linspace(0.0, 2.0, 11), ramp) == pytest.approx(0.16)
    assert window_length(np.linspace(0.0, 2.0, 11), ramp / 20) == pytest.approx(np.clip(np.sqrt(2 / 2.5), 0, 0.5))
    for window, n in ((None, 1000), (0.2, 800)):
        figure = plot_waterfall(opened, ["rotor.node(1)"], top=60.0, window=window)
        mesh = figure.axes[0].collections[0]
        values = np.asarray(mesh.get_array())
        frequency = np.arange(values.shape[1]) / (4 * n * 2.5e-4)
        assert frequency[np.argmax(values, axis=1)] == pytest.approx(20.0, abs=0.6 * frequency[1])
        assert values.max() == pytest.approx(FORWARD, rel=0.01)
    for window in (1e-3, 2.0):
        with pytest.raises(InputError, match=r"0.004 s \(16 samples\).*1 s"):
            plot_waterfall(opened, window=window)
    figure.savefig(tmp_path / "waterfall.png")


def test_forces_on_bearings(opened: Opened, tmp_path: Path) -> None:
    first, last = opened.rotors.bearings()
    time, force = bearing_force(opened, first)
    yz = whirl(time)
    rate = np.gradient(yz, time, axis=0)
    np.testing.assert_allclose(force, yz @ np.array([[1e6, 2e5], [0.0, 3e6]]).T + 50.0 * rate, atol=1e-9)
    assert bearing_force(opened, last)[0].size == time.size  # nothing damps it, so its velocity is not needed
    damped = changed(opened, bearings=[{"node": "last", "damping": 1.0}])
    assert bearing_force(damped, damped.rotors.bearings()[0])[0].size == 5  # from the kept states
    table = changed(opened, bearings=[{"node": "mid", "stiffness": [1e6, 3e6], "speed": [0.0, 80 * np.pi]}])
    np.testing.assert_allclose(bearing_force(table, table.rotors.bearings()[0])[1], 2e6 * yz, atol=1e-9)
    figure = plot_rotor_forces(opened)
    above, below = figure.axes
    assert "rotor.node(1)" in curves(above)
    assert curves(below)["rub"][:, 1].max() == pytest.approx(1e-3 / 2.5e-4)
    figure.savefig(tmp_path / "forces.png")


@pytest.mark.parametrize("signals", [["mid.displacement"], ["node(1).WORD", "node(3).WORD"]])
def test_forces_on_bearings_of_4_x_4_and_between_bodies(signals: list[str], tmp_path: Path) -> None:
    """In steady whirl they are those of the unbalance response, whichever signals were asked for."""
    words = ("displacement", "velocity", "rotation", "angular_velocity")
    signals = [f"rotor.{name.replace('WORD', word)}" for name in signals for word in words[: 1 + 3 * ("WORD" in name)]]
    if len(signals) > 1:
        signals += [f"pedestal.{word}" for word in words[:2]]
    rng = np.random.default_rng(1)
    K, C = ((A @ A.T + np.eye(4)) for A in rng.normal(size=(2, 4, 4)))
    size = np.diag([1.0, 1.0, 0.05, 0.05])
    law = {"stiffness": (1e6 * size @ K @ size).tolist(), "damping": (1e3 * size @ C @ size).tolist()}
    table = {"stiffness": [1e6, 2e6], "damping": [300.0, 500.0], "speed": [0.0, 200.0]}
    rotor = {
        "kind": "rotor",
        "stations": np.linspace(0.0, 0.8, 5).tolist(),
        "outer_diameter": 0.03,
        "material": {"young": 2e11, "density": 7800.0},
        "spin": {"kind": "constant", "speed": 120.0},
        "unbalances": [{"node": 0, "magnitude": 1e-3}, {"node": 4, "magnitude": 2e-3, "phase": 1.0}],
        "bearings": [{"node": "node(1)", **law}],
    }
    pedestal = {"kind": "particle", "mass": 4.0, "position": [0.6, 0.0, 0.0], "axes": "yz"}
    feet = {f"foot_{k}": {"kind": "spring", "node": "pedestal", "direction": d, "stiffness": 3e6} for k, d in FEET}
    case = {
        "time": {"end": 0.05, "step": 5e-5},
        "scheme": {"name": "newmark"},
        "initial": {"steady": True},
        "bodies": {"rotor": rotor, "pedestal": pedestal},
        "loads": {"seal": {"kind": "bearing", "node": "rotor.node(3)", "to": "pedestal", **table}, **feet},
        "output": {"fields_every": 50, "signals": signals},
    }
    (tmp_path / "case.toml").write_text(to_toml(case, frozenset({"material", "spin"})))
    made = fm.load_case(tmp_path / "case.toml")
    made.run(tmp_path / "run")
    steady = fm.unbalance_response(made, [100.0, 120.0])
    opened = open_folder(tmp_path / "run")
    bearings = opened.rotors.bearings()
    assert [bearing.label for bearing in bearings] == list(steady.bearings) == ["rotor.node(1)", "loads.seal"]
    for b, bearing in enumerate(bearings):
        time, force = bearing_force(opened, bearing)
        assert time.size == 1001
        exact = (steady.forces[1, b] * np.exp(1j * 120.0 * time)[:, None]).real
        np.testing.assert_allclose(force, exact, atol=2e-4 * np.abs(exact).max())
    labels = set(curves(plot_rotor_forces(opened).axes[0]))
    assert labels == {"rotor.node(1)", "loads.seal"}


FEET = (("y", [0.0, 1.0, 0.0]), ("z", [0.0, 0.0, 1.0]))


def test_speeds_are_those_of_the_case(opened: Opened) -> None:
    t = np.array([0.0, 1.0, 3.0])
    spins = {
        (0.0, 5.0, 10.0): {"kind": "ramp", "from": 0.0, "to": 10.0, "start": 0.0, "duration": 2.0},
        (1.0, 3.0, 4.0): {"kind": "table", "time": [0.0, 1.0, 2.0], "speed": [1.0, 3.0, 4.0]},
    }
    for speeds, spin in spins.items():
        assert tuple(speed_of(changed(opened, spin=spin), "rotor", t)) == speeds
    assert speed_of(changed(opened, spin={"kind": "free"}), "rotor", t) is None


def test_campbell_diagram() -> None:
    gyro = np.zeros((4, 4))
    gyro[2:, 2:] = skew(1.6)
    model = fm.Model()
    K = np.diag([100.0, 100, 400, 400])
    model.add(HandRotor("rotor", np.eye(4), K, 0.3 * np.eye(4), gyro=gyro, cross=np.kron(np.diag([1, 0]), skew(5.0))))
    found = fm.campbell(model, np.linspace(0.0, 30.0, 16), count=4)
    figure = plot_campbell(found, "title $1")
    above, below = figure.axes
    drawn = {tuple(line.get_xydata()[-1]) for line in above.get_lines() if len(line.get_xdata()) == 16}
    assert drawn == {(30.0 * 30 / np.pi, f) for f in found.frequency[-1]}
    marked = [line.get_xydata()[0, 0] for line in above.get_lines() if line.get_marker() == "o"]
    np.testing.assert_allclose(marked, [c.speed * 30 / np.pi for c in found.critical], rtol=1e-12)
    assert found.unstable.any()
    crosses = [len(line.get_xdata()) for line in below.get_lines() if line.get_marker() == "x"]
    assert sum(crosses) == found.unstable.sum()
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert labels == ["forward", "backward", "1 x speed", "critical, rpm", "unstable"]


def test_labels_of_critical_speeds_stand_at_their_own_points() -> None:
    case = fm.load_case("nelson_mcvaugh")
    figure = plot_campbell(fm.campbell(case, np.linspace(0.0, 11000.0, 45), orders=(1.0, 2.0)))
    figure.draw_without_rendering()
    axes = figure.axes[0]
    labels = {word.get_text(): word for word in axes.texts}
    assert {"46507", "49815", "15361", "17011"} <= set(labels)
    points = {name: axes.transData.transform(word.xy) for name, word in labels.items()}
    boxes = {name: Text.get_window_extent(word) for name, word in labels.items()}  # without the line to the point
    for name, box in boxes.items():
        for other, (x, y) in points.items():
            beside = box.y0 - 4.0 <= y <= box.y1 + 4.0  # at the height of a point it would be read as its label
            assert other == name or not (beside and box.x0 - 12.0 <= x <= box.x1 + 12.0), (name, other)
        assert not [one for one, its in boxes.items() if one != name and box.overlaps(its)], name


def test_other_diagrams(tmp_path: Path) -> None:
    rotor = nelson_mcvaugh("timoshenko", unbalances=[{"node": 4, "magnitude": 1e-5}])
    model = fm.Model(gravity=(0.0, 0.0, -9.81))
    model.add(fm.Rotor("rotor", **rotor))
    static, response = fm.static_deflection(model), fm.unbalance_response(model, np.linspace(100, 2000, 20))
    line, _, moment = plot_static(static).axes
    np.testing.assert_array_equal(curves(line)["rotor along z"][:, 1], static.deflection[:, 1])
    np.testing.assert_array_equal(curves(moment)["plane of z"][:, 1], static.shafts[0].moment[:, 1])
    (marks,) = (m for m in line.get_lines() if m.get_marker() == "^" and m.get_xdata()[0] == pytest.approx(0.1651))
    assert marks.get_ydata()[0] == static.deflection[10, 1]
    model.add(fm.Bearing("pedestal", node="rotor.node(12)", stiffness=1e7))
    assert len(plot_static(fm.static_deflection(model)).axes[0].texts) == 3
    orbit = plot_unbalance(response).axes[0]
    np.testing.assert_array_equal(curves(orbit)["rotor.node(4): major"][:, 1], response.major[:, 0])
    modes = fm.rotor_modes(model, 2000.0, 4)
    for k in range(4):  # whatever the phase that the eigenvalues come with
        one, other = (in_phase(np.exp(1j * turn) * modes.orbits[..., k]) for turn in (0.0, 2.0))
        np.testing.assert_allclose(one, other, atol=1e-12)
        assert np.abs(one).max() == pytest.approx(1.0)
        assert np.abs(one - 1.0).min() < 1e-9
    figure = plot_shapes(modes)
    assert [axes.get_title().split(": ")[1].split(", ")[1] for axes in figure.axes] == ["backward", "forward"] * 2
    figure.savefig(tmp_path / "modes.svg")
