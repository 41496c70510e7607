"""Members of a frame that is drawn over its length: where it turns a corner, and what its members are called."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmb.errors import InputError
from flexmb.postproc.arrays import Array
from flexmb.postproc.chain_of_lines import Chain
from flexmb.postproc.open_folder import Opened

CORNER = np.cos(np.deg2rad(20.0))
"""Cosine of the angle between two lines beyond which they belong to two members; arcs of few elements turn less."""
SHARP = 3.0
"""Angle of a corner over those at the nodes beside it: a coarse arc turns by the same angle at every node."""
ALWAYS = np.deg2rad(50.0)
"""Angle that no arc has from line to line: a corner also beside another one."""


class Member(NamedTuple):
    """A part of a chain between two corners: where it begins and ends, m, and its name or an empty text."""

    start: float
    end: float
    name: str


def members_of(opened: Opened, chain: Chain) -> list[Member]:
    """Return the members of a chain; one with no corner is one member."""
    points = opened.result.layout.points[chain.nodes]
    bounds = [0, *corners(points), len(chain.nodes) - 1]
    named = _groups(opened, chain)
    out = []
    for a, b in zip(bounds[:-1], bounds[1:], strict=True):
        own = set(chain.nodes[a : b + 1].tolist())
        fitting = sorted((len(nodes), name) for name, nodes in named.items() if own <= nodes)
        out.append(Member(float(chain.x[a]), float(chain.x[b]), fitting[0][1] if fitting else ""))
    return out


def corners(points: Array) -> list[int]:
    """Return the numbers of the points at which a polygon turns sharply, ends left out."""
    way = np.diff(points, axis=0)
    way = way / np.linalg.norm(way, axis=1)[:, None]
    cosine = np.clip(np.sum(way[1:] * way[:-1], axis=1), -1.0, 1.0)
    angle = np.pad(np.arccos(cosine), 1)
    beside = np.maximum(angle[:-2], angle[2:])
    found = (cosine < CORNER) & ((angle[1:-1] > SHARP * beside) | (angle[1:-1] > ALWAYS))
    return (np.flatnonzero(found) + 1).tolist()


def _groups(opened: Opened, chain: Chain) -> dict[str, set[int]]:
    """Return the named groups of more than one node of a body, by numbers among all points."""
    layout = opened.result.layout
    first = int(np.flatnonzero(layout.body_of_point == layout.bodies.index(chain.body))[0])
    try:
        named = opened.rotors.groups(chain.body)
    except (
        InputError,
        KeyError,
        OSError,
    ):  # a result without its case, a mesh file that is gone, a body in large motion
        return {}
    return {name: {first + k for k in nodes} for name, nodes in named.items() if len(nodes) > 1}
