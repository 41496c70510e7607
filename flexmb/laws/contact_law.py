"""``ContactLaw``: the parameters of all laws of one contact."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from flexmb.laws import cohesion, friction
from flexmb.state import Array


@dataclass(frozen=True, eq=False)
class ContactLaw:
    """Parameters of the laws of a contact; by default Newton's impact law without friction.

    Parameters
    ----------
    e : float
        Normal restitution.
    friction : (8,) array
        See ``laws.friction``.
    e_T : float
        Tangential restitution.
    roll, spin : float
        Lengths, m; see ``laws.rolling``.
    cohesion : (5,) array
        See ``laws.cohesion``.
    poisson : bool
        See ``laws.impact``.
    """

    e: float = 0.0
    friction: Array = field(default_factory=lambda: np.zeros(friction.SIZE))
    e_T: float = 0.0
    roll: float = 0.0
    spin: float = 0.0
    cohesion: Array = field(default_factory=lambda: np.zeros(cohesion.SIZE))
    poisson: bool = False

    @property
    def slides(self) -> bool:
        """Whether the contact has tangential rows: for friction, or for tangential cohesion."""
        return friction.slides(self.friction) or bool(self.cohesion[1])

    @property
    def normals_only(self) -> bool:
        """Whether the contact has only normals with Newton's law."""
        return not (self.slides or self.roll or self.spin or self.poisson or self.cohesion.any())

    def refusals(self) -> dict[str, object]:
        """Return the keys and values that go beyond a normal with Newton's law."""
        found: dict[str, object] = {}
        if friction.slides(self.friction):
            found["friction"] = float(self.friction[0])
        if self.roll:
            found["rolling"] = self.roll
        if self.spin:
            found["spinning"] = self.spin
        if self.poisson:
            found["impact"] = "poisson"
        if self.cohesion.any():
            found["cohesion"] = float(self.cohesion[2])
        return found
