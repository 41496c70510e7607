"""Models of every kind of body, written down as an ``Observer`` sees them; each returns a model and points to watch."""

from __future__ import annotations

from typing import Any

import numpy as np
from observers import Observer
from scipy.spatial.transform import Rotation

import flexmb as fm

Z = (0.0, 0.0, 1.0)
G = (0.5, -9.81, 0.3)


def _turned(o: Observer, rotation: Any) -> Any:
    """Return the rotation vector of a body that is turned by ``rotation`` here."""
    return (Rotation.from_rotvec(o.turn) * Rotation.from_rotvec(rotation)).as_rotvec()


def _rigid(o: Observer, name: str, x: Any, rotation: Any, v: Any, w: Any) -> fm.Rigid:
    return fm.Rigid(
        name,
        mass=float(o.of(2.0, M=1)),
        inertia=o.of([0.12, 0.2, 0.25, 0.01, -0.02, 0.015], 2, 1),
        center=o.of((0.05, -0.02, 0.03), 1),
        position=o.place(x),
        rotation=_turned(o, rotation),
        velocity=o.velocity(v),
        angular_velocity_space=o.spin(w),
        points=o.points(tip=(0.5, 0.1, 0.0), heel=(-0.4, 0.0, 0.1)),
    )


def mechanism(o: Observer) -> tuple[fm.Model, list[str]]:
    """Three spatial bodies with a hinge, a ball joint and a spring-damper fly through the air; a ball hits them."""
    model = o.model(G)
    v, w = np.array((1.0, 2.0, -0.5)), np.array((0.8, -1.5, 2.0))
    for name, x, rotation in (
        ("a", (0, 0, 0), (0.1, 0.2, -0.3)),
        ("b", (0.9, 0.3, 0.1), (0, 0, 0.5)),
        ("c", (0.4, 1.1, 0.2), (1, 0, 0)),
    ):
        model.add(_rigid(o, name, x, rotation, v + np.cross(w, x), w))  # all of it turns as one at the start
    model.add(fm.Revolute("hinge", a="a", b="b", point=o.place((0.5, 0.1, 0.0)), axis=o.arrow((0.48, 0.6, 0.64))))
    model.add(fm.Spherical("ball", a="b", b="c", point=o.place((0.8, 0.8, 0.1))))
    spring = {"stiffness": float(o.of(300.0, M=1, T=-2)), "damping": float(o.of(4.0, M=1, T=-1))}
    model.add(fm.SpringDamper("link", a="a.heel", b="c.tip", **spring))
    model.add(
        fm.Particle(
            "dot", float(o.of(0.5, M=1)), position=o.place((0.1, -0.9, 0.1)), velocity=o.velocity((1.4, 6.0, -0.6))
        )
    )
    radii = {"radius_a": float(o.of(0.2, 1)), "radius_b": float(o.of(0.1, 1))}
    model.add(fm.SphereSphere("blow", a="a", b="dot", restitution=0.5, **radii))
    return model, ["a", "b", "c.tip", "dot"]


def swing(o: Observer) -> tuple[fm.Model, list[str]]:
    """A body on a hinge at the ground with a driven arm at its tip, which swings against a wall."""
    model = o.model(G)
    model.add(_rigid(o, "a", (0, 0, 0), (0, 0, 0), (0, 0, 0), (0, 0, 0)))
    drive = fm.Polynomial(coefficients=[0.0, 0.0, float(o.of(-1.8, T=-2)), float(o.of(1.2, T=-3))])  # from rest
    model.add(_rigid(o, "b", (0.5, 0.1, 0), (0, 0, 0), (0, 0, 0), (0, 0, 0)))
    model.add(fm.Revolute("pin", a="ground", b="a", point=o.place((0, 0, 0)), axis=o.arrow(Z)))
    model.add(fm.Revolute("motor", a="a.tip", b="b", axis=o.arrow((0.0, 0.6, 0.8)), drive=drive))
    wall = {"point": o.place((-0.5, 0.25, 0)), "normal": o.arrow((0.1, -1.0, 0.0)), "restitution": 0.6}
    model.add(fm.NodePlane("wall", node="a.heel", **wall))
    return model, ["a.tip", "a.heel", "b.tip"]


