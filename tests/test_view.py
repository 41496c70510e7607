"""Pictures of results, drawn without a screen: the bar is where it should be and has the colours it should have."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import fake_run
import h5py
import numpy as np
import pytest
from messages import says
from pictures import (
    SIZE,
    chroma,
    colours_at,
    on_the_axis,
    pixels,
    place_on_map,
    require_drawing,
    run_bar,
    scene_of,
    shot,
)

import flexmb as fm
from flexmb.errors import InputError
from flexmb.postproc.camera import look_at, upright
from flexmb.postproc.fields import FIELDS, ON_LINES
from flexmb.postproc.instant import nearest, telling_time
from flexmb.postproc.open_folder import open_folder
from flexmb.postproc.planes import contact_planes
from flexmb.postproc.view import picture, staged, view
from flexmb.record.result import Result

MID = 5 / 6
"""The bar stays at the wall from 1/2 to 7/6; at 5/6 all of it stands still, 10/3 shorter (speed 10, c = 30, L = 10)."""


@pytest.fixture(scope="module")
def bar(tmp_path_factory: pytest.TempPathFactory) -> Path:
    require_drawing()
    return run_bar(tmp_path_factory.mktemp("view") / "bar")


@pytest.fixture(scope="module")
def moving(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ball between a moving wall and a fixed one, without case.toml (saved from Python)."""
    model = fm.Model()
    ball = model.add(fm.Particle("ball", mass=1.0, position=(1, 0, 0), velocity=(-1, 0, 0)))
    model.add(fm.NodePlane("wall", node=ball.first, normal=(1, 0, 0), motion=fm.Harmonic(amplitude=0.1, frequency=1.0)))
    folder = tmp_path_factory.mktemp("view") / "ball"
    return fm.simulate(model, fm.MoreauJean(), step=0.01, end=2.0, fields_every=3).save(folder)


def test_picture_file(bar: Path, tmp_path: Path) -> None:
    from PIL import Image

    path = tmp_path / "bar.png"
    shown = view(bar, screenshot=path, size=SIZE)
    image = np.asarray(Image.open(path))
    assert image.shape == (SIZE[1], SIZE[0], 3)
    assert len(np.unique(image.reshape(-1, 3), axis=0)) > 1000
    assert shown.time == pytest.approx(MID, abs=0.02)
    assert shown.notes == ()
    assert path.stat().st_size < 300_000
    assert [p.name for p in tmp_path.iterdir()] == ["bar.png"]


def test_bar_is_where_it_should_be_and_colours_span_the_range(bar: Path) -> None:
    scene, k = scene_of(bar, MID)
    image = picture(scene, k, SIZE)
    # at 5/6 the bar lies from 0 to 20/3, the reference (grey) goes on to 15, behind that it is white
    inside = colours_at(image, pixels(scene, k, on_the_axis(*np.linspace(0.2, 6.4, 12))))
    assert chroma(inside).min() > 40
    along = place_on_map(inside)
    assert np.all(np.diff(along) > 0)
    assert along[0] < 0.12
    assert along[-1] > 0.88
    grey, white = colours_at(image, pixels(scene, k, on_the_axis(11.0, 15.9)))
    assert 150 < grey.mean() < 230
    assert np.ptp(grey) < 8
    assert white.tolist() == [255, 255, 255]


def test_bar_moves_with_the_time_shown(bar: Path) -> None:
    scene, k = scene_of(bar, 0.0)
    places = pixels(scene, k, on_the_axis(2.5, 6.0, 10.0, 14.0))
    colours = colours_at(picture(scene, k, SIZE), places)
    assert colours[0].tolist() == [255, 255, 255]  # between wall and bar
    assert chroma(colours[1:]).min() > 40
    assert np.ptp(place_on_map(colours[1:])) < 0.02  # a field that is the same everywhere has one colour


def test_colours_of_the_velocity(bar: Path) -> None:
    scene, k = scene_of(bar, 2 / 3, "velocity")
    # after 1/6 the front has come 5 m: behind it the bar stands still, ahead it still has its speed of 10
    assert scene.limits[0] < 0.5
    assert scene.limits[1] == pytest.approx(10.0, rel=0.25)
    colours = colours_at(picture(scene, k, SIZE), pixels(scene, k, on_the_axis(0.5, 1.5, 6.5, 8.0)))
    where = place_on_map(colours) * scene.limits[1]
    np.testing.assert_allclose(where, [0.0, 0.0, 10.0, 10.0], atol=1.5)
    towards, _ = scene_of(bar, 2 / 3, "velocity.x")
    assert towards.limits[0] == pytest.approx(-10.0, rel=0.25)  # a component has its sign


