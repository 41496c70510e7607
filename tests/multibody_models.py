"""Small models in large motion that several tests run, and a run that keeps every state."""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np
from references import four_bar as four_bar_data
from references import heavy_top as heavy_top_data
from rotor_models import wheels_of_every_kind

import flexmb as fm
from flexmb.drive.engine import Plan
from flexmb.drive.multibody_engine import MultibodyEngine
from flexmb.nonsmooth.solvers import ContactSolver
from flexmb.state import Array

GRAVITY = (0.0, -9.81, 0.0)
Z = (0.0, 0.0, 1.0)
SECTION = {"shape": "rectangle", "width": 0.03, "height": 0.02}
DRIVE = fm.Harmonic(amplitude=0.3, omega=2.0)


class Run(NamedTuple):
    """Every state of a run: time (n+1,), q, v, multipliers, g, rate, impulses of joints; gaps, impulses, energies."""

    t: Array
    q: Array
    v: Array
    lam: Array
    g: Array
    gdot: Array
    joint_impulse: Array
    gap: Array
    impulse: Array
    energy: Array
    engine: MultibodyEngine


def plan_of(system, scheme, h, steps, *, every=1, fields_every=1, tolerance=0.0, t0=0.0, solver=None):
    """Return the plan of a run; with a tolerance h is the interval between samples."""
    return Plan(system, scheme, solver or ContactSolver(), h, t0, steps, every, fields_every, tolerance)


def run(system, scheme, h, steps, *, every=1, tolerance=0.0, solver=None):
    """Run a system and return its states; ``engine.failure`` says whether it got through."""
    if isinstance(system, fm.Model):
        system = system.assemble()
    plan = plan_of(system, scheme, h, steps, every=every, fields_every=every, tolerance=tolerance, solver=solver)
    engine = MultibodyEngine(plan)
    blocks = [engine.start(), engine.advance(steps)]

    def column(name):
        return np.concatenate([getattr(b, name) for b in blocks])

    names = ("field_q", "field_v", "multiplier", "joint_g", "joint_gdot", "joint_impulse", "gap", "impulse", "energy")
    return Run(column("time"), *(column(name) for name in names), engine)


def asymmetric_body(**more):
    """A free rigid body with three different moments of inertia, referred to a point that is not its centre."""
    model = fm.Model()
    keys = {
        "mass": 2.0,
        "inertia": [1.0, 2.0, 2.5, 0.1, -0.2, 0.15],
        "center": [0.2, -0.1, 0.3],
        "velocity": [1.0, 2.0, 3.0],
        "angular_velocity": [3.0, 0.1, 2.0],
    }
    model.add(fm.Rigid("body", **{**keys, **more}))
    return model


def four_bar(spatial=False):
    """The four-bar linkage of ``references.four_bar``, of planar bodies or of spatial ones (three redundant rows)."""
    d = four_bar_data
    model = fm.Model(gravity=GRAVITY)
    tip = d.L1 * np.array([np.cos(d.START[0]), np.sin(d.START[0]), 0.0])
    places = {"crank": (d.L1, (0, 0, 0)), "coupler": (d.L2, tip), "rocker": (d.L3, (d.D, 0, 0))}
    for (name, (length, place)), angle in zip(places.items(), d.START, strict=True):
        J = d.MASS * length**2 / 12.0
        keys = {"mass": d.MASS, "center": (0.5 * length, 0, 0), "position": place, "points": {"tip": (length, 0, 0)}}
        if spatial:
            model.add(fm.Rigid(name, **keys, inertia=[0.3 * J, J, J], rotation=(0, 0, angle)))
        else:
            model.add(fm.RigidPlanar(name, **keys, inertia=J, angle=angle))
    model.add(fm.Revolute("pin1", a="ground", b="crank", point=(0, 0, 0), axis=Z))
    model.add(fm.Revolute("pin2", a="crank.tip", b="coupler", axis=Z))
    model.add(fm.Revolute("pin3", a="coupler.tip", b="rocker.tip", axis=Z))
    model.add(fm.Revolute("pin4", a="ground", b="rocker", point=(d.D, 0, 0), axis=Z))
    model.add(fm.NodalForce("motor", node="crank", moment=(0, 0, d.TORQUE)))
    return model


def four_bar_angles(q, v):
    """Return the three angles and their rates from states of the planar model, (n, 3) each."""
    return q[:, 2::3], v[:, 2::3]


