"""The range of a field over the states of a result, read in blocks."""

from __future__ import annotations

import numpy as np

from flexmb.postproc.arrays import Array, IntArray
from flexmb.postproc.fields import ON_LINES
from flexmb.postproc.finite_states import LARGE
from flexmb.postproc.sampling import blocks, rows_of, some_of
from flexmb.record.result import Fields

MOST = 20_000_000
MOST_LARGE = 3_000_000
"""Maximum number of evaluated values (states times points); fewer for large motion, which takes longer."""
LOOKED_AT = 100
"""Number of states in which the largest value of a run is searched."""
NOISE = 1e-9
"""Round-off of a field, relative to its largest value in the run."""


def coloured_values(field: str, values: Array) -> Array:
    """Return the values for colours: of vectors (..., 3) the magnitude or a component, of numbers themselves."""
    name, _, component = field.partition(".")
    if name in ON_LINES and name != "bending_moment":
        return values
    return values[..., "xyz".index(component)] if component else np.asarray(np.linalg.norm(values, axis=-1))


def field_range(fields: Fields, field: str, states: IntArray, points: IntArray) -> tuple[float, float, int]:
    """Return the least and the largest value of a field, and the number of states evaluated.

    Parameters
    ----------
    fields : Fields
    field : str
        One of ``FIELDS``.
    states : (k,) int array
        Ascending. All of them, unless that would take too long: then some of them.
    points : (p,) int array
        The points that count; of fields on lines all lines do.
    """
    layout = fields.maps.layout
    width = max(len(layout.points), len(layout.cells), 1)
    most = max(2, (MOST if layout.carriers is None else MOST_LARGE) // width)
    some = some_of(states, most)
    low, high = np.inf, -np.inf
    for block in blocks(some, 3 * width):
        with np.errstate(over="ignore", invalid="ignore"):  # of damaged states
            values = coloured_values(field, _read(fields, field.partition(".")[0], block))
        values = values if field.partition(".")[0] in ON_LINES else values[:, points]
        values = values[np.abs(values) < LARGE]  # also excludes nan
        low, high = min(low, float(values.min(initial=np.inf))), max(high, float(values.max(initial=-np.inf)))
    return low, high, len(some)


def round_off(fields: Fields, field: str, points: IntArray) -> float:
    """Return the magnitude below which values of a field are round-off: a small fraction of the largest of the run."""
    low, high, _ = field_range(fields, field, some_of(np.arange(len(fields.times)), LOOKED_AT), points)
    return NOISE * max(abs(low), abs(high)) if low <= high else 0.0


def _read(fields: Fields, name: str, states: IntArray) -> Array:
    """Return the values of a field in some states, (k, n, 3) at points, (k, m) or (k, m, 3) on lines."""
    q, layout = rows_of(fields.q, states), fields.maps.layout
    if name == "displacement":
        return layout.displacements(q)
    if name == "velocity":
        return layout.velocities(q, rows_of(fields.v, states))
    forces = fields.maps.forces
    assert forces is not None, "the lines of this scene do not have the field that is to color it"
    return forces.values(q)[name]
