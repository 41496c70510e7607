"""Notes of a finished run: one list for ``summary.json``, the report, the terminal and Python warnings."""

from __future__ import annotations

from typing import Any

from flexmb.record.samples import RunInfo, Tally
from flexmb.record.summary_text import energy_warnings

MOST_BENT = 0.1
"""Deflection of a floating beam, relative to its length, up to which linear strains are accurate
(docs/multibody.md)."""
LOST_IN_CORRECTIONS = 0.01
"""Work of position corrections at contacts with restitution, relative to the energy exchanged, above which a note is
given."""


def run_notes(run: RunInfo, tally: Tally, energy: dict[str, Any]) -> list[str]:
    """Return the notes of a finished run: energies, restitution with GGL, falling friction, beams that bend too far."""
    return [
        *energy_warnings(energy),
        *_restitution_notes(run, energy),
        *_falling_notes(run, tally),
        *_bending_notes(tally),
    ]


def _restitution_notes(run: RunInfo, energy: dict[str, Any]) -> list[str]:
    """Return the note on energy lost at contacts with restitution in addition to the impact law (docs/energy.md)."""
    contacts, moved, work = run.system.contacts, energy.get("moved"), energy.get("contact_projection") or 0.0
    if not moved or -work <= LOST_IN_CORRECTIONS * moved:
        return []
    bouncing = [
        contacts.names[j] for j, k in enumerate(contacts.start[:-1]) if contacts.e[k : contacts.start[j + 1]].any()
    ]
    if not bouncing:
        return []
    return [
        f"position corrections (GGL) took {100.0 * -work / moved:.2g} % of the energy exchanged, in addition to the "
        f"loss by the restitution of {', '.join(bouncing)}; it is at most proportional to the step; ggl = false and "
        "moreau-jean do not lose it (docs/energy.md)"
    ]


def _place(run: RunInfo, label: str) -> str:
    """Return the location of a contact in a case file; friction of a joint is a separate contact."""
    joint, joints = label.removesuffix("_friction"), run.system.joints
    if joints is not None and joint != label and joint in joints.names:
        return f"joints.{joint}"
    return f"contacts.{label}" if label else "contacts, a pair that has separated since"


def _falling_notes(run: RunInfo, tally: Tally) -> list[str]:
    """Return the note on friction that falls too steeply with the slip speed (docs/friction.md)."""
    if not tally.falling_max >= 1.0:
        return []
    return [
        f"{_place(run, tally.falling_contact)}: friction falls so steeply with the slip speed that W_TT P_N |mu'| = "
        f"{tally.falling_max:.3g} at t = {tally.falling_time:.6g} s; from 1 on the slip of a step is not unique, and "
        "mu at its start is used; a smaller time.step lowers it, except in impacts (docs/friction.md)"
    ]


def _bending_notes(tally: Tally) -> list[str]:
    """Return notes on floating beams that bent beyond the range of linear strains."""
    return [
        f"bodies.{name}: this floating beam was bent by {100.0 * share:.3g} % of its length at t = {time:.6g} s, its "
        f'linear strains are valid up to {100.0 * MOST_BENT:g} %; kind = "exact-beam" has no such limit'
        for name, share, time in tally.bending
        if share > MOST_BENT
    ]
