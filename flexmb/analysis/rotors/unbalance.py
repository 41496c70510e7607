"""Unbalance response: the steady whirl at the speed of the rotor, over speeds.

The rotating forces of a rotor are Re(e W^2 exp(i phi)), phi = W t, so its nodes move by Re(x exp(i phi)) with

    (K(W) + i W C(W) - W^2 M) x = W^2 e

The phase of an amplitude is its angle against phi: a lag is negative.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from flexmb.analysis.rotors.campbell import checked_speeds, default_top
from flexmb.analysis.rotors.eigenpairs import ComplexArray, Matrices
from flexmb.analysis.rotors.whirl import half_axes, inclination
from flexmb.checks.values import nearest
from flexmb.errors import InputError
from flexmb.state import Array, IntArray
from flexmb.system.model import Model
from flexmb.system.rotating import HasModel, RotatingSystem, Spinning, rotating_system

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class UnbalanceResponse:
    """Steady-state unbalance response over speeds.

    Parameters
    ----------
    speeds : (n,) array
        Of the system, rad/s.
    ratio : float
        Speed of the rotor whose unbalance acts, which is the frequency of the response, over that of the system.
    labels : tuple of str
        Names of the k nodes.
    amplitude : (n, k, 2) complex array
        Along y and z of the rotor, m: a node moves by Re(amplitude exp(i phi)).
    bearings : tuple of str
        Names of the b bearings.
    forces : (n, b, 2) complex array
        Forces of the shaft on the bearings along y and z, N.
    rotor : str
        The rotor whose unbalance acts.
    """

    speeds: Array
    ratio: float
    labels: tuple[str, ...]
    amplitude: ComplexArray
    bearings: tuple[str, ...]
    forces: ComplexArray
    rotor: str

    @property
    def major(self) -> Array:
        """Semi-major axes of the orbits, (n, k), m."""
        return half_axes(self.amplitude)[0]

    @property
    def minor(self) -> Array:
        """Semi-minor axes of the orbits, (n, k), m; negative for backward orbits."""
        return half_axes(self.amplitude)[1]

    @property
    def inclination(self) -> Array:
        """Angles of the major axes from y towards z, (n, k), rad."""
        return inclination(self.amplitude)

    @property
    def phase(self) -> Array:
        """Phases along y and z relative to the angle of the rotor, (n, k, 2), rad, in (-pi, pi]."""
        return np.angle(self.amplitude)


def unbalance_response(
    model: Model | HasModel | RotatingSystem,
    speeds: Sequence[float] | Array | None = None,
    *,
    nodes: Sequence[object] | None = None,
    rotor: str | None = None,
    progress: Progress | None = None,
) -> UnbalanceResponse:
    """Return the steady-state response to the unbalances and tilted disks of a rotor.

    Parameters
    ----------
    model : Model, Case or RotatingSystem
    speeds : (n,) array_like, optional
        Increasing, rad/s; by default 401 from 0 to the end of the default range of ``campbell``.
    nodes : sequence of NodeRef or str, optional
        Nodes of the result; by default those with unbalance.
    rotor : str, optional
        The rotor whose unbalances act; by default the first that has any. Unbalances of rotors with the same speed act
        together.
    progress : callable, optional
        Called with (speeds done, total speeds).
    """
    system = rotating_system(model)
    grid = np.linspace(0.0, default_top(system), 401) if speeds is None else checked_speeds(speeds)
    acting = _acting(system, rotor)
    points = _points(system, nodes, acting)
    steady = _Steady(system, acting, points)
    amplitude = np.empty((grid.size, points.size, 2), dtype=np.complex128)
    forces = np.empty((grid.size, len(system.bearings), 2), dtype=np.complex128)
    for k, speed in enumerate(grid):
        amplitude[k], forces[k] = steady.at(float(speed))
        if progress is not None:
            progress(k + 1, grid.size)
    labels, bearings = tuple(system.nodes.labels(points)), tuple(b.label for b in system.bearings)
    return UnbalanceResponse(grid, acting[0].ratio, labels, amplitude, bearings, forces, acting[0].name)


@dataclass(frozen=True)
class Peak:
    """A largest orbit of a node or force on a bearing, between two speeds of a range or at its end.

    Parameters
    ----------
    label : str
        The node or the bearing.
    speed : float
        rad/s.
    complex_yz : (2,) complex array
        Amplitudes there along y and z, m or N.
    """

    label: str
    speed: float
    complex_yz: ComplexArray

    @property
    def major(self) -> float:
        """Half major axis, m or N."""
        return float(half_axes(self.complex_yz)[0])

    @property
    def minor(self) -> float:
        """Half minor axis, m or N; negative for backward whirl."""
        return float(half_axes(self.complex_yz)[1])


def unbalance_peaks(
    model: Model | HasModel | RotatingSystem, found: UnbalanceResponse
) -> tuple[tuple[Peak, ...], tuple[Peak, ...]]:
    """Return the peaks of all orbits, and the largest force on each bearing.

    Each maximum among the speeds of the response is refined to the maximum of the response, recomputed between the
    adjacent speeds.

    Parameters
    ----------
    model : Model, Case or RotatingSystem
        The model of the response.
    found : UnbalanceResponse
    """
    system = rotating_system(model)
    acting = _acting(system, found.rotor)
    steady = _Steady(system, acting, _points(system, found.labels, acting))
    orbits = []
    for j, label in enumerate(found.labels):
        orbits += [_peak(steady, found.speeds, k, label, (0, j)) for k in _maxima(found.major[:, j])]
    force = half_axes(found.forces)[0]
    largest = [int(np.argmax(force[:, b])) for b in range(len(found.bearings))]
    forces = [_peak(steady, found.speeds, k, found.bearings[b], (1, b)) for b, k in enumerate(largest)]
    return tuple(orbits), tuple(forces)


class _Steady:
    """The steady response at any speed."""

    def __init__(self, system: RotatingSystem, acting: Sequence[Spinning], points: IntArray) -> None:
        self.system, self.points, self.ratio = system, points, acting[0].ratio
        self.e = sum((r.parts.excitation() for r in acting), np.zeros(system.nv, dtype=np.complex128))

    def at(self, speed: float) -> tuple[ComplexArray, ComplexArray]:
        """Return amplitudes of the points, (k, 2), and forces on the bearings, (b, 2)."""
        from scipy.sparse.linalg import splu

        system, W = self.system, self.ratio * speed
        x = np.zeros_like(self.e)
        if W:
            x = splu(Matrices(*system.at(speed)).dynamic(1j * W)).solve(W * W * self.e)
        forces = np.empty((len(system.bearings), 2), dtype=np.complex128)
        for j, bearing in enumerate(system.bearings):
            forces[j] = bearing.force(speed, x, 1j * W * x)
        return np.asarray(system.orbits(x)[self.points]), forces


def _maxima(values: Array) -> list[int]:
    """Return the positions of the maxima of a curve inside the range, or of its largest value if there are none."""
    inner = np.flatnonzero((values[1:-1] > values[:-2]) & (values[1:-1] >= values[2:])) + 1
    return inner.tolist() or [int(np.argmax(values))]


def _peak(steady: _Steady, speeds: Array, k: int, label: str, which: tuple[int, int]) -> Peak:
    """Return the peak of an orbit (0, node) or force (1, bearing) next to speed k."""
    from scipy.optimize import minimize_scalar

    def value(speed: float) -> ComplexArray:
        return np.asarray(steady.at(speed)[which[0]][which[1]])

    speed = float(speeds[k])
    if 0 < k < speeds.size - 1:
        ends = (float(speeds[k - 1]), float(speeds[k + 1]))
        close = 1e-7 * max(abs(v) for v in ends)
        best = minimize_scalar(lambda v: -Peak(label, v, value(v)).major, bounds=ends, options={"xatol": close})
        speed = float(best.x)
    return Peak(label, speed, value(speed))


def _acting(system: RotatingSystem, name: str | None) -> list[Spinning]:
    """Return the rotors whose unbalances act together."""
    some = [r for r in system.rotors if r.parts.excitations]
    if not some:
        message = "no rotor has an unbalance, an eccentric or a tilted disk, so there is no excitation"
        raise InputError(message, where=f"bodies.{system.rotors[0].name}", key="unbalances")
    if name is None:
        chosen = some[0]
    else:
        names = [r.name for r in some]
        if name not in names:
            message = f"is not a rotor with unbalance{nearest(name, names)}; rotors with unbalance: {', '.join(names)}"
            raise InputError(message, key="rotor", value=name)
        chosen = some[names.index(name)]
    same = [r for r in some if r.ratio == chosen.ratio]
    return [chosen, *(r for r in same if r is not chosen)]


def _points(system: RotatingSystem, nodes: Sequence[object] | None, acting: Sequence[Spinning]) -> IntArray:
    """Return the points to evaluate."""
    if nodes is None:
        nodes = list(dict.fromkeys(e.label for rotor in acting for e in rotor.parts.excitations))
    return np.array([system.nodes.one(node, "", "nodes") for node in nodes], dtype=np.int64)
