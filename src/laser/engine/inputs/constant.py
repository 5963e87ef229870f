"""Background data and the unit, which are fed once, when the timeline begins."""

from __future__ import annotations

from collections.abc import Collection

from laser.engine.inputs.input import Input
from laser.engine.relation import FOREVER, Key

__all__ = ["ConstantInput"]


class ConstantInput(Input):
    """Keys that hold at every time point."""

    __slots__ = ()

    def advance(self, t: int, t0: int, batch: Collection[Key]) -> None:
        fresh = [key for key in batch if key not in self.alive]
        self.alive.update(dict.fromkeys(fresh, FOREVER))
        self.insert(fresh, FOREVER)
