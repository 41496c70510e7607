"""``Part``: what bodies, joints, loads and contacts have in common."""

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
        return self.name  # so that a body can stand wherever its name can

    @property
    def where(self) -> str:
        """Where it stands in a case file."""
        return f"{self.role}.{self.name}"
