"""The changes of a relation in the present tick."""

from __future__ import annotations

from collections.abc import Callable, Collection
from operator import attrgetter, itemgetter
from typing import Any, Final, TypeAlias

from laser.answers import Key

__all__ = ["ADDED", "FIRED", "REMOVED", "SHORTENED", "Delta", "Read"]


class Delta:
    """The keys that began, that ended, that end before their guaranteed time, and (if pending) whose time has come.

    Each relation has one delta. It is emptied when the tick ends, never replaced, so that readers may keep a reference.
    """

    __slots__ = ("_groups", "added", "fired", "removed", "shortened")

    def __init__(self) -> None:
        self.added: Collection[Key] = []
        self.removed: list[Key] = []
        self.shortened: list[Key] = []
        self.fired: list[Key] = []
        self._groups: dict[tuple[Read, tuple[int, ...]], dict[Any, list[Key]]] = {}

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.shortened or self.fired)

    def add(self, fresh: Collection[Key]) -> None:
        """Add keys that began; a first batch is used as it is, without a copy."""
        self.added = [*self.added, *fresh] if self.added else fresh

    def by_constants(self, read: Read, positions: tuple[int, ...]) -> dict[Any, list[Key]]:
        """Some of the changes, grouped by the values at these positions: rules with constants there only look at their own keys."""
        groups = self._groups.get((read, positions))
        if groups is None:
            groups = self._groups[read, positions] = {}
            values = itemgetter(*positions)
            for key in read(self):
                groups.setdefault(values(key), []).append(key)
        return groups

    def clear(self) -> None:
        if self.added:
            self.added = []
        if self.removed:
            self.removed = []
        if self.shortened:
            self.shortened = []
        if self.fired:
            self.fired = []
        if self._groups:
            self._groups = {}


Read: TypeAlias = Callable[[Delta], Collection[Key]]

ADDED: Final[Read] = attrgetter("added")
REMOVED: Final[Read] = attrgetter("removed")
SHORTENED: Final[Read] = attrgetter("shortened")
FIRED: Final[Read] = attrgetter("fired")
