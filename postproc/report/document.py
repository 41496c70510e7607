"""A self-contained page: style and scripts are included, and the browser refuses external resources."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files

from flexmb.postproc.report.html import Html, joined, tag
from flexmb.record.io.run_folder import REPORT_MARK

POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"
"""Content security policy: the browser blocks all external resources."""


class Outline:
    """Sections of a page, and the links to them at the top."""

    def __init__(self) -> None:
        self._titles: list[tuple[str, str]] = []

    def section(self, title: str, name: str, inner: Html) -> Html:
        """Return a section with its title; empty without content.

        Parameters
        ----------
        title, name : str
            The name is the target of links.
        inner : Html
        """
        if not inner:
            return Html("")
        self._titles.append((title, name))
        return tag("section", tag("h2", title), inner, id=name)

    def links(self) -> Html:
        """Return links to all sections made so far."""
        return tag("nav", *(tag("a", title, href=f"#{name}") for title, name in self._titles))


def document(title: str, content: Html, scripts: Sequence[str], data: Sequence[Html] = ()) -> str:
    """Return the whole file.

    Parameters
    ----------
    title : str
    content : Html
        Visible content.
    scripts : sequence of str
        Names of script files among the assets, run in this order.
    data : sequence of Html
        Elements the scripts read, put before them.
    """
    assets = files("flexmb.postproc.report") / "assets"
    script = "\n".join((assets / name).read_text(encoding="utf-8") for name in scripts)
    head = joined(
        [
            Html('<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'),
            Html(f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'),
            Html(REPORT_MARK),
            Html('<link rel="icon" href="data:,">'),
            tag("title", title),
            tag("style", Html((assets / "report.css").read_text(encoding="utf-8"))),
        ]
    )
    body = tag("body", content, *data, tag("script", Html(script)))
    return f"<!DOCTYPE html>\n{tag('html', tag('head', head), body, lang='en')}\n"
