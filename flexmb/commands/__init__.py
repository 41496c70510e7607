"""One command per file: its docstring is the help, ``arguments`` its options, ``main`` its work.

The modules import what they need inside ``main``, so that ``flexmb --help`` is quick.
"""

from types import ModuleType

from flexmb.commands import cases, check, export, modes, run, schemes, spectrum, validate, view

COMMANDS: dict[str, ModuleType] = {
    "run": run,
    "check": check,
    "validate": validate,
    "cases": cases,
    "schemes": schemes,
    "spectrum": spectrum,
    "modes": modes,
    "export": export,
    "view": view,
}
"""Commands by name, in the order of the help."""