def test_wall_is_drawn_where_it_stands(bar: Path) -> None:
    scene, k = scene_of(bar, 0.0)
    beside = np.array([[0.0, 0.0, 1.2], [0.0, 0.0, -1.2], [3.0, 0.0, 1.2], [3.0, 0.0, -1.2]])
    colours = colours_at(picture(scene, k, SIZE), pixels(scene, k, beside))
    assert colours[:2].max() < 200
    assert colours[2:].min() == 255


def test_cursors_stand_at_the_time_shown(bar: Path) -> None:
    images = {}
    for t in (0.3, 1.5):
        scene, k = scene_of(bar, t)
        images[t] = picture(scene, k, SIZE).astype(float).mean(axis=2)
    charts = scene.board(SIZE).charts
    assert len(charts) == 3
    for t, other in ((0.3, 1.5), (1.5, 0.3)):
        for axes in charts:
            # in the middle rows of a chart the two pictures differ nowhere but at their cursors
            x, low = axes.transData.transform((t, axes.get_ylim()[0]))
            high = axes.transData.transform((t, axes.get_ylim()[1]))[1]
            rows = slice(int(SIZE[1] - 0.9 * high - 0.1 * low), int(SIZE[1] - 0.1 * high - 0.9 * low))
            columns = slice(int(x) - 16, int(x) + 16)
            darker = (images[other] - images[t])[rows, columns].mean(axis=0)
            assert darker.sum() > 40
            assert (darker * (np.arange(32) + 0.5)).sum() / darker.sum() + columns.start == pytest.approx(x, abs=1.0)


def test_a_run_by_tolerance_shows_the_tolerance_in_place_of_the_interval(tmp_path: Path) -> None:
    fm.load_case("event_ball", ["time.end=1.2", "time.tolerance=1e-6", "output.interval=0.1"]).run(tmp_path / "run")
    scene, _ = scene_of(tmp_path / "run")
    words = [text.get_text() for text in scene.board(SIZE).figure.texts]
    assert "dopri5, tolerance = 1e-06" in [word.replace(",  ", ", ") for word in words]


def test_board_words(bar: Path) -> None:
    scene, _ = scene_of(bar)
    board = scene.board(SIZE)
    words = [text.get_text() for text in board.figure.texts]
    assert "Elastic bar thrown against a wall" in words
    assert "generalized-alpha (rho_inf = 0.8, ggl = true), h = 0.005 s" in words
    bar_axes = board.figure.axes[0]
    assert bar_axes.get_ylabel() == "|displacement| [m]"
    assert bar_axes.get_ylim() == pytest.approx(scene.limits)
    assert [axes.get_ylabel() for axes in board.charts] == ["gap [m]", "force [N]", "energy [J]"]


@pytest.mark.parametrize("size", [(640, 360), (800, 450), (600, 600), (1600, 500)])
def test_no_words_overlap(bar: Path, moving: Path, size: tuple[int, int]) -> None:
    for folder in (bar, moving):
        board = scene_of(folder)[0].board(size, "some keys")
        board.image()
        boxes = [text.get_window_extent() for text in board.figure.texts if text.get_text()]
        for axes in board.charts:
            boxes += [axes.get_legend().get_window_extent(), axes._left_title.get_window_extent()]
            boxes += [axes.xaxis.label.get_window_extent(), axes.yaxis.label.get_window_extent()]
        boxes = [box for box in boxes if box.width > 1]
        for i, one in enumerate(boxes):
            assert one.x0 >= 0
            assert one.y0 >= 0
            assert one.x1 <= size[0]
            assert one.y1 <= size[1]
            for other in boxes[i + 1 :]:
                assert not one.overlaps(other), (size, one, other)


def test_title_is_taken_as_it_is(bar: Path, tmp_path: Path) -> None:
    folder, title = tmp_path / "odd", r"<b>from 5$ \to { 7$</b>"
    shutil.copytree(bar, folder)
    summary = json.loads((folder / "summary.json").read_text())
    (folder / "summary.json").write_text(json.dumps(summary | {"title": title}))
    board = scene_of(folder)[0].board(SIZE)
    board.image()
    assert title in [text.get_text() for text in board.figure.texts]


