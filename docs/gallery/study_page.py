"""The page of a study in Markdown."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

from flexmb.record.summary_text import bounds_words, counted
from flexmb.study.expectations import asked_words
from gallery.case_page import listing, opening, picture, section_of
from gallery.case_run import REPORT
from gallery.plain import plain_words

WORDS = Path(__file__).parents[1] / "studies_shipped.md"


def study_page(facts: dict[str, Any], study_text: str) -> str:
    """Return the page of a study.

    Parameters
    ----------
    facts : dict
        Facts written by ``study_run.make``.
    study_text : str
        The study file.
    """
    name = facts["name"]
    parts = opening(facts)
    if facts.get("description"):
        parts.append(plain_words(facts["description"]))
    if "figures" in facts:
        for file, title, caption in facts["figures"]:
            words = f"\n\n*{plain_words(caption)}*" if caption else ""
            parts.append(picture(f"{name}/{file}", plain_words(title)) + words)
        report = f"[Report of this study]({name}/{REPORT}): axes and measures, figures, a table that can be sorted."
        parts += [report, "## Expected and computed", _expectations(facts["summary"]["expectations"], facts["units"])]
    if words := words_of(name):
        parts += ["## Discussion", words]
    if "figures" in facts:
        parts += ["## The table", _counts(facts["summary"], name), _table(facts["table"])]
    parts += ["## Run it", f"```\nflexmb study {name} --check\n```", "## The study file", *listing(name, study_text)]
    return "\n\n".join(parts) + "\n"


def words_of(name: str) -> str:
    """Return the section of docs/studies_shipped.md on a study, without its picture and its command."""
    return re.sub(r"^(!\[[^\n]*\)$|```.*?```)\n*", "", section_of(name, WORDS), flags=re.M | re.S).strip()


def _expectations(entries: list[dict[str, Any]], units: list[str]) -> str:
    if not entries:
        return "The study has no expectations."
    rows = ["| what | unit | expected | computed | source |", "|---|---|---|---|---|"]
    for entry, unit in zip(entries, units, strict=True):
        got = f"{entry['got']:.6g}" if entry["got"] is not None else plain_words(entry["why"] or "no number")
        mark = "✓" if entry["ok"] else "**✗**"
        cells = (asked_words(entry), bounds_words(entry), f"{mark}&nbsp;{got}", entry.get("source", ""))
        what, asked, computed, source = cells
        rows.append(f"| {plain_words(what)} | {unit} | {plain_words(asked)} | {computed} | {plain_words(source)} |")
    return "\n".join(rows)


def _counts(summary: dict[str, Any], name: str) -> str:
    failed = f", {summary['failed']} of them failed" if summary["failed"] else ""
    runs = f"{counted(summary['runs'], 'run')}{failed}, {summary['wall_time_s']:.0f} s on the build machine"
    return f"{runs}. All digits are in [table.csv]({name}/table.csv)."


def _table(lines: list[list[str]]) -> str:
    """Return the table in a separate box as HTML, which Markdown does not change."""
    head, *rows = ([html.escape(cell) for cell in line] for line in lines)
    top = "".join(f"<th>{cell}</th>" for cell in head)
    body = "\n".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<div class="tall"><table><thead><tr>{top}</tr></thead><tbody>\n{body}\n</tbody></table></div>'
