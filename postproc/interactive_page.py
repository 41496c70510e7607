"""A result as a self-contained interactive page for a notebook: the view of the report alone."""

from __future__ import annotations

import io
from html import escape
from pathlib import Path
from typing import Any

from flexmb.errors import InputError
from flexmb.postproc.out_file import writing
from flexmb.postproc.report.html import Html, tag
from flexmb.postproc.report.page import Page
from flexmb.postproc.report.runs import Run
from flexmb.postproc.report.write import usable
from flexmb.postproc.scene import Scene

HEIGHT = 680
"""Height of the page in a notebook, pixels."""
CHOOSE = """document.addEventListener("DOMContentLoaded", () => {
  const choose = (name, value) => {
    const box = document.getElementById(name);
    if (!box) return;
    if (![...box.options].some(o => o.value === value)) box.add(new Option(value + "×", value));
    box.value = value;
    box.dispatchEvent(new Event("change"));
  };
  choose("field", "%s");
  choose("scale", "%s");
});"""
"""Sets the color field and the magnification of displacements after the scripts of the page have run."""


class MotionPage(Page):
    """The motion of one result, without charts.

    Parameters
    ----------
    scene : Scene
        With the field, without a component, and the factor on displacements to begin with.
    time : float
        The time to begin with, s.
    """

    def __init__(self, scene: Scene, time: float) -> None:
        opened = scene.opened
        folder = opened.result.folder or Path()
        name = folder.resolve().name if opened.result.folder is not None else "result"
        super().__init__([Run(opened, folder, name, name, "")], None, [], [])
        self._scene, self._begin = scene, time

    def html(self) -> str:
        """Return the whole page; InputError when there is nothing to draw."""
        motion = self._motion()
        if not self.motions:
            raise InputError("; ".join(self.notes) or "there is no motion to draw")
        (spec,), look, camera = self.motions, self._scene.look, self._scene.camera
        # magnified displacements need more space than the report reserves
        spec["camera"] |= {key: getattr(camera, key).tolist() for key in ("right", "up", "out", "centre", "half")}
        names = [own["name"] for own in spec["fields"]]
        script = CHOOSE % (names.index(look.field.replace("_", " ")), f"{look.scale:g}")
        warnings = [tag("div", note, cls="warning") for note in self.runs[0].notes]
        return self._file(tag("main", *warnings, motion, tag("script", Html(script))))

    def _time(self) -> float:
        return self._begin


class Turnable:
    """The output of a notebook cell: an interactive page; a picture where pages are not supported.

    Parameters
    ----------
    page : str
        A whole HTML file.
    picture : PIL.Image.Image
    """

    def __init__(self, page: str, picture: Any) -> None:
        self.page, self.picture = page, picture

    def __repr__(self) -> str:
        return f"<page of {len(self.page) / 1e6:.1f} MB to turn and play; save() writes it>"

    def save(self, path: str | Path) -> Path:
        """Write the page as an HTML file of its own."""
        path = usable(Path(path))
        with writing(path, "page") as fresh:
            fresh.write_text(self.page, encoding="utf-8")
        return path

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        """Return the representations from which a notebook selects."""
        png = io.BytesIO()
        self.picture.save(png, "PNG")
        look = f"width: 100%; height: {HEIGHT}px; border: 0"
        # in a separate frame, so that the two pages cannot affect each other
        frame = f'<iframe sandbox="allow-scripts" style="{look}" srcdoc="{escape(self.page)}"></iframe>'
        return {"text/html": frame, "image/png": png.getvalue(), "text/plain": repr(self)}
