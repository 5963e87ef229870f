"""Connections: how many are allowed, and how long one may take to send its request."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = ["make_protocol"]


def make_protocol(connections: int, seconds: float) -> type[H11Protocol]:
    """A protocol with this many connections, and this many seconds for the head of a request."""

    class Protocol(H11Protocol):
        """HTTP/1.1 with a time limit for the head of a request."""

        _waiting: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            if len(self.connections) > connections:
                transport.write(
                    b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nRetry-After: 5\r\nConnection: close\r\n\r\n"
                )
                transport.close()
                return
            self._expect_head()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self.cycle is not None and not self.cycle.response_complete:
                self._forget_head()  # the head is complete; the application limits the time for the rest
            elif self._waiting is None:
                self._expect_head()

        def connection_lost(self, exc: Exception | None) -> None:
            self._forget_head()
            super().connection_lost(exc)

        def _expect_head(self) -> None:
            self._waiting = self.loop.call_later(seconds, self._too_slow)

        def _forget_head(self) -> None:
            if self._waiting is not None:
                self._waiting.cancel()
                self._waiting = None

        def _too_slow(self) -> None:
            self._waiting = None
            if self.cycle is None or self.cycle.response_complete:
                self.transport.close()

    return Protocol
