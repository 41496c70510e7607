"""Allocation of all working arrays of the compiled loops."""

from __future__ import annotations

import numpy as np

from flexmb.assembly.constant import contact_unknowns
from flexmb.assembly.contact_sets import contact_sets, friction_sets
from flexmb.assembly.pattern import Pattern
from flexmb.kernels.compilation.stages import NO_STAGES, SchemeStages, doors_of
from flexmb.kernels.cones.cone_hard import HARD_CONES
from flexmb.kernels.cones.cone_stage import CONES
from flexmb.kernels.geometry.tables import (
    CLASSES,
    AngleState,
    Blocks,
    MarkerState,
    Point,
    RowState,
    System,
)
from flexmb.kernels.laws.friction_record import friction_rows
from flexmb.kernels.lcp.lcp_others import solver_settings
from flexmb.kernels.lcp.solver_settings import SolverSettings
from flexmb.kernels.multibody.evaluate import evaluate_stage
from flexmb.kernels.multibody.features import beams_stage, floating_stage, rotors_stage
from flexmb.kernels.multibody.joint_stages import bend_stage, inside_stage, redundant_stage
from flexmb.kernels.multibody.machine import Machine, MachineWorkspace
from flexmb.kernels.multibody.multibody import (
    CONTACT_ROWS,
    EPS,
    FIXED,
    LEVEL,
    LOWEST,
    MOTION_ROWS,
    NUMBERS,
    STATE,
    STEP_SIZE,
    T_FIRST,
    TRIAL_ROWS,
    WEAK,
    WEAK_MASS,
    Between,
    Laws,
    Matrices,
    Motion,
    Samples,
    Scatter,
    SchemeNumbers,
    TangentWork,
    Trial,
)
from flexmb.kernels.multibody.rows_beside import rows_beside_stage
from flexmb.kernels.multibody.tangents import tangents_stage
from flexmb.kernels.multibody_contacts.multibody_contact import contact_stage
from flexmb.kernels.multibody_contacts.multibody_contact_sets import contact_sets_stage
from flexmb.kernels.multibody_contacts.multibody_friction import friction_stage
from flexmb.kernels.multibody_contacts.multibody_friction_sets import friction_sets_stage
from flexmb.kernels.multibody_contacts.multibody_friction_works import works_beside_stage
from flexmb.kernels.multibody_steps.multibody_corner import corner_stage
from flexmb.kernels.multibody_steps.multibody_fixed import fixed_step_stage
from flexmb.kernels.multibody_steps.multibody_friction_corner import friction_corner_stage
from flexmb.kernels.multibody_steps.multibody_newton import assemble_stage, place_stage
from flexmb.kernels.multibody_steps.multibody_samples import between_stage
from flexmb.kernels.small_motion.ledger import LEDGER_SIZE, TERMS_SIZE, empty_ledger
from flexmb.state import Array, IntArray


def point_of(system: System, nv: int) -> Point:
    """Return arrays for one evaluation of the system."""
    nm, nr = system.markers.kind.size, system.rows.kind.size
    na = system.angles.A.size
    return Point(
        markers=MarkerState(
            np.zeros((nm, 3)),
            np.zeros((nm, 3, 3)),
            np.zeros((system.markers.dof.size, 6)),
            np.zeros((nm, 6)),
            np.zeros((nm, 6)),
            np.zeros((CLASSES, nm, 6)),
            np.zeros((nm, 3)),
        ),
        angles=AngleState(np.zeros(na), np.zeros((na, 3)), np.zeros(na), np.zeros(na)),
        rows=RowState(np.zeros(nr), np.zeros(nr), np.zeros((system.rows.marker.size, 6)), np.zeros(nr)),
        F=np.zeros((CLASSES, nv)),
        A=np.zeros((system.unknowns.frame_q.size, 3, 3)),
        A_floating=np.zeros((system.floating.frame_q.size, 3, 3)),
        potential=np.zeros(1),
    )


def scratch_of(system: System) -> Array:
    """Return the scratch arrays of the kernels of the parts."""
    m = int(system.floating.modes.max(initial=0))
    return np.zeros(512 + 40 * m + 8 * (6 + m) ** 2 + CLASSES)


