"""Translates a node of a plan to SQL: one statement over the relations of its source nodes.

A node that SQL cannot express (tuple windows, records) is refused with the reason. ``strata`` decides which nodes are translated when.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import assert_never, cast

from laser.plan.nodes import (
    Aggregated,
    Background,
    Beginning,
    Dated,
    EveryPoint,
    Gate,
    Given,
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
from laser.plan.part import reads
from laser.plan.plan import Plan, PlanRule, Subgoal
from laser.rules.graph import reachable
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
from laser.windows import Sliding, TupleWindow

__all__ = ["NAME", "Inputs", "Lowerer", "Statement", "facts_table", "reason_of"]

Inputs = Mapping[Predicate, tuple[Kind, ...] | None]
"""The kinds of the columns of each predicate that has facts; None if no column can have its values."""


@dataclass(frozen=True)
class Statement:
    """The query of one relation, with the helper tables that it is the first to read, and the user's rules that it serves."""

    relation: Relation
    node: Node
    query: str
    asides: tuple[Aside, ...]
    rules: tuple[str, ...]
    kept: bool = False
    """Whether it is worth a table: it is read more than once, and costs more than reading its sources."""


NAME = re.compile(r"\b[nh]\d+\b")
"""The name of a relation or a helper. A match within a string literal only costs an extra table."""


