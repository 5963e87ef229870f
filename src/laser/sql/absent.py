"""``not``: the intervals of the rest of a body, minus those of the negated part.

The result is in the gaps of the negated part; for a key that the negated part does not have, it is everything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from laser.sql.bins import binned, pair_once, width_of
from laser.sql.relation import Relation
from laser.sql.scope import Scope
from laser.sql.terms import FALSE, Expression, equal
from laser.sql.text import comma, indent, partition, where
from laser.sql.timeline import Timeline

__all__ = ["silence", "without"]


def without(body: str, columns: Sequence[str], terms: Sequence[Expression], negated: Relation, scope: Scope) -> str:
    """The rows (columns; c, h) of a body, minus the times at which the negated relation has the terms.

    The terms refer to the rows as ``p``.
    """
    assert negated.coalesced, "gaps are between maximal intervals"
    keys = [equal(term, value) for term, value in zip(terms, negated.values("g"), strict=True)]
    if FALSE in keys:
        return body
    rows = scope.aside(body, "the body without its negation")
    gaps = scope.aside(_gaps(negated, scope.timeline), f"the gaps of {negated.name}")
    width = width_of([rows, gaps], scope)
    kept = comma(f"p.{column}" for column in columns)
    overlap = where([*keys, *pair_once(["p", "g"]), "g.c <= p.h", "p.c <= g.h"])
    return (
        f"select {kept}greatest(p.c, g.c) as c, least(p.h, g.h) as h\n"
        f"from {binned(rows, width)} as p, {binned(gaps, width)} as g{overlap}\n"
        f"union all\n"
        f"select {kept}p.c, p.h from {rows} as p\n"
        f"where not exists (select 1 from {gaps} as g{where(keys)})"
    )


def silence(facts: str, columns: Mapping[str, str], ticks: int, quiet: int, timeline: Timeline) -> str:
    """Facts in a window of some ticks, minus the same facts in a shorter window: the time after each fact until the next of its key.

    ``columns`` maps the names to keep to the columns of the facts. The next fact itself is in the window that is subtracted, so that these
    intervals never touch.
    """
    kept = comma(f"{column} as {name}" for name, column in columns.items())
    following = f"lead(u) over ({partition(list(columns.values()))}order by u)"
    seen = f"select {kept}u, {following} as following from {facts}"
    c, h = f"u + {quiet + 1}", f"least(u + {ticks}, coalesce(following - 1, {timeline.last}), {timeline.last})"
    return f"select {comma(columns)}{c} as c, {h} as h\nfrom (\n{indent(seen)}\n) as seen where {c} <= {h}"


def _gaps(negated: Relation, timeline: Timeline) -> str:
    """Before the first interval, between two, after the last. A gap outside of the timeline shows that the relation has the key."""
    keys = negated.columns
    columns = comma(keys)
    after = f"coalesce(lead(c) over ({partition(keys)}order by c) - 1, {timeline.last} + 1)"
    group = f"group by {', '.join(keys)}" if keys else "having count(*) > 0"
    return (
        f"select {columns}h + 1 as c, {after} as h from {negated.name}\nunion all\n"
        f"select {columns}{timeline.first} as c, min(c) - 1 as h from {negated.name} {group} "
        f"{'having' if keys else 'and'} min(c) > {timeline.first}"
    )
