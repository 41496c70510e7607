"""Data that ships with flexmb: its folders, and meshes by their names."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path


def shipped_folder(name: str) -> Path:
    """Return the folder of the shipped ``cases`` or ``meshes``."""
    spec = importlib.util.find_spec(f"flexmb.{name}")
    if spec is not None and spec.origin is not None:
        return Path(spec.origin).parent
    # a source tree that is not installed: the data folders stand beside the package
    return Path(__file__).parents[1] / name


def shipped_mesh(name: str) -> Path | None:
    """Return the shipped mesh of this name; None when there is none. A name with folders in it means no shipped one."""
    path = shipped_folder("meshes") / name
    try:
        return path if Path(name).name == name and path.is_file() else None
    except (OSError, ValueError):  # a name that no file can have: too long, say
        return None


def mesh_name(path: str) -> str:
    """Return how a case as run calls a mesh: a shipped one by its name alone, which holds on every machine."""
    name = os.path.basename(path)
    shipped = shipped_mesh(name)
    return name if shipped is not None and os.path.exists(path) and shipped.samefile(path) else path
