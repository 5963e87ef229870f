"""From a plan to SQL: one statement for each node, in the order of evaluation.

What cannot be said in SQL (recursion, tuple windows) is refused by name, and so is what rests on it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import assert_never, cast

from laser.plan.nodes import (
    Aggregated,
    Background,
    Beginning,
    Dated,
    EveryPoint,
    Gate,
    InputNode,
    MadeNode,
    ManyPoints,
    Members,
    Node,
    Pending,
    Pinned,
    Plain,
    Points,
    Projection,
    Recent,
    Recorded,
    RecordedDated,
    Shared,
    Steady,
    Unbroken,
    Union,
    Unit,
)
from laser.plan.plan import Component, Plan, PlanRule, Subgoal
from laser.sql import counting, inputs
from laser.sql.aggregates import aggregate
from laser.sql.coalesce import coalesce
from laser.sql.dialects import Dialect
from laser.sql.kinds import Kind
from laser.sql.refusal import NotLowered
from laser.sql.relation import FactWindow, Relation
from laser.sql.rule import derive
from laser.sql.scope import Aside, Scope
from laser.sql.text import comma, indent, name, names
from laser.sql.timeline import Timeline
from laser.sql.windows import PointWindow, time_window
from laser.syntax.tree import Constant
from laser.values import Predicate
from laser.windows import Sliding

__all__ = ["NAME", "Inputs", "Lowering", "Statement", "facts_table", "lower"]

Inputs = Mapping[Predicate, tuple[Kind, ...] | None]
"""The kinds of the columns of each predicate that has facts; None where no column can have its values."""


@dataclass(frozen=True)
class Statement:
    """What makes one relation, with the helpers that it is the first to read, and the user's rules that it serves."""

    relation: Relation
    node: Node
    query: str
    asides: tuple[Aside, ...]
    rules: tuple[str, ...]
    kept: bool = False
    """Whether it is worth a table: it is read more than once, and is more than a look at what is there."""


@dataclass(frozen=True)
class Lowering:
    """A plan as SQL: its statements in order, the relation of each output, and what is refused, with the reason.

    ``doubts`` are rules with an operation that may not be defined, which SQL does not report.
    """

    statements: tuple[Statement, ...]
    outputs: Mapping[Predicate, Relation]
    refused: Mapping[Node, str]
    doubts: tuple[str, ...] = ()

    def whole(self) -> Lowering:
        """The same, if nothing is refused; what only rests on something refused is not named."""
        own = [reason for reason in self.refused.values() if _RESTS not in reason]
        if own:
            raise NotLowered("; ".join(dict.fromkeys(own)))
        return self


_RESTS = ", which is not lowered: "


def lower(
    plan: Plan, streamed: Inputs, background: Inputs, timeline: Timeline, dialect: Dialect = "duckdb"
) -> Lowering:
    """The SQL of a plan, given the kinds of what streams in and of the background data. The text is DuckDB's, whoever is to run it."""
    work = _Work(plan, streamed, background, timeline, dialect)
    for component in plan.components:
        if any(node in work.wanted for node in component.nodes):
            work.take(component)
    outputs = {p: work.relations[node] for p, node in plan.outputs.items() if node in work.relations}
    statements = tuple(_read(work.statements, [relation.name for relation in outputs.values()]))
    return Lowering(statements, outputs, work.refused, tuple(work.scope.doubts))


def _read(statements: Sequence[Statement], outputs: Sequence[str]) -> list[Statement]:
    """The statements that somebody reads; what is read more than once, and is more than a look at what is there, is kept."""
    reads, found = Counter(outputs), list[Statement]()

    def kept(name: str, query: str) -> bool:
        reads.update(NAME.findall(query))
        return reads[name] > 1

    for statement in reversed(statements):
        if statement.relation.name in reads:
            again = kept(statement.relation.name, statement.query) and not _is_look(statement.node, statement.relation)
            found.append(replace(statement, asides=(), kept=again))
        for aside in reversed(statement.asides):  # one of a statement that nobody reads may serve a later one
            if aside.name in reads:
                made = replace(aside, kept=kept(aside.name, aside.query))
                found[-1] = replace(found[-1], asides=(made, *found[-1].asides))
    return found[::-1]


NAME = re.compile(r"\b[nh]\d+\b")
"""The name of a relation or a helper. In a text it would be mistaken for one, which costs a table."""


