"""The common style of all charts: colours for colour-blind readers, thin frames, SI units."""

from __future__ import annotations

from typing import Any

BLUE, VERMILLION, GREEN, ORANGE, PURPLE, SKY = "#0072B2", "#D55E00", "#009E73", "#E69F00", "#CC79A7", "#56B4E9"
"""The palette of Okabe and Ito (2008)."""
BROWN, OLIVE, TEAL, WINE = "#8C510A", "#9A9400", "#44AA99", "#882255"
"""Four more colors of different lightness."""
CYCLE = (BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY)
INK, FAINT = "#222222", "#8a8a8a"
FIELD_MAP: Any = "viridis"
"""Color map of fields: perceptually uniform and safe for color-blind readers."""

SIGNED_MAP: Any = "RdBu_r"
"""Diverging color map of signed fields: red for tension, blue for compression; safe for color-blind readers."""
POSITIVE, NEGATIVE = VERMILLION, BLUE
"""Colors of signed lines, of the same sense as the map."""

STYLE: Any = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9.0,
    "axes.titlesize": 10.0,
    "axes.titlelocation": "left",
    "axes.labelsize": 9.0,
    "axes.edgecolor": INK,
    "axes.linewidth": 0.7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.formatter.limits": (-3, 4),
    "grid.color": "#e3e3e3",
    "grid.linewidth": 0.6,
    "lines.linewidth": 1.4,
    "legend.fontsize": 8.0,
    "legend.frameon": False,
    "legend.borderpad": 0.0,
    "legend.borderaxespad": 0.0,
    "legend.handlelength": 1.3,
    "legend.handletextpad": 0.5,
    "legend.columnspacing": 1.2,
    "legend.labelspacing": 0.3,
    "xtick.labelsize": 8.0,
    "ytick.labelsize": 8.0,
    "xtick.color": INK,
    "ytick.color": INK,
    "text.color": INK,
    "axes.labelcolor": INK,
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
}
"""Matplotlib settings; PDF files embed TrueType fonts, as journals require."""


def seen(label: str) -> str:
    """Return a label visible in legends: matplotlib leaves out labels that begin with ``_``."""
    return f"\u200b{label}" if label.startswith("_") else label
