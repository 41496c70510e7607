"""A multibody system as plain arrays: the input of the compiled loops of large motion.

Unknowns. A *frame* (rigid body at its centre of mass, node of an exact beam, frame of a floating body) has 7 numbers in
q, its position x and a unit quaternion p = (p0, p1, p2, p3), and 6 in v: x' in space and the angular velocity omega in
its own axes. A(p) turns components along the frame's axes into components in space. All other unknowns are *plain*:
one number in q, its rate in v (planar bodies x, y, theta; bars and beams of small displacement; modes). The positions
of frames are plain too: ``plain_q`` / ``plain_v`` list them with the rest. Increments of a rotation are rotation
vectors in the frame's own axes: p <- p * exp(Theta / 2). After the nq numbers of q stand as many again, what rounding
has left out of the plain ones (``kernels.geometry.split_sums``).

Rows of equations go with v: forces in space for x', torques in the frame's axes for omega.

Markers. Whatever acts on bodies acts on *markers*: a place r and axes R (columns) carried by a body. A marker has a
list of unknowns, and for each of them the rate (dr, dtheta), both in space, it causes: ``J``, one row of six numbers
per unknown. Forces are wrenches (force, torque about r), in space, on markers; ``J`` brings them to the unknowns.
Joints, contacts, springs and beam elements are written between markers and never see a body.

Tangents. K = -df/dq by the increments above, C = -df/dv. Between markers they are 6 x 6 blocks over *pairs*: a law over
the markers (m_0 .. m_{k-1}) owns k^2 consecutive pairs, (m_i, m_j) being number first + i k + j.
"""

from __future__ import annotations

from typing import NamedTuple

from flexmb.state import Array, Array2, Array3, IntArray, IntArray2

GROUND, FRAME, PLANAR, NODE, FLOATING = 0, 1, 2, 3, 4
"""Kinds of markers."""

ALONG, DOT, DISTANCE, ANGLE, CLEARANCE, LOADED, CURVE, SLIDE, TURN, SPIN, TWIST = range(11)
"""Kinds of rows; the last four are those beside the normals of contacts."""

CONSTANT, RAMP, HARMONIC, TABLE, SPIN_UP, POLYNOMIAL, SPEED_TABLE = 0, 1, 2, 3, 4, 5, 6
"""Kinds of time functions."""

CONSERVATIVE, DAMPING, EXTERNAL, INERTIA, DRIVE, CROSS, JOINT = 0, 1, 2, 3, 4, 5, 6
CLASSES = 7
"""Classes of forces, kept apart for the ledger: F is (CLASSES, nv). Joints are the last: many loops leave them out."""


SPEED_SLACK = 1e-9
"""How far outside a table over the speed, over its width, is still inside: round-off."""


class Unknowns(NamedTuple):
    """Where the unknowns are: nf frames, na plain unknowns (positions of frames included)."""

    frame_q: IntArray  # (nf,) first of the 7 numbers in q
    frame_v: IntArray  # (nf,) first of the 6 numbers in v
    plain_q: IntArray  # (na,)
    plain_v: IntArray  # (na,)
    turn_v: IntArray  # (nt,) which of v are rates of angles: of frames, planar bodies, nodes, free spins
    radius: Array  # (nt,) how far mass moves when one of them turns by 1 rad, m
    unit: Array  # (nv,) the same for a unit of the others, m: 1 for lengths, something else for modes (1 for angles)
    flight: IntArray  # (nv,) which of ``share`` it belongs to
    share: Array  # (3 k,) 1 over the number of translations along x, y, z of sets of bodies in free flight; the first
    # set is all the rest, which the ground holds or may hold, and has zeros


class Functions(NamedTuple):
    """Functions of time as data; ``data[ptr[k]:ptr[k + 1]]`` are the numbers of function k."""

    kind: IntArray
    ptr: IntArray
    data: Array


class Matrix(NamedTuple):
    """A constant sparse matrix over v, in compressed rows."""

    ptr: IntArray
    col: IntArray
    val: Array


