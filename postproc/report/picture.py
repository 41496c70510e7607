"""Figures as pictures within a page."""

from __future__ import annotations

import base64
import io
import textwrap
from html import escape
from typing import TYPE_CHECKING

from flexmb.postproc.report.html import Html, tag

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DPI = 110
WIDE, HALF = 8.0, 4.9
"""Figures wider than this span the whole page; the others are drawn at this width, inches."""


def picture(figure: Figure, words: str) -> Html:
    """Return a figure with a caption; narrow ones have half the page width, with text of the same size."""
    wide = figure.get_figwidth() > WIDE
    if not wide:
        figure.set_size_inches(HALF, figure.get_figheight() * (HALF / figure.get_figwidth()) ** 0.5)
        _break_titles(figure)
    held = io.BytesIO()
    figure.savefig(held, format="png", dpi=DPI)
    source = "data:image/png;base64," + base64.b64encode(held.getvalue()).decode("ascii")
    caption = tag("figcaption", words)
    image = Html(f'<img src="{source}" alt="{escape(words)}">')
    return tag("figure", caption, image, cls="picture wide" if wide else "picture")


def _break_titles(figure: Figure) -> None:
    """Break titles into lines where the figure, narrower than designed, would cut them."""
    from matplotlib.text import Text

    figure.draw_without_rendering()
    for text in figure.findobj(Text):
        assert isinstance(text, Text)
        box, words = text.get_window_extent(), text.get_text()
        room, longest = figure.bbox.width - box.x0, max(map(len, words.split("\n")))
        if " " in words and not text.get_rotation() and 0.0 < room < box.width:
            text.set_text(textwrap.fill(words, int(0.95 * longest * room / box.width)))
