"""Status of contacts over time: strips of open, stick and slip for a few contacts, else the number in each state.

A status belongs to the step, or steps, ending at its sample: it applies to the time since the previous sample.
"""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from flexmb.postproc.arrays import Array, IntArray
from flexmb.postproc.style import FAINT, PURPLE, VERMILLION
from flexmb.record.result import Result
from flexmb.record.series import STATUS_WORDS, ContactSeries

COLOURS = {"open": FAINT, "stick": VERMILLION, "slip": PURPLE}
"""Colors of arrows and status strips: slipping contacts differ from sticking ones."""
OPACITY = {"open": 0.25, "stick": 0.9, "slip": 0.9}
MOST_STRIPS = 12
"""Maximum number of contacts of a group with individual strips."""


def has_friction(contact: ContactSeries) -> bool:
    """Return whether a contact has tangents along which it sticks or slips."""
    return contact.has("slip")


def of_joint(result: Result, name: str) -> bool:
    """Return whether a contact is the friction of a joint, whose normal impulse is the joint force, without a gap."""
    joint = name.removesuffix("_friction")
    return joint != name and joint in result.joints and not np.any(result.contacts[name].gap)


def has_status(contact: ContactSeries) -> bool:
    """Return whether the stick or slip status was recorded; spheres have one without tangents."""
    return contact.has("status") and bool(contact.mu.any())


def status_table(contact: ContactSeries) -> IntArray:
    """Return the status of all contacts of a group at all samples, (n+1, m)."""
    status = np.asarray(contact.status)
    return status.reshape(len(status), -1)


def stretches(time: Array, status: IntArray) -> list[tuple[str, float, float]]:
    """Return the intervals in which a contact keeps its status: word, start and end, s.

    Parameters
    ----------
    time, status : (n+1,) arrays
        The status at the first sample belongs to no interval.
    """
    if len(time) < 2:
        return []
    own = status[1:]
    first = np.concatenate([[0], np.flatnonzero(np.diff(own)) + 1])
    last = np.append(first[1:], len(own))
    return [(STATUS_WORDS[int(own[a])], float(time[a]), float(time[b])) for a, b in zip(first, last, strict=True)]


def status_counts(time: Array, status: IntArray) -> tuple[Array, dict[str, Array]]:
    """Return the numbers of open, sticking and slipping contacts as steps: times (k,), and counts by word, (k,).

    Parameters
    ----------
    time : (n+1,) array
    status : (n+1, m) array
        Only changes are kept: each at its time with the counts before, and again with those after it.
    """
    counts = {word: np.sum(status[1:] == k, axis=1) for k, word in STATUS_WORDS.items()}
    if len(time) < 2:
        return time[:0], {word: np.zeros(0) for word in counts}
    changes = np.flatnonzero(np.any([np.diff(own) != 0 for own in counts.values()], axis=0)) + 1
    first = np.concatenate([[0], changes])
    last = np.append(changes, len(time) - 1)
    x = np.stack([time[first], time[last]], axis=1).ravel()
    return x, {word: np.repeat(own[first], 2).astype(np.float64) for word, own in counts.items()}


def draw_status(axes: Axes, result: Result, name: str) -> None:
    """Draw the strips of a contact or group; for many contacts the numbers that are open, stick and slip."""
    contact = result.contacts[name]
    status = status_table(contact)
    many = status.shape[1]
    if many > MOST_STRIPS:
        x, counts = status_counts(result.time, status)
        axes.stackplot(
            x,
            *(counts[word] for word in ("slip", "stick", "open")),
            colors=[COLOURS[word] for word in ("slip", "stick", "open")],
            alpha=0.7,
        )
        axes.set(ylabel="contacts", ylim=(0, many))
    else:
        for k in range(many):
            _draw_strip(axes, stretches(result.time, status[:, k]), many - 1 - k)
        axes.set(ylim=(-0.5, many - 0.5), yticks=range(many) if many > 1 else [])
        if many > 1:
            axes.set_yticklabels([str(many - 1 - k) for k in range(many)])
            axes.set_ylabel("contact")
        axes.grid(visible=False)
    axes.set_title("Open, stick, slip")
    axes.set(xlabel="time [s]", xlim=(float(result.time[0]), float(result.time[-1])))
    handles = [Patch(color=COLOURS[word], alpha=OPACITY[word], label=word) for word in COLOURS]
    axes.legend(handles=handles, loc="lower right", bbox_to_anchor=(1.0, 1.02), ncols=3)


def _draw_strip(axes: Axes, parts: list[tuple[str, float, float]], row: int) -> None:
    for word, colour in COLOURS.items():
        own = [(a, b - a) for w, a, b in parts if w == word]
        axes.broken_barh(own, (row - 0.4, 0.8), facecolors=colour, alpha=OPACITY[word], linewidth=0)
