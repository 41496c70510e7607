"""Every kind of contact under every law: the run closes its ledger, or names what it does not support."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import flexmb as fm
from flexmb.errors import InputError

Law = dict[str, Any]
G = (0.0, 0.0, -9.81)
VELOCITY = (0.3, 0.1, -0.2)
INERTIA = (0.01, 0.02, 0.03)
LAWS: dict[str, Law] = {
    "none": {},
    "restitution": {"restitution": 0.5},
    "friction": {"friction": 0.3},
    "tangential_restitution": {"friction": 0.3, "restitution": 0.5, "tangential_restitution": 0.4},
    "stribeck": {"friction": {"kind": "stribeck", "static": 0.4, "dynamic": 0.2, "speed": 0.1}},
    "rate-and-state": {
        "friction": {"kind": "rate-and-state", "mu": 0.3, "a": 0.01, "b": 0.015, "speed": 0.1, "length": 1e-3}
    },
    "rolling": {"friction": 0.3, "rolling": 0.01, "spinning": 0.005},
    "poisson": {"friction": 0.3, "restitution": 0.5, "impact": "poisson"},
    "cohesion": {
        "friction": 0.3,
        "cohesion": {"normal_stiffness": 1e4, "tangential_stiffness": 5e3, "energy": 0.1},
    },
}
BEYOND_NORMALS = set(LAWS) - {"none", "restitution"}
TURNS = {"node of a beam", "rigid body", "carried plane", "balls", "spheres", "rigid body in a ring"}
"""Contacts of bodies with rotations."""


def falling(x: tuple[float, float, float], rigid: bool, v: tuple[float, float, float] = VELOCITY) -> fm.Model:
    """Return a model of one body that falls."""
    model = fm.Model(gravity=G)
    if rigid:
        model.add(fm.Rigid("p", mass=1.0, inertia=INERTIA, position=x, velocity=v, angular_velocity=(3.0, 0.0, 0.0)))
    else:
        model.add(fm.Particle("p", mass=1.0, position=x, velocity=v))
    return model


def on_plane(law: Law, rigid: bool = False) -> fm.Model:
    model = falling((0, 0, 0.102 if rigid else 0.002), rigid)
    model.add(fm.NodePlane("c", node="p", normal=(0, 0, 1), radius=0.1 if rigid else 0.0, **law))
    return model


def beam_on_plane(law: Law) -> fm.Model:
    model = fm.Model(gravity=G)
    section = {"shape": "circle", "diameter": 0.02}
    keys: dict[str, Any] = {"length": 0.5, "elements": 3, "section": section, "young": 2e8, "density": 1000.0}
    model.add(fm.Beam("p", bending="spatial", velocity=VELOCITY, **keys))
    model.add(fm.NodePlane("c", node="p.last", point=(0, 0, -0.002), normal=(0, 0, 1), **law))
    return model


def on_carried_plane(law: Law) -> fm.Model:
    model = falling((0, 0, 0.102), True)
    model.add(fm.Rigid("table", mass=5.0, inertia=(0.1, 0.2, 0.3)))
    model.add(fm.NodePlane("c", node="p", normal=(0, 0, 1), radius=0.1, body="table", **law))
    return model


def pair(law: Law) -> fm.Model:
    model = falling((0, 0, 0.002), False)
    model.add(fm.Particle("q", mass=2.0))
    model.add(fm.NodeNode("c", node="p", node2="q", direction=(0, 0, 1), **law))
    return model


def balls(law: Law, listed: bool = True) -> fm.Model:
    model = falling((0.02, 0, 0.202), True)
    model.add(fm.Rigid("q", mass=1.0, inertia=INERTIA))
    contact: Any = fm.SphereSphere if listed else fm.Spheres
    keys = {"a": "p", "b": "q", "radius_a": 0.1, "radius_b": 0.1} if listed else {"bodies": ["p", "q"], "radius": 0.1}
    model.add(contact("c", **keys, **law))
    return model


def in_ring(law: Law, rigid: bool = False) -> fm.Model:
    model = falling((0, 0, 0), rigid)
    model.add(fm.Clearance("c", node="p", gap=0.002, axis=(1, 0, 0), radius=0.05 if rigid else 0.0, **law))
    return model


def on_curve(law: Law) -> fm.Model:
    model = falling((0, 0.002, 0), False, (0.3, -0.2, 0.0))
    pieces = [
        {"kind": "segment", "start": (-1.0, 0.0), "end": (0.01, 0.0)},
        {"kind": "segment", "start": (0.01, 0.0), "end": (1.0, -0.2)},
    ]
    model.add(fm.NodeCurve("c", node="p", pieces=pieces, **law))
    return model


def on_rope(law: Law) -> fm.Model:
    model = falling((0, 0, -0.998), False)
    model.add(fm.Rope("c", a="p", b="ground", point=(0, 0, 0), length=1.0, **law))
    return model


KINDS: dict[str, Callable[[Law], fm.Model]] = {
    "particle": on_plane,
    "node of a beam": beam_on_plane,
    "rigid body": lambda law: on_plane(law, rigid=True),
    "carried plane": on_carried_plane,
    "pair of nodes": pair,
    "balls": balls,
    "spheres": lambda law: balls(law, listed=False),
    "particle in a ring": in_ring,
    "rigid body in a ring": lambda law: in_ring(law, rigid=True),
    "curve": on_curve,
    "rope": on_rope,
}


def refusal(scheme: str, kind: str, law: str) -> tuple[str, ...]:
    """Return what the error must name, nothing where the run must succeed."""
    if kind == "rope" and law in BEYOND_NORMALS:
        return ("contacts.c", "rope")
    if law == "rolling" and kind not in TURNS:
        return ("contacts.c", "rolling", "rotation")
    if scheme == "generalized-alpha" and law in ("poisson", "cohesion"):
        return (law, "moreau-jean")
    if kind == "spheres" and law in ("poisson", "cohesion"):
        return (law, "spheres", "sphere-sphere")
    return ()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scheme", ["moreau-jean", "generalized-alpha"])
@pytest.mark.filterwarnings("ignore")
def test_the_ledger_closes_or_the_law_is_named(scheme, kind):
    for name, law in LAWS.items():
        named = refusal(scheme, kind, name)
        if named:
            with pytest.raises(InputError) as caught:
                fm.simulate(KINDS[kind](law), scheme, step=5e-4, end=0.03)
            assert all(word in str(caught.value) for word in named), (name, str(caught.value))
            continue
        result = fm.simulate(KINDS[kind](law), scheme, step=5e-4, end=0.03)
        energy = result.summary["energy"]
        assert sum(contact.impulse.sum() for contact in result.contacts.values()) > 0.0, name
        assert energy["residual_max"] <= 1e-12 * energy["scale"], (name, energy["residual_max"])
        rubs = name not in ("none", "restitution", "tangential_restitution", "poisson", "cohesion")
        assert not rubs or energy["friction"] < 0.0, (name, energy["friction"])
