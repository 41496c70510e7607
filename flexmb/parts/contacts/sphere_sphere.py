"""Contact between spheres around points of different bodies: two of them, or the neighbours in a chain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np

from flexmb.assembly.builder import Builder
from flexmb.assembly.node_ref import NodeRef
from flexmb.assembly.rows_beside import RowBeside, beside_spheres, checked, require_sliding
from flexmb.checks.values import check_name, nonnegative, unit
from flexmb.errors import InputError
from flexmb.kernels.geometry.tables import DISTANCE
from flexmb.parts.contacts.law_keys import LawKeys

Ref = NodeRef | str
Ball = tuple[str, Ref, float]
"""Key it was given under, centre as the user wrote it, radius (m)."""


@dataclass(frozen=True, kw_only=True)
class SphereSphere(LawKeys):
    """Spheres that do not overlap: g = |x_b - x_a| - radius_a - radius_b >= 0.

    Parameters
    ----------
    name : str
        Name, unique among the contacts.
    a, b : NodeRef or str
        Centers: particles, nodes, or points of rigid bodies, of different bodies; or
    chain : sequence of NodeRef or str
        centers of several spheres, each in contact with the next.
    radius_a, radius_b : float, optional
        Radii around ``a`` and ``b``, m; or
    radius : float or sequence of float
        one for all, or with ``chain`` one for each, m.
    """

    role: ClassVar[str] = "contacts"
    kind: ClassVar[str] = "sphere-sphere"
    large_motion: ClassVar[bool] = True

    name: str = field(kw_only=False)
    a: Ref | None = None
    b: Ref | None = None
    chain: Sequence[Ref] | None = None
    radius_a: float | None = None
    radius_b: float | None = None
    radius: float | Sequence[float] | None = None

    def __post_init__(self) -> None:
        check_name(self.name, "contacts")
        self.law  # noqa: B018  (checks its keys)
        self._pairs  # noqa: B018  (checks the other keys)

    @cached_property
    def _pairs(self) -> list[tuple[Ball, Ball]]:
        balls = self._two() if self.chain is None else self._row()
        pairs = list(zip(balls[:-1], balls[1:], strict=True))
        seen = set()
        for (_, first, r1), (key, second, r2) in pairs:
            body, other = (NodeRef.parse(ref, self.where).body for ref in (first, second))
            if body == other:
                message = f"contact between a body and itself: '{first}' and '{second}' both belong to '{body}'"
                raise InputError(message, where=self.where, key=key, value=str(second))
            if not r1 + r2 > 0.0:
                message = f"the radii around '{first}' and '{second}' are both zero: two points never touch"
                raise InputError(message, where=self.where, key="radius", value=self.radius)
            if (both := frozenset((str(first), str(second)))) in seen:
                message = f"'{first}' and '{second}' are neighbors twice"
                raise InputError(message, where=self.where, key=key, value=str(second))
            seen.add(both)
        return pairs

    def _two(self) -> list[Ball]:
        """Return the spheres a and b."""
        balls = []
        for key in ("a", "b"):
            if getattr(self, key) is None:
                raise InputError("is missing (give a and b, or chain)", where=self.where, key=key)
            own = getattr(self, f"radius_{key}")
            if (own is None) == (self.radius is None):
                message = f"give either radius_{key} or radius"
                raise InputError(message, where=self.where, key=f"radius_{key}", value=own)
            radius = (
                nonnegative(self.radius, "radius", self.where)
                if own is None
                else nonnegative(own, f"radius_{key}", self.where)
            )
            balls.append((key, self._checked(getattr(self, key), key), radius))
        return balls

    def _row(self) -> list[Ball]:
        """Return the spheres of the chain."""
        for key in ("a", "b", "radius_a", "radius_b"):
            if getattr(self, key) is not None:
                message = "has no effect with chain"
                raise InputError(message, where=self.where, key=key, value=getattr(self, key))
        chain = self.chain
        if not isinstance(chain, Sequence) or isinstance(chain, str) or len(chain) < 2:
            message = "must be a list of at least two bodies or points"
            raise InputError(message, where=self.where, key="chain", value=chain)
        refs = [self._checked(ref, "chain") for ref in chain]
        if isinstance(self.radius, Sequence | np.ndarray) and not isinstance(self.radius, str):
            radii = [nonnegative(r, "radius", self.where) for r in self.radius]
            if len(radii) != len(refs):
                message = f"has {len(radii)} entries where chain has {len(refs)}"
                raise InputError(message, where=self.where, key="radius", value=self.radius)
        else:
            radii = [nonnegative(self.radius, "radius", self.where)] * len(refs)
        return [("chain", ref, radius) for ref, radius in zip(refs, radii, strict=True)]

    def _checked(self, ref: Ref, key: str) -> Ref:
        """Return a reference after a syntax check."""
        NodeRef.parse(ref, self.where, key)
        return ref

    def add_to(self, builder: Builder) -> None:
        """Add one row per pair to a multibody system."""
        group = builder.begin_contact(self.name, self.law)
        beside: list[RowBeside] = []
        for (key_a, ref_a, radius_a), (key_b, ref_b, radius_b) in self._pairs:
            a, b = builder.place(ref_a, self.where, key_a), builder.place(ref_b, self.where, key_b)
            if not np.any(b.position - a.position):
                message = f"the centers of '{a.label}' and '{b.label}' coincide at the start"
                raise InputError(message, where=self.where, key=key_b, value=str(ref_b))
            if not a.dof.size + b.dof.size:
                message = f"neither '{a.label}' nor '{b.label}' can move"
                raise InputError(message, where=self.where, key=key_b, value=str(ref_b))
            A, B = builder.marker(a), builder.marker(b)
            label = self.name if self.chain is None else f"{self.name}[{a.label}-{b.label}]"
            builder.add_row(group, DISTANCE, (A, B), label, c=radius_a + radius_b)
            group.points.append((B, A))
            if not self.law.normals_only:
                n = unit(b.position - a.position, key_b, self.where)
                rows = beside_spheres(self.law, (a, b), n, radius_b)
                builder.add_beside(checked(rows, self.law, self.where, b.label))
                beside += rows
        require_sliding(beside, self.law, self.where)
