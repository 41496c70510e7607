"""``flexmb static`` of bars, beams, frames and mechanisms, and pictures of modes, against closed forms."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from scipy import linalg

import flexmb as fm
from flexmb.analysis.equilibrium import equilibrium
from flexmb.analysis.modes import modes
from flexmb.analysis.static_state import static_state
from flexmb.cli import main
from flexmb.commands.rotor_options import table_lines
from flexmb.errors import InputError
from flexmb.system.multibody_system import MultibodySystem

STEEL = {"young": 2e11, "density": 7800.0, "poisson": 0.3}
FLAT = {"shape": "rectangle", "width": 0.02, "height": 0.05}
W = 7800.0 * 1e-3 * 9.81
EI = 2e11 * 0.02 * 0.05**3 / 12.0
CLAMP = [{"node": "first", "kind": "clamped"}]


def cantilever(kind: str) -> fm.Model:
    model = fm.Model(gravity=(0.0, -9.81, 0.0))
    keys = {"length": 2.0, "elements": 4, "section": FLAT, "material": STEEL, "orientation": (0.0, 1.0, 0.0)}
    if kind == "exact":
        model.add(fm.ExactBeam("b", **keys))
        model.add(fm.Fixed("clamp", a="ground", b="b.first"))
    else:
        model.add(fm.Beam("b", grading=2.0, bending=kind, supports=CLAMP, **keys))
    return model


@pytest.mark.parametrize("bending", ["planar", "spatial"])
def test_a_cantilever_under_its_weight_is_exact_at_all_nodes(bending: str) -> None:
    found = static_state(cantilever(bending))
    x = found.layout.points[:, 0]
    np.testing.assert_allclose(found.displacement[:, 1], -W * x**2 * (x**2 - 8 * x + 24) / (24 * EI), rtol=1e-9)
    assert found.held == ("b.node(0)",)
    np.testing.assert_allclose(found.forces[0], [0.0, 2.0 * W, 0.0], rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.moments[0], [0.0, 0.0, 2.0 * W], rtol=0, atol=1e-9)
    ends = x[found.layout.cells]
    np.testing.assert_allclose(found.resultants[:, :, 5], -W * (2.0 - ends) ** 2 / 2.0, rtol=0, atol=1e-8)
    np.testing.assert_allclose(found.resultants[:, :, 1], -W * (2.0 - ends), rtol=0, atol=1e-8)


def test_a_beam_that_bends_about_local_y_has_the_same_moments() -> None:
    model = fm.Model(gravity=(0.0, -9.81, 0.0))
    turned = {"shape": "rectangle", "width": 0.05, "height": 0.02}
    keys = {"length": 2.0, "elements": 3, "section": turned, "material": STEEL, "orientation": (0.0, 0.0, 1.0)}
    model.add(fm.Beam("b", bending="spatial", supports=CLAMP, **keys))  # local z is -y
    found = static_state(model)
    ends = found.layout.points[:, 0][found.layout.cells]
    np.testing.assert_allclose(np.abs(found.resultants[:, :, 4]), W * (2.0 - ends) ** 2 / 2.0, rtol=0, atol=1e-8)
    np.testing.assert_allclose(found.displacement[-1, 1], -W * 16.0 / (8.0 * EI), rtol=1e-9)


def test_a_hanging_bar_on_a_spring() -> None:
    model = fm.Model(gravity=(0.0, 0.0, -9.81))
    keys = {"length": 2.0, "elements": 3, "area": 1e-3, "young": 2e11, "density": 7800.0}
    bar = model.add(fm.Bar("rod", direction=(0.0, 0.0, -1.0), order=2, **keys))
    model.add(fm.Spring("hook", node=bar.first, anchor=(0.0, 0.0, 1.0), stiffness=1e6))
    found = static_state(model)
    z = found.layout.points[:, 2]
    np.testing.assert_allclose(found.resultants[:, :, 0], W * (2.0 + z[found.layout.cells]), rtol=0, atol=1e-7)
    assert found.held == ("spring hook",)
    np.testing.assert_allclose(found.forces, [[0.0, 0.0, 2.0 * W]], rtol=0, atol=1e-8)
    assert found.displacement[0, 2] == pytest.approx(-2.0 * W / 1e6)


def test_large_motion_goes_to_the_position_of_rest() -> None:
    found = static_state(cantilever("exact"))
    assert found.held == ("clamp on b",)
    np.testing.assert_allclose(found.forces, [[0.0, 2.0 * W, 0.0]], rtol=0, atol=1e-6)
    assert found.resultants[0, 0, 5] == pytest.approx(-2.0 * W, rel=1e-4)
    assert found.displacement[-1, 1] == pytest.approx(-2.0 * W / EI, rel=3e-3)  # and shear


def test_what_has_no_static_state_is_named() -> None:
    model = fm.Model(gravity=(0.0, -9.81, 0.0))
    model.add(fm.Beam("free", length=1.0, elements=2, section=FLAT, material=STEEL, orientation=(0.0, 1.0, 0.0)))
    with pytest.raises(InputError, match="free"):
        static_state(model)


def test_loads_that_change_are_left_out() -> None:
    model = cantilever("planar")
    wave = {"kind": "harmonic", "amplitude": 1.0, "frequency": 3.0}
    model.add(fm.NodalForce("shaker", node="b.last", force=(0.0, 50.0, 0.0), function=wave))
    assert static_state(model).left_out == ("shaker",)


@pytest.mark.parametrize("kind", ["planar", "spatial", "exact"])
def test_a_cantilever_on_a_stop_has_the_reaction_of_the_closed_form(kind: str) -> None:
    model, gap = cantilever(kind), 1e-3
    model.add(fm.NodePlane("stop", node="b.last", point=(0.0, -gap, 0.0), normal=(0.0, 1.0, 0.0)))
    found = static_state(model)
    ((name, force),) = found.contacts
    assert name == "stop"
    free = 2.0 * W / EI  # W L^4 / (8 EI) with L = 2
    rel = 1e-9 if kind != "exact" else 2e-2  # four linear elements
    assert force == pytest.approx((free - gap) * 3.0 * EI / 8.0, rel=rel)
    assert found.displacement[-1, 1] == pytest.approx(-gap, rel=1e-9)
    np.testing.assert_allclose(found.forces.sum(axis=0), [0.0, 2.0 * W, 0.0], rtol=0, atol=1e-6 * W)
    assert any("stop" in held for held in found.held)


def test_a_beam_that_only_rests_on_stops_shares_its_weight() -> None:
    model = fm.Model(gravity=(0.0, -9.81, 0.0))
    keys = {"length": 2.0, "elements": 4, "section": FLAT, "material": STEEL, "orientation": (0.0, 1.0, 0.0)}
    model.add(fm.Beam("b", bending="planar", **keys))
    for k, node in enumerate(("first", "node(3)")):
        at = (0.5 * 3 * k, -1e-3, 0.0)
        model.add(fm.NodePlane(f"stop{k}", node=f"b.{node}", point=at, normal=(0.0, 1.0, 0.0)))
    found = static_state(model)
    forces = dict(found.contacts)
    # moments about the first stop: the weight 2 W acts at 1 m, the second stop at 1.5 m
    assert forces["stop1"] == pytest.approx(2.0 * W / 1.5, rel=1e-9)
    assert forces["stop0"] == pytest.approx(2.0 * W - 2.0 * W / 1.5, rel=1e-9)


def pendulum(center: tuple[float, float, float]) -> fm.Model:
    model = fm.Model(gravity=(0.0, 0.0, -9.81))
    model.add(fm.Rigid("arm", mass=2.0, inertia=(0.1, 0.1, 0.1), position=center))
    model.add(fm.Revolute("hinge", a="ground", b="arm", point=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0)))
    return model


@pytest.mark.parametrize("center", [(0.3, 0.0, -0.5), (0.5, 0.0, 0.3), (0.0, 0.0, 0.5)])
def test_a_pendulum_hangs_straight_down_also_from_the_unstable_equilibrium(center: tuple) -> None:
    found = static_state(pendulum(center))
    end = found.layout.points[0] + found.displacement[0]
    np.testing.assert_allclose(end, [0.0, 0.0, -np.linalg.norm(center)], rtol=0, atol=1e-8)
    np.testing.assert_allclose(found.forces, [[0.0, 0.0, 2.0 * 9.81]], rtol=0, atol=1e-6)
    assert found.stable is True


def test_the_four_bar_hangs_at_the_minimum_of_its_energy() -> None:
    case, model = fm.load_case("four_bar").model(), fm.Model(gravity=(0.0, -9.81, 0.0))
    for part in (*case.bodies.values(), *case.joints.values()):  # without its motor
        model.add(part)
    system = model.assemble()
    assert isinstance(system, MultibodySystem)
    rest = equilibrium(system)
    least = system.potential(0.0, rest.q)
    assert np.abs(system.g(0.0, rest.q)).max() < 1e-12
    # turn the crank by both sides and close the loop again: the energy rises with the square of the angle
    M = system.tangents(0.0, rest.q, np.zeros(system.nv))[0].toarray()
    G = system.G(0.0, rest.q).toarray()[:, : system.nj]
    way = linalg.null_space(G.T, rcond=1e-9)[:, 0]
    rises = []
    for size in (-2e-2, -1e-2, 1e-2, 2e-2):
        q = system.advance(rest.q, size * way)
        for _ in range(10):
            G = system.G(0.0, q).toarray()[:, : system.nj]
            by = np.linalg.solve(M, G)
            q = system.advance(q, -by @ np.linalg.lstsq(G.T @ by, system.g(0.0, q)[: system.nj], rcond=1e-10)[0])
        rises.append(system.potential(0.0, q) - least)
    assert min(rises) > 0.0
    assert rises[0] / rises[1] == pytest.approx(4.0, rel=0.1)
    assert rises[3] / rises[2] == pytest.approx(4.0, rel=0.1)


def test_what_falls_without_end_is_named() -> None:
    model = pendulum((0.3, 0.0, -0.5))
    model.add(fm.Rigid("stone", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(2.0, 0.0, 0.0)))
    with pytest.raises(InputError, match="stone"):
        static_state(model)


def test_the_command_writes_tables_and_a_figure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["static", "portal_frame", "-o", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "frame.node(36)" in out
    with (tmp_path / "reactions.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert sum(float(row["Fx [N]"]) for row in rows) == pytest.approx(-20000.0, rel=1e-9)
    with (tmp_path / "section_forces.csv").open() as file:
        moments = [float(row["Mz [N m]"]) for row in csv.DictReader(file)]
    # slope-deflection: M_foot = H h / 4 (3k + 1) 2 / (6k + 1), k = 1.5, without axial strain
    assert max(map(abs, moments)) == pytest.approx(20000.0 * 3.0 / 2.0 * (3 * 1.5 + 1) / (6 * 1.5 + 1), rel=2e-3)
    assert (tmp_path / "static.png").stat().st_size > 10000
    assert main(["static", "portal_frame", "--speed", "3"]) == 2
    assert "speed" in capsys.readouterr().err


def test_modes_are_drawn_with_the_shape_between_nodes(tmp_path: Path) -> None:
    from flexmb.postproc.deformed_lines import bent_lines
    from flexmb.postproc.mode_plot import plot_modes

    model = cantilever("spatial")
    system = model.assemble()
    found = modes(system, 12)
    figure = plot_modes(found, system.layout, "cantilever")
    assert figure is not None
    assert len(figure.axes) == 9
    x = system.layout.points[:, 0]  # a cubic is drawn as it is, also inside of the elements
    zero = np.zeros_like(x)
    u, t = np.column_stack([zero, x**3, zero]), np.column_stack([zero, zero, 3 * x**2])
    X, U = bent_lines(system.layout, u, t)
    np.testing.assert_allclose(U[..., 1], X[..., 0] ** 3, rtol=0, atol=1e-12)
    assert main(["modes", "beam_on_stop", "-n", "3", "-o", str(tmp_path)]) == 0
    assert (tmp_path / "modes.png").stat().st_size > 10000


def test_tables_print_zero_for_round_off() -> None:
    titles = ["node", "along y [m]", "along z [m]", "damping ratio", "force [N]"]
    lines = table_lines(titles, [["a", 1e-4, 2.8e-35, 3e-17, 2e-30], ["b", 2e-4, -1e-19, 0.01, 1e-30]])
    assert lines[1].split() == ["a", "0.0001", "0", "0", "2e-30"]
    assert lines[2].split() == ["b", "0.0002", "0", "0.01", "1e-30"]
