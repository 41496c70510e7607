"""Unilateral contacts, one kind per file."""

from flexmb.contacts.node_node import NodeNode
from flexmb.contacts.node_plane import NodePlane
from flexmb.contacts.rows import ContactPart, ContactRows

KINDS: dict[str, type[NodePlane] | type[NodeNode]] = {cls.kind: cls for cls in (NodePlane, NodeNode)}
"""Kinds as case files name them."""

__all__ = ["KINDS", "ContactPart", "ContactRows", "NodeNode", "NodePlane"]
