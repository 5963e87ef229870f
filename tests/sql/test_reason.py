"""Tables in, tables out: what ``laser.reason`` takes and gives."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

import laser
from laser import LaserError
from laser.zones import zone_of

pa = pytest.importorskip("pyarrow")

HOT = "hot(M, V) :- temp(M, V) in [3 s], V > 90. any :- temp(_, _)."
BEGIN = datetime(2026, 3, 2, 22, tzinfo=UTC)


def temp(**given):
    return pa.table({"machine": ["oven", "mill", "oven"], "value": [95.5, 10.0, 99.0], "ts": [1, 2, 9], **given})


def test_intervals_have_the_columns_their_values_come_from():
    answers = laser.reason(HOT, {"temp": temp()}, time="ts")
    assert list(answers) == ["any", "hot"]
    assert answers["hot"].to_pylist() == [
        {"machine": "oven", "value": 95.5, "since": 1, "until": 4},
        {"machine": "oven", "value": 99.0, "since": 9, "until": 9},
    ]
    assert answers["hot"].schema.types == [pa.string(), pa.float64(), pa.int64(), pa.int64()]
    assert answers["any"].to_pylist() == [{"since": 1, "until": 2}, {"since": 9, "until": 9}]


@pytest.mark.parametrize("engine", ["sql", "reasoner"])
def test_changes_are_in_the_order_of_time(engine):
    changes = laser.reason(HOT, {"temp": temp()}, as_="changes", engine=engine)["hot"]
    assert changes.to_pylist() == [
        {"machine": "oven", "value": 95.5, "time": 1, "holds": True},
        {"machine": "oven", "value": 95.5, "time": 5, "holds": False},
        {"machine": "oven", "value": 99.0, "time": 9, "holds": True},
    ]


def test_pandas_with_times_in_nanoseconds_gives_timestamps():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(
        {"ts": pd.to_datetime([BEGIN, BEGIN]).as_unit("ns"), "machine": ["oven", "mill"], "value": [95, 3]}
    )
    assert str(frame.dtypes["ts"]).startswith("datetime64[ns")
    answer = laser.reason(HOT, {"temp": frame}, time="ts")["hot"].to_pandas()
    assert list(answer.columns) == ["machine", "value", "since", "until"]
    assert answer["since"][0] == pd.Timestamp(BEGIN)


def test_polars_tables_are_inputs():
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame({"ts": [1], "machine": ["oven"], "value": [95]})
    assert laser.reason(HOT, {"temp": frame})["hot"].num_rows == 1


def test_paths_of_parquet_files_are_inputs(tmp_path):
    import pyarrow.parquet as pq

    pq.write_table(temp(), tmp_path / "temp.parquet")
    assert laser.reason(HOT, {"temp": tmp_path / "temp.parquet"})["hot"].num_rows == 2


def test_columns_are_found_by_declaration_or_by_name():
    wide = temp(note=pa.array([[1], [2], [3]]), when=pa.array([BEGIN] * 3))
    declared = "#input temp(machine: string, value: number). " + HOT
    assert laser.reason(declared, {"temp": wide})["hot"].num_rows == 2
    swapped = laser.reason(HOT, {"temp": wide}, columns={"temp": ["machine", "value"]})
    assert swapped["hot"].num_rows == 2
    with pytest.raises(LaserError, match="no column 'price': it has"):
        laser.reason(HOT, {"temp": wide}, columns={"temp": ["machine", "price"]})
    with pytest.raises(LaserError, match="temp/2 has 2 arguments, not the columns machine"):
        laser.reason(declared, {"temp": wide}, columns={"temp": ["machine"]})


def test_an_answer_without_rows_has_columns_and_booleans_stay_booleans():
    table = pa.table({"time": [1], "m": ["a"], "on": [True]})
    answers = laser.reason("off(M) :- state(M, false). is(M, O) :- state(M, O).", {"state": table})
    assert answers["off"].schema.names == ["m", "since", "until"]
    assert answers["off"].num_rows == 0
    assert answers["is"].to_pylist() == [{"m": "a", "on": True, "since": 1, "until": 1}]


def test_times_as_values_and_names_with_two_arities():
    table = pa.table({"ts": pa.array([BEGIN]), "m": ["a"]})
    answers = laser.reason("seen(M, T) :- p(M) at T in [1 s]. seen(M) :- p(M).", {"p": table}, warmup=0)
    assert list(answers) == ["seen/1", "seen/2"]
    assert answers["seen/2"].to_pylist() == [{"m": "a", "t": BEGIN, "since": BEGIN, "until": BEGIN}]


def test_an_unknown_form_is_refused():
    with pytest.raises(ValueError, match="as_ must be 'intervals' or 'changes'"):
        laser.reason(HOT, {"temp": temp()}, as_="snapshots")


EVENTS = """#input hr(patient: string, bpm: number).
#input ping(host: string).
high(P, B) :- hr(P, B) in [1 min], B > 120.
silent(H)  :- ping(H) in [10 min], not ping(H) in [1 min].
"""
ROWS = "ts;kind;patient;bpm;host\n1;hr;Jos\xe9;121,5;\n2;ping;;;web\n3;hr;p2;n/a;\n90;ping;;;db\n"


@pytest.mark.parametrize("engine", ["auto", "reasoner", "sql"])
def test_a_text_file_may_have_a_column_of_predicates(tmp_path, engine):
    path = tmp_path / "events.csv"
    path.write_bytes(ROWS.encode("latin1"))
    how = {"predicate": "kind", "delimiter": ";", "decimal": ",", "encoding": "latin1"}
    answers = laser.reason(EVENTS, path, engine=engine, rejects=tmp_path / "bad.jsonl", **how)
    assert answers["high"].to_pylist() == [{"patient": "Jos\xe9", "bpm": 121.5, "since": 1, "until": 61}]
    assert answers["silent"].to_pylist() == [{"host": "web", "since": 63, "until": 90}]
    assert "'n/a' is not a number" in (tmp_path / "bad.jsonl").read_text()
    with pytest.raises(laser.RecordError, match=r"events\.csv:4: column bpm: 'n/a' is not a number"):
        laser.reason(EVENTS, path, **how)


def test_csv_and_json_lines_files_are_inputs_by_predicate(tmp_path):
    (tmp_path / "hr.csv").write_text("ts,patient,bpm\n2026-03-02T22:00,p,130\n")
    (tmp_path / "ping.jsonl").write_text('{"ts": "2026-03-02T22:00:05", "host": "web"}\n')
    tables = {"hr": tmp_path / "hr.csv", "ping": tmp_path / "ping.jsonl"}
    answers = laser.reason(EVENTS, tables, as_="changes", zone="Europe/Vienna", until="2026-03-02T22:02")
    begin = datetime(2026, 3, 2, 21, tzinfo=UTC)
    assert [row["time"] - begin for row in answers["high"].to_pylist()] == [timedelta(0), timedelta(seconds=61)]
    assert [row["time"] - begin for row in answers["silent"].to_pylist()] == [timedelta(seconds=66)]


def test_invalid_combinations_of_files_and_options_are_refused(tmp_path):
    (tmp_path / "hr.csv").write_text("ts,patient,bpm\n")
    with pytest.raises(LaserError, match="not both in one call"):
        laser.reason(HOT, {"hr": tmp_path / "hr.csv", "temp": temp()})
    with pytest.raises(LaserError, match="must be CSV or JSON Lines"):
        laser.reason(HOT, tmp_path / "hr.parquet")
    with pytest.raises(TypeError, match="delimiter is only for CSV and JSON Lines files"):
        laser.reason(HOT, {"temp": temp()}, delimiter=";")
    assert laser.reason(EVENTS, {"hr": tmp_path / "hr.csv"}, engine="sql")["high"].num_rows == 0


def test_the_zone_of_a_run_reaches_the_calendar():
    program = "night(M) :- temp(M, _) at T in [0], hour(T) >= 23."
    given = temp(ts=[datetime(2026, 3, 2, 22, tzinfo=UTC)] * 3)
    assert laser.reason(program, {"temp": given}, engine="reasoner", zone="Europe/Vienna")["night"].num_rows == 2
    assert laser.reason(program, {"temp": given}, engine="reasoner")["night"].num_rows == 0


LOCAL = [
    "2026-03-29T01:59:59",
    "2026-03-29T02:30:00",
    "2026-03-29T03:00:00",
    "2026-10-25T02:30:00",
    "2026-10-25T03:00:00",
]


@pytest.mark.parametrize("zone", ["UTC", "Europe/Vienna", "America/New_York", "+05:30", "Africa/Casablanca"])
def test_timestamps_without_a_zone_are_in_that_of_the_run(zone):
    times = [datetime.fromisoformat(text) for text in LOCAL]
    there = zone_of(zone)
    right = [time.replace(tzinfo=there).astimezone(UTC) for time in times]
    table = pa.table({"ts": pa.array(times, pa.timestamp("us")), "n": list(range(5))})
    program = "p(N) :- q(N)."
    for engine in ("sql", "reasoner"):
        rows = laser.reason(program, {"q": table}, engine=engine, zone=zone)["p"].to_pylist()
        assert {row["n"]: row["since"] for row in rows} == dict(enumerate(right))


def test_a_missing_file_is_named_with_its_input() -> None:
    with pytest.raises(laser.LaserError, match=r"^input a: there is no file nowhere\.csv$"):
        laser.reason("q(X) :- a(X).", {"a": "nowhere.csv"}, time="t")
