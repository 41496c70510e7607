"""Initial positions and velocities against joints and contacts: checked, and on request brought to the nearest
consistent ones in the metric of the mass; redundant joints are found and named.
"""  # noqa: D205

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from flexmb.errors import InputError
from flexmb.kernels.geometry.tables import HARMONIC
from flexmb.kernels.multibody.redundancy import MISFIT, REGULARIZED
from flexmb.linalg.dependent_columns import Redundant, candidates, dependent, even_masses, null_directions
from flexmb.linalg.inverse_mass import InverseMass
from flexmb.state import Array, IntArray
from flexmb.system.bordered_factor import factored
from flexmb.system.multibody_system import MultibodySystem
from flexmb.system.start_inside import starts_inside

TOLERANCE = 1e-8
"""Residual of a joint, over the size or speed of the system, that is treated as rounded input and corrected "
"silently."""

ALIGNED = 1e-10
"""Ratio (``dependent_columns.Redundant``) up to which joint rows are redundant within the accuracy of their data:
axes and places that agree to 1e-5 of their lengths."""

NEARLY_ALIGNED = 1e-5
"""Ratio up to which independent rows are so close to redundant (3e-3 of their norms) that a note names them."""

ROUNDED = 1e-13
"""Mismatch of redundant joints, over their lengths, that is round-off and causes no note."""

SLOWEST = 1e-3
"""Smallest reference rate, in system sizes or radians per second, for systems at rest."""

PENETRATION = 1e-12
"""Initial penetration, over the size of the model, that still counts as touching."""


@dataclass(frozen=True)
class Moved:
    """Size of the projection of the initial state: largest change of a position (m) and of a velocity."""

    position: float
    velocity: float


def consistent(system: MultibodySystem, t0: float, size: float, project: bool) -> tuple[MultibodySystem, Moved]:
    """Return the system with a consistent initial state, and the size of the change.

    Parameters
    ----------
    system : MultibodySystem
    t0 : float
        Time of the start, s.
    size : float
        Length to measure residuals against, m.
    project : bool
        Move an inconsistent start to the nearest consistent one instead of refusing it.

    Raises
    ------
    InputError
        Naming the joint or contact that is violated most, its residual, and two drives of one motion.
    """
    system, notes = _redundancy(system, t0)
    if not project:
        _check_positions(system, t0, size)
    q = _close(system, t0, size)
    v = _steady(system, t0, q, size)
    speed = np.maximum(_row_speed(system, v, size), SLOWEST * system.row_scale(size, 1.0))[: system.nj]
    left = _can_be_met(system, system.gdot(t0, q, v)[: system.nj])
    worst, off = _worst(left, speed)
    if off > TOLERANCE:
        message = (
            f"no velocity of the bodies satisfies {system.joints.labels[worst]}: its rate remains "
            f"{abs(left[worst]):.6g}"
        )
        raise InputError(message, where=system.joints.where(worst))
    if not project:
        gdot = _can_be_met(system, system.gdot(t0, q, system.v0)[: system.nj])
        worst, off = _worst(gdot, np.maximum(speed, _row_speed(system, system.v0, size)[: system.nj]))
        if off > TOLERANCE:
            raise InputError(
                f"the velocities violate this joint: {system.joints.labels[worst]} has the rate {gdot[worst]:.6g} "
                "where it must be 0; [initial] project = true projects the initial state to the nearest consistent one",
                where=system.joints.where(worst),
            )
    moved = Moved(
        float(np.abs(q[: system.nq] - system.q0).max(initial=0.0)),
        float(np.abs(v - system.v0).max(initial=0.0)),
    )
    if project:
        notes += (
            f"the initial state was projected onto the joints: coordinates by at most {moved.position:.3g} (m or rad), "
            f"velocities by at most {moved.velocity:.3g} (m/s or rad/s)",
        )
    q0, rest = q[: system.nq], q[system.nq :]
    return replace(system, q0=q0, rest=rest, v0=v, notes=system.notes + notes), moved


def _row_speed(system: MultibodySystem, v: Array, size: float) -> Array:
    """Return the reference rates of rows, (nj + nc,)."""
    turning, v = system.turning, v * system.tables.unknowns.unit
    turns, places = np.abs(v[turning]).max(initial=0.0), np.abs(v[~turning]).max(initial=0.0)
    scale = system.row_scale(float(places + size * turns), float(turns + places / size))
    rows, functions = system.tables.rows, system.tables.functions
    driven = np.flatnonzero(rows.function[: scale.size] >= 0)
    for r in driven:  # the rate of a vibration has the accuracy of its largest value
        k = rows.function[r]
        if functions.kind[k] == HARMONIC:
            _, amplitude, angular, _ = functions.data[functions.ptr[k] : functions.ptr[k + 1]]
            scale[r] += abs(rows.cf[r] * amplitude * angular)
    return scale


