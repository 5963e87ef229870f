"""How a plan's relations and generated functions are connected: what settles what, and what a change reaches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeAlias

from laser.engine.arrivals import Tail
from laser.engine.codegen.module import Generated
from laser.engine.final import final_nodes
from laser.engine.operators.rule import (
    Choice,
    EveryComponent,
    GateComponent,
    RecursiveComponent,
    SingleComponent,
    Trigger,
)
from laser.engine.relation import Relation
from laser.plan.nodes import Background, Every, Gate, LastPoints, Node, Pending, Points, View, is_input, label_of
from laser.plan.plan import Component, Plan, Use
from laser.syntax.tree import Constant
from laser.values import Value

__all__ = ["Consumers", "SomeComponent", "Wiring"]

SomeComponent: TypeAlias = SingleComponent | RecursiveComponent | EveryComponent | GateComponent

MANY_CHOOSERS = 8
"""So many rules with constants at the same positions of a node have their keys sorted out for them."""


class Consumers(NamedTuple):
    """The components that read a relation: whatever changes, or only where keys have their constants."""

    always: dict[int, None]
    chosen: dict[tuple[int, ...], dict[Any, dict[int, None]]]

    def add(self, component: int, choice: Choice | None) -> None:
        if choice is None:
            self.always[component] = None
        else:
            self.chosen.setdefault(choice.positions, {}).setdefault(choice.values, {})[component] = None

    def of(self, relation: Relation) -> Iterator[int]:
        """Those that the changes of a relation reach."""
        yield from self.always
        for positions, table in self.chosen.items():
            for part in ("added", "removed", "early"):
                for values in relation.grouped(part, positions) if getattr(relation, part) else ():
                    yield from table.get(values, ())


class Wiring:
    """Connects the relations of a plan by its generated functions."""

    def __init__(
        self,
        plan: Plan,
        generated: Generated,
        relations: list[Relation],
        functions: dict[str, Any],
        tail: Tail,
        count: Callable[[int, int], None],
    ) -> None:
        self.plan, self.numbers, self.relations = plan, generated.numbers, relations
        self.functions, self.tail, self.count = functions, tail, count
        self.final = final_nodes(plan)
        self.choosers = Counter(
            (use.node, _constants(use)[0]) for d in plan.derivations for use in (*d.uses, *d.negatives)
        )

    def components(self) -> tuple[list[SomeComponent], dict[int, int]]:
        """What settles the derived nodes, in order, and by which of them each relation is settled."""
        made: list[SomeComponent] = []
        component_of: dict[int, int] = {}
        for component in self.plan.components:
            if not is_input(component.nodes[0]):
                component_of.update((self.numbers[node], len(made)) for node in component.nodes)
                made.append(self.component(component))
        return made, component_of

    def component(self, component: Component) -> SomeComponent:
        """What settles the nodes of a component."""
        relations = [self.relations[self.numbers[node]] for node in component.nodes]
        node = component.nodes[0]
        if isinstance(node, Every) and not component.recursive:
            dated = self.relations[self.numbers[node.dated]]
            return EveryComponent(relations[0], dated, node.size, self.tail if node.kind == "tuple" else None)
        if isinstance(node, Gate):
            source = self.relations[self.numbers[node.source]]
            return GateComponent(relations[0], source, (label_of(node.source), *node.values))
        derive, blame = self.triggers(component)
        checks = self.checks(component)
        if component.recursive:
            return RecursiveComponent(relations, derive, blame, checks, self.count)
        return SingleComponent(relations[0], derive, blame, checks[relations[0].number], node in self.final)

    def triggers(self, component: Component) -> tuple[list[Trigger], list[Trigger]]:
        derive: list[Trigger] = []
        blame: list[Trigger] = []

        def add(
            to: list[Trigger], use: Use, part: str, function: str, head: Node, derivation: int, chosen: bool = True
        ) -> None:
            if (join := self.functions.get(function)) is not None:
                source = self.relations[self.numbers[use.node]]
                target = self.relations[self.numbers[head]]
                to.append(Trigger(source, part, join, target, derivation, self.choice(use) if chosen else None))

        for d in component.derivations:
            derivation = self.plan.derivations[d]
            for i, use in enumerate(derivation.uses):
                add(derive, use, "added", f"d{d}_from_{i}", derivation.head, d)
                if isinstance(use.node, Pending):
                    add(derive, use, "fired", f"d{d}_from_{i}", derivation.head, d, chosen=False)
                add(blame, use, "early", f"d{d}_blame_{i}", derivation.head, d)
            for i, use in enumerate(derivation.negatives):
                add(derive, use, "removed", f"d{d}_without_{i}", derivation.head, d)
                add(blame, use, "added", f"d{d}_blame_not_{i}", derivation.head, d)
        for node in component.nodes:
            if isinstance(node, Every):
                number = self.numbers[node]
                dated = Use(node.dated, ())
                add(derive, dated, "added", f"n{number}_from", node, -1)
                add(blame, dated, "early", f"n{number}_blame", node, -1)
        return derive, blame

    def checks(self, component: Component) -> dict[int, list[Callable[..., Any]]]:
        numbers = self.numbers
        found: dict[int, list[Callable[..., Any]]] = {numbers[node]: [] for node in component.nodes}
        for d in component.derivations:
            found[numbers[self.plan.derivations[d].head]].append(self.functions[f"d{d}_check"])
        for node in component.nodes:
            if isinstance(node, Every):
                found[numbers[node]].append(self.functions[f"n{numbers[node]}_check"])
        return found

    def choice(self, use: Use) -> Choice | None:
        """The constants of a use, where so many rules have some at these positions that sorting keys by them pays."""
        positions, values = _constants(use)
        if self.choosers[use.node, positions] < MANY_CHOOSERS or not positions:
            return None
        return Choice(positions, values[0] if len(values) == 1 else values)

    def consumers(self, component_of: dict[int, int]) -> list[Consumers]:
        """For each relation, the components that read it."""
        numbers = self.numbers
        consumers = [Consumers({}, {}) for _ in self.relations]
        for derivation in self.plan.derivations:
            component = component_of[numbers[derivation.head]]
            for use in (*derivation.uses, *derivation.negatives):
                consumers[numbers[use.node]].add(component, self.choice(use))
        for node, number in numbers.items():
            if isinstance(node, Every):
                consumers[numbers[node.dated]].add(component_of[number], None)
            elif isinstance(node, Gate):
                consumers[numbers[node.source]].add(component_of[number], None)
        return consumers

    def ticking(self) -> tuple[bool, list[Relation]]:
        """Whether every tick counts; if not, the relations that make it count while they have keys."""
        companions: list[Relation] = []
        for derivation in self.plan.derivations:
            nodes = [use.node for use in (*derivation.uses, *derivation.negatives)]
            if any(isinstance(n, LastPoints) or (isinstance(n, Points) and n != Points(0)) for n in nodes):
                return True, []
            if Points(0) in nodes:
                if not isinstance(derivation.head, View) or Background(derivation.head.predicate) in nodes:
                    return True, []  # a rule that asks for the present itself, or with what is always there
                plain = next(node for node in nodes if node != Points(0))
                companions.append(self.relations[self.numbers[plain]])
        return False, companions


def _constants(use: Use) -> tuple[tuple[int, ...], tuple[Value, ...]]:
    """Where the keys of a use have constants, and which."""
    found = [(p, term.value) for p, term in enumerate(use.terms, start=1) if isinstance(term, Constant)]
    return tuple(p for p, _ in found), tuple(value for _, value in found)
