"""Speeds as text and in revolutions per minute."""

from __future__ import annotations

import math

RPM = 30.0 / math.pi
"""Revolutions per minute of 1 rad/s."""


def speed_words(speed: float) -> str:
    """Return a speed as text: 100 rad/s (954.93 rpm)."""
    return f"{speed:.6g} rad/s ({speed * RPM:.6g} rpm)"
