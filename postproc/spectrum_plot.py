"""Spectral radius, period error and algorithmic damping of schemes over omega h, as one picture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmb.analysis.spectrum import Spectrum
from flexmb.postproc.style import CYCLE, STYLE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LINES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (5, 2, 1, 2)), (0, (1.5, 1.5)))
SAME = 1e-9
"""Schemes whose values differ by less than this are drawn as one curve."""


def plot_spectra(spectra: Mapping[str, Spectrum]) -> Figure:
    """Return the picture; ``spectra`` by their labels in the legend. Equal ones share a curve."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(STYLE):
        return _drawn(Figure(figsize=(11.0, 4.2), layout="constrained"), together(spectra))


def together(spectra: Mapping[str, Spectrum]) -> dict[str, Spectrum]:
    """Return the spectra with equal ones combined under one label that joins theirs."""
    groups: list[list[str]] = []
    for words, one in spectra.items():
        like = [group for group in groups if _same(spectra[group[0]], one)]
        if like:
            like[0].append(words)
        else:
            groups.append([words])
    return {"; ".join(group): spectra[group[0]] for group in groups}


def _same(one: Spectrum, other: Spectrum) -> bool:
    pairs = [(getattr(one, key), getattr(other, key)) for key in ("omega_h", "radius", "period_error", "damping")]
    return all(a.shape == b.shape and np.allclose(a, b, rtol=0.0, atol=SAME, equal_nan=True) for a, b in pairs)


def _drawn(figure: Figure, spectra: Mapping[str, Spectrum]) -> Figure:
    axes = figure.subplots(1, 3)
    for k, (words, s) in enumerate(spectra.items()):
        style = {"color": CYCLE[k % len(CYCLE)], "linestyle": LINES[k % len(LINES)], "label": words}
        small = s.omega_h <= np.pi
        axes[0].semilogx(s.omega_h, s.radius, **style)
        axes[1].plot(s.omega_h[small], 100.0 * s.period_error[small], **style)
        axes[2].plot(s.omega_h[small], s.damping[small], **style)
    axes[0].set(xlabel=r"$\omega h$", ylabel="spectral radius", ylim=(0.0, 1.05))
    axes[1].set(xlabel=r"$\omega h$", ylabel="period error, %")
    axes[2].set(xlabel=r"$\omega h$", ylabel="algorithmic damping ratio")
    longest = max(len(words) for words in spectra)
    columns = 4 if longest < 30 else 2 if longest < 60 else 1
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=columns, frameon=False)
    return figure
