"""Steady unbalance response of a rotor over its speed."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flexmb.analysis.rotors.speeds import RPM
from flexmb.commands.rotor_options import add_rotor_options

if TYPE_CHECKING:
    from flexmb.analysis.rotors.unbalance import Peak, UnbalanceResponse
    from flexmb.system.rotating import RotatingSystem


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``flexmb unbalance``."""
    add_rotor_options(parser, speeds=True)
    node_help = "a node of the output, such as rotor.node(3); may be repeated (default: those with unbalance)"
    parser.add_argument("--node", metavar="NODE", action="append", default=[], dest="nodes", help=node_help)
    parser.add_argument("--rotor", metavar="NAME", help="the rotor whose unbalance acts (default: the first)")


def main(args: argparse.Namespace) -> int:
    """Print the peaks of the response at the nodes and of the forces on the bearings."""
    from flexmb.analysis.rotors.speeds import speed_words
    from flexmb.analysis.rotors.unbalance import unbalance_peaks, unbalance_response
    from flexmb.commands.progress import shown
    from flexmb.commands.rotor_options import load_rotors, note_tables, speed_range

    case, system = load_rotors(args)
    speeds = speed_range(args)
    with shown(case.name, args.quiet) as progress:
        found = unbalance_response(system, speeds, nodes=args.nodes or None, rotor=args.rotor, progress=progress)
    ends = " to ".join(speed_words(float(v)) for v in found.speeds[[0, -1]])
    note_tables(system, found.speeds, args.quiet)
    _warn(system, found)
    print(f"{case.title or case.name}: steady response, {found.speeds.size} speeds from {ends}")
    orbits, forces = unbalance_peaks(system, found)
    print("\n".join(_lines(orbits, forces)))
    if args.out is not None:
        from flexmb.commands.written_out import write_out
        from flexmb.postproc.unbalance_plot import plot_unbalance

        title = case.title or case.name
        write_out(args.out, "unbalance", lambda out: _tables(found, orbits, out), lambda: plot_unbalance(found, title))
    return 0


def _warn(system: RotatingSystem, found: UnbalanceResponse) -> None:
    """Print to stderr at which speeds the rotor is unstable, so that the steady-state response is not attained."""
    import sys

    from flexmb.analysis.rotors.speed_path import SpeedPath
    from flexmb.analysis.rotors.stability import self_excited

    path = SpeedPath.through(system, float(found.speeds.min()), float(found.speeds.max()))
    if unstable := self_excited(system, path):
        print(f"warning: {unstable}; the steady response there is not attained", file=sys.stderr)


def _lines(orbits: Sequence[Peak], forces: Sequence[Peak]) -> list[str]:
    import numpy as np

    from flexmb.commands.rotor_options import table_lines

    out = ["", "largest orbits (half axes; the minor one is negative for backward orbits; phase of y)"]
    rows: list[list[Any]] = [
        [p.label, p.speed, p.speed * RPM, p.major, p.minor, float(np.degrees(np.angle(p.complex_yz[0])))]
        for p in orbits
    ]
    out += table_lines(["node", "speed [rad/s]", "[rpm]", "major [m]", "minor [m]", "phase [deg]"], rows)
    if forces:
        rows = [[p.label, p.speed, p.speed * RPM, p.major] for p in forces]
        out += ["", "largest forces on bearings"]
        out += table_lines(["bearing", "speed [rad/s]", "[rpm]", "force [N]"], rows)
    return out


def _tables(found: UnbalanceResponse, orbits: Sequence[Peak], folder: Path) -> list[Path]:
    import numpy as np

    from flexmb.record.io.whole_file import write_table

    columns: dict[str, Any] = {"speed [rad/s]": found.speeds, "speed [rpm]": found.speeds * RPM}
    for j, label in enumerate(found.labels):
        columns |= {f"{label} major [m]": found.major[:, j], f"{label} minor [m]": found.minor[:, j]}
        columns |= {f"{label} inclination [rad]": found.inclination[:, j]}
        for k, axis in enumerate("yz"):
            columns |= {
                f"{label} {axis} amplitude [m]": np.abs(found.amplitude[:, j, k]),
                f"{label} {axis} phase [rad]": found.phase[:, j, k],
            }
    for b, label in enumerate(found.bearings):
        for k, axis in enumerate("yz"):
            force = found.forces[:, b, k]
            columns |= {f"bearing {label} {axis} force [N]": np.abs(force)}
            columns |= {f"bearing {label} {axis} phase [rad]": np.angle(force)}
    peaks = {
        "node": [p.label for p in orbits],
        "speed [rad/s]": [p.speed for p in orbits],
        "speed [rpm]": [p.speed * RPM for p in orbits],
        "major [m]": [p.major for p in orbits],
        "minor [m]": [p.minor for p in orbits],
    }
    return [write_table(folder / "unbalance.csv", columns), write_table(folder / "unbalance_peaks.csv", peaks)]
