"""Parts of a motion with events: state and phase, ledger entries, projections, content of a snapshot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NoReturn

import numpy as np

from flexmb.drive.events.drift import on_positions, on_velocities
from flexmb.drive.events.edges import Edges
from flexmb.drive.events.event_counts import EventCounts
from flexmb.drive.events.event_times import EventTimes
from flexmb.drive.events.short_flights import ShortFlights
from flexmb.drive.events.step_control import ErrorNorm
from flexmb.drive.events.thresholds import Thresholds
from flexmb.errors import SimulationError
from flexmb.nonsmooth.solvers import ContactSolver
from flexmb.schemes.smooth_scheme import SmoothScheme
from flexmb.smooth.phase import Phase
from flexmb.smooth.smooth_step import SmoothState, SmoothStep
from flexmb.state import Array, IntArray, StepReport
from flexmb.system.linear_system import LinearSystem
from flexmb.system.multibody_system import MultibodySystem

Book = Callable[[StepReport, SmoothState], None]


class MotionState:
    """A system on its way, with events.

    Parameters
    ----------
    system : LinearSystem or MultibodySystem
    scheme : SmoothScheme
    solver : ContactSolver
    book : callable
        Called with every report, of steps and of jumps, and the state after it.
    t : float
        Where the run begins.
    h : float
        Length of the steps, or of the intervals between samples.
    tolerance : float
        Of the local error; 0 for steps of one size.
    kinks : (3, n) array
        Times at which functions of time have kinks, where steps end before them, and from when on they are passed.
    span : float
        Time of the run, s.
    """

    def __init__(
        self,
        system: LinearSystem | MultibodySystem,
        scheme: SmoothScheme,
        solver: ContactSolver,
        book: Book,
        t: float,
        h: float,
        tolerance: float,
        kinks: Array,
        span: float,
    ) -> None:
        self.system, self.scheme, self.solver, self.book = system, scheme, solver, book
        self.h, self.tolerance, self.kinks, self.span = h, tolerance, kinks, span
        self.counts = EventCounts()
        self.norm = ErrorNorm(system)
        self.short = ShortFlights(self.norm, scheme.order, h, span, tolerance)
        self.free, self.edges = Phase(system), Edges(system)
        self.phase = self.free
        self.state = self.phase.begin(t, np.array(system.start), system.v0.copy())
        self.thresholds = Thresholds.of(system, self.state.here.here)
        self.wanted, self.limit = h, float("inf")
        self.recent = EventTimes()
        self.flights = np.full(system.contacts.nc, -np.inf)  # when each contact was opened last
        self.undecided = np.zeros(system.contacts.nc, dtype=np.int64)  # see ``undecided``: 1 was closed, -1 open

    def _report(self, step: SmoothStep) -> StepReport:
        """Return the report of a smooth step for the ledger."""
        phase, blocks, works = self.phase, self.system.contacts.blocks, step.works
        P, R = np.zeros(blocks.nc), np.zeros(blocks.nt)
        P[phase.closed] = step.impulse[phase.normals]
        if phase.stuck.size:
            R[phase.tangents] = step.impulse[phase.ties]
        if phase.sliding.size:
            R[phase.slide_columns] = -phase.drag * step.impulse[phase.nj + phase.sliding]
        return StepReport(
            P=P,
            external=works.external,
            drive=works.drive,
            spin=works.spin,
            damping=works.damping,
            contact=np.zeros(blocks.nc),
            numerical=works.numerical,
            iterations=0,
            cross=works.cross,
            Lam=np.zeros(phase.nj),
            lam=step.end.lam[: phase.nj],
            R=R if blocks.nt else np.zeros(0),
            sliding=works.sliding if blocks.nt else np.zeros(0),
            surface=works.surface,
        )

    def _book_change(self, numerical: float = 0.0, drift: float = 0.0) -> None:
        """Book a change of energy in no time: one that is the method's own, or by a projection."""
        blocks = self.system.contacts.blocks
        none = np.zeros(blocks.nc)
        lam = self.state.lam[: self.phase.nj]
        report = StepReport(none, 0.0, 0.0, 0.0, none, numerical, 0, drift=drift, Lam=np.zeros(lam.size), lam=lam)
        self.book(report, self.state)

    def _count_evaluations(self, n: int) -> None:
        """Count evaluations of the forces."""
        self.counts.add("evaluations", n)

    def _project(self, always: bool = False) -> None:
        """Take the drift away where it has become visible."""
        phase, state = self.phase, self.state
        if not phase.nr:
            return
        at = state.here
        length = self.thresholds.length
        speed = float(np.abs(state.v).max(initial=0.0))
        positions, velocities = self.scheme.drifts
        off = float(np.abs(at.gap).max(initial=0.0)) > (1e-15 if always else 1e-13) * length
        fast = float(np.abs(at.rates).max(initial=0.0)) > (1e-15 if always else 1e-12) * speed
        off, fast = off and (positions or always), fast and (velocities or always)
        if not (off or fast):
            return
        before = at.kinetic + at.potential
        q = on_positions(phase, state.t, state.q, state.v, 1e-15 * length) if off else state.q
        v = on_velocities(phase, state.t, q, state.v) if velocities or always else state.v
        memory = state.memory
        self.state = replace(phase.begin(state.t, q, v), memory=memory)
        self.counts.add("solves")
        self.counts.add("evaluations")
        change = self.state.here.kinetic + self.state.here.potential - before
        self.counts.add("projections")
        self.counts.add("projection_work", change)
        self._book_change(drift=change)

    # -- what a snapshot holds

    def _spread(self, rows: Array) -> Array:
        """Return numbers over the rows of the phase as those of joints, of all contacts and of all their tangents."""
        phase, blocks = self.phase, self.system.contacts.blocks
        out = np.zeros((*rows.shape[:-1], phase.nj + blocks.nc + blocks.nt))
        out[..., self._rows()] = rows
        return out

    def _rows(self) -> IntArray:
        phase, nc = self.phase, self.system.contacts.nc
        return np.concatenate([np.arange(phase.nj), phase.nj + phase.closed, phase.nj + nc + phase.tangents])

    def arrays(self) -> dict[str, Array]:
        """Return what a snapshot holds."""
        state, phase = self.state, self.phase
        nc, nv = self.system.contacts.nc, self.system.nv
        closed = np.zeros((2, nc))
        closed[0, phase.closed], closed[1, phase.closed] = 1.0, phase.slip
        vectors, rows, scalars = self.scheme.memory_size
        kept = state.memory or (np.zeros((vectors, nv)), np.zeros((rows, phase.nr)), np.zeros(scalars))
        progress = [self.wanted, self.limit, float(self._dependent)]
        return {
            "q": state.q,
            "v": state.v,
            "a": state.a,
            "forces": self._spread(state.lam),
            "memory_vectors": kept[0],
            "memory_rows": self._spread(kept[1]),
            "memory_scalars": kept[2],
            "closed": closed,
            "flights": self.flights,
            "undecided": self.undecided.astype(np.float64),
            "progress": np.array(progress),
            "recent_events": self.recent.times,
            "theta": state.here.here.theta,
            "pieces": self.edges.held,
            **self.counts.arrays(),
        }

    def restore(self, arrays: dict[str, Array], t: float) -> None:
        """Continue from a snapshot."""
        closed, slip = np.flatnonzero(arrays["closed"][0]), arrays["closed"][1]
        self.phase = self.phase.with_(closed, slip[closed])
        self.edges.restore(arrays["pieces"])
        q, v = arrays["q"].copy(), arrays["v"].copy()
        memory: tuple[Array, ...] = ()
        rows = self._rows()
        if any(self.scheme.memory_size):
            vectors, of_rows, scalars = (arrays[f"memory_{name}"].copy() for name in ("vectors", "rows", "scalars"))
            memory = (vectors, of_rows[:, rows], scalars)
        lam = arrays["forces"][rows]
        self.state = SmoothState(t, q, v, arrays["a"].copy(), lam, self.phase.at(t, q, v), memory)
        self.flights, self.undecided = arrays["flights"].copy(), arrays["undecided"].astype(np.int64)
        self.wanted, self.limit, dependent = (float(x) for x in arrays["progress"])
        self.recent.times, self._dependent = arrays["recent_events"].copy(), bool(dependent)
        self.counts.restore(arrays)

    def _fail(self, words: str, contact: int = -1) -> NoReturn:
        label = self.system.contacts.labels[contact] if contact >= 0 else ""
        raise SimulationError(words, time=self.state.t, step=-1, contact=label)

    _dependent = False
