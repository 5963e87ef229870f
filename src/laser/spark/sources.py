"""DataFrames as inputs: the columns of arguments and time, and what is done with malformed rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that every user of Spark knows

from laser.errors import LaserError
from laser.spark.arrow import SELECTED
from laser.spark.casts import instant_sql
from laser.spark.column_names import REASON, ROW, check_distinct, quoted
from laser.spark.columns import CARRIERS, conversion, kind_of_type
from laser.spark.durations import Ahead
from laser.spark.faults import Fault, rejection, valid_sql
from laser.spark.layout import Layout
from laser.spark.partition import key_sql
from laser.ticks import MAX_TIME, Tick
from laser.values import Predicate

__all__ = ["REASON", "ROW", "ROWS", "Input", "Source", "read_sources", "rows_metric"]

_INTEGERS = ("tinyint", "smallint", "int", "bigint")
_TIMES = ("timestamp", "timestamp_ntz", "date")
ROWS = "rows of "
"""The prefix of the names under which Spark reports the number of rows of each input."""


@dataclass(frozen=True)
class Input:
    """A DataFrame as the facts of a predicate.

    ``args`` are the columns of its arguments, in order (by default, all except those of the time, the order and a lifted key);
    ``time`` the column of its time, or the two of an interval (``("since", "until")``, as in answers); ``order`` the column with
    the order in which the rows of one time point arrived; ``terms`` the columns whose text is in the notation
    of programs.
    """

    table: DataFrame
    args: Sequence[str] | None = None
    time: str | tuple[str, str] | None = None
    order: str | None = None
    terms: frozenset[str] = field(default_factory=frozenset)


@dataclass(frozen=True)
class Source:
    """A checked input: a predicate, its columns, and expressions for what the reasoner needs."""

    name: str
    table: DataFrame
    args: tuple[str, ...]
    time: tuple[str, ...]
    tick: Tick
    order: str | None = None
    terms: frozenset[str] = frozenset()
    is_lifted: bool = False
    """Whether the first argument is a key that the program does not have."""
    ahead: Ahead | None = None
    """How far ahead of the clock its rows may be."""

    @property
    def predicate(self) -> Predicate:
        """The predicate as in its facts."""
        return Predicate(self.name, len(self.args))

    @property
    def program_predicate(self) -> Predicate:
        """The predicate as in the program."""
        return Predicate(self.name, len(self.args) - self.is_lifted)

    @cached_property
    def types(self) -> dict[str, str]:
        return dict(self.table.dtypes)

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        return tuple("term" if arg in self.terms else kind_of_type(self.types[arg], arg) for arg in self.args)

    @property
    def is_dated(self) -> bool:
        """Whether its times are dates rather than numbers."""
        return bool(self.time) and self.types[self.time[0]] not in _INTEGERS

    @property
    def is_numbered(self) -> bool:
        """Whether its order is a number rather than a timestamp."""
        return self.order is not None and self.types[self.order] in _INTEGERS

    def point(self, column: str) -> str:
        """The time point of a valid column, as SQL."""
        return _instant(self.types[column], column, _unit(self.types[column], self.tick))

    @cached_property
    def faults(self) -> tuple[Fault, ...]:
        """What can be wrong with a row, in the order in which it is said."""
        return tuple(self._faults())

    def _faults(self) -> Iterator[Fault]:
        if REASON in self.types:
            yield Fault(f"{quoted(REASON)} IS NOT NULL", "", shown=quoted(REASON))
        for column in self.time:
            yield from _time_faults(self.types[column], column)
            if self.ahead is not None:
                last = self.ahead.last(self.tick.duration.micros)
                yield Fault(f"{self.point(column)} > {last}", self.ahead.fault(column))
        if len(self.time) == 2:
            first, last = map(self.point, self.time)
            yield Fault(f"{first} > {last}", f"{self.time[1]} lies before {self.time[0]}")
        for arg, kind in zip(self.args, self.kinds, strict=True):
            yield Fault(f"{quoted(arg)} IS NULL", f"{arg} is missing")
            yield from (Fault(test, f"{arg} {words}") for test, words in conversion(kind).oddities(quoted(arg)))
        if self.order is not None:
            yield Fault(f"{quoted(self.order)} IS NULL", f"{self.order} is missing")

    def rejected(self) -> Column:
        """The number of malformed rows, as an aggregate."""
        return F.expr(f"count_if(NOT ({valid_sql(self.faults)}))")

    def rejects(self) -> DataFrame:
        """The malformed rows: the input's name, the reason, and the row as JSON."""
        whole = F.struct(*[F.col(quoted(c)) for c in self.table.columns])
        row = F.col(ROW) if ROW in self.types else F.to_json(whole, {"ignoreNullFields": "false"})
        faulty = self.table.select(
            F.lit(self.name).alias("input"), rejection(self.faults).alias("reason"), row.alias("row")
        )
        return faulty.where("reason IS NOT NULL")

    def facts(self, layout: Layout, key: str | None, ordered: bool, selected: Column | None = None) -> DataFrame:
        """The valid rows as facts of a shared table: tag, time, slots, what the cut and the order need, and whether each can matter."""
        slots = layout.columns_of(self.predicate).slots
        values = (conversion(kind).carried(quoted(arg)) for arg, kind in zip(self.args, self.kinds, strict=True))
        filled = dict(zip(slots, map(F.expr, values), strict=True))
        columns = [F.lit(layout.tags[self.predicate]).cast("int").alias("tag"), F.expr(self._times).alias("time")]
        columns += [filled.get(slot, F.lit(None).cast(_carrier_type(slot))).alias(slot) for slot in layout.slots]
        if key is not None:
            columns.append(self._key(key).alias("key"))
        if ordered:
            columns.append(F.expr(self._order).alias("order"))
        if selected is not None:
            columns.append(selected.alias(SELECTED))
        return self.fitting().select(*columns)

    @property
    def _order(self) -> str:
        """The order of arrival as an integer, as an SQL expression."""
        if self.order is None:
            return "0L"
        column = quoted(self.order)
        return f"bigint({column})" if self.is_numbered else f"unix_micros(timestamp({column}))"

    def _key(self, key: str) -> Column:
        """The key as text, from which its bucket follows."""
        by = conversion(self.kinds[self.args.index(key)])
        return F.expr(key_sql(by.keyed(quoted(key)), "decimal" if by.key else CARRIERS[by.carrier]))

    def fitting(self) -> DataFrame:
        """The valid rows; the progress of a run counts the others on the way."""
        table = self.table
        if table.isStreaming:
            table = table.observe(
                rows_metric(self.predicate), F.count(F.lit(1)).alias("rows"), self.rejected().alias("rejected")
            )
        return table.where(valid_sql(self.faults))

    def within(self, first: int, last: int, selected: Column | None = None) -> DataFrame:
        """The facts of a timeline for SQL, all or the selected ones: the values as a1, a2, …, and the time point u."""
        values = (conversion(kind).carried(quoted(arg)) for arg, kind in zip(self.args, self.kinds, strict=True))
        columns = [f"{value} AS a{i}" for i, value in enumerate(values, 1)]
        wanted = [*self._near(first, last), valid_sql(self.faults)]
        inside = f"BETWEEN {first} AND {last}"
        if len(self.time) == 1:
            wanted.append(f"{self._times} {inside}")  # not a step of its own: Spark analyses each
        table = self.table if selected is None else self.table.where(selected)
        facts = table.where(" AND ".join(wanted)).selectExpr(*columns, f"{self._times} AS u")
        return facts if len(self.time) == 1 else facts.where(f"u {inside}")

    def _near(self, first: int, last: int) -> Iterator[str]:
        """Conditions on the time columns themselves, which can be applied when files are read: nothing before the timeline or after it."""
        for column, is_begin, is_end in (
            (self.time[0], len(self.time) == 1, True),
            (self.time[-1], True, len(self.time) == 1),
        ):
            low, high = _bounds(self.types[column], first, last, self.tick)
            if is_begin and low is not None:
                yield f"{quoted(column)} >= {low}"
            if is_end and high is not None:
                yield f"{quoted(column)} < {high}"

    def times(self) -> DataFrame:
        """Only the time points."""
        return self.fitting().selectExpr(f"{self._times} AS time")

    @property
    def _times(self) -> str:
        points = [self.point(column) for column in self.time]
        return points[0] if len(points) == 1 else f"explode(sequence({', '.join(points)}))"


