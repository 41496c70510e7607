"""From an address to the numbers that are there."""

from __future__ import annotations

import ctypes
from typing import Any

from numba import config, types
from numba.extending import intrinsic

from flexmb.kernels.compilation.numba_inside import pointer_to


def _floats(typingctx: Any, address: Any) -> Any:
    """Return the pointer to the numbers at an address."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return pointer_to(context, builder, args[0], types.float64)

    pointer: Any = types.CPointer
    return pointer(types.float64)(types.int64), codegen


floats: Any = intrinsic(_floats)
if config.DISABLE_JIT:  # type: ignore[attr-defined]

    def floats(address: int) -> Any:
        """Return the pointer to the numbers at an address, interpreted."""
        return ctypes.cast(address, ctypes.POINTER(ctypes.c_double))
