"""Constant systems too wide for bands: the compiled loop on sparse rows and factors, beside the readable step."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import meshio
import numpy as np
import pytest
from runs import COMPILED, label, run
from scipy import sparse
from systems import contacts, random_system, skew, system
from test_engines import COLUMNS, assert_same

import flexmb as fm
from flexmb.drive import Plan, choose_engine
from flexmb.drive.compiled import CompiledEngine
from flexmb.errors import InputError
from flexmb.kernels.algebra.supernodes import solve_supernodes
from flexmb.linalg.factor import BandFactor, SparseFactor, factor, in_bands
from flexmb.nonsmooth.solvers import ContactSolver
from flexmb.schemes import (
    HHT,
    GeneralizedAlpha,
    MoreauJean,
    MoreauJeanDissipative,
    Newmark,
    SchatzmanPaoli,
    cone_contacts,
)
from flexmb.schemes import scheme as scheme_module

SCHEMES = [
    MoreauJean(),
    MoreauJeanDissipative(theta=0.7),
    SchatzmanPaoli(),
    Newmark(),
    HHT(ggl=False),
    GeneralizedAlpha(),
    GeneralizedAlpha(ggl=False),
]
FRICTIONAL = [s for s in SCHEMES if s.name != "schatzman-paoli"]


def lattice(nx, ny):
    """Return nodes and lines of nx by ny square bays of 1 m in the plane of x and z, each with both diagonals."""
    points = [(i, 0.0, j) for j in range(ny + 1) for i in range(nx + 1)]
    at = np.arange(len(points)).reshape(ny + 1, nx + 1)
    pairs = [(at[:, :-1], at[:, 1:]), (at[:-1], at[1:]), (at[:-1, :-1], at[1:, 1:]), (at[:-1, 1:], at[1:, :-1])]
    lines = np.concatenate([np.stack([a.ravel(), b.ravel()], axis=1) for a, b in pairs])
    return np.array(points, dtype=float), lines


def structure(folder, nx, ny, kind="beam", nodes=5, **floor):
    """Return a lattice that falls onto a floor with some of its lower nodes."""
    path = folder / "lattice.vtk"
    points, lines = lattice(nx, ny)
    meshio.write(path, meshio.Mesh(points, [("line", lines)]))
    keys = {"mesh": str(path), "material": {"young": 2e11, "density": 7800.0}, "damping": (0.5, 1e-6)}
    model = fm.Model(gravity=(0.0, 0.0, -9.81))
    if kind == "beam":
        model.add(
            fm.Beam("s", section={"shape": "rectangle", "height": 0.05, "width": 0.03}, velocity=(1, 0, -2), **keys)
        )
    else:
        flat = [{"node": "all", "fix": ["y"]}]
        model.add(fm.Bar("s", section={"area": 1e-3}, velocity=(1, 0, -2), supports=flat, **keys))
    below = [f"s.node({i})" for i in range(nodes)]
    model.add(fm.NodePlane("floor", nodes=below, point=(0, 0, -2e-4), normal=(0, 0, 1), restitution=0.2, **floor))
    return model.assemble()


def both(s, scheme, h, steps):
    """Return the samples of both engines and the compiled one; both have come to the end, on sparse matrices."""
    one, a = run(s, scheme, h, steps, "general", fields_every=10)
    two, b = run(s, scheme, h, steps, "compiled", fields_every=10)
    assert a.failure is b.failure is None
    assert b.structure.arrays.sparse[0] != 0
    np.testing.assert_allclose(one.field_q, two.field_q, rtol=0, atol=1e-11 * max(np.abs(one.field_q).max(), 1e-3))
    return one, two, b


@pytest.mark.parametrize("scheme", COMPILED, ids=label)
@pytest.mark.parametrize(("seed", "spin"), [(1, False), (2, True)])
def test_full_matrices(scheme, seed, spin):
    """Damping, two loads, a moving plane, three contacts, with and without spin."""
    s = random_system(seed, nv=70, spin=spin)
    one, two, _ = both(s, scheme, 0.01, 12 if scheme.name == "naive-hht" else 80)
    assert one.impulse.any()
    assert_same(one, two, 1e-11)


@pytest.mark.parametrize("scheme", SCHEMES, ids=label)
@pytest.mark.parametrize("kind", ["beam", "bar"])
def test_frames_and_trusses_with_contact(scheme, kind, tmp_path):
    """K by deformation modes, solutions corrected; three unknowns a node, and two."""
    s = structure(tmp_path, *((16, 10) if kind == "beam" else (26, 24)), kind)
    one, two, _ = both(s, scheme, 2e-5, 80)
    assert one.impulse.sum() > 1.0
    assert_same(one, two, 1e-11)


@pytest.mark.parametrize("scheme", FRICTIONAL, ids=label)
def test_frames_with_friction(scheme, tmp_path):
    one, two, b = both(structure(tmp_path, 16, 10, friction=0.3), scheme, 2e-5, 80)
    assert b.cones is not None
    assert np.abs(one.beside).max() > 0.1
    assert_same(one, two, 1e-11)
    np.testing.assert_allclose(two.beside, one.beside, rtol=0, atol=1e-11 * np.abs(one.beside).max())


@pytest.mark.parametrize("scheme", SCHEMES, ids=label)
def test_frames_with_many_contacts(scheme, tmp_path, monkeypatch):
    """By index sets on the bordered matrix, whether that pays on these few contacts or not."""
    monkeypatch.setattr(scheme_module, "pays", lambda system: True)
    one, two, b = both(structure(tmp_path, 16, 10, nodes=17), scheme, 2e-5, 80)
    assert b.many is not None
    assert (one.impulse > 0.0).sum() > 17
    assert_same(one, two, 1e-10)


@pytest.mark.parametrize("scheme", [FRICTIONAL[0], FRICTIONAL[-2]], ids=label)
def test_frames_with_many_frictional_contacts(scheme, tmp_path, monkeypatch):
    monkeypatch.setattr(cone_contacts, "sparse_pays", lambda system: True)
    one, two, b = both(structure(tmp_path, 16, 10, nodes=17, friction=0.3), scheme, 2e-5, 80)
    assert type(b.cones.solver).__name__ == "SparseCones"
    assert_same(one, two, 1e-9)  # the readable step solves a dense problem


@pytest.mark.parametrize("scheme", SCHEMES, ids=label)
def test_a_net_of_springs_that_flies_far_keeps_its_digits(scheme):
    """The rows of K sum to zero: products are taken from differences, 1e6 m away as at the origin."""
    rng, n = np.random.default_rng(0), 150
    pairs = rng.integers(0, n, size=(900, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    B = np.zeros((len(pairs), n))
    B[np.arange(len(pairs)), pairs[:, 0]], B[np.arange(len(pairs)), pairs[:, 1]] = 1.0, -1.0
    K, v0 = 100.0 * B.T @ B, 5.0 + rng.normal(size=n)
    far = []
    for away in (0.0, 1e6):
        s = system(np.eye(n), K, con=contacts(n), q0=np.full(n, away), v0=v0)
        assert s.laplacian
        _, two, b = both(s, scheme, 0.01, 50)
        far.append((two.energy, b.live.v.copy()))
    np.testing.assert_allclose(far[0][0][:, :2], far[1][0][:, :2], rtol=1e-7)
    np.testing.assert_allclose(far[0][1], far[1][1], rtol=0, atol=1e-7)


def test_blocks_and_snapshots_do_not_change_a_bit():
    s = random_system(4, nv=70)
    for scheme in (MoreauJean(), GeneralizedAlpha()):
        plan = Plan(s, scheme, ContactSolver(), 0.01, 0.0, 60, 7, 20)
        whole = CompiledEngine(plan)
        whole.start()
        rest = whole.advance(60)
        first = CompiledEngine(plan)
        first.start()
        early = first.advance(23)
        saved = first.snapshot()
        again = CompiledEngine(plan)
        again.restore(saved, 23)
        late = again.advance(60)
        for name in COLUMNS:
            assert np.array_equal(np.concatenate([getattr(early, name), getattr(late, name)]), getattr(rest, name))


def test_interpreted_kernels_give_the_same_numbers():
    script = """
