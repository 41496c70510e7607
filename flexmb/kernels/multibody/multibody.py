"""Data of a run of a multibody system: its motion, the trial of a step, and the parameters of a scheme.

A step is one equation for the momentum and one for the position. With the rotational rows in space (``c``) or in the
axes at the end of the step (A^T c),

    R = p(q, v~) - A^T c - c1 F(t, q, v) - G Lam_J [- G_c P] = 0,     q = q_n (+) (d0 + d1 v~ + dq),   v = v~ + w

A scheme gives c, c1, d0 and d1 (stage BEGIN), what a step did term by term (stage ACCOUNT), and the form of the
equations:

    SPLIT    the smooth motion v~ apart from the jumps of position and velocity, dq and w (Acary 2019, eqs 76-80):
             M w = G_c Lam_c + G_J Lam_w,  G_J^T w = 0;   M dq = G_c nu_c + G_J nu_J  (GGL),  dq = (h/2) w  otherwise;
             joints act by forces at the end of the step, which a filter carries from step to step
    WHOLE    impulses of contacts and joints are in the equation itself, dq = w = 0; G of the joints is that inside the
             step (``joints_between``), and c1 of forces of velocities is d1
    CENTRED  the equation is centred on the end of the step, one position ahead (stage AHEAD)

Momenta and forces are carried from step to step in space, so that nothing but applied torques changes the angular
momentum: a free body keeps it, and with d0 + d1 v~ = h (v_n + v_{n+1})/2 also its energy, to round-off.
"""

from __future__ import annotations

from typing import NamedTuple

from flexmb.kernels.geometry.tables import AngleState, Blocks, MarkerState, RowState
from flexmb.kernels.index_sets.sparse_sets import SparseProblem
from flexmb.state import Array, Array2, Array3, IntArray, IntArray2

SPLIT, WHOLE, CENTRED = 0, 1, 2
"""Forms of the equations of a step."""

INDEX3, INDEX2, BOTH = 0, 1, 2
"""Level on which joints are held: positions, velocities, both (GGL)."""

CONVERGED, DIVERGED, SINGULAR, CONTACT_FAILED, NOT_A_NUMBER, NOT_PROJECTED, TOO_SMALL, GAINED, LEFT_TABLE = range(9)
NOT_CLOSED = 9
"""Results of a step."""


class SchemeNumbers(NamedTuple):
    """The numbers of a scheme."""

    form: int
    joint_level: int
    contact_ggl: int  # 1 or 0
    alpha_m: float
    alpha_f: float
    beta: float
    gamma: float
    theta: float
    vartheta: float
    w0: float  # weights of the forces at the position before and at the one ahead (CENTRED)
    w2: float
    forecast: float  # a contact is active when g + forecast h U <= 0 (without GGL)
    projection: int  # bring positions back onto the joints after each step (WHOLE)
    tolerance: float  # of Newton's corrections, over the velocities
    max_iterations: int
    eps: float  # of joints that are redundant from the start, see ``tangents``
    error: float  # local error per step that adaptive runs aim at, 0 for steps of one size
    error_weight: float  # local error of positions over h^2 (a_{n+1} - a_n) (SPLIT)


# places in ``Machine.step`` (STEP_SIZE,): size of the step, its coefficients, the time of the trial (that of its end),
# c1 of forces of velocities, when the run starts, and how long before the end speeds of drives are taken: not 0 where
# the step ends at a corner, see ``multibody_corner``; the level on which joints are held in this step; eps of this
# step, and what it becomes where rows depend on each other; 1 where M, C and K never change (``multibody_fixed``), and
# of what is kept then: h of the factors of S, 1 if there are factors of J, h of ``Trial.unit``; how often both were
# factored; the method of ``cones`` for contacts with friction; d1 of the stiffness in the step matrix
H, C1, D1, T_END, C1_RATE, T_FIRST, EARLY, LEVEL, EPS, EPS_NEAR = range(10)
FIXED, FACTORED, FACTORED_MASS, UNITS, FACTORIZATIONS, CONE_METHOD, D1_ELASTIC = range(10, 17)
STEP_SIZE = 17

