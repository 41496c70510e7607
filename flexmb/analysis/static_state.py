"""Static state of bars, beams, frames and mechanisms: displacements, reactions, contact and section forces.

Small motion: K q = F with the weight, preloaded springs and loads. Reactions of supports are K q - F on the unknowns
they eliminate. Large motion, and structures that rest on contacts: ``analysis.equilibrium``, without friction.

In a line of length h with the force p per length the nodes determine means and slopes; the rest follows from
equilibrium:

    N' = -p_x,   Q' = -p,   M_z' = -Q_y,   M_y' = Q_z
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, cast

import numpy as np
from scipy import sparse

from flexmb.analysis.equilibrium import equilibrium
from flexmb.errors import InputError
from flexmb.parts.time_functions import Constant, time_function
from flexmb.record.section_forces import SectionForces
from flexmb.state import Array
from flexmb.system.initial_state import static_response
from flexmb.system.joint_resultants import contact_resultants, joint_resultants
from flexmb.system.layout import Layout
from flexmb.system.linear_system import LinearSystem
from flexmb.system.model import Model
from flexmb.system.multibody_system import MultibodySystem
from flexmb.system.small_motion import SmallMotion, loose_body, small_motion

INSIDE = 1e-12
"""Penetration up to which a contact counts as just closed, m."""


@dataclass(frozen=True)
class Statics:
    """Static state of a model.

    Parameters
    ----------
    layout : Layout
        Positions of the n points and m lines.
    labels : tuple of str
        Names of the points.
    displacement, rotation : (n, 3) arrays
        In space, m and rad; in large motion from the start.
    held : tuple of str
        Supporting parts: nodes with supports, springs, joints with the body they act on.
    forces, moments : (b, 3) arrays
        Forces and moments on the bodies, in space, N and N m. Moments of springs and joints are nan.
    resultants : (m, 2, 6) array
        N, Q_y, Q_z, M_x, M_y, M_z at both ends of the lines, in their axes; nan if the stiffness is unknown.
    left_out : tuple of str
        Loads that vary in time, which are omitted.
    contacts : tuple of (str, float)
        Closed contacts and their normal forces, N, without friction.
    stable : bool or None
        Whether the equilibrium is a minimum of the energy; None if this was not examined (large systems).
    q : array
        All coordinates.
    """

    layout: Layout
    labels: tuple[str, ...]
    displacement: Array
    rotation: Array
    held: tuple[str, ...]
    forces: Array
    moments: Array
    resultants: Array
    left_out: tuple[str, ...]
    contacts: tuple[tuple[str, float], ...]
    stable: bool | None
    q: Array


class HasModel(Protocol):
    """An object with a model, such as a case."""

    def model(self) -> Model:
        """Return the model."""
        ...


def static_state(model: Model | HasModel, time: float = 0.0) -> Statics:
    """Return the static state under gravity, springs and constant loads, resting on contacts without friction.

    Loads named in ``initial_static``, which a run releases at its start, act with their value at ``time``.

    Parameters
    ----------
    model : Model or Case
        Without rotors, whose static state depends on the speed: see ``static_deflection``.
    time : float
        s; time at which prescribed motions of joints are evaluated.
    """
    model = model if isinstance(model, Model) else model.model()
    if any(hasattr(body, "internal_damping") for body in model.bodies.values()):
        raise InputError("has a rotor: use static_deflection, which accounts for its speed", where="bodies")
    return _large(model, time) if model.large_motion else _small(model, time)


def _small(model: Model, time: float) -> Statics:
    small = small_motion(model.bodies, model.loads)
    acting = _acting(model)
    # loads released at the start act like the others
    system = cast("LinearSystem", _with_loads(model, acting, ()).assemble((), time))
    loose = loose_body(small.bodies, small.springs.held)
    q, P = np.zeros(system.nv), np.zeros(system.contacts.nc)
    if not loose:
        q = static_response(small.K, _force(model, small, acting, time), lambda: None)
    stable: bool | None = True
    if system.contacts.nc and (loose or (system.contacts.g(time, q) < -INSIDE).any()):
        rest = equilibrium(system, time)
        q, P, stable = rest.q, rest.normal, rest.stable
    if loose and not (P > 0.0).any():
        message = f"body '{loose}' is not supported, so it has no static state: add supports, springs or stops"
        raise InputError(message, where="bodies", key=loose)
    push = (small.nodes.displacement @ (system.contacts.G @ sparse.diags_array(P))).toarray()
    held, forces, moments = _support_forces(model, small, q, acting, time, push.sum(axis=1))
    names, springs = _spring_forces(small, q)
    closed, pushes = _contact_forces(
        system.contacts.labels, push.reshape(len(small.layout.points), 3, P.size).sum(axis=0).T, P
    )
    layout = small.layout
    return Statics(
        layout=layout,
        labels=tuple(small.nodes.labels(np.arange(len(layout.points)))),
        displacement=layout.displacements(q[None])[0],
        rotation=layout.rotations(q[None])[0],
        held=(*held, *names, *closed),
        forces=np.concatenate([forces, springs, pushes]),
        moments=np.concatenate([moments, np.full((len(springs) + len(pushes), 3), np.nan)]),
        resultants=end_resultants(layout, q, _weight_per_length(model, layout)),
        left_out=tuple(name for name in small.terms if name not in acting),
        contacts=_closed(system.contacts.labels, P),
        stable=stable,
        q=q,
    )


def _with_loads(model: Model, acting: set[str], initial_static: Sequence[str]) -> Model:
    """Return the model with these loads only."""
    out = Model(
        gravity=model.gravity,
        initial_static=tuple(initial_static),
        project=model.project,
        initial_penetration=model.initial_penetration,
    )
    parts: list[Any] = [*model.bodies.values(), *model.joints.values(), *model.contacts.values()]
    for part in parts + [load for name, load in model.loads.items() if name in acting]:
        out.add(part)
    return out


def _contact_forces(labels: Sequence[str], forces: Array, P: Array) -> tuple[list[str], Array]:
    """Return the closed contacts and their forces on the bodies in space, (k, 3)."""
    size = float(P.max(initial=0.0))
    own = [k for k in range(P.size) if P[k] > 1e-9 * size and np.abs(forces[k]).max() > 1e-9 * size]
    return [f"contact {labels[k]}" for k in own], forces[own].reshape(-1, 3)


def _closed(labels: Sequence[str], P: Array) -> tuple[tuple[str, float], ...]:
    """Return the closed contacts and their normal forces."""
    least = 1e-9 * float(P.max(initial=0.0))
    return tuple((name, float(p)) for name, p in zip(labels, P, strict=True) if p > least)


def _acting(model: Model) -> set[str]:
    """Return the loads that are constant, springs, or released at the start."""
    return {name for name, load in model.loads.items() if name in model.initial_static or not _changes(load)}


def _changes(load: Any) -> bool:
    """Return whether a load varies in time, or with the motion of its node."""
    function = getattr(load, "function", None)
    if function is None or callable(function):
        return function is not None
    return not isinstance(time_function(function, f"loads.{load.name}.function"), Constant)


def _force(model: Model, small: SmallMotion, acting: set[str], time: float) -> Array:
    """Return all forces at q = 0, (nv,)."""
    out = model.weight(small.bodies)[0] + small.springs.F0
    for name, term in small.terms.items():
        if term.function is not None and name in acting:
            out = out + term.column.toarray().ravel() * float(term.function.value(time))
    return np.asarray(out)


def _support_forces(
    model: Model, small: SmallMotion, q: Array, acting: set[str], time: float, push: Array
) -> tuple[list[str], Array, Array]:
    """Return the nodes with supports, and the forces and moments there, from the model assembled without them.

    ``push`` (3 n,) are the contact forces on the nodes.
    """
    free = Model(gravity=model.gravity)
    for body in model.bodies.values():
        free.add(replace(cast("Any", body), supports=()) if getattr(body, "supports", ()) else body)
    for load in model.loads.values():
        free.add(load)
    whole = small_motion(free.bodies, free.loads)
    place = {name: k for k, name in enumerate(whole.dof_names)}
    own = np.array([place[name] for name in small.dof_names], dtype=np.int64)
    u = np.zeros(whole.nodes.nv)
    u[own] = q
    reaction = whole.K @ u - _force(free, whole, acting, time) - whole.nodes.displacement.T @ push
    reaction[own] = 0.0
    # a fixed unknown is a unit displacement or rotation of its node
    forces, moments = ((D @ reaction).reshape(-1, 3) for D in (whole.nodes.displacement, whole.nodes.rotation))
    taken = np.ones(whole.nodes.nv)
    taken[own] = 0.0
    moved = sum((abs(D) @ taken).reshape(-1, 3).sum(axis=1) for D in (whole.nodes.displacement, whole.nodes.rotation))
    at = np.flatnonzero(moved)
    return list(whole.nodes.labels(at)), forces[at], moments[at]


def _spring_forces(small: SmallMotion, q: Array) -> tuple[list[str], Array]:
    """Return the springs to the ground and their forces; those between bodies have no resultant."""
    names, forces = [], []
    for name, term in small.terms.items():
        if term.function is None and np.any(term.stiffness):
            pull = term.column @ (np.asarray(term.stiffness) * (term.stretch + term.column.T @ q))
            force = -(small.nodes.displacement @ pull).reshape(-1, 3)
            total = force.sum(axis=0)
            if np.abs(total).max() > 1e-9 * np.abs(force).max(initial=0.0):
                names.append(f"spring {name}")
                forces.append(total)
    return names, np.array(forces).reshape(-1, 3)


def _large(model: Model, time: float) -> Statics:
    acting = _acting(model)
    constant = _with_loads(model, acting, model.initial_static)
    system = constant.assemble((), time)
    assert isinstance(system, MultibodySystem)
    rest = equilibrium(system, time)
    layout = system.layout
    joints, forces = joint_resultants(system, time, rest.q, rest.lam)
    contacts, pushes = contact_resultants(system, time, rest.q, rest.normal)
    forces = np.concatenate([forces, pushes])
    return Statics(
        layout=layout,
        labels=_point_labels(layout),
        displacement=layout.displacements(rest.q[None])[0],
        rotation=layout.rotations(rest.q[None])[0],
        held=(*joints, *contacts),
        forces=forces,
        moments=np.full_like(forces, np.nan),
        resultants=end_resultants(layout, rest.q, _weight_per_length(model, layout)),
        left_out=tuple(name for name in model.loads if name not in acting),
        contacts=_closed(system.gaps.labels, rest.normal),
        stable=rest.stable,
        q=rest.q,
    )


def _point_labels(layout: Layout) -> tuple[str, ...]:
    """Return names of points by their body and number on it."""
    out, seen = [], dict.fromkeys(range(len(layout.bodies)), 0)
    for body in layout.body_of_point.tolist():
        out.append(f"{layout.bodies[body]}.point({seen[body]})")
        seen[body] += 1
    return tuple(out)


def _weight_per_length(model: Model, layout: Layout) -> Array:
    """Return the weight of the lines per length, in space, (m, 3), N/m; zero for bodies with lumped weight."""
    a = np.zeros(3) if model.gravity is None else np.asarray(model.gravity, dtype=np.float64)
    owner = layout.body_of_point[layout.cells[:, 0]]
    mu = np.zeros(len(layout.cells))
    for k, name in enumerate(layout.bodies):
        density = getattr(model.bodies[name], "mass_per_length", None)
        if density is not None:
            mu[owner == k] = density
    return np.outer(mu, a)


def end_resultants(layout: Layout, q: Array, p: Array) -> Array:
    """Return N, Q_y, Q_z, M_x, M_y, M_z at both ends of all lines in the state q, (m, 2, 6).

    Parameters
    ----------
    layout : Layout
    q : (nq,) array
    p : (m, 3) array
        Forces per length, in space, N/m.
    """
    assert layout.sections is not None
    sections = layout.sections
    strain, _ = SectionForces(layout).strains(q[None])
    mean = sections.stiffness * strain[0]
    feels = sections.stiffness[:, [0, 5, 4]] > 0.0  # along d, y, z
    px, py, pz = np.where(feels, np.einsum("mij,mi->mj", sections.axes, p), 0.0).T
    h = sections.length
    out = np.empty((len(h), 2, 6))
    for end, side in enumerate((-0.5, 0.5)):
        out[:, end] = mean
        out[:, end, 0] -= side * h * px
        out[:, end, 1] -= side * h * py
        out[:, end, 2] -= side * h * pz
        out[:, end, 4] += side * h * mean[:, 2] - h**2 / 12.0 * pz
        out[:, end, 5] += -side * h * mean[:, 1] + h**2 / 12.0 * py
    return out
