"""Results as text: size of the system, figures of a run, energies, expectations."""

from __future__ import annotations

from typing import Any

from flexmb.record.samples import EVENTS_ENGINE

ENERGY_WORDS = (
    ("initial", "initial"),
    ("final", "final"),
    ("external", "work of loads and drives"),
    ("damping", "work of damping"),
    ("contact", "work of contacts"),
    ("friction", "work of friction"),
    ("closing", "work of closings"),
    ("projection", "work of projections"),
    ("numerical", "work of the scheme"),
    ("residual_max", "largest residual"),
)
OF_EVENTS = ("closing", "projection")
"""Works of runs with located events only."""
OPTIONAL = ("friction", *OF_EVENTS)
"""Works that are listed only if there are any."""
ROUND_OFF = 1e-10
"""Energy gain by friction in a step, relative to the scale of the ledger, up to which it is attributed to the tolerance
of the contact solver and causes no warning. The summary contains it in any case."""
LARGE_SHARE = 0.2
"""Work of the scheme, relative to the energy exchanged, above which a warning is given."""


def counted(n: int, word: str) -> str:
    """Return a count with its noun: 1 contact, 2 contacts."""
    return f"{n} {word}" if n == 1 else f"{n} {word}s"


def size_words(unknowns: int, joints: int, contacts: int) -> str:
    """Return the size of a system as text; joints only if there are any."""
    held = [counted(joints, "joint")] if joints else []
    return ", ".join([counted(unknowns, "unknown"), *held, counted(contacts, "contact")])


def summary_lines(summary: dict[str, Any]) -> list[str]:
    """Return the figures of a run, one per line."""
    scheme = summary["scheme"] | {"constraints": summary.get("constraints")}  # the level chosen by "auto"
    options = ", ".join(
        f"{key} = {_word(value)}" for key, value in scheme.items() if key != "name" and value is not None
    )
    steps = f"{summary['steps']} of {summary['h']:.6g} s"
    if summary.get("tolerance"):
        steps = f"{summary['steps_taken']} by tolerance {summary['tolerance']:g}, samples every {summary['h']:.6g} s"
    lines = [
        f"scheme       {scheme['name']}" + (f" ({options})" if options else ""),
        f"steps        {steps}, {summary['us_per_step']:.3g} us each "
        f"({summary['engine']} engine); whole run {summary['wall_time_s']:.3g} s",
        f"size         {size_words(summary['dofs'], summary.get('joints', 0), summary['contacts'])}",
    ]
    if summary.get("newton_iterations"):
        mean = summary["newton_iterations"] / max(1, summary["steps_taken"])
        lines.append(f"newton       {mean:.3g} iterations a step")
    if summary.get("joint_position_error") is not None:
        position, velocity = summary["joint_position_error"], summary["joint_velocity_error"]
        lines.append(f"joints       errors {position:.3g} m or rad, {velocity:.3g} m/s or rad/s at most")
    if summary["contacts"]:
        lines.append(f"penetration  {summary['max_penetration']:.3g} m at most")
    if summary.get("contact_residual_max"):
        lines.append(f"residual     {summary['contact_residual_max']:.3g} at most, of contact problems with friction")
    return [*lines, *event_lines(summary), *energy_lines(summary["energy"])]


def event_lines(summary: dict[str, Any]) -> list[str]:
    """Return the event counts of a run with located events; nothing for other runs."""
    events = summary.get("events") or {}
    if summary["engine"] != EVENTS_ENGINE or not events:
        return []
    kinds = ("impacts", "closings", "releases", "slips", "sticks", "kinks", "edges")
    met = [counted(int(events[kind]), kind.removesuffix("s")) for kind in kinds if events.get(kind)]
    taken = (
        f"{events['steps']:.0f} steps taken, {events['rejected']:.0f} rejected, {events['evaluations']:.0f} evaluations"
    )
    return [f"events       {', '.join(met) or 'none'}; {taken}"]


def energy_lines(energy: dict[str, Any]) -> list[str]:
    """Return the energy table and warnings."""
    lines = ["energy, J"]
    for key, words in ENERGY_WORDS:
        if energy.get(key) is not None and not (key in OPTIONAL and not energy[key]):
            lines.append(_row(words, energy[key]))
            if key == "external":
                lines += _external_parts(energy)
            if key == "contact":
                lines += _contact_parts(energy)
            if key == "friction":
                lines += _friction_parts(energy)
    return lines + [f"  warning: {words}" for words in energy_warnings(energy)]


