"""The report in a real browser: it loads quietly, asks nobody, and its views show the motion."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from browser import browser, requests_of, require_browser
from messages import says
from report_in_browser import BLOWN, COARSE, Pages, choose, chroma, in_view, picture, pixels, set_slider, show, wait

EVIL = "<img src=x onerror=document.title=1><script>document.title=2</script>"
VERMILLION = [0xD5, 0x5E, 0x00]
RUNS = {
    "bar": ("impacting_bar", COARSE),
    "slow": ("impacting_bar", [*COARSE, "bodies.rod.velocity=[-5.0, 0.0, 0.0]", "time.end=1.5"]),
    "evil": ("impacting_bar", [*COARSE, f'title="{EVIL}"']),
    "rotor": ("rotor_rub", ["time.end=0.06", "output.fields_every=25"]),
    "ball": ("bouncing_ball", ["time.end=1.2"]),
    "crank": ("slider_crank", ["time.end=0.05"]),
    "beam": ("flexible_slider_crank_beam", ["time.end=0.02"]),
    "wall": ("bar_on_moving_wall", []),
    "blown": ("impacting_bar", BLOWN),
}


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Pages:
    require_browser()
    return Pages(tmp_path_factory.mktemp("pages"), RUNS, {"two": ["bar", "slow"], "unlike": ["bar", "ball"]})


@pytest.fixture(scope="module")
def chrome(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.mark.parametrize("name", ["bar", "two", "evil", "rotor", "unlike", "crank", "blown"])
def test_loads_quietly_and_asks_nobody(chrome: Any, pages: Pages, name: str) -> None:
    show(chrome, pages[name])
    set_slider(chrome, 0.7)
    assert chrome.get_log("browser") == []
    asked = [url for url in requests_of(chrome) if not url.startswith(("data:", "chrome:"))]  # its own pages
    assert asked == [pages[name].as_uri()]
    titles = {"evil": "<img src=x", "rotor": "Rotor rubbing", "crank": "Rigid slider-crank"}
    assert chrome.title.startswith(titles.get(name, "Elastic bar"))


def test_slider_and_play_move_the_animation(chrome: Any, pages: Pages) -> None:
    show(chrome, pages["bar"])
    seen = []
    for part in (0.0, 0.3, 0.6, 1.0):
        set_slider(chrome, part)
        seen.append(picture(chrome))
        clock = chrome.execute_script("return document.getElementById('clock').textContent")
        assert clock == f"t = {2.0 * part:g} s"
        cursor = chrome.execute_script(
            "const c = charts.find(c => c.spec.title === 'Gap'), l = c.plot.querySelector('.cursor');"
            "return [(+l.getAttribute('x1') - c.left) / c.inner.w, l.getAttribute('visibility')]"
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


def test_keys_step_from_picture_to_picture_and_turn(chrome: Any, pages: Pages) -> None:
    from selenium.webdriver.common.keys import Keys

    show(chrome, pages["bar"])
    set_slider(chrome, 0.0)
    slider, canvas = chrome.find_element("id", "slider"), in_view(chrome, "canvas")
    frames = []
    for _ in range(3):
        slider.send_keys(Keys.ARROW_RIGHT)
        frames.append(chrome.execute_script("return views[0].frame"))
    assert frames == [1, 2, 3]
    time = chrome.execute_script("return views[0].times[3]")
    assert slider.get_attribute("aria-valuetext") == f"{time:g} s"
    canvas.send_keys(Keys.ARROW_RIGHT)
    assert chrome.execute_script("return views[0].frame") == 4
    before = picture(chrome)
    canvas.send_keys(Keys.SHIFT + Keys.ARROW_RIGHT)
    assert chrome.execute_script("return views[0].frame") == 4
    assert picture(chrome) != before


def test_speeds_are_seconds_of_the_run_per_second(chrome: Any, pages: Pages) -> None:
    show(chrome, pages["bar"])
    options = chrome.execute_script(
        "return [...document.getElementById('speed').options].map(o => [o.text, o.selected])"
    )
    assert [text for text, _ in options] == [f"{x:g} s/s" for x in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0)]
    assert [text for text, chosen in options if chosen] == ["0.2 s/s"]  # two seconds take about eight
    set_slider(chrome, 0.0)
    chrome.execute_script("performance.now = () => 0; requestAnimationFrame = f => { window.next = f; }")
    chrome.find_element("id", "play").click()
    for speed, until in (("0.2", 0.01), ("1", 0.06)):  # 50 ms each
        choose(chrome, "speed", speed)
        at = chrome.execute_script("window.at = (window.at || 0) + 50; next(window.at); return now")
        assert at == pytest.approx(until)


def test_keys_step_and_zoom(chrome: Any, pages: Pages) -> None:
    from selenium.webdriver.common.keys import Keys

    times = pages.result("bar").fields.times
    show(chrome, pages["bar"])
    set_slider(chrome, 0.5)
    canvas, k = in_view(chrome, "canvas"), chrome.execute_script("return views[0].frame")
    for key, move in ((Keys.ARROW_RIGHT, 1), (Keys.ARROW_RIGHT, 2), (Keys.ARROW_LEFT, 1), (Keys.ARROW_LEFT, 0)):
        canvas.send_keys(key)
        assert chrome.execute_script("return [views[0].frame, now]") == [k + move, pytest.approx(times[k + move])]
    before = picture(chrome)
    canvas.send_keys("+")
    assert picture(chrome) != before
    canvas.send_keys("-")
    assert picture(chrome) == before


def test_the_bar_is_where_it_should_be(chrome: Any, pages: Pages) -> None:
    """Pixels along the projected bar have its colours, those beyond its end have not."""
    show(chrome, pages["bar"])
    set_slider(chrome, 0.4)  # t = 0.8: pressed together at the wall, from x = 0 to about 7
    found = [chroma(c) for c in pixels(chrome, [[x, 0.0, 0.0] for x in (3.0, 5.0, 6.5, 9.0, 14.0)])]
    assert min(found[:3]) > 60
    assert max(found[3:]) < 20


def test_each_view_shows_its_own_run(chrome: Any, pages: Pages) -> None:
    show(chrome, pages["two"])
    for part in (0.2, 0.6):
        set_slider(chrome, part)
        for k, name in enumerate(("bar", "slow")):
            result = pages.result(name)
            frame = int(np.argmin(np.abs(result.fields.times - 2.0 * part)))
            x = result.layout.points[:, 0] + result.fields.frame(frame)["displacement"][:, 0]
            inside, outside = (
                [chroma(c) for c in pixels(chrome, [[at, 0.0, 0.0] for at in ends], k)]
                for ends in ([x.min() + 0.3, x.max() - 0.3], [x.max() + 0.3])
            )
            assert min(inside) > 60
            assert max(outside) < 20
    assert picture(chrome, 0) != picture(chrome, 1)
    words = chrome.execute_script(
        "const said = [], v = views[1], fill = v.ink.fillText; v.ink.fillText = s => said.push(s);"
        "document.getElementById('slider').value = 1e9;"
        "document.getElementById('slider').dispatchEvent(new Event('input')); v.ink.fillText = fill; return said"
    )
    assert "shown up to t = 1.5 s" in words


def test_runs_that_are_unlike_have_their_own_cameras_and_the_fields_of_all(chrome: Any, pages: Pages) -> None:
    show(chrome, pages["unlike"])
    names = chrome.execute_script("return [...document.getElementById('field').options].map(o => o.text)")
    assert names == ["displacement", "velocity"]
    set_slider(chrome, 0.1)
    colours = [pixels(chrome, [[5.0, 0.0, 0.0]], 0)[0], pixels(chrome, [[0.0, 0.0, 0.96]], 1)[0]]
    assert min(chroma(colour) for colour in colours) > 60
    sizes = chrome.execute_script("return views.map(v => Math.max(...v.camera.half))")
    assert sizes[0] > 4 * sizes[1]
    assert says(chrome.find_element("id", "motion").text, "view ... scale")
    before = [picture(chrome, k) for k in (0, 1)]
    choose(chrome, "field", "1")
    in_view(chrome, "canvas").send_keys("+")  # zooms all views
    assert all(picture(chrome, k) != before[k] for k in (0, 1))
    zooms = chrome.execute_script("return views.map(v => v.camera.zoom)")
    assert zooms == [pytest.approx(1.15), pytest.approx(1.15)]
    show(chrome, pages["two"])  # of like runs the camera is one, and sees both
    cameras = chrome.execute_script("return views.map(v => JSON.stringify(v.camera.start))")
    assert cameras[0] == cameras[1]


def test_turning_zooming_and_colours_change_the_picture(chrome: Any, pages: Pages) -> None:
    from selenium.webdriver.common.action_chains import ActionChains

    show(chrome, pages["bar"])
    canvas = in_view(chrome, "canvas")
    first = picture(chrome)
    ActionChains(chrome).move_to_element(canvas).click_and_hold().move_by_offset(60, 30).release().perform()
    turned = picture(chrome)
    assert turned != first
    chrome.find_element("id", "reset").click()
    assert picture(chrome) == first
    choose(chrome, "field", "1")
    assert picture(chrome) != first


def test_colours_go_from_dark_to_light(chrome: Any, pages: Pages) -> None:
    show(chrome, pages["bar"])
    script = """
        const v = views[0], x = v.w - 18, at = y => [...v.ink.getImageData(x, y, 1, 1).data].slice(0, 3);
        return [v.fields[0].limits.map(s => v.colour(s)), at(56), at(54 + Math.min(190, v.h - 120) - 2)];
    """
    ends, top, bottom = chrome.execute_script(script)
    assert ends == ["rgb(68,1,84)", "rgb(253,231,37)"]
    assert top == pytest.approx([253, 231, 37], abs=8)
    assert bottom == pytest.approx([68, 1, 84], abs=8)


def test_colours_may_mean_forces_of_lines(chrome: Any, pages: Pages) -> None:
    show(chrome, pages["bar"])
    names = chrome.execute_script("return [...document.getElementById('field').options].map(o => o.text)")
    assert names == ["displacement", "velocity", "axial force", "bending moment", "energy density"]
    set_slider(chrome, 0.4)  # pressed together: the force on the wall is 300 N
    script = """
        const f = document.getElementById('field'); f.value = arguments[0]; f.dispatchEvent(new Event('change'));
        const v = views[0];
        return [v.fields[v.field].label, v.fields[v.field].limits, v.valueOfLine(2)];
    """
    label, (low, high), value = chrome.execute_script(script, 2)
    assert label == "axial force [N]"
    assert value == pytest.approx(-300.0, rel=0.05)
    assert low < -290 < 0 < high
    label, _, value = chrome.execute_script(script, 4)
    assert label == "energy density [J/m]"
    assert value == pytest.approx(300.0**2 / (2 * 900.0), rel=0.1)  # N^2 / (2 E A)


def test_arrows_end_where_they_push(chrome: Any, pages: Pages) -> None:
    show(chrome, pages["bar"])
    set_slider(chrome, 0.4)
    length = chrome.execute_script("const v = views[0]; return v.impulse.length[v.impulse.frame.indexOf(v.frame)]")
    behind, beyond = pixels(chrome, [[-0.4 * length, 0.0, 0.0], [0.05 * length, 0.0, 0.0]])
    assert behind[:3] == pytest.approx(VERMILLION, abs=8)
    assert np.abs(np.array(beyond[:3]) - VERMILLION).max() > 60
    assert says(chrome.find_element("id", "motion").text, "arrows: contact impulses ... state ... longest")
    set_slider(chrome, 0.0)  # nothing acts
    assert pixels(chrome, [[-0.4 * length, 0.0, 0.0]])[0][:3] != pytest.approx(VERMILLION, abs=8)


def test_planes_are_drawn_where_they_are(chrome: Any, pages: Pages) -> None:
    show(chrome, pages["wall"])
    result = pages.result("wall")
    drawn = []
    for part in (0.0, 0.35, 0.8):
        set_slider(chrome, part)
        frame = chrome.execute_script("return views[0].frame")
        corner = chrome.execute_script(
            "const v = views[0], seen = []; v.path = p => seen.push(p); v.drawPlanes(); delete v.path;"
            "v.draw(); return seen[0][0]"
        )
        span, normal = chrome.execute_script("const p = views[0].motion.planes[0]; return [p.spans[0], p.normal]")
        t = float(result.fields.times[frame])
        x = result.layout.points[0, 0] + result.fields.frame(frame)["displacement"][0, 0]
        at = x - float(np.interp(t, result.time, result.contacts["wall"].gap))
        place = (np.array(span) + at * np.array(normal)).tolist()
        wanted = chrome.execute_script("return views[0].project(arguments[0])", place)
        assert corner == [pytest.approx(w, abs=0.3) for w in wanted]
        low, high = np.array(span), np.array(chrome.execute_script("return views[0].motion.planes[0].spans[2]"))
        side = (low + 0.1 * (high - low) + at * np.array(normal)).tolist()  # beside the bar
        assert pixels(chrome, [side])[0][3] > 0
        drawn.append(at)
    assert np.ptp(drawn) > 0.01


def test_the_bar_over_the_axes_is_as_long_as_it_says(chrome: Any, pages: Pages) -> None:
    show(chrome, pages["bar"])
    words, width, unit = chrome.execute_script("""
        const v = views[0], words = [], paths = [], fill = v.ink.fillText;
        v.ink.fillText = s => words.push(s);
        v.path = p => paths.push(p);
        v.drawMarks();
        delete v.path;
        v.ink.fillText = fill;
        const bar = paths.find(p => p.length === 4), ends = [v.camera.centre, plus(v.camera.centre, v.camera.right)];
        const [a, b] = ends.map(p => v.project(p));
        return [words, bar[2][0] - bar[1][0], Math.hypot(b[0] - a[0], b[1] - a[1])];
    """)
    (said,) = [word for word in words if word.endswith(" m")]
    assert float(said.split()[0]) == pytest.approx(width / unit, rel=1e-3)


def test_disks_bearings_and_rings_are_drawn(chrome: Any, pages: Pages) -> None:
    """Pixels on the rim of the disk are not the paper's, and move with it when displacements are drawn larger."""
    show(chrome, pages["rotor"])
    looks, frame, count = chrome.execute_script("""
        const { parts, rest, count } = views[0].marks;
        return [parts.map(p => p.look), [0, 1, 2, 3].map(j => [...rest.slice(3 * j, 3 * j + 3)]), count];
    """)
    at, T, Y, _ = np.array(frame)
    colours = pixels(chrome, [(at + 0.5 * T + r * Y).tolist() for r in (0.5, 0.9, 1.6)])
    assert count == 5
    assert set(looks) == {"disks", "bearings", "rings"}
    assert all(colour[3] == 255 for colour in colours[:2])
    assert colours[2][3] == 0  # nothing beyond the ring
    before = picture(chrome)
    choose(chrome, "scale", "100")
    assert picture(chrome) != before


