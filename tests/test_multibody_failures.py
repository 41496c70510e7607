"""Runs that cannot go on, steps that are too large, and starts that joints or contacts do not allow."""

from __future__ import annotations

import numpy as np
import pytest
from multibody_models import GRAVITY, Z, heavy_top, pendulum, plan_of, run
from references import heavy_top as heavy_top_data
from scipy.optimize import minimize

import flexmb as fm
from flexmb.errors import InputError, NotConverged, SimulationError
from flexmb.kernels.multibody import STEPS
from flexmb.result import MemorySink
from flexmb.schemes import GeneralizedAlpha, MoreauJean
from flexmb.simulate import run as run_plan

SCHEMES = [
    GeneralizedAlpha(0.8),
    GeneralizedAlpha(0.8, constraints="index3"),
    GeneralizedAlpha(0.8, constraints="index2"),
    MoreauJean(),
    MoreauJean(projection=True),
]
STOP = np.arcsin(0.8)
"""Where a crank of 1 m cannot turn further with a rod of 0.8 m."""


def slider_crank(rod=0.8, **drive):
    """A crank of 1 m at angle 0, a rod and a slider; driven at 1 rad/s unless something else is said."""
    model = fm.Model(project=True)
    model.add(fm.RigidPlanar("crank", mass=1.0, inertia=1 / 12, center=(0.5, 0), points={"tip": (1, 0)}))
    keys = {"inertia": rod**2 / 12, "center": (0.5 * rod, 0), "position": (1, 0), "points": {"tip": (rod, 0)}}
    model.add(fm.RigidPlanar("rod", mass=1.0, **keys))
    model.add(fm.RigidPlanar("slider", mass=1.0, inertia=0.1, position=(1 + rod, 0)))
    drive = drive or {"drive": fm.Polynomial(coefficients=[0.0, 1.0])}
    model.add(fm.Revolute("shaft", a="ground", b="crank", point=(0, 0, 0), axis=Z, **drive))
    model.add(fm.Revolute("crankpin", a="crank.tip", b="rod", axis=Z))
    model.add(fm.Revolute("wristpin", a="rod.tip", b="slider", axis=Z))
    model.add(fm.Prismatic("guide", a="ground", b="slider", axis=(1, 0, 0)))
    return model


def parallelogram():
    """Two cranks of 1 m and a coupler of 2 m, driven into the line where all bars lie on each other."""
    model = fm.Model(project=True)
    bars = {"crank": (1.0, (0, 0), np.pi / 2), "coupler": (2.0, (0, 1), 0.0), "rocker": (1.0, (2, 0), np.pi / 2)}
    for name, (length, place, angle) in bars.items():
        keys = {"inertia": length**2 / 12, "center": (length / 2, 0), "points": {"tip": (length, 0)}}
        model.add(fm.RigidPlanar(name, mass=1.0, position=place, angle=angle, **keys))
    drive = fm.Polynomial(coefficients=[0.0, -1.0])
    model.add(fm.Revolute("pin1", a="ground", b="crank", point=(0, 0, 0), axis=Z, drive=drive))
    model.add(fm.Revolute("pin2", a="crank.tip", b="coupler", axis=Z))
    model.add(fm.Revolute("pin3", a="coupler.tip", b="rocker.tip", axis=Z))
    model.add(fm.Revolute("pin4", a="ground", b="rocker", point=(2, 0, 0), axis=Z))
    return model
