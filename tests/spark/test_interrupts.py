"""Ctrl-C and SIGTERM on ``laser run``, with real processes and real signals."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq
import pytest

pytest.importorskip("pyspark")

from pyspark import SparkContext

from laser.spark.session import own_interrupts

ROOT = Path(__file__).parent.parent.parent
PATIENCE = 600
"""Seconds for Spark to start and to answer some micro-batches on a busy machine."""
PIPELINE = """
program = "rules.lars"
output = "answers"
checkpoint = "state"
follow = true
buckets = 1

[inputs.temp]
path = "in"
format = "csv"
time = "t"
schema = {t = "bigint", value = "double"}
options = {maxFilesPerTrigger = 1}
"""
BATCH = PIPELINE.replace('checkpoint = "state"\nfollow = true\n', "").replace(
    "options = {maxFilesPerTrigger = 1}\n", ""
)
STREAMS = ["ctrl-c", "term"]
SIGNALS = [signal.SIGINT, signal.SIGTERM]
FILES = 300
"""More micro-batches than are answered before the signal: one is always at hand."""


def wait_until(condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


@dataclass
class Run:
    """A pipeline under way, in a group of processes of its own, as a terminal has it."""

    place: Path
    process: subprocess.Popen[bytes]

    @property
    def said(self):
        return (self.place / "said").read_text("utf-8")

    def wait_for(self, condition):
        wait_until(lambda: self.process.poll() is not None or condition())
        assert self.process.poll() is None, self.said

    def committed(self):
        return {int(file.name) for file in (self.place / "state/answers/commits").glob("[0-9]*")}

    def written(self):
        return {int(batch.name.removeprefix("batch=")) for batch in (self.place / "answers/hot").glob("batch=*")}


def start(place, pipeline):
    (place / "in").mkdir(parents=True)
    for i in range(FILES):
        file = place / "in" / f"{i:04d}.csv"
        file.write_text(f"t,value\n{2 * i},{90 + 20 * (i % 2)}\n{2 * i + 1},{90 + 20 * (i % 2)}\n", "utf-8")
        os.utime(file, (1_700_000_000 + i, 1_700_000_000 + i))
    (place / "rules.lars").write_text("hot(V) :- temp(V), V > 100.\n", "utf-8")
    (place / "pipeline.toml").write_text(pipeline, "utf-8")
    with (place / "said").open("wb") as said:
        command = [sys.executable, "-m", "laser", "run", "pipeline.toml"]
        environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}:{os.environ.get('PYTHONPATH', '')}"}
        process = subprocess.Popen(
            command, cwd=place, env=environment, stdout=said, stderr=said, start_new_session=True
        )
    return Run(place, process)


@pytest.fixture(scope="module")
def ended(tmp_path_factory):
    """Two streams and a batch that ran side by side, each ended in its own way in the middle of its work."""
    pipelines = {"ctrl-c": PIPELINE, "term": PIPELINE, "batch": BATCH}
    runs = {name: start(tmp_path_factory.mktemp(name), text) for name, text in pipelines.items()}
    try:
        runs["batch"].wait_for(lambda: "by key" in runs["batch"].said)
        os.killpg(runs["batch"].process.pid, signal.SIGINT)
        for way in STREAMS:
            runs[way].wait_for(lambda run=runs[way]: len(run.committed()) >= 3)
        os.killpg(runs["ctrl-c"].process.pid, signal.SIGINT)  # a terminal tells all processes of its group
        os.kill(runs["term"].process.pid, signal.SIGTERM)
        for run in runs.values():
            run.process.wait(PATIENCE)
    finally:
        for run in runs.values():
            if run.process.poll() is None:
                os.killpg(run.process.pid, signal.SIGKILL)
                run.process.wait()
    return runs


@pytest.mark.parametrize("way", STREAMS)
def test_a_stream_that_is_interrupted_ends_with_its_summary_and_code_130(ended, way):
    said = ended[way].said
    assert ended[way].process.returncode == 130, said
    assert "answers in answers" in said.splitlines()[-1]
    assert "hot  held" in said
    assert "rows in" in said


def test_a_batch_that_is_interrupted_leaves_no_output(ended):
    assert ended["batch"].process.returncode == 130, ended["batch"].said
    assert not [path for path in ended["batch"].place.iterdir() if "answers" in path.name]


@pytest.mark.parametrize("way", [*STREAMS, "batch"])
def test_an_interrupt_shows_no_traceback_and_no_stack_of_java(ended, way):
    said = ended[way].said
    assert "Traceback" not in said
    assert "Exception" not in said
    assert "ERROR" not in said
    assert "\tat " not in said


@pytest.mark.parametrize("way", STREAMS)
def test_the_current_batch_is_written_completely_and_the_next_one_not_at_all(ended, way):
    run = ended[way]
    done = run.committed()
    assert 3 <= len(done) < FILES
    assert run.written() <= done, "what is written is committed, so a later run does not repeat it"
    rows = [row for file in (run.place / "answers").rglob("*.parquet") for row in pq.read_table(file).to_pylist()]
    begun = sum(row["holds"] for row in rows)
    assert ("hot  held once" if begun == 1 else f"hot  held {begun} times") in run.said
    assert not [path for path in (run.place / "answers").rglob("*") if path.name.endswith((".part", ".old"))]


@pytest.fixture
def heard():
    """The signals that a handler of our own has seen."""
    found = []
    before = {number: signal.signal(number, lambda number, _: found.append(number)) for number in SIGNALS}
    yield found
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", SIGNALS)
def test_a_caller_keeps_its_handlers_while_spark_starts(monkeypatch, heard, number):
    monkeypatch.setattr(SparkContext, "_gateway", object())
    own = signal.getsignal(number)
    with own_interrupts():
        signal.signal(signal.SIGINT, lambda *_: pytest.fail("Spark's handler is in place"))
        os.kill(os.getpid(), number)
        assert heard == [number]
        signal.signal(number, signal.SIG_IGN)  # as in the process that becomes Java
        assert signal.getsignal(number) is signal.SIG_IGN
    assert signal.getsignal(number) is own


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_waits_until_java_would_notice_the_end(monkeypatch, heard, number):
    monkeypatch.setattr(SparkContext, "_gateway", None)
    with own_interrupts():
        os.kill(os.getpid(), number)
        time.sleep(0.3)
        assert heard == []
        monkeypatch.setattr(SparkContext, "_gateway", object())
        wait_until(lambda: heard == [number])
