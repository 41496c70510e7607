"""ParaView export: the fields, and a script that opens them with suitable settings."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from flexmb.kernels.geometry.tables import FLOATING, FRAME, PLANAR
from flexmb.record.io.frames import PointMaps, line_radii
from flexmb.record.io.paraview_script import FIELDS_FILE, SCRIPT, script
from flexmb.record.io.representative_time import BEYOND, telling_state
from flexmb.record.io.structure import UNITS, Tree
from flexmb.record.io.vtkhdf import write_fields
from flexmb.state import Array
from flexmb.system.layout import Layout

THINNEST, THICKEST = 0.004, 0.08
"""Tube radii over the size of the picture: all are magnified until the thinnest is visible or the thickest reaches "
"its limit."""
LONGEST_ARROW = 0.15
"""Length of the largest impulse, relative to the size of the picture."""
SEEN = 0.1
"""Approximate largest displacement, relative to the size of the picture, if displacements are magnified."""
FAINT = 0.3
"""Fraction of the color range below which a state is too dark to be shown first."""
BENDING = slice(4, 6)
"""Bending stiffnesses of ``LineSections``."""


@dataclass(frozen=True)
class Swept:
    """Extent and ranges of all stored states.

    Parameters
    ----------
    points : (n, 3) array
        Reference positions, m.
    moved, pushed : (2, n, 3) arrays
        Smallest and largest displacement (m) and contact impulse (N s) of every point.
    ranges : dict
        Smallest and largest value of every field, of vectors their magnitude, with zero as the smallest value.
    peaks : dict
        Largest magnitude of every field in each state.
    """

    points: Array
    moved: Array
    pushed: Array
    ranges: dict[str, tuple[float, float]]
    peaks: dict[str, list[float]]

    def box(self, scale: float, arrow: float) -> Array:
        """Return the box, (2, 3), m, that contains everything with magnified displacements and arrows."""
        places = self.points + scale * self.moved
        tails = places - arrow * self.pushed[::-1]
        return np.stack([np.minimum(places, tails).min(axis=(0, 1)), np.maximum(places, tails).max(axis=(0, 1))])


def write_paraview(tree: Tree, folder: Path) -> list[Path]:
    """Write ``fields.vtkhdf`` and ``open.py`` into ``folder``; return the script."""
    write_fields(tree, folder / FIELDS_FILE)
    path = folder / SCRIPT
    path.write_text(open_script(tree), encoding="utf-8")
    return [path]


def open_script(tree: Tree) -> str:
    """Return the text of ``open.py`` for a result."""
    maps = PointMaps.from_tree(tree)
    swept = sweep(maps, tree)
    size = _diagonal(swept.box(1.0, 0.0))
    scale = telling_scale(maps.layout, swept.ranges["displacement"][1], size)
    drawn = _diagonal(swept.box(scale, 0.0))
    push = float(np.abs(swept.pushed).max())
    arrow = LONGEST_ARROW * drawn / swept.ranges["contact_impulse"][1] if push else 0.0
    thickness = _thickness(maps.layout, drawn)
    field = telling_field(maps)
    values: dict[str, object] = {
        "field": field,
        "scale": scale,
        "thickness": thickness,
        "arrow": arrow,
        "time": opening_time(tree, swept.peaks[field] if field in maps.cell_names else []),
        "lines": bool(len(maps.layout.cells)),
    }
    margin = thickness * float(np.max(line_radii(maps.layout), initial=0.0))
    return script(values | _camera(swept.box(scale, arrow), margin), _table(maps, swept.ranges))


def telling_field(maps: PointMaps) -> str:
    """Return the field for coloring: bending moment of beams, axial force of bars, otherwise displacement."""
    if maps.forces is None or maps.layout.sections is None:
        return "displacement"
    bends = np.nan_to_num(maps.layout.sections.stiffness[:, BENDING])
    return "bending_moment" if np.any(bends) else "axial_force"


def opening_time(tree: Tree, peaks: list[float]) -> float:
    """Return the time of the state shown first, s: ``telling_state``, or that of the largest forces.

    Parameters
    ----------
    tree : Tree
    peaks : list of float
        Largest magnitude of the field in each state; empty if the field is the motion itself.
    """
    times, k = np.asarray(tree["/state/time"][()]), telling_state(tree)
    if peaks and peaks[k] < FAINT * max(peaks):
        k = int(np.argmax(peaks))
    return float(times[k])


