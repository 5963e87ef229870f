"""Histories of tables and of streams: by SQL and by the reasoner the same intervals in the same order, and who answers when."""

import math
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import laser
from laser.errors import FactError, LaserError, TimeError
from laser.sql import History
from laser.sql.history import SMALL
from laser.sql.refusal import NotLowered

PROGRAM = """
hot(M) :- temp(M, V) in [3], V > 90.
idle(M) :- machine(M), not temp(M, _) in [2].
warm(M, V, W) :- temp(M, V) in [2], press(M, W) in [2], V > W.
"""
MACHINES = [("machine", "a"), ("machine", "b")]
RECURSIVE = "reach(X, Y) :- edge(X, Y). reach(X, Z) :- reach(X, Y), edge(Y, Z)."


def readings() -> dict[str, pa.Table]:
    rows = range(60)
    temp = {
        "machine": ["ab"[i % 2] for i in rows],
        "value": [80 + i * 7 % 30 for i in rows],
        "time": [i // 3 for i in rows],
    }
    press = {
        "machine": ["ab"[i % 3 % 2] for i in rows],
        "bar": [85 + i % 4 + 0.5 for i in rows],
        "time": [i // 4 for i in rows],
    }
    return {"temp": pa.table(temp), "press": pa.table(press)}


def by(engine: str, tables: dict, **options: object) -> list[laser.Interval]:
    return list(laser.intervals(PROGRAM, tables, engine=engine, background=MACHINES, **options))  # type: ignore[arg-type]


@pytest.mark.parametrize("options", [{}, {"start": 2}, {"until": 9}, {"start": 4, "until": 30}], ids=str)
def test_both_engines_give_the_same_intervals_in_the_same_order(options: dict) -> None:
    found = by("sql", readings(), **options)
    assert found
    assert found == by("reasoner", readings(), **options) == by("auto", readings(), **options)
    assert [(i.until, i.since, i.atom) for i in found] == sorted((i.until, i.since, i.atom) for i in found)


def test_a_stream_of_objects_by_both_engines() -> None:
    stream = [(t, [("temp", "ab"[t % 2], t * 13 % 100), ("press", "a", 50)]) for t in range(40)]
    found = list(laser.intervals(PROGRAM, stream, engine="sql", background=MACHINES))
    assert found
    assert found == list(laser.intervals(PROGRAM, stream, engine="reasoner", background=MACHINES))


def test_files_and_frames_are_tables_too(tmp_path: Path) -> None:
    right, files = by("sql", readings()), {}
    for name, table in readings().items():
        files[name] = str(tmp_path / f"{name}.parquet")
        pq.write_table(table, files[name])
    assert by("sql", files) == right
    assert by("sql", {name: table.to_pandas() for name, table in readings().items()}) == right


def test_timestamps_become_time_points() -> None:
    moments = [datetime(2026, 1, 1, 0, 0, second, 500_000, UTC) for second in range(10)]
    table = pa.table({"m": ["a"] * 10, "v": list(range(10)), "ts": pa.array(moments, pa.timestamp("us", "UTC"))})
    program = "seen(V) :- temp(_, V) in [0]."
    for tick, count in (("1 s", 1), ("250 ms", 4)):
        options = {"time": "ts", "tick": tick}
        found = list(laser.intervals(program, {"temp": table}, engine="sql", **options))
        assert found == list(laser.intervals(program, {"temp": table}, engine="reasoner", **options))
        assert found[0].since == int(moments[0].timestamp() * count)


def test_in_a_run_with_dates_times_in_answers_are_left_to_the_reasoner() -> None:
    moments = [datetime(2026, 1, 1, 0, 0, second, 0, UTC) for second in range(3)]
    table = pa.table({"v": [1, 2, 3], "ts": pa.array(moments, pa.timestamp("us", "UTC"))})
    seen, unseen = "when(T) :- temp(_) at T in [0].", "@T old(V) :- temp(V) at T in [1]."
    with pytest.raises(NotLowered):
        History(seen, {"temp": table}, time="ts", engine="sql")
    (first, *_) = laser.intervals(seen, {"temp": table}, time="ts")
    assert str(first.atom) == "when(2026-01-01T00:00:00Z)"
    found = list(laser.intervals(unseen, {"temp": table}, time="ts", engine="sql"))
    assert found == list(laser.intervals(unseen, {"temp": table}, time="ts", engine="reasoner"))


def test_written_intervals_are_the_returned_ones(tmp_path: Path) -> None:
    for engine in ("sql", "reasoner"):
        with History(PROGRAM, readings(), engine=engine, background=MACHINES) as history:
            written = history.write(tmp_path / engine)
            told = list(history.intervals())
        rows = {str(p): duckdb.sql(f"select * from '{path}'").fetchall() for p, path in written.items()}
        assert sum(map(len, rows.values())) == len(told)
        assert {(*row[:-1],) for row in rows["hot/1"]} == {
            (*i.atom.args, i.since, i.until) for i in told if i.atom.predicate == "hot"
        }
        last = max(i.until for i in told)
        assert all(row[-1] == (row[-2] == last) for several in rows.values() for row in several)


def test_data_larger_than_memory_are_spilled_and_the_files_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("laser.sql.duck.gettempdir", lambda: str(tmp_path))
    numbers = duckdb.sql("select i % 300000 as x, i // 1000 as time from range(600000) as t(i)").to_arrow_table()
    for disk, fits in (("0KB", False), ("10GB", True)):
        with History("q(X) :- v(X) in [3].", {"v": numbers}, engine="sql") as history:
            history._duck.ask("set memory_limit = '20MB'")
            history._duck.ask(f"set max_temp_directory_size = '{disk}'")
            if fits:
                history.write(tmp_path / "answers")
            else:
                with pytest.raises(duckdb.OutOfMemoryException):
                    history.write(tmp_path / "answers")
    assert [path.name for path in tmp_path.iterdir()] == ["answers"]


def test_a_history_says_which_engine_answers_and_why() -> None:
    few = {"edge": pa.table({"x": [1], "y": [2], "time": [0]})}
    many = {"edge": pa.table({"x": [1] * (SMALL + 1), "y": [2] * (SMALL + 1), "time": list(range(SMALL + 1))})}
    with History("q(X) :- edge(X, _).", few) as history:
        assert history.why == f"the reasoner: there are at most {SMALL:,} facts"
    with History("q(X) :- edge(X, _).", many) as history:
        assert history.why == "SQL"
    with History(RECURSIVE, many, until=5) as history:
        assert history.why == "SQL for the inputs; the reasoner for `reach/2`: recursion through reach/2"
    with pytest.raises(NotLowered, match="recursion through reach/2"):
        History(RECURSIVE, few, engine="sql")
    with pytest.raises(LaserError, match="no engine 'fast'"):
        list(laser.intervals("q :- p.", [], engine="fast"))  # type: ignore[arg-type]


def test_a_long_timeline_is_not_listed_point_by_point() -> None:
    table = pa.table({"x": [1, 2], "time": [0, 31_536_000]})
    unbound, bound = "q(T) :- v(_) in [9], ⊞9 @T ¬ v(1).", "q(X) :- v(X) at T in [9], ⊞9 @T ¬ v(3)."
    with pytest.raises(NotLowered, match="it would list all 31,536,001 time points, in"):
        History(unbound, {"v": table}, engine="sql")
    found = list(laser.intervals(bound, {"v": table}, engine="sql"))
    assert [(i.atom.args, i.since, i.until) for i in found] == [((1,), 0, 9), ((2,), 31_536_000, 31_536_000)]


@pytest.mark.parametrize(
    ("test", "doubted"),
    [
        ("V > 90", False),
        ("V / 2 > 1", False),
        ("V / W > 1", True),
        ("V mod 0 = 1", True),
        ("M > 90", True),
        ("M = 90", False),
    ],
)
def test_operations_that_may_be_undefined_go_to_the_reasoner_which_reports_them(test: str, doubted: bool) -> None:
    many = pa.table(
        {"m": ["a"] * (SMALL + 1), "v": [1] * (SMALL + 1), "w": [0] * (SMALL + 1), "time": [0] * (SMALL + 1)}
    )
    with History(f"q(M, V, W) :- v(M, V, W), {test}.", {"v": many}) as history:
        assert ("the reasoner for `q/3`: an operation may be undefined" in history.why) is doubted


def test_numbers_that_sql_cannot_represent_go_to_the_reasoner() -> None:
    program = "double(W) :- v(X), W = X + X."
    huge = {"v": pa.table({"x": [2**62] * (SMALL + 1), "time": list(range(SMALL + 1))})}
    with pytest.raises(
        NotLowered, match=r"too large to be exact in SQL, in the rule `double\(W\) :- v\(X\), W = X \+ X.`"
    ):
        list(laser.intervals(program, huge, engine="sql"))
    (found,) = laser.intervals(program, huge)
    assert found.atom.args == (2**63,)


@pytest.mark.parametrize(
    ("column", "error", "words"),
    [
        (pa.array([None, 1.0]), FactError, "1 of the rows of v have no value"),
        (pa.array([math.inf, 1.0]), FactError, "1 of the rows of v have no value"),
        (pa.array([[1], [2]]), LaserError, "has the type"),
    ],
)
def test_values_that_the_language_does_not_have_are_refused(column: pa.Array, error: type, words: str) -> None:
    with pytest.raises(error, match=words):
        list(laser.intervals("q(X) :- v(X).", {"v": pa.table({"x": column, "time": [0, 1]})}))


def test_missing_and_negative_times_are_refused() -> None:
    for times in ([-1, 0], [None, 1]):
        with pytest.raises(TimeError, match="1 of the rows of v have no time point"):
            list(laser.intervals("q(X) :- v(X).", {"v": pa.table({"x": [1, 2], "time": pa.array(times)})}))
    with pytest.raises(LaserError, match="no column 'ts' for the time: it has x, time"):
        list(laser.intervals("q(X) :- v(X).", {"v": pa.table({"x": [1], "time": [0]})}, time="ts"))


def test_empty_tables_need_a_given_start_and_end() -> None:
    empty = {"v": pa.table({"x": pa.array([], pa.int64()), "time": pa.array([], pa.int64())})}
    assert list(laser.intervals("q :- not v(_) in [3].", empty, engine="sql")) == []
    (only,) = laser.intervals("q :- not v(_) in [3].", empty, engine="sql", start=3, until=9)
    assert (only.since, only.until) == (3, 9)


def test_memory_can_be_limited():
    facts = pa.table({"x": list(range(20_000)), "time": list(range(20_000))})
    with History("q(X) :- a(X) in [3].", {"a": facts}, memory="600 MB") as history:
        assert len(list(history.intervals())) == 20_000
        assert history._duck.ask("select current_setting('memory_limit')") == [("572.2 MiB",)]
    for wrong in ("much", "-3 GB", "3"):
        with pytest.raises(LaserError, match="is not an amount of memory"):
            History("q(X) :- a(X) in [3].", {"a": facts}, memory=wrong)
