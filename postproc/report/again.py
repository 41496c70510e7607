"""Section on reproducing the run: commands, versions, and the cases as run."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from flexmb.postproc.report import tables
from flexmb.postproc.report.html import Html, code, joined, tag
from flexmb.postproc.report.runs import Run


def again(runs: Sequence[Run], signals: Sequence[str], out: str) -> Html:
    """Return the section.

    Parameters
    ----------
    runs : sequence of Run
    signals : sequence of str
        The requested signals.
    out : str
        Requested name of the page, else empty.
    """
    one, parts = len(runs) == 1, []
    files = {run.name: "case" if one else _plain(run.name) for run in runs if run.result.case_text}
    if files:
        parts.append(tag("p", "Save the case below as case.toml, then:" if one else "Save each case, then:"))
        parts.append(code("\n".join(_commands(files, signals, out))))
    without = [run.label for run in runs if run.name not in files]
    if without:
        who = "The result was" if one else f"{', '.join(without)}:"
        parts.append(tag("p", f"{who} computed from Python: there is no case file."))
    parts.append(tables.version_table(runs))
    for run in runs:
        if run.name in files:
            words = "The case as run" if one else f"The case as run: {run.label} ({files[run.name]}.toml)"
            parts.append(tag("details", tag("summary", words), code(run.result.case_text)))
    return joined(parts)


def _commands(files: dict[str, str], signals: Sequence[str], out: str) -> list[str]:
    """Return the commands; ``files`` maps names of runs to names of case files."""
    folders = {name: shlex.quote(f"again/{_plain(name)}") for name in files}
    lines = [f"flexmb run {shlex.quote(f'{file}.toml')} -o {folders[name]}" for name, file in files.items()]
    words = [shlex.quote(word) for signal in signals for word in ("--signal", signal)]
    words += ["-o", shlex.quote(out)] if out else []
    return [*lines, " ".join(["flexmb report", *folders.values(), *words])]


def _plain(name: str) -> str:
    return name.replace("/", "-")
