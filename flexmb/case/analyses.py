"""Numbers of the linear analysis of a rotor that expectations can be about: ``analysis.critical_speed.1`` and so on."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from flexmb.system.model import Model

COUNT = 12
"""Largest number of critical speeds that can be requested."""


class Analyses:
    """The analyses of a model; each is computed when one of its numbers is first requested."""

    def __init__(self, model: Model) -> None:
        self._model = model

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the available numbers; empty without a rotor."""
        rotors = any(getattr(body, "kind", "") == "rotor" for body in self._model.bodies.values())
        return tuple(f"analysis.critical_speed.{k}" for k in range(1, COUNT + 1)) if rotors else ()

    @cached_property
    def critical_speeds(self) -> tuple[float, ...]:
        """Critical speeds in bending, rad/s."""
        from flexmb.analysis.rotors.critical import critical_speeds

        return tuple(c.speed for c in critical_speeds(self._model, COUNT))

    def number(self, name: str) -> float:
        """Return the number of one of the ``names``; nan if there are fewer."""
        k = int(name.rpartition(".")[2])
        return self.critical_speeds[k - 1] if k <= len(self.critical_speeds) else float(np.nan)
