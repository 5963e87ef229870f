"""Rows that cannot matter are left out, and nothing else changes: answers, time, rejects, late rows, and what a checkpoint can give."""

from __future__ import annotations

import datetime as dt
import json
import logging
import math
import random
import re
from contextlib import redirect_stdout
from dataclasses import replace
from decimal import Decimal
from io import StringIO

import pyarrow as pa
import pytest
from pyspark.sql import functions as F  # noqa: N812 - the name that every user of Spark knows
from pyspark.sql.types import StructField, StructType

from laser import intervals, parse
from laser.checks.accept import accept
from laser.errors import StateError
from laser.rules.selection import select
from laser.settings import RunSettings
from laser.spark import Input, prepare, reason
from laser.spark.columns import conversion
from laser.spark.metrics import metrics_of
from laser.spark.selection import _type, is_selected
from laser.spark.sources import read_sources
from laser.ticks import SECOND, Tick
from laser.values import Atom, Predicate
from tests.rules.test_selection import numeric_trial
from tests.spark.rooms import Drive, Setting, job_of, shuffled
from tests.spark.streams import follow, write_file

# -- without Spark: random streams


def settings_of(seed):
    """A random program over columns of whole numbers, as a stream on Spark, if its stream has what it reads."""
    trial = numeric_trial(f"spark/{seed}")
    rows = [(time, fact) for time, facts in trial.stream for fact in facts]
    inputs = {fact.signature for _, fact in rows}
    core = accept(parse(trial.program.to_text()))
    if not rows or not inputs & (core.reads | core.derived):
        return None
    start = min(time for time, _ in rows)
    kinds = {predicate: ["bigint"] * predicate.arity for predicate in inputs}
    return Setting(parse(trial.program.to_text()), rows, start, rows[-1][0] + 3, kinds=kinds)


def told(job, setting, seed):
    """What a stream says, and which facts it sets aside: some come later than the watermark allows."""
    drive = Drive(job, random.Random(seed), lateness=1)
    rows = [row for row in shuffled(setting.rows, 3, random.Random(seed)) if row[1].signature in job.inputs.tags]
    stores = drive.run(rows, setting.until)
    return drive.answers(setting.start, setting.until), sorted(drive.late), stores


def test_random_streams_say_the_same_with_and_without_a_selection():
    selective = logged = 0
    for seed in range(300):
        setting = settings_of(seed)
        job = None if setting is None else job_of(setting)
        if job is None or not job.selected:
            continue
        answers, late, stores = told(job, setting, seed)
        right, right_late, right_stores = told(replace(job, needed={}), setting, seed)
        assert (answers, late) == (right, right_late), setting.program
        selective += 1
        logged += sum(len(store.log) for store in right_stores) - sum(len(store.log) for store in stores)
    assert selective >= 20
    assert logged > 0


# -- the condition as a column

TEMP = Predicate("p", 1)
COLUMNS = {
    "bigint": ([0, 2, 3, -3, 2**53, 2**53 + 1, 2**63 - 1, -(2**63)], ["3", "2.5", "-2.5", "9007199254740993", "9223372036854775807"]),
    "int": ([0, 2, 3, -1], ["2", "2.5"]),
    "double": ([0.0, -0.0, 2.5, 1e300, 5e-324, -1e-310, float(2**53), 2.0**60], ["2.5", "0", "9007199254740992", "0.1"]),
    "float": ([0.5, 0.1, 3.0], ["0.1", "0.5"]),
    "decimal(10,2)": ([Decimal("0.10"), Decimal("90.00"), Decimal("90.01")], ["0.1", "90", "90.01"]),
    "decimal(20,0)": ([Decimal(10**19), Decimal(3)], ["3"]),
    "string": (["", "a", "Z", "a'b\\c", "é", "\uffff", "\U00010000", "10", "9"], ['"a"', '"é"', '"\uffff"', '"a\'b\\\\c"', '"9"', "3"]),
    "boolean": ([True, False], ["true", '"fa"']),
    "timestamp": ([dt.datetime(2026, 1, 1, 12), dt.datetime(2026, 1, 1, 12, 0, 0, 1)], ["2026-01-01T12:00:00Z"]),
    "date": ([dt.date(2026, 1, 1), dt.date(2026, 1, 2)], ["2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z"]),
    "interval day to second": ([dt.timedelta(minutes=5), dt.timedelta(minutes=-5, microseconds=1)], ["5 min", "0 s"]),
}  # fmt: skip


