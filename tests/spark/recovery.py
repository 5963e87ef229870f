"""Kill a stream in the middle, several times, and see whether anybody could tell: ``python -m tests.spark.recovery``.

A pipeline follows a directory of files, one file a micro-batch. Its driver is killed (``--victim driver``) or, on a standalone
cluster of two workers that is started for the purpose, one of the workers (``--victim worker``). What is written in
the end must be, row for row, what a run that nobody disturbed writes.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

PROGRAM = """
@T steam :- temp(V) at T in [5], V >= 100.
alarm    :- steam always in [5].
quiet    :- not temp(_) in [3].
rising   :- temp(V) at T in [4], temp(W) at U in [4], U = T + 2, W > V + 20.
"""
MACHINES, TICKS, FILES = 12, 240, 24
ROOT = Path(__file__).parent.parent.parent


def write_input(place: Path, seed: int) -> None:
    """Readings out of order by some ticks, and the last of them so late that everything before is complete."""
    choices = random.Random(seed)
    rows = [
        (t, f"m{m}", choices.choice((20, 60, 110, 120)) if choices.random() < 0.2 else 60 + 50 * ((t // 20 + m) % 2))
        for t in range(TICKS)
        for m in range(MACHINES)
        if choices.random() < 0.8
    ]
    rows.sort(key=lambda row: row[0] + choices.random() * 4)
    place.mkdir(parents=True)
    size = -(-len(rows) // FILES)
    chunks = [rows[i : i + size] for i in range(0, len(rows), size)] + [[(TICKS + 50, "m0", 0)]]
    for i, chunk in enumerate(chunks):
        t, machine, value = zip(*chunk, strict=True)
        table = pa.table(
            {"t": pa.array(t, pa.int64()), "machine": pa.array(machine), "value": pa.array(value, pa.int64())}
        )
        pq.write_table(table, place / f"{i:04d}.parquet")
        os.utime(place / f"{i:04d}.parquet", (1_700_000_000 + i, 1_700_000_000 + i))


def command(base: Path, name: str, master: str | None) -> list[str]:
    options = ["--follow", "--every", "once", "--lateness", "5 s", "--checkpoint", str(base / f"{name}-state")]
    options += ["--output", str(base / name), "--buckets", "4", "--conf", "spark.sql.streaming.minBatchesToRetain=2"]
    options += ["--master", master, "--conf", "spark.task.maxFailures=8"] if master else []
    return [sys.executable, "-m", "laser", "run", str(base / "pipeline.toml"), *options]


def write_pipeline(base: Path) -> None:
    (base / "rules.lars").write_text(PROGRAM, "utf-8")
    (base / "pipeline.toml").write_text(
        'program = "rules.lars"\nkey = "machine"\n[inputs.temp]\npath = "in"\nformat = "parquet"\ntime = "t"\n'
        'columns = ["value"]\nschema = {t = "bigint", machine = "string", value = "bigint"}\n'
        "options = {maxFilesPerTrigger = 1}\n",
        "utf-8",
    )


def run(arguments: list[str], log: Path) -> subprocess.Popen[bytes]:
    with log.open("ab") as file:
        return subprocess.Popen(arguments, stdout=file, stderr=file, cwd=ROOT, start_new_session=True)


def finish(process: subprocess.Popen[bytes], log: Path) -> None:
    if process.wait(timeout=900) != 0:
        raise SystemExit(f"the run failed:\n{log.read_text('utf-8')[-4000:]}")


def kill(process: subprocess.Popen[bytes]) -> None:
    """The process and the Java and Python that it started: all of its group, which is its own."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def batches(base: Path, name: str) -> int:
    """How many micro-batches are done, by the last that the checkpoint has; it forgets older ones."""
    commits = base / f"{name}-state" / "answers" / "commits"
    return max((int(file.name) + 1 for file in commits.glob("[0-9]*")), default=0)


def answers(place: Path) -> dict[str, list[tuple[object, ...]]]:
    found: dict[str, list[tuple[object, ...]]] = {}
    for directory in sorted(place.iterdir()):
        files = [f for f in sorted(directory.rglob("*.parquet")) if not _is_hidden(f.relative_to(place))]
        tables = [pq.read_table(file, partitioning=None) for file in files]
        found[directory.name] = sorted(tuple(row.values()) for table in tables for row in table.to_pylist())
    return found


