"""Curves that consist of round-off are drawn as zero, at the scale of the system: 1e-17 m is no motion."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from flexmb.postproc.arrays import Array
from flexmb.postproc.named_curves import ROUND_OFF
from flexmb.record.result import Result


def length_of(result: Result) -> float:
    """Return the size of a system, m: from its initial points, the largest gap, and the displacement at contacts.

    A mass that slides has no size of its own: the longest distance that a contact slides in the run takes its place.
    """
    points = np.asarray(result.tree["/layout/points"][()]) if "/layout/points" in result.tree else np.zeros((0, 3))
    size = float(np.ptp(points, axis=0).max()) if len(points) else 0.0
    gaps = (_largest(contact.gap) for contact in result.contacts.values())
    return max([size, _way(result), *gaps])


def speed_of(result: Result) -> float:
    """Return the scale of velocities, m/s: that of contacts, and the size of the system over the time of the run."""
    duration = _duration(result)
    return max(_speed(result), length_of(result) / duration if duration > 0.0 else 0.0)


def _speed(result: Result) -> float:
    contacts = result.contacts.values()
    slips = [_largest(contact.slip) for contact in contacts if contact.has("slip")]
    return max([0.0, *slips, *(_largest(contact.velocity) for contact in contacts)])


def _way(result: Result) -> float:
    """Return the longest way that a contact slides or moves along its normal, m."""
    contacts = result.contacts.values()
    rates = [contact.slip for contact in contacts if contact.has("slip")] + [contact.velocity for contact in contacts]
    ways = [np.trapezoid(np.abs(np.nan_to_num(rate)), result.time, axis=0) for rate in rates if rate.size]
    return max((float(np.max(way)) for way in ways), default=0.0)


def _duration(result: Result) -> float:
    return float(result.time[-1] - result.time[0])


def flattened(curves: Sequence[Array], scale: float) -> tuple[list[Array], bool]:
    """Return the curves of a frame, and whether all are round-off: then they are zero throughout."""
    most = max((_largest(y) for y in curves), default=0.0)
    flat = 0.0 < most <= ROUND_OFF * scale
    return [np.zeros_like(y) if flat else y for y in curves], flat


def titled(axes: Axes, title: str, flat: bool, scale: float) -> str:
    """Return the title of a frame; one with zeroed curves states the reason and the scale of the system."""
    if not flat:
        return title
    axes.set_ylim(-scale, scale)
    return f"{title}: round-off"


def _largest(values: Array) -> float:
    """Return the largest finite magnitude."""
    finite = np.abs(values[np.isfinite(values)])
    return float(finite.max()) if finite.size else 0.0
