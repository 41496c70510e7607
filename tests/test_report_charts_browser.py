"""The charts of the report in a real browser: what they show, where, and what can be saved of them."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser import browser, require_browser
from messages import says
from report_in_browser import BLOWN, COARSE, Pages, in_view, show, wait

import flexmb as fm
from flexmb.postproc.report import write_report

MARKUP = '<b id="evil">short'
OVERLAPS = """
    const bad = [];
    for (const plot of document.querySelectorAll('.plot')) {
      const boxed = t => ({word: t.textContent, r: t.getBoundingClientRect()});
      const texts = [...plot.querySelectorAll("text")].map(boxed);
      const frame = plot.getBoundingClientRect();
      const cut = (a, b, low, high, room) => a[low] < b[high] - room && b[low] < a[high] - room;
      const meet = (a, b) => cut(a, b, "left", "right", 1) && cut(a, b, "top", "bottom", 3);
      texts.forEach((a, i) => {
        if (a.r.left < frame.left - 3 || a.r.right > frame.right + 12) bad.push(a.word + ' is outside');
        texts.slice(i + 1).forEach(b => { if (meet(a.r, b.r)) bad.push(a.word + ' meets ' + b.word); });
      });
    }
    return [bad, document.documentElement.scrollWidth <= innerWidth];
