"""Run a study: vary a case along axes, measure every run, draw figures."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flexmb.study.study import Study
    from flexmb.study.table import Table

MOST_SHOWN = 40
"""Rows of the table that are printed."""
MOST_NOTES = 5
"""Maximum number of different notes of runs that are printed."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``flexmb study``."""
    study_help = "a study file or the name of a shipped study (without it: the shipped studies)"
    parser.add_argument("study", metavar="STUDY", nargs="?", help=study_help)
    parser.add_argument("-o", "--out", metavar="DIR", type=Path, help="study folder (default: results/STUDYNAME)")
    parser.add_argument(
        "--jobs", metavar="N", type=int, help="number of simultaneous runs (default: the number of cores)"
    )
    cluster = "address of a running Dask cluster, tcp://HOST:PORT, that executes the runs"
    parser.add_argument("--scheduler", metavar="ADDRESS", help=cluster)
    parser.add_argument("--list", action="store_true", help="print one command per run, for Slurm and other queues")
    parser.add_argument("--run", metavar="K", type=int, help="execute run K only (counted from 0), as --list prints it")
    parser.add_argument("--check", action="store_true", help="exit with 1 if an expectation is not met")
    parser.add_argument("--yes", action="store_true", help="allow more than a million runs")
    set_help = "override a key of the case in all runs, e.g. time.end=1.0"
    parser.add_argument("--set", metavar="KEY=VALUE", action="append", default=[], dest="overrides", help=set_help)
    parser.add_argument("--quiet", action="store_true", help="print errors only")
    parser.add_argument("--no-figures", action="store_true", help="draw no figures and write no report")


def main(args: argparse.Namespace) -> int:
    """Run the study, or list its runs; finished runs are not repeated."""
    from flexmb.commands.interrupt import exit_code, stops_like_ctrl_c
    from flexmb.errors import InputError
    from flexmb.study.plan import Runs
    from flexmb.study.study import load_study

    if args.study is None:
        return _list_shipped()
    given = [name for name in ("list", "run", "scheduler") if getattr(args, name) not in (None, False)]
    if len(given) > 1:
        raise InputError(f"--{given[0]} and --{given[1]} exclude each other")
    study = load_study(args.study, args.overrides)
    out = args.out if args.out is not None else Path("results") / study.name
    if args.list:
        Runs(study.file).check_count(args.yes)
        for k in range(study.count):
            print(_command(args, out, "--run", str(k)))
        return 0
    if args.run is not None:
        return _run_one(study, args.run, out, args.quiet)
    try:
        with stops_like_ctrl_c():
            table = _run(study, out, args)
    except KeyboardInterrupt as stopped:
        words = "interrupted; finished runs are kept, and are not repeated"
        print(f"\nflexmb: {words}; to continue: {_command(args, out)}", file=sys.stderr)
        return exit_code(stopped)
    return _finish(study, table, out, args)


def _list_shipped() -> int:
    from flexmb.case.shipped import shipped_studies
    from flexmb.commands.cases import print_titles

    print_titles(shipped_studies())
    return 0


def _command(args: argparse.Namespace, out: Path, *more: str) -> str:
    """Return the command line that repeats this call, quoted for a shell."""
    sets = [word for item in args.overrides for word in ("--set", item)]
    return shlex.join(["flexmb", "study", args.study, "-o", str(out), *sets, *more])


def _run(study: Study, out: Path, args: argparse.Namespace) -> Table:
    from flexmb.commands.progress import shown
    from flexmb.study.local import cores

    def say(words: str) -> None:
        if not args.quiet:
            print(words, file=sys.stderr, flush=True)

    where = f"on {args.scheduler}" if args.scheduler else f"{min(args.jobs or cores(), study.count)} at a time"
    say(f"{study.name}: {study.count} {'run' if study.count == 1 else 'runs'}, {where}")
    with shown(study.name, args.quiet, what="run") as progress:
        return study.run(out, args.jobs, scheduler=args.scheduler, yes=args.yes, progress=progress, say=say)


def _run_one(study: Study, index: int, out: Path, quiet: bool) -> int:
    """Execute one run; a failed run is a row of the study, not an error of the command."""
    row = study.run_one(index, out)
    if not row.done:
        print(f"flexmb: run {index} failed: {row.error}", file=sys.stderr)
    elif not quiet:
        print(f"{study.name}: run {index} is done")
    return 0