@pytest.mark.parametrize("kind", COLUMNS)
def test_spark_selects_the_rows_that_the_rules_select(spark, kind):
    values, constants = COLUMNS[kind]
    schema = StructType([StructField("t", _data_type("bigint")), StructField("v", _data_type(kind))])
    table = spark.createDataFrame([(1, value) for value in values], schema)
    (source,) = read_sources({"p": Input(table, ["v"], "t")}, None, Tick.parse(SECOND), None)
    by = conversion(source.kinds[0])
    conditions = {}
    for constant in constants:
        for operator in ("=", "!=", "<", "<=", ">", ">="):
            rules = parse(f"q :- p(V), V {operator} {constant}.")
            core = accept(
                rules, replace(RunSettings.read({}), dates=by.carrier == "long" and "int" != kind != "bigint")
            )
            conditions[f"{operator} {constant}"] = select(core, {TEMP: [_type(source.kinds[0])]})
    columns = [is_selected(source, found).alias(text) for text, found in conditions.items()]
    rows = table.select(F.expr(by.carried("`v`")).alias("cell"), *columns).collect()
    for row in rows:
        (value,) = by.values([row["cell"]])
        for text, found in conditions.items():
            assert row[text] is (TEMP not in found or found[TEMP].keeps([value])), (value, text)
    assert kind == "decimal(20,0)" or any(TEMP in found for found in conditions.values())


def _data_type(kind):
    return StructType.fromDDL(f"x {kind}")["x"].dataType


# -- real streams

RULES = "hot(M) :- temp(M, V) in [3], V > 90. calm :- not hot(_).\n"
FILES = [
    [(0, "m1", 20.0), (1, "m1", 95.0), (2, "m2", 30.0)],
    [(3, "m1", 20.0), (3, None, 99.0), (4, "m1", float("nan")), (8, "m2", 20.0)],
    [(9, "m2", 20.0), (10, "m1", 20.0)],
    [(1, "m2", 20.0), (2, "m2", 99.0), (12, "m2", 92.0), (13, "m2", 20.0)],
    [(30, "m1", 1.0)],
]
"""A timeline that begins and ends with rows that do not matter, and a micro-batch of such rows alone. Two rows are malformed, and two
are late: one that would have mattered, one that would not."""
LATE = {(1, "m2"), (2, "m2")}


def put(place, number, rows):
    times, machines, values = zip(*rows, strict=True)
    columns = {"t": pa.array(times, pa.int64()), "machine": pa.array(machines), "v": pa.array(values, pa.float64())}
    write_file(pa.table(columns), place / "in", number)


def stream_of(spark, place, rules=RULES, **options):
    return reason(rules, {"temp": follow(spark, place / "in")}, time="t", checkpoint=str(place / "state"), **options)


def drain(spark, place, rules=RULES, **options):
    """All that is there: the changes and late facts, and the query."""
    answers = stream_of(spark, place, rules, **options)
    found, late = [], []

    def write(batch, _):
        for name, rows in answers.split(batch).items():
            found.extend((row.time, Atom(name, row[:-2]), row.holds) for row in rows.collect())
        late.extend((row.time, row.fact) for row in answers.late_of(batch).collect())

    writer = answers.table.writeStream.foreachBatch(write).option("checkpointLocation", str(place / "state"))
    query = writer.trigger(availableNow=True).start()
    query.awaitTermination()
    return sorted(found), sorted(late), query


def intervals_of(rules, until):
    """What the embedded reasoner says of the rows that are in time and well formed."""
    stream: dict[int, list] = {}
    for time, machine, value in (row for rows in FILES for row in rows):
        if machine is not None and not math.isnan(value) and (time, machine) not in LATE:
            stream.setdefault(time, []).append(("temp", machine, value))
    return intervals(parse(rules), sorted(stream.items()), start=0, until=until)


def changes_of(rules, until):
    """The changes up to a time."""
    found = []
    for atom, since, last in intervals_of(rules, until + 1):
        found += [(time, atom, holds) for time, holds in ((since, True), (last + 1, False)) if time <= until]
    return sorted(found)


def test_a_stream_of_selected_rows_has_the_answers_the_time_and_the_counts_of_all(spark, tmp_path):
    for number, rows in enumerate(FILES):
        put(tmp_path, number, rows)
    found, late, query = drain(spark, tmp_path)
    assert found == changes_of(RULES, 29)
    assert (0, Atom("calm", ()), True) in found
    assert late == [(1, "temp(m2, 20)"), (2, "temp(m2, 99)")]
    metrics = metrics_of(query)
    totals = {
        name: sum(getattr(each, name) for each in metrics) for name in ("rows", "rejected", "facts", "selected", "late")
    }
    assert totals == {"rows": 14, "rejected": 2, "facts": 10, "selected": 2, "late": 2}
    assert metrics[-1].kept <= 2
    assert max(each.watermark.timestamp() for each in metrics if each.watermark) == 30


def explained(answers):
    with redirect_stdout(text := StringIO()):
        answers.table.explain()
    return text.getvalue()


def test_the_plan_of_a_stream_shows_the_condition(spark, tmp_path):
    put(tmp_path, 0, FILES[0])
    assert re.search(r"\(v#\d+ > 90\.0\) AS selected", explained(stream_of(spark, tmp_path)))
    every = explained(stream_of(spark, tmp_path, "seen(M) :- temp(M, _) in [3]."))
    assert not re.search(r"(?<!L\)) AS selected", every)  # only the sum of the metric has this name