def rows_metric(predicate: Predicate | str) -> str:
    """The name under which Spark counts the rows of an input in each micro-batch."""
    return f"{ROWS}{predicate}"


def read_sources(
    inputs: Mapping[str, DataFrame | Input], time: str | tuple[str, str] | None, tick: Tick, order: str | None
) -> list[Source]:
    """The inputs of a run, checked against their DataFrames."""
    if not inputs:
        raise LaserError("there is no input: give at least one DataFrame, as in {'temp': readings}")
    sources = [_source(name, given, time, tick, order) for name, given in inputs.items()]
    if order is not None and not any(source.order == order for source in sources):
        raise LaserError(f"no input has the order column {order}")
    return sources


def _source(
    name: str, given: DataFrame | Input, time: str | tuple[str, str] | None, tick: Tick, order: str | None
) -> Source:
    given = given if isinstance(given, Input) else Input(given)
    check_distinct(f"input {name}", given.table)
    bare, _, arity = name.rpartition("/") if name.rpartition("/")[2].isdigit() else (name, "", "")
    times = _time_columns(name, given, time)
    order = given.order or (order if order in given.table.columns else None)
    others = {*times, order, ROW, REASON}
    args = tuple(given.args) if given.args is not None else tuple(c for c in given.table.columns if c not in others)
    source = Source(bare, given.table, args, times, tick, order, frozenset(given.terms))
    _check_columns(source, (*times, *args, *([order] if order else [])))
    if arity and int(arity) != len(args):
        raise LaserError(
            f"input {name}: its DataFrame has {len(args)} columns for arguments ({', '.join(args)}), not {arity}"
        )
    return source


