"""The page of a study: complete, escaped, quiet in a real browser, and written by ``flexmb report``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from browser import browser, requests_of
from fake_study import FAILED_RUN, SCHEMES, fake_study
from messages import says

from flexmb.cli import main
from flexmb.postproc.study.page import inline

TWO = '{ scheme = ["Newmark", "HHT, α = 0.1"] }'
FIGURES = f"""
[[figure]]
name = "bars"
kind = "bars"
by = ["scheme"]
where = {{ h = 8e-3 }}
title = "Taken & given"
caption = "Where <it> goes."

[[figure]]
name = "order"
kind = "order"
x = "h"
y = ["error"]
by = ["scheme"]
where = {TWO}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = fake_study(tmp_path_factory.mktemp("study") / "schemes")
    text = (made / "study.toml").read_text(encoding="utf-8")
    text = re.sub(r"\[\[figure\]\].*?(?=\[\[expect)", "", text, flags=re.DOTALL)  # two figures will do
    (made / "study.toml").write_text(text + FIGURES, encoding="utf-8")
    assert main(["report", str(made)]) == 0
    return made


@pytest.fixture(scope="module")
def page(folder: Path) -> str:
    return (folder / "report.html").read_text(encoding="utf-8")


def test_says_what_was_studied(page: str) -> None:
    for words in ("impacting_bar", "time.step", "0.001; 0.002; 0.004; 0.008; 0.016", "60 runs", "1 failed", "12.3 s"):
        assert words in page
    assert says(page, "error ... rod.first.velocity.x against exact, distance ... filled-in graphs")
    assert "0 of 1 expectations met" in page
    assert says(page, "order ... error ... h ... scheme = Newmark = 1 (atol 0.15)")
    assert "flexmb study study.toml -o results/schemes" in page
    assert "<td>flexmb</td><td>0.1.0</td>" in page


def test_everything_is_escaped(page: str) -> None:
    assert "<h1>What the schemes take &amp; &lt;why&gt;</h1>" in page
    for evil in ("<why>", "<did>", "<it>", "theory <b>"):
        assert evil not in page
    assert "Where &lt;it&gt; goes." in page
    assert "the contact problem &lt;did&gt; not converge" in page


def test_needs_nothing_from_outside(page: str) -> None:
    assert "default-src 'none'" in page
    assert not re.search(r"""(src|href)=["'](?!#|data:)""", page)
    assert "@import" not in page


def test_figures_stand_in_the_page_with_identifiers_of_their_own(page: str) -> None:
    assert page.count("<svg") == 2
    known = re.findall(r'\bid="([^"]+)"', page)
    assert len(known) == len(set(known))
    used = set(re.findall(r'(?:href="#|url\(#)([^")]+)', page))
    assert used <= set(known)
    assert any(name.startswith("order-") for name in used)
    assert "<metadata>" not in page
    assert says(page, "parts ... mark")
    assert says(page, "1 ... 12 runs failed ... Schatzman-Paoli")
    assert "Files: figures/bars.svg figures/bars.pdf figures/bars.csv" in page


def test_titles_of_figures_stand_once_in_the_page_and_in_the_files(page: str, folder: Path) -> None:
    saved = (folder / "figures" / "bars.svg").read_text(encoding="utf-8")
    assert saved.count('<g id="title">') == 1
    assert ">Taken &amp; given</text>" in saved
    shown = page[page.index('id="figure-bars"') :].partition("</figure>")[0]
    assert "<figcaption>Taken &amp; given<" in shown
    assert "<title>Taken &amp; given</title>" in shown  # for those who do not see the picture
    assert "Taken &amp; given</text>" not in shown
    assert top_of_frame(shown) < top_of_frame(saved) - 5.0  # the frame takes the place of the title


def top_of_frame(svg: str) -> float:
    """Return where the first frame of a figure begins, pt from above."""
    path = svg.partition('patch_2">')[2].partition("</g>")[0]
    return min(float(y) for y in re.findall(r"[ML] [0-9.]+ ([0-9.]+)", path))


