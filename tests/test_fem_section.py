"""Sections and materials: formulas against independent ones, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from flexmb.errors import InputError
from flexmb.fem import Material, Section
from flexmb.fem.section import rectangle_torsion


def test_circle_by_radius_and_diameter() -> None:
    v = Section(shape="circle", radius=0.3).values()
    assert v == Section(shape="circle", diameter=0.6).values()
    assert pytest.approx(0.09 * np.pi, rel=1e-15) == v.A
    assert v.Iy == v.Iz == pytest.approx(0.3**4 * np.pi / 4, rel=1e-15)
    assert v.J == v.Ip == pytest.approx(0.3**4 * np.pi / 2, rel=1e-15)
    assert v.radius == 0.3


def test_ring_is_the_difference_of_circles() -> None:
    ring = Section(shape="ring", outer=0.5, inner=0.4).values()
    big, small = Section(shape="circle", radius=0.5).values(), Section(shape="circle", radius=0.4).values()
    for key in ("A", "Iy", "Iz", "J", "Ip"):
        assert getattr(ring, key) == pytest.approx(getattr(big, key) - getattr(small, key), rel=1e-12)


def test_rectangle_by_quadrature() -> None:
    v = Section(shape="rectangle", width=0.2, height=0.6).values()
    y, w = np.polynomial.legendre.leggauss(4)
    # height along local y, width along local z
    assert pytest.approx(0.12, rel=1e-15) == v.A
    assert v.Iz == pytest.approx(0.2 * np.sum(w * 0.3 * (0.3 * y) ** 2), rel=1e-14)
    assert v.Iy == pytest.approx(0.6 * np.sum(w * 0.1 * (0.1 * y) ** 2), rel=1e-14)
    assert v.Ip == pytest.approx(v.Iy + v.Iz, rel=1e-15)


@pytest.mark.parametrize(("ratio", "c2"), [(1.0, 0.1406), (1.5, 0.1958), (2.0, 0.2287), (4.0, 0.2808), (10.0, 0.3123)])
def test_rectangle_torsion_against_the_tables(ratio: float, c2: float) -> None:
    # Timoshenko & Goodier, Theory of Elasticity, chapter 10: J = c2 a b^3 (four digits printed)
    assert rectangle_torsion(0.1 * ratio, 0.1) == pytest.approx(c2 * ratio * 1e-4, rel=4e-4)
    assert rectangle_torsion(0.1, 0.1 * ratio) == rectangle_torsion(0.1 * ratio, 0.1)


def test_square_torsion_to_more_digits() -> None:
    # 0.1405770 a^4, from a finite-difference-free series with 1e4 terms
    n = np.arange(1, 20001, 2)
    long_series = (1 - 192 / np.pi**5 * np.sum(np.tanh(n * np.pi / 2) / n**5)) / 3
    assert rectangle_torsion(1.0, 1.0) == pytest.approx(long_series, rel=1e-9)
    assert rectangle_torsion(1.0, 1.0) == pytest.approx(0.140577, abs=5e-7)


def test_numbers_pass_through() -> None:
    v = Section(area=2.0, inertia_y=3.0, inertia_z=4.0, torsion=5.0).values()
    assert (v.A, v.Iy, v.Iz, v.J, v.Ip) == (2.0, 3.0, 4.0, 5.0, 7.0)
    v = Section(area=2.0, inertia=3.0).values()
    assert (v.Iy, v.Iz, v.J, v.Ip) == (3.0, 3.0, None, 6.0)


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"area": -1.0}, r"section\.area = -1\.0.*positive"),
        ({"area": 0}, r"section\.area = 0.*positive"),
        ({"area": "1"}, r"section\.area = '1'.*number"),
        ({"area": True}, "must be a number"),
        ({"area": float("nan")}, "must be finite"),
        ({}, "needs area, or a shape"),
        ({"area": 1.0, "inertia": 1.0, "inertia_y": 1.0}, "either inertia or inertia_y"),
        ({"shape": "circel", "radius": 1.0}, "'circel'.*must.*of.*did.*'circle'"),
        ({"shape": "circle"}, "radius or diameter"),
        ({"shape": "circle", "radius": 1.0, "diameter": 2.0}, "radius or diameter"),
        ({"shape": "circle", "radius": 1.0, "width": 2.0}, r"section\.width = 2\.0.*key.*shape 'circle'"),
        ({"area": 1.0, "radius": 1.0}, r"section\.radius = 1\.0.*key.*section.*shape"),
        ({"shape": "ring", "outer": 1.0}, "outer and inner"),
        ({"shape": "ring", "outer": 1.0, "inner": 1.5}, r"section\.inner = 1\.5.*smaller.*outer = 1\.0"),
        ({"shape": "ring", "outer": 1.0, "inner": 1.0}, "must be smaller"),
        ({"shape": "rectangle", "width": 1.0}, "width and height"),
    ],
)
def test_wrong_sections(keys: dict, words: str) -> None:
    with pytest.raises(InputError, match=words):
        Section(**keys)


def test_material() -> None:
    assert pytest.approx(1.0, rel=1e-15) == Material(young=2.6, density=1.0).G
    assert pytest.approx(1.0, rel=1e-15) == Material(young=3.0, density=1.0, poisson=0.5).G
    assert Material(young=3.0, density=1.0, shear=7.0).G == 7.0


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"young": -1.0, "density": 1.0}, r"material\.young = -1\.0.*positive"),
        ({"young": 1.0, "density": 0.0}, r"material\.density = 0\.0.*positive"),
        ({"young": 1.0, "density": 1.0, "poisson": 0.6}, r"material\.poisson = 0\.6"),
        ({"young": 1.0, "density": 1.0, "poisson": -1.0}, r"material\.poisson = -1\.0"),
        ({"young": 1.0, "density": 1.0, "shear": -2.0}, r"material\.shear = -2\.0.*positive"),
        ({"young": 1.0, "density": 1.0, "shear": 2.0, "poisson": 0.2}, "either poisson or shear"),
    ],
)
def test_wrong_materials(keys: dict, words: str) -> None:
    with pytest.raises(InputError, match=words):
        Material(**keys)
