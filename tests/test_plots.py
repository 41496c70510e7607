"""Charts hold the numbers of the result, add up, and can be read."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import InputError
from flexmb.postproc.plots import draw_forces, draw_gaps, plot_contact, plot_energy
from flexmb.postproc.thinning import thinned

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def bar() -> fm.Result:
    return fm.load_case("impacting_bar", ["bodies.rod.elements=40", "time.step=5e-3"]).run()


@pytest.fixture(scope="module")
def group() -> fm.Result:
    """A bar that lies on its side above a floor with a slope: many nodes, none of which moves alike."""
    model = fm.Model()
    section = fm.Section(shape="circle", radius=0.05)
    model.add(fm.Beam("rod", length=1, elements=3, section=section, young=1e5, density=100, orientation=(0, 0, 1)))
    model.gravity = (0.0, 0.0, -9.81)
    model.add(fm.NodePlane("floor", nodes="rod.all", point=(0, 0, -0.05), normal=(0.02, 0, 1.0)))
    return fm.simulate(model, fm.MoreauJean(), step=2e-3, end=0.3)


def curves(axes) -> dict[str, np.ndarray]:
    return {line.get_label(): np.asarray(line.get_xydata()) for line in axes.get_lines()}


def words_overlap(figure) -> bool:
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    FigureCanvasAgg(figure).draw()
    boxes = []
    for axes in figure.axes:
        boxes += [axes.get_legend().get_window_extent(), axes._left_title.get_window_extent()]
        boxes += [axes.xaxis.label.get_window_extent(), axes.yaxis.label.get_window_extent()]
        boxes += [label.get_window_extent() for label in axes.get_yticklabels() if label.get_text()]
    boxes = [box for box in boxes if box.width > 1]
    inside = all(box.x0 >= 0 and box.y0 >= 0 for box in boxes)
    return not inside or any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[i + 1 :])


def test_contact(bar: fm.Result, tmp_path: Path) -> None:
    figure = plot_contact(bar, "wall")
    gap, force = figure.axes
    np.testing.assert_array_equal(curves(gap)["wall"], np.column_stack([bar.time, bar.contacts["wall"].gap]))
    np.testing.assert_array_equal(curves(force)["wall"], np.column_stack([bar.time, bar.contacts["wall"].force]))
    assert (gap.get_ylabel(), force.get_ylabel(), force.get_xlabel()) == ("gap [m]", "force [N]", "time [s]")
    assert not words_overlap(figure)
    for name in ("c.png", "c.svg", "c.pdf"):
        figure.savefig(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 5000
    assert "force [N]" in (tmp_path / "c.svg").read_text()


def test_group_of_contacts(group: fm.Result) -> None:
    gap, force = plot_contact(group, "floor").axes
    floor = group.contacts["floor"]
    assert floor.gap.shape[1] == 4
    assert np.any(floor.force.sum(axis=1) > 0)
    np.testing.assert_array_equal(curves(gap)["floor (min of 4)"][:, 1], floor.gap.min(axis=1))
    np.testing.assert_array_equal(curves(force)["floor (sum of 4)"][:, 1], floor.force.sum(axis=1))


def test_many_contacts_are_not_all_told_apart() -> None:
    from matplotlib.figure import Figure

    model = fm.Model()
    for k in range(7):
        ball = model.add(fm.Particle(f"ball{k}", mass=1.0 + k, position=(0, 0, 1), velocity=(0, 0, -1)))
        model.add(fm.NodePlane(f"floor{k}", node=ball.first, normal=(0, 0, 1)))
    result = fm.simulate(model, fm.MoreauJean(), step=0.1, end=1.5)
    for draw in (draw_gaps, draw_forces):
        axes = Figure().subplots()
        draw(axes, result)
        names = [text.get_text() for text in axes.get_legend().get_texts()]
        assert sorted(names) == ["and 3 more contacts", "floor3", "floor4", "floor5", "floor6"]  # the heaviest


def test_energy_adds_up(bar: fm.Result) -> None:
    figure = plot_energy(bar)
    energy, works = figure.axes
    np.testing.assert_array_equal(curves(energy)["total"][:, 1], bar.energy.total)
    np.testing.assert_allclose(curves(energy)["initial + loads"][:, 1], 500.0, rtol=1e-12)
    parts = curves(works)
    change = next(values for name, values in parts.items() if name.startswith("change"))
    named = [
        values[:, 1] for name, values in parts.items() if name.split()[0] in ("loads", "damping", "contacts", "scheme")
    ]
    assert len(named) == 2
    np.testing.assert_allclose(np.sum(named, axis=0), change[:, 1], atol=1e-9)
    assert change[-1, 1] < -0.5
    assert not words_overlap(figure)


def test_stack_is_kinetic_plus_potential(bar: fm.Result) -> None:
    energy = plot_energy(bar).axes[0]
    areas = {area.get_label(): area.get_paths()[0].vertices for area in energy.collections}
    assert set(areas) == {"kinetic", "potential", "lost"}
    k = int(np.argmin(np.abs(bar.time - 0.7)))
    t = bar.time[k]
    heights = {name: sorted(set(v[np.isclose(v[:, 0], t, rtol=0, atol=1e-12)][:, 1])) for name, v in areas.items()}
    assert heights["kinetic"] == [0.0, bar.energy.kinetic[k]]
    assert heights["potential"] == [bar.energy.kinetic[k], bar.energy.total[k]]
    assert heights["lost"] == pytest.approx([bar.energy.total[k], 500.0])


def test_negative_potentials_are_lines(group: fm.Result) -> None:
    assert group.energy.potential.min() < 0
    energy = plot_energy(group).axes[0]
    assert len(energy.collections) == 0
    lines = curves(energy)
    np.testing.assert_array_equal(lines["potential"][:, 1], group.energy.potential)
    lost = -(group.energy.work_contact + group.energy.work_damping + group.energy.numerical)
    np.testing.assert_allclose(lines["lost"][:, 1], lost, atol=1e-10)


def test_unknown_contact(bar: fm.Result) -> None:
    with pytest.raises(InputError, match="no contact 'wal' in this result; did you mean 'wall'"):
        plot_contact(bar, "wal")


def test_thinning_keeps_every_peak() -> None:
    rng = np.random.default_rng(3)
    t, y = np.linspace(0, 1, 250_001), rng.normal(size=250_001)
    peaks = rng.choice(250_001, 50, replace=False)
    y[peaks] = np.where(np.arange(50) % 2, 30.0, -30.0) + rng.normal(size=50)
    a, b = thinned(t, y, 4000)
    assert 3000 < len(a) <= 4002
    assert (a[0], a[-1]) == (0.0, 1.0)
    assert np.all(np.diff(a) > 0)
    stretches = np.linspace(0, 250_001, 2001).astype(int)
    for low, high in zip(stretches[:-1], stretches[1:], strict=True):
        inside = (a >= t[low]) & (a <= t[high - 1])
        assert b[inside].max() == y[low:high].max()
        assert b[inside].min() == y[low:high].min()
    assert thinned(t[:4000], y[:4000])[1] is not None
    np.testing.assert_array_equal(thinned(t[:4000], y[:4000])[1], y[:4000])


def test_readme_figure(bar: fm.Result) -> None:
    spec = importlib.util.spec_from_file_location("figures", ROOT / "docs/figures.py")
    assert spec is not None
    assert spec.loader is not None
    figures = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(figures)
    t = np.linspace(0, 2, 200_001)
    assert np.trapezoid(figures.exact_force(t), t) == pytest.approx(200.0, abs=0.01)  # 2 rho A L v
    np.testing.assert_allclose(
        figures.exact_tip(np.array([0, 0.25, 0.5, 1.0, 7 / 6, 2.0])), [5, 2.5, 0, 0, 0, 25 / 3], atol=1e-14
    )
    figure = figures.bar_figure(bar)
    tip, force = (curves(axes) for axes in figure.axes[:2])
    exact = np.interp(tip["computed"][:, 0], *tip["exact"].T)
    assert np.abs(tip["computed"][:, 1] - exact).max() < 0.25
    during = (force["computed"][:, 0] > 0.6) & (force["computed"][:, 0] < 1.0)
    np.testing.assert_allclose(force["computed"][during, 1], 300.0, rtol=0.02)
    assert not words_overlap(figure)


@pytest.mark.parametrize("name", ["impacting_bar.png", "impacting_bar_view.png"])
def test_pictures_of_the_readme_are_there_and_small(name: str) -> None:
    assert 20_000 < (ROOT / "docs/images" / name).stat().st_size < 300_000
