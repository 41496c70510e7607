"""Figures of a result as methods of ``Result``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from flexmb.checks.extras import require

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from flexmb.record.result import Result


class ResultFigures:
    """Matplotlib figures of ``Result``."""

    def plot_energy(self, save: str | Path | None = None) -> Figure:
        """Return a figure of the energy ledger: energies above, works below.

        Parameters
        ----------
        save : path, optional
            Also write it, as .svg, .pdf or .png.
        """
        require("plot", "plot_energy")
        from flexmb.postproc.plots import plot_energy

        return plot_energy(cast("Result", self), save)

    def plot_contact(self, name: str, save: str | Path | None = None) -> Figure:
        """Return a figure of one contact over time: gap, velocity and force; with friction also slip and status.

        Parameters
        ----------
        name : str
            As in ``contacts``.
        save : path, optional
            As for ``plot_energy``.
        """
        require("plot", "plot_contact")
        from flexmb.postproc.plots import plot_contact

        return plot_contact(cast("Result", self), name, save)

    def plot_cone(self, name: str, save: str | Path | None = None) -> Figure:
        """Return a figure of the friction cone of a contact: its impulses between samples, and the bound mu.

        Parameters
        ----------
        name : str
            As in ``contacts``; one with friction.
        save : path, optional
            As for ``plot_energy``.
        """
        require("plot", "plot_cone")
        from flexmb.postproc.cone_plot import plot_cone

        return plot_cone(cast("Result", self), name, save)

    def plot_signals(self, *names: str, save: str | Path | None = None) -> Figure:
        """Return a figure of signals over time, one frame for each kind of unit.

        Parameters
        ----------
        names : str
            Such as ``rod.first.position.x``, ``contacts.wall.force`` or ``energy.total``; of a vector such as
            ``rod.first.position`` the varying components are drawn.
        save : path, optional
            As for ``plot_energy``.
        """
        require("plot", "plot_signals")
        from flexmb.postproc.plots import plot_signals

        return plot_signals(cast("Result", self), names, save)

    def plot_xt(
        self,
        field: str | None = None,
        body: str | None = None,
        start: float | None = None,
        end: float | None = None,
        save: str | Path | None = None,
    ) -> Figure:
        """Return space-time diagrams of a bar or beam: wave fronts are oblique lines.

        Parameters
        ----------
        field : str, optional
            By default stress and velocity of bars, bending moment and velocity of beams.
        body : str, optional
            By default the first bar or beam.
        start, end : float, optional
            Interval of time, s.
        save : path, optional
            As for ``plot_energy``.
        """
        require("plot", "plot_xt")
        from flexmb.postproc.open_folder import opened
        from flexmb.postproc.space_time_plot import plot_space_time

        return _saved(plot_space_time(opened(cast("Result", self)), field, body, start, end), save)

    def plot_phase(
        self,
        x: str | None = None,
        y: str | None = None,
        start: float | None = None,
        end: float | None = None,
        save: str | Path | None = None,
    ) -> Figure:
        """Return the phase portrait of a signal and its rate.

        Parameters
        ----------
        x, y : str, optional
            Signals; by default the first that moves and is recorded with its rate.
        start, end : float, optional
            Interval of time, s.
        save : path, optional
            As for ``plot_energy``.
        """
        require("plot", "plot_phase")
        from flexmb.postproc.open_folder import opened
        from flexmb.postproc.phase_plot import plot_phase

        return _saved(plot_phase(opened(cast("Result", self)), x, y, start, end), save)

    def plot_poincare(
        self,
        x: str | None = None,
        y: str | None = None,
        start: float | None = None,
        end: float | None = None,
        *,
        period: float | None = None,
        signal: str = "",
        value: float = 0.0,
        save: str | Path | None = None,
    ) -> Figure:
        """Return a Poincare section: points every ``period``, or where ``signal`` rises through ``value``.

        Parameters
        ----------
        x, y, start, end
            As for ``plot_phase``.
        period : float, optional
            s; by default that of the first harmonic load or motion of the case.
        signal : str, optional
            Of the section, in place of a period.
        value : float
            Of that signal.
        save : path, optional
            As for ``plot_energy``.
        """
        require("plot", "plot_poincare")
        from flexmb.postproc.open_folder import opened
        from flexmb.postproc.phase_plot import Section, plot_poincare

        section = Section(period, signal, value) if signal or period is not None else None
        return _saved(plot_poincare(opened(cast("Result", self)), x, y, start, end, section), save)

    def plot_moment(
        self,
        time: float | None = None,
        body: str | None = None,
        *,
        envelope: bool = False,
        save: str | Path | None = None,
    ) -> Figure:
        """Return the bending-moment line of a beam or frame.

        Parameters
        ----------
        time : float, optional
            s; the nearest stored state. By default that with the largest moment.
        body : str, optional
            By default the first that resists bending.
        envelope : bool
            Envelope (minimum and maximum) over the run instead of one time.
        save : path, optional
            As for ``plot_energy``.
        """
        require("plot", "plot_moment")
        from flexmb.postproc.moment_plot import plot_moment
        from flexmb.postproc.open_folder import opened

        return _saved(plot_moment(opened(cast("Result", self)), time, body, envelope=envelope), save)


def _saved(figure: Any, save: str | Path | None) -> Figure:
    """Write a figure if a path is given, and return it."""
    from flexmb.postproc.figure_file import save_figure, usable_figure

    if save is not None:
        save_figure(figure, usable_figure(Path(save)), dpi=200)
    return cast("Figure", figure)
