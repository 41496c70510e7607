"""From the parts of a model to a ``MultibodySystem``: bodies, joints, loads, contacts add themselves to a builder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np
from scipy import sparse

from flexmb.assembly.attached import attached_notes
from flexmb.assembly.builder import Builder
from flexmb.assembly.constant import constant_matrices
from flexmb.assembly.glyphs import Glyphs, glyphs_of
from flexmb.assembly.gravity_check import body_notes
from flexmb.assembly.markers import BodyInfo, Marker
from flexmb.assembly.rows_beside import beside_spheres
from flexmb.errors import InputError
from flexmb.kernels.geometry.tables import FRAME, PLANAR
from flexmb.state import Array, IntArray
from flexmb.system.consistency import consistent
from flexmb.system.layout import Layout, carriers_of, dots, layout_of, picture_of
from flexmb.system.multibody_system import MultibodySystem
from flexmb.system.probes import default_names, probe
from flexmb.system.row_groups import Groups
from flexmb.system.sphere_pairs import AT_START, SphereGroup

FUNCTIONS = {"bodies": "spin", "joints": "drive", "loads": "function", "contacts": "motion"}
"""Keys of the time functions of parts, by role."""


MOST_SEARCHES = 50
"""Number of attempts to separate spheres that the previous correction brought into contact."""


class LargePart(Protocol):
    """A part that can add itself to a builder."""

    @property
    def role(self) -> str:
        """Role of the part."""
        ...

    @property
    def where(self) -> str:
        """Location of the part in a case file."""
        ...

    def add_to(self, builder: Builder) -> None:
        """Add unknowns, rows or forces."""
        ...


def assemble_large(
    bodies: Mapping[str, LargePart],
    others: Iterable[LargePart],
    gravity: Array,
    signals: Sequence[str] | None,
    t0: float,
    project: bool,
    also: Sequence[str] = (),
    start: Mapping[str, Array] | None = None,
) -> MultibodySystem:
    """Return the system.

    Parameters
    ----------
    bodies : mapping
    others : iterable
        Joints, loads, contacts, in this order.
    gravity : (3,) array
    signals : sequence of str, optional
        Names of signals to record.
    t0 : float
        Time of the start, s.
    project : bool
        Move an inconsistent start to the nearest consistent one.
    also : sequence of str
        Signals to record besides.
    start : mapping of str to array, optional
        Displacements at the start, by body, of bodies of small displacement.
    """
    builder = Builder(gravity, t0, len(bodies))
    functions: list[tuple[str, object]] = []
    parts = [*bodies.values(), *others]
    for part in parts:
        known = len(builder.functions)
        part.add_to(builder)
        functions += [(f"{part.where}.{FUNCTIONS[part.role]}", f) for f in builder.functions[known:]]
    q0, v0 = np.array(builder.q0), np.array(builder.v0)
    straight = q0.copy()
    _displace(builder, start or {}, q0)
    drawn = _with_contact_points(builder)
    layout = layout_of(drawn, straight)
    layout = replace(layout, marks=_marks(parts, builder, layout))
    tables = builder.build()
    system = MultibodySystem(
        tables=tables,
        q0=q0,
        v0=v0,
        joints=Groups.of(builder.joints, "joints"),
        contacts=Groups.of(builder.contacts, "contacts", tables),
        probes=(),
        layout=layout,
        impulse_map=_impulse_map(builder, layout),
        groups=tuple(_groups(builder)),
        dof_names=tuple(builder.dof_names),
        functions=(*functions, *builder.spans),
        notes=(*body_notes(gravity, bodies.values()), *attached_notes(builder.attached, parts, project)),
        bends=tuple(builder.bends),
        speed_tables=tuple((rotor.name, table.label) for rotor in builder.rotors for table in rotor.tables),
        constant=constant_matrices(tables),
    )
    system = replace(system, spheres=sphere_groups(builder, q0))
    system = _at_consistent_start(system, t0, project)
    if not start and not np.array_equal(system.q0, q0):
        system = replace(system, layout=replace(layout_of(drawn, system.q0), marks=layout.marks))
    names = signal_names(default_names(builder.bodies, builder.joints) if signals is None else signals, also)
    # displacements count from the undeformed position, as in small motion, also for a deformed initial state
    counted_from = replace(system, q0=straight) if start else system
    looked_up = (builder.bodies, {joint.name: joint for joint in builder.joints}, counted_from, builder.contacts)
    return replace(system, probes=tuple(probe(name, *looked_up) for name in names))


def _displace(builder: Builder, start: Mapping[str, Array], q0: Array) -> None:
    """Write the displacements of bodies at the start into q0."""
    place_in_q = {iv: iq for iq, iv in builder.plain}
    for name, q in start.items():
        first = builder.bodies[name].unknowns[: q.size]  # a free spin comes after the displacements
        q0[[place_in_q[int(iv)] for iv in first]] = q


def _at_consistent_start(system: MultibodySystem, t0: float, project: bool) -> MultibodySystem:
    """Return the system with an admissible initial state, and with rows for spheres that are close in it."""
    if not system.spheres:
        return consistent(replace(system, pattern=system.find_pattern()), t0, system.size, project)[0]
    margins = [AT_START * float(group.radii.min()) for group in system.spheres]
    given = replace(system, pairs=(np.zeros((0, 2), dtype=np.int64),) * len(system.spheres))
    near = given.near_pairs(given.q0, margins)
    for _ in range(MOST_SEARCHES):
        system, _ = consistent(given.with_pairs(near), t0, given.size, project)
        moved = system.near_pairs(system.q0, margins)
        more = [np.unique(np.concatenate(both), axis=0) for both in zip(near, moved, strict=True)]
        if all(len(a) == len(b) for a, b in zip(near, more, strict=True)):
            return system
        near = more  # the projection of the initial state may have brought other spheres close
    raise InputError(
        "no initial state without overlapping spheres was found", where="initial", key="project", value=project
    )


def sphere_groups(builder: Builder, q0: Array) -> tuple[SphereGroup, ...]:
    """Return the spheres in contact all against all, by contacts."""
    found, first = [], 0
    for group in builder.contacts:
        if group.spheres is not None:
            markers = [marker for marker, _ in group.points]
            places = [builder.markers[marker][0] for marker in markers]
            labels = tuple(place.label for place in places)
            carriers = carriers_of(places, q0, len(builder.v0))
            own, beside = np.array(markers, dtype=np.int64), tuple(beside_spheres(group.law, places))
            found.append(SphereGroup(group.name, labels, own, group.spheres, group.law, first, carriers, beside))
        first += len(group.labels)
    return tuple(found)


def signal_names(names: Sequence[str], also: Sequence[str]) -> list[str]:
    """Return names of signals, each once, and those of ``also`` that are not among them."""
    if len(set(names)) != len(names):
        twice = next(name for name in names if list(names).count(name) > 1)
        raise InputError("this signal is listed twice", where="output", key="signals", value=twice)
    return [*names, *(name for name in dict.fromkeys(also) if name not in names)]


def _groups(builder: Builder) -> list[IntArray]:
    """Return the groups of coupled unknowns: nodes, rigid bodies, floating bodies."""
    nv = len(builder.v0)
    taken = np.zeros(nv, dtype=bool)
    groups = []
    for info in builder.bodies.values():
        for place in info.nodes:
            dof = np.unique(place.dof)
            dof = dof[~taken[dof]]
            if dof.size:
                taken[dof] = True
                groups.append(dof.astype(np.int64))
    groups += [np.array([i], dtype=np.int64) for i in np.flatnonzero(~taken)]
    return groups


def _marks(parts: Iterable[LargePart], builder: Builder, layout: Layout) -> Glyphs:
    """Return the symbols drawn in addition to the bodies."""
    axes = {name: info.spin.axis for name, info in builder.bodies.items() if info.spin is not None}
    owners = Owners(builder)
    numbers = {name: k for k, name in enumerate(builder.bodies)}
    of_joint: dict[str, Marker] = {}
    for group in builder.joints:
        mover, base = (builder.markers[k] for k in group.points[0])
        for key, end in ((f"joints.{group.name}", mover), (f"joints.{group.name}.base", base)):
            axes[key], of_joint[key] = base[0].axes @ base[1][:, 2], end[0]

    def find(ref: object, point: Array | None) -> list[tuple[int, Array]]:
        words = str(ref)
        if words in of_joint:
            places = [of_joint[words]]
        else:
            places = builder.places(ref, "marks") if point is None else [builder.place(ref, "marks", point=point)]
        owner = numbers.get(words.partition(".")[0])
        of = [owners.of(place) if owner is None else owner for place in places]
        found = [(_nearest_point(layout, place, k), place.position) for place, k in zip(places, of, strict=True)]
        return [(i, x - layout.points[i] if i >= 0 else x) for i, x in found]

    return glyphs_of(parts, find, layout.points, axes)


def _with_contact_points(builder: Builder) -> dict[str, BodyInfo]:
    """Return the bodies with additional drawn points, without cells, where contacts act.

    An impulse is drawn where it acts; the drawn shape of a rigid body has points at its surface only.
    """
    out = dict(builder.bodies)
    names, owners = list(out), Owners(builder)
    for marker in sorted({k for group in builder.contacts for pair in group.points for k in pair}):
        place = builder.markers[marker][0]
        if place.kind not in (FRAME, PLANAR):
            continue
        name = names[owners.of(place)]
        picture = picture_of(out[name])
        same = (picture.kind == place.kind) & (picture.iq == place.iq)
        if not (same & (np.linalg.norm(picture.local - place.local, axis=1) == 0.0)).any():
            more = dots([place])
            picture = replace(
                picture,
                kind=np.append(picture.kind, more.kind),
                iq=np.append(picture.iq, more.iq),
                iv=np.append(picture.iv, more.iv),
                local=np.concatenate([picture.local, more.local]),
            )
            out[name] = replace(out[name], picture=picture)
    return out


def _impulse_map(builder: Builder, layout: Layout) -> sparse.csr_array:
    """Return the map from impulse vectors of contacts to impulses on points: + on the second marker, - on the first."""
    ends = [pair for group in builder.contacts for pair in group.points]
    rows, cols, values = [], [], []
    owners = Owners(builder)
    for i, (second, first) in enumerate(ends):
        for marker, sign in ((second, 1.0), (first, -1.0)):
            place, _ = builder.markers[marker]
            point = _nearest_point(layout, place, owners.of(place))
            if point >= 0:
                rows += [3 * point + k for k in range(3)]
                cols += [3 * i + k for k in range(3)]
                values += [sign] * 3
    shape = (3 * len(layout.points), 3 * len(ends))
    return sparse.csr_array(sparse.coo_array((values, (rows, cols)), shape=shape))


class Owners:
    """The bodies of places, by their unknowns."""

    def __init__(self, builder: Builder) -> None:
        self.body = np.full(len(builder.v0), -1, dtype=np.int64)
        for k, info in enumerate(builder.bodies.values()):
            self.body[info.unknowns] = k

    def of(self, place: Marker) -> int:
        """Return the number of the body that has all unknowns of a place, -1 for the ground and intermediate places."""
        found = self.body[place.dof]
        return int(found[0]) if found.size and (found == found[0]).all() else -1


def _nearest_point(layout: Layout, place: Marker, owner: int) -> int:
    """Return the drawn point of body number ``owner`` that is nearest to a place, -1 for no body (-1)."""
    first, last = np.searchsorted(layout.body_of_point, [owner, owner + 1])  # points are in the order of the bodies
    if owner < 0 or first == last:
        return -1
    return int(first) + int(np.argmin(np.linalg.norm(layout.points[first:last] - place.position, axis=1)))