@dataclass
class Lowerer:
    """Translates the nodes of a plan, one after another. The text is in DuckDB's dialect, whatever executes it."""

    plan: Plan
    streamed: Inputs
    background: Inputs
    timeline: Timeline
    dialect: Dialect = "duckdb"

    def __post_init__(self) -> None:
        self.scope = Scope(self.timeline, blocks=self.dialect == "duckdb")
        self.relations = self.scope.relations
        self.rules: dict[Node, list[PlanRule]] = {}
        for rule in self.plan.rules:
            self.rules.setdefault(rule.head, []).append(rule)
        self.wanted = reachable(reads(self.plan), self.plan.outputs.values())
        self.numbers = {node: i for i, node in enumerate(n for c in self.plan.components for n in c.nodes)}
        self.merged = _merged(self.plan, self.wanted)

    def lower(self, node: Node, silent: bool) -> Statement | None:
        """The statement of a node whose sources exist; None if the node is empty. NotLowered if it has no SQL.

        If not ``silent``, also NotLowered if an operation may be undefined, because SQL would not report it.
        """
        self.scope.doubts.clear()
        try:
            relation, query = self._node(cast("InputNode | MadeNode", node))
            if self.scope.doubts and not silent:
                rule = next(iter(self.scope.doubts))
                raise NotLowered(f"an operation may be undefined, which only the reasoner reports, in `{rule}`")
        except NotLowered:
            self.scope.drop_fresh()
            raise
        self.relations[node] = relation
        if query is None:
            self.scope.drop_fresh()
            return None
        texts = tuple(dict.fromkeys(rule.text for rule in self.rules.get(node, ()))) or (str(node),)
        return Statement(relation, node, query, tuple(self.scope.take_fresh()), texts)

    def peek(self, node: Node) -> tuple[Relation, str]:
        """The relation that a node would have, and its text, without adding it. NotLowered if its values have no SQL."""
        try:
            relation, query = self._node(cast("InputNode | MadeNode", node))
        finally:
            self.scope.drop_fresh()
        return relation, query or ""

    def add(self, node: Node, kinds: tuple[Kind, ...] | None) -> Relation:
        """The relation of a node that is computed elsewhere, by its name in statements; without kinds, it is empty."""
        made = Relation(self.name(node), kinds or (Kind.STRING,) * node.width, coalesced=True, empty=kinds is None)
        self.relations[node] = made
        return made

    def _node(self, node: InputNode | MadeNode) -> tuple[Relation, str | None]:
        """The relation of a node and its query; None if the relation is empty."""
        merged = node in self.merged
        match node:
            case Recent() | Dated() | Recorded() | RecordedDated() | Unbroken():
                return self._input(node, merged)
            case Points() | Beginning() | Background() | Unit() | Given():
                return self._input(node, merged)
            case _:
                return self._other(node, merged)

    def _input(self, node: InputNode, merged: bool) -> tuple[Relation, str | None]:
        """The nodes that the stream and the clock feed."""
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
                return Relation(self.name(node), (Kind.INTEGER,), coalesced=True), sql
            case Unit():
                sql = f"select {self.timeline.first} as c, {self.timeline.last} as h"
                return Relation(self.name(node), (), coalesced=True, lasting=True), sql
            case Beginning() | Recorded() | RecordedDated():
                raise NotLowered(str(reason_of(node)))
            case Given():
                raise AssertionError("intervals are given to parts of a plan")
            case _:
                assert_never(node)

    def _other(self, node: MadeNode, merged: bool) -> tuple[Relation, str | None]:
        """The nodes that rules derive."""
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
                raise NotLowered(str(reason_of(node)))
            case Aggregated(tuples=source):
                return self._aggregated(node, self.relations[source], merged)
            case Plain() | Pinned() | Pending() | Union() | Projection() | Shared() | Members():
                return self._derived(node, self.rules.get(node, []), merged)
            case _:
                assert_never(node)

    def _aggregated(self, node: Aggregated, tuples: Relation, merged: bool) -> tuple[Relation, str | None]:
        if tuples.empty:
            return Relation(self.name(node), (Kind.STRING,) * node.width, True, empty=True), None
        kinds, sql = aggregate(node, self._merged(tuples), self.scope)
        sql = coalesce(sql, names(len(kinds))) if merged else sql
        return Relation(self.name(node), kinds, merged), sql

    def _every_point(self, dated: Relation, window: PointWindow) -> str:
        """``⊞ □ a``: by runs if each time point is known for the length of the window, otherwise by counting."""
        if isinstance(window, Sliding) and dated.pinned and dated.reach is not None and dated.reach >= window.ticks:
            *columns, time = dated.columns
            points = f"(select {comma(columns)}{time} as u from {dated.name}) as known"
            return inputs.unbroken(points, columns, window, self.timeline)
        counts = self.scope.aside(counting.segments(self._merged(dated)), f"{dated.name}, time points counted")
        return coalesce(counting.every_point(counts, dated, window, self.timeline), dated.columns[:-1])

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
            raise NotLowered(f"{predicate} has values that SQL cannot represent exactly")
        return Relation(name(facts_table(predicate, isinstance(node, Background))), kinds)

    def _made(
        self, node: Node, source: Relation, kinds: tuple[Kind, ...], sql: str, coalesced: bool
    ) -> tuple[Relation, str | None]:
        relation = Relation(self.name(node), kinds, coalesced, source.empty)
        return relation, None if source.empty else sql

    def _derived(self, node: Node, rules: Sequence[PlanRule], merged: bool) -> tuple[Relation, str | None]:
        made = derive(rules, self.scope)
        if made.sql is None:
            return Relation(self.name(node), (Kind.STRING,) * node.width, True, empty=True), None
        kinds, reach, pinned = made.kinds, made.reach, made.pinned
        if merged and not made.coalesced:
            same = pinned and reach is not None
            sql = (
                _distinct(made.sql) if same else self.scope.coalesce(made.sql, names(len(kinds)), made.ascending, reach)
            )
            return Relation(
                self.name(node), kinds, True, reach=reach if same else None, pinned=same, window=made.window
            ), sql
        return replace(
            Relation(self.name(node), kinds, made.coalesced, ascending=made.ascending, reach=reach, pinned=pinned),
            window=made.window,
        ), made.sql

    def name(self, node: Node) -> str:
        return f"n{self.numbers[node]}"


def _distinct(sql: str) -> str:
    """Rows with equal values have equal intervals."""
    return f"select distinct *\nfrom (\n{indent(sql)}\n) as rows_"


def facts_table(predicate: Predicate, background: bool) -> str:
    """The name of the table of the given facts of a predicate."""
    return f"{predicate} background" if background else str(predicate)


def _merged(plan: Plan, wanted: set[Node]) -> frozenset[Node]:
    """The nodes that must be coalesced: outputs and negated nodes. Other readers coalesce their own results."""
    negated = [subgoal.node for rule in plan.rules if rule.head in wanted for subgoal in rule.negatives]
    return frozenset((*plan.outputs.values(), *negated))


def reason_of(node: Node) -> str | None:
    """Why a node is left to the reasoner, whatever its sources are; None if it need not be."""
    match node:
        case Beginning(window=window) | Recent(window=TupleWindow() as window) | Dated(window=TupleWindow() as window):
            return f"the tuple window {window}"
        case Points(window=TupleWindow() as window) | EveryPoint(window=TupleWindow() as window):
            return f"the tuple window {window}"
        case Recorded(predicate=predicate) | RecordedDated(predicate=predicate) | Steady(predicate=predicate):
            return f"it reads the record of {predicate}, which the reasoner keeps"
        case _:
            return None
