"""The friction cone of a contact: its impulses between samples, tangential against normal, within |P_T| = mu P_N."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Circle

from flexmb.errors import InputError
from flexmb.postproc.arrays import Array, IntArray
from flexmb.postproc.contact_status import COLOURS, has_friction, status_table
from flexmb.postproc.figure_file import save_figure, usable_figure
from flexmb.postproc.plots import Shown, named_contact
from flexmb.postproc.style import INK, STYLE
from flexmb.postproc.ticks import take_out_power
from flexmb.record.result import Result
from flexmb.record.series import STATUS_WORDS, ContactSeries

MOST = 20000
"""Maximum number of points of a figure; more are thinned out, keeping those nearest to the cone."""
FEW, FEW_SIZE = 200, 22.0
"""Number of points up to which they are drawn with the larger size, points squared."""


@dataclass(frozen=True)
class Pushes:
    """The impulses of the contacts of a group between samples in which they are closed, k in total.

    Parameters
    ----------
    normal : (k,) array
        P_N, N s.
    along : (k, d) array
        P_T along the tangents, N s; without columns if contacts of the group have different numbers of tangents.
    size : (k,) array
        |P_T|, N s.
    status : (k,) array
        0 open, 1 stick, 2 slip.
    mu : tuple of float
        Coefficients of friction, ascending: dynamic and static friction if they differ.
    left_out : int
        Number of points that are not drawn.
    """

    normal: Array
    along: Array
    size: Array
    status: IntArray
    mu: tuple[float, ...]
    left_out: int = 0


def pushes_of(contact: ContactSeries) -> Pushes:
    """Return the impulses of a contact; InputError if it has no friction or never closes."""
    if not has_friction(contact):
        raise InputError(f"contact '{contact.name}' has no friction, so it has no cone")
    normal = np.asarray(contact.impulse).reshape(len(contact.impulse), -1)
    size = np.asarray(contact.friction_impulse).reshape(normal.shape)
    even = len(set(contact.tangents.tolist())) == 1
    along = contact.tangential_impulse.reshape(*normal.shape, -1) if even else np.zeros((*normal.shape, 0))
    closed = normal > 0.0
    if not closed.any():
        raise InputError(f"contact '{contact.name}' is open throughout: it has no impulses to draw")
    status = status_table(contact)[closed]
    found = Pushes(normal[closed], along[closed], size[closed], status, contact.coefficients)
    return found if len(found.normal) <= MOST else _fewer(found)


def _fewer(all_of: Pushes) -> Pushes:
    """Return some of the impulses: evenly chosen, and those nearest to the cone or beyond it."""
    count = len(all_of.normal)
    near = np.argsort(all_of.size / all_of.normal)[-MOST // 10 :]
    some = np.union1d(np.linspace(0, count - 1, MOST - near.size).astype(np.int64), near)
    return Pushes(
        all_of.normal[some], all_of.along[some], all_of.size[some], all_of.status[some], all_of.mu, count - some.size
    )


def plot_cone(result: Result, name: str, save: str | Path | None = None) -> Shown:
    """Return a figure of the friction cone of a contact, of a group with the impulses of all its contacts.

    With one tangent P_T has a sign and the cone two sides. With two tangents |P_T| is drawn over P_N, and beside it
    P_T / P_N in the plane of the contact, within the circle of radius mu.

    Parameters
    ----------
    result : Result
    name : str
        As in ``result.contacts``.
    save : path, optional
        Also write the figure, as .svg, .pdf or .png.
    """
    path = None if save is None else usable_figure(Path(save))
    pushes = pushes_of(named_contact(result, name))
    flat, disk = pushes.along.shape[1] == 1, pushes.along.shape[1] == 2
    with matplotlib.rc_context(STYLE):
        figure = Shown(figsize=(8.4 if disk else 4.6, 4.2), layout="constrained")
        panels = figure.subplots(1, 2 if disk else 1, squeeze=False)[0]
        _draw_cone(panels[0], pushes, flat)
        if disk:
            _draw_disk(panels[1], pushes)
        panels[0].legend(
            loc="upper left", borderpad=0.6, markerscale=1.4 if len(pushes.size) <= FEW else 2.5
        )  # there is nothing above the cone
        figure.suptitle(f"Friction cone of {name}", x=0.02, ha="left", fontsize=10)
        if words := _note(result, pushes):
            figure.supxlabel(textwrap.fill(words, 120 if disk else 66), fontsize=8)
        if path is not None:
            save_figure(figure, path, dpi=200)
    return figure


def _draw_cone(axes: Axes, pushes: Pushes, flat: bool) -> None:
    """Draw P_T, or its size, over P_N."""
    tangential = pushes.along[:, 0] if flat else pushes.size
    end = 1.06 * float(pushes.normal.max())
    sides = (1.0, -1.0) if flat else (1.0,)
    most = pushes.mu[-1]
    low = -most * end if flat else 0.0
    axes.fill_between([0.0, end], [0.0, low], [0.0, most * end], color=INK, alpha=0.15, linewidth=0)
    for mu, style in zip(pushes.mu[::-1], ("-", (0, (4, 2))), strict=False):
        for side in sides:
            label = f"μ = {mu:.4g}" if side > 0.0 else None
            axes.plot([0.0, end], [0.0, side * mu * end], color=INK, linewidth=1.0, linestyle=style, label=label)
    _scatter(axes, pushes.normal, tangential, pushes.status)
    axes.set_xlim(0.0, end)
    axes.set_ylim(None if flat else 0.0)
    axes.locator_params(axis="x", nbins=5)
    take_out_power(axes.xaxis, (0.0, end), "normal impulse $P_N$ [N s]")
    word = "tangential impulse $P_T$ [N s]" if flat else "magnitude of the tangential impulse $|P_T|$ [N s]"
    take_out_power(axes.yaxis, axes.get_ylim(), word)


def _draw_disk(axes: Axes, pushes: Pushes) -> None:
    """Draw P_T / P_N in the plane of the contact."""
    share = pushes.along / pushes.normal[:, None]
    for mu, style in zip(pushes.mu[::-1], ("-", (0, (4, 2))), strict=False):
        axes.add_patch(Circle((0.0, 0.0), mu, fill=False, edgecolor=INK, linewidth=1.0, linestyle=style))
    axes.add_patch(Circle((0.0, 0.0), pushes.mu[-1], facecolor=INK, alpha=0.15, linewidth=0))
    _scatter(axes, share[:, 0], share[:, 1], pushes.status)
    reach = 1.12 * max(pushes.mu[-1], float(np.abs(share).max())) or 1.0
    axes.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal")
    axes.set(xlabel="$P_T / P_N$ along $t_1$", ylabel="$P_T / P_N$ along $t_2$")


def _scatter(axes: Axes, x: Array, y: Array, status: IntArray) -> None:
    """Draw points by their status, few of them larger; hollow ones of contacts that are open again."""
    size = FEW_SIZE if len(x) <= FEW else 7.0
    for k, word in STATUS_WORDS.items():
        own = status == k
        color = COLOURS[word] if k else "none"
        if own.any():
            axes.scatter(
                x[own], y[own], s=size, facecolor=color, edgecolor=color if k else INK, linewidths=0.0 if k else 0.8,
                alpha=0.75 if k else 1.0, label=word, zorder=3, rasterized=bool(own.sum() > 2000), clip_on=False,
            )  # fmt: skip


def _note(result: Result, pushes: Pushes) -> str:
    words: Sequence[str] = []
    steps = np.diff(result.step)
    if steps.size and steps.max() > 1:
        words = ["Impulses are sums over the steps between samples; the color is the status in the last of them."]
    if pushes.left_out:
        words = [*words, f"{pushes.left_out} more are not drawn."]
    return " ".join(words)
