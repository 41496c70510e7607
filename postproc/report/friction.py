"""Charts of contacts with friction: friction force, slip, work, the strip of stick and slip, and the friction cone."""

from __future__ import annotations

import numpy as np

from flexmb.errors import InputError
from flexmb.postproc.arrays import Array
from flexmb.postproc.contact_status import COLOURS, has_friction, has_status, status_counts, status_table
from flexmb.postproc.plots import friction_curve, slip_curve
from flexmb.postproc.report.charts import Chart, Curve
from flexmb.postproc.report.html import Html
from flexmb.postproc.report.picture import picture
from flexmb.postproc.report.runs import Run
from flexmb.postproc.report.sections import TIME, Sections

STACK = ("slip", "stick", "open")
"""Contact states in the strip, from bottom to top."""


def friction_charts(sections: Sections, name: str) -> list[Chart]:
    """Return the charts of a contact with friction: force, slip, work, and a strip for each run."""
    rough = [run for run in sections.runs if name in run.result.contacts and has_status(run.result.contacts[name])]
    if not rough:
        return []

    def work(run: Run) -> Array | None:
        own = run.result.contacts[name].work_friction if run in rough else None
        return own if own is None or own.ndim == 1 else np.asarray(own.sum(axis=1))

    return [
        *_along_tangents(sections, name),
        *(_strip(run, name, len(rough) > 1) for run in rough),
        sections.over_time("", "Work of friction since the start", work, "work [J]"),
    ]


def _along_tangents(sections: Sections, name: str) -> list[Chart]:
    """Return friction force and slip; none if no run has recorded them."""
    sliding = [run for run in sections.runs if slides_in(run, name)]
    if not sliding:
        return []
    contact = sliding[0].result.contacts[name]
    force, slip = friction_curve(sliding[0].result, contact)[1], slip_curve(contact)[1]

    def friction(run: Run) -> Array | None:
        return friction_curve(run.result, run.result.contacts[name])[0] if run in sliding else None

    def slipping(run: Run) -> Array | None:
        return slip_curve(run.result.contacts[name])[0] if run in sliding else None

    bounded = "Impulse over the time since the previous sample; at most μ times the normal force."
    return [
        sections.over_time("", force.capitalize(), friction, "force [N]", bounded),
        sections.over_time("", slip.capitalize(), slipping, "velocity [m/s]"),
    ]


def slides_in(run: Run, name: str) -> bool:
    """Return whether a contact has tangents in a run."""
    return name in run.result.contacts and has_friction(run.result.contacts[name])


def _strip(run: Run, name: str, labelled: bool) -> Chart:
    """Return the numbers of slipping, sticking and open contacts of a group; for one contact this is a strip."""
    status = status_table(run.result.contacts[name])
    x, counts = status_counts(run.curves.time, status)
    low, curves = np.zeros(len(x)), []
    for word in STACK:
        high = low + counts[word]
        curves.append(Curve(word, x, high, COLOURS[word], low=low))
        low = high
    many = status.shape[1]
    title = f"Open, stick, slip{f' ({many} contacts)' if many > 1 else ''}{f': {run.label}' if labelled else ''}"
    return Chart(title, TIME, "contacts" if many > 1 else "", curves, low=True)


def cone_picture(run: Run, name: str) -> Html:
    """Return the friction cone of a contact as a picture; none if it has no friction or never closes."""
    from flexmb.postproc.cone_plot import plot_cone

    if not slides_in(run, name):
        return Html("")
    try:
        figure = plot_cone(run.result, name)
    except InputError:  # it is open throughout
        return Html("")
    figure.suptitle("")  # stated in the caption
    return picture(figure, f"Friction cone of {name}")
