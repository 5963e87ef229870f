"""The body of a rule: one select over all that must hold, with comparisons, less what must not."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from laser.plan.nodes import Pending, Points
from laser.plan.plan import PlanRule, Subgoal
from laser.sql.absent import silence, without
from laser.sql.bins import binned, pair_once, width_of
from laser.sql.coalesce import coalesce
from laser.sql.doubts import is_doubtful
from laser.sql.inputs import spans
from laser.sql.kinds import Kind
from laser.sql.refusal import NotLowered
from laser.sql.relation import FactWindow, Relation
from laser.sql.scope import Scope
from laser.sql.sweep import sweep
from laser.sql.terms import FALSE, Expression, compare, equal, evaluate, time_point
from laser.sql.text import comma, greatest, indent, least, where
from laser.sql.timeline import Timeline
from laser.sql.windows import time_window
from laser.syntax.terms import variables
from laser.syntax.tree import Constant, Term, Variable
from laser.windows import HISTORY, Sliding, TimeWindow

__all__ = ["Body"]

MOST_POINTS = 5_000_000
"""Time points that are listed one by one, where a rule asks for times that nothing else tells."""


class Negative(NamedTuple):
    """What must not hold: a relation that is not empty, with a term for each of its values."""

    relation: Relation
    terms: tuple[Term, ...]

    @property
    def columns(self) -> dict[str, str]:
        """The columns of its variables."""
        pairs = zip(self.terms, self.relation.columns, strict=True)
        return {term.name: column for term, column in pairs if isinstance(term, Variable)}


class Body:
    """The rows of a body, and what its variables are bound to in them."""

    def __init__(self, rule: PlanRule, scope: Scope) -> None:
        self._join = _Join(rule, scope)
        self.holds = self._join.holds()
        """Whether it may hold at all."""
        self.bound = self._join.bound
        self._rows: str | None = None
        negatives = [subgoal for subgoal in rule.negatives if not scope.relation(subgoal.node).empty]
        if self.holds and (negatives or self._join.sides):
            asked = {v.name for v in variables([*rule.terms, *(t for subgoal in negatives for t in subgoal.terms)])}
            self._columns = {name: f"v{i}" for i, name in enumerate(name for name in self.bound if name in asked)}
            self._rows = self._made([Negative(scope.relation(n.node), n.terms) for n in negatives], scope)
            if self._rows is not None:
                self.bound = {n: Expression(f"b.{column}", self.bound[n].kind) for n, column in self._columns.items()}

    def _made(self, negatives: list[Negative], scope: Scope) -> str | None:
        """The rows of what the head and the negated parts ask for; None where the join itself may be asked for more."""
        keys = list(self._columns.values())
        alike = [part for part in negatives if self._is_alike(part)]
        others = [part for part in negatives if part not in alike]
        quiet = {part: sql for part in alike if (sql := self._silence(part, scope.timeline)) is not None}
        if quiet:
            part, rows = next(iter(quiet.items()))
            alike.remove(part)
        elif (sides := self._join.by_one_key(self._columns)) is not None:
            rows, alike = sweep(sides, [self._rows_of(part) for part in alike], keys), []
        elif not negatives:
            return None
        else:
            rows = self._join.select([f"{self.bound[name].sql} as {c}" for name, c in self._columns.items()], [])
            if not self._join.is_coalesced(self._columns, self._columns):
                rows = coalesce(rows, keys, self.is_ascending, self.reach)
        if alike:
            rows = sweep([rows], [self._rows_of(part) for part in alike], keys)
        over = {name: Expression(f"p.{column}", self.bound[name].kind) for name, column in self._columns.items()}
        for relation, terms in others:
            rows = without(rows, keys, [evaluate(term, over) for term in terms], relation, scope)
        return rows

    def _silence(self, part: Negative, timeline: Timeline) -> str | None:
        """A window over facts less another one over the same: after each fact, from where the second has ended."""
        mine, other = self.window, part.relation.window
        columns = self.facts_columns(self._columns)
        if mine is None or other is None or columns is None or mine.facts != other.facts:
            return None
        places = dict(zip(part.relation.columns, other.columns, strict=True))
        if {name: places[column] for name, column in part.columns.items()} != columns:
            return None
        kept = {self._columns[name]: column for name, column in columns.items()}
        return silence(mine.facts, kept, mine.ticks, other.ticks, timeline)

    def _is_alike(self, part: Negative) -> bool:
        """Whether a negated part has the variables that are asked for as its values, each once."""
        kinds = {t.name: k for t, k in zip(part.terms, part.relation.kinds, strict=True) if isinstance(t, Variable)}
        return len(kinds) == len(part.terms) and kinds == {name: self.bound[name].kind for name in self._columns}

    def _rows_of(self, part: Negative) -> str:
        kept = comma(f"{part.columns[name]} as {column}" for name, column in self._columns.items())
        return f"select {kept}c, h from {part.relation.name}"

    def is_coalesced(self, named: Collection[str], used: Collection[str]) -> bool:
        """Whether values of the named variables, of those that are used, have intervals that neither overlap nor touch."""
        if self._rows is not None:
            return self._columns.keys() <= set(named)
        return self._join.is_coalesced(named, used)

    @property
    def _only(self) -> _Source | None:
        """The one relation whose intervals it has as they are."""
        sources = self._join.sources
        return sources[0] if self._rows is None and len(self._join.begins) == len(sources) == 1 else None

    @property
    def is_ascending(self) -> bool:
        """Whether what begins later never ends earlier."""
        return self._only is not None and self._only.is_ascending

    @property
    def reach(self) -> int | None:
        """How far each of its intervals reaches, if all reach as far."""
        return None if self._only is None else self._only.reach

    def is_pinned(self, last: Term | None) -> bool:
        """Whether its intervals begin at the time point that this term is."""
        only = self._only
        if only is None or not only.relation.pinned or not isinstance(last, Variable):
            return False
        return self.bound[last.name].sql == f"{only.alias}.{only.relation.columns[-1]}"

    @property
    def window(self) -> FactWindow | None:
        """The window over facts that it is, if it is one and nothing else: its columns are those of the variables that are bound."""
        only = self._only
        if only is None or only.relation.window is None or only.sql != only.relation.name:
            return None
        own = [c for c in self._join.conditions if c not in self._join.overlaps]
        return None if own else only.relation.window

    def facts_columns(self, names: Collection[str]) -> dict[str, str] | None:
        """The columns of facts from which variables come, where the body is a window over facts."""
        window, only = self.window, self._only
        if window is None or only is None:
            return None
        places = {f"{only.alias}.{a}": column for a, column in zip(only.relation.columns, window.columns, strict=True)}
        return {name: places[self.bound[name].sql] for name in names}

    def select(self, columns: list[str], conditions: list[str]) -> str:
        """Columns over what is bound, and the interval, where some conditions hold."""
        if self._rows is None:
            return self._join.select(columns, conditions)
        return f"select {comma(columns)}b.c, b.h\nfrom (\n{indent(self._rows)}\n) as b{where(conditions)}"


@dataclass
class _Join:
    """Takes the subgoals and tests of a body one after the other."""

    rule: PlanRule
    scope: Scope
    bound: dict[str, Expression] = field(default_factory=dict)
    sources: list[_Source] = field(default_factory=list)
    begins: list[str] = field(default_factory=list)
    ends: list[str] = field(default_factory=list)
    conditions: list[str] = field(default_factory=list)
    overlaps: set[str] = field(default_factory=set)
    """Those of the conditions that say that intervals overlap."""
    shared: dict[str, str] = field(default_factory=dict)
    """Those that say that a variable, which is the value, has one value in two columns of one kind."""

    def holds(self) -> bool:
        """Take everything; False where the body is known not to hold at all."""
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
        """Where a variable occurs in columns of several kinds, it is read from the narrowest."""
        return sum(kind != Kind.ANY for kind in self.scope.relation(subgoal.node).kinds)

    def _read(self, subgoal: Subgoal) -> None:
        relation, alias = self.scope.relation(subgoal.node), f"s{len(self.sources)}"
        self.sources.append(_Source(self._clipped(subgoal, relation), alias, relation, subgoal.window, subgoal.terms))
        self._overlap(f"{alias}.c", f"{alias}.h")
        for term, value in zip(subgoal.terms, relation.values(alias), strict=True):
            self._match(term, value)

    def _clipped(self, subgoal: Subgoal, relation: Relation) -> str:
        """A key counts while its time is in the window; one that waits for its time, from then on."""
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
        """A time point of a window; one that is bound is only asked for its place."""
        (term,) = subgoal.terms
        window = time_window(subgoal.node.window) if isinstance(subgoal.node, Points) else None
        assert window is not None
        if isinstance(term, Variable) and term.name not in self.bound:
            if self.scope.timeline.length > MOST_POINTS:
                raise NotLowered(f"all {self.scope.timeline.length:,} time points would be listed")
            self._read(subgoal)
            return
        u = time_point(evaluate(term, self.bound), *self.scope.timeline)
        c, h = spans(window, f"({u})", self.scope.timeline)
        self.conditions += [f"({u}) is not null", f"{c} <= {h}"]
        self._overlap(c, h)
        if isinstance(term, Variable):
            self.bound[term.name] = Expression(f"({u})", Kind.INTEGER)

    def _overlap(self, begin: str, end: str) -> None:
        """Intervals that overlap pair by pair all overlap."""
        meeting = [f"{begin} <= {other}" for other in self.ends] + [f"{other} <= {end}" for other in self.begins]
        self.conditions += meeting
        self.overlaps.update(meeting)
        self.begins.append(begin)
        self.ends.append(end)

    def _test(self, tests: list) -> None:  # type: ignore[type-arg]
        """Filter by the tests that are ready, and assign."""
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
    def sides(self) -> list[_Source]:
        """What is joined by time; what lasts for all of it needs no comparison."""
        brief = [source for source in self.sources if not source.relation.lasting]
        return brief if len(brief) > 1 else []

    def by_one_key(self, columns: Mapping[str, str]) -> list[str] | None:
        """The sides of a join as rows of the same variables; None where some has others, or where more than these tells them apart."""
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
        return [side.rows(columns, own[side]) for side in sides]

    def is_coalesced(self, named: Collection[str], used: Collection[str]) -> bool:
        """Whether values of the named variables, of those that are used, have intervals that neither overlap nor touch."""
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

    def _side(self, side: _Source, conditions: list[str], asked: str) -> str:
        """One side of a join as a table: the rows that its own conditions leave, coalesced by the values that others ask for."""
        columns = [
            column for column in side.relation.columns if f"{side.alias}.{column}" in set(_REFERENCE.findall(asked))
        ]
        read = [f"{side.alias}.{column}" for column in columns]
        sql = f"select {comma(read)}{side.alias}.c, {side.alias}.h\nfrom {side.sql} as {side.alias}{where(conditions)}"
        if not side.relation.coalesced or len(columns) < len(side.relation.columns):
            sql = coalesce(sql, columns, side.is_ascending, side.reach)
        return self.scope.aside(sql, "one side of a join")


_REFERENCE = re.compile(r"\bs\d+\.\w+")
"""A column under an alias. In a text it would be mistaken for one, which costs nothing but a column more."""


def _aliases(sql: str) -> set[str]:
    return {reference.split(".")[0] for reference in _REFERENCE.findall(sql)}


class _Source(NamedTuple):
    """What a body reads under an alias."""

    sql: str
    alias: str
    relation: Relation
    window: TimeWindow
    terms: tuple[Term, ...]

    def kinds_of(self, names: Collection[str]) -> dict[str, Kind]:
        """The kinds of those of the variables that it has."""
        pairs = zip(self.terms, self.relation.kinds, strict=True)
        return {t.name: kind for t, kind in pairs if isinstance(t, Variable) and t.name in names}

    def rows(self, columns: Mapping[str, str], conditions: list[str]) -> str:
        """The values of variables, as columns of these names, with maximal intervals."""
        places = dict(
            reversed(
                [(t.name, c) for t, c in zip(self.terms, self.relation.columns, strict=True) if isinstance(t, Variable)]
            )
        )
        kept = comma(f"{self.alias}.{places[name]} as {column}" for name, column in columns.items())
        sql = f"select {kept}{self.alias}.c, {self.alias}.h\nfrom {self.sql} as {self.alias}{where(conditions)}"
        if self.relation.coalesced and len(columns) == len(self.relation.columns):
            return sql
        return coalesce(sql, list(columns.values()), self.is_ascending, self.reach)

    @property
    def is_ascending(self) -> bool:
        """So it is as the relation has it, and not where a window has cut it."""
        return self.relation.ascending and self.sql == self.relation.name

    @property
    def reach(self) -> int | None:
        """As far as the relation's intervals, or the window, whichever is less."""
        if self.sql == self.relation.name or self.relation.reach is None:
            return self.relation.reach
        cut = self.relation.pinned and isinstance(self.window, Sliding)
        return min(self.relation.reach, self.window.sizes[0]) if cut else None
