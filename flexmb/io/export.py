"""Other formats for a finished result, by one word."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from flexmb.errors import InputError
from flexmb.io.disk_space import existing_parent
from flexmb.io.formats import FORMATS
from flexmb.io.run_folder import FIELDS, taken_by
from flexmb.io.structure import Tree
from flexmb.io.tree_check import Without, damage, sound_samples

MARK = ".flexmb_export"
"""File in a folder that an export wrote: the names of what it wrote there, one to a line."""


def export(
    tree: Tree,
    form: str,
    folder: Path,
    also: Sequence[str] = (),
    joint_rows: Mapping[str, Sequence[str]] | None = None,
) -> list[Path]:
    """Write a result in another format.

    Parameters
    ----------
    tree : Tree
    form : str
        One of ``FORMATS``.
    folder : Path
        Where to write; made if it is not there. Complete files only: they are moved in when all are written, and take
        the place of those of an earlier export.
    also : sequence of str
        More formats for the same folder.
    joint_rows : mapping, optional
        What the rows of each joint hold, as in the summary: tables then have their units.

    Returns
    -------
    list of Path
        The files to open.
    """
    asked = dict.fromkeys((form, *also))
    for name in asked:
        if name not in FORMATS:
            raise InputError(f"unknown format; allowed: {', '.join(FORMATS)}", where="--format", value=name)
    _require_replaceable(folder)
    trees = {name: _sound(tree, name) for name in asked}
    more = {"csv": {"joint_rows": joint_rows}}
    # in the folder itself where it is there: surely on the same disk
    with tempfile.TemporaryDirectory(prefix=MARK, dir=existing_parent(folder)) as fresh:
        paths = [path for name in asked for path in FORMATS[name].write(trees[name], Path(fresh), **more.get(name, {}))]
        folder.mkdir(parents=True, exist_ok=True)
        _move_in(Path(fresh), folder)
    return [folder / path.name for path in paths]


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


def _require_replaceable(folder: Path) -> None:
    """Raise InputError where an export must not write: it would mix its files with others or replace them."""
    place = folder.resolve()
    why = ""
    if place == Path(place.anchor):
        why = "this is the root of the disk"
    elif place == Path.cwd():
        why = "this is the current folder"
    elif place.exists() and not place.is_dir():
        why = "this is a file"
    elif runs := [name for name in taken_by(place) if name != FIELDS]:
        why = f"this folder holds a run ({', '.join(runs)})"
    elif place.is_dir() and not (place / MARK).is_file():
        others = sorted(path.name for path in place.iterdir() if not path.name.startswith(MARK))
        more = ", ..." if len(others) > 3 else ""
        why = f"this folder holds files that no export wrote ({', '.join(others[:3])}{more})" if others else ""
    if why:
        raise InputError(
            f"{why}; give a new or empty folder, or that of an earlier export", where="-o", value=str(folder)
        )


def _move_in(fresh: Path, folder: Path) -> None:
    """Move all files in, remove those of the export before that are not among them, and note the names."""
    mark = folder / MARK
    before = mark.read_text(encoding="utf-8").splitlines() if mark.is_file() else []
    names = sorted(path.name for path in fresh.iterdir())
    for name in names:
        (fresh / name).replace(folder / name)
    for old in {Path(name).name for name in before} - {"", *names}:
        (folder / old).unlink(missing_ok=True)
    mark.write_text("\n".join(names) + "\n", encoding="utf-8")
