"""Calibration: known parameters are found again, a fit that was stopped goes on, wrong data are named."""

from __future__ import annotations

import csv
import json
import signal
import tomllib
from pathlib import Path

import numpy as np
import pytest

import flexmb as fm
from flexmb.cli import main
from flexmb.fit import fit as fit_module
from flexmb.fit.data_file import read_columns
from flexmb.fit.methods import expected_gain
from flexmb.fit.residuals import Comparison
from flexmb.postproc.fit_plot import plot_fit

CASE = """
[time]
end = 1.0
step = 0.01

[scheme]
name = "moreau-jean"

[gravity]
acceleration = [0.0, 0.0, -9.81]

[bodies.ball]
kind = "particle"
mass = 1.0
position = [0.0, 0.0, 1.0]

[loads.air]                      # drag
kind = "damper"
node = "ball"
anchor = [0.0, 0.0, 100.0]
coefficient = 0.3                # guessed
"""
FIT = """
case = "fall.toml"
method = "{method}"
evaluations = {evaluations}

[[parameter]]
name = "drag"
key = "loads.air.coefficient"
start = 0.2
from = 0.0
to = 2.0

[[parameter]]
key = "gravity.acceleration.2"
start = -9.0
from = -12.0
to = -8.0

[[objective]]
signal = "ball.position.z"
data = "fall.csv"
column = "z"
sigma = 0.001
"""
DRAG, G = 0.7, -9.9


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return a folder with a case and data from the closed form of a fall with drag, m = 1."""
    t = np.linspace(0.0, 1.0, 21)
    z = 1.0 + G / DRAG * (t - (1.0 - np.exp(-DRAG * t)) / DRAG)
    lines = [
        "# from the closed form",
        "t,z,mm",
        *(f"{a:.17g},{b:.17g},{1000 * b:.17g}" for a, b in zip(t, z, strict=True)),
    ]
    (tmp_path / "fall.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "fall.toml").write_text(CASE)
    write(tmp_path)
    return tmp_path


def write(place: Path, method: str = "least-squares", evaluations: int = 400, **changes: str) -> Path:
    text = FIT.format(method=method, evaluations=evaluations)
    for old, new in changes.values():
        assert old in text
        text = text.replace(old, new)
    (place / "fall_fit.toml").write_text(text)
    return place / "fall_fit.toml"


@pytest.mark.parametrize("method", ["least-squares", "nelder-mead"])
def test_parameters_of_a_closed_form_are_found(place, method):
    result = fm.load_fit(write(place, method)).run()
    assert result.converged
    # moreau-jean with theta = 1/2 is of second order: h^2 = 1e-4 of the motion
    np.testing.assert_allclose(result.values, [DRAG, G], rtol=2e-3)
    assert result.rms < 0.2
    assert np.all(result.errors > 0.0)


def test_standard_errors_are_those_of_the_linear_theory(place):
    fit = fm.load_fit(place / "fall_fit.toml")
    result = fit.run()
    comparison = Comparison(fit.file)
    J = np.empty((21, 2))
    for k, step in enumerate((1e-3, 1e-3)):
        shift = np.eye(2)[k] * step
        ends = [comparison.residuals((result.values + sign * shift).tolist()) for sign in (1.0, -1.0)]
        J[:, k] = (ends[0] - ends[1]) / (2.0 * step)
    want = np.sqrt(np.diag(np.linalg.inv(J.T @ J)))
    np.testing.assert_allclose(result.errors, want, rtol=1e-3)


def test_a_fit_that_was_killed_ends_as_if_it_had_not(place, monkeypatch):
    fit = fm.load_fit(write(place, "nelder-mead"))
    whole = fit.run(place / "whole")

    class Killed(BaseException):
        pass

    real, calls = Comparison.residuals, []

    def counted(self, values):
        calls.append(values)
        if len(calls) == 15:
            raise Killed
        return real(self, values)

    monkeypatch.setattr(Comparison, "residuals", counted)
    with pytest.raises(Killed):
        fit.run(place / "part")
    with (place / "part" / "evaluations.jsonl").open("a") as file:
        file.write('{"fit": "torn')
    again = fit.run(place / "part")
    np.testing.assert_array_equal(again.values, whole.values)
    np.testing.assert_array_equal(again.errors, whole.errors)
    assert again.evaluations == whole.evaluations
    assert again.computed == whole.computed - 14
    assert (place / "part" / "table.csv").read_text() == (place / "whole" / "table.csv").read_text()
    done = len(calls)
    assert fit.run(place / "part").computed == 0
    assert len(calls) == done


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_keeps_the_runs_and_says_how_to_continue(place, capsys, monkeypatch, request, number):
    path, real, calls = write(place), Comparison.residuals, []

    def counted(self, values):
        calls.append(values)
        if len(calls) == 5:
            signal.raise_signal(number)
        return real(self, values)

    monkeypatch.setattr(Comparison, "residuals", counted)
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored by tests in the background of a shell
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, previous))
    command = ["fit", str(path), "-o", str(place / "out"), "--no-figures"]
    assert main(command) == 128 + number
    assert f"to continue: flexmb fit {path} -o {place / 'out'}" in capsys.readouterr().err
    assert main(command) == 0
    assert "4 runs are finished already" in capsys.readouterr().err


def test_the_command_writes_result_table_best_case_and_figure(place, capsys):
    assert main(["fit", str(place / "fall_fit.toml"), "-o", str(place / "out")]) == 0
    said = capsys.readouterr().out
    assert "drag" in said
    assert "gravity.acceleration.2" in said
    summary = json.loads((place / "out" / "fit.json").read_text())
    best = tomllib.loads((place / "out" / "best.toml").read_text())
    assert best["loads"]["air"]["coefficient"] == summary["parameters"][0]["value"]
    assert best["gravity"]["acceleration"][2] == summary["parameters"][1]["value"]
    assert "drag" in (place / "out" / "best.toml").read_text()  # the comment of the file
    assert main(["run", str(place / "out" / "best.toml"), "-o", str(place / "best"), "--quiet"]) == 0
    rows = list(csv.DictReader((place / "out" / "table.csv").open()))
    assert min(float(row["cost"]) for row in rows) == pytest.approx(summary["cost"])
    assert (place / "out" / "fit.png").stat().st_size > 5000
    assert (place / "out" / "fit.pdf").read_bytes().startswith(b"%PDF")
    assert main(["report", str(place / "out")]) == 2
    said = capsys.readouterr().err
    assert all(word in said for word in ("fit", "fit.pdf", "best.toml")), said


def test_dense_data_leave_the_curve_visible(tmp_path):
    t = np.linspace(0.0, 1.0, 1001)
    for name, head in (("objective", "t,data,residual"), ("curve", "t,fit")):
        columns = [t, np.sin(t), 0.0 * t][: head.count(",") + 1]
        np.savetxt(tmp_path / f"{name}_0.csv", np.stack(columns, axis=1), delimiter=",", header=head, comments="")
    objective = {"name": "x", "unit": "m", "points": t.size, "sigma": 1.0}
    (tmp_path / "fit.json").write_text(
        json.dumps({"title": "", "name": "f", "parameters": [], "objectives": [objective]})
    )
    above, below = plot_fit(tmp_path).axes
    data, curve = sorted(above.get_lines(), key=lambda line: line.get_zorder())
    assert data.get_linestyle() == "None"  # below the curve
    assert len(curve.get_xdata()) == t.size > 5 * len(data.get_xdata()) > 500
    assert str(t.size // (len(data.get_xdata()) - 1)) in data.get_label()
    assert len(below.get_lines()[-1].get_xdata()) == t.size


def test_values_that_miss_the_data_are_said_to(place, capsys):
    fit = place / "fall_fit.toml"
    assert main(["fit", str(fit), "-o", str(place / "good"), "--no-figures"]) == 0
    assert "sigma" not in capsys.readouterr().err
    fit.write_text(fit.read_text().replace("from = -12.0", "from = -9.1"))  # the data fell with more
    assert main(["fit", str(fit), "-o", str(place / "far"), "--no-figures"]) == 0
    said = capsys.readouterr().err
    assert "sigma" in said
    assert "nelder-mead" in said
    assert json.loads((place / "far" / "fit.json").read_text())["objectives"][0]["unit"] == "m"


def test_residuals_of_twice_sigma_are_said_to_be_far(place, capsys):
    t, z = np.loadtxt(place / "fall.csv", delimiter=",", skiprows=2, usecols=(0, 1)).T
    z += 2e-3 * np.random.default_rng(5).standard_normal(t.size)  # twice the sigma of the fit file
    text = "\n".join(f"{a!r},{b!r}" for a, b in zip(t.tolist(), z.tolist(), strict=True))
    (place / "fall.csv").write_text("time [s],z [m]\n" + text + "\n")  # names as flexmb export writes them
    assert main(["fit", str(place / "fall_fit.toml"), "-o", str(place / "out"), "--no-figures"]) == 0
    said = capsys.readouterr().err
    # 21 points and 2 parameters: 1 + 4 / sqrt(38)
    assert "more than 1.649" in said
    summary = json.loads((place / "out" / "fit.json").read_text())
    assert summary["rms"] > summary["rms_limit"] == pytest.approx(1.0 + 4.0 / np.sqrt(38.0))
    assert "simplex" in summary["message"]
    fit = fm.load_fit(place / "fall_fit.toml")
    residuals = Comparison(fit.file)
    values = np.array([p["value"] for p in summary["parameters"]])
    ends = [[residuals.residuals((values + s * 1e-3 * row).tolist()) for s in (1.0, -1.0)] for row in np.eye(2)]
    J = np.column_stack([(a - b) / 2e-3 for a, b in ends])
    want = np.sqrt(np.diag(np.linalg.inv(J.T @ J)) * 21.0 / 19.0) * summary["rms"]
    np.testing.assert_allclose([p["error"] for p in summary["parameters"]], want, rtol=2e-3)


def test_the_limit_follows_from_the_spread_of_chi_square():
    rms = [np.sqrt(np.mean(np.random.default_rng(k).standard_normal(50) ** 2)) for k in range(2000)]
    limit = fit_module.far_from_data(50, 0)
    assert limit == pytest.approx(1.0 + 4.0 * np.std(rms), rel=0.02)
    assert fit_module.far_from_data(10**6, 2) == 1.1


def test_columns_may_have_units_in_brackets(tmp_path):
    path, text = tmp_path / "x.csv", "time [s],z [m]\n0.5,2.0\n"
    assert [x.tolist() for x in read_columns(path, text, None, "z")] == [[0.5], [2.0]]
    with pytest.raises(fm.InputError, match="no column"):
        read_columns(path, text, None, "z [mm]")
    text = "t,z [m],z [mm]\n0.5,2.0,3.0\n"
    with pytest.raises(fm.InputError, match=r"several.*z \[m\], z \[mm\]"):
        read_columns(path, text, None, "z")
    assert read_columns(path, text, None, "z [mm]")[1].tolist() == [3.0]


def test_the_expected_gain_is_that_of_the_linear_model():
    J, r = np.array([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]]), np.array([3.0, 2.0, 1.0])
    assert expected_gain(J, r, np.array([0.5, 0.5])) == pytest.approx(0.5 * (9.0 + 4.0))
    assert expected_gain(J, r, np.array([0.0, 0.5])) == pytest.approx(0.5 * 4.0)  # the first one is at its bound
    assert expected_gain(J, np.array([0.0, 0.0, 1.0]), np.array([0.5, 0.5])) == pytest.approx(0.0, abs=1e-12)


def test_a_reference_run_and_a_number(place):
    table = 'signal = "ball.position.z"\ndata = "fall.csv"\ncolumn = "z"\nsigma = 0.001\n'
    like = (
        'signal = "ball.position.z"\nreference = { "loads.air.coefficient" = 0.5, "gravity.acceleration.2" = -10.0 }\n'
    )
    result = fm.load_fit(write(place, table=(table, like))).run()
    np.testing.assert_allclose(result.values, [0.5, -10.0], rtol=1e-5)
    number = 'signal = "ball.position.z"\nreduce = "last"\nvalue = -2.5\n[[objective]]\n'
    number += 'signal = "ball.velocity.z"\nreduce = "last"\nvalue = -6.0\n'
    result = fm.load_fit(write(place, table=(table, number))).run()
    assert result.cost < 1e-8


def test_a_matrix_file_that_changes_is_another_fit(tmp_path):
    mass = tmp_path / "mass.npy"
    body = '[bodies.block]\nkind = "matrices"\nmass_matrix = "mass.npy"\n'
    (tmp_path / "fall.toml").write_text(CASE + body + "points = { a = { at = [0.0, 0.0, 0.0], z = [1.0] } }\n")
    (tmp_path / "fall.csv").write_text("t,z\n0,1\n")
    digests = set()
    for value in (1.0, 2.0):
        np.save(mass, [[value]])
        digests.add(fm.load_fit(write(tmp_path)).file.digest)
    assert len(digests) == 2


def test_most_runs(place):
    result = fm.load_fit(write(place, evaluations=6)).run()
    assert not result.converged
    assert result.evaluations == 6
    assert "6" in result.message


WRONG = {
    "column": (('column = "z"', 'column = "zz"'), ["zz", "t, z, mm"]),
    "file": (("fall.csv", "missing.csv"), ["missing.csv"]),
    "unit": (('column = "z"', 'column = "mm"'), ["factor", "unit"]),
    "signal": (("ball.position.z", "ball.positoin.z"), ["ball.positoin.z", "line"]),
    "key": (("loads.air.coefficient", "loads.air.coefficent"), ["loads.air.coefficent", "coefficient"]),
    "bounds": (("start = 0.2", "start = 3.0"), ["parameter", "start", "2"]),
    "order": (("from = 0.0\nto = 2.0", "from = 2.0\nto = 0.0"), ["parameter", "from"]),
    "word": (("method", "metod"), ["metod", "method"]),
    "two ways": (("sigma", "value"), ["objective"]),
    "same key": (("gravity.acceleration.2", "loads.air.coefficient"), ["loads.air.coefficient"]),
    "case": (("fall.toml", "fal.toml"), ["fal.toml"]),
    "no key": (("loads.air.coefficient", "loads..coefficient"), ["loads..coefficient", "time.step"]),
    "no key to set": (("[[objective]]", '[set]\n"" = 1.0\n[[objective]]'), ["set", "time.step"]),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_input_is_named(place, capsys, what):
    change, words = WRONG[what]
    file = write(place, change=change)
    assert main(["fit", str(file), "-o", str(place / "out")]) == 2
    said = capsys.readouterr().err
    assert all(word in said for word in words), said
    assert not (place / "out").exists()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("t,z\n0,1\n0.5,oops\n", ["line 3", "oops"]),
        ("t,z\n0,1\n0.5,1\n0.4,1\n", ["line 4", "0.4", "0.5"]),
        ("t,z\n0,1\n2.0,1\n", ["2 s", "1 s"]),
        ("t,z\n0,1,2\n", ["line 2"]),
        ("t,z\n", ["no rows"]),
        ("s,z\n0,1\n", ["s, z"]),
        ("t,z\n0,nan\n", ["line 2"]),
    ],
)
def test_data_that_do_not_fit(place, capsys, text, words):
    (place / "fall.csv").write_text(text)
    assert main(["fit", str(place / "fall_fit.toml"), "-o", str(place / "out")]) == 2
    said = capsys.readouterr().err
    assert all(word in said for word in words), said


def test_one_of_many_narrow_minima_is_told(place, monkeypatch):
    """Short differences see one minimum of width 0.004, long ones the parabola over all of them."""

    def wavy(self, values):
        x = values[0] - DRAG
        return np.array([100.0 * x, 20.0 * np.sin(np.pi * x / 0.004), 30.0 * (values[1] - G), *np.zeros(18)])

    monkeypatch.setattr(Comparison, "residuals", wavy)
    result = fm.load_fit(place / "fall_fit.toml").run()
    assert result.rough
    assert result.rms < result.far
    assert np.all(np.abs(result.values - [DRAG, G]) < 3.0 * result.errors)
    assert 0.005 < result.errors[0] < 0.1  # 0.01 over all minima
    monkeypatch.setattr(Comparison, "residuals", lambda self, values: wavy(self, values) * ([1.0, 0.0] + 19 * [1.0]))
    assert not fm.load_fit(place / "fall_fit.toml").run().rough


@pytest.mark.parametrize("width", [0.004, 0.02])
def test_a_single_narrow_minimum_keeps_the_errors_of_its_slope(place, monkeypatch, width):
    """The residual saturates, so long differences see a small slope, but there is no other minimum."""

    def saturating(self, values):
        x = values[0] - DRAG
        return np.array([30.0 * np.tanh(x / width), 30.0 * (values[1] - G), *np.zeros(19)])

    monkeypatch.setattr(Comparison, "residuals", saturating)
    result = fm.load_fit(place / "fall_fit.toml").run()
    assert not result.rough
    want = [width / 30.0, 1.0 / 30.0]
    # differences over one standard error; DEVIATIONS_SEEN may lengthen errors to runs of almost the same cost
    assert np.all(result.errors > 0.9 * np.array(want))
    assert np.all(result.errors < 10.0 * np.array(want))
    np.testing.assert_allclose(result.values, [DRAG, G], atol=0.1 * result.errors.max())


def test_the_shipped_bounce_finds_what_its_data_were_made_of():
    result = fm.load_fit("bounce").run()
    assert result.converged
    assert np.all(np.abs(result.values - [0.62, 0.35]) < 2.0 * result.errors)
    assert np.all(result.errors < [0.01, 0.02])
    assert 0.85 < result.rms < 1.15  # the noise is all that is left: 121 points, 1 +- 3/sqrt(2 121) would be 0.2


def test_the_page_prints_what_the_program_prints(tmp_path, capsys):
    page = (Path(__file__).parents[1] / "docs" / "fit.md").read_text()
    block = page.split("`flexmb fit bounce` prints\n\n```\n")[1].split("```")[0]
    assert main(["fit", "bounce", "-o", str(tmp_path / "out")]) == 0
    said = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    for line in block.strip("\n").splitlines():
        assert line.rstrip() in said


def test_a_fit_says_what_it_fits():
    words = "of impact_oscillator: restitution in [0.1, 1], damping in [0, 2]; to ball.position.x; least-squares"
    assert repr(fm.load_fit("bounce")) == f"<Fit 'bounce' {words}>"


def test_optuna_comes_near_and_is_repeatable(place):
    pytest.importorskip("optuna")
    values = [fm.load_fit(write(place, "optuna", 40)).run().values for _ in range(2)]
    np.testing.assert_array_equal(*values)
    assert fit_module.load_fit(place / "fall_fit.toml").run().cost < 0.2 * _start_cost(place)


def _start_cost(place: Path) -> float:
    first = Comparison(fm.load_fit(place / "fall_fit.toml").file).first
    return 0.5 * float(first @ first)
