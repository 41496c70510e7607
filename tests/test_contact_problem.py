"""The contact problem as data, its judge, its solvers on the stored problems, and the Delassus operator."""

from __future__ import annotations

import dataclasses
import runpy
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from flexmb.errors import InputError, NotConverged
from flexmb.nonsmooth import ContactNotConverged, ContactProblem, ContactSolver, delassus, residual

DATA = Path(__file__).parent / "data" / "contact"
STORED = sorted(path.stem for path in DATA.glob("*.npz"))
SOLVERS = ("newton", "lemke", "pgs")
properties = settings(max_examples=40, deadline=None, derandomize=True)


def stored(name):
    return ContactProblem.load(DATA / f"{name}.npz")


# Data.


@properties
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(0, 12))
def test_round_trip_is_exact(tmp_path_factory, seed, n):
    rng = np.random.default_rng(seed)
    problem = ContactProblem(rng.normal(size=(n, n)) * 10.0 ** rng.integers(-300, 300, (n, n)), rng.normal(size=n))
    path = tmp_path_factory.mktemp("contact") / "a problem"
    problem.save(path)
    again = ContactProblem.load(path)
    for key in ("W", "b", "mu"):
        assert getattr(again, key).tobytes() == getattr(problem, key).tobytes()
        assert getattr(again, key).shape == getattr(problem, key).shape
    assert (again.dim, again.nc) == (1, n)


def test_problem_is_a_frozen_copy():
    W, b = np.eye(2), np.array([-1.0, 2.0])
    problem = ContactProblem(W, b)
    W[0, 0] = b[0] = 9.0
    assert (problem.W[0, 0], problem.b[0]) == (1.0, -1.0)
    assert np.array_equal(problem.mu, [0.0, 0.0])
    with pytest.raises(ValueError, match="read-only"):
        problem.W[0, 0] = 3.0
    with pytest.raises(dataclasses.FrozenInstanceError):
        problem.dim = 3


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"W": np.eye(3), "b": [1.0, 2.0]}, r"ContactProblem.W = \(3, 3\): must have shape \(2, 2\)"),
        ({"W": np.ones(2), "b": [1.0, 2.0]}, r"W = \(2,\): must have shape \(2, 2\)"),
        ({"W": np.eye(2), "b": [[1.0, 2.0]]}, r"b = \(1, 2\): must have shape \(nc,\)"),
        ({"W": [[np.nan]], "b": [1.0]}, r"W = nan: entry \(0, 0\).*finite"),
        ({"W": np.eye(2), "b": [1.0, np.inf]}, r"b = inf: entry \(1,\).*finite"),
        ({"W": [["x"]], "b": [1.0]}, "W.*array.*numbers"),
        ({"W": np.eye(2), "b": [1.0, 2.0], "mu": [0.0]}, r"mu = \(1,\): must have shape \(2,\)"),
        ({"W": np.eye(2), "b": [1.0, 2.0], "mu": [0.0, 0.3]}, "mu = 0.3: contact 1.*dim"),
        ({"W": np.eye(2), "b": [1.0, 2.0], "mu": 0.3}, "mu = 0.3.*dim"),
        ({"W": np.eye(2), "b": [1.0, 2.0], "mu": -0.3, "dim": 2}, "mu = -0.3.*>= 0"),
        ({"W": np.eye(2), "b": [1.0, 2.0], "dim": 3}, "dim = 3.*2 rows"),
        ({"W": np.eye(2), "b": [1.0, 2.0], "dim": 7}, "dim = 7.*1, 2, 3, 4, 5, 6"),
        ({"W": np.eye(2), "b": [1.0, 2.0], "dim": 2.0}, "dim = 2.0.*integer"),
        ({"W": np.eye(2), "b": [1.0, 2.0], "dim": [3, 1]}, "dim: .*4 rows.*2"),
        ({"W": np.eye(2), "b": [1.0, 2.0], "dim": 2, "roll": 0.1}, "roll = 0.1"),
        ({"W": np.eye(2), "b": [1.0, 2.0], "shape": [[0, 3, 0]]}, "shape = 3.*roll.*contact 0.*0 to 2"),
        ({"W": np.eye(2), "b": [1.0, 2.0], "shape": [1, 0, 0]}, r"shape = \(3,\): must have shape \(nc, 3\)"),
    ],
)
def test_wrong_data_is_named(arguments, words):
    with pytest.raises(InputError, match=words):
        ContactProblem(**arguments)


