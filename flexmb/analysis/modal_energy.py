"""Modal analysis of a run: energies, losses, and the measured damping of every mode.

With the M-orthonormal shapes X of ``modes``, q_j = x_j^T M q and v_j = x_j^T M v. In small motion without contact and
with Rayleigh damping every mode is an oscillator of its own, q_j'' + 2 zeta_j omega_j q_j' + omega_j^2 q_j = f_j, and

    E_j = v_j^2 / 2 + omega_j^2 (q_j - f_j / omega_j^2)^2 / 2      (rigid motions: v_j^2 / 2 - f_j q_j),  f = X^T F0

add up to the total energy but for a constant. A step of a scheme is then a linear map of as many numbers as its
amplification matrix has rows (``spectrum``), so a sequence of (omega_j q_j, v_j) is a sum of as many powers lam^n. They
are found from the samples alone, by linear prediction (Prony 1795) in the form of a shift of two-sample windows on
their leading singular vectors (Kung 1978), which does not require the number of excited ones. The damping ratio is
xi = -ln|lam| / |ln lam| of the oscillation, as in ``spectrum``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from flexmb.analysis.modes import Modes, modes
from flexmb.analysis.spectrum import ComplexArray, amplification, damping_ratio, spectrum
from flexmb.errors import InputError
from flexmb.record.result import Result
from flexmb.schemes import SCHEMES
from flexmb.state import Array, IntArray
from flexmb.system.linear_system import LinearSystem

EXCITED = 1e-8
"""Amplitude sqrt(E_j) of a mode, relative to that of the whole motion, below which it is round-off of the others."""
FITS = 1e-4
"""Error of a linear prediction, relative to the largest sample, above which it is rejected."""
FEWEST = 6
"""Minimum number of consecutive samples for a prediction."""
LINE = 31
"""Number of points of the theoretical curve."""


class Planned(Protocol):
    """A case, whose plan contains the system."""

    @property
    def plan(self) -> Any:
        """The plan of the run."""
        ...


@dataclass(frozen=True)
class ModalMotion:
    """A run in modal coordinates.

    Parameters
    ----------
    modes : Modes
        k of them.
    q, v : (n, k) arrays
        Modal coordinates, sqrt(kg) m, of elastic modes counted from their equilibrium under the constant forces, and
        velocities.
    energy : (n, k) array
        E_j at the states, J; not negative for elastic modes.
    constant : float
        What is to be added to the sum over all modes for the total energy, J.
    """

    modes: Modes
    q: Array
    v: Array
    energy: Array
    constant: float


@dataclass(frozen=True)
class _Run:
    """Data of the states: ``steps`` their numbers, ``free`` whether no contact acted since the previous state."""

    scheme: Any
    h: float
    steps: IntArray
    free: NDArray[np.bool_]


def modal_motion(system: LinearSystem, q: Array, v: Array, found: Modes) -> ModalMotion:
    """Project states on modes.

    Parameters
    ----------
    system : LinearSystem
    q, v : (n, nv) arrays
        States.
    found : Modes
        Of the same system; all of them, if energies are to add up to the total.
    """
    X, omega = found.shapes, found.omega
    MX = system.M @ X
    force = X.T @ system.F0
    elastic = omega > 0.0
    rest = np.divide(force, omega**2, out=np.zeros_like(force), where=elastic)
    y, dy = q @ MX - rest, v @ MX
    energy = 0.5 * dy**2 + 0.5 * (omega * y) ** 2 - np.where(elastic, 0.0, force) * y
    return ModalMotion(found, y, dy, energy, system.V0 - 0.5 * float(force @ rest))


def modal_measure(of: LinearSystem | Planned, result: Result, count: int) -> dict[str, list[float]]:
    """Return energies and damping of the lowest modes in a run, as lists.

    Parameters
    ----------
    of : Case or LinearSystem
        The case or system of the run, in small motion.
    result : Result
        Of the run. Whole states must have been kept: of every step (``output.fields_every = 1``), if damping of high
        frequencies is to be measured.
    count : int
        Number of modes, limited by the number of unknowns.

    Returns
    -------
    dict
        Per mode: ``frequency_hz``, ``omega_h``, ``energy_first`` and ``energy_last`` (J), ``lost_free`` (J: what the
        mode lost between states while no contact acted, to damping, loads and the scheme; contacts take and give the
        rest), ``damping`` (measured ratio in the longest time without contact since something rings; nan where the mode
        is not excited, where loads act, or where the motion is no free vibration of one mode) and ``damping_theory``
        (from the amplification matrix; nan for rigid motions). ``theory_omega_h`` and ``theory_damping`` are a line
        through the latter.
    """
    system = of if isinstance(of, LinearSystem) else of.plan.system
    if not isinstance(system, LinearSystem):
        raise InputError("modes of a run are measured in small motion only", where="measure", key="modes", value=count)
    found = modes(system, min(count, system.nv))
    fields = result.fields
    motion = modal_motion(system, np.asarray(fields.q[:]), np.asarray(fields.v[:]), found)
    free = np.asarray(~np.asarray(fields.impulse[:]).any(axis=1))
    run = _Run(scheme_of(result.summary["scheme"]), float(result.summary["h"]), fields.steps, free)
    omega_h, zeta = found.omega * run.h, modal_damping_ratios(system, found)
    expected = _theory(run.scheme, omega_h, zeta)
    out = {
        "frequency_hz": found.frequency,
        "omega_h": omega_h,
        "energy_first": motion.energy[0],
        "energy_last": motion.energy[-1],
        "lost_free": lost(motion.energy, free),
        "damping": _measured(system, motion, run, expected),
        "damping_theory": damping_ratio(expected),
    }
    if (omega_h > 0.0).sum() > 1:
        line = np.geomspace(omega_h[omega_h > 0.0].min(), omega_h.max(), LINE)
        out["theory_omega_h"] = line
        between = np.interp(line, omega_h[omega_h > 0.0], zeta[omega_h > 0.0])
        out["theory_damping"] = damping_ratio(_theory(run.scheme, line, between))
    return {name: [float(x) for x in values] for name, values in out.items()}


def scheme_of(summary: Mapping[str, Any]) -> Any:
    """Return the scheme given in the summary of a run."""
    options = dict(summary)
    return SCHEMES[options.pop("name")](**options)


def modal_damping_ratios(system: LinearSystem, found: Modes) -> Array:
    """Return zeta_j = x_j^T C x_j / (2 omega_j), exact for Rayleigh damping; nan for rigid motions, (k,)."""
    resisting = np.einsum("ij,ij->j", found.shapes, system.C @ found.shapes)
    zeta = np.full(found.omega.size, np.nan)
    return np.asarray(np.divide(resisting, 2.0 * found.omega, out=zeta, where=found.omega > 0.0))


def lost(energy: Array, free: NDArray[np.bool_]) -> Array:
    """Return the energy lost by each column between neighbours that are both free, (k,)."""
    both = free[1:] & free[:-1]
    return np.asarray(-np.diff(energy, axis=0)[both].sum(axis=0))


def longest(free: NDArray[np.bool_]) -> slice:
    """Return the longest interval of true values."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], free, [False]]).astype(np.int8)))
    starts, ends = edges[::2], edges[1::2]
    if not starts.size:
        return slice(0, 0)
    k = int(np.argmax(ends - starts))
    return slice(int(starts[k]), int(ends[k]))


