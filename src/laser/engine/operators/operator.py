"""The interface of an operator, which brings some relations to the present once everything they depend on is settled."""

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
"""The number that stands for "no rule of the plan"."""


class Operator(ABC):
    """Settles a component: makes its relations true at t, and leaves the changes in their deltas."""

    counts_facts = False
    """Whether it must run whenever facts arrive, whatever their predicate."""

    def __init__(self, outputs: Sequence[Relation]) -> None:
        self.outputs = outputs

    @abstractmethod
    def settle(self, t: int, t0: int) -> None: ...

    def forget(self) -> None:  # noqa: B027 - most keep nothing
        """Forget everything that is kept besides the relations, before everything is derived again."""


@dataclass(frozen=True)
class Environment:
    """What an operator may know about its machine."""

    relations: Mapping[Node, Relation]
    code: Loaded
    arrivals: Arrivals
    records: Mapping[Predicate, Record]
    self_ending: frozenset[Node]
    count_derivations: Callable[[int, int], None]
    triggers: Callable[[Component], tuple[list[Trigger], list[Trigger]]]
    checks: Callable[[Component], dict[int, list[Join]]]
    undefined: Callable[[Node], Callable[[str], None]]
    """Called if an operation of a node is undefined."""


class ConstantFilter(NamedTuple):
    """The constants of an atom of a rule: a value, or a tuple of values, at some positions of a key."""

    positions: tuple[int, ...]
    values: Any


class Sources:
    """The relations that the rules of a component read, which the checks of its heads look at."""

    def __init__(self, derive: Iterable[Trigger]) -> None:
        positive = [trigger for trigger in derive if trigger.read is ADDED]
        self.relations = list({trigger.source.number: trigger.source for trigger in positive}.values())
        self.counts = any(trigger.rule == NO_RULE for trigger in positive)
        self.asleep = [relation for relation in self.relations if relation.check_index]

    def may_renew(self, t: int) -> bool:
        """Whether an expired head can have a witness that existed before and was renewed meanwhile.

        Otherwise, only new keys in the sources can derive it again. A count of time points guarantees only the present, so its
        keys are always looked at.
        """
        if self.counts:
            return True
        for relation in self.relations:  # noqa: SIM110 - a generator costs more than most of these loops
            if relation.raised_until >= t:
                return True
        return False

    def wake_indexes(self) -> None:
        """Prepare the indexes that only checks use."""
        for relation in self.asleep:
            relation.wake_index()
        self.asleep = []


class Trigger(NamedTuple):
    """A way in which a change of a source reaches a head: ``read`` selects the changes, ``join`` derives what follows from them.

    With a ``filter``, it reads only the keys that have these constants. ``rule`` is the number of a rule, or `NO_RULE` for a count.
    """

    source: Relation
    delta: Delta
    read: Read
    join: Callable[[Collection[Key], int, int], Iterable[Key]]
    head: Relation
    rule: int
    filter: ConstantFilter | None = None

    def reader(self) -> Callable[[], Collection[Key]]:
        """A function that returns the changed keys; without a filter, it needs no Python call."""
        return partial(self.read, self.delta) if self.filter is None else self.changed

    def changed(self) -> Collection[Key]:
        keys = self.read(self.delta)
        if self.filter is None or not keys:
            return keys
        return self.delta.by_constants(self.read, self.filter.positions).get(self.filter.values, ())
