"""Charts hold the numbers of the result, add up, and can be read."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import flexmb as fm
from flexmb.analysis.measures.thinning import kept, thinned
from flexmb.errors import InputError
from flexmb.postproc.ledger import ledger_of
from flexmb.postproc.named_curves import Curves
from flexmb.postproc.plots import _fill, draw_forces, draw_gaps, plot_contact, plot_energy, plot_signals
from flexmb.postproc.plotted import rate_pair, shown_signals
from flexmb.postproc.report.charts import Bars, Chart
from flexmb.postproc.report.energies import energy_charts
from flexmb.postproc.spectrum import amplitude_spectrum
from flexmb.postproc.ticks import power_of, take_out_power, with_power

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
        low, high = axes.get_ylim()
        ticks = [
            label for label in axes.get_yticklabels() if label.get_text() and low <= label.get_position()[1] <= high
        ]
        boxes += [label.get_window_extent() for label in ticks]  # those beyond the frame are not drawn
    boxes = [box for box in boxes if box.width > 1]
    inside = all(box.x0 >= 0 and box.y0 >= 0 for box in boxes)
    return not inside or any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[i + 1 :])


def test_contact(bar: fm.Result, tmp_path: Path) -> None:
    figure = bar.plot_contact("wall")
    gap, velocity, force = figure.axes
    np.testing.assert_array_equal(curves(gap)["wall"], np.column_stack([bar.time, bar.contacts["wall"].gap]))
    np.testing.assert_array_equal(curves(force)["wall"], np.column_stack([bar.time, bar.contacts["wall"].force]))
    np.testing.assert_array_equal(curves(velocity)["wall"][:, 1], bar.contacts["wall"].velocity)
    assert [axes.get_ylabel() for axes in figure.axes] == ["gap [m]", "velocity [m/s]", "force [N]"]
    assert [axes.get_xlabel() for axes in figure.axes] == ["", "", "time [s]"]
    assert not words_overlap(figure)
    for name in ("c.png", "c.svg", "c.pdf"):
        bar.plot_contact("wall", save=tmp_path / name)
        assert (tmp_path / name).stat().st_size > 5000
    assert "force [N]" in (tmp_path / "c.svg").read_text()
    assert figure._repr_png_().startswith(b"\x89PNG")  # what a notebook asks for


def test_group_of_contacts(group: fm.Result) -> None:
    gap, velocity, force = plot_contact(group, "floor").axes
    floor = group.contacts["floor"]
    assert floor.gap.shape[1] == 4
    assert np.any(floor.force.sum(axis=1) > 0)
    np.testing.assert_array_equal(curves(gap)["floor (min of 4)"][:, 1], floor.gap.min(axis=1))
    np.testing.assert_array_equal(curves(velocity)["floor (min of 4)"][:, 1], floor.velocity.min(axis=1))
    np.testing.assert_array_equal(curves(force)["floor (sum of 4)"][:, 1], floor.force.sum(axis=1))


def test_many_contacts_are_not_all_told_apart() -> None:
    from matplotlib.figure import Figure

    model = fm.Model()
    for k in range(7):
        ball = model.add(fm.Particle(f"ball{k}", mass=1.0 + k, position=(0, 0, 1 + 0.01 * k), velocity=(0, 0, -1)))
        model.add(fm.NodePlane(f"floor{k}", node=ball.first, normal=(0, 0, 1)))
    result = fm.simulate(model, fm.MoreauJean(), step=0.1, end=1.5)
    for draw in (draw_gaps, draw_forces):
        axes = Figure().subplots()
        draw(axes, result)
        names = [text.get_text() for text in axes.get_legend().get_texts()]
        assert sorted(names) == ["and 3 more contacts", "floor3", "floor4", "floor5", "floor6"]  # the heaviest


def test_energy_adds_up(bar: fm.Result) -> None:
    figure = bar.plot_energy()
    energy, works = figure.axes
    np.testing.assert_array_equal(curves(energy)["= total"][:, 1], bar.energy.total)
    np.testing.assert_allclose(curves(energy)["= initial"][:, 1], 500.0, rtol=1e-12)
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
    assert set(areas) == {"kinetic", "+ potential", "+ lost"}
    k = int(np.argmin(np.abs(bar.time - 0.7)))
    t = bar.time[k]
    heights = {name: sorted(set(v[np.isclose(v[:, 0], t, rtol=0, atol=1e-12)][:, 1])) for name, v in areas.items()}
    assert heights["kinetic"] == [0.0, bar.energy.kinetic[k]]
    assert heights["+ potential"] == [bar.energy.kinetic[k], bar.energy.total[k]]
    assert heights["+ lost"] == pytest.approx([bar.energy.total[k], 500.0])


def test_negative_potentials_are_measured_from_their_lowest(group: fm.Result) -> None:
    lowest = group.energy.potential.min()
    assert lowest < 0
    energy = plot_energy(group).axes[0]
    assert "min V" in energy.get_ylabel()
    lines = curves(energy)
    np.testing.assert_allclose(lines["= total"][:, 1], group.energy.total - lowest, atol=1e-10)
    given = group.energy.total[0] + group.energy.work_external - lowest
    (label,) = (name for name in lines if name.startswith("= initial"))
    np.testing.assert_allclose(lines[label][:, 1], given, atol=1e-10)


def test_a_potential_far_above_zero_is_measured_from_its_lowest() -> None:
    """A ball 1 km above the origin falls by 5 m: 9.8 kJ that do not change would hide the 49 J that do."""
    model = fm.Model(gravity=(0.0, 0.0, -9.81))
    model.add(fm.Particle("ball", mass=1.0, position=(0.0, 0.0, 1000.0)))
    result = fm.simulate(model, fm.MoreauJean(), step=0.01, end=1.0)
    low = result.energy.potential.min()
    assert low > 9700.0  # the stored number is that of the height
    axes = plot_energy(result).axes[0]
    assert "min V" in axes.get_ylabel()
    assert axes.get_ylim()[1] < 60.0
    np.testing.assert_allclose(curves(axes)["= total"][:, 1], result.energy.total - low, atol=1e-10)
    ledger = ledger_of(result)
    assert ledger is not None
    stack, *_, bars, _works = energy_charts(ledger)
    assert isinstance(stack, Chart)
    assert isinstance(bars, Bars)
    assert [curve.label for curve in stack.curves][:2] == ["kinetic", "potential (above its minimum)"]
    assert bars.bars[0][2] == pytest.approx(result.energy.total[0] - low, rel=1e-12)


@pytest.fixture(scope="module")
def thrown() -> fm.Result:
    """A ball 3 m up that rises 2 mm and moves 0.3 m along y."""
    model = fm.Model(gravity=(0.0, 0.0, -9.81))
    model.add(fm.Particle("ball", mass=1.0, position=(0.0, 0.0, 3.0), velocity=(1e-3, 3.0, 0.2)))
    names = ["ball.position", "ball.displacement", "ball.velocity"]
    return fm.simulate(model, fm.MoreauJean(), step=1e-3, end=0.04, signals=names)


def test_default_panels_have_no_flat_curves(thrown: fm.Result) -> None:
    names = shown_signals(Curves(thrown), [])
    assert len(plot_signals(thrown, names).axes) == 1
    panels = [set(curves(axes)) for axes in plot_signals(thrown, names, apart=True).axes]
    assert not any({"ball.position.z", "ball.displacement.z"} <= panel for panel in panels)
    for axes in plot_signals(thrown, names, apart=True).axes:
        low, high = axes.get_ylim()
        assert all(np.ptp(y[:, 1]) > (high - low) / 25.0 for y in curves(axes).values())


def test_the_default_portrait_is_that_of_the_largest_component(thrown: fm.Result) -> None:
    assert rate_pair(Curves(thrown), None, None) == ("ball.position.y", "ball.velocity.y")
    assert rate_pair(Curves(thrown), "ball.displacement", None) == ("ball.displacement.y", "ball.velocity.y")
    assert rate_pair(Curves(thrown), "ball.position.x", None) == ("ball.position.x", "ball.velocity.x")


def test_work_put_in_lifts_the_dashed_line() -> None:
    model = fm.Model()
    model.add(fm.Particle("cart", mass=2.0, axes="x"))
    model.add(fm.NodalForce("push", node="cart", force=(3.0, 0.0, 0.0)))
    result = fm.simulate(model, fm.MoreauJean(), step=0.01, end=1.0)
    assert result.energy.work_external[-1] == pytest.approx(2.25, rel=1e-6)  # F^2 t^2 / 2 m
    energy = plot_energy(result).axes[0]
    np.testing.assert_allclose(curves(energy)["= initial + work"][:, 1], result.energy.work_external, atol=1e-12)


def test_long_stacks_keep_the_extremes_of_both_edges() -> None:
    from matplotlib.figure import Figure

    n = 100_001
    t, rng = np.linspace(0, 1, n), np.random.default_rng(5)
    low, high = rng.uniform(0.0, 1.0, n), rng.uniform(2.0, 3.0, n)
    low[12_345], high[77_777] = -5.0, 9.0
    axes = Figure().subplots()
    _fill(axes, t, low, high, "blue", "stack")
    corners = axes.collections[0].get_paths()[0].vertices
    assert corners[:, 1].min() == -5.0
    assert corners[:, 1].max() == 9.0
    assert len(corners) < 9000


def test_rows_of_joints_are_told_apart() -> None:
    result = fm.load_case("four_bar", ["time.steps=20"]).run()
    joint = next(iter(result.joints))
    rows = result.summary["joint_rows"][joint]
    assert len(rows) == result.joints[joint].force.shape[1]
    figure = result.plot_signals(f"joints.{joint}.force")
    names = [name for axes in figure.axes for name in curves(axes)]
    assert {name.split(", ")[1] for name in names} <= set(rows)
    assert names[0].startswith(f"joints.{joint}.force.0, ")
    assert all(axes.get_title(loc="left") == "Force" for axes in figure.axes)
    assert {axes.get_ylabel() for axes in figure.axes} <= {"force [N]", "force [N m]"}
    assert not words_overlap(figure)
    del result.summary["joint_rows"]  # as in results of earlier versions
    (axes,) = result.plot_signals(f"joints.{joint}.force").axes
    assert axes.get_ylabel() == "force [N or N m]"
    assert list(curves(axes)) == [name.split(", ")[0] for name in names]


def test_rows_of_joints_that_hold_angles_are_torques() -> None:
    model = fm.Model()
    model.add(fm.Rigid("box", mass=1.0, inertia=[1.0, 1.0, 1.0], velocity=(0, 0, 0)))
    model.add(fm.Revolute("pin", a="box", axis=[0, 0, 1]))
    result = fm.simulate(model, fm.GeneralizedAlpha(), step=0.01, end=0.05)
    assert result.summary["joint_rows"] == {"pin": ["x", "y", "z", "tilt about x", "tilt about y"]}
    known = Curves(result)
    assert [known.unit(f"joints.pin.force.{k}") for k in range(5)] == ["N", "N", "N", "N m", "N m"]
    assert known.unit("joints.pin.impulse.3") == "N m s"
    assert known.axis("joints.pin.force.3") == "torque.3 [N m]"
    assert known.axis("joints.pin.force.0") == "force.0 [N]"


def test_names_that_begin_with_an_underscore_are_in_the_legend() -> None:
    model = fm.Model(gravity=(0, 0, -9.81))
    model.add(fm.Particle("_stone", mass=1.0, position=(0, 0, 0.1), axes="z"))
    model.add(fm.NodePlane("_floor", node="_stone", normal=(0, 0, 1)))
    result = fm.simulate(model, fm.MoreauJean(), step=0.01, end=0.3)
    for figure, name in (
        (result.plot_signals("_stone.position"), "_stone.position.z"),
        (result.plot_contact("_floor"), "_floor"),
    ):
        for axes in figure.axes:
            assert [text.get_text().lstrip("\u200b") for text in axes.get_legend().get_texts()] == [name]


def test_letters_in_pdf_are_those_of_a_font(bar: fm.Result, tmp_path: Path) -> None:
    bar.plot_energy(save=tmp_path / "e.pdf")
    data = (tmp_path / "e.pdf").read_bytes()
    assert b"/Type3" not in data
    assert b"/TrueType" in data or b"/Type42" in data or b"/CIDFontType2" in data


def test_powers_of_ten_stand_in_the_label() -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    assert [power_of(0.0, x) for x in (9e3, 1e4, 2e7, 2e-3, 9.9e-4, 4e-7, 0.0)] == [0, 3, 6, -3, -6, -9, 0]
    assert with_power("gap [m]", -6) == "gap [µm]"
    assert with_power("gap [m]", 0) == "gap [m]"
    axes = Figure().subplots()
    axes.plot([0.0, 4e-6])
    take_out_power(axes.yaxis, (0.0, 4e-6), "gap [m]")
    FigureCanvasAgg(axes.figure).draw()
    assert axes.get_ylabel() == "gap [µm]"
    assert {"0.0", "2.0", "4.0"} <= {text.get_text() for text in axes.get_yticklabels()}
    assert axes.yaxis.get_offset_text().get_text() == ""


def test_unknown_contact(bar: fm.Result) -> None:
    with pytest.raises(InputError, match="contact 'wal'.*result.*'wall'"):
        plot_contact(bar, "wal")


def test_signals_share_a_frame_when_they_share_a_unit(bar: fm.Result, tmp_path: Path) -> None:
    names = ("rod.first.position", "rod.last.position.x", "contacts.wall.force", "energy.total")
    figure = bar.plot_signals(*names, save=tmp_path / "s.svg")
    position, force, energy = figure.axes
    assert [axes.get_ylabel() for axes in figure.axes] == ["position [m]", "force [N]", "energy [J]"]
    assert energy.get_title(loc="left") == "Energy"
    (works,) = bar.plot_signals("energy.kinetic", "energy.work_contact").axes
    assert works.get_ylabel() == "energy, work [J]"
    assert set(curves(position)) == {"rod.first.position.x", "rod.last.position.x"}  # y and z do not move
    np.testing.assert_array_equal(curves(position)["rod.last.position.x"][:, 1], bar.signals["rod.last.position"][:, 0])
    np.testing.assert_array_equal(curves(force)["contacts.wall.force"][:, 1], bar.contacts["wall"].force)
    np.testing.assert_array_equal(curves(energy)["energy.total"][:, 1], bar.energy.total)
    assert not words_overlap(figure)
    assert "position [m]" in (tmp_path / "s.svg").read_text()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda r: r.plot_signals("rod.frst.position.x"), "no signal 'rod.frst.position.x'.*rod.first.position.x"),
        (lambda r: r.plot_signals("zebra"), "no signal 'zebra'.*recorded: .*rod.mid.velocity"),
        (lambda r: r.plot_signals(), "least.*signal; recorded: .*contacts.wall.gap"),
        (lambda r: r.plot_energy(save="x.gif"), "saved.*'x.gif'; allowed: .svg, .pdf, .png"),
        (lambda r: r.plot_energy(save="no/such/folder/x.svg"), "there is no folder"),
        (lambda r: r.show(field="velocty"), "did you mean 'velocity'"),
        (lambda r: r.show(time=7.0), "result.*0 s.*2 s"),
    ],
)
def test_wrong_words_for_figures(bar: fm.Result, call, words: str) -> None:
    with pytest.raises(InputError, match=words):
        call(bar)


def test_show_in_a_notebook_is_a_picture(bar: fm.Result, monkeypatch: pytest.MonkeyPatch) -> None:
    from pictures import require_drawing

    require_drawing()
    monkeypatch.setattr("flexmb.postproc.show.in_notebook", lambda: True)
    image = np.asarray(bar.show(time=0.8, field="velocity", backend="static"))
    assert image.shape == (720, 1280, 3)
    assert image.std() > 10


def test_spectrum_has_the_amplitude_of_a_sine() -> None:
    t = np.linspace(0, 4, 4001)
    f, amplitude = amplitude_spectrum(t, 7.0 + 0.3 * np.sin(2 * np.pi * 25.0 * t) + 0.02 * np.sin(2 * np.pi * 90 * t))
    assert f[np.argmax(amplitude)] == pytest.approx(25.0, abs=0.05)
    assert amplitude.max() == pytest.approx(0.3, rel=1e-3)
    assert amplitude[np.argmin(np.abs(f - 90.0))] == pytest.approx(0.02, rel=1e-3)
    assert amplitude[np.abs(f - 50.0) < 5].max() < 1e-6
    assert amplitude_spectrum(t[:5], t[:5])[0].size == 0


def test_a_last_sample_off_the_even_grid_does_not_count() -> None:
    t = np.arange(3999) * 1e-3  # one more would be a length that is quick to transform
    y = np.sin(2 * np.pi * 25.0 * t)
    whole = amplitude_spectrum(t, y)
    odd = amplitude_spectrum(np.append(t, t[-1] + 3e-4), np.append(y, 50.0))
    np.testing.assert_array_equal(odd, whole)


def test_frequencies_of_a_spectrum_are_multiples_of_one_over_its_length() -> None:
    f, amplitude = amplitude_spectrum(np.arange(100) * 0.01, np.sin(2 * np.pi * 10.0 * np.arange(100) * 0.01))
    np.testing.assert_allclose(f, np.arange(1, 51), rtol=1e-12)  # a hundred samples, 0.01 s each, are 1 s
    assert f[np.argmax(amplitude)] == pytest.approx(10.0, rel=1e-12)


def test_thinning_keeps_the_extremes_of_all_columns() -> None:
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=(2, 100_000))
    x[77_777], y[12_345] = 50.0, -50.0
    keep = kept([x, y], 1000)
    assert len(keep) <= 1002
    assert {0, 12_345, 77_777, 99_999} <= set(keep.tolist())


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
