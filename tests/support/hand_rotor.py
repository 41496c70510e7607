"""Rotors made of matrices by hand: masses on springs that spin, without shaft elements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from scipy import sparse

from flexmb.assembly.node_ref import NodeRef
from flexmb.linalg.strain import regular
from flexmb.parts.bodies.body import BodyParts, Dof, node_maps
from flexmb.parts.bodies.spin_parts import Excitation, SpeedTable, Spin, SpinParts

X, Y, Z = np.eye(3)
DOFS = [
    Dof("v", "y", Y),
    Dof("w", "z", Z),
    Dof("theta_y", "rotation_y", Y, True),
    Dof("theta_z", "rotation_z", Z, True),
]


def skew(a: float) -> np.ndarray:
    return np.array([[0.0, a], [-a, 0.0]])


@dataclass(frozen=True)
class HandRotor:
    """Nodes along x with the unknowns (v, w), or (v, w, theta_y, theta_z); matrices over them as given."""

    role: ClassVar[str] = "bodies"
    kind: ClassVar[str] = "rotor"

    name: str
    M: np.ndarray
    K: np.ndarray
    C: np.ndarray | None = None
    gyro: np.ndarray | None = None
    circulation: np.ndarray | None = None
    cross: np.ndarray | None = None
    tables: Sequence[SpeedTable] = ()
    excitations: Sequence[Excitation] = ()
    speed: float = 0.0
    turns: bool = False
    angle: object = field(default=None)

    @property
    def first(self) -> NodeRef:
        return NodeRef(self.name, "first")

    def parts(self) -> BodyParts:
        nv, dofs = len(self.M), DOFS[: 4 if self.turns else 2]
        n = nv // len(dofs)
        none = np.zeros((nv, nv))
        displacement, rotation = node_maps(dofs, n)
        matrix = [sparse.csr_array(none if A is None else A) for A in (self.gyro, self.circulation, None, self.cross)]
        values, vectors = np.linalg.eigh(self.K)
        i = np.broadcast_to(np.arange(nv), (nv, nv))
        gravity = np.zeros((nv, 3))
        for k in range(nv):
            if not dofs[k % len(dofs)].turns:
                gravity[k] = self.M[k, k] * dofs[k % len(dofs)].vector
        spin = Spin(self.angle, True, self.speed, 0.0, 1.0, np.zeros(nv))  # type: ignore[arg-type]
        axis = np.column_stack([X, Y, Z])
        return BodyParts(
            M=sparse.csr_array(self.M),
            C=sparse.csr_array(none if self.C is None else self.C),
            K=sparse.csr_array(self.K),
            strain=regular(i, np.full(i.shape, -1), vectors.T, values, nv),
            points=np.outer(np.arange(n), X),
            cells=np.column_stack([np.arange(n - 1), np.arange(1, n)]).astype(np.int64),
            displacement=displacement,
            rotation=rotation,
            v0=np.zeros(nv),
            gravity=gravity,
            momentum=gravity.T,
            mass=1.0,
            center=np.zeros(3),
            radius=0.01,
            dof_names=tuple(f"{self.name}.node({k // len(dofs)}).{dofs[k % len(dofs)].letter}" for k in range(nv)),
            named={"first": 0, "mid": n // 2, "last": n - 1},
            rigid_free=np.ones((nv, 1)),  # of which nothing is free
            rigid_held=np.ones((1, 1)),
            single=n == 1,
            spin=SpinParts(*matrix, tuple(self.tables), tuple(self.excitations), spin, axis),
        )


def unbalance(node: int, amount: float, phase: float = 0.0, width: int = 2, name: str = "rotor") -> Excitation:
    return Excitation(f"{name}.node({node})", width * node, width * node + 1, 1.0, 1.0, amount, phase, True)