def _is_hidden(path: Path) -> bool:
    """What readers of Parquet pass over: a directory that a killed run did not finish."""
    return any(part.startswith((".", "_")) for part in path.parts)


def kill_drivers(base: Path, times: int, choices: random.Random) -> int:
    """Kill the driver at random moments, each time after it has got some further; how often it was."""
    log, killed = base / "killed.log", 0
    while killed < times:
        before = batches(base, "killed")
        process, further = run(command(base, "killed", None), log), choices.randint(1, 4)
        while process.poll() is None and batches(base, "killed") < before + further:
            time.sleep(0.05)
        if process.poll() is not None:
            break
        time.sleep(choices.random() * 2)
        kill(process)
        killed += 1
        print(f"killed the driver at micro-batch {batches(base, 'killed')}")
    finish(run(command(base, "killed", None), log), log)
    return killed


@contextlib.contextmanager
def cluster(base: Path, workers: int, python: Path | None = None):
    """A standalone cluster from the pip package, each of its processes our own; ``python`` is that of its workers."""
    import pyspark

    from laser.spark.java import java_home

    home = Path(pyspark.__file__).parent
    environment = {
        **os.environ,
        "JAVA_HOME": str(java_home()),
        "SPARK_HOME": str(home),
        "PYSPARK_PYTHON": str(python or sys.executable),
    }
    if python is not None:
        environment.pop("PYTHONPATH", None)
    environment |= {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_NO_DAEMONIZE": "1"}
    port = random.randint(20000, 30000)

    def start(*arguments: str, log: str) -> subprocess.Popen[bytes]:
        file = (base / log).open("ab")
        return subprocess.Popen(
            [str(home / "bin" / "spark-class"), *arguments],
            env=environment,
            stdout=file,
            stderr=file,
            start_new_session=True,
        )

    master = f"spark://127.0.0.1:{port}"
    name = "org.apache.spark.deploy"
    processes = [
        start(
            f"{name}.master.Master",
            "--host",
            "127.0.0.1",
            "--port",
            str(port),
            "--webui-port",
            str(port + 1),
            log="master.log",
        )
    ]
    time.sleep(6)
    for i in range(workers):
        place = ["--work-dir", str(base / f"work{i}"), "--webui-port", str(port + 2 + i)]
        processes.append(
            start(
                f"{name}.worker.Worker",
                "--host",
                "127.0.0.1",
                "-c",
                "1",
                "-m",
                "1g",
                *place,
                master,
                log=f"worker{i}.log",
            )
        )
    time.sleep(6)
    try:
        yield master, processes[1:]
    finally:
        for process in processes:
            kill(process)


def kill_a_worker(base: Path) -> int:
    log = base / "killed.log"
    with cluster(base, 2) as (master, workers):
        process = run(command(base, "killed", master), log)
        while process.poll() is None and batches(base, "killed") < 5:
            time.sleep(0.1)
        if process.poll() is not None:
            finish(process, log)
            return 0
        kill(workers[0])
        print(f"killed a worker at micro-batch {batches(base, 'killed')}")
        finish(process, log)
    return 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--victim", choices=["driver", "worker"], default="driver")
    parser.add_argument("--times", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    base = Path(tempfile.mkdtemp(prefix="laser-recovery-"))
    write_input(base / "in", given.seed)
    write_pipeline(base)
    finish(run(command(base, "calm", None), base / "calm.log"), base / "calm.log")
    killed = (
        kill_drivers(base, given.times, random.Random(given.seed)) if given.victim == "driver" else kill_a_worker(base)
    )
    calm, disturbed = answers(base / "calm"), answers(base / "killed")
    rows = {name: len(found) for name, found in calm.items()}
    if calm != disturbed or not killed or not all(rows.values()):
        raise SystemExit(f"they differ: {rows} and { {n: len(f) for n, f in disturbed.items()} }; see {base}")
    print(f"{given.victim} killed {killed} times; the same rows as without: {rows}")
    shutil.rmtree(base)


if __name__ == "__main__":
    main()
