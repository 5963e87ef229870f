"""A plan at work: the relations of its nodes, the generated functions, and the clock.

A tick feeds the inputs, then settles the components that have changes, sources first. Ticks at which nothing can
change are skipped: every relation asks to be woken when one of its keys falls due.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from heapq import heappop, heappush
from typing import cast

from laser import zones
from laser.answers import Key, Shift
from laser.engine.agenda import Agenda
from laser.engine.arrivals import Arrivals
from laser.engine.codegen.module import Module
from laser.engine.inputs import Input, make_input
from laser.engine.operators.pending import PendingRelation
from laser.engine.records import Record
from laser.engine.relation import FOREVER, Relation
from laser.engine.reports import Reports
from laser.engine.wiring import Wiring
from laser.errors import LimitError
from laser.plan.nodes import (
    Aggregated,
    Background,
    Beginning,
    Dated,
    Feed,
    InputNode,
    Node,
    Pending,
    Recent,
    Unbroken,
    Unit,
)
from laser.plan.plan import Plan
from laser.plan.properties import ticking
from laser.values import CODE_NAMES, Predicate
from laser.windows import LastOf

__all__ = ["Machine", "too_long"]

MOST_SILENT_TICKS = 1_000_000
"""The number of ticks without facts that one call evaluates if no tick can be skipped; all changes are kept until it ends."""


class Machine:
    """The state of a run over one plan."""

    def __init__(self, module: Module, limit: int, reports: Reports) -> None:
        self.module, self.limit, self.reports = module, limit, reports
        self.plan = plan = module.plan
        self.time = self.start = -1
        self.derivations = 0
        self.agenda = Agenda()
        self.arrivals = Arrivals(_largest_tuple_window(plan), _windows_by_key(plan))
        self.records = {predicate: Record(predicate) for predicate in plan.records}
        self.relations = self.make_relations()
        self.connect()

    # -- setting up

    def make_relations(self) -> list[Relation]:
        """A relation for each node, by its number."""
        nodes = self.module.numbers
        joined = {subgoal.node for rule in self.plan.rules for subgoal in rule.subgoals}
        joined.update(source for node in nodes if not isinstance(node, Aggregated) for source in node.sources)
        return [self.relation(node, number, node in joined) for node, number in nodes.items()]

    def relation(self, node: Node, number: int, is_joined: bool) -> Relation:
        if node.feed is not None:
            return make_input(cast(InputNode, node), number, self.agenda, self.arrivals, self.records, is_joined)
        if isinstance(node, Pending):
            return PendingRelation(node, number, self.agenda)
        return Relation(node, number, self.agenda)

    def connect(self) -> None:
        """Connect inputs, operators and outputs."""
        by_node = {relation.node: relation for relation in self.relations}
        helpers = {**CODE_NAMES, **zones.CODE_NAMES, "FOREVER": FOREVER, **self.reports.functions(self.plan)}
        code = self.module.load([relation.alive for relation in self.relations], helpers)
        for node, relation in by_node.items():
            relation.index, relation.check_index = code.indexes.get(node), code.check_indexes.get(node)
        self.inputs: list[Input] = [relation for relation in self.relations if isinstance(relation, Input)]
        feeds = {feed: [i for i in self.inputs if i.node.feed is feed] for feed in Feed}
        self.constants, self.clocked, self.counting = feeds[Feed.ONCE], feeds[Feed.CLOCK], feeds[Feed.ARRIVALS]
        self.inputs_by_predicate: dict[tuple[str, int], list[Input]] = {}
        for source in (*feeds[Feed.STREAM], *feeds[Feed.LATEST]):
            self.inputs_by_predicate.setdefault(_signature(source.node), []).append(source)
        self.signatures = {i.number: signature for signature, each in self.inputs_by_predicate.items() for i in each}
        self.awaited = {i.number: i for i in (*feeds[Feed.RECORD], *feeds[Feed.INTERVALS])}
        wiring = Wiring(self.plan, by_node, code, self.arrivals, self.records, self.count_derivations, self.reports.add)
        self.operators, self.operator_of = wiring.operators()
        self.readers = wiring.readers(self.operator_of)
        self.always_ticking, companions = ticking(self.plan)
        self.ticking_with = [by_node[node] for node in companions]
        self.moved_by_arrivals = [i for i, o in enumerate(self.operators) if o.counts_facts]
        self.outputs = [(predicate, by_node[node]) for predicate, node in self.plan.outputs.items()]
        self.shown: dict[int, list[tuple[Predicate, str]]] = {}
        for predicate, output in self.outputs:
            self.shown.setdefault(output.number, []).append((predicate, output.node.label))
        self.remembered: dict[int, list[Record]] = {}
        for predicate, node in self.plan.records.items():
            self.remembered.setdefault(by_node[node].number, []).append(self.records[predicate])

    # -- running

    def next_wake(self) -> int | None:
        """The next time at which something may change without input."""
        return self.time + 1 if self.is_ticking else self.agenda.next()

    @property
    def is_ticking(self) -> bool:
        """Whether every tick must be evaluated at the moment."""
        if self.always_ticking or not self.ticking_with:
            return self.always_ticking
        return any(relation.alive for relation in self.ticking_with)

    def skip_to(self, until: int) -> list[Shift]:
        """Evaluate, without facts, the ticks before a time at which something may change."""
        shifts: list[Shift] = []
        ticks = 0
        while (wake := self.next_wake()) is not None and wake < until:
            ticks += self.is_ticking
            if ticks > MOST_SILENT_TICKS:
                raise too_long(ticks - 1, wake, until)
            shifts += self.tick(wake, {}, ())
        return shifts

    def begin(self, start: int) -> None:
        """Begin the timeline; the first tick also takes the background data."""
        self.start = start

    def tick(self, t: int, groups: Mapping[tuple[str, int], Collection[Key]], arrivals: Sequence[Key]) -> list[Shift]:
        """Move to t (or stay there) with the facts of one call. Returns the changes of the output."""
        due = self.agenda.take(t)
        queue = {self.operator_of[number] for number in due if number in self.operator_of}
        moved: list[Input] = []
        if self.time < 0:
            self.feed_constants(t)
            moved += self.constants
        if arrivals and self.arrivals.latest:
            self.arrivals.count(groups, arrivals, t)
        if arrivals and self.arrivals.limit:
            self.arrivals.append(arrivals, t)
            self.advance(self.counting, t, moved)
            queue.update(self.moved_by_arrivals)
        if self.clocked and (self.time != t or arrivals):
            self.advance(self.clocked, t, moved)
        self.time = t
        for number, relation in self.fed_or_due(groups, due).items():
            relation.advance(t, self.start, groups.get(self.signatures[number], ()))
            moved.append(relation)
        if self.awaited:
            self.advance([self.awaited[number] for number in due if number in self.awaited], t, moved)
        return self.settle(queue, moved, t)

    def feed_constants(self, t: int) -> None:
        for constant in self.constants:
            constant.advance(t, self.start, self.constant_keys(constant.node))

    def advance(self, inputs: Collection[Input], t: int, moved: list[Input]) -> None:
        """Move inputs that the clock or the arrivals feed."""
        for relation in inputs:
            relation.advance(t, self.start, ())
        moved += inputs

    def fed_or_due(self, groups: Mapping[tuple[str, int], Collection[Key]], due: set[int]) -> dict[int, Input]:
        """The inputs that have new facts or keys that are due."""
        found = {
            relation.number: relation
            for signature in groups
            for relation in self.inputs_by_predicate.get(signature, ())
        }
        for number in due:
            if number in self.signatures and number not in found:
                found[number] = cast(Input, self.relations[number])
        return found

    def constant_keys(self, node: Node) -> list[Key]:
        if isinstance(node, Unit):
            return [("",)]
        assert isinstance(node, Background)
        return [tuple(atom) for atom in self.plan.program.background if atom.signature == node.predicate]

    def settle(self, queue: set[int], moved: Sequence[Input], t: int) -> list[Shift]:
        """Settle operators in order, as far as changes reach; then record, report and clean up."""
        touched = self.propagate(queue, moved, t)
        for relation in touched if self.remembered else ():
            for record in self.remembered.get(relation.number, ()):
                record.note(relation.delta.added, relation.delta.removed, t)
        return self.report(touched, t)

    def propagate(self, queue: set[int], moved: Sequence[Input], t: int) -> list[Relation]:
        """Settle operators in order, as far as changes reach. Returns the relations that changed."""
        self.derivations = 0
        touched: list[Relation] = []
        operators, readers, start = self.operators, self.readers, self.start
        for source in moved:
            if source.delta:
                touched.append(source)
                queue.update(readers[source.number].of(source.delta))
        heap = sorted(queue)
        while heap:
            operator = operators[heappop(heap)]
            operator.settle(t, start)
            for relation in operator.outputs:
                delta = relation.delta
                if delta.added or delta.removed or delta.shortened or delta.fired:
                    touched.append(relation)
                    for reader in readers[relation.number].of(delta):
                        if reader not in queue:
                            queue.add(reader)
                            heappush(heap, reader)
        return touched

    def report(self, touched: Sequence[Relation], t: int) -> list[Shift]:
        """The changes of the output. Afterwards, all deltas are empty."""
        shifts: list[Shift] = []
        for relation in touched:
            delta = relation.delta
            if relation.number in self.shown and (delta.added or delta.removed):
                begun, ended = delta.added or (), delta.removed or ()
                shifts += [Shift(t, predicate, label, begun, ended) for predicate, label in self.shown[relation.number]]
            relation.end_tick()
        return shifts

    def rederive(self, time: int, start: int, most: int = FOREVER) -> None:
        """Derive everything again from the inputs as they are, at a time that was settled before.

        The derivations of many ticks are made in one, so recursions may make ``most`` derivations.
        """
        self.time, self.start = time, start
        self.feed_constants(time)
        for relation in self.inputs:
            relation.fill(time, start)
            relation.delta.added = list(relation.live())
            if relation.index and relation not in self.constants:
                relation.index.add(relation.delta.added)
        limit, self.limit = self.limit, most
        self.report(self.propagate(set(range(len(self.operators))), self.inputs, time), time)
        self.limit = limit

    def forget_derived(self) -> None:
        """Forget everything that was derived, as if nothing had been settled yet."""
        for relation in self.relations:
            if not isinstance(relation, Input):
                relation.forget()
        for operator in self.operators:
            operator.forget()

    def count_derivations(self, derivations: int, rule: int) -> None:
        """Count derivations, to stop a recursion that makes new terms without end."""
        if rule < 0 or self.plan.rules[rule].head.is_access_path:
            return  # not a rule of the program, but a step that reads the results of its rules
        self.derivations += derivations
        if self.derivations > self.limit:
            text = self.plan.rules[rule].text
            raise LimitError(
                f"one tick made more than {self.limit} derivations by recursion, last by the rule: {text}", text
            )

    def evidence(self) -> list[tuple[int, Key]]:
        """Facts from which the present output follows, in arrival order."""
        last = [(time, fact) for fact, time in self.arrivals.facts.values()]
        rows = (row for latest in self.arrivals.latest.values() for row in latest.rows())
        numbers = {(time, fact): number for fact, time, number in rows}
        others = {(time, fact) for relation in self.inputs for fact, time in relation.evidence()}.union(numbers)
        return sorted(others.difference(last), key=lambda dated: (dated[0], numbers.get(dated, -1))) + last

    def agrees(self, record: Record) -> bool:
        """Whether the atoms that hold now according to a record are those that do."""
        now = self.relations[next(n for n, several in self.remembered.items() if record in several)].live()
        return record.open.keys() == {(record.predicate.name, *key[1:]) for key in now}

    def holding(self) -> Iterator[Shift]:
        """The present output, by predicate, as if all of it had begun now."""
        return (Shift(self.time, p, output.node.label, output.live(), ()) for p, output in self.outputs)


def too_long(ticks: int, now: int, until: int) -> LimitError:
    """The error for a silence that would take too long to evaluate."""
    return LimitError(
        f"{ticks:,} ticks without facts were evaluated one by one, and from {now} to {until} there are more: "
        "choose a longer tick, or move on in smaller steps",
        "",
    )


def _largest_tuple_window(plan: Plan) -> int:
    """The facts that the largest tuple window needs. They count from the start of the timeline, even before the plan reads them."""
    return max((atom.window.reach.tuples for rule in plan.program.rules for atom in rule.atoms), default=0)


def _windows_by_key(plan: Plan) -> list[LastOf]:
    """The windows that count per key, which likewise count from the start."""
    windows = (atom.window for rule in plan.program.rules for atom in rule.atoms)
    return list(dict.fromkeys(window for window in windows if isinstance(window, LastOf)))


def _signature(node: Node) -> tuple[str, int]:
    """The name and the length of the facts that an input accepts."""
    assert isinstance(node, Recent | Dated | Unbroken | Beginning)
    predicate = node.window.predicate if isinstance(node, Beginning) else node.predicate
    return (predicate.name, predicate.arity + 1)
