"""The body of a rule: one select over its positive parts and comparisons, minus its negated parts."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from laser.plan.plan import PlanRule
from laser.sql.absent import silence, without
from laser.sql.join import Join, Source
from laser.sql.relation import FactWindow, Relation
from laser.sql.scope import Scope
from laser.sql.sweep import sweep
from laser.sql.terms import Expression, evaluate
from laser.sql.text import comma, indent, where
from laser.sql.timeline import Timeline
from laser.syntax.terms import variables
from laser.syntax.tree import Term, Variable

__all__ = ["Body"]


class Negative(NamedTuple):
    """A negated part: a relation that is not empty, with a term for each of its values."""

    relation: Relation
    terms: tuple[Term, ...]

    @property
    def columns(self) -> dict[str, str]:
        """The columns of its variables."""
        pairs = zip(self.terms, self.relation.columns, strict=True)
        return {term.name: column for term, column in pairs if isinstance(term, Variable)}


class Body:
    """The rows of a body, and the columns to which its variables are bound."""

    def __init__(self, rule: PlanRule, scope: Scope) -> None:
        self._join = Join(rule, scope)
        self.holds = self._join.holds()
        """Whether it can hold at all."""
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
        """The rows that the head and the negated parts need; None if the join itself can serve them."""
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
                rows = scope.coalesce(rows, keys, self.is_ascending, self.reach)
        if alike:
            rows = sweep([rows], [self._rows_of(part) for part in alike], keys)
        over = {name: Expression(f"p.{column}", self.bound[name].kind) for name, column in self._columns.items()}
        for relation, terms in others:
            rows = without(rows, keys, [evaluate(term, over) for term in terms], relation, scope)
        return rows

    def _silence(self, part: Negative, timeline: Timeline) -> str | None:
        """A window over facts minus another window over the same facts: the time after each fact, when the second window has ended."""
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
        """Whether the values of a negated part are exactly the needed variables, each once."""
        kinds = {t.name: k for t, k in zip(part.terms, part.relation.kinds, strict=True) if isinstance(t, Variable)}
        return len(kinds) == len(part.terms) and kinds == {name: self.bound[name].kind for name in self._columns}

    def _rows_of(self, part: Negative) -> str:
        kept = comma(f"{part.columns[name]} as {column}" for name, column in self._columns.items())
        return f"select {kept}c, h from {part.relation.name}"

    def is_coalesced(self, named: Collection[str], used: Collection[str]) -> bool:
        """Whether, for the named variables among the used ones, intervals of equal values neither overlap nor touch."""
        if self._rows is not None:
            return self._columns.keys() <= set(named)
        return self._join.is_coalesced(named, used)

    @property
    def _only(self) -> Source | None:
        """The only relation of the body, if its intervals are used unchanged."""
        sources = self._join.sources
        return sources[0] if self._rows is None and len(self._join.begins) == len(sources) == 1 else None

    @property
    def is_ascending(self) -> bool:
        """Whether an interval that begins later never ends earlier."""
        return self._only is not None and self._only.is_ascending

    @property
    def reach(self) -> int | None:
        """The length of its intervals, if all are equally long."""
        return None if self._only is None else self._only.reach

    def is_pinned(self, last: Term | None) -> bool:
        """Whether its intervals begin at the time point given by this term."""
        only = self._only
        if only is None or not only.relation.pinned or not isinstance(last, Variable):
            return False
        return self.bound[last.name].sql == f"{only.alias}.{only.relation.columns[-1]}"

    @property
    def window(self) -> FactWindow | None:
        """The window over facts that is the whole body, if there is one: its columns are those of the bound variables."""
        only = self._only
        if only is None or only.relation.window is None or only.sql != only.relation.name:
            return None
        own = [c for c in self._join.conditions if c not in self._join.overlaps]
        return None if own else only.relation.window

    def facts_columns(self, names: Collection[str]) -> dict[str, str] | None:
        """The columns of facts from which variables come, if the body is a window over facts."""
        window, only = self.window, self._only
        if window is None or only is None:
            return None
        places = {f"{only.alias}.{a}": column for a, column in zip(only.relation.columns, window.columns, strict=True)}
        return {name: places[self.bound[name].sql] for name in names}

    def select(self, columns: list[str], conditions: list[str]) -> str:
        """Columns over the bound variables, and the interval, for rows that satisfy some conditions."""
        if self._rows is None:
            return self._join.select(columns, conditions)
        return f"select {comma(columns)}b.c, b.h\nfrom (\n{indent(self._rows)}\n) as b{where(conditions)}"