def motion_of(system: System, q: Array, v: Array, null: Array, laws: Laws) -> Motion:
    """Return arrays for a motion that starts at (q, v), q with low-order parts; ``null``: its redundant directions."""
    nv, nj, nc, nr = v.size, system.joints, system.contacts, system.rows.kind.size
    vec = np.zeros((MOTION_ROWS, nv))
    vec[0] = v
    ledger = np.zeros((2, LEDGER_SIZE))
    ledger[:] = empty_ledger()
    beside, works = friction_rows(nc, nr - nj - nc, nr == nj + nc)
    contact = np.zeros((CONTACT_ROWS, nc))
    contact[STATE] = laws.friction[:, 6]  # of rate and state
    return Motion(
        q=q.copy(),
        q_before=q.copy(),
        vec=vec,
        F=np.zeros((CLASSES, nv)),
        P=np.zeros((CLASSES, nv)),
        joint=np.zeros((4, nj)),
        contact=contact,
        rows=np.zeros((3, nr)),
        turn=np.zeros(system.angles.A.size),
        A=np.zeros((system.unknowns.frame_q.size, 3, 3)),
        numbers=_numbers(),
        since_field=np.zeros(3 * nc),
        ledger=ledger,
        terms=np.zeros(TERMS_SIZE),
        beside=beside,
        laws=works,
        null=_directions(null, nj),
    )


def _directions(null: Array, nj: int) -> Array:
    """Return redundant directions in the form of ``Motion.null``, with space for those of singular positions."""
    known = np.column_stack([null, np.ones(null.shape[0])])
    return np.concatenate([known, np.zeros((min(nj, MORE_DIRECTIONS), nj + 1))])


def _numbers() -> Array:
    """Return ``Motion.numbers`` before the start."""
    numbers = np.zeros(NUMBERS)
    numbers[LOWEST] = np.inf
    return numbers


def between_of(system: System) -> Between:
    """Return arrays for the joints inside a step."""
    nm, nd, nf = system.markers.kind.size, system.markers.dof.size, system.unknowns.frame_q.size
    point = point_of(system, 0)
    return Between(
        markers=point.markers,
        angles=point.angles,
        rows=point.rows,
        wrench=np.zeros((nm, 6)),
        B=np.zeros((nf, 3, 3)),
        X=np.zeros((nf, 3, 3)),
        J_force=np.zeros((nd, 6)),
        J_move=np.zeros((nd, 6)),
    )


def trial_of(system: System, size: int, nv: int, units: int, many: bool) -> Trial:
    """Return arrays for a trial step; ``size`` is that of q with its low-order parts, ``units`` that of ``unit_v``.

    Responses of ``many`` contacts are in ``ContactSets``.
    """
    nj, nc = system.joints, system.contacts
    nt = system.rows.kind.size - nj - nc
    big = np.zeros((7, nv + nj))
    big[[WEAK, WEAK_MASS]] = 1.0  # no combination is known to be weak before the first factorization
    return Trial(
        q=np.zeros(size),
        q_half=np.zeros(size),
        between=between_of(system),
        F=np.zeros((CLASSES, nv)),
        vec=np.zeros((TRIAL_ROWS, nv)),
        joint=np.zeros((5, nj)),
        contact=np.zeros((6, nc)),
        beside=np.zeros((2, nt)),
        big=big,
        response=np.zeros((3, 0 if many else nc + nt, nv + nj)),
        unit=np.zeros((3, units, nv + nj)),
        scale=np.ones(6),
        drift=np.zeros(system.unknowns.share.size),
        report=np.zeros(6),
    )


MORE_DIRECTIONS = 12
"""Space for directions that become redundant during the run."""

NO_SCHEME = SchemeNumbers(0, 0, 0, 0.0, 0.0, 0.25, 0.5, 0.0, 0.0, 0.0, 0.0, 0.5, 0, 1e-10, 40, 0.0, 0.0, 0.0)
"""The parameters of a machine used only to evaluate its system."""


