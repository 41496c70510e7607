"""The loop of a run, and two ways through it: compiled for constant band-like systems, readable for everything.

Both take n steps and return the samples of them; a test holds them to the same result to round-off.
"""

from flexmb.drive.choose_engine import choose_engine
from flexmb.drive.engine import Engine, Plan

__all__ = ["Engine", "Plan", "choose_engine"]
