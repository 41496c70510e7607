"""The heavy or rare stages of a step, compiled apart and called by address.

A loop that calls a stage by its address is compiled without it, and an edit in one of them leaves the other as it is. A
stage takes the address of the machine and a flag, and returns an integer; everything else goes through the
machine's arrays. A *rare* stage is compiled (or loaded from its file) when it is first called: until then its address
is that of a door, a function of Python that does so and puts the stage in its place.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numba import config, types
from numba.extending import intrinsic

from flexmb.kernels.compilation.cache import callback
from flexmb.kernels.compilation.numba_inside import call_address, counting, data_address
from flexmb.state import Array, IntArray

PLACE, ASSEMBLE, CONTACT, ACCOUNT, FIXED_STEP, IMPULSES, BESIDE_WORKS, BEGIN = range(8)
"""The stages, as places in ``Machine.stages``; ACCOUNT and BEGIN are the scheme's."""

FLOATING_STAGE, BEAMS_STAGE, ROTORS_STAGE, CORNER_STAGE, BETWEEN_STAGE, EVALUATE_STAGE, TANGENTS_STAGE = range(7)
ROWS_BESIDE_STAGE, CONES_STAGE, FRICTION_CORNER_STAGE = 7, 8, 9
BEND_STAGE, INSIDE_STAGE, REDUNDANT_STAGE, AHEAD_STAGE, HARD_CONES_STAGE = 10, 11, 12, 13, 14
"""The rare stages, as places in ``Machine.rare``; each has the arguments of ``call`` or of ``ask``, those of cones
their own."""

RATES, FREE, ROWS, LEVELS, ADD, WORKS = range(6)
"""What the stage of the rows beside the normals is asked for (``side_rows.py``)."""

FORCES, MOMENTUM, TANGENTS = 0, 1, 2
"""Functions that bodies of a kind provide (``features.py``)."""

_WORD, _NUMBER = ctypes.c_int64, ctypes.c_double
_C = ctypes.CFUNCTYPE(_WORD, _WORD, _WORD)
_ASKED = ctypes.CFUNCTYPE(_WORD, _WORD, _WORD, _NUMBER, _NUMBER, _WORD, _WORD, _WORD)
_SIGNATURES = {
    _C: types.int64(types.int64, types.int64),
    _ASKED: types.int64(*2 * (types.int64,), *2 * (types.float64,), *3 * (types.int64,)),
}
_failed: list[BaseException] = []


class Stage:
    """A stage, compiled (or loaded from its file) when its address is first asked for.

    ``otherwise`` is what a door returns when the stage could not be compiled, or the user stopped it. One that makes
    no arrays does without numba's reference ``counts``.
    """

    def __init__(self, function: Callable[..., int], otherwise: int = 0, kind: Any = _C, counts: bool = True) -> None:
        self.function = function
        self.counts = counts
        self.otherwise = otherwise
        self.kind = kind
        self._doors: list[Any] = []

    @cached_property
    def _compiled(self) -> Any:
        if config.DISABLE_JIT:  # type: ignore[attr-defined]
            return self.kind(self.function)
        return callback(self.function, _SIGNATURES[self.kind], error_model="numpy", **counting(self.counts)).ctypes

    def compile(self) -> None:
        """Compile the stage, or load it."""
        assert self.address

    def __call__(self, *args: Any) -> int:
        """Call the stage from Python."""
        answer = int(self._compiled(*args))
        raise_failed()
        return answer

    @property
    def address(self) -> int:
        """The address by which compiled code calls the stage."""
        return _address(self._compiled)

    def door(self, table: IntArray | None = None, place: int = 0) -> int:
        """Return the address to call for a rare stage; the stage itself goes to its place in ``table`` when called."""
        if "_compiled" in self.__dict__:
            return self.address

        def enter(*args: Any) -> int:
            try:
                if table is not None:
                    table[place] = self.address
                return int(self._compiled(*args))
            except BaseException as err:  # no exception passes through compiled functions
                _failed.append(err)
                return self.otherwise

        self._doors.append(self.kind(enter))  # they must live as long as anyone may call them
        return _address(self._doors[-1])


