"""``not``: of what the rest of a body gives, the intervals less those of the negated part.

What is left lies in the gaps of the negated part. Each of its keys has a gap before its first interval, if only a formal one
before the timeline, so that a key without gaps is a key that is not there.
"""

from __future__ import annotations

from collections.abc import Sequence

from laser.sql.relation import Relation
from laser.sql.terms import FALSE, Expression, equal
from laser.sql.text import comma, indent, partition
from laser.sql.timeline import Timeline

__all__ = ["without"]


def without(
    body: str, columns: Sequence[str], terms: Sequence[Expression], negated: Relation, timeline: Timeline
) -> str:
    """The rows (columns; c, h) of a body, less the times at which the negated relation has the terms.

    The terms are over the rows as ``p``.
    """
    assert negated.coalesced, "gaps are between maximal intervals"
    keys = [equal(term, value) for term, value in zip(terms, negated.values("g"), strict=True)]
    if FALSE in keys:
        return body
    kept = comma(f"p.{column}" for column in columns)
    return (
        f"select {kept}greatest(p.c, coalesce(g.c, p.c)) as c, least(p.h, coalesce(g.h, p.h)) as h\n"
        f"from (\n{indent(body)}\n) as p left join (\n{indent(_gaps(negated, timeline))}\n) as g\n"
        f"  on {' and '.join(keys) or 'true'}\n"
        f"where g.c is null or (g.c <= p.h and p.c <= g.h)"
    )


def _gaps(negated: Relation, timeline: Timeline) -> str:
    keys = negated.columns
    columns = comma(keys)
    after = f"coalesce(lead(c) over ({partition(keys)}order by c) - 1, {timeline.last} + 1)"
    group = f"group by {', '.join(keys)}" if keys else "having count(*) > 0"
    return (
        f"select {columns}h + 1 as c, {after} as h from {negated.name}\nunion all\n"
        f"select {columns}{timeline.first} - 1 as c, min(c) - 1 as h from {negated.name} {group}"
    )
