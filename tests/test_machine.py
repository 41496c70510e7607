"""The machine behind one address: compiled functions find every field of the tuple where Python wrote it."""

from __future__ import annotations

import numpy as np
import pytest
from multibody_models import everything
from numba import njit

from flexmb.kernels.compilation.arrays_at import words
from flexmb.kernels.lcp.solver_settings import SolverSettings
from flexmb.kernels.multibody.machine import MachineWorkspace, part
from flexmb.kernels.multibody.multibody import SchemeNumbers


def leaves(value, path=""):
    """Return the paths and values of all arrays and numbers of a nested tuple."""
    if not isinstance(value, tuple):
        return [(path, value)]
    found = []
    for name, item in zip(value._fields, value, strict=True):
        found += leaves(item, f"{path}.{name}" if path else name)
    return found


@pytest.fixture(scope="module")
def workspace():
    """A machine whose every array holds random numbers and whose every number is another one."""
    machine = everything().assemble().machine().machine
    rng = np.random.default_rng(0)
    numbers = SchemeNumbers(*(float(k) + 0.25 if "float" in str(a) else 100 + k for k, a in enumerate(_kinds())))
    machine = machine._replace(numbers=numbers, settings=SolverSettings(7, 77, 0.777, 7777))
    return MachineWorkspace(filled(machine, rng))


def filled(value, rng):
    """Return a value with all its arrays full of random numbers, those that the model leaves empty among them."""
    if isinstance(value, np.ndarray):
        shape = [max(1, size) for size in value.shape]
        return rng.integers(1, 1000, size=shape).astype(value.dtype)
    if isinstance(value, tuple):
        return type(value)(*(filled(item, rng) for item in value))
    return value


def _kinds():
    return [getattr(a, "__forward_arg__", a) for a in SchemeNumbers.__annotations__.values()]


@njit
def mark(a):
    """Return a number that depends on every entry of an array, their order and its shape."""
    total, k = 0.0, 1.0
    for x in a.flat:
        total += k * x
        k += 1.0
    return total + 1e9 * a.shape[0] + 1e6 * a.shape[a.ndim - 1]


def expected(value):
    if not isinstance(value, np.ndarray):
        return float(value)
    total = 0.0
    for k, x in enumerate(value.ravel().tolist(), start=1):
        total += k * float(x)
    return total + 1e9 * value.shape[0] + 1e6 * value.shape[-1]


def reader(fields):
    """Return a compiled function that writes a number for every field; paths must be literals."""
    lines = ["def read(at, out):"]
    for k, (path, value) in enumerate(fields):
        found = f"part(at, '{path}')"
        lines.append(f"    out[{k}] = " + (f"mark({found})" if isinstance(value, np.ndarray) else found))
    scope = {"part": part, "mark": mark}
    exec("\n".join(lines), scope)
    return njit(scope["read"])


def test_every_field_is_read_back_where_it_was_written(workspace):
    fields = leaves(workspace.machine)
    assert len(fields) > 150
    out = np.zeros(len(fields))
    reader(fields)(workspace.at, out)
    wrong = [path for (path, value), x in zip(fields, out, strict=True) if x != expected(value)]
    assert wrong == []


def test_tuples_can_be_taken_whole_and_arrays_are_written_in_place(workspace):
    @njit
    def work(at):
        trial, rows = part(at, "trial"), part(at, "system.rows")
        trial.vec[1, 2] = 4.5
        part(at, "step")[3] = rows.kind.size
        return trial.q.size + 1000 * rows.marker.size

    m = workspace.machine
    assert work(workspace.at) == m.trial.q.size + 1000 * m.system.rows.marker.size
    assert m.trial.vec[1, 2] == 4.5
    assert m.step[3] == m.system.rows.kind.size


def test_a_path_that_is_not_there_does_not_compile(workspace):
    @njit
    def work(at):
        return part(at, "system.wheels")

    with pytest.raises(Exception, match="wheels"):
        work(workspace.at)


def test_words_of_numbers_and_arrays():
    x = np.arange(6.0).reshape(2, 3)
    assert words((3, 0.5)) == [3, int(np.float64(0.5).view(np.int64))]
    assert words(x)[2:] == [6, 8, x.ctypes.data, 2, 3, 24, 8]


@pytest.mark.parametrize(
    "bad",
    [
        np.zeros(4, dtype=np.float32),
        np.zeros((2, 2)),
        np.zeros(8)[::2],
        [0.0, 0.0],
    ],
    ids=["single precision", "two axes", "not contiguous", "a list"],
)
def test_an_array_of_another_type_is_refused(workspace, bad):
    with pytest.raises(TypeError, match=r"Machine\.step is "):
        MachineWorkspace(workspace.machine._replace(step=bad))


def test_an_array_that_must_not_be_written_is_refused(workspace):
    frozen = np.zeros(4)
    frozen.flags.writeable = False
    with pytest.raises(TypeError, match=r"Machine\.step"):
        MachineWorkspace(workspace.machine._replace(step=frozen))
