"""Speed on Spark: ``python -m laser.bench.spark_rates``.

Compares histories by SQL and by the reasoner with Spark SQL by hand, and streams with the same pipeline around an operator that does nothing.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle

from laser.bench.questions import MACHINES, QUESTIONS
from laser.bench.spark_histories import PER_TICK, WAYS, Shape, Subject, measure_history
from laser.spark import batch, stream
from laser.spark.observe import answer_row
from laser.spark.reason import reason
from laser.spark.session import session
from laser.spark.sources import Input
from laser.spark.store import pack

__all__ = ["Nothing", "arrow_schema", "drain", "family", "files_of", "main", "resident"]

DIAMOND = "q(X, V) :- a(X, V) in [3]."
JOIN = "q(X, Y, Z) :- a(X, Y) in [3], b(Y, Z) in [3]."
COOLING = """
@T steam(V) :- temp(V) at T in [3], V >= 100.
@T liquid(V) :- temp(V) at T in [3], V >= 1, V < 100.
@T isSteam :- steam(_) at T in [3].
@T isLiquid :- liquid(_) at T in [3].
alarm :- isSteam always in [3].
normal :- isLiquid always in [3].
freeze :- not alarm, not normal.
veryHot(T) :- steam(V) at T in [3], V >= 150.
veryCold(T) :- liquid(V) at T in [3], V = 1.
#show alarm/0, normal/0, freeze/0, veryHot/1, veryCold/1.
"""
PROGRAMS = {"diamond": (DIAMOND, {"a": ("x", "v")}, None), "join": (JOIN, {"a": ("x", "y"), "b": ("y", "z")}, None)}
PROGRAMS["cooling"] = (COOLING, {"temp": ("machine", "v")}, "machine")  # type: ignore[assignment]


def table(columns: tuple[str, str], first: int, count: int, keys: int, per_tick: int) -> pa.Table:
    """Facts in order of time: every key in turn, with values that mostly repeat, as those of sensors do."""
    ids = np.arange(first, first + count)
    key = np.char.add("k", (ids % keys).astype(str))
    value = 60 + 50 * ((ids // (keys * 20) + ids) % 2)
    other = {"x": ids % 97, "z": ids % 89}
    arrays = {
        c: pa.array(key if c in ("y", "machine") or (c == "x" and "v" in columns) else other.get(c, value))
        for c in columns
    }
    return pa.table({"t": pa.array(ids // per_tick), **arrays})


def write_data(place: Path, columns: tuple[str, str], facts: int, keys: int, per_tick: int, files: int) -> None:
    place.mkdir(parents=True)
    size = facts // files
    for i in range(files):
        pq.write_table(table(columns, i * size, size, keys, per_tick), place / f"{i:04d}.parquet")
        os.utime(place / f"{i:04d}.parquet", (1_700_000_000 + i, 1_700_000_000 + i))


# -- operators that do nothing


def nothing_in_batch(schema: pa.Schema) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """One output row for each input row, with the columns of answers."""

    def operate(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for rows in batches:
            yield _as_answers(rows, schema)

    return operate


def _as_answers(rows: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    known = dict(zip(rows.schema.names, rows.columns, strict=True))
    known |= {"since": known["time"], "until": known["time"]}
    arrays = [
        known[f.name] if f.name in known and known[f.name].type == f.type else pa.nulls(rows.num_rows, f.type)
        for f in schema
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


class Nothing(StatefulProcessor):
    """Takes blobs, remembers one number, returns blobs with as many rows."""

    def __init__(self, schema: pa.Schema) -> None:
        self.schema = schema

    def init(self, handle: StatefulProcessorHandle) -> None:
        self.count = handle.getValueState("count", "n bigint")

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:  # noqa: N802, N803 - Spark's names
        blobs = [row.facts for row in rows if row.facts is not None]
        self.count.update(((self.count.get() or (0,))[0] + len(blobs),))
        for blob in blobs:
            facts = pa.ipc.open_stream(pa.py_buffer(bytes(blob))).read_all()
            for part in facts.to_batches():
                yield answer_row(pack(pa.Table.from_batches([_as_answers(part, self.schema)])))


# -- measuring


class Memory:
    """The peak memory of this process and its children together."""

    def __init__(self) -> None:
        self.peak = 0
        self.over = threading.Event()

    def __enter__(self) -> Memory:
        self.thread = threading.Thread(target=self._watch, daemon=True)
        self.thread.start()
        return self

    def _watch(self) -> None:
        while not self.over.wait(0.5):
            self.peak = max(self.peak, sum(map(resident, family(os.getpid()))))

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self.thread.join()


def family(root: int) -> set[int]:
    parents: dict[int, int] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(entry.name)] = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
        except (OSError, IndexError, ValueError):
            continue
    found, size = {root}, 0
    while size < len(found):
        size = len(found)
        found |= {child for child, parent in parents.items() if parent in found}
    return found


def resident(pid: int) -> int:
    """Private memory: workers share most of theirs with the process that they were forked from."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
        return sum(int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:"))
    except OSError:
        return 0


@contextmanager
def doing_nothing() -> Iterator[None]:
    """The same pipeline, with an operator that does nothing instead of the reasoner."""
    real = batch._operator
    batch._operator = lambda job, slices: nothing_in_batch(arrow_schema(batch.output_schema(job)))
    try:
        yield
    finally:
        batch._operator = real


def measure_histories(
    spark: SparkSession,
    place: Path,
    rows: int,
    names: Iterable[str],
    shapes: Mapping[str, Shape],
    ways: Sequence[str],
    repetitions: int,
) -> None:
    """Each question, with few and with many facts per tick."""
    print(f"{'':<20}{'nothing':>9}{'by hand':>9}{'SQL':>9}{'reasoner':>10}   SQL / by hand   reasoner / SQL   memory")
    for name in names:
        for title, shape in shapes.items():
            subject = Subject.make(spark, name, place / name / title, rows, shape)
            with Memory() as memory:
                taken = dict(measure_history(subject, ways, repetitions, doing_nothing))
            cells = "".join(f"{_cell(taken.get(way)):>9}" for way in ("nothing", "by hand", "sql"))
            print(
                f"{name + ' ' + title:<20}{cells}{_cell(taken.get('reasoner')):>10}{_ratio(taken, 'sql', 'by hand'):>16}"
                f"{_ratio(taken, 'reasoner', 'sql'):>17}{memory.peak / 1024:>9,.0f} MB",
                flush=True,
            )
            shutil.rmtree(place / name / title)


def _cell(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds:.2f}"


def _ratio(taken: Mapping[str, float], one: str, other: str) -> str:
    return _cell(taken[one] / taken[other]) if one in taken and other in taken else ""


def measure_stream(spark: SparkSession, name: str, place: Path, facts: int) -> None:
    program, inputs, key = PROGRAMS[name]

    def frames() -> dict[str, Input]:
        return {
            p: Input(files_of(spark, place / name / p), [c for c in columns if c != key], "t")
            for p, columns in inputs.items()
        }

    real = stream.Operator

    def without() -> float:
        stream.Operator = lambda job, *_: Nothing(arrow_schema(stream.stream_schema(job)))  # type: ignore[assignment, misc]
        try:
            return drain(reason(program, frames(), key=key, start=0).table, place)
        finally:
            stream.Operator = real  # type: ignore[misc]

    with Memory() as memory:
        bare = without()
        mine = drain(reason(program, frames(), key=key, start=0).table, place)
    _tell(f"stream {name}", facts, bare, mine, memory.peak)


def files_of(spark: SparkSession, place: Path) -> DataFrame:
    schema = spark.read.parquet(str(place)).schema
    return spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(str(place))


def drain(frame: DataFrame, place: Path) -> float:
    """The seconds of all micro-batches except the first, which loads what is loaded once."""
    state = place / "state"
    shutil.rmtree(state, ignore_errors=True)
    query = frame.writeStream.format("noop").option("checkpointLocation", str(state)).trigger(availableNow=True).start()
    query.awaitTermination()
    durations = [progress["batchDuration"] for progress in query.recentProgress if progress["numInputRows"]]
    return float(sum(durations[1:])) / 1000 * len(durations) / max(1, len(durations) - 1)


def arrow_schema(text: str) -> pa.Schema:
    from pyspark.sql.pandas.types import to_arrow_schema
    from pyspark.sql.types import StructType

    schema = StructType.fromDDL(text)
    assert isinstance(schema, StructType)
    return to_arrow_schema(schema)


def _tell(what: str, facts: int, bare: float, mine: float, peak: int) -> None:
    print(
        f"{what:<18} {facts:>12,} facts   nothing {facts / bare:>10,.0f} /s   laser {facts / mine:>10,.0f} /s   "
        f"{mine / bare:5.2f}x   {peak / 1024:,.0f} MB",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--facts", type=int, default=2_000_000)
    parser.add_argument("--keys", type=int, default=1_000)
    parser.add_argument("--per-tick", type=int, default=1_000)
    parser.add_argument("--files", type=int, default=10)
    parser.add_argument("--cores", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="history,stream", help="which parts: history, stream, or both")
    parser.add_argument("--programs", default="diamond,join,cooling", help="the programs of the streams")
    parser.add_argument("--questions", default=",".join(QUESTIONS), help="the questions of the histories")
    parser.add_argument("--rows", type=int, default=1_000_000, help="the number of rows of a history")
    parser.add_argument("--shapes", default=",".join(PER_TICK), help="few or many facts a tick: sparse, dense, or both")
    parser.add_argument("--machines", type=int, default=MACHINES, help="the machines of a history, which are its keys")
    parser.add_argument("--hot-share", type=float, default=0, help="the share of the rows that one machine has")
    parser.add_argument("--ways", default=",".join(WAYS), help="the ways to answer a history")
    parser.add_argument("--repetitions", type=int, default=3)
    given = parser.parse_args()
    spark = session(cores=given.cores)
    place = Path(tempfile.mkdtemp(prefix="laser-rates-"))
    print(f"{given.cores} cores, {given.keys:,} keys, {given.per_tick:,} facts a tick")
    try:
        if "history" in given.only.split(","):
            names = given.questions.split(",")
            shapes = {name: Shape(PER_TICK[name], given.machines, given.hot_share) for name in given.shapes.split(",")}
            measure_histories(spark, place, given.rows, names, shapes, given.ways.split(","), given.repetitions)
        for name in given.programs.split(",") if "stream" in given.only.split(",") else ():
            inputs = PROGRAMS[name][1]
            keys = given.keys * (10 if name == "join" else 1)  # otherwise its many answers would take most of the time
            for predicate, columns in inputs.items():
                size = given.facts // len(inputs)
                write_data(place / name / predicate, columns, size, keys, given.per_tick, given.files)
            measure_stream(spark, name, place, given.facts)
            shutil.rmtree(place / name)
    finally:
        shutil.rmtree(place, ignore_errors=True)
        spark.stop()


if __name__ == "__main__":
    main()
