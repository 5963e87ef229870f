"""Measures ``laser eval`` from a file to changes, for CSV, JSON Lines and Parquet, compared with only reading the file.

The floors are ``csv.reader`` over the file, ``json.loads`` on each of its lines, and for Parquet the reasoner on facts that are
already in memory. Only processor time counts, because everything is one thread.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from importlib import import_module
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time

from laser.bench.case import Case
from laser.bench.measure import numbers, spread
from laser.bench.record import Record
from laser.engine.reasoner import Reasoner
from laser.ticks import SECOND

__all__ = ["KINDS", "files"]

RATE, HOSTS, WINDOW = 100, 500, 60
BEGIN = 1_772_488_800
PROGRAM = "#input ping(host: string).\nup(H) :- ping(H) in [1 min].\n"
KINDS = ("csv", "jsonl", "parquet")


def files(kind: str, rows: int, repetitions: int) -> Iterator[Record]:
    """One format: the whole way and its floor in turns, and the engine alone."""
    with TemporaryDirectory(prefix="laser-bench-") as directory:
        place = Path(directory)
        (place / "up.lars").write_text(PROGRAM, "utf-8")
        path = _write(place, kind, rows)
        floors_of: dict[str, Callable[[Path], None]] = {
            "csv": _read_csv,
            "jsonl": _read_json,
            "parquet": _reason_alone(rows),
        }
        floor = floors_of[kind]
        ours, floors = [], []
        for _ in range(repetitions):
            floors.append(_seconds(lambda: floor(path)))
            ours.append(_seconds(lambda: _evaluate(place / "up.lars", path)))
        yield _record(kind, rows, "laser", ours, floors)


def _pings(rows: int) -> Iterator[tuple[int, str]]:
    """A hundred of five hundred hosts every second."""
    return ((BEGIN + i // RATE, f"host{(i * 7919) % HOSTS}") for i in range(rows))


def _write(place: Path, kind: str, rows: int) -> Path:
    path = place / f"ping.{kind}"
    if kind == "parquet":
        import pyarrow as pa
        from pyarrow.parquet import write_table

        times, hosts = zip(*_pings(rows), strict=True)
        moments = pa.array([time * 1_000_000 for time in times], pa.timestamp("us", tz="UTC"))
        write_table(pa.table({"time": moments, "host": hosts}), path)
        return path
    with path.open("w", encoding="utf-8") as file:
        if kind == "csv":
            file.write("time,host,zone,state\n")
            file.writelines(f"{SECOND.to_text(time)},{host},eu-1,ok\n" for time, host in _pings(rows))
        else:
            entries = ({"time": SECOND.to_text(time), "host": host, "zone": "eu-1"} for time, host in _pings(rows))
            file.writelines(json.dumps(entry) + "\n" for entry in entries)
    return path


def _read_csv(path: Path) -> None:
    with path.open(encoding="utf-8", newline="") as file:
        for _ in csv.reader(file):
            pass


def _read_json(path: Path) -> None:
    with path.open(encoding="utf-8") as file:
        for line in file:
            json.loads(line)


def _reason_alone(rows: int) -> Callable[[Path], None]:
    """The engine alone, on facts that are made before the clock starts."""
    by_time: dict[int, list[tuple[str, str]]] = {}
    for time, host in _pings(rows):
        by_time.setdefault(time, []).append(("ping", host))

    def reason(_: Path) -> None:
        reasoner = Reasoner(PROGRAM, dates=True)
        for time, facts in by_time.items():
            reasoner.take(time, facts)

    return reason


def _evaluate(program: Path, path: Path) -> None:
    command = import_module("laser.cli").main  # a higher layer, which imports this one
    with redirect_stdout(io.TextIOWrapper(io.BytesIO(), encoding="utf-8")):
        command.main(["eval", str(program), "--input", f"ping={path}", "--quiet"], standalone_mode=False)


def _seconds(action: Callable[[], object]) -> float:
    begin = process_time()
    action()
    return process_time() - begin


def _record(kind: str, rows: int, system: str, seconds: list[float], floor: list[float]) -> Record:
    low, ratio, high = spread([ours / theirs for ours, theirs in zip(seconds, floor, strict=True)])
    value, base = median(seconds) / rows * 1e6, median(floor) / rows * 1e6
    note = (
        f"the ratio is to {'csv.reader' if kind == 'csv' else 'json.loads' if kind == 'jsonl' else 'the engine alone'}"
    )
    case = Case(RATE, WINDOW)
    return Record(f"files-{kind}", *numbers(case), system, "changes", "µs/fact", value, base, ratio, low, high, note)
