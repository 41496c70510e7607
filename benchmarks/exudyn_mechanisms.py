"""exudyn on the same mechanisms, at its best.

Its module without range checks is taken (``sys.exudynFast``), one thread, no files, no sensors. What is fastest differs
from mechanism to mechanism, so every combination of rotation parameters, joint, linear solver and Newton's method is
tried (``variants``). Links and bars have their nodes at the centre of mass, where exudyn's mass matrix is constant.

The four-bar is planar (``ObjectRigidBody2D``, ``ObjectJointRevolute2D``). The beam is ``ObjectBeamGeometricallyExact``,
in space, two nodes per element, lumped mass; the planar beam is its ``ObjectBeamGeometricallyExact2D``.

exudyn holds joints on the level of positions (index 3) or, with Newmark's coefficients only, of velocities (index 2);
it has no GGL.
"""

from __future__ import annotations

import importlib.util
import itertools
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from mechanisms import (
    BARS,
    BEAM,
    BEAM_LENGTH,
    BEAM_SPIN,
    GRAVITY,
    LINK_INERTIA,
    LINK_LENGTH,
    LINK_MASS,
    RHO_INF,
    TORQUE,
    Mechanism,
    joint_axis,
)

RELATIVE, ABSOLUTE = 1e-8, 1e-10
"""exudyn's own tolerances of Newton's method: residual over that of the first guess, or residual."""
TIGHT = (1e-11, 1e-10, 1e-9)
"""Tolerances of the run that others are compared with; the first that round-off lets it reach."""
DENSE_UP_TO = 300
"""Unknowns up to which dense solvers are tried."""

START = {"RotVecLG": [0.0] * 3, "Rxyz": [0.0] * 3, "EP": [1.0, 0.0, 0.0, 0.0]}
"""Rotation parameters of no rotation by kind of node."""
SPIN = {"RotVecLG": [0.0, BEAM_SPIN, 0.0], "Rxyz": [0.0, BEAM_SPIN, 0.0], "EP": [0.0, 0.0, 0.5 * BEAM_SPIN, 0.0]}
"""Their rates when the beam turns about y."""


def installed() -> bool:
    """Return whether exudyn can be imported."""
    return importlib.util.find_spec("exudyn") is not None


@dataclass(frozen=True)
class Variant:
    """How a mechanism is put to exudyn."""

    nodes: str
    """RotVecLG, Rxyz or EP; "2D" for planar bodies."""
    joint: str
    solver: str
    contractivity: float
    """Modified Newton makes a new Jacobian when residuals shrink by less than this; 0 stands for full Newton."""

    @property
    def name(self) -> str:
        """What the tables call it."""
        newton = f"modified Newton {self.contractivity:g}" if self.contractivity else "full Newton"
        return f"{self.nodes} {self.joint} {self.solver} {newton}"


def variants(mechanism: Mechanism) -> Iterator[Variant]:
    """Yield all combinations that make sense for a mechanism."""
    nodes: tuple[str, ...] = ("RotVecLG", "Rxyz", "EP")
    if mechanism.kind in ("four-bar", "planar beam"):
        nodes, joints = ("2D",), ("Revolute2D",)
    elif mechanism.kind == "beam":
        joints = ("Spherical",)
    else:
        joints = ("RevoluteZ", "Generic")
    dense = 12 * mechanism.size <= DENSE_UP_TO
    solvers = ("EigenSparse", "EXUdense", "EigenDense") if dense else ("EigenSparse",)
    for choice in itertools.product(nodes, joints, solvers, (0.5, 0.2, 0.0)):
        yield Variant(*choice)


def _module() -> Any:
    if "exudyn" not in sys.modules:
        sys.exudynFast = True  # type: ignore[attr-defined]
    import exudyn
    import exudyn.itemInterface

    return exudyn


