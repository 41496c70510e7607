"""Other formats for a finished result, by one word."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from flexmb.errors import InputError
from flexmb.io.csv_tables import write_csv
from flexmb.io.paraview import write_paraview
from flexmb.io.pvd import write_pvd
from flexmb.io.structure import Tree
from flexmb.io.tree_check import Without, damage, sound_samples
from flexmb.io.xdmf import write_xdmf

FORMATS: dict[str, Callable[[Tree, Path], list[Path]]] = {
    "csv": write_csv,
    "paraview": write_paraview,
    "pvd": write_pvd,
    "xdmf": write_xdmf,
}
"""Format name -> writer(tree, folder) -> files written."""


def _sound(tree: Tree, form: str) -> Tree:
    """Return what a format needs of a tree and fits together; raise when that is damaged."""
    wrong, odd = damage(tree)
    if form == "csv":
        samples = sound_samples(tree)
        if samples:
            return samples
    elif not wrong:
        return Without(tree, odd)
    raise InputError(f"the result file is damaged: {'; '.join(wrong) or 'its samples do not fit together'}")


def export(tree: Tree, form: str, folder: Path) -> list[Path]:
    """Write a result in another format.

    Parameters
    ----------
    tree : Tree
    form : str
        One of ``FORMATS``.
    folder : Path
        Where to write; made if it is not there. Complete files only: they are moved in when all are written.

    Returns
    -------
    list of Path
        The files to open.
    """
    if form not in FORMATS:
        raise InputError(f"unknown format; allowed: {', '.join(FORMATS)}", where="--format", value=form)
    tree = _sound(tree, form)
    fresh = folder.with_name(folder.name + ".part")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    try:
        paths = FORMATS[form](tree, fresh)
        folder.mkdir(exist_ok=True)
        for path in sorted(fresh.iterdir()):
            path.replace(folder / path.name)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return [folder / path.name for path in paths]
