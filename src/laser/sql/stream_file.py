"""Parquet files of streams (``time``, ``predicate``, ``args``), read by DuckDB itself if that gives exactly the result of our reader.

Arguments are texts there, each written like a CSV field. A query finds out whether all values of a position are whole numbers,
numbers or plain words; with anything else (quoted texts, IRIs, dates, malformed rows) our reader reads the file.
"""

from __future__ import annotations

from typing import NamedTuple

from laser.sql.duck import Duck
from laser.sql.kinds import Kind, text
from laser.sql.lower import facts_table
from laser.sql.tables import Extent
from laser.sql.text import comma, name
from laser.values import Predicate
from laser.values.string import RESERVED

__all__ = ["load_stream"]

_COLUMNS = {"time": "BIGINT", "predicate": "VARCHAR", "args": "VARCHAR[]"}
_WHOLE = "-?(0|[1-9][0-9]{0,14})"
_DECIMAL = r"-?(0|[1-9][0-9]{0,13})\.[0-9]{1,14}"
_WORD = "[A-Za-z_][A-Za-z0-9_.:#/-]*"
_NAME = "[a-z][A-Za-z0-9_]*"


class _Position(NamedTuple):
    """How many values of a position are of which kind."""

    rows: int
    whole: int
    decimal: int
    words: int

    @property
    def kind(self) -> Kind | None:
        if self.whole == self.rows:
            return Kind.INTEGER
        if self.whole + self.decimal == self.rows:
            return Kind.NUMBER
        return Kind.STRING if self.words == self.rows else None


def load_stream(duck: Duck, path: str, start: int | None, until: int | None) -> Extent | None:
    """Views of the facts of a file, and its extent up to ``until``; None if our reader must read it."""
    source = f"read_parquet({text(path)}, file_row_number = true)"
    found = {row[0]: row[1] for row in duck.connection.execute(f"describe select * from {source}").fetchall()}
    if {column: kind for column, kind in found.items() if column != "file_row_number"} != _COLUMNS:
        return None
    begin = 0 if start is None else start
    within = "true" if until is None else f"time <= {until}"
    extent = _extent(duck, source, begin, within)
    if extent is None or not _is_ordered(duck, source):
        return None
    groups = duck.connection.execute(
        f"select predicate, len(coalesce(args, [])), count(*) from {source} where predicate is not null and {within} group by all"
    ).fetchall()
    kinds = {Predicate(p, arity): _kinds(duck, source, p, arity) for p, arity, _ in groups}
    for predicate, several in kinds.items():
        if several is None:
            return None
        _view(duck, source, predicate, several, within)
    duck.streamed.update(kinds)
    return extent._replace(rows=sum(rows for _, _, rows in groups))


def _extent(duck: Duck, source: str, begin: int, within: str) -> Extent | None:
    """The first and the last time; None if there are no rows, or a row is unusual."""
    words = ", ".join(map(text, sorted(RESERVED)))
    odd = (
        f"time is null or time < {begin} or "
        f"(predicate is null and len(args) > 0) or not regexp_full_match(predicate, {text(_NAME)}) or predicate in ({words})"
    )
    query = f"select count(*) filter (where {odd}), min(time), max(time) from {source} where {within}"
    count, first, last = duck.ask(query)[0]
    return Extent(0, first, last) if count == 0 and first is not None else None


def _is_ordered(duck: Duck, source: str) -> bool:
    before = "lag(time) over (order by file_row_number)"
    late = f"select count(*) from (select time < {before} as late from {source}) as rows_ where late"
    return bool(duck.ask(late)[0][0] == 0)


def _kinds(duck: Duck, source: str, predicate: str, arity: int) -> tuple[Kind, ...] | None:
    counts = "".join(
        f", count(*) filter (where regexp_full_match(args[{i}], {text(pattern)}))"
        for i in range(1, arity + 1)
        for pattern in (_WHOLE, _DECIMAL, _WORD)
    )
    rows, *found = duck.ask(f"select count(*){counts} {_of(source, predicate, arity)}")[0]
    kinds = [_Position(rows, *found[i : i + 3]).kind for i in range(0, len(found), 3)]
    return None if None in kinds else tuple(kind for kind in kinds if kind is not None)


def _view(duck: Duck, source: str, predicate: Predicate, kinds: tuple[Kind, ...], within: str) -> None:
    values = comma(f"cast(args[{i}] as {kind.column}) as a{i}" for i, kind in enumerate(kinds, 1))
    facts = f"select {values}time as u {_of(source, *predicate)} and {within}"
    duck.connection.execute(f"create temp view {name(facts_table(predicate, background=False))} as {facts}")


def _of(source: str, predicate: str, arity: int) -> str:
    return f"from {source} where predicate = {text(predicate)} and len(coalesce(args, [])) = {arity}"
