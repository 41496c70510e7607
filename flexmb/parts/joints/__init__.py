"""Joints, one kind per file; ``KINDS`` finds them by their files."""

from flexmb.parts.discovery import kinds_of
from flexmb.parts.joints.cylindrical import Cylindrical
from flexmb.parts.joints.distance import Distance
from flexmb.parts.joints.fixed import Fixed
from flexmb.parts.joints.gear import Gear
from flexmb.parts.joints.joint import Joint
from flexmb.parts.joints.planar import Planar
from flexmb.parts.joints.point_on_line import PointOnLine
from flexmb.parts.joints.prismatic import Prismatic
from flexmb.parts.joints.revolute import Revolute
from flexmb.parts.joints.spherical import Spherical
from flexmb.parts.joints.universal import Universal

KINDS = kinds_of(__name__, __path__, "joints")
"""Kinds as case files name them."""

__all__ = ["KINDS", "Cylindrical", "Distance", "Fixed", "Gear", "Joint", "Planar", "PointOnLine", "Prismatic"]
__all__ += ["Revolute", "Spherical", "Universal"]
