"""Forces in bars and beams: against statics, and against the energy the elements store."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import flexmb as fm
from flexmb.record.io.frames import PointMaps
from flexmb.record.section_forces import SectionForces

ROUND = {"shape": "circle", "radius": 0.02}
STEEL = {"young": 2e11, "density": 7800.0, "poisson": 0.3}


def energy(forces: SectionForces, q: np.ndarray) -> float:
    return float(np.sum(forces.values(q[None])["energy_density"][0] * forces.sections.length))


def test_bar_pulled_at_its_end() -> None:
    for order in (1, 2):
        model = fm.Model(initial_static=("pull",))
        clamp = [{"node": "first", "kind": "clamped"}]
        keys = {"length": 2.0, "elements": 5, "grading": 3.0, "area": 1e-3, "young": 2e11, "density": 7800.0}
        bar = model.add(fm.Bar("bar", direction=(1, 2, 2), order=order, supports=clamp, **keys))
        model.add(fm.NodalForce("pull", node=bar.last, force=(1e3, 2e3, 2e3)))
        system = model.assemble()
        values = SectionForces(system.layout).values(system.q0[None])
        np.testing.assert_allclose(values["axial_force"][0], 3e3, rtol=1e-11)
        np.testing.assert_allclose(values["energy_density"][0], 3e3**2 / (2 * 2e8), rtol=1e-11)
        assert not values["bending_moment"].any()


@pytest.mark.parametrize("bending", ["planar", "spatial"])
def test_moment_of_a_cantilever_is_force_times_arm(bending: str) -> None:
    model = fm.Model(initial_static=("push",))
    keys = {"length": 1.5, "elements": 6, "grading": 2.0, "section": ROUND, "material": STEEL}
    beam = model.add(fm.Beam("beam", bending=bending, supports=[{"node": "first", "kind": "clamped"}], **keys))
    force = np.array([0.0, 700.0, 0.0 if bending == "planar" else -400.0])
    size = float(np.linalg.norm(force))
    model.add(fm.NodalForce("push", node=beam.last, force=force))
    system = model.assemble()
    values = SectionForces(system.layout).values(system.q0[None])
    x = system.layout.points[:, 0]
    middle = 0.5 * (x[1:] + x[:-1])
    # what the part from x to the tip does to the section at x
    expected = np.cross(np.column_stack([1.5 - middle, 0 * middle, 0 * middle]), force)
    np.testing.assert_allclose(values["bending_moment"][0], expected, rtol=1e-8, atol=1e-8 * size)
    np.testing.assert_allclose(values["axial_force"][0], 0.0, rtol=0, atol=1e-9 * size)


def test_energy_of_linear_bodies_is_that_of_their_stiffness() -> None:
    model = fm.Model()
    section = {"shape": "rectangle", "width": 0.02, "height": 0.05}
    keys = {"elements": 4, "material": STEEL, "section": section}
    model.add(fm.Beam("flat", length=1.0, direction=(1, 1, 0), grading=2.0, **keys))
    model.add(fm.Beam("deep", length=2.0, direction=(0, 1, 2), orientation=(1, 0, 1), bending="spatial", **keys))
    for order in (1, 2):
        model.add(fm.Bar(f"bar{order}", length=2.0, direction=(0, 0, 1), grading=2.0, order=order, **keys))
    model.add(fm.Particle("ball", mass=1.0))
    system = model.assemble()
    q = np.random.default_rng(5).normal(size=system.nq) * 1e-3
    assert energy(SectionForces(system.layout), q) == pytest.approx(0.5 * q @ (system.K @ q), rel=1e-12)


@pytest.mark.parametrize("order", [1, 2])
def test_energy_of_an_impacting_bar_is_the_potential_of_its_ledger(order: int, tmp_path: Path) -> None:
    changes = ["bodies.rod.elements=20", f"bodies.rod.order={order}", "time.end=1.0", "output.fields_every=50"]
    fm.load_case("impacting_bar", changes).run(tmp_path / "bar")
    result = fm.load(tmp_path / "bar")
    forces = SectionForces(result.layout)
    stored = [energy(forces, q) for q in result.fields.q[()]]
    known = result.energy.potential[np.isin(result.time, result.fields.times)]
    assert known.max() > 300.0
    np.testing.assert_allclose(stored, known, rtol=1e-11, atol=1e-9)


def test_energy_of_beams_in_large_motion_is_the_potential() -> None:
    rng = np.random.default_rng(8)
    model = fm.Model()
    keys = {"elements": 3, "material": STEEL, "section": {"shape": "ring", "outer": 0.03, "inner": 0.02}}
    model.add(fm.ExactBeam("exact", length=1.0, direction=(1, 1, 0), **keys))
    model.add(fm.FloatingBeam("floating", length=2.0, direction=(0, 1, 1), position=(3, 0, 0), modes=4, **keys))
    model.add(fm.Bar("bar", length=2.0, direction=(0, 1, 0), position=(6, 0, 0), order=2, **keys))
    linear = model.add(fm.Beam("linear", length=2.0, direction=(0, 0, 1), bending="spatial", **keys))
    model.add(fm.Fixed("hold", a=linear.first, b="ground"))
    system = model.assemble()
    forces = SectionForces(system.layout)
    assert energy(forces, system.q0) == pytest.approx(0.0, abs=1e-9)
    q = system.advance(system.q0, 0.05 * rng.normal(size=system.nv))
    assert energy(forces, q) == pytest.approx(system.potential(0.0, q), rel=1e-9)
    # a turn of everything about the same axis changes vectors, not their lengths: here of the exact beam alone
    moved = system.q0.copy()
    t = np.array([0.0, 0.0, 0.3])
    dq = np.zeros(system.nv)
    for i in range(4):
        dq[6 * i + 3 : 6 * i + 6] = i * t
    chain = system.advance(moved, dq)
    for i in range(1, 4):  # spans of unstrained length along the middle of two turned frames
        angle = np.pi / 4 + 0.3 * (i - 0.5)
        chain[7 * i : 7 * i + 3] = (
            chain[7 * (i - 1) : 7 * (i - 1) + 3] + np.array([np.cos(angle), np.sin(angle), 0]) / 3
        )
    values = forces.values(chain[None])
    EI = 2e11 * np.pi / 4 * (0.03**4 - 0.02**4)
    np.testing.assert_allclose(
        values["bending_moment"][0, :3], np.outer(np.ones(3), [0, 0, EI * 0.9]), rtol=0, atol=1e-6
    )
    np.testing.assert_allclose(values["axial_force"][0, :3], 0.0, rtol=0, atol=1e-3)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("size", [1e160, 1e300, np.inf, np.nan])
def test_motion_that_has_overflowed_warns_of_nothing(size: float) -> None:
    keys = {"elements": 3, "material": STEEL, "section": ROUND, "length": 1.0}
    linear, large = fm.Model(), fm.Model()
    linear.add(fm.Beam("beam", bending="spatial", **keys))
    large.add(fm.ExactBeam("exact", **keys))
    large.add(fm.FloatingBeam("floating", position=(3, 0, 0), modes=4, **keys))
    for model in (linear, large):
        system = model.assemble()
        q = system.q0 + size * np.random.default_rng(2).normal(size=system.nq)
        values = SectionForces(system.layout).values(q[None])
        assert not np.isfinite(values["energy_density"]).all()


def test_vtk_reads_what_was_computed(tmp_path: Path) -> None:
    """Values on the cells of fields.vtkhdf by VTK's own reader: lines have them, other cells have nan."""
    import pyvista

    model = fm.Model(gravity=(0, -9.81, 0))
    keys = {"length": 1.0, "elements": 4, "section": ROUND, "material": STEEL}
    model.add(fm.Beam("beam", supports=[{"node": "first", "kind": "clamped"}], **keys))
    model.add(fm.Particle("ball", mass=1.0))
    result = fm.simulate(model, fm.Newmark(), step=1e-4, end=2e-3, fields_every=5)
    folder = result.save(tmp_path / "beam")
    reader = pyvista.get_reader(folder / "fields.vtkhdf")
    for k in (0, 2, 4):
        reader.reader.SetStep(k)
        grid = reader.read()
        expected = result.fields.cell_frame(k)
        for name, values in expected.items():
            np.testing.assert_array_equal(grid.cell_data[name], values)
        assert np.isnan(grid.cell_data["axial_force"][4])
        np.testing.assert_array_equal(result.mesh(k * 5e-4).cell_data["bending_moment"], values_of(expected))
    assert abs(values_of(expected)[:4, 2]).min() > 1e-3
    import h5py

    with h5py.File(folder / "fields.vtkhdf") as file:
        data = {**file["VTKHDF/PointData"], **file["VTKHDF/CellData"]}
        units = {name: values.attrs.get("unit") for name, values in data.items()}
    assert units == {
        "displacement": "m",
        "velocity": "m/s",
        "rotation": "rad",
        "body": None,
        "radius": "m",
        "axial_force": "N",
        "bending_moment": "N m",
        "energy_density": "J/m",
    }
    assert PointMaps.from_tree(fm.load(folder).tree).cell_names == ["axial_force", "bending_moment", "energy_density"]


def values_of(frame: dict[str, np.ndarray]) -> np.ndarray:
    return frame["bending_moment"]
