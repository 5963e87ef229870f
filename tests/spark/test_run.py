"""``laser run``, from files to files."""

from __future__ import annotations

import json

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from laser.cli import main

RULES = "@T hot :- temp(V) at T in [3], V > 100.\nalarm :- hot always in [2].\n"
LINES = ["t,machine,value", *[f"{t},m{m},{90 + 15 * (t > 4 + m)}" for t in range(12) for m in range(3)]]
LINES += ["soon,m1,50", "7,,50", "8,m1,"]
PIPELINE = """
program = "rules.lars"
key = "machine"
time = "t"
output = "answers"
rejects = "rejects.jsonl"

[inputs.temp]
path = "in/readings.csv"
columns = ["value"]
schema = {t = "bigint", machine = "string", value = "double"}
"""


@pytest.fixture
def place(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "readings.csv").write_text("\n".join(LINES) + "\n", "utf-8")
    (tmp_path / "rules.lars").write_text(RULES, "utf-8")
    (tmp_path / "pipeline.toml").write_text(PIPELINE, "utf-8")
    return tmp_path


def laser(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments], prog_name="laser")


def rows(place):
    return sorted(
        tuple(row.values()) for f in place.rglob("*.parquet") for row in pq.read_table(f, partitioning=None).to_pylist()
    )


def test_a_pipeline_writes_its_answers_completely(spark, place):
    result = laser("run", place / "pipeline.toml")
    assert result.exit_code == 0, result.output
    assert rows(place / "answers" / "alarm") == [("m0", 7, 11), ("m1", 8, 11), ("m2", 9, 11)]
    rejected = [json.loads(line) for line in (place / "rejects.jsonl").read_text("utf-8").splitlines()]
    assert sorted(r["reason"] for r in rejected) == [
        "machine is missing",
        "t is 'soon', which is not an integer",
        "value is missing",
    ]
    assert any('"soon"' in r["row"] for r in rejected)
    assert "39 rows" in result.output
    assert "3 rejected" in result.output
    assert "alarm  held 3 times, for 12 time points in total, at most 5 at a time" in result.output
    assert not [path for path in place.iterdir() if path.name.startswith(".")]
    again = laser("run", place / "pipeline.toml")
    assert again.exit_code == 1
    assert "--overwrite" in again.output


def test_the_same_pipeline_followed(spark, place):
    (place / "in" / "z.csv").write_text("t,machine,value\n40,m0,1\n", "utf-8")
    flags = ["--follow", "--every", "once", "--checkpoint", place / "state", "-o", place / "changes"]
    text = PIPELINE.replace("in/readings.csv", "in")
    (place / "pipeline.toml").write_text(text.replace("schema", 'format = "csv"\nschema'), "utf-8")
    result = laser("run", place / "pipeline.toml", *flags)
    assert result.exit_code == 0, result.output
    begun = [(machine, time) for machine, time, holds in rows(place / "changes" / "alarm") if holds]
    assert begun == [("m0", 7), ("m1", 8), ("m2", 9)]
    assert "3 rejected" in result.output


def test_lines_of_text_and_flags_alone(spark, place):
    (place / "a.stream").write_text(
        "1: temp(120), other(1).\n% nothing\n2: temp(130).\n3: temp(140).\n4: .\n!\n", "utf-8"
    )
    result = laser("run", "--program", place / "rules.lars", "--input", f"temp={place / 'a.stream'}")
    assert result.exit_code == 0, result.output
    assert "alarm  [1, 3]" in result.output
    assert "1 rejected" in result.output


COMMENTED = """\
% readings of one machine
1970-01-01T00:00:01Z: temp(120).  % hot
1970-01-01T00:00:02Z: temp(130), other("% no comment").  // hotter
1970-01-01 00:00:03: temp(140)
!
1970-01-01T00:00:04Z: temp(
"""


def test_comments_and_dates_are_read_as_laser_eval_reads_them(spark, place):
    (place / "b.stream").write_text(COMMENTED, "utf-8")
    rejects, answers = place / "bad.jsonl", place / "out"
    flags = ["--program", place / "rules.lars", "--input", f"temp={place / 'b.stream'}", "--rejects", rejects]
    result = laser("run", *flags, "-o", answers, "--format", "jsonl")
    assert result.exit_code == 0, result.output
    asked = ["--as", "intervals", "--rejects", place / "eval.jsonl"]
    expected = laser("eval", place / "rules.lars", place / "b.stream", *asked).output.splitlines()
    assert "alarm  [1970-01-01T00:00:01Z, 1970-01-01T00:00:03Z…]" in expected
    (alarm,) = [
        json.loads(line) for file in (answers / "alarm").glob("*.json") for line in file.read_text().splitlines()
    ]
    assert alarm == {"since": "1970-01-01T00:00:01.000Z", "until": "1970-01-01T00:00:03.000Z"}
    told = [
        [json.loads(line) for line in file.read_text("utf-8").splitlines()] for file in (rejects, place / "eval.jsonl")
    ]
    assert sorted((r["reason"], r["row"]) for r in told[0]) == sorted((r["reason"], r["record"]) for r in told[1])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "there is no program"),
        ('program = "rules.lars"', "there is no input"),
        ('program = "rules.lars"\nspeed = 3', "there is no setting speed"),
        ('program = "rules.lars"\nbuckets = "many"', "buckets = 'many' is not an integer"),
        ("program = ", "pipeline.toml"),
        ('program = "rules.lars"\n[inputs.temp]\nformat = "text"', "input temp has no path"),
        (
            'program = "rules.lars"\nformat = "text"\n[inputs]\ntemp = "in"',
            "Spark does not write text: choose jsonl, csv",
        ),
        ('program = "rules.lars"\nfollow = true\n[inputs]\ntemp = "in/readings.csv"', "--checkpoint"),
    ],
)
def test_the_error_of_an_invalid_pipeline_says_what_is_missing(place, text, message):
    (place / "pipeline.toml").write_text(text, "utf-8")
    result = laser("run", place / "pipeline.toml")
    assert result.exit_code == 1
    assert message in result.output
    assert "Traceback" not in result.output


