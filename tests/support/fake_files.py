"""The run made by hand in ``fake_run``, in memory and as a folder, and what its fields must hold."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import fake_run
import numpy as np

from flexmb.record.io.run_folder import RunFolder
from flexmb.record.result import MemorySink, Result
from flexmb.record.samples import Tally
from flexmb.record.summary import summarize

MOVING = ("displacement", "velocity", "contact_impulse")


@dataclass(frozen=True)
class Reached:
    tally: Tally
    wall_time_s: float = 2.0
    stepping_time_s: float = 2.0
    cpu_time_s: float = 2.0


def memory_result() -> Result:
    run = fake_run.run_info()
    sink = MemorySink()
    sink.begin(run)
    for block in fake_run.blocks(run):
        sink.append(block)
    return sink.result(Reached(Tally(steps=10, min_gap=-0.5)), title="by hand")


def written(folder: Path, sizes: tuple[int, ...] = (3, 5, 3)) -> Path:
    run = fake_run.run_info()
    sink = RunFolder(folder, "title = 1\n")
    sink.begin(run)
    for block in fake_run.blocks(run, sizes):
        sink.append(block)
    tree = sink.close_data()
    sink.finish(summarize(tree, run, Reached(Tally(steps=10))))
    return folder


def expected_vectors(result: Result) -> dict[str, np.ndarray]:
    """Return the vectors at the five points, by hand from the states: points 0..3 move in x, point 4 in y and z."""
    out = {}
    for name, values in (("displacement", result.fields.q[()]), ("velocity", result.fields.v[()])):
        vectors = np.zeros((len(values), 5, 3))
        vectors[:, :4, 0] = values[:, :4]
        vectors[:, 4, 1:] = values[:, 4:]
        out[name] = vectors
    impulse, vectors = result.fields.impulse[()], np.zeros((len(result.fields), 5, 3))
    vectors[:, 0, 0], vectors[:, 4, 1], vectors[:, 4, 2] = impulse[:, 0], 0.6 * impulse[:, 1], -impulse[:, 2]
    return out | {"contact_impulse": vectors}
