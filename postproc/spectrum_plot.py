"""Spectral radius, period error and algorithmic damping of schemes over omega h, as one picture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from flexmb.postproc.style import CYCLE, STYLE
from flexmb.spectrum import Spectrum

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LINES = ("-", "--", "-.", ":")


def plot_spectra(spectra: Mapping[str, Spectrum]) -> Figure:
    """Return the picture; ``spectra`` by the words that stand in the legend."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(STYLE):
        return _drawn(Figure(figsize=(11.0, 4.2), layout="constrained"), spectra)


def _drawn(figure: Figure, spectra: Mapping[str, Spectrum]) -> Figure:
    axes = figure.subplots(1, 3)
    for k, (words, s) in enumerate(spectra.items()):
        style = {"color": CYCLE[k % len(CYCLE)], "linestyle": LINES[(k // len(CYCLE)) % len(LINES)], "label": words}
        small = s.omega_h <= np.pi
        axes[0].semilogx(s.omega_h, s.radius, **style)
        axes[1].plot(s.omega_h[small], 100.0 * s.period_error[small], **style)
        axes[2].plot(s.omega_h[small], s.damping[small], **style)
    axes[0].set(xlabel=r"$\omega h$", ylabel="spectral radius", ylim=(0.0, 1.05))
    axes[1].set(xlabel=r"$\omega h$", ylabel="period error, %")
    axes[2].set(xlabel=r"$\omega h$", ylabel="algorithmic damping ratio")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=4, frameon=False)
    return figure
