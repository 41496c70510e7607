"""Force (and moment) on a node, of fixed direction or following the node, times a function of time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from flexmb.assembly.builder import Builder
from flexmb.assembly.glyphs import MOMENT as MOMENT_MARK
from flexmb.assembly.glyphs import End, Glyph
from flexmb.assembly.kinematics import Kinematics
from flexmb.assembly.node_ref import NodeRef
from flexmb.checks.values import check_name, vector
from flexmb.errors import InputError
from flexmb.parts.called_function import Sampled, takes_motion
from flexmb.parts.loads.ends import FORCE, MOMENT, acts
from flexmb.parts.loads.terms import LoadTerms
from flexmb.parts.part import Part
from flexmb.parts.time_functions import Constant, Function, time_function
from flexmb.state import Array


@dataclass(frozen=True, kw_only=True)
class NodalForce(Part):
    """The load ``(force, moment) * function(t)`` on a node.

    Only components along directions in which the node can move act (the axis of a bar, the axes of a particle).

    Parameters
    ----------
    name : str
        Name, unique among the loads.
    node : NodeRef or str
        Where it acts.
    force : (3,) array_like, optional
        N.
    moment : (3,) array_like, optional
        N m, on nodes with rotations: of beams, rigid bodies.
    function : time function, table, number or callable
        Factor phi(t). In Python also a function of time (``parts.called_function.Called``), or one of the time and of
        position and velocity of the node, phi(t, x, v), which is sampled at the start of each step (``Sampled``).
    follower : bool
        Whether force and moment, given in space initially, rotate with the body.
    """

    role: ClassVar[str] = "loads"
    kind: ClassVar[str] = "force"

    node: NodeRef | str
    force: Sequence[float] | Array | None = None
    moment: Sequence[float] | Array | None = None
    function: Function | Mapping[str, Any] | float | Callable[..., Any] = Constant(1.0)
    follower: bool = False

    def __post_init__(self) -> None:
        check_name(self.name, "loads")
        if self.force is None and self.moment is None:
            raise InputError("needs force or moment", where=self.where, key="force")
        for key in ("force", "moment"):
            if getattr(self, key) is not None:
                vector(getattr(self, key), key, self.where)
        NodeRef.parse(self.node, self.where)
        self._phi()
        if not isinstance(self.follower, bool | np.bool_):
            raise InputError("must be true or false", where=self.where, key="follower", value=self.follower)

    @property
    def large_motion(self) -> bool:
        """Whether only a multibody system can treat it."""
        return bool(self.follower)

    def terms(self, nodes: Kinematics) -> LoadTerms:
        """Return the generalized force and its time function."""
        at = nodes.one(self.node, self.where)
        column = sparse.csc_array((nodes.nv, 1))
        given = (("force", self.force, nodes.columns), ("moment", self.moment, nodes.moment_columns))
        for key, value, columns in given:
            if value is None:
                continue
            x = vector(value, key, self.where)
            part = columns([at], x)
            if np.any(x) and not np.any(np.abs(part.data) > 1e-12 * np.abs(x).max()):
                raise self._unmoved(key, x)
            column = sparse.csc_array(column + part)
        return LoadTerms(column, function=self._phi())

    def add_to(self, builder: Builder) -> None:
        """Add it to a multibody system."""
        at = builder.place(self.node, self.where)
        wrench = {key: np.zeros(3) for key in (FORCE, MOMENT)}
        for key in wrench:
            if getattr(self, key) is not None:
                x = wrench[key] = vector(getattr(self, key), key, self.where)
                if np.any(x) and not acts(at, x, key):
                    raise self._unmoved(key, x)
        # given in space at the start, a follower starts with the given vector
        marker = builder.marker(at, np.eye(3))
        function = self._phi()
        builder.add_push(marker, wrench[FORCE], wrench[MOMENT], bool(self.follower), function)

    def marks(self) -> list[Glyph]:
        """Return where its moment acts, if it has one."""
        given = np.zeros(3) if self.moment is None else vector(self.moment, "moment", self.where)
        size = float(np.linalg.norm(given))
        return [Glyph(MOMENT_MARK, self.name, End(self.node), axis=given / size)] if size > 0.0 else []

    @property
    def feedback(self) -> str:
        """The node whose motion is passed to ``function``; "" for a function of time."""
        return str(NodeRef.parse(self.node, self.where)) if takes_motion(self.function) else ""

    def _phi(self) -> Function:
        """Return the factor as a function of time."""
        where, given = f"{self.where}.function", self.function
        if self.feedback and callable(given):
            return Sampled(given, self.feedback, where=where)
        return time_function(given, where)

    def _unmoved(self, key: str, x: Array) -> InputError:
        message = f"node '{self.node}' has no unknown on which this {key} acts"
        return InputError(message, where=self.where, key=key, value=tuple(x.tolist()))
