"""Moment lines on frames: colours split where the moment is zero, extremes of both signs, labels clear of members."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

import flexmb as fm
from flexmb.postproc.clear_labels import place_labels
from flexmb.postproc.moment_plot import end_moments, plot_moment, without_jumps
from flexmb.postproc.on_frame import draw_on_frame, split_at_zero
from flexmb.postproc.open_folder import opened
from flexmb.postproc.space_time_plot import plot_space_time
from flexmb.postproc.style import BLUE, VERMILLION

MESHES = Path(__file__).parents[1] / "meshes"
STEEL = {"young": 2e11, "density": 7800.0}


@pytest.fixture(scope="module")
def portal() -> fm.Result:
    """A portal frame that is released from a horizontal force."""
    model = fm.Model(initial_static=("push",))
    section = {"area": 0.01, "inertia": 1e-5}
    supports = [{"node": "feet", "kind": "clamped"}]
    model.add(fm.Beam("frame", mesh=MESHES / "portal.msh", section=section, material=STEEL, supports=supports))
    model.add(fm.NodalForce("push", node="frame.left", force=(1000.0, 0, 0)))
    return fm.simulate(model, fm.Newmark(), step=2e-5, end=3e-3)


def numbers(figure: Figure) -> list[float]:
    return [float(text.get_text().split()[0].replace("−", "-")) for text in figure.axes[0].texts]


def test_a_line_is_split_where_its_moment_is_zero() -> None:
    ends = np.array([[0.0, 0.0], [4.0, 8.0]])
    (first, left), (second, right) = split_at_zero(ends, np.array([1.0, -3.0]))
    assert first == pytest.approx(np.array([[0.0, 0.0], [1.0, 2.0]]))
    assert second == pytest.approx(np.array([[1.0, 2.0], [4.0, 8.0]]))
    assert (left.tolist(), right.tolist()) == ([1.0, 0.0], [0.0, -3.0])
    assert len(split_at_zero(ends, np.array([1.0, 0.0]))) == 1


def test_no_patch_of_one_colour_has_both_signs(portal: fm.Result) -> None:
    """A patch on both sides of its member would be drawn in the colour of one of them."""
    figure = Figure()
    axes = figure.add_subplot()
    layout = portal.layout
    cells = np.arange(len(layout.cells))
    values = np.tile([2.0, -1.0], (len(cells), 1))
    draw_on_frame(axes, layout, cells, [values], "z")
    colours = [to_hex(patch.get_facecolor()) for patch in axes.patches]
    assert colours.count(BLUE.lower()) == colours.count(VERMILLION.lower()) == len(cells)
    for patch in axes.patches:
        corners = np.asarray(patch.get_path().vertices)[:4]
        a, b = corners[1] - corners[0], corners[2:] - corners[0]
        across = a[0] * b[:, 1] - a[1] * b[:, 0]
        assert across.min() * across.max() >= -1e-12


def test_the_envelope_marks_the_largest_of_both_signs(portal: fm.Result) -> None:
    figure = plot_moment(opened(portal), envelope=True)
    high, low = max(numbers(figure)), min(numbers(figure))
    at_start = numbers(plot_moment(opened(portal), time=0.0))
    assert len(at_start) == 2
    assert high > 1.01 * max(at_start) > 0.0
    assert low < 1.01 * min(at_start) < 0.0


def test_the_legend_has_only_what_is_drawn(portal: fm.Result) -> None:
    figure = plot_moment(opened(portal), time=0.0)
    axes = figure.axes[0]
    legend = axes.get_legend()
    drawn = {to_hex(line.get_color()) for line in axes.lines if len(line.get_xdata())}
    assert {to_hex(line.get_color()) for line in legend.get_lines()} <= drawn
    assert "tension side" in legend.get_title().get_text()


def test_labels_are_clear_of_members(portal: fm.Result) -> None:
    figure = plot_moment(opened(portal), envelope=True)
    axes = figure.axes[0]
    figure.draw_without_rendering()
    layout = portal.layout
    members = layout.points[layout.cells][:, :, [0, 2]]
    steps = np.linspace(0.0, 1.0, 200)[:, None, None]
    along = ((1.0 - steps) * members[:, 0] + steps * members[:, 1]).reshape(-1, 2)
    shown = axes.transData.transform(along)
    boxes = [text.get_window_extent() for text in axes.texts]
    assert not any(box.contains(*point) for box in boxes for point in shown)
    assert not boxes[0].overlaps(boxes[1])


def test_a_label_moves_to_the_free_side_of_a_column() -> None:
    figure = Figure()
    axes = figure.add_subplot()
    axes.set(xlim=(0.0, 10.0), ylim=(0.0, 10.0))
    column = np.array([[[5.2, 0.0], [5.2, 10.0]]])
    place_labels(axes, [("16.51 kN m", np.array([5.0, 5.0]))], column, np.zeros((0, 2, 2)))
    box = axes.texts[0].get_window_extent()
    assert box.x1 < axes.transData.transform((5.2, 5.0))[0]


def test_moments_in_motion_have_no_jumps_and_are_those_of_the_space_time_diagram(portal: fm.Result) -> None:
    fields = portal.fields
    layout = portal.layout
    assert layout is not None
    cells = np.arange(len(layout.cells))
    raw, axis = end_moments(fields.maps, np.asarray(fields.q), cells)
    smooth = without_jumps(layout, cells, raw, axis, float(np.abs(raw).max()))
    inner = np.flatnonzero(layout.cells[:-1, 1] == layout.cells[1:, 0])
    assert inner.size > 10
    assert np.abs(raw[:, inner, 1] - raw[:, inner + 1, 0]).max() > 1.0
    assert np.array_equal(smooth[:, inner, 1], smooth[:, inner + 1, 0])
    (mesh,) = (shape for shape in plot_space_time(opened(portal), "bending_moment").axes[0].collections)
    scale = np.abs(smooth).max() / np.abs(mesh.get_array()).max()
    assert scale == pytest.approx(10.0 ** round(np.log10(scale)), rel=1e-12)
    _, low, high = sorted([0.0, *numbers(plot_moment(opened(portal)))], key=abs)
    assert max(abs(low), abs(high)) == pytest.approx(np.abs(smooth).max(), rel=1e-3)


def test_a_small_moment_applied_at_a_node_beside_a_large_force_remains() -> None:
    model = fm.Model(initial_static=("turn", "push"))
    section = {"area": 0.01, "inertia": 1e-5}
    supports = [{"node": "first", "kind": "clamped"}, {"node": "last", "kind": "clamped"}]
    model.add(fm.Beam("beam", length=2.0, elements=8, section=section, material=STEEL, supports=supports))
    model.add(fm.NodalForce("turn", node="beam.mid", moment=(0.0, 0.0, 100.0)))
    model.add(fm.NodalForce("push", node="beam.mid", force=(0.0, 8e3, 0.0)))
    result = fm.simulate(model, fm.Newmark(), step=1e-6, end=2e-6)
    layout = result.fields.maps.layout
    cells = np.arange(8)
    raw, axis = end_moments(result.fields.maps, np.asarray(result.fields.q[:1]), cells)
    assert np.abs(raw).max() > 1000.0
    kept = without_jumps(layout, cells, raw, axis, float(np.abs(raw).max()))
    assert abs(kept[0, 3, 1] - kept[0, 4, 0]) == pytest.approx(100.0, rel=1e-3)
    (line,) = (line for line in plot_moment(opened(result), body="beam").axes[0].lines if len(line.get_xdata()) == 16)
    drawn = np.asarray(line.get_ydata())
    assert np.abs(drawn).max() > 1000.0
    assert abs(drawn[8] - drawn[7]) == pytest.approx(100.0, rel=1e-3)


@pytest.mark.parametrize("kind", ["moment", "torsion-spring", "joint"])
def test_a_jump_remains_where_a_part_can_apply_a_moment(kind: str) -> None:
    model = fm.Model()
    section = {"area": 0.01, "inertia": 1e-5}
    supports = [{"node": "first", "kind": "clamped"}]
    model.add(fm.Beam("beam", length=2.0, elements=4, section=section, material=STEEL, supports=supports))
    model.add(fm.Rigid("arm", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(1.0, 0.0, 0.0)))
    if kind == "joint":
        model.add(fm.Fixed("weld", a="beam.mid", b="arm"))
    elif kind == "moment":
        model.add(fm.NodalForce("turn", node="beam.mid", moment=(0.0, 0.0, 1.0)))
    else:
        model.add(fm.TorsionSpring("spring", a="beam.mid", stiffness=10.0, axis=(0.0, 0.0, 1.0)))
    model.add(fm.Spring("prop", node="beam.node(1)", stiffness=10.0, direction=(0.0, 1.0, 0.0)))
    layout = model.assemble().layout
    cells = np.flatnonzero(layout.body_of_point[layout.cells[:, 0]] == 0)
    raw = np.tile([0.0, 1.0], (1, 4, 1))
    smooth = without_jumps(layout, cells, raw, "z", 100.0)
    assert (smooth[0, :-1, 1] - smooth[0, 1:, 0]).tolist() == [0.0, 1.0, 0.0]


def test_the_limit_of_jumps_is_by_the_largest_moment_of_the_run() -> None:
    """A coarse beam under a sudden force: the first moments are small, and jump by much of what they are then."""
    model = fm.Model()
    section = {"area": 0.01, "inertia": 1e-5}
    supports = [{"node": "first", "kind": "clamped"}]
    model.add(fm.Beam("beam", length=2.0, elements=3, section=section, material=STEEL, supports=supports))
    model.add(fm.NodalForce("push", node="beam.last", force=(0.0, 8e3, 0.0)))
    result = fm.simulate(model, fm.Newmark(), step=1e-4, end=0.02)
    cells = np.arange(3)
    raw, _ = end_moments(result.fields.maps, np.asarray(result.fields.q), cells, "z")
    jumps = np.abs(raw[:, :-1, 1] - raw[:, 1:, 0]).max(axis=1)
    small = jumps < 0.09 * np.abs(raw).max()
    k = int(np.argmax(np.where(small, jumps / np.maximum(np.abs(raw).max(axis=(1, 2)), 1.0), 0.0)))
    assert jumps[k] > 0.11 * np.abs(raw[k]).max()
    figure = plot_moment(opened(result), time=float(result.fields.times[k]))
    (line,) = (line for line in figure.axes[0].lines if len(line.get_xdata()) == 6)
    drawn = np.asarray(line.get_ydata())
    assert np.array_equal(drawn[1:-1:2], drawn[2:-1:2])
