"""``Part``: common base of bodies, joints, loads and contacts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar


@dataclass(frozen=True, kw_only=True)
class Part:
    """A named part of a model.

    Parameters
    ----------
    name : str
        Name, unique among the parts with its role.
    """

    role: ClassVar[str]

    name: str = field(kw_only=False)

    def __str__(self) -> str:
        return self.name  # so that a body can be used in place of its name

    @property
    def where(self) -> str:
        """Location of the part in a case file."""
        return f"{self.role}.{self.name}"
