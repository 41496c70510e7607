"""The loop of a run, with two engines: compiled for constant band-like systems, interpreted for all systems.

Both take n steps and return their samples; a test compares them up to round-off.
"""

from flexmb.drive.choose_engine import choose_engine
from flexmb.drive.engine import Engine, Plan

__all__ = ["Engine", "Plan", "choose_engine"]
