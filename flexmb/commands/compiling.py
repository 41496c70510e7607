"""A word before the first run on a machine, which compiles the time loop and looks as if it hung."""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flexmb.case import Case

WORDS = "compiling the time loop for this family of schemes (first time on this machine, one to two minutes) ..."
WORDS_LARGE = "compiling what moves bodies and joints (first time on this machine, a few minutes) ..."


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


def will_compile_large() -> bool:
    """Tell whether the compiled loop of large motion is missing from numba's files; it is one for all schemes."""
    with contextlib.suppress(Exception):
        from flexmb.kernels.multibody_march import march_multibody

        return not _compiled(march_multibody)
    return False


def _compiled(loop: Any) -> list[Any]:
    """Return the signatures of a loop that numba keeps for this machine."""
    here = loop.targetctx.codegen().magic_tuple()
    return [key for key in loop._cache._cache_file._load_index() if key[1] == here]


def will_compile(scheme: Any) -> bool:
    """Tell whether the compiled loop of a scheme is missing from numba's files; False when that cannot be found out.

    numba has no public way to ask, so its index is read as it is today; should it change, nothing is said.
    """
    with contextlib.suppress(Exception):
        from flexmb.engines.compiled import has_compiled_step
        from flexmb.kernels.march import march

        found = any(str(key[0][0]).startswith(_choice(scheme)) for key in _compiled(march))
        return has_compiled_step(scheme) and not found
    return False


def _choice(scheme: Any) -> str:
    """Return the name of the loop's argument that stands for the family of a scheme; the loop is compiled for each."""
    from flexmb.kernels.arrays import AlphaChoice, MoreauChoice, SchatzmanChoice
    from flexmb.schemes import MoreauJean, SchatzmanPaoli

    if isinstance(scheme, MoreauJean):
        return MoreauChoice.__name__
    return (SchatzmanChoice if isinstance(scheme, SchatzmanPaoli) else AlphaChoice).__name__