@dataclass
class _Work:
    plan: Plan
    streamed: Inputs
    background: Inputs
    timeline: Timeline
    dialect: Dialect
    refused: dict[Node, str] = field(default_factory=dict)
    statements: list[Statement] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.scope = Scope(self.timeline, blocks=self.dialect == "duckdb")
        self.relations = self.scope.relations
        self.rules: dict[Node, list[PlanRule]] = {}
        for rule in self.plan.rules:
            self.rules.setdefault(rule.head, []).append(rule)
        self.wanted = self._wanted()
        self.numbers = {node: i for i, node in enumerate(n for c in self.plan.components for n in c.nodes)}
        self.merged = _merged(self.plan, self.wanted)

    def _wanted(self) -> set[Node]:
        """The nodes on which outputs rest."""
        found: set[Node] = set()
        stack = list(self.plan.outputs.values())
        while stack:
            node = stack.pop()
            if node not in found:
                found.add(node)
                stack += node.sources
                stack += [subgoal.node for rule in self.rules.get(node, ()) for subgoal in rule.subgoals]
        return found

    def take(self, component: Component) -> None:
        """Lower the node of a component, or say why not."""
        try:
            if component.recursive:
                raise NotLowered(f"recursion through {', '.join(map(str, component.nodes))}")
            (node,) = component.nodes
            self._below(node)
            relation, query = self._node(cast("InputNode | MadeNode", node))
        except NotLowered as refusal:
            self.scope.drop_fresh()
            self.refused.update(dict.fromkeys(component.nodes, str(refusal)))
            return
        self.relations[node] = relation
        if query is not None:
            texts = tuple(dict.fromkeys(rule.text for rule in self.rules.get(node, ()))) or (str(node),)
            self.statements.append(Statement(relation, node, query, tuple(self.scope.take_fresh()), texts))

    def _below(self, node: Node) -> None:
        """What rests on something that is not lowered is not lowered either."""
        subgoals = [subgoal.node for rule in self.rules.get(node, ()) for subgoal in rule.subgoals]
        for source in (*node.sources, *subgoals):
            if source in self.refused:
                reason = self.refused[source]
                raise NotLowered(reason if _RESTS in reason else f"it reads {source}{_RESTS}{reason}")

    def _node(self, node: InputNode | MadeNode) -> tuple[Relation, str | None]:
        """The relation of a node and its query; there is none where the relation is empty."""
        merged = node in self.merged
        match node:
            case Recent() | Dated() | Unbroken() | Points() | Background() | Unit() | Beginning():
                return self._input(node, merged)
            case Recorded() | RecordedDated():
                raise NotLowered(_reason(node))
            case _:
                return self._other(node, merged)

    def _input(self, node: InputNode, merged: bool) -> tuple[Relation, str | None]:
        """What the stream and the clock feed."""
        match node:
            case Recent(predicate=predicate, window=window):
                facts = self._facts(node, predicate, self.streamed)
                sql = inputs.recent(facts.name, facts.columns, time_window(window), self.timeline, merged)
                relation, query = self._made(node, facts, facts.kinds, sql, merged)
                reach = window.ticks if isinstance(window, Sliding) and not merged else None
                of_facts = (
                    FactWindow(facts.name, tuple(facts.columns), window.ticks) if isinstance(window, Sliding) else None
                )
                return replace(relation, ascending=not merged, reach=reach, window=of_facts), query
            case Dated(predicate=predicate, window=window):
                facts = self._facts(node, predicate, self.streamed)
                sql = inputs.dated(facts.name, facts.columns, time_window(window), self.timeline, merged)
                relation, query = self._made(node, facts, (*facts.kinds, Kind.INTEGER), sql, merged)
                reach = window.ticks if isinstance(window, Sliding) else None
                return replace(relation, reach=reach, pinned=reach is not None), query
            case Unbroken(predicate=predicate, window=window):
                facts = self._facts(node, predicate, self.streamed)
                sql = inputs.unbroken(facts.name, facts.columns, window, self.timeline)
                return self._made(node, facts, facts.kinds, sql, True)
            case Background(predicate=predicate):
                facts = self._facts(node, predicate, self.background)
                sql = f"select distinct {comma(facts.columns)}{self.timeline.first} as c, {self.timeline.last} as h from {facts.name}"
                relation, query = self._made(node, facts, facts.kinds, sql, True)
                return replace(relation, lasting=True), query
            case Points(window=window):
                sql = inputs.points(time_window(window), self.timeline)
                return Relation(self._name(node), (Kind.INTEGER,), coalesced=True), sql
            case Unit():
                sql = f"select {self.timeline.first} as c, {self.timeline.last} as h"
                return Relation(self._name(node), (), coalesced=True, lasting=True), sql
            case Beginning() | Recorded() | RecordedDated():
                raise NotLowered(_reason(node))
            case _:
                assert_never(node)

    def _other(self, node: MadeNode, merged: bool) -> tuple[Relation, str | None]:
        """What rules make."""
        match node:
            case EveryPoint(dated=source, window=window):
                dated = self.relations[source]
                sql = self._every_point(dated, time_window(window))
                return self._made(node, dated, dated.kinds[:-1], sql, True)
            case ManyPoints(dated=source, times=times):
                dated = self.relations[source]
                sql = coalesce(counting.many_points(self._merged(dated), times), dated.columns[:-1])
                return self._made(node, dated, dated.kinds[:-1], sql, True)
            case Gate(source=source, values=values):
                rule = PlanRule(node, (), (Subgoal(source, tuple(map(Constant, values))),), text=str(node))
                return self._derived(node, [rule], merged)
            case Steady():
                raise NotLowered(_reason(node))
            case Aggregated(tuples=source):
                return self._aggregated(node, self.relations[source], merged)
            case Plain() | Pinned() | Pending() | Union() | Projection() | Shared() | Members():
                return self._derived(node, self.rules.get(node, []), merged)
            case _:
                assert_never(node)

    def _aggregated(self, node: Aggregated, tuples: Relation, merged: bool) -> tuple[Relation, str | None]:
        if tuples.empty:
            return Relation(self._name(node), (Kind.STRING,) * node.width, True, empty=True), None
        kinds, sql = aggregate(node, self._merged(tuples), self.scope)
        sql = coalesce(sql, names(len(kinds))) if merged else sql
        return Relation(self._name(node), kinds, merged), sql

    def _every_point(self, dated: Relation, window: PointWindow) -> str:
        """``⊞ □ a``: by runs where each time point is known for as long as the window looks back, else by counting."""
        if isinstance(window, Sliding) and dated.pinned and dated.reach is not None and dated.reach >= window.ticks:
            *columns, time = dated.columns
            points = f"(select {comma(columns)}{time} as u from {dated.name}) as known"
            return inputs.unbroken(points, columns, window, self.timeline)
        return coalesce(counting.every_point(self._merged(dated), window, self.timeline), dated.columns[:-1])

    def _merged(self, relation: Relation) -> Relation:
        """The same with maximal intervals."""
        if relation.coalesced or relation.empty:
            return replace(relation, coalesced=True)
        sql = coalesce(f"select * from {relation.name}", relation.columns)
        return replace(relation, name=self.scope.aside(sql, f"{relation.name}, coalesced"), coalesced=True)

    def _facts(self, node: Node, predicate: Predicate, given: Inputs) -> Relation:
        """The table of the facts of a predicate."""
        if predicate not in given:
            return Relation("", (Kind.STRING,) * predicate.arity, empty=True)
        kinds = given[predicate]
        if kinds is None:
            raise NotLowered(f"{predicate} has values that SQL does not have exactly")
        return Relation(name(facts_table(predicate, isinstance(node, Background))), kinds)

    def _made(
        self, node: Node, source: Relation, kinds: tuple[Kind, ...], sql: str, coalesced: bool
    ) -> tuple[Relation, str | None]:
        relation = Relation(self._name(node), kinds, coalesced, source.empty)
        return relation, None if source.empty else sql

    def _derived(self, node: Node, rules: Sequence[PlanRule], merged: bool) -> tuple[Relation, str | None]:
        made = derive(rules, self.scope)
        if made.sql is None:
            return Relation(self._name(node), (Kind.STRING,) * node.width, True, empty=True), None
        kinds, reach, pinned = made.kinds, made.reach, made.pinned
        if merged and not made.coalesced:
            same = pinned and reach is not None
            sql = (
                _distinct(made.sql) if same else self.scope.coalesce(made.sql, names(len(kinds)), made.ascending, reach)
            )
            return Relation(
                self._name(node), kinds, True, reach=reach if same else None, pinned=same, window=made.window
            ), sql
        return replace(
            Relation(self._name(node), kinds, made.coalesced, ascending=made.ascending, reach=reach, pinned=pinned),
            window=made.window,
        ), made.sql

    def _name(self, node: Node) -> str:
        return f"n{self.numbers[node]}"


