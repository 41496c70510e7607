"""Functions of time written by users in Python or compiled with numba."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from flexmb.checks.values import positive
from flexmb.errors import InputError
from flexmb.kernels.compilation.called import CompiledDoor, Door, compiled_by_numba
from flexmb.kernels.geometry.time_functions import CALLED
from flexmb.parts.time_function_base import Code, TimeFunction
from flexmb.state import Array

Given = Callable[..., Any]


class Called(TimeFunction):
    """A user-defined function of time: any Python callable, or a numba function.

    A Python callable is called in every step (a few microseconds per call), a numba function (``@njit`` or
    ``@cfunc("float64(float64)")``) by its address in the compiled loops. Schemes may evaluate it up to a step
    before the start and after the end of a run. It must be deterministic: the same time must give the same value.

    Parameters
    ----------
    function : callable
        Function of the time, s, that returns a finite number.
    rate, second : callable, optional
        Its derivatives, required by drives and moving planes; by default fourth-order finite differences.
    dt : float
        Step of these differences, s: small compared with the time scale of the function.
    where : str
        Its location, for messages.

    Raises
    ------
    InputError
        If it raises an exception, or does not return one finite number; the error has its name, the time and the
        result.
    """

    kind: ClassVar[str] = "python"

    def __init__(
        self,
        function: Given,
        rate: Given | None = None,
        second: Given | None = None,
        *,
        dt: float = 1e-4,
        where: str = "function",
    ) -> None:
        self.where = where
        for key, given in (("function", function), ("rate", rate), ("second", second)):
            if given is not None and not callable(given):
                raise InputError("must be a function of time", where=where, key=key, value=given)
        self.function, self.dt = function, positive(dt, "dt", where)
        self.compiled = compiled_by_numba(function)
        self._given: tuple[Given, Given | None, Given | None] = (function, rate, second)
        self._doors: list[Door | CompiledDoor] = []

    @property
    def name(self) -> str:
        """Name of the function where it was defined."""
        named = self.function
        while isinstance(named, functools.partial):
            named = named.func
        return str(getattr(named, "__qualname__", type(named).__name__)).rpartition("<locals>.")[2]

    def __repr__(self) -> str:
        return f"Called({self.name}{', compiled' if self.compiled else ''})"

    def at(self, t: float, order: int = 0) -> float:
        """Return the function at one time, or its first or second derivative."""
        given = self._given[order]
        if given is not None:
            return returned_number(given, (t,), self.where, self.name if order == 0 else f"{self.name}: derivative")
        d, lower = self.dt, functools.partial(self.at, order=0 if self._given[1] is None else 1)
        two_back, back, on, two_on = (lower(t + k * d) for k in (-2, -1, 1, 2))
        if order == 1 or self._given[1] is not None:
            return (8.0 * (on - back) - (two_on - two_back)) / (12.0 * d)
        return (16.0 * (on + back) - (two_on + two_back) - 30.0 * lower(t)) / (12.0 * d * d)

    def _each(self, t: Array | float, order: int) -> Array:
        times = np.asarray(t, dtype=np.float64)
        return np.array([self.at(s, order) for s in times.ravel().tolist()], dtype=np.float64).reshape(times.shape)

    def value(self, t: Array | float) -> Array:
        """Return the value at ``t``."""
        return self._each(t, 0)

    def rate(self, t: Array | float) -> Array:
        """Return the derivative at ``t``."""
        return self._each(t, 1)

    def second(self, t: Array | float) -> Array:
        """Return the second derivative at ``t``."""
        return self._each(t, 2)

    def code(self) -> Code:
        """Return kind and numbers: the addresses of the function and its derivatives."""
        if not self._doors:
            self._doors = [self._door(order) for order in range(3)]
        # an address of a process has at most 48 bits, so it is exact as a float64
        return CALLED, np.array([door.address for door in self._doors], dtype=np.float64)

    def _door(self, order: int) -> Door | CompiledDoor:
        given = self._given[order]
        if given is None or not compiled_by_numba(given):
            return Door(lambda t: self.at(t, order))
        try:
            door = CompiledDoor(given)
        except ValueError as err:
            message = f"numba cannot compile a function float64(float64) from '{self.name}': {err}"
            raise InputError(message, where=self.where) from None
        self.at(0.0, order)  # the result is checked once; a later NaN is detected in the motion
        return door


class Sampled(Called):
    """A function of time and of the motion of a node: sampled at the start of each step, reached at its end.

    It acts one step late, linearly interpolated from sample to sample, like a controller with a delay of one step: the
    error is of first order in the step, and the force has no jumps.

    Parameters
    ----------
    function : callable
        Of the time, s, and of position, m, and velocity, m/s, of the node, (3,) arrays; returns a finite number.
    node : str
        Node whose motion it receives.
    where : str
        Its location, for messages.
    """

    def __init__(self, function: Given, node: str, *, where: str = "function") -> None:
        self._from = self._to = (0.0, 0.0)
        super().__init__(self._between, where=where)
        self.function, self.node, self.compiled = function, node, False

    def _between(self, t: float) -> float:
        (t0, f0), (t1, f1) = self._from, self._to
        share = 1.0 if t1 <= t0 else min(max((t - t0) / (t1 - t0), 0.0), 1.0)
        return f0 + share * (f1 - f0)

    def sample(self, t: float, h: float, position: Array, velocity: Array, first: bool = False) -> None:
        """Sample the value at t for the time t + h; the first sample is also used at t."""
        value = returned_number(self.function, (t, position, velocity), self.where, self.name)
        self._from, self._to = (t, value if first else self._to[1]), (t + h, value)


def takes_motion(function: object) -> bool:
    """Return whether a callable has three arguments: the time, position and velocity of a node."""
    if not callable(function) or isinstance(function, Called):
        return False
    try:
        parameters = inspect.signature(getattr(function, "py_func", function)).parameters.values()
    except (TypeError, ValueError):  # written in C: its signature is unknown
        return False
    needed = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and p.default is p.empty]
    return len(needed) == 3


def returned_number(function: Given, arguments: tuple[Any, ...], where: str, name: str) -> float:
    """Call a user's function and return its number; otherwise InputError with name, time and result."""
    t = float(arguments[0])
    try:
        answer = function(*arguments)
    except Exception as err:
        message = f"the function '{name}' raised {type(err).__name__} at t = {t:.9g} s: {err}"
        raise InputError(message, where=where) from err
    shape = np.shape(answer) if isinstance(answer, np.ndarray | list | tuple) else ()
    number = math.nan
    if math.prod(shape) == 1 and len(shape) <= 1 and not isinstance(answer, bool | str | bytes | complex):
        try:
            number = float(np.asarray(answer, dtype=np.float64).reshape(()))
        except (TypeError, ValueError):
            number = math.nan
    if math.isfinite(number):
        return number
    what = f"an array of shape {shape}" if shape not in ((), (1,)) else repr(answer)
    message = f"the function '{name}' returned {what} at t = {t:.9g} s; it must return one finite number"
    raise InputError(message, where=where)
