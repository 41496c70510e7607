"""Charts of a result: contacts and the energy ledger over time, with SI units; figures without a window."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from flexmb.analysis.measures.thinning import kept, thinned
from flexmb.errors import InputError
from flexmb.postproc.arrays import Array, largest
from flexmb.postproc.contact_status import draw_status, has_friction, has_status, of_joint
from flexmb.postproc.figure_file import save_figure, usable_figure
from flexmb.postproc.ledger import Ledger, ledger_of
from flexmb.postproc.named_curves import Curves, with_unit
from flexmb.postproc.plotted import coinciding, readable_panels
from flexmb.postproc.round_off import flattened, length_of, speed_of, titled
from flexmb.postproc.style import BLUE, BROWN, CYCLE, FAINT, INK, ORANGE, STYLE, VERMILLION, seen
from flexmb.postproc.ticks import take_out_power
from flexmb.record.io.structure import mean_force
from flexmb.record.result import Result
from flexmb.record.series import ContactSeries

LONG_LABEL = 26
"""Number of characters that fit beside a frame."""
MOST_CONTACTS = 4
"""Maximum number of contacts that are distinguished in one chart."""
MOST_ROWS = 4
"""Number of entries beyond which a legend above a chart has two columns."""
Draw = Callable[[Axes], None]


class Shown(Figure):
    """A figure that notebooks display, without pyplot and its open figures."""

    def _repr_png_(self) -> bytes:
        out = BytesIO()
        with matplotlib.rc_context(STYLE):
            self.savefig(out, format="png", dpi=100)
        return out.getvalue()


def plot_contact(result: Result, name: str, save: str | Path | None = None) -> Figure:
    """Return a figure of one contact over time: gap, relative velocity, force; with friction also slip and status.

    Parameters
    ----------
    result : Result
    name : str
        As in ``result.contacts``. Of a group the smallest gap and velocity and the sum of the forces are drawn, and
        the largest slip; ``NAME[k]`` is contact k of it, counted from 0.
    save : path, optional
        Also write the figure, as .svg, .pdf or .png.
    """
    contact = named_contact(result, name)
    of_gaps = () if of_joint(result, name) else (draw_gaps, draw_velocities)
    draw: list[Draw] = [partial(function, result=result, names=[name]) for function in of_gaps]
    if not has_friction(contact):
        draw.append(partial(draw_forces, result=result, names=[name]))
        if not has_status(contact):
            return _figure((6.0, 6.0), draw, save)
        return _figure(
            (6.0, 7.0), [*draw, partial(draw_status, result=result, name=name)], save, heights=(1, 1, 1, 0.5)
        )
    draw += [partial(function, result=result, name=name) for function in (draw_cone_forces, draw_slip, draw_status)]
    heights = (*(1.0 for _ in of_gaps), 1.3, 1.0, 0.45)
    return _figure((6.4, 0.8 + 1.65 * sum(heights)), draw, save, heights=heights)


def named_contact(result: Result, name: str) -> ContactSeries:
    """Return a contact of a result; for an unknown name an InputError that lists the known ones."""
    known = list(result.contacts)
    if name not in result.contacts:
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"did you mean '{near[0]}'? " if near else ""
        group = name.partition("[")[0]
        if name.endswith("]") and group in known:
            count = _columns(result.contacts[group].gap)[1]
            hint = f"'{group}' has {count} contact{'s, numbered from 0' if count > 1 else ''}; "
        raise InputError(f"there is no contact '{name}' in this result; {hint}recorded: {', '.join(known) or 'none'}")
    return result.contacts[name]


def strongest_contacts(result: Result, rough: bool = False) -> list[str]:
    """Return the names of the contacts, largest impulses first; with ``rough``, of those with friction."""
    contacts = {name: contact for name, contact in result.contacts.items() if has_friction(contact) or not rough}
    if not contacts:
        raise InputError(f"there are no contacts{' with friction' if rough else ''} in this result")
    given = {name: float(np.nansum(np.abs(contact.impulse))) for name, contact in contacts.items()}
    return sorted(given, key=lambda name: given[name], reverse=True)


def plot_energy(result: Result, save: str | Path | None = None) -> Figure:
    """Return a figure of the energy ledger: energies above, work and dissipation below.

    Below, the works of loads, damping, contacts, friction and scheme add up to the dashed line, its change.

    Parameters
    ----------
    result : Result
    save : path, optional
        As for ``plot_contact``.
    """
    draw = [partial(draw_energy, result=result, columns=5), partial(draw_works, result=result)]
    return _figure((6.4, 5.2), draw, save, _ledger(result).gaps)


def plot_signals(
    result: Result, names: Iterable[str], save: str | Path | None = None, *, apart: bool = False
) -> Figure:
    """Return a figure of signals over time; those with the same unit share a frame.

    Parameters
    ----------
    result : Result
    names : iterable of str
        Such as ``rod.first.position.x``, ``contacts.wall.force``, ``energy.total``; vectors give their varying
        components.
    save : path, optional
        As for ``plot_contact``.
    apart : bool
        Give curves that would be flat beside others of their unit frames of their own.
    """
    curves = Curves(result)
    units: dict[str, list[str]] = {}
    for name in curves.expand(names):
        units.setdefault(curves.unit(name), []).append(name)
    if not units:
        raise InputError(f"name at least one signal; recorded: {', '.join(curves.names) or 'none'}")
    panels = [
        (unit, own)
        for unit, names_of in units.items()
        for own in (readable_panels(curves, names_of) if apart else [names_of])
    ]
    draw = [partial(_draw_signals, curves=curves, names=own, unit=unit) for unit, own in panels]
    return _figure((6.4, 0.6 + 2.4 * len(draw)), draw, save)


def _draw_signals(axes: Axes, curves: Curves, names: list[str], unit: str) -> None:
    common = ", ".join(dict.fromkeys(curves.word(name) for name in names))
    if len(common) > LONG_LABEL:
        common = "value"
    groups = coinciding([(name, curves[name]) for name in names])
    labels = [" = ".join(curves.title(name) for name in own) for own in groups]
    for k, (own, label) in enumerate(zip(groups, labels, strict=True)):
        style = "-" if k < len(CYCLE) else (0, (4, 2))
        colour = CYCLE[k % len(CYCLE)]
        axes.plot(*thinned(curves.time, curves[own[0]]), color=colour, linestyle=style, label=seen(label))
    longest = max(len(label) for label in labels)
    _finish(axes, curves.result, common.capitalize(), with_unit(common, unit), 2 if longest <= LONG_LABEL else 1)


def _figure(
    size: tuple[float, float],
    draw: Sequence[Draw],
    save: str | Path | None,
    note: str = "",
    heights: Sequence[float] | None = None,
) -> Figure:
    """Return a figure of stacked frames with one time axis and a note below, and write it if requested."""
    path = None if save is None else usable_figure(Path(save))
    with matplotlib.rc_context(STYLE):
        figure = Shown(figsize=size, layout="constrained")
        frames = figure.subplots(len(draw), 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0]
        for axes, function in zip(frames, draw, strict=True):
            function(axes)
        for axes in frames[:-1]:
            axes.set_xlabel("")
        if note:
            figure.supxlabel(note, fontsize=8)
        if path is not None:
            save_figure(figure, path, dpi=200)
    return figure


def draw_gaps(axes: Axes, result: Result, names: Iterable[str] | None = None) -> None:
    """Draw the gaps of contacts (the smallest of a group) over time."""
    drawn = []
    for contact, colour in _chosen(axes, result, names, gaps=True):
        gap, many = _columns(contact.gap)
        drawn.append((_label(contact, many, "min of"), gap.min(axis=1), colour))
    flat = _plot_apart(axes, result, drawn, scale := length_of(result))
    axes.axhline(0.0, color=INK, linewidth=0.7)
    _finish(axes, result, titled(axes, "Gap", flat, scale), "gap [m]")


def draw_velocities(axes: Axes, result: Result, names: Iterable[str] | None = None) -> None:
    """Draw the relative normal velocities of contacts (the smallest of a group) over time."""
    drawn = []
    for contact, colour in _chosen(axes, result, names, gaps=True):
        velocity, many = _columns(contact.velocity)
        drawn.append((_label(contact, many, "min of"), velocity.min(axis=1), colour))
    flat = _plot_apart(axes, result, drawn, scale := speed_of(result))
    _finish(axes, result, titled(axes, "Relative velocity", flat, scale), "velocity [m/s]")


def draw_forces(axes: Axes, result: Result, names: Iterable[str] | None = None) -> None:
    """Draw the forces of contacts (the sum of a group): impulse over the time between samples; friction dashed."""
    dashed = "friction"
    for contact, colour in _chosen(axes, result, names):
        force, many = _columns(contact.force)
        label = _label(contact, many, "sum of")
        axes.plot(*thinned(result.time, force.sum(axis=1)), color=colour, label=label)
        if has_friction(contact):
            friction, _ = friction_curve(result, contact)
            style: Any = {"linewidth": 1.0, "linestyle": (0, (3, 1.5)), "label": dashed}
            axes.plot(*thinned(result.time, friction), color=colour, **style)
            dashed = "_nolegend_"  # one entry in the legend is sufficient
    _finish(axes, result, "Contact force", "force [N]")


def _plot_apart(axes: Axes, result: Result, drawn: Sequence[tuple[str, Array, str]], scale: float) -> bool:
    """Draw curves over time, coinciding ones once with a common label; return whether all are round-off."""
    curves, flat = flattened([y for _, y, _ in drawn], scale)
    drawn = [(label, y, colour) for (label, _, colour), y in zip(drawn, curves, strict=True)]
    groups = coinciding([(label, y) for label, y, _ in drawn])
    for own in groups:
        _, y, colour = next(curve for curve in drawn if curve[0] == own[0])
        axes.plot(*thinned(result.time, y), color=colour, label=" = ".join(own))
    return flat


def draw_cone_forces(axes: Axes, result: Result, name: str) -> None:
    """Draw normal and friction force of a contact and the friction limit; for a group the sums of magnitudes."""
    contact, (normal, many) = result.contacts[name], _columns(result.contacts[name].force)
    friction, words = friction_curve(result, contact)
    bound = np.sum(np.maximum(normal, 0.0) * contact.mu, axis=1)
    low = -bound if words == "friction" else np.zeros_like(bound)
    _fill(axes, result.time, low, bound, FAINT, "μ × normal", 0.25)
    axes.plot(
        *thinned(result.time, normal.sum(axis=1)), color=BLUE, label=f"normal (sum of {many})" * (many > 1) or "normal"
    )
    axes.plot(*thinned(result.time, friction), color=BROWN, label=words)
    _finish(axes, result, "Contact force", "force [N]", 3)


def friction_curve(result: Result, contact: ContactSeries) -> tuple[Array, str]:
    """Return the friction force of a contact, (n+1,), N, and its kind: signed, magnitude, or a sum of magnitudes."""
    signed = contact.tangential_impulse.ndim == 1
    impulse = contact.tangential_impulse if signed else contact.friction_impulse
    force = mean_force(impulse, result.step, float(result.summary["h"]))
    if signed or force.ndim == 1:
        return force, "friction" if signed else "size of friction"
    return np.asarray(force.sum(axis=1)), f"magnitudes of friction (sum of {force.shape[1]})"


def slip_curve(contact: ContactSeries) -> tuple[Array, str]:
    """Return the slip of a contact, (n+1,), m/s, and its kind: signed, magnitude, or the largest magnitude."""
    if contact.slip.ndim == 1:
        return contact.slip, "slip"
    speed = contact.slip_speed
    if speed.ndim == 1:
        return speed, "slip speed"
    return np.asarray(speed.max(axis=1)), f"slip speed (largest of {speed.shape[1]})"


def draw_slip(axes: Axes, result: Result, name: str) -> None:
    """Draw the slip of a contact over time."""
    slip, words = slip_curve(result.contacts[name])
    (slip,), flat = flattened([slip], scale := speed_of(result))
    axes.plot(*thinned(result.time, slip), color=BROWN, label=words)
    axes.axhline(0.0, color=INK, linewidth=0.7)
    _finish(axes, result, titled(axes, "Slip", flat, scale), "velocity [m/s]")


def draw_energy(axes: Axes, result: Result, columns: int = 3) -> None:
    """Draw the balance as a sum: kinetic + potential = total, + lost = initial energy + work supplied.

    The upper edge of the stack of kinetic and potential energy is the total, and the strip between it and the dashed
    line (initial energy and work supplied by loads and drives) is the loss by damping, contacts and the scheme. The
    legend reads as that sum. A potential has no zero of its own: where ``Ledger.lowest`` is not zero, it is measured
    from its lowest value. ``columns`` is the number of columns of the legend.
    """
    ledger, t = _ledger(result), result.time
    kinetic, total = ledger.kinetic, ledger.total - ledger.lowest
    external = result.energy.work_external
    given = total[0] + external
    worked = largest(np.abs(external)) > 1e-12 * largest(np.abs(total))
    _fill(axes, t, np.zeros_like(t), kinetic, BLUE, "kinetic")
    _fill(axes, t, kinetic, total, ORANGE, "+ potential")
    axes.plot(*thinned(t, total), color=INK, label="= total")
    _fill(axes, t, total, given, VERMILLION, "+ lost")
    label = "= initial + work" if worked else "= initial"
    axes.plot(*thinned(t, given), color=FAINT, linestyle=(0, (4, 2)), linewidth=1.1, label=label)
    axes.margins(y=0.06)
    axes.set_ylim(bottom=0.0)
    _finish(axes, result, "Energy", ledger.axis, columns)


def draw_works(axes: Axes, result: Result) -> None:
    """Draw the contributions to the change of energy since the start; they add up to the dashed total change."""
    ledger, t = _ledger(result), result.time
    change = ledger.total - ledger.total[0]
    for part in ledger.works:
        axes.plot(*thinned(t, part.values), color=part.colour, label=f"{part.word} {_joule(part.values[-1])}")
    axes.plot(*thinned(t, change), color=INK, linestyle=(0, (4, 2)), label=f"change {_joule(change[-1])}")
    axes.plot([], [], color="none", label=f"residual {largest(np.abs(ledger.residual)):.1e} J")
    _finish(axes, result, "Work done", "work [J]", 2)


def _ledger(result: Result) -> Ledger:
    ledger = ledger_of(result)
    if ledger is None:
        raise InputError("this result has no energies")
    return ledger


def _joule(value: float) -> str:
    return f"{value:+.4g} J".replace("-", "−") if np.isfinite(value) else "(no number at the end)"


def _fill(axes: Axes, t: Array, low: Array, high: Array, colour: str, label: str, alpha: float = 0.45) -> None:
    """Fill between two curves; if there are too many points, both are thinned at the same points."""
    keep = kept([low, high])
    axes.fill_between(t[keep], low[keep], high[keep], color=colour, alpha=alpha, linewidth=0, label=label)


def _chosen(
    axes: Axes, result: Result, names: Iterable[str] | None, gaps: bool = False
) -> list[tuple[ContactSeries, str]]:
    """Return contacts with their colours: the named ones, or those with the largest impulses (``gaps``: that open)."""
    contacts = result.contacts
    if names is None:
        given = {name: float(np.abs(contact.impulse).sum()) for name, contact in contacts.items()}
        given = {name: sum_ for name, sum_ in given.items() if not (gaps and of_joint(result, name))}
        names = sorted(given, key=lambda name: -given[name])
    chosen = list(names)
    if len(chosen) > MOST_CONTACTS:
        words = f"and {len(chosen) - MOST_CONTACTS} more contacts"
        axes.plot([], [], color="none", label=words)
        chosen = chosen[:MOST_CONTACTS]
    return [(contacts[name], CYCLE[k]) for k, name in enumerate(chosen)]


def _columns(values: Array) -> tuple[Array, int]:
    table = values.reshape(len(values), -1)
    return table, table.shape[1]


def _label(contact: ContactSeries, many: int, words: str) -> str:
    name = contact.name if len(contact.name) <= 14 else contact.name[:13] + "…"
    return seen(name if many == 1 else f"{name} ({words} {many})")


def _finish(axes: Axes, result: Result, title: str, label: str, columns: int | None = None) -> None:
    """Label the axes; the legend is above the frame, where it hides nothing."""
    axes.set_title(title)
    t = result.time
    take_out_power(axes.xaxis, (float(t[0]), float(t[-1])), "time [s]")
    take_out_power(axes.yaxis, axes.get_ylim(), label)
    if t[-1] > t[0]:
        axes.set_xlim(float(t[0]), float(t[-1]))
    if columns is None:
        texts = axes.get_legend_handles_labels()[1]
        longest = max(map(len, texts), default=0)
        columns = 3 if longest <= 9 else 2 if longest <= 14 or len(texts) > MOST_ROWS else 1
    axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.02), ncols=columns)
