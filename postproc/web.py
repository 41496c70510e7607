"""``flexmb view --web``: the viewer as a page in a browser. The pictures are drawn here, only they travel.

The pictures are rendered on the server and only transferred. trame serves the page and transmits events; it is based on
VTK's remote rendering. Every request needs the token of the address: the first one contains it, a cookie replaces it
later, and the web socket requires it as well.
"""

from __future__ import annotations

import asyncio
import math
import os
import secrets
import time
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

from flexmb.errors import InputError
from flexmb.postproc.controls import Controls
from flexmb.postproc.instant import nearest
from flexmb.postproc.player import pace
from flexmb.postproc.stage import Stage
from flexmb.postproc.web_address import address, bound, refused
from flexmb.postproc.web_page import build_page

TICK = 0.04
"""Seconds between two frames during playback."""
SETTLE = 0.15
"""Time for which a window must keep its size before the charts are redrawn, s."""

SPEEDS = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
"""Selectable playback speeds, over the initial one; keys also reach others."""


class WebViewer(Controls):
    """Scenes on a web page.

    Parameters
    ----------
    stage : Stage
        Of scenes made for all states.
    t : float
        The time to begin with, s.
    size : tuple of int
        Initial size, until the browser reports its own, pixels.
    speed : float, optional
        Seconds of the result per second.
    """

    def __init__(self, stage: Stage, t: float, size: tuple[int, int], speed: float | None = None) -> None:
        from trame.app import get_server

        super().__init__(stage, t, speed)
        self.plotter = stage.plotter(size, off_screen=True)
        self.plotter.render_window.SetMultiSamples(4)
        stage.add_to(self.plotter, t)
        self.plotter.render()
        self.server = get_server(f"flexmb {secrets.token_hex(4)}", client_type="vue3")
        self.state: Any = self.server.state
        self.state.trame__title = "flexmb"
        self.state.trame__favicon = None
        self.state.last, self.state.help = len(stage.times) - 1, False
        self.state.fields = [*dict.fromkeys([stage.field, *stage.available])]
        self._resized = 0.0
        self._playing: asyncio.Task[None] | None = None
        self._tell()
        self.state.change("index")(self._slid)
        self.state.change("playing")(self._played)
        self.state.change("speed")(self._paced)
        self.state.change("field")(self._recoloured)
        self.state.change("scale")(self._rescaled)
        self.view = build_page(self)
        self.plotter.render_window.AddObserver("WindowResizeEvent", self._note_size)

    def refresh(self) -> None:
        """Update the page, and send it the picture."""
        self._tell()
        self.view.update()

    def _tell(self) -> None:
        """Send the current state to the page."""
        player = self.player
        self.state.index, self.state.clock = self._index(), self.stage.panels[0].overlay.clock.GetInput()
        self.state.playing, self.state.speed = player.playing, player.factor
        speeds = [(factor, factor * player.normal) for factor in sorted({*SPEEDS, player.factor})]
        self.state.speeds = [{"factor": f, "words": f"× {f:g} ({pace(speed)})"} for f, speed in speeds]
        self.state.field, self.state.scale, self.state.wrong = self.stage.field, self.stage.scale, ""

    def start(self) -> None:
        """Start playback, once."""
        self.stop()
        self._playing = asyncio.get_running_loop().create_task(self._play())

    def stop(self) -> None:
        """Stop the playback timer."""
        if self._playing is not None:
            self._playing.cancel()
            self._playing = None

    async def _play(self) -> None:
        while self.player.playing:
            await asyncio.sleep(TICK)
            with self.state:
                self.tick()

    def show_keys(self) -> None:
        """List the keys, or take the list away."""
        self.state.help = not self.state.help

    def _index(self) -> int:
        return nearest(self.stage.times, self.player.t)

    def _slid(self, index: object, **_: object) -> None:
        wanted = _number(index)
        if wanted is None:
            self.state.index = self._index()
            return
        k = int(min(max(wanted, 0), len(self.stage.times) - 1))
        if k != self._index():
            self.go(float(self.stage.times[k]))

    def _played(self, playing: object, **_: object) -> None:
        if bool(playing) != self.player.playing:
            self.play()

    def _paced(self, speed: object, **_: object) -> None:
        wanted = _number(speed)
        if wanted is None or wanted <= 0.0:
            self.state.speed = self.player.factor
        elif wanted != self.player.factor:
            self.faster(wanted / self.player.factor)

    def _recoloured(self, field: str, **_: object) -> None:
        if field != self.stage.field and field in self.state.fields:
            self.recolour(field)

    def _rescaled(self, scale: object, **_: object) -> None:
        """Magnify displacements, or report the error and reset the input field."""
        if scale == self.stage.scale:
            return
        try:
            self.rescale(scale)
        except InputError as err:
            self.state.scale, self.state.wrong = self.stage.scale, str(err)

    def _note_size(self, *_: object) -> None:
        """Redraw the charts once the size of the browser window is stable."""
        if self.stage.fits:
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
        """Serve the page until interrupted; ``ready`` is called with the address."""
        # trame would read our command line, and print on our standard output
        key = secrets.token_hex(16)
        os.environ["TRAME_ARGS"] = f"--server --authKey {key}"
        os.environ["WSLINK_READY_MSG"] = ""
        guard, session = _guard(token), _session(key)

        def bind(web: Any) -> None:
            web.app.middlewares.append(guard)
            web.app.router.add_post("/paraview/", session)

        self.server.controller.on_server_bind.add(bind)
        self.server.controller.on_client_connected.add(self.view.update)
        serving: list[str] = []

        def tell(**_: object) -> None:
            serving.append(address(host, self.server.port, token))
            ready(serving[0])

        self.server.controller.on_server_ready.add(tell)
        try:
            self.server.start(
                port=port,
                host=bound(host),
                open_browser=False,
                show_connection_info=False,
                disable_logging=True,
                timeout=0,
            )
        except OSError as err:
            if serving:
                raise
            raise refused(host, port, err) from err  # the port was taken since it was checked
        finally:
            self.player.playing = False
            self.plotter.close()


