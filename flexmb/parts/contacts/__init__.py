"""Unilateral contacts, one kind per file."""

from typing import Any

from flexmb.parts.contacts.clearance import Clearance
from flexmb.parts.contacts.contact_rows import ContactPart, ContactRows
from flexmb.parts.contacts.node_node import NodeNode
from flexmb.parts.contacts.node_plane import NodePlane
from flexmb.parts.contacts.sphere_sphere import SphereSphere
from flexmb.parts.contacts.spheres import Spheres
from flexmb.parts.discovery import kinds_of

KINDS: dict[str, type[Any]] = kinds_of(__name__, __path__, "contacts")
"""Kinds as case files name them."""

__all__ = ["KINDS", "Clearance", "ContactPart", "ContactRows", "NodeNode", "NodePlane", "SphereSphere", "Spheres"]
