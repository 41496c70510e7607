"""Functions of time: formulas, derivatives, and the compiled form against the Python one."""

from collections.abc import Callable

import numpy as np
import pytest

from flexmb.assembly.builder import Builder
from flexmb.assembly.table_arrays import system_of
from flexmb.errors import InputError
from flexmb.kernels.geometry import time_functions as compiled
from flexmb.parts.time_functions import (
    Constant,
    Function,
    Harmonic,
    Polynomial,
    Ramp,
    SpinUp,
    Table,
    time_function,
)

FUNCTIONS: dict[str, Function] = {
    "constant": Constant(-1.75),
    "ramp": Ramp(start_time=0.3, end_time=1.1, start_value=2.0, end_value=-0.5),
    "harmonic": Harmonic(amplitude=1.3, frequency=0.7, phase=0.4, offset=0.2),
    "table": Table(time=[0.1, 0.5, 0.7, 1.9], value=[1.0, -2.0, 0.5, 0.25]),
    "held table": Table(time=[0.1, 0.5, 0.7, 1.9], value=[1.0, -2.0, 0.5, 0.25], outside="hold"),
    "short table": Table(time=[0.5, 0.9], value=[1.0, -2.0]),
    "spin-up": SpinUp(rate=6.0, duration=1.5),
    "polynomial": Polynomial(coefficients=[0.5, -1.0, 0.25, 2.0, -0.3]),
    "line": Polynomial(coefficients=[0.5, -1.0]),
    "level": Polynomial(coefficients=[0.5]),
}
CORNERS = [0.0, 0.1, 0.3, 0.5, 0.7, 1.1, 1.5, 1.9]
TIMES = np.unique(
    np.concatenate(
        [
            np.linspace(-0.5, 2.5, 61),
            CORNERS,
            np.nextafter(CORNERS, -1.0),
            np.nextafter(CORNERS, 9.0),
            np.array(CORNERS) - 1e-9,
            np.array(CORNERS) + 1e-9,
        ]
    )
)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("what", ["value", "rate", "second"])
def test_compiled_form_agrees(name: str, what: str) -> None:
    builder = Builder(np.zeros(3), 0.0)
    k = [builder.function(f) for f in FUNCTIONS.values()][list(FUNCTIONS).index(name)]
    table = system_of(builder).functions
    kernel: Callable[..., float] = getattr(compiled, what)
    expected = getattr(FUNCTIONS[name], what)(TIMES)
    found = np.array([kernel(table, k, float(t)) for t in TIMES])
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=4e-15 * max(1.0, np.abs(expected).max()))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_derivatives_are_those_of_the_value(name: str) -> None:
    f = FUNCTIONS[name]
    t = np.linspace(-0.447, 2.443, 97)  # off the corners
    h = 1e-5
    np.testing.assert_allclose(f.rate(t), (f.value(t + h) - f.value(t - h)) / (2 * h), rtol=0, atol=1e-8)
    np.testing.assert_allclose(f.second(t), (f.rate(t + h) - f.rate(t - h)) / (2 * h), rtol=0, atol=1e-8)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_number_gives_a_number_and_an_array_its_shape(name: str) -> None:
    f = FUNCTIONS[name]
    grid = np.array([[0.1, 0.2, 0.6], [0.0, 1.5, 2.0]])
    for call in (f.value, f.rate, f.second):
        assert call(0.4).shape == ()
        assert call(grid).shape == grid.shape
        assert float(call(grid)[1, 1]) == float(call(1.5))


def test_spin_up_is_that_of_simo_and_vu_quoc() -> None:
    f = SpinUp(rate=6.0, duration=15.0)
    t = np.linspace(0.0, 15.0, 31)
    printed = 6.0 / 15.0 * (t**2 / 2 + (15.0 / (2 * np.pi)) ** 2 * (np.cos(2 * np.pi * t / 15.0) - 1.0))
    np.testing.assert_allclose(f.value(t), printed, rtol=0, atol=1e-13)
    np.testing.assert_allclose(f.value([15.0, 20.0]), [45.0, 75.0], rtol=1e-15)
    # smooth at both ends: rate and its derivative have no jump
    np.testing.assert_allclose(f.rate([0.0, 15.0 - 1e-9, 15.0 + 1e-9]), [0.0, 6.0, 6.0], rtol=0, atol=1e-15)
    np.testing.assert_allclose(f.second([0.0, 7.5, 15.0 - 1e-9, 15.0]), [0.0, 0.8, 0.0, 0.0], rtol=0, atol=1e-15)
    assert np.all(f.value([-3.0, -1e-9]) == 0.0)


def test_spin_up_keeps_digits_at_small_times() -> None:
    t = np.array([1e-3, 1e-2])
    f = SpinUp(rate=6.0, duration=15.0)
    w = 2 * np.pi / 15.0
    series = 0.4 * (w**2 * t**4 / 24 - w**4 * t**6 / 720)
    np.testing.assert_allclose(f.value(t), series, rtol=0.0, atol=1e-21 + 1e-16 * t[-1] ** 2)


def test_polynomial_by_its_coefficients() -> None:
    f = time_function({"kind": "polynomial", "coefficients": [1.0, 2.0, 3.0]}, "function")
    assert float(f.value(2.0)) == 17.0
    assert float(f.rate(2.0)) == 14.0
    assert float(f.second(2.0)) == 6.0


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"kind": "spin-up", "rate": 6.0}, r"needs duration"),
        ({"kind": "spin-up", "rate": 6.0, "duration": 0.0}, r"loads\.f\.duration = 0\.0.*positive"),
        ({"kind": "spin-up", "rate": "6", "duration": 1.0}, r"loads\.f\.rate = '6'.*number"),
        ({"kind": "polynomial", "coefficients": []}, r"loads\.f\.coefficients = \[\].*polynomial.*least"),
        ({"kind": "polynomial", "coefficients": ["1"]}, r"loads\.f\.coefficients.*list.*finite numbers"),
        ({"kind": "polynomial", "coefficients": 3.0}, r"loads\.f\.coefficients.*list.*finite numbers"),
        ({"kind": "spinup"}, "'spin-up'"),
    ],
)
def test_wrong_functions(data: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        time_function(data, "loads.f")
