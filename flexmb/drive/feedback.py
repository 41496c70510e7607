"""Forces that depend on the motion of a node: sampled before each step."""

from __future__ import annotations

from flexmb.record.samples import Block
from flexmb.system.linear_system import LinearSystem
from flexmb.system.multibody_system import MultibodySystem
from flexmb.system.user_functions import sampled_functions


class Feedback:
    """The sampled functions of a system; their input is the state at each step."""

    def __init__(self, system: LinearSystem | MultibodySystem, h: float) -> None:
        self._h = h
        self._functions = sampled_functions(system)

    def __bool__(self) -> bool:
        return bool(self._functions)

    def take(self, block: Block, first: bool = False) -> None:
        """Sample all functions at the last state of a block."""
        if block.step.size:
            t, row = float(block.time[-1]), block.probes[-1]
            for function, position, velocity in self._functions:
                function.sample(t, self._h, row[position].copy(), row[velocity].copy(), first)
