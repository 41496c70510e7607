"""Joints, one kind per file; ``KINDS`` finds them by their files."""

from typing import Any

from flexmb.assembly.kinds import kinds_of
from flexmb.joints.base import Joint
from flexmb.joints.cylindrical import Cylindrical
from flexmb.joints.distance import Distance
from flexmb.joints.fixed import Fixed
from flexmb.joints.gear import Gear
from flexmb.joints.planar import Planar
from flexmb.joints.point_on_line import PointOnLine
from flexmb.joints.prismatic import Prismatic
from flexmb.joints.revolute import Revolute
from flexmb.joints.spherical import Spherical
from flexmb.joints.universal import Universal

KINDS: dict[str, type[Any]] = kinds_of(__name__, __path__, "joints")
"""Kinds as case files name them."""

__all__ = ["KINDS", "Cylindrical", "Distance", "Fixed", "Gear", "Joint", "Planar", "PointOnLine", "Prismatic"]
__all__ += ["Revolute", "Spherical", "Universal"]