def _worst(x: Array, scale: Array) -> tuple[int, float]:
    """Return where |x| is largest relative to its scale, and that ratio; a zero scale allows no deviation."""
    if not x.size:
        return 0, 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(x == 0.0, 0.0, np.abs(x) / scale)
    worst = int(np.argmax(ratio))
    return worst, float(ratio[worst])


def _check_positions(system: MultibodySystem, t0: float, size: float) -> None:
    g = system.g(t0, system.q0)
    nj = system.nj
    worst, off = _worst(g[:nj], system.row_scale(size, 1.0)[:nj])
    if not off <= TOLERANCE:
        raise InputError(
            f"the joint is not closed at the start: {system.joints.labels[worst]} is off by {g[worst]:.6g}; "
            "[initial] project = true moves the bodies to the nearest position at which all joints are closed",
            where=system.joints.where(worst),
        )
    if g.size > nj:
        worst = nj + int(np.argmin(g[nj:]))
        if g[worst] < -PENETRATION * size:
            before = _undisplaced(system)
            at_rest = float(system.g(t0, before)[worst]) if np.any(before != system.q0) else -np.inf
            contact = system.gaps.name_of(worst - nj)
            raise starts_inside(system.gaps.labels[worst - nj], float(g[worst]), at_rest, contact)


def _undisplaced(system: MultibodySystem) -> Array:
    """Return the initial state without the displacements of bars, beams and rotors."""
    q, carriers = system.q0.copy(), system.layout.carriers
    if carriers is not None:
        q[np.unique(carriers.Dq.indices)] = 0.0
    return q


def _close(system: MultibodySystem, t0: float, size: float) -> Array:
    """Return the nearest position in the metric of the mass where joints are closed and contacts not penetrated.

    It includes the low-order parts, so that joints are closed as accurately far from the origin.
    """
    q = system.start
    held = np.zeros(system.gaps.nc, dtype=bool)
    last, scale = np.inf, system.row_scale(system.extent or size, 1.0)
    for _ in range(50):
        g = system.g(t0, q)
        held |= g[system.nj :] < -PENETRATION * size
        rows = _rows(system, held)
        contradiction = _contradiction(system, g[: system.nj], size)
        if not contradiction:
            g[: system.nj] = _can_be_met(system, g[: system.nj])
        worst, left = _worst(g[rows], scale[rows])
        if left <= 1e-14 or (left >= 0.5 * last and left <= 1e-12):
            return q
        dq, _ = _bordered(system, t0, q, np.zeros(system.nv), -g[rows], rows)
        q = system.advance(q, dq)
        last = left
    g = system.g(t0, q)
    worst = int(rows[_worst(g[rows], scale[rows])[0]])
    label = system.joints.labels[worst] if worst < system.nj else system.gaps.labels[worst - system.nj]
    where = system.joints.where(worst) if worst < system.nj else "contacts"
    raise InputError(f"cannot be closed: {label} remains off by {abs(g[worst]):.6g}{contradiction}", where=where)


def _steady(system: MultibodySystem, t0: float, q: Array, size: float) -> Array:
    """Return the nearest admissible velocity for the joints in the metric of the mass."""
    v = system.v0.copy()
    rows = np.arange(system.nj)
    for _ in range(3):  # repeated because of round-off and the regularization of redundant joints
        rate = _can_be_met(system, system.gdot(t0, q, v)[rows])
        if _worst(rate, _row_speed(system, v, size)[rows])[1] <= 1e-15:
            break
        v = v + _bordered(system, t0, q, v, -rate, rows)[0]
    return v


def _can_be_met(system: MultibodySystem, residual: Array) -> Array:
    """Return the violation of rows of joints (nj,) except for the part that no motion can correct (redundancy)."""
    if system.null is None:
        return residual
    return np.asarray(residual - (system.null @ residual) @ system.null)