def test_a_few_malformed_values_do_not_stop_the_rules(spark, tmp_path):
    """Without a schema, a column that rules compare with a number has numbers, and what is none is rejected as it is."""
    lines = [f"{t},m1,{95 if t % 2 else 20}" for t in range(40)]
    lines[7], lines[9], lines[30] = "7,m1,hot", '9,m1,"9,5"', "soon,m1,99"
    (tmp_path / "readings.csv").write_text("\n".join(["t,machine,value", *lines]) + "\n", "utf-8")
    (tmp_path / "rules.lars").write_text("hot(M, V) :- temp(M, V), V > 90.\n", "utf-8")
    result = laser(
        "run", "--program", tmp_path / "rules.lars", "--input", f"temp={tmp_path / 'readings.csv'}", "--time", "t",
        "--output", tmp_path / "answers", "--rejects", tmp_path / "rejects.jsonl",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert rows(tmp_path / "answers" / "hot") == sorted(("m1", 95, t, t) for t in range(1, 40, 2) if t not in (7, 9))
    rejected = [json.loads(line)["reason"] for line in (tmp_path / "rejects.jsonl").read_text("utf-8").splitlines()]
    assert sorted(rejected) == [
        "t is 'soon', which is not an integer",
        "value is '9,5', which is not an integer",
        "value is 'hot', which is not an integer",
    ]


def test_a_background_table_with_an_odd_value_is_refused_with_the_value(spark, tmp_path):
    (tmp_path / "readings.csv").write_text("t,machine,value\n1,m1,95\n", "utf-8")
    (tmp_path / "limits.csv").write_text("machine,limit\nm1,50\nm2,high\n", "utf-8")
    (tmp_path / "rules.lars").write_text("hot(M) :- temp(M, V), limit(M, L), V > L, L > 0.\n", "utf-8")
    flags = ["--program", tmp_path / "rules.lars", "--input", f"temp={tmp_path / 'readings.csv'}", "--time", "t"]
    result = laser("run", *flags, "--background", f"limit={tmp_path / 'limits.csv'}")
    assert result.exit_code == 1
    assert "background limit: limit is 'high', which is not an integer, in the row" in result.output


EVENTS = """#input hr(patient: string, bpm: number).
#input ping(host: string).
high(P, B) :- hr(P, B), B > 120.
seen(H)    :- ping(H).
"""


def test_options_of_tables_are_those_of_eval(spark, place):
    (place / "events.lars").write_text(EVENTS, "utf-8")
    text = "ts;kind;patient;bpm;host\n1;hr;Jos\xe9;121,5;\n2;ping;;;web\n3;hr;p2;1.500;\n4;login;;;\n5;;p3;130;\n6;hr;p4;130;\n"
    (place / "events.csv").write_bytes(text.encode("cp1252"))
    words = ["--delimiter", ";", "--decimal", ",", "--encoding", "cp1252", "--predicate", "kind", "--time", "ts"]
    files = ["-o", place / "out", "--rejects", place / "bad.jsonl"]
    result = laser("run", "--program", place / "events.lars", "--input", place / "events.csv", *words, *files)
    assert result.exit_code == 0, result.output
    assert rows(place / "out" / "high") == [("Jos\xe9", 121.5, 1, 1), ("p4", 130.0, 6, 6)]
    assert rows(place / "out" / "seen") == [("web", 2, 2)]
    reasons = {json.loads(line)["reason"] for line in (place / "bad.jsonl").read_text("utf-8").splitlines()}
    assert reasons == {"bpm is '1.500', which is not a number", "kind is missing"}


def test_problems_with_files_are_reported_in_plain_words(spark, place):
    (place / "temp.lars").write_text("hot(M) :- temp(M, V), V > 90.\n", "utf-8")
    (place / "odd.csv").write_text("ts,machine,value\nsoon,m1,95\nlater,m1,96\n", "utf-8")
    command = ["run", "--program", place / "temp.lars", "--time", "ts", "--input"]
    missing = laser(*command, "temp=nowhere.csv").stderr
    assert missing.endswith("error: nowhere.csv: there is no such file or directory\n")
    odd = laser(*command, f"temp={place / 'odd.csv'}").stderr
    assert "every row was rejected; the first one because ts is 'soon', which is not an ISO 8601 time" in odd
    assert "delimiter is allowed only for files of CSV" in laser(*command, "temp=x.parquet", "--delimiter", ";").stderr
    named = laser("run", "--program", place / "temp.lars", "--input", f"temp={place / 'odd.csv'}").stderr
    assert 'which column is the time? Name it, with time="COLUMN" or --time COLUMN' in named
    assert "declare the predicates of the rows with #input" in laser(*command, place / "odd.csv").stderr
