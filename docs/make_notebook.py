"""Make docs/impacting_bar.ipynb and run it: ``python docs/make_notebook.py`` (needs the extra ``notebook``)."""

from __future__ import annotations

import sys
from pathlib import Path

NOTEBOOK = Path(__file__).parent / "impacting_bar.ipynb"
CELLS = (
    """# A bar against a wall

An elastic bar of 10 m flies at 10 m/s against a rigid wall (Doyen, Ern, Piperno 2011). Wave theory gives the answer:
the bar stays at the wall while the wave runs to its free end and back, $2 L / c$ = 2/3 s, and pushes with
$\\rho A c v$ = 300 N.""",
    """import flexmb as fm

result = fm.load_case("impacting_bar").run()
result""",
    "What came out, against wave theory:",
    """print(f"impulse      {result.contacts['wall'].impulse.sum():.2f} N s   (exact 200)")
print(f"penetration  {result.summary['max_penetration']:.1e} m")
print(f"unexplained  {abs(result.energy.residual).max():.0e} J")""",
    "The contact: gap, relative velocity and force.",
    """result.plot_contact("wall")""",
    "Signals by name; those with the same unit share a frame. `save=` also writes the figure as SVG, PDF or PNG.",
    """result.plot_signals("rod.first.position.x", "rod.last.position.x", "contacts.wall.force")""",
    "The ledger: where the energy is, and what has changed it. The works add up to the dashed line.",
    "result.plot_energy()",
    "The bar itself, in the middle of the contact.",
    """result.show(field="velocity")""",
)
"""Texts and codes in turn: codes are those that are not sentences."""


def is_code(cell: str) -> bool:
    """Tell code from text."""
    return cell.startswith(("import ", "print(", "result."))


def main(path: Path = NOTEBOOK) -> None:
    """Write and run the notebook."""
    try:
        import ipykernel  # noqa: F401
        import nbformat
        from nbclient import NotebookClient
    except ImportError as err:
        sys.exit(f"{err.name} is not installed, which notebooks need: pip install -e '.[notebook]'")
    make = {True: nbformat.v4.new_code_cell, False: nbformat.v4.new_markdown_cell}
    notebook = nbformat.v4.new_notebook(cells=[make[is_code(cell)](cell) for cell in CELLS])
    for k, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{k}"
    NotebookClient(notebook, timeout=600, kernel_name="python3").execute()
    for cell in notebook.cells:
        cell["metadata"] = {}  # times of execution say nothing
        for output in cell.get("outputs", []):
            output.get("data", {}).pop("image/jpeg", None)
    notebook["metadata"] = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    nbformat.write(notebook, path)


if __name__ == "__main__":
    main()
