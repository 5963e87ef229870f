"""The events of a live stream: each is written once, and every reader reads at its own pace.

Nobody waits for a slow reader. Events are kept up to a size. When the oldest must go, they are merged into a *state*; a new reader,
or one that is further behind, starts with the state. The state has a flag for that (``missed``), so that no loss is silent.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

__all__ = ["Log"]

HEARTBEAT = 15.0
CHUNK = 256 * 1024


class Event(NamedTuple):
    """An event as it is sent; nothing else of it is kept."""

    number: int
    wire: bytes

    @property
    def body(self) -> dict[str, Any]:
        """The content of the event."""
        body: dict[str, Any] = json.loads(self.wire[self.wire.index(b"data: ") + 6 :])
        return body


@dataclass
class State:
    """What holds, and since when, after all events that are no longer kept."""

    now: int | None = None
    since: dict[str, int] = field(default_factory=dict)

    def fold(self, body: dict[str, Any]) -> None:
        """Apply an event."""
        self.now = body.get("now", self.now)
        for time, atom, holds in body.get("changes", ()):
            if holds:
                self.since.setdefault(atom, time)
            else:
                self.since.pop(atom, None)


class Log:
    """Events in order, numbered from 1."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._events: deque[Event] = deque()
        self._size = 0
        self._base = State()
        self._states: dict[bool, bytes] = {}
        self._last = 0
        self._news = asyncio.Event()
        self.readers = 0
        self.closed = False

    @property
    def last(self) -> int:
        """The number of the last event."""
        return self._last

    def add(self, kind: str, body: dict[str, Any]) -> None:
        """Add an event, and wake all readers."""
        self._last += 1
        event = Event(self._last, _wire(kind, body, self._last))
        self._events.append(event)
        self._size += len(event.wire)
        if self._size > self._most:
            self._fold_oldest()
        self._wake()

    def _fold_oldest(self) -> None:
        """Merge half of the events into the state: it changes rarely, and is encoded once for all readers that start with it."""
        while self._size > self._most // 2 and len(self._events) > 1:
            oldest = self._events.popleft()
            self._size -= len(oldest.wire)
            self._base.fold(oldest.body)
        self._states.clear()

    def close(self) -> None:
        """No more events: readers stop after the last one."""
        self.closed = True
        self._wake()

    def _wake(self) -> None:
        self._news.set()
        self._news = asyncio.Event()

    async def read(self, after: int) -> AsyncIterator[bytes]:
        """All events after a number, as they arrive, as server-sent events."""
        yield b"retry: 1000\n\n"
        while True:
            news = self._news
            chunk, after = self._pending(after)
            if chunk:
                yield chunk
            elif self.closed:
                return
            else:
                yield await _wait(news)

    def _pending(self, after: int) -> tuple[bytes, int]:
        """The next events as one piece, and the number of the last one."""
        first = self._events[0].number if self._events else self._last + 1
        if after < first - 1 or after > self._last:
            return self._state(first - 1, missed=after > 0), first - 1  # alone, because it may be large and is shared
        parts: list[bytes] = []
        size = 0
        # Numbers have no gaps, so the position of an event is known.
        for place in range(after + 1 - first, len(self._events)):
            event = self._events[place]
            parts.append(event.wire)
            after, size = event.number, size + len(event.wire)
            if size > CHUNK:
                break
        return b"".join(parts), after

    def _state(self, number: int, missed: bool) -> bytes:
        """The state before the first event that is kept."""
        if missed not in self._states:
            self._states[missed] = self._write_state(number, missed)
        return self._states[missed]

    def _write_state(self, number: int, missed: bool) -> bytes:
        body = {"now": self._base.now, "holding": list(self._base.since.items()), "missed": missed}
        return _wire("state", body, number)


async def _wait(news: asyncio.Event) -> bytes:
    """Wait for news and return nothing; after a while without news, return a comment that keeps the connection alive."""
    try:
        await asyncio.wait_for(news.wait(), HEARTBEAT)
    except TimeoutError:
        return b": still here\n\n"
    return b""


def _wire(kind: str, body: dict[str, Any], number: int) -> bytes:
    data = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    return f"id: {number}\nevent: {kind}\ndata: {data}\n\n".encode("utf-8", "backslashreplace")
