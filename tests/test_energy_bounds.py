"""Runs whose energies cannot be believed do not end well: steps that do not close, schemes that make energy up."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from multibody_models import asymmetric_body, plan_of, run

import flexmb as fm
from flexmb.cli import main
from flexmb.drive.energy_bounds import CLOSES, DIGITS, MOST_GAIN, EnergyBounds
from flexmb.drive.multibody_engine import MultibodyEngine
from flexmb.kernels.multibody.multibody import NOT_CLOSED
from flexmb.record.samples import ENERGY_COLUMNS, EVENT_WORKS

KINETIC, RESIDUAL = 0, 6


# ----------------------------------------------------------------------------------------- steps that turn bodies far


@pytest.mark.parametrize("scheme", [fm.GeneralizedAlpha(1.0), fm.Newmark(), fm.GeneralizedAlpha(0.8)], ids=repr)
@pytest.mark.parametrize("speed", [3.0, 4.0])
def test_a_free_body_that_turns_far_in_a_step_keeps_its_energy(scheme, speed):
    """Newton's method diverged and was believed: 9e307 J after 100 steps. Smaller steps are taken instead."""
    r = run(asymmetric_body(angular_velocity=[speed, 0.1, 0.1]), scheme, 1.0, 150)
    assert r.engine.failure is None
    start = r.energy[0, KINETIC]
    assert np.abs(r.energy[:, RESIDUAL]).max() <= 1e-9 * start
    assert r.energy[:, KINETIC].max() <= start * (1.0 + 1e-9)
    if scheme != fm.GeneralizedAlpha(0.8):  # which damps, 12 % to 21 % here
        np.testing.assert_allclose(r.energy[:, KINETIC], start, rtol=1e-9)


def fast_wheel() -> fm.Model:
    model = fm.Model()
    model.add(fm.Rigid("wheel", mass=1.0, inertia=[0.4, 0.2, 0.2], angular_velocity=(100.0 * np.pi, 0.1, 0.0)))
    return model


def test_a_wheel_at_3000_rpm_keeps_its_energy_with_steps_of_half_a_turn():
    """It went to 1e110 J."""
    result = fm.simulate(fast_wheel(), fm.Newmark(), step=0.01, end=5.0)
    np.testing.assert_allclose(result.energy.kinetic, result.energy.kinetic[0], rtol=1e-9)
    assert np.abs(result.energy.residual).max() <= 1e-9 * result.energy.kinetic[0]


def test_a_step_that_never_closes_names_energy_body_and_step():
    engine = MultibodyEngine(plan_of(fast_wheel().assemble(), fm.Newmark(), 0.01, 10))
    failure = engine._failure(NOT_CLOSED, -1, 123.0)
    assert isinstance(failure, fm.SimulationError)
    for words in ("123 J", "1.97e+04 J", "'wheel'", "3.14 rad", "0.01 s", "0.00318", "time.step", "step 1"):
        assert words in str(failure), words


# ------------------------------------------------------------------------------------------------- schemes that blow up

EXPLICIT = """\
[time]
end = 4.0
step = 0.02

[scheme]
name = "schatzman-paoli"
weighting = "theta"
theta = 0.0

[bodies.ball]
kind = "particle"
mass = 1.0
position = [1.0, 0.0, 0.0]
axes = "x"

[loads.spring]
kind = "spring"
node = "ball"
anchor = [-2.0, 0.0, 0.0]
length = 2.0
stiffness = 4e4
"""