def test_bodies_with_surfaces_have_a_ghost_and_colours_of_velocity(chrome: Any, pages: Pages) -> None:
    show(chrome, pages["crank"])
    assert "Gray: the start" in chrome.find_element("id", "motion").text
    set_slider(chrome, 0.0)
    corners = chrome.execute_script("""
        const v = views[0], own = [...new Set(v.triangles)].filter(i => v.bodies[i] === v.bodies[v.triangles.at(-1)]);
        return own.map(i => [0, 1, 2].map(x => v.points[3 * i + x]));
    """)
    middle = np.mean(corners, axis=0) + [0.4 * np.ptp(corners, axis=0)[0], 0.0, 0.0]  # right half of the slider
    assert chroma(pixels(chrome, [middle.tolist()])[0]) > 60
    set_slider(chrome, 1.0)  # it has gone to the left
    left = pixels(chrome, [middle.tolist()])[0]
    assert 20 < left[3] < 120
    assert chroma(left) < 20
    now = np.mean(
        chrome.execute_script("const v = views[0]; return [...v.triangles.slice(-36)].map(i => v.place(i))"), axis=0
    )
    colours = []
    for field in ("0", "1"):  # each body has its own colour; velocity is the same on all of the slider
        choose(chrome, "field", field)
        colours.append(pixels(chrome, [(now + [0.01, 0.01, 0.0]).tolist()])[0][:3])
    assert chrome.execute_script("return views[0].fields[views[0].field].name") == "velocity"
    assert max(abs(a - b) for a, b in zip(*colours, strict=True)) > 30


