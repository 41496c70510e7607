"""The interface of schemes: parameters, a start, a pure step, and the terms of the energy identity."""

from __future__ import annotations

import difflib
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from flexmb.errors import InputError
from flexmb.kernels.compilation.stages import NO_STAGES, SchemeStages
from flexmb.kernels.laws.law_codes import COULOMB
from flexmb.kernels.lcp.lcp import NEWTON
from flexmb.kernels.small_motion.rows import MARGIN, PRESSED
from flexmb.nonsmooth.delassus import delassus
from flexmb.nonsmooth.solvers import ContactSolver
from flexmb.schemes.many_contacts import Level, ManyContactsProblem, StepNumbers, pays
from flexmb.state import Array, IntArray, State, StepReport
from flexmb.system.contact_blocks import Blocks
from flexmb.system.linear_system import LinearSystem
from flexmb.system.protocol import Instant, Solves, System
from flexmb.system.step_matrix import StepMatrix as StepMatrix

SETTLED, NOISE = 1e-14, 1e-11
"""Relative size of a correction that is round-off; of one that no longer decreases, if it is below the latter."""


class PreparedContacts(ABC):
    """Prepared data of a scheme for its contacts: a dense matrix over their pairs, or a solver for many of them."""

    system: LinearSystem
    gain: float = 1.0

    @property
    @abstractmethod
    def numbers(self) -> StepNumbers:
        """The scalars of the contact problem."""

    @property
    @abstractmethod
    def row_matrix(self) -> Array:
        """The Delassus matrix of the rows of one level."""

    @property
    @abstractmethod
    def dense_response(self) -> Array:
        """Velocity a contact gains per unit of its impulse, from the Delassus matrix."""

    @cached_property
    def many(self) -> ManyContactsProblem | None:
        """The solver for many contacts; None for few."""
        there = self.numbers.scale > 0.0 and pays(self.system)
        return ManyContactsProblem(self.system, self.numbers) if there else None

    def many_for(self, solver: ContactSolver) -> ManyContactsProblem | None:
        """Return the solver for many contacts, unless the chosen method requires the full matrix."""
        return self.many if solver.method == NEWTON else None

    @property
    def response(self) -> Array:
        """Velocity a contact gains per unit of its impulse, (nc,); W_ii times ``gain``."""
        nc = self.system.contacts.nc
        return self.dense_response if self.many is None else self.gain * self.many.own[-nc:]


@dataclass(frozen=True)
class StepFixed(PreparedContacts):
    """S factorized, and the Delassus matrix W = G^T S^-1 G on demand."""

    S: StepMatrix
    system: LinearSystem

    @property
    def numbers(self) -> StepNumbers:
        """Coefficients of the step matrix S."""
        return StepNumbers(Level.ONE, self.S.c_C, self.S.c_K, self.S.refine)

    @cached_property
    def W(self) -> Array:
        """G^T S^-1 G."""
        return delassus(self.S.solve, self.system.contacts.G)

    @cached_property
    def W_rows(self) -> Array:
        """The matrix [G H]^T S^-1 [G H] of normals and rows beside them."""
        contacts = self.system.contacts
        return delassus(self.S.solve, sparse.csc_array(sparse.hstack([contacts.G, contacts.H], format="csc")))

    @property
    def row_matrix(self) -> Array:
        """The Delassus matrix."""
        return self.W

    @property
    def dense_response(self) -> Array:
        """The diagonal W_ii."""
        return np.diag(self.W)


@dataclass(frozen=True)
class Responses:
    """Prepared data of a scheme without constant factorizations: velocity per unit impulse of contacts, (nc,)."""

    response: Array

    @classmethod
    def of(cls, S: Solves, G: sparse.csc_array) -> Responses:
        """Return the diagonal of G^T S^-1 G, column by column."""
        columns = (G[:, [i]].toarray()[:, 0] for i in range(G.shape[1]))
        return cls(np.array([float(g @ S.solve(g)) for g in columns]))


@dataclass(frozen=True)
class Memory:
    """Data that a scheme passes from step to step in addition to (q, v), as plain arrays.

    Parameters
    ----------
    vectors : (k, nv) array
        Vectors over the unknowns (which ones, the scheme's docstring says).
    contacts : (m, nc) array
        Vectors over the contacts.
    loads : (1, nl) array
        A number per load.
    scalars : (s,) array
    rows : (m, nt) array
        Vectors over the rows of contacts beside their normals.
    laws : (k, nc) array
        State of the laws of contacts (``kernels.laws.law_codes``); k = 0 where they have none.
    """

    vectors: Array
    contacts: Array
    loads: Array
    scalars: Array
    rows: Array = field(default_factory=lambda: np.zeros((1, 0)))
    laws: Array = field(default_factory=lambda: np.zeros((0, 0)))

    def with_(self, **changes: Array) -> Memory:
        """Return a copy with some arrays replaced."""
        return replace(self, **changes)


