"""A stratum for the reasoner: reads relations of DuckDB as intervals, and writes tables of DuckDB."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING

from laser.engine.inputs.given import Span
from laser.engine.part import merged, needs_facts, run_part
from laser.plan.nodes import Node
from laser.plan.part import given_to, part_of
from laser.sql.coalesce import coalesce
from laser.sql.facts import columns_of, decoder, kinds_of
from laser.sql.kinds import Kind
from laser.sql.refusal import NotLowered
from laser.sql.relation import Relation
from laser.sql.strata import Strata
from laser.sql.text import comma
from laser.values import Predicate

if TYPE_CHECKING:
    from laser.sql.duck import Duck

__all__ = ["reason"]

ROWS_AT_ONCE = 10_000


def reason(duck: Duck, strata: Strata, first: int, last: int) -> dict[Node, list[Span]]:
    """Compute the remaining nodes as tables for the next stratum; nodes whose values no table can have are returned."""
    lowerer = strata.lowerer
    named = {Predicate(lowerer.name(node), node.width): node for node in strata.exposed()}
    part = part_of(lowerer.plan, strata.left, named)
    if needs_facts(part) and duck.facts is None:
        raise NotLowered("; ".join(dict.fromkeys(strata.left.values())))
    given = {node: _spans(duck, strata, node) for node in given_to(part)}
    facts = duck.facts(first, last) if duck.facts is not None and needs_facts(part) else ()
    found = run_part(part, merged(given), facts, first, last, duck.limit, duck.reports)
    return {node: spans for predicate, node in named.items() if not _put(duck, strata, node, spans := found[predicate])}


def _spans(duck: Duck, strata: Strata, node: Node) -> Iterator[Span]:
    """The keys of a node with their intervals, sorted by begin."""
    relation = strata.lowerer.relations.get(node)
    if relation is None:
        yield from duck.spans[node]
    elif not relation.empty:
        yield from _rows(duck, relation, node.label)


def _rows(duck: Duck, relation: Relation, label: str) -> Iterator[Span]:
    columns = comma(relation.columns)
    source = f"select {columns}c, h from {relation.name}"
    whole = source if relation.coalesced else coalesce(source, relation.columns)
    with duck.exactly():
        table = duck.table(f"select {columns}c, h from (\n{whole}\n) as spans order by c")
    decode = [decoder(kind) for kind in relation.kinds]
    for batch in table.to_batches(ROWS_AT_ONCE):
        *values, begins, ends = (column.to_pylist() for column in batch.columns)
        read = [v if to is None else list(map(to, v)) for v, to in zip(values, decode, strict=True)]
        keys = zip(*read, strict=True) if read else ((),) * batch.num_rows
        for begin, end, key in zip(begins, ends, keys, strict=True):
            yield Span(begin, end, (label, *key))


def _put(duck: Duck, strata: Strata, node: Node, spans: Sequence[Span]) -> bool:
    """Store a node as a table, unless it is empty. Returns whether a table can have its values."""
    columns = columns_of(map(attrgetter("key"), spans))[1:]
    kinds = kinds_of(columns) if spans else None
    relation = strata.take(node, kinds, is_empty=not spans)
    if relation is None:
        return False
    if not relation.empty:
        values = dict(zip(relation.columns, zip(columns, relation.kinds, strict=True), strict=True))
        begins, ends, _ = columns_of(spans)
        duck.put(relation.name, {**values, "c": (begins, Kind.INTEGER), "h": (ends, Kind.INTEGER)})
    return True
