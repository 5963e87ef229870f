"""What it saves to leave out rows that cannot matter: ``python -m laser.bench.spark_selection``.

Streams and batches by the reasoner, with the selection and without it, in turns. In one table few rows matter, in the other all do.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from unittest import mock

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

from laser.bench.spark_rates import drain, family, files_of
from laser.spark.reason import reason
from laser.spark.selection import needed_by
from laser.spark.session import session
from laser.spark.sources import Input

__all__ = ["main"]

RULES = "hot(M) :- temp(M, V) in [30], V > 90."
KEYS = PER_TICK = 1_000


def write_readings(place: Path, rows: int, files: int, share: float) -> None:
    """Readings of a thousand machines, one each at every tick; a share of them is above the limit."""
    place.mkdir(parents=True)
    choices, size = np.random.default_rng(1), rows // files
    for i in range(files):
        ids = np.arange(i * size, (i + 1) * size)
        high, low = 91 + choices.integers(0, 90, size) / 10, 20 + choices.integers(0, 600, size) / 10
        values = np.where(choices.random(size) < share, high, low)
        machines = np.char.add("m", (ids % KEYS).astype(str))
        table = pa.table({"t": pa.array(ids // PER_TICK), "machine": pa.array(machines), "v": pa.array(values)})
        pq.write_table(table, place / f"{i:04d}.parquet")
        os.utime(place / f"{i:04d}.parquet", (1_700_000_000 + i, 1_700_000_000 + i))


def stream_seconds(spark: SparkSession, place: Path) -> float:
    readings = Input(files_of(spark, place / "temp"), ["machine", "v"], "t")
    return drain(reason(RULES, {"temp": readings}, start=0).table, place)


def batch_seconds(spark: SparkSession, place: Path) -> float:
    began = time.perf_counter()
    readings = Input(spark.read.parquet(str(place / "temp")), ["machine", "v"], "t")
    reason(RULES, {"temp": readings}, engine="reasoner").table.write.format("noop").mode("overwrite").save()
    return time.perf_counter() - began


def cpu_seconds() -> float:
    """The processor time of this process, of Java and of the workers, so far: it depends less on what else the machine does."""
    ticks = 0
    for pid in family(os.getpid()):
        with suppress(OSError):
            ticks += sum(map(int, Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def compare(what: str, rows: int, repetitions: int, seconds: Callable[[], float]) -> None:
    """The best of several runs of each way, in turns: by the clock, and by the processors' time."""
    taken: dict[str, list[tuple[float, float]]] = {"all": [], "selected": []}
    for _ in range(repetitions):
        for way, rules_need in (("all", lambda job, sources: {}), ("selected", needed_by)):
            with mock.patch("laser.spark.prepare.needed_by", rules_need):
                before = cpu_seconds()
                taken[way].append((seconds(), cpu_seconds() - before))
    clock, cpu = ([min(some) for some in (list(zip(*runs, strict=True))[i] for runs in taken.values())] for i in (0, 1))
    print(
        f"{what:<32} all rows {rows / clock[0]:>9,.0f} /s, {cpu[0] / rows * 1e6:5.1f} µs CPU   "
        f"selected {rows / clock[1]:>9,.0f} /s, {cpu[1] / rows * 1e6:5.1f} µs CPU   "
        f"{clock[0] / clock[1]:4.2f}x, CPU {cpu[0] / cpu[1]:4.2f}x   load {os.getloadavg()[0]:.1f}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--files", type=int, default=8)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--shares", type=float, nargs="+", default=(0.05, 1.0), help="the shares of rows that matter")
    given = parser.parse_args()
    spark = session()
    place = Path(tempfile.mkdtemp(prefix="laser-selection-"))
    try:
        for share in given.shares:
            write_readings(place / "temp", given.rows, given.files, share)
            for name, seconds in (("batch", batch_seconds), ("stream", stream_seconds)):
                what = f"{name}, {share:.0%} of the rows matter"
                compare(what, given.rows, given.repetitions, partial(seconds, spark, place))
            shutil.rmtree(place / "temp")
    finally:
        shutil.rmtree(place, ignore_errors=True)
        spark.stop()


if __name__ == "__main__":
    main()
