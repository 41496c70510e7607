"""The page of ``flexmb view --web``: the picture above, time and controls below."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flexmb.postproc.controls import KEYS

if TYPE_CHECKING:
    from flexmb.postproc.web import WebViewer

STYLE = """
html, body, #app { height: 100%; margin: 0; overflow: hidden; font: 14px "DejaVu Sans", sans-serif; color: #222; }
.flexmb { display: flex; flex-direction: column; height: 100vh; outline: none; background: #fff; }
.flexmb .picture { flex: 1 1 auto; min-height: 0; position: relative; }
.flexmb .controls { display: flex; flex-wrap: wrap; gap: 8px 14px; align-items: center; padding: 8px 14px;
  background: #f4f4f4; border-top: 1px solid #ddd; }
.flexmb .time { flex: 1 1 260px; accent-color: #0072B2; }
.flexmb .clock { min-width: 9em; font-variant-numeric: tabular-nums; font-weight: bold; }
.flexmb button, .flexmb select, .flexmb input { font: inherit; }
.flexmb input[type=number] { width: 5em; }
.flexmb .wrong { color: #b00020; font-weight: bold; }
.flexmb .help { position: absolute; left: 50%; top: 45%; transform: translate(-50%, -50%); padding: 14px 22px;
  background: #222e; color: #fff; border-radius: 6px; line-height: 1.7; white-space: nowrap; }
.flexmb .help .name { display: inline-block; min-width: 7em; font-weight: bold; }
"""

KEY = (
    "$event.metaKey || ($event.ctrlKey && !$event.altKey) || $event.target.tagName === 'SELECT' "
    "|| $event.target.type === 'number' "
    "|| (['INPUT', 'BUTTON'].includes($event.target.tagName) && ($event.key.length > 1 || $event.key === ' ')) "
    "? '' : $event.key"
)
"""The pressed key, unless the browser or a control handles it."""


def build_page(viewer: WebViewer) -> Any:
    """Build the page of a viewer and return the view in it."""
    from trame.ui.html import DivLayout
    from trame.widgets import client, html
    from trame.widgets import vtk as vtk_widgets

    with DivLayout(viewer.server):
        client.Style(STYLE)
        with html.Div(
            classes="flexmb",
            tabindex="0",
            id="viewer",
            keydown=(viewer.press, f"[{KEY}]"),
            raw_attrs=['@vue:mounted="$event.el.focus()"'],
        ):
            with html.Div(classes="picture"):
                view = vtk_widgets.VtkRemoteView(
                    viewer.plotter.render_window, interactive_ratio=1, still_quality=95, interactive_quality=80
                )
                with html.Div(v_show=("help",), classes="help", id="keys"):
                    for keys in KEYS:
                        with html.Div():
                            html.Span(keys.names, classes="name")
                            html.Span(keys.what)
            with html.Div(classes="controls"):
                html.Button("{{ playing ? '❚❚ pause' : '▶ play' }}", click="playing = !playing", id="play")
                html.Input(type="range", min=0, max=("last",), step=1, v_model=("index",), classes="time", id="time")
                html.Span("{{ clock }}", classes="clock", id="clock")
                with html.Label("speed "), html.Select(v_model=("speed",), id="speed"):
                    html.Option("{{ s.words }}", v_for="s in speeds", key="s.factor", value=("s.factor",))
                with html.Label("color "), html.Select(v_model=("field",), id="field"):
                    html.Option("{{ name.replace('_', ' ') }}", v_for="name in fields", key="name", value=("name",))
                with html.Label(f"{viewer.stage.scenes[0].enlarged} × "):
                    html.Input(type="number", step="any", v_model_lazy=("scale",), id="scale")
                html.Span("{{ wrong }}", v_show="wrong", classes="wrong", id="wrong")
                html.Button("camera", click=viewer.reset_camera, id="camera")
                html.Button("reference", click=(viewer.flip, "['reference']"))
                html.Button("impulses", click=(viewer.flip, "['impulses']"))
                html.Button("?", click="help = !help", id="help")
    return view
