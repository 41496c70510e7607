"""Two ways through the same loop: compiled for constant band-like systems, readable for everything.

Both take n steps and return the samples of them; a test holds them to the same result to round-off.
"""

from flexmb.engines.base import Engine, Plan
from flexmb.engines.choose import choose_engine

__all__ = ["Engine", "Plan", "choose_engine"]
