"""Pictures of large motion: solids, bent rods and planes are where they should be, in the colours they should have."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import fake_multibody as fake
import numpy as np
import pytest
from pictures import SIZE, chroma, colours_at, pixels, place_on_map, require_drawing, scene_of

from flexmb.postproc.open_folder import Opened, open_folder
from flexmb.postproc.planes import contact_planes, contact_radii
from flexmb.postproc.stage import draw
from flexmb.postproc.style import BLUE, VERMILLION
from flexmb.postproc.thickness import BALL, Thickness
from flexmb.postproc.view import picture, staged, view
from flexmb.record.io.frames import PointMaps
from flexmb.record.io.structure import static_arrays
from flexmb.record.result import Result
from flexmb.system.layout import layout_of


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    require_drawing()
    return fake.saved(tmp_path_factory.mktemp("view") / "run")


def likeness(colours: np.ndarray, name: str) -> np.ndarray:
    """Return the cosine between colours and a named one: 1 for the same colour in any light."""
    one = np.array([int(name[k : k + 2], 16) for k in (1, 3, 5)], dtype=float)
    return colours @ one / (np.linalg.norm(colours, axis=1) * np.linalg.norm(one))


def rod_points(t: float) -> np.ndarray:
    return fake.state(t)[0][14:].reshape(-1, 7)[:, :3]


def test_solids_and_rod_are_drawn_where_they_are(folder: Path) -> None:
    scene, k = scene_of(folder, 2.0)
    image = picture(scene, k, SIZE)
    q = fake.state(2.0)[0]
    # corners of the boxes, drawn in by a tenth, so that all lie on the surface or inside it
    turned = np.array([[np.cos(0.8 * 2), 0, np.sin(0.8 * 2)], [0, 1, 0], [-np.sin(0.8 * 2), 0, np.cos(0.8 * 2)]])
    left = q[:3] + 0.9 * (fake.CORNERS * fake.SIZE["left"]) @ turned.T
    c, s = np.cos(1.2 * 2), np.sin(1.2 * 2)
    right = q[7:10] + 0.9 * (fake.CORNERS * fake.SIZE["right"]) @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]).T
    assert likeness(colours_at(image, pixels(scene, k, right)), VERMILLION).min() > 0.99
    hidden = 4  # by the rod, which stands before the left box, and by an arrow
    assert np.sum(likeness(colours_at(image, pixels(scene, k, left)), BLUE) > 0.99) >= 8 - hidden
    rod = colours_at(image, pixels(scene, k, rod_points(2.0)))
    assert chroma(rod[1:]).min() > 30
    along, length = place_on_map(rod[1:]), np.linalg.norm(scene.fields.frame(k)["displacement"][-10:], axis=1)[1:]
    np.testing.assert_allclose(along, length / length.max(), atol=0.06)
    assert scene.limits == pytest.approx((0.0, length.max()))
    fast = scene_of(folder, 2.0, "velocity")[0]  # the rod's is zero, but solids are coloured by it, too
    solid = np.unique(scene.fields.maps.layout.triangles)
    speed = np.linalg.norm(scene.fields.frame(k)["velocity"][solid], axis=1)
    assert fast.limits == pytest.approx((0.0, speed.max()))
    seen = colours_at(picture(fast, k, SIZE), pixels(fast, k, right))
    assert likeness(seen, VERMILLION).max() < 0.97
    # where the tip of the rod was at the start there is the grey reference now
    grey = colours_at(image, pixels(scene, k, rod_points(0.0)[-2:]))
    assert np.ptp(grey, axis=1).max() < 25
    assert 60 < grey.mean() < 235


def test_solids_move_with_the_time_shown(folder: Path) -> None:
    stage, _ = staged([folder], None, 1.0, "velocity", whole=True)
    plotter = draw(stage, 0.0, SIZE)
    scene, panel = stage.scenes[0], stage.panels[0]
    for k in (10, 3):
        t = scene.times[k]
        stage.show(t)
        solids = panel._meshes["solids"]
        assert np.asarray(solids.points)[:, 0].max() == pytest.approx(
            fake.PLACE["right"][0] + 0.3 * t + 0.2 * (abs(np.cos(1.2 * t)) + abs(np.sin(1.2 * t))), abs=1e-6
        )
        assert plotter.renderers[0].actors["0 solids"].mapper.dataset is solids
        colours, count = np.unique(solids.cell_data["colour"], axis=0, return_counts=True)
        assert sorted(count.tolist()) == [12, 12]
        assert len(colours) == 2
        tip = panel.bodies.points[np.argmax(panel.bodies.points[:, 2])]
        assert abs(tip[2] - rod_points(t)[:, 2].max()) < 0.12
    plotter.close()


def test_planes_on_the_ground_are_drawn_and_others_are_not(folder: Path, tmp_path: Path) -> None:
    (plane,), notes = contact_planes(open_folder(folder))
    assert (plane.name, notes) == ("floor", [])
    assert plane.normal.tolist() == [0.0, 0.0, 1.0]
    assert sorted(plane.points.tolist()) == [0, 25]
    # the gaps of this run are random numbers: a plane at rest stands where the case says
    assert plane.offset(1.0, np.zeros((26, 3)), np.ones((26, 3)), 1.0) == -0.6
    scene, k = scene_of(folder, 2.0)
    slab = np.asarray(scene.slab(scene.planes[0], 2.0, scene.fields.frame(k)).points)
    rod_touches = scene.planes[0].closest[1] == 25
    assert rod_touches
    # the rod's end stands out by its radius times the sine of the angle between rod and normal
    rod = np.diff(rod_points(scene.times[scene.nearest(scene.planes[0].closest[0])])[-2:], axis=0)[0]
    sine = np.sqrt(1.0 - (rod[2] / np.linalg.norm(rod)) ** 2)
    assert slab[:, 2].max() == pytest.approx(-0.6 - scene.shapes.radius(2) * sine, rel=5e-3)
    assert slab[:, 1].min() < -1.1  # it reaches under the rod's tip and the box's corner
    assert slab[:, 1].max() > -0.2
    front = slab[np.argmin(slab[:, :2].sum(axis=1))] * [0.9, 0.9, 1.0]  # nothing stands before this corner
    place = pixels(scene, k, front[None])
    with_floor = colours_at(picture(scene, k, SIZE), place)[0]
    scene.planes = []
    without = colours_at(picture(scene, k, SIZE), place)[0]
    assert without.tolist() == [255, 255, 255]
    assert with_floor.mean() < 220
    assert with_floor[2] > with_floor[0]
    moving = fake.CASE.replace("[contacts.pair]", 'motion = { kind = "harmonic" }\n[contacts.pair]')
    ((plane,), _) = contact_planes(open_folder(fake.saved(tmp_path / "moving", moving)))
    gap = fake.result().contacts["floor"].gap
    at = fake.result().time[7]
    first = int(np.argmin(gap[0]))
    assert plane.offset(at, np.zeros((26, 3)), np.ones((26, 3)), 1.0) == pytest.approx(1.0 - gap[7, first])
    (plane,), notes = contact_planes(open_folder(fake.saved(tmp_path / "none", "")))
    assert notes == []  # the order of contacts is stored, and the impulses tell the normal
    assert plane.name == "floor"
    np.testing.assert_allclose(plane.normal, [0.0, 0.0, 1.0], atol=1e-12)


def test_normal_from_the_impulses_when_there_is_no_case(folder: Path) -> None:
    result = open_folder(folder).result
    tree = {name: result.tree[name][()] for name in result.tree if not name.startswith("/contacts/pair")}
    tree["/state/impulse"] = tree["/state/impulse"][:, :6]
    maps = PointMaps.from_tree(tree).impulse[:, :6].tocsr()
    for name in ("data", "indices", "indptr"):
        tree[f"/layout/impulse/{name}"] = getattr(maps, name)
    tree["/layout/impulse/shape"] = np.array(maps.shape)
    tree["/state/impulse"][-1, :3] = [0.9, 0.0, 1.2]
    tree["/state/impulse"][-1, 3:] = [0.3, 0.0, 0.4]
    (plane,), notes = contact_planes(Opened(Result(tree, {"h": 0.1}), {}, ()))
    assert notes == []
    np.testing.assert_allclose(plane.normal, [0.6, 0.0, 0.8], atol=1e-15)
    assert plane.rest is None
    tree["/state/impulse"][:] = 0.0
    planes, notes = contact_planes(Opened(Result(tree, {"h": 0.1}), {}, ()))
    assert planes == []
    assert any("'floor' is not drawn" in note for note in notes)


def test_only_solids(tmp_path: Path) -> None:
    """Without lines and particles there is nothing for a colour bar."""
    require_drawing()
    infos = {name: info for name, info in fake.bodies().items() if name != "rod"}
    tree = dict(fake.result("").tree)
    whole = layout_of(fake.bodies(), fake.state(0.0)[0])
    assert len(whole.triangles) == 24
    layout = layout_of(infos, fake.state(0.0)[0][:14])
    keep = len(layout.points)
    tree = {name: values for name, values in tree.items() if not name.startswith(("/layout/", "/contacts/"))}
    run = fake.run_info()
    system = replace(run.system, layout=layout, impulse_map=run.system.impulse_map[: 3 * keep, :0])
    tree |= static_arrays(replace(run, system=system))
    del tree["/layout/contacts"], tree["/layout/digest"]
    tree["/state/q"], tree["/state/v"] = tree["/state/q"][:, :14], tree["/state/v"][:, :12]
    tree["/state/impulse"] = tree["/state/impulse"][:, :0]
    saved = Result(tree, {"h": fake.H, "title": "solids"}).save(tmp_path / "solids")
    shown = view(saved, screenshot=tmp_path / "solids.png", size=SIZE)
    assert shown.notes == ()
    scene, k = scene_of(saved, 2.0)
    board = scene.board(SIZE)
    assert len(board.figure.axes) == len(board.charts) == 1  # the energy, and no colour bar
    image = picture(scene, k, SIZE)
    q = fake.state(2.0)[0]
    found = colours_at(image, pixels(scene, k, q[:14].reshape(2, 7)[:, :3]))
    assert likeness(found[:1], BLUE)[0] > 0.99
    assert likeness(found[1:], VERMILLION)[0] > 0.99


def test_flat_mechanisms_are_seen_from_the_front(folder: Path) -> None:
    """Boxes have a thickness, yet what moves in the x-y plane has y up when no gravity says otherwise."""
    opened = open_folder(folder)
    from flexmb.postproc.scene import Look, Scene

    scene = Scene(replace(opened, case={}), Look("velocity", 1.0, np.arange(11)))
    assert scene.camera.up[2] > 0.9
    for _, frame in scene.frames:
        for name in ("displacement", "velocity"):
            frame[name][:, 2] = 0.0
    for name in ("ways", "up", "content"):
        scene.__dict__.pop(name)
    scene.planes = []
    assert scene.camera.up[1] > 0.9


def test_radii_of_balls(folder: Path) -> None:
    tables = {
        "a": {"kind": "node-plane", "node": "one", "radius": 0.3},
        "b": {"kind": "sphere-sphere", "a": "one.first", "b": "two", "radius_a": 0.1, "radius_b": 0.2},
        "c": {"kind": "sphere-sphere", "chain": ["three", "four"], "radius": [0.4, 0.5]},
        "d": {"kind": "sphere-sphere", "chain": ["five", "six"], "radius": 0.6},
        "e": {"kind": "node-plane", "nodes": ["seven.all", "eight"], "radius": 0.7},
        "f": {"kind": "node-plane", "node": "nine"},
        "g": {"kind": "spheres", "bodies": ["grain*", "ten"], "radius": 0.8},
        "h": {"kind": "spheres", "bodies": ["eleven", "twelve"], "radius": [0.9, 0.95]},
    }
    bodies = {name: {} for name in ("grain1", "grain2", "ten", "other")}
    radii = contact_radii(Opened(open_folder(folder).result, {"contacts": tables, "bodies": bodies}, ()))
    expected = {"one": 0.3, "two": 0.2, "three": 0.4, "four": 0.5, "five": 0.6, "six": 0.6, "seven": 0.7, "eight": 0.7}
    assert radii == expected | {"grain1": 0.8, "grain2": 0.8, "ten": 0.8, "eleven": 0.9, "twelve": 0.95}
    infos = {name: replace(info, picture=None) for name, info in fake.bodies().items()}
    layout = layout_of(infos, fake.state(0.0)[0])
    assert layout.vertices.tolist() == [0, 1, 2]
    layout = replace(layout, radius_of_vertex=np.array([0.25, 0.0, 0.0]))
    shapes = Thickness(layout, 2.0, {"left": 9.0, "right": 0.125})
    assert [shapes.radius(b) for b in range(3)] == [0.25, 0.125, BALL * 2.0]
    assert Thickness(fake.system().layout, 2.0).radius(0) == 0.0