def test_a_scheme_that_makes_energy_up_fails_and_keeps_what_can_be_believed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    """An explicit scheme whose step is twice the stable one: 1e250 J were called complete."""
    path = tmp_path / "explicit.toml"
    path.write_text(EXPLICIT)
    assert main(["run", str(path), "-o", str(tmp_path / "r"), "--quiet"]) == 3
    said = capsys.readouterr().err
    assert "Traceback" not in said
    assert " J " in said
    assert "time.step" in said
    summary = json.loads((tmp_path / "r/summary.json").read_text())
    assert summary["status"] == "failed"
    result = fm.load(tmp_path / "r")
    assert 0.0 < summary["failure"]["time"] <= 0.5
    assert result.time[-1] < summary["failure"]["time"]
    assert result.energy.total.max() <= 2.0 * MOST_GAIN * result.energy.total[0]
    assert main(["run", str(path), "-o", str(tmp_path / "s"), "--set", "time.step=0.005", "--quiet"]) == 0


def oscillator(rate: float) -> fm.Model:
    """A mass on a spring that a force pushes the harder the longer it lasts."""
    model = fm.Model()
    model.add(fm.Particle("ball", 1.0, axes="x"))
    model.add(fm.Spring("spring", node="ball", anchor=(-2, 0, 0), length=2.0, stiffness=4.0))
    push = fm.Polynomial(coefficients=[0.0, 0.0, 0.0, rate])
    model.add(fm.NodalForce("push", node="ball", force=(1, 0, 0), function=push))
    return model


@pytest.mark.parametrize("engine", ["compiled", "general"])
def test_python_gets_the_error_too_and_growth_by_loads_is_none(engine):
    model = fm.Model()
    model.add(fm.Particle("ball", 1.0, position=(1, 0, 0), axes="x"))
    model.add(fm.Spring("spring", node="ball", anchor=(-2, 0, 0), length=2.0, stiffness=4e4))
    with pytest.raises(fm.SimulationError, match="J") as caught:
        fm.simulate(model, fm.SchatzmanPaoli("theta", 0.0), step=0.02, end=4.0, engine=engine)
    assert caught.value.time <= 0.5
    assert caught.value.step == round(caught.value.time / 0.02)
    grown = fm.simulate(oscillator(1e6), fm.GeneralizedAlpha(0.8), step=0.01, end=10.0, engine=engine)
    assert grown.energy.total[-1] > 1e12


@pytest.mark.filterwarnings("ignore::flexmb.errors.RunWarning")
def test_the_summary_of_a_run_that_was_stopped_counts_what_is_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """Contacts, iterations and energy scale were all 0; they are those of a run that ends with the last kept step."""
    sets = ["bodies.rod.elements=20", "scheme.name=moreau-jean", "scheme.theta=0.0"]
    words = [word for item in sets for word in ("--set", item)]
    stopped = [*words, "--set", "time.steps=200"]
    assert main(["run", "impacting_bar", *stopped, "-o", str(tmp_path / "r"), "--quiet"]) == 3
    failed = json.loads((tmp_path / "r/summary.json").read_text())
    assert failed["steps"] == fm.load(tmp_path / "r").step[-1] == failed["failure"]["step"] - 1
    case = fm.load_case("impacting_bar", [*sets, "time.steps=200"])
    h, kept = case.plan.h, failed["steps"]
    short = fm.simulate(case.model(), case.scheme, h, kept * h, solver=case.plan.solver).summary
    assert failed["contact_steps"] > 0
    for key in ("contact_steps", "solver_iterations", "min_gap"):
        assert failed[key] == short[key], key
    for key in ("scale", "max", "gain_steps", "gain_max", "residual_max"):
        assert failed["energy"][key] == short["energy"][key], key


