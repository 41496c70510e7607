"""Steady response of a rotor to its unbalance over its speed."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flexmb.commands.rotor_options import RPM, add_rotor_options

if TYPE_CHECKING:
    from flexmb.rotating import RotatingSystem
    from flexmb.rotor_analysis.unbalance import UnbalanceResponse


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``flexmb unbalance``."""
    add_rotor_options(parser, speeds=True)
    node_help = "a node to look at, such as rotor.node(3); may be repeated (default: those out of balance)"
    parser.add_argument("--node", metavar="NODE", action="append", default=[], dest="nodes", help=node_help)
    parser.add_argument("--rotor", metavar="NAME", help="the rotor whose unbalance acts (default: the first)")


def main(args: argparse.Namespace) -> int:
    """Print the peaks of the response at the nodes and of the forces on the bearings."""
    from flexmb.commands.progress import shown
    from flexmb.commands.rotor_options import load_rotors, note_tables, print_written, speed_range, speed_words
    from flexmb.rotor_analysis.unbalance import unbalance_response

    case, system = load_rotors(args)
    speeds = speed_range(args)
    with shown(case.name, args.quiet) as progress:
        found = unbalance_response(system, speeds, nodes=args.nodes or None, rotor=args.rotor, progress=progress)
    ends = " to ".join(speed_words(float(v)) for v in found.speeds[[0, -1]])
    note_tables(system, found.speeds, args.quiet)
    _warn(system, found)
    print(f"{case.title or case.name}: steady response, {found.speeds.size} speeds from {ends}")
    print("\n".join(_lines(found)))
    if args.out is not None:
        print_written(_write(found, case.title or case.name, args.out))
    return 0


def _warn(system: RotatingSystem, found: UnbalanceResponse) -> None:
    """Say on stderr where the steady response is that of an unstable rotor, so never reached."""
    import sys

    from flexmb.rotor_analysis.speed_path import SpeedPath
    from flexmb.rotor_analysis.stability import self_excited

    path = SpeedPath.through(system, float(found.speeds.min()), float(found.speeds.max()))
    if unstable := self_excited(system, path):
        print(f"warning: {unstable}; the steady response there is never reached", file=sys.stderr)


def _lines(found: UnbalanceResponse) -> list[str]:
    import numpy as np

    from flexmb.commands.rotor_options import table_lines
    from flexmb.rotor_analysis.whirl import half_axes

    out = ["", "largest orbits (half axes; the minor one is negative where the node goes backward; phase of y)"]
    rows: list[list[Any]] = []
    for j, label in enumerate(found.labels):
        for k in _peaks(found.major[:, j]):
            phase = float(np.degrees(found.phase[k, j, 0]))
            speed = float(found.speeds[k])
            rows.append([label, speed, speed * RPM, found.major[k, j], found.minor[k, j], phase])
    titles = ["node", "speed [rad/s]", "[rpm]", "major [m]", "minor [m]", "phase [deg]"]
    out += table_lines(titles, rows)
    if found.bearings:
        force = half_axes(found.forces)[0]
        tops = [(b, int(np.argmax(force[:, b]))) for b in range(len(found.bearings))]
        rows = [[found.bearings[b], found.speeds[k], found.speeds[k] * RPM, force[k, b]] for b, k in tops]
        out += ["", "largest forces on bearings"]
        out += table_lines(["bearing", "speed [rad/s]", "[rpm]", "force [N]"], rows)
    return out


def _peaks(values: Any) -> list[int]:
    """Return where a curve has its maxima inside the range, or its largest value when there is none."""
    import numpy as np

    inner = np.flatnonzero((values[1:-1] > values[:-2]) & (values[1:-1] >= values[2:])) + 1
    return inner.tolist() or [int(np.argmax(values))]


def _write(found: UnbalanceResponse, title: str, folder: Path) -> list[Path]:
    import numpy as np

    from flexmb.commands.rotor_options import save_figure
    from flexmb.io.analysis_tables import write_table
    from flexmb.postproc.unbalance_plot import plot_unbalance

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
    paths = [write_table(folder / "unbalance.csv", columns)]
    return paths + save_figure(plot_unbalance(found, title), folder, "unbalance")