# rows of ``Motion.vec`` (MOTION_ROWS, nv)
V, ACC, MOMENTUM, V_BEFORE = 0, 1, 2, 3
MOTION_ROWS = 4
# the form CENTRED has no accelerations: the row keeps u_{k+1}, the velocity half a step ahead, MOMENTUM the one there
HALF = ACC
# rows of ``Motion.joint`` (4, nj): multipliers as forces, filtered, those of the step before, impulses since sample
LAM, LAM_HAT, LAM_BEFORE, LAM_SINCE = 0, 1, 2, 3
# rows of ``Motion.contact`` (CONTACT_ROWS, nc): impulse and work of the last step, velocity per unit impulse, impulse
# since sample; mu of the step, and the state of the law of friction; mean velocity of tangents per unit impulse
IMPULSE, WORK, RESPONSE, SINCE, MU, STATE, RESPONSE_T = range(7)
CONTACT_ROWS = 7
# rows of ``Motion.rows`` (3, nr)
GAP, RATE, GAP_T = 0, 1, 2
# places in ``Motion.numbers`` (NUMBERS,): energies; size of the last step, Newton iterations so far; time of the
# motion and of the step before; size of the next step (adaptive runs); steps taken; the lowest potential so far; the
# potential half a step ahead (CENTRED); corners of drives that were passed; steps past singular positions
# (``multibody_step.solve_step``), the time of the first one and the row of a joint there
POTENTIAL, KINETIC, LAST_STEP, ITERATIONS, TIME, TIME_BEFORE, NEXT_STEP, STEPS, LOWEST, HALF_POTENTIAL = range(10)
CORNERS, PASSED_STEPS, PASSED_TIME, PASSED_ROW = 10, 11, 12, 13
NUMBERS = 14


class Motion(NamedTuple):
    """The state of a run from step to step, modified in place. A tuple of few arrays: many would compile slowly."""

    q: Array  # (2 nq,)
    q_before: Array  # (2 nq,) at the start of the last step, for interpolation
    vec: Array2  # (MOTION_ROWS, nv): velocity, filtered acceleration, momentum in space, velocity before
    F: Array2  # (CLASSES, nv) forces, in space
    P: Array2  # (CLASSES, nv) filtered forces, in space
    joint: Array2  # (4, nj)
    contact: Array2  # (CONTACT_ROWS, nc)
    rows: Array2  # (3, nr): g, its rate, its partial rate by time
    turn: Array  # (na,) see ``AngleState``
    A: Array3  # (nf, 3, 3)
    numbers: Array  # (NUMBERS,)
    since_field: Array  # (3 nc,)
    ledger: Array2  # (2, LEDGER_SIZE): the ledger, and as they stood a step before
    terms: Array
    beside: Array2  # (BESIDE_ROWS, nt) rows beside the normals, see ``friction_record``
    laws: Array2  # (LAW_ROWS, nc), or without columns where contacts are nothing but normals
    null: Array2  # (k, nj + 1) redundant directions, and whether each is redundant now; zeros: none (``redundancy``)


# rows of ``Trial.vec`` (TRIAL_ROWS, nv); dq = DQ (of contacts) + DQ_JOINT, the latter from z = Z_JOINT with
# M z = G_J nu_J; FREE is v~ without contacts, where that is all they change (``multibody_fixed``)
T_V, VT, DQ, DQ_JOINT, W, INCREMENT, D0, C_SPACE, C_AXES, T_P, R, S0, S1, S2, S3, FREE, Z_JOINT = range(17)
TRIAL_ROWS = 17
# rows of ``Trial.joint`` (5, nj): Lam_J (c1 times the force), impulses in an impact, residual, and g, the last two
# without what redundant joints leave unmet; nu_J of the positions (GGL)
LAM_J, LAM_W, RHO, G_MET, NU_J = range(5)
# rows of ``Trial.contact`` (6, nc)
NU, LAM_C, ACTIVE, G_FREE, B_V, CANDIDATE = range(6)
# rows of ``Trial.beside`` (2, nt): impulses, and rates without them
LAM_T, B_T = 0, 1
# rows of ``Trial.big`` (7, nv + nj)
X_, Y_, LU_, WEAK, WEAK_MASS, B_, N_ = range(7)
# first index of ``Trial.response`` (3, nc + nt, nv + nj): w by Lam; v~ by dq; v~ by w
BY_IMPULSE, BY_DQ, BY_W = 0, 1, 2
# places in ``Trial.scale`` (6,): speeds of places and of rotations, length of the system now and of the model; the
# largest speed in space, with that of free flight; how far apart the places are that joints compare
PLACES, TURNS, LENGTH, MODEL, FASTEST, SPAN = range(6)
# places in ``Trial.report`` (6,)
FAILED, LEFT, CHANGE, PASSED, ROUND, TAKEN = range(6)


class Between(NamedTuple):
    """Markers and joints inside a step, see ``joints_between``."""

    markers: MarkerState  # places, axes and J only
    angles: AngleState
    rows: RowState
    wrench: Array2  # (nm, 6) impulses of the joints on the markers, in space
    B: Array3  # (nf, 3, 3)
    X: Array3  # (nf, 3, 3)
    J_force: Array2  # (nd, 6) J, for torques in the axes at the end of the step
    J_move: Array2  # (nd, 6) J, for turns xi of the end of the step


