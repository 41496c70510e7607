"""Every solver on random contact problems: a residual of 1e-10 or an error; the default solves all but very few."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from flexmb.errors import InputError
from flexmb.kernels.cones.cone_project import block_starts
from flexmb.kernels.cones.cone_residual import cone_scales
from flexmb.kernels.cones.cone_smooth import solve_smooth
from flexmb.kernels.cones.cones import AUTO, solve_cones
from flexmb.nonsmooth import ContactNotConverged, ContactProblem, ContactSolver, residual
from flexmb.nonsmooth.methods.registry import NAMES
from flexmb.shipped_data import shipped_folder

SHAPES = {"planar": (1, 0, 0), "spatial": (2, 0, 0), "rolling": (2, 2, 0), "all": (2, 2, 1), "joint": (3, 0, 0)}
SOLVERS = [name for name in NAMES if name not in ("exact", "pgs", "clarabel")]


def arrays(seed, kind, redundant=False, condition=0.0, most=8):
    """Return W, b, shape, law of a random problem that has a solution as a rule; mu from 0 to 10."""
    rng = np.random.default_rng([seed, redundant, int(condition)])
    nb = int(rng.integers(1, most + 1))
    picked = [list(SHAPES.values())[rng.integers(5)] if kind == "mixed" else SHAPES[kind] for _ in range(nb)]
    if kind == "mixed":
        picked[0] = (0, 0, 0)
    shape = np.array(picked, dtype=np.int64)
    n = nb + int(shape.sum())
    G = rng.normal(size=(max(1, n // 2) if redundant else n + 2, n))
    if condition:
        left, values, right = np.linalg.svd(G, full_matrices=False)
        G = left * (values[0] * 10.0 ** -np.linspace(0.0, condition / 2, values.size)) @ right
    law = 10.0 ** rng.uniform(-2.0, 1.0, (nb, 3)) * [1.0, 0.1, 0.1] * (rng.random((nb, 3)) > 0.1)
    return G.T @ G, G.T @ rng.normal(size=G.shape[0]), shape, law * (shape > 0)


def problem_of(W, b, shape, law):
    return ContactProblem(W, b, law[:, 0], roll=law[:, 1], spin=law[:, 2], shape=shape)


def by_definition(problem, P):
    """The judge in plain numpy, from the definition of the projection by a search over its active discs."""
    U = problem.W @ P + problem.b
    wrong = scale = given = 0.0
    left = offered = largest_b = largest_P = 0.0
    for i in range(problem.nc):
        rows = np.arange(problem.start[i], problem.start[i + 1])
        diagonal = np.diag(problem.W)[rows]
        slides = 1 + problem.shape[i, 0]
        D = np.full(rows.size, 1.0 / np.sqrt(diagonal[:slides].mean()))
        discs, at = [], 1
        for d in range(3):
            n = problem.shape[i, d]
            if n and d > 0:
                D[at : at + n] = 1.0 / np.sqrt(diagonal[at : at + n].mean())
            if n:
                discs.append((slice(at, at + n), problem.law[i, d] * D[0] / D[at]))
            at += n
        p, u = P[rows] / D, U[rows] * D
        hat = u.copy()
        hat[0] += sum(radius * np.linalg.norm(u[disc]) for disc, radius in discs)
        x, best = p - hat, None
        for active in range(2 ** len(discs)):
            chosen = [discs[k] for k in range(len(discs)) if active >> k & 1]
            n = x[0] + sum(r * np.linalg.norm(x[disc]) for disc, r in chosen)
            n = max(n / (1.0 + sum(r * r for _, r in chosen)), 0.0)
            y = x.copy()
            y[0] = n
            for disc, r in discs:
                t = np.linalg.norm(x[disc])
                y[disc] = x[disc] * min(1.0, r * n / t) if t > 0.0 else 0.0
            if best is None or np.linalg.norm(y - x) < np.linalg.norm(best - x):
                best = y
        wrong = max(wrong, D[0] * np.linalg.norm(p - best))
        given = max(given, D[0] * np.abs(D * problem.b[rows]).max())
        scale = max(scale, given, D[0] * np.abs(p).max())
        left += abs(hat @ p)
        for part in (slice(0, 1), *(disc for disc, _ in discs)):
            size_b, size_P = np.linalg.norm(D[part] * problem.b[rows][part]), np.linalg.norm(p[part])
            offered += size_b * size_P
            largest_b, largest_P = max(largest_b, size_b / D[0]), max(largest_P, D[0] * size_P)
    share = max(wrong / given, left / (offered + largest_b * largest_P))
    return max(wrong / scale, share**2)


@pytest.mark.parametrize("kind", [*SHAPES, "mixed"])
def test_judge_is_its_definition(kind):
    for seed in range(40):
        problem = problem_of(*arrays(seed, kind))
        if problem.frictionless:
            continue  # that has a judge of its own
        P = np.random.default_rng(seed).normal(size=problem.n)
        assert residual(problem, P) == pytest.approx(by_definition(problem, P), rel=1e-9)
        solved = ContactSolver().solve(problem).P
        for off in (1e-3, 1e-6):  # there the error counts by the largest impulse
            assert residual(problem, solved + off * P) == pytest.approx(
                by_definition(problem, solved + off * P), rel=1e-6
            )
    assert residual(problem, np.full(problem.n, np.nan)) == np.inf


@pytest.mark.parametrize("unit", [1e-6, 1e6])
def test_judge_has_no_unit(unit):
    """Masses, lengths (of rolling rows) and times in other units: the same number."""
    W, b, shape, law = arrays(1, "rolling")
    problem = problem_of(W, b, shape, law)
    P = np.random.default_rng(1).normal(size=b.size)
    turns = np.tile([1.0, 1.0, 1.0, unit, unit], shape.shape[0])
    other = ContactProblem(
        W * turns[:, None] * turns * 7.0, 3.0 * b * turns, law[:, 0], roll=law[:, 1] / unit, shape=shape
    )
    assert residual(other, 3.0 / 7.0 * P / turns) == pytest.approx(residual(problem, P), rel=1e-12)


CLASSES = [
    (kind, redundant, condition) for kind in (*SHAPES, "mixed") for redundant in (False, True) for condition in (0, 10)
]


@pytest.mark.parametrize(("kind", "redundant", "condition"), CLASSES)
def test_default_solves_random_problems(kind, redundant, condition):
    """Redundant and of condition 1e10 at once, one in fifty may be left (two of joints); of the others none."""
    failed = []
    for seed in range(50):
        W, b, shape, law = arrays(seed, kind, redundant, condition)
        P = np.zeros(b.size)
        _, r, _ = solve_cones(W, b, shape, law, P, AUTO, 0, 1e-10)
        assert r == pytest.approx(residual(problem_of(W, b, shape, law), P), rel=1e-6, abs=1e-12)
        if not r <= 1e-10:
            failed.append(seed)
    allowed = (2 if kind == "joint" else 1) if redundant and condition else 0
    assert len(failed) <= allowed, failed


HARD = [(1131, "joint"), (1126, "joint"), (1142, "mixed"), (1139, "spatial"), (1059, "joint"), (1050, "joint")]


@pytest.mark.parametrize(("seed", "kind"), HARD)
def test_problems_that_only_ratios_and_other_starts_solve(seed, kind):
    """Redundant, of condition 1e10, wedged: sweeps, Newton's and the proximal method and pyramids end above 1e-10."""
    W, b, shape, law = arrays(seed, kind, True, 10)
    P = np.zeros(b.size)
    _, r, _ = solve_cones(W, b, shape, law, P, AUTO, 0, 1e-10)
    assert r <= 1e-10
    assert by_definition(problem_of(W, b, shape, law), P) <= 1e-9


