"""The keys of contact laws, common to all kinds of contact."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from flexmb.errors import InputError
from flexmb.laws.cohesion import cohesion_numbers
from flexmb.laws.contact_law import ContactLaw
from flexmb.laws.friction import friction_numbers, slides
from flexmb.laws.impact import is_poisson, normal_restitution, tangential_restitution
from flexmb.laws.rolling import rolling_length, spinning_length


@dataclass(frozen=True, kw_only=True)
class LawKeys:
    """Contact laws: restitution, friction, rolling resistance and cohesion.

    Parameters
    ----------
    restitution : float
        Newton's coefficient, 0 to 1.
    friction : float or table
        mu of Coulomb's law; or a table ``{ kind = "coulomb", mu = .. }``,
        ``{ kind = "stribeck", static = .., dynamic = .., speed = .., exponent = 2.0 }`` (speed in m/s), or
        ``{ kind = "rate-and-state", mu = .., a = .., b = .., speed = .., length = .., state = .. }`` (speed V_0 in m/s,
        length D_c in m, state at the start in s, by default D_c / V_0).
    tangential_restitution : float
        Restitution of the tangential velocity, in the open interval from -1 to 1.
    rolling, spinning : float
        Lengths of rolling and spinning resistance, m: the moment is at most the length times the normal force; for
        nodes with rotations.
    impact : str
        "newton" (restitution of velocities) or "poisson" (of impulses).
    cohesion : table, optional
        An interface that can break: ``{ normal_stiffness = .., tangential_stiffness = 0.0, energy = .., viscosity =
        0.0, intensity = 1.0 }``, N/m, N/m, J, J s, and the initial bonded fraction; for each contact.
    """

    restitution: float = 0.0
    friction: float | Mapping[str, Any] = 0.0
    tangential_restitution: float = 0.0
    rolling: float = 0.0
    spinning: float = 0.0
    impact: str = "newton"
    cohesion: Mapping[str, Any] | None = None

    @property
    def where(self) -> str:
        """Location of this contact in a case file."""
        return f"contacts.{getattr(self, 'name', '')}"

    @cached_property
    def law(self) -> ContactLaw:
        """The laws as checked numbers."""
        where = self.where
        e = normal_restitution(self.restitution, where)
        friction = friction_numbers(self.friction, where)
        poisson = is_poisson(self.impact, where)
        return ContactLaw(
            e=e,
            friction=friction,
            e_T=tangential_restitution(self.tangential_restitution, where, friction=slides(friction), poisson=poisson),
            roll=rolling_length(self.rolling, where),
            spin=spinning_length(self.spinning, where),
            cohesion=cohesion_numbers(self.cohesion, where),
            poisson=poisson,
        )

    def refuse_laws(self, why: str) -> None:
        """Raise InputError, naming the key, for laws beyond a normal with Newton's law."""
        for key, value in self.law.refusals().items():
            raise InputError(why, where=self.where, key=key, value=value)
