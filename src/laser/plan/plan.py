"""A plan as data: rules over nodes, in components that are evaluated one after the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from laser.plan.nodes import Node
from laser.rules.body import Comparison
from laser.rules.rule import ResolvedProgram
from laser.syntax.tree import Term
from laser.values import Predicate
from laser.windows import HISTORY, TimeWindow

__all__ = ["Component", "Part", "Plan", "PlanRule", "Subgoal"]


@dataclass(frozen=True, slots=True)
class Subgoal:
    """A node in a body, with one term (a variable or a constant) for each value of its keys.

    With a ``window``, a key counts while its last value, a time point, is in that window.
    """

    node: Node
    terms: tuple[Term, ...]
    window: TimeWindow = HISTORY


class Part(NamedTuple):
    """One way to make something true: the subgoals that must be found, those that must not, and the comparisons."""

    positives: tuple[Subgoal, ...] = ()
    negatives: tuple[Subgoal, ...] = ()
    tests: tuple[Comparison, ...] = ()

    def and_also(self, other: Part) -> Part:
        """The conjunction of both."""
        return Part(self.positives + other.positives, self.negatives + other.negatives, self.tests + other.tests)


@dataclass(frozen=True, slots=True)
class PlanRule:
    """A rule of the plan; ``text`` is the user's rule that it implements, or its purpose."""

    head: Node
    terms: tuple[Term, ...]
    positives: tuple[Subgoal, ...]
    negatives: tuple[Subgoal, ...] = ()
    tests: tuple[Comparison, ...] = ()
    text: str = ""

    @property
    def subgoals(self) -> tuple[Subgoal, ...]:
        """All subgoals that its body reads."""
        return (*self.positives, *self.negatives)


@dataclass(frozen=True, slots=True)
class Component:
    """Nodes that depend on each other, with the numbers of the rules that derive them."""

    nodes: tuple[Node, ...]
    rules: tuple[int, ...]
    recursive: bool


@dataclass(frozen=True)
class Plan:
    """Everything that the engine needs to know about a program.

    ``outputs`` has for each shown predicate the node whose keys are its output (several predicates may share one);
    ``records`` does the same for the predicates whose past some rule reads;
    ``also_streamed`` are the derived or background predicates that also stream in, as a run has found out.
    """

    program: ResolvedProgram
    also_streamed: frozenset[Predicate]
    rules: tuple[PlanRule, ...]
    components: tuple[Component, ...]
    outputs: Mapping[Predicate, Node]
    records: Mapping[Predicate, Node]
    aliases: Mapping[Node, Node]
