"""Effects of spin on bodies, as the arrays of ``kernels.geometry.tables.Rotors``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from flexmb.kernels.geometry.tables import CROSS, DAMPING, Rotors
from flexmb.state import Array, IntArray


@dataclass(frozen=True)
class BearingTable:
    """A speed-dependent bearing.

    Parameters
    ----------
    label : str
        Name of its node.
    speed : (ns,) array
        Increasing, rad/s.
    entry : (m, 2) int array
        Rows and columns, in v.
    value : (ns, m, 3) array
        Stiffness beyond the part that stores energy, damping, skew damping.
    """

    label: str
    speed: Array
    entry: IntArray
    value: Array


@dataclass(frozen=True)
class RotorData:
    """One spinning body over the unknowns of the system; see ``kernels.geometry.tables.Rotors``.

    Parameters
    ----------
    name : str
        Of the body.
    phi : (int, int)
        Indices of a free spin in q and v, (-1, -1) for a prescribed angle.
    angle, torque, characteristic : int
        Numbers of functions: the angle by time; drive torque by time and by speed; -1 for none.
    drag : float
        N m s.
    entry : (m, 2) int array
        Rows and columns of the matrices, in v.
    value : (m, 5) array
        Gyro, circulation, skew damping, cross, resistance of internal damping.
    resists : bool
        Whether internal damping acts on the spin.
    tables : tuple of BearingTable
    turning : (k, 2) int array
        Unknowns a and b of the excitations, in v, -1 where held.
    strength : (k, 5) array
        U of a and b, phase, U g.y, U g.z.
    """

    name: str
    phi: tuple[int, int]
    angle: int
    torque: int
    characteristic: int
    drag: float
    entry: IntArray
    value: Array
    resists: bool
    tables: tuple[BearingTable, ...]
    turning: IntArray
    strength: Array


def bearing_table(label: str, index: IntArray, speed: Array, K: Array, C: Array, K0: Array) -> BearingTable:
    """Return a bearing by its matrices (ns, m, m) over the unknowns ``index``; K0 is the part with stored energy."""
    even = 0.5 * (C + C.transpose(0, 2, 1))
    value = np.stack([K - K0, even, C - even], axis=-1).reshape(speed.size, -1, 3)
    entry = np.column_stack([np.repeat(index, index.size), np.tile(index, index.size)])
    some = value.any(axis=(0, 2))
    return BearingTable(label, np.asarray(speed, dtype=np.float64), entry[some], np.ascontiguousarray(value[:, some]))


def rotors_of(rotors: Sequence[RotorData]) -> Rotors:
    """Return the arrays of all spinning bodies."""
    who = [(r.angle, *r.phi, r.torque, r.characteristic, DAMPING if r.resists else CROSS) for r in rotors]
    tables = [table for r in rotors for table in r.tables]
    speeds, entries = [t.speed.size for t in tables], [len(t.entry) for t in tables]
    values = [s * e for s, e in zip(speeds, entries, strict=True)]
    places = np.column_stack([_starts(speeds)[:-1], speeds, _starts(entries)[:-1], entries, _starts(values)[:-1]])
    return Rotors(
        who=_joined([np.array(who)], 6, np.int64),
        drag=np.array([r.drag for r in rotors], dtype=np.float64),
        entry_ptr=_starts([len(r.entry) for r in rotors]),
        entry=_joined([r.entry for r in rotors], 2, np.int64),
        value=_joined([r.value for r in rotors], 5, np.float64),
        table_ptr=_starts([len(r.tables) for r in rotors]),
        table=_joined([places], 5, np.int64),
        speed=np.concatenate([np.zeros(0), *(t.speed for t in tables)]),
        table_entry=_joined([t.entry for t in tables], 2, np.int64),
        table_value=_joined([t.value for t in tables], 3, np.float64),
        turning_ptr=_starts([len(r.turning) for r in rotors]),
        turning=_joined([r.turning for r in rotors], 2, np.int64),
        strength=_joined([r.strength for r in rotors], 5, np.float64),
    )


def _starts(counts: Sequence[int]) -> IntArray:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def _joined(parts: Sequence[np.ndarray], columns: int, kind: type) -> np.ndarray:
    """Return tables one below the other, in rows of a given number of columns."""
    return np.concatenate([np.zeros((0, columns)), *(np.reshape(p, (-1, columns)) for p in parts)]).astype(kind)
