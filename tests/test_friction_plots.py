"""Figures of contacts with friction: strips of stick and slip, friction cones, forces and the ledger."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from matplotlib.collections import PathCollection
from matplotlib.colors import to_rgb
from messages import says
from rough_scheme import RoughScheme

import flexmb as fm
from flexmb.cli import main
from flexmb.errors import InputError
from flexmb.postproc.cone_plot import MOST, Pushes, plot_cone, pushes_of
from flexmb.postproc.contact_status import COLOURS, MOST_STRIPS, status_counts, stretches
from flexmb.postproc.ledger import ledger_of
from flexmb.postproc.plots import strongest_contacts
from flexmb.postproc.round_off import flattened, length_of, speed_of
from flexmb.record.result import Result


def belt(**keys: object) -> fm.Model:
    """Return a block on a belt that a spring holds back: it sticks, then slips."""
    model = fm.Model()
    block = model.add(fm.Particle("block", mass=1.0, position=(0.0, 0.0, 0.0), **keys))
    model.add(fm.NodePlane("belt", node=block.first, normal=(0, 0, 1), friction=0.4, surface_velocity=(0.5, 0, 0)))
    model.add(fm.Spring("spring", node=block.first, anchor=(-1.0, 0.0, 0.0), stiffness=20.0))
    model.gravity = (0.0, 0.0, -9.81)
    return model


@pytest.fixture(scope="module")
def flat() -> Result:
    """One tangent."""
    return fm.simulate(belt(axes="xz"), RoughScheme(), step=2e-3, end=2.0)


@pytest.fixture(scope="module")
def spatial() -> Result:
    """Two tangents."""
    return fm.simulate(belt(velocity=(0.0, 0.3, 0.0)), RoughScheme(), step=2e-3, end=2.0)


@pytest.fixture(scope="module")
def many() -> Result:
    """A plane under more particles than have strips of their own, and one without friction."""
    model = fm.Model()
    count = MOST_STRIPS + 1
    balls = [
        model.add(fm.Particle(f"p{k}", mass=1.0, position=(0, k, 0), velocity=(0.1 * k, 0, 0))) for k in range(count)
    ]
    model.add(fm.NodePlane("floor", nodes=[ball.first for ball in balls], normal=(0, 0, 1), friction=0.2))
    lone = model.add(fm.Particle("lone", mass=1.0, position=(5, 0, 0)))
    model.add(fm.NodePlane("ice", node=lone.first, normal=(0, 0, 1)))
    model.gravity = (0.0, 0.0, -9.81)
    return fm.simulate(model, RoughScheme(), step=1e-2, end=0.8)


def test_stretches_fill_the_time_since_the_sample_before() -> None:
    time, status = np.array([0.0, 1.0, 2.0, 3.0, 5.0]), np.array([2, 0, 1, 1, 2])
    assert stretches(time, status) == [("open", 0.0, 1.0), ("stick", 1.0, 3.0), ("slip", 3.0, 5.0)]
    assert stretches(time[:1], status[:1]) == []


def test_counts_are_steps_where_something_changes() -> None:
    time = np.array([0.0, 1.0, 2.0, 3.0])
    status = np.array([[0, 0], [1, 2], [1, 2], [2, 2]])
    x, counts = status_counts(time, status)
    assert x.tolist() == [0.0, 2.0, 2.0, 3.0]
    assert counts["stick"].tolist() == [1.0, 1.0, 0.0, 0.0]
    assert counts["slip"].tolist() == [1.0, 1.0, 2.0, 2.0]
    assert sum(counts.values()).tolist() == [2.0] * 4


def test_a_rough_contact_has_frames_for_slip_and_status(flat: Result, tmp_path: Path) -> None:
    figure = flat.plot_contact("belt", save=tmp_path / "belt.png")
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert titles == ["Gap", "Relative velocity", "Contact force", "Slip", "Open, stick, slip"]
    forces, strip = figure.axes[2], figure.axes[4]
    lines = {line.get_label(): np.asarray(line.get_ydata()) for line in forces.get_lines()}
    friction = lines["friction"]
    np.testing.assert_allclose(friction, flat.contacts["belt"].tangential_impulse / 2e-3, rtol=1e-12)
    assert np.abs(friction).max() == pytest.approx(0.4 * lines["normal"].max())
    seen = {tuple(np.round(own.get_facecolor()[0][:3], 3)) for own in strip.collections if len(own.get_paths())}
    assert seen == {tuple(np.round(to_rgb(COLOURS[word]), 3)) for word in ("stick", "slip")}
    drawn = sum(path.get_extents().width for own in strip.collections for path in own.get_paths())
    assert drawn == pytest.approx(2.0)  # all of the time, once
    assert (tmp_path / "belt.png").stat().st_size > 10_000


def test_two_tangents_and_groups_have_sizes(spatial: Result, many: Result) -> None:
    (slip,) = spatial.plot_contact("belt").axes[3].get_lines()[:1]
    np.testing.assert_allclose(slip.get_ydata(), np.linalg.norm(spatial.contacts["belt"].slip, axis=1))
    figure = many.plot_contact("floor")
    assert figure.axes[4].get_ylim() == (0.0, MOST_STRIPS + 1)
    (largest,) = figure.axes[3].get_lines()[:1]
    np.testing.assert_allclose(largest.get_ydata()[0], 0.1 * MOST_STRIPS)
    assert len(many.plot_contact("ice").axes) == 3


def points(axes) -> np.ndarray:  # type: ignore[no-untyped-def]
    return np.concatenate(
        [np.asarray(own.get_offsets()) for own in axes.collections if isinstance(own, PathCollection)]
    )


def test_cone_of_one_tangent(flat: Result) -> None:
    (axes,) = plot_cone(flat, "belt").axes
    belt = flat.contacts["belt"]
    P, T = belt.impulse[1:], belt.tangential_impulse[1:]
    drawn = points(axes)
    own = drawn[np.lexsort(drawn.T)]
    expected = np.stack([P, T], axis=1)
    np.testing.assert_allclose(own, expected[np.lexsort(expected.T)], rtol=1e-12)
    upper, lower = (np.asarray(line.get_xydata()) for line in axes.get_lines())
    np.testing.assert_allclose(upper[1, 1] / upper[1, 0], 0.4)
    np.testing.assert_allclose(lower[1, 1] / lower[1, 0], -0.4)


def test_cone_of_two_tangents_and_of_a_group(spatial: Result, many: Result) -> None:
    cone, disk = spatial.plot_cone("belt").axes
    assert np.linalg.norm(points(disk), axis=1).max() == pytest.approx(0.4, rel=1e-9)
    assert np.all(points(cone)[:, 1] <= 0.4 * points(cone)[:, 0] * (1 + 1e-9))
    assert len(points(many.plot_cone("floor").axes[0])) == int((many.contacts["floor"].impulse > 0).sum())


def test_stribeck_has_two_cones() -> None:
    model = belt(axes="xz")
    law = {"kind": "stribeck", "static": 0.5, "dynamic": 0.2, "speed": 0.1}
    block = model.add(fm.Particle("other", mass=1.0, position=(2.0, 0.0, 0.0), axes="xz"))
    model.add(fm.NodePlane("rough", node=block.first, normal=(0, 0, 1), friction=law))
    result = fm.simulate(model, RoughScheme(), step=1e-2, end=0.1)
    assert result.contacts["rough"].coefficients == (0.2, 0.5)
    slopes = {
        float(y[1] / x[1]) for x, y in (line.get_data() for line in plot_cone(result, "rough").axes[0].get_lines())
    }
    assert sorted(slopes) == pytest.approx([-0.5, -0.2, 0.2, 0.5])


def test_of_very_many_impulses_those_at_the_cone_are_kept(flat: Result, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("flexmb.postproc.cone_plot.MOST", 200)
    some = pushes_of(flat.contacts["belt"])
    assert isinstance(some, Pushes)
    assert MOST > 200 >= len(some.normal)
    assert len(some.normal) + some.left_out == 1000
    assert (some.size / some.normal).max() == pytest.approx(0.4)


def test_no_cone_without_friction(many: Result) -> None:
    with pytest.raises(InputError, match=r"ice.*friction"):
        plot_cone(many, "ice")
    with pytest.raises(InputError, match="floor"):
        plot_cone(many, "flor")
    assert strongest_contacts(many, rough=True) == ["floor"]


def test_friction_is_a_part_of_the_ledger(flat: Result) -> None:
    ledger = ledger_of(flat)
    assert ledger is not None
    parts = {part.word: part.values for part in ledger.works}
    np.testing.assert_array_equal(parts["friction"], flat.energy.work_friction)
    np.testing.assert_allclose(sum(parts.values()), ledger.total - ledger.total[0], atol=1e-12)
    words = [part.word for part in ledger.found]
    assert "lost to friction" in words
    works = [np.abs(flat.energy.work_external), np.abs(flat.energy.work_contact), np.abs(flat.energy.work_friction)]
    assert flat.summary["energy"]["moved"] == pytest.approx(float(np.sum(works, axis=0).max()))
    labels = [text.get_text() for text in flat.plot_energy().axes[1].get_legend().get_texts()]
    assert any(label.startswith("friction") for label in labels)


def test_the_contacts_that_are_not_drawn_are_named(
    flat: Result, many: Result, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    drawn, other = strongest_contacts(many)
    folder, out = str(many.save(tmp_path / "many")), str(tmp_path / "x.svg")
    assert main(["plot", folder, "contact", "-o", out]) == 0
    assert says(capsys.readouterr().err, f"note: ... '{drawn}' ... --contact NAME ... {other}")
    one = str(flat.save(tmp_path / "one"))
    for words in ([folder, "contact", "--contact", other], [folder, "contact", "--cone"], [one, "contact"]):
        assert main(["plot", *words, "-o", out]) == 0
        assert "--contact" not in capsys.readouterr().err


def test_from_the_command_line(flat: Result, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, out = str(flat.save(tmp_path / "r")), tmp_path / "x.svg"
    assert main(["plot", folder, "contact", "--cone", "-o", str(out)]) == 0
    assert "belt" in out.read_text(encoding="utf-8")
    assert main(["plot", folder, "contact", "--contact", "belt", "-o", str(out)]) == 0
    assert "Slip" in out.read_text(encoding="utf-8")
    capsys.readouterr()
    assert main(["plot", folder, "orbit", "--cone", "-o", str(out)]) == 2
    assert "cone" in capsys.readouterr().err
    assert main(["plot", folder, "contact", "--contact", "bellt", "-o", str(out)]) == 2
    assert "belt" in capsys.readouterr().err


def test_friction_of_a_joint_has_no_gap_to_draw(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = fm.Model(gravity=(0.0, 0.0, -9.81))
    model.add(fm.Rigid("wheel", mass=3.0, inertia=(0.02, 0.03, 0.02), angular_velocity=(0.0, 10.0, 0.0)))
    model.add(fm.Revolute("pin", a="wheel", axis=(0, 1, 0), friction=0.2, friction_radius=0.05))
    result = fm.simulate(model, fm.MoreauJean(), step=1e-2, end=0.2)
    titles = [axes.get_title(loc="left") for axes in result.plot_contact("pin_friction").axes]
    assert titles == ["Contact force", "Slip", "Open, stick, slip"]
    folder = result.save(tmp_path / "wheel")
    assert main(["view", str(folder), "--screenshot", str(tmp_path / "x.png")]) == 0
    assert "plane" not in capsys.readouterr().err


def test_a_group_with_unequal_tangents_has_sizes() -> None:
    model = fm.Model()
    parts = [
        model.add(fm.Particle(f"p{k}", mass=1.0, position=(0, k, 0), axes=axes)) for k, axes in ((0, "xz"), (1, "xyz"))
    ]
    model.add(fm.NodePlane("floor", nodes=[part.first for part in parts], normal=(0, 0, 1), friction=0.3))
    model.gravity = (1.0, 0.0, -9.81)
    result = fm.simulate(model, RoughScheme(), step=1e-2, end=0.1)
    floor = result.contacts["floor"]
    assert floor.tangents.tolist() == [1, 2]
    assert floor.slip.shape == (11, 3)
    np.testing.assert_allclose(floor.friction_impulse[1:], 0.01, rtol=1e-9)  # what gravity asks for
    (axes,) = plot_cone(result, "floor").axes
    np.testing.assert_allclose(points(axes)[:, 1], 0.01, rtol=1e-9)


def test_one_contact_of_a_group_is_drawn_by_its_number(many: Result, spatial: Result, tmp_path: Path) -> None:
    one, group = many.contacts["floor[3]"], many.contacts["floor"]
    for word in ("gap", "velocity", "impulse", "force", "slip_speed", "friction_impulse", "status", "work_friction"):
        np.testing.assert_array_equal(getattr(one, word), getattr(group, word)[:, 3])
    np.testing.assert_array_equal(one.slip, group.slip[:, 6:8])
    assert one.mu.tolist() == [0.2]
    (slip,) = many.plot_contact("floor[3]").axes[3].get_lines()[:1]
    np.testing.assert_allclose(slip.get_ydata()[0], 0.3)
    assert pushes_of(one).along.shape[1] == 2
    np.testing.assert_array_equal(spatial.contacts["belt[0]"].slip, spatial.contacts["belt"].slip)
    many.save(tmp_path / "run")
    out = tmp_path / "one.png"
    assert main(["plot", str(tmp_path / "run"), "contact", "--name", "floor[3]", "--out", str(out)]) == 0
    assert out.stat().st_size > 10_000
    for wrong in ("floor[99]", "floor[x]", "flor[3]"):
        with pytest.raises(InputError, match=re.escape(wrong)):
            many.plot_contact(wrong)
        assert wrong not in many.contacts


def braked() -> Result:
    """Let a block slide to rest on a rough plane."""
    model = fm.Model(gravity=(0.0, 0.0, -10.0))
    model.add(fm.Particle("block", mass=1.0, velocity=(1.0, 0.0, 0.0)))
    model.add(fm.NodePlane("floor", node="block", normal=(0.0, 0.0, 1.0), friction=0.5))
    return fm.simulate(model, fm.MoreauJean(), step=1e-3, end=2.0)


def test_round_off_is_drawn_flat_at_the_scale_of_the_system(many: Result, monkeypatch: pytest.MonkeyPatch) -> None:
    (still,), flat = flattened([np.array([0.0, 3e-17, -1e-17])], 2.0)
    assert flat
    assert not still.any()
    (moving,), flat = flattened([np.array([0.0, 3e-17, 1e-6])], 2.0)
    assert not flat
    assert moving[-1] == 1e-6
    assert length_of(many) >= MOST_STRIPS
    assert speed_of(many) >= 0.1 * MOST_STRIPS
    shaking = 1e-17 * (-1.0) ** np.arange(len(many.time))
    monkeypatch.setattr("flexmb.postproc.plots.slip_curve", lambda contact: (shaking, "slip"))
    axes = many.plot_contact("floor").axes[3]
    assert not np.any(axes.get_lines()[0].get_ydata())
    assert axes.get_ylim() == (-speed_of(many), speed_of(many))


def test_a_mass_without_size_has_the_way_it_slides_for_a_scale() -> None:
    block = braked()
    assert len(block.tree["/layout/points"][()]) == 1
    assert length_of(block) == pytest.approx(1.0 / (2.0 * 0.5 * 10.0), rel=1e-2)  # v^2 / 2 mu g, however long it rests
    assert speed_of(block) == pytest.approx(1.0, rel=1e-2)
