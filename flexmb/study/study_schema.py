"""The tables of a study file, as pydantic models."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator

from flexmb.case.schema import Bounds, Count, Number, Reduce, Table, Text, check_reduce

OPTIONAL_WORKS = ("friction", "closing", "projection")
"""Works of the ledger that are zero without friction and located events; columns of zeros are not displayed."""
LEDGER = ("initial", "final", "external", "damping", "contact", *OPTIONAL_WORKS, "numerical", "residual")
"""Columns of the table that ``ledger = true`` adds, J: initial and all works with the residual add up to final."""
RESERVED = ("index", "key", "status")
"""Columns that every table has."""
EXACT = "exact"
"""Value of ``against`` for the exact solution; any other value names a reference."""
MODES_OVER = ("frequency_hz", "omega_h")
"""Quantities that a figure of modes may have as x."""
MODES_SHOWN = ("damping", "lost", "lost_free")
"""Columns of a measure by modes that a figure may draw: MEASURE.damping and so on."""
SUMMARY_TIMES = ("summary.wall_time_s", "summary.cpu_time_s", "summary.us_per_step")
"""Signals that are computing times: they differ from run to run."""

End = Annotated[int, Field(strict=True)] | Number
"""An end of a range; integers stay integers."""
Switch = Annotated[bool, Field(strict=True)]
Name = Annotated[str, Field(strict=True, min_length=1, max_length=100)]
Names = Annotated[
    list[Text],
    BeforeValidator(lambda given: [given] if isinstance(given, str) else given),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
]
"""Several names; a single one may be a text."""
FileName = Annotated[str, Field(strict=True, pattern=r"^[A-Za-z0-9_][A-Za-z0-9_-]{0,99}$")]


class ChoiceTable(Table):
    """One choice of an axis: its label is the value in the table, ``set`` the keys of the case it changes.

    It may be another ``case``; ``names`` are values for names in braces in measures (``contacts.{contact}.gap``).
    """

    label: Name
    set: dict[str, Any] = {}
    case: Text | None = None
    names: dict[str, Text] = {}


class AxisTable(Table):
    """``[[axis]]``: a varied quantity."""

    name: Name | None = None
    key: Text | None = None
    keys: list[Text] | None = None
    choices: list[ChoiceTable] | None = None
    values: list[Any] | None = None
    start: End | None = Field(default=None, alias="from")
    end: End | None = Field(default=None, alias="to")
    count: Count | None = None
    spacing: Literal["linear", "log", "primes"] | None = None
    zip: Text | None = None
    unit: Text = ""
    label: Text = ""

    @model_validator(mode="after")
    def _complete(self) -> AxisTable:
        given = [key for key in ("key", "keys", "choices") if getattr(self, key) is not None]
        if len(given) != 1:
            raise ValueError("give one of key, keys and choices")
        ranged = {"from": self.start, "to": self.end, "count": self.count}
        some = [key for key, item in (*ranged.items(), ("spacing", self.spacing)) if item is not None]
        if self.choices is not None and (self.values is not None or some):
            raise ValueError(f"choices are the values of the axis; omit {some[0] if some else 'values'}")
        if self.choices is not None and self.name is None:
            raise ValueError("an axis of choices needs a name")
        if self.choices is None and (self.values is None) != bool(some):
            raise ValueError("give either values, or from, to and count")
        if some and (lost := [key for key, item in ranged.items() if item is None]):
            raise ValueError(f"{' and '.join(lost)} {'is' if len(lost) == 1 else 'are'} missing")
        return self


class ReferenceTable(Table):
    """``[reference.NAME]``: a run with which others are compared; it keeps the values of the axes in ``follow``."""

    set: dict[str, Any] = {}
    follow: list[Text] = []


_OWN = {
    "signal": ("reduce", "time"),
    "error": ("against", "norm", "from", "to", "relative"),
    "curve": ("points",),
    "modes": (),
    "quantity": (),
}
"""Kinds of measures, and the keys that only they have."""


class MeasureTable(Table):
    """``[[measure]]``: a number or a curve of every run."""

    name: Name
    signal: Text | None = None
    reduce: Reduce | None = None
    time: Number | None = None
    error: Text | None = None
    against: Text = EXACT
    norm: Literal["L1", "L2", "sup", "graph"] = "L1"
    start: Number | None = Field(default=None, alias="from")
    end: Number | None = Field(default=None, alias="to")
    relative: Switch = False
    curve: Text | None = None
    points: Annotated[int, Field(strict=True, ge=10)] = 500
    modes: Count | None = None
    quantity: Literal["cfl", "omega_max_h"] | None = None
    unit: Text = ""
    label: Text = ""

    @property
    def kind(self) -> str:
        """The kind of measure."""
        return next(kind for kind in _OWN if getattr(self, kind) is not None)

    @property
    def of(self) -> str:
        """The signal it needs recorded; empty if it needs none."""
        return self.signal or self.error or self.curve or ""

    @property
    def is_number(self) -> bool:
        """Whether it is a column of the table; otherwise it is an array."""
        return self.kind in ("signal", "error", "quantity")

    @model_validator(mode="after")
    def _complete(self) -> MeasureTable:
        kinds = [kind for kind in _OWN if getattr(self, kind) is not None]
        if len(kinds) != 1:
            raise ValueError(f"give one of {', '.join(_OWN)}")
        names = {"start": "from", "end": "to"}
        given = {names.get(key, key) for key in self.model_fields_set}
        own = _OWN[kinds[0]]
        if wrong := [key for keys in _OWN.values() for key in keys if key in given and key not in own]:
            raise ValueError(f"{wrong[0]} does not belong to a measure by {kinds[0]}")
        if self.start is not None and self.end is not None and not self.start < self.end:
            raise ValueError("from must be before to")
        if self.signal is not None:
            check_reduce(self.signal, self.reduce, self.time)
        return self


class FigureTable(Table):
    """``[[figure]]``: a figure of the table."""

    name: FileName
    kind: Literal["lines", "bars", "curves", "order", "work-precision", "profile", "modes"]
    title: Text = ""
    x: Text | None = None
    y: Names = []
    by: Names = []
    where: dict[str, Any] = {}
    log: Literal["", "x", "y", "xy"] | None = None
    caption: Text = ""


class RowsTable(Table):
    """Selection of one number of the table: an order, or a measure of the matching rows."""

    order: Text | None = None
    over: Text | None = None
    measure: Text | None = None
    reduce: Literal["max", "min", "mean", "first", "last"] | None = None
    where: dict[str, Any] = {}

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.order is None) == (self.measure is None):
            raise ValueError("give either order (with over) or measure")
        if (self.order is None) != (self.over is None):
            raise ValueError("over belongs to order, which needs it")
        if self.order is not None and self.reduce is not None:
            raise ValueError("an order is one number: it allows no reduce")
        return self


class ExpectTable(Bounds, RowsTable):
    """``[[expect]]``: one number of the table with its expected value."""


class StudyTables(Table):
    """A study file."""

    title: Text = ""
    description: Text = ""
    case: Text
    ledger: Switch = False
    keep: Switch = False
    set: dict[str, Any] = {}
    axis: list[AxisTable] = []
    reference: dict[str, ReferenceTable] = {}
    measure: list[MeasureTable] = []
    figure: list[FigureTable] = []
    expect: list[ExpectTable] = []

    @property
    def numbers(self) -> list[str]:
        """Columns of the table except axes, in their order."""
        return [*(m.name for m in self.measure if m.is_number), *(LEDGER if self.ledger else ())]

    @property
    def arrays(self) -> list[str]:
        """Curves and spectra that every run has."""
        return [m.name for m in self.measure if not m.is_number]

    @property
    def timed(self) -> list[str]:
        """Columns with computing times; all others are reproducible bit by bit."""
        return [m.name for m in self.measure if m.signal in SUMMARY_TIMES]
