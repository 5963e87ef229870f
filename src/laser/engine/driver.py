"""Drives a reasoner through a live stream: waits for the next row, or until something changes without one."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from queue import Empty, SimpleQueue
from threading import Semaphore, Thread
from typing import Generic, Literal, TypeAlias, TypeVar, cast

from laser.engine.intake import listed
from laser.engine.live import Aside, Live
from laser.engine.reasoner import Reasoner
from laser.engine.run import Step
from laser.ticks import OFF, TimeInput, read_length
from laser.values.facts import FactInput

__all__ = ["A_DAY", "IDLE", "Clock", "Inbox", "drive", "wall_clock", "watch"]

Clock: TypeAlias = Callable[[], datetime]
"""Returns the current time."""
Source: TypeAlias = Iterable[tuple[TimeInput, Iterable[FactInput]] | None]
"""Rows as they arrive; None means that no row has arrived for now."""

IDLE = timedelta(seconds=1)
"""The clock takes over when no row has arrived for this long, so that it does not overtake a backlog that comes in bursts."""
A_DAY = "1 d"
"""How far a row may be ahead of the clock, unless the caller sets another limit."""
MOST_UNREAD = 10_000
"""The number of rows that a source may be ahead of the reasoner."""

T = TypeVar("T")
log = logging.getLogger("laser")


def wall_clock() -> datetime:
    """The time of this machine."""
    return datetime.now(UTC)


def drive(
    reasoner: Reasoner,
    source: Source,
    *,
    clock: Literal["wall"] | Clock | None = None,
    lateness: str | int = 0,
    max_ahead: str | int | None = None,
    until: TimeInput | None = None,
    aside: Callable[[Aside], object] | None = None,
) -> Iterator[Step]:
    """Drive a reasoner through a live stream; each step has a time, facts, and the changes of the output.

    ``clock="wall"`` lets time go on while no rows arrive, so that silence is detected: the source is read in a thread, and this thread
    wakes when something may change. A function that returns a ``datetime`` is called in this thread whenever the source yields None.

    Rows may arrive out of order within the ``lateness``. Rows that are later are passed to ``aside``, and so are rows that are more than
    ``max_ahead`` ahead of the clock (with a clock, a day by default; "off" accepts all).

    >>> from datetime import datetime, UTC
    >>> reasoner = Reasoner("silent(H) :- host(H), not ping(H) in [5 s].", background=["host(a)"])
    >>> now = iter(datetime(2026, 3, 2, 22, 0, second, tzinfo=UTC) for second in (4, 6))
    >>> source = [("2026-03-02T22:00:00Z", ["ping(a)"]), None, None]
    >>> for step in drive(reasoner, source, clock=lambda: next(now), max_ahead="off"):
    ...     print(reasoner.tick.to_text(step.time), step.changes)
    2026-03-02T22:00:00Z []
    2026-03-02T22:00:06Z [Change(time=1772488806, atom=silent(a), holds=True)]
    """
    ask = clock if callable(clock) else wall_clock
    guard = _Guard(reasoner, _ahead(max_ahead, clock is not None, reasoner), ask, aside or _Log())
    live = Live(reasoner, reasoner.tick, read_length(lateness, reasoner.tick, "the lateness"), aside=guard.aside)
    live.until = None if until is None else reasoner.point(until)
    with _rows_of(source, live, in_thread=clock == "wall") as rows:
        for row in rows:
            if row is not None:
                yield from guard.take(row, live)
            elif clock is not None:
                yield from live.move(ask())
            if live.is_over:
                break
    yield from live.end()


@contextmanager
def _rows_of(source: Source, live: Live, in_thread: bool) -> Iterator[Iterable[object]]:
    if not in_thread:
        yield source
        return
    inbox: Inbox[object] = Inbox(source)
    try:
        yield watch(inbox, live)
    finally:
        inbox.set()


def _ahead(given: str | int | None, has_clock: bool, reasoner: Reasoner) -> timedelta | None:
    if given == OFF or (given is None and not has_clock):
        return None
    return timedelta(seconds=float(read_length(A_DAY if given is None else given, reasoner.tick, "max_ahead")))


@dataclass(frozen=True)
class _Guard:
    """Checks the rows of the user: their form, and whether they are too far ahead of the clock."""

    reasoner: Reasoner
    ahead: timedelta | None
    clock: Clock
    aside: Callable[[Aside], object]

    def take(self, row: object, live: Live) -> Iterator[Step]:
        time, facts = _entry(row)
        point, given = self.reasoner.point(time), listed(facts)
        if self.ahead is not None and point > self.reasoner.tick.from_datetime(self.clock() + self.ahead):
            self.aside(Aside(point, given, f"it is more than {self.ahead} ahead of the clock", row))
            return
        yield from live.take(point, given, row)


def _entry(row: object) -> tuple[TimeInput, Iterable[FactInput]]:
    if not isinstance(row, tuple | list) or len(row) != 2:
        raise TypeError(f"a row of a live stream must be (time, facts), or None if no row has arrived, not {row!r}")
    return row[0], row[1]


class _Log:
    """Logs the first row that is set aside, if nobody else handles such rows."""

    def __init__(self) -> None:
        self._told = False

    def __call__(self, row: Aside) -> None:
        if not self._told:
            self._told = True
            log.warning("rows are set aside; the first is at %s: %s", row.time, row.reason)


def watch(inbox: Inbox[T], live: Live, clock: Clock | None = wall_clock) -> Iterator[T | None]:
    """Rows as they arrive, and None when it is time to look at the clock: no row has arrived for a while, and something may change.

    Late rows do not count as arriving, because the clock is then the better source of the time.
    """
    ask = wall_clock if clock is None else clock
    last, taken = ask(), 0
    while True:
        if live.taken != taken:
            last, taken = ask(), live.taken
        due = None if clock is None else live.due()
        seconds = None if due is None else (max(due, last + IDLE) - ask()).total_seconds()
        if seconds is not None and seconds <= 0:
            yield None
            continue
        row = inbox.receive(seconds)
        if row is inbox.END:
            return
        yield cast("T | None", row)


class Inbox(Generic[T]):
    """Reads a source in a thread of its own, so that the reader can wait for the next row with a timeout.

    A signal handler can end it: `set` and `is_set` are those of an event.
    """

    END = object()

    def __init__(self, source: Iterable[T]) -> None:
        self._queue: SimpleQueue[T | object] = SimpleQueue()  # a signal handler may call put while get is running
        self._room = Semaphore(MOST_UNREAD)
        self._stopped = False
        self._error: BaseException | None = None
        run = copy_context().run  # the thread uses the time zone of the run, too
        Thread(target=run, args=(self._read, source), daemon=True, name="laser-source").start()

    def _read(self, source: Iterable[T]) -> None:
        try:
            for row in source:
                self._room.acquire()
                if self._stopped:
                    return
                self._queue.put(row)
        except BaseException as error:  # raised again where the rows are taken
            self._error = error
        self._queue.put(self.END)

    def receive(self, seconds: float | None) -> T | object | None:
        """The next row, or END, or None if no row arrives within this time."""
        try:
            row = self._queue.get(timeout=seconds)
        except Empty:
            return None
        self._room.release()
        if self._stopped:
            return self.END
        if row is self.END:
            self._queue.put(self.END)  # later calls return END again
            if self._error is not None:
                raise self._error
        return row

    def set(self) -> None:
        """End now, with the rows received so far."""
        self._stopped = True
        self._queue.put(self.END)

    def is_set(self) -> bool:
        return self._stopped
