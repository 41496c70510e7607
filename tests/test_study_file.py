"""Study files: axes and the grid they span, and every kind of wrong input before anything runs."""

from __future__ import annotations

import itertools
import math
import re
from pathlib import Path

import numpy as np
import pytest
from messages import says
from pydantic import BaseModel
from study_files import STUDY, write_study

from flexmb.case import load_case
from flexmb.case.json_schema import file_schema
from flexmb.cli import main
from flexmb.errors import InputError
from flexmb.postproc.study.modes import OVER, SHOWN
from flexmb.study.axes import Axis, Grid, Setting, layered, make_axis, nearest_prime
from flexmb.study.plan import Runs
from flexmb.study.read import read_study
from flexmb.study.study_schema import (
    MODES_OVER,
    MODES_SHOWN,
    AxisTable,
    ChoiceTable,
    ExpectTable,
    FigureTable,
    MeasureTable,
    ReferenceTable,
    StudyTables,
)


def axis(**keys: object) -> Axis:
    return make_axis(AxisTable.model_validate({"key": "time.step"} | keys), "here")


def test_ranges() -> None:
    assert axis(**{"from": 0.0, "to": 1.0, "count": 5}).values == (0.0, 0.25, 0.5, 0.75, 1.0)
    log = axis(**{"from": 1e-4, "to": 1e-2, "count": 3, "spacing": "log"}).values
    assert (log[0], log[2]) == (1e-4, 1e-2)
    assert log[1] == pytest.approx(1e-3, rel=1e-15)
    whole = axis(**{"from": 100, "to": 10000, "count": 5, "spacing": "log"}).values
    assert whole == (100, 316, 1000, 3162, 10000)
    assert all(isinstance(x, int) for x in whole)
    assert axis(**{"from": 1.0, "to": 2, "count": 2}).values == (1.0, 2.0)


def test_primes_are_the_nearest_to_a_log_spacing() -> None:
    found = axis(**{"from": 100, "to": 10000, "count": 5, "spacing": "primes"}).values
    sieve = [n for n in range(2, 11000) if all(n % k for k in range(2, math.isqrt(n) + 1))]
    wanted = [min(sieve, key=lambda p: (abs(p - x), p)) for x in np.geomspace(100, 10000, 5)]
    assert list(found) == wanted
    for x in np.linspace(1.0, 300.0, 1234):
        assert nearest_prime(x) == min(sieve, key=lambda p: (abs(p - x), p))


def points(*axes: Axis) -> list[tuple[object, ...]]:
    return [tuple(point.axes.values()) for point in Grid(axes)]


def make(name: str, values: str, word: str = "") -> Axis:
    return Axis(name, tuple(values), tuple((Setting((name,), v, ""),) for v in values), word)


def test_axes_are_crossed_the_first_slowest() -> None:
    assert points(make("a", "xy"), make("b", "123")) == list(itertools.product("xy", "123"))
    assert points() == [()]


def test_zipped_axes_go_hand_in_hand() -> None:
    grid = points(make("a", "xy", "m"), make("b", "123"), make("c", "pq", "m"))
    assert grid == [(x, n, p) for x, p in zip("xy", "pq", strict=True) for n in "123"]


def test_a_step_replaces_an_interval_given_before_it() -> None:
    interval, steps = Setting(("output", "interval"), 0.1, "a"), Setting(("time", "steps"), 10, "b")
    tolerance = Setting(("time", "tolerance"), 1e-6, "c")
    assert layered((interval, steps)) == (steps,)
    assert layered((steps, interval)) == (steps, interval)  # the case says that this does not fit together
    assert layered((interval, steps), (tolerance,)) == (interval, tolerance)


def test_corners_show_every_value_once() -> None:
    grid = Grid([make("a", "xy"), make("b", "1234"), make("c", "pqr")])
    corners = list(grid.corners())
    assert len(corners) == 1 + 1 + 3 + 2
    for name, values in (("a", "xy"), ("b", "1234"), ("c", "pqr")):
        assert {point.axes[name] for point in corners} == set(values)
    assert all(grid[point.index] == point for point in corners)


def test_later_layers_win_and_take_the_place_of_other_ways_to_give_the_step() -> None:
    first = (Setting(("time", "step"), 0.1, "a"), Setting(("time", "end"), 1.0, "a"))
    found = layered(first, (Setting(("time", "steps"), 10, "b"),), (Setting(("time", "end"), 2.0, "c"),))
    assert {setting.path: setting.value for setting in found} == {("time", "steps"): 10, ("time", "end"): 2.0}


