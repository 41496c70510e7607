"""Export of a finished result to other formats."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from flexmb.errors import InputError
from flexmb.record.io.folder_lock import LOCK, make_folder, remove_made, sole_writer
from flexmb.record.io.formats import FORMATS
from flexmb.record.io.run_folder import FIELDS, taken_by
from flexmb.record.io.structure import Tree
from flexmb.record.io.tree_check import require_sound

MARK = ".flexmb_export"
"""File in an export folder that lists the names of the exported files, one per line."""


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
        Output folder, created if necessary. Files are moved into it when all of them are written, and replace those of
        an earlier export.
    also : sequence of str
        More formats for the same folder.
    joint_rows : mapping, optional
        Quantities of the rows of each joint, as in the summary, for the units in tables.

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
    require_sound(tree, "the result")
    more = {"csv": {"joint_rows": joint_rows}}
    made = make_folder(folder)
    try:
        # in the folder itself, hence on the same disk
        with sole_writer(folder), tempfile.TemporaryDirectory(prefix=MARK, dir=folder) as fresh:
            _require_replaceable(folder)  # check again: another process may have written there
            paths = [path for name in asked for path in FORMATS[name].write(tree, Path(fresh), **more.get(name, {}))]
            _move_in(Path(fresh), folder)
    finally:
        remove_made(made)  # if nothing was written to it
    return [folder / path.name for path in paths]


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
        why = f"this folder contains a run ({', '.join(runs)})"
    elif place.is_dir() and not (place / MARK).is_file():
        others = sorted(path.name for path in place.iterdir() if not path.name.startswith((MARK, LOCK)))
        more = ", ..." if len(others) > 3 else ""
        why = f"this folder contains files not written by an export ({', '.join(others[:3])}{more})" if others else ""
    if why:
        raise InputError(
            f"{why}; give a new or empty folder, or that of an earlier export", where="-o", value=str(folder)
        )


def _move_in(fresh: Path, folder: Path) -> None:
    """Move all files in, remove outdated files of the previous export, and record the names.

    All files are written before the first one is moved. The list of files comes first, including the previous names: if
    this is interrupted, the content of the folder is still known to be that of an export.
    """
    mark = folder / MARK
    before = mark.read_text(encoding="utf-8").splitlines() if mark.is_file() else []
    names = sorted(path.name for path in fresh.iterdir())
    old = {Path(name).name for name in before} - {"", *names}
    notes = {"all": [*names, *sorted(old)], "new": names}
    for note, listed in notes.items():
        (fresh / (MARK + note)).write_text("\n".join(listed) + "\n", encoding="utf-8")
    (fresh / (MARK + "all")).replace(mark)
    for name in names:
        (fresh / name).replace(folder / name)
    for name in old:
        (folder / name).unlink(missing_ok=True)
    (fresh / (MARK + "new")).replace(mark)