def _finish(study: Study, table: Table, out: Path, args: argparse.Namespace) -> int:
    """Print the table and draw the figures; return the exit code."""
    from flexmb.record.io.summary_json import read_summary
    from flexmb.study.folder import SUMMARY
    from flexmb.study.session import BAD_REFERENCE
    from flexmb.study.study_schema import OPTIONAL_WORKS

    expectations = read_summary(out / SUMMARY)["expectations"]
    if not args.quiet:
        print(study.title or study.name)
        _print_table(table, OPTIONAL_WORKS if study.tables.ledger else ())
        _print_notes(table)
        _print_expectations(expectations)
        print(f"results in {out}: table.csv, summary.json, runs/")
    if not args.no_figures:
        _draw(out, args.quiet)
    failed = [row for row in table.rows if not row.done]
    if failed:
        first = f"the first, run {failed[0].index}: {failed[0].error}"
        print(f"flexmb: {len(failed)} of {len(table.rows)} runs failed; {first}", file=sys.stderr)
    bad_reference = any(row.error.startswith(BAD_REFERENCE) for row in failed)
    if bad_reference or (failed and len(failed) == len(table.rows)):
        return 3
    return 1 if args.check and not all(entry["ok"] for entry in expectations) else 0


def _print_notes(table: Table) -> None:
    """Print the notes of the runs to stderr, each of them once."""
    said: dict[str, list[int]] = {}
    for row in table.rows:
        for words in row.notes:
            said.setdefault(words, []).append(row.index)
    for words, runs in list(said.items())[:MOST_NOTES]:
        which = f"run {runs[0]}" if len(runs) == 1 else f"{len(runs)} runs, the first {runs[0]}"
        print(f"note: {which}: {words}", file=sys.stderr)
    if len(said) > MOST_NOTES:
        print(f"note: {len(said) - MOST_NOTES} more notes in runs/", file=sys.stderr)


def _draw(out: Path, quiet: bool) -> None:
    """Draw the figures and write the report; print their paths and what could not be drawn."""
    from flexmb.checks.extras import install_command, missing

    if missing("plot"):  # the runs are done and their tables written: pictures can follow
        later = f"{install_command('plot')}, then the same command again"
        print(f"note: no figures and no report: matplotlib is not installed; {later}", file=sys.stderr)
        return
    from flexmb.postproc.study.write import draw_all

    drawn = draw_all(out)
    for note in drawn.notes:
        print(f"note: {note}", file=sys.stderr)
    figures = [path.stem for path in drawn.files if path.suffix == ".svg"]
    if not quiet:
        if figures:
            print(f"figures in {out / 'figures'}: {', '.join(figures)} (.svg, .pdf, .csv)")
        print(f"report: {drawn.page}")


def _print_table(table: Table, optional: Sequence[str]) -> None:
    """Print the first rows: as a ruled table on a terminal, in plain columns elsewhere."""
    rows = table.rows[:MOST_SHOWN]
    head = ["run", *table.axes, *table.numbers_without_zeros(optional)]
    cells = [[str(row.index), *(_cell(row, name) for name in head[1:])] for row in rows]
    if sys.stdout.isatty():
        _print_rich(head, cells)
    else:
        widths = [max(len(line[k]) for line in [head, *cells]) for k in range(len(head))]
        for line in [head, *cells]:
            print("  ".join(f"{word:<{width}}" for word, width in zip(line, widths, strict=True)).rstrip())
    if len(table.rows) > MOST_SHOWN:
        print(f"... and {len(table.rows) - MOST_SHOWN} more rows in table.csv")


def _print_rich(head: list[str], cells: list[list[str]]) -> None:
    from rich.console import Console
    from rich.table import Table as Lines

    from flexmb.commands.terminal import drawing_stream, visible

    lines = Lines()
    for word in head:
        lines.add_column(visible(word), overflow="fold")
    for line in cells:
        lines.add_row(*map(visible, line))
    Console(file=drawing_stream(sys.stdout), markup=False).print(lines)


def _cell(row: Any, name: str) -> str:
    value = row.value(name)
    if not row.done and name not in row.axes:
        return "failed"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _print_expectations(entries: list[dict[str, Any]]) -> None:
    from flexmb.record.summary_text import bounds_words
    from flexmb.study.expectations import asked_words

    if entries:
        print("expectations")
    for entry in entries:
        got = f"got {entry['got']:.6g}" if entry["got"] is not None else entry["why"] or "no number"
        tick = "ok  " if entry["ok"] else "FAIL"
        print(f"  {tick}  {asked_words(entry)} {bounds_words(entry)}, {got}")
