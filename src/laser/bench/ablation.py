"""The paper's ablation: how much semi-naive evaluation gains.

The *naive* reasoner is the same engine with the same generated joins and the same input windows, which it also maintains
incrementally. But at every tick it forgets everything that was derived and derives it again, with every live fact as new.
"""

from __future__ import annotations

from collections.abc import Sequence

from laser.answers import Shift, Snapshot
from laser.bench.case import Fact
from laser.engine.inputs import Input
from laser.engine.machine import Machine
from laser.engine.reasoner import Reasoner
from laser.values import Atom, Predicate

__all__ = ["NaiveReasoner"]


class NaiveMachine(Machine):
    """A machine that derives everything again at every tick, and reports everything that holds."""

    resting = False
    """While this is set, it takes facts into its windows and derives nothing."""

    def settle(self, queue: set[int], moved: Sequence[Input], t: int) -> list[Shift]:
        self.forget_derived()
        for relation in () if self.resting else self.inputs:
            gone = set(relation.revoked)
            relation.delta.added = [key for key in relation.live() if key not in gone]
            relation.delta.removed, relation.delta.shortened = [], []
        shifts = [] if self.resting else super().settle(set(range(len(self.operators))), self.inputs, t)
        for relation in self.inputs:
            relation.end_tick()
        return shifts


class NaiveReasoner(Reasoner):
    """A reasoner without semi-naive evaluation."""

    def feed(self, t: int, facts: list[Fact]) -> None:
        """Take facts without deriving anything, on the way to a steady state."""
        assert isinstance(self._machine, NaiveMachine)
        self._machine.resting = True
        self.advance(t, facts)
        self._machine.resting = False

    def holding(self) -> frozenset[Atom]:
        return Snapshot().of(self._machine)

    def _new_machine(self, streamed: frozenset[Predicate]) -> Machine:
        return NaiveMachine(self._compiled.module(streamed), self._limit, self._reports)
