"""What Laser does to a session that is not its own."""

from __future__ import annotations

import pytest

from laser.spark import reason
from laser.spark.state_settings import STATE_SETTINGS

PROVIDER, CHANGELOG = STATE_SETTINGS
HDFS = "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider"
RULE = "q(X) :- a(X) in [2]."


@pytest.fixture
def plain(spark):
    """A session as Spark makes it, without our settings."""
    other = spark.newSession()
    for key in STATE_SETTINGS:
        other.conf.unset(key)
    return other


@pytest.fixture
def incoming(plain, tmp_path):
    """A directory with one file, as a stream of that session."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "1.json").write_text('{"t": 1, "x": "one"}\n{"t": 5, "x": "two"}\n', "utf-8")
    return plain.readStream.schema("t long, x string").json(str(tmp_path / "in"))


def settings(session):
    return dict(session.conf.getAll)


def test_a_batch_changes_no_setting(plain):
    before = settings(plain)
    answers = reason(RULE, {"a": plain.createDataFrame([(1, "one")], "t long, x string")}, time="t")
    assert answers["q"].count() == 1
    assert settings(plain) == before


def test_a_stream_changes_only_the_settings_it_needs_and_logs_it_once(plain, incoming, caplog):
    plain.conf.set(PROVIDER, HDFS)
    before = settings(plain)
    assert CHANGELOG not in before
    reason(RULE, {"a": incoming}, time="t")
    assert settings(plain) == before | STATE_SETTINGS
    (line,) = caplog.messages
    assert f"{PROVIDER} from {HDFS} to {STATE_SETTINGS[PROVIDER]}" in line
    assert f"{CHANGELOG} from the default to true" in line
    reason(RULE, {"a": incoming}, time="t")
    assert len(caplog.messages) == 1


def test_a_stream_that_is_refused_changes_no_setting(plain, incoming):
    before = settings(plain)
    with pytest.raises(Exception, match="unbounded=True"):
        reason("q(X, T) :- a(X) at T.", {"a": incoming}, time="t")
    with pytest.raises(Exception, match="lateness"):
        reason(RULE, {"a": incoming}, time="t", lateness=-1)
    assert settings(plain) == before


def test_a_query_keeps_its_state_store_when_the_setting_is_restored(plain, incoming, tmp_path):
    answers = reason(RULE, {"a": incoming}, time="t")
    found = []
    query = (
        answers["q"]
        .writeStream.foreachBatch(lambda rows, _: found.extend(map(tuple, rows.collect())))
        .option("checkpointLocation", str(tmp_path / "state"))
        .trigger(availableNow=True)
        .start()
    )
    for key in STATE_SETTINGS:
        plain.conf.unset(key)
    query.awaitTermination()
    assert ("one", 1, True) in found
