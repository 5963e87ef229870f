"""Which relation must be looked at when, even if no facts arrive."""

from __future__ import annotations

from heapq import heapify, heappop, heappush

__all__ = ["Agenda"]


class Agenda:
    """Relations by the time at which one of their keys falls due."""

    def __init__(self) -> None:
        self._due: dict[int, set[int]] = {}
        self._times: list[int] = []

    def wake(self, time: int, relation: int) -> None:
        """Have a relation looked at as soon as a time is reached."""
        several = self._due.get(time)
        if several is None:
            self._due[time] = {relation}
            heappush(self._times, time)
        else:
            several.add(relation)

    def forget(self, time: int, relation: int) -> None:
        """Cancel a wake-up. Times without relations are removed from the heap now and then."""
        several = self._due.get(time)
        if several is None:
            return
        several.discard(relation)
        if not several:
            del self._due[time]
        if len(self._times) > 2 * len(self._due) + 1000:
            self._times = list(self._due)
            heapify(self._times)

    def next(self) -> int | None:
        """The next time at which something falls due."""
        while self._times and self._times[0] not in self._due:
            heappop(self._times)
        return self._times[0] if self._times else None

    def take(self, t: int) -> set[int]:
        """The relations that must be looked at up to time t."""
        taken: set[int] = set()
        while self._times and self._times[0] <= t:
            taken |= self._due.pop(heappop(self._times), set())
        return taken
