"""Pictures of a rotor in a report: orbits, spectrum, waterfall, forces, as ``flexmb plot`` draws them."""

from __future__ import annotations

import base64
import io
import textwrap
from typing import TYPE_CHECKING

from flexmb.errors import InputError
from flexmb.postproc.open_folder import Opened
from flexmb.postproc.report.html import Html, joined, tag

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DPI = 110
WIDE, HALF = 8.0, 4.9
"""Pictures wider than this go over the whole page; the others are drawn so wide, inches."""


def rotor_pictures(opened: Opened) -> Html:
    """Return the pictures that the result has the signals for, nothing without a rotor."""
    if all(body.get("kind") != "rotor" for body in opened.case.get("bodies", {}).values()):
        return Html("")
    from flexmb.postproc.orbit_plot import plot_orbits
    from flexmb.postproc.rotor_forces_plot import plot_rotor_forces
    from flexmb.postproc.rotor_spectrum_plot import plot_spectrum, plot_waterfall

    kinds = {
        "Orbits across the axis": plot_orbits,
        "Spectrum, backward and forward": plot_spectrum,
        "Spectrum over time": plot_waterfall,
        "Forces on bearings and in contacts": plot_rotor_forces,
    }
    pictures, missing = [], []
    for words, plot in kinds.items():
        try:
            figure = plot(opened)
        except InputError as err:  # a node across the axis was not recorded, or too few samples
            missing.append(tag("p", f"{words}: {err.message}", cls="note"))
            continue
        wide = figure.get_figwidth() > WIDE
        if not wide:  # half a page, with letters of the same size
            figure.set_size_inches(HALF, figure.get_figheight() * (HALF / figure.get_figwidth()) ** 0.5)
            _break_titles(figure)
        held = io.BytesIO()
        figure.savefig(held, format="png", dpi=DPI)
        source = "data:image/png;base64," + base64.b64encode(held.getvalue()).decode("ascii")
        image = Html(f'<img src="{source}" alt="{words}">')
        pictures.append(tag("figure", tag("figcaption", words), image, cls="picture wide" if wide else "picture"))
    return joined([tag("div", *pictures, cls="grid"), *missing])


def _break_titles(figure: Figure) -> None:
    """Break titles into lines where the figure, narrower than it was made for, would cut them."""
    from matplotlib.text import Text

    figure.draw_without_rendering()
    for text in figure.findobj(Text):
        assert isinstance(text, Text)
        box, words = text.get_window_extent(), text.get_text()
        room, longest = figure.bbox.width - box.x0, max(map(len, words.split("\n")))
        if " " in words and not text.get_rotation() and 0.0 < room < box.width:
            text.set_text(textwrap.fill(words, int(0.95 * longest * room / box.width)))
