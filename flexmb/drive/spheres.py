"""Large motion with spheres in contact all against all: close pairs are searched between steps.

A search finds the pairs with gaps up to a margin. No other pair can close before some sphere has moved by half the
margin relative to the mean of all of them, so a new search is done before that may happen; a step in which it has
happened is repeated, after a search with a larger margin.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

import numpy as np

from flexmb.drive.engine import Plan
from flexmb.drive.multibody_engine import MultibodyEngine
from flexmb.errors import InputError, SimulationError
from flexmb.kernels.laws.friction_record import (
    BESIDE_COLUMNS,
    LAW_COLUMNS,
    SINCE_T,
    SLIP_RATE,
    STATUS_AT,
    TANGENTIAL,
    WORKS,
)
from flexmb.kernels.multibody.evaluate import evaluate_at, row_rate
from flexmb.kernels.multibody.multibody import CENTRED, GAP, GAP_T, RATE, SINCE, TIME, Samples, V
from flexmb.kernels.small_motion.ledger import FALLING_CONTACT, FRICTION_GAIN_CONTACT, GAIN_CONTACT
from flexmb.record.samples import Block, Tally
from flexmb.state import Array, IntArray
from flexmb.system.contact_blocks import Blocks
from flexmb.system.multibody_system import MultibodySystem
from flexmb.system.sphere_pairs import common, misses, nearest_gaps

LEAST = 0.1
"""Smallest margin of a search, relative to the smallest radius."""
FEW, MANY = 4.0, 10.0
"""Steps that the fastest sphere takes to move by the margin, at least and where that is no large part of a radius."""
LARGE = 0.5
"""Margin, relative to the smallest radius, that is a large part of it."""
SPARE = 1.5
"""Factor on the expected motion of a sphere above which a step is repeated."""
MOST_SEARCHES = 30
"""Maximum number of searches for a step, each with a larger margin; beyond it the motion has diverged."""


class SpheresEngine(MultibodyEngine):
    """Runs systems with spheres in contact all against all."""

    def __init__(self, plan: Plan) -> None:
        system = plan.system
        assert isinstance(system, MultibodySystem)
        n = sum(len(group.radii) for group in system.spheres)
        self.origin = np.zeros((n, 3))  # centres at the last search
        self.margin = np.zeros(len(system.spheres))
        self.lowest = np.full(2, np.inf)  # least gap at samples, m, and its time
        self.since, self.since_field = np.zeros(n), np.zeros((n, 3))  # impulses of pairs that have separated
        self.works = np.zeros((len(WORKS), n))  # since the start, half of each pair
        self.tangential = np.zeros(n)  # sizes of tangential impulses since the last sample, half of each pair
        ends = np.cumsum([0, *(len(group.radii) for group in system.spheres)])
        self._own = [slice(int(a), int(b)) for a, b in zip(ends[:-1], ends[1:], strict=True)]
        spheres = np.concatenate([g.first + np.arange(len(g.radii)) for g in system.spheres])
        self._markers = np.concatenate([group.markers for group in system.spheres])
        self._columns = spheres  # of what is recorded
        self._fixed = np.setdiff1d(np.arange(system.contacts.nc), spheres)
        recorded = system.contacts.blocks
        self._fixed_beside = _beside_of(recorded, self._fixed)
        self._sliding = np.flatnonzero(recorded.slides[spheres])  # spheres with friction, and where it is recorded
        self._slide_rows = recorded.start[spheres[self._sliding]]
        super().__init__(plan)
        if self.workspace.machine.numbers.form == CENTRED:
            message = (
                "cannot be used with contacts of kind spheres: list the pairs (sphere-sphere), or take another scheme"
            )
            raise InputError(message, where="scheme", key="name", value=plan.scheme.name)
        self._search()

    # the search -----------------------------------------------------------------------------------------------

    def _places(self) -> tuple[Array, Array]:
        """Return the centres, (n, 3), m, and their velocities, m/s."""
        m, markers = self.motion, self.workspace.machine.point.markers
        evaluate_at(self.workspace.at, float(m.numbers[TIME]), m.q, m.vec[V])
        return markers.r[self._markers], markers.twist[self._markers, :3]

    def _left(self, x: Array) -> Array:
        """Return by how much more than half the margin spheres have moved, relative to all, (groups,), m."""
        moved = [_against_mean(x[own] - self.origin[own]).max() for own in self._own]
        return np.array(moved) - 0.5 * self.margin

    def _search(self, moved: Array | None = None) -> None:
        """Find the close pairs; rebuild the rows if they differ from the existing ones.

        ``moved`` is how far spheres of each group went in the step that is to be taken again, m.
        """
        x, v = self._places()
        for k, (group, own) in enumerate(zip(self.system.spheres, self._own, strict=True)):
            reach = _against_mean(v[own]).max() * self.plan.h if moved is None else 2.0 * moved[k]
            radius = float(group.radii.min())
            self.margin[k] = max(LEAST * radius, min(MANY * reach, LARGE * radius), FEW * reach)
        self.origin[:] = x
        found = [
            group.near(x[own], float(margin))
            for group, own, margin in zip(self.system.spheres, self._own, self.margin, strict=True)
        ]
        parts = zip(self.system.spheres, self.system.pairs, found, strict=True)
        if any(misses(g, old, new) or len(old) > 2 * len(new) + 16 for g, old, new in parts):
            self._rebuild(found)

    def _rebuild(self, pairs: Sequence[IntArray]) -> None:
        """Build rows for other pairs and transfer the motion; impulses belong to pairs."""
        old, motion, workspace = self.system, self.motion, self.workspace  # the room keeps the arrays of the motion
        self._keep_impulses(old, pairs)
        self.system = old.with_pairs(pairs)
        self.workspace = self._new_room()
        self.motion = self.workspace.machine.motion
        for name, value in motion._asdict().items():
            if name not in ("contact", "rows", "since_field", "beside", "laws"):
                getattr(self.motion, name)[...] = value
        nf, nj = self._fixed.size, old.nj
        self.motion.contact[:, :nf] = motion.contact[:, :nf]
        self.motion.since_field[: 3 * nf] = motion.since_field[: 3 * nf]
        beside = _beside_of(old.gaps.blocks, np.arange(nf))
        self.motion.beside[:, : beside.size] = motion.beside[:, : beside.size]
        self.motion.laws[:, :nf] = motion.laws[:, :nf]
        first = last = nf
        place = {i: i for i in range(nf)}
        for group, was, now in zip(old.spheres, old.pairs, pairs, strict=True):
            there, here = common(group, was, now)
            self.motion.contact[:, first + here] = motion.contact[:, last + there]
            if motion.beside.shape[1]:
                self.motion.laws[:, first + here] = motion.laws[:, last + there]
                now_rows = _beside_of(self.system.gaps.blocks, first + here)
                self.motion.beside[:, now_rows] = motion.beside[:, _beside_of(old.gaps.blocks, last + there)]
            place.update(zip((last + there).tolist(), (first + here).tolist(), strict=True))
            for k in range(3):
                self.motion.since_field[3 * (first + here) + k] = motion.since_field[3 * (last + there) + k]
            first, last = first + len(now), last + len(was)
        for which in (GAIN_CONTACT, FRICTION_GAIN_CONTACT, FALLING_CONTACT):  # separated pairs have no name
            self.motion.ledger[:, which] = place.get(int(motion.ledger[0, which]), -1)
        self._evaluate_rows(nj + nf)
        self.motion.rows[:, : nj + nf] = motion.rows[:, : nj + nf]
        del workspace

    def _evaluate_rows(self, first: int) -> None:
        """Write gaps and rates of the rows from ``first`` on to the motion."""
        m, at, rows = self.motion, self.workspace.at, self.workspace.machine.point.rows
        self.workspace.machine.trial.q[:] = m.q
        evaluate_at(at, float(m.numbers[TIME]), m.q, m.vec[V])
        m.rows[GAP, first:], m.rows[GAP_T, first:] = rows.g[first:], rows.g_t[first:]
        m.rows[RATE, first:] = [row_rate(at, r) for r in range(first, rows.g.size)]

    def _keep_impulses(self, system: MultibodySystem, pairs: Sequence[IntArray]) -> None:
        """Store the impulses since the last sample of pairs that lose their rows."""
        last = self._fixed.size
        for group, own, was, now in zip(system.spheres, self._own, system.pairs, pairs, strict=True):
            gone = np.setdiff1d(np.arange(len(was)), common(group, was, now)[0])
            row = last + gone
            vectors = self.motion.since_field.reshape(-1, 3)[row]
            _halves(self.since[own], was[gone], self.motion.contact[SINCE, row])
            _vectors(self.since_field[own], was[gone], vectors)
            last += len(was)

    # steps ----------------------------------------------------------------------------------------------------

    def start(self) -> Block:
        """Return the block with the sample at the start."""
        block, first = super().start(), self.system.nj + self.system.gaps.nc
        block.beside[0, SLIP_RATE, self._fixed_beside] = self.motion.rows[RATE, first:][: self._fixed_beside.size]
        return block

    def advance(self, n: int) -> Block:
        """Take up to n steps; on failure return what was reached and set ``failure``."""
        parts = [self._march(0)]
        for _ in range(min(n, self.plan.steps - self.step)):
            if self.failure is None:
                parts.append(self._checked_step())
                self._fill_impulses(*parts[-1])
        block = Block(*_joined([block for block, _ in parts], [f.name for f in dataclasses.fields(Block)]))
        states = [out._replace(g=out.g[:, : self._always], rate=out.rate[:, : self._always]) for _, out in parts]
        kept = [_first(out, block.step.size) for (block, _), out in zip(parts, states, strict=True)]
        self._fill(block, Samples(*_joined(kept, Samples._fields)))
        return block

    @property
    def _always(self) -> int:
        """Number of rows that always exist: those of joints, and of contacts other than pairs of spheres."""
        return self.system.nj + self._fixed.size

    def _checked_step(self) -> tuple[Block, Samples]:
        """Take a step in which no pair without a row can have closed."""
        start, v = self._places()
        ahead = [_against_mean(v[own]).max() * self.plan.h for own in self._own]
        if np.any(self._left(start) + SPARE * np.array(ahead) > 0.0):
            self._search()
        for _ in range(MOST_SEARCHES):
            before, at = self.snapshot(), self.step
            found = self._march(1)
            end = self._places()[0]
            if self.failure is not None or not np.any(self._left(end) > 0.0):
                self._add_works(before["laws"])
                self._add_tangential(before["beside"], found[1])
                return found
            self.restore(before, at)
            self._search(np.array([_against_mean((end - start)[own]).max() for own in self._own]))
        message = "the search for spheres in contact does not converge: some move farther at each trial of the step"
        self.failure = SimulationError(message, time=float(self.motion.numbers[TIME]), step=self.step + 1)
        return self._march(0)

    def _add_works(self, before: Array) -> None:
        """Add the works of pairs in a step to those of spheres, half to each."""
        if self.motion.laws.shape[1]:
            done, first = self.motion.laws - before, self._fixed.size
            for own, pairs in zip(self._own, self.system.pairs, strict=True):
                for k, which in enumerate(WORKS.values()):
                    _halves(self.works[k, own], pairs, done[which, first : first + len(pairs)])
                first += len(pairs)

    def _pairs_with_tangents(self) -> Iterator[tuple[slice, IntArray, IntArray, IntArray]]:
        """Yield of each group its place among spheres, its pairs, their contacts, and their tangents, (m, slides)."""
        blocks, first = self.system.gaps.blocks, self._fixed.size
        for own, pairs in zip(self._own, self.system.pairs, strict=True):
            which = first + np.arange(len(pairs))
            count = int(blocks.slides[which].max(initial=0))
            if count:
                yield own, pairs, which, blocks.start[which][:, None] + np.arange(count)
            first += len(pairs)

    def _add_tangential(self, before: Array, out: Samples) -> None:
        """Add the sizes of the tangential impulses of pairs in a step to those of spheres, half to each."""
        now = out.beside[0, TANGENTIAL] if len(out.beside) else self.motion.beside[SINCE_T]
        for own, pairs, _, rows in self._pairs_with_tangents():
            _halves(self.tangential[own], pairs, np.linalg.norm((now - before[SINCE_T])[rows], axis=1))

    def _slips(self, out: Samples) -> Array:
        """Return the slip speeds of spheres at a sample, the largest of their closed pairs."""
        found, rates = np.zeros(self._columns.size), out.rate[0, self.system.nj + self.system.gaps.nc :]
        for own, pairs, which, rows in self._pairs_with_tangents():
            closed = out.laws[0, STATUS_AT, which] > 0.0
            speed = np.where(closed, np.linalg.norm(rates[rows], axis=1), 0.0)
            for end in (0, 1):
                np.maximum.at(found[own], pairs[:, end], speed)
        return found

    def _samples(self, block: Block) -> Samples:
        """Return room for samples; impulses are those of rows."""
        out = super()._samples(block)
        k, f, nc = block.step.size, block.field_step.size, self.system.gaps.nc
        blocks = self.system.gaps.blocks
        return out._replace(
            impulse=np.zeros((k, nc)),
            field_impulse=np.zeros((f, 3 * nc)),
            beside=np.zeros((k, BESIDE_COLUMNS, blocks.nt)),
            laws=np.zeros((k, LAW_COLUMNS, 0 if blocks.normals_only else nc)),
        )

    def _fill_contacts(self, block: Block, out: Samples) -> None:
        """Write the gaps: of each sphere that to the nearest one, and its rate."""
        nj, always, fixed = self.system.nj, self._always, self._fixed
        k = block.step.size
        block.gap[:, fixed], block.velocity[:, fixed] = out.g[:k, nj:always], out.rate[:k, nj:always]
        for group in self.system.spheres if k else ():
            x, v = group.carriers.positions(out.q[:k]), group.carriers.velocities(out.q[:k], out.v[:k])
            columns = slice(group.first, group.first + len(group.radii))
            for s in range(k):
                block.gap[s, columns], block.velocity[s, columns] = nearest_gaps(group, x[s], v[s])
                if (least := block.gap[s, columns].min()) < self.lowest[0]:
                    self.lowest[:] = least, block.time[s]

    def _fill_impulses(self, block: Block, out: Samples) -> None:
        """Write the impulses: of each sphere half of those of its pairs, and in fields their sum as a vector."""
        k, f, fixed = block.step.size, block.field_step.size, self._fixed
        nf = fixed.size
        block.impulse[:, fixed] = out.impulse[:k, :nf]
        shown = block.field_impulse.reshape(f, self._columns.size + nf, 3)
        vectors = out.field_impulse[:f].reshape(f, self.system.gaps.nc, 3)
        shown[:, fixed] = vectors[:, :nf]
        first = nf
        for own, pairs in zip(self._own, self.system.pairs, strict=True):
            rows = slice(first, first + len(pairs))
            for s in range(k):
                _halves(self.since[own], pairs, out.impulse[s, rows])
            for s in range(f):
                _vectors(self.since_field[own], pairs, vectors[s, rows])
            first += len(pairs)
        some, first_rate = self._fixed_beside, self.system.nj + self.system.gaps.nc
        block.beside[:, TANGENTIAL, some] = out.beside[:k, TANGENTIAL, : some.size]
        block.beside[:, SLIP_RATE, some] = out.rate[:k, first_rate : first_rate + some.size]
        if k and block.laws.shape[2]:
            block.beside[0, TANGENTIAL, self._slide_rows] = self.tangential[self._sliding]
            block.beside[0, SLIP_RATE, self._slide_rows] = self._slips(out)[self._sliding]
            self.tangential[:] = 0.0
            block.laws[:, :, fixed] = out.laws[:k, :, :nf]
            for at, works in zip(WORKS, self.works, strict=True):
                block.laws[:, at, self._columns] = works
            block.laws[:, STATUS_AT, self._columns] = self._statuses(out.laws[0, STATUS_AT, nf:])
        if k:  # the remaining time before this step belongs to its sample as well
            block.impulse[0, self._columns] = self.since
            self.since[:] = 0.0
        if f:
            shown[0, self._columns] = self.since_field
            self.since_field[:] = 0.0

    def _statuses(self, of_pairs: Array) -> Array:
        """Return the status of spheres: slip where a pair slips, open where none is closed."""
        found, first = np.zeros(self._columns.size), 0
        for own, pairs in zip(self._own, self.system.pairs, strict=True):
            for end in (0, 1):
                np.maximum.at(found[own], pairs[:, end], of_pairs[first : first + len(pairs)])
            first += len(pairs)
        return found

    def tally(self) -> Tally:
        """Return the statistics of all steps; gaps of distant spheres are included at samples."""
        found = super().tally()
        if self.lowest[0] < found.min_gap:
            found.min_gap, found.min_gap_time = float(self.lowest[0]), float(self.lowest[1])
        return found

    # checkpoints ----------------------------------------------------------------------------------------------

    def _state(self) -> dict[str, Array]:
        """Return all that changes from step to step, the pairs that have rows among it."""
        own = {"origin": self.origin, "margin": self.margin, "since": self.since, "since_sphere": self.since_field}
        own |= {"lowest": self.lowest, "works": self.works, "tangential": self.tangential}
        pairs = {_stored(k): cast("Array", p) for k, p in enumerate(self.system.pairs)}
        return {**super()._state(), **own, **pairs}

    def make_room_for(self, arrays: Mapping[str, Array]) -> None:
        """Build rows for the pairs of a snapshot, if it has pairs of these spheres."""
        stored = [cast("IntArray", arrays.get(_stored(k), p)) for k, p in enumerate(self.system.pairs)]
        for group, p in zip(self.system.spheres, stored, strict=True):
            if p.ndim != 2 or p.shape[1] != 2 or p.dtype != np.int64 or np.any((p < 0) | (p >= len(group.radii))):
                return  # errors are reported where all arrays are compared
        if any(not np.array_equal(a, b) for a, b in zip(stored, self.system.pairs, strict=True)):
            self.system = self.system.with_pairs([p.copy() for p in stored])
            self.workspace = self._new_room()
            self.motion = self.workspace.machine.motion


def _beside_of(blocks: Blocks, contacts: IntArray) -> IntArray:
    """Return the rows beside the normals of some contacts."""
    parts = [np.arange(blocks.start[c], blocks.start[c + 1]) for c in contacts]
    return np.concatenate([np.zeros(0, dtype=np.int64), *parts])


def _stored(k: int) -> str:
    """Return the name of the pairs of group k in a snapshot."""
    return f"pairs_{k}"


def _against_mean(x: Array) -> Array:
    """Return the lengths of vectors (n, 3) minus their mean, (n,)."""
    return np.asarray(np.linalg.norm(x - x.mean(axis=0), axis=1))


def _halves(sums: Array, pairs: IntArray, impulse: Array) -> None:
    """Add the impulses of pairs (m,) to those of spheres, half to each: so both have the same sum."""
    for end in (0, 1):
        np.add.at(sums, pairs[:, end], 0.5 * impulse)


def _vectors(sums: Array, pairs: IntArray, vectors: Array) -> None:
    """Add the impulses of pairs as vectors (m, 3) to those of spheres: on the second, and back on the first."""
    np.add.at(sums, pairs[:, 0], -vectors)
    np.add.at(sums, pairs[:, 1], vectors)


def _first(out: Samples, k: int) -> Samples:
    """Return the first k of sampled states; fields and impulses, which are stored in blocks, are omitted."""
    return out._replace(
        **{name: getattr(out, name)[:k] for name in ("q", "v", "lam", "g", "rate", "theta", "joint_impulse")},
        **{name: np.zeros((0, 0)) for name in ("impulse", "energy", "field_q", "field_v", "field_impulse")},
        **{name: np.zeros((0, 0, 0)) for name in ("beside", "laws")},
    )


def _joined(parts: Sequence[object], names: Sequence[str]) -> list[Any]:
    """Return the arrays of parts that follow each other, one by one, None where there are none."""
    found = [[getattr(part, name) for part in parts] for name in names]
    return [None if arrays[0] is None else np.concatenate(arrays) for arrays in found]
