"""The compilation modes of kernels; compiled code is cached in files (``cache.py``).

``kernel`` is for functions that allocate nothing: without numba's reference counts, a call that passes a few dozen
arrays in tuples costs nanoseconds; with them, half a microsecond, as much as a tridiagonal solve of 200 unknowns.
``inner`` is the same for functions that only other kernels call. ``allocating`` switches the counts on again for the
contact solvers below it, which make small arrays. None uses fastmath: sums keep their order, so the same case gives the
same bits.

What another kernel calls is a loose form of the function, which becomes machine code as a part of its caller only
(``numba_inside.py``).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit
from numba.extending import overload

from flexmb.kernels.compilation.cache import LOOSE_FORM, keep
from flexmb.kernels.compilation.numba_inside import ENTRY, KNOWN, LOOSE, called_as, counting

_F = TypeVar("_F", bound=Callable[..., Any])

INNER: Any = {**LOOSE, **counting(False), "error_model": "numpy", "no_cpython_wrapper": True}
"""Options of functions made by ``numba.extending.overload``: those of ``inner``."""


def _compile(function: _F, counts: bool, from_python: bool) -> _F:
    """Return numba's compiled form of a function, kept on disk, with numba's reference counts or without."""
    options: Any = {**counting(counts), "error_model": "numpy", "no_cfunc_wrapper": True}
    compiled: Any = njit
    loose = compiled(no_cpython_wrapper=KNOWN or not from_python, **LOOSE, **options)(function)
    if loose is function:  # NUMBA_DISABLE_JIT leaves it as it is
        return function
    keep(loose, function, form=LOOSE_FORM if from_python else "")
    if not (from_python and KNOWN):
        return cast("_F", loose)
    entry = compiled(**ENTRY, **options)(function)
    keep(entry, function)
    called_as(entry, loose)
    return cast("_F", entry)


def kernel(function: _F) -> _F:
    """Compile a function that allocates nothing."""
    return _compile(function, counts=False, from_python=True)


def inner(function: _F) -> _F:
    """Compile a function that allocates nothing and is called by other kernels only."""
    return _compile(function, counts=False, from_python=False)


def formula(function: _F) -> _F:
    """Make a plain function of numbers callable from kernels; Python calls it unchanged, also with arrays."""

    def compiled(*args: Any) -> Any:
        return function

    overload(function, jit_options=INNER, strict=False)(compiled)
    return function


def allocating(function: _F) -> _F:
    """Compile a function that makes arrays."""
    return _compile(function, counts=True, from_python=True)
