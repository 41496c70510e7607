"""The documentation site: complete navigation, links that lead somewhere, pages made of cases, nothing from outside."""

from __future__ import annotations

import dataclasses
import html.parser
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

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
sys.path.insert(0, str(DOCS))

from gallery import galleries  # noqa: E402
from gallery.case_page import case_page, plain_words, section_of  # noqa: E402
from gallery.case_run import group_of  # noqa: E402
from gallery.index_page import Exhibit  # noqa: E402
from gallery.shelf import Shelf  # noqa: E402
from gallery.study_page import WORDS, words_of  # noqa: E402
from gallery.study_run import cases_of, group_of_study  # noqa: E402

from flexmb import load_study  # noqa: E402
from flexmb.case import load_case, shipped_cases  # noqa: E402
from flexmb.case.shipped import shipped_studies  # noqa: E402

PAGES = sorted(DOCS.glob("*.md"))
QUICK = "bouncing_ball"
ADDED = {
    *("flexmb/schemes/moreau_midpoint.py", "flexmb/kernels/step_midpoint.py"),
    *("flexmb/fem/string.py", "flexmb/bodies/string.py", "flexmb/contacts/slot.py"),
}
"""Files that the walk-throughs add."""
CHANGED = ("restitution = 0.5", "restitution = 0.4")
TINY = """
title = "Two | steps"
description = "Nothing *much*."
case = "bouncing_ball"
ledger = true

[set]
"time.end" = 0.5

[[axis]]
name = "steps"
key = "time.steps"
values = [11, 13]

[[measure]]
name = "h"
signal = "summary.h"

[[figure]]
name = "balance"
kind = "lines"
x = "steps"
y = ["final"]
caption = "No impact yet."

[[expect]]
measure = "final"
reduce = "max"
value = 2.0
rtol = 1e-9
source = "free fall from 1 m | 2 m/s^2"
"""


def in_navigation() -> list[str]:
    text = (ROOT / "mkdocs.yml").read_text()
    return re.findall(r":\s+([\w/]+\.md)$", text.partition("\nnav:\n")[2], re.M)


def made_pages() -> set[str]:
    """Return the places of the pages that are made, not written."""
    return {f"{gallery.name}/{name}.md" for gallery in galleries.GALLERIES for name in ("index", *gallery.sources())}


def test_every_page_is_in_the_navigation_once() -> None:
    nav = in_navigation()
    made = {f"{gallery.name}/index.md" for gallery in galleries.GALLERIES}
    assert sorted(nav) == sorted({*(page.name for page in PAGES), *made})


def anchors(page: str) -> set[str]:
    """Return the anchors of the headings of a page, as MkDocs makes them."""
    plain = re.sub(r"```.*?```", "", page, flags=re.S)
    words = [re.sub(r"[^\w\s-]", "", heading).strip().lower() for heading in re.findall(r"^#+ (.*)$", plain, re.M)]
    return {re.sub(r"[-\s]+", "-", word) for word in words}


@pytest.mark.parametrize("page", [*PAGES, ROOT / "README.md"], ids=lambda page: page.name)
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


def test_groups_of_the_cases() -> None:
    found = {name: group_of(load_case(name)) for name in shipped_cases()}
    assert set(found.values()) == set(galleries.CASES.groups)
    of_each = ("two_bars", "flying_beam", "chain_of_balls", "four_bar", "rotor_rub")
    assert tuple(found[name] for name in of_each) == galleries.CASES.groups
    assert found["stiff_rotor"] == "rotors"
    assert found["double_pendulum_wall"] == "mechanisms"


def test_a_page_is_made_once_and_kept(tmp_path: Path) -> None:
    said: list[str] = []
    built = galleries.build(galleries.CASES, tmp_path, said.append, [QUICK])
    (one,) = built.exhibits
    assert one.ok
    assert not built.failed
    assert said[0].startswith(f"gallery 1/1: {QUICK} ok")
    names = {place.rpartition("/")[2] for place in built.files}
    assert names >= {"view.png", "thumb.png", "signals.png", "energy.png", "report.html", f"{QUICK}.toml"}
    for place in re.findall(r"\]\((?!\.\./)([^)#]+)\)", one.text):
        assert f"gallery/{place}" in built.files, place
    case = load_case(QUICK)
    assert one.text.count("✓") == len(case.expects)
    assert all(expect.source[:20] in one.text.replace("\\", "") for expect in case.expects)
    assert case.file.read_text().rstrip() in one.text
    assert f"flexmb run {QUICK}" in one.text
    assert f'href="{QUICK}.html"' in built.pages["gallery/index.md"]
    again = galleries.build(galleries.CASES, tmp_path, said.append, [QUICK])
    assert said[1].endswith("(kept)")
    assert again.pages == built.pages


