"""Bodies, one kind per file."""

from flexmb.bodies.bar import Bar
from flexmb.bodies.base import Body, BodyParts
from flexmb.bodies.beam import Beam
from flexmb.bodies.damping import Damping
from flexmb.bodies.particle import Particle
from flexmb.bodies.supports import Support

KINDS: dict[str, type[Bar] | type[Beam] | type[Particle]] = {cls.kind: cls for cls in (Bar, Beam, Particle)}
"""Kinds as case files name them."""

__all__ = ["KINDS", "Bar", "Beam", "Body", "BodyParts", "Damping", "Particle", "Support"]
