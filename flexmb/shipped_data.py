"""Data shipped with flexmb: folders of cases and meshes, meshes and contact problems by name."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path


def shipped_folder(name: str) -> Path:
    """Return the folder of the shipped ``cases`` or ``meshes``."""
    spec = importlib.util.find_spec(f"flexmb.{name}")
    if spec is not None and spec.origin is not None:
        return Path(spec.origin).parent
    # a source tree that is not installed: the data folders are next to the package
    return Path(__file__).parents[1] / name


def shipped_mesh(name: str) -> Path | None:
    """Return the path of the shipped mesh of this name; None if there is none or if the name contains folders."""
    path = shipped_folder("meshes") / name
    try:
        return path if Path(name).name == name and path.is_file() else None
    except (OSError, ValueError):  # an invalid file name, e.g. too long
        return None


def shipped_problems() -> dict[str, Path]:
    """Return the files of the shipped contact problems by name, in alphabetical order."""
    folder = shipped_folder("cases") / "contact_problems"
    return {path.stem: path for path in sorted(folder.glob("*.npz"))}


def mesh_name(path: str) -> str:
    """Return the mesh name to store in a case as run: a shipped mesh by its name alone, valid on every machine."""
    name = os.path.basename(path)
    shipped = shipped_mesh(name)
    return name if shipped is not None and os.path.exists(path) and shipped.samefile(path) else path
