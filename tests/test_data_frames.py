"""Results and study tables as pandas and xarray objects hold the same numbers under the same names."""

from __future__ import annotations

import builtins
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import flexmb as fm
from flexmb.checks.extras import install_command
from flexmb.study.table import DONE, FAILED, Row, Table


@pytest.fixture(scope="module")
def result() -> fm.Result:
    model = fm.Model(gravity=(0, 0, -9.81))
    for name, z in (("low", 0.2), ("high", 0.5)):
        model.add(fm.Particle(name, 1.0, position=(0, 0, z)))
    model.add(fm.Spring("spring", node="low", node2="high", stiffness=100.0, direction=(0, 0, 1)))
    model.add(fm.NodePlane("floor", nodes=["low", "high"], normal=(0, 0, 1)))
    return fm.simulate(model, fm.MoreauJean(), step=1e-2, end=0.5, signals=["low.position", "high.velocity"])


def test_a_table_has_a_row_per_sample_and_a_column_per_component(result: fm.Result) -> None:
    frame = result.to_pandas()
    assert frame.index.name == "time"
    np.testing.assert_array_equal(frame.index.to_numpy(), result.time)
    np.testing.assert_array_equal(frame["low.position.z"].to_numpy(), result.signals["low.position"][:, 2])
    np.testing.assert_array_equal(frame["high.velocity.x"].to_numpy(), result.signals["high.velocity"][:, 0])
    for what in ("gap", "velocity", "impulse", "force"):
        both = getattr(result.contacts["floor"], what)
        np.testing.assert_array_equal(frame[[f"contacts.floor.{what}.{k}" for k in (0, 1)]].to_numpy(), both)
    for what in ("kinetic", "potential", "work_contact", "numerical", "residual", "total"):
        np.testing.assert_array_equal(frame[f"energy.{what}"].to_numpy(), getattr(result.energy, what))


def test_a_dataset_has_dimensions_and_units(result: fm.Result, tmp_path: Path) -> None:
    data = fm.load(result.save(tmp_path / "run")).to_xarray()
    assert data["low.position"].dims == ("time", "axis")
    assert data["low.position"].attrs["units"] == "m"
    np.testing.assert_array_equal(data["low.position"].sel(axis="z"), result.signals["low.position"][:, 2])
    assert data["contacts.floor.force"].dims == ("time", "contacts.floor.row")
    assert data["contacts.floor.force"].attrs["units"] == "N"
    np.testing.assert_array_equal(data["contacts.floor.force"], result.contacts["floor"].force)
    assert data["energy.total"].attrs["units"] == "J"
    assert float(data["energy.total"].sel(time=0.25, method="nearest")) == result.energy.total[25]
    assert data.attrs["scheme"] == str(result.summary["scheme"])


def test_joints_are_there(tmp_path: Path) -> None:
    model = fm.Model(gravity=(0, -9.81, 0))
    model.add(fm.RigidPlanar("rod", mass=1.0, inertia=0.1, center=(0.5, 0)))
    model.add(fm.Revolute("pin", a="rod", axis=(0, 0, 1)))
    result = fm.simulate(model, fm.GeneralizedAlpha(), step=1e-2, end=0.1)
    frame = result.to_pandas()
    rows = frame[[f"joints.pin.force.{k}" for k in (0, 1)]].to_numpy()
    np.testing.assert_array_equal(rows, result.joints["pin"].force)
    np.testing.assert_array_equal(frame["joints.pin.position_error"].to_numpy(), result.joints["pin"].position_error)


def study() -> Table:
    rows = [
        Row(k, str(k), {"scheme": scheme, "h": h}, DONE, numbers={"error": h * factor})
        for k, (scheme, factor, h) in enumerate([("a", 1.0, 0.1), ("a", 1.0, 0.2), ("b", 3.0, 0.1)])
    ]
    return Table((*rows, Row(3, "3", {"scheme": "b", "h": 0.2}, FAILED, error="did not converge")))


def test_a_study_becomes_a_table() -> None:
    frame = study().to_pandas()
    assert list(frame.index) == [0, 1, 2, 3]
    assert list(frame["scheme"]) == ["a", "a", "b", "b"]
    np.testing.assert_array_equal(frame["error"].to_numpy(), [0.1, 0.2, 0.30000000000000004, np.nan])
    assert frame["status"][3] == FAILED
    assert frame["failure"][3] == "did not converge"


@pytest.mark.parametrize(
    ("measures", "column"),
    [(["gap"], "error"), (["error"], "failure"), (["failure"], "error"), (["error", "failure"], "failure_2")],
)
def test_the_column_of_errors_takes_no_name_of_a_measure(measures: list[str], column: str) -> None:
    numbers = {name: 1.5 + k for k, name in enumerate(measures)}
    table = Table((Row(0, "0", {"h": 0.1}, DONE, numbers=numbers), Row(1, "1", {"h": 0.2}, FAILED, error="why not")))
    frame = table.to_pandas()
    assert list(frame.columns) == ["h", "status", *measures, column]
    assert {name: frame[name][0] for name in measures} == numbers
    assert frame[column][1] == "why not"
    assert table.to_csv().splitlines()[0].split(",")[1:] == list(frame.columns)


def test_a_study_becomes_a_grid_over_its_axes() -> None:
    data = study().to_xarray()
    assert data["error"].dims == ("scheme", "h")
    assert float(data["error"].sel(scheme="b", h=0.1)) == 0.30000000000000004
    assert np.isnan(data["error"].sel(scheme="b", h=0.2))


@pytest.mark.parametrize("package", ["pandas", "xarray"])
def test_a_missing_package_is_named_with_its_cure(
    package: str, result: fm.Result, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = builtins.__import__

    def without(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.split(".")[0] == package:
            raise ImportError(name)
        return original(name, *args, **kwargs)

    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(fm.InputError) as caught:
        getattr(result, f"to_{package}")()
    assert package in str(caught.value)
    assert install_command("data") in str(caught.value)