class Scheme(ABC):
    """A time-stepping scheme; everything specific to it is in its own file.

    ``prepare``, ``start`` and ``step`` are its definition; a scheme whose step asks systems for nothing but the words
    of ``flexmb.system.protocol`` sets ``any_system`` and runs on every system it does not refuse in ``check``.
    """

    name: ClassVar[str] = ""
    driver: ClassVar[str] = "steps"
    """Driver of the scheme: "steps" over impacts, or "events", which are located (``drive.events``)."""
    any_system: ClassVar[bool] = False
    large_motion: ClassVar[str] = ""
    """The systems of large motion that messages recommend it for: "all", a condition in words, or "" for none."""
    error_known: ClassVar[str] = ""
    """When the error of a step is known, in words of messages: "always", a condition, or "" for never."""
    error_in_large_motion: ClassVar[bool] = False
    """Whether the compiled loop of large motion chooses steps by it; other schemes run step by step in Python there."""
    stability: ClassVar[float] = np.inf
    """Product of a frequency and the step beyond which an undamped amplitude grows by more than a hundredth per step.

    Below it symplectic and implicit schemes do not let it grow at all; explicit Runge-Kutta methods do, slightly, in
    ranges that ``flexmb spectrum`` shows; runs are checked for it in ``drive.events.stiffness``.
    """
    restitutes: ClassVar[bool] = True
    """Whether contacts can have a restitution."""
    carries: ClassVar[frozenset[str]] = frozenset()
    """Contact laws, besides unilateral contact with Newton's impact law, that the step has, as keys of contacts."""

    @property
    @abstractmethod
    def order(self) -> int:
        """Order on smooth motion."""

    @abstractmethod
    def prepare(self, system: Any, h: float) -> Any:
        """Factor the constant matrices of the run."""

    @abstractmethod
    def start(self, system: Any, state: State, h: float, fixed: Any, solver: ContactSolver) -> Memory:
        """Return the memory at the start of a run."""

    @abstractmethod
    def step(
        self, system: Any, state: State, h: float, memory: Memory, fixed: Any, solver: ContactSolver
    ) -> tuple[State, Memory, StepReport]:
        """Advance from t_n to t_n + h; a pure function of its arguments."""

    def compiled_memory(self, system: Any, state: State, h: float, fixed: Any, solver: ContactSolver) -> Memory:
        """Return the initial memory of the compiled step of constant systems, if there is one."""
        return self.start(system, state, h, fixed, solver)

    def compiled_step(self, h: float) -> Any | None:
        """Return the parameters of the compiled step of constant systems (``march``); None if there is none."""
        return None

    def amplification(self, k: float, c: float) -> Array:
        """Return the map of a step on the oscillator h^2 q'' + c h q' + k q = 0 (c = 2 zeta omega h, k = omega^2 h^2).

        Over q, h v and, where the scheme carries them, h^2 a.
        """
        raise InputError("has no amplification matrix", where="spectrum", key="scheme", value=self.name)

    def large_motion_numbers(self) -> dict[str, Any]:
        """Return the numbers that the compiled loop of large motion reads (``multibody.multibody.SchemeNumbers``)."""
        raise InputError(
            f"has no step of large motion; here use one of {IN_LARGE_MOTION}",
            where="scheme",
            key="name",
            value=self.name,
        )

    @classmethod
    def large_motion_stages(cls) -> SchemeStages:
        """Return the stages of the compiled loop of large motion; none if the scheme has no such step."""
        return NO_STAGES

    def check(self, system: System) -> None:  # noqa: B027
        """Raise InputError if the scheme does not support this system; by default it supports all."""

    def check_laws(self, system: System) -> None:
        """Raise InputError, naming law and contact, when a contact obeys a law that the scheme does not carry."""
        present, bounces = system.contacts.blocks.laws(), bool(system.contacts.e.any())
        for key, i in present.items():
            if key not in self.carries:
                able = SchemesThat(
                    lambda c: c.carries >= set(present) and (c.restitutes or not bounces) and _drives(c, system),
                    lambda c: "" if c.driver == "steps" else "(with events)",
                    drivers=("steps", "events"),
                )
                law, contact = LAW_WORDS.get(key, key), system.contacts.labels[i]
                message = f"does not support {law} (contact '{contact}'); use one of {able}"
                raise InputError(message, where="scheme", key="name", value=self.name)

    @property
    def has_error_estimate(self) -> bool:
        """Whether the local error of a step is known, so that a tolerance can control the steps."""
        return False

    def position_error(
        self, system: Any, before: State, after: State, memory: Memory, memory_after: Memory, h: float
    ) -> Array:
        """Return the local error of the positions in a step of smooth motion, (nv,), if known."""
        raise InputError("has no error estimate", where="scheme", key="name", value=self.name)

    def resized(self, system: Any, state: State, memory: Memory, h: float, h_next: float) -> Memory:
        """Return the memory for a step of another size than before; unchanged unless it depends on the size."""
        return memory

    def notes(self, jointed: bool, bounces: bool = False) -> tuple[str, ...]:
        """Return notes on unfavorable settings for a system with joints, or with Newton's restitution above 0."""
        return ()