def test_a_study_without_figures_has_no_section_of_them(tmp_path: Path) -> None:
    made = fake_study(tmp_path / "s")
    (made / "study.toml").write_text('title = "bare"\ncase = "x"\nledger = true\n')
    assert main(["report", str(made)]) == 0
    text = (made / "report.html").read_text()
    assert 'id="table"' in text
    assert "#figures" not in text
    assert ">Figures<" not in text


def test_inlined_pictures_lose_their_rule_for_everything() -> None:
    svg = '<?xml?><svg width="1"><defs><style type="text/css">*{stroke-linejoin: round}</style></defs><g id="a"/></svg>'
    found = inline(svg, "n")
    assert found.startswith('<svg role="img" style="stroke-linejoin: round; stroke-linecap: butt" width="1">')
    assert found.endswith('<defs></defs><g id="n-a"/></svg>')


def test_the_table_has_a_row_per_run_and_failed_runs_say_why(page: str) -> None:
    assert page.count("<td>failed</td>") == 1
    table = page[page.index('class="table sorted"') :]
    assert len(re.findall("<tr>", table[: table.index("</table>")])) == 61
    failed = page[page.index('id="failed"') :]
    assert f"<td>{FAILED_RUN[0] * 5 + FAILED_RUN[1]}</td><td>{SCHEMES[FAILED_RUN[0]]}</td>" in failed


def test_an_unfinished_study_has_a_page_that_says_so(tmp_path: Path) -> None:
    made = fake_study(tmp_path / "s")
    (made / "summary.json").unlink()
    (made / "study.toml").write_text('title = "half"\ncase = "x"\n')
    out = tmp_path / "half.html"
    assert main(["report", str(made), "-o", str(out)]) == 0
    assert "not finished" in out.read_text()
    for path in (made / "runs").iterdir():
        path.unlink()
    assert main(["report", str(made)]) == 0
    assert says((made / "report.html").read_text(), "No run")


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["again"], "a single study folder"),
        (["--signal", "rod.first.position"], "--signal is for results"),
        (["-o", "report.txt"], "must end in .html"),
    ],
)
def test_wrong_use_is_refused(folder: Path, capsys: pytest.CaptureFixture[str], more: list[str], message: str) -> None:
    given = [str(folder) if word == "again" else word for word in more]
    assert main(["report", str(folder), *given]) == 2
    assert says(capsys.readouterr().err, message)


def test_damaged_folders_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = fake_study(tmp_path / "s")
    (made / "summary.json").write_text("{")
    assert main(["report", str(made)]) == 2
    assert says(capsys.readouterr().err, "summary.json'")
    (made / "study.toml").write_text("title =")
    assert main(["report", str(made)]) == 2
    assert says(capsys.readouterr().err, "study.toml'")


def test_in_a_browser(folder: Path, tmp_path: Path) -> None:
    """It loads quietly, asks nobody, sorts its table, and is no wider than the window."""
    with browser(tmp_path / "profile") as chrome:
        requests_of(chrome)
        chrome.get((folder / "report.html").as_uri())
        assert chrome.title == "What the schemes take & <why>"
        asked = [url for url in requests_of(chrome) if not url.startswith(("data:", "chrome:"))]
        assert asked == [(folder / "report.html").as_uri()]
        sizes = chrome.execute_script(
            "return [...document.querySelectorAll('.picture svg')].map(s => s.getBoundingClientRect().width)"
        )
        assert len(sizes) == 2
        assert min(sizes) > 500
        assert chrome.execute_script("return document.documentElement.scrollWidth <= innerWidth")
        assert column(chrome, 0)[:3] == ["0", "1", "2"]
        head = chrome.find_elements("css selector", ".sorted th button")[3 + 1]  # error
        head.click()
        values = [float(word) for word in column(chrome, 4) if word]
        assert len(values) == 59
        assert values == sorted(values)
        assert column(chrome, 4)[-1] == ""  # the run that failed comes last
        head.click()
        assert [float(word) for word in column(chrome, 4) if word] == values[::-1]
        assert column(chrome, 4)[-1] == ""
        assert chrome.get_log("browser") == []


def column(chrome: Any, k: int) -> list[str]:
    script = "return [...document.querySelectorAll('.sorted tbody tr')].map(r => r.cells[arguments[0]].textContent)"
    return list(chrome.execute_script(script, k))
