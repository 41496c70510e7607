"""The blocks of contacts in large motion: numbers of rows beside the normals, parameters of the laws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields

import numpy as np

from flexmb.kernels.geometry.tables import SLIDE, SPIN, TURN, TWIST, System
from flexmb.kernels.multibody.multibody import Laws
from flexmb.laws.contact_law import ContactLaw
from flexmb.state import Array, IntArray
from flexmb.system.contact_blocks import Blocks


def blocks_of(tables: System, laws: Sequence[ContactLaw]) -> Blocks:
    """Return the blocks of the contacts of a system, which have these laws, (nc,)."""
    slides, turns, spins, twists = (_counts(tables, kind) for kind in (SLIDE, TURN, SPIN, TWIST))
    return Blocks(slides + twists, turns, spins, *_numbers(laws))


def _numbers(laws: Sequence[ContactLaw]) -> tuple[Array, Array, Array, Array, Array, np.ndarray]:
    """Return the parameters of laws in the form of ``Blocks``."""
    return (
        np.array([law.friction for law in laws], dtype=np.float64).reshape(-1, 8),
        np.array([law.e_T for law in laws], dtype=np.float64),
        np.array([law.roll for law in laws], dtype=np.float64),
        np.array([law.spin for law in laws], dtype=np.float64),
        np.array([law.cohesion for law in laws], dtype=np.float64).reshape(-1, 5),
        np.array([law.poisson for law in laws], dtype=np.bool_),
    )


def some_blocks(blocks: Blocks, rows: Sequence[int]) -> Blocks:
    """Return the blocks of some contacts."""
    return Blocks(*(getattr(blocks, f.name)[list(rows)] for f in fields(Blocks)))


def joined_blocks(first: Blocks, second: Blocks) -> Blocks:
    """Return several blocks joined in sequence."""
    return Blocks(*(np.concatenate([getattr(first, f.name), getattr(second, f.name)]) for f in fields(Blocks)))


def blocks_with(laws: Sequence[ContactLaw], kinds: Sequence[Sequence[int]]) -> Blocks:
    """Return the blocks of contacts with these laws and rows of these kinds beside their normals."""
    slides, turns, spins = (
        np.array([list(own).count(kind) for own in kinds], dtype=np.int64) for kind in (SLIDE, TURN, SPIN)
    )
    return Blocks(slides, turns, spins, *_numbers(laws))


def laws_of(blocks: Blocks) -> Laws:
    """Return the laws of blocks in the form of the compiled loops."""
    shape = np.column_stack([blocks.slides, blocks.turns, blocks.spins]).astype(np.int64)
    numbers = (blocks.friction, blocks.e_T, blocks.roll, blocks.spin)
    return Laws(shape, blocks.start.copy(), *(np.array(x, dtype=np.float64) for x in numbers))


def _counts(tables: System, kind: int) -> IntArray:
    """Return the number of rows of a kind beside each normal, (nc,)."""
    normal = tables.rows.angle[tables.rows.kind == kind, 0] - tables.joints
    return np.bincount(normal, minlength=tables.contacts).astype(np.int64)
