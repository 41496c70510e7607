"""Models with friction in large motion, and their runs by the compiled loop."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
from multibody_models import plan_of

import flexmb as fm
from flexmb.drive.multibody_engine import MultibodyEngine
from flexmb.record.samples import ENERGY_COLUMNS

G = 9.81
COLUMN = {name: k for k, name in enumerate(ENERGY_COLUMNS)}
NAMES = ("time", "field_q", "field_v", "gap", "impulse", "tangential", "slip", "status", "work", "work_friction")


def friction_run(model, scheme, h, steps, *, every=1, **more):
    """Return what was recorded, with the start."""
    system = model.assemble() if isinstance(model, fm.Model) else model
    engine = MultibodyEngine(plan_of(system, scheme, h, steps, every=every, fields_every=every, **more))
    blocks = [engine.start(), engine.advance(steps)]
    if engine.failure is not None:
        raise engine.failure
    found = {name: np.concatenate([getattr(b, name) for b in blocks]) for name in (*NAMES, "energy", "field_impulse")}
    energy = {name: found["energy"][:, k] for name, k in COLUMN.items()}
    return SimpleNamespace(**found, **{f"e_{name}": x for name, x in energy.items()}, engine=engine, system=system)


def closure(run) -> float:
    """Return the residual of the ledger over the energies and works that it is made of."""
    return float(np.abs(run.e_residual).max() / np.abs(run.energy).max())


def incline(mu=0.5, angle=20.0, v=0.0, **keys):
    """A block on its four corners, on a slope down towards -x."""
    a = np.radians(angle)
    model = fm.Model(gravity=(-G * np.sin(a), 0.0, -G * np.cos(a)))
    corners = {f"c{k}": (0.3 * x, 0.3 * y, -0.2) for k, (x, y) in enumerate(((1, 1), (-1, 1), (-1, -1), (1, -1)))}
    model.add(
        fm.Rigid("block", mass=2.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, 0.2), velocity=(v, 0, 0), points=corners)
    )
    nodes = [f"block.{name}" for name in corners]
    model.add(fm.NodePlane("slope", nodes=nodes, normal=(0, 0, 1), friction=mu, **keys))
    return model


def sphere(v=(2.0, 0.0, 0.0), spin=(0.0, 0.0, 0.0), mu=0.2, radius=0.1, mass=1.0, **keys):
    """A solid sphere on a floor."""
    model = fm.Model(gravity=(0.0, 0.0, -G))
    J = 0.4 * mass * radius**2
    place = {"position": (0, 0, radius), "velocity": v, "angular_velocity_space": spin}
    model.add(fm.Rigid("ball", mass=mass, inertia=(J, J, J), **place))
    model.add(fm.NodePlane("floor", node="ball", normal=(0, 0, 1), radius=radius, friction=mu, **keys))
    return model


def rod(v, mu, e_N, e_T):
    """A rod that strikes the floor with its lower end, left of its centre, at 45 degrees."""
    model = fm.Model()
    half = 0.5 * np.sqrt(0.5)
    keys = {"position": (0.0, half), "angle": np.pi / 4, "velocity": v[:2], "angular_velocity": v[2]}
    model.add(fm.RigidPlanar("rod", mass=1.0, inertia=1 / 12, points={"end": (-0.5, 0.0)}, **keys))
    laws = {"friction": mu, "restitution": e_N, "tangential_restitution": e_T}
    model.add(fm.NodePlane("floor", node="rod.end", point=(0.0, 0.0, 0.0), normal=(0, 1, 0), **laws))
    return model


def rocking_block(angle=5.0):
    """Housner's block, released on one corner."""
    a, b, c = np.radians(angle), 0.1, 0.4
    turn = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
    model = fm.Model(gravity=(0.0, -G, 0.0))
    points = {"left": (-b, -c), "right": (b, -c)}
    inertia = (b * b + c * c) / 3.0
    model.add(fm.RigidPlanar("block", mass=1.0, inertia=inertia, position=turn @ [b, c], angle=a, points=points))
    model.add(fm.NodePlane("floor", nodes=["block.left", "block.right"], normal=(0, 1, 0), friction=1.0))
    return model
