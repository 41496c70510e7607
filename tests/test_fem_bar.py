"""Axial elements: closed-form frequencies and their rates, rigid motion, mass, patch test."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import eigh

from flexmb.fem.bar import axial_field, node_positions
from flexmb.fem.mesh import spaced
from flexmb.parts.bodies import Bar

E, RHO, A, L = 900.0, 1.0, 0.5, 10.0
C_WAVE = np.sqrt(E / RHO)


def bar(elements: int, **kw: object) -> Bar:
    return Bar("rod", length=L, elements=elements, area=A, young=E, density=RHO, **kw)


def omegas(body: Bar) -> np.ndarray:
    parts = body.parts()
    return np.sqrt(np.abs(eigh(parts.K.toarray(), parts.M.toarray(), eigvals_only=True)))


def rate(sizes: list[int], errors: list[float]) -> float:
    return float(-np.polyfit(np.log(sizes), np.log(errors), 1)[0])


@pytest.mark.parametrize("mass", ["consistent", "lumped"])
@pytest.mark.parametrize(("order", "expected"), [(1, 2.0), (2, 4.0)])
@pytest.mark.parametrize("supports", [(), ({"node": "first", "kind": "clamped"},)], ids=["free", "fixed"])
def test_frequencies_converge_to_the_wave_equation(mass: str, order: int, expected: float, supports: tuple) -> None:
    # free-free: k pi c / L, the first being rigid; fixed-free: (k - 1/2) pi c / L
    sizes = [8, 12, 18, 27, 40]
    for mode in (1, 2, 3):
        exact = (mode if not supports else mode - 0.5) * np.pi * C_WAVE / L
        found = [omegas(bar(n, order=order, mass=mass, supports=supports))[mode - bool(supports)] for n in sizes]
        errors = [abs(w / exact - 1.0) for w in found]
        assert errors[-1] < (2e-3 * mode**2 if order == 1 else 3e-6 * mode**4)
        assert rate(sizes, errors) == pytest.approx(expected, abs=0.1)
        # the consistent mass bounds from above, the lumped one from below (Simpson's included)
        assert all(w > exact for w in found) if mass == "consistent" else all(w < exact for w in found)


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("mass", ["consistent", "lumped"])
def test_rigid_motion_is_free_and_carries_the_mass(order: int, mass: str) -> None:
    parts = bar(7, order=order, mass=mass, grading=5.0).parts()
    one = np.ones(parts.nv)
    assert np.abs(parts.K @ one).max() < 1e-13 * abs(parts.K).max()
    assert one @ (parts.M @ one) == pytest.approx(RHO * A * L, rel=1e-14)
    assert parts.mass == pytest.approx(RHO * A * L, rel=1e-15)
    # all other motions cost energy
    assert omegas(bar(7, order=order, mass=mass, grading=5.0))[1] > 0.5 * np.pi * C_WAVE / L


@pytest.mark.parametrize(("order", "mass"), [(1, "consistent"), (2, "consistent"), (2, "lumped")])
def test_first_and_second_moment_of_mass(order: int, mass: str) -> None:
    body = bar(5, order=order, mass=mass, grading=3.0)
    parts = body.parts()
    x, one = parts.points[:, 0], np.ones(parts.nv)
    assert one @ (parts.M @ x) == pytest.approx(RHO * A * L**2 / 2, rel=1e-13)
    assert x @ (parts.M @ x) == pytest.approx(RHO * A * L**3 / 3, rel=1e-13)


@pytest.mark.parametrize("order", [1, 2])
def test_lumped_mass_is_diagonal_and_positive(order: int) -> None:
    M = bar(6, order=order, mass="lumped", grading=0.2).parts().M
    assert M.nnz == M.shape[0]
    assert (M.diagonal() > 0.0).all()


def test_lumped_quadratic_element_has_simpson_weights() -> None:
    assert axial_field(np.array([0.0, 6.0]), 2, lumped=True).M.diagonal() == pytest.approx([1.0, 4.0, 1.0], rel=1e-14)


@pytest.mark.parametrize("order", [1, 2])
def test_patch_constant_strain_on_a_graded_mesh(order: int) -> None:
    body = bar(9, order=order, grading=12.0, supports=[{"node": "first", "kind": "pinned"}])
    parts = body.parts()
    F = np.zeros(parts.nv)
    F[-1] = 3.0
    u = np.linalg.solve(parts.K.toarray(), F)
    assert u == pytest.approx(3.0 / (E * A) * parts.points[1:, 0], rel=1e-12)


def test_quadratic_elements_carry_linear_strain_exactly() -> None:
    # bar hanging from its first node: u = rho g (L x - x^2/2) / E
    body = bar(4, order=2, grading=2.0, supports=[("first", "clamped")])
    parts = body.parts()
    u = np.linalg.solve(parts.K.toarray(), parts.gravity @ np.array([9.0, 0.0, 0.0]))
    x = parts.points[1:, 0]
    assert u == pytest.approx(RHO * 9.0 / E * (L * x - x**2 / 2), rel=1e-12)


def test_quadratic_nodes_are_counted_along_the_axis_and_banded() -> None:
    parts = bar(5, order=2).parts()
    assert np.diff(parts.points[:, 0]) == pytest.approx(np.full(10, 1.0), rel=1e-13)
    K = parts.K.tocoo()
    assert np.abs(K.row - K.col).max() == 2


@pytest.mark.parametrize("order", [1, 2])
def test_direction_in_space_does_not_change_the_spectrum(order: int) -> None:
    straight = omegas(bar(10, order=order))
    oblique = omegas(bar(10, order=order, position=(3, -1, 2), direction=(1, 2, 2)))
    assert oblique[1:] == pytest.approx(straight[1:], rel=1e-13)


def test_matrices_are_symmetric_to_the_bit() -> None:
    for order in (1, 2):
        field = axial_field(spaced(1.0, 13, 7.0), order)
        assert abs(field.K - field.K.T).max() == 0.0
        assert abs(field.M - field.M.T).max() == 0.0


def test_unit_load_sums_to_the_length() -> None:
    x = spaced(3.0, 4, 2.0)
    for order in (1, 2):
        nodes = node_positions(x, order)
        load = axial_field(x, order).load
        assert load.sum() == pytest.approx(3.0, rel=1e-14)
        assert load @ nodes == pytest.approx(4.5, rel=1e-14)
