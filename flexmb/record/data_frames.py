"""Results and study tables as pandas and xarray objects, under the names that case files use for signals."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from flexmb.checks.extras import MissingExtra
from flexmb.record.io.friction_rows import ABOUT_AXES, ALONG_TANGENTS
from flexmb.record.io.structure import Tree, unit
from flexmb.record.samples import ENERGY_COLUMNS
from flexmb.record.series import FRICTION_WORDS, Contacts, EnergySeries, Joints, Signals
from flexmb.state import Array

if TYPE_CHECKING:
    import pandas
    import xarray


class Recorded(Protocol):
    """Attributes of a result that are used here."""

    tree: Tree
    summary: dict[str, Any]

    @property
    def time(self) -> Array: ...  # noqa: D102
    @property
    def signals(self) -> Signals: ...  # noqa: D102
    @property
    def contacts(self) -> Contacts: ...  # noqa: D102
    @property
    def joints(self) -> Joints: ...  # noqa: D102
    @property
    def energy(self) -> EnergySeries: ...  # noqa: D102


class Runs(Protocol):
    """Attributes of the table of a study that are used here."""

    @property
    def rows(self) -> Sequence[Any]: ...  # noqa: D102
    @property
    def axes(self) -> list[str]: ...  # noqa: D102
    @property
    def numbers(self) -> list[str]: ...  # noqa: D102
    @property
    def error_column(self) -> str: ...  # noqa: D102
    def values(self, axis: str) -> list[Any]: ...  # noqa: D102


CONTACT = ("gap", "velocity", "impulse", "force")
ROWS = dict.fromkeys(ALONG_TANGENTS, "tangent") | dict.fromkeys(ABOUT_AXES, "turn")
"""Labels of contact columns that do not correspond to single contacts of a group."""
JOINT = ("force", "impulse", "position_error", "velocity_error")


def series_of(result: Recorded) -> Iterator[tuple[str, Array, str]]:
    """Yield all data recorded at the samples: name, (n+1,) or (n+1, k) array, unit."""
    for name in result.signals:
        yield name, result.signals[name], unit(f"/signals/{name}")
    for name, contact in result.contacts.items():
        for what in (*CONTACT, *(word for word in FRICTION_WORDS if contact.has(word))):
            yield f"contacts.{name}.{what}", getattr(contact, what), unit(f"/contacts/{name}/{what}")
    for name, joint in result.joints.items():
        for what in JOINT:
            yield f"joints.{name}.{what}", getattr(joint, what), unit(f"/joints/{name}/{what}")
    if "/energy/kinetic" in result.tree:
        for what in (*ENERGY_COLUMNS, "total"):
            if what == "total" or f"/energy/{what}" in result.tree:
                yield f"energy.{what}", getattr(result.energy, what), "J"


def result_to_pandas(result: Recorded) -> pandas.DataFrame:
    """Return the recorded quantities as a table with one row per sample and one column per vector component."""
    pandas = _needed("pandas")
    columns: dict[str, Array] = {}
    for name, values, _ in series_of(result):
        if values.ndim == 1:
            columns[name] = values
            continue
        for k, tag in enumerate(_tags(name, values.shape[1])):
            columns[f"{name}.{tag}"] = values[:, k]
    return pandas.DataFrame(columns, index=pandas.Index(result.time, name="time"))


def result_to_xarray(result: Recorded) -> xarray.Dataset:
    """Return the recorded data as a dataset over ``time``; vectors have a dimension ``axis``, groups their own."""
    xarray_ = _needed("xarray")
    found: dict[str, Any] = {}
    coordinates: dict[str, Any] = {"time": ("time", result.time, {"units": "s"})}
    for name, values, units in series_of(result):
        over = ["time"]
        if values.ndim == 2:
            tags = _tags(name, values.shape[1])
            head, _, word = name.rpartition(".")
            over.append("axis" if tags == ["x", "y", "z"] else f"{head}.{ROWS.get(word, 'row')}")
            coordinates[over[1]] = (over[1], tags if over[1] == "axis" else np.arange(values.shape[1]))
        found[name] = (over, values, {"units": units})
    kept = ("title", "scheme", "h", "status")
    data: xarray.Dataset = xarray_.Dataset(found, coordinates, {key: str(result.summary.get(key, "")) for key in kept})
    return data


def table_to_pandas(table: Runs) -> pandas.DataFrame:
    """Return the runs of a study as a table: axes, status, numbers, and the reason of a failure (``error_column``)."""
    pandas = _needed("pandas")
    last = table.error_column
    rows = [
        {**row.axes, "status": row.status, **{name: row.value(name) for name in table.numbers}, last: row.error}
        for row in table.rows
    ]
    return pandas.DataFrame(rows, index=pandas.Index([row.index for row in table.rows], name="run"))


def table_to_xarray(table: Runs) -> xarray.Dataset:
    """Return the numbers of a study over its axes; failed or missing runs are nan."""
    xarray_ = _needed("xarray")
    axes = {name: table.values(name) for name in table.axes}
    shape = tuple(len(values) for values in axes.values())
    found = {name: np.full(shape, np.nan) for name in table.numbers}
    for row in table.rows:
        place = tuple(values.index(row.value(name)) for name, values in axes.items())
        for name, grid in found.items():
            grid[place] = row.numbers.get(name, np.nan)
    data: xarray.Dataset = xarray_.Dataset({name: (list(axes), grid) for name, grid in found.items()}, axes)
    return data


def _tags(name: str, count: int) -> list[str]:
    """Return the names of the components of a signal: axes of a vector, otherwise numbers."""
    vector = count == 3 and not name.startswith(("contacts.", "joints."))
    return ["x", "y", "z"] if vector else [str(k) for k in range(count)]


def _needed(package: str) -> Any:
    """Import an optional package; raise an error with the installation command if it is missing."""
    try:
        return importlib.import_module(package)
    except ImportError:
        raise MissingExtra("data", package) from None
