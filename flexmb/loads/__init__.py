"""Loads and lumped elements, one kind per file, and functions of time."""

from flexmb.loads.damper import Damper
from flexmb.loads.force import NodalForce
from flexmb.loads.gravity import Gravity
from flexmb.loads.spring import Spring
from flexmb.loads.terms import LoadPart, LoadTerms
from flexmb.loads.time_functions import Constant, Harmonic, Ramp, Table, time_function

KINDS: dict[str, type[NodalForce] | type[Spring] | type[Damper]] = {
    cls.kind: cls for cls in (NodalForce, Spring, Damper)
}
"""Kinds as case files name them."""

__all__ = [
    "KINDS",
    "Constant",
    "Damper",
    "Gravity",
    "Harmonic",
    "LoadPart",
    "LoadTerms",
    "NodalForce",
    "Ramp",
    "Spring",
    "Table",
    "time_function",
]
