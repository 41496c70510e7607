"""Steps of explicit integrators with which vibrations grow: refused before the run, noted, or named where it stops."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import linalg, sparse

import flexmb as fm
from flexmb.cli import main
from flexmb.drive.engine import Plan
from flexmb.drive.events.stiffness import cause_of_growth, check_stability, growth, stability_note
from flexmb.drive.events.vibrations import Vibrations, damping_takes, vibrations
from flexmb.errors import InputError, SimulationError
from flexmb.schemes.scheme import Scheme
from flexmb.system.linear_system import LinearSystem

FAST = """
[time]
end = 1.0
{step}

[scheme]
name = "dopri5"

[bodies.tip]
kind = "particle"
mass = 1.0
velocity = [1.0, 0.0, 0.0]
axes = "x"

[loads.needle]
kind = "spring"
node = "tip"
direction = [1.0, 0.0, 0.0]
stiffness = {stiffness}
"""


def planned(scheme: Scheme, system: LinearSystem, h: float, span: float) -> Plan:
    """Return the plan of a run with steps of h."""
    return Plan(system, scheme, fm.ContactSolver(), h, 0.0, round(span / h), 1, 1)


def oscillator(damping: float = 0.0) -> fm.Model:
    """Return a mass that vibrates with 1 rad/s."""
    model = fm.Model()
    model.add(fm.Particle("mass", mass=1.0, velocity=(1, 0, 0), axes="x"))
    model.add(fm.Spring("spring", node="mass", direction=(1, 0, 0), stiffness=1.0))
    if damping:
        model.add(fm.Damper("damper", node="mass", direction=(1, 0, 0), coefficient=damping))
    return model


@pytest.mark.parametrize("command", ["validate", "run"])
def test_validate_and_run_refuse_the_same_stiff_model(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A spring of 1e18 N/m with a tolerance: stability asks for 6e8 steps."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fast.toml").write_text(FAST.format(step="tolerance = 1e-6", stiffness=1e18))
    assert main([command, "fast.toml"]) == 2
    said = capsys.readouterr().err
    assert all(word in said for word in ("dopri5", "tip", "1e+09 rad/s", "5.8e+08 steps", "generalized-alpha"))
    (tmp_path / "fast.toml").write_text(FAST.format(step="tolerance = 1e-6", stiffness=1e14))
    assert main(["validate", "fast.toml"]) == 0


@pytest.mark.parametrize("command", ["validate", "run"])
def test_a_fixed_step_that_lets_the_energy_grow_is_refused_with_what_it_does(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """h omega = 1.6, below the 1.72 where a step gains a hundredth: 1000 steps multiply the energy by 4e4."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fast.toml").write_text(FAST.format(step="step = 1e-3", stiffness=1.6e3**2))
    assert main([command, "fast.toml"]) == 2
    said = capsys.readouterr().err
    assert all(word in said for word in ("step", "tip", "1600 rad/s", "1.00532", "4.06e+04"))


GROWS = [("dopri5", 1.6, 0.0), ("dopri5", 1.3, 0.0), ("rkf45", 0.9, 0.0), ("hem5", 1.1, 0.0), ("phem56", 1.6, 0.0)]
CALM = [("dopri5", 0.95, 0.0), ("rkf45", 0.3, 0.0), ("hem5", 2.5, 0.0), ("phem56", 1.6, 0.02), ("hem5", 1.1, 0.02)]


