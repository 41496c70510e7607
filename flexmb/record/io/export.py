"""Other formats for a finished result, by one word."""

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
    require_sound(tree, "the result")
    more = {"csv": {"joint_rows": joint_rows}}
    made = make_folder(folder)
    try:
        # in the folder itself: surely on the same disk
        with sole_writer(folder), tempfile.TemporaryDirectory(prefix=MARK, dir=folder) as fresh:
            _require_replaceable(folder)  # once more: another process may have been there
            paths = [path for name in asked for path in FORMATS[name].write(tree, Path(fresh), **more.get(name, {}))]
            _move_in(Path(fresh), folder)
    finally:
        remove_made(made)  # where nothing came into it
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
        why = f"this folder holds a run ({', '.join(runs)})"
    elif place.is_dir() and not (place / MARK).is_file():
        others = sorted(path.name for path in place.iterdir() if not path.name.startswith((MARK, LOCK)))
        more = ", ..." if len(others) > 3 else ""
        why = f"this folder holds files that no export wrote ({', '.join(others[:3])}{more})" if others else ""
    if why:
        raise InputError(
            f"{why}; give a new or empty folder, or that of an earlier export", where="-o", value=str(folder)
        )


def _move_in(fresh: Path, folder: Path) -> None:
    """Move all files in, remove those of the export before that are not among them, and note the names.

    All that takes room on the disk is written before the first file is moved. The note comes first, with the names of
    before: whatever stands in the folder when this is cut off is known as that of an export.
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
