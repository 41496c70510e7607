"""The documentation site: navigation, links that lead somewhere, formulas, nothing cut off, nothing from outside."""

from __future__ import annotations

import dataclasses
import html
import html.parser
import importlib.util
import json
import os
import re
import subprocess
import sys
import types
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from browser import browser, requests_of, require_browser
from missing import missing

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
sys.path.insert(0, str(DOCS))

from gallery import galleries  # noqa: E402
from gallery.case_page import section_of  # noqa: E402
from gallery.index_page import Exhibit  # noqa: E402

from flexmb.case import shipped_cases  # noqa: E402

PAGES = sorted(DOCS.glob("*.md"))
QUICK = "bouncing_ball"
ADDED = {
    "flexmb/schemes/symplectic_euler.py",
    *("flexmb/fem/string.py", "flexmb/parts/bodies/string.py", "flexmb/parts/contacts/slot.py"),
}
"""Files that the walk-throughs add."""
RAW = re.compile(r"\\[(\[]|\$|\b[A-Za-z]{1,3}_(?:\{|(?:[a-z0-9]{1,2}|inf)\b)|\^[\w({-]|[<>]=|\bsqrt\b|\bperp\b")
"""What a formula that was not typeset looks like."""
NOT_PROSE = re.compile(r"<(pre|code|math|script|style)\b.*?</\1>", re.S)
CUT = """
  return [...document.querySelectorAll(".md-typeset pre > code, .formula, .md-typeset__scrollwrap, .md-typeset p")]
  .filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.innerText.slice(0, 60))"""
"""The beginnings of what is wider than its place."""


def in_navigation() -> list[str]:
    text = (ROOT / "mkdocs.yml").read_text()
    return re.findall(r":\s+([\w/]+\.md)$", text.partition("\nnav:\n")[2], re.M)


def made_pages() -> set[str]:
    """Return the places of the pages that are made, not written."""
    made = {f"{gallery.name}/{name}.md" for gallery in galleries.GALLERIES for name in ("index", *gallery.sources())}
    return {*made, "api.md"}


def test_every_page_is_in_the_navigation_once() -> None:
    nav = in_navigation()
    made = {"api.md", *(f"{gallery.name}/index.md" for gallery in galleries.GALLERIES)}
    assert sorted(nav) == sorted({*(page.name for page in PAGES), *made})


def anchors(page: str) -> set[str]:
    """Return the anchors of the headings of a page, as MkDocs makes them."""
    plain = re.sub(r"```.*?```", "", page, flags=re.S)
    words = [re.sub(r"[^\w\s-]", "", heading).strip().lower() for heading in re.findall(r"^#+ (.*)$", plain, re.M)]
    return {re.sub(r"[-\s]+", "-", word) for word in words}


OTHERS = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "benchmarks/README.md")]


@pytest.mark.parametrize("page", [*PAGES, *OTHERS], ids=lambda page: str(page.relative_to(ROOT)))
def test_links_anchors_and_images_lead_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.S)
    for target in re.findall(r"\]\(([^)]+)\)", text):
        if target.startswith(("http:", "https:")):
            continue
        path, _, anchor = target.partition("#")
        if path in made_pages():
            continue
        there = page.parent / path if path else page
        assert there.exists(), target
        assert not anchor or anchor in anchors(there.read_text()), target
    for named in re.findall(r"`((?:tests|flexmb|docs|benchmarks|cases|meshes|postproc)/[\w/]+\.\w+)`", text):
        assert named in ADDED or (ROOT / named).exists(), named


def test_sections_of_the_cases_have_their_links_from_the_gallery() -> None:
    for name in shipped_cases():
        for target in re.findall(r"\]\(([^)]+)\)", section_of(name)):
            path = target.partition("#")[0]
            assert (DOCS / "gallery" / path).resolve().exists(), (name, target)
    assert section_of("no_such_case") == ""


def hooks_of_the_site() -> types.ModuleType:
    """Return docs/hooks.py; skip where the site cannot be built."""
    for name in ("mkdocs", "mkdocstrings", "latex2mathml"):
        if importlib.util.find_spec(name) is None:
            missing(f"no {name} here (pip install .[docs])")
    import hooks

    return hooks


def test_a_gallery_takes_the_place_of_its_index_wherever_it_stands_in_the_navigation() -> None:
    hooks = hooks_of_the_site()
    one = Exhibit("a", "A", "energy", "", "", True)
    try:
        hooks.BUILT[:] = [galleries.Built(galleries.STUDIES, {"energy": [one]}, {})]
        found = hooks._with_pages({"Studies": [{"How": "studies.md"}, {"Gallery": "study_gallery/index.md"}]})
    finally:
        hooks.BUILT.clear()
    inner = ["study_gallery/index.md", {"Energy": [{"A": "study_gallery/a.md"}]}]
    assert found == {"Studies": [{"How": "studies.md"}, {"Gallery": inner}]}