def test_result_without_title_has_that_of_its_folder(moving: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(moving)
    assert scene_of(Path())[0].board(SIZE).figure.texts[0].get_text() == "ball"


def test_telling_time() -> None:
    run = fake_run.run_info()
    blocks = fake_run.blocks(run, (11,))
    from flexmb.record.io.structure import split, static_arrays

    tree = split(run, blocks[0]) | static_arrays(run)
    for name in ("/contacts/wall/impulse", "/contacts/floor/impulse"):
        tree[name] = np.zeros_like(tree[name])
    summary = {"h": run.h}
    assert telling_time(Result(tree, summary)) == run.t0 + 10 * run.h
    tree["/contacts/wall/impulse"][[1, 2]] = 5.0  # 10 in all
    tree["/contacts/floor/impulse"][[4, 5, 6, 7], 0] = 2.0
    tree["/contacts/floor/impulse"][[7, 8], 1] = 2.0  # 12 in all, half of it given at sample 6
    assert telling_time(Result(tree, summary)) == run.t0 + 6 * run.h
    tree["/contacts/wall/impulse"][2] = 8.0
    assert telling_time(Result(tree, summary)) == run.t0 + 2 * run.h


def test_nearest_time() -> None:
    times = np.array([1.0, 2.0, 4.0])
    for t, k in ((-9.0, 0), (1.0, 0), (1.4, 0), (1.5, 0), (1.6, 1), (2.0, 1), (3.1, 2), (4.0, 2), (9.0, 2)):
        assert nearest(times, t) == k, t
    assert nearest(times[:1], 7.0) == nearest(times[:1], 0.0) == 0


def test_moving_plane_is_where_the_motion_puts_it(moving: Path) -> None:
    opened = open_folder(moving)
    (plane,), notes = contact_planes(opened)
    assert notes == []
    fields, points = opened.result.fields, opened.result.layout.points
    assert opened.result.contacts["wall"].impulse.max() > 0.5
    for k, t in enumerate(fields.times):
        u = fields.frame(k)["displacement"]
        assert plane.offset(t, points, u, 1.0) == pytest.approx(0.1 * np.sin(2 * np.pi * t), abs=1e-12)
        # a scaled picture keeps the gap in proportion
        gap = opened.result.contacts["wall"].gap[opened.result.step.tolist().index(fields.steps[k])]
        node = points[0, 0] + 7.0 * u[0, 0]
        assert node - plane.offset(t, points, u, 7.0) == pytest.approx(7.0 * gap, abs=1e-12)


def test_touching_looks_like_touching(moving: Path) -> None:
    """The ball is drawn with a radius, its contact is at its centre: the plane is drawn so that the surfaces meet."""
    opened = open_folder(moving)
    gaps = np.interp(opened.result.fields.times, opened.result.time, opened.result.contacts["wall"].gap)
    scene, k = scene_of(moving, float(opened.result.fields.times[np.argmin(gaps)]))
    frame = scene.fields.frame(k)
    ball = scene.shapes.mesh(scene.positions(frame))
    slab = scene.slab(scene.planes[0], float(scene.times[k]), frame)
    assert ball.points[:, 0].min() - slab.points[:, 0].max() == pytest.approx(gaps[k], abs=1e-4)  # facets of the ball
    assert abs(gaps[k]) < 0.02
    assert np.ptp(ball.points[:, 0]) > 0.05


def test_planes_of_oblique_bars_groups_and_pairs(tmp_path: Path) -> None:
    model = fm.Model()
    a = model.add(
        fm.Bar("a", length=1, elements=4, area=1, young=9, density=1, direction=(1, 2, 2), velocity=(0, 0, 0))
    )
    b = model.add(
        fm.Bar("b", length=1, elements=4, area=1, young=9, density=1, position=(1, 2, 2), direction=(1, 2, 2))
    )
    model.add(fm.NodeNode("meet", node=b.first, node2=a.last))
    model.add(fm.NodePlane("back", node=a.first, point=(-1, 0, 0), normal=(1, 0, 0)))
    result = fm.simulate(model, fm.MoreauJean(), step=0.01, end=0.02)
    planes, notes = contact_planes(open_folder(result.save(tmp_path / "no case")))
    assert planes == []
    assert any(says(note, "'back' ... case.toml ... normal") for note in notes)
    with h5py.File(tmp_path / "no case" / "result.h5", "r+") as file:
        assert file["/layout/contacts"][()].tolist() == [b"meet", b"back"]
        del file["/layout/contacts"], file["/layout/digest"]  # as in results of earlier versions
    _, notes = contact_planes(open_folder(tmp_path / "no case"))
    assert any(says(note, "order ... contacts") for note in notes)
    result.case_text = '[contacts.meet]\nkind = "node-node"\n[contacts.back]\nnormal = [2.0, 0.0, 0.0]\n'
    (plane,), notes = contact_planes(open_folder(result.save(tmp_path / "case")))
    assert notes == []
    assert plane.normal.tolist() == [1.0, 0.0, 0.0]
    assert plane.offset(0.0, result.layout.points, np.zeros((10, 3)), 1.0) == pytest.approx(-1.0, abs=1e-14)
    lone = fm.Model()
    c = lone.add(fm.Bar("a", length=1, elements=4, area=1, young=9, density=1, direction=(1, 2, 2)))
    lone.add(fm.NodePlane("back", node=c.first, point=(-1, 0, 0), normal=(1, 0, 0)))
    alone = fm.simulate(lone, fm.MoreauJean(), step=0.01, end=0.02).save(tmp_path / "lone")
    planes, notes = contact_planes(open_folder(alone))
    assert planes == []
    assert any("'back' is not drawn" in note for note in notes)


def test_thin_sections_are_drawn_thicker_and_the_picture_says_so(tmp_path: Path) -> None:
    model = fm.Model()
    model.add(fm.Bar("wire", length=2, elements=4, area=1e-6, young=9, density=1, velocity=(1, 0, 0)))
    folder = fm.simulate(model, fm.MoreauJean(), step=0.01, end=0.02).save(tmp_path / "wire")
    shown = view(folder, screenshot=tmp_path / "wire.png", scale=3.0, size=SIZE)
    assert shown.notes[0] == "displacements drawn × 3"
    true = np.sqrt(1e-6 / np.pi)
    size = np.hypot(2 + 3 * 0.02, 0.0)
    assert shown.notes[1] == f"sections drawn × {0.011 * size / true:.3g}"
    scene, k = scene_of(folder, 0.02)
    assert scene.shapes.radius(0) == pytest.approx(0.011 * 2.02)
    image = picture(scene, k, SIZE)
    assert chroma(colours_at(image, pixels(scene, k, on_the_axis(0.5, 1.0, 1.5)))).min() > 40
    assert len(scene.board(SIZE).charts) == 1  # no contact: only the energy


def test_camera() -> None:
    box = np.array([[x, y, z] for x in (-4.0, 6.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
    for sign in (1.0, -1.0):
        camera = look_at(box, np.array([0.0, 0.0, 1.0]), [np.array([sign, 0.0, 0.0])])
        axes = np.stack([camera.right, camera.up, camera.out])
        np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-14)
        assert camera.right[0] > 0.8  # the long side lies across, x to the right
        assert camera.up[2] > 0.9
        assert camera.out[0] * sign > 0.2  # the wall is seen from the side its normal points to
        seen = np.abs((box - camera.centre) @ axes.T)[:, :2]
        np.testing.assert_allclose(seen.max(axis=0), camera.half, rtol=1e-12)
        for aspect in (0.5, 4.0):
            height = camera.parallel_scale(aspect)
            assert np.all(seen <= np.array([height * aspect, height]))
    np.testing.assert_allclose(upright(np.array([0.0, -9.81, 0.0]), box), [0, 1, 0])
    np.testing.assert_allclose(upright(None, box * [1, 1, 0]), [0, 1, 0])
    np.testing.assert_allclose(upright(None, box * [1, 0, 0]), [0, 0, 1])


def test_every_field_is_known(bar: Path) -> None:
    for field in FIELDS:
        scene, k = scene_of(bar, 1.0, field)
        values = scene.values(scene.frame(k))
        name, _, component = field.partition(".")
        known = scene.fields.cell_frame(k)[name] if name in ON_LINES else scene.fields.frame(k)[name]
        if known.ndim == 1:
            known, component = known[:, None] * [1.0, 0.0, 0.0], "x"
        expected = known[:, "xyz".index(component)] if component else np.sqrt((known**2).sum(axis=1))
        np.testing.assert_allclose(values, expected, rtol=1e-14)


def test_colours_of_the_axial_force(bar: Path) -> None:
    """Behind the front the bar is under E A v / c = 900 * 10 / 30 = 300 N, ahead of it there is no force."""
    scene, k = scene_of(bar, 2 / 3, "axial_force")
    assert scene.limits[0] == pytest.approx(-300.0, rel=0.3)
    assert scene.limits[1] == -scene.limits[0]  # what has a sign has zero in the middle of its colours
    colours = colours_at(picture(scene, k, SIZE), pixels(scene, k, on_the_axis(0.5, 1.5, 6.5, 8.0)))
    red, blue = colours[:, 0] / colours.sum(axis=1), colours[:, 2] / colours.sum(axis=1)
    assert np.all(blue[:2] > red[:2] + 0.2)  # pushed
    np.testing.assert_allclose(blue[2:], red[2:], atol=0.03)  # without force


def test_several_folders_have_one_time_one_camera_one_range(bar: Path, moving: Path, tmp_path: Path) -> None:
    other = run_bar(tmp_path / "slow" / "bar", ["bodies.rod.velocity=[-5.0, 0.0, 0.0]"])
    stage, t = staged([bar, other], 0.3, 1.0, "velocity", whole=True)
    assert stage.notes == ()
    names = [f"{bar.parent.name}/bar", "slow/bar"]  # both folders are called bar
    plotter = stage.plotter(SIZE, off_screen=True)
    stage.add_to(plotter, t)
    plotter.render()
    left, right = stage.panels
    assert left.renderer.camera is right.renderer.camera
    assert left.limits == right.limits == stage.limits
    assert stage.limits[1] == max(scene.limits[1] for scene in stage.scenes)
    for panel, name in zip(stage.panels, names, strict=True):
        words = [text.get_text() for text in panel.overlay.board.figure.texts]
        assert words[1].startswith(f"{name}, generalized-alpha")
    stage.rescale(2.0)
    assert stage.notes == tuple(f"{name}: displacements drawn × 2" for name in names)
    stage.rescale(1.0)
    for t, places in ((0.3, (2.0, 3.5)), (0.1, (4.0, 4.5))):
        stage.show(t)
        assert [panel.bodies.points[:, 0].min() for panel in stage.panels] == pytest.approx(places, abs=1e-5)
    image = shot(plotter)[60 : SIZE[1] // 2]
    halves = image[:, : SIZE[0] // 2], image[:, SIZE[0] // 2 :]
    assert all(np.ptp(half.astype(float), axis=2).max() > 60 for half in halves)
    plotter.close()
    path = tmp_path / "both.png"
    view([bar, other], screenshot=path, size=SIZE)
    assert path.stat().st_size > 10_000
    mixed, _ = staged([bar, moving], None, 1.0, "displacement", whole=True)
    assert mixed.available == ["displacement", "velocity"]
    assert mixed.times[-1] == 2.0


def test_fields_file_warped_by_pyvista_is_the_recorded_motion(bar: Path) -> None:
    """What a ParaView user does: open fields.vtkhdf, warp by displacement. The ends are where the signals say."""
    import pyvista

    result = fm.load(bar)
    reader = pyvista.get_reader(bar / "fields.vtkhdf")
    for k in range(0, len(result.fields), 20):
        reader.reader.SetStep(k)
        grid = reader.read()
        assert reader.reader.GetTimeValue() == result.fields.times[k]
        warped = grid.warp_by_vector("displacement").points
        sample = result.step.tolist().index(result.fields.steps[k])
        np.testing.assert_allclose(warped[0], result.signals["rod.first.position"][sample], atol=1e-13)
        np.testing.assert_allclose(warped[-1], result.signals["rod.last.position"][sample], atol=1e-13)


def test_colours_span_what_is_asked_for(bar: Path) -> None:
    """Two pictures with one range have one colour for one force."""
    found = []
    for time in (0.6, 2 / 3):
        stage, t = staged([bar], time, 1.0, "axial_force", whole=False, ends=(-600.0, 0.0))
        scene = stage.scenes[0]
        assert stage.limits == (-600.0, 0.0)
        k = scene.nearest(t)
        found.append(place_on_map(colours_at(picture(scene, k, SIZE), pixels(scene, k, on_the_axis(0.5, 1.0)))))
    np.testing.assert_allclose(found, 0.5, atol=0.08)  # behind the front there are -300 N
    scene.recolour("velocity")
    assert scene.limits != (-600.0, 0.0)
    scene.recolour("axial_force")
    assert scene.limits == (-600.0, 0.0)
    with pytest.raises(InputError, match="range = '3 3'.*two numbers.*smaller"):
        staged([bar], 0.6, 1.0, "axial_force", whole=False, ends=(3.0, 3.0))