def machine_of(
    system: System,
    q: Array,
    v: Array,
    pattern: Pattern,
    e: Array,
    laws: Laws,
    numbers: SchemeNumbers = NO_SCHEME,
    settings: SolverSettings | None = None,
    null: Array | None = None,
    constant: bool = False,
    scheme: SchemeStages = NO_STAGES,
) -> MachineWorkspace:
    """Return all arrays of a run, at the state (q, v).

    Parameters
    ----------
    system : System
    q, v : (2 nq,), (nv,) arrays
    pattern : Pattern
        Of the system's bordered matrices.
    e : (nc,) array
        Restitution of the contacts.
    laws : Laws
        Their other laws.
    numbers : SchemeNumbers
    settings : SolverSettings
        Settings of the contact solver.
    null : (k, nj) array
        Orthonormal combinations of the rows of joints without a force at (q, v).
    constant : bool
        Whether M, C and K never change (``constant_matrices``): they are factored once for each size of the step.
    scheme : SchemeStages
        Those of the scheme.
    """
    scatter = _with_units(pattern.scatter, system, v.size) if constant else pattern.scatter
    mats, work = _values_of(system, pattern)
    settings = solver_settings() if settings is None else settings
    friction = laws.start[-1] > 0
    sets = (
        friction_sets(system, pattern.sym)
        if friction
        else contact_sets(system, pattern.sym, 1 + numbers.contact_ggl, settings.method)
    )
    many = sets.part_ptr.size > 1
    return MachineWorkspace(
        Machine(
            system=system,
            point=point_of(system, v.size),
            sym=pattern.sym,
            scatter=scatter,
            mats=mats,
            work=work,
            motion=motion_of(system, q, v, np.zeros((0, system.joints)) if null is None else null, laws),
            trial=trial_of(system, q.size, v.size, scatter.unit_v.size, many),
            sets=sets,
            numbers=numbers,
            settings=settings,
            e=np.array(e, dtype=np.float64),
            laws=laws,
            step=_step(numbers, constant),
            scratch=scratch_of(system),
            stages=_stages(scheme, friction, many),
            rare=_rare_stages(scheme),
            out=no_samples(),
            answer=np.zeros(2),
        )
    )


def _with_units(scatter: Scatter, system: System, nv: int) -> Scatter:
    """Return where entries go, with the unknowns that contacts move: of those the responses are kept."""
    unit_v, unit_of = contact_unknowns(system), np.full(nv, -1, dtype=np.int64)
    unit_of[unit_v] = np.arange(unit_v.size)
    return scatter._replace(unit_v=unit_v, unit_of=unit_of)


def _stages(scheme: SchemeStages, friction: bool, many: bool) -> IntArray:
    """Return ``Machine.stages``: those of a scheme, and of contacts with friction or without, few or many."""
    impulses = contact_sets_stage if many else contact_stage
    if friction:
        impulses = friction_sets_stage if many else friction_stage
    return doors_of(
        *(place_stage, assemble_stage, contact_stage, scheme.account, fixed_step_stage, impulses),
        *(works_beside_stage, scheme.begin),
    )


def _rare_stages(scheme: SchemeStages) -> IntArray:
    """Return ``Machine.rare``; the last place is the engine's (``drive.sparse_cones``)."""
    doors = doors_of(
        *(floating_stage, beams_stage, rotors_stage, corner_stage, between_stage, evaluate_stage),
        *(tangents_stage, rows_beside_stage, CONES, friction_corner_stage),
        *(bend_stage, inside_stage, redundant_stage, scheme.place, HARD_CONES),
    )
    return np.append(doors, 0)


def no_samples() -> Samples:
    """Return empty arrays, until a block provides its own."""
    rows = {name: np.zeros((1, 1)) for name in Samples._fields}
    return Samples(**rows | {name: np.zeros((1, 1, 1)) for name in ("beside", "laws")})


def _step(numbers: SchemeNumbers, constant: bool) -> Array:
    """Return ``Machine.step`` before the start."""
    step = np.zeros(STEP_SIZE)
    step[T_FIRST], step[LEVEL], step[EPS], step[FIXED] = -np.inf, numbers.joint_level, numbers.eps, constant
    return step


def _values_of(system: System, pattern: Pattern) -> tuple[Matrices, TangentWork]:
    """Return arrays for the values of the bordered matrices and for their contributions."""
    nnz, npairs, nu = pattern.sym.col.size, system.pairs.first.size, pattern.scatter.first.size
    most = max(6, int(np.diff(system.markers.ptr).max(initial=0)), 6 + int(system.floating.modes.max(initial=0)))
    work = TangentWork(
        blocks=Blocks(np.zeros((npairs, 6, 6)), np.zeros((npairs, 6, 6))),
        K6=np.zeros((nu, 6, 6)),
        C6=np.zeros((nu, 6, 6)),
        Z=np.zeros((system.markers.kind.size, 6, 6)),
        local=np.zeros((4, most, most)),
        half=np.zeros((6, most)),
        h=np.zeros((4, 6)),
        turned=np.zeros((system.unknowns.frame_v.size, 3, 3)),
        small=scratch_of(system),
    )
    return Matrices(*(np.zeros(nnz) for _ in range(5))), work
