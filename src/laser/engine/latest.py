"""The last facts of each key, for one window that counts per key."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import count, pairwise, repeat
from operator import eq, itemgetter
from typing import Any, NamedTuple, TypeAlias

from laser.answers import Key
from laser.windows import LastOf

__all__ = ["Latest", "LatestOne", "Numbered", "make_latest"]


Numbered: TypeAlias = tuple[Key, int, int]
"""A fact with its time, and the number of facts of its predicate before it."""
Queue: TypeAlias = Sequence[Numbered]

SHORT = 64
"""A queue of up to this many facts is a list: moving its elements costs less than the memory of a deque for each key."""


class _Counted(NamedTuple):
    """The facts of one key that a window needs."""

    queue: Queue

    def time_of(self, back: int) -> int | None:
        return self.queue[-back][1] if len(self.queue) >= back else None


class Latest:
    """The facts in a window, by key; ``entering`` and ``leaving`` are the changes of the last call.

    Facts are numbered, so that windows that divide a predicate by different keys agree on the order of arrival.
    """

    def __init__(self, window: LastOf) -> None:
        self.window = window
        self.total = 0
        self.time = -1
        self.present: Collection[Key] = ()
        self.entering: Collection[Numbered] = ()
        self.leaving: Collection[Numbered] = ()
        self._key_of = _key_getter(window)

    def take(self, facts: Sequence[Key], distinct: Collection[Key], t: int) -> None:
        """Add facts of the predicate in arrival order; one that has already arrived at the present time point is not counted again."""
        fresh: Collection[Key] = facts if len(facts) == len(distinct) else dict.fromkeys(facts)
        if t == self.time:
            fresh = [fact for fact in fresh if fact not in self.present]
            self.present = {*self.present, *fresh}
        else:
            self.time, self.present = t, distinct
        rows = zip(fresh, repeat(t), count(self.total), strict=False)
        self._count(zip(map(self._key_of, fresh), rows, strict=False))
        self.total += len(fresh)

    def _count(self, arriving: Iterable[tuple[Any, Numbered]]) -> None:
        raise NotImplementedError

    def _put(self, key: Any, row: Numbered) -> None:
        raise NotImplementedError

    def queue(self, key: Any) -> Queue:
        """The facts of a key, the oldest first."""
        raise NotImplementedError

    def queues(self) -> Iterable[Queue]:
        """The facts of each key."""
        raise NotImplementedError

    def points(self, key: Sequence[Any], t: int, t0: int) -> range:
        """The time points of the window of a key."""
        queue = self.queue(key[0] if len(key) == 1 else tuple(key))
        return self.window.points(t, t0, _Counted(queue))

    def key_of(self, fact: Key) -> Any:
        """The key of a fact, by which its queue is found."""
        return self._key_of(fact)

    def rows(self) -> Iterator[Numbered]:
        """All facts in the window, of all keys."""
        return (row for queue in self.queues() for row in queue)

    def load(self, rows: Sequence[Numbered], present: Collection[Key], t: int) -> None:
        """Restore ``rows`` and ``present`` that were saved at t; ValueError if no window can have had them."""
        ordered = all(one[2] < other[2] and one[1] <= other[1] for one, other in pairwise(rows))
        if not ordered or any(not self.window.counts(fact) for fact, _, _ in rows):
            raise ValueError(f"the facts of {self.window} are not in order, or of another predicate")
        mine = {fact for fact in present if self.window.counts(fact)}
        if not mine.issuperset(fact for fact, time, _ in rows if time == t):
            raise ValueError(f"the last facts of {self.window} are not those of the present")
        for row in rows:
            self._put(self._key_of(row[0]), row)
        if any(len(queue) > self.window.size for queue in self.queues()):
            raise ValueError(f"there are more facts in {self.window} than it counts")
        self.total = rows[-1][2] + 1 if rows else 0
        self.time, self.present = t, mine


class LatestOne(Latest):
    """``[last 1 per X]``: whole batches at once."""

    def __init__(self, window: LastOf) -> None:
        super().__init__(window)
        self._rows: dict[Any, Numbered] = {}
        self.before: Sequence[Numbered | None] = ()

    def _count(self, arriving: Iterable[tuple[Any, Numbered]]) -> None:
        new = dict(arriving)  # the last one of each key
        self.before = list(map(self._rows.get, new))
        self.entering = new.values()
        self.leaving = list(filter(None, self.before))
        self._rows.update(new)

    def replaced(self) -> tuple[list[Key], list[Key]]:
        """The facts that the last call moved into the window, and those that it moved out."""
        new, old = list(map(_fact, self.entering)), list(map(_fact, self.leaving))
        if len(new) == len(old) and not any(map(eq, old, new)):  # the common case: known keys with new values
            return new, old
        pairs = [(b, n) for b, n in zip(self.before, new, strict=True) if b is None or b[0] != n]
        return [n for _, n in pairs], [b[0] for b, _ in pairs if b is not None]

    def _put(self, key: Any, row: Numbered) -> None:
        if key in self._rows:
            raise ValueError(f"there are more facts in {self.window} than it counts")
        self._rows[key] = row

    def queue(self, key: Any) -> Queue:
        row = self._rows.get(key)
        return () if row is None else (row,)

    def queues(self) -> Iterable[Queue]:
        return ((row,) for row in self._rows.values())


class _LatestSeveral(Latest):
    """``[last n per X]``."""

    def __init__(self, window: LastOf) -> None:
        super().__init__(window)
        self._queues: dict[Any, list[Numbered] | deque[Numbered]] = {}
        self._empty: Callable[[], list[Numbered] | deque[Numbered]] = list if window.size <= SHORT else deque

    def _count(self, arriving: Iterable[tuple[Any, Numbered]]) -> None:
        entering: list[Numbered] = []
        leaving: list[Numbered] = []
        size, queues = self.window.size, self._queues
        for key, row in arriving:
            queue = queues.get(key)
            if queue is None:
                queue = queues[key] = self._empty()
            queue.append(row)
            entering.append(row)
            if len(queue) > size:
                leaving.append(queue[0])
                del queue[0]
        passing = set(map(_number, entering)).intersection(map(_number, leaving)) if leaving else ()
        self.entering = [row for row in entering if row[2] not in passing] if passing else entering
        self.leaving = [row for row in leaving if row[2] not in passing] if passing else leaving

    def _put(self, key: Any, row: Numbered) -> None:
        self._queues.setdefault(key, self._empty()).append(row)

    def queue(self, key: Any) -> Queue:
        return self._queues.get(key, ())

    def queues(self) -> Iterable[Queue]:
        return self._queues.values()


def make_latest(window: LastOf) -> Latest:
    """The state of a window without facts."""
    return LatestOne(window) if window.size == 1 else _LatestSeveral(window)


_fact = itemgetter(0)
_number = itemgetter(2)


def _key_getter(window: LastOf) -> Callable[[Key], Any]:
    """A function for the key of a fact: a single value as it is, several (or none) as a tuple."""
    if not window.per:
        return lambda fact: ()
    return itemgetter(*(place + 1 for place in window.per))
