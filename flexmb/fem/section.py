"""Cross-sections: by numbers (``area``, ``inertia``, ...) or by shape (``circle``, ``ring``, ``rectangle``)."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np

from flexmb.checks.values import choice, positive
from flexmb.errors import InputError
from flexmb.fem.line_sections import RECTANGLE, ROUND
from flexmb.state import Array

SHAPES: dict[str, tuple[str, ...]] = {
    "circle": ("radius", "diameter"),
    "ring": ("outer", "inner"),
    "rectangle": ("width", "height"),
}
"""Shapes and their keys."""


class SectionValues(NamedTuple):
    """Properties of a section used by the elements; ``None`` if not given by the user.

    ``A`` area, m^2; ``Iz`` second moment for bending along local y, ``Iy`` along local z, m^4; ``J`` torsion
    constant, m^4; ``Ip`` = Iy + Iz polar moment (torsional mass), m^4; ``radius`` to draw with, m.
    """

    A: float
    Iy: float | None
    Iz: float | None
    J: float | None
    Ip: float | None
    radius: float


@dataclass(frozen=True, kw_only=True)
class Section:
    """Cross-section of a bar or beam.

    Parameters
    ----------
    area : float, optional
        m^2.
    inertia : float, optional
        Second moment of area for both bending directions, m^4; or give
    inertia_y, inertia_z : float, optional
        the two of them: ``inertia_z`` = int y^2 dA resists bending along local y (the bending direction of a planar
        beam), ``inertia_y`` = int z^2 dA along local z.
    torsion : float, optional
        Torsion constant J, m^4; required for spatial beams.
    shape : "circle", "ring" or "rectangle", optional
        Instead of the numbers above: a circle by ``radius`` or ``diameter``, a ring by its ``outer`` and ``inner``
        radius, a rectangle by its ``height`` (along local y) and ``width`` (along local z), all in m.
    """

    area: float | None = None
    inertia: float | None = None
    inertia_y: float | None = None
    inertia_z: float | None = None
    torsion: float | None = None
    shape: str | None = None
    radius: float | None = None
    diameter: float | None = None
    outer: float | None = None
    inner: float | None = None
    width: float | None = None
    height: float | None = None

    def __post_init__(self) -> None:
        for f in fields(self):
            if f.name != "shape" and getattr(self, f.name) is not None:
                positive(getattr(self, f.name), f.name, "section")
        allowed: tuple[str, ...] = ("area", "inertia", "inertia_y", "inertia_z", "torsion")
        if self.shape is not None:
            allowed = SHAPES[choice(self.shape, "shape", "section", tuple(SHAPES))]
        for f in fields(self):
            value = getattr(self, f.name)
            if value is not None and f.name not in (*allowed, "shape"):
                words = f"shape '{self.shape}'" if self.shape else f"a section without shape{self._shape_meant()}"
                message = f"is not a key of {words}; its keys are {', '.join(allowed)}"
                raise InputError(message, where="section", key=f.name, value=value)
        self._check_complete()

    def _shape_meant(self) -> str:
        """Return the shape to add that has all the dimensions that are given."""
        dimensions = {key for keys in SHAPES.values() for key in keys}
        given = {key for key in dimensions if getattr(self, key) is not None}
        meant = [f'shape = "{shape}"' for shape, keys in SHAPES.items() if given <= set(keys)]
        return f" (add {meant[0]})" if meant else ""

    def _check_complete(self) -> None:
        if self.shape is None:
            if self.area is None:
                raise InputError("needs area, or a shape: circle, ring, rectangle", where="section")
            if self.inertia is not None and (self.inertia_y is not None or self.inertia_z is not None):
                message = "give either inertia or inertia_y and inertia_z, not both"
                raise InputError(message, where="section", key="inertia", value=self.inertia)
        elif self.shape == "circle":
            if (self.radius is None) == (self.diameter is None):
                raise InputError("a circle needs either radius or diameter", where="section", key="shape")
        elif self.shape == "ring":
            if self.outer is None or self.inner is None:
                raise InputError("a ring needs outer and inner (radii)", where="section", key="shape")
            if self.inner >= self.outer:
                message = f"must be smaller than outer = {self.outer!r}"
                raise InputError(message, where="section", key="inner", value=self.inner)
        elif self.width is None or self.height is None:
            raise InputError("a rectangle needs width and height", where="section", key="shape")

    def outline(self) -> tuple[int, float, float]:
        """Return the outline for pictures, see ``LineSections``; for given numbers the circle of the same area."""
        if self.shape == "rectangle":
            return RECTANGLE, _given(self.height), _given(self.width)
        inner = _given(self.inner) if self.shape == "ring" else 0.0
        return ROUND, self.values().radius, inner

    def values(self) -> SectionValues:
        """Return the properties used by the elements."""
        if self.shape == "circle":
            radius = self.radius if self.radius is not None else 0.5 * _given(self.diameter)
            return _round(radius, 0.0)
        if self.shape == "ring":
            return _round(_given(self.outer), _given(self.inner))
        if self.shape == "rectangle":
            b, h = _given(self.width), _given(self.height)
            Iy, Iz = h * b**3 / 12.0, b * h**3 / 12.0
            return SectionValues(b * h, Iy, Iz, rectangle_torsion(b, h), Iy + Iz, float(np.sqrt(b * h / np.pi)))
        A = _given(self.area)
        opt_Iy = self.inertia if self.inertia is not None else self.inertia_y
        opt_Iz = self.inertia if self.inertia is not None else self.inertia_z
        Ip = None if opt_Iy is None or opt_Iz is None else opt_Iy + opt_Iz
        return SectionValues(A, opt_Iy, opt_Iz, self.torsion, Ip, float(np.sqrt(A / np.pi)))


def rectangle_torsion(width: float, height: float) -> float:
    """Return the torsion constant of a solid rectangle, m^4.

    Saint-Venant's series J = a b^3/3 (1 - 192 b / (pi^5 a) sum tanh(n pi a / 2 b) / n^5), n odd, with a >= b the
    sides; the terms kept (n < 200) leave an error below 1e-9.
    """
    a, b = max(width, height), min(width, height)
    n = np.arange(1.0, 200.0, 2.0)
    series = float(np.sum(np.tanh(0.5 * np.pi * n * a / b) / n**5))
    return a * b**3 / 3.0 * (1.0 - 192.0 * b / (np.pi**5 * a) * series)


def cowper(hollow: float | Array, poisson: float | Array) -> Array:
    """Return Cowper's shear coefficient of a ring (1966), ``hollow`` its inner over its outer radius (0: a circle)."""
    m = np.square(hollow)
    full = (1.0 + m) ** 2
    return np.asarray(6.0 * (1.0 + poisson) * full / ((7.0 + 6.0 * poisson) * full + (20.0 + 12.0 * poisson) * m))


def _round(outer: float, inner: float) -> SectionValues:
    """Return the values of a circle or a ring."""
    inertia = 0.25 * np.pi * (outer**4 - inner**4)
    return SectionValues(np.pi * (outer**2 - inner**2), inertia, inertia, 2 * inertia, 2 * inertia, outer)


def _given(value: float | None) -> float:
    """Narrow the type of a value whose presence has been checked."""
    assert value is not None
    return float(value)
