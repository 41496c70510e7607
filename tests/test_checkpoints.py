"""Checkpoints that were changed, damaged or belong to another run are refused by name, and nothing is touched."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from multibody_models import plan_of
from test_cli import BALL, assert_same_bits
from test_multibody_motion import ALPHA, driven_arm

from flexmb.case import load_case
from flexmb.cli import main
from flexmb.drive.compiled import CompiledEngine
from flexmb.drive.energy_bounds import EnergyBounds
from flexmb.drive.engine import Plan
from flexmb.drive.general import GeneralEngine
from flexmb.drive.multibody_engine import MultibodyEngine
from flexmb.drive.simulate import run as run_plan
from flexmb.errors import InputError
from flexmb.record.io.checkpoint import read_checkpoint, write_checkpoint
from flexmb.record.result import MemorySink
from flexmb.record.samples import Checkpoint
from flexmb.schemes import MoreauJean

SETS = ["time.step=1e-3", "output.every=3", "output.checkpoint_every=1e-9"]
RUN = ["run", "ball.toml", "-o", "r", "--quiet", *(word for item in SETS for word in ("--set", item))]
Arrays = dict[str, np.ndarray]


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a case and a run that was interrupted after its first checkpoint."""
    place = tmp_path_factory.mktemp("stopped")
    (place / "ball.toml").write_text(BALL)
    blocks = iter(range(1))

    def stop(done: int, of: int) -> None:
        if next(blocks, None) is None:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        load_case(str(place / "ball.toml"), SETS).run(place / "r", progress=stop)
    assert (place / "r/checkpoint.npz").is_file()
    return place


def drop(arrays: Arrays, name: str, rng: np.random.Generator) -> None:
    del arrays[name]


def add(arrays: Arrays, name: str, rng: np.random.Generator) -> None:
    arrays[f"{name}_more"] = rng.normal(size=3)


def retype(arrays: Arrays, name: str, rng: np.random.Generator) -> None:
    arrays[name] = arrays[name].astype(rng.choice(["float32", "int64", "complex128", "S8"]))


def reshape(arrays: Arrays, name: str, rng: np.random.Generator) -> None:
    arrays[name] = np.resize(arrays[name], (*arrays[name].shape, int(rng.integers(2, 5))))


def lengthen(arrays: Arrays, name: str, rng: np.random.Generator) -> None:
    arrays[name] = np.resize(arrays[name], (arrays[name].shape[0] + 1, *arrays[name].shape[1:]))


def swap(arrays: Arrays, name: str, rng: np.random.Generator) -> None:
    arrays["q"], arrays["v"] = arrays["v"], arrays["q"]


def change(arrays: Arrays, name: str, rng: np.random.Generator) -> None:
    arrays[name] = arrays[name] + rng.normal()


def restep(arrays: Arrays, name: str, rng: np.random.Generator) -> None:
    arrays["_step"] = arrays["_step"] + int(rng.integers(1, 10**6))


def rewritten(alter: Callable[[Arrays, str, np.random.Generator], None]) -> Callable[..., None]:
    """Change an array of the file as any program could."""

    def act(path: Path, rng: np.random.Generator) -> str:
        with np.load(path) as stored:
            arrays = dict(stored)
        alter(arrays, str(rng.choice([name for name in arrays if not name.startswith("_")])), rng)
        np.savez(path, **arrays)
        return ""

    return act


def sealed(alter: Callable[[Arrays, str, np.random.Generator], None]) -> Callable[..., str]:
    """Change an array and write the checkpoint as flexmb does: it is sound, but not one of this run."""

    def act(path: Path, rng: np.random.Generator) -> str:
        point = read_checkpoint(path)
        name = str(rng.choice(sorted(point.arrays)))
        alter(point.arrays, name, rng)
        write_checkpoint(path, point)
        return name

    return act


def flip(path: Path, rng: np.random.Generator) -> str:
    content = bytearray(path.read_bytes())
    content[rng.integers(len(content))] ^= 1 << int(rng.integers(8))
    path.write_bytes(content)
    return ""


def cut(path: Path, rng: np.random.Generator) -> str:
    content = path.read_bytes()
    path.write_bytes(content[: rng.integers(len(content))])
    return ""


def seal_again(path: Path, rng: np.random.Generator) -> str:
    """Take the comment of the file away, which is its seal."""
    with zipfile.ZipFile(path, "a") as file:
        file.comment = b""
    return ""


def renumbered(name: str, low: int, high: int) -> Callable[..., str]:
    def act(path: Path, rng: np.random.Generator) -> str:
        point = read_checkpoint(path)
        number = getattr(point, name) + int(rng.integers(low, high))
        write_checkpoint(path, replace(point, **{name: number}))
        return str(number)

    return act


def of_another_run(path: Path, rng: np.random.Generator) -> str:
    write_checkpoint(path, replace(read_checkpoint(path), run=rng.bytes(32).hex()))
    return "another model"


