"""All arrays of a run behind one address.

numba passes a tuple of arrays to a function by passing every number of every array: a function that takes the two
hundred arrays of a multibody run compiles for many seconds, each of them. So the tuple is written to memory once, in
numba's own layout, and functions get its address; ``part(at, "system.rows")`` is the sub-tuple at that place, and costs
no more than reading it. The arrays must stay alive as long as the address is used, which ``MachineWorkspace`` sees to.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.core.errors import RequireLiteralValue
from numba.extending import intrinsic

from flexmb.kernels.arrays import SolverSettings
from flexmb.kernels.multibody import (
    Between,
    ContactSets,
    Laws,
    Matrices,
    Motion,
    Samples,
    Scatter,
    SchemeNumbers,
    TangentWork,
    Trial,
)
from flexmb.kernels.sparse_lu import Symbolic
from flexmb.kernels.sparse_sets import SparseProblem
from flexmb.kernels.tables import (
    Angles,
    AngleState,
    Beams,
    Blocks,
    Floating,
    Functions,
    Linear,
    Markers,
    MarkerState,
    Matrix,
    Pairs,
    Point,
    Pushes,
    Rotors,
    Rows,
    RowState,
    Springs,
    System,
    Torsions,
    Unknowns,
)
from flexmb.state import Array, IntArray


class Machine(NamedTuple):
    """Everything a run works with."""

    system: System
    point: Point
    sym: Symbolic
    scatter: Scatter
    mats: Matrices
    work: TangentWork
    motion: Motion
    trial: Trial
    sets: ContactSets
    numbers: SchemeNumbers
    settings: SolverSettings
    e: Array
    laws: Laws
    step: Array
    scratch: Array
    stages: IntArray  # addresses of the compiled stages, see ``kernels.stages``
    rare: IntArray  # those of the rare ones
    out: Samples  # where the samples of a block go
    answer: Array  # (2,) what a rare stage returns besides an integer


_NESTED: dict[str, Any] = {
    cls.__name__: cls
    for cls in (
        *(
            System,
            Point,
            Symbolic,
            Scatter,
            Matrices,
            TangentWork,
            Motion,
            Between,
            Trial,
            SchemeNumbers,
            SolverSettings,
        ),
        *(Unknowns, Functions, Linear, Matrix, Markers, MarkerState, Pairs, Angles, AngleState, Rows, RowState),
        *(Springs, Torsions, Pushes, Beams, Floating, Rotors, Blocks, Samples, ContactSets, SparseProblem, Laws),
    )
}
_PLAIN = {
    "Array": types.Array(types.float64, 1, "C"),
    "Array2": types.Array(types.float64, 2, "C"),
    "Array3": types.Array(types.float64, 3, "C"),
    "IntArray": types.Array(types.int64, 1, "C"),
    "IntArray2": types.Array(types.int64, 2, "C"),
    "IndexArray": types.Array(types.uint32, 1, "C"),
    "int": types.int64,
    "float": types.float64,
}


def numba_type(cls: Any) -> Any:
    """Return numba's type of a named tuple, read from the words its fields are annotated with."""
    fields = []
    for name, annotation in cls.__annotations__.items():
        word = getattr(annotation, "__forward_arg__", annotation)
        if word in _NESTED:
            fields.append(numba_type(_NESTED[word]))
        elif word in _PLAIN:
            fields.append(_PLAIN[word])
        else:
            raise TypeError(f"{cls.__name__}.{name}: no array, number or tuple is called {word}")
    return types.BaseTuple.from_types(tuple(fields), cls)  # type: ignore[no-untyped-call]


MACHINE = numba_type(Machine)


def _walk(path: str) -> tuple[list[int], Any]:
    """Return where a part is, step by step, and its type."""
    places, ty = [], MACHINE
    for name in path.split("."):
        i = list(ty.instance_class._fields).index(name)
        places.append(i)
        ty = ty.types[i]
    return places, ty


def _part(typingctx: Any, at: Any, path: Any) -> Any:
    """Return the part of the machine at the address ``at``; the path is a literal text."""
    if not isinstance(path, types.StringLiteral):
        raise RequireLiteralValue(path)
    places, ty = _walk(path.literal_value)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        from llvmlite import ir

        pointer = builder.inttoptr(args[0], context.get_value_type(MACHINE).as_pointer())
        zero = ir.Constant(ir.IntType(32), 0)
        for i in places:
            pointer = builder.gep(pointer, [zero, ir.Constant(ir.IntType(32), i)], inbounds=True)
        return builder.load(pointer)

    return ty(types.int64, path), codegen


part: Any = intrinsic(_part)
"""``part(at, "system.rows")``: the part of the machine at an address; the path is a literal text."""


def words(value: Any) -> list[int]:
    """Return a value as numba keeps it in memory, in words of eight bytes."""
    if isinstance(value, np.ndarray):
        return [0, 0, value.size, value.itemsize, value.ctypes.data, *value.shape, *value.strides]
    if isinstance(value, tuple):
        return [word for item in value for word in words(item)]
    if isinstance(value, (float, np.floating)):
        return [int(np.array([value], dtype=np.float64).view(np.int64)[0])]
    return [int(value)]


class MachineWorkspace:
    """A machine and its address; keeps its arrays alive."""

    def __init__(self, machine: Machine) -> None:
        _check(machine, MACHINE, "machine")
        self.machine = machine
        self._memory = np.array(words(machine), dtype=np.int64)

    def put(self, name: str, value: Any) -> None:
        """Put another value in the place of a part of the machine, which stays where it is."""
        k = Machine._fields.index(name)
        _check(value, MACHINE.types[k], f"machine.{name}")
        first = len(words(self.machine[:k]))
        written = words(value)
        self._memory[first : first + len(written)] = written
        self.machine = self.machine._replace(**{name: value})

    @property
    def at(self) -> int:
        """The address."""
        return int(self._memory.ctypes.data)


def _check(value: Any, ty: Any, name: str) -> None:
    """Raise unless the value has exactly the type that compiled functions take it for."""
    if isinstance(value, tuple):
        fields: Any = type(value)
        for field, item, inner in zip(fields._fields, value, ty.types, strict=True):
            _check(item, inner, f"{name}.{field}")
    elif isinstance(ty, types.Array):
        fits = isinstance(value, np.ndarray) and value.ndim == ty.ndim and value.flags.c_contiguous
        if not (fits and value.flags.writeable and str(value.dtype) == str(ty.dtype)):
            raise TypeError(f"{name} is {type(value).__name__} where {ty} is needed")
