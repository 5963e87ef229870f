"""The events of a live stream: each is written once, and read by everybody at their own pace.

Nobody waits for a slow reader. Events are kept up to a size; when the oldest must go, what they said is folded into a *state*, and a
reader who had not come so far, or comes new, begins with the state. It says so (``missed``), so that nothing is lost in silence.
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
    """An event as it goes over the wire; nothing else is kept of it."""

    number: int
    wire: bytes

    @property
    def body(self) -> dict[str, Any]:
        """What it says."""
        body: dict[str, Any] = json.loads(self.wire[self.wire.index(b"data: ") + 6 :])
        return body


@dataclass
class State:
    """What holds, and since when, after all events that are no longer kept."""

    now: int | None = None
    since: dict[str, int] = field(default_factory=dict)

    def fold(self, body: dict[str, Any]) -> None:
        """Take an event in."""
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
        """Write an event, and wake all readers."""
        self._last += 1
        event = Event(self._last, _wire(kind, body, self._last))
        self._events.append(event)
        self._size += len(event.wire)
        if self._size > self._most:
            self._fold_oldest()
        self._wake()

    def _fold_oldest(self) -> None:
        """Fold half of what is kept into the state: it changes seldom, and is written once for all who begin with it."""
        while self._size > self._most // 2 and len(self._events) > 1:
            oldest = self._events.popleft()
            self._size -= len(oldest.wire)
            self._base.fold(oldest.body)
        self._states.clear()

    def close(self) -> None:
        """No more events: readers end when they have read all."""
        self.closed = True
        self._wake()

    def _wake(self) -> None:
        self._news.set()
        self._news = asyncio.Event()

    async def read(self, after: int) -> AsyncIterator[bytes]:
        """All events after a number, as they come, as server-sent events."""
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
        """The next events as one piece, and the number of its last."""
        first = self._events[0].number if self._events else self._last + 1
        if after < first - 1 or after > self._last:
            return self._state(first - 1, missed=after > 0), first - 1  # by itself: it may be large, and all share it
        parts: list[bytes] = []
        size = 0
        # Numbers have no gaps, so that the place of an event is known.
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
    """Nothing, once there is news; else, after a while, a comment that shows that the line is alive."""
    try:
        await asyncio.wait_for(news.wait(), HEARTBEAT)
    except TimeoutError:
        return b": still here\n\n"
    return b""


def _wire(kind: str, body: dict[str, Any], number: int) -> bytes:
    data = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    return f"id: {number}\nevent: {kind}\ndata: {data}\n\n".encode("utf-8", "backslashreplace")
