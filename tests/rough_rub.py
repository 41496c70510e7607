"""Rotors that rub a rigid ring with friction, and the same in springs: for the test of the limit and its picture."""

from __future__ import annotations

import numpy as np
from references import rough_ring
from references.dry_whip import GAP as WHIP_GAP
from references.dry_whip import MASS, RADIUS, SPIN, STIFFNESS

import flexmb as fm

MU, RIM = 0.3, 0.05
"""Friction, and radius of the disk that rubs, m."""
DISK = {"m": 1.6, "k": 4000.0, "c": 16.0, "U": 1.6e-3, "W": 40.0}
GAP, TURN = 1e-3, 2.0 * np.pi / 40.0
WHIP_END, ROLLING = 0.025, RADIUS * SPIN / WHIP_GAP
"""End of the dry whip, s, and the rate at which it rolls, rad/s."""
RUB = [
    "bodies.rotor.spin.speed=40.0",
    "bodies.rotor.material.density=0.1",
    "bodies.rotor.disks=[{node=1, mass=1.6, inertia=0.01, polar_inertia=0.02, eccentricity=0.001}]",
    "bodies.rotor.bearings=[{node=1, stiffness=0.0, damping=16.0}]",
]
"""What makes the case ``laval_rotor`` the rotor DISK."""


def rub(restitution: float, rho_inf: float, end: float, step: float) -> fm.Result:
    """Run the rotor in its rigid ring with friction."""
    model = fm.load_case("laval_rotor", RUB).model()
    model.add(fm.Clearance("ring", node="rotor.mid", gap=GAP, restitution=restitution, friction=MU, radius=RIM))
    signals = ["rotor.mid.displacement"]
    return fm.simulate(model, fm.GeneralizedAlpha(rho_inf=rho_inf), end=end, step=step, signals=signals)


def in_springs(t: np.ndarray, ratio: float, start: tuple[complex, complex] = (0.0, 0.0)) -> np.ndarray:
    """Return y + i z of the same rotor in springs; the smoothing of Coulomb's law vanishes as they get stiffer."""
    law = {"mu": MU, "R": RIM, "stiffness": ratio * DISK["k"], "slow": RIM * DISK["W"] / np.sqrt(ratio)}
    return rough_ring.orbit(t, **DISK, gap=GAP, **law, start=start)[0]


def steady_difference(ratio: float) -> float:
    """Return how far a rub that starts on the rigid orbit gets from it in two turns, over the gap."""
    _, lag, _ = rough_ring.annular_rub(**DISK, gap=GAP, mu=MU)
    t = np.linspace(0.0, 2.0 * TURN, 801)
    steady = GAP * np.exp(1j * (DISK["W"] * t - lag))
    return float(np.abs(in_springs(t, ratio, (steady[0], 1j * DISK["W"] * steady[0])) - steady).max()) / GAP


def bounces() -> tuple[np.ndarray, np.ndarray]:
    """Return times and orbit of the rotor in the rigid ring with e = 1, from rest: four bounces, all of them slip."""
    result = rub(1.0, 1.0, 0.13, 1.25e-5)
    x = result.signals["rotor.mid.displacement"]
    return result.time, x[:, 1] + 1j * x[:, 2]


def whip() -> tuple[np.ndarray, np.ndarray]:
    """Return times and rate of the backward whirl of ``rotor_dry_whip`` with mu = 0.3."""
    model = fm.load_case("rotor_dry_whip", [f"contacts.ring.friction={MU}"]).model()
    signals = ["disk.position", "disk.velocity"]
    result = fm.simulate(model, fm.GeneralizedAlpha(0.8), step=2.5e-6, end=WHIP_END, every=4, signals=signals)
    x, v = (result.signals[word][:, :2] @ [1.0, 1.0j] for word in signals)
    return result.time, -(x.conjugate() * v).imag / np.abs(x) ** 2


def whip_in_springs(t: np.ndarray, ratio: float) -> np.ndarray:
    """Return the rate of the same whirl in springs."""
    kappa, slow = ratio * STIFFNESS, RADIUS * SPIN / np.sqrt(ratio)
    disk = {"m": MASS, "k": STIFFNESS, "c": 0.0, "U": 0.0, "W": SPIN, "gap": WHIP_GAP, "mu": MU, "R": RADIUS}
    start = rough_ring.whipping(MASS, STIFFNESS, WHIP_GAP, kappa, 150.0)
    x, v = rough_ring.orbit(t, **disk, stiffness=kappa, slow=slow, start=start)
    return -(x.conjugate() * v).imag / np.abs(x) ** 2
