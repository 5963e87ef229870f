"""``laser eval --engine``: by SQL the same lines as by the reasoner, from every format, and who answers when."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from laser.cli import eval_sql, main

PROGRAM = """
hot(M) :- temp(M, V) in [3], V > 90.
cool(M) :- temp(M, _) in [9], not hot(M).
near(M, V) :- temp(M, V), V >= 88.5, V < 91.
"""


def rows() -> list[tuple[int, str, list[str]]]:
    found = [(i // 3, "temp", ["mill" if i % 2 else "oven", str(80 + i * 7 % 30)]) for i in range(60)]
    found[7] = (2, "temp", ["oven", "89.25"])
    return [*found, (25, None, [])]  # type: ignore[list-item]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "rules.lars").write_text(PROGRAM)
    times, predicates, args = zip(*rows(), strict=True)
    schema = pa.schema([("time", pa.int64()), ("predicate", pa.string()), ("args", pa.list_(pa.string()))])
    pq.write_table(pa.table([list(times), list(predicates), list(args)], schema=schema), tmp_path / "s.parquet")
    lines = [",".join([str(t), *([p, *a] if p else [])]) for t, p, a in rows()]
    (tmp_path / "s.csv").write_text("time,predicate,args\n" + "\n".join(lines) + "\n")
    (tmp_path / "s.stream").write_text("".join(f"{t}: {f'{p}({a[0]}, {a[1]})' if p else ''}.\n" for t, p, a in rows()))
    return tmp_path


def run(place: Path, stream: str, *options: str) -> Result:
    return CliRunner().invoke(main, ["eval", str(place / "rules.lars"), str(place / stream), *options])


@pytest.mark.parametrize("stream", ["s.parquet", "s.csv", "s.stream"])
@pytest.mark.parametrize(
    "options", [[], ["--until", "9"], ["--start", "0", "--until", "40"], ["--format", "jsonl"]], ids=str
)
def test_both_engines_write_the_same(place: Path, stream: str, options: list[str]) -> None:
    by_sql = run(place, stream, "--as", "intervals", "--engine", "sql", *options)
    by_reasoner = run(place, stream, "--as", "intervals", "--engine", "reasoner", *options)
    assert by_sql.exit_code == by_reasoner.exit_code == 0, by_sql.output
    assert by_sql.stdout == by_reasoner.stdout != ""


def test_a_parquet_file_is_read_by_duckdb_itself(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(eval_sql, "_read_by_us", None)
    assert run(place, "s.parquet", "--as", "intervals", "--engine", "sql").exit_code == 0


@pytest.mark.parametrize("odd", ['"quoted"', "<http://a/>", "007", " x", "1e5"])
def test_files_that_duckdb_may_read_differently_are_left_to_our_reader(place: Path, odd: str) -> None:
    table = pa.table({"time": [0, 1], "predicate": ["temp", "temp"], "args": [["a", "91"], [odd, "95"]]})
    pq.write_table(table, place / "s.parquet")
    by_sql = run(place, "s.parquet", "--as", "intervals", "--engine", "sql")
    assert by_sql.exit_code == 0, by_sql.output
    assert by_sql.stdout == run(place, "s.parquet", "--as", "intervals", "--engine", "reasoner").stdout


def test_rows_that_our_reader_rejects_are_rejected_by_sql_too(place: Path) -> None:
    table = pa.table({"time": [5, 3], "predicate": ["temp", "temp"], "args": [["a", "91"], ["b", "95"]]})
    pq.write_table(table, place / "s.parquet")
    for engine in ("sql", "reasoner"):
        bad = place / f"{engine}.jsonl"
        assert run(place, "s.parquet", "--as", "intervals", "--engine", engine).exit_code != 0
        assert run(place, "s.parquet", "--as", "intervals", "--engine", engine, "--rejects", str(bad)).exit_code == 0
    assert (place / "sql.jsonl").read_text() == (place / "reasoner.jsonl").read_text() != ""


def test_auto_takes_sql_for_large_parquet_files_alone(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options = ("--as", "intervals", "--verbose")
    assert "by SQL" not in run(place, "s.parquet", *options).stderr
    monkeypatch.setattr(eval_sql, "SMALL", 10)
    assert "60 facts, 26 time points, " in run(place, "s.parquet", *options).stderr
    assert "by SQL" in run(place, "s.parquet", *options).stderr
    assert "by SQL" not in run(place, "s.csv", *options).stderr
    (place / "rules.lars").write_text("reach(X, Y) :- temp(X, Y). reach(X, Z) :- reach(X, Y), temp(Y, Z).")
    told = run(place, "s.parquet", *options)
    assert "the reasoner for `reach/2`: recursion through reach/2" in told.stderr
    assert told.exit_code == 0
    assert told.stdout == run(place, "s.parquet", *options, "--engine", "reasoner").stdout
    (place / "rules.lars").write_text("newest(X) :- temp(X, _) in [last 1].")
    assert (
        "the reasoner evaluates this program, not SQL: the tuple window [last 1]"
        in run(place, "s.parquet", *options).stderr
    )


def test_undefined_operations_are_reported_by_both_engines(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(eval_sql, "SMALL", 10)
    (place / "rules.lars").write_text("odd(X) :- temp(X, V), X / V > 1.")
    told = [run(place, "s.parquet", "--as", "intervals", "--engine", engine).stderr for engine in ("auto", "reasoner")]
    rules = [
        text.partition("in the rule: ")[2] for text in told
    ]  # which of the facts of a time point is named is left open
    assert rules[0] == rules[1] == "odd(X) :- temp(X, V), X / V > 1. (such instances do not fire)\n"


def test_sql_says_what_it_cannot_do(place: Path) -> None:
    assert "--engine sql needs --as intervals" in run(place, "s.csv", "--engine", "sql").stderr
    (place / "rules.lars").write_text("q(X) :- temp(X, _) in [3 #].")
    refused = run(place, "s.csv", "--as", "intervals", "--engine", "sql")
    assert refused.exit_code != 0
    assert "the tuple window [3 #]" in refused.stderr