class Linear(NamedTuple):
    """The constant part of the system: M v' + C v + K q = F0 on plain unknowns; M also holds masses of frames."""

    M: Matrix
    C: Matrix
    K: Matrix
    F0: Array  # (nv,) constant conservative forces (weights); their potential is -F0 . q
    V0: float
    q_of_v: IntArray  # (nv,) place in q of a plain unknown, -1 for the rotations of frames


class Markers(NamedTuple):
    """Places on bodies, nm of them; marker 0 is the ground's origin.

    FRAME and PLANAR: r = x + A s, R = A R0.  GROUND: r = s, R = R0.
    NODE (of a body of small displacement): r = s + sum_d D[d, :3] q_d, R = exp(sum_d D[d, 3:] q_d) R0.
    FLOATING: r = x + A (s + sum_d D[d, :3] eta_d), R = A exp(sum_d D[d, 3:] eta_d) R0; the sums run over its modes.
    """

    kind: IntArray  # (nm,)
    iq: IntArray  # (nm,) first number in q of its frame (7) or planar body (3); -1 otherwise
    iv: IntArray  # (nm,) the same in v
    s: Array2  # (nm, 3)
    R0: Array3  # (nm, 3, 3)
    ptr: IntArray  # (nm + 1,) its unknowns are dof[ptr[m]:ptr[m + 1]]
    dof: IntArray  # (nd,) place in v
    qdof: IntArray  # (nd,) place in q of a plain unknown, -1 for rotations of frames
    D: Array2  # (nd, 6) displacement and rotation per unit, for NODE and the modes of FLOATING; zero otherwise


class MarkerState(NamedTuple):
    """Markers in a given (q, v); written by ``markers.place`` and ``markers.move``."""

    r: Array2  # (nm, 3)
    R: Array3  # (nm, 3, 3)
    J: Array2  # (nd, 6) rate of (r, theta) in space per unit of each unknown of the marker's list
    twist: Array2  # (nm, 6) velocity of r and angular velocity, in space
    bias: Array2  # (nm, 6) their rates when v' = 0
    wrench: Array3  # (CLASSES, nm, 6) force and torque on the marker, in space
    low: Array2  # (nm, 3) what rounding has left out of r


class Pairs(NamedTuple):
    """Pairs of markers between which tangents are kept, npairs of them."""

    first: IntArray  # (npairs,) marker whose wrench changes
    second: IntArray  # (npairs,) marker that moves


class Angles(NamedTuple):
    """Relative angles, na of them: theta = atan2(y_A . x_B, x_A . x_B) of the axes x, y, z of markers A and B."""

    A: IntArray
    B: IntArray


class AngleState(NamedTuple):
    """Angles in a given state; ``turn`` remembers the angle of the last accepted step, so that theta is continuous."""

    theta: Array  # (na,)
    w: Array2  # (na, 3) theta' = w . (omega_B - omega_A)
    rate: Array  # (na,)
    turn: Array  # (na,)


