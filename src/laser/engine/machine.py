"""A plan in motion: the relations of its nodes, the generated functions, and the clock.

A tick feeds the inputs, then settles the components that have something to do, sources first. Ticks at which nothing can
change are skipped: every relation asks to be woken when something of it falls due.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from heapq import heappop, heappush
from typing import Any

from laser.answers import Shift
from laser.engine.agenda import Agenda
from laser.engine.arrivals import Tail
from laser.engine.codegen.module import Generated, generate
from laser.engine.inputs import make_input
from laser.engine.inputs.input import ConstantInput, InputRelation, PointsInput
from laser.engine.inputs.last import LastPointsInput, TailInput
from laser.engine.operators.rule import EveryComponent, PendingRelation
from laser.engine.relation import FOREVER, Key, Relation
from laser.engine.reports import Reports
from laser.engine.wiring import Wiring
from laser.errors import LimitError
from laser.plan.nodes import (
    Background,
    Dated,
    Gate,
    Node,
    Pending,
    Projected,
    Recent,
    Unbroken,
    Unit,
    View,
    is_input,
    label_of,
)
from laser.plan.plan import Plan
from laser.rules.body import ExtendedAtom
from laser.values import CODE_NAMES, Predicate

__all__ = ["Machine"]


class Machine:
    """The state of a run over one plan."""

    def __init__(self, plan: Plan, limit: int, reports: Reports, generated: Generated | None = None) -> None:
        self.plan, self.limit, self.reports = plan, limit, reports
        self.time = self.start = -1
        self.derivations = 0
        self.agenda = Agenda()
        self.tail = Tail(_largest_tuple_window(plan))
        self.generated = generated or generate(plan)
        self.read = {use.node for d in plan.derivations for use in (*d.uses, *d.negatives)}
        self.read |= {node.source for node in self.generated.numbers if isinstance(node, Gate)}
        self.relations = [self.relation(node, number) for node, number in self.generated.numbers.items()]
        self.namespace = self.load_functions()
        self.wire()

    # -- setting up

    def relation(self, node: Node, number: int) -> Relation:
        if is_input(node):
            return make_input(node, number, self.agenda, self.tail, node in self.read)  # type: ignore[arg-type]
        if isinstance(node, Pending):
            return PendingRelation(node, number, self.agenda)
        return Relation(node, number, self.agenda)

    def load_functions(self) -> dict[str, Any]:
        generated = self.generated
        namespace: dict[str, Any] = {**CODE_NAMES, "FOREVER": FOREVER, **self.reports.functions(self.plan)}
        for node, number in generated.numbers.items():
            namespace[f"n{number}"] = self.relations[number].alive
            for positions in generated.indexes.get(node, ()):
                namespace[f"n{number}_by_{'_'.join(map(str, positions))}"] = {}
        exec(generated.code, namespace)
        for relation in self.relations:
            relation.index = namespace.get(f"n{relation.number}_index")
            relation.unindex = namespace.get(f"n{relation.number}_unindex")
        return namespace

    def wire(self) -> None:
        """Connect inputs, components and outputs."""
        self.inputs: list[InputRelation] = [r for r in self.relations if isinstance(r, InputRelation)]
        self.constants = [r for r in self.inputs if isinstance(r, ConstantInput)]
        self.clocked = [r for r in self.inputs if isinstance(r, PointsInput | LastPointsInput)]
        self.tailed = [r for r in self.inputs if isinstance(r, TailInput)]
        self.fed: dict[tuple[str, int], list[InputRelation]] = {}
        for relation in self.inputs:
            if isinstance(relation.node, Recent | Dated | Unbroken):
                self.fed.setdefault(_signature(relation.node), []).append(relation)
        self.signatures = {r.number: signature for signature, several in self.fed.items() for r in several}
        wiring = Wiring(self.plan, self.generated, self.relations, self.namespace, self.tail, self.count)
        self.components, self.component_of = wiring.components()
        self.consumers = wiring.consumers(self.component_of)
        self.always_ticking, self.ticking_with = wiring.ticking()
        self.counted = [i for i, c in enumerate(self.components) if isinstance(c, EveryComponent) and c.tail]
        self.outputs = [(p, self.relations[self.generated.numbers[n]]) for p, n in self.plan.outputs.items()]
        self.shown: dict[int, list[tuple[Predicate, str]]] = {}
        for predicate, output in self.outputs:
            self.shown.setdefault(output.number, []).append((predicate, label_of(output.node)))

    # -- running

    def next_wake(self) -> int | None:
        """The next time at which something may change without input."""
        if self.always_ticking or any(relation.alive for relation in self.ticking_with):
            return self.time + 1
        return self.agenda.next()

    def silence(self, until: int) -> list[Shift]:
        """Go through the ticks before a time at which something may change, without facts."""
        shifts: list[Shift] = []
        while (wake := self.next_wake()) is not None and wake < until:
            shifts += self.tick(wake, {}, ())
        return shifts

    def begin(self, start: int) -> None:
        """The timeline begins; the first tick takes background data along."""
        self.start = start

    def tick(self, t: int, groups: Mapping[tuple[str, int], Collection[Key]], arrivals: Collection[Key]) -> list[Shift]:
        """Move to t (or stay there) with the facts of one call; what changes in the output."""
        due = self.agenda.take(t)
        queue = {self.component_of[number] for number in due if number in self.component_of}
        turned: list[InputRelation] = []
        if self.time < 0:
            for constant in self.constants:
                constant.turn(t, self.start, self.constant_keys(constant.node))
            turned += self.constants
        if arrivals and self.tail.limit:
            self.tail.append(arrivals, t)
            self.turn(self.tailed, t, turned)
            queue.update(self.counted)
        if self.clocked and (self.time != t or arrivals):
            self.turn(self.clocked, t, turned)
        self.time = t
        for number, relation in self.fed_or_due(groups, due).items():
            relation.turn(t, self.start, groups.get(self.signatures[number], ()))
            turned.append(relation)
        return self.settle(queue, turned, t)

    def turn(self, inputs: Collection[InputRelation], t: int, turned: list[InputRelation]) -> None:
        """Move inputs that are fed by the clock or from the tail."""
        for relation in inputs:
            relation.turn(t, self.start, ())
        turned += inputs

    def fed_or_due(self, groups: Mapping[tuple[str, int], Collection[Key]], due: set[int]) -> dict[int, InputRelation]:
        """The inputs that have facts or something due."""
        found = {relation.number: relation for signature in groups for relation in self.fed.get(signature, ())}
        for number in due:
            if number in self.signatures and number not in found:
                found[number] = self.relations[number]  # type: ignore[assignment]
        return found

    def constant_keys(self, node: Node) -> list[Key]:
        if isinstance(node, Unit):
            return [("",)]
        assert isinstance(node, Background)
        return [tuple(atom) for atom in self.plan.core.background if atom.signature == node.predicate]

    def settle(self, queue: set[int], turned: list[InputRelation], t: int) -> list[Shift]:
        """Settle components in order, as far as changes reach; then report and clean up."""
        self.derivations = 0
        touched: list[Relation] = []
        for source in turned:
            if source.changed:
                touched.append(source)
                queue.update(self.consumers[source.number].of(source))
        heap = sorted(queue)
        while heap:
            number = heappop(heap)
            component = self.components[number]
            component.settle(t, self.start)
            for relation in component.heads:
                if relation.changed:
                    touched.append(relation)
                    for consumer in self.consumers[relation.number].of(relation):
                        if consumer not in queue:
                            queue.add(consumer)
                            heappush(heap, consumer)
        shifts: list[Shift] = []
        for relation in touched:
            if relation.number in self.shown and (relation.added or relation.removed):
                begun, ended = relation.added or (), relation.removed or ()
                shifts += [Shift(t, *whose, begun, ended) for whose in self.shown[relation.number]]
            relation.end_tick()
        return shifts

    def resume(self, time: int, start: int) -> None:
        """Derive everything anew from the inputs as they are, at a time that was settled before."""
        self.time, self.start = time, start
        for constant in self.constants:
            constant.turn(time, start, self.constant_keys(constant.node))
        for clock in self.clocked:
            clock.fill(time, start)
        for relation in self.inputs:
            relation.added = list(relation.live())
            if relation.index and relation not in self.constants:
                relation.index(relation.added)
        self.settle(set(range(len(self.components))), self.inputs, time)

    def count(self, derivations: int, derivation: int) -> None:
        """Recursions that make new terms for ever are stopped here."""
        if derivation < 0 or isinstance(self.plan.derivations[derivation].head, View | Projected):
            return  # not a rule of the program, but a way to read what its rules derive
        self.derivations += derivations
        if self.derivations > self.limit:
            rule = self.plan.derivations[derivation].text
            raise LimitError(
                f"one tick made more than {self.limit} derivations by recursion, last by the rule: {rule}", rule
            )

    def evidence(self) -> list[tuple[int, Key]]:
        """Facts from which the same output follows at the present, in arrival order."""
        tail = [(time, fact) for fact, time in self.tail.facts.values()]
        others = {(time, fact) for relation in self.inputs for fact, time in relation.evidence()}
        return sorted(others.difference(tail), key=lambda dated: dated[0]) + tail

    def holding(self) -> Iterator[Shift]:
        """The output now, by predicate, as if all of it had begun now."""
        return (Shift(self.time, p, label_of(output.node), output.live(), ()) for p, output in self.outputs)


def _largest_tuple_window(plan: Plan) -> int:
    """Facts count from the start of the timeline on, even where a plan does not (yet) look at them."""
    elements = [element for rule in plan.core.rules for element in rule.body if isinstance(element, ExtendedAtom)]
    return max((e.window.size for e in elements if e.window and e.window.kind == "tuple"), default=0)


def _signature(node: Any) -> tuple[str, int]:
    return (node.predicate.name, node.predicate.arity + 1)