def test_files_that_are_no_problem(tmp_path):
    with pytest.raises(InputError, match=r"nowhere\.npz"):
        ContactProblem.load(tmp_path / "nowhere.npz")
    path = tmp_path / "text.npz"
    path.write_text("not a zip")
    with pytest.raises(InputError, match=r"W, b, mu, dim"):
        ContactProblem.load(path)
    path.write_bytes(b"")
    with pytest.raises(InputError, match=r"W, b, mu, dim"):
        ContactProblem.load(path)
    np.savez(path, W=np.eye(1), b=np.ones(1))
    with pytest.raises(InputError, match="W, b, mu, dim"):
        ContactProblem.load(path)
    np.save(tmp_path / "one.npy", np.eye(2))
    with pytest.raises(InputError, match=r"W, b, mu, dim"):
        ContactProblem.load(tmp_path / "one.npy")
    np.savez(path, W=np.eye(1), b=np.ones(1), mu=np.ones(1), dim=1)
    with pytest.raises(InputError, match="mu = 1.0.*dim"):
        ContactProblem.load(path)


def test_residual_takes_only_fitting_vectors():
    problem = ContactProblem(np.eye(2), [-1.0, 1.0])
    assert residual(problem, [1.0, 0.0]) == 0.0
    assert residual(problem, [0.5, 0.0]) == 0.5 / (1.0 + 1e-5 * 0.5)
    assert residual(problem, [1.0, np.nan]) == np.inf
    with pytest.raises(InputError, match=r"z = \(3,\): must have shape \(2,\)"):
        residual(problem, [1.0, 0.0, 0.0])


# Solvers on the stored problems.


