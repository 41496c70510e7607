"""Contact between many spheres, all against all: close pairs are determined during the motion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from flexmb.assembly.builder import Builder
from flexmb.assembly.markers import BodyInfo, Marker
from flexmb.assembly.rows_beside import beside_spheres, checked, require_sliding
from flexmb.checks.values import check_name, matching, positive
from flexmb.errors import InputError
from flexmb.parts.contacts.law_keys import LawKeys


@dataclass(frozen=True, kw_only=True)
class Spheres(LawKeys):
    """Contact between all pairs of many spheres: |x_b - x_a| - radius_a - radius_b >= 0.

    Parameters
    ----------
    name : str
        Name, unique among the contacts.
    bodies : str or sequence of str
        Particles and rigid bodies, two or more, by their names or by patterns: ``"ball*"``, ``["a", "b", "grain?"]``,
        ``"*"`` for all of them.
    radius : float or sequence of float, optional
        Around the reference points, m; one for all, or one for each of the bodies as listed. Without it each body
        must have one sphere as its shape, with its own center.
    """

    role: ClassVar[str] = "contacts"
    kind: ClassVar[str] = "spheres"
    large_motion: ClassVar[bool] = True

    name: str = field(kw_only=False)
    bodies: str | Sequence[str]
    radius: float | Sequence[float] | None = None

    def __post_init__(self) -> None:
        check_name(self.name, "contacts")
        self.law  # noqa: B018  (checks its keys)
        given = self._words
        if not given or not all(isinstance(word, str) and word for word in given):
            message = 'must be names of bodies or patterns, such as ["a", "b"] or "ball*"'
            raise InputError(message, where=self.where, key="bodies", value=self.bodies)
        if len(set(given)) != len(given):
            twice = next(word for word in given if given.count(word) > 1)
            raise InputError("is listed twice", where=self.where, key="bodies", value=twice)
        self._radii  # noqa: B018  (checks the key)

    @property
    def _words(self) -> list[str]:
        if isinstance(self.bodies, str):
            return [self.bodies]
        return list(self.bodies) if isinstance(self.bodies, Sequence) else []

    @property
    def _radii(self) -> list[float] | float | None:
        """The radii as given, positive."""
        if isinstance(self.radius, Sequence | np.ndarray) and not isinstance(self.radius, str):
            return [positive(r, "radius", self.where) for r in self.radius]
        return None if self.radius is None else positive(self.radius, "radius", self.where)

    def add_to(self, builder: Builder) -> None:
        """Add the spheres to a multibody system; the pairs are determined when it is complete."""
        names = self._chosen(builder.bodies)
        radii = self._radii
        if isinstance(radii, list) and len(radii) != len(names):
            message = f"has {len(radii)} entries where bodies are {len(names)}"
            raise InputError(message, where=self.where, key="radius", value=self.radius)
        each = radii if isinstance(radii, list) else [radii] * len(names)
        found = [self._sphere(builder, name, radius) for name, radius in zip(names, each, strict=True)]
        self._check_apart([place for place, _ in found])
        rows = beside_spheres(self.law, [place for place, _ in found])
        require_sliding(checked(rows, self.law, self.where, names[0]), self.law, self.where)
        builder.add_spheres(self.name, [p for p, _ in found], [r for _, r in found], self.law)

    def _check_apart(self, places: list[Marker]) -> None:
        """Raise if two centres coincide, so that there is no direction between them."""
        seen: dict[bytes, str] = {}
        for place in places:
            other = seen.setdefault((place.position + 0.0).tobytes(), place.label)
            if other != place.label:
                message = f"the centers of '{other}' and '{place.label}' coincide at the start"
                raise InputError(message, where=self.where, key="bodies", value=place.label)

    def _chosen(self, bodies: dict[str, BodyInfo]) -> list[str]:
        """Return the names of the bodies, each once, in the order they are listed and patterns find them."""
        able = [name for name, info in bodies.items() if info.single]
        chosen: dict[str, None] = {}
        for word in self._words:
            if word in bodies and word not in able:
                message = "is not a sphere: only particles and rigid bodies can be"
                raise InputError(message, where=self.where, key="bodies", value=word)
            chosen |= dict.fromkeys(matching(word, able, "particle or rigid body", self.where, "bodies"))
        if len(chosen) < 2:
            message = f"means {', '.join(chosen)} only, and contact needs at least two spheres"
            raise InputError(message, where=self.where, key="bodies", value=self.bodies)
        return list(chosen)

    def _sphere(self, builder: Builder, name: str, radius: float | None) -> tuple[Marker, float]:
        """Return centre and radius of a body."""
        if radius is not None:
            return builder.place(name, self.where, "bodies"), radius
        ball = builder.bodies[name].ball
        if ball is None:
            message = f"is needed: body '{name}' has no single sphere as its shape"
            raise InputError(message, where=self.where, key="radius")
        return builder.place(name, self.where, "bodies", ball[1]), ball[0]
