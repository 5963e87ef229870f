"""From Kafka to Kafka, PostgreSQL and Delta, with real servers, and a driver that is killed: ``python -m tests.spark.production``.

A pipeline reads JSON messages and writes the changes to a topic and to tables of two kinds. It is killed (``kill -9``, with Java and its workers) at random
moments, and between a sink and the checkpoint, and the broker is restarted once. The stream is long enough for all kills: each has more
micro-batches than it can use up. What is in the tables in the end, and what a reader of the topic has who forgets messages that it has seen, must be
what a run that nobody disturbed leaves.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.spark.recovery import batches, finish, kill, run
from tests.spark.servers import CONNECTOR, Kafka, MissingServerError, jars, kafka, postgres

RULES = """
@T hot :- temp(V) at T in [5], V >= 100.
alarm  :- hot always in [3].
quiet  :- not temp(_) in [3].
peak(V) :- temp(V) in [2], V >= 118.
"""
PIPELINE = """
program = "rules.lars"
key = "machine"
follow = true
every = "once"
flush = "last"
lateness = "5 s"
buckets = 2

[inputs.temp]
format = "kafka"
value = "json"
schema = {{machine = "string", value = "double", ts = "timestamp"}}
time = "ts"
columns = ["value"]
options = {{"kafka.bootstrap.servers" = "{servers}", subscribe = "readings", startingOffsets = "earliest", maxOffsetsPerTrigger = {share}, "kafka.isolation.level" = "read_committed"}}

[sinks.topic]
format = "kafka"
options = {{"kafka.bootstrap.servers" = "{servers}", topic = "{name}"}}

[sinks.tables]
format = "postgresql"
options = {{url = "{url}", schema = "{name}"}}

[sinks.lake]
format = "delta"
path = "{name}-lake"

