"""Loads and lumped elements, one kind per file, and functions of time."""

from flexmb.parts.discovery import kinds_of
from flexmb.parts.loads.bearing import Bearing
from flexmb.parts.loads.damper import Damper
from flexmb.parts.loads.force import NodalForce
from flexmb.parts.loads.gravity import Gravity
from flexmb.parts.loads.spring import Spring
from flexmb.parts.loads.spring_damper import SpringDamper
from flexmb.parts.loads.terms import LoadPart, LoadTerms
from flexmb.parts.loads.torsion_spring import TorsionSpring
from flexmb.parts.time_functions import Constant, Harmonic, Polynomial, Ramp, SpinUp, Table, time_function

KINDS = kinds_of(__name__, __path__, "loads")
"""Kinds as case files name them."""

__all__ = ["KINDS", "Bearing", "Constant", "Damper", "Gravity", "Harmonic", "LoadPart", "LoadTerms", "NodalForce"]
__all__ += ["Polynomial", "Ramp", "SpinUp", "Spring", "SpringDamper", "Table", "TorsionSpring", "time_function"]
