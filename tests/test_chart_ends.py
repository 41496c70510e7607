"""Charts of results side by side have the same axes, so that one time and one value are at one place."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from pictures import require_drawing

import flexmb as fm
from flexmb.postproc.chart_ends import common_ends
from flexmb.postproc.screen import prepare_off_screen
from flexmb.postproc.stage import draw
from flexmb.postproc.view import staged

SMALL = ["bodies.rod.elements=10", "time.step=1e-2", "output.fields_every=10"]
SLOWER = [*SMALL, "time.end=1.39", "bodies.rod.velocity=[-8.0, 0.0, 0.0]"]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    place = tmp_path_factory.mktemp("beside")
    fm.load_case("impacting_bar", SMALL).run(place / "long")
    fm.load_case("impacting_bar", SLOWER).run(place / "short")
    return [place / "long", place / "short"]


def test_one_time_is_at_one_place(folders: list[Path]) -> None:
    require_drawing()
    prepare_off_screen()
    stage, _ = staged(folders, 0.8, 1.0, "displacement", whole=True)
    plotter = draw(stage, 0.8, (1600, 900))
    try:
        for _ in range(2):
            first, second = (panel.overlay.board for panel in stage.panels)
            assert [axes.get_xlim() for axes in first.charts + second.charts] == [(0.0, 2.0)] * 6
            assert first.cursors(0.8) == second.cursors(0.8)
            for one, other in zip(first.charts, second.charts, strict=True):
                assert one.get_ylim() == other.get_ylim()
                assert one.get_ylabel() == other.get_ylabel() != ""
                assert one.get_xlabel() == other.get_xlabel()
            assert [bool(axes.get_xlabel()) for axes in first.charts] == [False, False, True]
            gap = first.charts[0].get_ylim()
            assert gap[0] <= 0.0
            assert gap[1] > stage.scenes[0].result.contacts["wall"].gap.max()
            stage.recolour("velocity")  # draws the boards anew
    finally:
        plotter.close()


def test_a_result_alone_keeps_its_own_ends(folders: list[Path]) -> None:
    assert common_ends([fm.load(folders[0])]) is None


def test_scales_far_apart_stay_their_own(folders: list[Path]) -> None:
    bar = fm.load(folders[0])
    energy = {name: 1e6 * np.asarray(bar.tree[name][()]) for name in bar.tree if name.startswith("/energy/")}
    wild = fm.Result({**bar.tree, **energy}, bar.summary)
    ends = common_ends([bar, wild])
    assert ends is not None
    assert set(ends.values) == {"gap [m]", "force [N]"}
    assert ends.times == (0.0, 2.0)
