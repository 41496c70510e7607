"""HTML from Python: every text is escaped unless it was created here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any


class Html(str):
    """Text that is already HTML."""

    __slots__ = ()


def tag(name: str, *inner: str, **attributes: Any) -> Html:
    """Return an element; plain texts in it are escaped.

    Parameters
    ----------
    name : str
    inner : str
        Texts and elements.
    attributes : Any
        ``cls`` stands for class; ``_`` becomes ``-``; True gives an attribute without value, None and False none.
    """
    words = ""
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        key = "class" if key == "cls" else key.replace("_", "-")
        words += f" {key}" if value is True else f' {key}="{escape(str(value))}"'
    return Html(f"<{name}{words}>{joined(inner)}</{name}>")


def joined(parts: Iterable[str]) -> Html:
    """Return texts and elements joined in sequence."""
    return Html("".join(part if isinstance(part, Html) else escape(part) for part in parts))


def with_code(text: str) -> Html:
    """Return text in which parts between two backticks are code."""
    parts = text.split("`")
    if len(parts) % 2 == 0:  # the last backtick is unpaired
        parts[-2:] = ["`".join(parts[-2:])]
    return joined(tag("code", part) if k % 2 else part for k, part in enumerate(parts))


def table(head: Sequence[str], rows: Sequence[Sequence[str]], numeric: Sequence[int] = (), last: bool = False) -> Html:
    """Return a table with a button that copies it.

    Parameters
    ----------
    head : sequence of str
        Column headings; if the first one is empty, the first column contains row headings.
    rows : sequence of sequences of str
    numeric : sequence of int
        Columns to be set flush right.
    last : bool
        Whether the last row is a sum.
    """
    named = not head or (not head[0] and not isinstance(rows[0][0], Html))

    def cell(kind: str, k: int, words: str) -> Html:
        return tag(kind, words, cls="number" if k in numeric else None)

    body = [
        tag(
            "tr",
            *(cell("th" if named and k == 0 else "td", k, words) for k, words in enumerate(row)),
            cls="sum" if last and row is rows[-1] else None,
        )
        for row in rows
    ]
    top = [tag("thead", tag("tr", *(cell("th", k, words) for k, words in enumerate(head))))] if head else []
    inner = tag("table", *top, tag("tbody", *body))
    return tag("div", COPY, tag("div", inner, cls="scroll"), cls="table")


def code(text: str) -> Html:
    """Return text to be copied, unchanged."""
    return tag("div", COPY, tag("pre", text), cls="code")


COPY = tag("button", "copy", cls="small copy", type="button")
"""Copies the adjacent table or text."""