def energy_warnings(energy: dict[str, Any]) -> list[str]:
    """Return warnings about the energies of a run: residual of the ledger, work of the scheme, gains at contacts.

    Energies that round-off produces in a system at rest cause no warning.
    """
    lines, floor = [], energy.get("round_off") or 0.0
    if energy.get("scale") and (energy.get("residual_max") or 0.0) > max(1e-6 * energy["scale"], floor):
        lines.append("the ledger does not close; the step is too large for double precision")
    moved, numerical = energy.get("moved"), energy.get("numerical")
    if moved and numerical is not None and abs(numerical) > max(LARGE_SHARE * moved, floor):
        did = "added" if numerical > 0.0 else "took"
        share = f"{100.0 * abs(numerical) / moved:.0f} % of the energy moved"
        lines.append(f"the scheme itself {did} {share}; check whether a smaller step changes the result")
    if energy.get("gain_steps") and (energy.get("gain_max") or 0.0) > floor:
        lines.append(f"{_gains(energy, 'gain', 'a contact')}; see docs/energy.md")
    least = max(ROUND_OFF * (energy.get("scale") or 0.0), floor)
    if energy.get("friction_gain_steps") and (energy.get("friction_gain_max") or 0.0) > least:
        lines.append(f"{_gains(energy, 'friction_gain', 'friction')}; see docs/energy.md")
    return lines


def _gains(energy: dict[str, Any], key: str, who: str) -> str:
    """Return the number of steps with an energy gain, and the largest gain with its time and contact."""
    when = f" at t = {energy[f'{key}_time']:.6g} s" if energy.get(f"{key}_time") is not None else ""
    where = f" ({energy[f'{key}_contact']})" if energy.get(f"{key}_contact") else ""
    count = counted(energy[f"{key}_steps"], "step")
    return f"in {count} {who} added energy, at most {energy.get(f'{key}_max') or 0.0:.3g} J{when}{where}"


def _external_parts(energy: dict[str, Any]) -> list[str]:
    """Return the lines of the parts of the external work; none if all of it comes from loads."""
    drive, cross = energy.get("drive") or 0.0, energy.get("cross") or 0.0
    if not (drive or cross):
        return []
    parts = (("  loads", energy["external"] - drive - cross), ("  drives", drive), ("  cross-coupling", cross))
    return [_row(words, joule, "+") for words, joule in parts if joule]


def _contact_parts(energy: dict[str, Any]) -> list[str]:
    """Return the lines of the two parts of the contact work; none if the scheme has no position correction."""
    correction = energy.get("contact_projection")
    if not correction:
        return []
    impact = energy["contact"] - correction
    return [_row("  impact law", impact, "+"), _row("  position correction (GGL)", correction, "+")]


def _friction_parts(energy: dict[str, Any]) -> list[str]:
    """Return the lines of the parts of the friction work; none if all of it comes from sliding."""
    rolling, cohesion = energy.get("rolling") or 0.0, energy.get("cohesion") or 0.0
    if not (rolling or cohesion):
        return []
    parts = (("  sliding", energy["friction"] - rolling - cohesion), ("  rolling", rolling), ("  cohesion", cohesion))
    return [_row(words, joule, "+") for words, joule in parts if joule]


def _row(words: str, joule: float, sign: str = "") -> str:
    return f"  {words:<28}{joule:>{sign}16.9g}"


def expectation_lines(entries: list[dict[str, Any]]) -> list[str]:
    """Return one line per expectation."""
    return [f"{'ok  ' if entry['ok'] else 'FAIL'}  {asked(entry)}, {_outcome(entry)}" for entry in entries]


def _outcome(entry: dict[str, Any]) -> str:
    return f"got {_number(entry['got'])}" if entry.get("reached", True) else "not reached"


def asked(entry: dict[str, Any]) -> str:
    """Return an expectation as text."""
    what = entry["signal"] if entry.get("reduce") is None else f"{entry['reduce']} of {entry['signal']}"
    if entry.get("reduce") == "at":
        what = f"{entry['signal']} at t = {entry['time']:g}"
    return f"{what} {bounds_words(entry)}"


def bounds_words(entry: dict[str, Any]) -> str:
    """Return the bounds of an expectation as text."""
    if entry.get("value") is not None:
        tolerances = [f"{key} {entry[key]:g}" for key in ("rtol", "atol") if entry.get(key) is not None]
        return f"= {entry['value']:.9g} ({', '.join(tolerances)})"
    bounds = [f"{word} {entry[key]:.9g}" for key, word in (("at_least", ">="), ("at_most", "<=")) if key in entry]
    return " and ".join(bounds)


def _number(value: float | None) -> str:
    return "no number" if value is None else f"{value:.9g}"


def _word(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)
