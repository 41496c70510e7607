"""Units: everything a run records has one, in files and on pictures."""

from __future__ import annotations

import pytest

from flexmb.case import load_case, shipped_cases
from flexmb.postproc.named_curves import unit_of
from flexmb.record.io.structure import JOINT_UNITS, unit
from flexmb.record.samples import ENERGY_COLUMNS

PURE = {"orientation", "status"}
"""Numbers without a unit."""


@pytest.mark.parametrize("name", sorted(shipped_cases()))
def test_every_signal_of_a_shipped_case_has_a_unit(name: str) -> None:
    recorded = [word for word in load_case(name).recorded if word.split(".")[0] not in ("summary", "analysis")]
    assert recorded
    assert [word for word in recorded if not unit(word) and word.split(".")[-1] not in PURE] == []


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("rotor.spin_speed", "rad/s"),
        ("rotor.spin_angle", "rad"),
        ("contacts.rub.tangential_velocity", "m/s"),
        ("joints.pin.position_error", "m or rad"),
        ("joints.pin.velocity_error", "m/s or rad/s"),
        ("joints.pin.impulse.2", "N s or N m s"),
        ("joints.pin.force.0", "N or N m"),
        ("joints.pin.angle", "rad"),
        ("contacts.wall.impulse", "N s"),
        ("rod.last.position.x", "m"),
        ("rod.last.orientation", ""),
    ],
)
def test_units_by_name(name: str, expected: str) -> None:
    assert unit_of(name) == expected


def test_units_by_path_in_the_tree() -> None:
    assert {unit(f"/energy/{name}") for name in ENERGY_COLUMNS} == {"J"}
    assert {name: unit(f"/joints/pin/{name}") for name in JOINT_UNITS} == JOINT_UNITS
    assert unit("/signals/joints.pin.angle") == "rad"
    assert unit("/contacts/wall/impulse") == "N s"