def _drives(scheme: type[Scheme], system: System) -> bool:
    """Return whether the driver of a scheme supports the friction of a system; events those of Coulomb in the plane."""
    if scheme.driver == "steps":
        return True
    blocks = system.contacts.blocks
    coulomb = not (blocks.rough & (blocks.friction[:, 1] != COULOMB)).any()
    planar = not (blocks.rough & (blocks.slides > 1)).any()
    return coulomb and (planar or hasattr(scheme, "time_step")) and not getattr(system, "spheres", ())


ALL_LAWS = frozenset({"friction", "rolling", "spinning", "impact", "cohesion"})
"""Contact laws that a scheme can support besides unilateral contact with Newton's impact law."""

LAW_WORDS = {"impact": 'impact = "poisson"'}
"""Names in messages of laws that their key alone does not identify."""


class SchemesThat:
    """The names of all schemes that can do something, as messages list them; by default of those over impacts.

    Schemes are looked for when a message is written: while their files are imported, not all are known.

    Parameters
    ----------
    can : callable
        Takes the class of a scheme.
    when : callable, optional
        Takes the class, and returns the condition for it in words, "" for none.
    drivers : tuple of str
        The drivers of the schemes that are looked for.
    """

    def __init__(
        self,
        can: Callable[[type[Scheme]], bool],
        when: Callable[[type[Scheme]], str] = lambda c: "",
        drivers: tuple[str, ...] = ("steps",),
    ) -> None:
        self.can, self.when, self.drivers = can, when, drivers

    def __str__(self) -> str:
        from flexmb.schemes import SCHEMES

        able = [c for c in SCHEMES.values() if c.driver in self.drivers and self.can(c)]
        by_condition: dict[str, list[str]] = {}
        for c in able:
            by_condition.setdefault(self.when(c), []).append(c.name)
        groups = sorted(by_condition.items())  # those without a condition first
        return ", or ".join(f"{', '.join(names)} {condition}".strip() for condition, names in groups) or "none"


EVERYWHERE = SchemesThat(lambda c: c.large_motion == "all")
"""Schemes for every system in large motion."""

IN_LARGE_MOTION = SchemesThat(
    lambda c: c.large_motion != "", lambda c: "" if c.large_motion == "all" else c.large_motion
)
"""Schemes for large motion, and for what those that are not for every system are."""


def check_range(scheme: str, key: str, value: float, low: float, high: float) -> None:
    """Raise InputError unless ``low <= value <= high``."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
        raise InputError(
            f"must be a number in [{low:g}, {high:g}] for '{scheme}'", where="scheme", key=key, value=value
        )


def check_flag(key: str, value: bool) -> None:
    """Raise InputError unless ``value`` is true or false."""
    if not isinstance(value, bool):
        raise InputError("must be true or false", where="scheme", key=key, value=value)


def check_choice(key: str, value: str, allowed: tuple[str, ...]) -> None:
    """Raise InputError unless ``value`` is one of ``allowed``."""
    if value not in allowed:
        near = difflib.get_close_matches(str(value), allowed, n=1)
        hint = f"; did you mean '{near[0]}'?" if near else ""
        raise InputError(f"must be one of {', '.join(allowed)}{hint}", where="scheme", key=key, value=value)


def largest(x: Array) -> float:
    """Return the largest magnitude."""
    return float(np.abs(x).max(initial=0.0))


def has_settled(size: float, last: float, scale: float, noise: float = 0.0) -> bool:
    """Return whether Newton's method has converged: its correction is round-off, or small and no longer decreasing.

    Parameters
    ----------
    size, last : float
        The largest entries of this correction and of the one before.
    scale : float
        The largest velocity.
    noise : float
        Round-off of positions over the step.
    """
    return size <= SETTLED * scale or (size >= 0.5 * last and size <= NOISE * scale + 64.0 * noise)


def no_contacts(system: System) -> Array:
    """Return a zero vector over the contacts."""
    return np.zeros(system.contacts.nc)


def forecast_closes(
    start: Instant, ahead: float, P_before: Array, response: Array, h: float, blocks: Blocks
) -> IntArray:
    """Return the contacts whose forecast gap g + ahead U is <= 0, up to round-off.

    A node that was pressed stands on its plane with a gap and a velocity of either sign at round-off; taking a
    positive one at its word would lift the contact every other step and double the impulse in between. With friction
    it would slip for that step, too, so there the margin covers the round-off of the gap whatever was pressed before.

    Parameters
    ----------
    start : Instant
    ahead : float
        How far to look ahead, s.
    P_before : (nc,) array
        Impulses of the step before.
    response : (nc,) array
        Velocity per unit impulse: ``response * P_before`` is the speed that was taken away.
    h : float
    blocks : Blocks
    """
    noise = start.gap_noise + 1e-13 * h * response * P_before
    if not blocks.normals_only:
        lengths = start.reach + h * (abs(start.G).T @ np.abs(start.v))
        noise = noise + MARGIN * lengths + PRESSED * h * response * P_before
    return np.flatnonzero(start.g + ahead * start.U <= noise)
