"""A small study for tests, and workers that are this very process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from flexmb.study.task import Task, run_task

STUDY = """
title = "a small study"
case = "impact_oscillator"
ledger = true

[set]
"time.end" = 1.0

[[axis]]
name = "scheme"
choices = [
  { label = "Moreau", set = { "scheme.name" = "moreau-jean", "scheme.theta" = 0.5 } },
  { label = "alpha", set = { "scheme.name" = "generalized-alpha" } },
]

[[axis]]
name = "n"
key = "time.steps"
values = [20, 40, 80]

[reference.fine]
set = { "time.steps" = 400 }
follow = ["scheme"]

[[measure]]
name = "impulse"
signal = "contacts.stop.impulse"
reduce = "sum"

[[measure]]
name = "error"
error = "ball.velocity.x"
norm = "L1"

[[measure]]
name = "apart"
error = "ball.position.x"
against = "fine"
norm = "sup"

[[measure]]
name = "energy"
curve = "energy.total"
points = 10

[[measure]]
name = "seconds"
signal = "summary.wall_time_s"

[[expect]]
measure = "impulse"
reduce = "min"
at_least = 3.0
"""


def write_study(folder: Path, text: str = STUDY, name: str = "small.toml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


class Inline:
    """Runs tasks in this process, and remembers them."""

    ran: list[Task] = []

    def __init__(self, jobs: int = 1) -> None:
        self.jobs = jobs

    def __enter__(self) -> Inline:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def warm(self, tasks: Sequence[Task]) -> None:
        pass

    def run(self, tasks: Iterable[Task], curves: Callable[[str], Path]) -> Iterator[tuple[Task, str, str]]:
        for task in tasks:
            self.ran.append(task)
            sent = {key: curves(key).read_bytes() for key in task.references.values()}
            yield task, run_task(task.to_json(), sent), ""


def without_times(csv: str, timed: Sequence[str]) -> list[list[str]]:
    """Return the cells of a table but for those of the machine's times."""
    lines = [line.split(",") for line in csv.splitlines()]
    kept = [k for k, name in enumerate(lines[0]) if name not in timed]
    return [[line[k] for k in kept] for line in lines]