@pytest.mark.parametrize("small", [1.0, 1e-3])
def test_uncoupled_parts_are_solved_one_by_one(small):
    """Hard ones with more rows than pyramids take; some have impulses far smaller than the others'."""
    of = [arrays(seed, kind, True, 10) for seed, kind in HARD]
    of += [arrays(seed, "spatial") for seed in range(6)]
    W = sparse.csr_array(sparse.block_diag([W for W, _, _, _ in of]))
    b = np.concatenate([(1.0 if i % 2 else small) * b for i, (_, b, _, _) in enumerate(of)])
    problem = problem_of(W, b, *(np.concatenate([a[k] for a in of]) for k in (2, 3)))
    assert problem.n > 130
    assert residual(problem, ContactSolver().solve(problem).P) <= 1e-10


def test_smooth_paths_are_judged_by_the_problem_itself():
    """Not by W raised a little: with impulses of 1e9 of b that is another problem, and the search ended too soon."""
    rng = np.random.default_rng(1)
    for seed in range(60):
        W, b, shape, law = arrays(seed, "spatial", True, 10)
        start = block_starts(shape)
        D = cone_scales(np.diag(W).copy(), shape, start)
        P = rng.normal(size=b.size)
        _, r = solve_smooth(W, b, D, shape, start, law, P, 1e-10)
        assert r == pytest.approx(residual(problem_of(W, b, shape, law), P), rel=1e-6, abs=1e-13)


