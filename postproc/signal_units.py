"""Units of the quantities of expectations: signals, numbers of the summary, linear analyses."""

from __future__ import annotations

from flexmb.postproc.named_curves import unit_of

OTHER = {
    "analysis.critical_speed": "rad/s",
    "summary.max_penetration": "m",
    "summary.min_gap": "m",
    "summary.min_gap_time": "s",
    "summary.contact_residual_max": "",
    "summary.h": "s",
    "summary.t0": "s",
    "summary.wall_time_s": "s",
    "summary.us_per_step": "µs",
    "summary.energy.gain_steps": "",
    "summary.energy.gain_time": "s",
}
"""Units by the beginning of a name; numbers of the summary not listed here are energies or counts."""
LAST = {
    "position_error": "m or rad",
    "joint_position_error": "m or rad",
    "velocity_error": "m/s or rad/s",
    "joint_velocity_error": "m/s or rad/s",
    "tangential_velocity": "m/s",
    "spin_speed": "rad/s",
    "spin_angle": "rad",
}
"""Units by the last part of a name."""


def unit_of_signal(name: str) -> str:
    """Return the unit of a signal as printed, empty if it has none."""
    bare = name.rpartition(".")[0] if name.rpartition(".")[2].isdecimal() else name
    if bare in OTHER:
        return OTHER[bare]
    if bare.startswith("summary.event_list."):
        return "s"
    last = bare.rpartition(".")[2]
    if last in LAST:
        return LAST[last]
    return "J" if bare.startswith("summary.energy.") else unit_of(name).replace("^2", "²")
