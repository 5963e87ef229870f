"""A part of a plan for the reasoner, between SQL below and above: relations of intervals in, relations of intervals out.

What such a part says of a time depends only on the intervals that hold at that time. So the timeline is cut into slices, and
each slice is answered on its own: an interval goes to every slice that it meets, cut to it, and SQL joins the answers again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name that every user of Spark knows

from laser.answers import Key, Runs
from laser.engine.inputs.given import Span
from laser.engine.part import can_begin_anywhere, runs_of_part
from laser.engine.reports import Reports
from laser.plan.nodes import Node
from laser.plan.plan import Plan
from laser.spark.arrow import facts_of, table_of
from laser.spark.batch import PARTS_A_CORE, in_parts, open_part
from laser.spark.cluster import cores_of
from laser.spark.failures import speaks_first
from laser.spark.layout import Layout, PredicateColumns
from laser.spark.slices import FULL, Waiting
from laser.sql.coalesce import coalesce
from laser.sql.kinds import Kind
from laser.sql.relation import Relation
from laser.sql.stages import ReasonedPart
from laser.sql.text import comma
from laser.values import Predicate

__all__ = ["reason_part", "spans_query"]

_COLUMNS = {Kind.INTEGER: "bigint", Kind.NUMBER: "double", Kind.STRING: "string"}


def _layout(relations: Mapping[Predicate, Relation]) -> Layout:
    """How the values of several relations share one table."""
    return Layout.of(
        PredicateColumns(predicate, tuple(_COLUMNS[kind] for kind in relation.kinds), tuple(relation.columns))
        for predicate, relation in relations.items()
    )


def _given(part: ReasonedPart) -> tuple[list[Node], Layout]:
    """The nodes that the part reads, with their tags, and how their values travel. The name of a predicate there is the node's label."""
    read = {node: relation for node, relation in part.given.items() if not relation.empty}
    columns = [_layout({Predicate(node.label, node.width): relation}) for node, relation in read.items()]
    return list(read), Layout(tuple(layout.predicates[0] for layout in columns))


def spans_query(part: ReasonedPart) -> str | None:
    """A query for all intervals that the part reads: tag, slots, c, h. None if it reads none."""
    nodes, layout = _given(part)
    each = [_spans(tag, part.given[node], layout) for tag, node in enumerate(nodes)]
    return "\nunion all\n".join(each) or None


def _spans(tag: int, relation: Relation, layout: Layout) -> str:
    source = f"select {comma(relation.columns)}c, h from {relation.name}"
    whole = source if relation.coalesced else coalesce(source, relation.columns)
    columns = dict(zip(layout.predicates[tag].slots, relation.columns, strict=True))
    return f"select cast({tag} as int) as tag, {comma(layout.filled(columns))}c, h from (\n{whole}\n) as spans"


@dataclass(frozen=True)
class _Cut:
    """The timeline in slices of one width."""

    first: int
    last: int
    width: int

    @classmethod
    def into(cls, most: int, first: int, last: int) -> _Cut:
        return cls(first, last, max(1, -(-(last - first + 1) // most)))

    @property
    def slices(self) -> int:
        return -(-(self.last - self.first + 1) // self.width)

    def slice_of(self, time: str) -> Column:
        return F.expr(f"int(({time} - {self.first}) div {self.width})")

    def bounds(self, number: int) -> tuple[int, int]:
        """The first and the last time point of a slice."""
        low = self.first + number * self.width
        return low, min(self.last, low + self.width - 1)

    def placed(self, spans: DataFrame, slots: Iterable[str]) -> DataFrame:
        """Each interval in the slices that it meets, cut to them: part, tag, slots, begin, end."""
        meets = F.explode(F.sequence(self.slice_of("c"), self.slice_of("h")))
        low = F.lit(self.first) + F.col("part").cast("bigint") * F.lit(self.width)
        begin = F.greatest(F.col("c"), low).alias("begin")
        end = F.least(F.col("h"), low + F.lit(self.width - 1)).alias("end")
        return spans.withColumn("part", meets).select("part", "tag", *slots, begin, end)


def reason_part(
    spark: SparkSession, part: ReasonedPart, spans: DataFrame | None, first: int, last: int, limit: int
) -> tuple[dict[Relation, DataFrame], int]:
    """The rows of the relations that the part makes, ``a1, …, c, h``, cut at the edges of slices; and the number of slices."""
    cut = _Cut.into(cores_of(spark) * PARTS_A_CORE if can_begin_anywhere(part.plan) else 1, first, last)
    nodes, given = _given(part)
    made = _layout({p: relation for p, relation in part.made.items() if not relation.empty})
    spans = spark.createDataFrame([], "tag int, c bigint, h bigint") if spans is None else spans
    placed = in_parts(cut.placed(spans, given.slots), cut.slices, "begin")
    operator = _operator(part.plan, nodes, given, made, cut, limit)
    rows = placed.mapInArrow(operator, made.schema(["tag int"], ["c bigint", "h bigint"]))
    rows = rows.localCheckpoint(eager=False)  # several relations are read from it, and each would compute it again
    found = {part.made[columns.predicate]: _select(rows, tag, columns) for tag, columns in enumerate(made.predicates)}
    return found, cut.slices


def _select(rows: DataFrame, tag: int, columns: PredicateColumns) -> DataFrame:
    slots = [F.col(slot).alias(name) for slot, name in zip(columns.slots, columns.names, strict=True)]
    return rows.where(F.col("tag") == tag).select(*slots, "c", "h")


def _operator(
    plan: Plan, nodes: list[Node], given: Layout, made: Layout, cut: _Cut, limit: int
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    @speaks_first
    def answer(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        number, rest = open_part(iter(batches))
        if number is None:
            return
        since, until = cut.bounds(number)
        spans = _read(rest, nodes, given)
        writer = _Writer(made)
        for predicate, runs in runs_of_part(plan, spans, (), cut.first, until, limit, Reports(), since):
            yield from writer.add(predicate, runs)
        yield from writer.end()

    return answer


def _read(batches: Iterable[pa.RecordBatch], nodes: list[Node], given: Layout) -> Iterator[tuple[Node, Span]]:
    """The spans of a slice, in order of their begin."""
    for batch in batches:
        if batch.num_rows:
            of = map(nodes.__getitem__, batch.column("tag").to_pylist())
            begins, ends = batch.column("begin").to_pylist(), batch.column("end").to_pylist()
            yield from zip(of, map(Span, begins, ends, facts_of(batch, given)), strict=True)


class _Writer:
    """Collects the intervals of each relation until a batch is full."""

    def __init__(self, made: Layout) -> None:
        self.made = made
        self.waiting = {columns.predicate: Waiting() for columns in made.predicates}

    def add(self, predicate: Predicate, runs: Runs[Key]) -> Iterator[pa.RecordBatch]:
        if predicate in self.waiting:  # the others are known to be empty
            self.waiting[predicate].add(runs)
            if len(self.waiting[predicate].keys) >= FULL:
                yield self.write(predicate)

    def end(self) -> Iterator[pa.RecordBatch]:
        yield from (self.write(predicate) for predicate, waiting in self.waiting.items() if waiting.keys)

    def write(self, predicate: Predicate) -> pa.RecordBatch:
        done, self.waiting[predicate] = self.waiting[predicate], Waiting()
        others = {"c": pa.array(done.begins, pa.int64()), "h": pa.array(done.ends, pa.int64())}
        return table_of(self.made.columns_of(predicate), self.made, done.keys, others)
