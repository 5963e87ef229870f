"""Listening."""

from __future__ import annotations

import errno
import socket
from collections.abc import Callable

import uvicorn

from laser.errors import LaserError
from laser.serve.access import Access
from laser.serve.app import make_app
from laser.serve.protocol import make_protocol
from laser.serve.settings import Limits, Settings

__all__ = ["listen", "serve"]

SPARE_FILES = 128
"""The number of open files besides connections: workers, modules, and files that are followed."""


def listen(settings: Settings) -> socket.socket:
    """A socket at the requested address."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((settings.host, settings.port))
        made.listen(128)  # clients that connect before the server is ready wait
    except OSError as error:
        made.close()
        raise _refusal(error, settings) from None
    return made


def _refusal(error: OSError, settings: Settings) -> Exception:
    if error.errno == errno.EADDRINUSE:
        return LaserError(
            f"port {settings.port} of {settings.host} is already in use: choose another with --port, or a free one with --port 0"
        )
    if error.errno == errno.EADDRNOTAVAIL:
        return LaserError(f"--host {settings.host} is not an address of this machine")
    return OSError(error.errno, error.strerror, f"{settings.host}:{settings.port}")


def serve(settings: Settings, ready: Callable[[str], object]) -> None:
    """Serve until interrupted; ``ready`` receives the address, with the token."""
    with listen(settings) as place:
        port = place.getsockname()[1]
        access = Access(port)
        config = uvicorn.Config(
            make_app(settings, port, access),
            http=make_protocol(_connections(settings.limits), settings.limits.head),
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=2,  # clients that follow live streams do not disconnect by themselves
            lifespan="on",
        )
        host = f"[{settings.host}]" if ":" in settings.host else settings.host
        ready(f"http://{host}:{port}/?token={access.token}")
        uvicorn.Server(config).run(sockets=[place])


def _connections(limits: Limits) -> int:
    """The requested number, or fewer if the system allows fewer open files."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return limits.connections
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return (
        limits.connections if files == resource.RLIM_INFINITY else max(16, min(limits.connections, files - SPARE_FILES))
    )