def _contradiction(system: MultibodySystem, g: Array, size: float) -> str:
    """Return the message on inconsistent redundant joints; empty if there are none."""
    if system.null is None:
        return ""
    along = system.null @ g
    k = int(np.argmax(np.abs(along)))
    scale = system.row_scale(system.extent or size, 1.0)[: system.nj]
    if abs(along[k]) <= MISFIT * float(np.linalg.norm(system.null[k] * scale)):
        return ""
    rows = np.flatnonzero(np.abs(system.null[k]) > 1e-6)
    names = list(dict.fromkeys(system.joints.name_of(int(r)) for r in rows))
    return f"; the redundant joints {', '.join(names)} are inconsistent"


def _rows(system: MultibodySystem, held: Array) -> IntArray:
    return np.concatenate([np.arange(system.nj), system.nj + np.flatnonzero(held)]).astype(np.int64)


def _bordered(system: MultibodySystem, t0: float, q: Array, v: Array, b: Array, rows: IntArray) -> tuple[Array, Array]:
    """Return x, nu with M x = G nu and G^T x = b."""
    M, _, _ = system.tangents(t0, q, v)
    G = sparse.csc_array(system.G(t0, q)[:, rows])
    n = len(rows)
    eps = sparse.diags_array(1e-10 * _response(system, M, G), shape=(n, n))  # row by row: lengths and angles differ
    A = sparse.block_array([[M, -G], [G.T, eps]], format="csc")
    lu = factored(system, M, A)
    rhs = np.concatenate([np.zeros(system.nv), b])
    x = lu.solve(rhs)
    for _ in range(3):  # removes the effect of the regularization
        r = rhs - sparse.block_array([[M, -G], [G.T, None]], format="csr") @ x if n else rhs - M @ x
        x = x + lu.solve(r)
    return np.asarray(x[: system.nv]), np.asarray(x[system.nv :])


def _response(system: MultibodySystem, M: sparse.csr_array, G: sparse.csc_array) -> Array:
    """Return the diagonal of G^T M^-1 G."""
    if not G.shape[1]:
        return np.zeros(0)
    factored(system, M, M)  # raises for a singular matrix
    return InverseMass(M).diagonal(G)


def _redundancy(system: MultibodySystem, t0: float) -> tuple[MultibodySystem, tuple[str, ...]]:
    """Find joints that constrain the same motion; they are named, and their multipliers made unique (least norm)."""
    if not system.nj:
        return system, ()
    M, _, _ = system.tangents(t0, system.q0, system.v0)
    G = sparse.csc_array(system.G(t0, system.q0)[:, : system.nj])
    system = replace(system, response=float(np.mean(_response(system, M, G))))
    even = even_masses(M)
    sets = candidates(even, G)
    found = dependent(sets, ALIGNED)
    known = {row.row for row in found}
    near = [row for row in dependent(sets, NEARLY_ALIGNED) if row.row not in known]
    notes: tuple[str, ...] = ()
    if near:
        apart = max(row.ratio for row in near) ** 0.5
        notes = (
            f"joints that constrain nearly the same motion: {_rows_in_words(system, near)}; they differ by "
            f"{apart:.1g} of their lengths and are used as given, so the motion is fixed; give them a common axis if "
            f"they are redundant",
        )
    if not found:
        return system, notes
    _refuse_drives(system, found)
    null, misfit = null_directions(even, G, found)
    words = _rows_in_words(system, found)
    note = f"redundant joints: {words}; their forces are not unique, the least-norm solution is used"
    if misfit > ROUNDED:
        note += f"; as given they fit each other to {misfit:.1g} of their lengths only, which remains as an error"
    return replace(system, eps=REGULARIZED * system.response, null=null), (note, *notes)


def _rows_in_words(system: MultibodySystem, found: list[Redundant]) -> str:
    """Return dependent rows and the joints they depend on."""
    joints, words = system.joints, []
    for row in found:
        others = sorted({joints.name_of(int(k)) for k in row.combination} - {joints.name_of(row.row)})
        words.append(f"{joints.labels[row.row]} (with {', '.join(others) or 'itself'})")
    return "; ".join(words)


def _refuse_drives(system: MultibodySystem, found: list[Redundant]) -> None:
    rows = system.tables.rows
    driven = {r for r in range(system.nj) if rows.function[r] >= 0}
    for one in found:
        tied = {one.row, *map(int, one.combination)}
        together = tied & driven
        if together:
            names = sorted({system.joints.name_of(r) for r in together})
            what = "two drives on one motion" if len(together) > 1 else "the drive moves a motion fixed by other joints"
            others = sorted({system.joints.name_of(r) for r in tied} - set(names))
            rest = f" (with {', '.join(others)})" if others else ""
            raise InputError(f"{what}: {', '.join(names)}{rest}", where=f"joints.{names[-1]}", key="drive")