class Rows(NamedTuple):
    """Scalar conditions g(t, q), nr of them: first those of joints (g = 0), then those of contacts (g >= 0).

    After them rows that have rates only, beside the normals of contacts: SLIDE, TURN, SPIN and TWIST, markers (A, B)
    or (A, B, spin), see ``multibody.rows_beside``. Their ``angle`` is the row of the normal and which of two directions
    it is, ``a`` the direction (in the axes of the plane) or that across planar motion, ``b`` begins with the speed of
    the surface, ``c`` is the arm.

    ALONG, markers (A, B, C):  g = n . (r_B - r_A) - c - cf phi(t),   n = R_C a
    DOT, markers (A, B):       g = (R_A a) . (R_B b) - c - cf phi(t)
    DISTANCE, markers (A, B):  g = |r_B - r_A| - c - cf phi(t), or -|r_B - r_A| - c - cf phi(t) where b_0 < 0
    ANGLE, markers (A1, B1[, A2, B2]):  g = k1 theta_1 [+ k2 theta_2] - c - cf phi(t), (k1, k2) = b[:2]
    CLEARANCE, markers (A, B): g = -|(1 - a a^T) (r_B - r_A - b)| - c - cf phi(t), a and b fixed in space
    LOADED, markers (A, B):    g = 0: friction of a joint, whose normal impulse is the size of what ``angle`` =
                               (first, count) of the rows of joints hold; it pushes nothing
    CURVE, markers (A, B, A):  g = distance of r_B from a curve in the x, y plane of A - c - cf phi(t); ``angle`` begins
                               with its row in ``Curves``
    """

    kind: IntArray  # (nr,)
    ptr: IntArray  # (nr + 1,) markers of row r are marker[ptr[r]:ptr[r + 1]] (its slots)
    marker: IntArray  # (nslots,)
    angle: IntArray2  # (nr, 2) which angles an ANGLE row has, -1 for none
    a: Array2  # (nr, 3)
    b: Array2  # (nr, 3)
    c: Array  # (nr,)
    function: IntArray  # (nr,) which time function, -1 for none
    cf: Array  # (nr,)
    pair: IntArray  # (nr,) first of its pairs


class Curves(NamedTuple):
    """Planar curves made of pieces, and the rows against chains of these, see ``kernels.geometry.curves``."""

    piece: Array2  # (np, NUMBERS)
    chain: IntArray2  # (n, 4) first and last piece of each row, first and last of its curve
    side: Array  # (n,) 1 where the free side is the left one, -1 where it is the right one
    held: IntArray  # (n,) the piece that counts alone, wherever the point is; -1: the nearest one


class RowState(NamedTuple):
    """Rows in a given state."""

    g: Array  # (nr,)
    g_t: Array  # (nr,) partial rate by time
    grad: Array2  # (nslots, 6) dg by (dr, dtheta) of the marker in each slot, in space
    bend: Array  # (nr,) change of the normal of a CURVE row along its tangent, 1/m


class Springs(NamedTuple):
    """Spring-dampers between the places of two markers, ns of them.

    ``directed`` 0: along the line joining them, elongation delta = |r_B - r_A| - length.
    ``directed`` 1: along the direction n fixed in space, delta = n . (r_B - r_A) - length.
    Energy k delta^2 / 2 - preload delta is stored (tension k delta - preload ... pulls the ends together),
    the damper pulls with c delta'.
    """

    A: IntArray
    B: IntArray
    directed: IntArray
    n: Array2  # (ns, 3)
    k: Array
    c: Array
    length: Array
    preload: Array
    pair: IntArray


class Torsions(NamedTuple):
    """Torsional spring-dampers on relative angles: energy k (theta - rest)^2 / 2, damping torque c theta'."""

    angle: IntArray
    k: Array
    c: Array
    rest: Array
    pair: IntArray  # pairs over the angle's markers (A, B)


class Pushes(NamedTuple):
    """Forces and torques phi(t) (force, torque) on markers; ``follower``: components along the marker's axes R."""

    marker: IntArray
    force: Array2  # (np, 3)
    torque: Array2  # (np, 3)
    follower: IntArray
    function: IntArray
    pair: IntArray


class Beams(NamedTuple):
    """Geometrically exact beam elements between markers A and B, ne of them; strains at the middle.

    R_m = R_A exp(log(R_A^T R_B) / 2), gamma = R_m^T (r_B - r_A) / L - gamma0, kappa = log(R_A^T R_B) / L - kappa0;
    energy L/2 (gamma^T diag(D[:3]) gamma + kappa^T diag(D[3:]) kappa); damping: ``beta`` times the stiffness on rates.
    """

    A: IntArray
    B: IntArray
    length: Array
    D: Array2  # (ne, 6): EA, GA_y, GA_z, GJ, EI_y, EI_z
    gamma0: Array2  # (ne, 3), (1, 0, 0) for a straight element along its x axis
    kappa0: Array2  # (ne, 3)
    beta: Array  # (ne,), s
    pair: IntArray


