"""``Model``: named parts; ``assemble`` turns them into a ``LinearSystem``, or in large motion a ``MultibodySystem``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol, TypeVar, cast

import numpy as np

from flexmb.assembly.glyphs import Glyphs, glyphs_of
from flexmb.assembly.gravity_check import acceleration_of, body_notes
from flexmb.assembly.kinematics import Kinematics
from flexmb.checks.keywords import answer_unknown_keywords
from flexmb.checks.memory import Sized, check_memory
from flexmb.checks.values import nearest, nonnegative
from flexmb.errors import InputError
from flexmb.linalg.strain import stack
from flexmb.parts.bodies.body import Body, BodyParts
from flexmb.parts.bodies.signals import default_names, signal
from flexmb.parts.contacts.contact_rows import ContactPart
from flexmb.parts.loads.terms import LoadPart
from flexmb.state import Array
from flexmb.system.assemble_multibody import LargePart, assemble_large, signal_names
from flexmb.system.bearing_signals import bearing_signals
from flexmb.system.initial_state import static_response, steady_response
from flexmb.system.linear_system import LinearSystem, Load, Probe
from flexmb.system.multibody_system import MultibodySystem
from flexmb.system.small_contacts import contacts_of
from flexmb.system.small_motion import SmallMotion, loose_body, small_motion, tidy
from flexmb.system.spinning import at_start, spin_terms
from flexmb.system.start_inside import normals_explained


class Part(Protocol):
    """A part of a model; ``role`` is "bodies", "joints", "loads", "contacts" or "gravity"."""

    @property
    def name(self) -> str:
        """The part's name."""
        ...

    @property
    def role(self) -> str:
        """Which kind of part it is."""
        ...


P = TypeVar("P", bound=Part)
SINGULAR = {"bodies": "body", "joints": "joint", "loads": "load", "contacts": "contact"}
"""Roles of parts, and what one of them is called."""
LISTED = 6
"""Number of parts of a role that are listed."""
ROLES = tuple(SINGULAR)


