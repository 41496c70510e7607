"""``flexmb modes`` for rotors: whirl, damping and stability at a speed."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flexmb.analysis.rotors.whirl_modes import RotorModes
    from flexmb.system.rotating import RotatingSystem


def print_rotor_modes(args: argparse.Namespace) -> int:
    """Print the modes of a case with rotors; write them to files if an output folder is given."""
    from flexmb.analysis.rotors.speeds import speed_words
    from flexmb.analysis.rotors.whirl_modes import rotor_modes
    from flexmb.commands.rotor_options import load_rotors, note_tables, one_speed
    from flexmb.record.summary_text import counted

    case, system = load_rotors(args)
    found = rotor_modes(system, one_speed(args), args.count)
    size = counted(system.nv, "unknown")
    note_tables(system, [found.speed], args.quiet)
    print(f"{case.title or case.name}: {size}, at {speed_words(found.speed)}, with damping, contacts open")
    print("\n".join(_lines(found)))
    if args.out is not None:
        from flexmb.commands.written_out import write_out
        from flexmb.postproc.shapes_plot import plot_shapes

        title = case.title or case.name
        write_out(args.out, "modes", lambda out: _tables(found, system, out), lambda: plot_shapes(found, title))
    return 0


def _lines(found: RotorModes) -> list[str]:
    from flexmb.commands.rotor_options import table_lines
    from flexmb.record.summary_text import counted

    rows: list[list[Any]] = []
    for k, lam in enumerate(found.eigenvalues):
        numbers = [found.frequency[k], found.omega[k], found.damping_ratio[k], found.log_decrement[k]]
        grows = f"UNSTABLE: grows by {lam.real:.4g} 1/s" if found.unstable[k] else ""
        rows.append([k + 1, *numbers, found.whirl[k], grows])
    titles = ["mode", "frequency [Hz]", "omega [rad/s]", "damping ratio", "log decrement", "whirl", ""]
    count = int(found.unstable.sum())
    verb = "grow" if count > 1 else "grows"
    last = f"UNSTABLE: {counted(count, 'mode')} of these {verb}" if count else "stable: none of these modes grows"
    return [*table_lines(titles, rows), last]


def _tables(found: RotorModes, system: RotatingSystem, folder: Path) -> list[Path]:
    from flexmb.record.io.mode_files import write_shapes
    from flexmb.record.io.whole_file import write_table

    table = {
        "mode": range(1, len(found.whirl) + 1),
        "omega [rad/s]": found.omega,
        "frequency [Hz]": found.frequency,
        "growth [1/s]": found.eigenvalues.real,
        "damping ratio": found.damping_ratio,
        "log decrement": found.log_decrement,
        "whirl": found.whirl,
    }
    return [write_table(folder / "modes.csv", table), write_shapes(found.shapes, system.layout, folder / "modes.vtu")]
