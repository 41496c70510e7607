"""The page: sections of text, tables and charts around one animation."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from flexmb.errors import InputError
from flexmb.exact import Exact
from flexmb.postproc.moment import telling_time
from flexmb.postproc.report import tables
from flexmb.postproc.report.charts import COLOURS, Bars, Chart
from flexmb.postproc.report.document import document
from flexmb.postproc.report.html import Html, code, joined, table, tag
from flexmb.postproc.report.motion import MOST_BYTES, motion_of
from flexmb.postproc.report.numbers import Numbers
from flexmb.postproc.report.rotor import rotor_pictures
from flexmb.postproc.report.runs import Run
from flexmb.postproc.report.sections import Sections, compared_energies, energy_charts

MOST_VIEWS = 4
HELP = (
    "Grey: the start; arrows: contact impulses. Drag turns, Shift and drag moves, the wheel zooms once the view was "
    "clicked; space plays, arrow keys step."
)
SCRIPTS = ("numbers.js", "chart.js", "viewer.js", "copy.js", "page.js")


class Page:
    """Builds the page of one run, or of several compared.

    Parameters
    ----------
    runs : list of Run
    exact : Exact or None
    notes : list of str
        What the reader must know about the comparison.
    signals : list of str
        Signals to show; empty: a page full of those that move.
    """

    def __init__(self, runs: list[Run], exact: Exact | None, notes: list[str], signals: list[str]) -> None:
        self.runs, self.exact, self.notes = runs, exact, notes
        self.sampled = [run for run in runs if run.sampled]
        self.sections = Sections(self.sampled, exact, signals)
        self.numbers = Numbers()
        self.charts: list[dict[str, Any]] = []
        self.motions: list[dict[str, Any]] = []
        self.titles: list[tuple[str, str]] = []

    @property
    def one(self) -> bool:
        """Whether it is about a single run."""
        return len(self.runs) == 1

    @property
    def title(self) -> str:
        """What the page is called."""
        titles = list(dict.fromkeys(run.opened.title or run.name for run in self.runs))
        return titles[0] if len(titles) == 1 else " / ".join(titles)

    def html(self) -> str:
        """Return the whole file."""
        body = [
            self._section("What was run", "run", self._what()),
            self._section("Motion", "motion", self._motion()),
            self._section("Expectations", "expectations", self._expectations()),
            self._section("Energy", "energy", self._energy()),
            self._section("Contacts", "contacts", self._contacts()),
            self._section("Signals", "signals", self._signals()),
            self._section("Phase portraits", "portraits", self._group(self.sections.portraits(), "three")),
            *self._orbits(),
            self._section("Spectra", "spectra", self._spectra()),
            self._section("Joints", "joints", self._group(self.sections.joints())),
            self._section("Distance from the exact solution", "exact", self._distance()),
            self._section("Do it again", "again", self._again()),
        ]
        content = tag("main", self._head(), *body)
        return self._file(content)

    def _file(self, content: Html) -> str:
        data = {"numbers": self.numbers.index, "charts": self.charts, "motions": self.motions, "shown": self._time()}
        # inside a script element only "</" and "<!--" have a meaning; the escape is that of JSON itself
        words = json.dumps(data, allow_nan=False).replace("<", "\\u003c")
        elements = [
            tag("script", Html(words), type="application/json", id="page"),
            tag("script", Html(self.numbers.base64()), type="text/plain", id="numbers"),
        ]
        return document(self.title, content, SCRIPTS, elements)

    def _head(self) -> Html:
        words = list(dict.fromkeys(str(run.opened.case.get("description", "")) for run in self.runs))
        badges = []
        for run in self.runs:
            entries, name = tables.expectations(run), "" if self.one else f"{run.label}: "
            status = str(run.result.summary.get("status", "not finished"))
            badges.append(tag("span", name + status, cls="badge" + (" good" if status == "complete" else " bad")))
            if entries:
                met = sum(entry["ok"] for entry in entries)
                look = "badge good" if met == len(entries) else "badge bad"
                badges.append(tag("span", f"{name}{met} of {len(entries)} expectations met", cls=look))
        notes = [(run, note) for run in self.runs for note in run.notes]
        warnings = [note if self.one else f"{run.label}: {note}" for run, note in notes] + self.notes
        links = [tag("a", title, href=f"#{name}") for title, name in self.titles]
        return tag(
            "header",
            tag("h1", self.title),
            *(tag("p", " ".join(part.split()), cls="description") for word in words for part in word.split("\n\n")),
            tag("div", *badges, cls="badges"),
            *(tag("div", words, cls="warning") for words in warnings),
            tag("nav", *links),
            Html("<noscript><p>Charts and the animation need JavaScript.</p></noscript>"),
        )

    def _section(self, title: str, name: str, inner: Html) -> Html:
        if not inner:
            return Html("")
        self.titles.append((title, name))
        return tag("section", tag("h2", title), inner, id=name)

    def _orbits(self) -> list[Html]:
        """Return the ways of points; of a rotor its own pictures, which have them with their clearances."""
        drawn = [run for run in self.sampled if run.drawable]
        if self.one and drawn and (pictures := rotor_pictures(drawn[0].opened)):
            return [self._section("Rotor", "rotor", pictures)]
        return [self._section("Orbits", "orbits", self._group(self.sections.orbits(), "three"))]

    def _what(self) -> Html:
        if not self.one:
            return tables.compared_facts(self.runs)
        notes = [tag("p", str(note), cls="note") for note in self.runs[0].result.summary.get("notes") or []]
        return joined([table([], tables.facts(self.runs[0])), *notes])

    def _motion(self) -> Html:
        drawn = [run for run in self.runs if run.drawable][:MOST_VIEWS]
        views, notes = [], []
        for run in drawn:
            try:
                motion = motion_of(run.opened, MOST_BYTES // len(drawn))
                spec = motion.spec(self.numbers, run.label)
            except InputError as err:
                notes.append(f"{run.label}: {err}")
                continue
            self.motions.append(spec)
            notes += spec["notes"]
            name = [] if self.one else [tag("div", run.label, cls="name")]
            canvas = tag("canvas", tabindex="0", role="img", aria_label=f"Motion of {run.label}")
            views.append(tag("div", *name, canvas, cls="view"))
        if len([run for run in self.runs if run.drawable]) > MOST_VIEWS:
            notes.append(f"the first {MOST_VIEWS} runs are shown")
        if not views:
            return joined(tag("p", note, cls="note") for note in notes)
        words = [HELP, *dict.fromkeys(notes)]
        return joined(
            [tag("div", *views, cls="views"), self._controls(), *(tag("p", word, cls="note") for word in words)]
        )

    def _controls(self) -> Html:
        fields = [tag("option", field["name"], value=k) for k, field in enumerate(self.motions[0]["fields"])]
        speeds = [tag("option", f"{x:g}×", value=x, selected=x == 1.0) for x in (0.1, 0.25, 0.5, 1.0, 2.0, 4.0)]
        scales = [tag("option", f"{x:g}×", value=x, selected=x == 1) for x in (0, 1, 2, 5, 10, 100, 1000)]
        slider = {"type": "range", "id": "slider", "min": 0, "max": 1000, "value": 0, "aria_label": "time"}
        parts = [
            tag("button", "Play", id="play", type="button"),
            Html(tag("input", **slider).removesuffix("</input>")),
            tag("output", "", id="clock"),
            tag("label", "speed ", tag("select", *speeds, id="speed")),
            tag(
                "label",
                "colour ",
                tag("select", *fields, id="field"),
                hidden=not any(m["coloured"] for m in self.motions),
            ),
        ]
        if all(motion["scalable"] for motion in self.motions):
            parts.append(tag("label", "displacements ", tag("select", *scales, id="scale")))
        return tag("div", *parts, tag("button", "Reset view", id="reset", type="button"), cls="controls")

    def _time(self) -> float:
        """Return the time shown first: when contacts act, else the start."""
        drawn = [run for run in self.runs if run.drawable]
        if not drawn:
            return 0.0
        result = drawn[0].result
        return telling_time(result) if result.contacts else float(result.fields.times[0])

    def _expectations(self) -> Html:
        out = []
        for run in self.runs:
            if tables.expectations(run):
                out += [] if self.one else [tag("h3", run.label)]
                out.append(tables.expectation_table(run))
        return joined(out)

    def _energy(self) -> Html:
        balanced = [run for run in self.sampled if run.ledger is not None]
        if not balanced:
            return Html("")
        out: list[Html] = []
        if not self.one:
            out += [tables.compared_energies_table(balanced), self._group(compared_energies(balanced, self.exact))]
        for run in balanced:
            assert run.ledger is not None
            out += [] if self.one else [tag("h3", run.label)]
            out.append(self._group(energy_charts(run.ledger), also=tag("figure", tables.ledger_table(run))))
        return joined(out)

    def _contacts(self) -> Html:
        out: list[Html] = []
        for name, charts in self.sections.contacts():
            out += [tag("h3", name), self._group(charts)]
        if hidden := self.sections.hidden_contacts():
            out.append(tag("p", f"{hidden} contacts with smaller impulses are not drawn.", cls="note"))
        return joined(out)

    def _signals(self) -> Html:
        charts = self._group(self.sections.signal_charts())
        left = self.sections.left_out
        if not left:
            return charts
        words = f"{left} more signals move; name those you want with --signal."
        return joined([charts, tag("p", words, cls="note")])

    def _spectra(self) -> Html:
        charts = self._group(self.sections.spectra(), "three")
        if not charts:
            return charts
        words = (
            "Amplitudes with a Hann window, the mean taken off, cut off below a millionth of the peak. Shown up to "
            "where they fall below a thousandth of it; a double click shows all, log f on a logarithmic axis."
        )
        return joined([tag("p", words, cls="note"), charts])

    def _distance(self) -> Html:
        if self.exact is None or not self.sampled:
            return Html("")
        words = f"Exact solution '{self.exact.name}': {self.exact.source}. It is the dashed curve in the charts above. "
        words += "Where curves jump, a jump that comes one step late is as far away as the jump is high."
        return joined([tag("p", words), tables.distance_table(self.sampled, self.exact)])

    def _again(self) -> Html:
        out: list[Html] = []
        with_case = [run for run in self.runs if run.result.case_text]
        if with_case:
            out.append(tag("p", "Save the case below as case.toml, then:" if self.one else "Save each case, then:"))
            lines = []
            for run in with_case:
                file = "case.toml" if self.one else f"{run.name}.toml"
                lines.append(f"flexmb run {file} -o results/{run.name}")
            lines.append("flexmb report " + " ".join(f"results/{run.name}" for run in with_case))
            out.append(code("\n".join(lines)))
        else:
            out.append(tag("p", "The result was computed from Python: there is no case file."))
        out.append(tables.version_table(self.runs))
        for run in with_case:
            words = "The case as run" if self.one else f"The case as run: {run.label} ({run.name}.toml)"
            out.append(tag("details", tag("summary", words), code(run.result.case_text)))
        return joined(out)

    def _group(self, charts: Sequence[Chart | Bars], look: str = "", also: Html | None = None) -> Html:
        figures = [self._figure(chart) for chart in charts] + ([] if also is None else [also])
        return tag("div", *figures, cls=f"grid {look}".strip()) if figures else Html("")

    def _figure(self, chart: Chart | Bars) -> Html:
        spec = chart.spec(self.numbers)
        self.charts.append(spec)
        note = [tag("p", chart.note, cls="note")] if chart.note else []
        return tag(
            "figure",
            tag("figcaption", chart.title, *note),
            *([_legend(chart)] if isinstance(chart, Chart) and len(chart.curves) > 1 else []),
            tag("button", "csv", cls="small csv", type="button", title="Save the numbers of this chart"),
            *([_log_switch()] if isinstance(chart, Chart) and chart.logarithmic else []),
            tag("div", cls="plot"),
            data_chart=len(self.charts) - 1,
        )


def _log_switch() -> Html:
    words = "Frequencies on a logarithmic axis"
    return tag("button", "log f", cls="small logx", type="button", title=words, aria_pressed="false")


def _legend(chart: Chart) -> Html:
    items = []
    for curve in chart.curves:
        look = "swatch" + (" band" if curve.low is not None else " dashed" if curve.dashed else "")
        swatch = tag("span", cls=look, style=f"--c:var(--{COLOURS[curve.colour]})")
        items.append(tag("li", tag("button", swatch, curve.label, type="button", aria_pressed="true")))
    return tag("ul", *items, cls="legend")
