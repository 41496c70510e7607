"""Gravity: a uniform acceleration of all bodies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from flexmb.checks.values import acceleration
from flexmb.state import Array


@dataclass(frozen=True)
class Gravity:
    """Uniform acceleration; its work is recorded as potential energy -m a.x.

    Parameters
    ----------
    acceleration : (3,) array_like
        m/s^2, e.g. ``(0, 0, -9.81)``.
    """

    role: ClassVar[str] = "gravity"
    name: ClassVar[str] = "gravity"

    acceleration: Sequence[float] | Array

    def __post_init__(self) -> None:
        acceleration(self.acceleration)
