"""The command line. Every command is a file in ``flexmb.commands``; errors become one paragraph and an exit code."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from flexmb.commands import COMMANDS
from flexmb.errors import FlexmbError, InputError

DONE, FAILED_EXPECTATION, WRONG_INPUT, FAILED_RUN, INTERRUPTED = 0, 1, 2, 3, 130
"""Exit codes."""


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the ``flexmb`` command."""
    everywhere = argparse.ArgumentParser(add_help=False)
    everywhere.add_argument("--debug", action="store_true", default=argparse.SUPPRESS, help="show tracebacks")
    parser = argparse.ArgumentParser(
        prog="flexmb",
        description="Finite-element flexible multibody dynamics with hard unilateral contact.",
        epilog="Exit codes: 0 done, 1 an expectation failed, 2 the input is wrong, 3 the simulation failed.",
        parents=[everywhere],
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version and exit")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for name, command in COMMANDS.items():
        words = (command.__doc__ or "").strip().splitlines()[0].rstrip(".")
        sub = commands.add_parser(name, help=words, description=words + ".", parents=[everywhere])
        command.arguments(sub)
        sub.set_defaults(main=command.main)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code."""
    parser = build_parser()
    args = parser.parse_args(argv)
    if not hasattr(args, "main"):  # no command: show which there are
        parser.print_help()
        return DONE
    try:
        return int(args.main(args))
    except BrokenPipeError:
        # the reader of our output (head, less) has had enough
        sys.stderr.close()
        return DONE
    except (Exception, KeyboardInterrupt) as err:
        if getattr(args, "debug", False):
            raise
        words, code = _explain(err)
        print(f"flexmb: {words}", file=sys.stderr)
        return code


def _explain(err: BaseException) -> tuple[str, int]:
    """Return an error in words and its exit code."""
    if isinstance(err, InputError):
        return f"error: {err}", WRONG_INPUT
    if isinstance(err, FlexmbError):
        return f"error: {err}", FAILED_RUN
    if isinstance(err, KeyboardInterrupt):
        return "interrupted", INTERRUPTED
    if isinstance(err, OSError) and err.filename is not None:  # the disk or the reader's rights, not our work
        return f"error: '{err.filename}' cannot be used: {err.strerror or err}", WRONG_INPUT
    return f"internal error: {type(err).__name__}: {err} (--debug shows where)", FAILED_RUN


class _Version(argparse.Action):
    """``--version`` looks the version up only when asked."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        """Print the version and leave."""
        from flexmb.summary import versions

        parser.exit(message=f"flexmb {versions()['flexmb']}\n")
