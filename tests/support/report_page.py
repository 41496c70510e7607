"""A report taken apart, for tests."""

from __future__ import annotations

import base64
import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np


class Page(HTMLParser):
    """Tags, visible text, tables, and the numbers behind the charts."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.source = path.read_text(encoding="utf-8")
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text = ""
        self.scripts: dict[str | None, str] = {}
        self.rows: list[list[str]] = []
        self._script: str | None = None
        self.feed(self.source)
        self.data = json.loads(self.scripts["page"])
        self._bytes = base64.b64decode(self.scripts.get("numbers", ""))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "link", "input", "img"):
            self.open.append(tag)
        if tag == "script":
            self._script = dict(attrs).get("id")
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag  # well formed

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "script":
            self.scripts[self._script] = self.scripts.get(self._script, "") + data
        elif "style" not in self.open:
            self.text += data
            if {"td", "th"} & set(self.open):
                self.rows[-1][-1] += data

    def row(self, first: str) -> list[str]:
        return next(row for row in self.rows if row and row[0] == first)

    def numbers(self, k: int) -> np.ndarray:
        kind, first, count, base, factor = self.data["numbers"][k]
        return base + factor * np.frombuffer(self._bytes, "<" + kind, count, first).astype(float)

    def chart(self, title: str, nth: int = 0) -> dict[str, Any]:
        return [chart for chart in self.data["charts"] if chart["title"] == title][nth]

    def curve(self, title: str, label: str, nth: int = 0) -> tuple[np.ndarray, np.ndarray]:
        curve = next(c for c in self.chart(title, nth)["curves"] if c["label"] == label)
        return self.numbers(curve["x"]), self.numbers(curve["y"])