def _distinct(sql: str) -> str:
    """Rows that are equal in their values are equal in their intervals."""
    return f"select distinct *\nfrom (\n{indent(sql)}\n) as rows_"


def _is_look(node: Node, relation: Relation) -> bool:
    """Whether a relation costs no more than reading what it is made of."""
    return isinstance(node, Background | Unit) or (isinstance(node, Recent | Dated) and not relation.coalesced)


def facts_table(predicate: Predicate, background: bool) -> str:
    """The name of the table of what is given of a predicate."""
    return f"{predicate} background" if background else str(predicate)


def _merged(plan: Plan, wanted: set[Node]) -> frozenset[Node]:
    """The nodes that must be coalesced: outputs, and what is negated. Whoever else reads one coalesces what it makes of it."""
    negated = [subgoal.node for rule in plan.rules if rule.head in wanted for subgoal in rule.negatives]
    return frozenset((*plan.outputs.values(), *negated))


def _reason(node: Beginning | Recorded | RecordedDated | Steady) -> str:
    """Why a node is left to the reasoner."""
    match node:
        case Beginning(window=window):
            return f"the tuple window {window}"
        case Recorded(predicate=predicate) | RecordedDated(predicate=predicate) | Steady(predicate=predicate):
            return f"it reads the record of {predicate}, which the reasoner keeps"
        case _:
            assert_never(node)
