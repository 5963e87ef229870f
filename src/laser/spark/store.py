"""What a bucket keeps between micro-batches: a head, which is its position, and a log of the facts that are still needed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, get_type_hints

import pyarrow as pa

from laser.spark.arrow import Fact
from laser.spark.lift import SEEN
from laser.values import write_value
from laser.values.facts import read_value

if TYPE_CHECKING:
    from pyspark.sql.streaming.stateful_processor import StatefulProcessorHandle
    from pyspark.sql.types import DataType, StructType

__all__ = ["NOWHERE", "SAVED", "Entry", "Head", "SparkStore", "Store", "pack", "pack_keys", "unpack", "unpack_keys"]

NOWHERE = -1
"""A time that is not known yet."""
SAVED = -1
"""The version of the entry in which a program with records is saved."""


class Head(NamedTuple):
    """The position of a bucket. All answers up to ``fed`` are given; ``version`` and ``token`` name the last entry of the log.

    The log has all facts since ``known``. Where the rules were changed and have not answered yet, ``before`` names the job that
    gave the last answers.
    """

    job: str
    buckets: int
    lineage: str
    version: int
    token: str
    fed: int
    start: int
    lowest: int
    highest: int
    timer: int
    late: int
    known: int = NOWHERE
    before: str = ""


class Entry(NamedTuple):
    """The facts of one micro-batch that were not late, and the latest of their times.

    Entries with negative versions have the keys that a lifted program has seen; they are never removed. The entry ``SAVED`` has what
    a program with records needs to go on after ``latest``, and the job that saved it in place of a token.
    """

    token: str
    latest: int
    facts: bytes


class Store(Protocol):
    """Where a bucket is stored: in Spark's state, or in a dictionary in tests."""

    def head(self) -> Head | None: ...
    def put_head(self, head: Head) -> None: ...
    def entry(self, version: int) -> Entry | None: ...
    def put_entry(self, version: int, entry: Entry) -> None: ...
    def remove_entry(self, version: int) -> None: ...
    def entries(self) -> Iterator[tuple[int, Entry]]: ...


class SparkStore:
    """Spark's state as the store of a bucket."""

    def __init__(self, handle: StatefulProcessorHandle) -> None:
        self._head = handle.getValueState("head", _struct(Head))
        self._log = handle.getMapState("log", _struct(_Version), _struct(Entry))

    def head(self) -> Head | None:
        value = self._head.get()
        return None if value is None else Head(*value)

    def put_head(self, head: Head) -> None:
        self._head.update(tuple(head))

    def entry(self, version: int) -> Entry | None:
        value = self._log.getValue((version,))
        return None if value is None else Entry(value[0], value[1], bytes(value[2]))

    def put_entry(self, version: int, entry: Entry) -> None:
        self._log.updateValue((version,), tuple(entry))

    def remove_entry(self, version: int) -> None:
        self._log.removeKey((version,))

    def entries(self) -> Iterator[tuple[int, Entry]]:
        for key, value in self._log.iterator():
            yield key[0], Entry(value[0], value[1], bytes(value[2]))


class _Version(NamedTuple):
    """The key of an entry."""

    version: int


def _struct(row: type[NamedTuple]) -> StructType:
    """The columns of a named tuple. Column definitions as text would be sent to Java for parsing, in every task of every micro-batch."""
    from pyspark.sql.types import BinaryType, IntegerType, LongType, StringType, StructField, StructType

    types: dict[object, DataType] = {str: StringType(), int: LongType(), bytes: BinaryType()}
    hints = get_type_hints(row)
    fields = [StructField(name, types[hint]) for name, hint in hints.items()]
    return StructType([StructField("buckets", IntegerType()) if f.name == "buckets" else f for f in fields])


def pack(table: pa.Table) -> bytes:
    """A table as bytes."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()  # type: ignore[no-any-return]


def unpack(data: bytes) -> pa.Table:
    """A table from its bytes."""
    with pa.ipc.open_stream(pa.py_buffer(data)) as reader:
        return reader.read_all()


def pack_keys(keys: list[tuple[int, Any]]) -> bytes:
    """Keys with the times at which they were first seen, as bytes."""
    return json.dumps([[time, write_value(key)] for time, key in keys]).encode()


def unpack_keys(data: bytes) -> list[tuple[int, Fact]]:
    """The same as facts that name the keys."""
    return [(time, (SEEN, read_value(text))) for time, text in json.loads(data)]
