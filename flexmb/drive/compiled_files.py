"""Detection of loops that are not yet compiled on this machine: the first run of a family of schemes compiles them."""

from __future__ import annotations

import contextlib
from typing import Any

WORDS = "compiling the time loop for this family of schemes (first time on this machine, ten seconds or more) ..."
WORDS_LARGE = "compiling the equations of bodies and joints (first time on this machine, half a minute or more) ..."


def will_compile_large() -> bool:
    """Return whether the compiled loop of large motion is missing from the cache; it is common to all schemes."""
    with contextlib.suppress(Exception):
        from flexmb.kernels.compilation.cache import kept_signatures
        from flexmb.kernels.multibody_steps.multibody_march import march_multibody

        return not kept_signatures(march_multibody)
    return False


def will_compile(scheme: Any) -> bool:
    """Return whether the compiled loop of a scheme is missing from the cache; False if that cannot be determined.

    What is kept is known only where compiled files are (``kernels/compilation/cache.py``); elsewhere nothing is said.
    """
    with contextlib.suppress(Exception):
        from flexmb.kernels.compilation.cache import is_kept, kept_signatures
        from flexmb.kernels.small_motion.march import STEPS, march

        parameters = scheme.compiled_step(1.0)
        if parameters is None:
            return False
        return not (kept_signatures(march) and is_kept(STEPS[type(parameters)].function))
    return False


def family_of(scheme: Any) -> str:
    """Return the name of the type of parameters that a scheme passes to the loop; a step is compiled for each."""
    return type(scheme.compiled_step(1.0)).__name__
