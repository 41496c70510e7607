"""Run the comparisons of one family of the validation manual: figures, errors, sources, in one folder."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from PIL import Image
from validation.comparison import Comparison, drawn

from flexmb.case.shipped import shipped_cases
from flexmb.errors import FlexmbError
from gallery.case_run import FACTS, save_thumb

FOLDER = Path(__file__).parents[1] / "validation"
REFERENCES = Path(__file__).parents[2] / "tests" / "references"
GROUP = "comparisons"


def families() -> dict[str, Path]:
    """Return the modules with comparisons, by name."""
    found = {path.stem: path for path in sorted(FOLDER.glob("*.py"))}
    return {name: path for name, path in found.items() if name not in ("__init__", "comparison")}


def comparisons(name: str) -> list[Comparison]:
    """Return the comparisons of a family, in the order of its module."""
    module = importlib.import_module(f"validation.{name}")
    return [value for value in vars(module).values() if isinstance(value, Comparison)]


def needs(source: Path) -> Iterable[Path]:
    """Return the other files on which a family depends."""
    cases = shipped_cases()
    yield from (cases[name] for name in sorted({one.case for one in comparisons(source.stem)}))
    yield FOLDER / "comparison.py"
    yield from sorted(REFERENCES.glob("*.py"))


def make(source: Path, folder: Path) -> bool:
    """Run the comparisons of a family and draw them; return whether all were completed."""
    module = importlib.import_module(f"validation.{source.stem}")
    facts: dict[str, Any] = {"name": source.stem, "title": module.TITLE, "group": GROUP, "error": "", "comparisons": []}
    for one in comparisons(source.stem):
        entry: dict[str, Any] = {
            **{"name": one.name, "title": one.title, "source": one.source, "reference": one.reference},
            **{"case": one.case, "overrides": list(one.overrides), "words": one.words, "curves": []},
        }
        try:
            curves = one.run()
        except FlexmbError as err:
            facts["error"] = f"{one.name}: {err}"
            continue
        entry["curves"] = [
            {"label": c.label, "error": c.error, "at_most": c.at_most, "mean": c.mean, "ok": c.ok} for c in curves
        ]
        drawn(curves).savefig(folder / f"{one.name}.png", dpi=130)
        facts["comparisons"].append(entry)
    facts["summary"] = {"expectations": [curve for entry in facts["comparisons"] for curve in entry["curves"]]}
    if facts["comparisons"]:
        with Image.open(folder / f"{facts['comparisons'][0]['name']}.png") as image:
            save_thumb(image.convert("RGB"), folder)
    (folder / FACTS).write_text(json.dumps(facts, indent=1), encoding="utf-8")
    return not facts["error"]
