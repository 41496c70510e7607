"""The command line. Every command is a module of ``flexmb.commands``; errors print a message and set an exit code."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from flexmb.commands import COMMANDS, load
from flexmb.commands.doc_line import doc_line
from flexmb.commands.needed_extras import missing_extra, require_extras
from flexmb.commands.terminal import safe_output
from flexmb.errors import FlexmbError, InputError
from flexmb.record.run_warnings import folder_warnings_as_notes, no_run_warnings

DONE, FAILED_EXPECTATION, WRONG_INPUT, FAILED_RUN, INTERRUPTED = 0, 1, 2, 3, 130
"""Exit codes."""


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the ``flexmb`` command."""
    everywhere = argparse.ArgumentParser(add_help=False)
    everywhere.add_argument("--debug", action="store_true", default=argparse.SUPPRESS, help="show tracebacks")
    parser = argparse.ArgumentParser(
        prog="flexmb",
        description="Finite-element flexible multibody dynamics with hard unilateral contact.",
        epilog="Exit codes: 0 success, 1 an expectation failed, 2 invalid input, 3 the simulation failed.",
        parents=[everywhere],
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version and exit")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for name, command in COMMANDS.items():
        words = doc_line(command).rstrip(".")
        sub = commands.add_parser(name, help=words, description=words + ".", parents=[everywhere])
        command.arguments(sub)
        sub.set_defaults(main=command.main, command=name)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code."""
    leaving, code = None, DONE
    with safe_output() as (out, said):
        try:
            try:
                code = _answer(argv)
            except SystemExit as err:  # of --help, --version and wrong options
                leaving, code = err, err.code if isinstance(err.code, int) else DONE
            out.flush()
        except BrokenPipeError:  # the reader of the output (head, less) has closed the pipe
            out.abandon()
        if out.error is not None:
            print(f"flexmb: error: stdout cannot be written: {out.error.strerror}", file=sys.stderr)
            code = code or WRONG_INPUT
        for stream in (out, said):
            if stream.error is not None:
                stream.abandon()
    if leaving is not None:
        raise SystemExit(code)
    return code


def _answer(argv: Sequence[str] | None) -> int:
    """Run the command given by ``argv`` and return the exit code; errors are printed to stderr."""
    parser = build_parser()
    args = parser.parse_args(argv)
    if not hasattr(args, "main"):  # no command: list the commands
        parser.print_help()
        return DONE
    try:
        # the commands print the notes of runs
        with no_run_warnings(), folder_warnings_as_notes(getattr(args, "quiet", False)):
            require_extras(args.command, args)
            load(args.command)
            return int(args.main(args))
    except BrokenPipeError:
        raise
    except (Exception, KeyboardInterrupt) as err:
        if getattr(args, "debug", False):
            raise
        words, code = _explain(err)
        print(f"flexmb: {words}", file=sys.stderr)
        return code


def _explain(err: BaseException) -> tuple[str, int]:
    """Return the message of an error and its exit code."""
    if isinstance(err, ImportError):
        err = missing_extra(err)
    if isinstance(err, InputError):
        return f"error: {err}", WRONG_INPUT
    if isinstance(err, FlexmbError):
        return f"error: {err}", FAILED_RUN
    if isinstance(err, KeyboardInterrupt):
        return "interrupted", INTERRUPTED
    if isinstance(err, OSError):  # disk or file permissions
        if not _has_working_folder():
            return "error: the current folder has been removed; change to an existing one", WRONG_INPUT
        if err.filename is not None:
            return f"error: '{err.filename}' cannot be used: {err.strerror or err}", WRONG_INPUT
        return f"error: {err}", WRONG_INPUT
    if isinstance(err, MemoryError):
        return f"error: there is not enough memory: {err}", FAILED_RUN
    return f"internal error: {type(err).__name__}: {err} (--debug shows the traceback)", FAILED_RUN


def _has_working_folder() -> bool:
    try:
        os.getcwd()
    except OSError:
        return False
    return True


class _Version(argparse.Action):
    """The ``--version`` option; the version is looked up only when it is requested."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        """Print the version and exit."""
        from flexmb.record.summary import versions

        parser.exit(message=f"flexmb {versions()['flexmb']}\n")
