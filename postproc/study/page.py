"""The page of a study: axes and measures, figures, expectations, the table, and the command to reproduce it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from flexmb.postproc.report.document import Outline, document
from flexmb.postproc.report.html import COPY, Html, code, joined, table, tag
from flexmb.postproc.report.tables import CROSS, TICK, number
from flexmb.postproc.study.columns import Columns, name_of_axis, shown
from flexmb.postproc.study.draw import FIGURES, Figured
from flexmb.postproc.study.folder import Opened
from flexmb.record.summary_text import bounds_words, counted
from flexmb.study.expectations import asked_words
from flexmb.study.study_schema import OPTIONAL_WORKS

MOST_ROWS = 2000
"""Rows of the table on the page; table.csv has all."""
SCRIPTS = ("copy.js", "sort.js")


class StudyPage:
    """Builds the page.

    Parameters
    ----------
    opened : Opened
    figures : sequence of Figured
    notes : sequence of str
        Figures that could not be drawn, and why.
    """

    def __init__(self, opened: Opened, figures: Sequence[Figured], notes: Sequence[str]) -> None:
        self.opened, self.figures, self.notes = opened, figures, notes
        self.table, self.summary = opened.table, opened.summary
        self.columns = Columns(opened.tables)
        self.outline = Outline()

    def html(self) -> str:
        """Return the whole file."""
        body = [
            self.outline.section("What was studied", "study", self._what()),
            self.outline.section("Figures", "figures", self._figures()),
            self.outline.section("Expectations", "expectations", self._expectations()),
            self.outline.section("Table", "table", self._table()),
            self.outline.section("Runs that failed", "failed", self._failed()),
            self.outline.section("Commands", "again", self._again()),
        ]
        return document(self.opened.title, tag("main", self._head(), *body), SCRIPTS)

    def _head(self) -> Html:
        words = str(self.opened.tables.get("description", ""))
        failed = sum(not row.done for row in self.table.rows)
        badges = [tag("span", counted(len(self.table.rows), "run"), cls="badge")]
        if failed:
            badges.append(tag("span", f"{failed} failed", cls="badge bad"))
        if not self.summary:
            badges.append(tag("span", "not finished", cls="badge bad"))
        if entries := self._entries():
            met = sum(bool(entry.get("ok")) for entry in entries)
            look = "badge good" if met == len(entries) else "badge bad"
            badges.append(tag("span", f"{met} of {len(entries)} expectations met", cls=look))
        return tag(
            "header",
            tag("h1", self.opened.title),
            *(tag("p", " ".join(part.split()), cls="description") for part in words.split("\n\n") if part.strip()),
            tag("div", *badges, cls="badges"),
            *(tag("div", note, cls="warning") for note in self.notes),
            self.outline.links(),
        )

    def _what(self) -> Html:
        tables = self.opened.tables
        rows = [["case", str(tables.get("case", ""))], ["runs", str(len(self.table.rows))]]
        if tables.get("set"):
            rows.append(["in all runs", ", ".join(f"{key} = {value}" for key, value in tables["set"].items())])
        if self.summary.get("wall_time_s") is not None:
            rows.append(["computing time", f"{number(self.summary['wall_time_s'], 3)} s"])
        axes = [self._axis(axis) for axis in tables.get("axis", [])]
        measures = [[name, self.columns.unit(name), _measured(own)] for name, own in self.columns.measures.items()]
        out = [table([], rows)]
        if axes:
            out += [tag("h3", "Axes"), table(["column", "sets", "unit", "values"], axes)]
        if measures:
            out += [tag("h3", "Measures"), table(["column", "unit", "what"], measures)]
        if tables.get("ledger"):
            words = (
                "The columns initial to residual are the energy ledger at the end of each run, J: initial, all works "
                "(external to numerical) and residual add up to final; see docs/energy.md."
            )
            out.append(tag("p", words, cls="note"))
        return joined(out)

    def _figures(self) -> Html:
        return tag("div", *map(_figure, self.figures), cls="wide") if self.figures else Html("")

    def _axis(self, axis: Mapping[str, Any]) -> list[str]:
        name = name_of_axis(axis)
        keys = axis.get("keys") or ([axis["key"]] if "key" in axis else [])
        if "choices" in axis:
            keys = list(dict.fromkeys(key for choice in axis["choices"] for key in choice.get("set", {})))
        values = [shown(value) for value in self.table.values(name)] if name in self.table.axes else []
        most = values if len(values) <= 12 else [*values[:8], f"… {len(values)} in all …", values[-1]]
        return [name, ", ".join(keys), self.columns.unit(name), "; ".join(most)]

    def _entries(self) -> list[dict[str, Any]]:
        return list(self.summary.get("expectations", []))

    def _expectations(self) -> Html:
        rows = [
            [
                TICK if entry["ok"] else CROSS,
                _expected(entry),
                shown(entry.get("got") if entry.get("got") is not None else entry.get("why") or "no number", 6),
                str(entry.get("source", "")),
            ]
            for entry in self._entries()
        ]
        return table(["", "expected", "got", "source"], rows, numeric=(2,)) if rows else Html("")

    def _table(self) -> Html:
        axes = self.table.axes
        numbers = self.table.numbers_without_zeros(OPTIONAL_WORKS if self.opened.tables.get("ledger") else ())
        names = ["run", *axes, "status", *numbers]
        units = {name: self.columns.unit(name) for name in (*axes, *numbers)}
        heads = [f"{name} [{plain(units[name])}]" if units.get(name) else name for name in names]
        rows = [
            [
                str(row.index),
                *(shown(row.axes.get(name, ""), 9) for name in axes),
                row.status,
                *(shown(row.numbers.get(name, float("nan")), 9) for name in numbers),
            ]
            for row in self.table.rows[:MOST_ROWS]
        ]
        if not rows:
            return tag("p", "No run has been executed yet.")
        buttons = [tag("button", head, type="button", title="sort") for head in heads]
        right = {k for k in range(len(names)) if k != len(axes) + 1 and _numeric(row[k] for row in rows)}
        body = [tag("tr", *(tag("td", c, cls="number" if k in right else None) for k, c in enumerate(r))) for r in rows]
        top = tag("tr", *(tag("th", b, cls="number" if k in right else None) for k, b in enumerate(buttons)))
        inner = tag("table", tag("thead", top), tag("tbody", *body))
        words = "Click on a column heading to sort; table.csv has all digits."
        if len(self.table.rows) > MOST_ROWS:
            words += f" The first {MOST_ROWS} of {len(self.table.rows)} runs are shown."
        box = tag("div", COPY, tag("div", inner, cls="scroll"), cls="table sorted")
        return joined([tag("p", words, cls="note"), box])

    def _failed(self) -> Html:
        failed = [row for row in self.table.rows if not row.done]
        if not failed:
            return Html("")
        axes = self.table.axes
        rows = [[str(r.index), *(shown(r.axes.get(name, "")) for name in axes), r.error] for r in failed[:MOST_ROWS]]
        return table(["run", *axes, "why"], rows)

    def _again(self) -> Html:
        name = shlex.quote(str(self.summary.get("name") or self.opened.folder.resolve().name))
        lines = [f"flexmb study study.toml -o results/{name}", f"flexmb report results/{name}"]
        out = [tag("p", "Save the study below as study.toml, then:"), code("\n".join(lines))]
        versions = self.summary.get("versions") or {}
        if versions:
            out.append(table(["package", "version"], [[str(key), str(value)] for key, value in versions.items()]))
        out.append(tag("details", tag("summary", "The study as run"), code(self.opened.text)))
        return joined(out)


def plain(unit: str) -> str:
    """Return a unit without mathematical markup."""
    return unit.replace("$^{1/2}$", "^½")


def _expected(entry: Mapping[str, Any]) -> str:
    """Return an expectation on the table as text."""
    return f"{asked_words(dict(entry))} {bounds_words(dict(entry))}"


def _measured(measure: Mapping[str, Any]) -> str:
    """Return the description of a measure as text."""
    if "signal" in measure:
        reduce, at = measure.get("reduce"), measure.get("time")
        how = f"{reduce} of " if reduce and reduce != "at" else ""
        return f"{how}{measure['signal']}" + (f" at t = {at:g} s" if at is not None else "")
    if "error" in measure:
        kind = "distance of filled-in graphs" if measure.get("norm") == "graph" else f"{measure.get('norm', 'L1')} norm"
        relative = ", relative" if measure.get("relative") else ""
        return f"error of {measure['error']} against {measure.get('against', 'exact')}, {kind}{relative}"
    if "curve" in measure:
        return f"{measure['curve']} over time (for figures)"
    if "modes" in measure:
        return f"energies and damping of the {measure['modes']} lowest modes (for figures)"
    return str(measure.get("quantity", ""))


def _numeric(cells: Any) -> bool:
    return all(re.fullmatch(r"[-+.0-9einf]*", cell) for cell in cells)


def _figure(figure: Figured) -> Html:
    spec = figure.spec
    notes = [tag("p", note[0].upper() + note[1:] + ".", cls="note") for note in figure.notes]
    files = " ".join(f"{FIGURES}/{path.name}" for path in figure.files)
    caption = [tag("p", spec.caption, cls="note")] if spec.caption else []
    where = tag("p", f"Files: {files}", cls="note")
    words = tag("figcaption", spec.title or spec.name, *caption, *notes, where)
    return tag("figure", words, tag("div", inline(figure.svg, spec.name), cls="picture"), id=f"figure-{spec.name}")


def inline(svg: str, name: str) -> Html:
    """Return a picture for inclusion in a page: without its header, and with unique identifiers."""
    text = svg[svg.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    # a style rule of the picture for all elements would apply to the whole page
    text = re.sub(r"<style[^>]*>\s*\*\s*\{([^}]*)\}\s*</style>", "", text)
    text = text.replace("<svg ", '<svg role="img" style="stroke-linejoin: round; stroke-linecap: butt" ', 1)
    own = escape(f"{name}-")
    text = re.sub(r'(\bid="|href="#|url\(#)', lambda found: found[1] + own, text)
    return Html(text)