class Floating(NamedTuple):
    """Floating bodies, nb of them: a frame and m modes each. y = (A^T x', omega, eta'), T = y^T Mass(eta) y / 2.

    With Psi(eta) = Psi0 + sum_k eta_k Psi_k the rigid velocities of all finite-element unknowns in body axes and
    Phi the modes:  M_rr = Psi^T M Psi, M_rf = Psi^T M Phi, M_ff = Phi^T M Phi. All blocks are polynomials in eta.
    Data of body b start at ``m1[b]`` (arrays with one entry per mode) and ``m2[b]`` (per pair of modes).
    """

    frame_q: IntArray  # (nb,)
    frame_v: IntArray
    mode_q: IntArray  # (nb,) first mode in q
    mode_v: IntArray
    modes: IntArray  # (nb,) number of modes m
    m1: IntArray  # (nb,) first entry in the arrays over modes
    m2: IntArray  # (nb,) first entry in the arrays over pairs of modes (k * m + l)
    rr0: Array3  # (nb, 6, 6) Psi0^T M Psi0
    rr1: Array3  # (sum m, 6, 6) Psi0^T M Psi_k + Psi_k^T M Psi0
    rr2: Array3  # (sum m^2, 6, 6) Psi_k^T M Psi_l
    rf0: Array2  # (sum m, 6) Psi0^T M Phi_k
    rf1: Array2  # (sum m^2, 6) Psi_k^T M Phi_l
    ff: Array  # (sum m^2,) Phi_k^T M Phi_l
    K: Array  # (sum m^2,)
    C: Array  # (sum m^2,)
    gravity: Array  # (3,) acceleration in space


class Rotors(NamedTuple):
    """Effects of spin on bodies of small displacement, nb of them; formulas in ``parts.bodies.spin_parts``.

    Matrices are entries (row, column) over v, those of rotor b are ``entry_ptr[b]`` to ``entry_ptr[b + 1]``; likewise
    the tables of speed-dependent bearings and the rotating excitations.
    """

    who: IntArray2  # (nb, 6) see ``kernels.multibody.spin``
    drag: Array  # (nb,)
    entry_ptr: IntArray  # (nb + 1,)
    entry: IntArray2  # (ne, 2) row and column
    value: Array2  # (ne, 5) gyro, circulation, skew damping, cross, resistance of internal damping to the spin
    table_ptr: IntArray  # (nb + 1,)
    table: IntArray2  # (nt, 5) speeds: first and number; entries: first and number; first of its values
    speed: Array  # speeds of all tables
    table_entry: IntArray2  # row and column
    table_value: Array2  # (., 3) stiffness beyond that at the start, damping, skew damping: by speeds, then entries
    turning_ptr: IntArray  # (nb + 1,)
    turning: IntArray2  # (nx, 2) unknowns a and b of an excitation, -1 where held
    strength: Array2  # (nx, 5) U of a and of b, phase, U g.y and U g.z


class System(NamedTuple):
    """The tables of a multibody system, as compiled code reads them."""

    unknowns: Unknowns
    functions: Functions
    linear: Linear
    markers: Markers
    pairs: Pairs
    angles: Angles
    rows: Rows
    curves: Curves
    springs: Springs
    torsions: Torsions
    pushes: Pushes
    beams: Beams
    floating: Floating
    rotors: Rotors
    joints: int  # how many of the rows belong to joints
    contacts: int  # how many after them are normals of contacts


class Point(NamedTuple):
    """All that is evaluated in a given (t, q, v)."""

    markers: MarkerState
    angles: AngleState
    rows: RowState
    F: Array2  # (CLASSES, nv) generalized forces
    A: Array3  # (nf, 3, 3) axes of the frames
    A_floating: Array3  # (nb, 3, 3) axes of the floating bodies' frames
    potential: Array  # (1,) stored energy


class Blocks(NamedTuple):
    """Tangents between markers, over pairs: K6 = -dwrench/d(dr, dtheta), C6 = -dwrench/dtwist."""

    K6: Array3  # (npairs, 6, 6)
    C6: Array3  # (npairs, 6, 6)
