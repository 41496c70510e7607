"""Details of figures: members of frames, units of clearances, legends of what is there, discrete numbers as marks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

import flexmb as fm
from flexmb.case.toml_writer import to_toml
from flexmb.postproc.chain_of_lines import chain_of_body
from flexmb.postproc.members import corners, members_of
from flexmb.postproc.open_folder import Opened, open_folder
from flexmb.postproc.orbit_plot import plot_orbits
from flexmb.postproc.plots import plot_energy
from flexmb.postproc.space_time_plot import plot_space_time


@pytest.fixture(scope="module")
def portal(tmp_path_factory: pytest.TempPathFactory) -> Opened:
    folder = tmp_path_factory.mktemp("portal") / "run"
    fm.load_case("portal_frame", ["time.end=2e-3"]).run(folder)
    return open_folder(folder)


def test_members_of_a_frame_are_marked_in_its_space_time_diagram(portal: Opened) -> None:
    members = members_of(portal, chain_of_body(portal.result.layout, "frame"))
    assert [member.name for member in members] == ["columns", "beam", "columns"]
    assert [member.end for member in members] == pytest.approx([3.0, 7.0, 10.0])
    for axes in plot_space_time(portal).axes[:3:2]:
        lines = [line.get_xdata()[0] for line in axes.lines]
        assert lines == pytest.approx([3.0, 7.0])
        assert [text.get_text() for text in axes.texts] == ["columns", "beam", "columns"]


def test_a_coarse_arc_has_no_corners_and_a_straight_bar_one_member() -> None:
    angle = np.linspace(0.0, np.pi, 7)  # 30 degrees from line to line
    assert corners(np.column_stack([np.cos(angle), np.sin(angle), 0.0 * angle])) == []
    square = np.array([[0, 0, 0], [1, 0, 0], [2, 0, 0], [2, 1, 0], [2, 2, 0]], dtype=float)
    assert corners(square) == [2]
    assert corners(square[:3]) == []
    assert corners(square[::2]) == [1]
    assert corners(np.array([[0, 0, 0], [0, 1, 0], [1, 1, 0], [1, 0, 0]], dtype=float)) == [1, 2]


@pytest.fixture(scope="module")
def rub(tmp_path_factory: pytest.TempPathFactory) -> Opened:
    """A rotor whose disk has not touched its stator."""
    folder = tmp_path_factory.mktemp("rub")
    rotor = {
        "kind": "rotor",
        "stations": [0.0, 0.5, 1.0],
        "outer_diameter": 0.02,
        "material": {"young": 2e11, "density": 7800.0},
        "spin": {"kind": "constant", "speed": 100.0},
        "unbalances": [{"node": 1, "magnitude": 1e-4}],
        "supports": [{"node": "first", "kind": "pinned"}, {"node": "last", "kind": "pinned"}],
    }
    case = {
        "time": {"end": 0.005, "step": 5e-5},
        "scheme": {"name": "generalized-alpha"},
        "bodies": {"rotor": rotor},
        "contacts": {"stator": {"kind": "clearance", "node": "rotor.mid", "gap": 7.95e-5}},
        "output": {"signals": ["rotor.mid.displacement"]},
    }
    (folder / "case.toml").write_text(to_toml(case, frozenset({"material", "spin"})))
    fm.load_case(folder / "case.toml").run(folder / "run")
    return open_folder(folder / "run")


def test_a_clearance_has_the_unit_of_the_axes_and_contact_is_named_where_it_is(rub: Opened) -> None:
    (axes,) = plot_orbits(rub).axes
    assert "µm" in axes.get_xlabel()
    words = [text.get_text() for text in axes.get_legend().get_texts()]
    assert "clearance 79.5 µm" in words
    assert not rub.result.contacts["stator"].impulse.any()
    assert "in contact" not in words


def test_the_energy_figure_names_the_residual(rub: Opened) -> None:
    words = [text.get_text() for text in plot_energy(rub.result).axes[1].get_legend().get_texts()]
    assert any(word.startswith("residual ") for word in words)


def test_discrete_numbers_of_the_validation_are_marks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "docs"))
    from validation.comparison import Curve, drawn

    speeds = np.array([15361.0, 17011.0, 46507.0])
    figure: Figure = drawn(
        [Curve("critical speed [rpm]", np.arange(1.0, 4.0), speeds, speeds, 1e-3, abscissa="number")]
    )
    (axes,) = figure.axes
    assert all(line.get_linestyle() == "None" for line in axes.lines)
    assert axes.get_ylabel() == "critical speed [10³ rpm]"
    figure.canvas.draw()
    assert not axes.yaxis.get_offset_text().get_text()
