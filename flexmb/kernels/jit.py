"""The three ways our kernels are compiled; what is compiled is kept in files (``cache.py``).

``kernel`` is for functions that allocate nothing: without numba's reference counts, a call that passes a few dozen
arrays in tuples costs nanoseconds; with them, half a microsecond, as much as a tridiagonal solve of 200 unknowns.
``inner`` is the same for functions that only other kernels call: without an entry from Python they compile twice as
fast. ``allocating`` switches the counts on again for the contact solvers below it, which make small arrays.
Neither uses fastmath: sums keep their order, so the same case gives the same bits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

from flexmb.kernels.cache import keep

_F = TypeVar("_F", bound=Callable[..., Any])


def _compile(**options: bool) -> Callable[[_F], _F]:
    """Return numba's decorator with the given options, kept on disk."""

    def decorate(function: _F) -> _F:
        compiled = njit(error_model="numpy", **options)(function)  # type: ignore[call-overload]
        if compiled is not function:  # NUMBA_DISABLE_JIT leaves it as it is
            keep(compiled, function)
        return cast("_F", compiled)

    return decorate


def kernel(function: _F) -> _F:
    """Compile a function that allocates nothing."""
    return _compile(_nrt=False, no_cfunc_wrapper=True)(function)


def inner(function: _F) -> _F:
    """Compile a function that allocates nothing and is called by other kernels only."""
    return _compile(_nrt=False, no_cfunc_wrapper=True, no_cpython_wrapper=True)(function)


def allocating(function: _F) -> _F:
    """Compile a function that makes arrays."""
    return _compile(_nrt=True, no_cfunc_wrapper=True)(function)
