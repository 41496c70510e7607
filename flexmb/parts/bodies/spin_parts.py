"""Effects of spin on a body of small displacement: gyroscopic, circulatory and rotating terms, as plain data.

With the spin angle phi, the speed W = phi' and psi = phi + phase, the equations of a rotor are

    M v' + (C + C_skew + W gyro + C_j(W)) v + (K + K_skew + W circulation + (W'/2) gyro + K_j(W)) q
        = F + sum over excitations of U [ a (W^2 cos psi + W' sin psi) + b (W^2 sin psi - W' cos psi) ]

C and K are the symmetric matrices of ``BodyParts``; the matrices here are skew but for the tables K_j, C_j of
speed-dependent bearings. The spin is about the body's axis d by the right hand, angles count from its y to its z.

Where the spin is free, phi is one more unknown, with the Lagrangian

    T = v^T M v / 2 + J W^2 / 2 + W m . v + (W/2) v^T gyro q + sum U W (-sin psi a.v + cos psi b.v)

so that the energy gained by the rotation is exactly that lost by the vibrations. (W'/2) gyro belongs to this choice of
phi: a drive torque that follows the shaft would have 0 in place of 1/2, one fixed in space 1; the difference is of
second order in the slopes.)
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from flexmb.parts.speed_history import SpeedHistory
from flexmb.parts.speed_table import SpeedTable as SpeedTable
from flexmb.parts.time_functions import Function
from flexmb.state import Array


@dataclass(frozen=True)
class Excitation:
    """A rotating force or moment: an unbalance on the displacements along y and z, a tilted disk on the slopes.

    Parameters
    ----------
    label : str
        ``rotor.node(12)``.
    a, b : int
        The unknowns it acts on, -1 for one that is held.
    a_factor, b_factor : float
        Their factors: displacements (v, w) have (1, 1), slopes (theta_z, theta_y) have (1, -1).
    amplitude : float
        U: mass times eccentricity, kg m; for a disk tilted by tau, (I_d - I_p) tau, kg m^2.
    phase : float
        rad.
    weighs : bool
        Whether gravity acts on it (unbalance, not tilt).
    """

    label: str
    a: int
    b: int
    a_factor: float
    b_factor: float
    amplitude: float
    phase: float
    weighs: bool


@dataclass(frozen=True)
class Spin:
    """The spin of a body: a given angle phi(t), or free.

    Parameters
    ----------
    angle : SpeedHistory or None
        phi(t), with ``value`` (angle), ``rate`` (speed), ``second`` and ``code()``; None when the spin is free.
    constant : bool
        Whether the given speed never changes.
    speed : float
        At the start, rad/s.
    phase : float
        phi at the start, rad.
    inertia : float
        J, of the whole rotor about its axis, kg m^2.
    torsion : (nv,) array
        m: inertia that couples the spin to the torsional unknowns, kg m^2 (zero without them).
    torque : time function or None
        Drive torque, N m (free spin).
    drag : float
        Torque -drag W, N m s (free spin).
    characteristic : (speeds, torques) or None
        Drive torque as a function of the speed, linear between the entries (free spin).
    """

    angle: SpeedHistory | None
    constant: bool
    speed: float
    phase: float
    inertia: float
    torsion: Array
    torque: Function | None = None
    drag: float = 0.0
    characteristic: tuple[Array, Array] | None = None

    @property
    def free(self) -> bool:
        """Whether the angle is an unknown."""
        return self.angle is None


@dataclass(frozen=True)
class SpinParts:
    """All effects of spin, over the free unknowns of the body.

    Parameters
    ----------
    gyro : (nv, nv) sparse array, skew
        Gyroscopic matrix per unit speed, kg m^2.
    circulation : (nv, nv) sparse array, skew
        Circulatory stiffness per unit speed, of internal damping.
    skew_damping : (nv, nv) sparse array, skew
        Skew part of the bearings' damping: it does no work.
    cross : (nv, nv) sparse array, skew
        Skew part of the bearings' stiffness (cross-coupling): it can drive whirl.
    tables : tuple of SpeedTable
        Speed-dependent bearings; nothing of them is in K, C or the matrices above.
    excitations : tuple of Excitation
    spin : Spin
    axis : (3, 3) array
        Columns d, y, z of the body's frame.
    resistance : (nv, nv) sparse array, symmetric, optional
        R of internal damping: a bent shaft that turns freely at W feels the torque q^T circulation v - W q^T R q, as
        much as its fibres lose. With the generator S of turns about d (S v = -w, S w = v) and the part C_i of internal
        damping in C: circulation = -C_i S, R = S^T C_i S. Without it the torque is left out.
    """

    gyro: sparse.csr_array
    circulation: sparse.csr_array
    skew_damping: sparse.csr_array
    cross: sparse.csr_array
    tables: tuple[SpeedTable, ...]
    excitations: tuple[Excitation, ...]
    spin: Spin
    axis: Array
    resistance: sparse.csr_array | None = None

    def matrices(self, speed: float) -> tuple[sparse.csr_array, sparse.csr_array]:
        """Return the contributions of a constant speed to C and to K, skew except for the tables, (nv, nv)."""
        C, K = self.skew_damping + speed * self.gyro, self.cross + speed * self.circulation
        for table in self.tables:
            stiffness, damping = table.at(speed)
            K, C = K + table.placed(stiffness, K.shape[0]), C + table.placed(damping, K.shape[0])
        return sparse.csr_array(C), sparse.csr_array(K)

    def excitation(self) -> np.ndarray:
        """Return the complex column e of unbalances and tilts: at constant W their force is Re(e W^2 exp(i phi))."""
        out = np.zeros(self.gyro.shape[0], dtype=np.complex128)
        for x in self.excitations:
            turned = x.amplitude * np.exp(1j * x.phase)
            for unknown, factor in ((x.a, x.a_factor), (x.b, -1j * x.b_factor)):  # cos psi on a, sin psi on b
                if unknown >= 0:
                    out[unknown] += factor * turned
        return out

    def moved(self, first: int, nv: int) -> SpinParts:
        """Return the parts with their unknowns starting at ``first`` among nv; for a prescribed spin."""
        size = self.gyro.shape[0]
        before, after = sparse.csr_array((first, first)), sparse.csr_array((nv - first - size,) * 2)

        def wide(A: sparse.csr_array) -> sparse.csr_array:
            return sparse.csr_array(sparse.block_diag([before, A, after], format="csr"))

        def number(i: int) -> int:
            return i + first if i >= 0 else -1

        return replace(
            self,
            gyro=wide(self.gyro),
            circulation=wide(self.circulation),
            skew_damping=wide(self.skew_damping),
            cross=wide(self.cross),
            tables=tuple(replace(table, unknowns=table.unknowns + first) for table in self.tables),
            excitations=tuple(replace(e, a=number(e.a), b=number(e.b)) for e in self.excitations),
            resistance=None,  # of a free spin
        )
