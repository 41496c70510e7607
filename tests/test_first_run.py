"""A first run compiles what it needs and nothing else; what it meets later is compiled then; ``flexmb warm``."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from flexmb.kernels.compilation import cache, stages
from flexmb.kernels.lcp.lcp import solve_lcp
from flexmb.kernels.lcp.lcp_first import solve_problem
from flexmb.kernels.lcp.lcp_others import solver_settings

ROOT = Path(__file__).parent.parent


def test_the_first_run_of_the_bar_compiles_few_kernels_and_none_of_large_motion(tmp_path: Path) -> None:
    env = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "kernels")}
    words = ["run", "impacting_bar", "-o", str(tmp_path / "out"), "--set", "time.end=0.01"]
    done = subprocess.run(
        [sys.executable, "-m", "flexmb", *words], env=env, capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert done.returncode == 0, done.stderr
    names = {file.name.split(".cpython")[0] for file in (tmp_path / "kernels").rglob("*.nbc")}
    assert {"march.march", "alpha.step_alpha", "contact_ask.few_contacts"} <= names
    assert len(names) < 80
    sizes = {file.name: file.stat().st_size for file in (tmp_path / "kernels").rglob("*.nbc")}
    # a loop to which the arrays of a run were passed one by one took 2.4 MB, and half of the time of a first run
    assert max(sizes.values()) < 700_000, max(sizes, key=lambda name: sizes[name])
    assert sum(sizes.values()) < 3_000_000
    own = {"machine", "tables", "evaluate", "features", "lcp_lemke", "lcp_pgs", "lcp_proximal", "lcp_refine"}
    assert {name for name in names if name.split(".")[0] in own or name.startswith("multibody")} == set()
    # the second start takes what the first has compiled (its seconds: benchmarks/start_up.py)
    again = [*words, "--overwrite"]
    done = subprocess.run(
        [sys.executable, "-m", "flexmb", *again], env=env, capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "compil" not in done.stderr
    files = (tmp_path / "kernels").rglob("*.nb?")
    assert {file.name: file.stat().st_size for file in files if file.suffix == ".nbc"} == sizes


def test_what_newton_leaves_goes_to_the_other_methods_with_the_same_answer() -> None:
    rng, sent = np.random.default_rng(3), 0
    for _ in range(200):
        n = int(rng.integers(3, 7))
        A = rng.normal(size=(n, 2))
        W, b = A @ A.T, A @ rng.normal(size=2) - 1e-3 * rng.random(n)  # more contacts than directions
        z, other = np.zeros(n), np.zeros(n)
        iterations, residual = solve_lcp(W, b, z, 0, 0, 1e-10)
        again, left = solve_problem(W, b, other, solver_settings())
        assert (again, left) == (iterations, residual)
        np.testing.assert_array_equal(z, other)
        sent += iterations > 30
    assert sent > 0, "Newton's method solved them all"


def test_a_rare_stage_is_compiled_when_called_and_takes_its_place() -> None:
    made = stages.Stage(_double)
    table = stages.doors_of(made)
    door = int(table[0])
    assert "_compiled" not in vars(made)
    assert stages._C(door)(20, 1) == 41
    assert int(table[0]) == made.address != door


def test_what_a_door_meets_is_raised_when_the_loop_is_back() -> None:
    broken = stages.Stage(_no_kernel, otherwise=-7)
    assert stages._C(int(stages.doors_of(broken)[0]))(1, 1) == -7
    with pytest.raises(Exception, match="no_such_name"):
        stages.raise_failed()
    stages.raise_failed()  # once


def test_listeners_hear_what_is_compiled() -> None:
    heard: list[str] = []
    cache.listeners.append(heard.append)
    try:
        kernels = cache.KernelCache(_double)
        assert kernels.load_overload("a signature", _Target()) is None
    finally:
        cache.listeners.remove(heard.append)
    assert heard == ["test_first_run._double"]


def test_warm_says_what_it_compiles_and_names_a_case_that_is_not_there() -> None:
    words = [sys.executable, "-m", "flexmb", "warm"]
    done = subprocess.run([*words, "bouncing_ball"], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
    assert "bouncing_ball" in done.stderr
    done = subprocess.run([*words, "no_such_case"], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 2
    assert "no_such_case" in done.stderr


def _double(at: int, flag: int) -> int:
    return 2 * at + flag


def _no_kernel(at: int, flag: int) -> int:
    return no_such_name(at)  # type: ignore[name-defined,no-any-return]  # noqa: F821


class _Target:
    def refresh(self) -> None:
        pass

    def codegen(self) -> _Target:
        return self

    def magic_tuple(self) -> tuple[str, ...]:
        return ("none",)
