"""What is recorded of friction: ledger, samples, files, checkpoints, signals; each against numbers made by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import fake_run
import numpy as np
import pytest
from fake_files import Reached
from multibody_models import plan_of
from rough_scheme import RoughScheme
from scipy import sparse

import flexmb as fm
from flexmb.case.expectations import recorded_in
from flexmb.drive.general import GeneralEngine
from flexmb.errors import InputError
from flexmb.kernels.laws import friction_record as rows
from flexmb.kernels.laws.friction_status import OPEN, SLIP, STICK, friction_status, write_status
from flexmb.kernels.small_motion.ledger import (
    COLUMNS,
    CONTACT,
    FRICTION,
    FRICTION_GAIN_CONTACT,
    FRICTION_GAIN_MAX,
    FRICTION_GAIN_STEPS,
    FRICTION_GAIN_TIME,
    GAIN_CONTACT,
    TERMS_SIZE,
    add_to_ledger,
    balance,
    empty_ledger,
)
from flexmb.record.io.csv_tables import write_csv
from flexmb.record.io.run_folder import RunFolder
from flexmb.record.result import MemorySink, Result, load
from flexmb.record.samples import ENERGY_COLUMNS, Block, RunInfo, Tally
from flexmb.record.summary import summarize
from flexmb.system.contact_blocks import Blocks
from flexmb.system.linear_system import LinearSystem

# the wall has two tangents, two axes of rolling and one of spinning; the two floors a tangent each
BLOCKS = Blocks(
    slides=np.array([2, 1, 1]),
    turns=np.array([2, 0, 0]),
    spins=np.array([1, 0, 0]),
    friction=np.array([[0.3, *7 * [0.0]], [0.5, *7 * [0.0]], [0.5, *7 * [0.0]]]),
    e_T=np.zeros(3),
    roll=np.array([0.01, 0.0, 0.0]),
    spin=np.array([0.02, 0.0, 0.0]),
    cohesion=np.zeros((3, 5)),
    poisson=np.zeros(3, dtype=np.bool_),
)


def rough_system() -> LinearSystem:
    plain = fake_run.system()
    H = sparse.csc_array(np.random.default_rng(1).normal(size=(plain.nv, BLOCKS.nt)))
    none = np.full(BLOCKS.nt, -1)
    contacts = replace(
        plain.contacts, blocks=BLOCKS, H=H, slide_of=none, slide_coef=np.zeros(7), drift=np.zeros(BLOCKS.nt)
    )
    return replace(plain, contacts=contacts)


def rough_run() -> RunInfo:
    return replace(fake_run.run_info(), system=rough_system())


def rough_blocks(run: RunInfo) -> list[Block]:
    rng = np.random.default_rng(5)
    out = []
    for block in fake_run.blocks(run):
        k, f = len(block.step), len(block.field_step)
        laws = rng.normal(size=(k, rows.LAW_COLUMNS, 3))
        laws[:, 0] = rng.integers(0, 3, size=(k, 3))
        beside = rng.normal(size=(k, 2, BLOCKS.nt))
        out.append(replace(block, beside=beside, laws=laws, field_impulse=rng.normal(size=(f, 3 + BLOCKS.nt))))
    return out


def rough_result() -> Result:
    sink, run = MemorySink(), rough_run()
    sink.begin(run)
    for block in rough_blocks(run):
        sink.append(block)
    return sink.result(Reached(Tally(steps=run.steps, min_gap=0.0)))


def whole(blocks: list[Block], name: str) -> np.ndarray:
    return np.concatenate([getattr(block, name) for block in blocks])


# status ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("P_N", "P_T", "mu", "status"),
    [
        (0.0, 0.0, 0.3, OPEN),
        (-1e-18, 0.0, 0.3, OPEN),
        (2.0, 0.0, 0.3, STICK),
        (2.0, 0.6 * (1.0 - 1e-7), 0.3, STICK),
        (2.0, 0.6 * (1.0 - 1e-9), 0.3, SLIP),
        (2.0, 0.7, 0.3, SLIP),
        (2.0, 0.0, 0.0, SLIP),
    ],
)
def test_status_by_the_impulses(P_N: float, P_T: float, mu: float, status: int) -> None:
    assert friction_status(P_N, P_T, mu, 1) == status


@pytest.mark.parametrize(("P_N", "status"), [(0.0, OPEN), (2.0, STICK)])
def test_a_contact_without_tangents_never_slips(P_N: float, status: int) -> None:
    assert friction_status(P_N, 0.0, 0.0, 0) == status
    out = np.zeros(1)
    write_status(np.array([P_N]), np.zeros(0), np.zeros(2, np.int64), np.zeros(1, np.int64), np.zeros(1), out)
    assert out[0] == status


def test_status_counts_tangents_only() -> None:
    R = np.array([0.3, 0.4, 90.0, 90.0, 90.0, -1.0, 0.2])  # |P_T| = 0.5, 1.0, 0.2; moments are no tangents
    out = np.zeros(3)
    write_status(np.array([2.0, 2.0, 2.0]), R, BLOCKS.start, BLOCKS.slides, np.array([0.3, 0.5, 0.5]), out)
    assert out.tolist() == [STICK, SLIP, STICK]


# the ledger -----------------------------------------------------------------------------------------------------


def booked(*laws: np.ndarray) -> np.ndarray:
    """Return the ledger after steps with these works, of two contacts pushed by 1 N s with a response of 1 / kg."""
    ledger, ones = empty_ledger(), np.ones(2)
    for n, own in enumerate(laws):
        add_to_ledger(ledger, np.zeros(TERMS_SIZE), ones, np.array([-1.0, -2.0]), own, ones, ones, 0.5 * (n + 1))
    return ledger


def works(sliding: tuple[float, float], rolling: float = 0.0, cohesion: float = 0.0) -> np.ndarray:
    laws = np.zeros((rows.LAW_ROWS, 2))
    laws[rows.SLIDING], laws[rows.ROLLING, 0], laws[rows.COHESION, 1] = sliding, rolling, cohesion
    return laws


def test_friction_has_a_column_of_its_own_and_parts() -> None:
    ledger, row = booked(works((-3.0, -1.0), rolling=-0.25, cohesion=-0.5)), np.zeros(COLUMNS)
    balance(ledger, 0.0, 0.0, np.zeros(COLUMNS))  # the first sample sets the start
    balance(ledger, 1.0, 2.0, row)
    column = dict(zip(ENERGY_COLUMNS, row, strict=True))
    assert column["work_friction"] == -4.75
    assert (column["work_rolling"], column["work_cohesion"], column["work_contact"]) == (-0.25, -0.5, -3.0)
    assert column["residual"] == 3.0 - (-3.0 - 4.75)


def test_gains_of_friction_are_shown_with_contact_and_time_and_not_clipped() -> None:
    ledger = booked(works((-3.0, 0.5)), works((1.0, 2.0), rolling=0.5), works((1e-10, -1.0)), works((-1.0, 0.7)))
    assert ledger[FRICTION] == pytest.approx(-3.0 + 0.5 + 3.5 - 1.0 - 0.3, abs=1e-9)
    assert ledger[FRICTION_GAIN_STEPS] == 3  # 1e-10 is below what round-off of the impulse can do
    assert ledger[FRICTION_GAIN_MAX] == 3.5
    assert (ledger[FRICTION_GAIN_TIME], ledger[FRICTION_GAIN_CONTACT]) == (1.0, 1)
    assert ledger[CONTACT] == -12.0


def test_cohesion_that_gives_back_what_it_stored_is_no_gain_of_friction() -> None:
    assert booked(works((-1.0, -1.0), cohesion=5.0))[FRICTION_GAIN_STEPS] == 0


def test_the_contact_that_gains_by_its_normal_is_named_too() -> None:
    ledger, ones = empty_ledger(), np.ones(3)
    add_to_ledger(ledger, np.zeros(TERMS_SIZE), ones, np.array([0.1, 0.3, -1.0]), rows.NO_LAWS, ones, ones, 1.0)
    assert ledger[GAIN_CONTACT] == 1


# the engine -----------------------------------------------------------------------------------------------------


def thrown(mu: float = 0.3, **keys: object) -> fm.Model:
    """Return a block that lands on a plane and slides to rest: 2 J of it, and 0.125 J by the impact."""
    model = fm.Model()
    block = model.add(fm.Particle("block", mass=1.0, position=(0.0, 0.0, 0.0), velocity=(2.0, 0.0, 0.5)))
    model.add(fm.NodePlane("floor", node=block.first, normal=(0, 0, 1), friction=mu, restitution=0.0, **keys))
    model.gravity = (0.0, 0.0, -9.81)
    return model


@pytest.fixture(scope="module")
def sliding() -> Result:
    return fm.simulate(thrown(), RoughScheme(), step=1e-3, end=1.0)


def test_a_block_slides_to_rest(sliding: Result) -> None:
    floor, energy = sliding.contacts["floor"], sliding.energy
    assert energy.work_friction[-1] == pytest.approx(-2.0, rel=1e-12)
    np.testing.assert_array_equal(floor.work_friction, energy.work_friction)
    np.testing.assert_allclose(floor.work, energy.work_contact, rtol=0.0, atol=1e-15)
    assert np.abs(energy.residual).max() < 1e-12
    assert floor.tangential_impulse.sum(axis=0) == pytest.approx([-2.0, 0.0], abs=1e-12)
    np.testing.assert_allclose(floor.slip_speed, np.linalg.norm(floor.slip, axis=1), rtol=1e-15)
    pressed = floor.status == SLIP
    np.testing.assert_allclose(floor.friction_impulse[pressed], 0.3 * floor.impulse[pressed], rtol=1e-12)
    changes = floor.status[1:][np.diff(floor.status) != 0].tolist()
    assert changes == [SLIP, STICK]
    assert floor.slip_speed[floor.status == STICK][1:].max() < 1e-14
    assert sliding.summary["energy"]["friction"] == energy.work_friction[-1]


def test_samples_have_what_acted_since_the_one_before(sliding: Result) -> None:
    seldom = fm.simulate(thrown(), RoughScheme(), step=1e-3, end=1.0, every=7)
    ends = seldom.step
    for name in ("tangential_impulse", "impulse"):
        fine = np.cumsum(getattr(sliding.contacts["floor"], name), axis=0)[ends]
        own = np.cumsum(getattr(seldom.contacts["floor"], name), axis=0)
        np.testing.assert_allclose(own, fine, atol=1e-14)
    for name in ("status", "work", "work_friction", "slip"):
        fine = getattr(sliding.contacts["floor"], name)[ends]
        np.testing.assert_array_equal(getattr(seldom.contacts["floor"], name), fine)


def test_fields_have_the_whole_impulse(sliding: Result) -> None:
    total = sum(sliding.fields.frame(k)["contact_impulse"][0] for k in range(len(sliding.fields)))
    floor = sliding.contacts["floor"]
    np.testing.assert_allclose(total, [*floor.tangential_impulse.sum(axis=0), floor.impulse.sum()], atol=1e-12)


def test_a_moving_surface_does_work_on_the_body_and_at_the_surface() -> None:
    result = fm.simulate(thrown(surface_velocity=(0.5, 0.0, 0.0)), RoughScheme(), step=1e-3, end=1.0)
    energy, floor = result.energy, result.contacts["floor"]
    carried = 0.5 * floor.tangential_impulse[:, 0].sum()  # the belt's velocity times what it gets
    assert energy.work_drive[-1] == pytest.approx(carried, rel=1e-12)
    np.testing.assert_allclose(floor.work_surface, energy.work_drive, rtol=0.0, atol=1e-14)
    assert energy.work_friction[-1] == pytest.approx(-0.5 * 1.5**2, rel=1e-12)  # the slip is 1.5 m/s at first
    assert np.abs(energy.residual).max() < 1e-12


def test_a_resumed_run_has_the_same_bits() -> None:
    plan = plan_of(thrown().assemble(), RoughScheme(), 1e-3, 300, every=3, fields_every=4)
    one, two = GeneralEngine(plan), GeneralEngine(plan)
    one.start()
    one.advance(137)
    kept = one.snapshot()
    rest = one.advance(1000)
    two.restore(kept, 137)
    again = two.advance(1000)
    for name in ("beside", "laws", "energy", "field_impulse", "probes"):
        np.testing.assert_array_equal(getattr(again, name), getattr(rest, name), err_msg=name)
    assert np.abs(rest.tangential).max() > 0.0
    assert repr(two.tally()) == repr(one.tally())  # times that are none are no numbers


def test_frictionless_runs_record_no_more_than_before() -> None:
    result = fm.simulate(thrown(mu=0.0), fm.MoreauJean(), step=1e-2, end=0.3)
    own = [name for name in result.tree if name.startswith(("/contacts/", "/energy/", "/layout/laws"))]
    assert {name.rpartition("/")[2] for name in own if "contacts" in name} == {"gap", "velocity", "impulse"}
    assert not any("rolling" in name or "cohesion" in name or "laws" in name for name in own)
    floor = result.contacts["floor"]
    assert not floor.work_friction.any()
    assert set(floor.status.tolist()) == {OPEN, SLIP}
    assert not result.energy.work_rolling.any()
    with pytest.raises(InputError, match=r"floor.*slip"):
        _ = floor.slip


def test_energy_that_friction_adds_is_told(sliding: Result) -> None:
    energy = sliding.summary["energy"] | {
        "friction_gain_steps": 2, "friction_gain_max": 0.5, "friction_gain_time": 1.25, "friction_gain_contact": "pin",
    }  # fmt: skip
    from flexmb.record.summary_text import energy_lines, energy_warnings

    (words,) = energy_warnings(energy)
    for part in ("friction", "2 steps", "0.5 J", "1.25", "pin"):
        assert part in words
    lines = energy_lines(energy | {"rolling": -0.25})
    (row,) = [line for line in lines if "work of friction" in line]
    assert float(row.split()[-1]) == pytest.approx(energy["friction"])
    assert any("rolling" in line and "-0.25" in line for line in lines)
    assert not any("friction" in line for line in energy_lines(energy | {"friction": 0.0, "friction_gain_steps": 0}))


# names, files ---------------------------------------------------------------------------------------------------


def test_columns_of_each_contact() -> None:
    result, blocks = rough_result(), rough_blocks(rough_run())
    wall, floor = result.contacts["wall"], result.contacts["floor"]
    tangential, slip = whole(blocks, "tangential"), whole(blocks, "slip")
    np.testing.assert_array_equal(wall.tangential_impulse, tangential[:, :2])
    np.testing.assert_array_equal(wall.rolling_impulse, tangential[:, 2:5])
    np.testing.assert_array_equal(wall.rolling_rate, slip[:, 2:5])
    np.testing.assert_array_equal(floor.slip, slip[:, 5:])
    np.testing.assert_array_equal(floor.slip_speed, np.abs(slip[:, 5:]))
    np.testing.assert_array_equal(wall.status, whole(blocks, "status")[:, 0])
    np.testing.assert_array_equal(floor.work, whole(blocks, "work")[:, 1:])
    np.testing.assert_array_equal(floor.work_friction, whole(blocks, "work_friction")[:, 1:])
    np.testing.assert_array_equal(floor.work_surface, whole(blocks, "work_surface")[:, 1:])
    np.testing.assert_array_equal(wall.work_rolling, whole(blocks, "work_rolling")[:, 0])
    assert wall.mu.tolist() == [0.3]
    assert floor.mu.tolist() == [0.5, 0.5]
    with pytest.raises(InputError, match=r"floor.*rolling_rate"):
        _ = floor.rolling_rate


def test_memory_and_file_hold_the_same(tmp_path: Path) -> None:
    run, sink = rough_run(), RunFolder(tmp_path / "r", "")
    sink.begin(run)
    for block in rough_blocks(run):
        sink.append(block)
    sink.finish(summarize(sink.close_data(), run, Reached(Tally(steps=run.steps, min_gap=0.0))))
    stored, memory = load(tmp_path / "r"), rough_result()
    again = load(memory.save(tmp_path / "again"))
    assert sorted(stored.tree) == sorted(memory.tree) == sorted(again.tree)
    for name in memory.tree:
        for other in (stored, again):
            np.testing.assert_array_equal(other.tree[name][()], memory.tree[name][()], err_msg=name)
    assert stored.tree["/contacts/wall/slip"].attrs["unit"] == "m/s"
    assert stored.tree["/contacts/wall/rolling_impulse"].attrs["unit"] == "N m s"


def test_every_recorded_word_can_be_expected() -> None:
    result = rough_result()
    columns = recorded_in(rough_system())
    for name, words in (("wall", 2), ("floor", 2)):
        assert columns[f"contacts.{name}.slip"] == words
    assert columns["contacts.wall.slip_speed"] == columns["contacts.wall.status"] == 1
    assert columns["contacts.wall.rolling_rate"] == 3
    assert "contacts.floor.rolling_rate" not in columns
    for name, count in columns.items():
        if name.startswith(("contacts.", "energy.")):
            head, _, word = name.rpartition(".")
            series = result.energy if head == "energy" else result.contacts[head.removeprefix("contacts.")]
            values = getattr(series, word)
            assert values.reshape(len(values), -1).shape == (11, count), name
    plain = recorded_in(fake_run.system())
    assert not any("slip" in name for name in plain if name.startswith("contacts."))


def test_tables_have_all_columns(tmp_path: Path) -> None:
    result = rough_result()
    frame = result.to_pandas()
    np.testing.assert_array_equal(frame["contacts.wall.slip.1"], result.contacts["wall"].slip[:, 1])
    np.testing.assert_array_equal(
        frame["contacts.floor.friction_impulse.0"], result.contacts["floor"].friction_impulse[:, 0]
    )
    np.testing.assert_array_equal(frame["energy.work_friction"], result.energy.work_friction)
    data = result.to_xarray()
    assert data["contacts.wall.tangential_impulse"].attrs["units"] == "N s"
    assert data["contacts.wall.rolling_rate"].dims == ("time", "contacts.wall.turn")
    paths = {path.stem: path for path in write_csv(result.tree, tmp_path)}
    head = paths["contacts"].read_text().splitlines()[0].split(",")
    values = np.loadtxt(paths["contacts"], delimiter=",", skiprows=1)
    np.testing.assert_array_equal(
        values[:, head.index("wall.tangential_impulse.0 [N s]")], result.contacts["wall"].tangential_impulse[:, 0]
    )
    np.testing.assert_array_equal(values[:, head.index("wall.status")], result.contacts["wall"].status)
    assert "work_friction [J]" in paths["energy"].read_text().splitlines()[0]
