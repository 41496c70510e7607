"""Modes of a rotor at a speed: frequency, damping, whirl and stability."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.analysis.rotors.eigenpairs import ComplexArray, Matrices, eigenpairs
from flexmb.analysis.rotors.rates import Rates
from flexmb.analysis.rotors.whirl import Motions
from flexmb.errors import InputError
from flexmb.state import Array
from flexmb.system.model import Model
from flexmb.system.rotating import HasModel, RotatingSystem, rotating_system


@dataclass(frozen=True)
class RotorModes(Rates):
    """Modes in the order of |lam|, rigid-body motions first; of each conjugate pair that with Im lam > 0.

    Parameters
    ----------
    speed : float
        rad/s.
    eigenvalues : (k,) complex array
        lam, 1/s: the motion is Re(x exp(lam t)).
    shapes : (nv, k) complex array
        x, with unit modal mass.
    whirl : tuple of str
        ``forward``, ``backward``, ``mixed`` (some nodes forward, some backward), ``planar``; or ``axial``,
        ``torsion``, ``rigid``, ``not oscillating``.
    stations : (n,) array
        Coordinates of the points along the axis, m.
    orbits : (n, 2, k) complex array
        Displacements of the points along y and z of the rotor.
    labels : tuple of str
        Names of the points.
    """

    speed: float
    eigenvalues: ComplexArray
    shapes: ComplexArray
    whirl: tuple[str, ...]
    stations: Array
    orbits: ComplexArray
    labels: tuple[str, ...]

    @property
    def stable(self) -> bool:
        """Whether no mode is unstable."""
        return not self.unstable.any()


def rotor_modes(
    model: Model | HasModel | RotatingSystem, speed: float | None = None, count: int | None = None
) -> RotorModes:
    """Return the lowest modes at a speed, with damping and gyroscopic effect, and open contacts.

    Parameters
    ----------
    model : Model, Case or RotatingSystem
    speed : float, optional
        rad/s; by default the initial speed of the model.
    count : int, optional
        Number of modes; by default 10, or all if there are fewer.
    """
    system = rotating_system(model)
    speed = system.speed if speed is None else float(speed)
    if not np.isfinite(speed):
        raise InputError("must be a finite number, rad/s", key="speed", value=speed)
    lam, X = eigenpairs(Matrices(*system.at(speed)), checked_count(count, 10, system))
    return named(system, speed, lam, X)


def checked_count(count: int | None, default: int, system: RotatingSystem) -> int:
    """Return the number of modes to compute."""
    if count is None:
        return min(default, system.nv)
    if isinstance(count, bool) or not 1 <= count <= system.nv:
        raise InputError(f"must lie between 1 and the number of unknowns, {system.nv}", key="count", value=count)
    return count


def named(system: RotatingSystem, speed: float, lam: ComplexArray, X: ComplexArray) -> RotorModes:
    """Return modes with the descriptions of their motion."""
    motions = Motions(system)
    X = motions.circular(lam, X)
    words = motions.words(lam, X, speed)
    stations, labels = system.stations(), tuple(system.labels())
    return RotorModes(speed, lam, X, words, stations, system.orbits(X), labels)
