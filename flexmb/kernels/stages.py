"""The heavy stages of a step, compiled apart and called by address.

numba links and optimizes a function together with all it calls, at every level of a chain of calls. Called by address
the stages are compiled once each, and the loops around them in no time. A stage takes the address of the machine and a
flag, and returns a whole number; everything else goes through the machine's arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from numba import types
from numba.extending import intrinsic

from flexmb.kernels.cache import callback

PLACE, ASSEMBLE, CONTACT, ACCOUNT, FIXED_STEP, IMPULSES = 0, 1, 2, 3, 4, 5
"""The stages, as places in ``Machine.stages``."""


class Stage:
    """A stage, compiled (or loaded from its file) when its address is first asked for."""

    def __init__(self, function: Callable[[int, int], int]) -> None:
        self.function = function

    @cached_property
    def _compiled(self) -> Any:
        return callback(self.function, types.int64(types.int64, types.int64), error_model="numpy")

    @property
    def address(self) -> int:
        """What others call."""
        return int(self._compiled.address)


def stage(function: Callable[[int, int], int]) -> Stage:
    """Make a function a stage."""
    return Stage(function)


def _call(typingctx: Any, address: Any, at: Any, flag: Any) -> Any:
    """Call the stage at an address with (at, flag)."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        from llvmlite import ir

        word = ir.IntType(64)
        function = builder.inttoptr(args[0], ir.FunctionType(word, [word, word]).as_pointer())
        return builder.call(function, [args[1], args[2]])

    return types.int64(types.int64, types.int64, types.int64), codegen


call: Any = intrinsic(_call)
"""``call(address, at, flag)``: call the stage at an address."""