WAYS: list[Callable[..., str]] = [
    *(rewritten(alter) for alter in (drop, add, retype, reshape, swap, change, restep)),
    *(sealed(alter) for alter in (drop, add, retype, reshape, lengthen)),
    renumbered("step", 1, 10**6),
    renumbered("step", -(10**6), -(10**3)),
    renumbered("samples", 1, 99),
    renumbered("samples", -99, -1),
    renumbered("fields", 1, 99),
    of_another_run,
    *(seal_again, cut, cut, cut, flip, flip, flip, flip),
]


def test_a_resumed_run_says_from_when(
    stopped: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(stopped, tmp_path / "again")
    monkeypatch.chdir(tmp_path / "again")
    step = read_checkpoint(Path("r/checkpoint.npz")).step
    assert step > 0
    assert main([*(word for word in RUN if word != "--quiet"), "--resume"]) == 0
    (line,) = (line for line in capsys.readouterr().err.splitlines() if "resumed" in line)
    assert f"{1e-3 * step:.6g} s" in line


def test_altered_checkpoints_are_refused_by_name(
    stopped: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(stopped)
    path = Path("r/checkpoint.npz")
    sound = path.read_bytes()
    others = {p: p.read_bytes() for p in path.parent.iterdir() if p != path}
    for seed in range(80):
        rng = np.random.default_rng(seed)
        named = WAYS[seed % len(WAYS)](path, rng)
        altered = path.read_bytes()
        assert altered != sound
        assert main([*RUN, "--resume"]) == 2, seed
        said = capsys.readouterr().err
        assert "checkpoint" in said, seed
        assert "--overwrite" in said, seed
        assert named in said, seed
        assert "Traceback" not in said
        assert "internal error" not in said
        assert {p: p.read_bytes() for p in path.parent.iterdir() if p != path} == others, seed
        assert path.read_bytes() == altered
        path.write_bytes(sound)
    assert main([*RUN, "--resume"]) == 0
    assert main([*RUN[:3], "s", *RUN[4:]]) == 0
    assert_same_bits(Path("r"), Path("s"))


def plans() -> dict[str, tuple[type, Plan]]:
    small = replace(load_case("bouncing_ball").plan, scheme=MoreauJean())
    large = plan_of(driven_arm().assemble(), ALPHA["ggl"], 1e-2, 100)
    return {
        "general": (GeneralEngine, small),
        "compiled": (CompiledEngine, small),
        "multibody": (MultibodyEngine, large),
    }


@pytest.mark.parametrize("kind", ["general", "compiled", "multibody"])
def test_every_engine_looks_at_what_it_is_given(kind: str) -> None:
    engine, plan = plans()[kind]
    first = engine(plan)
    first.start()
    first.advance(10)
    arrays = first.snapshot()
    second = engine(plan)
    before = second.snapshot()
    for name, values in arrays.items():
        wrong = [{k: v for k, v in arrays.items() if k != name}, arrays | {name: np.append(values.ravel(), 1.0)}]
        wrong += [arrays | {name: values.astype(np.complex128)}, arrays | {f"{name}2": values}]
        for given in wrong:
            with pytest.raises(InputError, match=rf"\b{name}2?\b"):
                second.restore(given, 10)
            assert all(np.array_equal(before[k], v, equal_nan=True) for k, v in second.snapshot().items())
    second.restore(arrays, 10)
    one, two = first.advance(20), second.advance(20)
    np.testing.assert_array_equal(one.energy, two.energy)


def test_a_point_beyond_the_end_is_refused_before_the_sink_hears_of_it() -> None:
    _, plan = plans()["general"]
    motor = GeneralEngine(plan)
    motor.start()
    motor.advance(10)

    class Deaf(MemorySink):
        def begin(self, run: object) -> None:
            raise AssertionError

    for step in (-1, plan.steps + 1):
        point = Checkpoint(step, 11, 1, motor.snapshot(), "general")
        with pytest.raises(InputError, match=rf"step {step}, .* {plan.steps} steps"):
            run_plan(plan, Deaf(), engine="general", resume=point)


def test_a_resumed_run_knows_the_energies_before_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without them it could fail where the whole run does not."""
    _, plan = plans()["general"]
    points: list[Checkpoint] = []
    seen: list[np.ndarray] = []
    look = EnergyBounds.first_bad

    def watched(bounds: EnergyBounds, energy: np.ndarray) -> tuple[int, str]:
        seen.append(bounds.numbers)
        return look(bounds, energy)

    class Keeps(MemorySink):
        def checkpoint(self, point: Checkpoint) -> None:
            write_checkpoint(tmp_path / "point.npz", point)
            points.append(read_checkpoint(tmp_path / "point.npz"))

    monkeypatch.setattr(EnergyBounds, "first_bad", watched)
    run_plan(plan, Keeps(), engine="general", checkpoint_every=0.0)
    before = seen[len(points) + 1]  # the start, a block for each point, the last block
    seen.clear()
    run_plan(plan, MemorySink(), engine="general", resume=points[-1])
    np.testing.assert_array_equal(seen[0], before)
    assert before[0] > 0.0
