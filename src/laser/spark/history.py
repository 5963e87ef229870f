"""A history as SQL: the statements of the translated plan, each a DataFrame over those before it.

Spark reads, joins and sorts. No row becomes a Python object, and only the extent of the timeline, if it is not given, comes to
the driver.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name that every user of Spark knows

from laser.checks.accept import accept
from laser.phrases import count
from laser.plan.build import build
from laser.plan.plan import Plan
from laser.rules.rule import ResolvedProgram
from laser.spark.answers import Answers, keep
from laser.spark.cluster import check_workers, named
from laser.spark.columns import carrier, static_type
from laser.spark.extent import extent_of
from laser.spark.job import Job
from laser.spark.layout import PredicateColumns
from laser.spark.lift import SEEN
from laser.spark.partition import Lifted, PerKey
from laser.spark.prepare import Prepared
from laser.spark.reasoned import reason_part, spans_query
from laser.spark.selection import is_selected
from laser.spark.size import LARGEST_SHARE, ROWS_A_STATEMENT, estimated_rows
from laser.spark.sources import Source
from laser.sql.coalesce import coalesce
from laser.sql.dialects import for_spark
from laser.sql.facts import Column, arrow_table, by_predicate, columns_of, kinds_of
from laser.sql.kinds import EXACT, INEXACT, Kind, join
from laser.sql.lower import NAME, Lowerer, Statement, facts_table
from laser.sql.ranges import EVERYTHING, NOTHING, Given, Range, Ranges, computes, too_large
from laser.sql.refusal import NotLowered
from laser.sql.relation import Relation
from laser.sql.stages import ReasonedPart, Stage, stages
from laser.sql.strata import Strata
from laser.sql.terms import INLINE, Expression
from laser.sql.text import comma, name, names
from laser.sql.timeline import Timeline
from laser.sql.ways import tell, ways
from laser.syntax.terms import subterms
from laser.syntax.tree import Arithmetic
from laser.values import Predicate
from laser.values.static_type import DURATION, INTEGER, TIME

__all__ = ["answer_history", "refuse_functions"]

UNKNOWN = Timeline(":first", ":last")
_SEEN = Predicate(SEEN, 1)
_KINDS = {"long": Kind.INTEGER, "double": Kind.NUMBER, "string": Kind.STRING}

LARGE = 60
"""The most statements in one plan: Spark takes more than a second to plan twice as many."""
_BITS = {"tinyint": 8, "smallint": 16, "int": 32}
_COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")

Kinds = tuple[Kind, ...] | None


def answer_history(prepared: Prepared, alone: bool = True) -> Answers:
    """The answers by SQL, ``alone`` or with the reasoner for recursions. NotLowered, with the reason, if that is not possible.

    Unless ``alone``, also if the inputs are so small that planning would take longer than reasoning.
    """
    history = _History(prepared, alone)
    planned = history.planned()
    for stage in planned.stages:
        for statement in stage.statements:
            history.make(statement)
        if stage.part is not None:
            history.reason(stage.part)
    table = history.table(planned)
    kept = keep(table) if len(prepared.job.outputs.predicates) > 1 else None
    return Answers(prepared, table if kept is None else kept, history.cut(planned), kept=kept)


@dataclass(frozen=True)
class _Planned:
    """The stages of a program, and the relations of its outputs."""

    plan: Plan
    stages: tuple[Stage, ...]
    outputs: Mapping[Predicate, Relation]

    @property
    def parts(self) -> list[ReasonedPart]:
        return [stage.part for stage in self.stages if stage.part is not None]

    @property
    def texts(self) -> Iterator[str]:
        """All queries."""
        for stage in self.stages:
            for statement in stage.statements:
                yield from (statement.query, *(aside.query for aside in statement.asides))


@dataclass
class _History:
    prepared: Prepared
    alone: bool
    frames: dict[str, DataFrame] = field(default_factory=dict)
    """The existing tables, by their names in statements."""
    views: dict[str, str] = field(default_factory=dict)
    """The relations that are inlined as text in the queries that read them."""
    sizes: dict[str, int] = field(default_factory=dict)
    """The number of statements in the plan of each."""
    held_until: int = 0
    """The end of the warm-up: before this time point the output is empty."""
    timeline: tuple[int, int] = (0, 0)
    slices: int = 1
    """The largest number of slices of time in which a part of the reasoner is divided."""

    @property
    def job(self) -> Job:
        return self.prepared.job

    @property
    def spark(self) -> SparkSession:
        return self.prepared.sources[0].table.sparkSession

    # -- the plan

    def planned(self) -> _Planned:
        """The stages, when all their sources exist. A program without SQL is refused before any data are read."""
        if isinstance(self.job.partition, PerKey):
            raise NotLowered("each key needs a reasoner of its own")
        core, streamed = self.program(), self.streamed()
        given = {p: columns_of(rows) for p, (rows, _) in by_predicate((0, key) for key in core.background).items()}
        background = {predicate: kinds_of(columns) for predicate, columns in given.items()}
        refuse_functions(core)
        plan = build(core, frozenset(streamed) & (core.derived | core.given))
        tried = _plan(Lowerer(plan, streamed, background, UNKNOWN, "spark"))
        if self.alone and tried.parts:
            raise NotLowered("; ".join(dict.fromkeys(reason for p in tried.parts for reason in p.reasons.values())))
        for columns in self.job.outputs.predicates:
            self.intervals(columns, tried.outputs[columns.predicate])
        self.check_size(tried)
        first, last, _ = extent_of(self.prepared, self.times, sized=True)
        self.read(first, last)
        for predicate, kinds in background.items():
            if kinds is not None:
                self.frames[facts_table(predicate, background=True)] = self.local(given[predicate], kinds)
        self.check_numbers(
            plan, tried, {p: tuple(map(Range.of, columns)) for p, columns in given.items()}, Range(first, last)
        )
        self.held_until = first + core.warmup
        self.timeline = first, last
        return _plan(Lowerer(plan, streamed, background, Timeline(str(first), str(last)), "spark"))

    def check_size(self, tried: _Planned) -> None:
        """Compare the time for planning, which depends on the statements, with that of the reasoner, which depends on the rows."""
        statements = len([*tried.texts])
        rows = None if self.alone else estimated_rows([source.table for source in self.prepared.sources])
        if rows is not None and rows < statements * ROWS_A_STATEMENT:
            raise NotLowered(
                f"with about {rows:,} rows, planning {count(statements, 'statement')} would take longer than reasoning"
            )

    def check_share(self, part: ReasonedPart) -> None:
        """Compare what the reasoner would read from SQL with the facts that it would read without: those that can matter."""
        read = [relation.name for relation in part.given.values() if not relation.empty]
        counts = [self.query(f"select 1 as kind, count(*) as n from {table}") for table in read]
        for source in self.prepared.sources:
            facts = source.within(*self.timeline, is_selected(source, self.job.selected))
            counts.append(facts.selectExpr("0 as kind", "count(*) as n"))
        with named(self.spark, "intervals for the reasoner"):
            found = [(row["kind"], row["n"]) for row in reduce(DataFrame.unionByName, counts).collect()]
        spans, rows = (sum(n for kind, n in found if kind == each) for each in (1, 0))
        if spans > rows * LARGEST_SHARE:
            reasons = "; ".join(dict.fromkeys(part.reasons.values()))
            raise NotLowered(f"{reasons}, which would read {spans:,} intervals of {rows:,} facts that can matter")

    def check_numbers(self, plan: Plan, tried: _Planned, background: Mapping[Predicate, Ranges], times: Range) -> None:
        """A query runs when its rows are read: then it is too late to switch to the reasoner. So the ranges are checked first."""
        widens = any(INEXACT in text for text in tried.texts) or any(part.widens for part in tried.parts)
        if not widens and not computes(plan):
            return
        streamed = {s.predicate: self.ranges(s) for s in self.prepared.sources if _kinds(s) is not None}
        limit = EXACT if widens else 2**63
        large = [p for p, ranges in streamed.items() if any(r.size >= limit for r in ranges)]
        rule = too_large(plan, Given({**streamed, _SEEN: (EVERYTHING,)}, background, times), limit)
        if rule is not None or (large and widens):
            where = f", in the rule `{rule}`" if rule is not None else f": {large[0]} has such numbers"
            raise NotLowered(f"a number may be too large to be exact in SQL{where}")

    def ranges(self, source: Source) -> Ranges:
        """The ranges of the columns of an input: from its types, or else from the data."""
        frame = self.frames[facts_table(source.predicate, background=False)]
        known = [_range(kind) for kind in source.kinds]
        asked = [f"a{i}" for i, each in enumerate(known, 1) if each is None]
        if asked:
            row = frame.agg(*(F.struct(F.min(a), F.max(a)).alias(a) for a in asked)).collect()[0]
            found = iter([NOTHING if row[a][0] is None else Range(row[a][0], row[a][1]) for a in asked])
            known = [next(found) if each is None else each for each in known]
        return tuple(each for each in known if each is not None)

    def program(self) -> ResolvedProgram:
        """The program with all background data, because nothing is divided by key."""
        background = (*self.job.settings.background, *self.job.own_background)
        return accept(self.job.program, replace(self.job.settings, background=background))

    # -- sources

    def streamed(self) -> dict[Predicate, Kinds]:
        """The kinds of the columns of the inputs."""
        kinds = {source.predicate: _kinds(source) for source in self.prepared.sources}
        return {**kinds, _SEEN: self.key_kinds()} if self.counts_keys else kinds

    @property
    def counts_keys(self) -> bool:
        return isinstance(self.job.partition, Lifted) and self.job.partition.counts_keys

    def key_kinds(self) -> Kinds:
        """The kind of the lifted key, if it is the same in all inputs and background data that have it."""
        own = kinds_of([self.own_keys()]) if self.job.own_background else ()
        found = [None if kinds is None else kinds[0] for kinds in map(_kinds, self.prepared.sources)]
        kinds = {*found, *(own or (None,) if self.job.own_background else ())}
        return None if None in kinds or len(kinds) > 1 else tuple(kind for kind in kinds if kind is not None)

    def own_keys(self) -> Column:
        return sorted({atom[1] for atom in self.job.own_background})

    def times(self) -> DataFrame:
        return reduce(DataFrame.unionByName, [source.times() for source in self.prepared.sources])

    def read(self, first: int, last: int) -> None:
        """Read the facts of each input, and when each key was first seen, if that is needed."""
        read = {s.predicate: s.within(first, last) for s in self.prepared.sources if _kinds(s) is not None}
        for predicate, frame in read.items():
            self.frames[facts_table(predicate, background=False)] = frame
        kinds = self.key_kinds() if self.counts_keys else None
        if kinds is not None:
            known = [frame.select("a1", "u") for frame in read.values()]
            if self.job.own_background:
                known.append(self.local([self.own_keys()], kinds).withColumn("u", F.lit(first).cast("bigint")))
            seen = reduce(DataFrame.unionByName, known).groupBy("a1").agg(F.min("u").alias("u"))
            self.frames[facts_table(_SEEN, background=False)] = seen

    def local(self, columns: Sequence[Column], kinds: tuple[Kind, ...]) -> DataFrame:
        """A table of data that the driver has: background data."""
        if not kinds:
            return self.spark.range(1).select()
        given = dict(zip(names(len(kinds)), zip(columns, kinds, strict=True), strict=True))
        return self.spark.createDataFrame(arrow_table(given))

    # -- statements

    def make(self, statement: Statement) -> None:
        for aside in statement.asides:
            self.add(aside.name, aside.query, aside.kept)
        self.add(statement.relation.name, statement.query, statement.kept)

    def add(self, name: str, query: str, kept: bool) -> None:
        """Add a relation. It is inlined as text in the query that reads it, so that Spark analyses one query; if it is read twice, the plan
        contains it twice, and Spark sorts for both once. If the plan would become too large, it is a table that is computed first, so that
        later plans begin with its rows."""
        self.sizes[name] = 1 + sum(self.sizes.get(read, 0) for read in NAME.findall(query))
        if kept and self.sizes[name] > LARGE:
            self.frames[name], self.sizes[name] = self.query(query).localCheckpoint(eager=False), 1
        else:
            self.views[name] = query

    def query(self, query: str) -> DataFrame:
        """The rows of a query, with the views that it needs."""
        needed, stack = set[str](), NAME.findall(query)
        while stack:
            name = stack.pop()
            if name in self.views and name not in needed:
                needed.add(name)
                stack += NAME.findall(self.views[name])
        views = [f"{name} as (\n{text}\n)" for name, text in self.views.items() if name in needed]
        whole = f"with {', '.join(views)}\nselect * from (\n{query}\n) as asked" if views else query
        text, used = for_spark(whole, self.frames)
        given: dict[str, Any] = {place: self.frames[table] for place, table in used.items()}
        return self.spark.sql(text, **given)

    def reason(self, part: ReasonedPart) -> None:
        """Add the relations that the reasoner makes."""
        check_workers(self.spark)
        self.check_share(part)
        query = spans_query(part)
        spans = self.query(query) if query is not None else None
        found, slices = reason_part(self.spark, part, spans, *self.timeline, self.job.settings.limit)
        self.slices = max(self.slices, slices)
        for relation, rows in found.items():
            raw = f"{relation.name} in slices"
            self.frames[raw] = rows
            source = f"select {comma(relation.columns)}c, h from {name(raw)}"
            self.add(relation.name, coalesce(source, relation.columns) if slices > 1 else source, kept=False)

    def cut(self, planned: _Planned) -> str:
        """Which predicates SQL answers and which the reasoner, and how it is divided."""
        if not planned.parts:
            return "SQL over intervals, not divided by key"
        found = ways(planned.plan, {node: reason for part in planned.parts for node, reason in part.reasons.items()})
        return f"{tell(found)}; {count(self.slices, 'slice')} of time"

    def table(self, planned: _Planned) -> DataFrame:
        """The intervals of all predicates in one table: tag, slots, since, until."""
        outputs = self.job.outputs
        found = [(columns, planned.outputs[columns.predicate]) for columns in outputs.predicates]
        parts = [self.intervals(columns, relation) for columns, relation in found if not relation.empty]
        if parts:
            return self.query("\nunion all\n".join(parts))
        return self.spark.createDataFrame([], outputs.schema(["tag int"], ["since bigint", "until bigint"]))

    def intervals(self, columns: PredicateColumns, relation: Relation) -> str:
        outputs = self.job.outputs
        values = {
            slot: _carried(value, kind)
            for slot, value, kind in zip(columns.slots, relation.values("r"), columns.kinds, strict=True)
        }
        tag = outputs.tags[columns.predicate]
        since = f"greatest(r.c, {self.held_until})" if self.held_until else "r.c"
        held = f" where r.h >= {self.held_until}" if self.held_until else ""
        return f"select cast({tag} as int) as tag, {comma(outputs.filled(values))}{since} as since, r.h as until from {relation.name} as r{held}"


def _plan(lowerer: Lowerer) -> _Planned:
    strata = Strata(lowerer)
    made = tuple(stages(strata))
    return _Planned(lowerer.plan, made, strata.outputs())


def _kinds(source: Source) -> Kinds:
    """The kinds of the columns of an input; None if SQL cannot represent the values of one."""
    kinds = [_kind(kind) for kind in source.kinds]
    return None if None in kinds else tuple(kind for kind in kinds if kind is not None)


def _kind(kind: str) -> Kind | None:
    """The kind of a column in SQL; None for terms, times, durations and integers of any size."""
    static = static_type(kind)
    carried = _KINDS[carrier(kind)]
    is_number = static.fits(INTEGER) and carried == Kind.INTEGER
    if kind == "term" or static.fits(TIME) or static.fits(DURATION) or (static.fits(INTEGER) and not is_number):
        return None
    return carried


def _range(kind: str) -> Range | None:
    """The range of the values of a column, if its type determines it; None otherwise, and for values that are not numbers."""
    if _kind(kind) == Kind.STRING:
        return NOTHING
    bits = _BITS.get(kind)
    return None if bits is None else Range(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def refuse_functions(core: ResolvedProgram) -> None:
    """Refuse functions and tests: their SQL is that of DuckDB, and Spark's may give other results."""
    for rule in core.rules:
        for term in (t for x in rule.terms() for t in subterms(x)):
            if isinstance(term, Arithmetic) and term.operator not in INLINE:
                raise NotLowered(f"the function {term.operator}, in `{rule.text}`")
        for test in rule.comparisons:
            if test.operator not in _COMPARISONS:
                raise NotLowered(f"the test {test.operator}, in `{rule.text}`")


def _carried(value: Expression, kind: str) -> str:
    """A value in the slot of an output column; NotLowered if the column has values that SQL cannot represent."""
    wanted = _kind(kind)
    if wanted is None or join((wanted, value.kind)) != wanted:
        raise NotLowered(f"an output column of type {kind}")
    number = value.to(wanted)
    return f"({number}) + cast(0 as double)" if wanted == Kind.NUMBER else number  # -0.0 comes back as 0.0
