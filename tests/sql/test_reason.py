"""Tables in, tables out: what ``laser.reason`` takes and gives."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

import laser
from laser import LaserError

pa = pytest.importorskip("pyarrow")

HOT = "hot(M, V) :- temp(M, V) in [3 s], V > 90. any :- temp(_, _)."
BEGIN = datetime(2026, 3, 2, 22, tzinfo=UTC)


def temp(**given):
    return pa.table({"machine": ["oven", "mill", "oven"], "value": [95.5, 10.0, 99.0], "ts": [1, 2, 9], **given})


def test_intervals_have_the_columns_that_flow_into_them():
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
    frame = pd.DataFrame({"ts": pd.to_datetime([BEGIN, BEGIN]), "machine": ["oven", "mill"], "value": [95, 3]})
    assert str(frame.dtypes["ts"]).startswith("datetime64[ns")
    answer = laser.reason(HOT, {"temp": frame}, time="ts")["hot"].to_pandas()
    assert list(answer.columns) == ["machine", "value", "since", "until"]
    assert answer["since"][0] == pd.Timestamp(BEGIN)


def test_polars():
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame({"ts": [1], "machine": ["oven"], "value": [95]})
    assert laser.reason(HOT, {"temp": frame})["hot"].num_rows == 1


def test_paths_of_parquet_files(tmp_path):
    import pyarrow.parquet as pq

    pq.write_table(temp(), tmp_path / "temp.parquet")
    assert laser.reason(HOT, {"temp": tmp_path / "temp.parquet"})["hot"].num_rows == 2


def test_columns_are_found_by_what_the_program_declares_or_by_name():
    wide = temp(note=pa.array([[1], [2], [3]]), when=pa.array([BEGIN] * 3))
    declared = "#input temp(machine: string, value: number). " + HOT
    assert laser.reason(declared, {"temp": wide})["hot"].num_rows == 2
    swapped = laser.reason(HOT, {"temp": wide}, columns={"temp": ["machine", "value"]})
    assert swapped["hot"].num_rows == 2
    with pytest.raises(LaserError, match="no column 'price': it has"):
        laser.reason(HOT, {"temp": wide}, columns={"temp": ["machine", "price"]})
    with pytest.raises(LaserError, match="temp/2 has 2 arguments, not the columns machine"):
        laser.reason(declared, {"temp": wide}, columns={"temp": ["machine"]})


def test_an_answer_without_rows_has_its_columns_and_truth_values_stay():
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


def test_a_form_that_there_is_not():
    with pytest.raises(ValueError, match="as_ is 'intervals' or 'changes'"):
        laser.reason(HOT, {"temp": temp()}, as_="snapshots")
