"""The window of the viewer, on a plotter without a screen: its keys, its slider, playing, and other sizes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from pictures import SIZE, coloured_columns, press, require_drawing, run_bar, shot

import flexmb as fm
from flexmb.postproc.view import staged


@pytest.fixture(scope="module")
def bar(tmp_path_factory: pytest.TempPathFactory) -> Path:
    require_drawing()
    return run_bar(tmp_path_factory.mktemp("window") / "bar")


@pytest.fixture
def window(bar: Path):
    """The window's controls on a plotter without a screen, at the eleventh state."""
    from flexmb.postproc.window import Window

    stage, _ = staged([bar], 0.1, 1.0, "displacement", whole=True)
    plotter = stage.plotter(SIZE, off_screen=True)
    yield Window(plotter, stage, float(stage.times[10]))
    plotter.close()


def test_window_steps(window) -> None:
    stage, plotter = window.stage, window.plotter
    scene, panel, times = stage.scenes[0], stage.panels[0], stage.times
    assert scene.limits == pytest.approx((0.0, 25 / 3), rel=0.05)  # over the whole run
    plotter.render()
    assert panel.overlay.clock.GetInput() == f"t = {times[10]:.6g} s"
    assert panel.bodies.points[:, 0].min() == pytest.approx(5 - 10 * times[10], abs=1e-6)
    before = coloured_columns(plotter)
    last = len(times) - 1
    for key, k in (("Right", 11), ("Left", 10), ("Next", 20), ("Prior", 10), ("End", last), ("Right", last)):
        press(plotter, key)
        assert panel.k == k
        assert panel.overlay.clock.GetInput() == f"t = {times[k]:.6g} s"
        assert window.slider.GetRepresentation().GetValue() == pytest.approx(times[k])
    end = scene.result.signals["rod.first.position"][-1, 0]
    assert panel.bodies.points[:, 0].min() == pytest.approx(end, abs=1e-5)
    after = coloured_columns(plotter)
    scale = panel.renderer.camera.parallel_scale
    moved = (end - 4.0) * scene.camera.right[0] / (2 * scale) * 0.395 * SIZE[1]
    assert after[0] - before[0] == pytest.approx(moved, abs=3)
    window.slider.GetRepresentation().SetValue(0.512)
    window.slider.InvokeEvent("InteractionEvent")
    assert times[panel.k] == pytest.approx(0.51)
    press(plotter, "Home")
    assert panel.k == 0
    panel.renderer.camera.position = (1.0, 2.0, 3.0)
    press(plotter, "c")
    expected = scene.camera.centre + 10 * scene.shapes.size * scene.camera.out
    np.testing.assert_allclose(panel.renderer.camera.position, expected)


