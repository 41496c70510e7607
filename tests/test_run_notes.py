"""What a run says about itself reaches warnings, summary, report page and terminal, and the terminal once."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.sparse import csc_array

import flexmb as fm
from flexmb.case.shipped import shipped_cases
from flexmb.cli import main
from flexmb.drive.energy_bounds import EnergyBounds
from flexmb.drive.multibody_engine import MultibodyEngine
from flexmb.drive.stiff_damping import stiff_damping
from flexmb.errors import NotConverged
from flexmb.kernels.geometry.tables import DAMPING
from flexmb.study.task import Task, run_task

GGL = fm.GeneralizedAlpha(rho_inf=0.8)


def told(call) -> tuple[fm.Result, list[str]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = call()
    own = [w for w in caught if issubclass(w.category, fm.RunWarning)]
    assert all(Path(w.filename).name == Path(__file__).name for w in own)  # the line of the caller
    return result, [str(w.message) for w in own]


# restitution with GGL -----------------------------------------------------------------------------------------------


def ball(scheme: object, e: float, h: float = 1e-3) -> fm.Result:
    """Drop a ball from 1 m; with e = 1 it bounces 22 times."""
    model = fm.Model(gravity=(0.0, 0.0, -9.81))
    model.add(fm.Particle("ball", mass=1.0, position=(0.0, 0.0, 1.0)))
    model.add(fm.NodePlane("floor", node="ball", point=(0, 0, 0), normal=(0, 0, 1), restitution=e))
    return fm.simulate(model, scheme, step=h, end=20.0, every=10, signals=[])


def test_energy_that_position_corrections_take_from_a_bouncing_body():
    """Each bounce takes m g times the gap that the step began with: less with a smaller step, nothing without GGL."""
    result, words = told(lambda: ball(GGL, 1.0))
    energy = result.summary["energy"]
    assert energy["final"] / energy["initial"] == pytest.approx(0.907, abs=2e-3)
    assert energy["contact_projection"] == pytest.approx(energy["final"] - energy["initial"], rel=1e-6)
    (note,) = result.notes
    assert words == [note]
    assert "floor" in note
    assert "GGL" in note
    for scheme, h in ((GGL, 1e-4), (fm.GeneralizedAlpha(rho_inf=0.8, ggl=False), 1e-3), (fm.MoreauJean(), 1e-3)):
        kept, words = told(lambda scheme=scheme, h=h: ball(scheme, 1.0, h))
        assert words == []
        assert kept.summary["energy"]["final"] == pytest.approx(kept.summary["energy"]["initial"], rel=1e-3)
    assert ball(GGL, 0.0).notes == ()  # nothing is meant to be kept


# floating beams -----------------------------------------------------------------------------------------------------


def cantilever(load: float) -> fm.Result:
    """Clamp a strip at its first node; gravity bends it about its weak axis, its tip swings to twice the deflection."""
    model = fm.Model(gravity=(0.0, -load, 0.0))
    section = {"area": 4e-5, "inertia_y": 1.3e-11, "inertia_z": 1.3e-11, "torsion": 2e-11}
    strip = fm.FloatingBeam("strip", length=1.0, elements=6, section=section, young=2e11, density=7800.0)
    model.add(strip)
    model.add(fm.Fixed("clamp", a="ground", b="strip.first"))
    return fm.simulate(model, GGL, step=2e-3, end=1.0, fields_every=10**6)


def test_a_floating_beam_that_bends_too_far():
    bent, words = told(lambda: cantilever(6.0))
    path = np.abs(bent.signals["strip.last.position"][:, 1])
    (note,) = bent.notes
    assert words == [note]
    assert "bodies.strip" in note
    share = float(note.partition(" %")[0].rpartition(" ")[2])  # a cantilever is bent by the deflection of its tip
    assert share == pytest.approx(100.0 * path.max(), rel=0.02)
    assert f"t = {bent.time[path.argmax()]:.6g}" in note
    assert path.max() > 0.1
    little = cantilever(2.0)
    assert 0.02 < np.abs(little.signals["strip.last.position"][:, 1]).max() < 0.1
    assert little.notes == ()


# small motion that is not small -----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["bar", "beam", "among rigid bodies"])
def test_small_motion_that_is_not_small(kind):
    """A modulus in GPa instead of Pa makes everything large; the right one gives no note."""

    def run(young: float) -> fm.Result:
        axis = (1.0, 0.0, 0.0) if kind == "bar" else (0.0, 1.0, 0.0)
        model = fm.Model()
        keys = {"length": 1.0, "elements": 8, "young": young, "density": 7850.0}
        clamp = [{"node": "first", "kind": "clamped"}]
        if kind == "bar":
            model.add(fm.Bar("rod", area=1e-4, **keys, supports=[{"node": "first", "fix": ["x"]}]))
        else:
            model.add(fm.Beam("rod", section={"area": 1e-4, "inertia": 1e-9}, **keys, supports=clamp))
        if kind == "among rigid bodies":
            model.add(fm.Rigid("stone", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(0, 0, 9)))
        model.add(fm.NodalForce("push", node="rod.last", force=axis))
        return fm.simulate(model, fm.MoreauJean(), step=1e-2, end=1.0)

    wrong, words = told(lambda: run(210.0))
    (note,) = wrong.notes
    assert words == [note]
    assert "bodies.rod: an element" in note
    assert "units" in note
    how, _, value = note.partition(" by ")
    assert how.endswith("strained" if kind == "bar" else "rotated")
    assert 1.0 < float(value.split()[0]) < 1e9
    assert ("exact-beam" in note) == (kind != "bar")
    assert run(210e9).notes == ()


def test_the_last_state_counts_in_notes_on_small_motion(monkeypatch):
    """Of 12 states 4 were examined, every third; the bar is stretched in the last one only."""
    monkeypatch.setattr("flexmb.record.small_motion_notes.EXAMINED", 4)
    model = fm.Model()
    held = [{"node": "first", "fix": ["x"]}]
    model.add(fm.Bar("rod", length=1.0, elements=1, young=1e-6, density=3.0, area=1.0, supports=held))
    model.add(fm.NodalForce("pull", node="rod.last", force=(1.8, 0.0, 0.0)))  # stretches it by 0.9 t^2
    _, words = told(lambda: fm.simulate(model, fm.MoreauJean(), step=0.1, end=1.1))
    assert "t = 1.1 s" in words[0]


@pytest.mark.parametrize("apart", [0.0, 0.1])
def test_lines_of_a_body_given_by_matrices_are_no_elements(apart):
    """They are drawn between points that may be coordinates of anything."""
    points = {"a": {"at": (0.0, 0.0, 0.0), "y": (1.0, 0.0)}, "b": {"at": (apart, 0.0, 0.0), "y": (0.0, 1.0)}}
    unit, zero = ((1.0, 0.0), (0.0, 1.0)), ((0.0, 0.0), (0.0, 0.0))
    model = fm.Model()
    model.add(fm.Matrices(
        "part", mass_matrix=unit, stiffness_matrix=zero, points=points, lines=[["a", "b"]], rates=(0.0, 1.0)
    ))  # fmt: skip
    result, words = told(lambda: fm.simulate(model, fm.MoreauJean(), step=1e-2, end=1.0))
    assert result.notes == ()
    assert words == []


def test_an_indefinite_stiffness_is_told():
    def run(k: float) -> fm.Result:
        model, points = fm.Model(), {"tip": {"at": (0, 0, 0), "y": (1.0, 0.0)}}
        K = ((2.0, -1.0), (-1.0, k))
        model.add(fm.Matrices("part", mass_matrix=((1.0, 0.0), (0.0, 1.0)), stiffness_matrix=K, points=points))
        return fm.simulate(model, fm.MoreauJean(), step=1e-2, end=0.1)

    result, words = told(lambda: run(0.25))
    assert words == list(result.notes)
    assert "bodies.part.stiffness_matrix: is indefinite" in words[0]
    assert run(0.5).notes == ()  # semidefinite: a rigid motion
    assert run(0.499999).notes == ()  # the same, given with six digits
    assert run(0.499).notes != ()


# friction that cannot act -------------------------------------------------------------------------------------------


def struck(**keys: object) -> fm.Result:
    """Drop the tip of a clamped beam in small motion, which bends, on a rough stop."""
    model = fm.Model(gravity=(0.0, 0.0, -9.81))
    section = {"shape": "rectangle", "height": 0.01, "width": 0.04}
    model.add(
        fm.Beam("beam", length=1.0, elements=4, section=section, young=2.1e11, density=7800.0, orientation=(0, 0, 1),
                supports=[{"node": "first", "kind": "clamped"}])
    )  # fmt: skip
    model.add(fm.NodePlane("stop", node="beam.last", point=(1, 0, -1e-3), normal=(0, 0, 1), **keys))
    return fm.simulate(model, fm.MoreauJean(), step=2e-4, end=0.1)


def test_friction_that_cannot_act_is_told():
    result, words = told(lambda: struck(friction=0.3))
    assert result.contacts["stop"].impulse.any()
    assert not result.contacts["stop"].slip.any()
    (note,) = (note for note in result.notes if "friction never acted" in note)
    assert "contacts.stop" in note
    assert note in words
    for keys in ({}, {"friction": 0.3, "surface_velocity": (0.1, 0.0, 0.0)}):
        assert not any("friction never acted" in note for note in struck(**keys).notes)


# stiff damping ------------------------------------------------------------------------------------------------------


def thrown(scheme: object, stop: bool) -> fm.Result:
    """Clamp one end of a beam in flight: the velocities jump beside the clamp; a stop is half a metre away."""
    model = fm.Model(project=True)
    section = {"shape": "rectangle", "width": 0.02, "height": 0.02}
    keys = {"section": section, "young": 2e11, "density": 7800.0, "velocity": (0, 0, -1.0), "damping": {"beta": 0.1}}
    model.add(fm.ExactBeam("rod", length=1.0, elements=8, **keys))
    model.add(fm.Fixed("clamp", a="ground", b="rod.first"))
    if stop:
        model.add(fm.NodePlane("stop", node="rod.last", point=(0, 0, -0.5), normal=(0, 0, 1)))
    return fm.simulate(model, scheme, step=1e-3, end=0.02)


@pytest.mark.filterwarnings("ignore::flexmb.errors.RunWarning")
@pytest.mark.parametrize("stop", [True, False])
def test_stiff_damping_is_blamed_and_no_contact(stop):
    with pytest.raises(NotConverged) as error:
        thrown(GGL, stop)
    words = str(error.value)
    assert not error.value.contact
    assert "stop'" not in words
    for name in ("damping", "'rod'", "time.step", "0.001"):
        assert name in words
    result = thrown(fm.MoreauJean(), stop)  # what the words advise
    assert result.summary["energy"]["max"] <= result.summary["energy"]["initial"] * (1.0 + 1e-9)


# one way for all ----------------------------------------------------------------------------------------------------

BAR = """
title = "Stiffly damped bar"
[time]
end = 2.0
step = 2e-3
[scheme]
name = "generalized-alpha"
rho_inf = 0.0
[bodies.rod]
kind = "bar"
length = 10.0
elements = 200
area = 1.0
young = 900.0
density = 1.0
position = [5e-5, 0.0, 0.0]
velocity = [-0.1, 0.0, 0.0]
damping = { beta = 0.1 }
[contacts.wall]
kind = "node-plane"
node = "rod.first"
point = [0.0, 0.0, 0.0]
normal = [1.0, 0.0, 0.0]
restitution = 0.0
"""


def test_a_note_reaches_summary_report_and_terminal_once(tmp_path, capsys):
    path = tmp_path / "damped.toml"
    path.write_text(BAR)
    assert main(["run", str(path), "-o", str(tmp_path / "r")]) == 0
    said = capsys.readouterr()
    summary = json.loads((tmp_path / "r/summary.json").read_text())
    assert summary["energy"]["max"] > 13.0 * summary["energy"]["initial"]
    (note,) = summary["notes"]
    assert (said.out + said.err).count(note) == 1
    assert "RunWarning" not in said.err
    assert main(["report", str(tmp_path / "r")]) == 0
    assert (tmp_path / "r/report.html").read_text().count(note) == 1
    capsys.readouterr()
    assert main(["check", str(path)]) == 0
    said = capsys.readouterr()
    assert (said.out + said.err).count(note) == 1
    result, words = told(lambda: fm.load_case(path).run(tmp_path / "p"))
    assert words == [note]
    assert result.notes == (note,)
    in_memory, words = told(lambda: fm.load_case(path).run())
    assert words == list(in_memory.notes) == [note]
    assert main(["run", str(path), "-o", str(tmp_path / "q"), "--quiet"]) == 0
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", "")


def test_runs_of_a_study_keep_their_notes(tmp_path, capsys):
    (tmp_path / "damped.toml").write_text(BAR)
    study = tmp_path / "study.toml"
    study.write_text(
        """
