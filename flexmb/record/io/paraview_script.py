"""The text of ``open.py``, which ParaView runs: settings of the run first, then the pipeline."""

from __future__ import annotations

from string import Template

FIELDS_FILE, OLDER_FILE, SCRIPT = "fields.vtkhdf", "fields.pvd", "open.py"
"""The script opens the first of these; ParaView 5.11 and older the second."""

TEXT = Template('''\
"""Open the fields beside this script in ParaView: paraview --state=$script, or File, Load State.

Bodies where they are, arrows where contacts push, the reference position in gray. Change the lines below and load it
again. Written by flexmb export.
"""

import os
import sys

import paraview.simple
from paraview.simple import *

FIELD = $field  # what the colours mean: one of FIELDS
SCALE = $scale  # of displacements
THICKNESS = $thickness  # of lines, 1 as they are
ARROW = $arrow  # length of arrows over impulse, m/(N s); 0 without arrows
TIME = $time  # where it opens, s
FOLDER = ""  # where the fields are, if not beside this script

FIELDS = {  # on points or cells; magnitude of a vector; unit; smallest and largest of the run
$fields
}
LINES = $lines
FOCUS, OUT, UP, DISTANCE = $focus, $out, $up, $distance
HALF = $half  # half width and half height of what is to be seen
TOP, BOTTOM, SIDES = 0.12, 0.22, 0.05  # parts of the window that are left to texts and colours

if FIELD not in FIELDS:
    raise RuntimeError("FIELD = %r: allowed are %s" % (FIELD, ", ".join(FIELDS)))
ON, COMPONENT, UNIT, LOW, HIGH = FIELDS[FIELD]
LABEL = "%s%s [%s]" % (FIELD.replace("_", " "), ", magnitude" if COMPONENT else "", UNIT)


def folders():
    """Return where the fields may be; paraview --script is the only way to run this that does not tell its place."""
    if FOLDER:
        return [FOLDER]
    scripts = [globals()["__file__"]] if globals().get("__file__") else [*said(), $script_literal]
    return [os.path.dirname(os.path.abspath(path)) for path in scripts if os.path.isfile(path)]


def said():
    """Return the words of the command line that name a script like this one; ParaView hides them, Linux does not."""
    words = list(sys.argv)
    if os.path.isfile("/proc/self/cmdline"):
        with open("/proc/self/cmdline", "rb") as line:
            words += [os.fsdecode(word) for word in line.read().split(bytes(1))]
    words += [word.split("=", 1)[-1] for word in words]
    return [word for word in words if os.path.basename(word) == $script_literal]


def opened():
    """Return a reader of the fields; ParaView reads $fields_file since 5.12."""
    here = folders()
    paths = [os.path.join(place, name) for name in ($fields_literal, $older_literal) for place in here]
    for path in filter(os.path.isfile, paths):
        try:
            return OpenDataFile(path)
        except RuntimeError:
            pass  # too old for this kind of file
    if any(map(os.path.isfile, paths)):
        command = "flexmb export DIR --format paraview --also pvd"
        raise RuntimeError("too old for $fields_file: use ParaView 5.12, or export by " + command)
    raise RuntimeError("no fields in %s: set FOLDER at the top of $script" % (here or "the current folder"))


paraview.simple._DisableFirstRenderCameraReset()  # as states of ParaView do: the camera below stays
LoadPalette("WhiteBackground")
reader = opened()
reader.UpdatePipeline()
view = GetActiveViewOrCreate("RenderView")
view.OrientationAxesVisibility = 1

reference = Show(reader, view)
reference.Representation = "Surface"
reference.ColorArrayName = [None, ""]
reference.AmbientColor = reference.DiffuseColor = [0.4, 0.4, 0.4]
reference.Opacity = 0.4
reference.LineWidth = 3.0
reference.PointSize = 14.0
reference.RenderPointsAsSpheres = 1

warped = WarpByVector(registrationName="moved", Input=reader)
warped.Vectors = ["POINTS", "displacement"]
warped.ScaleFactor = SCALE
surface = ExtractSurface(registrationName="bodies", Input=warped)
shown = [Show(surface, view)]
shown[0].LineWidth = 3.0
shown[0].PointSize = 14.0
shown[0].RenderPointsAsSpheres = 1
if LINES:  # ends of their own for every line, so that a shaft of many radii has steps
    apart = Shrink(registrationName="lines apart", Input=warped)
    apart.ShrinkFactor = 1.0
    radii = CellDatatoPointData(registrationName="radii", Input=apart)
    radii.ProcessAllArrays = 0
    radii.CellDataArraytoprocess = ["radius"]
    radii.PassCellData = 1
    tubes = Tube(registrationName="tubes", Input=ExtractSurface(registrationName="lines", Input=radii))
    tubes.Scalars = ["POINTS", "radius"]
    tubes.VaryRadius = "By Absolute Scalar"
    tubes.Radius = THICKNESS
    tubes.NumberofSides = 24
    shown.append(Show(tubes, view))

for display in shown:
    ColorBy(display, (ON, FIELD, COMPONENT) if COMPONENT else (ON, FIELD))
colours = GetColorTransferFunction(FIELD)
colours.ApplyPreset("Viridis (matplotlib)", True)
colours.NanColor = [0.74, 0.74, 0.74]
colours.AutomaticRescaleRangeMode = "Never"  # the range is that of the whole run
colours.RescaleTransferFunction(LOW, HIGH)
shown[-1].SetScalarBarVisibility(view, True)
bar = GetScalarBar(colours, view)
bar.Title, bar.ComponentTitle = LABEL, ""
bar.AutoOrient, bar.Orientation = 0, "Horizontal"
bar.WindowLocation, bar.Position = "Any Location", [0.25, 0.04]
bar.ScalarBarLength = 0.5
bar.AddRangeLabels = 0
bar.DrawNanAnnotation = 0

if ARROW > 0.0:
    arrows = Glyph(registrationName="contact impulses", Input=warped, GlyphType="Arrow")
    arrows.OrientationArray = ["POINTS", "contact_impulse"]
    arrows.ScaleArray = ["POINTS", "contact_impulse"]
    arrows.VectorScaleMode = "Scale by Magnitude"
    arrows.ScaleFactor = ARROW
    arrows.GlyphMode = "All Points"
    arrows.GlyphTransform.Translate = [-1.0, 0.0, 0.0]  # the tip is at the point that is pushed
    pushed = Show(arrows, view)
    pushed.ColorArrayName = [None, ""]
    pushed.AmbientColor = pushed.DiffuseColor = [0.835, 0.369, 0.0]

clock = AnnotateTime(registrationName="time")  # of the view: the filter stays at zero with .vtkhdf in 5.13
clock.Format = "t = {time:.6g} s"
if SCALE != 1.0:
    clock.Format += "\\ndisplacements drawn x %g" % SCALE
if LINES and THICKNESS != 1.0:
    clock.Format += "\\nthickness drawn x %.3g" % THICKNESS
written = Show(clock, view)
written.WindowLocation = "Upper Left Corner"
scene = GetAnimationScene()
scene.UpdateAnimationUsingDataTimeSteps()
scene.PlayMode = "Snap To TimeSteps"
scene.AnimationTime = TIME

width, height = view.ViewSize
room = max(HALF[1] / (1.0 - TOP - BOTTOM), HALF[0] / (1.0 - 2.0 * SIDES) * height / width)
focus = [at - (BOTTOM - TOP) * room * up for at, up in zip(FOCUS, UP)]
view.CameraParallelProjection = 1
view.CameraParallelScale = room
view.CameraFocalPoint = focus
view.CameraPosition = [at + DISTANCE * out for at, out in zip(focus, OUT)]
view.CameraViewUp = UP
SetActiveSource(warped)
Render(view)
''')


def script(values: dict[str, object], fields: dict[str, tuple[str, str, str, float, float]]) -> str:
    """Return the text of ``open.py``.

    Parameters
    ----------
    values : dict
        ``field``, ``scale``, ``thickness``, ``arrow``, ``time``, ``lines``, ``focus``, ``out``, ``up``, ``distance``
        and ``half``, of which Python can read the ``repr``.
    fields : dict
        By name: on points or cells, ``Magnitude`` or nothing, unit, smallest and largest value.
    """
    literals = {key: _literal(value) for key, value in values.items()}
    names = {"script": SCRIPT, "fields_file": FIELDS_FILE}
    files = {"script_literal": SCRIPT, "fields_literal": FIELDS_FILE, "older_literal": OLDER_FILE}
    literals |= {key: _literal(name) for key, name in files.items()}
    table = "\n".join(f"    {_literal(name)}: {_literal(row)}," for name, row in fields.items())
    return TEXT.substitute(literals, fields=table, **names)


def _literal(value: object) -> str:
    return repr(value).replace("'", '"')