class Model:
    """A model: named bodies, joints, loads and contacts, added in any order.

    Parameters
    ----------
    gravity : (3,) array_like, optional
        Acceleration, m/s^2.
    initial_static : sequence of str
        Names of loads whose static response ((K + cross) q = B phi(t0)) is the initial displacement. They are released
        at the start and do not act during the run, except for "gravity", which continues to act.
    initial_steady : bool
        Start on the steady-state motion under gravity, preload, constant and harmonic loads and the unbalance of
        rotors. For small motion.
    project : bool
        Project an initial state that violates joints or contacts onto the nearest admissible one. For large motion.
    initial_penetration : float
        Largest admitted initial penetration, m, e.g. of rounded data. For small motion.
    """

    def __init__(
        self,
        *,
        gravity: Sequence[float] | Array | None = None,
        initial_static: Sequence[str] = (),
        initial_steady: bool = False,
        project: bool = False,
        initial_penetration: float = 0.0,
    ) -> None:
        self.bodies: dict[str, Body] = {}
        self.joints: dict[str, LargePart] = {}
        self.loads: dict[str, LoadPart] = {}
        self.contacts: dict[str, ContactPart] = {}
        self.gravity = gravity
        self.initial_static = tuple(initial_static)
        self.initial_steady = initial_steady
        self.project = project
        self.initial_penetration = initial_penetration

    def __repr__(self) -> str:
        kinds = (_parts_in_words(parts, role) for role in ROLES if (parts := getattr(self, role)))
        gravity = f"gravity {tuple(self.gravity)}" if self.gravity is not None else ""
        return f"<Model with {'; '.join(filter(None, [*kinds, gravity])) or 'nothing in it'}>"

    def add(self, part: P) -> P:
        """Add a part and return it."""
        role = getattr(part, "role", None)
        if role == "gravity":
            if self.gravity is not None:
                raise InputError("there is gravity already", where="gravity", value=part)
            self.gravity = part.acceleration  # type: ignore[attr-defined]
            return part
        if role not in ROLES:
            message = f"cannot add a {type(part).__name__}: not a body, joint, load, contact or gravity"
            raise InputError(message, value=part)
        named: dict[str, Part] = getattr(self, role)
        if part.name in named:
            message = f"there is another of this name ({type(named[part.name]).__name__})"
            raise InputError(message, where=role, key=part.name)
        named[part.name] = part
        return part

    @property
    def large_motion(self) -> bool:
        """Whether the model has joints or parts of large motion; it is then assembled as a ``MultibodySystem``."""
        parts = [*self.bodies.values(), *self.loads.values(), *self.contacts.values()]
        return bool(self.joints) or any(getattr(part, "large_motion", False) for part in parts)

    def assemble(
        self, signals: Sequence[str] | None = None, t0: float = 0.0, *, also: Sequence[str] = ()
    ) -> LinearSystem | MultibodySystem:
        """Return the system over one vector of unknowns.

        Parameters
        ----------
        signals : sequence of str, optional
            Signals to record; by default position and velocity of the first, mid and last node of each body.
        t0 : float
            Start time of the run, s.
        also : sequence of str
            Further signals to record. The motion of bearings is always recorded.
        """
        if not self.bodies:
            raise InputError("the model has no bodies", where="bodies")
        watched = [node for load in self.loads.values() if (node := getattr(load, "feedback", ""))]
        also = (*also, *(f"{node}.{what}" for node in watched for what in ("position", "velocity")))
        large = self.large_motion
        check_memory(body.memory(large) for body in self.bodies.values() if isinstance(body, Sized))
        also = (*also, *bearing_signals(self.bodies, self.loads.values()))
        if large:
            return self._assemble_large(signals, t0, also)
        if self.project:
            message = "is for systems in large motion; here nothing could be moved"
            raise InputError(message, where="initial", key="project", value=self.project)
        small = small_motion(self.bodies, self.loads)
        bodies, nodes, springs = small.bodies, small.nodes, small.springs
        spin = spin_terms(bodies, small.terms.values())
        weight, V0 = self.weight(bodies)
        loads = (
            *(
                Load(name, term.column.toarray().ravel(), term.function)
                for name, term in small.terms.items()
                if term.function is not None and name not in self.initial_static
            ),
            *spin.loads,
        )
        names = signal_names(default_names(bodies) if signals is None else signals, also)
        system = LinearSystem(
            M=small.M,
            C=tidy(small.C + spin.C),
            K=tidy(small.K + spin.K),
            strain=stack([small.strain, spin.strain], nodes.nv),
            gyro=spin.gyro,
            cross=spin.cross,
            F0=weight + springs.F0,
            V0=V0 + springs.V0,
            loads=loads,
            contacts=contacts_of({}, nodes, np.zeros(nodes.nv), t0),
            q0=np.zeros(nodes.nv),
            v0=np.concatenate([b.v0 for b in bodies.values()]),
            probes=tuple(Probe(*signal(name, bodies, nodes)) for name in names),
            layout=replace(small.layout, marks=self._marks(nodes)),
            dof_names=small.dof_names,
        )
        q0, v0 = self._start(system, small, weight, t0)
        inside = nonnegative(self.initial_penetration, "penetration", "initial")
        rows = {name: c.rows(nodes, t0) for name, c in self.contacts.items()}
        with normals_explained(self.contacts):
            contacts = contacts_of(rows, nodes, q0, t0, inside)
        return replace(system, q0=q0, v0=v0, contacts=contacts, notes=body_notes(self.gravity, self.bodies.values()))

    def _marks(self, nodes: Kinematics) -> Glyphs:
        """Return what is drawn beside bodies of small displacement."""

        def find(ref: object, _: Array | None) -> list[tuple[int, Array]]:
            return [(i, np.zeros(3)) for i in nodes.resolve(ref, "marks").tolist()]

        parts = [*self.bodies.values(), *self.loads.values(), *self.contacts.values()]
        return glyphs_of(parts, find, nodes.points, {})

    def _assemble_large(self, signals: Sequence[str] | None, t0: float, also: Sequence[str]) -> MultibodySystem:
        if self.initial_steady:
            message = "is not available for models with joints or large motion"
            raise InputError(message, where="initial", key="steady", value=self.initial_steady)
        if self.initial_penetration:
            message = "is for small motion; with joints or large motion, project = true moves the bodies apart"
            raise InputError(message, where="initial", key="penetration", value=self.initial_penetration)
        given = {name: body.parts().start for name, body in self.bodies.items() if hasattr(body, "coordinates")}
        start = self._sag() if self.initial_static else given
        a = acceleration_of(self.gravity, self.bodies.values())
        # what couples joints comes after them
        joints = sorted(self.joints.values(), key=lambda joint: bool(getattr(joint, "couples", False)))
        bodies = cast("Mapping[str, LargePart]", self.bodies)
        others = cast("list[LargePart]", [*joints, *self.loads.values(), *self.contacts.values()])
        with normals_explained(self.contacts):
            return assemble_large(bodies, others, a, signals, t0, self.project, also, start)

    def _sag(self) -> dict[str, Array]:
        """Return the displacements of all bodies under their weight, rotors at the speed they start with."""
        small_only = all(hasattr(b, "parts") for b in self.bodies.values())
        small_only = small_only and all(hasattr(load, "terms") for load in self.loads.values())
        if self.joints or not small_only or self.initial_static != ("gravity",):
            message = (
                'in large motion the static start is that under the weight only, static = ["gravity"], of bodies of '
                "small displacement (rotors, beams, bars, particles) without joints"
            )
            raise InputError(message, where="initial", key="static", value=self.initial_static)
        small = small_motion(self.bodies, self.loads)
        weight = self._named_force("gravity", small, self.weight(small.bodies)[0], 0.0)
        spin = spin_terms({name: at_start(b) for name, b in small.bodies.items()}, small.terms.values())
        q = static_response(small.K + spin.K + spin.cross, weight, self._check_held(small, "static"))
        q += small.start
        ends = np.cumsum([b.nv for b in small.bodies.values()])
        return dict(zip(small.bodies, np.split(q, ends[:-1]), strict=True))

    def weight(self, bodies: Mapping[str, BodyParts]) -> tuple[Array, float]:
        """Return the weight, (nv,), and the potential energy at q = 0: -sum m a.X, J."""
        a = acceleration_of(self.gravity, self.bodies.values())
        force = np.concatenate([b.gravity @ a for b in bodies.values()])
        return force, -sum(b.mass * float(a @ b.center) for b in bodies.values())

    def _start(self, system: LinearSystem, small: SmallMotion, weight: Array, t0: float) -> tuple[Array, Array]:
        """Return the initial displacement and velocity, (nv,) each."""
        check_held = self._check_held(small, "steady" if self.initial_steady else "static")
        K = system.K + system.cross
        if self.initial_steady:
            self._check_steady(small)
            C = system.C + system.gyro
            return steady_response(system.M, C, K, system.F0, system.loads, t0, check_held)
        force = np.zeros(system.nv)
        for name in self.initial_static:
            force += self._named_force(name, small, weight, t0)
        return static_response(K, force, check_held) + small.start, system.v0

    def _check_held(self, small: SmallMotion, key: str) -> Callable[[], None]:
        """Return a function that raises if a body is not held."""

        def check() -> None:
            if loose := loose_body(small.bodies, small.springs.held):
                message = f"body '{loose}' is not supported, so it has no static response: add supports or springs"
                raise InputError(message, where="initial", key=key, value=getattr(self, f"initial_{key}"))

        return check

    def _named_force(self, name: str, small: SmallMotion, weight: Array, t0: float) -> Array:
        """Return a force by the name of its load, or the weight, (nv,)."""
        terms = small.terms
        if name in terms and (function := terms[name].function) is not None:
            return np.asarray(terms[name].column.toarray().ravel() * float(function.value(t0)))
        if name == "gravity" and self.gravity is not None:
            return weight
        forces = [key for key, term in terms.items() if term.function is not None]
        forces += ["gravity"] if self.gravity is not None else []
        message = f"is not a force{nearest(name, forces)}; forces: {', '.join(forces) or 'none'}"
        raise InputError(message, where="initial", key="static", value=name)

    def _check_steady(self, small: SmallMotion) -> None:
        """Raise if another start is asked for besides the steady motion."""
        if self.initial_static:
            message = "a run starts from a static response or from the steady motion, not from both"
            raise InputError(message, where="initial", key="static", value=self.initial_static)
        for name, b in small.bodies.items():
            if b.v0.any() or b.start.any():
                what, key = ("velocity", "velocity") if b.v0.any() else ("displacement", "coordinates")
                message = f"a body on the steady motion has its {what}; leave this out, or initial.steady"
                raise InputError(message, where=f"bodies.{name}", key=key)


answer_unknown_keywords(Model)


def _parts_in_words(parts: Mapping[str, object], role: str) -> str:
    """Return number, names and kinds of parts, of many the first: ``1 body: ball (Particle)``."""
    words = [f"{name} ({type(part).__name__})" for name, part in list(parts.items())[:LISTED]]
    listed = ", ".join([*words, *(["..."] if len(parts) > LISTED else [])])
    return f"{len(parts)} {SINGULAR[role] if len(parts) == 1 else role}: {listed}"
