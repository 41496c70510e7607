"""Rotors: closed forms, textbook matrices, critical speeds of another program."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import flexmb as fm
from validation.comparison import Curve, compared, component

TITLE = "Rotors"


def whirl(result: fm.Result, node: str = "rotor.mid") -> NDArray[np.complex128]:
    """Return the deflection of a node as a complex number."""
    return component(result, f"{node}.displacement", 1) + 1j * component(result, f"{node}.displacement", 2)


@compared("laval_rotor", "Laval rotor at half its critical speed", "Jeffcott (1919)", "transient, closed form")
def laval(result: fm.Result) -> list[Curve]:
    """The rotor starts undeflected and at rest; unbalance excites it."""
    from references import jeffcott

    exact = jeffcott.transient(result.time, m=1.6, k=4000.0, c=0.8, U=0.016, W=25.0)
    return [Curve("deflection y [m]", result.time, whirl(result).real, exact.real, 1e-4)]


@compared(
    "run_up", "Run-up through the critical speed", "Jeffcott rotor with constant acceleration", "integration, DOP853"
)
def run_up(result: fm.Result) -> list[Curve]:
    """The largest deflection occurs after the critical speed and is smaller than that of steady motion."""
    from references import jeffcott

    t = result.time
    exact = jeffcott.driven(t, 1.6, 4000.0, 3.2, 1.6e-3, lambda s: 10.0 * s, lambda s: 10.0, lambda s: 5.0 * s**2)
    return [Curve("radius of the orbit [m]", t, np.abs(whirl(result)), np.abs(exact), 1e-2)]


@compared("sommerfeld", "Sommerfeld effect", "Sommerfeld (1902)", "integration, DOP853", "time.end=20.0")
def sommerfeld(result: fm.Result) -> list[Curve]:
    """A weak motor stays below the critical speed of 50 rad/s: its power is dissipated by the whirl."""
    from references import jeffcott

    t, inertia = result.time, 0.02 + 1.6 * 1e-3**2
    _, speed = jeffcott.free(t, 1.6, 4000.0, 3.2, 1.6e-3, inertia, lambda W: 0.1 * (1.0 - W / 120.0))
    return [Curve("speed [rad/s]", t, component(result, "rotor.spin_speed"), speed, 1e-2)]


@compared("nelson_mcvaugh", "Critical speeds of Nelson and McVaugh's rotor", "Nelson, McVaugh (1976)",
          "ROSS 2.3, shear and rotary inertia", "time.end=1e-3")  # fmt: skip
def critical_speeds(result: fm.Result) -> list[Curve]:
    """Synchronous critical speeds in rpm, with isotropic bearings; the reference is ROSS, not the paper."""
    ross = [15361.0, 17011.0, 46507.0, 49815.0, 64186.0, 94896.0]
    found = fm.critical_speeds(fm.load_case("nelson_mcvaugh"), 6)
    rpm = np.array([one.speed for one in found]) * 30.0 / np.pi
    return [Curve("critical speed [rpm]", np.arange(1.0, 7.0), rpm, ross, 1e-5, abscissa="number")]


@compared("rotor_rub", "Rotor that rubs a rigid stator", "test data of ROSS, rigid stator",
          "textbook matrices, independent time stepping at 2.5e-6 s", "time.step=2e-5",
          "time.end=0.2", "output.every=10", "output.fields_every=5000")  # fmt: skip
def rub(result: fm.Result) -> list[Curve]:
    """The impulses of the stator are accumulated, since single impacts may be one sample late."""
    from references.rub_rotor import RubRotor

    rotor, W = RubRotor(modes=12), 125.66370614359172
    contact = (rotor.rows(12), 7.95e-5, 0.0)
    t, x, impulse = rotor.march(2.5e-6, 0.2, (W, W, 1e9), [(12, 5e-4, -np.pi / 2)], [contact], every=80)
    theirs = np.cumsum(impulse[:, 0])
    ours = np.cumsum(result.contacts["stator"].impulse.ravel())
    there = np.array([1.0, 1j]) @ (rotor.rows(12) @ x.T)
    return [
        Curve("deflection of the disk y [m]", t, whirl(result, "rotor.disk").real, there.real, 5e-2),
        Curve("impulse of the stator [N s]", t, ours, theirs, 3e-2),
    ]


@compared("rotor_dry_whip", "Dry whip", "Black (1968)", "closed form and integration", "time.step=1e-5",
          "time.end=0.04", 'output.signals=["disk.position", "disk.velocity"]')  # fmt: skip
def dry_whip(result: fm.Result) -> list[Curve]:
    """Friction drives the rotor backward around its stator until it rolls."""
    from references import dry_whip as whip

    x, v = result.signals["disk.position"], result.signals["disk.velocity"]
    rate = -(x[:, 0] * v[:, 1] - x[:, 1] * v[:, 0]) / np.hypot(x[:, 0], x[:, 1]) ** 2
    return [Curve("backward whirl [rad/s]", result.time, rate, whip.whirl(result.time)[0], 3e-2)]
