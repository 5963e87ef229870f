"""The time points of a time window: the clock feeds each one."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from laser.engine.inputs.dated import DatedInput
from laser.engine.inputs.input import Input
from laser.engine.relation import FOREVER, Key
from laser.windows import PRESENT

__all__ = ["PointsInput", "PresentInput"]


class _ClockInput(Input):
    """The clock alone determines it, so nothing is saved."""

    __slots__ = ()

    def evidence(self) -> Iterator[tuple[Key, int]]:
        return iter(())


class PointsInput(_ClockInput, DatedInput):
    """The time points of a window."""

    __slots__ = ()

    def advance(self, t: int, t0: int, batch: Collection[Key]) -> None:
        super().advance(t, t0, [("",)])

    def fill(self, t: int, t0: int) -> None:
        first, last = self.window.interval(t)
        for point in range(t0 if first is None else max(t0, first), min(last, t) + 1):
            end = self.window.exit(point)
            self.alive["", point] = FOREVER if end is None else end
        self.schedule_each(self.alive)


class PresentInput(_ClockInput):
    """The present alone. It does not ask to be woken, so that ticks can be skipped in a silence."""

    __slots__ = ()

    def advance(self, t: int, t0: int, batch: Collection[Key]) -> None:
        present = ("", t)
        if present not in self.alive:
            past = list(self.alive)
            self.delete(past)
            self.delta.removed += past
            self.fill(t, t0)
            self.insert((present,), FOREVER)

    def fill(self, t: int, t0: int) -> None:
        self.alive["", t] = PRESENT.exit(t)
