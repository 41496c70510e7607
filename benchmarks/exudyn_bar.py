"""exudyn on the same bar, at its best: generalized-alpha with a compiled penalty contact.

The bar is made of ``ObjectGenericODE2`` objects with the sparse finite-element matrices of 200 elements each, joined
at shared nodes; of what was tried this is the fastest at every size. (A chain of mass points and spring-dampers takes
two to three times as long per step; a single object for the whole bar is as fast, but its Jacobian takes time that
grows with the square of the number of elements.) The contact is the limit stop of a
``ConnectorCoordinateSpringDamperExt``, as stiff as an element. Modified Newton with the sparse solver needs one
iteration and one back substitution in nearly every step. Nothing is written; no energies are computed.
"""

from __future__ import annotations

import importlib.util
import time
from typing import Any

import numpy as np
from impacting_bar import AREA, DENSITY, LENGTH, SPEED, YOUNG, Problem
from scipy import sparse

OBJECT_ELEMENTS = 200
"""Elements in an object."""


def installed() -> bool:
    """Return whether exudyn can be imported."""
    return importlib.util.find_spec("exudyn") is not None


class ExudynBar:
    """The bar as a system of exudyn; each measurement solves it from the start."""

    name = "exudyn generalized-alpha, penalty"

    def __init__(self, bar: Problem, rho_inf: float = 0.8) -> None:
        import exudyn
        import exudyn.itemInterface

        self.exu: Any = exudyn
        self.bar = bar
        self.container = exudyn.SystemContainer()
        self.mbs = self.container.AddSystem()
        self._build()
        self.settings = self._settings(rho_inf)
        self.newton_steps = self.jacobians = 0
        self.seconds_of_one()

    def _build(self) -> None:
        item = self.exu.itemInterface

        bar, mbs = self.bar, self.mbs
        length = LENGTH / bar.elements
        mass, stiffness = DENSITY * AREA * length, YOUNG * AREA / length
        first = left = self._node(1)
        for start in range(0, bar.elements, OBJECT_ELEMENTS):
            m = min(OBJECT_ELEMENTS, bar.elements - start)
            inside, right = [self._node(m - 1)] if m > 1 else [], self._node(1)
            mbs.AddObject(
                item.ObjectGenericODE2(
                    nodeNumbers=[left, *inside, right],
                    massMatrix=self._matrix(m, mass / 3, mass / 6),
                    stiffnessMatrix=self._matrix(m, stiffness, -stiffness),
                )
            )
            left = right
        ground = mbs.AddNode(item.NodePointGround())
        markers = [mbs.AddMarker(item.MarkerNodeCoordinate(nodeNumber=k, coordinate=0)) for k in (ground, first)]
        memory = mbs.AddNode(item.NodeGenericData(initialCoordinates=[0, 0, 0], numberOfDataCoordinates=3))
        mbs.AddObject(
            item.ObjectConnectorCoordinateSpringDamperExt(
                markerNumbers=markers,
                nodeNumber=memory,
                useLimitStops=True,
                limitStopsLower=-bar.gap,
                limitStopsUpper=1e9,
                limitStopsStiffness=stiffness,
            )
        )
        mbs.Assemble()

    def _node(self, size: int) -> Any:
        zero = [0.0] * size
        return self.mbs.AddNode(
            self.exu.itemInterface.NodeGenericODE2(
                referenceCoordinates=zero,
                initialCoordinates=zero,
                initialCoordinates_t=[-SPEED] * size,
                numberOfODE2Coordinates=size,
            )
        )

    def _matrix(self, elements: int, end: float, beside: float) -> Any:
        diagonal = np.full(elements + 1, 2 * end)
        diagonal[[0, -1]] = end
        off = np.full(elements, beside)
        matrix = self.exu.MatrixContainer()
        matrix.SetWithSparseMatrix(sparse.csr_matrix(sparse.diags([off, diagonal, off], [-1, 0, 1])))
        return matrix

    def _settings(self, rho_inf: float) -> Any:
        settings = self.exu.SimulationSettings()
        settings.linearSolver.solverType = self.exu.LinearSolverType.EigenSparse
        settings.linearSolver.reuseAnalyzedPattern = True
        settings.solution.file.write = False
        settings.solution.sensors.active = False
        integration = settings.timeIntegration
        integration.numberOfSteps = self.bar.steps
        integration.endTime = self.bar.steps * self.bar.h
        integration.adaptiveStep = False
        integration.verboseMode = 0
        integration.generalizedAlpha.spectralRadius = rho_inf
        integration.newton.useModifiedNewton = True
        return settings

    def seconds_of_one(self) -> float:
        """Return the seconds of a step; building and factoring Jacobians is left out, as it is for flexmb."""
        solver = self.exu.MainSolverImplicitSecondOrder()
        if not solver.InitializeSolver(self.mbs, self.settings):
            raise RuntimeError("exudyn could not be started")
        began = time.perf_counter()
        done = solver.SolveSteps(self.mbs, self.settings)
        seconds = time.perf_counter() - began
        solver.FinalizeSolver(self.mbs, self.settings)
        if not done:
            raise RuntimeError("exudyn did not reach the end")
        self.newton_steps, self.jacobians = solver.it.newtonStepsCount, solver.it.newtonJacobiCount
        once = solver.timer.totalJacobian + solver.timer.factorization
        return (seconds - once) / self.bar.steps

    @property
    def displacement(self) -> np.ndarray:
        """Displacements at the end, (n+1,), in the order of exudyn's nodes, m."""
        return np.asarray(self.mbs.systemData.GetODE2Coordinates())

    @property
    def velocity(self) -> np.ndarray:
        """Velocities at the end, (n+1,), m/s."""
        return np.asarray(self.mbs.systemData.GetODE2Coordinates_t())
