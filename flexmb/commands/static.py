"""Static state under gravity and constant loads: displacements, reactions and section forces; for rotors at a speed."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flexmb.commands.rotor_options import add_rotor_options
from flexmb.commands.written_out import ready_out

if TYPE_CHECKING:
    from flexmb.analysis.rotors.static import StaticState

SHOWN = 21
"""Number of nodes in the printed table; the file has all of them."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``flexmb static``."""
    add_rotor_options(parser, speeds=False)


def main(args: argparse.Namespace) -> int:
    """Print displacements, reactions and the largest section forces."""
    from flexmb.case import load_case
    from flexmb.commands.structure_static import print_static
    from flexmb.errors import InputError
    from flexmb.system.rotating import has_rotor

    ready_out(args.out, args.command)
    case = load_case(args.case, args.overrides)
    if has_rotor(case.model()):
        return _print_rotor(args)
    if args.speed is not None:
        raise InputError("there is no rotor in this case, so it has no speed", key="speed", value=args.speed)
    return print_static(case, args)


def _print_rotor(args: argparse.Namespace) -> int:
    """Print deflections, reactions and the largest bending moments of rotors."""
    from flexmb.analysis.rotors.speeds import speed_words
    from flexmb.analysis.rotors.static import static_deflection
    from flexmb.commands.rotor_options import load_rotors, note_tables, one_speed
    from flexmb.errors import InputError

    case, system = load_rotors(args)
    if not system.F0.any():
        print("note: there is no load: the case has no gravity, preloaded spring or constant load", file=sys.stderr)
    try:
        found = static_deflection(system, one_speed(args))
    except InputError as err:
        raise case.values.origin.wrap(err) if err.where else err from None
    note_tables(system, [found.speed], args.quiet)
    print(f"{case.title or case.name}: static state at {speed_words(found.speed)}, contacts open")
    print("\n".join(_lines(found)))
    if args.out is not None:
        from flexmb.commands.written_out import write_out
        from flexmb.postproc.static_plot import plot_static

        title = case.title or case.name
        write_out(args.out, "static", lambda out: _tables(found, out), lambda: plot_static(found, title))
    return 0


def _lines(found: StaticState) -> list[str]:
    import numpy as np

    from flexmb.commands.rotor_options import left_out, table_lines

    chosen = np.unique(np.linspace(0, len(found.labels) - 1, SHOWN).round().astype(int)).tolist()
    rows: list[list[Any]] = [[found.labels[k], found.stations[k], *found.deflection[k]] for k in chosen]
    out = ["", *table_lines(["node", "x [m]", "along y [m]", "along z [m]"], rows)]
    out += left_out(len(chosen), len(found.labels), "nodes", "static.csv")
    rows = [[name, *force] for name, force in zip(found.bearings, found.reactions, strict=True)]
    rows += [["sum", *found.reactions.sum(axis=0)]]
    out += ["", "forces of bearings and supports on the shaft", *table_lines(["node", "y [N]", "z [N]"], rows)]
    for shaft in found.shafts:
        size = np.nan_to_num(np.linalg.norm(shaft.moment, axis=1))
        k = int(np.argmax(size))
        out += ["", f"largest bending moment of {shaft.name}: {size[k]:.6g} N m at x = {shaft.x[k]:.6g} m"]
    return out


def _tables(found: StaticState, folder: Path) -> list[Path]:
    from flexmb.record.io.whole_file import write_table

    nodes: dict[str, Any] = {"node": found.labels, "x [m]": found.stations}
    nodes |= {f"{axis} [m]": found.deflection[:, k] for k, axis in enumerate(("along y", "along z"))}
    reactions: dict[str, Any] = {"node": found.bearings}
    reactions |= {f"{axis} [N]": found.reactions[:, k] for k, axis in enumerate("yz")}
    paths = [write_table(folder / "static.csv", nodes), write_table(folder / "reactions.csv", reactions)]
    for shaft in found.shafts:
        columns: dict[str, Any] = {"x [m]": shaft.x}
        columns |= {f"shear {axis} [N]": shaft.shear[:, k] for k, axis in enumerate("yz")}
        columns |= {f"moment {axis} [N m]": shaft.moment[:, k] for k, axis in enumerate("yz")}
        paths.append(write_table(folder / f"shaft_{shaft.name}.csv", columns))
    return paths