def test_admm_that_runs_away_is_an_error_of_its_own():
    """Large mu: the fixed point of s overflowed, and numpy's error came through."""
    for seed in range(30):
        W, b, shape, law = arrays(seed, "spatial", True, 10)
        problem = problem_of(W, b, shape, 10.0 * law)
        solution, failure = answer(ContactSolver("admm", max_iterations=1500), problem)
        assert failure is not None or solution.residual <= 1e-10


def answer(solver, problem):
    """Return the solution and what was raised, if anything."""
    try:
        return solver.solve(problem), None
    except ContactNotConverged as err:
        return err.solution, err


@pytest.mark.parametrize("name", SOLVERS)
def test_every_solver_answers_or_raises(name):
    solved = 0
    for kind in (*SHAPES, "mixed"):
        for seed in range(8):
            redundant = seed % 2 == 1
            problem = problem_of(*arrays(100 + seed, kind, redundant, most=5))
            solver = ContactSolver(name, max_iterations=0 if name in ("auto", "newton", "lemke") else 2000)
            solution, failure = answer(solver, problem)
            if failure is not None:
                assert failure.problem is problem
                assert 0 <= failure.block < problem.nc
                assert failure.residual == residual(problem, solution.P) > 1e-10
                continue
            assert solution.residual == residual(problem, solution.P) <= 1e-10
            assert (solution.solver, solution.iterations >= 0) == (name, True)
            np.testing.assert_array_equal(solution.U, problem.w(solution.P))
            solved += 1
    assert solved >= (40 if name == "auto" else 15)


@pytest.mark.parametrize("name", SOLVERS)
def test_sparse_problems_are_solved_as_dense_ones(name):
    """Blocks in a chain, enough of them for sparse factors; U is what the dense problem has."""
    rng = np.random.default_rng(3)
    nc = 130
    G = sparse.random_array((3 * nc, 3 * nc), density=0.005, rng=rng) + 2.0 * sparse.eye_array(3 * nc)
    W, b = sparse.csr_array(G.T @ G), rng.normal(size=3 * nc)
    thin, full = ContactProblem(W, b, 0.5, 3), ContactProblem(W.toarray(), b, 0.5, 3)
    solver = ContactSolver(name, tolerance=1e-9)
    np.testing.assert_allclose(solver.solve(thin).U, ContactSolver().solve(full).U, atol=1e-6)


def test_answers_are_the_same_bits_again():
    for name in SOLVERS:
        problem = problem_of(*arrays(7, "spatial"))
        first, second = (ContactSolver(name, tolerance=1e-6).solve(problem).P for _ in range(2))
        assert first.tobytes() == second.tobytes()


