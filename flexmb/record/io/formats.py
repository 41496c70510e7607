"""Export formats of a result: names, descriptions and writers."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import NamedTuple, cast


class Format(NamedTuple):
    """A format.

    Parameters
    ----------
    words : str
        Description for the help text.
    module, function : str
        Its writer(tree, folder, ...) -> files to open; imported when it is needed.
    """

    words: str
    module: str
    function: str

    @property
    def write(self) -> Callable[..., list[Path]]:
        """The function that writes the format."""
        return cast("Callable[..., list[Path]]", getattr(import_module(self.module), self.function))


FORMATS = {
    "csv": Format("tables", "flexmb.record.io.csv_tables", "write_csv"),
    "paraview": Format(
        "fields and a script that opens them with suitable settings", "flexmb.record.io.paraview", "write_paraview"
    ),
    "pvd": Format("fields, a file for each state", "flexmb.record.io.pvd", "write_pvd"),
    "xdmf": Format("fields", "flexmb.record.io.xdmf", "write_xdmf"),
}
