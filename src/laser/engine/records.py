"""Atoms that rules derived at earlier time points, for recorded predicates, stored as intervals.

A time point is recorded when time moves on from it. A key that goes on holding has one *spell*, which is open until the
key ends, so a stretch of time without change costs nothing. Inputs that show a record (``inputs/recorded.py``) are notified
of spells that begin and end; they see a time point u from u + 1 on.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence

from laser.answers import Key
from laser.values import Predicate
from laser.windows import TimeWindow

__all__ = ["Record", "RecordReader", "Spell", "SpellRow"]

SpellRow = tuple[Key, int, int]
"""A key with the first and the last time point of a spell; a spell that reaches the present is open."""


class Spell:
    """Time points without a gap at which a key was recorded, from ``since`` to ``until``; None while it is open."""

    __slots__ = ("key", "since", "until")

    def __init__(self, key: Key, since: int, until: int | None = None) -> None:
        self.key, self.since, self.until = key, since, until


class RecordReader(ABC):
    """Shows a record through a window."""

    window: TimeWindow

    @abstractmethod
    def note(self, begun: Sequence[Spell], ended: Sequence[Spell], t: int) -> None:
        """Take spells that begin at t, and spells that ended just before it. (More facts at t can still take this back.)"""


class Record:
    """The spells of one predicate, as far back as a window looks."""

    def __init__(self, predicate: Predicate) -> None:
        self.predicate = predicate
        self.open: dict[Key, Spell] = {}
        self.ended: dict[Key, Spell] = {}
        """The spells that ended at the time point before ``time``: more facts at that time can revive them."""
        self.closed: deque[Spell] = deque()
        self.readers: list[RecordReader] = []
        self.time = -1

    def note(self, added: Collection[Key], removed: Collection[Key], t: int) -> None:
        """Take the changes of one call at t: keys that hold from t on, and keys that no longer hold."""
        if t != self.time:
            self.time, self.ended = t, {}
        begun = [spell for key in added if (spell := self._begin(self._own(key), t)) is not None]
        ended = [spell for key in removed if (spell := self._end(self._own(key), t)) is not None]
        for reader in self.readers:
            reader.note(begun, ended, t)
        self._prune(t)

    def _own(self, key: Key) -> Key:
        """The key with the name of the predicate: the rules of several predicates may be settled as one."""
        return key if key[0] == self.predicate.name else (self.predicate.name, *key[1:])

    def _begin(self, key: Key, t: int) -> Spell | None:
        """The spell that begins; None if an earlier spell continues that seemed to have ended."""
        revived = self.ended.pop(key, None)
        if revived is not None:
            revived.until = None
            self.open[key] = revived
            return None
        spell = self.open[key] = Spell(key, t)
        return spell

    def _end(self, key: Key, t: int) -> Spell | None:
        """The spell that has ended; None if it had not begun before t, and so was never recorded."""
        spell = self.open.pop(key)
        spell.until = t - 1
        if spell.since == t:
            return None
        self.ended[key] = spell
        self.closed.append(spell)
        return spell

    def since(self, key: Key, t: int) -> int:
        """Since when a key that holds at t has held without a break."""
        own = self._own(key)
        spell = self.open.get(own) or (self.ended.get(own) if t == self.time else None)
        return t if spell is None else spell.since

    def _prune(self, t: int) -> None:
        while self.closed and self._is_past(self.closed[0], t):
            self.closed.popleft()

    def _is_past(self, spell: Spell, t: int) -> bool:
        """Whether no window shows a spell any more; a spell that was revived is kept with the open ones."""
        if spell.until is None:
            return True
        exits = [reader.window.exit(spell.until) for reader in self.readers]
        return spell.key not in self.ended and all(end is not None and end < t for end in exits)

    # -- saving

    def spells(self) -> Iterator[Spell]:
        """All spells that are kept, sorted by their ends."""
        yield from dict.fromkeys(spell for spell in self.closed if spell.until is not None)
        yield from self.open.values()

    def dump(self, t: int) -> Iterator[SpellRow]:
        return ((s.key, s.since, t if s.until is None else s.until) for s in self.spells())

    def load(self, rows: Iterable[SpellRow], t: int) -> None:
        """Restore what ``dump`` returned at t; ValueError if it cannot be the result of ``dump``."""
        self.time = t
        last: dict[Key, int] = {}
        for key, since, until in sorted(rows, key=lambda row: (row[2], row[1])):
            if since <= last.get(key, -2) + 1:
                raise ValueError(f"two spells of {key} touch")
            last[key] = until
            spell = Spell(key, since, None if until == t else until)
            if spell.until is None:
                self.open[key] = spell
                continue
            self.closed.append(spell)
            if until == t - 1:
                self.ended[key] = spell
