"""Rotors of constant speed in small motion: effects of their spin on a ``LinearSystem``.

With the speed W, the skew matrices of ``parts.bodies.spin_parts`` become ``gyro`` (W gyro + skew damping) and ``cross``
(W circulation + cross-coupling); tables of bearings are taken at W, their symmetric parts going into C and K. The
unbalance of a rotor is two loads, B_c cos phi(t) + B_s sin phi(t), whose work is that of its drive.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy import sparse

from flexmb.errors import InputError
from flexmb.linalg.sparse_blocks import block_diagonal
from flexmb.linalg.strain import Strain, spring_modes, stack
from flexmb.parts.bodies.body import BodyParts
from flexmb.parts.bodies.spin_parts import SpinParts
from flexmb.parts.loads.bearing import no_rotor
from flexmb.parts.loads.terms import LoadTerms, RotatingTerms
from flexmb.parts.time_functions import Harmonic
from flexmb.system.linear_system import Load


class SpinTerms(NamedTuple):
    """Contributions of all rotors of a model, over all its unknowns: skew matrices, symmetric ones, and loads."""

    gyro: sparse.csr_array
    cross: sparse.csr_array
    C: sparse.csr_array
    K: sparse.csr_array
    strain: Strain
    loads: tuple[Load, ...]


def spin_terms(bodies: Mapping[str, BodyParts], terms: Iterable[LoadTerms] = ()) -> SpinTerms:
    """Return the contributions of all spins and of bearings between bodies; the speeds must be constant.

    Parameters
    ----------
    bodies : mapping of str to BodyParts
    terms : iterable of LoadTerms
        Of all loads.
    """
    nv = sum(b.nv for b in bodies.values())
    blocks: dict[str, list[sparse.csr_array]] = {"C": [], "K": []}
    strains: list[Strain] = []
    loads: list[Load] = []
    nothing: dict[int, sparse.csr_array] = {}
    first = 0
    for name, b in bodies.items():
        if b.nv not in nothing:
            nothing[b.nv] = sparse.csr_array((b.nv, b.nv))
        C = K = nothing[b.nv]
        if b.spin is not None:
            W = _speed(name, b.spin)
            C, K = map(sparse.csr_array, b.spin.matrices(W))
            for table in b.spin.tables:
                stiffness = table.at(W)[0]
                strains.append(spring_modes(first + table.unknowns, 0.5 * (stiffness + stiffness.T), nv))
            loads += _unbalance(name, b.spin, W, first, nv)
        blocks["C"].append(C)
        blocks["K"].append(K)
        first += b.nv
    C, K = (block_diagonal(matrices) for matrices in blocks.values())
    for bearing in rotating_terms(terms, bodies):
        C, K = C + bearing.skew_damping, K + bearing.cross
        one, parts = bearing.table, bodies[bearing.rotor].spin
        if one is not None and parts is not None:
            stiffness, damping = one.at(_speed(bearing.rotor, replace(parts, tables=(one,))))
            C, K = C + one.placed(damping, nv), K + one.placed(stiffness, nv)
            strains.append(spring_modes(one.unknowns, 0.5 * (stiffness + stiffness.T), nv))
    (C, gyro), (K, cross) = parted(C), parted(K)
    return SpinTerms(gyro, cross, C, K, stack(strains, nv), tuple(loads))


def at_start(b: BodyParts) -> BodyParts:
    """Return a body with constant spin at its initial speed, in balance."""
    if b.spin is None:
        return b
    return replace(b, spin=replace(b.spin, excitations=(), spin=replace(b.spin.spin, constant=True)))


def rotating_terms(terms: Iterable[LoadTerms], bodies: Mapping[str, BodyParts]) -> list[RotatingTerms]:
    """Return the contributions of bearings between bodies other than springs and dampers; they must refer to rotors."""
    found = [term.rotating for term in terms if term.rotating is not None]
    for bearing in found:
        if bodies[bearing.rotor].spin is None:
            raise no_rotor(bearing.rotor, [name for name, b in bodies.items() if b.spin is not None], bearing.where)
    return found


def _speed(name: str, parts: SpinParts) -> float:
    """Return the speed of a rotor."""
    spin = parts.spin
    if not spin.constant:
        message = "the spin changes, which only the equations of large motion allow"
        raise InputError(message, where=f"bodies.{name}", key="spin")
    for table in parts.tables:
        low, high = float(table.speed[0]), float(table.speed[-1])
        if not low - 1e-9 * abs(low) <= spin.speed <= high + 1e-9 * abs(high):
            message = f"the bearing at {table.label} is given for speeds from {low:g} to {high:g} rad/s only"
            raise InputError(message, where=f"bodies.{name}.spin", key="speed", value=spin.speed)
    return spin.speed


def parted(A: sparse.csr_array) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Return the symmetric and the skew part of a matrix, without stored zeros."""
    parts = []
    for part in (sparse.csr_array(0.5 * (A + A.T)), sparse.csr_array(0.5 * (A - A.T))):
        part.eliminate_zeros()
        part.sort_indices()
        parts.append(part)
    return parts[0], parts[1]


def _unbalance(name: str, parts: SpinParts, speed: float, first: int, nv: int) -> list[Load]:
    """Return the loads of a rotor whose unknowns start at ``first``; none without unbalance."""
    e = speed**2 * parts.excitation()
    if not e.any():
        return []
    assert parts.spin.angle is not None
    phi = float(parts.spin.angle.value(0.0))
    loads = []
    for word, column, phase in (("cos", e.real, phi + 0.5 * np.pi), ("sin", -e.imag, phi)):
        B = np.zeros(nv)
        B[first : first + column.size] = column
        loads.append(Load(f"{name}.unbalance.{word}", B, Harmonic(omega=speed, phase=phase), drive=True))
    return loads
