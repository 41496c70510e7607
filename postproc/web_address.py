"""The address of the page of ``flexmb view --web``: the port, the URL for a browser, and who can reach it."""

from __future__ import annotations

import os
import socket

from flexmb.errors import InputError

HERE = ("", "localhost", "127.0.0.1", "::1")
"""Hosts reachable from this machine only."""
EVERYWHERE = {"0.0.0.0": socket.AF_INET, "::": socket.AF_INET6}
"""Hosts that represent all addresses of this machine, with their address family."""
MOST = 65535


def check_port(port: int) -> None:
    """Raise InputError if this is not a valid port number."""
    if not 0 <= port <= MOST:
        raise InputError(f"must be 0 to {MOST}; 0 selects a free one", key="port", value=port)


def require_port(host: str, port: int) -> None:
    """Raise InputError if no server can listen at the address that ``bound`` returns."""
    try:
        family, kind, proto, _, address = socket.getaddrinfo(bound(host), port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, proto) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as err:
        raise refused(host, port, err) from err


def refused(host: str, port: int, err: OSError) -> InputError:
    """Return the error with the reason why no server can listen there."""
    unknown = isinstance(err, socket.gaierror) or not err.errno
    why = err.strerror or str(err) if unknown or err.errno is None else os.strerror(err.errno)
    message = f"cannot be listened on at '{bound(host)}' ({why}); --port 0 selects a free one"
    return InputError(message, key="port", value=port)


def bound(host: str) -> str:
    """Return the host of the server socket."""
    return "127.0.0.1" if host in ("", "localhost") else host


def address(host: str, port: int, token: str) -> str:
    """Return the URL of a page served at a host; with brackets around an IPv6 address."""
    name = _own_name(host) if host in EVERYWHERE else bound(host)
    return f"http://[{name}]:{port}/?token={token}" if ":" in name else f"http://{name}:{port}/?token={token}"


def reach(host: str) -> tuple[str, ...]:
    """Return a note on who else can reach a host; none if only this machine can."""
    if host in HERE:
        return ()
    where = f"all addresses of this machine ('{host}')" if host in EVERYWHERE else f"'{host}'"
    return (f"it listens on {where} and can be reached from other machines; whoever has the address can view it",)


def _own_name(host: str) -> str:
    """Return the name of this machine, or a loopback address if the name has no address."""
    try:
        socket.getaddrinfo(socket.gethostname(), None, EVERYWHERE[host])
    except OSError:
        return "::1" if EVERYWHERE[host] == socket.AF_INET6 else "127.0.0.1"
    return socket.gethostname()
