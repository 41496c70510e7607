"""Common base of beams of large motion: the keys of a beam, and a beam of small displacements with the same nodes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from flexmb.assembly.kinematics import NodeTable
from flexmb.checks.memory import Size
from flexmb.parts.bodies.beam import Beam
from flexmb.parts.bodies.line import LineKeys
from flexmb.state import Array


@dataclass(frozen=True, kw_only=True)
class LargeBeam(LineKeys):
    """A beam of large motion; keys as ``LineKeys``, ``orientation`` as for ``Beam``, and

    Parameters
    ----------
    angular_velocity : (3,) array_like
        Initial angular velocity of the whole beam in space, rad/s.
    """  # noqa: D400, D415

    large_motion: ClassVar[bool] = True
    bytes_per_element: ClassVar[int]
    """Memory that an element takes while the model is assembled, measured with thousands of them."""

    orientation: Sequence[float] | Array | None = None
    angular_velocity: Sequence[float] | Array = (0.0, 0.0, 0.0)

    @property
    @abstractmethod
    def _beam(self) -> Beam:
        """The straight beam with small displacements from which this one is derived."""

    @property
    def _nodes(self) -> NodeTable:
        return self._beam._nodes

    @property
    def elements_of_beam(self) -> int:
        """Number of elements."""
        network = self._beam._network
        return self._beam._line.x.size - 1 if network is None else len(network.mesh.lines)

    def memory(self, large: bool) -> Size:
        """Return the memory requirement of the body in a model."""
        return self._beam.memory(large)._replace(bytes=self.bytes_per_element * (self.elements_of_beam))