def planar(o: Observer) -> tuple[fm.Model, list[str]]:
    """Two planar bodies on a hinge, flying, and a floor of one of them that the other hits."""
    model = o.model((0.5, -9.81, 0.0))
    angle = o.turn[2]
    w = 3.0
    for name, x in (("f", (0.0, 0.0, 0.0)), ("g", (0.7, 0.2, 0.0))):
        v = np.array((1.0, 2.0, 0.0)) + np.cross((0, 0, w), x)
        model.add(
            fm.RigidPlanar(
                name,
                mass=float(o.of(1.5, M=1)),
                inertia=float(o.of(0.2, 2, 1)),
                center=o.of((0.1, 0.05), 1),
                position=o.place(x)[:2],
                angle=0.3 + angle,
                velocity=o.velocity(v)[:2],
                angular_velocity=float(o.of(w, T=-1)),
                points=o.points(p=(0.4, 0.1)),
            )
        )
    model.add(fm.Revolute("hinge", a="f", b="g", point=o.place((0.4, 0.1, 0.0)), axis=Z))
    damper = {"stiffness": float(o.of(20.0, 2, 1, -2)), "damping": float(o.of(0.3, 2, 1, -1))}
    model.add(fm.TorsionSpring("spring", joint="hinge", **damper))
    return model, ["f.p", "g.p"]


def _line(o: Observer, kind: Any, name: str, **more: Any) -> Any:
    section = {"shape": "rectangle", "width": float(o.of(0.03, 1)), "height": float(o.of(0.02, 1))}
    keys = {
        "length": float(o.of(1.0, 1)),
        "elements": 4,
        "section": section,
        "material": o.material(5e7, 1500.0),
        "position": o.place((0, 0, 0)),
        "direction": o.arrow((0.8, 0.0, 0.6)),
        "orientation": o.arrow((0.0, 1.0, 0.0)),
        "velocity": o.velocity((1.0, 0.5, -0.3)),
        "damping": (0.0, float(o.of(1e-4, T=1))),
    }
    return kind(name, **{**keys, **more})


def exact_beam(o: Observer) -> tuple[fm.Model, list[str]]:
    """An exact beam tumbles with a body fixed at its end."""
    return _tumbling(o, fm.ExactBeam, about=o.place((0.4, 0.0, 0.3)))


def floating_beam(o: Observer) -> tuple[fm.Model, list[str]]:
    """A floating beam tumbles with a body fixed at its end."""
    return _tumbling(o, fm.FloatingBeam, modes=4)


def _tumbling(o: Observer, kind: Any, **more: Any) -> tuple[fm.Model, list[str]]:
    model, w = o.model(G), np.array((0.5, -2.0, 1.0))
    end, v = np.array((0.8, 0.0, 0.6)), np.array((1.0, 0.5, -0.3))
    model.add(_line(o, kind, "beam", angular_velocity=o.spin(w), **more))
    model.add(_rigid(o, "a", end, (0.2, 0, 0), v + np.cross(w, 0.5 * end), w))  # it turns about the beam's middle
    model.add(fm.Fixed("weld", a="beam.last", b="a"))
    return model, ["beam.first", "beam.mid", "a.tip"]


def bars(o: Observer) -> tuple[fm.Model, list[str]]:
    """A bar flies after another along their axis and hits it."""
    model, d = o.model(), np.array((0.6, 0.0, 0.8))
    area = {"area": float(o.of(1e-3, 2)), **o.material(2.1e7, 2000.0)}
    for name, x, v in (("left", 0.0, 3.0), ("right", 1.0313, 0.5)):
        speed = (o.velocity(v * d) @ o.arrow(d)) * o.arrow(d)  # bars move along their axis only
        keys = {"length": float(o.of(1.0, 1)), "elements": 12, "position": o.place(x * d), "direction": o.arrow(d)}
        model.add(fm.Bar(name, velocity=speed, damping=(0.0, float(o.of(1e-5, T=1))), **keys, **area))
    model.add(fm.NodeNode("blow", node="right.first", node2="left.last"))
    return model, ["left.last", "right.first", "right.last"]


def beam(o: Observer) -> tuple[fm.Model, list[str]]:
    """A free beam, of small deflections, is hit across by a ball."""
    model = o.model()
    model.add(_line(o, fm.Beam, "beam", bending="spatial"))
    x, v = np.array((0.4, -0.0093, 0.3)), np.array((1.0, 4.5, -0.3))
    model.add(fm.Particle("dot", float(o.of(0.2, M=1)), position=o.place(x), velocity=o.velocity(v)))
    model.add(fm.NodeNode("blow", node="beam.mid", node2="dot", direction=o.arrow((0, 1, 0)), restitution=0.4))
    return model, ["beam.first", "beam.mid", "dot"]


