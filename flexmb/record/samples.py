"""Output of the time loop: blocks of samples for memory or files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from scipy import sparse

from flexmb.kernels.laws.friction_record import (
    BESIDE_COLUMNS,
    COHESION_AT,
    FRICTION_AT,
    LAW_COLUMNS,
    ROLLING_AT,
    SLIP_RATE,
    STATUS_AT,
    SURFACE_AT,
    TANGENTIAL,
    WORK_AT,
)
from flexmb.state import Array, IntArray
from flexmb.system.contact_blocks import Blocks
from flexmb.system.layout import Layout

ENERGY_COLUMNS = (
    "kinetic",
    "potential",
    "work_external",
    "work_damping",
    "work_contact",
    "numerical",
    "residual",
    "work_drive",
    "work_cross",
    "work_friction",
    "work_rolling",
    "work_cohesion",
    "work_projection",
    "work_closing",
    "work_spin",
)
EVENTS_ENGINE = "events"
"""Name of the engine that locates events."""
EVENT_NUMBERS = (
    *("steps", "rejected", "evaluations", "solves"),
    *("count", "impacts", "closings", "releases", "slips", "sticks", "kinks", "edges"),
    *("critical_steps", "time_steps"),
    *("projections", "projection_work", "closing_work"),
)
"""Counters of runs with located events: steps accepted and rejected, force evaluations, constrained linear systems;
events in total and by kind; Moreau steps over impacts, and in place of events; projections onto the constraints.
Works are in J: of projections, and of the impulses that end accumulations of impacts."""
EVENT_KINDS = ("impact", "closing", "contact", "release", "slip", "stick", "kink", "edge")
"""Kinds of events in the list: the end of an accumulation of impacts is a ``closing``, a contact that closes without an
impact a ``contact``."""
FRICTION_PARTS = ("work_rolling", "work_cohesion")
EVENT_WORKS = ("work_projection", "work_closing")
SPIN_WORKS = ("work_spin",)
"""Columns of ``Block.energy``: energies at the sample, works added up since the start, all in J.

