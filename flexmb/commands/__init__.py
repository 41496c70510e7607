"""One command per file: its docstring is the help, ``arguments`` its options, ``main`` its work.

The modules import what they need inside ``main``, so that ``flexmb --help`` is quick.
"""

from importlib import import_module
from types import ModuleType

CASES = ("run", "check", "validate", "study", "fit", "cases", "init", "schema", "schemes", "spectrum")
ANALYSES = ("modes", "campbell", "unbalance", "static", "export", "view", "plot", "report", "solve", "warm")

COMMANDS: dict[str, ModuleType] = {name: import_module(f"{__name__}.{name}") for name in (*CASES, *ANALYSES)}
"""Commands by name, in the order in which the help lists them."""
