"""The fixed tables of a case file, as pydantic models. Parts (bodies, joints, ...) are in ``part_tables``."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from flexmb.checks.values import COMPONENTS

Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Count = Annotated[int, Field(strict=True, ge=1)]
Positive = Annotated[float, Field(strict=True, gt=0, allow_inf_nan=False)]
Tolerance = Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)]
Text = Annotated[str, Field(strict=True)]


class Table(BaseModel):
    """A table that allows known keys only."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class TimeTable(Table):
    """``[time]``: start, end, and step, steps or tolerance; ``simulate.grid_of`` checks that they fit together."""

    start: Number = 0.0
    end: Number
    step: Number | None = None
    steps: Annotated[int, Field(strict=True)] | None = None
    tolerance: Number | None = None
    events: bool | None = None


class SolverTable(Table):
    """``[solver]``: solver of the contact problems; the ranges are checked by the solver."""

    name: Text = "auto"
    tolerance: Number = 1e-10
    max_iterations: Annotated[int, Field(strict=True, ge=0)] = 0


class OutputTable(Table):
    """``[output]``: samples every ``every`` steps, full states every ``fields_every``; ``interval`` is the distance of
    samples if a tolerance controls the steps.
    """  # noqa: D205

    every: Count = 1
    interval: Number | None = None
    fields_every: Count | None = None
    signals: list[Text] | None = None
    checkpoint_every: Positive = 20.0


class GravityTable(Table):
    """``[gravity]``: acceleration, m/s^2."""

    acceleration: Annotated[list[Number], Field(min_length=3, max_length=3)]

    @field_validator("acceleration", mode="before")
    @classmethod
    def _components(cls, value: object) -> object:
        if isinstance(value, int | float):
            raise ValueError(f"must be {COMPONENTS}")
        return value


class InitialTable(Table):
    """``[initial]``: the static response to the named loads is the initial shape; they are released at the start.

    With ``steady`` the run starts in the steady motion under all loads. With ``project`` initial values that violate
    joints or contacts are projected to the nearest admissible ones. Contacts may start ``penetration`` inside, m.
    """

    static: list[Text] = []
    steady: Annotated[bool, Field(strict=True)] = False
    project: Annotated[bool, Field(strict=True)] = False
    penetration: Number = 0.0


class ExactTable(Table):
    """``[exact]``: the closed-form solution of the case, for the named body and contact."""

    solution: Text
    body: Text
    contact: Text


Reduce = Literal["sum", "max", "min", "first", "last", "mean", "at"]


class Bounds(Table):
    """Bounds of an expected number."""

    value: Number | None = None
    rtol: Tolerance | None = None
    atol: Tolerance | None = None
    at_least: Number | None = None
    at_most: Number | None = None
    source: Text = ""

    @model_validator(mode="after")
    def _bounded(self) -> Self:
        bounded = self.at_least is not None or self.at_most is not None
        if (self.value is None) != bounded:
            raise ValueError("give either value (with rtol or atol), or at_least and at_most (one or both)")
        if self.value is not None and self.rtol is None and self.atol is None:
            raise ValueError("value needs rtol or atol, otherwise only bitwise equal numbers would pass")
        if self.value is None and (self.rtol is not None or self.atol is not None):
            raise ValueError("rtol and atol belong to value, not to at_least or at_most")
        return self


class SignalTable(Table):
    """One number of a result: a signal and the reduction of its samples."""

    signal: Text
    reduce: Reduce | None = None
    time: Number | None = None

    @model_validator(mode="after")
    def _reduced(self) -> Self:
        check_reduce(self.signal, self.reduce, self.time)
        return self


class ExpectTable(Bounds, SignalTable):
    """``[[expect]]``: one number of the result, and its expected value or bounds."""


def check_reduce(signal: str, reduce: str | None, time: float | None) -> None:
    """Raise ValueError unless the signal is reduced to one number."""
    if signal.startswith(("summary.", "analysis.")):
        if reduce is not None or time is not None:
            raise ValueError(
                "a number of the summary or of an analysis is one number: it allows neither reduce nor time"
            )
        return
    if (reduce == "at") != (time is not None):
        raise ValueError('time is required for, and only allowed with, reduce = "at"')
    if reduce is None:
        raise ValueError("reduce is missing; allowed: sum, max, min, first, last, mean, at")


class CaseTables(Table):
    """A case file without its parts and its scheme, whose keys depend on their kind."""

    title: Text = ""
    description: Text = ""
    time: TimeTable
    solver: SolverTable = SolverTable()
    output: OutputTable = OutputTable()
    gravity: GravityTable | None = None
    initial: InitialTable = InitialTable()
    exact: ExactTable | None = None
    expect: list[ExpectTable] = []
