"""Space-time diagrams: stress and velocity of a bar or beam over its length and time; wave fronts are their lines."""

from __future__ import annotations

from typing import Any

import matplotlib
import numpy as np
from matplotlib.colors import TwoSlopeNorm
from matplotlib.figure import Figure

from flexmb.errors import InputError
from flexmb.postproc.arrays import Array
from flexmb.postproc.chain_of_lines import Chain, areas, chain_of_body
from flexmb.postproc.members import Member, members_of
from flexmb.postproc.moment_plot import bends, end_moments
from flexmb.postproc.open_folder import Opened
from flexmb.postproc.plots import Shown
from flexmb.postproc.sampling import rows_of
from flexmb.postproc.style import INK, SIGNED_MAP, STYLE
from flexmb.postproc.ticks import prefixed

FIELDS = ("stress", "velocity", "displacement", "axial_force", "bending_moment")
UNITS = {"stress": "Pa", "velocity": "m/s", "displacement": "m", "axial_force": "N", "bending_moment": "N m"}
MOST_STATES = 4000


def plot_space_time(
    opened: Opened,
    field: str | None = None,
    body: str | None = None,
    start: float | None = None,
    end: float | None = None,
) -> Figure:
    """Return space-time diagrams of a body whose lines are one chain.

    Parameters
    ----------
    opened : Opened
    field : str, optional
        One of ``FIELDS``; velocity and displacement also with a component (``velocity.x``), by default the one that
        moves most. By default stress and velocity of bars, bending moment and velocity of beams.
    body : str, optional
        By default the first bar or beam.
    start, end : float, optional
        Interval of time, s.
    """
    fields = opened.result.fields
    chain = chain_of_body(fields.maps.layout, body)
    states = _states(fields.times, start, end)
    members = members_of(opened, chain)
    bars = not bends(fields.maps.layout, chain.cells)
    chosen = [field] if field else ["stress" if bars else "bending_moment", "velocity"]
    with matplotlib.rc_context(STYLE):
        figure = Shown(figsize=(4.2 * len(chosen) + 0.4, 4.4), layout="constrained")
        for k, name in enumerate(chosen):
            axes = figure.add_subplot(1, len(chosen), k + 1)
            values, words = _values(fields, chain, states, name)
            _draw(figure, axes, chain, fields.times[states], values, words)
            _draw_members(axes, members)
            if k:
                axes.set_ylabel("")
        note = f"{chain.body}, {len(states)} states (output.fields_every stores more)"
        figure.suptitle(f"{opened.title}\n{note}" if opened.title else note, x=0.02, ha="left", fontsize=9)
    return figure


def _states(times: Array, start: float | None, end: float | None) -> Any:
    low, high = -np.inf if start is None else start, np.inf if end is None else end
    found = np.flatnonzero((times >= low) & (times <= high))
    if found.size < 2:
        message = f"fewer than two stored states are between {low:g} and {high:g} s (output.fields_every stores more)"
        raise InputError(message, key="from")
    return found[:: -(-found.size // MOST_STATES)]


def _values(fields: Any, chain: Chain, states: Any, field: str) -> tuple[Array, str]:
    """Return a field over states and lines (k, m) or nodes (k, m + 1), and its label."""
    name, _, component = field.partition(".")
    if name not in FIELDS or (component and (component not in "xyz" or name not in ("velocity", "displacement"))):
        raise InputError(f"must be one of {', '.join(FIELDS)}, or such as velocity.x", key="field", value=field)
    maps, q = fields.maps, rows_of(fields.q, states)
    plain = name.replace("_", " ")
    if name in ("stress", "axial_force"):
        force = maps.forces.values(q)["axial_force"][:, chain.cells]
        force = force / areas(maps.layout, chain.cells) if name == "stress" else force
        return force, f"{plain} [{UNITS[name]}]"
    if name == "bending_moment":
        ends, axis = end_moments(maps, q, chain.cells)
        signed = ends * chain.turned[:, None]
        signed = np.where(chain.turned[:, None] > 0.0, signed, signed[..., ::-1])
        return _at_nodes(signed), f"{plain} about {axis} [{UNITS[name]}]"
    vectors = maps.layout.displacements(q) if name == "displacement" else None
    vectors = maps.layout.velocities(q, rows_of(fields.v, states)) if vectors is None else vectors
    vectors = vectors[:, chain.nodes]
    way = "xyz".index(component) if component else int(np.argmax(np.abs(vectors).max(axis=(0, 1))))
    return vectors[..., way], f"{plain}, {'xyz'[way]} [{UNITS[name]}]"


def _at_nodes(ends: Array) -> Array:
    """Return values at the nodes of a chain, (k, m + 1), from those at the ends of its lines, (k, m, 2)."""
    inner = 0.5 * (ends[:, :-1, 1] + ends[:, 1:, 0])
    return np.concatenate([ends[:, :1, 0], inner, ends[:, -1:, 1]], axis=1)


def _draw(figure: Figure, axes: Any, chain: Chain, t: Array, values: Array, words: str) -> None:
    most = float(np.nanmax(np.abs(values))) or 1.0
    factor, label = prefixed(words, most)
    norm = TwoSlopeNorm(0.0, -most / factor, most / factor)
    edges_x = chain.x if values.shape[1] == len(chain.cells) else _edges(chain.x)
    mesh = axes.pcolormesh(
        edges_x, _edges(t), values / factor, cmap=SIGNED_MAP, norm=norm, shading="flat", rasterized=True
    )
    axes.set_xlim(chain.x[0], chain.x[-1])
    axes.set_ylim(t[0], t[-1])
    axes.grid(False)
    bar = figure.colorbar(mesh, ax=axes, location="top", aspect=35, pad=0.02)
    bar.set_label(label)
    for axis, scale in ((axes.xaxis, ("along the body [m]", chain.x[-1])), (axes.yaxis, ("time [s]", t[-1]))):
        power, label = prefixed(scale[0], float(scale[1]))
        axis.set_major_formatter(lambda x, _, power=power: f"{x / power:g}")
        axis.set_label_text(label)


def _draw_members(axes: Any, members: list[Member]) -> None:
    """Mark where members of a frame meet, and write their names at the top."""
    if len(members) == 1:
        return
    for member in members:
        if member.end != members[-1].end:
            axes.axvline(member.end, color=INK, linewidth=0.7, linestyle=(0, (3, 2)))
        if member.name:
            middle = 0.5 * (member.start + member.end)
            place = {"xycoords": axes.get_xaxis_transform(), "ha": "center", "va": "top", "fontsize": 7}
            box = {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none", "alpha": 0.75}
            axes.annotate(member.name, (middle, 0.985), bbox=box, **place)


def _edges(x: Array) -> Array:
    """Return the bounds of cells around points, (n + 1,)."""
    middle = 0.5 * (x[1:] + x[:-1])
    return np.concatenate([[x[0] - (middle[0] - x[0])], middle, [x[-1] + (x[-1] - middle[-1])]])
