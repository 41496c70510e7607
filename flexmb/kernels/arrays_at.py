"""A tuple of arrays behind one address, for stages (``stages.py``): its type, its memory, and the way back.

``arrays_at(cls)`` makes the function that stages call with the address; a ``Room`` keeps the arrays alive.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic

from flexmb.kernels.banded import Ldu
from flexmb.kernels.machine import words

_VECTOR, _MATRIX = types.Array(types.float64, 1, "C"), types.Array(types.float64, 2, "C")
_TYPES: dict[str, Any] = {
    "Array": _VECTOR,
    "Array2": _MATRIX,
    "IntArray": types.Array(types.int64, 1, "C"),
    "IntArray2": types.Array(types.int64, 2, "C"),
    "Ldu": types.BaseTuple.from_types((_MATRIX, _MATRIX, _VECTOR), Ldu),  # type: ignore[no-untyped-call]
}


def tuple_type(cls: Any) -> Any:
    """Return numba's type of a named tuple, read from the words its fields are annotated with."""
    if cls.__name__ not in _TYPES:
        annotated = [getattr(word, "__forward_arg__", word) for word in cls.__annotations__.values()]
        _TYPES[cls.__name__] = types.BaseTuple.from_types(tuple(_TYPES[word] for word in annotated), cls)  # type: ignore[no-untyped-call]
    return _TYPES[cls.__name__]


def arrays_at(cls: Any, *parts: Any) -> Any:
    """Return the function that gives the arrays of a named tuple at an address; ``parts`` are tuples inside it."""
    for part in parts:
        tuple_type(part)
    ty = tuple_type(cls)

    def _at(typingctx: Any, at: Any) -> Any:
        """Return the arrays at an address."""

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.load(builder.inttoptr(args[0], context.get_value_type(ty).as_pointer()))

        return ty(types.int64), codegen

    return intrinsic(_at)


class Room:
    """A tuple of arrays in memory; keeps them alive."""

    def __init__(self, arrays: Any) -> None:
        _check(arrays)
        self.arrays = arrays
        self._memory = np.array(words(arrays), dtype=np.int64)

    @property
    def at(self) -> int:
        """The address."""
        return int(self._memory.ctypes.data)

    def put(self, **changes: Any) -> None:
        """Put other arrays in the places of some."""
        self.arrays = self.arrays._replace(**changes)
        _check(self.arrays)
        self._memory[:] = words(self.arrays)


def _check(part: Any) -> None:
    """Raise unless every array has exactly the type that a stage takes it for."""
    for name, value, wanted in zip(part._fields, part, tuple_type(type(part)).types, strict=True):
        if isinstance(value, tuple):
            _check(value)
            continue
        fits = value.ndim == wanted.ndim and value.flags.c_contiguous and value.flags.writeable
        if not (fits and str(value.dtype) == str(wanted.dtype)):
            raise TypeError(f"{type(part).__name__}.{name} is {value.dtype}, {value.ndim}-d, where {wanted} is needed")
