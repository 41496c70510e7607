"""Named points of rigid bodies, and references to them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from flexmb.assembly.node_ref import NodeRef
from flexmb.checks.values import check_point_name, numbers
from flexmb.errors import InputError
from flexmb.parts.bodies.body import RESERVED, NamedBody
from flexmb.state import Array

CENTER = "center"
"""The predefined name of the center of mass."""


@dataclass(frozen=True, kw_only=True)
class RigidBody(NamedBody):
    """A body with named points in addition to its centre of mass."""

    @property
    @abstractmethod
    def _points(self) -> Mapping[str, Array]:
        """Places of the named points, along the axes of the body."""

    def point(self, name: str) -> NodeRef:
        """Return a reference to a named point."""
        if name not in (CENTER, *self._points):
            message = f"no such point; it has {', '.join([CENTER, *self._points])}"
            raise InputError(message, where=self.where, key=str(name))
        return NodeRef(self.name, name)


def read_points(points: object, where: str, *, planar: bool = False) -> dict[str, Array]:
    """Return the points by name, (3,) each, in body axes from the reference point, m; planar ones may omit z."""
    where = f"{where}.points"
    if not isinstance(points, Mapping):
        raise InputError("must be a table of points, such as { tip = [1.0, 0.0, 0.0] }", where=where, value=points)
    found = {}
    for name, value in points.items():
        check_point_name(name, where, (*RESERVED, CENTER))
        found[name] = in_plane(value, name, where) if planar else numbers(value, name, where, "three numbers", ((3,),))
    return found


def in_plane(value: object, key: str, where: str) -> Array:
    """Return two or three numbers as a (3,) array, with z = 0 if it is omitted."""
    given = numbers(value, key, where, "two or three numbers", ((2,), (3,)))
    return np.concatenate([given, np.zeros(3 - given.size)])
