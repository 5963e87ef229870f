"""A plan: derivations over nodes, in components that are settled one after the other. Data only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from laser.plan.nodes import Node
from laser.rules.body import Comparison
from laser.rules.rule import ResolvedProgram
from laser.syntax.tree import Term
from laser.values import Predicate

__all__ = ["Component", "Derivation", "Plan", "Use"]


@dataclass(frozen=True, slots=True)
class Use:
    """A node in a body, one term (a variable or a constant) for each value of its keys.

    With a ``cap``, what a key guarantees ends at its last value, a time point, plus the cap.
    """

    node: Node
    terms: tuple[Term, ...]
    cap: int | None = None


@dataclass(frozen=True, slots=True)
class Derivation:
    """A rule of the plan; ``text`` is the user's rule that it serves, or what it is for."""

    head: Node
    terms: tuple[Term, ...]
    uses: tuple[Use, ...]
    negatives: tuple[Use, ...] = ()
    tests: tuple[Comparison, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class Component:
    """Nodes that depend on each other, with the derivations that make them."""

    nodes: tuple[Node, ...]
    derivations: tuple[int, ...]
    recursive: bool


@dataclass(frozen=True)
class Plan:
    """All that the engine needs to know of a program.

    ``outputs`` names for each shown predicate the node whose keys are its output (several predicates may share one);
    ``streamed`` are the derived or background predicates of which facts stream in as well: a run finds that out.
    """

    core: ResolvedProgram
    streamed: frozenset[Predicate]
    derivations: tuple[Derivation, ...]
    components: tuple[Component, ...]
    outputs: Mapping[Predicate, Node]
    aliases: Mapping[Node, Node]
