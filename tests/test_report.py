"""The report: what it says, what it must not say, and what it does with broken results."""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import tomllib
from pathlib import Path

import fake_multibody
import h5py
import numpy as np
import pytest
from messages import only, says
from report_page import Page

import flexmb as fm
from flexmb.analysis.exact import exact_solution
from flexmb.cli import main
from flexmb.errors import InputError
from flexmb.postproc.ledger import ledger_of
from flexmb.postproc.report import write_report
from flexmb.postproc.report.html import with_code
from flexmb.postproc.report.numbers import Numbers

CASES = Path(__file__).parents[1] / "cases"
COARSE = ["bodies.rod.elements=40", "time.step=5e-3"]


@pytest.fixture(scope="module")
def bar(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report") / "bar"
    fm.load_case(CASES / "impacting_bar.toml", COARSE).run(folder)
    return folder


@pytest.fixture(scope="module")
def page(bar: Path) -> Page:
    return Page(write_report([bar], bar.parent / "bar.html").path)


def test_says_what_was_run(page: Page, bar: Path) -> None:
    assert ("title", {}) in page.tags
    for words in (
        "Elastic bar thrown against a wall",
        "Doyen, Ern, Piperno (2011)",
        "generalized-alpha (rho_inf = 0.8",
    ):
        assert words in page.text
    assert page.row("steps")[1] == "400 of 0.005 s"
    assert page.row("size")[1] == "41 unknowns, 1 contact"
    assert page.row("engine")[1] == "compiled"
    assert page.row("numpy")[1] == np.__version__
    assert "flexmb run case.toml -o again/bar\nflexmb report again/bar" in page.text
    assert (bar / "case.toml").read_text() in page.text


def test_expectations_have_ticks(page: Page, bar: Path) -> None:
    entries = fm.load(bar).summary["expectations"]
    marks = [row[0] for row in page.rows if row and row[0] in "✓✗" and row[0]]
    assert marks == ["✓" if entry["ok"] else "✗" for entry in entries]
    assert {"✓", "✗"} == set(marks)  # on this mesh not all are met
    assert f"{marks.count('✓')} of {len(marks)} expectations met" in page.text


def test_energy_stack_adds_up(page: Page, bar: Path) -> None:
    energy = fm.load(bar).energy
    chart = page.chart("Energy over time")
    bands = [curve for curve in chart["curves"] if "low" in curve]
    assert [band["label"] for band in bands] == ["kinetic", "potential", "lost to contacts", "lost to scheme"]
    low = np.zeros(401)
    for band in bands:  # each stands on the one before
        np.testing.assert_allclose(page.numbers(band["low"]), low, atol=1e-4)
        low = page.numbers(band["y"])
    t, given = page.curve("Energy over time", "= initial + work supplied")
    np.testing.assert_allclose(low, given, atol=1e-4)
    np.testing.assert_allclose(page.numbers(bands[0]["y"]), energy.kinetic, atol=1e-4)
    np.testing.assert_allclose(page.numbers(bands[1]["y"]), energy.total, atol=1e-4)
    bars = page.chart("Initial + works = final")["bars"]
    assert bars[0]["to"] == pytest.approx(500.0)
    assert all(a["to"] == pytest.approx(b["from"]) for a, b in zip(bars[:-2], bars[1:-1], strict=True))
    assert bars[-1]["to"] == pytest.approx(bars[-2]["to"], abs=1e-9)
    total = float(page.row("= initial + works")[1])
    assert total == pytest.approx(float(page.row("= kinetic + potential")[1]), abs=1e-6)
    parts = [float(page.row(name)[1]) for name in ("initial energy", "+ work of contacts", "+ work of scheme")]
    assert sum(parts) == pytest.approx(total, abs=1e-6)


@pytest.mark.parametrize("name", ["four_bar", "bouncing_ball"])
def test_ledger_balances_whatever_the_signs(name: str) -> None:
    result = fm.load_case(CASES / f"{name}.toml", ["time.steps=400"]).run()
    ledger = ledger_of(result)
    assert ledger is not None
    given, found = (np.array([part.values for part in side]) for side in (ledger.given, ledger.found))
    assert given.min() >= 0.0
    assert found.min() >= -1e-12
    np.testing.assert_allclose(given.sum(axis=0) + ledger.residual, found.sum(axis=0), atol=1e-10)


def test_contacts_signals_portraits_and_spectra_hold_the_numbers(page: Page, bar: Path) -> None:
    result = fm.load(bar)
    wall = result.contacts["wall"]
    for title, values in (
        ("Gap", wall.gap),
        ("Relative velocity", wall.velocity),
        ("Force", wall.force),
        ("Accumulated impulse", np.cumsum(wall.impulse)),
    ):
        t, y = page.curve(title, "generalized-alpha")
        np.testing.assert_allclose(t, result.time, atol=1e-6)
        np.testing.assert_allclose(y, values, atol=1e-4)
    x, v = (result.signals[f"rod.last.{word}"][:, 0] for word in ("position", "velocity"))
    np.testing.assert_allclose(page.curve("rod.last.position.x", "generalized-alpha")[1], x, atol=1e-5)
    portrait = page.curve("rod.last.position.x", "generalized-alpha", nth=1)
    np.testing.assert_allclose(portrait, [x, v], atol=1e-5)
    spectrum = page.chart("rod.last.position.x", nth=2)
    assert (spectrum["log"], spectrum["x"], spectrum["y"]) == (True, "frequency [Hz]", "amplitude [m]")
    titles = [chart["title"] for chart in page.data["charts"]]
    assert not any("position.y" in title for title in titles)  # what does not move is not drawn
    labels = [chart[axis] for chart in page.data["charts"] for axis in ("x", "y") if axis in chart]
    assert all(re.search(r"\[.+\]$", label) for label in labels)  # units everywhere


def test_exact_solution_is_drawn_and_compared(page: Page, bar: Path) -> None:
    exact = exact_solution(tomllib.loads((bar / "case.toml").read_text()))
    assert exact is not None
    t, force = page.curve("Force", "exact")
    inside = (t > 0.51) & (t < 1.16)
    np.testing.assert_allclose(force[inside], 300.0, rtol=1e-5)
    assert {0.0, 300.0} == set(force.round(3))
    result = fm.load(bar)
    mean = np.abs(result.signals["rod.mid.position"][:, 0] - exact.curves["rod.mid.position.x"](result.time)).mean()
    cell = page.row("rod.mid.position.x")
    assert cell[1] == "m"
    assert float(cell[2].split()[0]) == pytest.approx(mean, rel=0.02)


def test_animation_holds_the_motion(page: Page, bar: Path) -> None:
    result, (motion,) = fm.load(bar), page.data["motions"]
    times = page.numbers(motion["times"])
    np.testing.assert_allclose(times, result.fields.times, atol=1e-6)
    moved = page.numbers(motion["moved"]).reshape(len(times), -1, 3)
    points = page.numbers(motion["points"]).reshape(-1, 3)
    for k in (0, 57, len(times) - 1):
        frame = result.fields.frame(k)
        np.testing.assert_allclose(moved[k], frame["displacement"], atol=5e-4)  # 1/65535 of the range
        np.testing.assert_allclose(points, result.layout.points, atol=1e-5)
    impulse = page.numbers(motion["impulse"]["vector"]).reshape(-1, 3)
    assert impulse[:, 0].sum() == pytest.approx(result.contacts["wall"].impulse.sum(), rel=1e-5)  # every state is shown
    assert set(page.numbers(motion["impulse"]["point"])) == {0.0}
    (plane,) = motion["planes"]
    assert plane["normal"] == [1.0, 0.0, 0.0]
    assert page.numbers(plane["offsets"]).any() == False  # noqa: E712


def test_nothing_comes_from_outside_and_no_place_is_told(page: Page, bar: Path) -> None:
    assert "http:" not in page.source
    assert "https:" not in page.source
    assert "url(" not in page.source.replace("url(#", "")
    for tag, attributes in page.tags:
        assert tag not in ("img", "iframe", "object", "embed")
        assert "src" not in attributes
        assert (attributes.get("href") or "#").startswith(("#", "data:,"))
        assert not [key for key in attributes if key.startswith("on")]
    policy = next(a["content"] for tag, a in page.tags if tag == "meta" and "http-equiv" in a)
    assert policy is not None
    assert policy.startswith("default-src 'none'")
    assert str(bar.parent) not in page.source
    assert str(Path.home()) + "/" not in page.source


def test_markup_in_names_does_nothing(tmp_path: Path) -> None:
    text = (CASES / "bouncing_ball.toml").read_text().replace("time]\nend = 4.0", "time]\nend = 0.5")
    evil = "<script>alert(1)</script><img src=x onerror=alert(2)>&amp;'\\\"</title>]]><!--"
    text = re.sub(r'^title = ".*"', f'title = "{evil}"', text)
    text = text.replace('description = """', f'description = """{evil}')
    text = text.replace('source = "RR-7151 (10): q = 1 - t^2"', f'source = "{evil}"')
    text = re.sub(
        r'(?s)(\[\[expect\]\]\nsignal = "ball.position.z".*?t\^2"|\[\[expect\]\].*?onerror.*?\n\n).*', r"\1", text
    )
    case = tmp_path / "evil.toml"
    case.write_text(text)
    fm.load_case(case).run(tmp_path / "evil")
    page = Page(write_report([tmp_path / "evil"]).path)
    assert [tag for tag, _ in page.tags].count("script") == 3
    assert not [tag for tag, _ in page.tags if tag == "img"]
    assert "<script>alert(1)</script>" in page.text  # as text it is there
    assert (tmp_path / "evil/report.html").is_file()


def test_markup_in_names_of_folders_contacts_and_signals_does_nothing(bar: Path, tmp_path: Path) -> None:
    evil = "<img src=x onerror=alert(3)>\"'&amp;<!--"
    folders = [Path(shutil.copytree(bar, tmp_path / f"{evil}{k}")) for k in range(2)]
    for folder in folders:
        with h5py.File(folder / "result.h5", "r+") as file:
            file.move("contacts/wall", f"contacts/{evil}")
            file.move("signals/rod.mid.position", f"signals/{evil}.position")
            del file["layout/contacts"], file["layout/digest"]
    page = Page(write_report(folders, tmp_path / "both.html").path)
    assert [tag for tag, _ in page.tags].count("script") == 3
    assert not [tag for tag, _ in page.tags if tag == "img"]
    assert not [key for _, attributes in page.tags for key in attributes if key.startswith("on") or key == "src"]
    canvases = [attributes["aria-label"] for tag, attributes in page.tags if tag == "canvas"]
    assert canvases == [f"Motion of {evil}{k}" for k in range(2)]
    assert f"{evil}.position.x" in {chart["title"] for chart in page.data["charts"]}
    assert [motion["label"] for motion in page.data["motions"]] == [f"{evil}{k}" for k in range(2)]
    assert "<" not in page.scripts["page"]  # of the embedded JSON
    assert f"again/{evil}0" in page.text.replace("'\"'\"'", "'")


def test_notes_of_the_run_stand_on_the_page_once(bar: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(bar, tmp_path / "noted"))
    summary = json.loads((folder / "summary.json").read_text())
    summary["notes"] = ["theta does nothing <here>"]
    (folder / "summary.json").write_text(json.dumps(summary))
    written = write_report([folder])
    assert written.notes == ("theta does nothing <here>",)
    assert Page(written.path).text.count("theta does nothing <here>") == 1


def test_a_report_of_the_folder_one_is_in(bar: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Path(shutil.copytree(bar, tmp_path / "here"))
    (folder / "fields.vtkhdf").unlink()
    monkeypatch.chdir(folder)
    (note,) = write_report(["."]).notes
    assert says(note, "fields.vtkhdf ... missing ... flexmb export")
    assert "again/here" in Page(folder / "report.html").text


def test_mechanisms_with_surfaces_and_joints(tmp_path: Path) -> None:
    folder = fake_multibody.saved(tmp_path / "mechanism")
    page = Page(write_report([folder]).path)
    (motion,) = page.data["motions"]
    result = fm.load(folder)
    assert len(page.numbers(motion["triangles"])) == result.layout.triangles.size
    assert motion["grown"] is not None  # not all of what moves is drawn larger
    assert any(chart["title"].endswith("position_error") for chart in page.data["charts"])


def test_ways_in_a_plane_are_drawn_with_equal_scales(tmp_path: Path) -> None:
    model = fm.Model(gravity=(0, 0, -9.81))
    model.add(fm.Particle("stone", mass=1.0, velocity=(3.0, 0, 4.0)))
    fm.simulate(model, fm.MoreauJean(), step=0.01, end=0.8).save(tmp_path / "stone")
    page = Page(write_report([tmp_path / "stone"]).path)
    (orbit,) = [chart for chart in page.data["charts"] if chart.get("equal")]
    assert (orbit["title"], orbit["x"], orbit["y"]) == ("stone.position", "position.x [m]", "position.z [m]")
    x, z = (page.numbers(orbit["curves"][0][axis]) for axis in "xy")
    np.testing.assert_allclose(z, 4.0 * x / 3.0 - 4.905 * (x / 3.0) ** 2, atol=1e-3)
    assert says(page.text, "computed ... Python ... case file")


def test_chosen_signals(bar: Path, tmp_path: Path) -> None:
    page = Page(write_report([bar], tmp_path / "x.html", ["rod.mid.velocity", "energy.potential"]).path)
    titles = [chart["title"] for chart in page.data["charts"]]
    assert "rod.mid.velocity.x" in titles
    assert "energy.potential" in titles
    assert "rod.first.position.x" not in titles


def test_unfinished_run(bar: Path, tmp_path: Path) -> None:
    folder = tmp_path / "unfinished"
    folder.mkdir()
    shutil.copy(bar / "result.h5", folder / "result.h5.part")
    shutil.copy(bar / "case.toml", folder / "case.toml.part")
    shutil.copy(bar / "fields.vtkhdf", folder / "fields.vtkhdf.part")
    with h5py.File(folder / "result.h5.part", "r+") as file:  # rows to come are zero
        for name in ("step", "time"):
            file[name][201:] = 0
        file["state/step"][101:] = 0
    written = write_report([folder])
    assert says(only(written.notes), "not finished")
    page = Page(written.path)
    assert says(page.text, "run ... finished")
    assert "not finished" in page.row("status")[1]
    assert page.curve("Gap", "generalized-alpha")[0].max() == pytest.approx(1.0)


def test_damaged_runs(bar: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "damaged"
    shutil.copytree(bar, folder)
    (folder / "result.h5").write_bytes(b"no HDF5 at all")
    assert main(["report", str(folder)]) == 2
    assert "damaged/result.h5" in capsys.readouterr().err
    assert not (folder / "report.html").exists()


def test_failed_run_says_so(bar: Path, tmp_path: Path) -> None:
    folder = tmp_path / "failed"
    shutil.copytree(bar, folder)
    summary = json.loads((folder / "summary.json").read_text())
    summary |= {"status": "failed", "failure": {"error": "the contact solver <b>gave up</b> at t = 1.5 s"}}
    (folder / "summary.json").write_text(json.dumps(summary))
    page = Page(write_report([folder]).path)
    assert "the run failed: the contact solver <b>gave up</b> at t = 1.5 s" in page.text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere"], "result folder 'nowhere'"),
        (["."], "result folder ... summary.json"),
        (["BAR", "--signal", "rod.frst.position"], "rod.first.position"),
        (["BAR", "-o", "report.pdf"], "'report.pdf' ... end ... .html"),
        (["BAR", "-o", "no/such/report.html"], "folder 'no/such'"),
    ],
)
def test_wrong_input(
    bar: Path, arguments: list[str], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["report", *(str(bar) if word == "BAR" else word for word in arguments)]) == 2
    err = capsys.readouterr().err
    assert says(err, words)
    assert "Traceback" not in err
    assert not list(tmp_path.glob("*.html"))


def test_long_results_are_thinned_with_their_peaks(bar: Path, tmp_path: Path) -> None:
    folder = tmp_path / "long"
    shutil.copytree(bar, folder)
    n = 200_001
    rng = np.random.default_rng(1)
    gap = rng.uniform(1.0, 2.0, n)
    gap[123_456] = 0.25
    with h5py.File(folder / "result.h5", "r+") as file:
        fresh = {"step": np.arange(n), "time": np.linspace(0, 2, n), "contacts/wall/gap": gap}
        rows = [name for name in _datasets(file) if file[name].shape[:1] == (401,)]
        for name in rows:
            values = np.resize(file[name][()], (n, *file[name].shape[1:]))
            del file[name]
            file[name] = fresh.get(name, values)
    page = Page(write_report([folder]).path)
    t, y = page.curve("Gap", "generalized-alpha")
    assert len(t) <= 2002
    assert y.min() == pytest.approx(0.25, abs=1e-6)
    assert t[np.argmin(y)] == pytest.approx(2 * 123_456 / 200_000, abs=1e-5)
    assert len(page.source) < 4e6


def _datasets(file: h5py.File) -> list[str]:
    names: list[str] = []
    file.visititems(lambda name, node: names.append(name) if isinstance(node, h5py.Dataset) else None)
    return names


def test_numbers_survive_the_packing() -> None:
    numbers = Numbers()
    exact = np.array([1000.0, 1000.0 + 1e-6, np.nan, 1000.0 - 2e-6])
    values = [exact, np.linspace(-3, 7, 101), np.array([3, 1, -4])]
    at = [numbers.add(values[0]), numbers.add_coarse(values[1]), numbers.add_whole(values[2])]
    raw = base64.b64decode(numbers.base64())
    for k, wanted, room in zip(at, values, (1e-12, 1e-4, 0.0), strict=True):
        kind, first, count, base, factor = numbers.index[k]
        assert first % 4 == 0
        got = base + factor * np.frombuffer(raw, "<" + kind, count, first).astype(float)
        np.testing.assert_allclose(got, wanted, rtol=0, atol=room)


def test_no_folder_is_an_error() -> None:
    with pytest.raises(InputError, match="least.*result folder"):
        write_report([])


def test_a_rotor_has_its_own_pictures(page: Page, tmp_path: Path) -> None:
    assert 'id="rotor"' not in page.source
    short = ["time.end=0.2", "time.step=1e-3", "output.every=1", "output.fields_every=10"]
    case = fm.load_case(CASES / "laval_rotor.toml", short)
    case.run(tmp_path / "rotor")
    whole = Page(write_report([tmp_path / "rotor"], tmp_path / "rotor.html").path)
    pictures = [attributes for tag, attributes in whole.tags if tag == "img"]
    assert [image["alt"] for image in pictures] == [
        "Orbits across the axis",
        "Spectrum, backward and forward",
        "Spectrum over time",
        "Forces on bearings and in contacts",
    ]
    assert all(len(image["src"] or "") > 20_000 for image in pictures)


def one_sample(folder: Path) -> None:
    """Cut the samples of a result down to the first."""
    with h5py.File(folder / "result.h5", "r+") as file:
        names: list[str] = []
        file.visit(names.append)
        n = len(file["time"])
        states = len(file["state/time"])
        for name in names:
            data = file[name]
            if isinstance(data, h5py.Dataset) and not name.startswith("layout") and data.shape[:1] in ((n,), (states,)):
                first = data[:1]
                del file[name]
                file[name] = first


@pytest.mark.parametrize("case", ["impacting_bar", "bouncing_ball"])
def test_a_run_with_its_start_only_has_a_page(case: str, tmp_path: Path) -> None:
    fm.load_case(case, ["time.end=0.01"]).run(tmp_path / "short")
    one_sample(tmp_path / "short")
    page = Page(write_report([tmp_path / "short"]).path)
    assert "exact" not in [curve["label"] for chart in page.data["charts"] for curve in chart.get("curves", [])]


def test_a_run_that_failed_at_once_says_why(tmp_path: Path) -> None:
    with pytest.raises(fm.SimulationError) as failure:
        fm.load_case("impacting_bar", [*COARSE, "bodies.rod.velocity=[-1e200, 0.0, 0.0]"]).run(tmp_path / "far")
    written = write_report([tmp_path / "far"])
    assert says(written.notes[0], "failed ... motion ... finite")
    assert str(failure.value).partition(" at ")[0] in Page(written.path).text
    assert not any(says(note, "case.toml") for note in written.notes)


def test_a_motion_that_cannot_be_drawn_is_said_at_the_top(
    bar: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise InputError("the picture is gone")

    monkeypatch.setattr("flexmb.postproc.report.views.motion_of", refuse)
    written = write_report([bar], tmp_path / "x.html")
    assert says(only(written.notes), "motion ... the picture is gone")
    page = Page(written.path)
    assert page.text.index("the picture is gone") < page.text.index("Data of the run")


def test_expectations_have_units_and_say_what_they_were_written_for(page: Page, bar: Path, tmp_path: Path) -> None:
    rows = {row[1].rpartition(" = ")[0]: row for row in page.rows if row and row[0] in ("✓", "✗")}
    assert rows["sum of contacts.wall.impulse"][3] == "N s"
    assert rows["contacts.wall.force at t = 0.8"][3] == "N"
    assert says(page.text, "file's ... time (end = 2, step = 0.002)")
    assert "written for the file's own scheme" not in page.text
    fm.load_case("impacting_bar", [*COARSE, "scheme.name=moreau-jean"]).run(tmp_path / "other")
    other = Page(write_report([tmp_path / "other"]).path)
    words = "written for the file's own scheme (generalized-alpha)"
    assert words in other.text[: other.text.index("Data of the run")]  # beside the count of those that are met
    assert words in other.text[other.text.index("Data of the run") :]


def test_backticks_of_a_description_are_code() -> None:
    assert with_code("a `b < c` d") == "a <code>b &lt; c</code> d"
    assert with_code("`a` and `b") == "<code>a</code> and `b"
    assert with_code("no") == "no"


def test_components_of_round_off_are_not_drawn(bar: Path, tmp_path: Path) -> None:
    shutil.copytree(bar, tmp_path / "bar")
    with h5py.File(tmp_path / "bar" / "result.h5", "r+") as file:
        place = file["signals/rod.mid.position"]
        place[:, 1] = 1e-16 * np.sin(np.arange(len(place)))
        place[:, 2] = 1e-9 * np.sin(np.arange(len(place)))
    titles = [chart["title"] for chart in Page(write_report([tmp_path / "bar"]).path).data["charts"]]
    assert "rod.mid.position.x" in titles
    assert "rod.mid.position.y" not in titles
    assert "rod.mid.position.z" in titles


def test_what_the_terminal_warns_of_stands_on_the_page(tmp_path: Path) -> None:
    result = fm.load_case("beam_on_stop", ["time.end=0.05"]).run(tmp_path / "beam")
    energy = result.summary["energy"]
    assert energy["gain_steps"] > 0
    written = write_report([tmp_path / "beam"])
    assert any(f"in {energy['gain_steps']} steps a contact added energy" in note for note in written.notes)
    page = Page(written.path)
    assert "a contact added energy" in page.text
    parts = [float(page.row(f"   (of it {words})")[1]) for words in ("the impact law", "position correction, GGL")]
    assert parts[1] == pytest.approx(energy["contact_projection"], rel=1e-9)
    assert sum(parts) == pytest.approx(float(page.row("+ work of contacts")[1]), rel=1e-8)


def test_when_it_was_computed_does_not_depend_on_the_files(bar: Path, tmp_path: Path) -> None:
    when = fm.load(bar).summary["computed"]
    folder = Path(shutil.copytree(bar, tmp_path / "copy"))
    os.utime(folder / "summary.json", (0.0, 0.0))
    assert Page(write_report([folder]).path).row("computed")[1] == when.replace("T", " ").replace("+00:00", " UTC")


def test_joints_are_drawn_where_they_are_off(tmp_path: Path) -> None:
    for name, keys in (("tight", []), ("loose", ["scheme.name=moreau-jean"])):
        fm.load_case("bouncing_pendulum", ["time.end=0.2", *keys]).run(tmp_path / name)
    tight, loose = (Page(write_report([tmp_path / name]).path) for name in ("tight", "loose"))
    titles = [[c["title"] for c in page.data["charts"] if c["title"].startswith("joints.")] for page in (tight, loose)]
    assert titles == [[], ["joints.pin.position_error"]]
    assert 0.0 <= float(tight.row("pin")[1]) <= 1e-11
    expected = fm.load(tmp_path / "loose").joints["pin"].position_error.max()
    assert float(loose.row("pin")[1]) == pytest.approx(expected, rel=1e-2)
    assert expected > 1e-6