def test_window_plays(window, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [100.0]
    monkeypatch.setattr("flexmb.postproc.controls.time.monotonic", lambda: clock[0])
    plotter, player = window.plotter, window.player
    assert player.speed == pytest.approx(2.0 / 10.0)  # two seconds of motion take ten

    def tick(seconds: float) -> float:
        clock[0] += seconds
        plotter.iren.interactor.InvokeEvent("TimerEvent")
        return player.t

    start = player.t
    assert tick(1.0) == start  # not yet
    press(plotter, "space")
    assert tick(1.0) == pytest.approx(start + 0.2)
    words = window.stage.panels[0].overlay.pace
    assert words.GetInput() == "speed 0.2 s/s"
    press(plotter, "plus")
    assert words.GetInput() == "speed 0.4 s/s"
    assert tick(1.0) == pytest.approx(start + 0.6)
    press(plotter, "minus")
    assert words.GetInput() == "speed 0.2 s/s"
    assert tick(0.5) == pytest.approx(start + 0.7)
    assert tick(1e3) == 2.0
    assert tick(1.0) == 0.0  # from the beginning again
    press(plotter, "space")
    assert tick(1.0) == 0.0
    for key, most in (("plus", 204.8), ("minus", 0.2 / 1024)):  # however often it is pressed
        for _ in range(30):
            press(plotter, key)
        assert player.speed == pytest.approx(most)


def test_speed_is_written_below_the_time(window) -> None:
    plotter, overlay = window.plotter, window.stage.panels[0].overlay
    place = np.s_[round(0.065 * SIZE[1]) : round(0.1 * SIZE[1]), round(0.85 * SIZE[0]) :]
    assert shot(plotter)[place].min() < 150
    overlay.pace.VisibilityOff()
    assert shot(plotter)[place].min() == 255


def test_window_keys(window) -> None:
    from flexmb.postproc.controls import KEYS
    from flexmb.postproc.window import CLOSE, HINT

    plotter, stage = window.plotter, window.stage
    plain = shot(plotter)
    assert not window.help.GetVisibility()
    press(plotter, "question")
    assert np.mean(np.any(shot(plotter) != plain, axis=2)) > 0.05
    lines = window.help.GetInput().replace("\u00a0", " ").split("\n")[1:-1]
    rows = [*((keys.names, keys.what) for keys in KEYS), CLOSE]
    assert all(what in line for (_, what), line in zip(rows, lines, strict=True))
    assert len({len(line) for line in lines}) == 1  # in columns
    press(plotter, "question")
    seen = []
    for _ in range(5):
        press(plotter, "f")
        label = stage.panels[0].overlay.board.figure.axes[0].get_ylabel()
        seen.append((stage.field, label))
        assert stage.panels[0].bodies.active_scalars_name == "value"
    assert seen == [
        ("velocity", "|velocity| [m/s]"),
        ("axial_force", "axial force [N]"),
        ("bending_moment", "|bending moment| [N m]"),
        ("energy_density", "energy density [J/m]"),
        ("displacement", "|displacement| [m]"),
    ]
    np.testing.assert_array_equal(shot(plotter), plain)
    at = stage.panels[0].bodies.points[:, 0].min()
    press(plotter, "bracketright")
    assert stage.panels[0].bodies.points[:, 0].min() == pytest.approx(5 - 2 * (5 - at), abs=1e-5)
    assert "displacements drawn × 2" in stage.notes
    press(plotter, "bracketleft")
    board = stage.panels[0].overlay.board
    assert HINT in [text.get_text() for text in board.figure.texts]
    press(plotter, "r")
    bare = shot(plotter)
    x, y, _, height = (round(share * side) for share, side in zip(board.scene, (*SIZE, *SIZE), strict=True))
    scene = np.s_[SIZE[1] - y - height : SIZE[1] - y]
    assert np.any(bare[scene] != plain[scene])
    words = np.s_[SIZE[1] - y : SIZE[1] - y + 16, x : x + 100]  # below the scene: what is grey
    assert plain[words].min() < 190
    assert str(stage.panels[0].overlay.caption.GetInput()).startswith("arrows: ")  # what is grey is no longer told
    assert np.any(bare[words] != plain[words])
    press(plotter, "r")
    np.testing.assert_array_equal(shot(plotter), plain)


def test_impulses_flash(window, monkeypatch: pytest.MonkeyPatch) -> None:
    """An arrow ends at the wall while the bar pushes, fades in the state after, and is gone later."""
    from flexmb.postproc.style import VERMILLION

    clock = [100.0]
    monkeypatch.setattr("flexmb.postproc.controls.time.monotonic", lambda: clock[0])

    plotter, panel = window.plotter, window.stage.panels[0]
    ink = np.array([int(VERMILLION[k : k + 2], 16) for k in (1, 3, 5)], dtype=float)

    def arrow() -> int:
        colours = shot(plotter).astype(float)[:, : SIZE[0] // 4]
        size = np.maximum(np.linalg.norm(colours, axis=2), 1.0)
        return int(np.sum((colours @ ink / size / np.linalg.norm(ink) > 0.98) & (np.ptp(colours, axis=2) > 60)))

    window.go(0.4)
    assert arrow() == 0
    window.go(0.8)
    assert arrow() > 40
    assert panel._arrows[0].points[:, 0].max() == pytest.approx(0.0, abs=1e-4)  # the tip is at the wall
    press(plotter, "a")
    assert arrow() == 0
    press(plotter, "a")
    last = float(panel.scene.times[np.flatnonzero(panel.scene.fields.impulse[()].any(axis=1))[-1]])
    window.go(last)
    window.go(window.player.step(1))
    assert [bool(actor.GetVisibility()) for actor in panel._flashes] == [False, True]
    window.go(window.player.step(1))
    assert arrow() == 0
    # a leap over the whole contact shows none, but while time passes none is lost
    for leaps in (True, False):
        window.go(0.4)
        if leaps:
            window.go(1.8)
        else:
            press(plotter, "space")
            clock[0] += 1.4 / window.player.speed
            plotter.iren.interactor.InvokeEvent("TimerEvent")
            press(plotter, "space")
        assert window.player.t == pytest.approx(1.8)
        assert bool(panel._flashes[0].GetVisibility()) is not leaps


def seen_with(window) -> list:
    """Return from where and how the scene is drawn: the camera, and surface or wires, widths and what is shown."""
    renderer = window.stage.panels[0].renderer
    camera, actors = renderer.camera, sorted(renderer.actors.items())
    props = [(a.prop.style, a.prop.line_width, a.prop.point_size, a.GetVisibility()) for _, a in actors]
    stereo = window.plotter.render_window.GetStereoRender()
    place = (*camera.position, *camera.focal_point, *camera.up, camera.parallel_scale, camera.parallel_projection)
    return [place, props, stereo, window.slider.GetEnabled(), type(window.plotter.iren.interactor.GetInteractorStyle())]


def test_only_the_listed_keys_do_something(window) -> None:
    """VTK's style and pyvista have keys of their own: wires, another camera, thicker lines, stereo, leaving."""
    plotter, left = window.plotter, []
    for event in ("ExitEvent", "UserEvent", "StartPickEvent"):
        plotter.iren.interactor.AddObserver(event, lambda *_: left.append(1))
    plotter.iren.interactor.SetEventInformation(SIZE[0] // 3, 2 * SIZE[1] // 3)  # the pointer is on the bar
    plotter.render()
    camera = window.stage.panels[0].renderer.camera
    camera.azimuth, camera.parallel_scale = 10.0, 0.8 * camera.parallel_scale
    before, picture = seen_with(window), shot(plotter)
    for key in (*"wsvbp3jteuilxyzhkmnodg12CRFWSPE", "Up", "Down", "Escape", "Tab", "Return", "F1"):
        press(plotter, key)
        assert seen_with(window) == before, key
    np.testing.assert_array_equal(shot(plotter), picture)
    for keys in ("r r", "a a", "plus minus", "equal minus", "f f f f f", "question question", "Left Right"):
        for key in keys.split():
            press(plotter, key)
        assert seen_with(window) == before, keys
    assert left == []
    press(plotter, "q")
    assert left == [1]


def part_of_view(panel, points: np.ndarray) -> np.ndarray:
    """Return how far from the middle of the scene's place points are drawn, 1 at its edges, (2,): across and up."""
    renderer, out = panel.renderer, []
    for point in points:
        renderer.SetWorldPoint(*point, 1.0)
        renderer.WorldToView()
        out.append(renderer.GetViewPoint()[:2])
    return np.abs(out).max(axis=0)


def test_other_sizes_show_all_and_keep_turn_and_zoom(window) -> None:
    plotter, stage = window.plotter, window.stage
    (panel,), content = stage.panels, stage.scenes[0].content
    camera = panel.renderer.camera
    plotter.render()
    filled = part_of_view(panel, content)
    assert 0.9 < filled.max() < 1.0
    for size in ((500, 450), (240, 700), (1300, 400)):
        plotter.render_window.SetSize(*size)
        assert panel.overlay.board.size == size
        assert panel.overlay.board.image().shape[1::-1] == size
        plotter.render()
        seen = part_of_view(panel, content)
        assert 0.9 < seen.max() < 1.0, size
        x, y, width, _ = panel.overlay.board.scene
        ends = [point.GetValue() for point in slider_ends(window)]
        assert ends[0][0] == pytest.approx(x + 0.01 * width)
        assert ends[0][1] == ends[1][1]
        letters = panel.overlay.caption.GetTextProperty().GetFontSize()
        assert ends[0][1] < y - 0.012 - letters / size[1]  # below the words under the scene
        assert ends[0][1] > max(axes.get_position().y1 for axes in panel.overlay.board.charts) or x + width < 0.6
        box = [0.0, 0.0]
        window.help.GetSize(stage.panels[0].renderer, box)
        assert box[0] < size[0]
        assert box[1] < size[1]
    camera.azimuth, camera.parallel_scale = 20.0, 0.5 * camera.parallel_scale
    turned = camera.position
    plotter.render_window.SetSize(*SIZE)
    plotter.render()
    assert camera.position == turned
    camera.azimuth = 0.0
    np.testing.assert_allclose(part_of_view(panel, content), 2.0 * filled, rtol=0.02)


def slider_ends(window) -> tuple:
    shape = window.slider.GetRepresentation()
    return shape.GetPoint1Coordinate(), shape.GetPoint2Coordinate()


def test_c_shows_all_at_every_scale(window) -> None:
    plotter, stage, panel = window.plotter, window.stage, window.stage.panels[0]
    for key, scale in (("bracketright", 2.0), ("bracketright", 4.0), ("bracketleft", 0.25)):
        while stage.scale != scale:
            press(plotter, key)
        press(plotter, "c")
        reach = []
        for t in stage.times[::20]:
            window.go(float(t))
            reach.append(part_of_view(panel, panel.bodies.points))
        assert 0.5 < np.max(reach) < 1.0, scale
        size, board = panel.camera.half, panel.overlay.board
        assert board.scene == panel.scene.board(SIZE, aspect=float(size[0] / size[1])).scene
    # an eye ten sizes away is not far enough for everything
    window.rescale(1e3)
    press(plotter, "c")
    for t in stage.times[::40]:
        window.go(float(t))
        along = np.asarray(panel.renderer.camera.direction) @ (panel.bodies.points - panel.renderer.camera.position).T
        near, far = panel.renderer.camera.clipping_range
        assert near < along.min() < along.max() < far


def test_c_lays_the_board_out_for_what_is_seen(tmp_path: Path) -> None:
    """Two balls side by side of which one rises: wide at first, high when that is drawn many times larger."""
    from flexmb.postproc.window import Window

    require_drawing()
    model = fm.Model()
    for name, x, up in (("left", -5.0, 0.0), ("right", 5.0, 1.0)):
        model.add(fm.Particle(name, mass=1.0, position=(x, 0, 0), velocity=(0, 0, up)))
    folder = fm.simulate(model, fm.MoreauJean(), step=0.1, end=2.0).save(tmp_path / "balls")
    stage, t = staged([folder], 0.0, 1.0, "displacement", whole=True)
    plotter = stage.plotter(SIZE, off_screen=True)
    window, panel = Window(plotter, stage, t), stage.panels[0]
    beside = (panel.overlay.board.scene, slider_ends(window)[0].GetValue())
    for _ in range(4):
        press(plotter, "bracketright")
    assert (panel.overlay.board.scene, slider_ends(window)[0].GetValue()) == beside
    press(plotter, "c")
    above = (panel.overlay.board.scene, slider_ends(window)[0].GetValue())
    assert above[0][3] > 1.5 * beside[0][3]
    assert above[1][1] - above[0][1] == pytest.approx(beside[1][1] - beside[0][1])
    window.go(2.0)
    assert 0.8 < part_of_view(panel, panel.bodies.points).max() < 1.0
    plotter.close()
