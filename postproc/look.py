"""Display settings of a result: field, magnification, states and the range of colors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Look:
    """Options of the view of a result.

    Parameters
    ----------
    field : str
        One of ``FIELDS``.
    scale : float
        Factor on displacements.
    states : (k,) int array
        The states that will be shown: they determine the range of the colours. The room to be seen and the size of
        symbols are those of the whole run, so that a state looks the same in a picture and in a movie.
    ends : tuple of float, optional
        Values at the ends of the colour map, in the unit of the field; by default those of the states.
    """

    field: str
    scale: float
    states: Any
    ends: tuple[float, float] | None = None
