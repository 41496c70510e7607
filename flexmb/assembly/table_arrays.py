"""The lists of a ``Builder`` as the arrays of ``kernels.geometry.tables``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmb.assembly.rotors import rotors_of
from flexmb.assembly.unknowns import columns, summed, unknowns_of
from flexmb.kernels.geometry import tables as tab
from flexmb.kernels.geometry.curves import NUMBERS
from flexmb.state import Array, IntArray

if TYPE_CHECKING:
    from flexmb.assembly.builder import Builder


def system_of(b: Builder) -> tab.System:
    """Return the arrays of all parts added."""
    nv = len(b.v0)
    return tab.System(
        unknowns=unknowns_of(b),
        functions=functions_of(b),
        linear=_linear(b, nv),
        markers=markers_of(b),
        pairs=tab.Pairs(*columns(b.pairs, 2)),
        angles=angles_of(b),
        rows=rows_of(b),
        curves=curves_of(b),
        springs=tab.Springs(  # type: ignore[call-arg]
            *_ints(b.springs, "A", "B", "directed"),
            _vectors(b.springs, "n", 3),
            *_floats(b.springs, "k", "c", "length", "preload"),
            *_ints(b.springs, "pair"),
        ),
        torsions=tab.Torsions(
            *_ints(b.torsions, "angle"), *_floats(b.torsions, "k", "c", "rest"), *_ints(b.torsions, "pair")
        ),
        pushes=tab.Pushes(  # type: ignore[call-arg]
            *_ints(b.pushes, "marker"),
            _vectors(b.pushes, "force", 3),
            _vectors(b.pushes, "torque", 3),
            *_ints(b.pushes, "follower", "function", "pair"),
        ),
        beams=tab.Beams(  # type: ignore[call-arg]
            *_ints(b.beams, "A", "B"),
            *_floats(b.beams, "length"),
            _vectors(b.beams, "D", 6),
            _vectors(b.beams, "gamma0", 3),
            _vectors(b.beams, "kappa0", 3),
            *_floats(b.beams, "beta"),
            *_ints(b.beams, "pair"),
        ),
        floating=_floating(b),
        rotors=rotors_of(b.rotors),
        joints=len(b.rows["joints"]),
        contacts=len(b.rows["contacts"]),
    )


def functions_of(b: Builder) -> tab.Functions:
    """Return the functions of time."""
    codes = [f.code() for f in b.functions]
    ptr = np.concatenate([[0], np.cumsum([len(data) for _, data in codes])]).astype(np.int64)
    data = np.concatenate([np.zeros(0), *(np.asarray(data, dtype=np.float64) for _, data in codes)])
    return tab.Functions(np.array([kind for kind, _ in codes], dtype=np.int64), ptr, data)


def _linear(b: Builder, nv: int) -> tab.Linear:
    F0 = np.zeros(nv)
    if b.forces:
        np.add.at(F0, *(np.concatenate(column) for column in zip(*b.forces, strict=True)))
    q_of_v = np.full(nv, -1, dtype=np.int64)
    plain_q, plain_v = columns([*b.plain, *b.spins], 2)
    q_of_v[plain_v] = plain_q
    M, C, K = (_matrix(b.matrices[k], nv) for k in "MCK")
    return tab.Linear(M, C, K, F0, float(b.V0), q_of_v)


def _matrix(blocks: Sequence[tuple[IntArray, IntArray, Array]], nv: int) -> tab.Matrix:
    if not blocks:
        return tab.Matrix(np.zeros(nv + 1, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0))
    A = summed(blocks, nv)
    return tab.Matrix(A.indptr.astype(np.int64), A.indices.astype(np.int64), A.data.astype(np.float64))


def markers_of(b: Builder) -> tab.Markers:
    """Return the markers."""
    places = [place for place, _ in b.markers]
    counts = [p.dof.size for p in places]
    empty = np.zeros(0, dtype=np.int64)
    return tab.Markers(
        kind=np.array([p.kind for p in places], dtype=np.int64),
        iq=np.array([p.iq for p in places], dtype=np.int64),
        iv=np.array([p.iv for p in places], dtype=np.int64),
        s=np.array([p.local for p in places], dtype=np.float64).reshape(-1, 3),
        R0=np.array([R0 for _, R0 in b.markers], dtype=np.float64).reshape(-1, 3, 3),
        ptr=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        dof=np.concatenate([empty, *(p.dof for p in places)]).astype(np.int64),
        qdof=np.concatenate([empty, *(p.qdof for p in places)]).astype(np.int64),
        D=np.concatenate([np.zeros((0, 6)), *(p.D for p in places)]),
    )


def rows_of(b: Builder) -> tab.Rows:
    """Return the rows of joints, then those of contacts, then those beside the normals of these."""
    rows = [*b.rows["joints"], *b.rows["contacts"], *_beside(b)]
    counts = [len(r["markers"]) for r in rows]
    markers = [m for r in rows for m in r["markers"]]
    return tab.Rows(
        kind=_ints(rows, "kind")[0],
        ptr=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        marker=np.array(markers, dtype=np.int64),
        angle=np.array([r["angle"] for r in rows], dtype=np.int64).reshape(-1, 2),
        a=_vectors(rows, "a", 3),
        b=_vectors(rows, "b", 3),
        c=_floats(rows, "c")[0],
        function=_ints(rows, "function")[0],
        cf=_floats(rows, "cf")[0],
        pair=_ints(rows, "pair")[0],
    )


def curves_of(b: Builder) -> tab.Curves:
    """Return the curves, and their rows."""
    pieces = [np.zeros((0, NUMBERS)), *b.curves]
    return tab.Curves(
        piece=np.concatenate(pieces),
        chain=np.array([chain for chain, _ in b.chains], dtype=np.int64).reshape(-1, 4),
        side=np.array([side for _, side in b.chains], dtype=np.float64),
        held=np.full(len(b.chains), -1, dtype=np.int64),
    )


def _beside(b: Builder) -> list[dict[str, Any]]:
    """Return the rows beside normals, in their order; they have no pairs, since they have no stiffness."""
    found = []
    for contact in sorted(b.beside):
        normal = len(b.rows["joints"]) + contact
        ends = b.rows["contacts"][contact]["markers"][:2]  # type: ignore[index]
        for row in b.beside[contact]:
            markers = ends if row.spin < 0 else (*ends, row.spin)
            numbers = {"a": row.a, "b": np.array([row.speed, 0.0, 0.0]), "c": row.arm, "cf": row.cf}
            where = {"markers": markers, "angle": (normal, row.which), "function": row.function, "pair": 0}
            found.append({"kind": row.kind, **where, **numbers})
    return found


def angles_of(b: Builder) -> tab.Angles:
    """Return the relative angles."""
    return tab.Angles(*columns(b.angles, 2))


def _floating(b: Builder) -> tab.Floating:
    data: list[dict[str, Any]] = list(b.floating)
    m = np.array([d["modes"] for d in data], dtype=np.int64)
    first = np.concatenate([[0], np.cumsum(m)]).astype(np.int64)[:-1]
    second = np.concatenate([[0], np.cumsum(m * m)]).astype(np.int64)[:-1]

    def joined(key: str, shape: tuple[int, ...]) -> Array:
        parts = [np.asarray(d[key], dtype=np.float64).reshape(-1, *shape) for d in data]
        return np.concatenate([np.zeros((0, *shape)), *parts])

    return tab.Floating(  # type: ignore[call-arg]
        *_ints(data, "frame_q", "frame_v", "mode_q", "mode_v", "modes"),
        first,
        second,
        joined("rr0", (6, 6)),
        joined("rr1", (6, 6)),
        joined("rr2", (6, 6)),
        joined("rf0", (6,)),
        joined("rf1", (6,)),
        joined("ff", ()),
        joined("K", ()),
        joined("C", ()),
        np.array(b.gravity, dtype=np.float64),
    )


def _ints(rows: Sequence[dict[str, Any]], *keys: str) -> list[Any]:
    return [np.array([r[key] for r in rows], dtype=np.int64) for key in keys]


def _floats(rows: Sequence[dict[str, Any]], *keys: str) -> list[Any]:
    return [np.array([r[key] for r in rows], dtype=np.float64) for key in keys]


def _vectors(rows: Sequence[dict[str, Any]], key: str, k: int) -> Array:
    return np.array([r[key] for r in rows], dtype=np.float64).reshape(-1, k)
