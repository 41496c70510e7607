"""The time a picture shows by default: when impulses act, also where some of them are no numbers."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.postproc.instant import nearest_state
from flexmb.record.io.paraview import opening_time
from flexmb.record.io.representative_time import telling_state, telling_time
from flexmb.record.io.structure import Tree


def tree_of(**impulses: list[float] | np.ndarray) -> Tree:
    contacts = {f"/contacts/{name}/impulse": np.array(values) for name, values in impulses.items()}
    return contacts | {"/time": np.arange(8.0)}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf, 1e308])
def test_impulses_that_are_no_numbers_tell_nothing(odd: float) -> None:
    assert telling_time(tree_of(wall=[odd] * 8)) == 7.0
    assert telling_time(tree_of(wall=[0, odd, 0, 0, 0, odd, 0, 0])) == 7.0
    assert telling_time(tree_of(wall=[0, 3, 0, 0, 0, odd, 0, 0])) == 1.0
    assert telling_time(tree_of(wall=[0, 4, 0, 0, 3, odd, 3, 0])) == 4.0, "one sample splits no contact"
    group = np.zeros((8, 2))
    group[:, 1], group[2, 0] = odd, 1.0
    assert telling_time(tree_of(wall=[0, 3, 0, 0, 0, 0, 0, 0], floor=group)) == 1.0


def test_paraview_and_pictures_begin_with_the_same_state_and_it_holds_the_impulse() -> None:
    result = fm.load_case("impact_oscillator", ["output.fields_every=30"]).run()
    times, k = result.fields.times, telling_state(result.tree)
    assert k != np.argmin(np.abs(times - telling_time(result.tree))), "the nearest state is before the blow"
    assert result.tree["/state/impulse"][k].any()
    assert nearest_state(result, None) == k
    assert opening_time(result.tree, []) == times[k]


def test_a_contact_at_rest_tells_less_than_the_blows_before_it() -> None:
    impulse = [0, 3, 0, 0, 0.9, 0.9, 0.9, 0.9]
    moving = [5, 5, 3, 1, 1, 1, 1, 1]
    tree = tree_of(wall=impulse)
    assert telling_time(tree) == 5.0, "energies are not known"
    assert telling_time(tree | {"/energy/kinetic": np.array(moving, dtype=float)}) == 5.0
    tree |= {"/energy/kinetic": np.array([5, 5, 3, 1, 1, 1e-3, 0, 0])}
    assert telling_time(tree) == 1.0
    alone = tree_of(wall=[0, 0, 0, 0, 0.9, 0.9, 0.9, 0.9]) | {"/energy/kinetic": tree["/energy/kinetic"]}
    assert telling_time(alone) == 5.0
