"""Natural frequencies against closed forms, dense and by shift and invert."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb import InputError
from flexmb.analysis.modes import DENSE_LIMIT


def bar(elements: int, **more: object) -> fm.Model:
    model = fm.Model()
    model.add(fm.Bar("rod", length=10, elements=elements, area=2.0, young=900, density=1, **more))  # type: ignore[arg-type]
    return model


@pytest.mark.parametrize("elements", [200, DENSE_LIMIT + 300])
def test_free_bar_has_one_rigid_motion_and_the_semi_discrete_frequencies(elements: int) -> None:
    """Consistent mass, linear elements: omega^2 = (6 c^2 / h^2) (1 - cos k h) / (2 + cos k h) exactly, k = n pi / L."""
    found = fm.modes(bar(elements).assemble(), 8)
    h, k = 10 / elements, np.arange(8) * np.pi / 10
    exact = np.sqrt(6 * 900 / h**2 * (1 - np.cos(k * h)) / (2 + np.cos(k * h)))
    assert found.omega[0] == 0.0
    np.testing.assert_allclose(found.omega[1:], exact[1:], rtol=1e-8)
    np.testing.assert_allclose(found.frequency, found.omega / (2 * np.pi), rtol=1e-15)


def test_supported_bar_has_no_rigid_motion() -> None:
    system = bar(400, supports=[{"node": "first", "kind": "clamped"}]).assemble()
    found = fm.modes(system, 5)
    np.testing.assert_allclose(found.omega, 30 * (np.arange(5) + 0.5) * np.pi / 10, rtol=2e-5 * 9)
    assert (found.omega > 0).all()


@pytest.mark.parametrize("elements", [20, 600])
def test_free_beam(elements: int) -> None:
    """Euler-Bernoulli, free-free: cosh(b L) cos(b L) = 1, roots 4.73004074, 7.85320462, 10.99560784."""
    model = fm.Model()
    model.add(fm.Beam("beam", length=2.0, elements=elements, area=1e-4, inertia=1e-9, young=2e11, density=8e3))
    found = fm.modes(model.assemble(), 6)
    assert (found.omega[:3] == 0.0).all()
    roots = np.array([4.730040744862704, 7.853204624095838, 10.995607838001671])
    exact = (roots / 2.0) ** 2 * np.sqrt(2e11 * 1e-9 / (8e3 * 1e-4))
    np.testing.assert_allclose(found.omega[3:], exact, rtol=2e-4 if elements == 20 else 1e-4)


@pytest.mark.parametrize("elements", [50, DENSE_LIMIT + 1])
def test_shapes_are_orthonormal_in_the_mass_matrix(elements: int) -> None:
    system = bar(elements).assemble()
    found = fm.modes(system, 4)
    X = found.shapes
    np.testing.assert_allclose(X.T @ (system.M @ X), np.eye(4), rtol=0, atol=1e-9)
    np.testing.assert_allclose(X.T @ (system.K @ X), np.diag(found.omega**2), rtol=0, atol=1e-8 * found.omega[-1] ** 2)


def test_count_is_checked() -> None:
    system = bar(3).assemble()
    assert fm.modes(system).omega.shape == (4,)
    for count in (0, 5):
        with pytest.raises(InputError, match="1.*number.*unknowns, 4"):
            fm.modes(system, count)