def test_a_point_changes_the_case(tmp_path: Path) -> None:
    study = read_study(write_study(tmp_path), ["bodies.ball.mass=2.0"])
    case = Runs(study).task(study.grid[5]).case()
    assert case.scheme.name == "generalized-alpha"
    assert case.grid == (80, 1.0 / 80)
    assert case.values.data["bodies"]["ball"]["mass"] == 2.0
    assert "mass" in study.origin.text  # the study as run
    again = read_study(write_study(tmp_path, study.origin.text, "again.toml"))
    assert again.tables == study.tables


def test_set_takes_tables_and_dotted_names(tmp_path: Path) -> None:
    text = STUDY.replace('"time.end" = 1.0', 'time.end = 0.5\n"contacts.stop.restitution" = 0.1')
    study = read_study(write_study(tmp_path, text))
    data = Runs(study).task(study.grid[0]).case().values.data
    assert (data["time"]["end"], data["contacts"]["stop"]["restitution"]) == (0.5, 0.1)


AXIS = '\n[[axis]]\nname = "more"\n'
MEASURE = '\n[[measure]]\nname = "more"\n'
FIGURE = '\n[[figure]]\nname = "fig"\nkind = "lines"\n'
EXPECT = "\n[[expect]]\nvalue = 1.0\natol = 0.1\n"
WRONG = {
    "no key": (AXIS + 'key = "bodies.ball.mas"\nvalues = [0.5]', ["axis 'more'", "'mass'"]),
    "no table": (AXIS + 'key = "tme.step"\nvalues = [0.5]', ["axis 'more'", "'time'"]),
    "no body": (AXIS + 'key = "bodies.bal.mass"\nvalues = [0.5]', ["axis 'more'", "'ball'"]),
    "value": (AXIS + 'key = "bodies.ball.mass"\nvalues = [1.0, -2.0]', ["axis 'more'", "bodies.ball.mass = -2.0"]),
    "empty": (AXIS + 'key = "bodies.ball.mass"\nvalues = []', ["axis.2.values", "empty"]),
    "no choice": (AXIS + "choices = []", ["axis.2.choices", "empty"]),
    "twice": (AXIS + 'key = "bodies.ball.mass"\nvalues = [1, 2, 1.0]', ["1.0 is repeated"]),
    "vector": (AXIS + 'key = "bodies.ball.velocity"\nvalues = [[1, 0, 0]]', ["choices ... label"]),
    "both": (AXIS + 'key = "time.end"\nchoices = []', ["key, keys ... choices"]),
    "range": (AXIS + 'key = "bodies.ball.mass"\nfrom = 1.0\nto = 2.0', ["missing"]),
    "log": (
        AXIS + 'key = "bodies.ball.mass"\nfrom = 0.0\nto = 2.0\ncount = 3\nspacing = "log"',
        ["axis.2.from", "positive"],
    ),
    "few": (AXIS + 'key = "time.steps"\nfrom = 10\nto = 12\ncount = 5', ["integers"]),
    "primes": (AXIS + 'key = "time.steps"\nfrom = 8\nto = 12\ncount = 4\nspacing = "primes"', ["more primes"]),
    "same key": (AXIS + 'key = "time.steps"\nvalues = [1, 2]', ["axis 'more' ... axis 'n' ... change"]),
    "zip twice": (
        AXIS + 'key = "bodies.ball.mass"\nvalues = [1, 1, 2]\nzip = "z"\n[[axis]]\nkey = "loads.spring.stiffness"\n'
        'values = [3, 3, 3]\nzip = "z"',
        ["1, 3", "twice"],
    ),
    "zip": (
        AXIS + 'key = "bodies.ball.mass"\nvalues = [1, 2]\nzip = "z"\n[[axis]]\nkey = "loads.spring.stiffness"\n'
        'values = [1, 2, 3]\nzip = "z"',
        ["axis 'more' 2", "as many each"],
    ),
    "axis twice": ('\n[[axis]]\nname = "n"\nkey = "bodies.ball.mass"\nvalues = [1]', ["axis 'n'"]),
    "measure twice": ('\n[[measure]]\nname = "n"\nquantity = "cfl"', ["axis 'n'"]),
    "ledger twice": ('\n[[measure]]\nname = "final"\nquantity = "cfl"', ["column ... ledger"]),
    "reserved": ('\n[[measure]]\nname = "status"\nquantity = "cfl"', ["column ... table"]),
    "key of axis": (AXIS + 'kee = "time.step"', ["axis.2.kee", "'key'", "allowed ... key"]),
    "key": ('\n[referense.x]\nset = {}', ["'reference'"]),
    "signal": (MEASURE + 'signal = "ball.positon.x"\nreduce = "max"', ["measure.5.signal", "position"]),
    "contact": (MEASURE + 'signal = "contacts.stopp.impulse"\nreduce = "max"', ["contacts.stop.impulse"]),
    "reduce": (MEASURE + 'signal = "contacts.stop.impulse"', ["reduce ... missing"]),
    "late": (MEASURE + 'signal = "ball.position.x"\nreduce = "at"\ntime = 3.0', ["outside ... run, 0 ... 1 s"]),
    "mixed": (MEASURE + 'signal = "ball.position.x"\nreduce = "max"\nnorm = "L1"', ["norm ... belong"]),
    "two kinds": (MEASURE + 'curve = "energy.total"\nquantity = "cfl"', ["signal, error"]),
    "against": (MEASURE + 'error = "ball.position.x"\nagainst = "fina"', ["reference ... 'fine'"]),
    "exact curve": (MEASURE + 'error = "energy.total"', ["measure.5.error", "curve ... signal"]),
    "components": (MEASURE + 'curve = "ball.position"', ["has 3 components"]),
    "one number": (MEASURE + 'curve = "summary.steps"', ["number ... curve"]),
    "no bar": (MEASURE + 'quantity = "cfl"', ["bar"]),
    "window": (MEASURE + 'error = "ball.position.x"\nfrom = 1.0\nto = 0.5', ["from must be before to"]),
    "follow": ('\n[reference.b]\nfollow = ["m"]', ["axis", "scheme, n"]),
    "reference key": ('\n[reference.exact]\nset = {}', ["exact solution"]),
    "figure x": (FIGURE + 'x = "nn"', ["figure.0.x", "'n'"]),
    "figure y": (FIGURE + 'y = ["impulses"]', ["figure.0.y", "'impulse'"]),
    "figure by": (FIGURE + 'by = ["energy"]', ["figure.0.by", "axis ... measure"]),
    "figure kind": ('\n[[figure]]\nname = "a"\nkind = "pie"', ["figure.0.kind", "'lines'"]),
    "figure name": ('\n[[figure]]\nname = "../a"\nkind = "bars"', ["figure.0.name"]),
    "figure twice": (FIGURE + FIGURE, ["figure"]),
    "where axis": (FIGURE + "where = { m = 1 }", ["axis"]),
    "where value": (FIGURE + "where = { n = 21 }", ["axis 'n' ... value ... 20, 40, 80"]),
    "expect": (EXPECT + 'measure = "impulses"', ["expect.1.measure", "'impulse'"]),
    "expect order": (EXPECT + 'order = "error"', ["order"]),
    "expect array": (EXPECT + 'measure = "energy"', ["column ... numbers"]),
    "expect nothing": (EXPECT, ["order ... measure"]),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_wrong_entries_are_refused_before_anything_runs(name: str, tmp_path: Path) -> None:
    more, words = WRONG[name]
    path = write_study(tmp_path, STUDY + more)
    with pytest.raises(InputError) as caught:
        Runs(read_study(path)).check(lambda words: None)
    text = str(caught.value)
    assert str(path) in text
    for word in words:
        assert says(text, word), text


def test_errors_name_the_line(tmp_path: Path) -> None:
    text = STUDY + AXIS + 'key = "scheme.rho_in"\nvalues = [0.5]'
    path = write_study(tmp_path, text)
    line = text.splitlines().index('name = "more"')
    with pytest.raises(InputError, match=rf"axis 'more' \(small.toml, line {line}\): scheme.rho_in = 0.5: unknown key"):
        Runs(read_study(path)).check(lambda words: None)


def test_a_step_that_does_not_divide_the_time_is_found_early(tmp_path: Path) -> None:
    text = STUDY.replace('key = "time.steps"\nvalues = [20, 40, 80]', 'key = "time.step"\nvalues = [0.1, 0.03]')
    with pytest.raises(InputError, match="axis 'n' .*time.step = 0.03.*divide"):
        Runs(read_study(write_study(tmp_path, text))).check(lambda words: None)


def test_a_key_cannot_be_set_for_all_runs_and_varied(tmp_path: Path) -> None:
    path = write_study(tmp_path)
    with pytest.raises(InputError, match=r"axis 'n' changes it.*comes from --set"):
        read_study(path, ["time.steps=10"])


def test_a_case_without_exact_solution(tmp_path: Path) -> None:
    case = Path(load_case("impact_oscillator").file).read_text(encoding="utf-8")
    start = case.index("[exact]")
    (tmp_path / "mine.toml").write_text(case[:start])
    path = write_study(tmp_path, STUDY.replace("impact_oscillator", "mine.toml"))
    with pytest.raises(InputError, match="measure.1.error = 'ball.velocity.x'.*case 'mine'.*exact solution"):
        Runs(read_study(path)).check(lambda words: None)


def test_no_case(tmp_path: Path) -> None:
    path = write_study(tmp_path, STUDY.replace("impact_oscillator", "impact_oscilator"))
    with pytest.raises(InputError, match="line 3: case = 'impact_oscilator'.*did.*impact_oscillator"):
        read_study(path)
    with pytest.raises(InputError, match="no study file 'nowhere'"):
        read_study("nowhere")


def test_nothing_measured(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there are no measures"):
        read_study(write_study(tmp_path, 'case = "bouncing_ball"'))


def test_more_than_a_million_runs_are_counted_not_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    axes = "".join(
        f'\n[[axis]]\nkey = "{key}"\nfrom = 1.0\nto = 2.0\ncount = 1000\n'
        for key in ("bodies.ball.mass", "loads.spring.stiffness", "loads.damper.coefficient")
    )
    path = write_study(tmp_path, STUDY + axes)
    assert main(["study", str(path), "-o", str(tmp_path / "out")]) == 2
    told = capsys.readouterr().err
    assert "6000000000 runs (2 x 3 x 1000 x 1000 x 1000)" in told
    assert "--yes" in told
    assert not (tmp_path / "out").exists()
    assert main(["study", str(path), "--list"]) == 2
    Runs(read_study(path)).check_count(yes=True)


def test_overrides_of_cases_offer_the_nearest_part() -> None:
    with pytest.raises(InputError, match="--set: bodies.bal.mass = 2.0.*'bal'.*bodies.*'ball'"):
        load_case("impact_oscillator", ["bodies.bal.mass=2.0"])
    with pytest.raises(InputError, match="--set: tme.end = 2.0.*key.*'time'"):
        load_case("impact_oscillator", ["tme.end=2.0"])
    more = [
        "loads.more.kind=damper",
        "loads.more.node=ball",
        "loads.more.anchor=[-2,0,0]",
        "loads.more.coefficient=1.0",
    ]
    assert len(load_case("impact_oscillator", more).values.parts) == 5


PAGE = (Path(__file__).parents[1] / "docs" / "studies.md").read_text(encoding="utf-8")


def test_the_example_of_the_page_is_a_study(tmp_path: Path) -> None:
    text = re.findall(r"```toml\n(.*?)```", PAGE, re.S)[0]
    study = read_study(write_study(tmp_path, text))
    Runs(study).check(lambda words: None)
    assert study.grid.count == 12


def test_the_page_has_all_keys_and_options(capsys: pytest.CaptureFixture[str]) -> None:
    def keys(model: type[BaseModel]) -> set[str]:
        return {field.alias or name for name, field in model.model_fields.items()}

    tables = (StudyTables, AxisTable, ChoiceTable, ReferenceTable, MeasureTable, FigureTable, ExpectTable)
    prose = re.sub(r"```.*?```", "", PAGE, flags=re.S)
    named = set(re.findall(r"[a-z_]+", " ".join(re.findall(r"`([^`]+)`", prose))))
    assert set().union(*(keys(table) for table in tables)) <= named
    with pytest.raises(SystemExit):
        main(["study", "--help"])
    options = set(re.findall(r"--[a-z-]+", capsys.readouterr().out)) - {"--help", "--debug", "--out"}
    assert options <= set(re.findall(r"--[a-z-]+", PAGE))


def test_one_name_of_a_figure_is_a_list_of_one(tmp_path: Path) -> None:
    text = STUDY + FIGURE + 'x = "n"\ny = "{}"\nby = "scheme"'
    figure = read_study(write_study(tmp_path, text.replace("{}", "error"))).tables.figure[-1]
    assert (figure.y, figure.by) == (["error"], ["scheme"])
    with pytest.raises(InputError) as caught:
        read_study(write_study(tmp_path, text.replace("{}", "eror")))
    assert says(str(caught.value), "figure.0.y ... 'eror' ... 'error'")
    with pytest.raises(InputError, match="must be a list"):
        read_study(write_study(tmp_path, STUDY + FIGURE + "y = 3"))
    y = file_schema(StudyTables, "t", "d")["definitions"]["FigureTable"]["properties"]["y"]
    assert [kind["type"] for kind in y["anyOf"]] == ["string", "array"]


def test_figures_of_modes_name_spectra(tmp_path: Path) -> None:
    assert set(OVER) == set(MODES_OVER)
    assert set(SHOWN) == set(MODES_SHOWN)
    more = '\n[[measure]]\nname = "m"\nmodes = 2\n\n[[figure]]\nname = "f"\nkind = "modes"\nx = "{}"\ny = ["{}"]\n'
    for x, y in (("omega_h", "m.damping"), ("frequency_hz", "m"), ("omega_h", "m.lost_free")):
        read_study(write_study(tmp_path, STUDY + more.format(x, y)))
    with pytest.raises(InputError) as caught:
        read_study(write_study(tmp_path, STUDY + more.format("n", "m.dampin")))
    assert says(str(caught.value), "axis ... spectra ... frequency_hz, omega_h")
    assert says(str(caught.value), "measure ... modes ... 'm.damping'")
