"""``flexmb static`` for bars, beams, frames and mechanisms: displacements, reactions, section forces."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flexmb.analysis.static_state import Statics
    from flexmb.case import Case

SHOWN = 21
"""Number of nodes in the printed table; the file has all of them."""
RESULTANTS = ("N [N]", "Qy [N]", "Qz [N]", "Mx [N m]", "My [N m]", "Mz [N m]")


def print_static(case: Case, args: argparse.Namespace) -> int:
    """Print the static state of a case without rotors; write it to files if an output folder is given."""
    from flexmb.analysis.static_state import static_state
    from flexmb.commands.notes import print_notes
    from flexmb.errors import InputError

    print_notes(case)
    model = case.model()
    try:
        found = static_state(model, case.values.tables.time.start)
    except InputError as err:
        raise case.values.origin.wrap(err) if err.where else err from None
    if not args.quiet:
        _say_notes(found)
    how = "equilibrium in large motion" if model.large_motion else "static state in small motion"
    resting = ", resting on contacts without friction" if found.contacts else ""
    print(f"{case.title or case.name}: {how}{resting}")
    print("\n".join(_lines(found)))
    if args.out is not None:
        from flexmb.commands.written_out import write_out
        from flexmb.postproc.structure_static_plot import plot_structure_static

        title = case.title or case.name
        figure = plot_structure_static(found, title) if len(found.layout.cells) else None
        write_out(args.out, "static", lambda out: _tables(found, out), lambda: figure)
    return 0


def _say_notes(found: Statics) -> None:
    if found.left_out:
        print(f"note: loads that vary in time are omitted: {', '.join(found.left_out)}", file=sys.stderr)
    if found.stable is False:
        print("note: this equilibrium is unstable, and no stable one was found near it", file=sys.stderr)
    if not found.displacement.any():
        print(
            "note: all displacements are zero: there is no gravity, preloaded spring or constant load", file=sys.stderr
        )


def _lines(found: Statics) -> list[str]:
    import numpy as np

    from flexmb.commands.rotor_options import left_out, table_lines

    n = len(found.labels)
    chosen = np.unique(np.linspace(0, n - 1, SHOWN).round().astype(int)).tolist()
    rows: list[list[Any]] = [[found.labels[k], *found.displacement[k]] for k in chosen]
    out = ["", *table_lines(["node", "ux [m]", "uy [m]", "uz [m]"], rows)]
    out += left_out(len(chosen), n, "nodes", "static.csv")
    if found.held:
        out += ["", "forces and moments on the bodies at their supports"]
        titles = ["where", "Fx [N]", "Fy [N]", "Fz [N]", "Mx [N m]", "My [N m]", "Mz [N m]"]
        rows = [[h, *f, *m] for h, f, m in zip(found.held, found.forces, found.moments, strict=True)]
        rows += [["sum", *found.forces.sum(axis=0), "", "", ""]]
        if not np.isfinite(found.moments).any():
            titles, rows = titles[:4], [row[:4] for row in rows]
        rows = [["" if isinstance(item, float) and item != item else item for item in row] for row in rows]
        out += table_lines(titles, rows)
    if found.contacts:
        out += [
            "",
            "normal forces of closed contacts",
            *table_lines(["contact", "N [N]"], [[*c] for c in found.contacts]),
        ]
    out += _largest(found)
    return out


def _largest(found: Statics) -> list[str]:
    """Return the largest section forces of each body."""
    import numpy as np

    from flexmb.commands.rotor_options import table_lines

    owner = found.layout.body_of_point[found.layout.cells[:, 0]]
    known = np.isfinite(found.resultants).all(axis=(1, 2))
    rows: list[list[Any]] = []
    for k, name in enumerate(found.layout.bodies):
        own = found.resultants[(owner == k) & known].reshape(-1, 6)
        if len(own):
            rows.append([name, *own[np.abs(own).argmax(axis=0), np.arange(6)]])
    return (
        ["", "largest section forces, in the axes of the lines", *table_lines(["body", *RESULTANTS], rows)]
        if rows
        else []
    )


def _tables(found: Statics, folder: Path) -> list[Path]:
    from flexmb.record.io.whole_file import write_table

    layout = found.layout
    nodes: dict[str, Any] = {"node": found.labels}
    nodes |= {f"{axis} [m]": layout.points[:, k] for k, axis in enumerate("xyz")}
    nodes |= {f"u{axis} [m]": found.displacement[:, k] for k, axis in enumerate("xyz")}
    nodes |= {f"rotation {axis} [rad]": found.rotation[:, k] for k, axis in enumerate("xyz")}
    reactions: dict[str, Any] = {"where": found.held}
    reactions |= {f"F{axis} [N]": found.forces[:, k] for k, axis in enumerate("xyz")}
    reactions |= {f"M{axis} [N m]": found.moments[:, k] for k, axis in enumerate("xyz")}
    paths = [write_table(folder / "static.csv", nodes), write_table(folder / "reactions.csv", reactions)]
    if not len(layout.cells):
        return paths
    ends = layout.cells.ravel()
    lines: dict[str, Any] = {
        "body": [layout.bodies[b] for b in layout.body_of_point[ends].tolist()],
        "line": [k // 2 for k in range(ends.size)],
    }
    lines |= {f"{axis} [m]": layout.points[ends, k] for k, axis in enumerate("xyz")}
    lines |= {name: found.resultants[:, :, k].ravel() for k, name in enumerate(RESULTANTS)}
    paths.append(write_table(folder / "section_forces.csv", lines))
    return paths