``residual`` = (kinetic + potential) - initial - (all works and numerical); round-off when the identity closes.
``work_drive`` (joints, planes and rotors that are driven) and ``work_cross`` (cross-coupling of bearings and internal
damping of rotors) are parts of ``work_external``. ``work_contact`` is that of normal impulses, ``work_friction`` that
of all others: of sliding, rolling, spinning, and of cohesion; ``work_rolling`` (rolling and spinning) and
``work_cohesion`` are parts of it (``FRICTION_PARTS``), recorded only where contacts have more than normals.
``work_projection`` (projections onto joints and closed contacts) and ``work_closing`` (normal impulses that end
accumulations of impacts) are recorded only with located events (``EVENT_WORKS``). ``work_spin`` is the part of
``work_drive`` that acts through forces of spins: unbalance, skewed disks, a changing speed, the torque of a free spin.
The rest of ``work_drive`` is that of moving surfaces and of driven joints. Recorded only with rotors (``SPIN_WORKS``).
"""


def count_kept(n: int, every: int, last: int) -> int:
    """Return how many of the steps 0 .. n are stored: every ``every``-th from the first, and the last of the run."""
    return n // every + 1 + (n == last and n % every != 0)


@dataclass
class Block:
    """Some consecutive samples of a run (k of them; a run's first block holds the sample at the start).

    Parameters
    ----------
    step : (k,) int array
        Step index n of each sample; t = t0 + n h.
    time : (k,) array
    probes : (k, sum of probe sizes) array
        Values of all probes side by side, in the order of ``system.probes``, offsets added.
    gap, velocity, impulse : (k, nc) arrays
        At the sample; the impulse is that since the previous sample (one step if every = 1).
    energy : (k, COLUMNS) array
        See ``ENERGY_COLUMNS``.
    field_step : (f,) int array
        Steps at which the full state is stored (every ``fields_every`` steps, and the last one).
    field_q, field_v : (f, nq), (f, nv) arrays
    field_impulse : (f, nc) array
        Impulse since the previous stored state, then that of the tangential rows, (f, nc + nt); in large motion
        (f, 3 nc), the total impulse of each contact as a vector in space.
    multiplier, joint_g, joint_gdot : (k, nj) arrays or None
        Multipliers (forces and torques), residuals of positions and of velocities of all rows of joints, at the
        sample; None for a system without joints.
    joint_impulse : (k, nj) array or None
        Impulses of the rows of joints since the previous sample: those of impacts, with Moreau-Jean all of them.
    beside : (k, 2, nt) array
        Of the tangential rows (``system.contact_blocks``): impulses since the previous sample (``tangential``),
        and rates at the sample (``slip``).
    laws : (k, 6, nc) array
        Status of each contact in the step that ended at the sample (``status``), and the works since the start, J, of
        its normal impulses and of all others (``work``, ``work_friction``), of rolling and cohesion as parts of the
        latter, and of its impulses on a prescribed motion of the surface; without columns where no contact has more
        than a normal.
    """

    step: IntArray
    time: Array
    probes: Array
    gap: Array
    velocity: Array
    impulse: Array
    energy: Array
    field_step: IntArray
    field_q: Array
    field_v: Array
    field_impulse: Array
    multiplier: Array | None = None
    joint_g: Array | None = None
    joint_gdot: Array | None = None
    joint_impulse: Array | None = None
    beside: Array = None  # type: ignore[assignment]  # without columns when not given
    laws: Array = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        k = len(self.step)
        self.beside = np.zeros((k, BESIDE_COLUMNS, 0)) if self.beside is None else self.beside
        self.laws = np.zeros((k, LAW_COLUMNS, 0)) if self.laws is None else self.laws

    @property
    def tangential(self) -> Array:
        """Impulses of the tangential rows since the previous sample, (k, nt), N s or N m s."""
        return self.beside[:, TANGENTIAL]

    @property
    def slip(self) -> Array:
        """Rates of the tangential rows at the sample, (k, nt), m/s or rad/s."""
        return self.beside[:, SLIP_RATE]

    @property
    def status(self) -> Array:
        """0 open, 1 sticks, 2 slips (``kernels.laws.friction_status``), (k, nc)."""
        return self.laws[:, STATUS_AT]

    @property
    def work(self) -> Array:
        """Work of the normal impulses since the start, (k, nc), J."""
        return self.laws[:, WORK_AT]

    @property
    def work_friction(self) -> Array:
        """Work of all other impulses since the start, (k, nc), J."""
        return self.laws[:, FRICTION_AT]

    @property
    def work_rolling(self) -> Array:
        """The part of ``work_friction`` that comes from rolling and spinning, (k, nc), J."""
        return self.laws[:, ROLLING_AT]

    @property
    def work_cohesion(self) -> Array:
        """The part of ``work_friction`` that comes from cohesion, (k, nc), J."""
        return self.laws[:, COHESION_AT]

    @property
    def work_surface(self) -> Array:
        """Work that prescribed motions of surfaces supply through the contact since the start, (k, nc), J."""
        return self.laws[:, SURFACE_AT]


@dataclass
class Tally:
    """Statistics of a run: gaps, gains, contacts and iterations of every step; energies and residual of the samples.

    ``falling_max`` is the largest ``W_TT P_N |mu'|`` of contacts that slipped (``kernels.laws.friction_law``), and
    ``contact_residual_max`` the largest residual accepted of contact problems with friction in large motion.
    ``round_off`` is the energy that round-off may make of a system at rest, J.
    ``steps`` counts those of the grid; ``steps_taken`` is another number (0: the same) where a tolerance chooses them.
    ``notes`` are notes of the steps. ``bending`` has name, largest deflection over the length, and its
    time, of each floating beam. ``events`` are the numbers of a run with located events, by name, and ``event_list``
    its first ones: time, what happened, contact. ``switches`` are the changes of a hybrid run between events and time
    stepping: time, reason, contact.
    """

    steps: int = 0
    min_gap: float = np.inf
    min_gap_time: float = np.nan
    gain_steps: int = 0
    gain_max: float = 0.0
    gain_time: float = np.nan
    gain_contact: str = ""
    friction_gain_steps: int = 0
    friction_gain_max: float = 0.0
    friction_gain_time: float = np.nan
    friction_gain_contact: str = ""
    falling_max: float = 0.0
    falling_time: float = np.nan
    falling_contact: str = ""
    contact_residual_max: float = 0.0
    residual_max: float = 0.0
    energy_max: float = -np.inf
    energy_scale: float = 0.0
    round_off: float = 0.0
    contact_steps: int = 0
    projection: float = 0.0
    iterations: int = 0
    newton_iterations: int = 0
    steps_taken: int = 0
    notes: tuple[str, ...] = ()
    bending: tuple[tuple[str, float, float], ...] = ()
    events: dict[str, float] = field(default_factory=dict)
    event_list: tuple[tuple[float, str, str], ...] = ()
    switches: tuple[tuple[float, str, str], ...] = ()


class Groups(Protocol):
    """Contacts or joints by name: group j has the rows start[j] .. start[j + 1] - 1."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the groups."""
        ...

    @property
    def start(self) -> IntArray:
        """First row of each group, and the end."""
        ...


class ContactGroups(Groups, Protocol):
    """Contacts by name, nc rows in total."""

    @property
    def nc(self) -> int:
        """Number of rows."""
        ...

    @property
    def e(self) -> Array:
        """Restitution of each row."""
        ...

    @property
    def blocks(self) -> Blocks:
        """Tangential rows, and the parameters of the laws."""
        ...


class JointGroups(Groups, Protocol):
    """Joints by name, nj rows in total."""

    @property
    def nj(self) -> int:
        """Number of rows."""
        ...

    @property
    def labels(self) -> tuple[str, ...]:
        """Constrained coordinate of each row, after the name of its joint: ``pin: tilt about x``."""
        ...


class SignalColumns(Protocol):
    """A recorded signal."""

    @property
    def name(self) -> str:
        """Name of the signal."""
        ...

    @property
    def size(self) -> int:
        """Number of columns."""
        ...


class RecordedSystem(Protocol):
    """Attributes of a system that files and figures require, in small or large motion."""

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        ...

    @property
    def nv(self) -> int:
        """Number of velocities."""
        ...

    @property
    def contacts(self) -> ContactGroups:
        """Contacts, grouped by their names."""
        ...

    @property
    def joints(self) -> JointGroups | None:
        """Joints; None in small motion."""
        ...

    @property
    def probes(self) -> Sequence[SignalColumns]:
        """The recorded signals."""
        ...

    @property
    def layout(self) -> Layout:
        """Positions of the unknowns in space."""
        ...

    @property
    def spins(self) -> bool:
        """Whether forces of spins of rotors do work."""
        ...

    @property
    def impulse_map(self) -> sparse.csr_array:
        """Numbers of ``Block.field_impulse`` -> impulse vector on each point in rows 3 i .. 3 i + 2."""
        ...


class RecordedScheme(Protocol):
    """Attributes of a scheme that are recorded."""

    @property
    def name(self) -> str:
        """Its name in case files."""
        ...

    @property
    def error_in_large_motion(self) -> bool:
        """Whether the compiled loop of large motion chooses steps by its error."""
        ...

    def notes(self, jointed: bool, bounces: bool = False) -> tuple[str, ...]:
        """Return notes on unfavorable settings for a system with joints, or with Newton restitution above 0."""
        ...


@dataclass(frozen=True)
class RunInfo:
    """Everything known about a run before its first step; ``tolerance`` is 0 for a constant step size."""

    system: RecordedSystem
    scheme: RecordedScheme
    h: float
    t0: float
    steps: int
    every: int
    fields_every: int
    engine: str
    tolerance: float = 0.0

    @property
    def with_events(self) -> bool:
        """Whether impacts are located."""
        return self.engine == EVENTS_ENGINE


@dataclass(frozen=True)
class Checkpoint:
    """State from which a run continues bit for bit.

    ``arrays`` holds state, scheme memory, accumulated works and the tally as float64 / int64 arrays; ``step`` is its
    step number; ``samples`` and ``fields`` are the numbers of samples and fields passed to the sink so far. ``run`` is
    a checksum of the run, for sinks that store it.
    """

    step: int
    samples: int
    fields: int
    arrays: dict[str, np.ndarray]
    engine: str = ""
    run: str = ""


class Sink(Protocol):
    """Receives the output of the loop: in memory (``record.result.MemorySink``) or on disk (``io``)."""

    def begin(self, run: RunInfo) -> None:
        """Prepare for a run."""
        ...

    def append(self, block: Block) -> None:
        """Receive the next samples."""
        ...

    def checkpoint(self, point: Checkpoint) -> None:
        """Store a state from which the run can be resumed (optional)."""
        ...
