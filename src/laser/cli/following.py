"""``laser eval`` on a live stream: rows as they arrive, late rows, and time that goes on while none arrive."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import timedelta
from typing import TextIO, cast

from laser.engine.driver import Inbox, wall_clock, watch
from laser.engine.live import Aside, Live
from laser.engine.reasoner import Reasoner
from laser.engine.run import Step
from laser.errors import LaserError
from laser.io import Record
from laser.ticks import Tick
from laser.values.facts import to_atom

__all__ = ["LateWriter", "check_clock", "follow"]

FAR = timedelta(days=366)
"""A number that is this far from the clock is not a time in seconds since 1970."""


class LateWriter:
    """Writes facts that came too late as JSON Lines, as on Spark, if there is a file for them."""

    def __init__(self, sink: TextIO | None, reasoner: Reasoner) -> None:
        self._sink, self._reasoner = sink, reasoner

    def __call__(self, late: Aside) -> None:
        if self._sink is None:
            return
        time = self._reasoner.tick.to_text(late.time) if self._reasoner.dates else late.time
        line = late.origin.line if isinstance(late.origin, Record) else None
        for fact in late.facts:
            self._sink.write(
                json.dumps({"fact": str(to_atom(fact)), "time": time, "line": line}, ensure_ascii=False) + "\n"
            )
        self._sink.flush()


def check_clock(first: Record | None, tick: Tick) -> None:
    """Refuse times that have nothing to do with the clock."""
    if first is None or first.iso:
        return
    now = wall_clock()
    if abs(first.time - tick.from_datetime(now)) * tick.seconds > FAR.total_seconds():
        raise LaserError(
            f"--clock wall needs dates, or times in ticks of {tick} since 1970: the first time is {first.time}, "
            f"and the clock is at {tick.from_datetime(now)}"
        )


def follow(live: Live, records: Iterable[Record], inbox: Inbox[Record] | None, with_clock: bool) -> Iterator[Step]:
    """The steps of a live stream, up to its end, or until its inbox ends.

    ``records`` were received before; without an inbox, they are all records.
    """
    for record in _rows(live, records, inbox, with_clock):
        if record is None:
            yield from live.move(wall_clock())
        else:
            yield from live.take(record.time, list(record.facts), record)
        if live.is_over:
            break
    yield from live.end(cut_short=inbox is not None and inbox.is_set())


def _rows(
    live: Live, records: Iterable[Record], inbox: Inbox[Record] | None, with_clock: bool
) -> Iterator[Record | None]:
    yield from records
    if inbox is not None:
        yield from cast("Iterator[Record | None]", watch(inbox, live, wall_clock if with_clock else None))
