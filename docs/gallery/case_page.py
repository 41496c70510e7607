"""The page of a case in Markdown."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

from flexmb.postproc.signal_units import unit_of_signal
from flexmb.record.summary_text import counted, energy_lines
from gallery.case_run import REPORT, VIEW, passed
from gallery.plain import plain_words

WORDS = Path(__file__).parents[1] / "cases.md"
WARNING = "warning: "
FINE = 1e-6
"""Relative tolerances below this are not written as percentages."""


def case_page(facts: dict[str, Any], case_text: str) -> str:
    """Return the page of a case.

    Parameters
    ----------
    facts : dict
        What ``case_run.make`` found.
    case_text : str
        The case file.
    """
    name = facts["name"]
    parts = opening(facts)
    if not facts["error"]:
        parts.append(picture(f"{name}/{VIEW}", f"{name} in flexmb view"))
    if facts.get("description"):
        parts.append(plain_words(facts["description"]))
    if not facts["error"]:
        parts += ["## Expected and computed", _expectations(facts["summary"]["expectations"])]
        parts += [f"*{caption}.*\n\n{picture(f'{name}/{file}', caption)}" for file, caption in facts["pictures"]]
        report = f"[Report of this run]({name}/{REPORT}): motion with a time slider, ledger, contacts, spectra, tables."
        parts += ["## The run", _figures(facts["summary"]), *_notes(facts["summary"]), report]
    if words := section_of(name):
        parts += ["## Discussion", words]
    parts += ["## Run it", f"```\n{commands(name)}\n```"]
    return "\n\n".join([*parts, "## The case file", *listing(name, case_text)]) + "\n"


def opening(facts: dict[str, Any]) -> list[str]:
    """Return the beginning of a page: title, outcome, and error message, if any."""
    error = [f"```\n{facts['error']}\n```"] if facts["error"] else []
    return [f"# {plain_words(facts['title'] or facts['name'])}", _verdict(facts), *error]


def listing(name: str, text: str) -> list[str]:
    """Return a link to a file and its content."""
    # a fence longer than any in the file
    fence = "`" * max(3, 1 + max((len(ticks) for ticks in re.findall("`+", text)), default=0))
    return [f"[{name}.toml]({name}/{name}.toml)", f"{fence}toml\n{text.rstrip()}\n{fence}"]


def picture(file: str, words: str) -> str:
    """Return a picture linked to its full size."""
    return f"[![{words}]({file})]({file})"


def section_of(name: str, words: Path = WORDS) -> str:
    """Return the section of docs/cases.md, or another page, on a case, its links relative to a page of the gallery."""
    page = words.read_text(encoding="utf-8")
    found = re.search(rf"^## `{re.escape(name)}`\n(.*?)(?=^## |\Z)", page, re.S | re.M)
    return re.sub(r"\]\((?!https?:|#)", "](../", found.group(1).strip()) if found else ""


def commands(name: str) -> str:
    """Return the commands that reproduce the page."""
    lines = (f"check {name}", f"run {name}", f"view results/{name}", f"report results/{name}")
    return "\n".join(f"flexmb {line}" for line in lines)


def _verdict(facts: dict[str, Any]) -> str:
    if facts["error"]:
        return '!!! failure "The run failed"'
    entries = facts["summary"]["expectations"]
    if passed(facts):
        return f"`{facts['name']}` meets its {counted(len(entries), 'expectation')}."
    bad = sum(not entry["ok"] for entry in entries)
    return f'!!! failure "{bad} of {counted(len(entries), "expectation")} failed"'


def _expectations(entries: list[dict[str, Any]]) -> str:
    if not entries:
        return "The case has no expectations."
    rows = ["| what | unit | expected | tolerance | computed | source |", "|---|---|---|---|---|---|"]
    for entry in entries:
        value, tolerance = _asked(entry)
        got = _number(entry["got"]) if entry.get("reached", True) else "not reached"
        mark = "✓" if entry["ok"] else "**✗**"
        source = plain_words(entry.get("source", "")).replace("\n", " ")
        unit = unit_of_signal(entry["signal"])
        rows.append(f"| {_what(entry)} | {unit} | {value} | {tolerance} | {mark}&nbsp;{got} | {source} |")
    return "\n".join(rows)


def _what(entry: dict[str, Any]) -> str:
    reduce = entry.get("reduce")
    if reduce == "at":
        return f"{_code(entry['signal'])} at {entry['time']:g} s"
    return f"{reduce} of {_code(entry['signal'])}" if reduce else _code(entry["signal"])


def _code(name: str) -> str:
    """Return a dotted name as code that can be broken after its dots."""
    return f"<code>{html.escape(name).replace('.', '.<wbr>')}</code>"


def _asked(entry: dict[str, Any]) -> tuple[str, str]:
    """Return the expected value and its tolerance."""
    if entry.get("value") is None:
        signs = {"at_least": "≥", "at_most": "≤"}
        return " and ".join(f"{sign} {_number(entry[key])}" for key, sign in signs.items() if key in entry), ""
    rtol = entry.get("rtol") or 0.0
    words = [f"{100.0 * rtol:.3g} %" if rtol >= FINE else f"{rtol:.3g} of it"] if rtol else []
    words += [f"{entry['atol']:.3g}"] if entry.get("atol") else []
    return _number(entry["value"]), "± " + " + ".join(words or ["0"])


def _number(value: float | None) -> str:
    """Return a number that is not broken at the sign of its exponent."""
    return "no number" if value is None else f'<span class="number">{value:.8g}</span>'


def _figures(summary: dict[str, Any]) -> str:
    """Return scheme, steps, size and times of a run as a table."""
    scheme = dict(summary["scheme"])
    name = scheme.pop("name")
    options = ", ".join(f"{key} = {_option(value)}" for key, value in scheme.items() if value is not None)
    steps = f"{summary['steps']} of {summary['h']:.6g} s"
    if summary.get("tolerance"):
        steps = f"{summary['steps_taken']} by tolerance {summary['tolerance']:g}"
    energy = summary["energy"]
    rows = {
        "scheme": f"`{name}`" + (f" ({plain_words(options)})" if options else ""),
        "steps": steps,
        "unknowns, joints, contacts": f"{summary['dofs']}, {summary.get('joints', 0)}, {summary['contacts']}",
        "time on the build machine": f"{summary['wall_time_s']:.2g} s, {summary['us_per_step']:.3g} µs per step",
        "deepest penetration": f"{summary['max_penetration']:.2g} m" if summary["contacts"] else "no contacts",
        "energy, start and end": f"{energy['initial']:.6g} J, {energy['final']:.6g} J",
        "ledger closes to": f"{energy['residual_max']:.1e} J",
    }
    return "\n".join(["| | |", "|---|---|", *(f"| {key} | {value} |" for key, value in rows.items())])


def _notes(summary: dict[str, Any]) -> list[str]:
    """Return the warnings and notes of the run as a box; an empty list if there are none."""
    lines = [line.strip() for line in energy_lines(summary["energy"])]
    warned = [line.removeprefix(WARNING) for line in lines if line.startswith(WARNING)]
    said = list(dict.fromkeys([*warned, *summary.get("notes", [])]))  # most warnings are among the notes
    if not said:
        return []
    words = (plain_words(line).replace("docs/energy.md", "[energy.md](../energy.md)") for line in said)
    return ['!!! warning "Warnings and notes of the run"\n' + "".join(f"\n    * {line}" for line in words)]


def _option(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else f"{value:.6g}" if isinstance(value, float) else str(value)
