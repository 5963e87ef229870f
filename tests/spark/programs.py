"""Random programs through real Spark, against the definition: ``python -m tests.spark.programs 200 --seed 1``.

Every program has its facts in several inputs. As a stream they come in some micro-batches, out of order within the lateness
and in any order within a time point, which a cut may divide, and the query is stopped and started again. In the end there is a
row of each input much later, or the stream is flushed. As tables the facts are read at once. Some programs are lifted over a
key. Most have tuple windows, which look at the order of arrival.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import sys
import tempfile
import time as clock
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

from pyspark.sql import SparkSession

from laser.plan.build import build
from laser.rules.reach import reach
from laser.spark import Answers, Input, reason, session
from laser.spark.history import refuse_functions
from laser.sql.facts import arrow_table, by_predicate, columns_of, kinds_of
from laser.sql.kinds import Kind
from laser.sql.lower import Lowerer
from laser.sql.refusal import NotLowered
from laser.sql.stages import stages
from laser.sql.strata import Strata
from laser.sql.timeline import Timeline
from laser.values import Atom, Predicate
from tests.laws import is_legal
from tests.spark.rooms import Arrivals, Setting, lifts, read_by, shuffled, spread, with_keys
from tests.spark.streams import Feed, Told
from tests.sql.trials import Aimed, Flat, Recursive
from tests.sql.trials import generate as generate_history
from tests.strategies import Seeded, generate

LONGEST = 60
"""Time points of a stream: the definition takes minutes for some programs on a long one."""


def settings(seed: int) -> Iterator[tuple[str, Setting]]:
    """Programs with streams, four of five with tuple windows."""
    for number in range(sys.maxsize):
        trial = generate(Seeded(f"streams/{seed}/{number}"))
        rows = [(time, atom) for time, atoms in trial.stream for atom in atoms]
        if not is_legal(trial) or not rows or not trial.program.rules:
            continue
        times = [time for time, _ in rows]
        start = min(times) if trial.start is None else trial.start
        until = max([start, *times]) + 3 if trial.until is None else trial.until
        if until - start > LONGEST:
            continue
        setting = Setting(trial.program, rows, start, until)
        if _reads_something(setting) and (number % 5 == 0 or reach(setting.core, set(setting.inputs)).counts_facts):
            yield f"{seed}/{number}", setting


def _reads_something(setting: Setting) -> bool:
    return bool(set(setting.inputs) & (set(setting.core.reads) | set(setting.core.derived)))


def micro_batches(rows: Arrivals, choices: random.Random) -> list[Arrivals]:
    """Cut anywhere, also in the middle of a time point; some are empty."""
    count = choices.randint(1, 6)
    edges = sorted(choices.randint(0, len(rows)) for _ in range(count - 1))
    return [rows[a:b] for a, b in zip([0, *edges], [*edges, len(rows)], strict=True)]


def stream_differs(spark: Any, name: str, setting: Setting, place: Path) -> str:
    """What is wrong with the answers of a stream; empty where they are those of the definition."""
    choices = random.Random(name)
    setting, key = perhaps_lifted(setting, choices)
    lateness = choices.choice((0, 0, 2, 5))
    batches = micro_batches(shuffled(setting.rows, lateness, choices), choices)
    end = setting.until + lateness + 2
    last = [(end, Atom(p.name, (0,) * p.arity), 10**6 + i) for i, p in enumerate(setting.inputs)]
    feed, told = Feed(spark, place / "in", setting.inputs), Told()
    stop = choices.randrange(len(batches) + 1)
    options: Any = {**key, "start": setting.start, "mixed": True, "lateness": lateness, "unbounded": True}
    options["buckets"] = choices.choice((1, 2))
    flushes = choices.random() < 0.5
    if flushes:
        options |= {"flush": True, "checkpoint": str(place / "state")}
    for some in ([*batches[:stop]], [*batches[stop:], *([] if flushes else [last])]):
        for batch in some:
            feed.put(batch)
        if some:
            answers = reason(setting.program, feed.streams(), **options)
            told.drain(answers.table, place / "state")
    if flushes:
        answers.flush(setting.until)
        told.drain(answers.table, place / "state")
    late = [row["note"] for row in told.rows if row["tag"] < 0]
    return difference(
        told.snapshots(answers, setting.start, setting.until), setting, answers, f"late: {late}" if late else ""
    )


def batch_differs(spark: Any, name: str, setting: Setting, place: Path) -> str:
    """The same for static tables."""
    choices = random.Random(name)
    setting, key = perhaps_lifted(setting, choices)
    feed = Feed(spark, place / "in", setting.inputs)
    for batch in micro_batches(shuffled(setting.rows, 5, choices), choices):
        feed.put(batch)
    answers = reason(
        setting.program,
        feed.tables(),
        start=setting.start,
        until=setting.until,
        mixed=True,
        **key,
        buckets=choices.choice((None, 1, 2, 7)),
        slices=choices.choice((None, 1, 2, 7)),
    )
    return difference(found_in(answers, setting), setting, answers)


def sql_differs(spark: Any, name: str, setting: Setting, place: Path) -> str:
    """The same for static tables by SQL, and by the reasoner for recursions, whose columns have the types of their values.

    A refusal is not a difference.
    """
    choices = random.Random(name)
    setting, key = perhaps_lifted(setting, choices)
    inputs = {}
    for predicate, kinds in kinds_by_input(setting).items():
        if kinds is None or any(kind in (Kind.IRI, Kind.ANY) for kind in kinds):
            return ""
        rows = [(time, atom) for time, atom in setting.rows if atom.signature == predicate]
        columns = [f"c{i}" for i in range(predicate.arity)]
        given: dict[str, Any] = {"t": ([time for time, _ in rows], Kind.INTEGER)}
        given |= {c: ([atom[i + 1] for _, atom in rows], kinds[i]) for i, c in enumerate(columns)}
        inputs[str(predicate)] = Input(spark.createDataFrame(arrow_table(given)), columns, "t")
    timeline: Any = {"start": setting.start, "until": setting.until}
    sql = "laser.spark.history"
    with patch(f"{sql}.ROWS_A_STATEMENT", 0), patch(f"{sql}.LARGEST_SHARE", 1000):  # SQL, however small the tables
        answers = reason(setting.program, inputs, mixed=True, **timeline, **key)
    way, _, refusal = answers.cut.partition("; not by SQL: ")
    if refusal:
        REFUSED[refusal] += 1
        return ""
    LOWERED["whole" if way.startswith("SQL over") else "in part"] += 1
    return difference(found_in(answers, setting), setting, answers)


def kinds_by_input(setting: Setting) -> dict[Predicate, tuple[Kind, ...] | None]:
    """The kinds of the columns of each input, by all of its values."""
    return {
        p: kinds_of([[atom[i + 1] for _, atom in setting.rows if atom.signature == p] for i in range(p.arity)])
        for p in setting.inputs
    }


def has_sql(setting: Setting) -> bool:
    """Whether SQL on Spark has a program, or a part of it, with columns of one type each."""
    core, streamed = setting.core, kinds_by_input(setting)
    background = {p: kinds_of(columns_of(r)) for p, (r, _) in by_predicate((0, k) for k in core.background).items()}
    both = frozenset(streamed) & (core.derived | core.given)
    try:
        refuse_functions(core)
        timeline = Timeline(str(setting.start), str(setting.until))
        strata = Strata(Lowerer(build(core, both), streamed, background, timeline, "spark"))
        [*stages(strata)]
        outputs = strata.outputs().values()
    except NotLowered:
        return False
    known = [*(kinds or (Kind.ANY,) for kinds in streamed.values()), *(r.kinds for r in outputs)]
    return bool(outputs) and not any(kind in (Kind.IRI, Kind.ANY) for kinds in known for kind in kinds)


LOWERED: Counter[str] = Counter()
REFUSED: Counter[str] = Counter()
"""How many programs SQL has answered, and why it has not answered others."""


def found_in(answers: Answers, setting: Setting) -> dict[int, frozenset[Atom]]:
    found: dict[int, set[Atom]] = {time: set() for time in range(setting.start, setting.until + 1)}
    for row in answers.table.collect():
        spread(answers.prepared.job, [row.asDict()], found)
    answers.unpersist()
    return {time: frozenset(atoms) for time, atoms in found.items()}


def histories(seed: int) -> Iterator[tuple[str, Setting]]:
    """Programs that SQL has, at least below and above a recursion, with values of one type in a column."""
    for number in range(sys.maxsize):
        trial = generate_history(Seeded(f"histories/{seed}/{number}"), (Flat, Aimed, Recursive)[number % 3])
        rows = [(time, atom) for time, atoms in trial.stream for atom in atoms]
        times = [time for time, _ in rows]
        if not rows or not is_legal(trial):
            continue
        start = min(times) if trial.start is None else trial.start
        until = max([start, *times]) + 3 if trial.until is None else trial.until
        setting = Setting(trial.program, rows, start, until)
        if until - start <= LONGEST and _reads_something(setting) and has_sql(setting):
            yield f"{seed}/{number}", setting


def perhaps_lifted(setting: Setting, choices: random.Random) -> tuple[Setting, Any]:
    """The setting, or one in four times the same lifted over a key, with the option that says so."""
    lifted = with_keys(setting, choices)
    if choices.random() < 0.75 or not lifts(lifted):
        return setting, {}
    return lifted, {"key": "c0"}


def difference(found: Any, setting: Setting, answers: Answers, note: str = "") -> str:
    read = read_by(setting, answers.prepared.job)
    expected = read.lifted_reference() if answers.prepared.job.partition.adds_key else setting.reference()
    wrong = [time for time in expected if found[time] != expected[time]]
    if not wrong and not note:
        return ""
    lines = [f"  at {time}: {sorted(found[time])}, not {sorted(expected[time])}" for time in wrong[:5]]
    return "\n".join([str(setting.program), *(f"  {row}" for row in setting.rows), note, *lines])


WAYS = {"stream": stream_differs, "batch": batch_differs, "sql": sql_differs}


def run(spark: Any, way: str, name: str, setting: Setting) -> str:
    place = Path(tempfile.mkdtemp(prefix="laser-programs-"))
    try:
        return WAYS[way](spark, name, replace(setting), place)
    finally:
        shutil.rmtree(place, ignore_errors=True)


def connect() -> Any:
    """A session of Spark Connect, with a server that is started for it."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    return SparkSession.builder.remote("local[2]").getOrCreate()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="stream,batch")
    parser.add_argument("--connect", action="store_true", help="over Spark Connect, with a server of its own")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    spark, wrong, began = connect() if given.connect else session(cores=2), 0, clock.monotonic()
    chosen = histories(given.seed) if given.only == "sql" else settings(given.seed)
    for count, (name, setting) in enumerate(chosen, 1):
        for way in given.only.split(","):
            told = run(spark, way, name, setting)
            if told:
                wrong += 1
                print(f"{way} {name} differs\n{told}", flush=True)
        if count % 10 == 0 or count == given.programs:
            print(f"{count} programs, {wrong} wrong, {clock.monotonic() - began:.0f} s", flush=True)
        if count == given.programs:
            break
    if LOWERED or REFUSED:
        print(
            f"{LOWERED['whole']} by SQL, {LOWERED['in part']} in part, {REFUSED.total()} not: {', '.join(f'{n} {why}' for why, n in REFUSED.most_common(8))}"
        )
    spark.stop()
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
