"""Stiffness and inertia of the cross-section of a geometrically exact beam, by numbers or from section and material."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import NamedTuple, TypeVar

import numpy as np

from flexmb.checks.values import from_table, positive
from flexmb.errors import InputError
from flexmb.fem.material import Material
from flexmb.fem.section import Section, cowper
from flexmb.state import Array

T = TypeVar("T", "BeamStiffness", "BeamInertia")


class BeamProperties(NamedTuple):
    """``D``: (6,) EA, GA_y, GA_z, GJ, EI_y, EI_z; ``rho_A`` kg/m; ``rotary``: (3,) about x, y, z, kg m; ``radius``
    to draw with, m.
    """  # noqa: D205

    D: Array
    rho_A: float
    rotary: Array
    radius: float


@dataclass(frozen=True, kw_only=True)
class BeamStiffness:
    """Stiffness against stretching, shear, torsion and bending.

    Parameters
    ----------
    EA : float
        Axial, N.
    GAy, GAz : float
        Shear along y and z, N; or ``GA`` for both.
    GJ : float
        Torsion, N m^2.
    EIy, EIz : float
        Bending about y and z, N m^2; or ``EI`` for both.
    """

    EA: float
    GJ: float
    GA: float | None = None
    GAy: float | None = None
    GAz: float | None = None
    EI: float | None = None
    EIy: float | None = None
    EIz: float | None = None

    def __post_init__(self) -> None:
        _positive(self, "stiffness")
        self.values()

    def values(self) -> Array:
        """Return EA, GA_y, GA_z, GJ, EI_y, EI_z."""
        shear = _both(self, "GA", "GAy", "GAz", "stiffness")
        bending = _both(self, "EI", "EIy", "EIz", "stiffness")
        return np.array([self.EA, *shear, self.GJ, *bending], dtype=np.float64)


@dataclass(frozen=True, kw_only=True)
class BeamInertia:
    """Inertia per length.

    Parameters
    ----------
    mass_per_length : float
        rho A, kg/m.
    rotary_y, rotary_z : float
        rho I about y and z, kg m; or ``rotary`` for both.
    rotary_x : float, optional
        About the axis, kg m; by default the sum of the other two, as it is for a rigid section.
    """

    mass_per_length: float
    rotary: float | None = None
    rotary_y: float | None = None
    rotary_z: float | None = None
    rotary_x: float | None = None

    def __post_init__(self) -> None:
        _positive(self, "inertia")
        self.values()

    def values(self) -> Array:
        """Return rho I about x, y, z."""
        y, z = _both(self, "rotary", "rotary_y", "rotary_z", "inertia")
        return np.array([y + z if self.rotary_x is None else self.rotary_x, y, z], dtype=np.float64)


def given_properties(stiffness: object, inertia: object, where: str) -> BeamProperties:
    """Return the properties given by numbers."""
    D = _read(BeamStiffness, stiffness, "stiffness", where).values()
    mass = _read(BeamInertia, inertia, "inertia", where)
    # the radius of a full circle with the same EI/EA
    radius = 2.0 * float(np.sqrt(D[4:].max() / D[0]))
    return BeamProperties(D, float(mass.mass_per_length), mass.values(), radius)


def section_properties(section: Section, material: Material, shear_factor: object, where: str) -> BeamProperties:
    """Return the properties from a section with both moments of area and a torsion constant, and a material."""
    values = section.values()
    assert values.Iy is not None
    assert values.Iz is not None
    assert values.J is not None
    k = _shear_factor(section, where) if shear_factor is None else positive(shear_factor, "shear_factor", where)
    E, G, rho = material.young, material.G, material.density
    shear = k * G * values.A
    D = np.array([E * values.A, shear, shear, G * values.J, E * values.Iy, E * values.Iz])
    rotary = rho * np.array([values.Iy + values.Iz, values.Iy, values.Iz])
    return BeamProperties(D, rho * values.A, rotary, values.radius)


def _shear_factor(section: Section, where: str) -> float:
    """Return Cowper's factor at Poisson's ratio zero: rectangle 5/6, circle 6/7, thin ring 1/2."""
    if section.shape == "rectangle":
        return 5.0 / 6.0
    if section.shape is None:
        message = "is missing: a section given by numbers has no shear stiffness (k G A; 5/6 for a rectangle)"
        raise InputError(message, where=where, key="shear_factor")
    hollow = 0.0
    if section.shape == "ring":
        assert section.inner is not None
        assert section.outer is not None
        hollow = section.inner / section.outer
    return float(cowper(hollow, poisson=0.0))


def _positive(part: BeamStiffness | BeamInertia, where: str) -> None:
    for f in fields(part):
        if getattr(part, f.name) is not None:
            positive(getattr(part, f.name), f.name, where)


def _both(part: BeamStiffness | BeamInertia, both: str, y: str, z: str, where: str) -> tuple[float, float]:
    """Return the values along or about y and z."""
    one, two = (getattr(part, both) if getattr(part, key) is None else getattr(part, key) for key in (y, z))
    if one is None or two is None:
        raise InputError(f"is missing (give {both}, or {y} and {z})", where=where, key=y if one is None else z)
    if getattr(part, both) is not None and (getattr(part, y) is not None or getattr(part, z) is not None):
        message = f"give either {both} or {y} and {z}"
        raise InputError(message, where=where, key=both, value=getattr(part, both))
    return float(one), float(two)


def _read(cls: type[T], given: T | object, key: str, where: str) -> T:
    if isinstance(given, cls):
        return given
    if isinstance(given, Mapping):
        return from_table(cls, given, f"{where}.{key}")
    if given is None:
        raise InputError("is missing (stiffness and inertia go together)", where=where, key=key)
    raise InputError(f"must be a table or a {cls.__name__}", where=where, key=key, value=given)
