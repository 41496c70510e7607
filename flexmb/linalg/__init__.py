"""Factorizations with a common interface: ``factor(S).solve(b)``."""

from flexmb.linalg.bands import BandOrder, band_order
from flexmb.linalg.factor import Factor, factor

__all__ = ["BandOrder", "Factor", "band_order", "factor"]
