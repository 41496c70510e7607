"""The report in a real browser: it loads quietly, asks nobody, moves, and shows its legends."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import browser, requests_of, require_browser

import flexmb as fm
from flexmb.postproc.report import write_report

CASE = Path(__file__).parents[1] / "cases" / "impacting_bar.toml"
COARSE = ["bodies.rod.elements=40", "time.step=5e-3"]


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    require_browser()
    folder = tmp_path_factory.mktemp("pages")
    fm.load_case(CASE, COARSE).run(folder / "bar")
    fm.load_case(CASE, [*COARSE, "scheme.name=moreau-jean"]).run(folder / "moreau")
    evil = fm.load_case(
        CASE, [*COARSE, 'title="<img src=x onerror=document.title=1><script>document.title=2</script>"']
    )
    evil.run(folder / "evil")
    rotor = ["time.end=0.06", "output.fields_every=25"]
    fm.load_case("rotor_rub", rotor).run(folder / "rotor")
    return {
        "rotor": write_report([folder / "rotor"], folder / "rotor.html").path,
        "one": write_report([folder / "bar"], folder / "one.html").path,
        "two": write_report([folder / "bar", folder / "moreau"], folder / "two.html").path,
        "evil": write_report([folder / "evil"], folder / "evil.html").path,
    }


@pytest.fixture(scope="module")
def chrome(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


def show(chrome: Any, path: Path) -> None:
    requests_of(chrome)
    chrome.get_log("browser")
    chrome.get(path.as_uri())
    wait(chrome, "return document.querySelectorAll('.plot svg').length === page.charts.length")


def wait(chrome: Any, script: str) -> None:
    from selenium.webdriver.support.ui import WebDriverWait

    WebDriverWait(chrome, 20).until(lambda c: c.execute_script(script))


def picture(chrome: Any, k: int = 0) -> str:
    return str(chrome.execute_script(f"return document.querySelectorAll('canvas')[{k}].toDataURL()"))


def set_slider(chrome: Any, part: float) -> None:
    chrome.execute_script(
        "const s = document.getElementById('slider'); s.value = s.max * arguments[0];"
        "s.dispatchEvent(new Event('input'))",
        part,
    )


@pytest.mark.parametrize("name", ["one", "two", "evil", "rotor"])
def test_loads_quietly_and_asks_nobody(chrome: Any, pages: dict[str, Path], name: str) -> None:
    show(chrome, pages[name])
    set_slider(chrome, 0.7)
    assert chrome.get_log("browser") == []
    asked = [url for url in requests_of(chrome) if not url.startswith(("data:", "chrome:"))]  # its own pages
    assert asked == [pages[name].as_uri()]
    titles = {"evil": "<img src=x", "rotor": "Rotor rubbing"}
    assert chrome.title.startswith(titles.get(name, "Elastic bar"))


def test_slider_and_play_move_the_animation(chrome: Any, pages: dict[str, Path]) -> None:
    show(chrome, pages["one"])
    seen = []
    for part in (0.0, 0.3, 0.6, 1.0):
        set_slider(chrome, part)
        seen.append(picture(chrome))
        clock = chrome.execute_script("return document.getElementById('clock').textContent")
        assert clock == f"t = {2.0 * part:g} s"
        cursor = chrome.execute_script(
            "const c = charts.find(c => c.spec.title === 'Gap'), l = c.plot.querySelector('.cursor');"
            "return [(+l.getAttribute('x1') - pad.left) / c.inner.w, l.getAttribute('visibility')]"
        )
        assert cursor == [pytest.approx(part, abs=1e-6), "visible"]
    assert len(set(seen)) == 4
    set_slider(chrome, 0.0)
    play = chrome.find_element("id", "play")
    play.click()
    assert play.text == "Pause"
    wait(chrome, "return now > 0.1")
    play.click()
    assert play.text == "Play"
    assert picture(chrome) != seen[0]


def test_the_bar_is_where_it_should_be(chrome: Any, pages: dict[str, Path]) -> None:
    """Pixels along the projected bar have its colours, those beyond its end have not."""
    show(chrome, pages["one"])
    set_slider(chrome, 0.4)  # t = 0.8: pressed together at the wall, from x = 0 to about 7
    script = """
        const canvas = document.querySelector('canvas'), view = views[0], out = [];
        for (const x of arguments[0]) {
          const [a, b] = view.project([x, 0, 0]);
          out.push([...canvas.getContext('2d').getImageData(Math.round(a), Math.round(b), 1, 1).data]);
        }
        return out;
    """
    colours = chrome.execute_script(script, [3.0, 5.0, 6.5, 9.0, 14.0])
    chroma = [max(c[:3]) - min(c[:3]) if c[3] else 0 for c in colours]
    assert min(chroma[:3]) > 60
    assert max(chroma[3:]) < 20


def test_turning_zooming_and_colours_change_the_picture(chrome: Any, pages: dict[str, Path]) -> None:
    from selenium.webdriver.common.action_chains import ActionChains

    show(chrome, pages["one"])
    canvas = chrome.find_element("css selector", "canvas")
    first = picture(chrome)
    ActionChains(chrome).move_to_element(canvas).click_and_hold().move_by_offset(60, 30).release().perform()
    turned = picture(chrome)
    assert turned != first
    canvas.send_keys("+")
    assert picture(chrome) != turned
    chrome.find_element("id", "reset").click()
    assert picture(chrome) == first
    chrome.execute_script(
        "const f = document.getElementById('field'); f.value = 1; f.dispatchEvent(new Event('change'))"
    )
    assert picture(chrome) != first


def test_energy_chart_shows_its_legend(chrome: Any, pages: dict[str, Path]) -> None:
    show(chrome, pages["one"])
    figure = chrome.find_element("css selector", "#energy figure")
    items = figure.find_elements("css selector", ".legend button")
    words = ["kinetic", "potential", "taken by contacts", "taken by scheme", "= initial + work put in"]
    assert [item.text for item in items] == words
    assert all(item.is_displayed() and item.size["width"] > 30 for item in items)
    texts = [text.text for text in figure.find_elements("css selector", ".plot text")]
    assert {"time [s]", "energy [J]", "0", "400"} <= set(texts)
    before = len(figure.find_elements("css selector", ".plot path"))
    items[0].click()  # hides a curve
    assert items[0].get_attribute("aria-pressed") == "false"
    assert len(figure.find_elements("css selector", ".plot path")) < before
    items[0].click()


def test_colours_may_mean_forces_of_lines(chrome: Any, pages: dict[str, Path]) -> None:
    show(chrome, pages["one"])
    names = chrome.execute_script("return [...document.getElementById('field').options].map(o => o.text)")
    assert names == ["displacement", "velocity", "axial force", "bending moment", "energy density"]
    set_slider(chrome, 0.4)  # pressed together: the force on the wall is 300 N
    script = """
        const f = document.getElementById('field'); f.value = arguments[0]; f.dispatchEvent(new Event('change'));
        const v = views[0];
        return [v.fields[v.field].label, v.limits[v.field], v.valueOfLine(2), v.colour(v.valueOfLine(2))];
    """
    label, (low, high), value, colour = chrome.execute_script(script, 2)
    assert label == "axial force [N]"
    assert value == pytest.approx(-300.0, rel=0.05)
    assert low < -290 < 0 < high
    assert colour.startswith("rgb(")
    label, limits, value, _ = chrome.execute_script(script, 4)
    assert label == "energy density [J/m]"
    assert value == pytest.approx(300.0**2 / (2 * 900.0), rel=0.1)  # N^2 / (2 E A)


def test_disks_bearings_and_rings_are_drawn(chrome: Any, pages: dict[str, Path]) -> None:
    """Pixels on the rim of the disk are not the paper's, and move with it when displacements are drawn larger."""
    show(chrome, pages["rotor"])
    script = """
        const v = views[0], canvas = v.canvas, ink = canvas.getContext('2d');
        const looks = v.marks.parts.map(p => p.look);
        const f = [0, 1, 2, 3].map(j => [0, 1, 2].map(x => v.marks.rest[3 * j + x]));
        const out = [0.5, 0.9, 1.6].map(r => {
          const p = v.project(plus(plus(f[0], f[1], 0.5), f[2], r)), ratio = window.devicePixelRatio;
          return [...ink.getImageData(Math.round(p[0] * ratio), Math.round(p[1] * ratio), 1, 1).data];
        });
        return [looks, out, v.marks.count];
    """
    looks, colours, count = chrome.execute_script(script)
    assert count == 5
    assert set(looks) == {"disks", "bearings", "rings"}
    assert all(colour[3] == 255 for colour in colours[:2])
    assert colours[2][3] == 0  # nothing beyond the ring
    before = picture(chrome)
    chrome.execute_script(
        "const s = document.getElementById('scale'); s.value = 100; s.dispatchEvent(new Event('change'))"
    )
    assert picture(chrome) != before