[spark]
"spark.jars" = "{jars}"
"spark.sql.streaming.minBatchesToRetain" = 2
"""
MACHINES, SHARE = 8, 30
"""Machines, and the messages of a micro-batch."""
SECONDS = 20
"""How long the stream is for each kill: some 112 messages."""
MOST = 3
"""A kill takes at most so many micro-batches: one that it waits for, the one at hand, and one that ends between two looks."""
FIRST = datetime(2026, 1, 1, tzinfo=UTC)
TABLES = ("alarm", "quiet", "peak", "hot")


def readings(seed: int, kills: int) -> list[dict[str, Any]]:
    """Readings out of order by some seconds: enough for micro-batches that outlast the kills."""
    choices = random.Random(seed)
    rows = [
        (t + choices.random() * 4, t, f"m{m}", choices.choice((60.0, 101.5, 119.0, 120.0)))
        for t in range(SECONDS * (kills + 1))
        for m in range(MACHINES)
        if choices.random() < 0.7
    ]
    return [
        {"machine": machine, "value": value, "ts": (FIRST + timedelta(seconds=t)).isoformat()}
        for _, t, machine, value in sorted(rows)
    ]


def produce(broker: Kafka, rows: list[dict[str, Any]]) -> None:
    """In transactions, one of which is given up (a reader of what is committed never sees it), and with messages that are not JSON."""
    from confluent_kafka import Producer
    from confluent_kafka.admin import AdminClient, NewTopic

    admin = AdminClient({"bootstrap.servers": broker.servers})
    for made in admin.create_topics([NewTopic(name, 1, 1) for name in ("readings", "calm", "killed")]).values():
        made.result()
    producer = Producer({"bootstrap.servers": broker.servers, "transactional.id": "readings"})
    producer.init_transactions()
    for first in range(0, len(rows), 200):
        for aborted in (False,) if first else (True, False):
            producer.begin_transaction()
            for row in rows[first : first + 200]:
                told = json.dumps({**row, "value": 999.0} if aborted else row)
                producer.produce("readings", key=row["machine"], value=told)
            producer.produce("readings", value="not JSON")
            (producer.abort_transaction if aborted else producer.commit_transaction)()


def consume(broker: Kafka, topic: str) -> Counter[str]:
    """All committed messages of a topic, with how often each is there."""
    from confluent_kafka import Consumer, TopicPartition

    settings = {"bootstrap.servers": broker.servers, "group.id": topic, "isolation.level": "read_committed"}
    consumer = Consumer(settings)
    consumer.assign([TopicPartition(topic, 0, 0)])
    _, high = consumer.get_watermark_offsets(TopicPartition(topic, 0), timeout=30)
    found: Counter[str] = Counter()
    position, end = 0, time.monotonic() + 60
    while position < high and time.monotonic() < end:
        for message in consumer.consume(1000, timeout=1):
            found[f"{message.key().decode()} {message.value().decode()}"] += 1
            position = message.offset() + 1
        position = max(position, consumer.position([TopicPartition(topic, 0)])[0].offset)
    consumer.close()
    return found


def tables(url: str, schema: str) -> dict[str, list[Any]]:
    import psycopg

    with psycopg.connect(url) as connection:
        return {
            name: sorted(connection.execute(f'SELECT * FROM "{schema}"."{name}"'.encode()).fetchall())
            for table in TABLES
            for name in (table, f"{table}_changes")
        }


def lake(place: Path) -> dict[str, list[Any]]:
    from deltalake import DeltaTable

    return {
        name: sorted(tuple(row.values()) for row in DeltaTable(str(place / name)).to_pyarrow_table().to_pylist())
        for table in TABLES
        for name in (table, f"{table}_changes")
    }


def command(base: Path, name: str) -> list[str]:
    options = ["--checkpoint", str(base / f"{name}-state"), "--rejects", str(base / f"{name}.rejects")]
    return [sys.executable, "-m", "laser", "run", str(base / f"{name}.toml"), *options]


def written(url: str) -> int:
    """How many micro-batches the disturbed run has written to PostgreSQL."""
    import psycopg

    with contextlib.suppress(psycopg.errors.UndefinedTable), psycopg.connect(url) as connection:
        row = connection.execute(b"SELECT max(batch) + 1 FROM killed.laser_batches").fetchone()
        return row[0] or 0 if row else 0
    return 0


def wait_for(process: subprocess.Popen[bytes], done: Callable[[], bool]) -> None:
    while process.poll() is None and not done():
        time.sleep(0.05)


def disturb(base: Path, broker: Kafka, url: str, times: int, typical: float, choices: random.Random) -> int:
    """Kill the driver so often, and restart the broker once; how often it was killed.

    Every second kill is when PostgreSQL has a micro-batch that the checkpoint does not have, so that the sinks get it again. The others are
    at random moments of a micro-batch.
    """
    log, killed = base / "killed.log", 0

    def committed() -> int:
        return batches(base, "killed")

    while killed < times:
        before, process = committed(), run(command(base, "killed"), log)
        wait_for(process, lambda before=before: committed() > before)
        if killed % 2:
            wait_for(process, lambda: written(url) > committed())
        else:
            moment, now = time.monotonic() + choices.random() * 2 * typical, committed()
            wait_for(process, lambda moment=moment, now=now: time.monotonic() > moment or committed() > now)
        if process.poll() is not None:
            break
        kill(process)
        killed += 1
        print(f"killed the driver: {written(url)} micro-batches written, {committed()} committed", flush=True)
        if killed == 1:
            broker.stop()
            broker.start()
            print("restarted the broker", flush=True)
    finish(run(command(base, "killed"), log), log)
    return killed


def compare(base: Path, broker: Kafka, url: str, times: int, seed: int) -> str:
    """What is wrong; empty where nobody could tell the two runs apart."""
    began = time.monotonic()
    finish(run(command(base, "calm"), base / "calm.log"), base / "calm.log")
    typical = (time.monotonic() - began) / batches(base, "calm")
    print(f"undisturbed: {batches(base, 'calm')} micro-batches, {typical:.1f} s each", flush=True)
    killed = disturb(base, broker, url, times, typical, random.Random(seed))
    calm, disturbed = tables(url, "calm"), tables(url, "killed")
    files = lake(base / "calm-lake"), lake(base / "killed-lake")
    sent, again = consume(broker, "calm"), consume(broker, "killed")
    sizes = {name: len(rows) for name, rows in calm.items()}
    print(f"tables: {sizes}")
    print(
        f"topic: {sum(sent.values())} messages, with kills {sum(again.values())}, different ones {len(sent)} and {len(again)}"
    )
    if not all(sizes[f"{name}_changes"] for name in TABLES):
        return "a predicate has no changes, so this shows nothing"
    if max(sent.values()) > 1 or len(sent) != sum(len(calm[f"{name}_changes"]) for name in TABLES):
        return "the topic of the calm run does not have each change once"
    others = (disturbed, *files)
    differing = [name for name in calm if any(calm[name] != each[name] for each in others)]
    if differing or set(sent) != set(again):
        return f"the tables {differing} differ" if differing else "the topics differ"
    if times > 1 and max(again.values()) == 1:
        return "no message is repeated, so no kill was between a sink and the checkpoint, and this shows little"
    return "" if killed >= times else f"nothing differs, but there were only {killed} kills: the run was over"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    base = Path(tempfile.mkdtemp(prefix="laser-production-"))
    try:
        connector = ",".join(map(str, jars("connector", CONNECTOR, alone=True)))
        with kafka() as broker, postgres() as url:
            rows = readings(given.seed, given.kills)
            assert len(rows) > SHARE * MOST * given.kills, "the stream would be over before the last kill"
            produce(broker, rows)
            (base / "rules.lars").write_text(RULES, "utf-8")
            for name in ("calm", "killed"):
                text = PIPELINE.format(servers=broker.servers, url=url, name=name, jars=connector, share=SHARE)
                (base / f"{name}.toml").write_text(text, "utf-8")
            wrong = compare(base, broker, url, given.kills, given.seed)
    except MissingServerError as missing:
        print(f"skipped: {missing}")
        return 0
    if wrong:
        print(f"{wrong}; see {base}")
        return 1
    print("the tables of PostgreSQL and Delta are the same, and so are the messages, if repeated ones are taken once")
    shutil.rmtree(base)
    return 0


if __name__ == "__main__":
    sys.exit(main())
