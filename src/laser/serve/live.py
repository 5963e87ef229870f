"""Live streams: a program that is fed over HTTP, or an output that is followed, and the clients that watch."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

from laser.serve.log import Log
from laser.serve.pool import Process
from laser.serve.settings import Limits

__all__ = ["Session", "Sessions", "TooManyError"]

BATCH = 1000
LINE_BYTES = 64 * 1024


class TooManyError(Exception):
    """The maximum number of live streams is reached."""


@dataclass
class Session:
    """A live stream: its worker, if it has a program, and its log."""

    name: str
    title: str
    log: Log
    process: Process | None = None
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    used: float = field(default_factory=time.monotonic)
    facts: int = 0

    async def feed(self, body: AsyncIterator[bytes]) -> dict[str, Any]:
        """Take lines as they arrive, in batches. Returns what was accepted, and what was refused."""
        taken: dict[str, Any] = {"facts": 0, "lines": 0, "rejected": []}
        async for lines in batches(body):
            if lines is None:
                reason = f"the line is longer than {LINE_BYTES:,} bytes; it and all lines after it are ignored"
                taken["rejected"].append({"line": taken["lines"] + 1, "reason": reason})
                break
            answer = await self._take(lines, taken["lines"] + 1)
            if "error" in answer:
                return {**taken, **answer}
            taken["lines"] += len(lines)
            taken["facts"] += len(answer["facts"])
            taken["rejected"] = (taken["rejected"] + answer["rejected"])[:BATCH]
        return taken

    async def _take(self, lines: list[str], first: int) -> dict[str, Any]:
        assert self.process is not None
        async with self.lock:  # several clients may feed one stream
            self.used = time.monotonic()
            if self.log.closed:
                return {"error": {"kind": "ended", "message": "this live stream has ended"}}
            answer = await self._ask({"task": "live-take", "lines": lines, "first": first})
            if "error" in answer:
                self.log.add("failed", answer["error"])
                self.end()
            elif answer["facts"] or answer["changes"]:
                self.facts += len(answer["facts"])
                self.log.add("step", {key: answer[key] for key in ("now", "facts", "changes")})
            return answer

    async def explain(self, request: dict[str, Any]) -> dict[str, Any]:
        """Ask the worker for an explanation."""
        if self.process is None or self.log.closed:
            return {
                "error": {
                    "kind": "refused",
                    "message": "this stream has no program, so there is nothing to explain",
                }
            }
        async with self.lock:
            answer = await self._ask({"task": "live-explain", "atom": request["atom"], "at": request["at"]})
            if not self.process.alive:  # it took too long and was stopped, with the run
                self.log.add("failed", answer.get("error", {}))
                self.end()
            return answer

    async def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Ask the worker. It cannot be replaced, because another worker does not know the stream."""
        assert self.process is not None
        if not self.process.alive:
            return {"error": {"kind": "ended", "message": "the process of this live stream was stopped: open it again"}}
        return await self.process.ask(request)

    def end(self) -> None:
        """Close the log, and stop the worker."""
        self.log.close()
        if self.process is not None:
            self.process.stop()


async def batches(body: AsyncIterator[bytes]) -> AsyncIterator[list[str] | None]:
    """The lines of a body, as many at a time as have arrived; None for a line that is too long, after which the body ends."""
    rest = b""
    async for chunk in body:
        *lines, rest = (rest + chunk).split(b"\n")
        for first in range(0, len(lines), BATCH):
            yield [line.decode("utf-8", "replace") for line in lines[first : first + BATCH]]
        if len(rest) > LINE_BYTES:
            yield None
            return
    if rest.strip():
        yield [rest.decode("utf-8", "replace")]


class Sessions:
    """All live streams by name."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._by_name: dict[str, Session] = {}
        self._opening = 0

    def get(self, name: str) -> Session | None:
        return self._by_name.get(name)

    def list(self) -> list[dict[str, Any]]:
        """The streams that the page offers to watch."""
        return [
            {
                "name": session.name,
                "title": session.title,
                "fed": session.process is not None,
                "watchers": session.log.readers,
            }
            for session in self._by_name.values()
            if not session.log.closed
        ]

    async def open(self, request: dict[str, Any]) -> tuple[Session | None, dict[str, Any]]:
        """A new stream for a program, or an error."""
        self.sweep()
        if (
            self._opening + sum(session.process is not None for session in self._by_name.values())
            >= self._limits.sessions
        ):
            raise TooManyError
        self._opening += 1
        try:
            return await self._open(request)
        finally:
            self._opening -= 1

    async def _open(self, request: dict[str, Any]) -> tuple[Session | None, dict[str, Any]]:
        process = Process(self._limits)
        wanted = {key: request.get(key) for key in ("program", "start", "tick", "background", "constants", "zone")}
        answer = await process.ask({**wanted, "task": "live-open", "limit": self._limits.derivations})
        if "error" in answer:
            process.stop()
            return None, answer
        name, title = secrets.token_urlsafe(9), str(request.get("title") or "live")[:80]
        session = self._by_name[name] = Session(name, title, Log(self._limits.log), process)
        return session, {"name": name}

    def add(self, name: str, title: str) -> Session:
        """A stream that the server itself feeds."""
        session = Session(name, title, Log(self._limits.log))
        self._by_name[name] = session
        return session

    def sweep(self) -> None:
        """End streams that nobody feeds or follows, and forget those that have ended."""
        now = time.monotonic()
        for name, session in list(self._by_name.items()):
            idle = session.process is not None and not session.log.readers and now - session.used > self._limits.idle
            if idle:
                session.end()
            if session.log.closed and not session.log.readers:
                del self._by_name[name]

    async def stop(self) -> None:
        """End all streams."""
        for session in self._by_name.values():
            session.log.close()
            if session.process is not None:
                await session.process.gone()
