"""The solver for many contacts as a stage: its arrays behind one address, compiled only in runs that need it."""

from __future__ import annotations

from ctypes import CFUNCTYPE, c_int64
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.extending import intrinsic

from flexmb.kernels.banded import Ldu
from flexmb.kernels.bordered import Border
from flexmb.kernels.contact_problem import Sets
from flexmb.kernels.contact_response import Response
from flexmb.kernels.contact_sets import solve_sets
from flexmb.kernels.machine import words
from flexmb.kernels.stages import raise_failed, stage


class ManyContacts(NamedTuple):
    """All that the solver works with."""

    border: Border
    response: Response
    sets: Sets


_VECTOR, _MATRIX = types.Array(types.float64, 1, "C"), types.Array(types.float64, 2, "C")
_TYPES: dict[str, Any] = {
    "Array": _VECTOR,
    "Array2": _MATRIX,
    "IntArray": types.Array(types.int64, 1, "C"),
    "Ldu": types.BaseTuple.from_types((_MATRIX, _MATRIX, _VECTOR), Ldu),  # type: ignore[no-untyped-call]
}


def _type(cls: Any) -> Any:
    """Return numba's type of a named tuple, read from the words its fields are annotated with."""
    found = [_TYPES[getattr(word, "__forward_arg__", word)] for word in cls.__annotations__.values()]
    return types.BaseTuple.from_types(tuple(found), cls)  # type: ignore[no-untyped-call]


for _cls in (Border, Response, Sets, ManyContacts):
    _TYPES[_cls.__name__] = _type(_cls)
_ALL = _TYPES["ManyContacts"]


def _at(typingctx: Any, at: Any) -> Any:
    """Return the arrays at an address."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load(builder.inttoptr(args[0], context.get_value_type(_ALL).as_pointer()))

    return _ALL(types.int64), codegen


_arrays: Any = intrinsic(_at)


@stage
def solve_many(at: int, flag: int) -> int:
    """Solve the contact problem at an address (``contact_sets.solve_sets``)."""
    many = _arrays(at)
    solve_sets(many.border, many.response, many.sets)
    return 0


class ContactRoom:
    """The arrays of the solver and their address; keeps them alive.

    ``address`` holds the address of the solver and that of the arrays; the solver is compiled when it is first called.
    """

    def __init__(self, many: ManyContacts) -> None:
        for part in many:
            _check(part)
        self.many = many
        self._memory = np.array(words(many), dtype=np.int64)
        self.address = np.array([0, self._memory.ctypes.data], dtype=np.int64)
        self.address[0] = solve_many.door(self.address, 0)

    def solve(self) -> None:
        """Solve the problem that stands in ``many.sets``."""
        CFUNCTYPE(c_int64, c_int64, c_int64)(int(self.address[0]))(int(self.address[1]), 0)
        raise_failed()


def _check(part: Any) -> None:
    """Raise unless every array has exactly the type that the stage takes it for."""
    for name, value, wanted in zip(part._fields, part, _TYPES[type(part).__name__].types, strict=True):
        if isinstance(value, tuple):
            _check(value)
            continue
        fits = value.ndim == wanted.ndim and value.flags.c_contiguous and value.flags.writeable
        if not (fits and str(value.dtype) == str(wanted.dtype)):
            raise TypeError(f"{type(part).__name__}.{name} is {value.dtype}, {value.ndim}-d, where {wanted} is needed")
