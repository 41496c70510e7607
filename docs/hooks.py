"""Hooks of MkDocs: pages of the galleries and of the API reference, formulas.

``FLEXMB_GALLERY=two_bars,theta_limits mkdocs serve`` makes only the pages of the named cases and studies,
``FLEXMB_GALLERY=none`` none of them.
"""

from __future__ import annotations

import html
import logging
import os
import warnings
from pathlib import Path
from typing import Any

from api_page import api_page
from formulas import with_formulas
from gallery.galleries import GALLERIES, Built, build
from mkdocs.exceptions import BuildError
from mkdocs.structure.files import File, Files

from flexmb.errors import RunWarning

LOG = logging.getLogger("mkdocs.hooks.gallery")
BUILT: list[Built] = []
NONE = "none"
"""Makes no page."""


def on_config(config: Any) -> Any:
    """Make the galleries; each takes the place of its index in the navigation."""
    only = asked_for(os.environ.get("FLEXMB_GALLERY", ""))
    shelf = Path(config.site_dir).parent / "gallery"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RunWarning)  # notes of a run are on its page
        BUILT[:] = [build(gallery, shelf, LOG.info, only) for gallery in GALLERIES]
    config.nav = [_with_pages(entry) for entry in config.nav]
    return config


def asked_for(words: str) -> list[str]:
    """Return the names of cases and studies in ``FLEXMB_GALLERY``; none of them means all."""
    names = [name for name in words.split(",") if name]
    known = [name for gallery in GALLERIES for name in gallery.sources()]
    if unknown := [name for name in names if name not in (*known, NONE)]:
        raise BuildError(f"FLEXMB_GALLERY: there is no {', '.join(unknown)}; known: {NONE}, {', '.join(known)}")
    return names


def _with_pages(entry: Any) -> Any:
    """Return an entry of the navigation, with its pages when it is the index of a gallery."""
    for built in BUILT:
        index = f"{built.gallery.name}/index.md"
        if isinstance(entry, dict) and list(entry.values()) == [index]:
            own = [
                {group.capitalize(): [{html.escape(one.title or one.name): built.place(one)} for one in members]}
                for group, members in built.groups.items()
            ]
            return {title: [index, *own] for title in entry}
    if isinstance(entry, dict):
        return {
            title: [_with_pages(one) for one in inner] if isinstance(inner, list) else inner
            for title, inner in entry.items()
        }
    return entry


def on_files(files: Files, config: Any) -> Files:
    """Add the pages of the galleries with their files, and the API reference."""
    files.append(File.generated(config, "api.md", content=api_page()))
    for built in BUILT:
        for place, text in built.pages.items():
            files.append(File.generated(config, place, content=text))
        for place, path in built.files.items():
            if not place.endswith(".json"):
                files.append(File.generated(config, place, abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Any, **given: Any) -> str:
    """Set the titles of gallery pages as metadata, too: the theme unescapes others in the head of a page."""
    if page.file.src_uri in {place for built in BUILT for place in map(built.place, built.exhibits)}:
        page.meta["title"] = page.title
    return markdown


def on_page_content(text: str, page: Any, **given: Any) -> str:
    """Turn the formulas of a page into MathML."""
    try:
        return with_formulas(text)
    except ValueError as err:
        raise BuildError(f"{page.file.src_path}: {err}") from err


def on_post_build(config: Any) -> None:
    """Report the cases and studies that failed, after the site has been written."""
    if failed := [name for built in BUILT for name in built.failed]:
        raise BuildError(f"failed: {', '.join(failed)} (see their pages in {config.site_dir})")
