"""The main use case on any machine: cooling systems, hours of readings with faults, through Spark to a timeline of alarms.

``python -m laser.spark.demo`` generates the readings, runs the pipeline and shows what it found.
"""

from __future__ import annotations

import argparse
import math
import random
import shutil
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from laser.io.atomic import write_whole_directory
from laser.spark.reason import reason
from laser.spark.session import session

__all__ = ["PROGRAM", "main", "readings"]

PROGRAM = """\
% One cooling system. The run lifts the program over all machines.
#const hot = 90.

% A reading tells of its own moment; `@T` writes it there, so that windows see the history.
@T tooHot :- temp(V) at T in [2 min], V >= hot.
@T warm   :- temp(V) at T in [2 min], V >= hot - 15.

overheated :- tooHot always in [2 min].
recovering :- warm in [2 min], not overheated, tooHot in [2 min].
silent     :- not temp(_) in [3 min].
alarm      :- overheated.
alarm      :- silent.
"""
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
STEP = 10
WIDTH = 72


def readings(machines: int, hours: int, seed: int = 1) -> pa.Table:
    """A reading of each machine every ten seconds; some machines overheat and some fall silent."""
    choices = random.Random(seed)
    rows = [row for m in range(machines) for row in _machine(f"m{m:02d}", hours * 3600 // STEP, choices)]
    machine, moment, value = zip(*rows, strict=True)
    micros = pa.array(moment, pa.int64()).cast(pa.timestamp("us", "UTC"))
    return pa.table({"machine": machine, "ts": micros, "value": value})


def _machine(name: str, steps: int, choices: random.Random) -> Iterator[tuple[str, int, float]]:
    base, phase = choices.uniform(55, 65), choices.uniform(0, 6.28)
    faults = [_fault(steps, choices) for _ in range(choices.choice((0, 0, 1, 1, 2)))]
    for i in range(steps):
        value = base + 6 * math.sin(i / 400 + phase) + choices.gauss(0, 1)
        kinds = [kind for kind, begin, length in faults if begin <= i < begin + length]
        if "silent" in kinds:
            continue
        yield name, int((BEGIN.timestamp() + i * STEP) * 1e6), round(value + 40 * ("hot" in kinds), 1)


def _fault(steps: int, choices: random.Random) -> tuple[str, int, int]:
    return (
        choices.choice(("hot", "hot", "silent")),
        choices.randrange(steps // 20, steps),
        choices.randrange(30, steps // 6),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--machines", type=int, default=36)
    parser.add_argument("--hours", type=int, default=8)
    parser.add_argument("--output", type=Path, default=Path("build/demo"))
    given = parser.parse_args()
    began = time.monotonic()
    shutil.rmtree(given.output, ignore_errors=True)
    given.output.mkdir(parents=True)
    table = readings(given.machines, given.hours)
    pq.write_table(table, given.output / "readings.parquet")
    print(
        f"{table.num_rows:,} readings of {given.machines} machines over {given.hours} hours: {given.output}/readings.parquet"
    )
    print("starting Spark …", flush=True)
    spark = session()
    frame = spark.read.parquet(str(given.output / "readings.parquet"))
    answers = reason(PROGRAM, {"temp": frame}, time="ts", tick=f"{STEP} s", key="machine")
    print(f"the stream is cut: {answers.cut}")
    with write_whole_directory(given.output / "answers", overwrite=True) as place:
        for name in ("alarm", "overheated", "recovering", "silent"):
            answers[name].write.parquet(f"{place}/{name}")
    found = {name: [row.asDict() for row in answers[name].collect()] for name in ("overheated", "recovering", "silent")}
    print(*_timeline(found, given.hours), sep="\n")
    print(f"written: {given.output}/answers/ (Parquet); {time.monotonic() - began:.0f} s in total")
    spark.stop()


def _timeline(found: dict[str, list[dict[str, Any]]], hours: int) -> Iterator[str]:
    """A line for each machine with an alarm: what held when."""
    signs = {"recovering": "▒", "silent": "·", "overheated": "█"}
    machines = sorted({row["machine"] for rows in found.values() for row in rows})
    yield f"\n      {BEGIN:%H:%M}{' ' * (WIDTH - 10)}{BEGIN + timedelta(hours=hours):%H:%M}"
    for machine in machines:
        line = ["─"] * WIDTH
        for name, sign in signs.items():
            for row in found[name]:
                if row["machine"] == machine:
                    _paint(line, sign, row["since"], row["until"], hours)
        yield f"{machine:>4}  {''.join(line)}"
    yield f"\n      █ overheated   ▒ warm again   · silent     {len(found['overheated'])} times too hot, {len(found['silent'])} times silent\n"


def _paint(line: list[str], sign: str, since: datetime, until: datetime, hours: int) -> None:
    first, last = (_column(moment, hours) for moment in (since, until))
    line[first : last + 1] = sign * (last + 1 - first)


def _column(moment: datetime, hours: int) -> int:
    aware = moment if moment.tzinfo else moment.astimezone(UTC)
    return min(WIDTH - 1, int((aware - BEGIN).total_seconds() / (hours * 3600) * WIDTH))


if __name__ == "__main__":
    main()
