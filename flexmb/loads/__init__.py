"""Loads and lumped elements, one kind per file, and functions of time."""

from typing import Any

from flexmb.assembly.kinds import kinds_of
from flexmb.loads.bearing import Bearing
from flexmb.loads.damper import Damper
from flexmb.loads.force import NodalForce
from flexmb.loads.gravity import Gravity
from flexmb.loads.spring import Spring
from flexmb.loads.spring_damper import SpringDamper
from flexmb.loads.terms import LoadPart, LoadTerms
from flexmb.loads.time_functions import Constant, Harmonic, Polynomial, Ramp, SpinUp, Table, time_function
from flexmb.loads.torsion_spring import TorsionSpring

KINDS: dict[str, type[Any]] = kinds_of(__name__, __path__, "loads")
"""Kinds as case files name them."""

__all__ = ["KINDS", "Bearing", "Constant", "Damper", "Gravity", "Harmonic", "LoadPart", "LoadTerms", "NodalForce"]
__all__ += ["Polynomial", "Ramp", "SpinUp", "Spring", "SpringDamper", "Table", "TorsionSpring", "time_function"]