def gallery_of(tmp_path: Path, text: str) -> galleries.Built:
    """Return the gallery of one case with this text."""
    source = tmp_path / "cases" / "one.toml"
    source.parent.mkdir()
    source.write_text(text)
    alone = dataclasses.replace(galleries.CASES, sources=lambda: {"one": source})
    return galleries.build(alone, tmp_path / "shelf", lambda line: None)


def test_a_case_that_misses_an_expectation_is_shown_as_failed(tmp_path: Path) -> None:
    text = shipped_cases()[QUICK].read_text()
    assert CHANGED[0] in text
    built = gallery_of(tmp_path, text.replace(*CHANGED).replace("end = 4.0", "end = 3.5"))
    assert built.failed == ["one"]
    (one,) = built.exhibits
    assert "✗" in one.text
    assert re.search(r'!!! failure "\d of 9 expectations failed"', one.text)
    assert 'class="failed"' in built.pages["gallery/index.md"]


def test_a_case_that_cannot_be_run_has_a_page_that_says_why_and_is_tried_again(tmp_path: Path) -> None:
    built = gallery_of(tmp_path, 'title = "<b>wrong</b>"\n[time]\nend = 1.0\n')
    assert built.failed == ["one"]
    text = built.pages["gallery/one.md"]
    assert "The run failed" in text
    assert "\none.toml" in text  # not where it was built
    assert "scheme" in text
    assert not list((tmp_path / "shelf").rglob("made"))
    assert "no picture" in built.pages["gallery/index.md"]


def test_words_of_a_case_are_no_markup() -> None:
    assert plain_words("a < b <script> `x_y` *c* [d](e) q_1 |v|") == (
        "a &lt; b &lt;script&gt; `x_y` \\*c\\* \\[d\\](e) q\\_1 \\|v\\|"
    )
    facts = {"name": "n", "title": "<img src=x>", "group": "bars", "error": "broken", "description": "# no heading"}
    page = case_page(facts, 'x = "```"\n')
    assert "<img" not in page
    assert "\n# no heading" not in page
    assert "````toml" in page


def test_the_shelf_forgets_what_has_changed(tmp_path: Path) -> None:
    source, shelf = tmp_path / "a.toml", Shelf(tmp_path / "shelf")
    source.write_text("1")
    made = [shelf.get(source, lambda place: True) for _ in range(2)]
    assert [kept for _, kept in made] == [False, True]
    source.write_text("2")
    again, kept = shelf.get(source, lambda place: False)
    assert not kept
    assert not made[0][0].exists()
    assert shelf.get(source, lambda place: True)[1] is False  # it was not worth keeping
    shelf.clear_others([])
    assert not again.exists()


def test_a_study_has_a_page_with_figures_expectations_table_and_file(tmp_path: Path) -> None:
    source = tmp_path / "tiny.toml"
    source.write_text(TINY)
    gallery = dataclasses.replace(galleries.STUDIES, sources=lambda: {"tiny": source})
    said: list[str] = []
    built = galleries.build(gallery, tmp_path / "shelf", said.append)
    (one,) = built.exhibits
    assert one.ok
    assert one.title == "Two | steps"
    assert one.group == "energy"
    assert "meets its 1 expectation." in one.text
    assert "# Two \\| steps" in one.text
    assert "| max of final | = 2 (rtol 1e-09) | ✓&nbsp;2 | free fall from 1 m \\| 2 m/s^2 |" in one.text
    assert "<td>11</td>" in one.text
    assert "*No impact yet.*" in one.text
    assert "flexmb study tiny" in one.text
    assert TINY.strip() in one.text
    places = re.findall(r"\]\((?!\.\./)([^)#]+)\)", one.text)
    assert {place.rpartition("/")[2] for place in places} == {"balance.svg", "report.html", "table.csv", "tiny.toml"}
    for place in [*places, one.thumb]:
        assert built.files[f"study_gallery/{place}"].stat().st_size > 100, place
    galleries.build(gallery, tmp_path / "shelf", said.append)
    assert [line.rpartition(" (")[2] == "kept)" for line in said] == [False, True]


