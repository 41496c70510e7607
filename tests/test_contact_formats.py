"""Contact problems in files: our npz, FCLIB's HDF5, Siconos' .dat, and ``flexmb solve``."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest
from scipy import sparse

from flexmb.cli import main
from flexmb.errors import InputError
from flexmb.nonsmooth import ContactProblem, ContactSolver, read_problem, residual, write_problem
from flexmb.nonsmooth.compare import TARGETS, Reached, course
from flexmb.postproc.solvers_plot import plot_solvers


def random_problem(dim, nc=5, seed=0, thin=False):
    rng = np.random.default_rng(seed)
    n = dim * nc
    G = rng.normal(size=(n + 2, n))
    W = G.T @ G
    if thin:
        W *= np.kron(np.eye(nc) + np.eye(nc, k=1) + np.eye(nc, k=-1), np.ones((dim, dim)))
        W = sparse.csr_array(W + n * np.eye(n))
    roll = rng.uniform(0.01, 0.1, nc) if dim == 5 else None
    return ContactProblem(W, rng.normal(size=n), rng.uniform(0.1, 1.0, nc), dim, roll=roll)


def content(problem):
    """Return all numbers of a problem, bit for bit."""
    W = problem.W.toarray() if problem.sparse else problem.W
    parts = {key: getattr(problem, key).tobytes() for key in ("b", "mu", "roll", "spin", "shape")}
    return {"sparse": problem.sparse, "W": W.tobytes(), **parts}


@pytest.mark.parametrize("dim", [2, 3, 5])
@pytest.mark.parametrize("thin", [False, True])
@pytest.mark.parametrize("suffix", [".npz", ".hdf5", ".h5", ".dat"])
def test_problems_travel_with_every_bit(tmp_path, dim, thin, suffix):
    problem = random_problem(dim, 60 if thin else 5, thin=thin)
    path = tmp_path / f"problem{suffix}"
    write_problem(problem, path)
    assert content(read_problem(path)) == content(problem)


def test_npz_holds_blocks_of_mixed_size(tmp_path):
    shape = np.array([[0, 0, 0], [1, 1, 0], [2, 0, 1], [2, 2, 1]])
    n = 4 + int(shape.sum())
    mu = np.array([0.0, 0.2, 0.3, 0.4])
    problem = ContactProblem(np.eye(n), -np.ones(n), mu, roll=0.1, spin=0.2, shape=shape)
    assert problem.roll.tolist() == [0.0, 0.1, 0.0, 0.1]
    assert problem.spin.tolist() == [0.0, 0.0, 0.2, 0.2]
    assert (problem.nc, problem.dim.tolist()) == (4, [1, 3, 4, 6])
    write_problem(problem, tmp_path / "mixed.npz")
    assert content(read_problem(tmp_path / "mixed.npz")) == content(problem)
    for suffix in (".hdf5", ".dat"):
        with pytest.raises(InputError, match=r"dim.*npz"):
            write_problem(problem, tmp_path / f"mixed{suffix}")


def words(*items):
    return "\n".join(str(x) for item in items for x in np.ravel(np.asarray(item, dtype=object))) + "\n"


def dense_words(A):
    return words(0, A.shape[0], A.shape[1], A.shape[0], A.shape[1], A.T.ravel())


def small_global(rng):
    A = rng.normal(size=(5, 5))
    return A @ A.T + np.eye(5), rng.normal(size=(5, 3)), rng.normal(size=5), rng.normal(size=3)


def test_global_problems_come_in_local_form(tmp_path):
    M, H, f, w = small_global(np.random.default_rng(1))
    path = tmp_path / "global.dat"
    path.write_text(words(3, 1) + dense_words(M) + dense_words(H) + words(f, w, 0.3))
    problem = read_problem(path)
    inverse = np.linalg.inv(M)
    np.testing.assert_allclose(problem.W, H.T @ inverse @ H, rtol=0, atol=1e-13)
    np.testing.assert_allclose(problem.b, H.T @ inverse @ f + w, rtol=0, atol=1e-13)
    assert problem.mu.tolist() == [0.3]
    # the same in HDF5, of M only the upper half, by columns and by triplets
    with h5py.File(tmp_path / "global.hdf5", "w") as file:
        group = file.create_group("fclib_global")
        group["spacedim"] = [3]
        for key, A in {"M": sparse.csc_array(np.triu(M)), "H": sparse.coo_array(H)}.items():
            part = group.create_group(key)
            part["m"], part["n"], part["nzmax"] = [A.shape[0]], [A.shape[1]], [A.nnz]
            i, p = (A.indices, A.indptr) if key == "M" else A.coords
            part["nz"], part["i"], part["p"], part["x"] = [-1 if key == "M" else A.nnz], i, p, A.data
        vectors = group.create_group("vectors")
        vectors["f"], vectors["w"], vectors["mu"] = f, w, [0.3]
    again = read_problem(tmp_path / "global.hdf5")
    np.testing.assert_allclose(again.W, problem.W, rtol=0, atol=1e-13)
    np.testing.assert_allclose(again.b, problem.b, rtol=0, atol=1e-13)


def test_joints_are_eliminated(tmp_path):
    """Two joint rows, one of them twice, a complementarity row and a contact; u = 0 on the joints."""
    rng = np.random.default_rng(2)
    G = rng.normal(size=(9, 7))
    G[:, 2] = G[:, 1]  # a redundant joint row
    W, q = G.T @ G, G.T @ rng.normal(size=9)
    ends, text = [3, 4, 7], []
    begins = [0, 3, 4]
    for i, (b0, b1) in enumerate(zip(begins, ends, strict=True)):
        for j, (c0, c1) in enumerate(zip(begins, ends, strict=True)):
            text.append(words(3 * i + j, W[b0:b1, c0:c1].T.ravel()))
    path = tmp_path / "mixed.dat"
    head = words(1, 7, 7, 9, 3, 3, ends, ends, 4, 9, [0, 3, 6, 9], [0, 1, 2] * 3)
    path.write_text(head + "".join(text) + words(q, 2, 0, 4, 0.4))
    problem = read_problem(path)
    assert (problem.nc, problem.dim.tolist(), problem.mu.tolist()) == (2, [1, 3], [0.0, 0.4])
    P = ContactSolver().solve(problem).P
    joints = np.linalg.lstsq(W[:3, :3], -(W[:3, 3:] @ P + q[:3]), rcond=1e-10)[0]
    u = W @ np.concatenate([joints, P]) + q
    np.testing.assert_allclose(u[:3], 0.0, rtol=0, atol=1e-12)
    np.testing.assert_allclose(u[3:], problem.w(P), rtol=0, atol=1e-12)
    path.write_text((head + "".join(text) + words(q, 2, 0, 4, 0.4)).replace(repr(float(W[0, 1])), "inf"))
    with pytest.raises(InputError, match="finite"):
        read_problem(path)


def test_what_csparse_prints(tmp_path):
    text = "2\n1\n2\n2\n2\n2\nCSparse Version 3.1.9\n2-by-2, nzmax: 3 nnz: 3, 1-norm: 4\n"
    text += "    col 0 : locations 0 to 1\n      0 : 2\n      1 : 0.5\n    col 1 : locations 2 to 2\n      1 : 3\n"
    (tmp_path / "a.dat").write_text(text + words([-1.0, 0.25], 0.7))
    problem = read_problem(tmp_path / "a.dat")
    assert problem.W.tolist() == [[2.0, 0.0], [0.5, 3.0]]
    assert (problem.b.tolist(), problem.mu.tolist()) == ([-1.0, 0.25], [0.7])


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("nothing.dat", ""),
        ("cut.dat", "3 1 0 3 3 3 3 1 2 3"),
        ("words.dat", "three contacts"),
        ("seven.dat", "7 1 0 7 7"),
        ("kind.dat", "3 1 9 3 3"),
        ("wide.dat", "1 1 900000000 1 1 1 1 1 2 1 0 1 0 0 2.0 -1.0 2"),
        ("text.hdf5", "no file of HDF5"),
        ("text.npz", "no archive"),
    ],
)
def test_damaged_files_are_named(tmp_path, name, content, capsys):
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(InputError, match=name):
        read_problem(path)
    assert main(["solve", str(path)]) == 2
    assert name in capsys.readouterr().err


def test_names_of_files(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        read_problem(tmp_path / "none.dat")
    with pytest.raises(InputError, match=r"\.npz, \.hdf5, \.h5, \.dat"):
        read_problem(tmp_path / "problem.txt")
    with h5py.File(tmp_path / "other.hdf5", "w") as file:
        file["x"] = 1.0
    with pytest.raises(InputError, match="fclib_local"):
        read_problem(tmp_path / "other.hdf5")


# flexmb solve


def test_solve_prints_what_it_found(tmp_path, capsys):
    problem = random_problem(3)
    problem.save(tmp_path / "p.npz")
    assert main(["solve", str(tmp_path / "p.npz"), "--solver", "nsgs", "--write", str(tmp_path / "q.dat")]) == 0
    out = capsys.readouterr().out
    for part in ("solved by nsgs", "5 contacts", "15 rows", "residual", "iterations", " s"):
        assert part in out
    assert content(read_problem(tmp_path / "q.dat")) == content(problem)
    solution = ContactSolver("nsgs").solve(problem)
    assert f"residual {residual(problem, solution.P):.3g}, {solution.iterations} iterations" in out


def test_unsolved_and_wrong_input(tmp_path, capsys):
    bad, good = tmp_path / "bad.npz", tmp_path / "good.npz"
    ContactProblem(np.zeros((2, 2)), [-1.0, 0.0], 0.3, 2).save(bad)  # nothing can stop it
    random_problem(2).save(good)
    assert main(["solve", str(bad), str(good)]) == 3
    out = capsys.readouterr().out
    assert "NOT SOLVED" in out
    assert "good.npz: solved" in out
    assert main(["solve", str(good), "--solver", "simplex"]) == 2
    assert "proximal-newton" in capsys.readouterr().err
    assert main(["solve", str(good), "--tolerance", "-1"]) == 2
    assert main(["solve", str(tmp_path / "none.npz")]) == 2
    assert main(["solve", str(good), str(bad), "--write", "x.npz"]) == 2
    assert "--write" in capsys.readouterr().err


@pytest.mark.parametrize(("count", "panels"), [(1, 1), (2, 3), (7, 6)])
def test_the_picture_has_no_panel_without_content(count, panels):
    """One for each problem, up to five, and one for all of them if there are several."""
    reached = [Reached(1e-10, 1e-11, 1e-3, 5)]
    courses = {f"p{k}": {"nsgs": reached} for k in range(count)}
    figure = plot_solvers(courses, dict.fromkeys(courses, 3), 1e-10)
    assert len(figure.axes) == panels
    assert all(ax.lines for ax in figure.axes)


def test_solvers_are_compared(tmp_path, capsys):
    """Every solver on every problem of a folder: a table, and a picture of residuals against times."""
    for k in (2, 3):
        random_problem(k).save(tmp_path / f"p{k}.npz")
    picture = tmp_path / "solvers.png"
    names = "auto,nsgs,apgd"
    assert main(["solve", "--compare", str(tmp_path), "--solver", names, "-o", str(picture), "--seconds", "0.5"]) == 0
    out = capsys.readouterr().out
    assert out.count("auto over the best") == 2
    for part in ("p2: ", "p3: ", "nsgs", "apgd", "solved of 2 to 1e-10: auto 2"):
        assert part in out
    assert picture.read_bytes()[:4] == b"\x89PNG"
    capsys.readouterr()
    (tmp_path / "empty").mkdir()
    for wrong in (
        ["--compare", str(tmp_path / "empty")],
        ["--compare", str(tmp_path), "--solver", "auto,simplex"],
        ["--compare", str(tmp_path), "--seconds", "0"],
        ["--compare", str(tmp_path), "--write", "x.npz"],
        [str(tmp_path / "p2.npz"), "-o", str(picture)],
        [],
    ):
        assert main(["solve", *wrong]) == 2


def test_a_comparison_shows_digits_and_failures():
    """More digits take no less work; a solver that does not take a problem has no course, one that fails ends there."""
    problem = random_problem(3)
    found = course("nsgs", problem, 1.0)
    assert [r.target for r in found] == list(TARGETS)
    assert all(r.solved and 0.0 < r.seconds < 1.0 for r in found)
    assert all(a.iterations <= b.iterations for a, b in zip(found, found[1:], strict=False))
    skew = ContactProblem([[2.0, 0.5], [-0.5, 2.0]], [-1.0, 0.1], 0.3, 2)
    assert course("apgd", skew, 1.0) == []
    endless = course("newton", ContactProblem(np.zeros((2, 2)), [-1.0, 0.0], 0.3, 2), 1.0)
    assert len(endless) == 1
    assert not endless[0].solved


@pytest.mark.parametrize("name", ["p.dat", "p.hdf5", "p.h5", "p.txt"])
def test_save_is_for_npz_only(tmp_path, name):
    with pytest.raises(InputError, match=r"npz.*write_problem") as refused:
        random_problem(2).save(tmp_path / name)
    assert refused.value.key == "path"
    assert not (tmp_path / name).exists()


def put(group, key, A):
    """Write a matrix as FCLIB does, by triplets."""
    A, part = sparse.coo_array(A), group.create_group(key)
    for name, value in {"m": A.shape[0], "n": A.shape[1], "nz": A.nnz, "nzmax": A.nnz}.items():
        part[name] = [value]
    part["i"], part["p"], part["x"] = *A.coords, A.data


@pytest.mark.parametrize("is_global", [True, False])
def test_joints_in_files_of_fclib_are_eliminated(tmp_path, is_global):
    """Two joints, one of them twice: no velocity along them."""
    rng = np.random.default_rng(5)
    M, H, f, w = small_global(rng)
    G, s = rng.normal(size=(5, 2))[:, [0, 1, 1]], np.array([0.3, -0.2, -0.2])
    inverse = np.linalg.inv(M)
    with h5py.File(tmp_path / "joints.hdf5", "w") as file:
        group = file.create_group("fclib_global" if is_global else "fclib_local")
        vectors = group.create_group("vectors")
        group["spacedim"], vectors["mu"] = [3], [0.4]
        given = {"M": M, "H": H, "G": G} if is_global else {}
        given = given or {"W": H.T @ inverse @ H, "V": H.T @ inverse @ G, "R": G.T @ inverse @ G}
        for key, A in given.items():
            put(group, key, A)
        numbers = {"f": f, "w": w, "b": s} if is_global else {}
        for key, x in (numbers or {"q": H.T @ inverse @ f + w, "s": G.T @ inverse @ f + s}).items():
            vectors[key] = x
    problem = read_problem(tmp_path / "joints.hdf5")
    P = rng.normal(size=3)
    system = np.block([[M, -G[:, :2]], [G[:, :2].T, np.zeros((2, 2))]])
    v = np.linalg.solve(system, np.concatenate([H @ P + f, -s[:2]]))[:5]
    np.testing.assert_allclose(problem.w(P), H.T @ v + w, rtol=0, atol=1e-12)


def test_joints_whose_impulses_are_not_determined_are_refused(tmp_path, capsys):
    """Local problems with V and without R, or R = 0, bound the impulses of contacts; R or s without V mean nothing."""
    rng = np.random.default_rng(5)
    A = rng.normal(size=(8, 3))
    R, V = np.eye(2), rng.normal(size=(3, 2))
    one = V[:, :1] @ np.ones((1, 2))  # two equal joints
    path = tmp_path / "joints.hdf5"
    for V_R_s, fits in (
        ((V, R, [0.0, 1.0]), True),
        ((V, None, [0.0, 1.0]), False),
        ((V, 0.0 * R, [0.0, 1.0]), False),
        ((1e-6 * V, None, [0.0, 0.0]), False),
        ((one, np.ones((2, 2)), [1.0, 1.0]), True),
        ((one, np.ones((2, 2)), [1.0, -1.0]), False),
        ((V, np.ones((2, 2)), [1.0, 1.0]), False),
        ((None, R, None), False),
        ((None, None, [1.0, 0.0]), False),
        ((None, None, []), True),
    ):
        path.unlink(missing_ok=True)
        with h5py.File(path, "w") as file:
            group = file.create_group("fclib_local")
            vectors = group.create_group("vectors")
            group["spacedim"], vectors["mu"], vectors["q"] = [3], [0.4], rng.normal(size=3)
            for key, matrix in zip("WVR", (A.T @ A, *V_R_s[:2]), strict=True):
                if matrix is not None:
                    put(group, key, matrix)
            if V_R_s[2] is not None:
                vectors["s"] = V_R_s[2]
        if fits:
            assert read_problem(path).n == 3
        else:
            assert main(["solve", str(path)]) == 2
            assert path.name in capsys.readouterr().err


def test_empty_matrices_of_joints_are_as_if_they_were_not_there(tmp_path):
    write_problem(random_problem(3), tmp_path / "free.hdf5")
    with h5py.File(tmp_path / "free.hdf5", "a") as file:
        put(file["fclib_local"], "V", np.zeros((15, 0)))
    assert content(read_problem(tmp_path / "free.hdf5")) == content(random_problem(3))


def said_of(path):
    """Return the refusal of a file; the path if it is read."""
    try:
        read_problem(path)
    except InputError as err:
        return str(err)
    return str(path)


@pytest.mark.parametrize("suffix", [".npz", ".hdf5", ".dat"])
def test_corrupt_files_are_named(tmp_path, suffix):
    """Cut off, a byte changed, a number replaced: refused with the path, or read as another problem."""
    write_problem(random_problem(3), tmp_path / f"whole{suffix}")
    data, rng = (tmp_path / f"whole{suffix}").read_bytes(), np.random.default_rng(3)
    path = tmp_path / f"damaged{suffix}"
    for k in range(150):
        damaged, at = bytearray(data), int(rng.integers(len(data)))
        if suffix == ".dat" and k % 3 == 0:
            parts = data.split()
            parts[at % (len(parts) if k % 2 else 8)] = (b"nan", b"inf", b"-1", b"9" * 22, b"x")[k % 5]
            damaged = bytearray(b" ".join(parts))
        elif k % 3 == 1:
            del damaged[at:]
        else:
            damaged[at] = int(rng.integers(256))
        path.write_bytes(damaged)
        assert path.name in said_of(path)


WRONG = (
    *(
        np.full((3, 3), np.nan),
        np.full(3, np.nan),
        np.array(np.nan),
        np.array([["a", "b"]]),
        np.array("2"),
        np.array("x"),
    ),
    *(np.full(s, 2) for s in ((2, 2, 2), (1,), (0, 3), (7, 7))),
    *(np.full(s, 0.5) for s in ((), (2,), (5, 3), (2, 2, 2), (0,))),
    *(np.full(s, 1j) for s in ((), (3,), (9, 9), (9,))),
    *(np.array([-1]), np.array([2**63], dtype=np.uint64), np.array([b"x"]), np.array([(1, 2.0)], dtype="i4,f8")),
    *(np.array(["2026-01-01"], dtype="M8[D]"), np.array([True, False]), np.full((5, 1), 3)),
)
"""Arrays that fit nowhere in a file of three contacts of three rows."""


@pytest.mark.parametrize("thin", [False, True])
def test_wrong_arrays_of_npz_are_named(tmp_path, thin, capsys):
    """Every array replaced by others of wrong shapes and types, or left out, or of complex numbers."""
    random_problem(3, nc=3, thin=thin).save(tmp_path / "whole.npz")
    with np.load(tmp_path / "whole.npz") as file:
        whole = dict(file)
    del whole["shape"]  # else dim is not needed
    path = tmp_path / "wrong.npz"
    shape = np.tile([2, 0, 0], (3, 1))
    for key, right in [*whole.items(), ("shape", shape)]:
        for wrong in (*WRONG, right * (1 + 0j)):
            if key in ("mu", "roll", "spin") and wrong.ndim == 0 and wrong.dtype.kind == "f":
                wrong = np.array(-1.0)  # a single number is of all contacts
            np.savez(path, **whole | {key: wrong})
            with pytest.raises(InputError) as refused:
                read_problem(path)
            assert path.name in str(refused.value), (key, wrong)
        if key in ("b", "mu", "dim", "W"):
            np.savez(path, **{name: x for name, x in whole.items() if name != key})
            assert path.name in said_of(path)
    np.savez(path, **whole | {"shape": np.full(3, np.nan)})
    assert main(["solve", str(path)]) == 2
    said = capsys.readouterr().err
    assert path.name in said
    assert "FCLIB" not in said
    np.savez(path, **whole | {"shape": shape})
    assert content(read_problem(path)) == content(random_problem(3, nc=3, thin=thin))


def test_shipped_problems_are_solved_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["solve", "--list"]) == 0
    listed = {line.split()[0]: line.split()[1:] for line in capsys.readouterr().out.splitlines()}
    assert listed["wall_of_bricks_24"] == ["24", "contacts", "48", "rows"]
    assert main(["solve", "wall_of_bricks_24", "peeling_beam_51"]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert "wall_of_bricks_24.npz: solved" in first
    assert "51 contacts" in second
    assert main(["solve", "wall_of_brick_24"]) == 2
    said = capsys.readouterr().err
    assert "did you mean 'wall_of_bricks_24'?" in said
    assert all(name in said for name in listed)
    assert main(["solve"]) == 2
    assert "--list" in capsys.readouterr().err