class Trial(NamedTuple):
    """A step during its iterations."""

    q: Array  # (2 nq,)
    q_half: Array  # (2 nq,) half a step before q (CENTRED), or q_{k+vartheta} (WHOLE)
    between: Between  # what is there (WHOLE)
    F: Array2  # (CLASSES, nv) forces, weighted (CENTRED)
    vec: Array2  # (TRIAL_ROWS, nv)
    joint: Array2  # (5, nj)
    contact: Array2  # (6, nc)
    beside: Array2  # (2, nt)
    big: Array2  # (7, n)
    response: Array3  # (3, nc + nt, n)
    unit: Array3  # (3, k, n) the same to unit impulses on ``Scatter.unit_v``, where M, C and K never change
    scale: Array  # (6,)
    drift: Array  # mean velocities of bodies in free flight, see ``Unknowns.share``
    report: Array  # (6,): contact that failed or -1, residual, largest change of a velocity; row of a joint that a step
    # past a singular position has held on the velocity level, or -1; how often contacts were solved; iterations


class Laws(NamedTuple):
    """The blocks of the contacts and the numbers of their laws, see ``system.contact_blocks.Blocks``."""

    shape: IntArray2  # (nc, 3) slides, turns, spins
    start: IntArray  # (nc + 1,) first of its rows beside the normals, counted from the first of all
    friction: Array2  # (nc, 8)
    e_T: Array  # (nc,)
    roll: Array  # (nc,)
    spin: Array  # (nc,)


class Scatter(NamedTuple):
    """Where the entries of all parts go in the value array of the factorization."""

    unique: IntArray  # (npairs,) which unique pair a pair is
    first: IntArray  # (nu,) marker whose wrench changes
    second: IntArray  # (nu,) marker that moves
    pair_ptr: IntArray  # (nu + 1,)
    pair_pos: IntArray  # positions of (unknown i of first, unknown j of second), row by row
    own_ptr: IntArray  # (nm + 1,)
    own_pos: IntArray  # positions of the unknowns of one marker among themselves
    M_pos: IntArray
    C_pos: IntArray
    K_pos: IntArray
    frame_pos: IntArray2  # (nf, 9) rotations of a frame among themselves
    frame_J: Array3  # (nf, 3, 3) their constant inertia
    floating_ptr: IntArray  # (nb + 1,)
    floating_pos: IntArray  # unknowns of a floating body among themselves
    rotor_pos: IntArray2  # (., 4) with the spin phi: entries (i, j), (i, phi), (phi, i), (phi, j) of the matrices, the
    # same of the tables, then (a, phi), (phi, a), (b, phi), (phi, b) of the excitations; any place where there is none
    spin_pos: IntArray  # (nb,) (phi, phi)
    border_ptr: IntArray  # (slots of joints + 1,)
    column_pos: IntArray  # (unknown, multiplier)
    row_pos: IntArray  # (multiplier, unknown)
    diagonal_pos: IntArray  # (nj,)
    frame_of: IntArray  # (nm,) frame whose rotations are unknowns 3, 4, 5 of a marker, -1 for none
    unit_v: IntArray  # (k,) unknowns that contacts act on, where M, C and K never change; see ``Trial.unit``
    unit_of: IntArray  # (nv,) place of an unknown among these, -1 for none


class Matrices(NamedTuple):
    """Values in the pattern of the factorization."""

    M: Array  # mass
    C: Array  # c1 C
    D: Array  # N - (A^T c)~ + c1 K
    S: Array  # the bordered step matrix, factorized in place
    J: Array  # the bordered mass matrix, factorized in place


class TangentWork(NamedTuple):
    """Scratch of the assembly."""

    blocks: Blocks  # over all pairs
    K6: Array3  # (nu, 6, 6)
    C6: Array3  # (nu, 6, 6)
    Z: Array3  # (nm, 6, 6)
    local: Array3  # (4, k, k), k the most unknowns of a marker or floating body
    half: Array2  # (6, k)
    h: Array2  # (4, 6)
    turned: Array3  # (nf, 3, 3) T^-1 - 1
    small: Array  # (scratch of the kernels)


class ContactSets(NamedTuple):
    """Many contacts (``multibody_contact_sets``); parts are unknowns and joints that no entry joins to others."""

    problem: SparseProblem
    row_ptr: IntArray  # (parts + 1,)
    row: IntArray  # rows of a part in the order of elimination, rising
    part_ptr: IntArray  # (nc + 1,)
    parts: IntArray  # those a contact acts on
    ptr: IntArray  # (nc + 1,) where its responses are
    response: Array2  # (3, .) as ``Trial.response``, over the rows of its parts
    dense: Array2  # (3, n) one of them at a time; zero between
    free: Array  # (nc,) gaps without impulses


class Samples(NamedTuple):
    """Room for the samples of a block, k of them, and f whole states."""

    q: Array2  # (k, nq)
    v: Array2  # (k, nv)
    lam: Array2  # (k, nj)
    g: Array2  # (k, nr)
    rate: Array2  # (k, nr)
    theta: Array2  # (k, na)
    impulse: Array2  # (k, nc)
    joint_impulse: Array2  # (k, nj)
    energy: Array2  # (k, COLUMNS)
    field_q: Array2  # (f, nq)
    field_v: Array2  # (f, nv)
    field_impulse: Array2  # (f, 3 nc)
    beside: Array3  # (k, 2, nt), see ``friction_record``
    laws: Array3  # (k, 3, nc)
