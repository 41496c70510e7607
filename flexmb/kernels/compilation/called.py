"""Functions of users at an address: compiled by numba, or of Python behind a door that the compiled loops can call."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from numba import cfunc, config, types
from numba.extending import intrinsic, is_jitted

from flexmb.kernels.compilation.numba_inside import CannotCompileError, call_address, callback_signature, is_callback
from flexmb.kernels.compilation.stages import keep_failure

_NUMBER = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)


def _number_at(typingctx: Any, address: Any, t: Any) -> Any:
    """Call the function of a number at an address."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        from llvmlite import ir

        return call_address(builder, args[0], ir.DoubleType(), [args[1]])

    return types.float64(types.int64, types.float64), codegen


number_at: Any = intrinsic(_number_at)
"""``number_at(address, t)``: call the function of a number at an address."""

if config.DISABLE_JIT:  # type: ignore[attr-defined]

    def number_at(address: int, t: float) -> float:
        """Call the function of a number at an address, interpreted."""
        return float(_NUMBER(int(address))(float(t)))


def compiled_by_numba(function: Any) -> bool:
    """Tell whether a function is one of numba: ``@njit`` or ``@cfunc("float64(float64)")``."""
    return is_jitted(function) or is_callback(function)


class Door:
    """A function of a number as compiled loops call it; it must live as long as they may."""

    def __init__(self, function: Callable[[float], float]) -> None:
        def enter(t: float) -> float:
            try:
                return function(t)
            except BaseException as err:  # no exception passes through compiled functions
                keep_failure(err)
                return float("nan")

        self._kept = _NUMBER(enter)
        self.address = int(ctypes.cast(self._kept, ctypes.c_void_p).value or 0)


class CompiledDoor:
    """A function of numba as compiled loops call it; ValueError where it is no function of one number."""

    def __init__(self, function: Any) -> None:
        try:
            self._kept = function if is_callback(function) else self._made(function)
        except CannotCompileError as err:
            raise ValueError(str(err).strip().splitlines()[0]) from err
        signature = callback_signature(self._kept)
        if signature != types.float64(types.float64):
            raise ValueError(f"its signature is {signature}, not float64(float64)")
        self.address = int(self._kept.address)

    @staticmethod
    def _made(function: Any) -> Any:
        # a number of any kind that it returns becomes a float64
        return cfunc("float64(float64)")(lambda t: function(t))