def test_notes_of_a_run_that_fails_are_told(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(MultibodyEngine, "notes", lambda engine: ("met on the way",))
    monkeypatch.setattr(EnergyBounds, "first_bad", lambda bounds, energy: (len(energy) - 1, "made up"))
    with pytest.warns(fm.RunWarning, match="met on the way"), pytest.raises(fm.SimulationError, match="made up") as err:
        fm.simulate(fast_wheel(), fm.Newmark(), step=1e-4, end=1e-3)
    assert err.value.tally.steps == 9
    assert err.value.tally.newton_iterations > 0


# ------------------------------------------------------------------------------------- initial penetration, corrected

CORRECTING = ("generalized-alpha", "newmark", "schatzman-paoli", "phem56", "dopri5", "radau-iia-5", "hybrid")


@pytest.mark.filterwarnings("ignore::flexmb.errors.RunWarning")
@pytest.mark.parametrize("depth", [1e-6, 1e-3])
@pytest.mark.parametrize("scheme", CORRECTING)
def test_lifting_a_ball_at_rest_out_of_the_floor_is_booked_and_admitted(scheme, depth):
    """Nothing was stored: the work m g d of the first step was called unbounded."""
    model = fm.Model(gravity=(0.0, 0.0, -9.81), initial_penetration=depth)
    ball = model.add(fm.Particle("ball", mass=2.0, position=(0.0, 0.0, -depth)))
    model.add(fm.NodePlane("floor", node=ball, normal=(0.0, 0.0, 1.0)))
    result = fm.simulate(model, fm.SCHEMES[scheme](), step=1e-3, end=0.05)
    energy, lifted = result.energy, 2.0 * 9.81 * depth
    assert result.contacts["floor"].gap[-1] >= -1e-12 * depth
    assert np.abs(energy.residual).max() <= 1e-12 * lifted
    booked = energy.work_contact + energy.work_projection + energy.numerical
    np.testing.assert_allclose(energy.total - energy.total[0], booked, atol=1e-12 * lifted, rtol=1e-9)
    if scheme != "schatzman-paoli":  # which gives the ball a speed of the order of depth / h
        np.testing.assert_allclose(booked[1:], lifted, rtol=1e-9)


@pytest.mark.parametrize("scheme", ["generalized-alpha", "dopri5"])
def test_without_forces_the_elastic_energy_of_the_correction_is_admitted(scheme):
    model = fm.Model(initial_penetration=1e-5)
    model.add(fm.Particle("ball", mass=2.0, position=(1.0 - 1e-5, 0.0, 0.0), axes="x"))
    model.add(fm.Spring("spring", node="ball", anchor=(0.0, 0.0, 0.0), length=1.0 - 1e-5, stiffness=1e3))
    model.add(fm.NodePlane("stop", node="ball", normal=(1.0, 0.0, 0.0), point=(1.0, 0.0, 0.0)))
    energy = fm.simulate(model, fm.SCHEMES[scheme](), step=1e-3, end=0.05).energy
    assert energy.total[0] == pytest.approx(0.0, abs=1e-18)
    assert energy.total[1] == pytest.approx(0.5 * 1e3 * 1e-10, rel=1e-6)


# -------------------------------------------------------------------------------------------------------- the bounds


def rows(*changes: dict[str, float]) -> np.ndarray:
    """Return samples of a run that starts with 1 J and moves 1 J, with some numbers put in place of others."""
    base = dict.fromkeys(ENERGY_COLUMNS, 0.0) | {"kinetic": 0.5, "potential": 0.5}
    return np.array([[(base | change)[key] for key in ENERGY_COLUMNS] for change in changes])


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ({"kinetic": np.inf}, "finite"),
        ({"numerical": np.nan}, "finite"),
        ({"kinetic": 0.51, "residual": 0.01}, "0.01 J"),
        ({"kinetic": 2.0 * MOST_GAIN, "numerical": 2.0 * MOST_GAIN}, f"{2.0 * MOST_GAIN:.3g} J"),
        ({"kinetic": 2.0 * MOST_GAIN, "work_contact": 2.0 * MOST_GAIN}, f"{2.0 * MOST_GAIN:.3g} J"),
    ],
)
def test_the_first_sample_out_of_bounds_is_found(bad, words):
    bounds = EnergyBounds()
    assert bounds.first_bad(rows({}, {})) == (-1, "")
    place, said = bounds.first_bad(rows({}, {}, bad, {}))
    assert place == 2
    assert words in said