def _measured(system: LinearSystem, motion: ModalMotion, run: _Run, expected: ComplexArray) -> Array:
    """Return the damping ratio of each mode, from the states alone; nan if there is none to measure."""
    omega, steps = motion.modes.omega, run.steps
    out = np.full(omega.size, np.nan)
    if system.loads or len(steps) < FEWEST:
        return out
    stride = int(steps[1] - steps[0])
    even = np.append(True, np.diff(steps) == stride)  # the last state of a run is at its end
    elastic = motion.energy[:, omega > 0.0].sum(axis=1)
    stirred = np.maximum.accumulate(elastic > EXCITED**2 * elastic.max(initial=0.0))  # nothing vibrates before
    part = longest(run.free & even & stirred & (steps > 0))  # the first state was given, not computed by a step
    size = float(np.sqrt(np.abs(motion.energy[part]).sum(axis=1).max(initial=0.0)))
    for j in np.flatnonzero(omega > 0.0):
        if stride > 1 and omega[j] * run.h * stride >= np.pi:
            continue  # the number of revolutions between states is ambiguous
        if np.sqrt(motion.energy[part, j].max(initial=0.0)) <= EXCITED * size:
            continue
        samples = np.stack([omega[j] * motion.q[part, j], motion.v[part, j]], axis=1)
        lam = np.exp(np.log(powers(samples, amplification(run.scheme, 1.0).shape[0])) / stride)
        if lam.size:
            out[j] = damping_ratio(_oscillation(lam, expected[j]))
    return out


def powers(samples: Array, order: int) -> ComplexArray:
    """Return the numbers lam such that the samples are y_n = sum_k c_k lam_k^n; none if they have another form.

    Parameters
    ----------
    samples : (n, 2) array
        Measured at equal distances.
    order : int
        Largest number of lam.
    """
    n = len(samples)
    windows = np.concatenate([samples[:-1], samples[1:]], axis=1)
    if n < FEWEST or not np.isfinite(samples).all() or not samples.any():
        return np.zeros(0, dtype=np.complex128)
    before, after = windows[:-1], windows[1:]
    U, s, Vt = np.linalg.svd(before, full_matrices=False)
    rank = min(order, int((s > 1e-14 * s[0]).sum()))
    U, s, Vt = U[:, :rank], s[:rank], Vt[:rank]
    step = (U.T @ after @ Vt.T) / s[:, None]
    missed = after - (U * s) @ step @ Vt
    if np.abs(missed).max() > FITS * np.abs(windows).max():
        return np.zeros(0, dtype=np.complex128)
    lam = np.linalg.eigvals(step).astype(np.complex128)
    return np.asarray(lam[lam != 0.0])


def _oscillation(lam: ComplexArray, expected: complex) -> ComplexArray:
    """Return the oscillation among the measured powers: of a pair, or of real ones, the nearest to theory."""
    upper = lam[lam.imag > 1e-12 * np.abs(lam)]
    among = upper if upper.size else lam
    return np.asarray(among[np.argmin(np.abs(among - expected))])


def _theory(scheme: Any, omega_h: Array, zeta: Array) -> ComplexArray:
    """Return the oscillations of the amplification matrix; nan if there is none."""
    out = np.full(omega_h.size, np.nan, dtype=np.complex128)
    swings = (omega_h > 0.0) & (zeta < 1.0)
    for one in np.unique(zeta[swings]):
        rows = swings & (zeta == one)
        out[rows] = spectrum(scheme, omega_h[rows], float(one)).oscillation
    return out