def _number(value: object) -> float | None:
    """Return a number sent by a page; None if it is not a number."""
    try:
        number = float(str(value))
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _same_site(origin: str, host: str) -> bool:
    """Return whether a page from ``origin`` was served at ``host``, also through a tunnel with another port."""
    try:
        return urlsplit(origin).netloc.lower() == host.lower()
    except ValueError:
        return False


def _guard(token: str) -> Any:
    """Return the check of every request for the token in its address, or for the cookie issued for it.

    Requests by pages of other sites are refused even with the cookie, since a browser sends their origin.
    """
    from aiohttp import web

    cookie, kept_word = f"flexmb-{secrets.token_hex(4)}", secrets.token_urlsafe(24)

    async def guard(request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        origin = request.headers.get("Origin")
        if origin is not None and not _same_site(origin, request.host):
            return web.Response(status=403, text="flexmb: requests from pages of other sites are refused\n")
        known = [
            secrets.compare_digest(word.encode(errors="replace"), right.encode())
            for word, right in ((request.query.get("token", ""), token), (request.cookies.get(cookie, ""), kept_word))
        ]
        if not any(known):
            return web.Response(status=403, text="flexmb: the address needs the token that was printed\n")
        try:
            response = await handler(request)
        except web.HTTPException as answer:
            response = answer
        if known[0] and not response.prepared:
            response.set_cookie(cookie, kept_word, httponly=True, samesite="Strict", path="/")
        if isinstance(response, web.HTTPException):
            raise response
        return response

    return web.middleware(guard)


def _session(key: str) -> Any:
    """Return the handler that sends the page, on request, the address and the key of its web socket."""
    from aiohttp import web

    async def session(request: Any) -> Any:
        return web.json_response({"sessionURL": f"ws://{request.host}/ws", "secret": key})

    return session


def serve(
    stage: Stage, t: float, size: tuple[int, int], speed: float | None, where: tuple[str, int], ready: Any
) -> None:
    """Serve scenes at ``where`` (host, port) with a fresh token until interrupted."""
    viewer = WebViewer(stage, t, size, speed)
    viewer.serve(*where, secrets.token_urlsafe(24), ready)
