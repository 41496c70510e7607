"""``flexmb view --web``: the viewer as a page in a browser. The pictures are drawn here, only they travel.

trame serves the page and carries events; it stands on VTK's own remote rendering. Nobody gets anything without the
token of the address: the first request brings it, a cookie keeps it, and the web socket asks for it as well.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import socket
import time
from collections.abc import Awaitable, Callable
from typing import Any

import numpy as np

from flexmb.errors import InputError
from flexmb.postproc.player import Player
from flexmb.postproc.stage import Stage
from flexmb.postproc.web_page import build_page

TICK = 0.04
"""Seconds between two pictures while playing."""
SETTLE = 0.15
"""Seconds a window must keep its size before the charts are drawn for it."""


class WebViewer:
    """Scenes on a page.

    Parameters
    ----------
    stage : Stage
        Of scenes made for all states.
    t : float
        The time to begin with, s.
    size : tuple of int
        Until the browser says how large it is, pixels.
    speed : float, optional
        Seconds of the result per second.
    """

    def __init__(self, stage: Stage, t: float, size: tuple[int, int], speed: float | None = None) -> None:
        from trame.app import get_server

        self.stage, self.player = stage, Player(stage.times, t, speed)
        self.plotter = stage.plotter(size, off_screen=True)
        self.plotter.render_window.SetMultiSamples(4)
        stage.add_to(self.plotter, t)
        self.plotter.render()
        self.server = get_server(f"flexmb {secrets.token_hex(4)}", client_type="vue3")
        self.state: Any = self.server.state
        self.state.trame__title = "flexmb"
        self.state.trame__favicon = None
        self.state.index, self.state.last = self._index(), len(stage.times) - 1
        self.state.playing, self.state.speed = False, 1.0
        self.state.field, self.state.fields = stage.field, [*dict.fromkeys([stage.field, *stage.available])]
        self.state.scale, self.state.clock, self.state.help = stage.scale, self._clock(), False
        self._normal = self.player.speed
        self._resized = 0.0
        self.state.change("index")(self._slid)
        self.state.change("playing")(self._played)
        self.state.change("speed")(self._paced)
        self.state.change("field")(self._recoloured)
        self.state.change("scale")(self._rescaled)
        self.view = build_page(self)
        self.plotter.render_window.AddObserver("WindowResizeEvent", self._note_size)

    def _index(self) -> int:
        return int(np.argmin(np.abs(self.stage.times - self.player.t)))

    def _clock(self) -> str:
        return f"t = {self.player.t:.6g} s"

    def _show(self, t: float) -> None:
        self.stage.show(self.player.go(t))
        self.state.clock = self._clock()
        self.view.update()

    def _slid(self, index: object, **_: object) -> None:
        k = min(max(int(float(str(index))), 0), len(self.stage.times) - 1)
        if k != self._index():
            self._show(float(self.stage.times[k]))

    def _played(self, playing: bool, **_: object) -> None:
        self.player.playing = bool(playing)
        if playing:
            asyncio.get_running_loop().create_task(self._play())

    async def _play(self) -> None:
        """Go on by the time that has passed, until paused."""
        before = time.monotonic()
        while self.player.playing:
            await asyncio.sleep(TICK)
            now = time.monotonic()
            with self.state:
                self._show(self.player.tick(now - before))
                self.state.index = self._index()
            before = now

    def _paced(self, speed: object, **_: object) -> None:
        self.player.speed = self._normal * float(str(speed))

    def _recoloured(self, field: str, **_: object) -> None:
        if field != self.stage.field and field in self.state.fields:
            self.stage.recolour(field)
            self.view.update()

    def _rescaled(self, scale: object, **_: object) -> None:
        try:
            factor = float(str(scale))
        except ValueError:
            return
        if 0.0 < factor < np.inf and factor != self.stage.scale:
            self.stage.rescale(factor)
            self.view.update()

    def flip(self, what: str) -> None:
        """Show or hide the reference or the impulses."""
        self.stage.flip(what)
        self.view.update()

    def reset_camera(self) -> None:
        """Look from where one looked at first."""
        self.stage.aim()
        self.view.update()

    def key(self, name: str) -> None:
        """Do what the key does in the window."""
        steps = {"ArrowLeft": -1, "ArrowRight": 1, "PageUp": -10, "PageDown": 10}
        if name in steps:
            self._show(self.player.step(steps[name]))
        elif name in ("Home", "End"):
            self._show(self.player.first if name == "Home" else self.player.last)
        elif name == " ":
            self.state.playing = not self.state.playing
        elif name in ("+", "=", "-"):
            self.state.speed = float(self.state.speed) * (0.5 if name == "-" else 2.0)
        elif name == "f":
            names = self.state.fields
            self.state.field = names[(names.index(self.state.field) + 1) % len(names)]
        elif name in ("[", "]"):
            self.state.scale = float(self.state.scale) * (0.5 if name == "[" else 2.0)
        elif name in ("a", "r"):
            self.flip({"a": "impulses", "r": "reference"}[name])
        elif name == "c":
            self.reset_camera()
        elif name == "?":
            self.state.help = not self.state.help
        self.state.index = self._index()

    def _note_size(self, *_: object) -> None:
        """Draw the charts anew once the browser's window has settled."""
        size = tuple(self.plotter.render_window.GetSize())
        first = self.stage.panels[0].overlay.board.size
        if abs(size[0] - first[0] * len(self.stage.panels)) <= len(self.stage.panels) and size[1] == first[1]:
            return
        self._resized = time.monotonic()
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return
        loop.create_task(self._fit())

    async def _fit(self) -> None:
        await asyncio.sleep(SETTLE)
        if time.monotonic() - self._resized >= 0.9 * SETTLE:
            self.stage.fit()
            self.view.update()

    def serve(self, host: str, port: int, token: str, ready: Callable[[str], None]) -> None:
        """Serve the page until interrupted; ``ready`` gets the address."""
        # trame would read our command line, and announce itself on our standard output
        key = secrets.token_hex(16)
        os.environ["TRAME_ARGS"] = f"--server --authKey {key}"
        os.environ["WSLINK_READY_MSG"] = ""
        shown = "127.0.0.1" if host in ("", "localhost") else host
        guard, session = _guard(token), _session(key)

        def bind(web: Any) -> None:
            web.app.middlewares.append(guard)
            web.app.router.add_post("/paraview/", session)

        self.server.controller.on_server_bind.add(bind)
        self.server.controller.on_client_connected.add(self.view.update)
        self.server.controller.on_server_ready.add(
            lambda **_: ready(f"http://{shown}:{self.server.port}/?token={token}")
        )
        try:
            self.server.start(
                port=port,
                host=shown,
                open_browser=False,
                show_connection_info=False,
                disable_logging=True,
                timeout=0,
            )
        finally:
            self.player.playing = False
            self.plotter.close()


