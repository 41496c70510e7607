"""Points on carriers: where they are, how they move and turn, in memory, in files, and by the compiled loops."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import fake_multibody as fake
import h5py
import numpy as np
import pytest
from scipy import sparse

from flexmb.assembly.builder import Builder
from flexmb.assembly.markers import BodyInfo, Marker, Picture
from flexmb.case.expectations import evaluate, locate, probe_names, recorded_in
from flexmb.case.schema import ExpectTable
from flexmb.errors import InputError
from flexmb.kernels.geometry import markers
from flexmb.kernels.geometry.rotation import axes_of, exp_so3
from flexmb.kernels.geometry.tables import FLOATING, FRAME, GROUND, NODE, PLANAR, MarkerState
from flexmb.linalg.quaternions import from_vector, inverse, product, spun, to_vector, turned
from flexmb.record.io.export import export
from flexmb.record.io.frames import PointMaps, cell_values
from flexmb.record.io.structure import layout_from, static_arrays
from flexmb.record.result import Result, load
from flexmb.system.layout import carriers_of, layout_of

NQ, NV = 7 + 3 + 4 + 7 + 3, 6 + 3 + 4 + 6 + 3
"""A frame, a planar body, four unknowns of nodes, a floating frame with three modes."""


def matrix(p: np.ndarray) -> np.ndarray:
    A = np.empty((3, 3))
    axes_of(np.ascontiguousarray(p), 0, A)
    return A


def exp(t: np.ndarray) -> np.ndarray:
    R = np.empty((3, 3))
    exp_so3(np.ascontiguousarray(t), R)
    return R


def places(rng: np.random.Generator) -> list[Marker]:
    """One place of each kind."""
    frame = (np.arange(6), np.array([0, 1, 2, -1, -1, -1]), np.zeros((6, 6)))
    planar = (6 + np.arange(3), 7 + np.arange(3), np.zeros((3, 6)))
    node = (np.array([9, 10, 12]), np.array([10, 11, 13]), rng.normal(size=(3, 6)))
    modes = np.vstack([np.zeros((6, 6)), rng.normal(size=(3, 6))])
    floating = (13 + np.arange(9), np.array([14, 15, 16, -1, -1, -1, 21, 22, 23]), modes)
    nothing = (np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros((0, 6)))
    given = [(GROUND, -1, -1, nothing), (FRAME, 0, 0, frame), (PLANAR, 7, 6, planar), (NODE, -1, -1, node)]
    given += [(FLOATING, 14, 13, floating)]
    return [Marker(kind, np.zeros(3), np.eye(3), rng.normal(size=3), iq, iv, *rest) for kind, iq, iv, rest in given]


def states(rng: np.random.Generator, k: int) -> tuple[np.ndarray, np.ndarray]:
    q, v = rng.normal(size=(k, NQ)), rng.normal(size=(k, NV))
    for i in (3, 17):
        q[:, i : i + 4] /= np.linalg.norm(q[:, i : i + 4], axis=1, keepdims=True)
    return q, v


def test_quaternions() -> None:
    rng = np.random.default_rng(0)
    t = rng.normal(size=(200, 3))
    t *= (np.pi * rng.random(200) / np.linalg.norm(t, axis=1))[:, None]
    t[0], t[1], t[2] = 0.0, [1e-9, 0, 0], [0, np.pi * (1 - 1e-9), 0]
    p = from_vector(t)
    np.testing.assert_allclose(np.linalg.norm(p, axis=1), 1.0, rtol=1e-15)
    np.testing.assert_allclose(to_vector(p), t, rtol=0, atol=1e-14)
    np.testing.assert_allclose(to_vector(-p), t, rtol=0, atol=1e-14)  # both mean the same turn
    s = rng.normal(size=3)
    np.testing.assert_allclose(turned(p, s), [exp(x) @ s for x in t], rtol=0, atol=1e-14)
    both = product(p[:100], p[100:])
    np.testing.assert_allclose(
        [matrix(x) for x in both],
        [matrix(a) @ matrix(b) for a, b in zip(p[:100], p[100:], strict=True)],
        rtol=0,
        atol=3e-15,
    )
    np.testing.assert_allclose(product(p, inverse(p)), np.tile([1.0, 0, 0, 0], (200, 1)), rtol=0, atol=1e-15)


@pytest.mark.parametrize("size", [0.0, 1e-3, 0.0999, 0.1001, 3.0])
def test_spin_of_a_rotation_vector_is_the_rate_of_its_matrix(size: float) -> None:
    rng = np.random.default_rng(1)
    t, rate, h = rng.normal(size=3), rng.normal(size=3), 1e-5
    t *= size / np.linalg.norm(t)
    change = (exp(t + h * rate) - exp(t - h * rate)) / (2 * h) @ exp(t).T
    found = np.array([change[2, 1], change[0, 2], change[1, 0]])
    np.testing.assert_allclose(spun(t, rate), found, rtol=0, atol=2e-10)


def test_carriers_move_as_markers_do() -> None:
    """Places, axes and twists of all kinds are those the compiled loops compute, in many states at once."""
    rng = np.random.default_rng(2)
    builder = Builder(np.zeros(3), 0.0)
    given = places(rng)
    numbers = [builder.marker(place) for place in given]
    table = builder.build().markers
    nm, nd = len(table.kind), len(table.dof)
    state = MarkerState(*(np.zeros(n) for n in ((nm, 3), (nm, 3, 3), (nd, 6), (nm, 6), (nm, 6), (5, nm, 6), (nm, 3))))
    q, v = states(rng, 20)
    carriers = carriers_of(given, q[0], NV)
    r, rdot = carriers.positions(q), carriers.velocities(q, v)
    p, omega = carriers.orientations(q), carriers.angular_velocities(q, v)
    assert r.shape == rdot.shape == omega.shape == (20, 5, 3)
    for k in range(20):
        markers.place(table, np.concatenate([q[k], np.zeros_like(q[k])]), state)
        markers.move(table, q[k], v[k], state)
        for i, m in enumerate(numbers):
            np.testing.assert_allclose(r[k, i], state.r[m], rtol=0, atol=3e-14)
            np.testing.assert_allclose(matrix(p[k, i]), state.R[m], rtol=0, atol=1e-14)
            np.testing.assert_allclose(rdot[k, i], state.twist[m, :3], rtol=0, atol=1e-13)
            np.testing.assert_allclose(omega[k, i], state.twist[m, 3:], rtol=0, atol=1e-13)


def test_rotations_since_the_start() -> None:
    rng = np.random.default_rng(3)
    q, _ = states(rng, 30)
    q[:, 9] = q[0, 9] + np.linspace(0.0, 20.0, 30)  # the planar body turns three times
    carriers = carriers_of(places(rng), q[0], NV)
    turns = carriers.rotations(q)
    np.testing.assert_allclose(turns[0], 0.0, rtol=0, atol=1e-15)
    np.testing.assert_allclose(turns[:, 2], np.linspace(0.0, 20.0, 30)[:, None] * [0, 0, 1], rtol=0, atol=1e-14)
    for i in (1, 4):
        p = carriers.orientations(q)[:, i]
        np.testing.assert_allclose(
            [exp(t) @ matrix(p[0]) for t in turns[:, i]], [matrix(x) for x in p], rtol=0, atol=1e-13
        )
        assert np.linalg.norm(turns[:, i], axis=1).max() <= np.pi + 1e-12
    node = carriers.Dq.toarray().reshape(5, 6, NQ)[3, 3:]
    np.testing.assert_allclose(turns[:, 3], (q - q[0]) @ node.T, rtol=0, atol=1e-13)
    np.testing.assert_array_equal(turns[:, 0], 0.0)


def test_layout_of_pictures() -> None:
    rng = np.random.default_rng(4)
    q0 = states(rng, 1)[0][0]
    ground, frame, planar, node, floating = places(rng)
    cube = Picture(np.full(3, FRAME), np.zeros(3), np.zeros(3), rng.normal(size=(3, 3)), triangles=[[0, 1, 2]])
    line = Picture(
        np.full(2, NODE),
        np.full(2, -1),
        np.full(2, -1),
        rng.normal(size=(2, 3)),
        lines=[[0, 1]],
        radius=0.25,
        row=np.array([0, 6 + 1, 6 + 5]),
        vdof=np.array([9, 10, 12]),
        qdof=np.array([10, 11, 13]),
        value=np.array([1.0, 0.5, 2.0]),
    )
    ball = Picture(np.array([PLANAR]), np.array([7]), np.array([6]), np.zeros((1, 3)), vertices=[0], radius=0.125)

    def body(name: str, place: Marker, picture: Picture | None) -> BodyInfo:
        return BodyInfo(name, [place], {}, True, 1.0, place.dof, picture)

    infos = [
        body("cube", frame, cube),
        body("line", node, line),
        body("ball", planar, ball),
        body("dot", floating, None),
    ]
    layout = layout_of({info.name: info for info in infos}, q0)
    assert layout.bodies == ("cube", "line", "ball", "dot")
    assert layout.body_of_point.tolist() == [0, 0, 0, 1, 1, 2, 3]
    assert layout.triangles.tolist() == [[0, 1, 2]]
    assert layout.cells.tolist() == [[3, 4]]
    assert layout.vertices.tolist() == [5, 6]
    assert layout.radius_of_cell.tolist() == [0.25]
    assert layout.radius_of_vertex.tolist() == [0.125, 0.0]
    values = cell_values(layout)
    assert values["radius"].tolist() == [0.25, 0.125, 0.0, 0.0]
    assert values["body"].tolist() == [1, 2, 3, 0]
    np.testing.assert_allclose(layout.points[:3], q0[:3] + cube.local @ matrix(q0[3:7]).T, rtol=0, atol=1e-14)
    np.testing.assert_allclose(layout.points[3], line.local[0] + [q0[10], 0, 0], rtol=0, atol=1e-15)
    np.testing.assert_allclose(layout.points[5], [q0[7], q0[8], 0.0], rtol=0, atol=1e-15)
    np.testing.assert_allclose(
        layout.points[6], carriers_of([floating], q0, NV).positions(q0[None])[0, 0], rtol=0, atol=1e-14
    )
    q, v = states(rng, 4)
    assert np.abs(layout.displacements(q0[None])).max() == 0.0
    u = layout.displacements(q)
    np.testing.assert_allclose(u[:, 4], (q - q0)[:, [11]] * [0, 0.5, 0], rtol=0, atol=1e-14)
    np.testing.assert_allclose(layout.velocities(q, v)[:, 3], v[:, [9]] * [1, 0, 0], rtol=0, atol=1e-15)
    np.testing.assert_allclose(layout.rotations(q)[:, 4], (q - q0)[:, [13]] * [0, 0, 2.0], rtol=0, atol=1e-14)
    assert layout.turns
    still = replace(line, row=line.row[:2], vdof=line.vdof[:2], qdof=line.qdof[:2], value=line.value[:2])
    assert not layout_of({"line": body("line", node, still)}, q0).turns


# files ----------------------------------------------------------------------------------------------------------


def expected_displacements(result: Result) -> np.ndarray:
    """Return the displacements of the hand-made run without the layout, (f, n, 3)."""
    start = fake.state(0.0)[0]
    out = []
    for q in result.fields.q[()]:
        rows = []
        for k, name in enumerate(("left", "right")):
            corners = fake.CORNERS * fake.SIZE[name]
            now = q[7 * k : 7 * k + 3] + corners @ matrix(q[7 * k + 3 : 7 * k + 7]).T
            rows.append(now - (start[7 * k : 7 * k + 3] + corners))
        rows.append((q - start)[14:].reshape(-1, 7)[:, :3])
        out.append(np.concatenate(rows))
    return np.array(out)


def test_result_of_large_motion_keeps_its_layout(tmp_path: Path) -> None:
    memory = fake.result()
    again = load(memory.save(tmp_path / "run"))
    assert sorted(memory.tree) == sorted(again.tree)
    for result in (memory, again):
        assert result.fields.q.shape == (11, fake.NQ)
        assert result.fields.v.shape == (11, fake.NV)
        assert result.fields.impulse.shape == (11, 9)
        frames = [result.fields.frame(k) for k in range(11)]
        u = np.array([frame["displacement"] for frame in frames])
        np.testing.assert_allclose(u, expected_displacements(result), rtol=0, atol=1e-14)
        np.testing.assert_allclose(frames[5]["rotation"][0], [0, 0.8, 0], rtol=0, atol=1e-14)
        np.testing.assert_allclose(frames[5]["velocity"][8:16, 0].mean(), 0.3, rtol=0, atol=1e-14)
        last = frames[-1]["contact_impulse"]
        assert last[0].tolist() == [0, 0, 1.5]
        assert last[25].tolist() == [0, 0, 0.5]
        assert last[9].tolist() == [2.0, 0, 0]
        assert last[6].tolist() == [-2.0, 0, 0]
        assert np.count_nonzero(last) == 4
    with h5py.File(tmp_path / "run/result.h5") as file:
        assert {"kind", "iq", "iv", "local", "q0", "Dq", "Dv"} == set(file["/layout/carriers"])


def test_elastic_maps_of_carriers_are_kept(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    q, v = states(rng, 3)
    run = fake.run_info()
    infos = {str(k): BodyInfo(str(k), [p], {}, True, 1.0, p.dof) for k, p in enumerate(places(rng))}
    layout = layout_of(infos, q[0])
    none = sparse.csr_array((3 * len(layout.points), 9))
    run = replace(run, system=replace(run.system, layout=layout, impulse_map=none))
    tree = static_arrays(run)
    assert "/layout/triangles" not in tree
    back = layout_from(tree)
    np.testing.assert_array_equal(back.displacements(q), layout.displacements(q))
    np.testing.assert_array_equal(back.velocities(q, v), layout.velocities(q, v))
    np.testing.assert_array_equal(back.rotations(q), layout.rotations(q))
    assert np.abs(layout.displacements(q)[1:]).max(axis=(0, 2))[1:].min() > 1e-3


def test_grid_and_exports_have_the_triangles(tmp_path: Path) -> None:
    import meshio
    import pyvista

    result = fake.result()
    expected, k = expected_displacements(result), 7
    grid = result.mesh(float(result.fields.times[k]), warp=True)
    assert grid.celltypes.tolist() == [3] * 9 + [5] * 24
    np.testing.assert_allclose(grid.points, result.layout.points + expected[k], rtol=0, atol=1e-14)
    assert grid.cell_data["body"].tolist() == [2] * 9 + [0] * 12 + [1] * 12
    np.testing.assert_allclose(grid.compute_cell_sizes().cell_data["Area"][9:].sum(), 1.58 + 1.92, rtol=1e-12)
    folder = result.save(tmp_path / "run")
    reader = pyvista.get_reader(folder / "fields.vtkhdf")
    reader.reader.SetStep(k)
    read = reader.read()
    assert read.celltypes.tolist() == grid.celltypes.tolist()
    np.testing.assert_array_equal(read.cell_connectivity, grid.cell_connectivity)
    np.testing.assert_allclose(read.point_data["displacement"], expected[k], rtol=0, atol=1e-14)
    export(result.tree, "pvd", tmp_path / "pvd")
    read = pyvista.read(tmp_path / f"pvd/fields_{k:05d}.vtu")
    assert read.celltypes.tolist() == grid.celltypes.tolist()
    np.testing.assert_allclose(read.point_data["displacement"], expected[k], rtol=0, atol=1e-14)
    path = export(result.tree, "xdmf", tmp_path / "xdmf")[0]
    with meshio.xdmf.TimeSeriesReader(path) as series:
        points, cells = series.read_points_cells()
        assert [block.type for block in cells] == ["line", "triangle"]
        np.testing.assert_array_equal(cells[1].data, result.layout.triangles)
        np.testing.assert_array_equal(cells[0].data, result.layout.cells)
        np.testing.assert_array_equal(points, result.layout.points)
        np.testing.assert_allclose(series.read_data(k)[1]["displacement"], expected[k], rtol=0, atol=1e-14)
    shown = pyvista.get_reader(path).read()
    shown = shown[0] if isinstance(shown, pyvista.MultiBlock) else shown
    np.testing.assert_array_equal(shown.cell_connectivity, grid.cell_connectivity)
    assert shown.cell_data["body"].tolist() == grid.cell_data["body"].tolist()


def test_impulse_columns_of_small_motion_stay_as_they_are() -> None:
    import fake_run

    system = fake_run.system()
    maps = PointMaps.of(system)
    assert maps.impulse.shape == (15, 3)
    assert system.nq == system.nv == 6
    assert system.joints is None
    assert maps.layout.carriers is None
    assert not maps.layout.turns


# joints ---------------------------------------------------------------------------------------------------------


def test_joints_of_a_result(tmp_path: Path) -> None:
    memory = fake.result()
    block = fake.block(fake.run_info())
    for result in (memory, load(memory.save(tmp_path / "run"))):
        assert set(result.joints) == {"hinge", "slot"}
        hinge, slot = result.joints["hinge"], result.joints["slot"]
        np.testing.assert_array_equal(hinge.force, block.multiplier[:, 1:])
        np.testing.assert_array_equal(slot.force, block.multiplier[:, 0])
        np.testing.assert_array_equal(hinge.impulse, block.joint_impulse[:, 1:])
        np.testing.assert_array_equal(slot.impulse, block.joint_impulse[:, 0])
        np.testing.assert_array_equal(hinge.position_error, np.abs(block.joint_g[:, 1:]).max(axis=1))
        np.testing.assert_array_equal(hinge.velocity_error, np.abs(block.joint_gdot[:, 1:]).max(axis=1))
        np.testing.assert_array_equal(slot.velocity_error, np.abs(block.joint_gdot[:, 0]))
        assert "41 samples of force (5), impulse (5), position_error, velocity_error" in repr(hinge)
        with pytest.raises(KeyError, match="did you mean 'hinge'"):
            result.joints["hing"]
    paths = export(memory.tree, "csv", tmp_path / "csv")
    assert [path.name for path in paths] == ["signals.csv", "contacts.csv", "energy.csv", "joints.csv"]
    head = (tmp_path / "csv/joints.csv").read_text().splitlines()[0].split(",")
    assert head[:3] == ["time [s]", "slot.force [N or N m]", "slot.impulse [N s or N m s]"]
    assert head[3:5] == ["slot.position_error [m or rad]", "slot.velocity_error [m/s or rad/s]"]
    table = np.loadtxt(tmp_path / "csv/joints.csv", delimiter=",", skiprows=1)
    np.testing.assert_array_equal(table[:, head.index("hinge.force.2 [N or N m]")], block.multiplier[:, 3])


def expect(signal: str, **rest: object) -> ExpectTable:
    return ExpectTable(signal=signal, **({"reduce": "max", "at_most": 1.0} | rest))


def test_expectations_about_joints() -> None:
    result, system = fake.result(), fake.system()
    recorded = recorded_in(system)
    assert recorded["joints.hinge.force"] == 5
    assert recorded["joints.slot.force"] == 1
    assert recorded["joints.hinge.impulse"] == 5
    assert recorded["joints.hinge.position_error"] == 1
    block = fake.block(fake.run_info())
    asked = {
        "joints.hinge.force.2": block.multiplier[:, 3].max(),
        "joints.slot.force": block.multiplier[:, 0].max(),
        "joints.slot.impulse": block.joint_impulse[:, 0].max(),
        "joints.hinge.velocity_error": np.abs(block.joint_gdot[:, 1:]).max(),
        "joints.hinge.angle": block.probes[:, 0].max(),
        "left.orientation.2": block.probes[:, 3].max(),
    }
    found = evaluate([expect(name) for name in asked], result, recorded)
    assert [entry["got"] for entry in found] == list(asked.values())
    # what is recorded anyway need not be asked for; angles do
    names = ["joints.hinge.force.2", "joints.hinge.position_error", "joints.hinge.angle", "left.tip.velocity.x"]
    assert probe_names([expect(name) for name in names]) == ["joints.hinge.angle", "left.tip.velocity"]
    with pytest.raises(InputError, match=r"add \.0 to \.4"):
        locate(expect("joints.hinge.force", reduce="last"), recorded)
    with pytest.raises(InputError, match=r"add \.0 to \.3"):
        locate(expect("left.orientation", reduce="last"), recorded)
    with pytest.raises(InputError, match="no component 'x'"):
        locate(expect("left.orientation.x"), recorded)
    with pytest.raises(InputError, match="no component 'x'"):
        locate(expect("joints.hinge.force.x"), recorded)
    with pytest.raises(InputError, match="joints.hinge.position_error"):
        locate(expect("joints.hinge.position_eror"), recorded)
