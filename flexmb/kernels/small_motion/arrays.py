"""The system as the compiled loop sees it: arrays only, unknowns in band order."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from flexmb.kernels.algebra.banded import Ldu
from flexmb.kernels.compilation.arrays_at import parts_of
from flexmb.kernels.lcp.solver_settings import SolverSettings
from flexmb.state import Array, Array2, Array3, IntArray

Indices = NDArray[np.uint64]


class Rows(NamedTuple):
    """Sparse rows: row i is ``sum val[k] x[idx[k]]``, k = ptr[i] .. ptr[i + 1] - 1."""

    ptr: IntArray
    idx: IntArray
    val: Array


class Loads(NamedTuple):
    """Directions of the loads as rows, and which of them are drives (1) or not (0)."""

    rows: Rows
    drive: IntArray


class Modes(NamedTuple):
    """Deformation modes, as ``linalg.strain.Strain``, laid out for products without branches.

    Mode m is ``sum c[k] (a[k] x[i[k]] - b[k] x[j[k]])`` over k = ptr[m] .. ptr[m + 1] - 1; a, b are 1, or 0 for no
    unknown. Row r of K x is ``sum weight[k] t[mode[k]]`` over k = row[r] .. row[r + 1] - 1, with t the modes of x times
    ``D``, kept in ``t`` (a working array). Indices are unsigned: signed ones are looked at for counting from the end.
    """

    ptr: Indices
    i: Indices
    j: Indices
    a: Array
    b: Array
    c: Array
    D: Array
    row: Indices
    mode: Indices
    weight: Array
    t: Array


class Bands(NamedTuple):
    """The matrices of a system as bands, and the factors of S and M.

    ``gyro`` and ``cross`` are the skew matrices of rotors; ``resist`` and ``resist_up`` the lower and upper bands of
    C + gyro. ``S`` is M + c_C (C + gyro) + c_K (K + cross) factorized, ``S_M`` is M.
    """

    M: Array2
    K: Array2
    C: Array2
    gyro: Array2
    cross: Array2
    resist: Array2
    resist_up: Array2
    S: Ldu
    S_M: Ldu


class Structure(NamedTuple):
    """Matrices and factorizations.

    Where the matrices are too wide for ``bands``, these are empty, and ``sparse`` holds two addresses: that of the
    stage that works with them and that of its arrays (``kernels.small_motion.sparse_structure``); otherwise zeros.
    ``laplacian`` says that the rows of K sum to zero, as for flying bars and particles, so that differences along its
    bands do for it; ``strain`` are the deformation modes that stand for K otherwise (none: the entries of K).
    ``resists`` says that C + gyro has entries; ``refine`` that solutions with S are corrected once.
    """

    bands: Bands
    sparse: IntArray
    F0: Array
    V0: float
    damped: int
    gyroscopic: int
    crossed: int
    resists: int
    heavy: int
    laplacian: int
    strain: Modes
    c_C: float
    c_K: float
    refine: int


class ManyRows(NamedTuple):
    """How the solver for many contacts (``kernels.index_sets.many_contacts``) is asked.

    ``address`` holds that of the solver and that of its arrays; zeros: there is none, and the Delassus blocks are
    there instead. The others are arrays of ``kernels.index_sets.contact_sets.Sets``.
    """

    address: IntArray
    b: Array
    z: Array
    answer: Array
    asked: IntArray
    closed: IntArray


NO_SOLVER = ManyRows(
    np.zeros(2, np.int64), np.zeros(0), np.zeros(0), np.zeros(0), np.zeros(0, np.int64), np.zeros(0, np.int64)
)


class SideAddress(NamedTuple):
    """How the rows beside the normals (``small_motion.side_rows``) are asked: two addresses and what comes back.

    ``address`` holds that of the stage and that of its arrays; zeros: contacts are nothing but normals. ``answer`` is
    that of ``kernels.cones.cone_problem``.
    """

    address: IntArray
    answer: Array


NO_SIDES = SideAddress(np.zeros(2, np.int64), np.zeros(4))


class Delassus(NamedTuple):
    """Responses of the candidate contacts to their impulses: row q or v, column nu or Lam."""

    W_q_nu: Array2
    W_q_Lam: Array2
    W_v_nu: Array2
    W_v_Lam: Array2


class ContactRows(NamedTuple):
    """Contacts and the Delassus blocks of the scheme (empty where the scheme has none, or contacts are many)."""

    G: Rows
    g0: Array
    e: Array
    motion_of: IntArray
    motion_coef: Array
    delassus: Delassus
    response: Array
    many: ManyRows = NO_SOLVER
    side: SideAddress = NO_SIDES


class Tables(NamedTuple):
    """Time-dependent amplitudes; row k belongs to step n0 - 1 + k of the block."""

    phi: Array2
    s: Array2
    ds: Array2


class Live(NamedTuple):
    """All that changes from step to step, in place.

    ``q``, ``v`` (n,); ``vectors`` (k, n), ``contacts`` (m, nc), ``loads`` (1, nl), ``scalars`` (s,) are the scheme's
    memory; ``g``, ``U`` (nc,) the contact kinematics of the current state; ``P`` impulses and ``work`` works of the
    last step; ``since_sample``, ``since_field`` impulses added up, the latter with those of the rows beside the
    normals, (nc + nt,); ``ledger`` the ledger (see ``small_motion.ledger``); ``beside`` and ``laws`` what there is of
    friction (see ``kernels.laws.friction_record``).
    """

    q: Array
    v: Array
    vectors: Array2
    contacts: Array2
    loads: Array2
    scalars: Array
    g: Array
    U: Array
    P: Array
    work: Array
    since_sample: Array
    since_field: Array
    ledger: Array
    terms: Array
    beside: Array2
    laws: Array2


class Scratch(NamedTuple):
    """Working arrays of length n (``x0`` .. ``x6``) and nc: what the contact problem of a step is asked and answers.

    ``b`` are the velocities without impulses plus restitution, ``active`` (1 or 0) the rows of the problem, ``g_free``
    the gaps without impulses, ``nu`` the answer on positions; that on velocities is ``Live.P``. ``lam`` are contact
    forces (naive schemes).
    """

    x0: Array
    x1: Array
    x2: Array
    x3: Array
    x4: Array
    x5: Array
    x6: Array
    b: Array
    active: Array
    g_free: Array
    nu: Array
    lam: Array


class Samples(NamedTuple):
    """Where samples go: rows of a block, filled from the top; ``beside``, ``laws`` as in ``friction_record``."""

    probes: Array2
    gap: Array2
    velocity: Array2
    impulse: Array2
    energy: Array2
    field_q: Array2
    field_v: Array2
    field_impulse: Array2
    beside: Array3
    laws: Array3


class Probes(NamedTuple):
    """Recorded signals: ``offset + rows . (q or v)``; ``of_v`` says which."""

    rows: Rows
    of_v: IntArray
    offset: Array


class Run(NamedTuple):
    """All that the loop works with, behind one address.

    ``parameters`` is the address of the scheme's parameters, ``step`` that of its step (``march``); ``rare``
    are addresses of stages, ``answer`` holds what a stage returns beside an integer.
    """

    h: float
    parameters: int
    step: int
    rare: IntArray
    answer: Array
    settings: SolverSettings
    structure: Structure
    contacts: ContactRows
    loads: Loads
    tables: Tables
    live: Live
    scratch: Scratch
    probes: Probes
    out: Samples


RESIDUAL = 0
"""Place in ``Run.answer``: the residual of the contact problem of a step."""

part: Any = parts_of(Run)
"""``part(at, "structure.M")``: the part of the run at an address; the path is a literal text."""
