"""Body given by its matrices, for small motion: M q'' + C q' + K q = forces, with points whose motion is linear in q.

A reduced model of another program, or a mechanism linearized by hand. Row r_i of a point is its displacement along an
axis per unit of each coordinate; then a force f along that axis is the generalized force f r_i, and a plane with that
normal has the gap g_0 + r_i . q. With the coordinates t_a of a unit translation of the whole body along an axis,

    mass = t_a^T M t_a,     momentum = t_a^T M v,     weight = sum_a g_a M t_a
"""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from scipy.io import mmread

from flexmb.assembly.builder import Builder
from flexmb.assembly.node_ref import NodeRef
from flexmb.checks.values import check_keys, check_name, check_point_name, from_table, numbers, vector
from flexmb.errors import InputError
from flexmb.linalg.strain import Strain
from flexmb.parts.bodies.body import RESERVED, RESERVED_BODIES, BodyParts, NamedBody
from flexmb.parts.bodies.linear_body import add_linear_body
from flexmb.state import Array, IntArray

Numbers = Sequence[float] | Array
Table = Sequence[Sequence[float]] | Array | sparse.sparray | str | Path
MOST = 3000
"""Maximum number of coordinates: the checks are dense."""
SHOWN = 4
"""Maximum number of rows of a table that messages print."""
RIGID = 1e-9
"""Magnitude of an eigenvalue of a scaled stiffness matrix up to which it is that of a rigid motion."""
INDEFINITE = 1e-5
"""Magnitude of a negative eigenvalue beyond which it is not the rounding of numbers given with six digits or more."""
ROUND_OFF = 1e-12
"""Relative asymmetry, or negative eigenvalue, that counts as round-off."""
APART = 4.0
"""Multiple of the smaller diagonal entry beyond which an entry of K couples coordinates of different scales."""
SAME_MASS = 1e-6
"""Relative difference of the masses along two axes that counts as rounding of the given numbers."""


@dataclass(frozen=True, kw_only=True)
class MatrixPoint:
    """A named point of ``Matrices``: its position, and its motion per unit of each of n coordinates.

    Parameters
    ----------
    at : (3,) array_like
        Position at q = 0, m.
    x, y, z : (n,) array_like
        Displacements along the axes, m; zero when not given.
    rotation_x, rotation_y, rotation_z : (n,) array_like
        Small rotations about the axes, rad; zero when not given.
    """

    at: Numbers
    x: Numbers | None = None
    y: Numbers | None = None
    z: Numbers | None = None
    rotation_x: Numbers | None = None
    rotation_y: Numbers | None = None
    rotation_z: Numbers | None = None


