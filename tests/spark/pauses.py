"""A stream that pauses again and again, by the wall clock: ``python -m tests.spark.pauses --minutes 5``.

Machines send readings for some seconds and fall silent together, so that nothing but the clock tells that they are. The driver is killed once on the way. What
is told must be what the definition says of the readings that were sent; how long after it was due each change was written is printed.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa

from laser.checks.load import parse
from laser.engine.run import intervals
from tests.spark.recovery import batches, kill, run
from tests.spark.streams import write_file

RULES = "silent(M) :- temp(M) in [25 s], not temp(M) in [5 s].\n"
PIPELINE = """
program = "rules.lars"
follow = true
output = "killed"
format = "jsonl"
checkpoint = "killed-state"
late = "late.jsonl"
lateness = "{lateness} s"
idle = "{idle} s"
buckets = 2

[inputs.temp]
path = "in"
format = "parquet"
time = "ts"
schema = {{ts = "timestamp", machine = "string"}}

[inputs.other]
path = "never"
format = "parquet"
time = "ts"
schema = {{ts = "timestamp", machine = "string"}}
"""
MACHINES, SENDS, PAUSES = 4, 10, 20
"""Machines, and the seconds for which they send and pause."""


def send(place: Path, number: int, sent: list[tuple[int, str]]) -> None:
    """One reading of each machine, now."""
    now = int(time.time())
    rows = [(now, f"m{machine}") for machine in range(MACHINES)]
    sent += rows
    times = pa.array([datetime.fromtimestamp(t, UTC) for t, _ in rows], pa.timestamp("us", tz="UTC"))
    write_file(pa.table([times, pa.array([machine for _, machine in rows])], ["ts", "machine"]), place, number)


def told(place: Path) -> dict[tuple[int, str, bool], float]:
    """The changes that are written, and when."""
    found = {}
    for file in place.rglob("*.json"):
        for line in file.read_text("utf-8").splitlines():
            row: dict[str, Any] = json.loads(line)
            moment = int(datetime.fromisoformat(row["time"]).timestamp())
            found[moment, row["machine"], row["holds"]] = file.stat().st_mtime
    return found


def expected(sent: list[tuple[int, str]], until: int) -> set[tuple[int, str, bool]]:
    by_time: dict[int, list[tuple[str, str]]] = {}
    for moment, machine in sent:
        by_time.setdefault(moment, []).append(("temp", machine))
    changes = set()
    for atom, since, last in intervals(parse(RULES), sorted(by_time.items()), until=until):
        changes |= {(since, str(atom.args[0]), True), (last + 1, str(atom.args[0]), False)}
    return {change for change in changes if change[0] <= until}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--idle", type=int, default=4)
    parser.add_argument("--lateness", type=int, default=4)
    given = parser.parse_args()
    base = Path(tempfile.mkdtemp(prefix="laser-pauses-"))
    (base / "never").mkdir()
    (base / "in").mkdir()
    (base / "pipeline.toml").write_text(PIPELINE.format(lateness=given.lateness, idle=given.idle), "utf-8")
    (base / "rules.lars").write_text(RULES + "door(M) :- other(M).\n", "utf-8")
    command, log = [sys.executable, "-m", "laser", "run", str(base / "pipeline.toml")], base / "run.log"
    sent: list[tuple[int, str]] = []
    process, number, killed = run(command, log), 0, False
    while batches(base, "killed") < 1 and process.poll() is None:
        send(base / "in", number, sent)
        number += 1
        time.sleep(1)
    end = time.monotonic() + given.minutes * 60
    while time.monotonic() < end and process.poll() is None:
        for _ in range(SENDS):
            send(base / "in", number, sent)
            number += 1
            time.sleep(1)
        time.sleep(PAUSES / 2)
        if not killed and time.monotonic() > end - given.minutes * 30:
            kill(process)
            process, killed = run(command, log), True
            print("killed the driver in a pause, and started it again", flush=True)
        time.sleep(PAUSES / 2)
    if process.poll() is not None:
        print(log.read_text("utf-8")[-2000:])
        return 1
    until = max(moment for moment, _ in sent) + 6
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and max((moment for moment, _, _ in told(base / "killed")), default=0) < until:
        time.sleep(1)
    kill(process)
    found = {change: written for change, written in told(base / "killed").items() if change[0] <= until}
    wanted = expected(sent, until)
    late = (base / "late.jsonl").read_text("utf-8").count("\n") if (base / "late.jsonl").exists() else 0
    delays = sorted(written - moment for (moment, _, _), written in found.items())
    print(
        f"{len(sent)} readings, {len(found)} changes, {late} late; told after p50 {statistics.median(delays):.1f} s, most {delays[-1]:.1f} s"
    )
    if set(found) != wanted:
        print(f"missing {sorted(wanted - set(found))[:5]}, wrong {sorted(set(found) - wanted)[:5]}; see {base}")
        return 1
    shutil.rmtree(base)
    return 0


if __name__ == "__main__":
    sys.exit(main())
