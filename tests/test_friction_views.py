"""Friction in views and reports: whole impulses as arrows, another colour where contacts slip, strips and cones."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from report_page import Page
from rough_scheme import RoughScheme
from test_friction_record import thrown

import flexmb as fm
from flexmb.case import load_case
from flexmb.cli import main
from flexmb.kernels.laws.friction_status import OPEN, SLIP, STICK
from flexmb.postproc.contact_status import COLOURS
from flexmb.postproc.friction_torque import friction_torques
from flexmb.postproc.impulses import Arrows
from flexmb.postproc.open_folder import open_folder
from flexmb.postproc.rotor_forces_plot import plot_rotor_forces
from flexmb.postproc.scene import Look, Scene
from flexmb.postproc.slipping import Slipping
from flexmb.record.result import Result


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A block that flies, slides and sticks."""
    result = fm.simulate(thrown(), RoughScheme(), step=1e-3, end=1.0, fields_every=10)
    return result.save(tmp_path_factory.mktemp("rough") / "block")


@pytest.fixture(scope="module")
def scene(folder: Path) -> Scene:
    opened = open_folder(folder)
    return Scene(opened, Look("displacement", 1.0, np.arange(len(opened.result.fields))))


@pytest.fixture(scope="module")
def page(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Page:
    out = tmp_path_factory.mktemp("page") / "report.html"
    assert main(["report", str(folder), "-o", str(out)]) == 0
    return Page(out)


def times_of(result: Result, status: int) -> np.ndarray:
    return result.time[result.contacts["floor"].status == status]


def test_an_arrow_is_the_whole_impulse(scene: Scene) -> None:
    floor = scene.result.contacts["floor"]
    k = scene.nearest(0.5)
    own = slice(10 * k - 9, 10 * k + 1)
    expected = [*floor.tangential_impulse[own].sum(axis=0), floor.impulse[own].sum()]
    np.testing.assert_allclose(scene.impulses.strongest(k, k)[0], expected, rtol=1e-12)
    assert expected[0] == pytest.approx(-0.3 * expected[2])


def test_points_slip_while_their_contact_does(scene: Scene) -> None:
    result = scene.result
    for status, slips in ((SLIP, True), (STICK, False), (OPEN, False)):
        middle = float(np.median(times_of(result, status)))
        k = scene.nearest(middle)
        assert scene.slipping.between(k, k).tolist() == [slips], status
    # what counts is the last sample at which it was closed: it still slips when the state is that of the landing
    assert scene.slipping.between(0, scene.nearest(0.2)).tolist() == [True]
    assert scene.slipping.between(0, len(scene.times) - 1).tolist() == [False]


def test_arrows_of_slipping_contacts_have_another_colour(scene: Scene) -> None:
    arrows = Arrows(scene, scene.arrows)
    assert "slips" in scene.arrows.words
    seen = {}
    for status, word in ((SLIP, "slip"), (STICK, "stick")):
        k = scene.nearest(float(np.median(times_of(scene.result, status))))
        frame = scene.frame(k)
        mesh, _ = arrows.at(-1, k, False, scene.positions(frame), scene.surface(frame))
        (colour,) = np.unique(mesh.cell_data["colour"], axis=0)
        assert "#" + bytes(colour.tolist()).hex().upper() == COLOURS[word]
        seen[word] = colour
    assert not np.array_equal(*seen.values())


def test_frictionless_arrows_are_as_before() -> None:
    result = fm.simulate(thrown(mu=0.0), fm.MoreauJean(), step=1e-2, end=0.3)
    own = Slipping(result, np.array([0]))
    assert not own.any
    assert own.between(0, 5).tolist() == [False]


def test_two_contacts_on_two_points() -> None:
    model = fm.Model()
    for k, v in enumerate((1.0, 0.0)):
        block = model.add(fm.Particle(f"p{k}", mass=1.0, position=(0, k, 0), velocity=(v, 0, 0)))
        model.add(fm.NodePlane(f"floor{k}", node=block.first, normal=(0, 0, 1), friction=0.2))
    model.gravity = (0.0, 0.0, -9.81)
    result = fm.simulate(model, RoughScheme(), step=1e-2, end=0.2)
    assert Slipping(result, np.array([0, 1])).between(1, 5).tolist() == [True, False]


def test_a_report_has_friction_slip_strip_and_cone(page: Page, folder: Path) -> None:
    result = fm.load(folder)
    floor = result.contacts["floor"]
    (label,) = (curve["label"] for curve in page.chart("Slip speed")["curves"])
    _, work = page.curve("Work of friction since the start", label)
    assert work[-1] == pytest.approx(result.energy.work_friction[-1])
    _, slip = page.curve("Slip speed", label)
    assert slip.max() == pytest.approx(floor.slip_speed.max())
    strip = page.chart("Open, stick, slip")
    assert strip["low"]
    share = {}
    for word in ("slip", "stick", "open"):
        x, high = page.curve("Open, stick, slip", word)
        low = page.numbers(next(c for c in strip["curves"] if c["label"] == word)["low"])
        share[word] = np.trapezoid(high - low, x)
    for status, word in ((OPEN, "open"), (STICK, "stick"), (SLIP, "slip")):
        assert share[word] == pytest.approx(1e-3 * np.sum(floor.status[1:] == status), abs=1e-9)
    (cone,) = [attributes for tag, attributes in page.tags if tag == "img"]
    assert "floor" in str(cone["alt"])
    assert str(cone["src"]).startswith("data:image/png;base64,")
    row = page.row("+ work of friction")
    assert float(row[1]) == pytest.approx(-2.0, rel=1e-6)


def test_arrows_of_a_report_tell_which_slip(page: Page) -> None:
    (motion,) = page.data["motions"]
    slips, frame = (page.numbers(motion["impulse"][name]) for name in ("slips", "frame"))
    times = page.numbers(motion["times"])[frame.astype(int)]
    assert slips[times < 0.7].all()
    assert not slips[times > 0.76].any()
    assert len(slips) > 50


def test_reports_of_two_runs_have_a_strip_each(folder: Path, tmp_path: Path) -> None:
    other = fm.simulate(thrown(mu=0.1), RoughScheme(), step=1e-3, end=1.0, fields_every=50).save(tmp_path / "other")
    out = tmp_path / "both.html"
    assert main(["report", str(folder), str(other), "-o", str(out)]) == 0
    both = Page(out)
    strips = [chart["title"] for chart in both.data["charts"] if chart["title"].startswith("Open, stick, slip")]
    assert len(strips) == len(set(strips)) == 2
    assert both.chart("Work: friction")


def test_a_picture_can_be_taken(folder: Path, tmp_path: Path) -> None:
    assert main(["view", str(folder), "--screenshot", str(tmp_path / "x.png"), "--time", "0.5"]) == 0
    assert (tmp_path / "x.png").stat().st_size > 10_000


@pytest.fixture(scope="module")
def rubbing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A rotor at a given speed that rubs its stator: friction brakes it, and the drive holds it."""
    sets = ["contacts.stator.friction=0.3", "contacts.stator.radius=0.0755", 'scheme={name="moreau-jean"}']
    sets += [f"bodies.rotor.spin.speed={OMEGA}", "time.end=0.01", "time.step=1e-5"]
    out = tmp_path_factory.mktemp("rub") / "r"
    load_case("rotor_rub", sets).run(out)
    return out


OMEGA = 418.879


def test_friction_brakes_the_spin_by_what_the_drive_brings(rubbing: Path) -> None:
    opened = open_folder(rubbing)
    result, torque = opened.result, friction_torques(opened)["stator"]
    stator = result.contacts["stator"]
    assert torque.min() < 0.0 == torque.max()
    np.testing.assert_allclose(torque, 0.0755 * stator.tangential_impulse / (5 * 1e-5), atol=1e-12)
    brought = -OMEGA * float(torque.sum()) * 5e-5
    energy, digits = result.energy, 1e-12 * result.summary["energy"]["scale"]
    assert energy.work_drive[-1] - energy.work_spin[-1] == pytest.approx(brought, rel=0.0, abs=digits)
    assert brought > 1e6 * digits
    # nearly all of it becomes heat: the rim is much faster than the whirl, on which friction does the rest
    assert brought == pytest.approx(-float(energy.work_friction[-1]), rel=0.02)
    figure = plot_rotor_forces(opened)
    assert "torque [N m]" in [axes.get_ylabel() for axes in figure.axes]


def test_an_axis_the_other_way_turns_the_sign(rubbing: Path) -> None:
    opened = open_folder(rubbing)
    stator = opened.case["contacts"]["stator"]
    d = opened.rotors.frame("rotor")[:, 0]
    turned = replace(opened, case=opened.case | {"contacts": {"stator": stator | {"axis": (-d).tolist()}}})
    np.testing.assert_array_equal(friction_torques(turned)["stator"], -friction_torques(opened)["stator"])


def test_without_rotor_or_friction_there_is_no_torque(folder: Path) -> None:
    assert friction_torques(open_folder(folder)) == {}
