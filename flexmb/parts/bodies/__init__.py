"""Bodies, one kind per file."""

from flexmb.parts.bodies.bar import Bar
from flexmb.parts.bodies.beam import Beam
from flexmb.parts.bodies.body import Body, BodyParts
from flexmb.parts.bodies.damping import Damping
from flexmb.parts.bodies.particle import Particle
from flexmb.parts.bodies.rigid import Rigid
from flexmb.parts.bodies.rigid_planar import RigidPlanar
from flexmb.parts.bodies.supports import Support
from flexmb.parts.discovery import kinds_of

KINDS = kinds_of(__name__, __path__, "bodies")
"""Kinds as case files name them."""

__all__ = ["KINDS", "Bar", "Beam", "Body", "BodyParts", "Damping", "Particle", "Rigid", "RigidPlanar", "Support"]
