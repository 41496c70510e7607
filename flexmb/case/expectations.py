"""``[[expect]]``: numbers of a result compared with expected values."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from flexmb.case.analyses import Analyses
from flexmb.case.part_tables import read_scheme
from flexmb.case.problems import Problem
from flexmb.case.schema import Bounds, ExpectTable, TimeTable
from flexmb.checks.values import nearest
from flexmb.errors import InputError
from flexmb.record.io.friction_rows import contact_words
from flexmb.record.io.toml_text import toml_tree
from flexmb.record.result import Result
from flexmb.record.samples import EVENT_KINDS, RecordedSystem
from flexmb.record.summary import SUMMARY_NUMBERS
from flexmb.state import Array

if TYPE_CHECKING:
    from flexmb.case.case import Case

AXES = {"x": 0, "y": 1, "z": 2}
NO_PROBES = ("analysis", "contacts", "energy", "summary")
"""First words of the names of recorded quantities other than signals of nodes and bodies."""
CONTACT_WORDS = ("gap", "velocity", "impulse", "force")
JOINT_WORDS = ("force", "impulse", "position_error", "velocity_error")
JOINT_ROW_WORDS = ("force", "impulse")
"""Quantities with one column for each row of the joint."""
ENERGY_WORDS = (
    "kinetic",
    "potential",
    "total",
    "work_external",
    "work_drive",
    "work_spin",
    "work_cross",
    "work_damping",
    "work_contact",
    "work_friction",
    "work_rolling",
    "work_cohesion",
    "work_projection",
    "work_closing",
    "numerical",
    "residual",
)
_EVENT = re.compile(rf"summary\.event_list\.({'|'.join(EVENT_KINDS)})\.(\d+)")
"""Time of the k-th event of a kind, from 0."""
_REDUCE: dict[str, Callable[[Array], float]] = {
    "sum": lambda x: float(np.sum(x)),
    "max": lambda x: float(np.max(x)),
    "min": lambda x: float(np.min(x)),
    "mean": lambda x: float(np.mean(x)),
}
"""Reductions of all samples (and of all contacts of a group) to one number."""


def recorded_in(system: RecordedSystem, analyses: Analyses | None = None) -> dict[str, int]:
    """Return the quantities that an expectation can refer to, with their number of columns."""
    start = system.contacts.start
    columns: dict[str, int] = {}
    for j, name in enumerate(system.contacts.names):
        columns |= {f"contacts.{name}.{word}": int(start[j + 1] - start[j]) for word in CONTACT_WORDS}
        columns |= {f"contacts.{name}.{word}": k for word, k in contact_words(system.contacts, j).items()}
    joints = system.joints
    if joints is not None:
        for name, rows in zip(joints.names, np.diff(joints.start), strict=True):
            wide = {word: int(rows) for word in JOINT_ROW_WORDS}
            columns |= {f"joints.{name}.{word}": wide.get(word, 1) for word in JOINT_WORDS}
    columns |= {f"energy.{word}": 1 for word in ENERGY_WORDS}
    columns |= {probe.name: probe.size for probe in system.probes}
    return columns | dict.fromkeys((*_names(analyses), *(f"summary.{name}" for name in SUMMARY_NUMBERS)), 1)


def _names(analyses: Analyses | None) -> tuple[str, ...]:
    return () if analyses is None else analyses.names


def problems_of(expects: list[ExpectTable], recorded: Mapping[str, int], time: TimeTable, asked: bool) -> list[Problem]:
    """Return the errors in the expectations of a system before it is run.

    A time outside the run is not an error if the time span was overridden (``asked``): it is reported as not reached.
    """
    found = []
    for k, expect in enumerate(expects):
        try:
            locate(expect, recorded)
        except InputError as err:
            found.append(Problem(("expect", k, "signal"), err.message, expect.signal))
        if not asked and not can_be_reached(expect, time):
            words = f"lies outside the run, {time.start:g} to {time.end:g} s"
            found.append(Problem(("expect", k, "time"), words, expect.time))
    return found


def can_be_reached(expect: ExpectTable, time: TimeTable) -> bool:
    """Return whether the time of an expectation, if it has one, is within the run."""
    return expect.time is None or time.start <= expect.time <= time.end


class Asked(Protocol):
    """Specification of one number of a result: an expectation, or a measure of a study."""

    @property
    def signal(self) -> str:
        """Name of the recorded quantity, with its component."""
        ...

    @property
    def reduce(self) -> str | None:
        """Reduction of the samples to one number."""
        ...

    @property
    def time(self) -> float | None:
        """When, s, for ``reduce = "at"``."""
        ...


def locate(expect: Asked, recorded: Mapping[str, int]) -> tuple[str, int | None]:
    """Return the name of the recorded quantity and the column (None: all columns)."""
    name, column = expect.signal, None
    if _EVENT.fullmatch(name):
        return name, None
    if name not in recorded:
        name, _, tag = expect.signal.rpartition(".")
        is_vector = name.partition(".")[0] not in (*NO_PROBES, "joints") and recorded.get(name, 3) == 3
        column = AXES[tag] if is_vector and tag in AXES else int(tag) if tag.isdecimal() else -1
        if name not in recorded:
            hint = nearest(expect.signal, recorded, 3, 0.5)
            raise InputError(f"is not recorded{hint}; other signals of nodes and bodies: list them in output.signals")
        if recorded[name] == 1 or not 0 <= column < recorded[name]:
            raise InputError(f"'{name}' has no component '{tag}'")
    if column is None and recorded[name] > 1 and expect.reduce not in _REDUCE:
        numbered = recorded[name] != 3 or name.startswith(("contacts.", "joints."))
        ways = f".0 to .{recorded[name] - 1}" if numbered else ".x, .y, .z"
        raise InputError(f"has {recorded[name]} columns; add {ways}, or reduce with {', '.join(_REDUCE)} over all")
    return name, column


def evaluate(
    expects: list[ExpectTable], result: Result, recorded: Mapping[str, int], analyses: Analyses | None = None
) -> list[dict[str, Any]]:
    """Return one entry per expectation: its specification, its result (``got``) and whether it is met (``ok``).

    One about a time outside the run is not ``reached``, and not ``ok``.
    """
    out = []
    for expect in expects:
        reached = expect.time is None or bool(_within(expect.time, result.time))
        got = number(expect, result, recorded, analyses)
        asked = {key: value for key, value in expect.model_dump().items() if value is not None and value != ""}
        out.append(asked | {"got": got, "ok": holds(expect, got), "reached": reached})
    return out


def _within(time: float, samples: Array) -> bool:
    """Return whether a time is within the run, up to the round-off of its last sample."""
    slack = 1e-9 * float(samples[-1] - samples[0])
    return bool(samples[0] - slack <= time <= samples[-1] + slack)


def holds(expect: Bounds, got: float) -> bool:
    """Return whether ``got`` meets the expectation; NaN never does."""
    if expect.value is not None:
        return bool(abs(got - expect.value) <= (expect.rtol or 0.0) * abs(expect.value) + (expect.atol or 0.0))
    low = -np.inf if expect.at_least is None else expect.at_least
    high = np.inf if expect.at_most is None else expect.at_most
    return bool(low <= got <= high)


def number(asked: Asked, result: Result, recorded: Mapping[str, int], analyses: Analyses | None = None) -> float:
    """Return the specified number; nan at a time outside the run."""
    if analyses is not None and asked.signal in analyses.names:
        return analyses.number(asked.signal)
    if asked.time is not None and not _within(asked.time, result.time):
        return float("nan")
    name, _ = locate(asked, recorded)
    head, _, rest = name.partition(".")
    if head == "summary":
        return _from_summary(rest, result.summary)
    values = samples(asked, result, recorded)
    if asked.reduce in _REDUCE:
        return _REDUCE[asked.reduce](values)
    if asked.reduce == "at":
        assert asked.time is not None
        return float(np.interp(asked.time, result.time, values))
    return float(values[0 if asked.reduce == "first" else -1])


def samples(asked: Asked, result: Result, recorded: Mapping[str, int]) -> Array:
    """Return the samples of the specified quantity: (n+1,), or (n+1, k) for all components."""
    name, column = locate(asked, recorded)
    head, _, rest = name.partition(".")
    values = _series(head, rest, name, result)
    return values if column is None else values[:, column]


def _series(head: str, rest: str, name: str, result: Result) -> Array:
    if head == "contacts" and name not in result.signals:  # the tangential velocity of a clearance is a signal
        contact, _, word = rest.rpartition(".")
        return np.asarray(getattr(result.contacts[contact], word))
    joint, _, word = rest.rpartition(".")
    if head == "joints" and word in JOINT_WORDS:
        return np.asarray(getattr(result.joints[joint], word))
    if head == "energy":
        return np.asarray(getattr(result.energy, rest))
    return result.signals[name]


def _from_summary(rest: str, summary: dict[str, Any]) -> float:
    if event := _EVENT.fullmatch(f"summary.{rest}"):
        times = [t for t, kind, _ in summary.get("event_list") or () if kind == event[1]]
        return float(times[int(event[2])]) if int(event[2]) < len(times) else float("nan")
    node: Any = summary
    for key in rest.split("."):
        node = node[key]
    return float("nan") if node is None else float(node)


def probe_names(expects: Sequence[Asked]) -> list[str]:
    """Return the signals of nodes and bodies that the expectations need recorded, without components."""
    out = []
    for expect in expects:
        name, _, tag = expect.signal.rpartition(".")
        name = name if tag in AXES or tag.isdecimal() else expect.signal
        head, _, rest = name.partition(".")
        if head not in NO_PROBES and not (head == "joints" and rest.rpartition(".")[2] in JOINT_WORDS):
            out.append(name)
    return list(dict.fromkeys(out))


def expectation_notes(case: Case) -> tuple[str, ...]:
    """Return notes if the case is run with another scheme or time grid than that of its file."""
    changed = {path[0] for path in case.values.origin.overridden} & {"scheme", "time"}
    if not case.expects or not changed:
        return ()
    file, out = toml_tree(case.values.origin.text), []
    own = read_scheme(file.get("scheme", {}), []) if "scheme" in changed else None
    if own is not None and own != case.scheme:
        out.append(f"the expectations were written for the file's own scheme ({own.name})")
    time, now = file.get("time", {}), case.values.tables.time.model_dump(exclude_none=True)
    if "time" in changed and isinstance(time, dict) and {"start": 0.0} | time != now:
        # an override may have replaced a value that is not a number
        words = ", ".join(f"{k} = {v:g}" if isinstance(v, int | float) else f"{k} = {v!r}" for k, v in time.items())
        out.append(f"the expectations were written for the file's own time ({words})")
    return tuple(out)