@dataclass(frozen=True, kw_only=True)
class Matrices(NamedBody):
    """Body of small motion given by its matrices: a reduced model, or a mechanism linearized by hand.

    Matrices are tables of numbers or the names of files: Matrix Market (``.mtx``), ``.npy`` of NumPy, or ``.npz`` of
    ``scipy.sparse.save_npz``.

    Parameters
    ----------
    name : str
        Name, unique among the bodies.
    mass_matrix : (n, n) array_like or path
        Symmetric, positive definite.
    stiffness_matrix, damping_matrix : (n, n) array_like or path, optional
        Symmetric; damping positive semidefinite. Default: zero.
    points : mapping of str to MatrixPoint or tables
        Named points, at least one.
    coordinates, rates : (n,) array_like, optional
        Initial q and its rates; default: zero. The displacement of ``initial_static`` is added to q.
    translation : mapping of "x", "y", "z" to (n,) array_like
        Coordinates of a unit translation of the entire body along axes along which it can move. They give its mass,
        momentum and weight; without them gravity has no effect.
    center : (3,) array_like
        Center of mass at q = 0, m.
    lines : sequence of pairs of str
        Points between which a line is drawn.
    """

    kind: ClassVar[str] = "matrices"
    large_motion: ClassVar[bool] = False
    files: ClassVar[tuple[str, ...]] = ("mass_matrix", "stiffness_matrix", "damping_matrix")

    mass_matrix: Table
    stiffness_matrix: Table | None = None
    damping_matrix: Table | None = None
    points: Mapping[str, MatrixPoint | Mapping[str, Any]]
    coordinates: Numbers | None = None
    rates: Numbers | None = None
    translation: Mapping[str, Numbers] = field(default_factory=dict)
    center: Numbers = (0.0, 0.0, 0.0)
    lines: Sequence[Sequence[str]] = ()

    def __post_init__(self) -> None:
        check_name(self.name, "bodies", RESERVED_BODIES)
        self._definite("mass_matrix", "definite", ROUND_OFF)
        self._definite("damping_matrix", "semidefinite", -ROUND_OFF)
        self._matrix("stiffness_matrix")
        vector(self.center, "center", self.where)
        for key in ("coordinates", "rates"):
            self._row(getattr(self, key), key, self.where)
        self._points, self._total_mass, self._cells  # noqa: B018  (checks their keys)

    def point(self, name: str) -> NodeRef:
        """Return a reference to a named point."""
        if name not in self._points:
            raise InputError(f"no such point; it has {', '.join(self._points)}", where=self.where, key=name)
        return NodeRef(self.name, name)

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the body: a stiffness matrix that is not positive semidefinite."""
        lowest = float(self._modes[0].min())
        if lowest >= -INDEFINITE:
            return ()
        return (
            f"{self.where}.stiffness_matrix: is indefinite: its lowest eigenvalue, with rows and columns scaled to "
            f"one, is {lowest:.3g}; the body moves away exponentially unless other parts hold it",
        )

    def gravity_note(self, a: Array) -> str:
        """Return a note if gravity has no effect on the body."""
        if any(a[k] and np.any(self._translation[k]) for k in range(3)):
            return ""
        return f"{self.where}: gravity has no effect on it: its translation along gravity is not given"

    def parts(self) -> BodyParts:
        """Return matrices and maps."""
        M, K, n = self._matrix("mass_matrix"), self._matrix("stiffness_matrix"), self._size
        maps = np.array([rows for _, rows in self._points.values()])
        momentum = np.asarray(self._translation @ M)
        values, vectors = self._modes
        free = vectors[:, np.abs(values) <= RIGID] / np.sqrt(_positive(np.abs(K).max(axis=1)))[:, None]
        return BodyParts(
            M=sparse.csr_array(M),
            C=sparse.csr_array(self._matrix("damping_matrix")),
            K=sparse.csr_array(K),
            strain=_strain(K),
            points=np.array([at for at, _ in self._points.values()]),
            cells=self._cells,
            displacement=sparse.csr_array(maps[:, :3].reshape(-1, n)),
            rotation=sparse.csr_array(maps[:, 3:].reshape(-1, n)),
            q0=self._row(self.coordinates, "coordinates", self.where),
            v0=self._row(self.rates, "rates", self.where),
            gravity=momentum.T,
            momentum=momentum,
            mass=self._total_mass,
            center=vector(self.center, "center", self.where),
            radius=0.0,
            dof_names=tuple(f"{self.name}.coordinate({k})" for k in range(n)),
            named={name: i for i, name in enumerate(self._points)},
            rigid_free=np.linalg.qr(free)[0],
            rigid_held=np.empty((0, free.shape[1])),
        )

    def add_to(self, builder: Builder) -> None:
        """Add the body to a multibody system."""
        add_linear_body(builder, self.name, self.parts())

    @cached_property
    def _read(self) -> dict[str, Array]:
        """The matrices as dense arrays, zero where not given."""
        M = self._square("mass_matrix", None)
        rest = {key: self._square(key, len(M)) for key in self.files if key != "mass_matrix"}
        return {"mass_matrix": M} | rest

    @cached_property
    def _modes(self) -> tuple[Array, Array]:
        """Eigenvalues of the stiffness matrix, with rows and columns scaled to one, and its eigenvectors."""
        K = self._matrix("stiffness_matrix")
        values, vectors = np.linalg.eigh(_scaled(K, np.abs(K).max(axis=1)))
        return values, vectors

    @property
    def _size(self) -> int:
        return len(self._read["mass_matrix"])

    def _matrix(self, key: str) -> Array:
        return self._read[key]

    def _square(self, key: str, n: int | None) -> Array:
        """Return a matrix, (n, n), checked to be symmetric; n = None is any size."""
        value = getattr(self, key)
        if value is None and n is not None:
            return np.zeros((n, n))
        given: Any = _from_file(value, key, self.where) if isinstance(value, str | Path) else value
        if hasattr(given, "toarray"):
            given = given.toarray() if max(given.shape) <= MOST else np.zeros(given.shape[:1])
        try:
            size = len(given) if n is None else n
        except TypeError:
            size = 0
        if size > MOST:
            raise InputError(f"has {size} rows: at most {MOST}", where=self.where, key=key)
        few = size <= SHOWN and not isinstance(given, np.ndarray)
        shown = str(value) if isinstance(value, str | Path) else value if few else f"a table of {size} rows"
        words = f"{size} x {size} numbers" if n is None else f"{size} x {size} numbers, as mass_matrix"
        try:
            A = numbers(
                given, key, self.where, words if size else "a square table of numbers or a file", ((size, size),)
            )
        except InputError as err:
            raise InputError(err.message, where=self.where, key=key, value=shown) from None
        if size == 0:
            raise InputError("must be a square table of numbers or a file", where=self.where, key=key, value=shown)
        off = np.abs(A - A.T)
        if off.max() > ROUND_OFF * np.abs(A).max():
            i, j = np.unravel_index(int(off.argmax()), off.shape)
            message = f"must be symmetric; entries ({i}, {j}) and ({j}, {i}) are {A[i, j]:.6g} and {A[j, i]:.6g}"
            raise InputError(message, where=self.where, key=key)
        return 0.5 * (A + A.T)

    def _definite(self, key: str, words: str, least: float) -> None:
        """Raise if a matrix, scaled to a unit diagonal, has an eigenvalue below ``least``."""
        A = self._matrix(key)
        d = np.diag(A)
        lowest = float(np.linalg.eigvalsh(_scaled(A, d)).min()) if (d >= 0.0).all() else float(d.min())
        if not lowest >= least:
            message = f"must be positive {words}; its lowest eigenvalue, scaled to a unit diagonal, is {lowest:.3g}"
            raise InputError(message, where=self.where, key=key)

    def _row(self, value: object, key: str, where: str) -> Array:
        n = self._size
        return np.zeros(n) if value is None else numbers(value, key, where, f"{n} numbers", ((n,),))

    @cached_property
    def _translation(self) -> Array:
        """Coordinates of unit translations along x, y, z, (3, n); zero where not given."""
        where = f"{self.where}.translation"
        if not isinstance(self.translation, Mapping):
            raise InputError("must be a table such as { y = [1.0, 0.0] }", where=self.where, key="translation")
        check_keys(self.translation, list("xyz"), [], where)
        rows = np.array([self._row(self.translation.get(axis), axis, where) for axis in "xyz"])
        for axis, row in zip("xyz", rows, strict=True):
            if axis in self.translation and not row.any():
                raise InputError(
                    "must not be zero: it is a unit translation", where=where, key=axis, value=row.tolist()
                )
        return rows

    @cached_property
    def _total_mass(self) -> float:
        """Mass of the body, kg; zero where no translation is given."""
        T = self._translation
        found = {axis: float(t @ self._matrix("mass_matrix") @ t) for axis, t in zip("xyz", T, strict=True) if t.any()}
        if not found:
            return 0.0
        if max(found.values()) - min(found.values()) > SAME_MASS * max(found.values()):
            masses = ", ".join(f"{mass:.9g} kg along {axis}" for axis, mass in found.items())
            message = f"must be translations of the whole body, which have the same mass; these have {masses}"
            raise InputError(message, where=self.where, key="translation")
        return max(found.values())

    @cached_property
    def _points(self) -> dict[str, tuple[Array, Array]]:
        """Positions (3,) and maps (6, n) of the named points."""
        where, found = f"{self.where}.points", {}
        if not isinstance(self.points, Mapping) or not self.points:
            message = (
                "must be a table of at least one point, such as { tip = { at = [0.3, 0.0, 0.0], y = [0.0, 1.0] } }"
            )
            raise InputError(message, where=self.where, key="points", value=self.points)
        for name, value in self.points.items():
            own = f"{where}.{name}"
            check_point_name(name, where, RESERVED)
            if isinstance(value, Mapping):
                value = from_table(MatrixPoint, value, own)
            if not isinstance(value, MatrixPoint):
                message = "must be a table such as { at = [0.3, 0.0, 0.0], y = [0.0, 1.0] }"
                raise InputError(message, where=own, value=value)
            keys = ("x", "y", "z", "rotation_x", "rotation_y", "rotation_z")
            found[name] = (vector(value.at, "at", own), np.array([self._row(getattr(value, k), k, own) for k in keys]))
        return found

    @cached_property
    def _cells(self) -> IntArray:
        """Lines between points, (m, 2)."""
        index = {name: i for i, name in enumerate(self._points)}
        pairs = self.lines
        good = isinstance(pairs, Sequence | np.ndarray) and not isinstance(pairs, str)
        good = good and all(isinstance(pair, Sequence) and not isinstance(pair, str) for pair in pairs)
        good = good and all(
            len(p) == 2 and p[0] != p[1] and all(isinstance(x, str) and x in index for x in p) for p in pairs
        )
        if not good:
            message = f'must be pairs of different points, such as [["a", "b"]]; points: {", ".join(index)}'
            raise InputError(message, where=self.where, key="lines", value=pairs)
        return np.array([[index[a], index[b]] for a, b in pairs], dtype=np.int64).reshape(-1, 2)


def _positive(d: Array) -> Array:
    return np.where(d > 0.0, d, 1.0)


def _scaled(A: Array, d: Array) -> Array:
    """Return A with rows and columns divided by the square roots of d where d > 0."""
    s = np.sqrt(_positive(d))
    return np.asarray(A / np.outer(s, s))


def _strain(K: Array) -> Strain:
    """Return K as deformation modes: of pairs (i, j), i < j, and of single coordinates with what these leave.

    A pair contributes -K_ij (r q_i - q_j / r)^2, which takes -K_ij r^2 of K_ii and -K_ij / r^2 of K_jj. With r = 1 it
    is a difference, exact for a free body that is far away. Coordinates of different units, |K_ij| >> K_ii, need
    r^4 = K_ii / K_jj: with r = 1 the squares would be far larger than K_ii, and its digits would be lost.
    """
    d = np.abs(np.diag(K))
    apart = (np.abs(K) > APART * np.minimum.outer(d, d)) & (np.minimum.outer(d, d) > 0.0)
    squares = np.where(apart, np.sqrt(np.divide.outer(d, _positive(d))), 1.0)  # r^2
    rest = (K * squares).sum(axis=1)
    alone = np.flatnonzero(rest)
    i, j = np.nonzero(np.triu(np.where(apart, 0.0, K), 1))
    a, b = np.nonzero(np.triu(np.where(apart, K, 0.0), 1))
    r = np.sqrt(squares[a, b])
    none = np.full(a.size, -1)
    sizes = np.concatenate([[0], np.ones(i.size), np.full(a.size, 2), np.ones(alone.size)])
    return Strain(
        np.cumsum(sizes).astype(np.int64),
        np.concatenate([i, np.stack([a, none], axis=1).ravel(), alone]),
        np.concatenate([j, np.stack([none, b], axis=1).ravel(), np.full(alone.size, -1)]),
        np.concatenate([np.ones(i.size), np.stack([r, 1.0 / r], axis=1).ravel(), np.ones(alone.size)]),
        np.concatenate([-K[i, j], -K[a, b], rest[alone]]),
        len(K),
    )


def _from_file(path: str | Path, key: str, where: str) -> Any:
    """Return the matrix in a file."""
    readers: dict[str, Any] = {".mtx": mmread, ".npy": np.load, ".npz": sparse.load_npz}
    reader = readers.get(Path(path).suffix)
    if reader is None:
        message = "must be a table of numbers, or a file: .mtx (Matrix Market), .npy, or .npz (scipy.sparse.save_npz)"
        raise InputError(message, where=where, key=key, value=str(path))
    try:
        return reader(str(path))
    except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as err:
        message = f"cannot be read: {getattr(err, 'strerror', None) or err}"
        raise InputError(message, where=where, key=key, value=str(path)) from err
