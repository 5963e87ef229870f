"""Tables in, tables out: the answers of a program over complete tables, by predicate, in the same form as on Spark."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, Unpack, cast

from laser.answers import Interval
from laser.checks.load import parse
from laser.errors import LaserError
from laser.io import Rejects
from laser.io.declared_tables import TableOptions
from laser.io.dialect import read_dialect
from laser.rules.column_names import column_names
from laser.rules.types import argument_types
from laser.settings import RunOptions, RunSettings
from laser.sql.engines import Engine, check_engine
from laser.sql.files import FileHistory, files_of
from laser.sql.history import History
from laser.syntax.program import Program, expect_program
from laser.ticks import Tick
from laser.values import Predicate, static_type, write_value
from laser.values.static_type import StaticType
from laser.values.time import Duration, Time

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["reason"]

FormOfAnswers: TypeAlias = Literal["intervals", "changes"]


class TableRunOptions(RunOptions, total=False):
    """The options of a run, and the options for text files, named as on the command line."""

    predicate: str
    delimiter: str
    decimal: str
    encoding: str
    rejects: str | Path


_OF_FILES = TableRunOptions.__annotations__.keys() - RunOptions.__annotations__.keys()


def reason(
    program: Program | str,
    tables: Mapping[str, Any] | str | Path,
    *,
    time: str | None = None,
    columns: Mapping[str, Sequence[str]] | None = None,
    as_: FormOfAnswers = "intervals",
    engine: Engine = "auto",
    **options: Unpack[TableRunOptions],
) -> dict[str, pa.Table]:
    """The answers over tables, as Arrow tables by the names of predicates (with the number of arguments, if several have one name).

    ``tables`` are pandas, Arrow or Polars tables, or paths of Parquet, CSV or JSON Lines files, by predicate. ``time`` is the name of their
    time column (by default ``time``, ``timestamp`` or ``ts``), ``columns`` has the columns of the arguments, if they are not those that the
    program declares or all others.

    A malformed row of a text file raises RecordError, or goes to the file ``rejects``. A path instead of all tables is a file with a
    column ``predicate`` for the predicate of each row.

    An answer has the columns of its arguments, and ``since`` and ``until``; as changes, ``time`` and ``holds``.

    >>> import pyarrow as pa
    >>> temp = pa.table({"ts": [1, 2, 9], "machine": ["oven", "oven", "mill"], "value": [95, 70, 99]})
    >>> answers = reason("hot(M) :- temp(M, V) in [3], V > 90.", {"temp": temp}, time="ts")
    >>> answers["hot"].to_pylist()
    [{'machine': 'oven', 'since': 1, 'until': 4}, {'machine': 'mill', 'since': 9, 'until': 9}]
    """
    if as_ not in ("intervals", "changes"):
        raise ValueError(f"as_ must be 'intervals' or 'changes', not {as_!r}")
    check_engine(engine)
    given = cast(dict[str, Any], dict(options))
    how = {name: given.pop(name) for name in _OF_FILES if name in given}
    files = files_of(tables)
    if files is None:
        if how:
            raise TypeError(f"{next(iter(how))} is only for CSV and JSON Lines files")
        with History(
            program, cast(Mapping[str, Any], tables), time=time, columns=columns, engine=engine, **given
        ) as found:
            return _Answers(found, as_).tables()
    read = parse(program) if isinstance(program, str) else expect_program(program)
    settings = RunSettings.read(given, in_zone=read.zone)
    with _rejects(how.pop("rejects", None)) as rejects:
        predicate = how.pop("predicate", None)
        wanted = TableOptions(time=time, predicate=predicate, columns=columns or {}, dialect=read_dialect(**how))
        return _Answers(FileHistory(read, settings, files, wanted, rejects, engine), as_).tables()


@contextmanager
def _rejects(path: str | Path | None) -> Iterator[Rejects | None]:
    """Where malformed rows go; None if they are errors."""
    if path is None:
        yield None
        return
    with open(path, "w", encoding="utf-8") as sink:
        yield Rejects(sink)


class _Answers:
    """Converts the intervals of a history to tables."""

    def __init__(self, history: History | FileHistory, form: FormOfAnswers) -> None:
        self.history, self.form, self.core = history, form, history.core
        self.types = argument_types(self.core, history.types, mixed=True)
        self.names = column_names(self.core, history.names)

    def tables(self) -> dict[str, pa.Table]:
        found: dict[Predicate, list[Interval]] = {p: [] for p in sorted(self.core.derived) if self.core.shows(p)}
        for interval in self.history.intervals():
            found[interval.atom.signature].append(interval)
        alone = {p.name for p in found if sum(other.name == p.name for other in found) == 1}
        return {p.name if p.name in alone else str(p): self._table(p, rows) for p, rows in found.items()}

    def _table(self, predicate: Predicate, rows: list[Interval]) -> pa.Table:
        import pyarrow as pa

        ends: dict[str, pa.Array]
        if self.form == "intervals":
            atoms = [interval.atom for interval in rows]
            ends = {"since": self._times(i.since for i in rows), "until": self._times(i.until for i in rows)}
        else:
            changes = sorted(self._changes(rows), key=itemgetter(0, 1))
            atoms = [atom for _, atom, _ in changes]
            holds = pa.array([holds for _, _, holds in changes], pa.bool_())
            ends = {"time": self._times(time for time, _, _ in changes), "holds": holds}
        kinds = self.types.get(predicate, (None,) * predicate.arity)
        arguments = {
            name: _column([atom[place] for atom in atoms], kind)
            for place, (name, kind) in enumerate(zip(self.names[predicate], kinds, strict=True), 1)
        }
        return pa.table({**arguments, **ends})

    def _changes(self, rows: Iterable[Interval]) -> Iterable[tuple[int, Any, bool]]:
        last = self.history.last
        for atom, since, until in rows:
            yield since, atom, True
            if until < last:
                yield until + 1, atom, False

    def _times(self, points: Iterable[int]) -> pa.Array:
        """Time points, or the instants at which they begin if times are dates."""
        import pyarrow as pa

        if not self.core.dates:
            return pa.array(list(points), pa.int64())
        return pa.array([_micros(self.core.tick, point) for point in points], pa.timestamp("us", tz="UTC"))


def _micros(tick: Tick, point: int) -> int:
    return int(point * tick.seconds * 1_000_000)


def _column(values: Sequence[Any], kind: StaticType | None) -> pa.Array:
    """The values of an argument as a column of its static type; without a type that a column can have, as text in the syntax of programs."""
    import pyarrow as pa

    match kind:
        case static_type.INTEGER:
            try:
                return pa.array(values, pa.int64())
            except OverflowError:
                raise LaserError("an integer of the answer has more than 64 bits, too large for a column") from None
        case static_type.NUMBER:
            return pa.array(list(map(float, values)), pa.float64())
        case static_type.BOOLEAN:
            return pa.array([value == "true" for value in values], pa.bool_())
        case static_type.STRING:
            return pa.array(values, pa.string())
        case static_type.TIME if all(type(value) is Time for value in values):
            return pa.array([cast(Time, value).micros for value in values], pa.timestamp("us", tz="UTC"))
        case static_type.DURATION if all(type(value) is Duration for value in values):
            return pa.array([cast(Duration, value).micros for value in values], pa.duration("us"))
        case _:
            return pa.array(list(map(write_value, values)), pa.string())
