"""The default range of a Campbell map has the first critical speeds in it, and small matrices are for one thread."""

from __future__ import annotations

import numpy as np
import pytest
from known_rotors import CRITICAL
from threadpoolctl import threadpool_info

from flexmb.analysis.rotors.campbell import campbell, default_top
from flexmb.analysis.rotors.rates import damping_ratio, log_decrement
from flexmb.case import load_case
from flexmb.cli import main
from flexmb.linalg.one_thread import SMALL, one_thread
from flexmb.system.rotating import rotating_system


def threads() -> set[int]:
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


def test_the_map_of_nelson_and_mcvaugh_has_its_first_four_critical_speeds() -> None:
    seen: set[int] = set()
    before = threads()
    found = campbell(load_case("nelson_mcvaugh"), count=4, progress=lambda done, of: seen.update(threads()))
    assert [c.whirl for c in found.critical] == ["backward", "forward"] * 2
    assert [c.speed * 30.0 / np.pi for c in found.critical] == pytest.approx(CRITICAL["timoshenko"][:4], rel=1e-4)
    assert [(c.damping_ratio, c.log_decrement) for c in found.critical] == [(0.0, 0.0)] * 4
    assert found.speeds[-1] > 1.1 * found.critical[-1].speed
    assert seen == {1}
    assert threads() == before


def test_a_model_that_runs_faster_than_its_critical_speeds_keeps_its_range() -> None:
    system = rotating_system(load_case("nelson_mcvaugh", ["bodies.rotor.spin.speed=5000"]))
    assert default_top(system) == pytest.approx(7500.0)


def test_round_off_of_an_undamped_motion_is_no_damping() -> None:
    lam = np.array([1e-31 + 1600.0j, -2e-3 + 1600.0j, 0.0, -5.0 + 0.0j])
    assert damping_ratio(lam).tolist() == pytest.approx([0.0, 1.25e-6, 0.0, 1.0], rel=1e-9)
    assert log_decrement(lam)[:3].tolist() == pytest.approx([0.0, 2 * np.pi * 1.25e-6, 0.0], rel=1e-9)
    assert log_decrement(lam)[3] == np.inf


def test_the_command_prints_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["campbell", "nelson_mcvaugh", "-n", "2", "--quiet"]) == 0
    lines = capsys.readouterr().out.splitlines()
    rows = [line.split() for line in lines if "backward" in line or "forward" in line]
    assert [row[-3:] for row in rows[-2:]] == [["backward", "0", "0"], ["forward", "0", "0"]]


@pytest.mark.parametrize("count", [3, 4])
def test_modes_of_a_round_shaft_at_rest_are_planar(count: int, capsys: pytest.CaptureFixture[str]) -> None:
    """As ``flexmb modes --speed 0`` names them, also the third, whose partner has no line."""
    found = campbell(load_case("nelson_mcvaugh"), [0.0, 500.0], count=count)
    assert set(found.whirl[0]) == {"planar"}
    assert found.whirl[1][:2] == ("backward", "forward")
    assert main(["campbell", "nelson_mcvaugh", "-n", "2", "--speeds", "0:500:2", "--quiet"]) == 0
    (rest,) = (line.split() for line in capsys.readouterr().out.splitlines() if line.split()[:2] == ["0", "0"])
    assert rest[3::2] == ["p", "p"]


def test_large_matrices_keep_their_threads() -> None:
    before = threads()
    with one_thread(SMALL + 1):
        assert threads() == before


def test_the_figure_is_not_flattened_by_lines_far_above_the_speed() -> None:
    from flexmb.postproc.campbell_plot import plot_campbell

    found = campbell(load_case("laval_rotor"), count=8)
    assert np.nanmax(found.frequency) > 1e6  # the bearings of a massless end
    top = plot_campbell(found).axes[0].get_ylim()[1]
    assert np.nanmax(found.frequency[:, :4]) < top < 1.2 * np.nanmax(found.frequency[:, :4])