def _address(function: Any) -> int:
    return int(ctypes.cast(function, ctypes.c_void_p).value or 0)


def doors_of(*stages: Stage) -> IntArray:
    """Return the table of addresses by which others call rare stages."""
    table = np.zeros(len(stages), dtype=np.int64)
    for k, stage_k in enumerate(stages):
        table[k] = stage_k.door(table, k)
    return table


def keep_failure(err: BaseException) -> None:
    """Store an exception of a Python callback until the loop has returned."""
    _failed.append(err)


def raise_failed() -> None:
    """Raise the stored exception of a Python callback, if any, once the loop has returned."""
    if _failed:
        err = _failed[0]
        _failed.clear()
        raise err


def stage(function: Callable[[int, int], int]) -> Stage:
    """Make a function a stage."""
    return Stage(function)


@stage
def no_stage(at: int, flag: int) -> int:
    """Do nothing, where there is no scheme or it has no such stage."""
    return 0


class SchemeStages(NamedTuple):
    """The stages of large motion that a scheme brings along (``kernels.multibody.multibody``).

    ``begin`` writes c1 and d1 of the step whose size and time are in ``Machine.step`` (flag 0), and (flag 1) what is
    known of its equations, c and d0, and a first guess. ``account`` writes what the step did, term by term, and makes
    its end the state of the motion; it returns 1 and leaves the motion as it was when the scheme has added energy out
    of nothing, 2 when the balance stays open. In the form CENTRED ``place`` moves a trial and evaluates the system
    there, and ``start(at, h) -> (status, where, residual)``, a kernel, goes ahead from the start.
    """

    begin: Stage
    account: Stage
    place: Stage = no_stage
    start: Any = None


NO_STAGES = SchemeStages(no_stage, no_stage)
"""Those of a machine for questions."""


def asked(function: Callable[[int, int, float, float, int, int, int], int]) -> Stage:
    """Make a function a stage that ``ask`` calls."""
    return Stage(function, kind=_ASKED)


def _call(typingctx: Any, address: Any, at: Any, flag: Any) -> Any:
    """Call the stage at an address with (at, flag)."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        from llvmlite import ir

        return call_address(builder, args[0], ir.IntType(64), [args[1], args[2]])

    return types.int64(types.int64, types.int64, types.int64), codegen


call: Any = intrinsic(_call)
"""``call(address, at, flag)``: call the stage at an address."""


def _ask(typingctx: Any, address: Any, at: Any, flag: Any, t: Any, c: Any, q: Any, v: Any, p: Any) -> Any:
    """Call the stage at an address with (at, flag, t, c) and where the vectors q, v and p are."""
    vector = types.Array(types.float64, 1, "C")

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        from llvmlite import ir

        places = [data_address(context, builder, vector, x) for x in args[5:]]
        return call_address(builder, args[0], ir.IntType(64), [*args[1:5], *places])

    words, numbers = 3 * (types.int64,), 2 * (types.float64,)
    return types.int64(*words, *numbers, vector, vector, vector), codegen


ask: Any = intrinsic(_ask)
"""``ask(address, at, flag, t, c, q, v, p)``: call a rare stage with two numbers and three vectors."""

if config.DISABLE_JIT:  # type: ignore[attr-defined]

    def call(address: int, at: int, flag: int) -> int:
        """Call the stage at an address, interpreted."""
        return int(_C(int(address))(int(at), int(flag)))

    def ask(address: int, at: int, flag: int, t: float, c: float, q: Array, v: Array, p: Array) -> int:
        """Call a rare stage, interpreted."""
        return int(_ASKED(int(address))(int(at), int(flag), t, c, *(int(x.ctypes.data) for x in (q, v, p))))
