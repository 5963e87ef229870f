"""Intervals as an input: keys that were computed elsewhere, each with its begin and end. The cost is per interval, not per time point."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable
from typing import NamedTuple

from laser.engine.agenda import Agenda
from laser.engine.inputs.input import Input
from laser.engine.relation import Horizons, Key
from laser.plan.nodes import Given, Pending

__all__ = ["GivenInput", "Span"]


class Span(NamedTuple):
    """A key holds at every time point from ``begin`` to ``end``."""

    begin: int
    end: int
    key: Key


class GivenInput(Input):
    """Reads spans in the order of their begins, each when its time has come, and asks to be woken for the next.

    If a key is derived for a future time, its span says since when that is known. The key counts from that future time on.
    """

    __slots__ = ("begun", "spans", "waiting", "window")

    def __init__(self, node: Given, number: int, agenda: Agenda) -> None:
        super().__init__(node, number, agenda)
        self.window = node.source.window if isinstance(node.source, Pending) else None
        self.waiting: dict[int, list[Span]] = {}
        self.spans: deque[Span] = deque()
        """The spans to come."""
        self.begun = -1
        """The begin of the last span that was read."""

    def put(self, spans: Iterable[Span]) -> None:
        """Add spans to come; none begins before those that were added earlier."""
        was_empty = not self.spans
        self.spans.extend(spans)
        if was_empty:
            self.ask()

    def ask(self) -> None:
        if self.spans:
            self.agenda.wake(self.spans[0].begin, self.number)

    def advance(self, t: int, t0: int, batch: Collection[Key]) -> None:
        arrived = self.waiting.pop(t, [])
        while self.spans and self.spans[0].begin <= t:
            arrived.append(self.spans.popleft())
        self.ask()
        if arrived:
            self.begun = t
            self.enter({span.key: span.end for span in arrived if span.end >= t and not self.waits(span, t)})
        self.expire(t)

    def waits(self, span: Span, t: int) -> bool:
        """Whether the time of a key is still in the future; the span is read again when that time has come."""
        if self.window is None:
            return False
        entry = self.window.entry(span.key[-1])
        if entry > t:
            self.waiting.setdefault(entry, []).append(span)
            self.agenda.wake(entry, self.number)
        return entry > t

    def enter(self, arrived: Horizons) -> None:
        fresh = {key: end for key, end in arrived.items() if key not in self.alive}
        self.alive.update(arrived)
        self.schedule_each(fresh)
        if self.index and fresh:
            self.index.add(fresh)
        self.delta.add(fresh)
