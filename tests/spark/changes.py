"""The rules of a running stream are changed five times under load: ``python -m tests.spark.changes``.

Readings arrive all the time. The run is asked to end (SIGTERM), its rules are changed, and it is started again on the same checkpoint. From the time on that it
names, the changes must add up to what a fresh run of the new rules says of all readings, and to that of the old rules before.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import shutil
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import pyarrow as pa

from laser.checks.load import parse
from laser.engine.run import intervals
from laser.values import Atom
from tests.spark.recovery import batches, kill, run
from tests.spark.streams import write_file

PIPELINE = """
program = "rules.lars"
follow = true
output = "told"
format = "jsonl"
checkpoint = "told-state"
late = "late.jsonl"
lateness = "3 s"
keep = "200 s"
buckets = 2

[inputs.temp]
path = "in"
format = "parquet"
time = "t"
schema = {t = "bigint", machine = "string", value = "bigint"}
"""
VERSIONS = [
    "hot(M) :- temp(M, V) in [5], V > 90.",
    "hot(M) :- temp(M, V) in [5], V > 80.",
    "hot(M) :- temp(M, V) in [20], V > 95. quiet(M) :- temp(M, _) in [60], not temp(M, _) in [3].",
    "quiet(M) :- temp(M, _) in [60], not temp(M, _) in [6].",
    "hot(M) :- temp(M, V) always in [1], V > 40. quiet(M) :- temp(M, _) in [60], not temp(M, _) in [6].",
    "hot(M) :- temp(M, V) at least 3 times in [100], V > 90. busy(M) :- count(V, T : temp(M, V) at T in [10]) > 8.",
]
TICKS = 5
"""Time points of a file."""
_EXACT = re.compile(r"exact from (\d+) on")


class Writer(threading.Thread):
    """Readings, a file at a time, until somebody says that it is enough."""

    def __init__(self, place: Path, machines: int, pause: float, seed: int) -> None:
        super().__init__(daemon=True)
        self.place, self.machines, self.pause = place, machines, pause
        self.choices = random.Random(seed)
        self.sent: dict[int, list[Atom]] = {}
        self.files = 0
        self.enough = threading.Event()

    def run(self) -> None:
        while not self.enough.wait(self.pause):
            first = self.files * TICKS
            self.write([row for t in range(first, first + TICKS) for row in self.readings(t)])

    def readings(self, t: int) -> list[tuple[int, str, int]]:
        return [
            (t, f"m{m}", self.choices.randrange(100))
            for m in range(self.machines)
            if self.choices.random() < 0.3 + (t // 50 + m) % 2 * 0.6
        ]

    def write(self, rows: list[tuple[int, str, int]]) -> None:
        for t, machine, value in rows:
            self.sent.setdefault(t, []).append(Atom("temp", (machine, value)))
        times, machines, values = zip(*rows, strict=True)
        arrays = [pa.array(times, pa.int64()), pa.array(machines), pa.array(values, pa.int64())]
        write_file(pa.table(arrays, ["t", "machine", "value"]), self.place, self.files)
        self.files += 1


def told(place: Path) -> dict[int, list[tuple[str, bool]]]:
    """The changes by time."""
    found: dict[int, list[tuple[str, bool]]] = {}
    for file in place.glob("*/batch=*/*.json"):
        for line in file.read_text("utf-8").splitlines():
            row: dict[str, Any] = json.loads(line)
            name = file.relative_to(place).parts[0]
            found.setdefault(row["time"], []).append((f"{name}({row['machine']})", row["holds"]))
    return found


def snapshots(changes: dict[int, list[tuple[str, bool]]], until: int) -> list[frozenset[str]]:
    holding: set[str] = set()
    found = []
    for t in range(until + 1):
        for atom, holds in sorted(changes.get(t, []), key=lambda change: change[1]):
            if (atom in holding) is holds:
                raise SystemExit(f"{atom} changes nothing at {t}")
            (holding.add if holds else holding.discard)(atom)
        found.append(frozenset(holding))
    return found


def reference(rules: str, sent: dict[int, list[Atom]], until: int) -> list[set[str]]:
    found: list[set[str]] = [set() for _ in range(until + 1)]
    for atom, since, last in intervals(parse(rules), sorted(sent.items()), start=0, until=until):
        for t in range(since, last + 1):
            found[t].add(str(atom))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--machines", type=int, default=40)
    parser.add_argument("--pause", type=float, default=0.5, help="seconds between files")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    base = Path(tempfile.mkdtemp(prefix="laser-changes-"))
    (base / "pipeline.toml").write_text(PIPELINE, "utf-8")
    writer = Writer(base / "in", given.machines, given.pause, given.seed)
    writer.write(writer.readings(0) or [(0, "m0", 1)])
    writer.start()
    command, logs = [sys.executable, "-m", "laser", "run", str(base / "pipeline.toml")], []
    for number, rules in enumerate(VERSIONS):
        (base / "rules.lars").write_text(rules + "\n", "utf-8")
        logs.append(base / f"run{number}.log")
        before, process = batches(base, "told"), run(command, logs[-1])
        if number == len(VERSIONS) - 1:
            time.sleep(5)
            writer.enough.set()
            writer.join()
            last = max(writer.sent)
            writer.write([(last + 60, "m0", 1)])
            wait_for(lambda last=last: max(told(base / "told"), default=0) >= last + 7, process, logs[-1])
        else:
            wait_for(lambda before=before: batches(base, "told") > before + 2, process, logs[-1])
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(120)
        finally:
            kill(process)
        print(f"version {number} ended after micro-batch {batches(base, 'told')}", flush=True)
    return compare(base, writer, logs)


def wait_for(done: Any, process: Any, log: Path) -> None:
    end = time.monotonic() + 300
    while not done():
        if process.poll() is not None or time.monotonic() > end:
            kill(process)
            raise SystemExit(f"the run failed:\n{log.read_text('utf-8')[-3000:]}")
        time.sleep(0.3)


def compare(base: Path, writer: Writer, logs: list[Path]) -> int:
    """Up to the time point before the last row."""
    until = max(writer.sent) - 10
    exact = [0, *(int(_EXACT.findall(log.read_text("utf-8"))[0]) for log in logs[1:])]
    found = snapshots(told(base / "told"), until)
    late = (base / "late.jsonl").exists()
    for rules, first, end in zip(VERSIONS, exact, [*exact[1:], until + 1], strict=True):
        expected = reference(rules, writer.sent, until)
        wrong = [t for t in range(first, end) if found[t] != expected[t]]
        if wrong or late:
            print(f"{rules}\n  differs at {wrong[:5]}; late: {late}; see {base}")
            return 1
    facts, changes = sum(map(len, writer.sent.values())), sum(map(len, told(base / "told").values()))
    print(
        f"{facts} facts, {changes} changes; the rules were changed from {', '.join(map(str, exact[1:]))} on, and from there the answers are those of a fresh run"
    )
    shutil.rmtree(base)
    return 0


if __name__ == "__main__":
    sys.exit(main())
