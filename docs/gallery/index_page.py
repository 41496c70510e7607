"""The first page of a gallery: small pictures in groups."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Exhibit:
    """One page of a gallery.

    Parameters
    ----------
    name : str
        Name of the source file and of the page.
    title : str
    group : str
    text : str
        The page in Markdown.
    thumb : str
        Path of the picture on the index, relative to the folder of the gallery; empty without a picture.
    ok : bool
        Whether all went as it should.
    """

    name: str
    title: str
    group: str
    text: str
    thumb: str
    ok: bool


def grouped(exhibits: Sequence[Exhibit], order: Sequence[str]) -> dict[str, list[Exhibit]]:
    """Return the exhibits by group, groups in the given order and unknown ones last."""
    groups = [*order, *sorted({one.group for one in exhibits} - set(order))]
    found = {group: [one for one in exhibits if one.group == group] for group in groups}
    return {group: members for group, members in found.items() if members}


def index_page(title: str, words: str, groups: dict[str, list[Exhibit]]) -> str:
    """Return the index in Markdown."""
    parts = [f"# {title}", words]
    for group, members in groups.items():
        parts += [f"## {group.capitalize()}", '<div class="gallery">\n' + "\n".join(map(_card, members)) + "\n</div>"]
    return "\n\n".join(parts) + "\n"


def _card(one: Exhibit) -> str:
    title = html.escape(one.title or one.name)
    picture = f'<img src="{one.thumb}" alt="" loading="lazy">' if one.thumb else '<span class="none">no picture</span>'
    failed = "" if one.ok else '<strong class="failed">failed</strong> '
    words = f"<span>{failed}{title}</span><code>{html.escape(one.name)}</code>"
    return f'<a class="card" href="{one.name}.html">{picture}{words}</a>'
