"""Many small micro-batches on one stream with windows: ``python -m tests.spark.endurance 1000``.

Memory of the driver and of the workers, the checkpoint, the facts in the state, the memory of Spark's state store and the time of a micro-batch are
printed at ten moments. The run fails if memory, the checkpoint or the facts are much larger in the second half than in the first.
"""

from __future__ import annotations

import argparse
import gc
import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from laser.bench.spark_latency import readings
from laser.bench.spark_rates import family, resident
from laser.spark import BatchMetrics, reason, session
from laser.spark.metrics import MetricsListener

PROGRAM = """
hot(M)    :- temp(M, V) in [60 s], V > 120.
@T high(M) :- temp(M, V) at T in [20 s], V > 60.
alarm(M)  :- high(M) always in [3 s].
quiet(M)  :- machine(M), not temp(M, _) in [2 s].
seen(M)   :- temp(M, _).
busy(M)   :- seen(M) at least 24 times in [30 s].
"""
MACHINES, PER_BATCH = 50, 40
GROWTH = 1.5
"""What counts as growth: the second half has so many times what the first one had."""


class Sample(NamedTuple):
    """What is seen after so many micro-batches; sizes in MB, times in ms."""

    batch: int
    driver: float
    heap: float
    workers: float
    checkpoint: float
    files: int
    kept: int
    state: float
    p50: float
    p99: float


def memory() -> tuple[float, float]:
    """Of this process and its Java, and of all Python workers."""
    driver = workers = 0
    for pid in family(os.getpid()):
        try:
            command = Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            continue
        if b"pyspark.daemon" in command or b"pyspark.worker" in command:
            workers += resident(pid)
        else:
            driver += resident(pid)
    return driver / 1024, workers / 1024


def heap(spark: Any) -> float:
    """What Java really holds: what is left after a collection of garbage."""
    runtime = spark.sparkContext._jvm.java.lang.Runtime.getRuntime()
    gc.collect()
    runtime.gc()
    return (runtime.totalMemory() - runtime.freeMemory()) / 2**20


def size(place: Path) -> tuple[float, int]:
    found = []
    for path in place.rglob("*"):
        try:
            if path.is_file():
                found.append(path.stat().st_size)
        except OSError:  # Spark removes old ones meanwhile
            continue
    return sum(found) / 2**20, len(found)


def samples(spark: Any, batches: int, place: Path) -> Iterator[Sample]:
    told: list[BatchMetrics] = []
    spark.streams.addListener(MetricsListener(told.append))
    machines = [("machine", f"m{i}") for i in range(MACHINES)]
    answers = reason(
        PROGRAM, {"temp": readings(spark, PER_BATCH, MACHINES)}, time="ts", background=machines, max_ahead="off"
    )
    query = answers.table.writeStream.format("noop").option("checkpointLocation", str(place)).start()
    try:
        for seen in range(batches // 10, batches + 1, batches // 10):
            while len(told) < seen:
                if not query.isActive:
                    raise SystemExit(f"the stream has ended: {query.exception()}")
                time.sleep(0.2)
            recent = [metrics.seconds * 1000 for metrics in told[seen - batches // 10 : seen]]
            last = told[seen - 1]
            yield Sample(
                seen, *_rounded(memory()[0], heap(spark), memory()[1]), *size(place), last.kept, last.state_bytes / 2**20,
                statistics.median(recent), statistics.quantiles(recent, n=100)[-1],
            )  # fmt: skip
    finally:
        query.stop()


def _rounded(*numbers: float) -> tuple[float, ...]:
    return tuple(round(number, 1) for number in numbers)


def growing(found: list[Sample]) -> list[str]:
    """What is much larger in the second half than in the first."""
    half = len(found) // 2
    return [
        f"{name}: {first:,.1f} and then {second:,.1f}"
        for name in (
            "driver",
            "heap",
            "workers",
            "checkpoint",
            "files",
            "kept",
        )  # not `state`: see docs/spark.md
        if (second := max(getattr(s, name) for s in found[half:]))
        > GROWTH * (first := max(getattr(s, name) for s in found[:half]))
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("batches", type=int, nargs="?", default=1000)
    given = parser.parse_args()
    base = Path(tempfile.mkdtemp(prefix="laser-endurance-"))
    spark = session(cores=2)
    spark.sparkContext.setLogLevel("ERROR")
    found = []
    print(
        "batches  driver MB  heap MB  workers MB  checkpoint MB  files  facts kept  state MB  p50 ms  p99 ms",
        flush=True,
    )
    try:
        for sample in samples(spark, given.batches, base / "state"):
            found.append(sample)
            s = sample
            print(
                f"{s.batch:>7,}  {s.driver:>9,.0f}  {s.heap:>7,.0f}  {s.workers:>10,.0f}  {s.checkpoint:>13,.2f}  {s.files:>5,}  "
                f"{s.kept:>10,}  {s.state:>8,.1f}  {s.p50:>6,.0f}  {s.p99:>6,.0f}",
                flush=True,
            )
    finally:
        spark.stop()
        shutil.rmtree(base, ignore_errors=True)
    grown = growing(found)
    if grown:
        raise SystemExit("not bounded: " + "; ".join(grown))
    print("bounded: nothing is much larger in the second half than in the first")


if __name__ == "__main__":
    main()
