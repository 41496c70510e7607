"""A tuple of arrays behind one address, for stages (``stages.py``): its type, its memory, and the way back.

numba passes a tuple of arrays to a function by passing every number of every array: a function that takes the arrays
of a run compiles for seconds, each of them. So the tuple is written to memory once, in numba's own layout, and
functions get its address. ``arrays_at(cls)`` makes the function that gives the tuple at an address, ``parts_of(cls)``
the one that gives a part of it and costs no more than reading it; a ``Room`` keeps the arrays alive.
"""

from __future__ import annotations

import sys
import weakref
from functools import cache
from typing import Any

import numpy as np
from numba import config, types
from numba.extending import intrinsic

from flexmb.kernels.compilation.numba_inside import NeedsLiteralError, array_words, load_part, named_tuple_type

_PLAIN: dict[str, Any] = {
    "Array": types.Array(types.float64, 1, "C"),
    "Array2": types.Array(types.float64, 2, "C"),
    "Array3": types.Array(types.float64, 3, "C"),
    "IntArray": types.Array(types.int64, 1, "C"),
    "IntArray2": types.Array(types.int64, 2, "C"),
    "IndexArray": types.Array(types.uint32, 1, "C"),
    "Indices": types.Array(types.uint64, 1, "C"),
    "int": types.int64,
    "float": types.float64,
}


@cache
def tuple_type(cls: Any) -> Any:
    """Return numba's type of a named tuple, read from the words its fields are annotated with."""
    fields, known = [], vars(sys.modules[cls.__module__])
    for name, annotation in cls.__annotations__.items():
        word = getattr(annotation, "__forward_arg__", annotation)
        if word in _PLAIN:
            fields.append(_PLAIN[word])
        elif hasattr(known.get(word), "_fields"):
            fields.append(tuple_type(known[word]))
        else:
            raise TypeError(f"{cls.__name__}.{name}: no array, number or tuple is called {word}")
    return named_tuple_type(fields, cls)


def arrays_at(cls: Any) -> Any:
    """Return the function that gives the arrays and numbers of a named tuple at an address."""
    ty = tuple_type(cls)

    def _at(typingctx: Any, at: Any) -> Any:
        """Return the arrays at an address."""

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return load_part(context, builder, args[0], ty)

        return ty(types.int64), codegen

    return intrinsic(_at) if not config.DISABLE_JIT else lambda at: _rooms[int(at)].arrays  # type: ignore[attr-defined]


def _walk(ty: Any, path: str) -> tuple[list[int], Any]:
    """Return where a part of a tuple is, step by step, and its type."""
    places = []
    for name in path.split("."):
        i = list(ty.instance_class._fields).index(name)
        places.append(i)
        ty = ty.types[i]
    return places, ty


def parts_of(cls: Any) -> Any:
    """Return the function ``part(at, path)``: the part of a named tuple at an address; the path is a literal text."""
    whole = tuple_type(cls)

    def _part(typingctx: Any, at: Any, path: Any) -> Any:
        """Return the part of the tuple at the address ``at``."""
        if not isinstance(path, types.StringLiteral):
            raise NeedsLiteralError(path)
        places, ty = _walk(whole, path.literal_value)

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return load_part(context, builder, args[0], whole, places)

        return ty(types.int64, path), codegen

    def interpreted(at: int, path: str) -> Any:
        value = _rooms[int(at)].arrays
        for name in path.split("."):
            value = getattr(value, name)
        return value

    return intrinsic(_part) if not config.DISABLE_JIT else interpreted  # type: ignore[attr-defined]


def words(value: Any) -> list[int]:
    """Return a value as numba keeps it in memory, in words of eight bytes."""
    if isinstance(value, np.ndarray):
        return array_words(value)
    if isinstance(value, tuple):
        return [word for item in value for word in words(item)]
    if isinstance(value, (float, np.floating)):
        return [int(np.array([value], dtype=np.float64).view(np.int64)[0])]
    return [int(value)]


class Room:
    """A tuple of arrays and numbers in memory; keeps the arrays alive."""

    def __init__(self, arrays: Any) -> None:
        cls: Any = type(arrays)
        self.type = tuple_type(cls)
        check_types(arrays, self.type, cls.__name__)
        self.arrays = arrays
        self._memory = np.array(words(arrays), dtype=np.int64)
        _rooms[self.at] = self

    @property
    def at(self) -> int:
        """The address."""
        return int(self._memory.ctypes.data)

    def put(self, **changes: Any) -> None:
        """Put other values in the places of some."""
        fields, name = self.arrays._fields, type(self.arrays).__name__
        for field, value in changes.items():
            k = fields.index(field)
            check_types(value, self.type.types[k], f"{name}.{field}")
            first, written = len(words(self.arrays[:k])), words(value)
            self._memory[first : first + len(written)] = written
        self.arrays = self.arrays._replace(**changes)


_rooms: weakref.WeakValueDictionary[int, Room] = weakref.WeakValueDictionary()


def check_types(value: Any, ty: Any, name: str) -> None:
    """Raise TypeError unless the value has exactly the type that compiled functions take it for."""
    if isinstance(value, tuple):
        fields: Any = type(value)
        for field, item, inner in zip(fields._fields, value, ty.types, strict=True):
            check_types(item, inner, f"{name}.{field}")
    elif isinstance(ty, types.Array):
        fits = isinstance(value, np.ndarray) and value.ndim == ty.ndim and value.flags.c_contiguous
        if not (fits and value.flags.writeable and str(value.dtype) == str(ty.dtype)):
            found = f"{value.dtype}, {value.ndim}-d" if isinstance(value, np.ndarray) else type(value).__name__
            raise TypeError(f"{name} is {found} where {ty} is needed")
    elif isinstance(value, (float, np.floating)) != (ty == types.float64):
        raise TypeError(f"{name} is {type(value).__name__} where {ty} is needed")
