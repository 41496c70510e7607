"""The compiled loop for constant systems."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from flexmb.drive.engine import Engine, Plan, not_finite, require_fitting, tally_of, truncate
from flexmb.drive.structure_arrays import structure_arrays
from flexmb.errors import NotConverged, SimulationError
from flexmb.kernels.compilation.arrays_at import Room
from flexmb.kernels.compilation.stages import raise_failed
from flexmb.kernels.laws.friction_record import friction_rows
from flexmb.kernels.lcp.lcp_others import solver_settings
from flexmb.kernels.small_motion.arrays import (
    NO_SOLVER,
    ContactRows,
    Delassus,
    Live,
    Loads,
    Probes,
    Rows,
    Run,
    Samples,
    Scratch,
    Tables,
)
from flexmb.kernels.small_motion.contact_ask import FEW_CONTACTS, few_contacts
from flexmb.kernels.small_motion.ledger import TERMS_SIZE, empty_ledger
from flexmb.kernels.small_motion.march import STEPS, march
from flexmb.linalg.bands import BandOrder, band_order
from flexmb.nonsmooth.solvers import ContactSolver
from flexmb.record.samples import Block, Tally
from flexmb.schemes.alpha_contacts import AlphaFixed
from flexmb.schemes.cone_contacts import Carried, ConeContacts
from flexmb.schemes.scheme import PreparedContacts, Scheme
from flexmb.state import Array
from flexmb.system.linear_system import LinearSystem


def has_compiled_step(scheme: Scheme) -> bool:
    """Tell whether a scheme has a compiled step of constant systems; one without runs in the general engine."""
    return scheme.compiled_step(1.0) is not None


def compiled_carries(plan: Plan) -> bool:
    """Tell whether the compiled loop obeys the laws of all contacts: all but Poisson's impacts and cohesion.

    Solvers of problems with friction that no compiled loop can call are for the general engine, too.
    """
    blocks = plan.system.contacts.blocks
    if blocks.normals_only:
        return True
    return plan.solver.compiled and not (blocks.poisson.any() or blocks.cohesion.any())


class CompiledEngine(Engine):
    """Runs the schemes of the project on a constant system without returning to Python between samples."""

    name = "compiled"

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.step = 0
        self.failure: SimulationError | None = None
        system, scheme, h = plan.linear, plan.scheme, plan.h
        self.order = band_order(*system.patterns)
        fixed = scheme.prepare(system, h)
        state = system.initial_state(plan.t0)
        memory = scheme.compiled_memory(system, state, h, fixed, plan.solver)
        parameters: Any = scheme.compiled_step(h)
        solver = plan.solver
        self.many = fixed.many_for(solver)  # its arrays live as long as the engine
        contacts = _contacts(system, self.order, fixed, solver)
        nc, perm, blocks = system.contacts.nc, self.order.perm, system.contacts.blocks
        beside, laws = friction_rows(nc, blocks.nt, blocks.normals_only)
        self.live = Live(
            q=state.q[perm],
            v=state.v[perm],
            vectors=np.ascontiguousarray(memory.vectors[:, perm]),
            contacts=memory.contacts.copy(),
            loads=memory.loads.copy(),
            scalars=memory.scalars.copy(),
            g=np.zeros(nc),
            U=np.zeros(nc),
            P=np.zeros(nc),
            work=np.zeros(nc),
            since_sample=np.zeros(nc),
            since_field=np.zeros(nc + blocks.nt),
            ledger=empty_ledger(),
            terms=np.zeros(TERMS_SIZE),
            beside=beside,
            laws=laws,
        )
        self.cones = None
        if not blocks.normals_only:  # its arrays live as long as the engine
            carried = Carried(self.live.P, self.live.beside, self.live.laws)
            self.cones = ConeContacts(fixed, self.order, solver, h, carried)
            contacts = contacts._replace(side=self.cones.address)
        self.contacts = contacts
        start = plan.empty_block(np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64))
        self.rare = np.zeros(1, dtype=np.int64)
        if nc and self.many is None and blocks.normals_only:
            few_contacts.compile()  # before the clock starts
        self.rare[FEW_CONTACTS] = few_contacts.door(self.rare, FEW_CONTACTS)
        self.parameters = Room(parameters)
        self.structure = structure_arrays(system, self.order, fixed.S)
        self.room = Room(
            Run(
                h=float(h),
                parameters=self.parameters.at,
                step=STEPS[type(parameters)].address,
                rare=self.rare,
                answer=np.zeros(1),
                settings=solver_settings(solver.method, solver.max_iterations, float(solver.tolerance)),
                structure=self.structure.arrays,
                contacts=contacts,
                loads=_loads(system, self.order),
                tables=self._tables(0, 0),
                live=self.live,
                scratch=Scratch(*(np.zeros(system.nv) for _ in range(7)), *(np.zeros(nc) for _ in range(5))),
                probes=_probes(system, self.order),
                out=_samples(start),
            )
        )

    def _tables(self, n0: int, n1: int) -> Tables:
        """Amplitudes at the steps n0 - 1 .. n1 + 1."""
        system = self.plan.linear
        t: Array = np.asarray(self.plan.t0 + np.arange(n0 - 1, n1 + 2) * self.plan.h, dtype=np.float64)
        return Tables(
            _columns([load.phi.value(t) for load in system.loads], t.size),
            _columns([s.value(t) for s in system.contacts.motions], t.size),
            _columns([s.rate(t) for s in system.contacts.motions], t.size),
        )

    def start(self) -> Block:
        """Return the block with the sample at the start."""
        block = self.plan.empty_block(np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64))
        # compiles the loop, or loads it from the compiled files, before the clock starts
        return self._march(block, self.step, self.step, begin=True)

    def advance(self, n: int) -> Block:
        """Take up to n steps; on failure return what was reached and set ``failure``."""
        plan = self.plan
        n0, n1 = self.step, min(self.step + n, plan.steps)
        return self._march(plan.empty_block(plan.samples_in(n0, n1), plan.fields_in(n0, n1)), n0, n1)

    def _march(self, block: Block, n0: int, n1: int, begin: bool = False) -> Block:
        """Take the steps n0 + 1 .. n1 and fill a block; with ``begin``, first with the state at n0."""
        plan = self.plan
        self.room.put(tables=self._tables(n0, n1), out=_samples(block))
        reached, samples, fields, failed, residual = march(
            self.room.at, plan.t0, n0, n1, plan.steps, plan.every, plan.fields_every, begin
        )
        raise_failed()
        self.step = int(reached)
        if failed == -2 or (failed >= 0 and not np.isfinite(residual)):
            self.failure = not_finite(plan, self.step + 1)
        elif failed >= 0:
            self.failure = self._unsolved(int(failed), float(residual))
        return self._natural(truncate(block, int(samples), int(fields)))

    def _unsolved(self, contact: int, residual: float) -> NotConverged:
        """Return the error for the contact problem of the step; with friction the problem comes along."""
        plan = self.plan
        at = {"time": plan.time(self.step + 1), "step": self.step + 1, "contact": plan.system.contacts.labels[contact]}
        if self.cones is not None:
            failure = self.cones.failure(plan.solver)
            for name, value in at.items():
                setattr(failure, name, value)
            return failure
        message = f"solver '{plan.solver.name}' left the contact problem above its tolerance {plan.solver.tolerance:g}"
        return NotConverged(message, residual=residual, **at)  # type: ignore[arg-type]

    def _natural(self, block: Block) -> Block:
        """Reorder the fields of a block to the natural order of unknowns."""
        block.field_q = block.field_q[:, self.order.inverse]
        block.field_v = block.field_v[:, self.order.inverse]
        return block

    def snapshot(self) -> dict[str, Array]:
        """Return copies of all that changes from step to step."""
        memory = ("q", "v", "vectors", "contacts", "loads", "scalars", "P")
        changing = (*memory, "since_sample", "since_field", "ledger", "beside", "laws")
        arrays = {name: getattr(self.live, name).copy() for name in changing}
        return arrays if self.cones is None else {**arrays, "law_states": self.cones.states.copy()}

    def restore(self, arrays: dict[str, Array], step: int) -> None:
        """Continue from a snapshot taken at ``step``; InputError when it is not one of this run."""
        require_fitting(arrays, self.snapshot())
        for name, value in arrays.items():
            own = self.cones.states if self.cones is not None and name == "law_states" else getattr(self.live, name)
            own[...] = value
        self.step = step

    def tally(self) -> Tally:
        """Return the figures every step contributed to."""
        return tally_of(self.live.ledger, self.step, self.plan.linear.contacts.labels)


def _loads(system: LinearSystem, order: BandOrder) -> Loads:
    rows = sparse.csr_array(np.stack([x.B for x in system.loads])) if system.loads else None
    return Loads(_rows(rows, order), np.array([int(x.drive) for x in system.loads], dtype=np.int64))


def _contacts(system: LinearSystem, order: BandOrder, fixed: PreparedContacts, solver: ContactSolver) -> ContactRows:
    """Return the contacts, and the Delassus blocks or the solver for many of them."""
    con, many = system.contacts, fixed.many_for(solver)
    W_q_nu = W_q_Lam = W_v_nu = W_v_Lam = np.zeros((0, 0))
    if many is None:
        W_v_Lam = fixed.row_matrix
        if isinstance(fixed, AlphaFixed) and fixed.level == "ggl":
            W_q_nu, W_q_Lam, W_v_nu = fixed.blocks.W_q_nu, fixed.blocks.W_q_Lam, fixed.blocks.W_v_nu
    return ContactRows(
        G=_rows(sparse.csr_array(con.G.T), order),
        g0=con.g0.copy(),
        e=con.e.copy(),
        motion_of=con.motion_of.astype(np.int64),
        motion_coef=con.motion_coef.copy(),
        delassus=Delassus(*(_own(W) for W in (W_q_nu, W_q_Lam, W_v_nu, W_v_Lam))),
        response=_own(fixed.response),
        many=NO_SOLVER if many is None else many.rows(float(solver.tolerance)),
    )


def _rows(A: sparse.csr_array | None, order: BandOrder) -> Rows:
    if A is None:
        return Rows(np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0))
    return Rows(A.indptr.astype(np.int64), order.inverse[A.indices], A.data.astype(np.float64))


def _probes(system: LinearSystem, order: BandOrder) -> Probes:
    if not system.probes:
        return Probes(_rows(None, order), np.zeros(0, dtype=np.int64), np.zeros(0))
    rows = _rows(sparse.csr_array(sparse.vstack([p.B for p in system.probes])), order)
    of_v = np.concatenate([np.full(p.offset.size, int(p.of == "v"), dtype=np.int64) for p in system.probes])
    return Probes(rows, of_v, np.concatenate([p.offset for p in system.probes]))


def _samples(block: Block) -> Samples:
    return Samples(
        block.probes,
        block.gap,
        block.velocity,
        block.impulse,
        block.energy,
        block.field_q,
        block.field_v,
        block.field_impulse,
        block.beside,
        block.laws,
    )


def _own(x: Array) -> Array:
    """Return a copy of an array that compiled functions may write to."""
    return np.array(x, dtype=np.float64, order="C")


def _columns(values: list[Array], n: int) -> Array:
    if not values:
        return np.zeros((n, 0))
    return np.ascontiguousarray(np.stack([np.broadcast_to(np.asarray(v, dtype=float), (n,)) for v in values], axis=1))