def test_energy_from_damping_that_can_only_dissipate_is_made_by_the_scheme():
    samples = rows({}, {"kinetic": 0.2, "work_damping": -0.3}, {"kinetic": 12.0, "work_damping": 11.5})
    assert EnergyBounds(gain=10.0).first_bad(samples) == (-1, "")
    place, said = EnergyBounds(gain=10.0, damping_takes=True).first_bad(samples)
    assert place == 2
    assert "11.5 J" in said


def test_what_is_brought_in_or_taken_out_is_in_bounds():
    bounds = EnergyBounds()
    fine = [
        {"kinetic": 1e9 + 0.5, "work_external": 1e9, "work_cross": 1e9},  # circulatory forces may feed any growth
        {"kinetic": 0.0, "potential": 0.0, "work_damping": -1.0},
        {"kinetic": 0.2, "potential": 0.2, "numerical": -0.6},
        {"kinetic": 1e6 + 0.5, "potential": -1e6 + 0.5},  # a fall
        {"kinetic": 0.5 + 1e-8, "residual": 1e-8},
    ]
    assert bounds.first_bad(rows(*fine)) == (-1, "")
    assert EnergyBounds().first_bad(np.zeros((3, len(ENERGY_COLUMNS)))) == (-1, "")


def row_by_row(energy: np.ndarray, seen: list[float]) -> tuple[int, str]:
    """Return the first bad sample and what it is, looking at one after the other; ``seen`` is carried on."""
    scale, brought, stored, lowest = seen
    for k, row in enumerate(energy):
        if not np.isfinite(row).all():
            return k, "finite"
        kinetic, potential, external, damping, contact, numerical, residual = (float(x) for x in row[:7])
        friction, bonds = (float(row[ENERGY_COLUMNS.index(key)]) for key in ("work_friction", "work_cohesion"))
        closing, projection = (float(row[ENERGY_COLUMNS.index(key)]) for key in EVENT_WORKS[::-1])
        works = (external, damping, contact, friction, numerical, projection, closing)
        start = kinetic + potential - sum(works) - residual
        lowest, stored = min(lowest, potential, start), max(stored, abs(potential), abs(start))
        scale = max(scale, kinetic, abs(kinetic + potential), sum(map(abs, works)))
        brought = max(brought, abs(external), bonds)
        seen[:] = scale, brought, stored, lowest
        if abs(residual) > CLOSES * scale + 1e-12 * stored:
            return k, "ledger"
        made = numerical + projection + max(0.0, contact + closing + friction - bonds)
        if made > 100.0 * (start - lowest + brought) + DIGITS * stored:
            return k, "bound"
    return -1, ""


def test_blocks_are_judged_as_row_by_row():
    rng = np.random.default_rng(0)
    found = []
    for _ in range(400):
        energy = rng.normal(size=(60, len(ENERGY_COLUMNS))) * 10.0 ** rng.uniform(-3, 3, len(ENERGY_COLUMNS))
        energy[:, RESIDUAL] = 0.0 if rng.random() < 0.5 else 10.0 ** rng.uniform(-10, -2) * rng.normal(size=60)
        energy[:, 5] *= 10.0 ** rng.uniform(-2, 3)
        if rng.random() < 0.3:
            energy[rng.integers(60), rng.integers(9)] = rng.choice([np.nan, np.inf, 1.5e308, -1.5e308])
        bounds, seen = EnergyBounds(gain=100.0), [0.0, 0.0, 0.0, np.inf]
        for block in np.split(energy, np.sort(rng.integers(0, 61, 3))):
            place, words = bounds.first_bad(block)
            expected, kind = row_by_row(block, seen)
            assert place == expected
            assert kind in words
            np.testing.assert_array_equal(bounds.numbers, seen)
            if place >= 0:
                break
        found.append(kind)
    assert all(found.count(kind) > 20 for kind in ("", "finite", "ledger", "bound"))