def test_dark_where_the_reader_wants_it(chrome: Any, pages: Pages) -> None:
    show(chrome, pages["bar"])
    look = (
        "return [getComputedStyle(document.body).backgroundColor, views[0].tone('soft'), views[0].tone('vermillion')]"
    )
    light, before = chrome.execute_script(look), picture(chrome)
    media = {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    try:
        wait(chrome, "return views[0].tone('soft') !== '#5b5b62'")
        dark = chrome.execute_script(look)
        assert light == ["rgb(255, 255, 255)", "#5b5b62", "#d55e00"]
        assert dark == ["rgb(22, 23, 26)", "#b0b1b8", "#f28044"]
        assert picture(chrome) != before  # drawn anew
    finally:
        chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_lines_are_as_thick_as_their_sections_and_only_bending_grows(chrome: Any, pages: Pages) -> None:
    show(chrome, pages["beam"])
    set_slider(chrome, 0.0)
    first, last, height, up = chrome.execute_script("""
        const v = views[0], n = v.lines.length;
        return [v.place(v.lines[0]), v.place(v.lines[n - 1]), v.sizes[0], v.camera.up];
    """)
    at, sides = np.array(first) + 0.15 * (np.array(last) - first), height * np.array(up)
    found = [chroma(c) for c in pixels(chrome, [(at + s * sides).tolist() for s in (0.4, -0.4, 0.6, -0.6)])]
    assert min(found[:2]) > 40
    assert max(found[2:]) < 20
    script = "const v = views[0]; return [...Array(v.count).keys()].map(i => v.place(i))"
    set_slider(chrome, 1.0)
    true = np.array(chrome.execute_script(script))
    choose(chrome, "scale", "100")
    larger = np.array(chrome.execute_script(script))
    rod, rigid = (np.unique(chrome.execute_script(f"return [...views[0].{own}]")) for own in ("lines", "triangles"))
    np.testing.assert_allclose(larger[rigid], true[rigid], atol=1e-3)
    assert 2e-3 < np.abs(larger[rod] - true[rod]).max() < 0.1 * np.ptp(true[rod], axis=0).max()
