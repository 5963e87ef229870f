"""The paper's ablation: what semi-naive evaluation brings.

The *naive* reasoner is the same engine with the same generated joins and the same input windows, which it also maintains
incrementally; but at every tick it forgets all that was derived and derives it again, with every live fact as new.
"""

from __future__ import annotations

from laser.answers import Shift, Snapshot
from laser.bench.case import Fact
from laser.engine.inputs.input import InputRelation
from laser.engine.machine import Machine
from laser.engine.operators.rule import EveryComponent, PendingRelation
from laser.engine.reasoner import Reasoner
from laser.plan.build import build
from laser.values import Atom, Predicate

__all__ = ["NaiveReasoner"]


class NaiveMachine(Machine):
    """A machine that derives everything anew at every tick; what it reports is all that holds."""

    resting = False
    """While it rests, it takes facts into its windows and derives nothing."""

    def settle(self, queue: set[int], turned: list[InputRelation], t: int) -> list[Shift]:
        self.forget()
        for relation in () if self.resting else self.inputs:
            gone = set(relation.dead)
            relation.added = [key for key in relation.live() if key not in gone] if gone else list(relation.live())
            relation.removed, relation.early = [], []
        shifts = [] if self.resting else super().settle(set(range(len(self.components))), self.inputs, t)
        for relation in self.inputs:
            relation.end_tick()
        return shifts

    def forget(self) -> None:
        for relation in self.relations:
            if isinstance(relation, InputRelation):
                continue
            relation.alive.clear()
            relation.due.clear()
            relation.dead = []
            if isinstance(relation, PendingRelation):
                relation.timers.clear()
            for positions in self.generated.indexes.get(relation.node, ()):
                self.namespace[f"n{relation.number}_by_{'_'.join(map(str, positions))}"].clear()
        for component in self.components:
            if isinstance(component, EveryComponent):
                component.counts.clear()


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

    def _make(self, streamed: frozenset[Predicate]) -> Machine:
        return NaiveMachine(build(self._core, streamed), self._limit, self._reports)
