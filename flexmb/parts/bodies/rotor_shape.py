"""The shape of a rotor's shaft: stations with diameters, or sections one after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from flexmb.checks.memory import Size, check_memory
from flexmb.checks.values import from_table, nonnegative, positive, whole
from flexmb.errors import InputError
from flexmb.fem.material import Material
from flexmb.fem.section import cowper
from flexmb.fem.shaft import ShaftElements, shaft_elements
from flexmb.parts.time_functions import increasing, number_list
from flexmb.state import Array

BYTES_PER_ELEMENT = 10_500
"""Memory that an element takes while the model is assembled, measured with thousands of them."""


@dataclass(frozen=True, kw_only=True)
class ShaftSection:
    """Segment of a shaft with constant diameters.

    Parameters
    ----------
    length : float
        m.
    outer_diameter : float
        m.
    inner_diameter : float
        m; smaller than the outer one.
    elements : int
        Number of elements, of equal length.
    material : Material or table, optional
        By default that of the rotor.
    """

    length: float
    outer_diameter: float
    inner_diameter: float = 0.0
    elements: int = 1
    material: Material | Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        positive(self.length, "length", "section")
        whole(self.elements, "elements", "section", least=1)
        check_diameters(self.outer_diameter, self.inner_diameter, "section")


class ShaftShape(NamedTuple):
    """Nodes ``x`` (n,) from 0, and of each element outer and inner diameter, m, E and G, Pa, and rho, kg/m^3."""

    x: Array
    outer: Array
    inner: Array
    E: Array
    G: Array
    rho: Array

    def elements(self, coupled: Sequence[int], *, shear: bool, kappa: float | None) -> ShaftElements:
        """Return the elements; those in ``coupled`` are empty. Without ``kappa`` it is Cowper's."""
        there = np.ones(self.outer.size)
        there[list(coupled)] = 0.0
        k = None
        if shear:
            poisson = self.E / (2.0 * self.G) - 1.0
            k = cowper(self.inner / self.outer, poisson) if kappa is None else np.full_like(there, kappa)
        found = shaft_elements(np.diff(self.x), self.outer, self.inner, self.E, self.G, self.rho, k)
        empty = {key: there * getattr(found, key) for key in ("EA", "EI", "GJ", "rho_A", "rho_I")}
        return found._replace(**empty)


def shaft_shape(
    stations: object, outer: object, inner: object, sections: object, material: object, where: str
) -> ShaftShape:
    """Return the shape from the keys of a rotor."""
    if sections is not None:
        for key, value in (("stations", stations), ("outer_diameter", outer), ("inner_diameter", inner)):
            if value is not None:
                raise InputError(
                    "is given in sections as well; give only one of them", where=where, key=key, value=value
                )
        return _from_sections(sections, material, where)
    if stations is None:
        message = "is missing (give stations and outer_diameter, or sections)"
        raise InputError(message, where=where, key="stations")
    x = number_list(stations, "stations", where)
    if x.size < 2:
        raise InputError("needs at least two stations", where=where, key="stations", value=stations)
    increasing(x, "stations", where)
    if outer is None:
        raise InputError("is missing", where=where, key="outer_diameter")
    m = x.size - 1
    outside = _each(outer, m, "outer_diameter", where)
    inside = _each(0.0 if inner is None else inner, m, "inner_diameter", where)
    for i in range(m):
        check_diameters(float(outside[i]), float(inside[i]), where, f" (element {i})")
    E, G, rho = (np.full(m, value) for value in _material(material, where))
    return ShaftShape(x - x[0], outside, inside, E, G, rho)


def check_diameters(outer: object, inner: object, where: str, which: str = "") -> None:
    """Raise unless 0 <= inner < outer."""
    outside = positive(outer, "outer_diameter", where)
    if nonnegative(inner, "inner_diameter", where) >= outside:
        message = f"must be smaller than outer_diameter = {outside!r}{which}"
        raise InputError(message, where=where, key="inner_diameter", value=inner)


def _from_sections(sections: object, material: object, where: str) -> ShaftShape:
    if isinstance(sections, str | Mapping | ShaftSection) or not isinstance(sections, Sequence) or not sections:
        message = "must be a list of { length = .., outer_diameter = .. }"
        raise InputError(message, where=where, key="sections", value=sections)
    rows, lengths = [], []
    for number, item in enumerate(sections):
        at = f"{where}.sections[{number}]"
        if not isinstance(item, ShaftSection | Mapping):
            raise InputError("must be a table or a ShaftSection", where=at, value=item)
        piece = item if isinstance(item, ShaftSection) else from_table(ShaftSection, item, at)
        its = _material(material, where) if piece.material is None else _material(piece.material, at)
        check_memory([Size(at, int(piece.elements), BYTES_PER_ELEMENT * int(piece.elements))])
        rows += [(piece.outer_diameter, piece.inner_diameter, *its)] * piece.elements
        lengths += [piece.length / piece.elements] * piece.elements
    outer, inner, E, G, rho = np.array(rows, dtype=np.float64).T
    return ShaftShape(np.concatenate([[0.0], np.cumsum(lengths)]), outer, inner, E, G, rho)


def _each(given: object, m: int, key: str, where: str) -> Array:
    """Return a number for each of m elements, or the list of them."""
    if isinstance(given, int | float | np.integer | np.floating):
        return np.full(m, nonnegative(given, key, where))
    values = number_list(given, key, where)
    if values.size != m:
        message = f"must be a number or a list of {m} (one per element), not {values.size}"
        raise InputError(message, where=where, key=key)
    return values


def _material(given: object, where: str) -> tuple[float, float, float]:
    """Return E, G and rho."""
    if given is None:
        raise InputError("is missing", where=where, key="material")
    if isinstance(given, Mapping):
        given = from_table(Material, given, f"{where}.material")
    if not isinstance(given, Material):
        raise InputError("must be a table or a Material", where=where, key="material", value=given)
    return float(given.young), given.G, float(given.density)
