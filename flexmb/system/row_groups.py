"""Rows of joints or contacts in groups, one group per joint or contact of a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from flexmb.assembly.builder import Group
from flexmb.kernels.geometry.tables import SLIDE, System
from flexmb.state import Array, IntArray
from flexmb.system.blocks_of_rows import blocks_of, blocks_with, joined_blocks, some_blocks
from flexmb.system.contact_blocks import Blocks
from flexmb.system.sphere_pairs import SphereGroup


@dataclass(frozen=True)
class Groups:
    """Rows of joints or contacts: group j has the rows start[j] .. start[j + 1] - 1; ``labels`` one per row.

    ``places`` say where the groups stand in a case file.
    """

    names: tuple[str, ...]
    start: IntArray
    labels: tuple[str, ...]
    e: Array
    driven: tuple[bool, ...] = ()
    motions: tuple[object, ...] = ()
    places: tuple[str, ...] = ()
    blocks: Blocks = None  # type: ignore[assignment]  # normals only when not given

    def __post_init__(self) -> None:
        if self.blocks is None:
            object.__setattr__(self, "blocks", Blocks.frictionless(self.nc))

    @classmethod
    def of(cls, groups: Sequence[Group], where: str, tables: System | None = None) -> Groups:
        """Return the rows of the groups of a builder; of contacts with the blocks that the system's tables have."""
        counts = [len(g.labels) for g in groups]
        labels = [f"{g.name}: {label}" if where == "joints" else label for g in groups for label in g.labels]
        return cls(
            names=tuple(g.name for g in groups),
            start=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
            labels=tuple(labels),
            e=np.repeat(np.array([g.e for g in groups], dtype=np.float64), np.array(counts, dtype=np.int64)),
            driven=tuple(g.driven for g in groups),
            places=tuple(g.where for g in groups),
            blocks=None if tables is None else _recorded(groups, tables),  # type: ignore[arg-type]
        )

    @property
    def nc(self) -> int:
        """Number of rows."""
        return len(self.labels)

    @property
    def nj(self) -> int:
        """Number of rows."""
        return len(self.labels)

    def with_pairs(self, spheres: Sequence[SphereGroup], pairs: Sequence[IntArray]) -> Groups:
        """Return the rows without those of spheres, and after them those of pairs of spheres."""
        fixed = [j for j, name in enumerate(self.names) if name not in {g.name for g in spheres}]
        parts = [range(self.start[j], self.start[j + 1]) for j in fixed]
        rows = [r for part in parts for r in part]
        counts = [*map(len, parts), *map(len, pairs)]
        both = list(zip(spheres, pairs, strict=True))
        labels = [f"{g.name}[{g.labels[i]}-{g.labels[j]}]" for g, p in both for i, j in p.tolist()]
        return Groups(
            names=(*(self.names[j] for j in fixed), *(g.name for g in spheres)),
            start=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
            labels=(*(self.labels[r] for r in rows), *labels),
            e=np.append(self.e[rows], np.repeat([g.law.e for g in spheres], counts[len(fixed) :])),
            blocks=joined_blocks(some_blocks(self.blocks, rows), _of_pairs(spheres, pairs)),
        )

    def name_of(self, row: int) -> str:
        """Return the name of the group a row belongs to."""
        return self.names[int(np.searchsorted(self.start, row, side="right")) - 1]

    def where(self, row: int) -> str:
        """Return the location of the group of a row in a case file."""
        return self.places[int(np.searchsorted(self.start, row, side="right")) - 1]


def _recorded(groups: Sequence[Group], tables: System) -> Blocks:
    """Return the blocks of the recorded contacts.

    Spheres, whose pairs have rows at times only, have one row that slides: sizes, not components, are recorded of it.
    """
    with_rows = np.array([g.spheres is None for g in groups for _ in g.labels], dtype=bool)
    laws = [[g.law for g in groups for _ in g.labels if (g.spheres is None) == rows] for rows in (True, False)]
    of_spheres = blocks_with(laws[1], [[SLIDE] if law.slides else [] for law in laws[1]])
    both = joined_blocks(blocks_of(tables, laws[0]), of_spheres)
    place = np.argsort(np.argsort(~with_rows, kind="stable"), kind="stable")
    return some_blocks(both, place.tolist())


def _of_pairs(spheres: Sequence[SphereGroup], pairs: Sequence[IntArray]) -> Blocks:
    """Return the blocks of pairs of spheres."""
    counts = [len(p) for p in pairs]
    laws = [g.law for g, count in zip(spheres, counts, strict=True) for _ in range(count)]
    kinds = [[row.kind for row in g.beside] for g, count in zip(spheres, counts, strict=True) for _ in range(count)]
    return blocks_with(laws, kinds)
