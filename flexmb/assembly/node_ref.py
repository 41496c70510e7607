"""``NodeRef``: the reference of users to a node."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from flexmb.checks.values import nearest
from flexmb.errors import InputError

FORMS = "BODY.first, BODY.last, BODY.mid, BODY.node(17), BODY.all or BODY.POINT with a named point"
NODE_CALL = re.compile(r"node\(\s*(\d+)\s*\)")
WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")


@dataclass(frozen=True)
class NodeRef:
    """A node of a body.

    Parameters
    ----------
    body : str
        Name of the body.
    node : int or str
        Index along the body (0 is the first), or ``first``, ``last``, ``mid``, ``all``, or the name of a point.
    """

    body: str
    node: int | str = "first"

    @classmethod
    def parse(cls, text: object, where: str = "", key: str = "node") -> NodeRef:
        """Return the reference given by ``text``; a bare ``BODY`` is its first node (for particles)."""
        if isinstance(text, NodeRef):
            return text
        if getattr(text, "role", "") == "bodies":
            return cls._of_body(text, where, key)
        if not isinstance(text, str):
            raise InputError(f"must name a node: {FORMS}", where=where, key=key, value=text)
        body, _, node = text.strip().partition(".")
        if WORD.fullmatch(body):
            if not node and "." not in text:
                return cls(body)
            local = parse_local(node)
            if local is not None:
                return cls(body, local)
        raise InputError(f"does not name a node; allowed: {FORMS}", where=where, key=key, value=text)

    @classmethod
    def _of_body(cls, body: Any, where: str, key: str) -> NodeRef:
        """Return the only place of a body; for several nodes raise an error with the possible references."""
        if hasattr(body, "last"):
            name = body.name
            message = f"body '{name}' has many nodes; write {name}.first, {name}.last or \"{name}.node(17)\""
            raise InputError(message, where=where, key=key)
        return cls(body.name)

    def __str__(self) -> str:
        return f"{self.body}.node({self.node})" if isinstance(self.node, int) else f"{self.body}.{self.node}"


def parse_local(text: str) -> int | str | None:
    """Return the node named within a body (``node(3)`` -> 3, ``tip`` -> "tip"), None if it is not a valid name."""
    call = NODE_CALL.fullmatch(text.strip())
    if call:
        return int(call.group(1))
    return text.strip() if WORD.fullmatch(text.strip()) else None


def no_such_body(ref: NodeRef, points: Mapping[str, Iterable[str]]) -> str:
    """Return that there is no such body, with a suggestion; ``points`` are the named points of each body."""
    names = list(points)
    owners = [name for name in names if ref.body in points[name]]
    hint = f" (did you mean '{owners[0]}.{ref.body}'?)" if owners else nearest(ref.body, names)
    return f"there is no body '{ref.body}'{hint}; bodies: {', '.join(names)}"
