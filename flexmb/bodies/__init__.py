"""Bodies, one kind per file."""

from typing import Any

from flexmb.assembly.kinds import kinds_of
from flexmb.bodies.bar import Bar
from flexmb.bodies.base import Body, BodyParts
from flexmb.bodies.beam import Beam
from flexmb.bodies.damping import Damping
from flexmb.bodies.particle import Particle
from flexmb.bodies.rigid import Rigid
from flexmb.bodies.rigid_planar import RigidPlanar
from flexmb.bodies.supports import Support

KINDS: dict[str, type[Any]] = kinds_of(__name__, __path__, "bodies")
"""Kinds as case files name them."""

__all__ = ["KINDS", "Bar", "Beam", "Body", "BodyParts", "Damping", "Particle", "Rigid", "RigidPlanar", "Support"]
