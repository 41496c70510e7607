"""Effects of spin on a body of small displacement in a multibody system."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from flexmb.assembly.builder import Builder
from flexmb.assembly.markers import SpinInfo
from flexmb.assembly.rotors import BearingTable, RotorData, bearing_table
from flexmb.kernels.geometry.tables import TABLE
from flexmb.parts.bodies.spin_parts import Excitation, SpeedTable, Spin, SpinParts
from flexmb.state import Array, IntArray


@dataclass(frozen=True)
class _BySpeed:
    """A torque as a function of the speed: linear between the entries, constant outside."""

    speed: Array
    torque: Array

    def code(self) -> tuple[int, Array]:
        """Return kind and numbers for the compiled loops."""
        return TABLE, np.concatenate([[0.0], self.speed, self.torque])


def add_spin(builder: Builder, name: str, parts: SpinParts, unknowns: IntArray) -> SpinInfo:
    """Add the spin of a body, with the angle as an additional unknown if it is free.

    Parameters
    ----------
    builder : Builder
    name : str
        Of the body.
    parts : SpinParts
    unknowns : (nv,) int array
        The body's unknowns in v.
    """
    spin = parts.spin
    phi = _free_spin(builder, name, spin, unknowns) if spin.free else (-1, -1)
    characteristic = None if spin.characteristic is None else _BySpeed(*map(np.asarray, spin.characteristic))
    entry, value = _entries(parts, unknowns)
    builder.add_rotor(
        RotorData(
            name=name,
            phi=phi,
            angle=builder.function(spin.angle),
            torque=builder.function(spin.torque),
            characteristic=builder.function(characteristic),
            drag=float(spin.drag),
            entry=entry,
            value=value,
            resists=spin.free and parts.resistance is not None,
            tables=tuple(_bearing(builder, table, spin.speed, unknowns) for table in parts.tables),
            turning=_placed([(x.a, x.b) for x in parts.excitations], unknowns),
            strength=np.array([_strength(x, parts.axis, builder.gravity) for x in parts.excitations]).reshape(-1, 5),
        )
    )
    return SpinInfo(parts.axis[:, 0], spin.angle, *phi)


def _free_spin(builder: Builder, name: str, spin: Spin, unknowns: IntArray) -> tuple[int, int]:
    """Add the angle of a free spin with its inertia; return its index in q and v."""
    iq, iv = builder.add_spin(spin.phase, spin.speed, f"{name}.spin")
    m = np.asarray(spin.torsion, dtype=np.float64)
    with_torsion, n = np.flatnonzero(m), unknowns.size
    phi = np.full(with_torsion.size, n)
    values = np.concatenate([m[with_torsion], m[with_torsion], [spin.inertia]])
    places = np.concatenate([with_torsion, phi, [n]]), np.concatenate([phi, with_torsion, [n]])
    builder.add_matrix("M", np.append(unknowns, iv), sparse.coo_array((values, places), shape=(n + 1, n + 1)))
    return iq, iv


def _entries(parts: SpinParts, unknowns: IntArray) -> tuple[IntArray, Array]:
    """Return rows and columns where any of the matrices has an entry, (m, 2), and the entries of all, (m, 5)."""
    nv = unknowns.size
    found = [parts.gyro, parts.circulation, parts.skew_damping, parts.cross, parts.resistance]
    matrices = [sparse.coo_array((nv, nv) if A is None else A) for A in found]
    keys = [A.row.astype(np.int64) * nv + A.col for A in matrices]
    every = np.unique(np.concatenate(keys))
    value = np.zeros((every.size, len(matrices)))
    for k, (key, A) in enumerate(zip(keys, matrices, strict=True)):
        np.add.at(value[:, k], np.searchsorted(every, key), A.data)
    some = value.any(axis=1)
    return np.column_stack([unknowns[every[some] // nv], unknowns[every[some] % nv]]), value[some]


def _bearing(builder: Builder, table: SpeedTable, speed: float, unknowns: IntArray) -> BearingTable:
    """Return a bearing; the symmetric part of its stiffness at the initial speed stores energy."""
    K0, _ = table.at(speed)
    K0 = 0.5 * (K0 + K0.T)
    index = unknowns[table.unknowns]
    builder.add_matrix("K", index, K0)
    return bearing_table(table.label, index, table.speed, table.K, table.C, K0)


def _placed(index: list[tuple[int, int]], unknowns: IntArray) -> IntArray:
    """Return unknowns of the body as unknowns of the system, -1 if there is none."""
    own = np.array(index, dtype=np.int64).reshape(-1, 2)
    return np.where(own < 0, -1, unknowns[own])


def _strength(x: Excitation, axis: Array, gravity: Array) -> tuple[float, ...]:
    """Return U of a and b, the phase, and the forces of its weight along y and z."""
    weight = x.amplitude * (axis.T @ gravity) if x.weighs else np.zeros(3)
    return x.amplitude * x.a_factor, x.amplitude * x.b_factor, x.phase, float(weight[1]), float(weight[2])
