"""A condition that is the same for all heads of a rule."""

from __future__ import annotations

from typing import Final

from laser.answers import Key
from laser.engine.operators.operator import Operator
from laser.engine.relation import Relation

__all__ = ["GateOperator"]

STANDING: Final[Key] = ("",)
"""The only key of a gate."""


class GateOperator(Operator):
    """Settles a gate: it is open as long as a key of its source is renewed."""

    def __init__(self, head: Relation, source: Relation, key: Key) -> None:
        super().__init__([head])
        self.head, self.source, self.key = head, source, key

    def settle(self, t: int, t0: int) -> None:
        holds, stands = self.source.alive.get(self.key, -1) >= t, bool(self.head.alive)
        if holds != stands:
            self.head.hold_until_revoked(*(([STANDING], []) if holds else ([], [STANDING])))