def test_spectra_are_shown_where_something_is(chrome: Any, pages: dict[str, Path]) -> None:
    show(chrome, pages["rotor"])
    figure = chrome.find_element("css selector", "#spectra figure")
    chart = "charts[+document.querySelector('#spectra figure').dataset.chart]"
    first, last, end = chrome.execute_script(f"const c = {chart}; return [c.x0, c.x1, c.curves[0].x.at(-1)]")
    assert 0 < first < last < 0.5 * end
    switch = figure.find_element("css selector", ".logx")
    chrome.execute_script("arguments[0].scrollIntoView({block: 'center'})", switch)
    switch.click()
    assert switch.get_attribute("aria-pressed") == "true"
    assert chrome.execute_script(f"return {chart}.x1") == pytest.approx(end)
    middle = chrome.execute_script(f"const c = {chart}; return c.px(Math.sqrt(c.x0 * c.x1)) - pad.left - c.inner.w / 2")
    assert middle == pytest.approx(0.0, abs=1e-6)
    assert "10²" in [text.text for text in figure.find_elements("css selector", ".plot text")]
    switch.click()
    assert chrome.execute_script(f"return {chart}.x1") == pytest.approx(last)


def test_axes_take_out_powers_of_ten_and_have_two_ticks_at_least(chrome: Any, pages: dict[str, Path]) -> None:
    show(chrome, pages["one"])
    axes = [[-8e-5, 8e-5, 2], [0.0, 2.0, 5], [1e6, 3e6, 5], [-1.0, 0.9e-9, 3], [4.99999, 5.00001, 4]]
    found = chrome.execute_script("return arguments[0].map(a => axisOf(...a))", axes)
    assert [axis["power"] for axis in found] == [-6, 0, 6, 0, 0]
    assert found[0]["words"] == ["−50", "0", "50"]
    assert found[2]["words"] == ["1.0", "1.5", "2.0", "2.5", "3.0"]
    for (low, high, _), axis in zip(axes, found, strict=True):
        assert len(axis["at"]) >= 2
        assert len(set(axis["words"])) == len(axis["words"])
        assert all(low - 1e-9 <= x <= high + 1e-9 for x in axis["at"])