@pytest.mark.parametrize("name", ["auto", "nsgs", "newton", "proximal-newton", "lemke"])
def test_tangents_may_be_turned(name):
    """U and P in other tangents are U and P turned."""
    W, b, shape, law = arrays(11, "spatial")
    problem = problem_of(W, b, shape, law)
    rng = np.random.default_rng(0)
    blocks = []
    for angle in rng.uniform(0.0, 2.0 * np.pi, problem.nc):
        c, s = np.cos(angle), np.sin(angle)
        blocks.append([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])
    Q = sparse.block_diag(blocks).toarray()
    turned = problem_of(Q @ W @ Q.T, Q @ b, shape, law)
    solver = ContactSolver(name, tolerance=1e-12)
    np.testing.assert_allclose(solver.solve(turned).U, Q @ solver.solve(problem).U, atol=1e-9)


def test_open_comes_first():
    """Painleve's rod: W_NN < mu W_NT and b_N > 0 has more than one answer; all open is taken."""
    W, b = np.array([[1.0, -1.2], [-1.2, 2.0]]), np.array([0.1, -1.0])
    stuck = np.linalg.solve(W, -b)
    problem = ContactProblem(W, b, 2.0, 2)
    assert residual(problem, stuck) <= 1e-14
    assert residual(problem, [0.0, 0.0]) == 0.0
    for name in ("auto", "nsgs", "exact"):
        assert ContactSolver(name).solve(problem).P.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("name", ["apgd", "barzilai-borwein", "clarabel"])
def test_solvers_for_symmetric_matrices_refuse_others(name):
    problem = ContactProblem([[2.0, 0.5], [-0.5, 2.0]], [-1.0, 0.1], 0.3, 2)
    with pytest.raises(InputError, match=rf"'{name}'.*symmetric.*proximal-newton"):
        ContactSolver(name).solve(problem)
    assert ContactSolver("admm").solve(problem).residual <= 1e-10


def test_exact_takes_one_contact():
    with pytest.raises(InputError, match="'exact'.*2.*nsgs"):
        ContactSolver("exact").solve(ContactProblem(np.eye(4), -np.ones(4), 0.3, 2))


def test_clarabel_is_named_when_missing():
    problem = ContactProblem(np.eye(3), [-1.0, 0.5, 0.2], 0.3, 3)
    try:
        import clarabel  # noqa: F401
    except ImportError:
        with pytest.raises(InputError, match=r'clarabel.*pip install "flexmb\[cone\]"'):
            ContactSolver("clarabel").solve(problem)
    else:
        assert ContactSolver("clarabel").solve(problem).residual <= 1e-10


def test_codes_for_compiled_loops():
    assert ContactSolver().cone_method == AUTO
    assert ContactSolver("nsgs").compiled
    with pytest.raises(InputError, match=r"'apgd'.*proximal-newton"):
        _ = ContactSolver("apgd").cone_method


SAVED = sorted((shipped_folder("cases") / "contact_problems").glob("*.npz"))


@pytest.mark.parametrize("path", SAVED, ids=lambda path: path.stem)
def test_problems_of_shipped_cases_are_solved(path):
    """Saved by ``benchmarks/save_problems.py`` from the cases they are named after."""
    problem = ContactProblem.load(path)
    assert ContactSolver(tolerance=1e-12).solve(problem).residual <= 1e-12


def test_there_are_saved_problems():
    """From one contact to thousands, planar, spatial and rolling; small enough to ship."""
    problems = [ContactProblem.load(path) for path in SAVED]
    assert len(problems) >= 30
    assert min(p.nc for p in problems) == 1
    assert max(p.nc for p in problems) > 2000
    assert {tuple(row) for p in problems for row in p.shape.tolist()} >= {(1, 0, 0), (2, 0, 0), (2, 2, 0), (2, 2, 1)}
    assert sum(path.stat().st_size for path in SAVED) < 2e6
