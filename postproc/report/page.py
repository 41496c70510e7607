"""The page: sections of text, tables and charts around one animation."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from flexmb.analysis.exact import Exact
from flexmb.postproc.instant import telling_time
from flexmb.postproc.report import tables
from flexmb.postproc.report.again import again
from flexmb.postproc.report.charts import COLOURS, MOST, Bars, Chart
from flexmb.postproc.report.document import Outline, document
from flexmb.postproc.report.energies import compared_energies, energy_charts
from flexmb.postproc.report.friction import cone_picture, friction_charts
from flexmb.postproc.report.html import Html, joined, table, tag, with_code
from flexmb.postproc.report.numbers import Numbers
from flexmb.postproc.report.rotor import rotor_pictures
from flexmb.postproc.report.runs import Run
from flexmb.postproc.report.sections import MOST_CONTACTS, MOST_PORTRAITS, Sections
from flexmb.postproc.report.views import views_of
from flexmb.record.summary_text import counted

HELP = (
    "Drag rotates, Shift and drag moves. After a click on the view the wheel zooms, space plays, arrow keys step ("
    "with Shift they rotate), + and - zoom."
)
SCRIPTS = ("numbers.js", "chart.js", "bars.js", "viewer.js", "copy.js", "page.js")


class Page:
    """Builds the page of one run, or of several compared.

    Parameters
    ----------
    runs : list of Run
    exact : Exact or None
    notes : list of str
        Notes on the comparison.
    signals : list of str
        Signals to show; empty: a page full of those that move.
    out : str
        Name of the file, if one was asked for.
    """

    def __init__(
        self, runs: list[Run], exact: Exact | None, notes: list[str], signals: list[str], out: str = ""
    ) -> None:
        self.runs, self.exact, self.notes, self.out = runs, exact, notes, out
        self.sections = Sections(runs, exact, signals)
        self.numbers = Numbers()
        self.charts: list[dict[str, Any]] = []
        self.motions: list[dict[str, Any]] = []
        self.outline = Outline()

    @property
    def one(self) -> bool:
        """Whether it shows a single run."""
        return len(self.runs) == 1

    @property
    def title(self) -> str:
        """Title of the page."""
        titles = list(dict.fromkeys(run.opened.title or run.name for run in self.runs))
        return titles[0] if len(titles) == 1 else " / ".join(titles)

    def html(self) -> str:
        """Return the whole file."""
        body = [
            self.outline.section("Data of the run", "run", self._what()),
            self.outline.section("Motion", "motion", self._motion()),
            self.outline.section("Expectations", "expectations", self._expectations()),
            self.outline.section("Energy", "energy", self._energy()),
            self.outline.section("Contacts", "contacts", self._contacts()),
            self.outline.section("Signals", "signals", self._signals()),
            self.outline.section("Phase portraits", "portraits", self._portraits()),
            *self._orbits(),
            self.outline.section("Spectra", "spectra", self._spectra()),
            self.outline.section("Joints", "joints", self._joints()),
            self.outline.section("Distance from the exact solution", "exact", self._distance()),
            self.outline.section("Commands", "again", again(self.runs, self.sections.named, self.out)),
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
        notes = [(run, note) for run in self.runs for note in (*run.notes, *tables.notes_on_misses(run))]
        warnings = [note if self.one else f"{run.label}: {note}" for run, note in notes] + self.notes
        return tag(
            "header",
            tag("h1", self.title),
            *(
                tag("p", with_code(" ".join(part.split())), cls="description")
                for word in words
                for part in word.split("\n\n")
            ),
            tag("div", *badges, cls="badges"),
            *(tag("div", words, cls="warning") for words in warnings),
            self.outline.links(),
            Html("<noscript><p>Charts and the animation need JavaScript.</p></noscript>"),
        )

    def _orbits(self) -> list[Html]:
        """Return the paths of points; for a rotor its orbits with their clearances."""
        if self.one and self.runs[0].drawable and (pictures := rotor_pictures(self.runs[0].opened)):
            return [self.outline.section("Rotor", "rotor", pictures)]
        charts = self._group(self.sections.orbits(), "three")
        return [self.outline.section("Orbits", "orbits", joined([charts, _left(self.sections.planes)]))]

    def _what(self) -> Html:
        facts = table([], tables.facts(self.runs[0])) if self.one else tables.compared_facts(self.runs)
        most = max(len(run.curves.time) for run in self.runs)
        if most <= MOST:
            return facts
        count = f"{most} samples" if self.one else f"up to {most} samples"
        words = (
            f"There are {count}. Charts and their csv have about {MOST} points of a curve over time: the lowest and "
            f"the highest of every interval, so that no peak is lost."
        )
        return joined([facts, tag("p", words, cls="note")])

    def _motion(self) -> Html:
        found = views_of(self.runs, self.numbers)
        self.motions += found.specs
        self.notes += [words if self.one else f"{label}: {words}" for label, words in found.missing]
        notes = [tag("p", note, cls="note") for note in found.notes]
        views = []
        for spec in found.specs:
            name = [] if self.one else [tag("div", spec["label"], cls="name")]
            canvas = tag("canvas", tabindex="0", role="img", aria_label=f"Motion of {spec['label']}")
            views.append(tag("div", *name, canvas, cls="view"))
        if not views:
            return joined(notes)
        return joined([tag("div", *views, cls="views"), self._controls(), *notes, tag("p", HELP, cls="note")])

    def _controls(self) -> Html:
        fields = [tag("option", field["name"], value=k) for k, field in enumerate(self.motions[0]["fields"])]
        scales = [tag("option", f"{x:g}×", value=x, selected=x == 1) for x in (0, 1, 2, 5, 10, 100, 1000)]
        slider = {"type": "range", "id": "slider", "min": 0, "max": 1000, "value": 0, "aria_label": "time"}
        parts = [
            tag("button", "Play", id="play", type="button"),
            Html(tag("input", **slider).removesuffix("</input>")),
            tag("output", "", id="clock", aria_live="off"),  # the slider shows the time
            tag("label", "speed ", tag("select", id="speed", title="seconds of the run per second")),
            tag(
                "label",
                "color ",
                tag("select", *fields, id="field"),
                hidden=not any(field["coloured"] for motion in self.motions for field in motion["fields"]),
            ),
        ]
        if larger := dict.fromkeys(motion["enlarged"] for motion in self.motions if motion["scalable"]):
            words = next(iter(larger)) if len(larger) == 1 else "displacements or deformations"
            parts.append(tag("label", f"{words} ", tag("select", *scales, id="scale")))
        return tag("div", *parts, tag("button", "Reset view", id="reset", type="button"), cls="controls")

    def _time(self) -> float:
        """Return the initial time: during contact, else the start."""
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
                out += [tag("p", f"Note: {words}.", cls="note") for words in tables.expectation_notes(run)]
        return joined(out)

    def _energy(self) -> Html:
        balanced = [run for run in self.runs if run.ledger is not None]
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
            cone = cone_picture(self.runs[0], name) if self.one else None
            out += [tag("h3", name), self._group([*charts, *friction_charts(self.sections, name)], also=cone or None)]
        hidden = len(self.sections.contact_names) - MOST_CONTACTS
        if hidden > 0:
            words = f"{counted(hidden, 'contact')} with smaller impulses {'is' if hidden == 1 else 'are'} not drawn."
            out.append(tag("p", words, cls="note"))
        return joined(out)

    def _joints(self) -> Html:
        names, charts = self.sections.joint_names, self.sections.joints()
        if not names:
            return Html("")
        own = [run for run in self.runs if any(f"joints.{name}.position_error" in run.curves for name in names)]
        parts = [tables.joint_table(own, names), self._group(charts[: 2 * MOST_CONTACTS])]
        words = f"The first {2 * MOST_CONTACTS} of {len(charts)} errors that are more than round-off are drawn."
        return joined([*parts, *([tag("p", words, cls="note")] if len(charts) > 2 * MOST_CONTACTS else [])])

    def _signals(self) -> Html:
        charts = self._group(self.sections.signal_charts())
        left = self.sections.left_out
        if not left:
            return charts
        words = f"{counted(left, 'more signal')} {'moves' if left == 1 else 'move'}; name those you want with --signal."
        return joined([charts, tag("p", words, cls="note")])

    def _portraits(self) -> Html:
        return joined([self._group(self.sections.portraits(), "three"), _left(self.sections.pairs)])

    def _spectra(self) -> Html:
        charts = self._group(self.sections.spectra(), "three")
        if not charts:
            return charts
        words = (
            "Amplitudes with a Hann window, without the mean, cut off below a millionth of the peak. Shown up to "
            "where they fall below a thousandth of it; a double click shows all, log f on a logarithmic axis."
        )
        return joined([tag("p", words, cls="note"), charts, _left(self.sections.spectrum_names)])

    def _distance(self) -> Html:
        if self.exact is None:
            return Html("")
        words = f"Exact solution '{self.exact.name}': {self.exact.source}. It is the dashed curve in the charts above. "
        words += "Where curves jump, a jump that is one step late causes a distance equal to the jump."
        return joined([tag("p", words), tables.distance_table(self.runs, self.exact)])

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
            *([_legend(chart)] if isinstance(chart, Chart) and (len(chart.curves) > 1 or not self.one) else []),
            tag("button", "csv", cls="small csv", type="button", title="Save the numbers of this chart"),
            *([_log_switch()] if isinstance(chart, Chart) and chart.logarithmic else []),
            tag("div", cls="plot"),
            data_chart=len(self.charts) - 1,
            cls="wide" if isinstance(chart, Chart) and chart.low else None,
        )


def _left(names: Sequence[Any]) -> Html:
    """Return how many of the names are drawn, empty if all are."""
    words = f"The first {MOST_PORTRAITS} of {len(names)} are drawn; name others with --signal."
    return tag("p", words, cls="note") if len(names) > MOST_PORTRAITS else Html("")


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
