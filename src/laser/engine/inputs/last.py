"""The inputs over tuple windows."""

from __future__ import annotations

from collections.abc import Callable, Collection
from itertools import takewhile
from typing import Any

from laser.engine.agenda import Agenda
from laser.engine.arrivals import Tail
from laser.engine.inputs.input import InputRelation
from laser.engine.relation import FOREVER, Key
from laser.plan.nodes import Node

__all__ = ["LastDatedInput", "LastPointsInput", "LastRecentInput", "TailInput"]


class TailInput(InputRelation):
    """Inputs over the last n facts of the stream; the tail says which come in and which go out."""

    __slots__ = ("counts", "tail", "tuples")

    def __init__(self, node: Node, number: int, agenda: Agenda, tuples: int, tail: Tail) -> None:
        super().__init__(node, number, agenda)
        self.tuples, self.tail = tuples, tail
        self.counts: dict[Key, int] = {}

    def keys_of(self, moved: list[tuple[Key, int]]) -> list[Key]:
        raise NotImplementedError

    def turn(self, t: int, t0: int, batch: Collection[Key]) -> None:
        entering, leaving = self.tail.moves(self.tuples, self.node)
        counts = self.counts
        for key in self.keys_of(entering):
            counts[key] = counts.get(key, 0) + 1
        leaving_keys = self.keys_of(leaving)
        for key in leaving_keys:
            counts[key] -= 1
        fresh = [key for key in dict.fromkeys(self.keys_of(entering)) if key not in self.alive]
        self.alive.update(dict.fromkeys(fresh, FOREVER))
        self.insert(fresh, FOREVER)
        gone = [key for key in dict.fromkeys(leaving_keys) if counts[key] == 0]
        for key in gone:
            del counts[key]
        self.revoke(gone)

    def dump(self) -> Any:
        return None

    def load(self, data: Any, key_of: Callable[[Any], Key]) -> None:
        for key in self.keys_of(self.tail.content(self.tuples, self.node)):
            self.counts[key] = self.counts.get(key, 0) + 1
            self.alive[key] = FOREVER


class LastRecentInput(TailInput):
    """``⊞#n ◇ a``."""

    __slots__ = ()

    def keys_of(self, moved: list[tuple[Key, int]]) -> list[Key]:
        return [fact for fact, _ in moved]


class LastDatedInput(TailInput):
    """``⊞#n @T a``."""

    __slots__ = ()

    def keys_of(self, moved: list[tuple[Key, int]]) -> list[Key]:
        return [(*fact, time) for fact, time in moved]


class LastPointsInput(InputRelation):
    """The time points of a tuple window, from the time of its oldest fact to the present."""

    __slots__ = ("tail", "tuples")

    def __init__(self, node: Node, number: int, agenda: Agenda, tuples: int, tail: Tail) -> None:
        super().__init__(node, number, agenda)
        self.tuples, self.tail = tuples, tail

    def dump(self) -> Any:
        return None

    def load(self, data: Any, key_of: Callable[[Any], Key]) -> None:
        return

    def turn(self, t: int, t0: int, batch: Collection[Key]) -> None:
        first = self.tail.first(self.tuples, t0)
        self.revoke(list(takewhile(lambda key: key[1] < first, self.alive)))
        if first <= t and ("", t) not in self.alive:
            self.alive["", t] = FOREVER
            self.insert([("", t)], FOREVER)

    def fill(self, t: int, t0: int) -> None:
        """All points of the window at once."""
        self.alive.update((("", point), FOREVER) for point in range(self.tail.first(self.tuples, t0), t + 1))
