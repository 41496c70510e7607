"""The kept results of a study over one of its axes."""

from __future__ import annotations

from pathlib import Path

from flexmb.errors import InputError
from flexmb.postproc.open_folder import Opened, open_folder
from flexmb.postproc.study.folder import open_study
from flexmb.study.table import RUNS


def kept_runs(folder: Path, key: str | None) -> tuple[str, list[tuple[float, Opened]]]:
    """Return an axis of a study and the successful runs, each with its value on the axis.

    Parameters
    ----------
    folder : Path
        Of the study, which must have kept its runs (``keep = true``).
    key : str, optional
        Name of the axis; by default the first with numbers.
    """
    table = open_study(folder).table.done
    axes = [name for name in table.axes if all(isinstance(v, int | float) for v in table.values(name))]
    if not axes:
        raise InputError(f"'{folder}' has no axis of numbers", key="key")
    key = axes[0] if key is None else key
    if key not in axes:
        raise InputError(f"is not an axis of numbers of this study; these are: {', '.join(axes)}", key="key", value=key)
    out = []
    for row in table.rows:
        path = folder / RUNS / row.key
        if row.index >= 0 and not path.is_dir():
            message = "the study has not kept its runs: write keep = true in its file and run it again"
            raise InputError(message, where=f"'{folder}'", key="keep")
        if row.index >= 0:
            out.append((float(row.value(key)), open_folder(path)))
    return key, sorted(out, key=lambda run: run[0])