def heavy_top():
    """The top of ``references.heavy_top``."""
    d = heavy_top_data
    model = fm.Model(gravity=d.GRAVITY)
    model.add(fm.Rigid("top", mass=d.MASS, inertia=d.INERTIA, center=d.ARM, angular_velocity=d.OMEGA))
    model.add(fm.Spherical("tip", a="top"))
    return model


def pendulum(*, spatial=False, wall=None, restitution=0.8, **more):
    """A rod of 1 m about a pin at the origin, horizontal at the start; ``wall`` is the least x of its tip."""
    model = fm.Model(gravity=GRAVITY)
    if spatial:
        keys = {"mass": 1.0, "inertia": [0.01, 1 / 12, 1 / 12], "center": (0.5, 0, 0), "points": {"tip": (1, 0, 0)}}
        model.add(fm.Rigid("rod", **{**keys, **more}))
    else:
        keys = {"mass": 1.0, "inertia": 1 / 12, "center": (0.5, 0), "points": {"tip": (1, 0)}}
        model.add(fm.RigidPlanar("rod", **{**keys, **more}))
    model.add(fm.Revolute("pin", a="rod", axis=Z))
    if wall is not None:
        model.add(fm.NodePlane("wall", node="rod.tip", point=(wall, 0, 0), normal=(1, 0, 0), restitution=restitution))
    return model


def double_pendulum(restitution=0.9, wall=0.0):
    """Two point masses on rods of 1 m beside a wall, as in ``references.double_pendulum_wall``."""
    a, b = np.pi / 3, np.pi / 5
    upper = np.array([np.sin(a), -np.cos(a), 0.0])
    model = fm.Model(gravity=GRAVITY)
    model.add(fm.Particle("upper", 1.0, position=upper, axes="xy"))
    model.add(fm.Particle("lower", 1.0, position=upper + [np.sin(b), -np.cos(b), 0.0], axes="xy"))
    model.add(fm.Distance("rod1", a="ground", b="upper", point=(0, 0, 0)))
    model.add(fm.Distance("rod2", a="upper", b="lower"))
    nodes = ["upper", "lower"]
    model.add(fm.NodePlane("wall", nodes=nodes, point=(wall, 0, 0), normal=(1, 0, 0), restitution=restitution))
    return model


def everything(floating=True, damping=1.0):
    """One model that holds every kind of body, joint, load and contact; drives move it at the start.

    Without ``floating`` an exact beam stands for the floating one; ``damping`` multiplies what resists rates.
    """
    model = fm.Model(gravity=(0.4, -9.81, 0.0), project=True)
    _bodies_of_every_kind(model, floating, damping)
    _joints_of_every_kind(model)
    _loads_of_every_kind(model, damping)
    model.add(fm.NodePlane("floor", nodes="float.all", point=(0, -9, 0), normal=(0.2, 1, 0.1)))
    model.add(fm.NodePlane("lid", node="dot", point=(0, -5, 0), normal=(0, 1, 0.3), body="a", restitution=0.5))
    nodes = ["f.p", "beam.last", "exact.mid"]
    model.add(fm.NodePlane("press", nodes=nodes, point=(0, -7, 0), normal=(0.3, 1, 0), motion=DRIVE))
    model.add(fm.SphereSphere("balls", a="c", b="d", radius_a=0.1, radius_b=0.2))
    model.add(fm.Clearance("ring", node=["given", "loose"], stator="dot", gap=20.0, offset=(6.0, 4.0, 0.3)))
    return model


