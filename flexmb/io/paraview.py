"""ParaView export: the fields, and a script that opens them as one wants to see them."""

from __future__ import annotations

from pathlib import Path
from string import Template
from typing import Any

import numpy as np

from flexmb.io.frames import PointMaps
from flexmb.io.structure import UNITS, Tree
from flexmb.io.vtkhdf import write_fields
from flexmb.layout import Layout
from flexmb.state import Array

FIELDS, SCRIPT = "fields.vtkhdf", "open.py"
THINNEST = 0.004
"""Radius of tubes, over the size of the picture, below which they could not be seen."""
LONGEST_ARROW = 0.25
"""Length of the largest impulse over the size of the picture."""
BENDING = slice(4, 6)
"""Bending stiffnesses among those of ``LineSections``."""

TEXT = Template('''\
"""Open $fields in ParaView 5.12 or later: paraview --script=open.py, or File, Load State.

Bodies where they are, arrows of contact impulses, reference position in grey; colours: ${field_words}.
"""

import os

import paraview.simple
from paraview.simple import *

paraview.simple._DisableFirstRenderCameraReset()  # as states of ParaView do: the camera below stays
LoadPalette("WhiteBackground")

# scripts that the program runs from its menus do not know their own place
FOLDER = os.path.dirname(os.path.abspath(__file__)) if "__file__" in globals() else $folder
FIELD, ON, COMPONENT, LABEL, LIMITS = $field, $on, $component, $label, $limits
RADIUS, ARROW, SCALE = $radius, $arrow, 1.0

reader = OpenDataFile(os.path.join(FOLDER, $fields_literal))
reader.UpdatePipeline()
view = GetActiveViewOrCreate("RenderView")
view.OrientationAxesVisibility = 1

reference = Show(reader, view)
reference.Representation = "Surface"
reference.ColorArrayName = [None, ""]
reference.AmbientColor = reference.DiffuseColor = [0.6, 0.6, 0.6]
reference.Opacity = 0.3
reference.LineWidth = 2.0

warped = WarpByVector(registrationName="moved", Input=reader)
warped.Vectors = ["POINTS", "displacement"]
warped.ScaleFactor = SCALE
surface = ExtractSurface(registrationName="bodies", Input=warped)
shown = [Show(surface, view)]
shown[0].LineWidth = 4.0
shown[0].PointSize = 14.0
shown[0].RenderPointsAsSpheres = 1
if RADIUS > 0.0:
    tubes = Tube(registrationName="tubes", Input=surface)
    tubes.Scalars = ["POINTS", ""]
    tubes.Vectors = ["POINTS", ""]
    tubes.VaryRadius = "Off"
    tubes.Radius = RADIUS
    tubes.NumberofSides = 16
    shown.append(Show(tubes, view))

for display in shown:
    ColorBy(display, (ON, FIELD, COMPONENT))
colours = GetColorTransferFunction(FIELD)
colours.ApplyPreset("Viridis (matplotlib)", True)
colours.NanColor = [0.74, 0.74, 0.74]
colours.AutomaticRescaleRangeMode = "Never"  # the range is that of the whole run
colours.RescaleTransferFunction(*LIMITS)
shown[-1].SetScalarBarVisibility(view, True)
bar = GetScalarBar(colours, view)
bar.Title, bar.ComponentTitle = LABEL, ""
bar.WindowLocation = "Lower Right Corner"

if ARROW > 0.0:
    arrows = Glyph(registrationName="contact impulses", Input=warped, GlyphType="Arrow")
    arrows.OrientationArray = ["POINTS", "contact_impulse"]
    arrows.ScaleArray = ["POINTS", "contact_impulse"]
    arrows.VectorScaleMode = "Scale by Magnitude"
    arrows.ScaleFactor = ARROW
    arrows.GlyphMode = "All Points"
    pushed = Show(arrows, view)
    pushed.ColorArrayName = [None, ""]
    pushed.AmbientColor = pushed.DiffuseColor = [0.835, 0.369, 0.0]

clock = AnnotateTimeFilter(registrationName="time", Input=reader)
clock.Format = "t = {time:.6g} s"
Show(clock, view)
scene = GetAnimationScene()
scene.UpdateAnimationUsingDataTimeSteps()
scene.PlayMode = "Snap To TimeSteps"
scene.GoToFirst()

view.CameraParallelProjection = 1
view.CameraFocalPoint = $focus
view.CameraPosition = $eye
view.CameraViewUp = $up
view.CameraParallelScale = $height
SetActiveSource(warped)
Render(view)
''')


