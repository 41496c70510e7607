"""How finely a step is searched for events."""

from __future__ import annotations

POINTS = 8
"""Number of parts of a step in which the sign of an event function is checked, so that short flights are found."""