def particles(o: Observer) -> tuple[fm.Model, list[str]]:
    """Two particles on a spring, in the gravity field, above an inclined floor."""
    model = o.model((0.0, 0.0, -9.81))
    for name, x, v in (("low", (0, 0, 0.3), (0.1, 0, 0)), ("high", (0.2, 0, 1.2), (0, 0.3, -1.0))):
        model.add(fm.Particle(name, float(o.of(0.7, M=1)), position=o.place(x), velocity=o.velocity(v)))
    spring = {"stiffness": float(o.of(500.0, M=1, T=-2)), "direction": o.arrow((0.2, 0.0, 0.9))}
    model.add(fm.Spring("spring", node="low", node2="high", **spring))
    floor = {"point": o.place((0, 0, 0)), "normal": o.arrow((0.1, 0.2, 1.0)), "restitution": 0.5}
    model.add(fm.NodePlane("floor", nodes=["low", "high"], **floor))
    return model, ["low", "high"]


def rotor(o: Observer) -> tuple[fm.Model, list[str]]:
    """An unbalanced rotor on springs spins up against a ring around its disk."""
    model = o.model((0.0, 0.0, -0.5))
    inertia = {"inertia": float(o.of(2e-3, 2, 1)), "polar_inertia": float(o.of(4e-3, 2, 1))}
    disk = {"node": 1, "mass": float(o.of(1.0, M=1)), **inertia}
    ends = [{"node": node, "kind": "pinned"} for node in ("first", "last")]
    model.add(
        fm.Rotor(
            "rotor",
            stations=o.of([0.0, 0.5, 1.0], 1),
            outer_diameter=float(o.of(0.0095, 1)),
            material={**o.material(2.1e11, 7800.0), "poisson": 0.3},
            position=o.place((0.1, 0.2, 0.3)),
            direction=o.arrow((1.0, 0.0, 0.0)),
            orientation=o.arrow((0.0, 1.0, 0.0)),
            spin={"kind": "constant", "speed": float(o.of(55.0, T=-1))},
            disks=[disk],
            unbalances=[{"node": 1, "magnitude": float(o.of(1e-3, 1, 1)), "phase": 0.3}],
            bearings=[{"node": 1, "stiffness": 0.0, "damping": float(o.of(3.0, M=1, T=-1))}],
            supports=ends,
        )
    )
    model.add(fm.Clearance("ring", node="rotor.mid", gap=float(o.of(2.2e-3, 1)), restitution=0.3))
    return model, ["rotor.mid"]


def floating_data(o: Observer) -> tuple[fm.Model, list[str]]:
    """A rod with two modes of numbers, held in its plane by a joint to a planar body."""
    model, angle = o.model((0.0, -9.81, 0.0)), o.turn[2]
    rod = fm.FloatingData(
        "rod",
        mass=float(o.of(1.2, M=1)),
        inertia=float(o.of(0.4, 2, 1)),
        center=float(o.of(0.5, 1)),
        mass_modes=o.of([[0.6, 0.05], [0.05, 0.5]], M=1),
        stiffness_modes=o.of([[900.0, 0.0], [0.0, 2500.0]], M=1, T=-2),
        damping_modes=o.of([[0.8, 0.0], [0.0, 1.0]], M=1, T=-1),
        first_y=o.of([0.7, 0.1], M=1),
        moment_y=o.of([0.3, -0.1], 1, 1),
        modal_position=o.of([0.02, -0.01], 1),
        modal_velocity=o.of([0.0, 0.1], 1, 0, -1),
        position=o.place((0.0, 0.0, 0.0)),
        angle=0.2 + angle,
        velocity=o.velocity((0.0, 0.0, 0.0)),
        angular_velocity=float(o.of(1.5, T=-1)),
        points={"end": {"at": o.of((1.0, 0.0), 1), "shape_y": [0.9, -0.4], "rotation": o.of([1.0, 0.5], -1)}},
    )
    model.add(rod)
    model.add(fm.Revolute("pin", a="rod", point=o.place((0, 0, 0)), axis=Z))
    return model, ["rod.end"]