def telling_scale(layout: Layout, reach: float, size: float) -> float:
    """Return the magnification of displacements: a round number, 1 for large motion.

    Parameters
    ----------
    layout : Layout
        Freely rotating bodies are not magnified, because rotations cannot be.
    reach : float
        Largest displacement, m.
    size : float
        Of the picture, m.
    """
    free = layout.carriers is not None and np.isin(layout.carriers.kind, (FRAME, PLANAR, FLOATING)).any()
    if free or not 0.0 < reach < 0.5 * SEEN * size:
        return 1.0
    wanted = SEEN * size / reach
    power = 10.0 ** np.floor(np.log10(wanted))
    return float(min((power * digit for digit in (1, 2, 5, 10)), key=lambda number: abs(np.log(number / wanted))))


def sweep(maps: PointMaps, tree: Tree) -> Swept:
    """Evaluate all stored states."""
    names = [*maps.names, *maps.cell_names]
    moved, pushed = np.zeros((2, 2, len(maps.layout.points), 3))
    ends: dict[str, list[tuple[float, float]]] = {name: [] for name in names}
    for k in range(len(tree["/state/time"])):
        values = maps.frame(tree, k) | maps.cell_frame(tree, k)
        _widen(moved, values["displacement"])
        if "contact_impulse" in values:
            _widen(pushed, values["contact_impulse"])
        for name in names:
            ends[name].append(_ends(values[name]))
    ranges = {name: _range(min(low for low, _ in own), max(high for _, high in own)) for name, own in ends.items()}
    peaks = {name: [max(abs(low), abs(high)) for low, high in own] for name, own in ends.items()}
    return Swept(maps.layout.points, moved, pushed, ranges, peaks)


def _ends(values: Array) -> tuple[float, float]:
    """Return the smallest and the largest value; of vectors zero and the largest magnitude."""
    known = values[_sane(values)]
    if values.ndim > 1:
        return 0.0, float(np.max(np.linalg.norm(known, axis=1), initial=0.0))
    return (float(known.min()), float(known.max())) if known.size else (0.0, 0.0)


def _sane(values: Array) -> np.ndarray:
    """Return which rows have finite numbers of a motion that has not diverged."""
    good = np.abs(values) < BEYOND  # also false for nan
    return good if values.ndim == 1 else np.all(good, axis=1)


def _widen(extremes: Array, vectors: Array) -> None:
    good = _sane(vectors)
    extremes[0, good] = np.minimum(extremes[0, good], vectors[good])
    extremes[1, good] = np.maximum(extremes[1, good], vectors[good])


def _range(least: float, most: float) -> tuple[float, float]:
    return least, most if most > least else least + 1.0


def _table(maps: PointMaps, ranges: dict[str, tuple[float, float]]) -> dict[str, tuple[str, str, str, float, float]]:
    """Return for each field: its location, whether its magnitude is shown, its unit and its range."""
    vectors = {*maps.names, "bending_moment"}
    return {
        name: (
            "POINTS" if name in maps.names else "CELLS",
            "Magnitude" if name in vectors else "",
            UNITS[name],
            *limits,
        )
        for name, limits in ranges.items()
    }


def _diagonal(box: Array) -> float:
    return float(np.linalg.norm(box[1] - box[0])) or 1.0


def _thickness(layout: Layout, size: float) -> float:
    """Return the factor on the radii of lines, at least 1, that makes them visible."""
    radius = line_radii(layout)
    radius = radius[radius > 0.0]
    if not radius.size:
        return 1.0
    return max(1.0, float(min(THINNEST * size / radius.min(), THICKEST * size / radius.max())))


def _camera(box: Array, margin: float) -> dict[str, object]:
    """Return a camera that looks at the box along its shortest side, with z or else y up.

    Parameters
    ----------
    box : (2, 3) array
        m.
    margin : float
        Margin around it, m.
    """
    extent, size = box[1] - box[0], _diagonal(box)
    # if sides are equally short, y is preferred: most models lie in the x-z plane
    look = min((1, 2, 0), key=lambda axis: (round(float(extent[axis]) / size, 6), (1, 2, 0).index(axis)))
    out = np.eye(3)[look] * (-1.0 if look == 1 else 1.0)  # seen along y from -y, x points to the right
    up = np.eye(3)[1 if look == 2 else 2]
    across = np.abs(np.cross(up, out))
    half = [max(0.5 * float(extent @ side) + margin, 0.05 * size) for side in (across, up)]
    places = {"focus": box.mean(axis=0), "out": out, "up": up}
    return {key: (value + 0.0).tolist() for key, value in places.items()} | {"distance": 3.0 * size, "half": half}
