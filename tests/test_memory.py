"""A model that does not fit into the memory is refused in words, before it is made."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from assembly_memory import peak

import flexmb as fm
from flexmb.checks import memory as room
from flexmb.checks.memory import Size, available_bytes, check_memory
from flexmb.cli import main

GB = 1_000_000_000


def test_the_free_memory_is_some() -> None:
    assert 10_000_000 < available_bytes() < 10**16


def test_a_system_that_does_not_tell_has_some_memory_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_meminfo", lambda: None)
    monkeypatch.setattr(room, "_group", lambda: None)
    assert available_bytes() > 10_000_000
    monkeypatch.delattr(room.os, "sysconf")
    assert available_bytes() == room.UNKNOWN


@pytest.mark.parametrize(
    ("case", "key", "needed"),
    [
        ("impacting_bar", "bodies.rod.elements=9000000", "12.6 GB"),
        ("flying_beam", "bodies.beam.elements=500000", "13 GB"),
    ],
)
def test_validate_names_body_elements_and_memory(
    case: str, key: str, needed: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(room, "available_bytes", lambda: 12 * GB)
    assert main(["validate", case, "--set", key]) == 2
    said = capsys.readouterr().err
    assert key.replace("=", " = ") in said
    assert needed in said
    assert "12 GB" in said


def test_bodies_count_together_and_the_largest_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    model = fm.Model()
    for k, elements in enumerate((100, 300, 200)):
        model.add(fm.Bar(f"bar{k}", length=1.0, elements=elements, area=1.0, young=1.0, density=1.0))
    total = sum(body.memory(False).bytes for body in model.bodies.values())
    monkeypatch.setattr(room, "ALWAYS", 0)
    monkeypatch.setattr(room, "available_bytes", lambda: total)
    model.assemble()
    monkeypatch.setattr(room, "available_bytes", lambda: total - 1)
    with pytest.raises(fm.InputError) as caught:
        model.assemble()
    assert (caught.value.where, caught.value.key, caught.value.value) == ("bodies.bar1", "elements", 300)


def test_pieces_of_a_shaft_are_refused_before_they_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "available_bytes", lambda: GB)
    with pytest.raises(fm.InputError) as caught:
        fm.Rotor(
            "shaft",
            sections=[fm.ShaftSection(length=1.0, outer_diameter=0.1, elements=10**9)],
            material=fm.Material(young=2e11, density=7800.0, poisson=0.3),
        )
    assert caught.value.value == 10**9


def test_sizes_beyond_all_numbers_have_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "available_bytes", lambda: GB)
    with pytest.raises(fm.InputError):
        check_memory([Size("bodies.b", 10**400, 10**404)])


def test_little_is_never_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "available_bytes", lambda: 0)
    check_memory([Size("bodies.b", 10, GB // 4)] * 2)
    with pytest.raises(fm.InputError):
        check_memory([Size("bodies.b", 10, GB // 4)] * 3)


def test_caches_of_a_container_are_free(tmp_path: Path) -> None:
    assert room._group(tmp_path) is None
    (tmp_path / "memory.max").write_text("max\n")
    (tmp_path / "memory.current").write_text("900\n")
    assert room._group(tmp_path) is None
    (tmp_path / "memory.max").write_text("1000\n")
    assert room._group(tmp_path) == 100
    stat = "anon 500\nfile 390\ninactive_file 300\nactive_file 40\nslab_reclaimable 5\nslab 9\n"
    (tmp_path / "memory.stat").write_text(stat)
    assert room._group(tmp_path) == 445
    (tmp_path / "memory.stat").write_text("inactive_file many\n")
    assert room._group(tmp_path) == 100


def bar(elements: int) -> fm.Bar:
    return fm.Bar("bar", length=1.0, elements=elements, area=1.0, young=1.0, density=1.0)


def beam(elements: int) -> fm.Beam:
    section = {"shape": "rectangle", "width": 0.02, "height": 0.02}
    return fm.Beam("beam", length=1.0, elements=elements, section=section, young=2e11, density=7800.0)


@pytest.mark.parametrize("make", [bar, beam])
def test_estimates_are_not_below_what_is_taken_nor_far_above(make: Callable[[int], fm.Bar | fm.Beam]) -> None:
    """Of the difference of two models, since some kilobytes are taken by any."""

    def taken(elements: int) -> int:
        model = fm.Model()
        model.add(make(elements))
        return peak(model)

    taken(10)
    more = taken(4000) - taken(2000)
    assert 0.3 * make(2000).memory(False).bytes < more <= make(2000).memory(False).bytes