def _time_columns(name: str, given: Input, time: str | tuple[str, str] | None) -> tuple[str, ...]:
    chosen = given.time or time
    if chosen is None:
        if {"since", "until"} <= set(given.table.columns):
            return ("since", "until")
        raise LaserError(f'input {name}: which column is the time? Name it, with time="COLUMN" or --time COLUMN')
    return (chosen,) if isinstance(chosen, str) else tuple(chosen)


def _check_columns(source: Source, columns: Sequence[str]) -> None:
    missing = [column for column in columns if column not in source.types]
    if missing:
        known = ", ".join(name for name in source.types if name not in (ROW, REASON))
        raise LaserError(f"input {source.name}: there is no column {missing[0]}; its columns are {known}")
    if source.order is not None and source.types[source.order] not in (*_INTEGERS, *_TIMES):
        raise LaserError(
            f"input {source.name}: column {source.order} of type {source.types[source.order]} cannot give the order: "
            "it must be an integer or a timestamp"
        )
    for column in source.time:
        if source.types[column] not in (*_INTEGERS, *_TIMES, "string"):
            raise LaserError(
                f"input {source.name}: column {column} of type {source.types[column]} is not a time: it must be an integer, "
                "a timestamp, a date or ISO 8601 text"
            )


def _instant(kind: str, column: str, unit: int) -> str:
    """A time in whole units, as SQL; null if it is not a time."""
    name = quoted(column)
    match kind:
        case "tinyint" | "smallint" | "int" | "bigint":
            return f"CAST({name} AS bigint)"
        case "string":
            micros = instant_sql(name)
        case _:
            micros = f"unix_micros(CAST({name} AS timestamp))"
    return f"({micros}) div {unit}L"


def _bounds(kind: str, first: int, last: int, tick: Tick) -> tuple[str | None, str | None]:
    """The first value of a column in a timeline, and the first after it, as SQL, if the kind of column allows it."""
    unit = _unit(kind, tick)
    literals = [f"{bound}L" if bound < 2**63 else None for bound in (first * unit, (last + 1) * unit)]
    if kind in _INTEGERS:
        return literals[0], literals[1]
    if kind == "timestamp":
        low, high = (each and f"timestamp_micros({each})" for each in literals)
        return low, high
    return None, None


def _unit(kind: str, tick: Tick) -> int:
    """The unit of a time: numbers as they are, dates in the microseconds of a tick."""
    return 1 if kind in _INTEGERS else tick.duration.micros


def _time_faults(kind: str, column: str) -> list[Fault]:
    """What can be wrong with a time."""
    name, micros = quoted(column), _instant(kind, column, 1)
    low = "is negative" if kind in _INTEGERS else "lies before 1970, where time points begin"
    return [
        Fault(f"{name} IS NULL", f"{column} is missing"),
        Fault(f"{micros} IS NULL", f"{column} is '", shown=name, after="', which is not an ISO 8601 time"),
        Fault(f"{micros} < 0", f"{column} is ", shown=name, after=f", which {low}"),
        Fault(f"{micros} >= {MAX_TIME}", f"{column} lies beyond the last time point"),
    ]


def _carrier_type(slot: str) -> str:
    return CARRIERS[slot.rstrip("0123456789")]
