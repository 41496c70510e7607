"""One command per file: its docstring is the help, ``arguments`` its options, ``main`` its work.

The modules import what they need inside ``main``, so that ``flexmb --help`` is quick.
"""

from types import ModuleType

from flexmb.commands import (
    campbell,
    cases,
    check,
    export,
    init,
    modes,
    plot,
    report,
    run,
    schema,
    schemes,
    spectrum,
    static,
    study,
    unbalance,
    validate,
    view,
    warm,
)

COMMANDS: dict[str, ModuleType] = {
    "run": run,
    "check": check,
    "validate": validate,
    "study": study,
    "cases": cases,
    "init": init,
    "schema": schema,
    "schemes": schemes,
    "spectrum": spectrum,
    "modes": modes,
    "campbell": campbell,
    "unbalance": unbalance,
    "static": static,
    "export": export,
    "view": view,
    "plot": plot,
    "report": report,
    "warm": warm,
}
"""Commands by name, in the order of the help."""
