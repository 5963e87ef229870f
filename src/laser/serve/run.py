"""Listening."""

from __future__ import annotations

import socket
from collections.abc import Callable

import uvicorn

from laser.serve.app import make_app
from laser.serve.settings import Settings

__all__ = ["listen", "serve"]


def listen(settings: Settings) -> socket.socket:
    """A socket at the place that was asked for."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((settings.host, settings.port))
        made.listen(128)  # who comes before the server is ready waits
    except OSError as error:
        made.close()
        raise OSError(error.errno, error.strerror, f"{settings.host}:{settings.port}") from None
    return made


def serve(settings: Settings, ready: Callable[[str], object]) -> None:
    """Serve until interrupted; ``ready`` is told the address."""
    with listen(settings) as place:
        port = place.getsockname()[1]
        config = uvicorn.Config(
            make_app(settings, port),
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=2,  # those who follow live streams never go by themselves
            lifespan="on",
        )
        host = f"[{settings.host}]" if ":" in settings.host else settings.host
        ready(f"http://{host}:{port}/")
        uvicorn.Server(config).run(sockets=[place])
