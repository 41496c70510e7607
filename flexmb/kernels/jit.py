"""The three ways our kernels are compiled.

``kernel`` is for functions that allocate nothing: without numba's reference counts, a call that passes a few dozen
arrays in tuples costs nanoseconds; with them, half a microsecond, as much as a tridiagonal solve of 200 unknowns.
``inner`` is the same for functions that only other kernels call: without an entry from Python they compile twice as
fast. ``allocating`` switches the counts on again for the contact solvers below it, which make small arrays.
Neither uses fastmath: sums keep their order, so the same case gives the same bits.
"""

from __future__ import annotations

from numba import njit

kernel = njit(cache=True, _nrt=False, no_cfunc_wrapper=True)
inner = njit(cache=True, _nrt=False, no_cfunc_wrapper=True, no_cpython_wrapper=True)
allocating = njit(cache=True, _nrt=True, no_cfunc_wrapper=True)
