"""Spheres in contact all against all: the same motion as with every pair listed, and none missed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import flexmb as fm
from flexmb.drive import Plan
from flexmb.drive.choose_engine import choose_engine
from flexmb.drive.simulate import run
from flexmb.drive.spheres import SpheresEngine
from flexmb.errors import InputError
from flexmb.nonsmooth.solvers import ContactSolver
from flexmb.record.result import MemorySink
from flexmb.record.samples import Checkpoint
from flexmb.schemes.scheme import Scheme
from flexmb.system.model import Model

SCHEMES: dict[str, Callable[[], Scheme]] = {
    "moreau-jean": fm.MoreauJean,
    "generalized-alpha": lambda: fm.GeneralizedAlpha(rho_inf=0.8),
    "newmark": lambda: fm.Newmark(ggl=False),
}


def touching(model: Model, names: list[str], radii: list[float], e: float, listed: bool) -> Model:
    """Return the model with contact between all spheres, listed pair by pair or not."""
    if not listed:
        model.add(fm.Spheres("balls", bodies=names, radius=radii, restitution=e))
        return model
    for i, a in enumerate(names):
        for j in range(i + 1, len(names)):
            ends: dict[str, Any] = {"a": a, "b": names[j], "radius_a": radii[i], "radius_b": radii[j]}
            model.add(fm.SphereSphere(f"c{i}_{j}", restitution=e, **ends))
    return model


def cloud(listed: bool, n: int = 12, e: float = 0.7, speed: float = 1.0, rigid: bool = False) -> Model:
    """Return spheres of different sizes that fall on a floor and into each other."""
    rng = np.random.default_rng(1)
    model = Model(gravity=(0.0, 0.0, -9.81))
    names, radii = [f"b{k}" for k in range(n)], [0.07 + 0.01 * (k % 4) for k in range(n)]
    for k, name in enumerate(names):
        at = {"position": (0.25 * (k % 3), 0.25 * (k // 3 % 3), 0.15 + 0.25 * (k // 9))}
        at["velocity"] = tuple(rng.uniform(-speed, speed, 3))
        spin = {"inertia": (4e-3, 4e-3, 4e-3), "center": (0.01, 0.0, 0.0), "angular_velocity": (1.0, 2.0, 3.0)}
        mass = 1.0 + 0.1 * k
        model.add(fm.Rigid(name, mass=mass, **at, **spin) if rigid else fm.Particle(name, mass=mass, **at))
    floor = fm.NodePlane("floor", nodes=names, normal=(0.0, 0.0, 1.0), point=(0.0, 0.0, 0.0), radius=0.1, restitution=e)
    model.add(floor)
    return touching(model, names, radii, e, listed)


def largest_difference(a: Any, b: Any) -> float:
    return max(float(np.abs(a.signals[name] - b.signals[name]).max()) for name in a.signals)


@pytest.mark.parametrize("rigid", [False, True], ids=["particles", "rigid"])
@pytest.mark.parametrize("name", SCHEMES)
def test_the_motion_is_that_with_all_pairs_listed(name: str, rigid: bool) -> None:
    runs = [fm.simulate(cloud(listed, rigid=rigid), SCHEMES[name](), step=1e-3, end=0.4) for listed in (True, False)]
    assert largest_difference(*runs) < 1e-11
    listed, found = (r.contacts for r in runs)
    pairs = [c.impulse for key, c in listed.items() if key != "floor"]
    assert np.sum(pairs) > 1.0
    balls = found["balls"]
    assert balls.impulse.shape == balls.gap.shape == balls.velocity.shape == (401, 12)
    np.testing.assert_allclose(balls.impulse.sum(axis=1), np.sum(pairs, axis=0), rtol=0.0, atol=1e-11)
    gaps = {tuple(map(int, key[1:].split("_"))): c.gap for key, c in listed.items() if key != "floor"}
    for k in range(12):
        own = np.min([gap for pair, gap in gaps.items() if k in pair], axis=0)
        np.testing.assert_allclose(balls.gap[:, k], own, rtol=0.0, atol=1e-11)
    np.testing.assert_allclose(found["floor"].impulse, listed["floor"].impulse, rtol=0.0, atol=1e-12)


def test_impulses_between_samples_outlive_the_pairs_they_belong_to() -> None:
    grid: dict[str, Any] = {"step": 1e-3, "end": 0.6, "every": 150, "fields_every": 150}
    systems = [cloud(listed).assemble(signals=["b0.position"]) for listed in (True, False)]
    listed, found = (fm.simulate(system, fm.MoreauJean(), **grid) for system in systems)
    pairs = np.sum([c.impulse for key, c in listed.contacts.items() if key != "floor"], axis=0)
    np.testing.assert_allclose(found.contacts["balls"].impulse.sum(axis=1), pairs, rtol=0.0, atol=1e-11)
    on_points = [
        np.asarray(system.impulse_map @ np.asarray(result.fields.impulse).T)
        for system, result in zip(systems, (listed, found), strict=True)
    ]
    assert np.abs(on_points[0]).max() > 0.1
    np.testing.assert_allclose(on_points[1], on_points[0], rtol=0.0, atol=1e-11)


def test_energy_is_accounted_for_and_the_same_run_gives_the_same_bits() -> None:
    one, two = (fm.simulate(cloud(False), fm.MoreauJean(), step=1e-3, end=0.3) for _ in range(2))
    assert np.abs(one.energy.residual).max() < 1e-11 * np.abs(one.energy.kinetic).max()
    for name in one.signals:
        np.testing.assert_array_equal(one.signals[name], two.signals[name])
    np.testing.assert_array_equal(one.contacts["balls"].impulse, two.contacts["balls"].impulse)


def row_of_balls(listed: bool, gap: float, speed: float) -> Model:
    """Return a heavy fast sphere, a light one in its way, and one far behind that."""
    model = Model()
    for name, mass, x, v in (("fast", 1e3, -1.0, speed), ("light", 1e-3, 0.0, 0.0), ("far", 1.0, gap, 0.0)):
        model.add(fm.Particle(name, mass=mass, position=(x, 0.0, 0.0), velocity=(v, 0.0, 0.0)))
    return touching(model, ["fast", "light", "far"], [0.05, 0.05, 0.05], 1.0, listed)


@pytest.mark.parametrize(("speed", "step"), [(1.0, 2e-3), (30.0, 1e-3), (1000.0, 2e-5)])
def test_fast_spheres_meet_whom_they_would_meet(speed: float, step: float) -> None:
    grid = {"step": step, "end": step * round(2.5 / speed / step + 40)}
    runs = [fm.simulate(row_of_balls(listed, 1.7, speed), fm.MoreauJean(), **grid) for listed in (True, False)]
    assert largest_difference(*runs) < 1e-11 * speed
    assert np.abs(runs[0].contacts["c1_2"].impulse).max() > 0.0  # the light one, sped up, has met the far one


def engine_of(model: Model, steps: int, h: float = 1e-3, scheme: Scheme | None = None) -> SpheresEngine:
    plan = Plan(model.assemble(), scheme or fm.MoreauJean(), ContactSolver(), h, 0.0, steps, 1, 5)
    engine = choose_engine(plan)
    assert isinstance(engine, SpheresEngine)
    return engine


def shot(listed: bool) -> Model:
    """Return two spheres at rest, one of them pushed so hard that it moves by half a radius in the first step."""
    model = Model()
    for name, mass, x in (("light", 1e-3, 0.0), ("target", 1.0, 0.15)):
        model.add(fm.Particle(name, mass=mass, position=(x, 0.0, 0.0)))
    model.add(fm.NodalForce("push", node="light", force=(60.0, 0.0, 0.0)))
    return touching(model, ["light", "target"], [0.05, 0.05], 0.5, listed)


def test_a_step_that_leaves_the_margin_is_taken_again(monkeypatch: pytest.MonkeyPatch) -> None:
    again: list[int] = []
    restore = SpheresEngine.restore

    def counted(self: SpheresEngine, arrays: Any, step: int) -> None:
        again.append(step)
        restore(self, arrays, step)

    monkeypatch.setattr(SpheresEngine, "restore", counted)
    runs = [fm.simulate(shot(listed), fm.MoreauJean(), step=1e-3, end=0.02) for listed in (True, False)]
    assert again[0] == 0  # nothing moved at the start, so the margin was the least
    assert runs[0].contacts["c0_1"].impulse.max() > 0.0
    assert largest_difference(*runs) < 1e-11
    assert runs[1].contacts["balls"].impulse.sum() == pytest.approx(runs[0].contacts["c0_1"].impulse.sum(), rel=1e-12)


def test_rows_are_those_of_near_pairs_only() -> None:
    names = [f"s{k}" for k in range(300)]
    model = Model()
    for k, name in enumerate(names):
        model.add(fm.Particle(name, mass=1.0, position=(0.3 * k, 0.0, 0.0), velocity=(0.0, 0.0, 1.0)))
    model.add(fm.Particle("t", mass=1.0, position=(0.0, 0.21, 0.0), velocity=(0.0, -1.0, 1.0)))
    model.add(fm.Spheres("balls", bodies="*", radius=0.1))
    engine = engine_of(model, 30)
    engine.start()
    assert engine.system.gaps.nc <= 1
    assert engine.system.contacts.nc == 301
    engine.advance(30)
    assert engine.system.gaps.nc == 1
    assert engine.system.gaps.labels == ("balls[s0-t]",)
    assert engine.motion.vec[0][-2] > -1.0  # they have met


def test_a_run_goes_on_from_a_snapshot_with_the_same_bits() -> None:
    model, steps = cloud(False), 300
    whole, other = engine_of(model, steps), engine_of(model, steps)
    whole.start()
    whole.advance(133)
    arrays = whole.snapshot()
    rest = whole.advance(steps)
    assert other.snapshot()["pairs_0"].shape != arrays["pairs_0"].shape
    other.restore(arrays, 133)
    again = other.advance(steps)
    for name in ("probes", "gap", "velocity", "impulse", "energy", "field_q", "field_impulse"):
        np.testing.assert_array_equal(getattr(again, name), getattr(rest, name))
    assert str(other.tally()) == str(whole.tally())
    wrong = {**arrays, "pairs_0": arrays["pairs_0"] + 100}
    with pytest.raises(InputError, match="pairs_0|contact"):
        engine_of(model, steps).restore({**wrong, "pairs_0": wrong["pairs_0"][:, :1]}, 133)


class Keeper(MemorySink):
    """A sink that keeps checkpoints, too."""

    def __init__(self) -> None:
        super().__init__()
        self.points: list[Checkpoint] = []

    def checkpoint(self, point: Checkpoint) -> None:
        self.points.append(point)


def test_a_run_is_resumed_with_other_pairs_than_those_of_the_start() -> None:
    system = cloud(False).assemble()
    plan = Plan(system, fm.MoreauJean(), ContactSolver(), 1e-3, 0.0, 600, 1, 50)
    keeper = Keeper()
    whole = run(plan, keeper, checkpoint_every=0.0)
    point = keeper.points[-1]
    assert 0 < point.step < 600
    assert point.arrays["pairs_0"].shape != system.pairs[0].shape
    assert str(run(plan, MemorySink(), resume=point).tally) == str(whole.tally)


def test_fields_hold_what_the_spheres_do_to_each_other() -> None:
    model = Model()
    for name, x, v in (("a", 0.0, 1.0), ("b", 0.5, 0.0), ("c", 5.0, 0.0)):
        model.add(fm.Particle(name, mass=2.0, position=(x, 0.0, 0.0), velocity=(v, 0.0, 0.0)))
    model.add(fm.Spheres("balls", bodies=["a", "b", "c"], radius=0.1, restitution=1.0))
    result = fm.simulate(model, fm.MoreauJean(), step=1e-3, end=0.5, fields_every=100)
    assert np.sum(result.contacts["balls"].impulse, axis=0).tolist() == pytest.approx([1.0, 1.0, 0.0])
    system = model.assemble()
    engine = engine_of(model, 500)
    engine.start()
    block = engine.advance(500)
    on_points = (system.impulse_map @ block.field_impulse.sum(axis=0)).reshape(-1, 3)
    np.testing.assert_allclose(on_points, [[-2.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, 0.0]], rtol=0.0, atol=1e-12)


def test_spheres_that_never_meet_have_a_summary() -> None:
    model = Model()
    for k in range(3):
        model.add(fm.Particle(f"p{k}", mass=1.0, position=(float(k * k), 0.0, 0.0)))
    model.add(fm.Spheres("balls", bodies="p?", radius=0.1))
    result = fm.simulate(model, fm.MoreauJean(), step=1e-2, end=0.1)
    np.testing.assert_allclose(result.contacts["balls"].gap[0], [0.8, 0.8, 2.8], rtol=0.0, atol=1e-14)
    assert result.summary["min_gap"] == pytest.approx(0.8)
    assert not result.contacts["balls"].impulse.any()


def test_radii_and_centres_are_those_of_shapes() -> None:
    model = Model()
    ball = {"kind": "sphere", "radius": 0.2, "center": (0.1, 0.0, 0.0)}
    for k in range(2):
        model.add(fm.Rigid(f"r{k}", density=100.0, shape=ball, position=(float(k), 0.0, 0.0)))
    model.add(fm.Spheres("balls", bodies="r*"))
    system = model.assemble()
    np.testing.assert_allclose(
        system.spheres[0].centers(system.q0), [[0.1, 0.0, 0.0], [1.1, 0.0, 0.0]], rtol=0, atol=1e-15
    )
    np.testing.assert_array_equal(system.spheres[0].radii, [0.2, 0.2])


@pytest.mark.parametrize(
    ("key", "words", "change"),
    [
        ("bodies", "nobody", {"bodies": ["a", "nobody"]}),
        ("bodies", "z*", {"bodies": "z*"}),
        ("bodies", "bar", {"bodies": ["a", "bar"]}),
        ("bodies", "two", {"bodies": ["a"]}),
        ("bodies", "a", {"bodies": ["a", "a", "b"]}),
        ("bodies", "[]", {"bodies": []}),
        ("bodies", "3", {"bodies": [3, "a"]}),
        ("radius", "'a'", {"radius": None}),
        ("radius", "positive", {"radius": 0.0}),
        ("radius", "2", {"radius": [0.1, 0.1, 0.1], "bodies": ["a", "b"]}),
        ("restitution", "1.5", {"restitution": 1.5}),
        ("", "a-b", {"radius": 0.6}),
        ("bodies", "coincide", {"bodies": ["a", "twin"]}),
    ],
)
def test_bad_input_is_refused(key: str, words: str, change: dict[str, Any]) -> None:
    model = Model()
    for k, name in enumerate(("a", "b", "c")):
        model.add(fm.Particle(name, mass=1.0, position=(float(k), 0.0, 0.0)))
    model.add(fm.Particle("twin", mass=1.0))
    model.add(fm.Bar("bar", length=1.0, elements=2, young=1e9, density=1e3, area=1e-4, position=(0.0, 5.0, 0.0)))
    given: dict[str, Any] = {"bodies": ["a", "b", "c"], "radius": 0.1} | change

    def make() -> None:
        model.add(fm.Spheres("balls", **given))
        model.assemble()

    with pytest.raises(InputError) as caught:
        make()
    assert caught.value.where == "contacts.balls"
    assert (caught.value.key or "") == key
    assert words in str(caught.value)


def test_a_start_is_moved_off_all_spheres() -> None:
    names = [f"p{k}" for k in range(6)]
    model = Model(project=True)
    for k, name in enumerate(names):
        model.add(fm.Particle(name, mass=1.0, position=(0.15 * k, 0.01 * k * (-1) ** k, 0.0)))
    model.add(fm.Spheres("balls", bodies=names, radius=0.1))
    system = model.assemble()
    x = system.spheres[0].centers(system.q0)
    apart = np.linalg.norm(x[:, None] - x, axis=2) + np.eye(6)
    assert apart.min() > 0.2 - 1e-12
    assert sum("projected" in note for note in system.notes) == 1


def test_steps_by_tolerance_see_the_same_pairs() -> None:
    grid: dict[str, Any] = {"tolerance": 1e-4, "interval": 0.01, "end": 0.3}
    runs = [fm.simulate(cloud(listed, n=6, e=0.0), fm.GeneralizedAlpha(0.8), **grid) for listed in (True, False)]
    assert largest_difference(*runs) < 1e-9


def test_schatzman_paoli_is_refused() -> None:
    with pytest.raises(InputError, match="spheres"):
        fm.simulate(cloud(False, n=3), fm.SchatzmanPaoli(), step=1e-3, end=0.01)
