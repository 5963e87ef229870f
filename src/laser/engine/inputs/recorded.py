"""Inputs for recorded atoms: time points before the present at which rules derived an atom."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from laser.engine.agenda import Agenda
from laser.engine.inputs.input import Input, Row
from laser.engine.inputs.waiting import WaitingDatedInput
from laser.engine.records import Record, RecordReader, Spell
from laser.engine.relation import FOREVER, Key
from laser.plan.nodes import Recorded, RecordedDated
from laser.windows import TimeWindow

__all__ = ["RecordedDatedInput", "RecordedInput"]


class RecordedInput(Input, RecordReader):
    """``⊞ ◇ a`` of a record: a key is in while a time point of one of its spells is, so only the begins and ends of spells cost anything.

    ``shown`` has the last spell of each key that has entered. A window that starts again with each block contains no past
    time point at the first time point of a block: that is a *gap*, after which open spells enter again.
    """

    __slots__ = ("entering", "gap", "leaving", "record", "shown", "window")

    def __init__(self, node: Recorded, number: int, agenda: Agenda, record: Record) -> None:
        super().__init__(node, number, agenda)
        self.window: TimeWindow = node.window
        self.record = record
        record.readers.append(self)
        self.shown: dict[Key, Spell] = {}
        self.entering: dict[int, list[Spell]] = {}
        self.leaving: dict[int, list[Spell]] = {}
        self.gap: int | None = None

    def note(self, begun: Sequence[Spell], ended: Sequence[Spell], t: int) -> None:
        if begun:
            self.enter_at(self.first_shown(t), begun)
        last = self.window.exit(t - 1)
        assert last is not None, "⊞ ◇ has a window that facts leave"
        if ended and last >= t:
            self.leave_at(last + 1, ended)

    def first_shown(self, since: int) -> int:
        """When a spell enters: when its first time point is past and in the window, and the window contains the past."""
        entry = max(self.window.entry(since), since + 1)
        return entry + (self.window.next_gap(entry - 1) == entry)

    def enter_at(self, time: int, spells: Iterable[Spell]) -> None:
        self.entering.setdefault(time, []).extend(spells)
        self.agenda.wake(time, self.number)

    def leave_at(self, time: int, spells: Iterable[Spell]) -> None:
        self.leaving.setdefault(time, []).extend(spells)
        self.agenda.wake(time, self.number)

    def has_left(self, spell: Spell, t: int) -> bool:
        """Whether the last time point of a spell has left the window; a spell that was taken back has none."""
        if spell.until is None:
            return False
        last = self.window.exit(spell.until)
        return spell.until < spell.since or (last is not None and last < t)

    def advance(self, t: int, t0: int, batch: Collection[Key]) -> None:
        if t == self.gap:
            self.pause(t)
            return
        begun: list[Key] = []
        for spell in self.entering.pop(t, ()):
            if not self.has_left(spell, t):
                if spell.key not in self.shown:
                    begun.append(spell.key)
                self.shown[spell.key] = spell
        leaving = dict.fromkeys(self.leaving.pop(t, ()))  # a spell that was revived may have ended twice
        ended = [s.key for s in leaving if self.shown.get(s.key) is s and self.has_left(s, t)]
        for key in ended:
            del self.shown[key]
        self.hold_until_revoked(begun, ended)
        self.await_gap(t)

    def pause(self, t: int) -> None:
        """At a gap nothing is shown; spells that are still open are shown again after it."""
        self.gap = None
        shown, self.shown = self.shown, {}
        self.enter_at(t + 1, shown.values())
        self.hold_until_revoked([], list(shown))

    def await_gap(self, t: int) -> None:
        self.gap = self.window.next_gap(t) if self.shown else None
        if self.gap is not None:
            self.agenda.wake(self.gap, self.number)

    def dump(self) -> Iterable[Row]:
        """Nothing: the record is saved once for all its readers."""
        return ()

    def load(self, rows: Iterable[Row], t: int, t0: int) -> None:
        if self.window.next_gap(t - 1) == t:
            self.enter_at(t + 1, self.record.open.values())
        for spell in self.record.spells():
            entry = self.first_shown(spell.since)
            if entry > t:
                self.enter_at(entry, [spell])
            elif self.window.next_gap(t - 1) != t and not self.has_left(spell, t):
                self.shown[spell.key] = spell
                self.alive[spell.key] = FOREVER
            last = None if spell.until is None else self.window.exit(spell.until)
            if last is not None and last >= t:
                self.leave_at(last + 1, [spell])
        self.await_gap(t)


class RecordedDatedInput(WaitingDatedInput, RecordReader):
    """``⊞ @T a`` of a record: one key for each time point, because rules read the time."""

    __slots__ = ("record", "taken")
    """``taken`` is the last time point that was read from the record: the one before the present."""

    def __init__(self, node: RecordedDated, number: int, agenda: Agenda, record: Record) -> None:
        super().__init__(node, number, agenda, node.window)
        self.record = record
        record.readers.append(self)
        self.taken = -1

    def note(self, begun: Sequence[Spell], ended: Sequence[Spell], t: int) -> None:
        if self.record.open:
            self.agenda.wake(t + 1, self.number)

    def advance(self, t: int, t0: int, batch: Collection[Key]) -> None:
        before, self.taken = self.taken, t - 1
        if self.record.open and before < t - 1:
            self.arrive(list(self.record.open), t - 1)
            self.agenda.wake(t + 1, self.number)
        super().advance(t, t0, ())

    def arrive(self, facts: Collection[Key], u: int) -> None:
        """Time points are shown when they are past; the next one is the first to wait for."""
        entry = max(self.window.entry(u), u + 1)
        self.waiting.put(entry, u, facts)
        if entry > self.taken + 1:
            self.agenda.wake(entry, self.number)

    def evidence(self) -> Iterator[tuple[Key, int]]:
        return iter(())

    def dump(self) -> Iterable[Row]:
        """Nothing: the record is saved once for all its readers."""
        return ()

    def load(self, rows: Iterable[Row], t: int, t0: int) -> None:
        self.taken = t - 1
        reach = self.window.reach.ticks
        first = t0 if reach is None else max(t0, t - reach)
        for spell in self.record.spells():
            last = t - 1 if spell.until is None else spell.until
            for u in range(max(first, spell.since), last + 1):
                self.place(spell.key, u, t)
        self.schedule_each(self.alive)
        if self.record.open:
            self.agenda.wake(t + 1, self.number)

    def place(self, key: Key, u: int, t: int) -> None:
        """Restore a time point of a record at t: it is in the window, still waits, or has left."""
        last = self.window.exit(u)
        if max(self.window.entry(u), u + 1) > t:
            self.arrive([key], u)
        elif last is None or last >= t:
            self.alive[*key, u] = FOREVER if last is None else last
