"""The same physics written down by another observer: elsewhere, travelling, turned, in other units or sizes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.state import Array

RODS = {"young": 2.1e7, "density": 2000.0}
BEAM = {"young": 5e7, "density": 1500.0}


@dataclass(frozen=True)
class Observer:
    """Turns quantities of the model as it is written here into those of another observer.

    ``shift`` and ``boost`` are in the observer's own units; ``length``, ``mass`` and ``time`` are the numbers that the
    observer reads for one metre, kilogram and second (or how much larger, heavier and slower the copy is).
    """

    shift: tuple[float, float, float] = (0.0, 0.0, 0.0)
    boost: tuple[float, float, float] = (0.0, 0.0, 0.0)
    turn: tuple[float, float, float] = (0.0, 0.0, 0.0)
    length: float = 1.0
    mass: float = 1.0
    time: float = 1.0

    @property
    def R(self) -> Array:
        return Rotation.from_rotvec(self.turn).as_matrix()

    def of(self, value: Any, L: float = 0, M: float = 0, T: float = 0) -> Any:
        """Return a number or array whose unit is m^L kg^M s^T."""
        return np.asarray(value, float) * (self.length**L * self.mass**M * self.time**T)

    def place(self, x: Any) -> Array:
        return self.R @ self.of(x, 1) + self.shift

    def arrow(self, d: Any) -> Array:
        return self.R @ np.asarray(d, float)

    def velocity(self, v: Any) -> Array:
        return self.R @ self.of(v, 1, 0, -1) + self.boost

    def spin(self, w: Any) -> Array:
        """Return an angular velocity in space."""
        return self.R @ self.of(w, T=-1)

    def model(self, gravity: Any = (0.0, 0.0, 0.0)) -> fm.Model:
        return fm.Model(gravity=self.R @ self.of(gravity, 1, 0, -2))

    def material(self, young: float, density: float) -> dict[str, float]:
        return {"young": float(self.of(young, -1, 1, -2)), "density": float(self.of(density, -3, 1))}

    def points(self, **points: Any) -> dict[str, Array]:
        """Return points of a body, in its own axes."""
        return {name: self.of(x, 1) for name, x in points.items()}

    def run(self, model: fm.Model, scheme: Any, h: float, end: float) -> fm.Result:
        return fm.simulate(model, scheme, step=float(self.of(h, T=1)), end=float(self.of(end, T=1)))

    # ------------------------------------------------------------------------------- back to the model as written here

    def seen(self, result: fm.Result) -> dict[str, Array]:
        """Return time, positions, velocities and contact impulses of a result, as the first observer has them."""
        t = result.time
        back: dict[str, Array] = {"time": t / self.time}
        drift = np.asarray(self.shift) + np.outer(t, self.boost)
        for name in result.signals:
            x = np.asarray(result.signals[name])
            if name.endswith(".position"):
                back[name] = (x - drift) @ self.R / self.length
            elif name.endswith(".velocity"):
                back[name] = (x - self.boost) @ self.R * (self.time / self.length)
        for name, contact in result.contacts.items():
            back[f"{name}.impulse"] = np.asarray(contact.impulse) * (self.time / (self.mass * self.length))
        energy = result.energy
        unit = self.time**2 / (self.mass * self.length**2)
        if not np.any(self.boost):  # the energy of a boosted motion, and works on it, are others
            for name in ("kinetic", "work_contact", "work_damping", "numerical"):
                back[name] = np.asarray(getattr(energy, name)) * unit
        scale = np.abs(np.asarray(energy.total)).max() + np.abs(np.asarray(energy.kinetic)).max()
        back["residual over energy"] = np.asarray(energy.residual) / scale
        return back


HERE = Observer()