def _bodies_of_every_kind(model, floating, damping):
    keys = {"mass": 2.0, "inertia": [0.3, 0.4, 0.5, 0.02, -0.03, 0.01], "center": (0.05, -0.02, 0.03)}
    points = {"p": (0.3, 0.1, -0.2), "q": (-0.2, 0.3, 0.1)}
    places = {"a": (0, 0, 0), "b": (1, 0.2, 0.1), "c": (0.3, 1.0, -0.4), "d": (-0.8, 0.4, 0.3), "e": (2.5, -0.3, 0.6)}
    for name, x in places.items():
        model.add(fm.Rigid(name, **keys, points=points, position=x, rotation=(0.3, x[0], -0.2)))
    model.add(fm.RigidPlanar("f", mass=1.5, inertia=0.2, center=(0.1, 0.2), position=(2, 0), points={"p": (0.4, 0.1)}))
    model.add(fm.RigidPlanar("g", mass=0.5, inertia=0.1, position=(2.6, 0.5), angle=0.4, points={"p": (0.2, 0.3)}))
    model.add(fm.Particle("dot", 0.7, position=(-1, -0.5, 0.2)))
    beam = {"elements": 2, "section": SECTION, "material": {"young": 2e8, "density": 3000.0}}
    axial = {"area": 1e-3, "young": 2e6, "density": 3000.0, "damping": (0.2 * damping, 1e-3 * damping)}
    model.add(fm.Bar("bar", length=0.5, elements=2, position=(0, -1, 0), direction=(0.6, 0.8, 0), **axial))
    loss = (0.0, 1e-3 * damping)
    model.add(fm.Beam("beam", length=0.8, bending="spatial", position=(3, 0, 0), damping=loss, **beam))
    model.add(fm.ExactBeam("exact", length=1.0, position=(0, 2, 0), direction=(0.8, 0, 0.6), damping=loss, **beam))
    keys = {"position": (0, -2, 0.5), "direction": (0, 0.6, 0.8), "damping": loss, **beam}
    kind = functools.partial(fm.FloatingBeam, modes=2) if floating else fm.ExactBeam
    model.add(kind("float", length=0.9, **keys))
    for wheel in wheels_of_every_kind(damping):
        model.add(wheel)


def _joints_of_every_kind(model):
    u, x, y = (0.6, 0.0, 0.8), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
    slide = fm.Polynomial(coefficients=[0, 0.1, 0.2])
    model.add(fm.Revolute("revolute", a="ground", b="a", point=(0, 0, 0), axis=u, drive=DRIVE))
    model.add(fm.Cylindrical("cylindrical", a="a", b="b", point=(0.5, 0.1, 0), axis=(0.8, 0.6, 0)))
    model.add(fm.Gear("gear", joint1="revolute", joint2="cylindrical", ratio=1.7))
    model.add(fm.Universal("universal", a="b", b="exact.first", axis=Z, axis2=y))
    model.add(fm.Prismatic("prismatic", a="exact.last", b="c", axis=u, drive=slide))
    model.add(fm.Spherical("spherical", a="float.first", b="d"))
    model.add(fm.Fixed("fixed", a="float.last", b="e"))
    model.add(fm.Planar("planar", a="beam.last", b="e", axis=u))
    model.add(fm.PointOnLine("rail", a="c", b="dot", axis=y))
    model.add(fm.Distance("rod", a="bar.last", b="d.q"))
    model.add(fm.Revolute("hinge", a="f", b="g.p", axis=Z))
    model.add(fm.PointOnLine("slot", a="f.p", axis=x))


def _loads_of_every_kind(model, damping):
    ends = [("a.p", "float.mid"), ("beam.mid", "b.q"), ("bar.first", "f.p"), ("exact.mid", "d.q"), ("dot", "g")]
    for k, (a, b) in enumerate(ends):
        model.add(fm.SpringDamper(f"link{k}", a=a, b=b, stiffness=40.0, damping=3.0 * damping, preload=5.0))
    model.add(fm.Spring("spring", node="bar.first", node2="float.last", stiffness=30.0, direction=(0.6, 0.8, 0)))
    model.add(fm.Damper("damper", node="beam.last", node2="a.q", coefficient=2.0 * damping, direction=(0.3, 0.8, 0.5)))
    model.add(fm.TorsionSpring("twist1", joint="cylindrical", stiffness=5.0, damping=0.4 * damping, rest=0.2))
    model.add(
        fm.TorsionSpring(
            "twist2", a="float.mid", b="exact.mid", axis=(0.2, 0.5, 0.8), stiffness=4.0, damping=0.3 * damping
        )
    )
    model.add(
        fm.TorsionSpring("twist3", a="beam.mid", axis=(0.2, 0.5, 0.8), stiffness=4.0, damping=0.3 * damping, rest=0.5)
    )
    wave = fm.Harmonic(amplitude=0.5, omega=3.0, phase=0.4, offset=1.0)
    for k, node in enumerate(("a.p", "f.p", "float.last", "beam.last", "exact.mid")):
        keys = {"force": (3.0, -2.0, 1.0), "moment": (0.5, -0.8, 1.1), "function": wave}
        model.add(fm.NodalForce(f"follower{k}", node=node, follower=True, **keys))
        model.add(fm.NodalForce(f"dead{k}", node=node, **keys))