import sys; sys.path.insert(0, sys.argv[1])
import numpy as np
from runs import run
from systems import random_system
from flexmb.schemes import GeneralizedAlpha, MoreauJean
for scheme in (MoreauJean(0.7), GeneralizedAlpha()):
    block, motor = run(random_system(2, nv=70, spin=True), scheme, 0.01, 4)
    assert motor.failure is None and motor.structure.behind is not None
    print(repr(float(np.abs(block.energy).sum() + np.abs(block.probes).sum() + block.impulse.sum())))
"""
    answers = []
    for off in ("0", "1"):
        words = [sys.executable, "-c", script, str(Path(__file__).parent)]
        env = {**os.environ, "NUMBA_DISABLE_JIT": off}
        done = subprocess.run(words, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[-2000:]
        answers.append([float(x) for x in done.stdout.split()])
    assert len(answers[0]) == 2
    np.testing.assert_allclose(answers[0], answers[1], rtol=1e-11)


def graph(rows, cols, n, dofs=1):
    """Return a definite matrix with blocks of ``dofs`` unknowns at the given places."""
    beside = sparse.coo_array((np.full(len(rows), -1.0), (rows, cols)), shape=(n, n))
    A = sparse.kron(beside + beside.T, np.ones((dofs, dofs)))
    return sparse.csr_array(A + sparse.diags_array(1.0 - A.sum(axis=1)))


def test_a_matrix_is_a_band_while_that_is_the_faster_way():
    chain = graph(np.arange(999), np.arange(1, 1000), 1000)
    strip, square = (graph(*lattice(*size)[1].T, len(lattice(*size)[0]), 3) for size in ((300, 4), (50, 50)))
    star = graph(np.where(np.arange(900) % 15, np.arange(900), 0), np.arange(1, 901), 901)
    hub = graph(np.zeros(400, dtype=int), np.arange(1, 401), 401)
    for A, kind in ((chain, BandFactor), (strip, BandFactor), (square, SparseFactor), (star, SparseFactor)):
        assert type(factor(A)) is kind
        assert in_bands(A) is (kind is BandFactor)
    assert in_bands(chain, sparse.csr_array((1000, 1000)))
    assert not in_bands(chain, _padded(hub, 1000))  # each is a band, or nearly diagonal; both together are wide


def _padded(A, n):
    return sparse.csr_array(sparse.block_diag([A, sparse.csr_array((n - A.shape[0], n - A.shape[0]))]))


def samples(rng):
    """Matrices with a symmetric definite part: full, diagonal, in pieces, arrows, lattices, random ones."""
    yield sparse.csr_array(np.array([[2.0]]))
    yield sparse.csr_array(np.diag(1.0 + rng.random(7)))
    yield sparse.csr_array(random_system(0, nv=33).K)
    yield graph(np.zeros(40, dtype=int), np.arange(1, 41), 41)
    yield _padded(graph(np.zeros(40, dtype=int), np.arange(1, 41), 41), 50) + sparse.eye_array(50)
    yield graph(*lattice(7, 5)[1].T, 48, 3)
    for n in (5, 60, 200):
        yield graph(rng.integers(0, n, 3 * n), (rng.integers(0, n, 3 * n)), n) + sparse.eye_array(n)


def test_solves_with_supernodes_against_dense_ones():
    rng = np.random.default_rng(5)
    for A in map(sparse.csr_array, samples(rng)):
        n = A.shape[0]
        scaled = sparse.diags_array(0.5 + rng.random(n))
        A, b = sparse.csr_array(scaled @ A @ scaled), rng.normal(size=n)
        B = sparse.csr_array(abs(A) > 0).multiply(skew(rng, n, 3.0))
        for beside in (None, sparse.csr_array(B)):
            F, x = SparseFactor(A, beside).supernodes(), b.copy()
            solve_supernodes(F, x)
            full = A.toarray() if beside is None else (A + beside).toarray()
            np.testing.assert_allclose(full @ x, b, rtol=0, atol=1e-11 * np.abs(x).max())
            assert (F.up is F.low) == (beside is None or not beside.nnz)


def test_a_wide_matrix_that_is_not_definite_is_refused_with_the_number():
    n = 3 * 961
    A = graph(*lattice(30, 30)[1].T, 961, 3).tolil()
    assert isinstance(factor(sparse.csr_array(A)), SparseFactor)
    A[17, 17] = -100.0
    with pytest.raises(InputError, match="not positive definite.*number 17"):
        factor(sparse.csr_array(A))
    A[17] = 0.0
    A[:, 17] = 0.0
    with pytest.raises(InputError, match="not positive definite"):
        factor(sparse.csr_array(A))
    B = sparse.csr_array(np.triu(np.ones((n, n)), n - 60) - np.tril(np.ones((n, n)), 60 - n))
    with pytest.raises(InputError, match="not positive definite"):
        factor(sparse.csr_array(A), B)


def test_any_width_is_compiled_by_default(tmp_path):
    wide = structure(tmp_path, 16, 10)
    for s in (wide, random_system(1, nv=60), replace(wide, C=sparse.csr_array(wide.C.shape))):
        plan = Plan(s, MoreauJean(), ContactSolver(), 1e-5, 0.0, 5, 1, 5)
        assert choose_engine(plan).name == choose_engine(plan, "compiled").name == "compiled"
        assert choose_engine(plan, "general").name == "general"


@pytest.mark.parametrize("case", ["portal_frame", "truss_drop", "arch_on_stop"])
def test_shipped_frames_run_compiled(case):
    result = fm.load_case(case, ["time.end=0.01"]).run()
    assert result.summary["engine"] == "compiled"
    assert result.summary["energy"]["residual_max"] <= 1e-9
