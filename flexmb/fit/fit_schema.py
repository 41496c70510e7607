"""The tables of a fit file, as pydantic models."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from flexmb.case.schema import Count, Number, Reduce, Table, Text, check_reduce

Positive = Annotated[float, Field(gt=0.0, allow_inf_nan=False)]


class ParameterTable(Table):
    """``[[parameter]]``: a key of the case to be fitted, its start value and its bounds."""

    key: Text
    start: Number
    low: Number = Field(alias="from")
    high: Number = Field(alias="to")
    log: bool = False
    name: Text = ""
    unit: Text = ""

    @model_validator(mode="after")
    def _ordered(self) -> ParameterTable:
        if not self.low < self.high:
            raise ValueError("from must be below to")
        if not self.low <= self.start <= self.high:
            raise ValueError(f"start must lie between from and to, {self.low:g} and {self.high:g}")
        if self.log and self.low <= 0.0:
            raise ValueError("log requires from > 0")
        return self

    @property
    def label(self) -> str:
        """Name in tables."""
        return self.name or self.key


class ObjectiveTable(Table):
    """``[[objective]]``: a comparison of a signal with a column of data, a number, or a run with other values."""

    signal: Text
    data: Text | None = None
    time: Text | Number | None = None
    column: Text | None = None
    factor: Number | None = None
    reduce: Reduce | None = None
    value: Number | None = None
    reference: dict[str, Any] | None = None
    sigma: Positive | None = None
    name: Text = ""

    @property
    def label(self) -> str:
        """Name in tables."""
        return self.name or self.signal

    @model_validator(mode="after")
    def _one_way(self) -> ObjectiveTable:
        ways = [key for key in ("data", "value", "reference") if getattr(self, key) is not None]
        if len(ways) != 1:
            raise ValueError("give one of data (with column), value (with reduce) and reference")
        own = {"data": ("column", "time", "factor"), "value": ("reduce", "time"), "reference": ()}
        for key in ("column", "factor", "reduce", "time"):
            if getattr(self, key) is not None and key not in own[ways[0]]:
                raise ValueError(f"{key} does not belong to an objective by {ways[0]}")
        if self.data is not None:
            if self.column is None:
                raise ValueError("column is missing: the name of the data's column")
            if self.time is not None and not isinstance(self.time, str):
                raise ValueError("time must be the name of the column of times")
        if self.value is not None:
            if isinstance(self.time, str):
                raise ValueError("time must be a number, s")
            check_reduce(self.signal, self.reduce, self.time)
        return self


class FitTables(Table):
    """A fit file."""

    title: Text = ""
    description: Text = ""
    case: Text
    method: Literal["least-squares", "nelder-mead", "optuna"] = "least-squares"
    evaluations: Count = 400
    tolerance: Positive = 1e-6
    difference: Positive = 0.02
    seed: Annotated[int, Field(strict=True, ge=0)] = 0
    set: dict[str, Any] = {}
    parameter: Annotated[list[ParameterTable], Field(min_length=1)]
    objective: Annotated[list[ObjectiveTable], Field(min_length=1)]
