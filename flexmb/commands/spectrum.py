"""Spectral radius, period error and algorithmic damping of the schemes against omega h."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from flexmb.commands.written_out import add_out, ready_out, write_out

if TYPE_CHECKING:
    from flexmb.analysis.spectrum import Spectrum
    from flexmb.schemes.scheme import Scheme
    from flexmb.state import Array


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``flexmb spectrum``."""
    parser.add_argument("schemes", metavar="SCHEME", nargs="*", help="names of schemes (default: all)")
    set_help = "set an option of the schemes that have it, e.g. rho_inf=0.5"
    parser.add_argument("--set", metavar="KEY=VALUE", action="append", default=[], dest="options", help=set_help)
    parser.add_argument("--zeta", metavar="Z", type=float, default=0.0, help="damping ratio of the oscillator")
    add_out(parser)


def main(args: argparse.Namespace) -> int:
    """Print a short table; with ``-o`` write the full table, the figure, or both."""
    import numpy as np

    from flexmb.analysis.spectrum import spectrum

    ready_out(args.out, args.command)
    chosen = _chosen(args.schemes, _options(args.options))
    points = np.array([0.1, 0.5, 1.0, np.pi, 10.0, 100.0])
    width = max(len(words) for words in chosen)
    print(f"{'':<{width}}  {'omega h':>8}  {'radius':>10}  {'period error':>12}  {'damping':>10}")
    for words, scheme in chosen.items():
        found = spectrum(scheme, points, args.zeta)
        for k, x in enumerate(points):
            row = f"{x:>8.3g}  {found.radius[k]:>10.6f}  {found.period_error[k]:>12.4g}  {found.damping[k]:>10.4g}"
            print(f"{words if k == 0 else '':<{width}}  {row}")
    if args.out is not None:
        from flexmb.postproc.spectrum_plot import plot_spectra

        fine = np.geomspace(0.01, 1000.0, 401)
        spectra = {words: spectrum(scheme, fine, args.zeta) for words, scheme in chosen.items()}
        write_out(args.out, "spectrum", lambda out: _tables(fine, spectra, out), lambda: plot_spectra(spectra))
    return 0


def _tables(fine: Array, spectra: dict[str, Spectrum], folder: Path) -> list[Path]:
    from flexmb.record.io.whole_file import write_table

    folder.mkdir(parents=True, exist_ok=True)
    columns = {"omega_h": fine}
    for words, found in spectra.items():
        for what in ("radius", "period_error", "damping"):
            columns[f"{words}: {what}"] = getattr(found, what)
    return [write_table(folder / "spectrum.csv", columns)]


def _options(words: list[str]) -> dict[str, object]:
    """Return the options given as KEY=VALUE, with values in TOML syntax."""
    from flexmb.errors import InputError
    from flexmb.record.io.toml_text import toml_tree

    out: dict[str, object] = {}
    for word in words:
        key, equals, text = word.partition("=")
        try:
            out[key.strip()] = toml_tree(f"x = {text}")["x"]
        except ValueError:
            out[key.strip()] = text.strip()
        if not equals:
            raise InputError("must be KEY=VALUE", key="--set", value=word)
    return out


def _chosen(names: list[str], options: dict[str, object]) -> dict[str, Scheme]:
    """Return the chosen schemes by a readable name that includes the given options."""
    import dataclasses

    from flexmb.checks.values import nearest
    from flexmb.errors import InputError
    from flexmb.schemes import SCHEMES

    chosen: dict[str, Scheme] = {}
    unused = set(options)
    for name in names or list(SCHEMES):
        if name not in SCHEMES:
            message = f"there is no such scheme{nearest(name, list(SCHEMES))}; schemes: {', '.join(SCHEMES)}"
            raise InputError(message, key="SCHEME", value=name)
        known = {f.name for f in dataclasses.fields(SCHEMES[name]) if f.init}
        own = {key: value for key, value in options.items() if key in known}
        unused -= set(own)
        words = ", ".join(f"{key} = {value}" for key, value in own.items())
        chosen[f"{name} ({words})" if words else name] = SCHEMES[name](**own)
    if unused:
        raise InputError("none of the schemes has this option", key="--set", value=", ".join(sorted(unused)))
    return chosen
