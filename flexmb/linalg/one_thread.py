"""BLAS with one thread, for eigenvalues of many small matrices.

Threads accelerate products of large matrices. For a few hundred unknowns synchronization dominates: a Campbell map then
takes ten times as long on a machine with many cores as with one thread.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

SMALL = 500
"""Number of unknowns up to which one thread is fastest."""


@contextmanager
def one_thread(unknowns: int) -> Iterator[None]:
    """Restrict BLAS and LAPACK to one thread if there are few unknowns."""
    if unknowns > SMALL:
        yield
        return
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1, user_api="blas"):
        yield