"""
CHART = (
    "const chart = charts.find(c => c.figure.closest('section').id === arguments[0] && c.spec.title === arguments[1]);"
)
"""Finds a chart by its section and its title."""


RUNS = {
    "bar": ("impacting_bar", COARSE),
    MARKUP: ("impacting_bar", [*COARSE, "time.end=1.0"]),
    "rotor": ("rotor_rub", ["time.end=0.06"]),
    "beam": ("beam_on_stop", []),
    "motor": ("sommerfeld", []),
    "mass": ("impact_oscillator", []),
    "blown": ("impacting_bar", BLOWN),
}


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Pages:
    require_browser()
    return Pages(tmp_path_factory.mktemp("charts"), RUNS, {"two": ["bar", MARKUP]})


@pytest.fixture(scope="module")
def chrome(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


def ticks(chrome: Any, section: str, title: str) -> tuple[dict[float, float], dict[float, float]]:
    """Return where the ticks of a chart stand along x and y, in pixels, by their numbers."""
    script = """
        const of = t => [t.textContent, ...['text-anchor', 'x', 'y'].map(name => t.getAttribute(name))];
        return [...chart.plot.querySelectorAll('text:not(.label)')].map(of);
    """
    along, up = {}, {}
    for word, anchor, x, y in chrome.execute_script(CHART + script, section, title):
        powers = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹−", "-0123456789-")
        plain = word.translate(powers)
        number = 10.0 ** int(plain[2:]) if word.startswith("10") and plain != word else float(plain)
        (along if anchor == "middle" else up)[number] = float(x) if anchor == "middle" else float(y) - 4.0
    return along, up


def path(chrome: Any, section: str, title: str, k: int = 0) -> np.ndarray:
    """Return the pixels a curve of a chart goes through, (n, 2)."""
    script = "return chart.plot.querySelectorAll('g path')[arguments[2]].getAttribute('d')"
    d = chrome.execute_script(CHART + script, section, title, k)
    return np.array([[float(x) for x in pair.split()] for pair in d.replace("M", "L").split("L")[1:]])


def test_energy_chart_shows_its_legend(chrome: Any, pages: Pages) -> None:
    show(chrome, pages["bar"])
    figure = chrome.find_element("css selector", "#energy figure")
    items = figure.find_elements("css selector", ".legend button")
    words = ["kinetic", "potential", "lost to contacts", "lost to scheme", "= initial + work supplied"]
    assert [item.text for item in items] == words
    assert all(item.is_displayed() and item.size["width"] > 30 for item in items)
    texts = [text.text for text in figure.find_elements("css selector", ".plot text")]
    assert {"time [s]", "energy [J]", "0", "400"} <= set(texts)
    before = len(figure.find_elements("css selector", ".plot path"))
    items[0].click()  # hides a curve
    assert items[0].get_attribute("aria-pressed") == "false"
    assert len(figure.find_elements("css selector", ".plot path")) < before
    items[0].click()


def test_curves_are_where_the_ticks_say(chrome: Any, pages: Pages) -> None:
    show(chrome, pages["bar"])
    result = pages.result("bar")
    along, up = ticks(chrome, "signals", "rod.mid.velocity.x")
    drawn = path(chrome, "signals", "rod.mid.velocity.x")
    for pixel, numbers, wanted in (
        (drawn[:, 0], along, result.time),
        (drawn[:, 1], up, result.signals["rod.mid.velocity"][:, 0]),
    ):
        slope, at = np.polyfit(list(numbers.values()), list(numbers), 1)
        np.testing.assert_allclose(slope * pixel + at, wanted, atol=0.1 * abs(slope))


def test_spectra_are_shown_where_something_is(chrome: Any, pages: Pages) -> None:
    show(chrome, pages["rotor"])
    figure = chrome.find_element("css selector", "#spectra figure")
    chart = "charts[+document.querySelector('#spectra figure').dataset.chart]"
    first, last, end = chrome.execute_script(f"const c = {chart}; return [c.x0, c.x1, c.curves[0].x.at(-1)]")
    assert 0 < first < last < 0.5 * end
    switch = in_view(chrome, "#spectra figure .logx")
    switch.click()
    assert switch.get_attribute("aria-pressed") == "true"
    assert chrome.execute_script(f"return {chart}.x1") == pytest.approx(end)
    middle = chrome.execute_script(f"const c = {chart}; return c.px(Math.sqrt(c.x0 * c.x1)) - c.left - c.inner.w / 2")
    assert middle == pytest.approx(0.0, abs=1e-6)
    assert "10²" in [text.text for text in figure.find_elements("css selector", ".plot text")]
    switch.click()
    assert chrome.execute_script(f"return {chart}.x1") == pytest.approx(last)


def test_amplitudes_are_on_a_logarithmic_axis_with_their_peak(chrome: Any, pages: Pages) -> None:
    """The free spin rises all the time: its largest amplitude is at the first frequency."""
    show(chrome, pages["motor"])
    name = "rotor.spin_speed"
    _, up = ticks(chrome, "spectra", name)
    amplitude = chrome.execute_script(
        CHART + "return [...chart.curves[0].y].filter((_, k) => chart.curves[0].x[k] <= chart.x1)", "spectra", name
    )
    drawn = path(chrome, "spectra", name)[: len(amplitude), 1]
    slope, at = np.polyfit(list(up.values()), np.log10(list(up)), 1)
    np.testing.assert_allclose(slope * drawn + at, np.log10(amplitude), atol=0.1 * abs(slope))
    assert int(np.argmax(amplitude)) == 0
    assert drawn.min() > 10.0  # below the upper edge of the frame
    # a first frequency that is a little below what is shown belongs to it
    script = CHART + "chart.stretch = [chart.curves[0].x[0] * (1 + 1e-7), chart.x1]; chart.draw(); return chart.y1"
    assert chrome.execute_script(script, "spectra", name) > np.log10(max(amplitude))


def test_orbits_have_equal_scales(chrome: Any, pages: Pages, tmp_path: Path) -> None:
    model = fm.Model(gravity=(0, 0, -9.81))
    model.add(fm.Particle("stone", mass=1.0, velocity=(3.0, 0, 4.0)))
    fm.simulate(model, fm.MoreauJean(), step=0.01, end=0.8).save(tmp_path / "stone")
    show(chrome, write_report([tmp_path / "stone"], tmp_path / "stone.html").path)
    along, up = ticks(chrome, "orbits", "stone.position")
    per_metre = [np.polyfit(list(own), list(own.values()), 1)[0] for own in (along, up)]
    assert per_metre[0] == pytest.approx(-per_metre[1], rel=1e-3)


def test_bars_are_as_high_as_their_numbers(chrome: Any, pages: Pages) -> None:
    show(chrome, pages["rotor"])
    name = "Initial + works = final"
    script = (
        CHART
        + """
        const texts = [...chart.plot.querySelectorAll('text[style]')].map(t => t.textContent), { bars } = chart.spec;
        const of = r => ['y', 'height'].map(name => +r.getAttribute(name));
        const rects = [...chart.plot.querySelectorAll('rect')].map(of);
        return [bars, texts, rects, chart.py(0), chart.py(1e-3)];
    """
    )
    bars, texts, rects, zero, milli = chrome.execute_script(script, "energy", name)
    for bar, (top, height) in zip(bars, rects, strict=True):
        low, high = (zero + (milli - zero) * 1e3 * f(bar["from"], bar["to"]) for f in (min, max))
        assert top == pytest.approx(high, abs=0.01)
        assert height == pytest.approx(max(2.0, low - high), abs=0.01)
    prefix = {"J": 1.0, "mJ": 1e-3, "µJ": 1e-6, "nJ": 1e-9}
    said = [float(text.split()[0].replace("−", "-")) * prefix[text.split()[1]] for text in texts]
    wanted = [bars[0]["to"], *(bar["to"] - bar["from"] for bar in bars[1:-1]), bars[-1]["to"]]
    assert said == [pytest.approx(x, rel=1e-3, abs=1e-15) for x in wanted]
    gains = [text for text, bar in zip(texts[1:-1], bars[1:-1], strict=True) if bar["to"] > bar["from"]]
    assert gains
    assert all(text.startswith("+") for text in gains)  # also the first, which starts from zero
    script = "return [0, 1.2e-7, -0.02, 999.96, 2e5, 1e20].map(x => withUnit(x, 'J'))"
    assert chrome.execute_script(script) == ["0 J", "120 nJ", "−20 mJ", "1 kJ", "200 kJ", "1·10²⁰ J"]


def test_round_off_is_no_work(chrome: Any, pages: Pages) -> None:
    show(chrome, pages["bar"])
    texts = chrome.execute_script(
        CHART + "chart.spec.bars[1].to = chart.spec.bars[1].from * (1 + 1e-15); chart.draw();"
        "return [...chart.plot.querySelectorAll('text[style]')].map(t => t.textContent)",
        "energy",
        "Initial + works = final",
    )
    assert texts[:2] == ["500 J", "0 J"]


def test_axes_take_out_powers_of_ten_and_have_two_ticks_at_least(chrome: Any, pages: Pages) -> None:
    show(chrome, pages["bar"])
    axes = [[-8e-5, 8e-5, 2], [0.0, 2.0, 5], [1e6, 3e6, 5], [-1.0, 0.9e-9, 3], [4.99999, 5.00001, 4]]
    found = chrome.execute_script("return arguments[0].map(a => axisOf(...a))", axes)
    assert [axis["power"] for axis in found] == [-6, 0, 6, 0, 0]
    assert found[0]["words"] == ["−50", "0", "50"]
    assert found[2]["words"] == ["1.0", "1.5", "2.0", "2.5", "3.0"]
    for (low, high, _), axis in zip(axes, found, strict=True):
        assert len(axis["at"]) >= 2
        assert len(set(axis["words"])) == len(axis["words"])
        assert all(low - 1e-9 <= x <= high + 1e-9 for x in axis["at"])
    within = chrome.execute_script("return decades(Math.log10(2e-3), Math.log10(8e-3), k => k, 6)")
    assert [f"{word}e{within['power']}" for word in within["words"]] == ["2e-3", "4e-3", "6e-3", "8e-3"]
    assert within["at"] == [pytest.approx(np.log10(x)) for x in (2e-3, 4e-3, 6e-3, 8e-3)]


def test_drag_zooms_all_charts_over_time(chrome: Any, pages: Pages) -> None:
    from selenium.webdriver.common.action_chains import ActionChains

    show(chrome, pages["bar"])
    plot = in_view(chrome, "#contacts .plot")
    ActionChains(chrome).move_to_element_with_offset(plot, -60, 0).click_and_hold().move_by_offset(
        120, 0
    ).release().perform()
    wait(chrome, "return stretch !== null")
    low, high = chrome.execute_script("return stretch")
    assert 0 < low < high < 2
    ranges = chrome.execute_script("return charts.filter(c => c.spec.time).map(c => [c.x0, c.x1])")
    assert all(r == [pytest.approx(low), pytest.approx(high)] for r in ranges)
    ActionChains(chrome).double_click(plot).perform()
    assert chrome.execute_script("return stretch") is None


def test_a_stretch_between_two_samples_shows_the_line_between_them(chrome: Any, pages: Pages) -> None:
    show(chrome, pages["bar"])
    result = pages.result("bar")
    ends = [0.2011, 0.2039]
    wanted = np.interp(ends, result.time, result.signals["rod.mid.position"][:, 0])
    low, high = chrome.execute_script(
        CHART + "chart.zoom(arguments[2]); return [chart.y0, chart.y1]", "signals", "rod.mid.position.x", ends
    )
    room = 0.06 * abs(wanted[1] - wanted[0])
    assert [low, high] == [pytest.approx(wanted.min() - room, abs=1e-3), pytest.approx(wanted.max() + room, abs=1e-3)]


def test_stacks_stand_on_zero(chrome: Any, pages: Pages) -> None:
    script = "return charts.filter(c => c.curves && c.curves.some(k => k.low)).map(c => [c.spec.title, c.y0])"
    show(chrome, pages["rotor"])
    assert chrome.execute_script(script) == [["Energy over time", 0], ["Where it came from", 0]]
    show(chrome, pages["beam"])
    assert chrome.execute_script(script) == [["Energy over time", 0]]
    script = CHART + "chart.curves[0].low[3] = -1e-14; chart.draw(); return chart.y0"  # round-off
    assert chrome.execute_script(script, "energy", "Energy over time") == 0


def test_the_tip_tells_the_values_of_runs_that_are_on(chrome: Any, pages: Pages) -> None:
    from selenium.webdriver.common.action_chains import ActionChains

    show(chrome, pages["two"])
    result = pages.result("bar")
    plot = in_view(chrome, "#contacts .plot")
    for t, count in ((0.3, 3), (1.6, 2)):  # the second run ends at 1 s, the exact solution goes on
        at = chrome.execute_script(CHART + "return chart.px(arguments[2]) - chart.width / 2", "contacts", "Gap", t)
        ActionChains(chrome).move_to_element_with_offset(plot, round(at), 0).perform()
        lines = chrome.find_element("css selector", ".tip").text.splitlines()
        (time,) = [float(line.split()[1]) for line in lines if line.startswith("time")]
        assert time == pytest.approx(t, abs=0.01)
        assert [line.rpartition(" ")[2] for line in lines] == ["s"] + ["m"] * count
        values = {line.partition(" ")[2].rpartition(": ")[0]: line.rpartition(": ")[2][:-2] for line in lines[1:]}
        assert len(values) == count
        assert (MARKUP in values) == (t < 1.0)
        nearest = result.contacts["wall"].gap.ravel()[int(np.argmin(np.abs(result.time - time)))]
        assert float(values["bar"]) == pytest.approx(nearest, rel=1e-4, abs=1e-9)


def test_the_tip_of_a_portrait_has_both_units(chrome: Any, pages: Pages) -> None:
    from selenium.webdriver.common.action_chains import ActionChains

    show(chrome, pages["bar"])
    ActionChains(chrome).move_to_element(in_view(chrome, "#portraits .plot")).perform()
    assert re.fullmatch(r"\S+ m, \S+ m/s", chrome.find_element("css selector", ".tip").text)


def test_charts_fit_themselves_to_the_page_without_an_error(chrome: Any, pages: Pages) -> None:
    """Errors of observers are not in the log of the console; they come to the window."""
    collect = "window.wrong = []; addEventListener('error', event => wrong.push(event.message));"
    added = chrome.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": collect})
    size = chrome.get_window_size()
    try:
        show(chrome, pages["bar"])
        before = chrome.execute_script("return charts.map(c => c.width)")
        chrome.set_window_size(820, 900)
        wait(chrome, f"return charts[0].width !== {before[0]}")
        widths = "return charts.map(c => [c.width, Math.max(220, c.plot.clientWidth)])"
        assert all(own == room for own, room in chrome.execute_script(widths))
        assert chrome.execute_script("return wrong") == []
    finally:
        chrome.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)
        chrome.set_window_size(size["width"], size["height"])


@pytest.mark.parametrize("width", [760, 1240])
def test_titles_keep_clear_of_the_buttons_beside_them(chrome: Any, pages: Pages, width: int) -> None:
    script = """
        const range = document.createRange();
        const box = node => { range.selectNodeContents(node); return range.getBoundingClientRect(); };
        return [...document.querySelectorAll('figure[data-chart]')].flatMap(figure => {
          const words = box(figure.querySelector('figcaption').firstChild);
          return [...figure.querySelectorAll(':scope > .small')].map(button => button.getBoundingClientRect())
            .filter(b => b.left < words.right && b.top < words.bottom && b.bottom > words.top)
            .map(() => figure.textContent);
        });
    """
    size = chrome.get_window_size()
    try:
        chrome.set_window_size(width, 900)
        show(chrome, pages["rotor"])
        assert chrome.execute_script(script) == []
    finally:
        chrome.set_window_size(size["width"], size["height"])


def test_names_of_runs_are_text_in_charts(chrome: Any, pages: Pages) -> None:
    from selenium.webdriver.common.action_chains import ActionChains

    show(chrome, pages["two"])
    ActionChains(chrome).move_to_element_with_offset(in_view(chrome, "#contacts .plot"), -60, 0).perform()
    assert MARKUP in chrome.find_element("css selector", ".tip").text
    script = "const chart = charts[0]; chart.spec.title = chart.spec.y = arguments[0]; chart.draw();"
    chrome.execute_script(script, MARKUP)
    assert MARKUP in chrome.execute_script("return charts[0].plot.textContent")
    assert chrome.execute_script("return document.getElementById('evil')") is None


def saved(chrome: Any, button: Any) -> tuple[str, str]:
    """Click and return name and text of what is saved."""
    chrome.execute_script("""
        URL.createObjectURL = blob => { window.blob = blob; return 'blob:none'; };
        HTMLAnchorElement.prototype.click = function () { window.file = this.download; };
    """)
    button.click()
    text = chrome.execute_async_script("blob.text().then(arguments[0])")
    return chrome.execute_script("return file"), str(text)


def test_csv_holds_the_numbers_as_they_are(chrome: Any, pages: Pages) -> None:
    show(chrome, pages["bar"])
    result = pages.result("bar")
    name, text = saved(chrome, in_view(chrome, "#contacts .csv"))
    assert name == "contacts_wall_Gap.csv"
    rows = list(csv.reader(io.StringIO(text)))
    assert rows[0][:2] == ["time [s]", "generalized-alpha, gap [m]"]
    table = np.array([row[:2] for row in rows[1:] if row[0]], dtype=float)
    np.testing.assert_array_equal(table[:, 0], result.time)
    np.testing.assert_array_equal(table[:, 1], result.contacts["wall"].gap.ravel())
    name, text = saved(chrome, in_view(chrome, "#energy .csv"))
    rows = list(csv.reader(io.StringIO(text)))
    taken = rows[0].index("lost to scheme, energy [J]")
    values = np.array([row[taken] for row in rows[1:]], dtype=float)
    np.testing.assert_allclose(values, np.maximum(-result.energy.numerical, 0.0), rtol=0, atol=1e-12)


def test_files_have_different_names(chrome: Any, pages: Pages) -> None:
    show(chrome, pages["two"])
    names = chrome.execute_script("return charts.map(c => c.file)")
    assert len(set(names)) == len(names)
    again = chrome.execute_script("return fileName(charts[0].figure, charts[0].spec.title)")
    assert again == names[0].replace(".csv", "_2.csv")
    assert {"signals_rod.mid.position.x.csv", "portraits_rod.mid.position.x.csv", "spectra_rod.mid.position.x.csv"} <= {
        *names
    }


def test_copy_copies_the_table_beside_it(chrome: Any, pages: Pages) -> None:
    show(chrome, pages["bar"])
    chrome.execute_script("""
        const write = async text => { window.copied = text; };
        Object.defineProperty(navigator, 'clipboard', { value: { writeText: write }, configurable: true });
    """)
    button = in_view(chrome, "#energy .copy")
    button.click()
    wait(chrome, "return window.copied !== undefined")
    lines = [line.split("\t") for line in chrome.execute_script("return copied").splitlines()]
    assert ["initial energy", "500"] in lines
    assert button.text == "copied"


def test_a_run_that_blew_up_has_charts_and_says_what_is_left_out(chrome: Any, pages: Pages) -> None:
    show(chrome, pages["blown"])
    assert chrome.get_log("browser") == []
    time = pages.result("blown").time
    high = float(np.abs(pages.result("blown").signals["rod.mid.position"]).max())
    assert high > 1e100
    assert len(path(chrome, "signals", "rod.mid.position.x")) == len(time)
    assert chrome.execute_script(CHART + "return chart.y1 - chart.y0", "signals", "rod.mid.position.x") > high
    energies = chrome.find_element("css selector", "#energy figure").text
    assert says(energies, "finite number ... large")
    lost = chrome.execute_script(
        "const c = charts[0]; c.curves.forEach(k => k.y.fill(NaN)); c.draw(); return c.plot.innerHTML"
    )
    assert "NaN" not in lost
    assert chrome.get_log("browser") == []


@pytest.mark.parametrize("name", ["bar", "two", "rotor", "beam", "motor", "mass"])
def test_words_do_not_overlap(chrome: Any, pages: Pages, name: str) -> None:
    show(chrome, pages[name])
    try:
        for width in (1240, 480, 400):
            size = {"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": False}
            chrome.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
            wait(chrome, "return charts.every(c => c.width === Math.max(220, c.plot.clientWidth))")
            assert [width, *chrome.execute_script(OVERLAPS)] == [width, [], True]
    finally:
        chrome.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_wide_numbers_have_room(chrome: Any, pages: Pages) -> None:
    show(chrome, pages["bar"])
    chrome.execute_script(
        CHART + "chart.curves.forEach(c => c.y.forEach((_, k) => { c.y[k] = 0.009 * Math.sin(k); })); chart.draw()",
        "signals",
        "rod.mid.velocity.x",
    )
    assert chrome.execute_script(OVERLAPS) == [[], True]
    try:
        size = {"width": 400, "height": 1000, "deviceScaleFactor": 1, "mobile": False}
        chrome.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        wait(chrome, "return charts.every(c => c.width === Math.max(220, c.plot.clientWidth))")
        chrome.execute_script("charts.find(c => c.spec.time).zoom([0.30000012345, 0.300000123483])")
        assert chrome.execute_script(OVERLAPS) == [[], True]
    finally:
        chrome.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
