"""Rotors of the literature and of other programs, as keys of ``fm.Rotor``."""

from __future__ import annotations

from typing import Any

import numpy as np

# Nelson, McVaugh (1976), with the last station at 35.50 cm; inner and outer radii of the 18 elements, cm
STATIONS = [0, 1.27, 5.08, 7.62, 8.89, 10.16, 10.67, 11.43, 12.70, 13.46, 16.51, 19.05, 22.86, 26.67, 28.70, 30.48]
STATIONS += [31.50, 34.54, 35.50]
INNER = [0, 0, 0, 0, 0, 0, 1.52, 1.78, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1.52]
OUTER = [0.51, 1.02, 0.76, 2.03, 2.03, 3.30, 3.30, 2.54, 2.54, 1.27, 1.27, 1.52, 1.52, 1.27, 1.27, 3.81, 2.03, 2.03]
CRITICAL = {
    "euler-bernoulli": [15477, 17160, 46748, 50128, 64759, 96097],
    "timoshenko": [15361, 17011, 46507, 49815, 64186, 94896],
}
"""Synchronous critical speeds, rpm, with these 18 elements by ROSS 2.3."""


def nelson_mcvaugh(theory: str, **more: Any) -> dict[str, Any]:
    bearings = [{"node": 10, "stiffness": 4.378e7}, {"node": 14, "stiffness": 4.378e7}]
    return {
        "stations": [x / 100 for x in STATIONS],
        "outer_diameter": [r / 50 for r in OUTER],
        "inner_diameter": [r / 50 for r in INNER],
        "material": {"young": 2.078e11, "density": 7806.0, "poisson": 0.3},
        "theory": theory,
        "disks": [{"node": 4, "mass": 1.401, "inertia": 0.00136, "polar_inertia": 0.00203}],
        "bearings": bearings,
    } | more


# ROSS 2.3, rotor of its test of rubbing; |lam| / 2 pi at 1200 rpm without its torsional mode (151.598 Hz), and Re lam
RUB_MM = [0, 25, 64, 104, 124, 143, 175, 207, 239, 271, 303, 335, 345, 355, 380, 408, 436, 466, 496, 526, 556, 586, 614]
RUB_MM += [647, 657, 667, 702, 737, 772, 807, 842, 862, 881, 914]
RUB_HZ = [28.89804, 29.88348, 85.91230, 92.60533, 152.69250, 157.47034, 278.32682, 349.63103, 393.21088]
RUB_LOG_DEC = [0.03856594, 0.03280635, 0.06407119, 0.02641459, 0.14355667, 0.04700351, 0.19093334, 0.080741, 0.13347663]


def rub_rotor(**more: Any) -> dict[str, Any]:
    disk = {"mass": 2.6375, "inertia": 0.003844540885417, "polar_inertia": 0.0075132484375}
    return {
        "stations": [x / 1000 for x in RUB_MM],
        "outer_diameter": 0.019,
        "material": {"young": 2.17e11, "density": 7850.0, "poisson": 0.2992610837438423},
        "damping": {"alpha": 8.0501, "beta": 1e-5},
        "disks": [{"node": 12, **disk}, {"node": 24, **disk}],
        "bearings": [
            {"node": 4, "stiffness": [[4.4e5, 0], [0, 4.6114e5]], "damping": [[27.4, 0], [0, 2.505]]},
            {"node": 31, "stiffness": [[9.5e5, 0], [0, 1.09e8]], "damping": [[50.4, 0], [0, 100.4553]]},
        ],
        "spin": {"kind": "constant", "speed": 1200 * np.pi / 30},
    } | more