def test_a_study_that_fails_has_a_page_that_says_why(tmp_path: Path) -> None:
    source = tmp_path / "bad.toml"
    source.write_text(TINY.replace('case = "bouncing_ball"', 'case = "no_such_ball"'))
    built = galleries.build(
        dataclasses.replace(galleries.STUDIES, sources=lambda: {"bad": source}), tmp_path, lambda line: None
    )
    assert built.failed == ["bad"]
    assert "no_such_ball" in built.pages["study_gallery/bad.md"]


def test_what_is_kept_of_a_study_depends_on_its_cases(tmp_path: Path) -> None:
    names = {name: {path.stem for path in cases_of(path)} for name, path in shipped_studies().items()}
    assert names["orders_ball_oscillator"] == {"bouncing_ball", "impact_oscillator"}
    assert names["dissipation_bar"] == {"impacting_bar"}
    source, case = tmp_path / "a.toml", tmp_path / "case.toml"
    source.write_text("1")
    case.write_text("1")
    shelf = Shelf(tmp_path / "shelf", lambda path: [case])
    before = shelf.place(source)
    assert shelf.place(source) == before
    case.write_text("2")
    assert shelf.place(source) != before


def test_every_shipped_study_has_a_section_a_picture_and_a_command() -> None:
    text = WORDS.read_text()
    names = list(shipped_studies())
    assert sorted(re.findall(r"^## `(\w+)`$", text, re.M)) == sorted(names)
    for name in names:
        section = section_of(name, WORDS)
        assert f"](../images/shipped_{name}.png)" in section, name
        assert f"```\nflexmb study {name}\n```" in section, name
        for part in ("**Question.**", "**Varied.**", "**What came out", "**Source.**"):
            assert part in words_of(name), (name, part)
        assert re.search(rf"^\| `{name}` \|.*\| {load_study(name).count} \|$", text, re.M), name
        assert "![" not in words_of(name)
        assert "flexmb study" not in words_of(name)
        assert words_of(name).startswith("**Question.**")
        assert (DOCS / "images" / f"shipped_{name}.png").stat().st_size < 60_000, name
    assert {group_of_study(load_study(name).tables) for name in names} == set(galleries.STUDIES.groups)


def test_a_gallery_takes_the_place_of_its_index_wherever_it_stands_in_the_navigation() -> None:
    pytest.importorskip("mkdocs")
    import hooks

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
    if not command.exists():
        words = "no mkdocs here (pip install .[docs])"
        if os.environ.get("FLEXMB_CI"):
            pytest.fail(words)
        pytest.skip(words)
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
        text = re.sub(r"<(pre|code)\b.*?</\1>", "", page.read_text(encoding="utf-8"), flags=re.S)
        slanted = re.findall(r"<em>(.*?)</em>", text, re.S)
        # an underscore of a formula that begins or ends emphasis
        assert not [words for words in slanted if re.search(r"[_^{}]", words)], page.name
    styles = [path.read_text() for path in site.rglob("*.css")]
    assert not [url for text in styles for url in re.findall(r"(?:url\(|@import )[\"']?(https?:[^)\"']+)", text)]


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


def test_a_failed_case_makes_the_build_fail_after_the_site_is_there(tmp_path: Path) -> None:
    exceptions = pytest.importorskip("mkdocs.exceptions")
    import hooks

    good, bad = (Exhibit(name, name, "bars", "", "", name == "good") for name in ("good", "bad"))
    config = types.SimpleNamespace(site_dir=str(tmp_path))
    try:
        hooks.BUILT[:] = [galleries.Built(galleries.CASES, {"bars": [good]}, {})]
        hooks.on_post_build(config)
        hooks.BUILT[:] = [galleries.Built(galleries.CASES, {"bars": [good, bad]}, {})]
        with pytest.raises(exceptions.BuildError, match="failed: bad "):  # which mkdocs turns into the exit code 1
            hooks.on_post_build(config)
    finally:
        hooks.BUILT.clear()