def test_the_stored_problems_are_the_ones_that_make_builds():
    builders = runpy.run_path(str(DATA / "make.py"))["PROBLEMS"]
    assert (
        sorted(build.__name__ for build in builders)
        == STORED
        == ["chain60", "degenerate", "ggl", "redundant", "single"]
    )
    for build in builders:
        problem, again = stored(build.__name__), build()
        np.testing.assert_allclose(problem.W, again.W, rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(problem.b, again.b, rtol=1e-12, atol=1e-14)
        assert (DATA / f"{build.__name__}.npz").stat().st_size < 50_000


def test_the_stored_problems_are_what_they_are_called():
    ranks = {name: int(np.linalg.matrix_rank(stored(name).W)) for name in STORED}
    assert ranks == {"single": 1, "redundant": 2, "chain60": 60, "ggl": 8, "degenerate": 3}
    W = stored("ggl").W
    assert np.abs(W - W.T).max() > 0.1
    for name in ("chain60", "redundant", "degenerate"):
        assert np.allclose(stored(name).W, stored(name).W.T)


@pytest.mark.parametrize("name", STORED)
@pytest.mark.parametrize("solver", SOLVERS)
def test_every_solver_on_every_stored_problem(solver, name):
    problem = stored(name)
    solution = ContactSolver(solver).solve(problem)
    assert solution.solver == solver
    assert solution.residual == residual(problem, solution.z)
    assert solution.residual <= (1e-10 if solver == "pgs" else 1e-15)
    assert solution.z.min() >= 0.0
    np.testing.assert_array_equal(solution.w, problem.W @ solution.z + problem.b)
    reference = ContactSolver("lemke").solve(problem)
    np.testing.assert_allclose(solution.w, reference.w, rtol=0, atol=1e-9 if solver == "pgs" else 1e-14)


def test_known_answers():
    assert ContactSolver().solve(stored("single")).z == [1.5]
    slab = stored("redundant")
    for solver in SOLVERS:
        z = ContactSolver(solver).solve(slab).z
        assert z.sum() == pytest.approx(3.0, rel=1e-9)  # m v, whoever carries it
        x = np.repeat([-1.0, -0.5, 0.0, 0.5, 1.0], 2)
        assert x @ z == pytest.approx(0.0, abs=1e-9)


def test_warm_start_is_used_and_left_alone():
    problem = stored("chain60")
    cold = ContactSolver().solve(problem)
    z0 = cold.z.copy()
    warm = ContactSolver().solve(problem, z0)
    assert warm.iterations == 1 < cold.iterations
    assert np.array_equal(z0, cold.z)
    np.testing.assert_allclose(warm.z, cold.z, rtol=1e-14)
    with pytest.raises(ValueError, match="read-only"):
        warm.z[0] = 1.0
    with pytest.raises(InputError, match="z0: must be finite"):
        ContactSolver().solve(problem, np.full(60, np.nan))


def test_no_contacts():
    for solver in SOLVERS:
        solution = ContactSolver(solver).solve(ContactProblem(np.zeros((0, 0)), []))
        assert (solution.z.shape, solution.residual, solution.iterations) == ((0,), 0.0, 0)


# Failure.


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("row", [0, 3])
def test_impossible_contact_is_named(solver, row):
    W = np.linalg.inv(3.0 * np.eye(4) - np.eye(4, k=1) - np.eye(4, k=-1))
    W[row] = W[:, row] = 0.0
    b = np.array([-1.0, 0.5, -1.0, -1.0])
    b[row] = -0.25
    problem = ContactProblem(W, b)
    with pytest.raises(
        NotConverged, match=rf"'{solver}' did not reach 1e-10 .* row {row} \(W_ii = 0, b_i = -0.25"
    ) as info:
        ContactSolver(solver, max_iterations=100).solve(problem)
    error = info.value
    assert isinstance(error, ContactNotConverged)
    assert error.problem is problem
    assert error.row == row
    assert error.residual == residual(problem, error.solution.z) > 0.1
    assert (error.step, np.isnan(error.time)) == (-1, True)


def test_gauss_seidel_out_of_sweeps_raises():
    with pytest.raises(ContactNotConverged, match="'pgs'.*1e-10.*2 iterations"):
        ContactSolver("pgs", max_iterations=2).solve(stored("chain60"))
    loose = ContactSolver("pgs", tolerance=1e-3, max_iterations=200).solve(stored("chain60"))
    assert 1e-10 < loose.residual <= 1e-3


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"name": "newtn"}, "ContactSolver.name = 'newtn'.*'newton'.*solvers: .*newton.*lemke.*pgs"),
        ({"name": "simplex"}, "= 'simplex'.*solvers: .*newton.*lemke.*pgs"),
        ({"tolerance": 0.0}, r"tolerance = 0.0.*number.*\[1e-15, 0.01\]"),
        ({"tolerance": 0.5}, "tolerance = 0.5"),
        ({"tolerance": float("nan")}, "tolerance = nan"),
        ({"tolerance": "1e-8"}, "tolerance = '1e-8'"),
        ({"max_iterations": -1}, "max_iterations = -1.*integer >= 0"),
        ({"max_iterations": 2.5}, "max_iterations = 2.5"),
        ({"max_iterations": True}, "max_iterations = True"),
    ],
)
def test_wrong_settings_are_named(arguments, words):
    with pytest.raises(InputError, match=words):
        ContactSolver(**arguments)


def test_methods_are_the_codes_of_the_kernel():
    assert [ContactSolver(name).method for name in SOLVERS] == [0, 1, 2]


# Delassus.


@pytest.mark.parametrize("nc", [0, 1, 63, 64, 65, 130])
def test_delassus_is_its_definition(nc):
    rng = np.random.default_rng(nc)
    nv = 40
    S = rng.normal(size=(nv, nv)) + 8.0 * np.eye(nv)  # not symmetric, on purpose
    G = sparse.random_array((nv, nc), density=0.1, format="csc", rng=rng)
    widths = []

    def solve(X):
        widths.append(X.shape[1])
        return np.linalg.solve(S, X)

    W = delassus(solve, G)
    dense = G.toarray()
    np.testing.assert_allclose(W, dense.T @ np.linalg.inv(S) @ dense, rtol=0, atol=1e-13)
    assert W.shape == (nc, nc)
    assert sum(widths) == nc
    assert max(widths, default=0) <= 64


def test_delassus_wants_what_it_gave():
    G = sparse.csc_array(np.eye(3)[:, :2])
    with pytest.raises(InputError, match=r"solve = \(3, 1\).*shape.*\(3, 2\)"):
        delassus(lambda X: X[:, :1], G)