def test_facts_that_are_kept_for_changed_rules_are_all_facts(spark, tmp_path):
    for number, rows in enumerate(FILES[:3]):
        put(tmp_path, number, rows)
    _, _, query = drain(spark, tmp_path, keep="1 h")
    assert metrics_of(query)[-1].kept == 7


# -- checkpoints


def without_selection(monkeypatch):
    """As an earlier version read its inputs."""
    monkeypatch.setattr(prepare, "needed_by", lambda job, sources: {})


def notes_of(place):
    return [json.loads(path.read_text()) for path in (place / "state" / "laser").glob("job-*.json")]


@pytest.mark.long
def test_a_checkpoint_of_an_earlier_version_goes_on(spark, tmp_path, monkeypatch):
    for number, rows in enumerate(FILES[:2]):
        put(tmp_path, number, rows)
    with monkeypatch.context() as before:
        without_selection(before)
        found, _, _ = drain(spark, tmp_path)
    for path in (tmp_path / "state" / "laser").glob("job-*.json"):
        note = json.loads(path.read_text())
        del note["selected"], note["complete_since"]
        path.with_name(f".{path.name}.crc").unlink(missing_ok=True)
        path.write_text(json.dumps(note))
    for number, rows in enumerate(FILES[2:], 2):
        put(tmp_path, number, rows)
    more, late, query = drain(spark, tmp_path)
    assert sorted([*found, *more]) == changes_of(RULES, 29)
    assert len(late) == 2
    assert sum(each.selected for each in metrics_of(query)) == 1
    (note,) = notes_of(tmp_path)
    assert note["selected"] == [["temp", 2, [[[1, ">", "value", "90"]]]]]


WIDER = "hot(M) :- temp(M, V) in [3], V > 15. calm :- not hot(_).\n"
NARROWER = "hot(M) :- temp(M, V) in [3], V > 93. calm :- not hot(_).\n"


def test_changed_rules_that_need_other_rows_are_refused_or_exact_later(spark, tmp_path, caplog):
    for number, rows in enumerate(FILES[:2]):
        put(tmp_path, number, rows)
    found, _, _ = drain(spark, tmp_path)
    with pytest.raises(
        StateError, match=r"facts of temp/2, of which the old rules read only .* since 9, .* exact only from 12 on"
    ):
        stream_of(spark, tmp_path, WIDER)
    for number, rows in enumerate(FILES[2:], 2):
        put(tmp_path, number, rows)
    with caplog.at_level(logging.WARNING, logger="laser"):
        more, _, _ = drain(spark, tmp_path, WIDER, inexact=True)
    assert "answers are exact from 12 on" in caplog.text
    holding: set[Atom] = set()
    at: dict[int, frozenset[Atom]] = {}
    for time in range(30):
        for _, atom, holds in (change for change in sorted([*found, *more]) if change[0] == time):
            (holding.add if holds else holding.discard)(atom)
        at[time] = frozenset(holding)
    expected: dict[int, set[Atom]] = {time: set() for time in range(30)}
    for atom, since, until in intervals_of(WIDER, 29):
        for time in range(since, until + 1):
            expected[time].add(atom)
    assert [at[time] for time in range(12, 30)] == [expected[time] for time in range(12, 30)]


@pytest.mark.long
def test_changed_rules_that_need_fewer_rows_go_on_at_once(spark, tmp_path):
    for number, rows in enumerate(FILES[:2]):
        put(tmp_path, number, rows)
    drain(spark, tmp_path)
    assert stream_of(spark, tmp_path, NARROWER).exact_from == 8


# -- static DataFrames


def history(spark, place, **options):
    for number, rows in enumerate(FILES):
        put(place, number, rows)
    table = spark.read.parquet(str(place / "in"))
    return reason(RULES, {"temp": table}, time="t", engine="reasoner", **options)


@pytest.mark.parametrize(
    "options", [{}, {"buckets": 1, "slices": 3}, {"start": 0, "until": 30, "buckets": 1, "slices": 1}]
)
def test_a_history_of_selected_rows_has_the_answers_of_all(spark, tmp_path, monkeypatch, options):
    answers = history(spark, tmp_path, **options)
    found = {name: sorted(map(tuple, answers[name].collect())) for name in answers}
    assert answers.rejects.count() == 2
    monkeypatch.undo()
    with monkeypatch.context() as before:
        without_selection(before)
        whole = history(spark, tmp_path, **options)
        assert found == {name: sorted(map(tuple, whole[name].collect())) for name in whole}
    assert found["calm"][0][0] == 0
    assert found["calm"][-1][1] == 30


def test_a_history_is_filtered_where_it_is_read(spark, tmp_path):
    answers = history(spark, tmp_path, start=0, until=30, buckets=1, slices=1)
    plan = answers.table._jdf.queryExecution().toString()
    assert "GreaterThan(v,90.0)" in plan