def _guard(token: str) -> Any:
    """Return what asks every request for the token, in its address or its cookie."""
    from aiohttp import web

    cookie = f"flexmb-{secrets.token_hex(4)}"

    async def guard(request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        given = request.query.get("token", "")
        kept = request.cookies.get(cookie, "")
        known = [secrets.compare_digest(word.encode(), token.encode()) for word in (given, kept)]
        if not any(known):
            return web.Response(status=403, text="flexmb: the address needs the token that was printed\n")
        try:
            response = await handler(request)
        except web.HTTPException as answer:
            response = answer
        if known[0] and not response.prepared:
            response.set_cookie(cookie, token, httponly=True, samesite="Strict", path="/")
        if isinstance(response, web.HTTPException):
            raise response
        return response

    return web.middleware(guard)


def _session(key: str) -> Any:
    """Return what tells the page, when it asks at its start, where its web socket is and the key of that."""
    from aiohttp import web

    async def session(request: Any) -> Any:
        return web.json_response({"sessionURL": f"ws://{request.host}/ws", "secret": key})

    return session


def require_port(host: str, port: int) -> None:
    """Raise InputError when nothing can listen there."""
    try:
        family, kind, proto, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, proto) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as err:
        message = f"cannot be listened on at '{host}' ({err.strerror or err}); --port 0 takes any that is free"
        raise InputError(message, key="port", value=port) from err


def serve(
    stage: Stage, t: float, size: tuple[int, int], speed: float | None, where: tuple[str, int], ready: Any
) -> None:
    """Serve scenes at ``where`` (host, port) with a fresh token until interrupted."""
    viewer = WebViewer(stage, t, size, speed)
    viewer.serve(*where, secrets.token_urlsafe(24), ready)