@pytest.mark.parametrize(("name", "x", "damping"), GROWS)
def test_what_is_refused_would_have_doubled_the_energy(
    name: str, x: float, damping: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    n = 2000
    with pytest.raises(InputError, match="too long"):
        fm.simulate(oscillator(damping), name, step=x, end=n * x)
    monkeypatch.setattr("flexmb.drive.events.stiffness.check_stability", lambda *given: None)
    monkeypatch.setattr("flexmb.drive.run.EXPLICIT_GAIN", 1e12)
    with pytest.warns(fm.RunWarning, match="mass"):
        energy = fm.simulate(oscillator(damping), name, step=x, end=n * x).energy.total
    assert energy[-1] > 2.0 * energy[0]
    found = vibrations(oscillator(damping).assemble(), 0.0)
    rate = 2.0 * n * growth(fm.SCHEMES[name](), x, found)[0]
    assert np.log(energy[-1] / energy[0]) == pytest.approx(rate, rel=0.1)


@pytest.mark.parametrize(("name", "x", "damping"), CALM)
def test_steps_that_let_nothing_grow_are_taken_in_silence(
    name: str, x: float, damping: float, recwarn: pytest.WarningsRecorder
) -> None:
    """Damping of the model counts; HEM5 is stable again above 1.28."""
    energy = fm.simulate(oscillator(damping), name, step=x, end=2000 * x).energy.total
    assert energy[-1] < 1.01 * energy[0]
    assert not [warning for warning in recwarn.list if "explicit" in str(warning.message)]


def test_a_little_growth_is_noted_with_frequency_part_and_factors() -> None:
    with pytest.warns(fm.RunWarning) as caught:
        energy = fm.simulate(oscillator(), "dopri5", step=1.2, end=1200.0).energy.total
    (said,) = [str(warning.message) for warning in caught if "explicit" in str(warning.message)]
    assert energy[-1] / energy[0] == pytest.approx(1.87, rel=0.05)
    assert all(word in said for word in ("dopri5", "'mass' vibrates with 1 rad/s", "1.00031", "its energy by 1.86"))


def test_negative_damping_is_growth_of_the_motion_and_not_of_the_scheme() -> None:
    found = Vibrations(np.ones(1), np.array([-1e-3]), ("mass",))
    assert growth(fm.SCHEMES["dopri5"](), 0.5, found)[0] == pytest.approx(0.0, abs=1e-5)


def test_all_vibrations_count_and_not_the_fastest_alone() -> None:
    """HEM5 with h omega = 1.1 and 2.5: the slow one grows, the fast one is damped."""
    model = oscillator()
    model.add(fm.Particle("light", mass=1.0, velocity=(1, 0, 0), axes="x"))
    model.add(fm.Spring("stiff", node="light", direction=(1, 0, 0), stiffness=(2.5 / 1.1) ** 2))
    with pytest.raises(InputError, match="'mass' vibrates with 1 rad/s"):
        fm.simulate(model, "hem5", step=1.1, end=2200.0)


def damped(coefficient: float) -> fm.Model:
    """Return a mass with a damper and no spring."""
    model = fm.Model()
    model.add(fm.Particle("mass", mass=1.0, velocity=(1, 0, 0), axes="x"))
    model.add(fm.Damper("damper", node="mass", direction=(1, 0, 0), coefficient=coefficient))
    return model


@pytest.mark.parametrize("name", ["dopri5", "phem56", "rkf45"])
def test_a_damper_without_a_spring_limits_the_step(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """h c = 10 made 4.8e29 J of 0.5 J; the step that is proposed is accepted, and 2 % to 6 % below the limit."""
    with pytest.raises(InputError, match="'mass' decays with 1000 1/s") as caught:
        fm.simulate(damped(1e3), name, step=1e-2, end=0.3)
    step = float(str(caught.value).partition("take a smaller step, ")[2].partition(" s ")[0])
    energy = fm.simulate(damped(1e3), name, step=step, end=100 * step).energy.total
    assert np.diff(energy).max() <= 0.0
    with pytest.raises(InputError, match="too long"):
        fm.simulate(damped(1e3), name, step=1.06 * step, end=1060 * step)
    monkeypatch.setattr("flexmb.drive.events.stiffness.check_stability", lambda *given: None)
    with pytest.raises(SimulationError, match="'mass' decays"), pytest.warns(fm.RunWarning, match="decays"):
        fm.simulate(damped(1e3), name, step=1e-2, end=0.3)


def test_a_damper_too_stiff_for_any_number_of_steps_is_refused_with_a_tolerance() -> None:
    with pytest.raises(InputError, match=r"decays with 1e\+18 1/s"):
        fm.simulate(damped(1e18), "dopri5", tolerance=1e-6, interval=0.1, end=1.0)


def test_a_damper_between_free_masses_acts_on_their_distance_alone() -> None:
    """Without stiffness the modes of the damping count: c (1/m1 + 1/m2) = 1500 1/s, and 0 for both together."""
    model = fm.Model()
    model.add(fm.Particle("one", mass=1.0, velocity=(1, 0, 0), axes="x"))
    model.add(fm.Particle("two", mass=2.0, axes="x"))
    model.add(fm.Damper("damper", node="one", node2="two", direction=(1, 0, 0), coefficient=1e3))
    found = vibrations(model.assemble(), 0.0)
    np.testing.assert_allclose(found.rates, 1500.0, rtol=1e-9)
    assert found.omega.max() == 0.0
    assert np.log(growth(fm.Dopri5(), 1e-9, found).max() + 1.0) == pytest.approx(0.0, abs=1e-15)


def test_a_damper_at_one_end_of_a_chain_is_not_spread_over_its_modes() -> None:
    """Exact: the largest eigenvalue of the system of first order; each undamped mode has c / 20 at most."""
    system = damped_chain(40).assemble(signals=[])
    found = vibrations(system, 0.0)
    M, C, K = (x.toarray() for x in system.matrices(system.instant(0.0, system.start, system.v0)))
    n = M.shape[0]
    exact = np.linalg.eigvals(np.block([[np.zeros((n, n)), np.eye(n)], [-K, -C]]))
    assert found.rates.max() == pytest.approx(np.abs(exact).max(), rel=0.01)
    with pytest.raises(InputError, match="'m39' decays"):
        check_stability(planned(fm.Dopri5(), system, 4e-3, 1.0))
    check_stability(planned(fm.Dopri5(), system, 3e-3, 1.0))


def damped_chain(masses: int) -> fm.Model:
    """Return a chain of masses on springs of 1 N/m with a damper of 1000 N s/m at its end."""
    model = fm.Model()
    for k in range(masses):
        model.add(fm.Particle(f"m{k}", mass=1.0, position=(1.0 + k, 0, 0), axes="x"))
        other = {"node2": f"m{k - 1}"} if k else {}
        model.add(fm.Spring(f"s{k}", node=f"m{k}", direction=(1, 0, 0), stiffness=1.0, **other))
    model.add(fm.Damper("end", node=f"m{masses - 1}", direction=(1, 0, 0), coefficient=1e3))
    return model


def test_the_damping_of_large_models_is_examined() -> None:
    system = damped_chain(450).assemble(signals=[])
    found = vibrations(system, 0.0)
    assert not found.all_of_them
    assert found.omega[-1] == pytest.approx(2.0, rel=1e-4)
    assert found.words(found.fastest).startswith("'m449' decays with ")
    with pytest.raises(InputError, match="'m449' decays"):
        check_stability(planned(fm.Dopri5(), system, 1e-2, 1.0))


def test_the_step_that_is_proposed_is_found_in_few_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """A step 200 times too long took 260 examinations of all modes."""
    tried = []
    monkeypatch.setattr(
        "flexmb.drive.events.stiffness.growth", lambda scheme, h, found: tried.append(h) or growth(scheme, h, found)
    )
    with pytest.raises(InputError, match="too long"):
        check_stability(planned(fm.Dopri5(), oscillator().assemble(), 200.0, 1000.0))
    assert len(tried) < 25


@pytest.mark.parametrize("tolerance", [False, True])
def test_the_modes_of_the_start_are_computed_once_in_a_run(
    tolerance: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a run of a file: for what is refused, for the notes that are printed, and for those of the result."""
    calls, eigh = [], linalg.eigh
    monkeypatch.setattr(linalg, "eigh", lambda *given: calls.append(1) or eigh(*given))
    step = "tolerance = 1e-6" if tolerance else "step = 0.01"
    (tmp_path / "slow.toml").write_text(FAST.format(step=step, stiffness=1.0))
    case = fm.load_case(tmp_path / "slow.toml")
    assert not case.plan_notes
    assert case.run().complete
    assert len(calls) == 1
    calls.clear()
    fm.simulate(oscillator(), "dopri5", **({"tolerance": 1e-6} if tolerance else {"step": 0.01}), end=1.0)
    assert len(calls) == 1


@pytest.mark.parametrize(("coupling", "takes"), [(0.9, True), (1.1, False)])
def test_damping_that_may_supply_energy_is_recognized(coupling: float, takes: bool) -> None:
    """[[1, x], [x, 1]] has a negative eigenvalue for x > 1; its skew part does no work."""
    system = damped(1.0).assemble()
    two = SimpleNamespace(nv=2, start=np.zeros(2), v0=np.zeros(2), instant=lambda t, q, v: None)
    C = sparse.csr_array(np.array([[1.0, coupling + 5.0], [coupling - 5.0, 1.0]]))
    two.matrices = lambda here: (sparse.csr_array(np.eye(2)), C, C)
    assert damping_takes(two, 0.0) is takes
    assert damping_takes(system, 0.0)


def stiffening() -> fm.Model:
    """Return a mass on a string of cubic stiffness: slow at the start, fast once a force has pulled it out."""
    model = fm.Model()
    model.add(fm.Particle("bob", mass=1.0, position=(1, 0, 0), axes="xy"))
    model.add(fm.Spring("string", node="bob", anchor=(0, 0, 0), stiffness=1.0, length=1.0))
    return model


def test_the_energy_bound_names_the_vibration(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("flexmb.drive.events.stiffness.check_stability", lambda *given: None)
    with pytest.raises(SimulationError) as caught, pytest.warns(fm.RunWarning):
        fm.simulate(oscillator(), "dopri5", step=1.7, end=1700.0)
    said = str(caught.value)
    assert all(word in said for word in ("energy is unbounded", "'mass' vibrates with 1 rad/s", "multiplies"))
    assert caught.value.result.energy.total.max() < 20.0 * 0.5


def chain(masses: int, joints: bool) -> fm.Model:
    """Return a chain of springs of 1e4 N/m; with joints its first two masses hang on a rod beside it."""
    model = fm.Model()
    for k in range(masses):
        model.add(fm.Particle(f"m{k}", mass=1.0, position=(1.0 + k, 0, 0), axes="xy"))
        other = {"anchor": (0, 0, 0)} if k == 0 else {"node2": f"m{k - 1}"}
        model.add(fm.Spring(f"s{k}", node=f"m{k}", stiffness=1e4, length=1.0, **other))
    if joints:
        model.add(fm.Distance("rod", a="m0", b="m1"))
    return model


def test_large_models_with_joints_are_looked_at_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """420 unknowns: the highest frequency of a chain is 2 sqrt(k/m); that of all modes where they are computed."""
    system = chain(210, joints=True).assemble(signals=[])
    large = vibrations(system, 0.0)
    assert not large.all_of_them
    assert large.rates[large.fastest] == pytest.approx(200.0, rel=1e-3)
    monkeypatch.setattr("flexmb.drive.events.vibrations.MOST", 1000)
    every = vibrations(system, 0.0)
    assert every.all_of_them
    assert large.rates[large.fastest] == pytest.approx(every.rates[every.fastest], rel=1e-6)
    monkeypatch.undo()
    with pytest.raises(InputError, match="too long"):
        check_stability(planned(fm.Phem56(), system, 0.01, 1.0))
    said = stability_note(planned(fm.Hem5(), system, 0.012, 100.0))  # h omega = 2.4 is stable, 1.1 is not
    assert "more than 400 unknowns" in said


def test_the_cause_is_looked_for_at_the_state_that_was_reached() -> None:
    """A taut string held at both ends: turned by its tension the frequency across depends on the elongation."""
    system = stiffening().assemble(signals=[])
    slow = cause_of_growth(fm.Dopri5(), system, 0.0, system.start, system.v0, 1.6)
    fast = cause_of_growth(fm.Dopri5(), system, 0.0, system.start + np.array([9.0, 0.0]), system.v0, 1.6)
    assert "1 rad/s" in slow
    assert "multiplies" in fast


def test_many_steps_for_stability_are_noted_before_the_first_step():
    """The cantilever of 60 elements vibrates with up to 4.9e7 rad/s: seven million steps, told by validation."""
    sets = ["scheme={name='phem56'}", "time={end=0.25,tolerance=1e-6}", "output.interval=0.01"]
    case = fm.load_case("beam_on_stop", sets)
    (said,) = (note for note in case.notes if "phem56" in note)
    assert all(words in said for words in ("'beam'", "4.87", "rad/s", "7.1e+06", "generalized-alpha"))
