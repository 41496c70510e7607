"""Optional packages: the extras that install them, and the error message if they are missing."""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import warnings
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from flexmb.errors import InputError

EXTRAS: dict[str, tuple[str, ...]] = {
    "plot": ("matplotlib",),
    "view": ("pyvista", "vtkmodules", "matplotlib", "PIL"),
    "movie": ("imageio_ffmpeg",),
    "web": ("trame", "trame_vtk", "trame.widgets.vtk", "aiohttp"),
    "cluster": ("distributed",),
    "data": ("pandas", "xarray"),
    "cone": ("clarabel",),
    "fit": ("optuna",),
}
"""Modules installed by the extras of pyproject.toml. A module belongs to the first extra that lists it."""


class MissingExtra(InputError):
    """A package that this use needs is not installed; ``extra`` names the extra that installs it."""

    def __init__(self, extra: str, module: str, what: str = "") -> None:
        self.extra = extra
        need = f"{what} needs" if what else "this needs"
        super().__init__(f"{need} the package {module}, which is not installed: {install_command(extra)}")


def install_command(*extras: str) -> str:
    """Return the command that installs extras, for a clone that of its folder.

    There ``pip install flexmb[...]`` would replace the installation of the clone.
    """
    return f'{_install_of()}[{",".join(extras)}]"'


def _install_of() -> str:
    """Return the command that installed flexmb, up to the extras: from a clone (editable or not) or by name."""
    folders: list[tuple[bool, Path]] = []
    for found in importlib.metadata.distributions(name="flexmb"):  # a clone on the path has one without this file
        try:
            noted = json.loads(found.read_text("direct_url.json") or "{}")
            folder = Path(url2pathname(urlsplit(noted["url"]).path))
            folders.append((bool(noted["dir_info"].get("editable")), folder))
        except (ValueError, AttributeError, KeyError, TypeError):  # not written by pip, or not from a folder
            continue
    if not folders:
        return 'pip install "flexmb'
    editable, folder = max(folders, key=lambda one: one[0])
    return f'pip install {"-e " if editable else ""}"{folder}'


def missing(extra: str) -> str:
    """Return the first module of an extra that cannot be imported, "" if all are available."""
    for name in EXTRAS[extra]:
        try:
            with warnings.catch_warnings():
                # a downloader loaded by pyvista warns about notebook progress bars, which are not used here
                warnings.filterwarnings("ignore", message="IProgress not found")
                importlib.import_module(name)
        except ImportError as err:
            # the missing module may be one that the package itself imports
            return getattr(err, "name", None) or name
    return ""


def require(extra: str, what: str = "") -> None:
    """Raise MissingExtra unless all modules of an extra can be imported.

    Parameters
    ----------
    extra : str
        A key of ``EXTRAS``.
    what : str
        Command or function that requires it, for the message.
    """
    if name := missing(extra):
        raise MissingExtra(extra, name, what)


def extra_of(err: ImportError) -> MissingExtra | None:
    """Return the error to show for a failed import of a module of an extra, None for any other import."""
    root = (err.name or "").split(".")[0]
    for extra, modules in EXTRAS.items():
        if root and root in {name.split(".")[0] for name in modules}:
            return MissingExtra(extra, root)
    return None
