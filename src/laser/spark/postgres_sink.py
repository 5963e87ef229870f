"""Changes in PostgreSQL: a table of what holds now, and a table of all changes; each micro-batch is written once.

A micro-batch is one transaction, which first adds a row to a ledger. If the row exists, the batch was written before the crash
after which it is repeated.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from laser.errors import LaserError
from laser.spark.sink import Batch, Changes, check_tables

if TYPE_CHECKING:
    import psycopg

__all__ = ["PostgresSink"]

_LEDGER = "laser_batches"
_LONGEST = 63
"""PostgreSQL truncates longer names, so that two could become equal."""
_TYPES = {
    "tinyint": "smallint",
    "int": "integer",
    "float": "real",
    "double": "double precision",
    "string": "text",
    "timestamp": "timestamptz",
    "timestamp_ntz": "timestamp",
    "interval day to second": "interval",
}


@dataclass(frozen=True)
class PostgresSink:
    """For each predicate, a table of what holds now and since when, and one of all changes (``alarm``, ``alarm_changes``).

    ``url`` is a connection string of libpq (``postgresql://user@host/database``); missing tables are created in ``schema``.
    """

    url: str
    schema: str = "public"
    _made: set[str] = field(default_factory=set, compare=False, repr=False)
    """The tables that are known to exist."""

    def __post_init__(self) -> None:
        try:
            import psycopg  # noqa: F401 - only to tell early, and with the cure, that it is missing
        except ImportError as error:
            raise LaserError(f"PostgreSQL needs psycopg: pip install 'laser-reasoner[postgres]' ({error})") from None

    def write(self, changes: Sequence[Changes], batch: Batch) -> None:
        """Write all changes, or none. The first micro-batch creates the tables, even if it has no changes."""
        import psycopg

        if all(each.is_empty and each.predicate in self._made for each in changes):
            return
        tables = [_Table.of(each, self.schema) for each in changes]
        _check_names([name for table in tables for name in (table.now, table.log)])
        rows = [[] if each.is_empty else each.rows.toArrow().to_pylist() for each in changes]
        try:
            with psycopg.connect(self.url) as connection:
                _run(connection, f"CREATE SCHEMA IF NOT EXISTS {_name(self.schema)}")
                if self._is_new(connection, batch):
                    for table, found in zip(tables, rows, strict=True):
                        table.write(connection, found)
        except psycopg.Error as error:
            raise LaserError(f"PostgreSQL: {' '.join(str(error).split())}") from None
        self._made.update(each.predicate for each in changes)

    def _is_new(self, connection: psycopg.Connection[Any], batch: Batch) -> bool:
        """Whether a micro-batch has not been written yet; the ledger has the last one of each query."""
        ledger = f"{_name(self.schema)}.{_name(_LEDGER)}"
        _run(connection, f"CREATE TABLE IF NOT EXISTS {ledger} (query text PRIMARY KEY, batch bigint NOT NULL)")
        written = _run(
            connection,
            f"INSERT INTO {ledger} AS old VALUES (%s, %s) ON CONFLICT (query) DO UPDATE SET batch = excluded.batch "
            "WHERE old.batch < excluded.batch",
            batch,
        )
        return written.rowcount == 1


def _run(connection: psycopg.Connection[Any], text: str, values: Sequence[Any] = ()) -> psycopg.Cursor[Any]:
    return connection.execute(text.encode(), values)


def _name(text: str) -> str:
    """A quoted name; ``%`` is doubled, because it would begin a parameter."""
    return '"' + text.replace('"', '""').replace("%", "%%") + '"'


def _check_names(names: Sequence[str]) -> None:
    for name in names:
        if len(name.encode()) > _LONGEST:
            raise LaserError(f"{name} is too long for a name in PostgreSQL, which has at most {_LONGEST} bytes")
    check_tables(names)


def _type(kind: str) -> str:
    return "numeric" + kind.removeprefix("decimal") if re.match(r"decimal\(", kind) else _TYPES.get(kind, kind)


@dataclass(frozen=True)
class _Table:
    """The two tables of a predicate; ``types`` has those of the arguments."""

    schema: str
    now: str
    log: str
    types: dict[str, str]
    time: str

    @classmethod
    def of(cls, changes: Changes, schema: str) -> _Table:
        kinds = {name: _type(kind) for name, kind in changes.rows.dtypes}
        types = {name: kinds[name] for name in changes.args}
        return cls(schema, changes.predicate, f"{changes.predicate}_changes", types, kinds["time"])

    def write(self, connection: psycopg.Connection[Any], rows: list[dict[str, Any]]) -> None:
        self._make(connection)
        if not rows:
            return
        columns = [*self.types, "time", "holds"]
        with connection.cursor() as cursor:
            every = [tuple(row[name] for name in columns) for row in sorted(rows, key=lambda row: row["time"])]
            cursor.executemany(f"INSERT INTO {self._at(self.log)} {_row(columns)}".encode(), every)
            last = {row[:-2]: row for row in every}
            ended = [args for args, (*_, holds) in last.items() if not holds]
            begun = [row[:-1] for row in last.values() if row[-1]]
            where = " AND ".join(f"{_name(name)} = %s" for name in self.types) or "true"
            cursor.executemany(f"DELETE FROM {self._at(self.now)} WHERE {where}".encode(), ended)
            key = f"({', '.join(map(_name, self.types))})" if self.types else "((true))"
            upsert = f"ON CONFLICT {key} DO UPDATE SET since = excluded.since"
            into = f"INSERT INTO {self._at(self.now)} {_row([*self.types, 'since'])} {upsert}"
            cursor.executemany(into.encode(), begun)

    def _make(self, connection: psycopg.Connection[Any]) -> None:
        args = [f"{_name(name)} {kind} NOT NULL" for name, kind in self.types.items()]
        log = [*args, f"time {self.time} NOT NULL", "holds boolean NOT NULL"]
        now = [*args, f"since {self.time} NOT NULL"]
        _run(connection, f"CREATE TABLE IF NOT EXISTS {self._at(self.log)} ({', '.join(log)})")
        _run(connection, f"CREATE TABLE IF NOT EXISTS {self._at(self.now)} ({', '.join(now)})")
        key = ", ".join(map(_name, self.types)) or "(true)"
        index = _name(f"{self.now}_key")
        _run(connection, f"CREATE UNIQUE INDEX IF NOT EXISTS {index} ON {self._at(self.now)} ({key})")

    def _at(self, table: str) -> str:
        return f"{_name(self.schema)}.{_name(table)}"


def _row(columns: Sequence[str]) -> str:
    """The columns of a row, and a parameter for each."""
    return f"({', '.join(map(_name, columns))}) VALUES ({', '.join('%s' for _ in columns)})"
