"""Unbalance response: the steady whirl at the speed of the rotor, over speeds.

The rotating forces of a rotor are Re(e W^2 exp(i phi)), phi = W t, so its nodes move by Re(x exp(i phi)) with

    (K(W) + i W C(W) - W^2 M) x = W^2 e

The phase of an amplitude is its angle against phi: a lag is negative.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from flexmb.errors import InputError
from flexmb.fem.checks import nearest
from flexmb.model import Model
from flexmb.rotating import HasModel, RotatingSystem, Spinning, rotating_system
from flexmb.rotor_analysis.campbell import checked_speeds, default_top
from flexmb.rotor_analysis.eigenpairs import ComplexArray, Matrices
from flexmb.rotor_analysis.whirl import half_axes, inclination
from flexmb.state import Array, IntArray

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class UnbalanceResponse:
    """Steady response over speeds.

    Parameters
    ----------
    speeds : (n,) array
        Of the system, rad/s.
    ratio : float
        Speed of the rotor whose unbalance acts over that of the system; the response has its frequency.
    labels : tuple of str
        Names of the k nodes.
    amplitude : (n, k, 2) complex array
        Along y and z of the rotor, m: a node moves by Re(amplitude exp(i phi)).
    bearings : tuple of str
        Names of the b bearings.
    forces : (n, b, 2) complex array
        Forces of the shaft on the bearings along y and z, N.
    """

    speeds: Array
    ratio: float
    labels: tuple[str, ...]
    amplitude: ComplexArray
    bearings: tuple[str, ...]
    forces: ComplexArray

    @property
    def major(self) -> Array:
        """Half major axes of the orbits, (n, k), m."""
        return half_axes(self.amplitude)[0]

    @property
    def minor(self) -> Array:
        """Half minor axes of the orbits, (n, k), m; negative where a node goes round against y to z."""
        return half_axes(self.amplitude)[1]

    @property
    def inclination(self) -> Array:
        """Angles of the major axes from y towards z, (n, k), rad."""
        return inclination(self.amplitude)

    @property
    def phase(self) -> Array:
        """Phases along y and z against the rotor's angle, (n, k, 2), rad, in (-pi, pi]."""
        return np.angle(self.amplitude)


def unbalance_response(
    model: Model | HasModel | RotatingSystem,
    speeds: Sequence[float] | Array | None = None,
    *,
    nodes: Sequence[object] | None = None,
    rotor: str | None = None,
    progress: Progress | None = None,
) -> UnbalanceResponse:
    """Return the steady response to the unbalances and tilted disks of a rotor.

    Parameters
    ----------
    model : Model, Case or RotatingSystem
    speeds : (n,) array_like, optional
        Increasing, rad/s; by default 401 from 0 to the end of the default range of ``campbell``.
    nodes : sequence of NodeRef or str, optional
        Nodes to look at; by default those that are out of balance.
    rotor : str, optional
        The rotor whose unbalances act; by default the first that has any. Rotors that turn at the same speed act
        together with it.
    progress : callable, optional
        Called with (speeds done, speeds in all).
    """
    from scipy.sparse.linalg import splu

    system = rotating_system(model)
    grid = np.linspace(0.0, default_top(system), 401) if speeds is None else checked_speeds(speeds)
    acting = _acting(system, rotor)
    ratio = acting[0].ratio
    e = sum((r.parts.excitation() for r in acting), np.zeros(system.nv, dtype=np.complex128))
    points = _points(system, nodes, acting)
    amplitude = np.empty((grid.size, points.size, 2), dtype=np.complex128)
    forces = np.empty((grid.size, len(system.bearings), 2), dtype=np.complex128)
    for k, speed in enumerate(grid):
        W = ratio * float(speed)
        x = splu(Matrices(*system.at(float(speed))).dynamic(1j * W)).solve(W * W * e) if W else np.zeros_like(e)
        amplitude[k] = system.orbits(x)[points]
        for j, bearing in enumerate(system.bearings):
            forces[k, j] = bearing.force(float(speed), x, 1j * W * x)
        if progress is not None:
            progress(k + 1, grid.size)
    labels = tuple(system.nodes.labels(points))
    return UnbalanceResponse(grid, ratio, labels, amplitude, tuple(b.label for b in system.bearings), forces)


def _acting(system: RotatingSystem, name: str | None) -> list[Spinning]:
    """Return the rotors whose unbalances act together."""
    some = [r for r in system.rotors if r.parts.excitations]
    if not some:
        message = "no rotor has an unbalance, an eccentric or a tilted disk: nothing acts"
        raise InputError(message, where=f"bodies.{system.rotors[0].name}", key="unbalances")
    if name is None:
        chosen = some[0]
    else:
        names = [r.name for r in some]
        if name not in names:
            message = f"is no rotor out of balance{nearest(name, names)}; there is {', '.join(names)}"
            raise InputError(message, key="rotor", value=name)
        chosen = some[names.index(name)]
    same = [r for r in some if r.ratio == chosen.ratio]
    return [chosen, *(r for r in same if r is not chosen)]


def _points(system: RotatingSystem, nodes: Sequence[object] | None, acting: Sequence[Spinning]) -> IntArray:
    """Return the points to look at."""
    if nodes is None:
        nodes = list(dict.fromkeys(e.label for rotor in acting for e in rotor.parts.excitations))
    return np.array([system.nodes.one(node, "", "nodes") for node in nodes], dtype=np.int64)