class ExudynMechanism:
    """A mechanism as a system of exudyn; each measurement solves it from the start."""

    def __init__(
        self, mechanism: Mechanism, variant: Variant, level: str = "index 3", relative: float = RELATIVE
    ) -> None:
        self.mechanism, self.variant, self.level = mechanism, variant, level
        self.name = f"exudyn, {level}, {variant.name}"
        self.exu = _module()
        self.item: Any = self.exu.itemInterface
        self.container = self.exu.SystemContainer()
        self.mbs = self.container.AddSystem()
        self.nodes: list[Any] = []
        build = {"chain": self._chain, "four-bar": self._four_bar, "beam": self._beam, "planar beam": self._beam}
        build[mechanism.kind]()
        self.mbs.Assemble()
        self.settings = self._settings(relative, min(ABSOLUTE, relative))
        self.newton_steps = self.jacobians = 0

    def _chain(self) -> None:
        item, mbs, half = self.item, self.mbs, LINK_LENGTH / 2
        before, offset = mbs.AddObject(item.ObjectGround()), 0.0
        for i in range(self.mechanism.size):
            node = self._node([(2 * i + 1) * half, 0.0, 0.0])
            inertia = [*LINK_INERTIA, 0.0, 0.0, 0.0]
            link = mbs.AddObject(item.ObjectRigidBody(mass=LINK_MASS, inertia=inertia, nodeNumber=node))
            self._weigh(link)
            z = joint_axis(i)
            x = np.array([1.0, 0.0, 0.0])
            axes = np.column_stack([x, np.cross(z, x), z])
            markers = [self._marker(before, offset, axes), self._marker(link, -half, axes)]
            if self.variant.joint == "RevoluteZ":
                mbs.AddObject(item.ObjectJointRevoluteZ(markerNumbers=markers))
            else:
                mbs.AddObject(item.ObjectJointGeneric(markerNumbers=markers, constrainedAxes=[1, 1, 1, 1, 1, 0]))
            before, offset = link, half

    def _four_bar(self) -> None:
        item, mbs = self.item, self.mbs
        ground = mbs.AddObject(item.ObjectGround())
        ends = []
        for bar in BARS:
            node = mbs.AddNode(item.NodeRigidBody2D(referenceCoordinates=[*bar.center, bar.angle]))
            self.nodes.append(node)
            body = mbs.AddObject(item.ObjectRigidBody2D(mass=1.0, inertia=bar.inertia, nodeNumber=node))
            self._weigh(body)
            ends.append([self._point(body, x * bar.length / 2) for x in (-1, 1)])
            if bar.name == "crank":
                whole = mbs.AddMarker(item.MarkerBodyRigid(bodyNumber=body))
                mbs.AddLoad(item.LoadTorqueVector(markerNumber=whole, loadVector=[0.0, 0.0, TORQUE]))
        crank, coupler, rocker = ends
        held = [self._point(ground, BARS[k].first[0]) for k in (0, 2)]
        for pair in ((held[0], crank[0]), (crank[1], coupler[0]), (coupler[1], rocker[1]), (held[1], rocker[0])):
            mbs.AddObject(item.ObjectJointRevolute2D(markerNumbers=list(pair)))

    def _beam(self) -> None:
        item, mbs, n = self.item, self.mbs, self.mechanism.size
        length = BEAM_LENGTH / n
        if self.variant.nodes == "2D":
            self._planar_beam(length)
        else:
            section = self.exu.BeamSection()
            section.stiffnessMatrix = np.diag([BEAM.EA, BEAM.GA, BEAM.GA, BEAM.GJ, BEAM.EI, BEAM.EI])
            section.inertia = BEAM.rotary * np.diag([2.0, 1.0, 1.0])
            section.massPerLength = BEAM.mass_per_length
            for i in range(n + 1):
                self._node([i * length, 0.0, 0.0], [0.0, 0.0, -BEAM_SPIN * i * length, *SPIN[self.variant.nodes]])
            for pair in itertools.pairwise(self.nodes):
                beam = item.ObjectBeamGeometricallyExact(nodeNumbers=list(pair), length=length, sectionData=section)
                self._weigh(mbs.AddObject(beam))
        ground = self._point(mbs.AddObject(item.ObjectGround()), 0.0)
        first = mbs.AddMarker(item.MarkerNodePosition(nodeNumber=self.nodes[0]))
        joint = getattr(item, f"ObjectJoint{self.variant.joint}")
        mbs.AddObject(joint(markerNumbers=[ground, first]))

    def _planar_beam(self, length: float) -> None:
        """Add the elements of a beam in the plane, at rest at the start."""
        for i in range(self.mechanism.size + 1):
            node = self.item.NodeRigidBody2D(referenceCoordinates=[i * length, 0.0, 0.0])
            self.nodes.append(self.mbs.AddNode(node))
        for pair in itertools.pairwise(self.nodes):
            beam = self.item.ObjectBeamGeometricallyExact2D(
                nodeNumbers=list(pair),
                length=length,
                massPerLength=BEAM.mass_per_length,
                crossSectionInertia=BEAM.rotary,
                bendingStiffness=BEAM.EI,
                axialStiffness=BEAM.EA,
                shearStiffness=BEAM.GA,
            )
            self._weigh(self.mbs.AddObject(beam))

    def _node(self, position: list[float], velocity: list[float] | None = None) -> Any:
        start = START[self.variant.nodes]
        velocity = [0.0] * (3 + len(start)) if velocity is None else velocity
        cls = getattr(self.item, f"NodeRigidBody{self.variant.nodes}")
        node = self.mbs.AddNode(cls(referenceCoordinates=position + start, initialVelocities=velocity))
        self.nodes.append(node)
        return node

    def _weigh(self, body: Any) -> None:
        marker = self.mbs.AddMarker(self.item.MarkerBodyMass(bodyNumber=body))
        self.mbs.AddLoad(self.item.LoadMassProportional(markerNumber=marker, loadVector=list(GRAVITY)))

    def _point(self, body: Any, x: float) -> Any:
        return self.mbs.AddMarker(self.item.MarkerBodyPosition(bodyNumber=body, localPosition=[x, 0.0, 0.0]))

    def _marker(self, body: Any, x: float, axes: np.ndarray) -> Any:
        place = self.exu.HT(rotation=axes, translation=[x, 0.0, 0.0])
        return self.mbs.AddMarker(self.item.MarkerBodyRigid(bodyNumber=body, localHT=place))

    def _settings(self, relative: float, absolute: float) -> Any:
        settings = self.exu.SimulationSettings()
        settings.linearSolver.solverType = getattr(self.exu.LinearSolverType, self.variant.solver)
        settings.linearSolver.reuseAnalyzedPattern = True
        settings.parallel.numberOfThreads = 1
        settings.solution.file.write = False
        settings.solution.sensors.active = False
        integration = settings.timeIntegration
        integration.numberOfSteps = self.mechanism.steps
        integration.endTime = self.mechanism.steps * self.mechanism.h
        integration.adaptiveStep = False
        integration.verboseMode = 0
        if self.level == "index 2":
            integration.generalizedAlpha.useNewmark = True
            integration.generalizedAlpha.useIndex2Constraints = True
        else:
            integration.generalizedAlpha.spectralRadius = RHO_INF
        newton = integration.newton
        newton.relativeTolerance, newton.absoluteTolerance = relative, absolute
        newton.useModifiedNewton = self.variant.contractivity > 0.0
        if newton.useModifiedNewton:
            newton.modifiedNewtonContractivity = self.variant.contractivity
        return settings

    def seconds_of_one(self) -> float:
        """Return the processor seconds of a step, Jacobians included."""
        solver = self.exu.MainSolverImplicitSecondOrder()
        if not solver.InitializeSolver(self.mbs, self.settings):
            raise RuntimeError("exudyn could not be started")
        began = time.process_time()
        done = solver.SolveSteps(self.mbs, self.settings)
        seconds = time.process_time() - began
        solver.FinalizeSolver(self.mbs, self.settings)
        if not done:
            raise RuntimeError(f"{self.name} did not reach the end")
        self.newton_steps, self.jacobians = solver.it.newtonStepsCount, solver.it.newtonJacobiCount
        return float(seconds) / self.mechanism.steps

    @property
    def iterations(self) -> float:
        """Newton's iterations per step."""
        return self.newton_steps / self.mechanism.steps

    @property
    def position(self) -> np.ndarray:
        """Centre of the last body, or last node of the beam, at the end, (3,), m."""
        return np.asarray(self.mbs.GetNodeOutput(self.nodes[-1], self.exu.OutputVariableType.Position))