class Resources(html.parser.HTMLParser):
    """What a page loads, and where it leads."""

    def __init__(self) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.leads: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {key: value or "" for key, value in attrs}
        if tag in ("script", "img", "iframe", "source", "video") and "src" in found:
            self.loads.append(found["src"])
        if tag == "link" and found.get("rel") not in ("prev", "next", "canonical"):
            self.loads.append(found.get("href", ""))
        if tag == "a":
            self.leads.append(found.get("href", ""))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the site with a gallery of one case."""
    command = Path(sys.executable).with_name("mkdocs")
    if not command.exists() or importlib.util.find_spec("latex2mathml") is None:
        missing("no mkdocs or no latex2mathml here (pip install .[docs])")
    folder = tmp_path_factory.mktemp("docs") / "site"
    env = {**os.environ, "FLEXMB_GALLERY": QUICK, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(
        [command, "build", "--strict", "--site-dir", folder], cwd=ROOT, env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return folder


def test_the_site_is_whole_and_asks_for_nothing_from_outside(site: Path) -> None:
    pages = sorted(site.rglob("*.html"))
    assert len(pages) >= len(PAGES) + 3
    for page in pages:
        if page.name == "404.html":  # its links are those of a server's root
            continue
        found = Resources()
        found.feed(page.read_text(encoding="utf-8"))
        for target in [*found.loads, *found.leads]:
            parts = urlsplit(target)
            if target in found.loads:
                assert parts.scheme in ("", "data"), (page.name, target)
                assert not parts.netloc, (page.name, target)
            if parts.scheme or not parts.path:
                continue
            there = (page.parent / unquote(parts.path)).resolve()
            known = there.exists() or (there.parent.name == "gallery" and there.stem in shipped_cases())
            assert known, (page.name, target)
        text = NOT_PROSE.sub("", page.read_text(encoding="utf-8"))
        slanted = re.findall(r"<em>(.*?)</em>", text, re.S)
        # an underscore of a formula that begins or ends emphasis
        assert not [words for words in slanted if re.search(r"[_^{}]", words)], page.name
    styles = [path.read_text() for path in site.rglob("*.css")]
    assert not [url for text in styles for url in re.findall(r"(?:url\(|@import )[\"']?(https?:[^)\"']+)", text)]


def formulas_of(source: str) -> int:
    """Return how many formulas a page in Markdown has."""
    prose = re.sub(r"```.*?```|`[^`\n]+`", "", source, flags=re.S)
    alone = prose.count("$$")
    assert alone % 2 == 0
    return alone // 2 + len(re.findall(r"\$[^$]+\$", prose.replace("$$", "")))


def test_formulas_are_mathml_and_none_is_left_as_typed(site: Path) -> None:
    docstrings = site / "api.html"  # plain text, as in the code
    for page in sorted({*site.glob("*.html"), *site.glob("*gallery/*.html")} - {docstrings}):
        (article,) = re.findall(r"<article.*</article>", page.read_text(encoding="utf-8"), re.S) or [""]
        prose = html.unescape(re.sub(r"<[^>]+>", "", NOT_PROSE.sub(" ", article)))
        left = [prose[max(0, found.start() - 30) : found.end() + 30] for found in RAW.finditer(prose)]
        assert not left, (page.name, left)
        assert "arithmatex" not in article, page.name
        if (source := DOCS / f"{page.stem}.md").is_file() and page.parent == site:
            assert article.count("<math ") == formulas_of(source.read_text()), page.name
    for name in ("schemes", "energy", "multibody", "rotors", "rotor_runs", "rotating_beams", "symbols"):
        assert (site / f"{name}.html").read_text(encoding="utf-8").count("<math ") >= 10, name


def test_nothing_is_cut_off_in_a_window_of_1280_pixels(site: Path, tmp_path: Path) -> None:
    require_browser()
    with browser(tmp_path, (1280, 1000)) as chrome:
        for page in sorted([*site.glob("*.html"), site / "gallery" / f"{QUICK}.html"]):
            chrome.get(page.as_uri())
            assert chrome.execute_script(CUT) == [], page.name
        chrome.get((site / "schemes.html").as_uri())
        high = chrome.execute_script("return [...document.querySelectorAll('mfrac')].map(e => e.clientHeight)")
        assert len(high) > 3
        assert min(high) > 12  # a browser that does not know MathML would show them in a line


def test_the_site_works_from_disk_in_a_browser(site: Path, tmp_path: Path) -> None:
    require_browser()
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.ui import WebDriverWait

    with browser(tmp_path, (1300, 1000)) as chrome:
        chrome.get((site / "gallery" / f"{QUICK}.html").as_uri())
        loaded: Any = chrome.execute_script("return [...document.images].map(i => i.naturalWidth)")
        assert len(loaded) >= 3
        assert min(loaded) > 100
        box = chrome.find_element(By.CSS_SELECTOR, "input.md-search__input")
        box.click()
        box.send_keys("restitution")
        wait = WebDriverWait(chrome, 30)
        wait.until(lambda c: "matching" in c.find_element(By.CSS_SELECTOR, ".md-search-result__meta").text)
        assert [entry for entry in chrome.get_log("browser") if entry["level"] == "SEVERE"] == []
        asked = [url for url in requests_of(chrome) if not url.startswith(("file:", "data:", "chrome:"))]
        assert asked == []


def test_a_gallery_of_what_is_not_there_is_an_error_that_names_what_is() -> None:
    hooks = hooks_of_the_site()
    assert hooks.asked_for("") == []
    assert hooks.asked_for("none") == ["none"]
    assert hooks.asked_for("two_bars,theta_limits") == ["two_bars", "theta_limits"]
    with pytest.raises(hooks.BuildError, match="two_barz.*two_bars, .*theta_limits"):
        hooks.asked_for("two_bars,two_barz")


class Tags(html.parser.HTMLParser):
    """The elements of a page, and the words of some."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.words: dict[str, str] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append(tag)

    def handle_data(self, data: str) -> None:
        if self.found:
            self.words.setdefault(self.found[-1], data)


