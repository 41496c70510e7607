"""Every shipped case: complete, documented, and right by its own expectations."""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np
import pytest

from flexmb.case import load_case, shipped_cases
from flexmb.cli import main
from flexmb.drive.compiled import has_compiled_step

NAMES = sorted(shipped_cases())
PROMISED = {
    "bar_dropped_by_gripper",
    "bar_event_driven",
    "bar_on_moving_wall",
    "bar_on_rough_floor",
    "bar_with_frictional_support",
    "bead_on_cylinder",
    "beam_on_stop",
    "beam_pressed_on_rough_plane",
    "billiard_ball",
    "block_events",
    "block_on_incline",
    "block_slides_back",
    "bouncing_ball",
    "bouncing_bar",
    "bouncing_pendulum",
    "carts_events",
    "chain_of_balls",
    "clearance_event_driven",
    "column_of_beads",
    "cradle",
    "cradle_plastic",
    "disc_slips",
    "disc_sticks",
    "double_four_bar",
    "double_pendulum_events",
    "double_pendulum_wall",
    "dry_friction_oscillator",
    "edge_corner",
    "edge_kink",
    "edge_parabola",
    "edge_parabola_down",
    "edge_wedge",
    "event_ball",
    "event_oscillator",
    "flexible_pendulum_stop",
    "flexible_slider_crank",
    "flexible_slider_crank_beam",
    "flying_beam",
    "four_bar",
    "four_bar_half_explicit",
    "heavy_top",
    "impact_oscillator",
    "impacting_bar",
    "kane_double_pendulum",
    "laval_rotor",
    "naive_hht_fails",
    "nelson_mcvaugh",
    "painleve_rod",
    "peeling_beam",
    "pendulum_with_flexible_rod_and_stop",
    "potra_block",
    "potra_carts",
    "potra_carts_spring",
    "potra_double_pendulum",
    "rocking_block",
    "rocking_block_smooth",
    "rod_on_floor",
    "rope",
    "rotating_beam_eccentric",
    "rotor_dry_whip",
    "rotor_rub",
    "rotor_rub_friction",
    "rub_two_disks",
    "run_up",
    "shaken_plate",
    "slider_crank",
    "slider_crank_clearance",
    "slider_crank_half_explicit",
    "sommerfeld",
    "sphere_sliding_to_rolling",
    "spheres_in_a_box",
    "spheres_pile",
    "spin_up_beam",
    "stack_of_blocks",
    "stick_slip_belt",
    "stiff_rotor",
    "three_balls",
    "three_balls_poisson",
    "two_ball_oscillator",
    "two_bars",
    "woodpecker",
}
LONG = 300_000
"""Steps times unknowns of a case in large motion that is run once only."""
DOCS = Path(__file__).parents[1] / "docs" / "cases.md"


@functools.cache
def outcome(name):
    case = load_case(name)
    return case, case.run()


def test_the_promised_cases_are_there():
    assert set(NAMES) >= PROMISED


@pytest.mark.parametrize("name", NAMES)
def test_case_says_what_it_is_and_where_its_numbers_come_from(name):
    case = load_case(name)
    tables = case.values.tables
    assert tables.title.strip()
    assert tables.description.strip()
    assert case.expects
    assert all(expect.source.strip() for expect in case.expects), "an expectation without a source"
    assert case.plan.steps > 0  # physics and expectations can be assembled


@pytest.mark.parametrize("name", NAMES)
def test_case_meets_its_expectations(name):
    case, result = outcome(name)
    entries = result.summary["expectations"]
    assert len(entries) == len(case.expects)
    assert [entry for entry in entries if not entry["ok"]] == []
    laws = case.plan.system.contacts.blocks
    if not (laws.poisson.any() or laws.cohesion.any()) and has_compiled_step(case.scheme):
        assert result.summary["engine"] == "compiled"


@pytest.mark.parametrize("name", NAMES)
def test_energy_ledger_closes(name):
    case, result = outcome(name)
    # a contact throws the rotation of a fine beam's last node at 1e9 rad/s^2, which costs it some digits
    digits = 1e-10 if case.plan.system.layout.turns else 1e-12
    if not case.plan.system.constant:  # what Newton's loop leaves
        digits = 1e-9
    limit = digits * result.summary["energy"]["scale"]
    assert np.abs(result.energy.residual).max() <= limit
    assert result.summary["energy"]["residual_max"] <= limit


@pytest.mark.parametrize("name", NAMES)
def test_impulses_are_never_negative(name):
    case, result = outcome(name)
    parts = case.model().contacts
    for label, contact in result.contacts.items():
        if not parts[label].law.cohesion.any():  # glue pulls
            assert contact.impulse.min() >= 0.0


@pytest.mark.parametrize("name", NAMES)
def test_case_as_run_runs_again_to_the_same_bits(name, tmp_path):
    case, result = outcome(name)
    path = tmp_path / f"{name}.toml"
    path.write_text(case.to_toml(), encoding="utf-8")
    again = load_case(path)
    assert again.to_toml() == case.to_toml()
    assert [e.model_dump() for e in again.expects] == [e.model_dump() for e in case.expects]
    if not case.plan.system.constant and case.plan.steps * case.plan.system.nv > LONG:
        return  # the same loop as the shorter ones
    second = again.run()
    assert list(second.signals) == list(result.signals)
    for signal in result.signals:
        np.testing.assert_array_equal(second.signals[signal], result.signals[signal])


@pytest.mark.parametrize("name", NAMES)
def test_case_has_its_page_in_the_docs(name):
    text = DOCS.read_text(encoding="utf-8")
    assert text.count(f"\n## `{name}`\n") == 1


def test_check_command_passes(capsys):
    names = ["bouncing_ball", "bouncing_pendulum", "four_bar", "impacting_bar"]
    assert main(["check", "--quiet", *names]) == 0
    said = capsys.readouterr().out
    assert "FAIL" not in said
    assert all(f"{name}: " in said for name in names)


def test_check_command_fails_when_the_physics_is_changed(capsys):
    assert main(["check", "--quiet", "bouncing_ball", "--set", "contacts.floor.restitution=0.4"]) == 1
    assert "FAIL" in capsys.readouterr().out
