"""``SpeedPath``: the speeds of all rotors during a run, and the points at which they are evaluated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from flexmb.parts.bodies.spin_parts import Spin
from flexmb.parts.speed_table import SpeedTable
from flexmb.state import Array
from flexmb.system.rotating import RotatingSystem

CELLS = 12
"""Number of parts into which the speed range of a rotor is divided; each is evaluated once."""
FINE = 400
"""Number of points that are distinguished on a piecewise linear path."""
BEND = 1e-3
"""Change of slope of a bearing table entry, over its largest value, at which an additional speed is evaluated."""


@dataclass(frozen=True)
class SpeedPath:
    """Speeds, linear between times.

    Parameters
    ----------
    time : (n,) array
        Increasing, s; n >= 1.
    speeds : (n, r) array
        Of the r rotors of a system, rad/s.
    timed : bool
        Whether the times are those of a run; otherwise they are only a parameter.
    """

    time: Array
    speeds: Array
    timed: bool = True

    @classmethod
    def through(cls, system: RotatingSystem, low: float, high: float) -> SpeedPath:
        """Return the path of a system from one speed to another, with constant speed ratios of its rotors."""
        ratios = np.array([rotor.ratio for rotor in system.rotors])
        return cls(np.array([0.0, 1.0]), np.outer([low, high], ratios), timed=False)

    @classmethod
    def of_run(
        cls, system: RotatingSystem, start: float, end: float, known: Mapping[str, tuple[Array, Array]] | None = None
    ) -> SpeedPath:
        """Return the speeds on [start, end] given by the spins.

        Parameters
        ----------
        system : RotatingSystem
        start, end : float
            s.
        known : mapping of str to (times, speeds), optional
            Computed speeds of a run, by name of the rotor. Other free spins are determined from their drive and drag
            alone, without the power of the vibrations.
        """
        known = known or {}
        each = [known.get(rotor.name) or _spin_speeds(rotor.parts.spin, start, end) for rotor in system.rotors]
        time = np.unique(np.clip(np.concatenate([[start, end], *(t for t, _ in each)]), start, end))
        return cls(time, np.column_stack([np.interp(time, t, speed) for t, speed in each]))

    @property
    def span(self) -> tuple[float, float]:
        """Lowest and highest speed of the first rotor, rad/s."""
        return float(self.speeds[:, 0].min()), float(self.speeds[:, 0].max())

    def at(self, time: float) -> Array:
        """Return the speeds of all rotors at a time."""
        return np.array([np.interp(time, self.time, column) for column in self.speeds.T])

    def places(self, system: RotatingSystem) -> Array:
        """Return the times to evaluate, increasing: first passage of each part of the range, extremes, kinks."""
        low, high = self.speeds.min(axis=0), self.speeds.max(axis=0)
        if (low == high).all():
            return self.time[:1]
        time = self._fine()
        speeds = np.column_stack([np.interp(time, self.time, column) for column in self.speeds.T])
        width = np.where(high > low, (high - low) / CELLS, 1.0)
        _, first = np.unique(np.floor((speeds - low) / width), axis=0, return_index=True)
        extremes = [*speeds.argmin(axis=0), *speeds.argmax(axis=0)]
        looked = time[np.unique([*first, *extremes]).astype(np.int64)]
        return np.unique(np.concatenate([looked, *(self._kinks(system, j) for j in range(len(system.rotors)))]))

    def _kinks(self, system: RotatingSystem, j: int) -> Array:
        """Return when rotor j first has the speeds at the kinks of its bearing tables, which are linear in between."""
        kinks = np.unique(np.concatenate([np.empty(0), *(bends(table) for table in system.rotors[j].parts.tables)]))
        kinks = kinks[(kinks > self.speeds[:, j].min()) & (kinks < self.speeds[:, j].max())]
        found = []
        for kink in kinks.tolist():
            off = self.speeds[:, j] - kink
            meets = np.flatnonzero((off[:-1] * off[1:] <= 0.0) & (off[:-1] != off[1:]))
            if meets.size:
                i = int(meets[0])
                found.append(self.time[i] + (self.time[i + 1] - self.time[i]) * off[i] / (off[i] - off[i + 1]))
        return np.array(found)

    def _fine(self) -> Array:
        """Return the times of the points, and intermediate ones, evenly distributed in speed."""
        change = np.abs(np.diff(self.speeds, axis=0)).max(axis=1)
        way = np.concatenate([[0.0], np.cumsum(change)])
        return np.unique(np.concatenate([self.time, np.interp(np.linspace(0.0, way[-1], FINE), way, self.time)]))


def bends(table: SpeedTable) -> Array:
    """Return the speeds of a table, including its ends, between which all entries are linear up to ``BEND``."""
    entries = np.concatenate([A.reshape(table.speed.size, -1) for A in (table.K, table.C)], axis=1)
    size = np.abs(entries).max(axis=0)
    x = entries[:, size > 0.0] / size[size > 0.0]
    kept = [0, table.speed.size - 1]
    while True:
        off = np.zeros(table.speed.size)
        for column in x.T:
            off = np.maximum(off, np.abs(column - np.interp(table.speed, table.speed[kept], column[kept])))
        if off.max() <= BEND:
            return table.speed[kept]
        kept = sorted([*kept, int(off.argmax())])


def _spin_speeds(spin: Spin, start: float, end: float) -> tuple[Array, Array]:
    """Return times and speeds of a spin on [start, end]."""
    if spin.angle is None:
        return _driven(spin, start, end)
    inside = spin.angle.time[(spin.angle.time > start) & (spin.angle.time < end)]
    time = np.concatenate([[start], inside, [end]])
    return time, spin.angle.rate(time)


def _driven(spin: Spin, start: float, end: float) -> tuple[Array, Array]:
    """Return the solution of J W' = torque(t) + torque(W) - drag W from the start on."""
    from scipy.integrate import solve_ivp

    def torque(t: float, W: Array) -> Array:
        out = -spin.drag * W
        if spin.torque is not None:
            out = out + spin.torque.value(t)
        if spin.characteristic is not None:
            out = out + np.interp(W, *spin.characteristic)
        return np.asarray(out / spin.inertia)

    if spin.torque is None and spin.characteristic is None and not spin.drag:
        return np.array([start, end]), np.full(2, spin.speed)
    # steps of a 200th of the run, so that short torques are not missed
    found = solve_ivp(torque, (start, end), [spin.speed], method="LSODA", rtol=1e-6, max_step=(end - start) / 200.0)
    return found.t, found.y[0]
