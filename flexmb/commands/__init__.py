"""One command per file: its docstring is the help, ``arguments`` its options, ``main`` its work.

The modules import what they need inside ``main``, so that ``flexmb --help`` is quick.
"""

import gc
import sys
from importlib import import_module
from types import ModuleType

CASES = ("run", "check", "validate", "study", "fit", "cases", "init", "schema", "schemes", "spectrum")
ANALYSES = ("modes", "campbell", "unbalance", "static", "export", "view", "plot", "report", "solve", "warm")

COMMANDS: dict[str, ModuleType] = {name: import_module(f"{__name__}.{name}") for name in (*CASES, *ANALYSES)}
"""Commands by name, in the order in which the help lists them."""

READ_CASES = {"run", "check", "validate", "study", "fit", "modes", "campbell", "unbalance", "static", "warm"}
"""Commands that need most of the library."""


def load(command: str) -> None:
    """Import most of what a command needs, with the garbage collector off, as nothing that imports make is garbage."""
    if command in READ_CASES and "flexmb.case" not in sys.modules and gc.isenabled():
        gc.disable()
        try:
            import_module("flexmb.case")
        finally:
            gc.freeze()  # the collector does not look at these objects again
            gc.enable()