def write_paraview(tree: Tree, folder: Path) -> list[Path]:
    """Write ``fields.vtkhdf`` and ``open.py`` into ``folder``; return the script."""
    write_fields(tree, folder / FIELDS)
    path = folder / SCRIPT
    # the folder has a temporary name until all is written
    path.write_text(script(tree, folder.resolve().with_suffix("")), encoding="utf-8")
    return [path]


def script(tree: Tree, folder: Path) -> str:
    """Return the text of ``open.py``."""
    maps = PointMaps.from_tree(tree)
    name = telling_field(maps)
    moved, limits, push = _swept(maps, tree, name)
    size = float(np.linalg.norm(moved[1] - moved[0])) or 1.0
    words = name.replace("_", " ") + (", magnitude" if name != "axial_force" else "")
    values: dict[str, Any] = {
        "folder": str(folder),
        "fields_literal": FIELDS,
        "field": name,
        "on": "POINTS" if name == "displacement" else "CELLS",
        "component": "" if name == "axial_force" else "Magnitude",
        "label": f"{words} [{UNITS[name]}]",
        "limits": limits,
        "radius": _radius(maps.layout, size),
        "arrow": LONGEST_ARROW * size / push if push else 0.0,
        **_camera(moved, size),
    }
    literals = {key: repr(value) for key, value in values.items()}
    return TEXT.substitute(literals, fields=FIELDS, field_words=words)


def telling_field(maps: PointMaps) -> str:
    """Return what to colour by: the bending moment of beams, the axial force of bars, else the displacement."""
    if maps.forces is None or maps.layout.sections is None:
        return "displacement"
    bends = np.nan_to_num(maps.layout.sections.stiffness[:, BENDING])
    return "bending_moment" if np.any(bends) else "axial_force"


def _swept(maps: PointMaps, tree: Tree, name: str) -> tuple[Array, tuple[float, float], float]:
    """Return the box of all kept states (2, 3), the range of a field over them, and the largest impulse on a point."""
    low, high = maps.layout.points.min(axis=0), maps.layout.points.max(axis=0)
    least, most, push = np.inf, -np.inf, 0.0
    for k in range(len(tree["/state/time"])):
        vectors = maps.frame(tree, k)
        places = maps.layout.points + vectors["displacement"]
        low, high = np.minimum(low, places.min(axis=0)), np.maximum(high, places.max(axis=0))
        values = vectors[name] if name in vectors else maps.cell_frame(tree, k)[name]
        sizes = np.linalg.norm(values, axis=1) if values.ndim > 1 else values
        least, most = min(least, float(np.nanmin(sizes))), max(most, float(np.nanmax(sizes)))
        if "contact_impulse" in vectors:
            push = max(push, float(np.linalg.norm(vectors["contact_impulse"], axis=1).max()))
    return np.stack([low, high]), (least, most if most > least else least + 1.0), push


def _radius(layout: Layout, size: float) -> float:
    """Return the radius of tubes, 0 where there are no lines."""
    return max(float(np.median(layout.radius_of_cell)), THINNEST * size) if len(layout.cells) else 0.0


def _camera(box: Array, size: float) -> dict[str, Any]:
    """Return a camera that looks at the box along its shortest side, z or else y up."""
    extent, middle = box[1] - box[0], box.mean(axis=0)
    # of sides equally short y is looked along first: most models lie in x and z
    look = min((1, 2, 0), key=lambda axis: (round(float(extent[axis]) / size, 6), (1, 2, 0).index(axis)))
    ahead = np.eye(3)[look] * (-1.0 if look == 1 else 1.0)  # seen along y from -y, x points to the right
    up = np.eye(3)[1 if look == 2 else 2]
    height = max(0.6 * float(extent @ up), 0.3 * float(np.max(extent)), 1e-12)
    values = {"focus": middle, "eye": middle + 3.0 * size * ahead, "up": up}
    return {key: value.tolist() for key, value in values.items()} | {"height": height}
