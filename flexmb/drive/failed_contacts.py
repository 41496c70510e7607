"""Error messages and saved problems for contacts on which a step in large motion failed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse.linalg import splu

from flexmb.drive.step_problem import StepProblem
from flexmb.errors import InputError, NotConverged
from flexmb.kernels.geometry.tables import LOADED
from flexmb.kernels.multibody.machine import MachineWorkspace
from flexmb.kernels.multibody.multibody import GAP, RATE, ROUND, TIME, Motion, V
from flexmb.kernels.multibody_contacts.friction_blocks import good_enough
from flexmb.kernels.small_motion.ledger import T_ITERATIONS
from flexmb.nonsmooth.problem import ContactProblem, ContactSolution
from flexmb.nonsmooth.solvers import ContactNotConverged, ContactSolver
from flexmb.state import IntArray
from flexmb.system.multibody_system import MultibodySystem


@dataclass(frozen=True)
class FailedContacts:
    """The contacts of a failed step, read from the machine after the failure."""

    system: MultibodySystem
    workspace: MachineWorkspace
    solver: ContactSolver
    h: float

    @property
    def motion(self) -> Motion:
        """The motion before the step."""
        return self.workspace.machine.motion

    def unsolved(self, contact: int, time: float, step: int, residual: float) -> NotConverged:
        """Return the error for an unsolved contact problem, with the problem if it is available."""
        label = self.system.gaps.labels[contact]
        found = self._problem(residual)
        if found is None:
            return NotConverged(self.jammed(contact), time=time, step=step, contact=label, residual=residual)
        problem, solution = found
        tolerance = float(good_enough(self.solver.tolerance, problem.n))
        if problem.frictionless:
            tolerance = self.solver.tolerance
        error = ContactNotConverged(problem, solution, tolerance)
        error.message = self.jammed(contact, tolerance)
        error.time, error.step, error.contact, error.residual = time, step, label, residual
        return error

    def _problem(self, residual: float) -> tuple[ContactProblem, ContactSolution] | None:
        """Return the problem of the last Newton iteration and its final iterate; None at corners of drives.

        With GGL, positions of all candidates (nu / h against gaps over h) and velocities of those that are closed.
        """
        if self.workspace.machine.trial.report[ROUND] < 1.0:
            return None
        task = StepProblem.of(self.workspace)
        try:
            problem, rows = task.part(task.counting(task.P))
        except InputError:  # numbers that are not finite
            return None
        z = np.where(np.isfinite(task.P[rows]), task.P[rows], 0.0)
        count = int(self.motion.terms[T_ITERATIONS])
        return problem, ContactSolution(z, problem.w(z), residual, count, self.solver.name)

    def pressed(self) -> int:
        """Return a contact that closes within a step while prescribed motions prevent its release, or -1."""
        nj, nc = self.system.nj, self.system.gaps.nc
        gap, rate = self.motion.rows[[GAP, RATE], nj : nj + nc]
        driven = self.system.tables.rows.function[:nj] >= 0
        closing = gap + self.h * np.minimum(rate, 0.0) <= 0.0
        closing[self._loaded()] = False
        for contact in np.flatnonzero(closing) if driven.any() else ():
            if not self._gives_way(int(contact), np.arange(nj)):
                return int(contact)
        return -1

    def _loaded(self) -> IntArray:
        """Return the contacts that represent friction of joints."""
        nj, nc = self.system.nj, self.system.gaps.nc
        return np.flatnonzero(self.system.tables.rows.kind[nj : nj + nc] == LOADED)

    def rough_joints(self) -> str:
        """Name the joints with friction as a possible cause of steps that do not converge."""
        labels = [self.system.gaps.labels[i].removesuffix("_friction") for i in self._loaded()]
        if not labels:
            return ""
        names = ", ".join(f"'{label}'" for label in labels)
        return (
            f"; possibly because of the friction of joint {names}, which may increase its own load without bound: "
            f"check whether friction * friction_radius is above the lever arms of the loads"
        )

    def jammed(self, contact: int, tolerance: float = 0.0) -> str:
        """Return the message for a contact problem without a solution, which may be infeasible."""
        tolerance = tolerance or self.solver.tolerance
        system = self.system
        message = f"solver '{self.solver.name}' left the contact problem above its tolerance {tolerance:g}"
        all_rows = np.arange(system.nj)
        driven = system.tables.rows.function[: system.nj] >= 0
        if contact in self._loaded():
            return f"{message}{self.rough_joints()}"
        if self._gives_way(contact, all_rows):
            return f"{message} (contacts that cannot all hold)"
        if not self._gives_way(contact, all_rows[~driven]):
            return f"{message}: the joints leave no motion that could resolve it"
        names = list(dict.fromkeys(system.joints.name_of(int(row)) for row in all_rows[driven]))
        drives = f"drive of joint '{names[0]}'" if len(names) == 1 else f"drives of joints {', '.join(names)}"
        return (
            f"{message}: the {drives} and the closed contact contradict each other; the mechanism is pressed into the "
            "contact, without compliance between them"
        )

    def _gives_way(self, contact: int, rows: IntArray) -> bool:
        """Return whether an impulse of a contact moves it while some rows of joints are enforced."""
        system, t, q = self.system, float(self.motion.numbers[TIME]), self.motion.q
        G = system.G(t, q).toarray()
        g, held = G[:, system.nj + contact], G[:, rows]
        x = splu(system.tangents(t, q, self.motion.vec[V])[0].tocsc()).solve(np.column_stack([g, held]))
        W = np.column_stack([g, held]).T @ x
        free, across, inner = float(W[0, 0]), W[1:, 0], W[1:, 1:]
        return free - float(across @ np.linalg.lstsq(inner, across, rcond=1e-12)[0]) > 1e-9 * free
