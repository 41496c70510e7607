"""Limits of the default solver for contact problems with friction (``cones.py``, ``cone_hard.py``)."""

from __future__ import annotations

FIRST_PROXIMAL, PYRAMIDS, SMOOTHED, POLISHED = 80, 120, 600, 200
"""Linear systems of the first attempts of the proximal method (half as many where pyramids follow); rows up to which
pyramids (with ratios and other starts) and the smooth function are tried, and up to which an answer is polished."""
SWEEPS, MORE_SWEEPS = 50000, (0, 0, 30, 100, 1000, 1000)
"""Automatic limits of sweeps: of a method asked for by name, and between attempts at hard problems."""
FIRST_SWEEPS, FIRST_SYSTEMS, SOON = 6, 8, 130
"""Sweeps and linear systems of a first attempt at problems of up to so many rows."""
SYSTEMS, FEW_SYSTEMS, PROXIMAL_SWEEPS, PROXIMAL_SYSTEMS = 60, 10, 20, 1200
"""Automatic limits: linear systems of Newton's method alone and among others, sweeps before the proximal method,
and its linear systems."""
TRIAL_SYSTEMS = 4
"""Linear systems after which a first attempt of Newton's method must have reduced the residual, on more than ``SOON``
rows."""
