"""Rotors of one disk made by hand: their parts as plain numbers, so that every equation can be written down again."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from flexmb.assembly.node_ref import NodeRef
from flexmb.kernels.geometry.tables import SPEED_TABLE
from flexmb.linalg.strain import from_columns
from flexmb.parts.bodies.body import BodyParts
from flexmb.parts.bodies.linear_body import add_linear_body
from flexmb.parts.bodies.spin_parts import Excitation, SpeedTable, Spin, SpinParts

FRAME = np.eye(3)
"""Columns d, y, z: the axis is x."""
PAIR = np.array([[0.0, 1.0], [-1.0, 0.0]])
"""Skew pair."""


class Turns:
    """An angle whose speed is linear between times."""

    def __init__(self, times, speeds, phase=0.0):
        self.t, self.W = np.atleast_1d(np.asarray(times, float)), np.atleast_1d(np.asarray(speeds, float))
        steps = 0.5 * (self.W[1:] + self.W[:-1]) * np.diff(self.t)
        self.phi = phase + np.concatenate([[0.0], np.cumsum(steps)])

    def _last(self, t):
        return np.clip(np.searchsorted(self.t, t, side="right") - 1, 0, len(self.t) - 1)

    def second(self, t):
        slopes = np.concatenate([[0.0], np.diff(self.W) / np.diff(self.t), [0.0]])
        return slopes[np.searchsorted(self.t, t, side="right")]

    def rate(self, t):
        k = self._last(t)
        return self.W[k] + self.second(t) * (t - self.t[k])

    def value(self, t):
        k = self._last(t)
        return self.phi[k] + 0.5 * (self.W[k] + self.rate(t)) * (t - self.t[k])

    def code(self):
        return SPEED_TABLE, np.concatenate([self.t, self.W, self.phi])


def given(times, speeds, phase=0.0):
    """A spin with a given speed."""
    turns = Turns(times, speeds, phase)
    return Spin(turns, turns.t.size == 1, float(turns.rate(0.0)), phase, 0.0, np.zeros(0))


def free(speed, inertia, phase=0.0, torsion=(), **more):
    """A free spin."""
    return Spin(None, False, float(speed), phase, inertia, np.asarray(torsion, float), **more)


@dataclass
class Wheel:
    """A disk with the unknowns v, w (m), theta_y, theta_z (rad), on springs; matrices are over these four."""

    name: str
    spin: Spin
    mass: float = 2.0
    inertia: float = 0.3
    polar: float = 0.5
    K: Any = (0.0, 0.0, 0.0, 0.0)
    C: Any = (0.0, 0.0, 0.0, 0.0)
    circulation: Any = None
    skew_damping: Any = None
    cross: Any = None
    resistance: Any = None
    tables: tuple[SpeedTable, ...] = ()
    unbalance: float = 0.0
    tilt: float = 0.0
    phase: float = 0.0
    velocity: Any = (0.0, 0.0, 0.0, 0.0)
    frame: Any = field(default_factory=lambda: FRAME)
    position: Any = (0.0, 0.0, 0.0)

    role: ClassVar[str] = "bodies"
    large_motion: ClassVar[bool] = True

    @property
    def where(self):
        return f"bodies.{self.name}"

    @property
    def first(self):
        return NodeRef(self.name, "first")

    def gyro(self):
        G = np.zeros((4, 4))
        G[2:, 2:] = self.polar * PAIR
        return G

    def excitations(self):
        label = f"{self.name}.node(0)"
        return (
            Excitation(label, 0, 1, 1.0, 1.0, self.unbalance, self.phase, True),
            Excitation(label, 3, 2, 1.0, -1.0, self.tilt, self.phase + 0.4, False),
        )

    def parts(self):
        d, y, z = np.asarray(self.frame).T
        none, n = np.zeros(3), 4
        K, C = (np.diag(A) if np.ndim(A) == 1 else np.asarray(A) for A in (self.K, self.C))

        def matrix(A):
            return sparse.csr_array(np.zeros((n, n)) if A is None else np.asarray(A, float))

        spin = SpinParts(
            gyro=matrix(self.gyro()),
            circulation=matrix(self.circulation),
            skew_damping=matrix(self.skew_damping),
            cross=matrix(self.cross),
            tables=self.tables,
            excitations=tuple(x for x in self.excitations() if x.amplitude),
            spin=self.spin if self.spin.torsion.size else _with_torsion(self.spin, n),
            axis=np.asarray(self.frame),
            resistance=None if self.resistance is None else matrix(self.resistance),
        )
        pull = self.mass * np.array([y, z, none, none])
        return BodyParts(
            M=matrix(np.diag([self.mass, self.mass, self.inertia, self.inertia])),
            C=matrix(C),
            K=matrix(K),
            strain=from_columns(sparse.csc_array(np.eye(n)), np.zeros(n)),
            points=np.asarray(self.position, float)[None],
            cells=np.zeros((0, 2), dtype=np.int64),
            displacement=matrix_of([y, z, none, none]),
            rotation=matrix_of([none, none, y, z]),
            v0=np.asarray(self.velocity, float),
            gravity=pull,
            momentum=pull.T,
            mass=self.mass,
            center=np.asarray(self.position, float),
            radius=0.1,
            dof_names=tuple(f"{self.name}.{letter}" for letter in ("v", "w", "theta_y", "theta_z")),
            named={"first": 0},
            rigid_free=np.zeros((n, 0)),
            rigid_held=np.zeros((0, 0)),
            single=True,
            spin=spin,
        )

    def add_to(self, builder):
        add_linear_body(builder, self.name, self.parts())


def matrix_of(columns):
    return sparse.csr_array(np.column_stack(columns))


def _with_torsion(spin, n):
    values = {**vars(spin), "torsion": np.zeros(n)}
    return Spin(**values)


def bearing(seed=0, speeds=(-20.0, 5.0, 30.0), size=1.0):
    """A bearing whose stiffness and damping are any matrices at three speeds."""
    rng = np.random.default_rng(seed)
    K, C = size * rng.normal(size=(2, len(speeds), 2, 2))
    return SpeedTable("bearing", np.array([0, 1]), np.asarray(speeds, float), K + 3.0 * size * np.eye(2), C)


def skew(a, b):
    """A skew matrix over the four unknowns: ``a`` between v and w, ``b`` between the rotations."""
    A = np.zeros((4, 4))
    A[:2, :2], A[2:, 2:] = a * PAIR, b * PAIR
    return A


def turned_frame():
    """A frame whose axis is no axis of space: columns d, y, z."""
    d, y = np.array([0.6, 0.0, 0.8]), np.array([0.0, 1.0, 0.0])
    return np.column_stack([d, y, np.cross(d, y)])


def wheels_of_every_kind(damping=1.0):
    """One wheel with a given and one with a free spin, that hold every term of ``spin_parts``."""
    keys = {
        "K": [30.0, 25.0, 5.0, 4.0],
        "C": damping * np.array([0.4, 0.3, 0.1, 0.2]),
        "circulation": skew(0.7, 0.3),
        "skew_damping": skew(0.5, -0.2),
        "cross": skew(2.0, 0.6),
        "tables": (bearing(1), bearing(2)),
        "unbalance": 0.3,
        "tilt": 0.2,
        "phase": 0.3,
        "frame": turned_frame(),
    }
    loose = free(
        4.0,
        6.0,
        0.2,
        (0.0, 0.1, 0.2, 0.0),
        torque=Turns([0.0], [1.5]),
        drag=0.3 * damping,
        characteristic=(np.array([-10.0, 6.0, 8.0, 20.0]), np.array([4.0, 3.0, 1.0, -2.0])),
    )
    return [
        Wheel("given", given([0.0, 1.0, 2.0], [3.0, 7.0, 5.0], 0.4), position=(5.0, 5.0, 0.0), **keys),
        Wheel("loose", loose, position=(7.0, 5.0, 0.0), resistance=np.diag([0.7, 0.7, 0.3, 0.3]), **keys),
    ]
