"""Unilateral contacts, one kind per file."""

from flexmb.parts.contacts.clearance import Clearance
from flexmb.parts.contacts.contact_rows import ContactPart, ContactRows
from flexmb.parts.contacts.node_curve import NodeCurve
from flexmb.parts.contacts.node_node import NodeNode
from flexmb.parts.contacts.node_plane import NodePlane
from flexmb.parts.contacts.rope import Rope
from flexmb.parts.contacts.sphere_sphere import SphereSphere
from flexmb.parts.contacts.spheres import Spheres
from flexmb.parts.discovery import kinds_of

KINDS = kinds_of(__name__, __path__, "contacts")
"""Kinds as case files name them."""

__all__ = ["KINDS", "Clearance", "ContactPart", "ContactRows", "NodeCurve", "NodeNode", "NodePlane", "Rope"]
__all__ += ["SphereSphere", "Spheres"]