def test_titles_of_cases_are_no_markup_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hooks_of_the_site()
    from mkdocs.commands.build import build
    from mkdocs.config import load_config
    from mkdocs.exceptions import Abort

    title = "</title><evil>R & D</evil>"

    def make(source: Path, folder: Path) -> bool:
        facts = {"name": source.stem, "title": title, "group": "bars", "error": "not run"}
        (folder / "facts.json").write_text(json.dumps(facts))
        return False

    source = tmp_path / "one.toml"
    source.write_text("")
    alone = dataclasses.replace(galleries.CASES, sources=lambda: {"one": source}, make=make)
    monkeypatch.setattr(galleries, "GALLERIES", (alone,))
    monkeypatch.delenv("FLEXMB_GALLERY", raising=False)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text("# Start\n")
    nav = [{"Start": "index.md"}, {"Gallery": "gallery/index.md"}]
    settings = {"site_name": "s", "use_directory_urls": False, "plugins": ["search"], "nav": nav}
    settings |= {"theme": {"name": "material", "font": False}, "hooks": [str(DOCS / "hooks.py")]}
    (tmp_path / "mkdocs.yml").write_text(json.dumps(settings))  # which is YAML, too
    config = load_config(str(tmp_path / "mkdocs.yml"))
    with pytest.raises(Abort):  # since the case failed; the pages are there
        build(config)
    for name in ("index.html", "gallery/index.html", "gallery/one.html"):
        text = (tmp_path / "site" / name).read_text(encoding="utf-8")
        page = Tags()
        page.feed(text)
        assert "evil" not in page.found, name
        assert html.escape(title, quote=False) in text, name
        assert "&amp;amp;" not in text, name
    assert page.words["title"] == f"{title} - s"
    entries = json.loads((tmp_path / "site" / "search" / "search_index.json").read_text())["docs"]
    assert entries
    assert not [entry for entry in entries if "<evil>" in entry["title"]]


def test_a_failed_case_makes_the_build_fail_after_the_site_is_there(tmp_path: Path) -> None:
    hooks = hooks_of_the_site()
    good, bad = (Exhibit(name, name, "bars", "", "", name == "good") for name in ("good", "bad"))
    config = types.SimpleNamespace(site_dir=str(tmp_path))
    try:
        hooks.BUILT[:] = [galleries.Built(galleries.CASES, {"bars": [good]}, {})]
        hooks.on_post_build(config)
        hooks.BUILT[:] = [galleries.Built(galleries.CASES, {"bars": [good, bad]}, {})]
        with pytest.raises(hooks.BuildError, match="failed: bad "):  # which mkdocs turns into the exit code 1
            hooks.on_post_build(config)
    finally:
        hooks.BUILT.clear()
