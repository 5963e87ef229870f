"""Changes in Delta Lake: a table of what holds now, and a table of all changes; each micro-batch is written once to each table.

A commit of Delta can have the number of a transaction of an application. Ours is the number of the micro-batch, so a table knows
whether it has a batch that is repeated after a crash.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from laser.errors import LaserError
from laser.spark.directories import directory_names
from laser.spark.sink import Batch, Changes, check_tables

if TYPE_CHECKING:
    from deltalake import CommitProperties, DeltaTable

__all__ = ["DeltaSink"]

_ATTEMPTS = 5
"""How often a commit is tried while others change the table: compaction, for example."""


@dataclass(frozen=True)
class DeltaSink:
    """For each predicate, a table of what holds now and since when, and one of all changes (``alarm``, ``alarm_changes``).

    ``path`` is the directory of the tables, or an address such as ``s3://bucket/plant``; missing tables are created. ``options``
    are those of the storage, as the package ``deltalake`` knows them.
    """

    path: str
    options: Mapping[str, str] = field(default_factory=dict)
    _made: set[str] = field(default_factory=set, compare=False, repr=False)
    """The predicates whose tables are known to exist."""

    def __post_init__(self) -> None:
        try:
            import deltalake  # noqa: F401 - only to tell early, and with the cure, that it is missing
        except ImportError as error:
            raise LaserError(f"Delta needs deltalake: pip install 'laser-reasoner[delta]' ({error})") from None

    def write(self, changes: Sequence[Changes], batch: Batch) -> None:
        """Write the changes to each table that does not have them. The first micro-batch creates the tables, even if it has no changes."""
        names = [name for each in changes for name in (each.predicate, f"{each.predicate}_changes")]
        check_tables(names)
        places = {name: place.replace("%", "~") for name, place in directory_names(names).items()}  # Delta decodes URLs
        for each in changes:
            if each.is_empty and each.predicate in self._made:
                continue
            rows = _rows(each)
            self._write(
                places[f"{each.predicate}_changes"], rows.schema, batch, lambda *to, rows=rows: _append(rows, *to)
            )
            now = _last(rows, each.args)
            self._write(places[each.predicate], _now_schema(rows.schema), batch, lambda *to, now=now: _merge(now, *to))
            self._made.add(each.predicate)

    def _write(
        self, name: str, schema: pa.Schema, batch: Batch, write: Callable[[DeltaTable, CommitProperties], None]
    ) -> None:
        """Commit to a table, with the number of the micro-batch, unless it has that number or a larger one."""
        from deltalake import CommitProperties, Transaction
        from deltalake.exceptions import CommitFailedError, DeltaError

        place = f"{self.path}/{name}"
        commit = CommitProperties(app_transactions=[Transaction(batch.query, batch.number)])
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                table = self._table(place, schema)
                written = table.transaction_version(batch.query)
                if written is None or written < batch.number:
                    write(table, commit)
                return
            except CommitFailedError as error:
                if attempt == _ATTEMPTS:
                    raise LaserError(f"Delta table {place}: {_first_line(error)}") from None
            except (DeltaError, OSError, ValueError) as error:
                raise LaserError(f"Delta table {place}: {_first_line(error)}") from None

    def _table(self, place: str, schema: pa.Schema) -> DeltaTable:
        from deltalake import DeltaTable

        options = dict(self.options)
        if not DeltaTable.is_deltatable(place, options):
            return DeltaTable.create(place, schema, mode="ignore", storage_options=options)
        return DeltaTable(place, storage_options=options)


def _append(rows: pa.Table, table: DeltaTable, commit: CommitProperties) -> None:
    from deltalake import write_deltalake

    if rows.num_rows:
        write_deltalake(table, rows, mode="append", commit_properties=commit)


def _merge(changes: pa.Table, table: DeltaTable, commit: CommitProperties) -> None:
    """What holds now follows from the last change of each atom: it is deleted, updated or inserted."""
    if not changes.num_rows:
        return
    args = changes.column_names[:-2]
    same = " AND ".join(f"old.{_name(arg)} = new.{_name(arg)}" for arg in args) or "true"
    merge = table.merge(changes, same, source_alias="new", target_alias="old", commit_properties=commit)
    begun = {_name(name): f"new.{_name(name)}" for name in [*args, "since"]}
    merge = merge.when_matched_delete("NOT new.holds").when_matched_update({"since": "new.since"}, "new.holds")
    merge.when_not_matched_insert(begun, "new.holds").execute()


def _rows(changes: Changes) -> pa.Table:
    """The changes in order of time, with types that Delta has; they pass through the driver."""
    found = (changes.rows.limit(0) if changes.is_empty else changes.rows).toArrow()
    schema = pa.schema([_field(changes.predicate, each) for each in found.schema])
    table = found.cast(schema).sort_by("time")
    # Delta distinguishes -0.0 from 0.0 when it looks for an atom, and the reasoner does not.
    columns = [
        pc.add(each, pa.scalar(0, each.type)) if pa.types.is_floating(each.type) else each for each in table.columns
    ]
    return pa.table(columns, schema=schema)


def _field(predicate: str, given: pa.Field) -> pa.Field:
    if pa.types.is_duration(given.type):
        raise LaserError(f"Delta has no durations, and {given.name} of {predicate} is one: derive a number instead")
    if pa.types.is_timestamp(given.type) and given.type.tz is not None:
        return pa.field(given.name, pa.timestamp("us", "UTC"))
    return pa.field(given.name, given.type)


def _last(rows: pa.Table, args: Sequence[str]) -> pa.Table:
    """The last change of each atom; its time is called ``since``."""
    last: dict[tuple[Any, ...], Any] = {tuple(row[arg] for arg in args): row for row in rows.to_pylist()}
    found = pa.Table.from_pylist(list(last.values()), rows.schema)
    return found.rename_columns([*args, "since", "holds"])


def _now_schema(log: pa.Schema) -> pa.Schema:
    *args, time, _ = log
    return pa.schema([*args, time.with_name("since")])


def _name(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n", 1)[0]
