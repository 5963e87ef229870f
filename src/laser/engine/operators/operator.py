"""What an operator is: whatever brings some relations to the present, once all that they rest on is settled."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from laser.answers import Key
from laser.engine.arrivals import Arrivals
from laser.engine.codegen.module import Join, Loaded
from laser.engine.delta import ADDED, Delta, Read
from laser.engine.records import Record
from laser.engine.relation import Relation
from laser.plan.nodes import Node
from laser.plan.plan import Component
from laser.values import Predicate

__all__ = ["NO_RULE", "ConstantFilter", "Environment", "Operator", "Sources", "Trigger"]

NO_RULE = -1
"""The number of what is settled by no rule of the plan."""


class Operator(ABC):
    """Settles a component: makes its relations true at t, and leaves what changed in their deltas."""

    def __init__(self, outputs: Sequence[Relation]) -> None:
        self.outputs = outputs

    @property
    def counts_facts(self) -> bool:
        """Whether it has something to do whenever facts arrive, whatever they are about."""
        return False

    @abstractmethod
    def settle(self, t: int, t0: int) -> None: ...

    def forget(self) -> None:  # noqa: B027 - most keep nothing
        """Lose what is kept besides the relations: whoever derives everything anew begins with this."""


@dataclass(frozen=True)
class Environment:
    """All that an operator may know of the machine that it is part of."""

    relations: Mapping[Node, Relation]
    code: Loaded
    arrivals: Arrivals
    records: Mapping[Predicate, Record]
    self_ending: frozenset[Node]
    count_derivations: Callable[[int, int], None]
    triggers: Callable[[Component], tuple[list[Trigger], list[Trigger]]]
    checks: Callable[[Component], dict[int, list[Join]]]
    undefined: Callable[[Node], Callable[[str], None]]
    """Whom an operator tells that an operation of a node was not defined."""


class ConstantFilter(NamedTuple):
    """The constants that an atom of a rule asks for: one value, or a tuple of them, at some positions of a key."""

    positions: tuple[int, ...]
    values: Any


class Sources:
    """The relations that the rules of a component read: what the checks of its heads look at."""

    def __init__(self, derive: Iterable[Trigger]) -> None:
        positive = [trigger for trigger in derive if trigger.read is ADDED]
        self.relations = list({trigger.source.number: trigger.source for trigger in positive}.values())
        self.counts = any(trigger.rule == NO_RULE for trigger in positive)
        self.asleep = [relation for relation in self.relations if relation.check_index]

    def may_renew(self, t: int) -> bool:
        """Whether a head that has expired may have a witness that was there before, and was renewed meanwhile.

        Else only what is new below can derive it again. A count of time points promises the present alone, so its keys
        are always looked at.
        """
        if self.counts:
            return True
        for relation in self.relations:  # noqa: SIM110 - a generator costs more than most of these loops
            if relation.raised_until >= t:
                return True
        return False

    def wake_indexes(self) -> None:
        """Have the indexes ready that only checks look at."""
        for relation in self.asleep:
            relation.wake_index()
        self.asleep = []


class Trigger(NamedTuple):
    """A way in which a change of a source reaches a head: ``read`` says which change, ``join`` what follows from it.

    With a ``filter``, it reads only the keys that have these constants. A rule is named by its number, a count by `NO_RULE`.
    """

    source: Relation
    delta: Delta
    read: Read
    join: Callable[[Collection[Key], int, int], Iterable[Key]]
    head: Relation
    rule: int
    filter: ConstantFilter | None = None

    def reader(self) -> Callable[[], Collection[Key]]:
        """What tells the keys that changed; without a filter, no function of Python's is called."""
        return partial(self.read, self.delta) if self.filter is None else self.changed

    def changed(self) -> Collection[Key]:
        keys = self.read(self.delta)
        if self.filter is None or not keys:
            return keys
        return self.delta.by_constants(self.read, self.filter.positions).get(self.filter.values, ())
