"""Campbell diagram: frequencies and damping of a rotor over its speed, critical speeds."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flexmb.analysis.rotors.speeds import RPM
from flexmb.commands.rotor_options import add_rotor_options

if TYPE_CHECKING:
    from flexmb.analysis.rotors.campbell import Campbell

SHOWN = 11
"""Number of speeds in the printed table; the file has all of them."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``flexmb campbell``."""
    add_rotor_options(parser, speeds=True)
    parser.add_argument("-n", "--count", metavar="COUNT", type=int, help="number of modes (default: 8)")
    orders = "orders: ratios of frequency to speed at critical speeds, e.g. 1,2 (default: 1)"
    parser.add_argument("--orders", metavar="K[,K]...", default="1", help=orders)


def main(args: argparse.Namespace) -> int:
    """Print frequencies over the speed, critical speeds and the onset of instability."""
    from flexmb.analysis.rotors.campbell import campbell
    from flexmb.commands.progress import shown
    from flexmb.commands.rotor_options import load_rotors, note_tables, speed_range

    case, system = load_rotors(args)
    speeds, orders = speed_range(args), _orders(args.orders)
    with shown(case.name, args.quiet) as progress:
        found = campbell(system, speeds, count=args.count, orders=orders, progress=progress)
    note_tables(system, found.speeds, args.quiet)
    print(f"{case.title or case.name}: {system.nv} unknowns, with damping, contacts open")
    print("\n".join(_lines(found)))
    if args.out is not None:
        from flexmb.commands.written_out import write_out
        from flexmb.postproc.campbell_plot import plot_campbell

        title = case.title or case.name
        write_out(args.out, "campbell", lambda out: _tables(found, out), lambda: plot_campbell(found, title))
    return 0


def _orders(text: str) -> tuple[float, ...]:
    from flexmb.errors import InputError

    try:
        return tuple(float(word) for word in text.split(","))
    except ValueError:
        raise InputError("must be positive numbers with commas between them", key="orders", value=text) from None


def _lines(found: Campbell) -> list[str]:
    import numpy as np

    from flexmb.commands.rotor_options import left_out, table_lines

    rows = np.unique(np.linspace(0, found.speeds.size - 1, SHOWN).round().astype(int))
    lines = range(found.omega.shape[1])
    titles = ["speed [rad/s]", "[rpm]", *(f"mode {j + 1} [Hz]" for j in lines)]
    table = [[found.speeds[k], found.speeds[k] * RPM, *(_frequency(found, k, j) for j in lines)] for k in rows.tolist()]
    out = ["", "frequencies (f forward, b backward, m mixed, p planar; ! unstable)", *table_lines(titles, table)]
    out += left_out(rows.size, found.speeds.size, "speeds", "campbell.csv")
    out += ["", "critical speeds"]
    rows_c: list[list[Any]] = [
        [
            c.speed,
            c.speed * RPM,
            c.speed * c.order / (2 * np.pi),
            f"{c.order:g} x",
            c.whirl,
            c.damping_ratio,
            c.log_decrement,
        ]
        for c in found.critical
    ]
    titles = ["speed [rad/s]", "[rpm]", "frequency [Hz]", "order", "whirl", "damping ratio", "log decrement"]
    out += table_lines(titles, rows_c) if rows_c else [_none(found)]
    out += ["", *_stability(found)]
    return out


def _none(found: Campbell) -> str:
    from flexmb.analysis.rotors.speeds import speed_words

    first, last = (speed_words(float(found.speeds[k])) for k in (0, -1))
    return f"  none from {first} to {last}; --speeds FROM:TO:N selects others"


def _frequency(found: Campbell, k: int, j: int) -> str:
    f = found.frequency[k, j]
    if f != f:  # nan: the mode does not oscillate here or is above those computed
        return "-"
    word = found.whirl[k][j]
    short = word[0] if word in ("forward", "backward", "mixed", "planar") else word
    return f"{f:.6g} {short}{'!' if found.unstable[k, j] else ''}"


def _stability(found: Campbell) -> list[str]:
    from flexmb.analysis.rotors.speeds import speed_words

    out = []
    if found.unstable[0].any():
        out.append(f"unstable already at {speed_words(float(found.speeds[0]))}")
    for onset in found.onsets:
        what = "unstable above" if onset.grows else "stable again above"
        f = abs(onset.eigenvalue.imag) / 6.283185307179586
        out.append(f"{what} {speed_words(onset.speed)}: mode {onset.line + 1} ({onset.whirl}, {f:.6g} Hz)")
    others = (found.growth > 0.0) & ~found.unstable.any(axis=1)
    if others.any():
        k = int(others.argmax())
        words = f"a mode without a line grows by {found.growth[k]:.4g} 1/s (more modes: -n; at one speed: flexmb modes)"
        out.append(f"unstable at {speed_words(float(found.speeds[k]))}: {words}")
    return out or ["stable at all these speeds"]


def _tables(found: Campbell, folder: Path) -> list[Path]:
    import numpy as np

    from flexmb.record.io.whole_file import write_table

    columns: dict[str, Any] = {"speed [rad/s]": found.speeds, "speed [rpm]": found.speeds * RPM}
    for j in range(found.omega.shape[1]):
        name = f"mode {j + 1}"
        columns |= {
            f"{name} omega [rad/s]": found.omega[:, j],
            f"{name} frequency [Hz]": found.frequency[:, j],
            f"{name} damping ratio": found.damping_ratio[:, j],
            f"{name} log decrement": found.log_decrement[:, j],
            f"{name} whirl": [words[j] for words in found.whirl],
        }
    critical = {
        "speed [rad/s]": [c.speed for c in found.critical],
        "speed [rpm]": [c.speed * RPM for c in found.critical],
        "frequency [Hz]": [abs(c.eigenvalue.imag) / (2 * np.pi) for c in found.critical],
        "order": [c.order for c in found.critical],
        "mode": [c.line + 1 for c in found.critical],
        "whirl": [c.whirl for c in found.critical],
        "damping ratio": [c.damping_ratio for c in found.critical],
        "log decrement": [c.log_decrement for c in found.critical],
    }
    return [write_table(folder / "campbell.csv", columns), write_table(folder / "critical_speeds.csv", critical)]
