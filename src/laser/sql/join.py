"""The positive part of a body: its relations, joined by shared variables and by time."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from laser.plan.nodes import Pending, Points
from laser.plan.plan import PlanRule, Subgoal
from laser.rules.body import Comparison
from laser.sql.bins import binned, pair_once, width_of
from laser.sql.doubts import is_doubtful
from laser.sql.inputs import spans
from laser.sql.kinds import Kind
from laser.sql.refusal import NotLowered
from laser.sql.relation import Relation
from laser.sql.scope import Scope
from laser.sql.terms import FALSE, Expression, compare, equal, evaluate, time_point
from laser.sql.text import comma, greatest, least, where
from laser.sql.windows import time_window
from laser.syntax.terms import variables
from laser.syntax.tree import Constant, Term, Variable
from laser.windows import HISTORY, Sliding, TimeWindow

__all__ = ["Join", "Source"]

MOST_POINTS = 5_000_000
"""The most time points that are listed one by one, if a rule uses times that nothing else binds."""


@dataclass
class Join:
    """Takes the subgoals and tests of a body one after another."""

    rule: PlanRule
    scope: Scope
    bound: dict[str, Expression] = field(default_factory=dict)
    sources: list[Source] = field(default_factory=list)
    begins: list[str] = field(default_factory=list)
    ends: list[str] = field(default_factory=list)
    conditions: list[str] = field(default_factory=list)
    overlaps: set[str] = field(default_factory=set)
    """The conditions that intervals overlap."""
    shared: dict[str, str] = field(default_factory=dict)
    """The conditions that a variable (the value of this dict) is equal in two columns of one kind."""

    def holds(self) -> bool:
        """Add all parts; False if the body is known not to hold at all."""
        last = [subgoal for subgoal in self.rule.positives if isinstance(subgoal.node, Points)]
        positives = [subgoal for subgoal in self.rule.positives if not isinstance(subgoal.node, Points)]
        if any(self.scope.relation(subgoal.node).empty for subgoal in positives):
            return False
        tests = list(self.rule.tests)
        for subgoal in sorted(positives, key=self._narrowest, reverse=True):
            self._read(subgoal)
        self._test(tests)
        for subgoal in last:
            self._point(subgoal)
            self._test(tests)
        assert not tests, f"unbound test in {self.rule.text}"
        return FALSE not in self.conditions

    def _narrowest(self, subgoal: Subgoal) -> int:
        """A variable that occurs in columns of several kinds is read from the narrowest."""
        return sum(kind != Kind.ANY for kind in self.scope.relation(subgoal.node).kinds)

    def _read(self, subgoal: Subgoal) -> None:
        relation, alias = self.scope.relation(subgoal.node), f"s{len(self.sources)}"
        self.sources.append(Source(self._clipped(subgoal, relation), alias, relation, subgoal.window, subgoal.terms))
        self._overlap(f"{alias}.c", f"{alias}.h")
        for term, value in zip(subgoal.terms, relation.values(alias), strict=True):
            self._match(term, value)

    def _clipped(self, subgoal: Subgoal, relation: Relation) -> str:
        """A key counts while its time is in the window; if it waits for its time, from then on."""
        if subgoal.window == HISTORY and not isinstance(subgoal.node, Pending):
            return relation.name
        c, h = spans(time_window(subgoal.window), relation.columns[-1], self.scope.timeline)
        c, h = f"greatest(c, {c})", f"least(h, {h})"
        return f"(select {comma(relation.columns)}{c} as c, {h} as h from {relation.name} where {c} <= {h})"

    def _match(self, term: Term, value: Expression) -> None:
        if isinstance(term, Variable):
            if term.is_anonymous:
                return
            if term.name not in self.bound:
                self.bound[term.name] = value
                return
        known = evaluate(term, self.bound)
        self.conditions.append(equal(known, value))
        if isinstance(term, Variable) and known.kind == value.kind:
            self.shared[self.conditions[-1]] = term.name
        if isinstance(term, Variable) and known.kind != value.kind and known.kind in (Kind.ANY, Kind.NUMBER):
            self.bound[term.name] = value if known.kind == Kind.ANY or value.kind == Kind.INTEGER else known

    def _point(self, subgoal: Subgoal) -> None:
        """A time point of a window; if it is already bound, it is only checked."""
        (term,) = subgoal.terms
        window = time_window(subgoal.node.window) if isinstance(subgoal.node, Points) else None
        assert window is not None
        if isinstance(term, Variable) and term.name not in self.bound:
            if self.scope.timeline.length > MOST_POINTS:
                raise NotLowered(f"it would list all {self.scope.timeline.length:,} time points")
            self._read(subgoal)
            return
        u = time_point(evaluate(term, self.bound), *self.scope.timeline)
        c, h = spans(window, f"({u})", self.scope.timeline)
        self.conditions += [f"({u}) is not null", f"{c} <= {h}"]
        self._overlap(c, h)
        if isinstance(term, Variable):
            self.bound[term.name] = Expression(f"({u})", Kind.INTEGER)

    def _overlap(self, begin: str, end: str) -> None:
        """Intervals that overlap in pairs have a common overlap."""
        meeting = [f"{begin} <= {other}" for other in self.ends] + [f"{other} <= {end}" for other in self.begins]
        self.conditions += meeting
        self.overlaps.update(meeting)
        self.begins.append(begin)
        self.ends.append(end)

    def _test(self, tests: list[Comparison]) -> None:
        """Filter by the tests whose variables are bound, and assign."""
        while ready := next((test for test in tests if test.is_ready(self.bound.keys())), None):
            tests.remove(ready)
            if is_doubtful(ready, self.bound):
                self.scope.doubts[self.rule.text] = None
            assigned = ready.assigns(self.bound.keys())
            if assigned is None:
                self.conditions.append(compare(ready, self.bound))
            else:
                name, term = assigned
                self.bound[name] = value = evaluate(term, self.bound)
                self.conditions.append(f"({value.sql}) is not null")

    @property
    def sides(self) -> list[Source]:
        """The sources that are joined by time; one that lasts for the whole timeline needs no comparison."""
        brief = [source for source in self.sources if not source.relation.lasting]
        return brief if len(brief) > 1 else []

    def by_one_key(self, columns: Mapping[str, str]) -> list[str] | None:
        """The sides of a join as rows of the same variables; None if one has other variables, or if further conditions apply."""
        sides = self.sides
        if len(sides) != len(self.sources) or len(self.begins) != len(sides) or not sides:
            return None
        own = {side: [c for c in self.conditions if _aliases(c) == {side.alias}] for side in sides}
        crossing = [
            c for c in self.conditions if c not in self.overlaps and not any(c in some for some in own.values())
        ]
        alike = all(side.kinds_of(columns) == {n: self.bound[n].kind for n in columns} for side in sides)
        if not alike or any(self.shared.get(condition) not in columns for condition in crossing):
            return None
        return [side.rows(columns, [*own[side], *side.repetitions], self.scope) for side in sides]

    def is_coalesced(self, named: Collection[str], used: Collection[str]) -> bool:
        """Whether, for the named variables among the used ones, intervals of equal values neither overlap nor touch."""
        if not self.sides:
            terms = [term for source in self.sources for term in source.terms]
            return all(source.relation.coalesced for source in self.sources) and all(
                v.name in named for v in variables(terms)
            )
        own = [c for c in self.conditions if c not in self.overlaps and len(_aliases(c)) == 1]
        asked = [*(self.bound[name].sql for name in used), *(c for c in self.conditions if c not in own)]
        kept = set(_REFERENCE.findall(" ".join(asked)))
        return all(
            isinstance(term, Constant) or (isinstance(term, Variable) and term.name in named)
            for source in self.sources
            for term, column in zip(source.terms, source.relation.columns, strict=True)
            if source not in self.sides or f"{source.alias}.{column}" in kept
        )

    def select(self, columns: list[str], conditions: list[str]) -> str:
        spans = f"{greatest(self.begins)} as c, {least(self.ends)} as h"
        everywhere = [*self.conditions, *conditions]
        own = {side: [c for c in everywhere if _aliases(c) == {side.alias}] for side in self.sides}
        rest = [c for c in everywhere if not any(c in some for some in own.values())]
        asked = " ".join([*columns, *rest])
        tables = {side: self._side(side, own[side], asked) for side in own}
        width = width_of(list(tables.values()), self.scope) if tables else ""
        read = [f"{binned(tables[s], width) if s in tables else s.sql} as {s.alias}" for s in self.sources]
        given = f"\nfrom {', '.join(read)}" if read else ""
        meeting = pair_once([side.alias for side in tables]) if tables else []
        return f"select {comma(columns)}{spans}{given}{where([*rest, *meeting])}"

    def _side(self, side: Source, conditions: list[str], asked: str) -> str:
        """One side of a join as a table: the rows that satisfy its own conditions, coalesced by the values that other sides need."""
        columns = [
            column for column in side.relation.columns if f"{side.alias}.{column}" in set(_REFERENCE.findall(asked))
        ]
        read = [f"{side.alias}.{column}" for column in columns]
        sql = f"select {comma(read)}{side.alias}.c, {side.alias}.h\nfrom {side.sql} as {side.alias}{where(conditions)}"
        if not side.relation.coalesced or len(columns) < len(side.relation.columns):
            sql = self.scope.coalesce(sql, columns, side.is_ascending, side.reach)
        return self.scope.aside(sql, "one side of a join")


_REFERENCE = re.compile(r"\bs\d+\.\w+")
"""A column with an alias. A match within a string literal only costs an extra column."""


def _aliases(sql: str) -> set[str]:
    return {reference.split(".")[0] for reference in _REFERENCE.findall(sql)}


class Source(NamedTuple):
    """A relation that a body reads, with its alias."""

    sql: str
    alias: str
    relation: Relation
    window: TimeWindow
    terms: tuple[Term, ...]

    @property
    def places(self) -> dict[str, list[int]]:
        """The positions of each variable."""
        found: dict[str, list[int]] = {}
        for position, term in enumerate(self.terms):
            if isinstance(term, Variable) and not term.is_anonymous:
                found.setdefault(term.name, []).append(position)
        return found

    def kinds_of(self, names: Collection[str]) -> dict[str, Kind]:
        """The kinds of the variables among these that it has, each at its first place."""
        return {name: self.relation.kinds[at[0]] for name, at in self.places.items() if name in names}

    @property
    def repetitions(self) -> list[str]:
        """The conditions that a variable with several places has one value. A join compares each place with another source instead."""
        values = list(self.relation.values(self.alias))
        return [equal(values[first], values[other]) for first, *others in self.places.values() for other in others]

    def rows(self, columns: Mapping[str, str], conditions: list[str], scope: Scope) -> str:
        """The values of variables, in columns of these names, with maximal intervals."""
        first = {name: self.relation.columns[at[0]] for name, at in self.places.items()}
        kept = comma(f"{self.alias}.{first[name]} as {column}" for name, column in columns.items())
        sql = f"select {kept}{self.alias}.c, {self.alias}.h\nfrom {self.sql} as {self.alias}{where(conditions)}"
        if self.relation.coalesced and len(columns) == len(self.relation.columns):
            return sql
        return scope.coalesce(sql, list(columns.values()), self.is_ascending, self.reach)

    @property
    def is_ascending(self) -> bool:
        """As the relation itself, unless a window has cut its intervals."""
        return self.relation.ascending and self.sql == self.relation.name

    @property
    def reach(self) -> int | None:
        """The length of the relation's intervals, or that of the window if it is shorter."""
        if self.sql == self.relation.name or self.relation.reach is None:
            return self.relation.reach
        cut = self.relation.pinned and isinstance(self.window, Sliding)
        return min(self.relation.reach, self.window.sizes[0]) if cut else None