case = "damped.toml"
[[axis]]
name = "rho"
key = "scheme.rho_inf"
values = [0.0, 1.0]
[[measure]]
name = "most"
signal = "summary.energy.max"
"""
    )
    assert main(["study", str(study), "-o", str(tmp_path / "s"), "--jobs", "1", "--no-figures"]) == 0
    said = capsys.readouterr()
    rows = {row.axes["rho"]: row for row in fm.load_study(study).run(tmp_path / "s").rows}
    (note,) = rows[0.0].notes
    assert rows[1.0].notes == ()
    assert said.err.count(note) == 1
    assert "RunWarning" not in said.err


def test_failed_runs_of_a_study_keep_their_notes(monkeypatch):
    """What is known before the first step, and what the steps met; not what axes replace."""
    monkeypatch.setattr(EnergyBounds, "first_bad", lambda bounds, energy: (len(energy) - 1, "made up"))
    monkeypatch.setattr(MultibodyEngine, "notes", lambda engine: ("met on the way",))
    path = shipped_cases()["bouncing_pendulum"]
    settings = [[["time", "tolerance"], 1e-3, "axis"], [["time", "end"], 0.01, "axis"]]
    settings += [[["scheme", "name"], "newmark", "axis"]]
    task = Task("key", 0, {}, str(path), path.read_text(encoding="utf-8"), settings)
    case = task.case()
    row = json.loads(run_task(task.to_json(), {}))
    assert "made up" in row["error"]
    assert case.plan_notes
    assert case.values.notes
    assert row["notes"] == [*case.plan_notes, "met on the way"]


def test_singular_masses_are_no_stiff_damping():
    system = SimpleNamespace(tangents=lambda t, q, v: (csc_array(np.diag([1.0, 0.0])),))
    F = np.zeros((DAMPING + 1, 2))
    F[DAMPING] = 1.0
    assert stiff_damping(system, 0.0, np.zeros(2), np.ones(2), F, 0.1, 1.0) == ""


@pytest.mark.parametrize(
    ("changes", "told_slow"),
    [
        (["time.events=true"], True),
        (["time.events=true", "time.step=1e-4"], False),  # few steps
        (["scheme.name=radau-iia-5"], True),
        ([], False),  # compiled
    ],
)
def test_many_steps_between_located_events_are_told(changes, told_slow):
    case = fm.load_case("rotor_rub", changes)
    found = [note for note in case.plan_notes if "25000 steps" in note]
    assert bool(found) == told_slow
    # radau-iia-5 refuses events = false
    assert all(("events = false" in note) != ("scheme.name=radau-iia-5" in changes) for note in found)
