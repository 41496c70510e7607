"""Run a study for its page: figures, table and the report, in one folder."""

from __future__ import annotations

import json
import shutil
import tempfile
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image

import flexmb as fm
from flexmb.errors import FlexmbError
from flexmb.postproc.study.columns import Columns, shown
from flexmb.postproc.study.draw import draw_figure, rendered
from flexmb.postproc.study.folder import Opened, open_study
from flexmb.postproc.study.spec import spec_of
from flexmb.postproc.study.write import draw_all
from flexmb.record.io.summary_json import read_summary
from flexmb.study.folder import SUMMARY, TABLE
from flexmb.study.study import Study
from flexmb.study.study_schema import StudyTables
from gallery.case_run import FACTS, REPORT, save_thumb

ENERGY, ORDERS, WORK = GROUPS = ("energy", "orders", "work and precision")
DIGITS = 6
"""Significant digits of numbers on the page; table.csv has all."""


def group_of_study(tables: StudyTables) -> str:
    """Return the group of a study, by the quantities it measures."""
    if tables.ledger:
        return ENERGY
    return ORDERS if any(figure.kind == "order" for figure in tables.figure) else WORK


def cases_of(source: Path) -> list[Path]:
    """Return the case files of a study; none if it cannot be read, since the error is reported when it is run."""
    try:
        file = fm.load_study(source).file
    except FlexmbError:
        return []
    return [file.case_file, *(path for path, _ in file.cases.values())]


def make(source: Path, folder: Path) -> bool:
    """Run a study and fill the folder of its page; return whether all of it could be run and drawn."""
    facts: dict[str, Any] = {"name": source.stem, "title": source.stem, "group": WORK, "error": ""}
    try:
        study = fm.load_study(source)
        facts |= {"title": study.title, "description": study.tables.description, "group": group_of_study(study.tables)}
        with tempfile.TemporaryDirectory() as work:
            facts |= run(study, Path(work) / source.stem, folder)
    except FlexmbError as err:
        facts["error"] = str(err).replace(str(source), source.name)
    shutil.copyfile(source, folder / source.name)
    (folder / FACTS).write_text(json.dumps(facts, indent=1), encoding="utf-8")
    return not facts["error"]


def run(study: Study, place: Path, folder: Path) -> dict[str, Any]:
    """Run the missing runs of a study in a folder and draw its figures; return the facts for its page."""
    study.run(place)
    drawn = draw_all(place)
    opened = open_study(place)
    svgs = [path for path in drawn.files if path.suffix == ".svg"]
    for path in (*svgs, place / TABLE, drawn.page):
        shutil.copyfile(path, folder / (REPORT if path == drawn.page else path.name))
    specs = {figure["name"]: spec_of(figure) for figure in opened.tables.get("figure", [])}
    captions = [(path.name, specs[path.stem].title or path.stem, specs[path.stem].caption) for path in svgs]
    if svgs:
        save_thumb(picture(opened, svgs[0].stem), folder)
    summary, columns = read_summary(place / SUMMARY), Columns(opened.tables)
    return {
        "summary": summary,
        "units": [columns.unit(entry.get("measure") or "") for entry in summary["expectations"]],
        "figures": captions,
        "table": _table(opened),
        "error": "\n".join(drawn.notes),
    }


def picture(opened: Opened, name: str) -> Image.Image:
    """Return a figure of a study as a picture with 200 pixels per inch."""
    [table] = [figure for figure in opened.tables["figure"] if figure["name"] == name]
    spec = spec_of(table)
    drawing, _ = draw_figure(spec, opened.table, Columns(opened.tables))
    return Image.open(BytesIO(rendered(drawing, spec, "png"))).convert("RGB")


def _table(opened: Opened) -> list[list[str]]:
    """Return the head and the rows of the table of a study."""
    table, columns = opened.table, Columns(opened.tables)
    names = [*table.axes, *table.numbers]
    heads = [f"{name}, {unit}" if (unit := columns.unit(name)) else name for name in names]
    rows = [[shown(row.value(name), DIGITS) for name in names] for row in table.rows]
    return [["run", *heads], *([str(row.index), *cells] for row, cells in zip(table.rows, rows, strict=True))]
