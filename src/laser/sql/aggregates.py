"""Aggregates: a sweep over the begins and ends of tuples computes the value of each group, and from when to when it holds.

Counts and sums are running sums, at a cost proportional to the changes of a group. Minimum and maximum of a group are computed again
at each of its changes, from the tuples that hold then. Sums of whole numbers are exact; other sums are left to the reasoner.
"""

from __future__ import annotations

from typing import assert_never

from laser.plan.nodes import Aggregated
from laser.rules.body import Comparison
from laser.sql.bins import binned, width_of
from laser.sql.doubts import is_doubtful
from laser.sql.kinds import EXACT, INEXACT, Kind
from laser.sql.refusal import NotLowered
from laser.sql.relation import Relation
from laser.sql.scope import Scope
from laser.sql.sweep import ENDS
from laser.sql.terms import Expression, compare
from laser.sql.text import comma, indent, names, partition
from laser.syntax.tree import Constant, Variable
from laser.values.fold import Fold

__all__ = ["aggregate"]

_RESULT = Variable("Result")


def aggregate(node: Aggregated, tuples: Relation, scope: Scope) -> tuple[tuple[Kind, ...], str]:
    """The kinds of the values of an aggregate, and its rows: groups with their results, or the groups that pass its threshold."""
    assert tuples.coalesced, "a tuple would count twice"
    groups = [tuples.columns[place] for place in node.groups]
    value = Expression(tuples.columns[node.value], tuples.kinds[node.value])
    result, rows = _folded(node, tuples, groups, value, scope)
    kinds = tuple(tuples.kinds[place] for place in node.groups)
    kept = comma(f"{group} as {name}" for group, name in zip(groups, names(len(groups)), strict=True))
    if node.threshold is None:
        last = f"a{len(groups) + 1}"
        return (*kinds, result.kind), f"select {kept}{result.sql} as {last}, c, h\nfrom (\n{indent(rows)}\n) as folded"
    test = Comparison(node.threshold.operator, _RESULT, Constant(node.threshold.value))
    bound = {_RESULT.name: result}
    if is_doubtful(test, bound):
        scope.doubts[str(node)] = None
    return kinds, f"select {kept}c, h\nfrom (\n{indent(rows)}\n) as folded where {compare(test, bound)}"


def _folded(
    node: Aggregated, tuples: Relation, groups: list[str], value: Expression, scope: Scope
) -> tuple[Expression, str]:
    """The result of a fold, over rows (groups; c, h, and what it needs)."""
    match node.fold:
        case Fold.COUNT:
            return Expression("n", Kind.INTEGER), _sums(tuples, groups, None)
        case Fold.SUM | Fold.AVG:
            if value.kind != Kind.INTEGER:
                raise NotLowered(
                    f"{node.fold.value} of numbers that need not be whole, which only the reasoner has exactly"
                )
            rows = _sums(tuples, groups, value.sql)
            return (_total() if node.fold is Fold.SUM else _mean()), rows
        case Fold.MIN | Fold.MAX:
            if value.kind == Kind.ANY:
                raise NotLowered(f"{node.fold.value} of values of several types")
            return Expression("v", value.kind), _extreme(node.fold.value, tuples, groups, value.sql, scope)
        case Fold.MEDIAN | Fold.STDEV | Fold.QUANTILE:
            raise NotLowered(f"it has an aggregate ({node.fold.value}), which the reasoner computes")
        case _:
            assert_never(node.fold)


def _total() -> Expression:
    """Running sums have 38 digits, more than any history needs. The result must leave room for arithmetic."""
    fits = f"case when abs(v) < {EXACT // 2} then cast(v as bigint) else error('{INEXACT}') end"
    return Expression(fits, Kind.INTEGER)


def _mean() -> Expression:
    """Both numbers are exact as doubles, so only the quotient is rounded."""
    mean = f"case when abs(v) < {EXACT} then cast(v as double) / cast(n as double) else error('{INEXACT}') end"
    return Expression(mean, Kind.NUMBER)


def _sums(tuples: Relation, groups: list[str], value: str | None) -> str:
    """The number of tuples of each group, and the sum of a value: (groups; c, h, n, v), where n and v are constant from c to h.

    Of several changes at one time, only the last has a later time as its next.
    """
    kept = comma(f"r.{group}" for group in groups)
    time = "case when e.d > 0 then r.c else r.h + 1 end"
    wide = f"cast(r.{value} as decimal(38, 0))"
    change = f"case when e.d > 0 then {wide} else - {wide} end" if value else "0"
    events = f"select {kept}{time} as t, e.d, {change} as v\nfrom {tuples.name} as r, {ENDS}"
    over = f"over ({partition(groups)}order by t)"
    sums = (
        f"select {comma(groups)}t, cast(sum(d) {over} as bigint) as n, sum(v) {over} as v, lead(t) {over} as following\n"
        f"from (\n{indent(events)}\n) as events"
    )
    return f"select {comma(groups)}t as c, following - 1 as h, n, v\nfrom (\n{indent(sums)}\n) as sums where following > t and n > 0"


def _extreme(fold: str, tuples: Relation, groups: list[str], value: str, scope: Scope) -> str:
    """The minimum or maximum of each group between two of its changes: (groups; c, h, v)."""
    parts = scope.aside(_sums(tuples, groups, None), f"the times between the changes of {tuples.name}, by group")
    width = width_of([tuples.name], scope)
    spread = f"(select s.*, s.c // w.width as bin from {parts} as s, {width} as w)"
    same = "".join(f" and r.{group} = s.{group}" for group in groups)
    kept = comma(f"s.{group}" for group in groups)
    return (
        f"select {kept}s.c, s.h, {fold}(r.{value}) as v\n"
        f"from {spread} as s, {binned(tuples.name, width)} as r\n"
        f"where r.bin = s.bin and r.c <= s.c and s.c <= r.h{same}\n"
        f"group by {kept}s.c, s.h"
    )
