"""Parquet: one fact, change or interval per row, with the columns ``predicate`` and ``args`` and those of its time.

``args`` are lists of texts, each written like a CSV field. The output of ``laser run`` can be read, too (`rows`).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

from laser.errors import LaserError
from laser.io.formats.csv import write_field
from laser.io.formats.format import AnswerWriter, Format, FormName, Times
from laser.io.formats.rows import atom_of, read_row
from laser.io.lines import STDIN, source_name
from laser.io.records import Entry, Malformed, ParsedChange, ParsedInterval, ParsedLine, reason_of
from laser.ticks import Tick
from laser.values import Atom

__all__ = ["PARQUET"]

FULL = 50_000
"""The number of rows in a batch."""
_END = b"PAR1"

Row = dict[str, Any]


class Parquet(Format):
    name = "parquet"
    title = "Parquet"
    suffixes = (".parquet",)
    spark_name = "parquet"
    needs = "parquet"

    def read(self, path: str | Path, tick: Tick, by_folder: bool = False) -> Iterator[Entry | Malformed]:
        place = Path(path) if by_folder else None
        return self._read(path, lambda row: read_row(row, tick, place))

    def read_background(self, path: str | Path) -> Iterator[Entry | Malformed]:
        return self._read(path, lambda row: ParsedLine(0, (atom_of(row, None),)))

    def _read(
        self, path: str | Path, parse: Callable[[Row], ParsedLine | ParsedChange | ParsedInterval]
    ) -> Iterator[Entry | Malformed]:
        for number, row in enumerate(self.rows(path), 1):
            text = json.dumps(row, ensure_ascii=False, default=str)
            try:
                yield Entry(parse(row), number, text)
            except (LaserError, ValueError) as error:
                yield Malformed(number, text, reason_of(error))

    def rows(self, path: str | Path) -> Iterator[Row]:
        """The rows of a file, by the names of their columns."""
        for batch in self.batches(path):
            yield from batch.to_pylist()

    def batches(self, path: str | Path) -> Iterator[Any]:
        """The rows of a file, in batches; times are in microseconds, as in the language."""
        try:
            from pyarrow import ArrowInvalid
            from pyarrow.parquet import ParquetFile
        except ImportError:
            raise self.missing() from None
        source = BytesIO(sys.stdin.buffer.read()) if str(path) == STDIN else path
        try:
            with ParquetFile(source) as file:
                for batch in file.iter_batches():
                    yield _in_micros(batch)
        except ArrowInvalid as error:
            raise LaserError(f"{source_name(path)} is not a Parquet file: {error}") from None

    def writer(self, form: FormName, times: Times, out: BinaryIO) -> AnswerWriter:
        try:
            return _Writer(form, times, out)
        except ImportError:
            raise self.missing() from None

    def is_whole(self, path: Path) -> bool:
        with path.open("rb") as handle:
            handle.seek(max(0, path.stat().st_size - len(_END)))
            return handle.read() == _END


PARQUET = Parquet()


def _in_micros(batch: Any) -> Any:
    """A batch with times in microseconds: those of pandas are in nanoseconds, which Python does not have."""
    import pyarrow as pa

    kinds = dict(zip(batch.schema.names, batch.schema.types, strict=True))
    if not any(pa.types.is_timestamp(kind) and kind.unit == "ns" for kind in kinds.values()):
        return batch
    columns = [
        column.cast(pa.timestamp("us", kind.tz), safe=False)
        if pa.types.is_timestamp(kind) and kind.unit == "ns"
        else column
        for column, kind in zip(batch.columns, kinds.values(), strict=True)
    ]
    return pa.RecordBatch.from_arrays(columns, names=list(kinds))


class _Writer:
    """Collects rows, and writes them in batches."""

    def __init__(self, form: FormName, times: Times, out: BinaryIO) -> None:
        import pyarrow as pa
        from pyarrow.parquet import ParquetWriter

        self._times, self._out, self._rows = times, out, list[Row]()
        time = pa.timestamp("us", tz="UTC") if times.dates else pa.int64()
        begin: Mapping[FormName, dict[str, Any]] = {
            "changes": {"time": time, "holds": pa.bool_()},
            "snapshots": {"time": time},
            "intervals": {"since": time, "until": time, "open": pa.bool_()},
        }
        self._schema = pa.schema({**begin[form], "predicate": pa.string(), "args": pa.list_(pa.string())}.items())
        self._batch_of = pa.RecordBatch.from_pylist
        self._file = ParquetWriter(out, self._schema)

    def change(self, time: int, atom: Atom, holds: bool) -> None:
        self._add({"time": self._time(time), "holds": holds, **_columns(atom)})

    def snapshot(self, time: int, atoms: Sequence[Atom]) -> None:
        """A time point without atoms is a row without a predicate."""
        moment = self._time(time)
        for columns in map(_columns, atoms) if atoms else ({},):
            self._add({"time": moment, **columns})

    def interval(self, atom: Atom, since: int, until: int, ongoing: bool) -> None:
        self._add({"since": self._time(since), "until": self._time(until), "open": ongoing, **_columns(atom)})

    def _time(self, time: int) -> Any:
        return self._times.tick.to_datetime(time) if self._times.dates else time

    def _add(self, row: Row) -> None:
        self._rows.append(row)
        if len(self._rows) >= FULL:
            self._write()

    def _write(self) -> None:
        self._file.write_batch(self._batch_of(self._rows, self._schema))
        self._rows = []

    def flush(self) -> None:
        """Nothing is written before its batch is full."""

    def close(self) -> None:
        self._write()
        self._file.close()
        self._out.flush()


def _columns(atom: Atom) -> Row:
    return {"predicate": atom.predicate, "args": list(map(write_field, atom.args))}
