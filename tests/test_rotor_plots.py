"""Pictures of rotors hold the numbers they were made of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fake_run import FakeScheme
from hand_rotor import HandRotor, skew
from known_rotors import nelson_mcvaugh

import flexmb as fm
from flexmb.errors import InputError
from flexmb.postproc.campbell_plot import plot_campbell
from flexmb.postproc.open_folder import Opened
from flexmb.postproc.orbit_plot import plot_orbits
from flexmb.postproc.rotor_forces_plot import bearing_force, plot_rotor_forces
from flexmb.postproc.rotor_results import recorded, speed_of
from flexmb.postproc.rotor_spectrum_plot import plot_spectrum, plot_waterfall
from flexmb.postproc.shapes_plot import plot_shapes
from flexmb.postproc.spectrum import full_spectrum
from flexmb.postproc.static_plot import plot_static
from flexmb.postproc.unbalance_plot import plot_unbalance
from flexmb.record import Block, RunInfo
from flexmb.result import MemorySink, Result

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
            energy=np.zeros((t.size, 9)),
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


def curves(axes: Any) -> dict[str, np.ndarray]:
    return {line.get_label(): np.asarray(line.get_xydata()) for line in axes.get_lines()}


def test_displacements_are_taken_across_the_axis(opened: Opened) -> None:
    node, end = recorded(opened)
    assert (node.name, end.name) == ("rotor.node(1)", "rotor.last")  # the one in a clearance comes first
    np.testing.assert_allclose(node.yz, whirl(node.time), atol=1e-15)
    np.testing.assert_array_equal(end.yz, 0.0)
    with pytest.raises(InputError, match=r"'rotor.node\(2\)' was not recorded; did you mean 'rotor.node\(1\)'"):
        recorded(opened, ["rotor.node(2)"])


def test_orbits(opened: Opened, tmp_path: Path) -> None:
    figure = plot_orbits(opened, ["rotor.node(1)"], start=0.5)
    (axes,) = figure.axes
    lines = curves(axes)
    np.testing.assert_allclose(lines["0.5 to 1 s"], whirl(np.arange(2000, 4001) * 2.5e-4), atol=1e-15)
    np.testing.assert_array_equal(lines["in contact"], lines["0.5 to 1 s"][::100])
    (circle,) = axes.patches
    assert circle.get_radius() == 1.1e-4
    assert circle.center == pytest.approx((1e-5, 0.0))
    figure.savefig(tmp_path / "orbits.png")
    with pytest.raises(InputError, match="fewer than 16 samples"):
        plot_orbits(opened, start=0.999)


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
    figure = plot_waterfall(opened, ["rotor.node(1)"], top=60.0)
    mesh = figure.axes[0].collections[0]
    values = np.asarray(mesh.get_array())
    frequency = np.fft.fftfreq(324, 2.5e-4)  # a twelfth of the samples, cut to a quick length
    frequency = np.sort(frequency[frequency >= 0.0])
    assert frequency[np.argmax(values, axis=1)] == pytest.approx(20.0, abs=0.6 * frequency[1])
    assert values.max() == pytest.approx(FORWARD, rel=0.15)
    figure.savefig(tmp_path / "waterfall.png")


def test_forces_on_bearings(opened: Opened, tmp_path: Path) -> None:
    bearing = opened.case["bodies"]["rotor"]["bearings"][0]
    time, force = bearing_force(opened, "rotor", bearing)
    yz = whirl(time)
    rate = np.gradient(yz, time, axis=0)
    np.testing.assert_allclose(force, yz @ np.array([[1e6, 2e5], [0.0, 3e6]]).T + 50.0 * rate, atol=1e-9)
    assert len(bearing_force(opened, "rotor", {"node": "last", "stiffness": 1.0})[0]) == 5  # from the kept states
    table = {"node": 1, "stiffness": [1e6, 3e6], "speed": [0.0, 80 * np.pi]}
    np.testing.assert_allclose(bearing_force(opened, "rotor", table)[1], 2e6 * yz, atol=1e-9)
    figure = plot_rotor_forces(opened)
    above, below = figure.axes
    assert "rotor.node(1)" in curves(above)
    assert curves(below)["rub"][:, 1].max() == pytest.approx(1e-3 / 2.5e-4)
    figure.savefig(tmp_path / "forces.png")


def test_speeds_are_those_of_the_case(opened: Opened) -> None:
    t = np.array([0.0, 1.0, 3.0])
    spins = {
        (0.0, 5.0, 10.0): {"kind": "ramp", "from": 0.0, "to": 10.0, "start": 0.0, "duration": 2.0},
        (1.0, 3.0, 4.0): {"kind": "table", "time": [0.0, 1.0, 2.0], "speed": [1.0, 3.0, 4.0]},
    }
    for speeds, spin in spins.items():
        case = {"bodies": {"rotor": opened.case["bodies"]["rotor"] | {"spin": spin}}}
        assert tuple(speed_of(Opened(opened.result, case, ()), "rotor", t)) == speeds
    free = {"bodies": {"rotor": {"spin": {"kind": "free"}}}}
    assert speed_of(Opened(opened.result, free, ()), "rotor", t) is None


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
    figure = plot_shapes(fm.rotor_modes(model, 2000.0, 4))
    assert [axes.get_title().split(": ")[1].split(", ")[1] for axes in figure.axes] == ["backward", "forward"] * 2
    figure.savefig(tmp_path / "modes.svg")
