"""A word before the first run on a machine, which compiles the time loop and looks as if it hung."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from flexmb.engines.compiled_files import WORDS, WORDS_LARGE, will_compile, will_compile_large

if TYPE_CHECKING:
    from flexmb.case import Case


def announce(plan: Any, quiet: bool) -> str:
    """Say on stderr that a run of ``plan`` compiles first, if it does; return the word for what it does first."""
    if not quiet and plan.system.constant and will_compile(plan.scheme):
        print(WORDS, file=sys.stderr, flush=True)
        return "compiling"
    return "starting"


def announce_large(case: Case, quiet: bool) -> str:
    """Say on stderr that a case in large motion compiles first, already to be assembled; return the word, or none."""
    if not quiet and case.model().large_motion and will_compile_large():
        print(WORDS_LARGE, file=sys.stderr, flush=True)
        return "compiling"
    return ""
