"""Unilateral contacts, one kind per file."""

from typing import Any

from flexmb.assembly.kinds import kinds_of
from flexmb.contacts.clearance import Clearance
from flexmb.contacts.node_node import NodeNode
from flexmb.contacts.node_plane import NodePlane
from flexmb.contacts.rows import ContactPart, ContactRows
from flexmb.contacts.sphere_sphere import SphereSphere
from flexmb.contacts.spheres import Spheres

KINDS: dict[str, type[Any]] = kinds_of(__name__, __path__, "contacts")
"""Kinds as case files name them."""

__all__ = ["KINDS", "Clearance", "ContactPart", "ContactRows", "NodeNode", "NodePlane", "SphereSphere", "Spheres"]
