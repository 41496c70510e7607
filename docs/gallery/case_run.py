"""Run a case for its page: numbers, pictures and the report, in one folder."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

import flexmb as fm
from flexmb.case.case import Case
from flexmb.errors import FlexmbError
from flexmb.postproc.campbell_plot import plot_campbell
from flexmb.postproc.instant import nearest_state
from flexmb.postproc.open_folder import open_folder
from flexmb.postproc.orbit_plot import plot_orbits
from flexmb.postproc.report import write_report
from flexmb.postproc.view import staged
from flexmb.record.io.frames import PointMaps
from flexmb.record.io.summary_json import plain
from flexmb.record.result import Result
from gallery.signals_run import signals_chart

FACTS, VIEW, THUMB, REPORT = "facts.json", "view.png", "thumb.png", "report.html"
SIZE, FINER, THUMB_SIZE = (900, 960), 2, (480, 270)
"""Pixels of the picture of a page, high so that its text is legible in a column; the factor by which it is drawn
larger; and pixels of the picture on the index."""
FIELDS = {"bars": "axial_force", "beams": "bending_moment"}
"""Field shown by colours, by the group of the case; displacement for other groups."""
ROTOR, MECHANISM = "rotors", "mechanisms"
ON_ITS_WAY = 0.6
"""Fraction of the largest displacement at which a mechanism is shown."""


def group_of(case: Case) -> str:
    """Return the group a case belongs to, by its bodies and joints."""
    parts = case.values.parts
    kinds = {part.kind for part in parts if part.role == "bodies"}
    held = [part for part in parts if part.role == "joints"]
    between = any("ground" not in (getattr(joint, "a", ""), getattr(joint, "b", "")) for joint in held)
    if "rotor" in kinds or "rotor" in case.title.lower():
        return ROTOR
    if between or (held and kinds & {"rigid", "rigid-planar"}):
        return MECHANISM
    if any("beam" in kind for kind in kinds):
        return "beams"
    return "bars" if "bar" in kinds else "particles"


def make(source: Path, folder: Path) -> bool:
    """Run a case and fill the folder of its page; return whether the run reached its end."""
    facts: dict[str, Any] = {"name": source.stem, "title": source.stem, "group": "particles", "error": ""}
    try:
        case = fm.load_case(source)
        facts |= {"title": case.title, "description": case.values.tables.description, "group": group_of(case)}
        with tempfile.TemporaryDirectory() as work:
            result = case.run(Path(work) / source.stem)
            facts |= {"summary": plain(result.summary)}
            facts["pictures"] = draw(case, result, Path(work) / source.stem, facts["group"], folder)
    except FlexmbError as err:
        facts["error"] = str(err).replace(str(source), source.name)
    shutil.copyfile(source, folder / source.name)
    (folder / FACTS).write_text(json.dumps(facts, indent=1), encoding="utf-8")
    return not facts["error"]


def draw(case: Case, result: Result, run: Path, group: str, folder: Path) -> list[tuple[str, str]]:
    """Draw everything of a run; return file names and captions of the charts."""
    draw_view(result, run, group, folder)
    write_report([run], folder / REPORT)
    charts = []
    if (chart := signals_chart(case, result)) is not None:
        chart.savefig(folder / "signals.png", dpi=150)
        charts.append(("signals.png", "Signals"))
    if group == ROTOR and any(body.kind == "rotor" for body in case.model().bodies.values()):
        plot_orbits(open_folder(run)).savefig(folder / "orbits.png", dpi=130)
        charts.append(("orbits.png", "Orbits of the recorded nodes"))
        if critical := [e.value or 0.0 for e in case.expects if e.signal.startswith("analysis.critical_speed")]:
            speeds = np.linspace(0.0, 1.1 * max(critical), 61)
            plot_campbell(fm.campbell(case, speeds), case.title).savefig(folder / "campbell.png", dpi=130)
            charts.append(("campbell.png", "Campbell diagram"))
    result.plot_energy().savefig(folder / "energy.png", dpi=150)
    return [*charts, ("energy.png", "Energy ledger: energies above, work and dissipation below")]


def draw_view(result: Result, run: Path, group: str, folder: Path) -> None:
    """Draw the picture of ``flexmb view`` at a characteristic time, and a small one of its scene alone."""
    from flexmb.postproc.screen import prepare_off_screen
    from flexmb.postproc.stage import draw as draw_stage
    from flexmb.postproc.view import reduced

    prepare_off_screen()
    field = FIELDS.get(group, "displacement")
    stage, t = staged([run], view_time(result, field, group), 1.0, field, whole=False)
    plotter = draw_stage(stage, t, (FINER * SIZE[0], FINER * SIZE[1]))
    try:
        image = Image.fromarray(np.ascontiguousarray(reduced(plotter, 1)))
        x, y, width, height = stage.panels[0].overlay.board.scene
    finally:
        plotter.close()
    image.save(folder / VIEW, optimize=True)
    # the region of the scene is given from the bottom of the picture
    w, h = image.size
    scene = image.crop((int(x * w), int((1.0 - y - height) * h), int((x + width) * w), int((1.0 - y) * h)))
    save_thumb(scene, folder)


def save_thumb(image: Image.Image, folder: Path) -> None:
    """Save a small version of a picture for the index, on white."""
    image.thumbnail(THUMB_SIZE)
    small = Image.new("RGB", THUMB_SIZE, "white")
    small.paste(image, ((THUMB_SIZE[0] - image.width) // 2, (THUMB_SIZE[1] - image.height) // 2))
    small.save(folder / THUMB, optimize=True)


def view_time(result: Result, field: str, group: str) -> float:
    """Return the time of the state to show, s: that of the largest contact impulse, or of the largest field value.

    Mechanisms are shown before the largest value, since their parts tend to be aligned at the turning point.
    """
    times = result.fields.times
    if any(np.any(contact.impulse) for contact in result.contacts.values()):
        return float(times[nearest_state(result, None)])
    maps, tree = PointMaps.from_tree(result.tree), result.tree
    frames = maps.frame if field == "displacement" else maps.cell_frame
    size = np.array([np.nanmax(np.abs(frames(tree, k)[field])) for k in range(len(times))])
    share = ON_ITS_WAY if group == MECHANISM else 1.0
    return float(times[int(np.argmin(np.abs(size - share * size.max())))])


def read_facts(folder: Path) -> dict[str, Any]:
    """Return the facts that a run stored for its page."""
    facts: dict[str, Any] = json.loads((folder / FACTS).read_text(encoding="utf-8"))
    return facts


def passed(facts: dict[str, Any]) -> bool:
    """Return whether the run reached its end and met all expectations."""
    return not facts["error"] and all(entry["ok"] for entry in facts["summary"]["expectations"])