def test_drag_zooms_all_charts_over_time(chrome: Any, pages: dict[str, Path]) -> None:
    from selenium.webdriver.common.action_chains import ActionChains

    show(chrome, pages["one"])
    plot = chrome.find_element("css selector", "#contacts .plot")
    chrome.execute_script("arguments[0].scrollIntoView({block: 'center'})", plot)
    ActionChains(chrome).move_to_element_with_offset(plot, -60, 0).perform()
    assert "generalized-alpha" in chrome.find_element("css selector", ".tip").text
    ActionChains(chrome).click_and_hold().move_by_offset(120, 0).release().perform()
    wait(chrome, "return stretch !== null")
    low, high = chrome.execute_script("return stretch")
    assert 0 < low < high < 2
    ranges = chrome.execute_script("return charts.filter(c => c.spec.time).map(c => [c.x0, c.x1])")
    assert all(r == [pytest.approx(low), pytest.approx(high)] for r in ranges)
    ActionChains(chrome).double_click(plot).perform()
    assert chrome.execute_script("return stretch") is None


def test_words_do_not_overlap(chrome: Any, pages: dict[str, Path]) -> None:
    script = """
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
    for name, width in (("one", 1240), ("two", 1240), ("one", 480)):
        chrome.set_window_size(width, 1000)
        show(chrome, pages[name])
        wait(chrome, "return charts.every(c => c.width === Math.max(220, c.plot.clientWidth))")
        assert chrome.execute_script(script) == [[], True]
    chrome.set_window_size(1240, 1000)
