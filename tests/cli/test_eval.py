"""``laser eval``."""

from __future__ import annotations

import gzip
import json
import os

import pytest

CHANGES = "36  + q(x1, y)\n38  + q(x2, y)\n40  - q(x1, y)\n"
SNAPSHOTS = (
    "36: q(x1, y).\n37: q(x1, y).\n38: q(x1, y), q(x2, y).\n39: q(x1, y), q(x2, y).\n40: q(x2, y).\n41: q(x2, y).\n"
)
INTERVALS = "q(x1, y)  [36, 39]\nq(x2, y)  [38, 41…]\n"


@pytest.mark.parametrize(
    ("form", "expected"), [("changes", CHANGES), ("snapshots", SNAPSHOTS), ("intervals", INTERVALS)]
)
def test_the_three_forms_as_text(laser, form, expected):
    assert laser("eval", "p.lars", "s.stream", "--as", form).stdout == expected


def test_changes_are_the_default(laser):
    result = laser("eval", "p.lars", "s.stream")
    assert result.stdout == CHANGES
    assert result.stderr == ""


def test_the_three_forms_as_json(laser):
    def answers(form):
        result = laser("eval", "p.lars", "s.stream", "--as", form, "--format", "jsonl")
        return [json.loads(line) for line in result.stdout.splitlines()]

    q1 = {"predicate": "q", "args": ["x1", "y"]}
    assert answers("changes")[0] == {"time": 36, "holds": True, **q1}
    assert answers("snapshots")[0] == {"time": 36, "facts": [q1]}
    assert answers("intervals")[0] == {**q1, "since": 36, "until": 39, "open": False}
    assert answers("intervals")[1]["open"] is True


@pytest.mark.parametrize(
    ("form", "lines"),
    [
        ("changes", ["time,holds,predicate,args", "36,true,q,x1,y"]),
        ("snapshots", ["time,predicate,args", "36,q,x1,y"]),
        ("intervals", ["since,until,open,predicate,args", "36,39,false,q,x1,y"]),
    ],
)
def test_the_three_forms_as_csv(laser, form, lines):
    result = laser("eval", "p.lars", "s.stream", "--as", form, "--format", "csv")
    assert result.stdout.splitlines()[:2] == lines


@pytest.mark.parametrize("layout", ["text", "jsonl", "csv"])
def test_snapshots_can_be_input_again(here, laser, layout):
    laser("eval", "p.lars", "s.stream", "--as", "snapshots", "--format", layout, "-o", "again")
    (here / "same.lars").write_text("q2(X, Y) :- q(X, Y).\n")
    result = laser("eval", "same.lars", "again", "--input-format", layout)
    assert result.stdout == CHANGES.replace("q(", "q2(")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("s.csv", "time,predicate,args\n36,a,x1,y\n38,a,x2,y\n41\n"),
        ("s.jsonl", '{"time": 36, "predicate": "a", "args": ["x1", "y"]}\n'
                    '{"time": 38, "predicate": "a", "args": ["x2", "y"]}\n{"time": 41, "facts": []}\n'),
        ("s.txt.gz", "36: a(x1, y).\n38: a(x2, y).\n41:\n"),
    ],
)  # fmt: skip
def test_all_formats_give_the_same_answer(here, laser, name, text):
    (here / name).write_bytes(gzip.compress(text.encode()) if name.endswith("gz") else text.encode())
    assert laser("eval", "p.lars", name).stdout == CHANGES


def test_standard_input_gives_the_same_answer(laser):
    assert laser("eval", "p.lars", "-", stdin="36: a(x1, y).\n38: a(x2, y).\n41:\n").stdout == CHANGES


def test_lines_of_standard_input_revise_the_present(here, laser):
    (here / "n.lars").write_text("p :- not a, b.\n")
    assert laser("eval", "n.lars", "-", stdin="1: b.\n1: a.\n").stdout == "1  + p\n1  - p\n"


def test_lines_of_a_file_come_together(here, laser):
    (here / "n.lars").write_text("p :- not a, b.\n")
    (here / "n.stream").write_text("1: b.\n1: a.\n")
    assert laser("eval", "n.lars", "n.stream").stdout == ""


def test_dates_in_give_dates_out(here, laser):
    (here / "d.stream").write_text("1970-01-01T00:01:00Z: a(x1, y).\n1970-01-01T00:01:10Z:\n")
    expected = "1970-01-01T00:01:00Z  + q(x1, y)\n1970-01-01T00:01:04Z  - q(x1, y)\n"
    assert laser("eval", "p.lars", "d.stream").stdout == expected
    assert laser("eval", "p.lars", "d.stream", "--times", "int").stdout == "60  + q(x1, y)\n64  - q(x1, y)\n"
    (here / "i.stream").write_text("60: a(x1, y).\n70:\n")
    assert laser("eval", "p.lars", "i.stream", "--times", "iso").stdout == expected


def test_start_and_until_bound_the_timeline(laser):
    result = laser("eval", "p.lars", "s.stream", "--as", "snapshots", "--start", "35", "--until", "36")
    assert result.stdout == "35: .\n36: q(x1, y).\n"
    result = laser("eval", "p.lars", "s.stream", "--until", "1970-01-01T00:00:50Z")
    assert result.stdout == CHANGES + "42  - q(x2, y)\n"


def test_records_before_the_start_do_not_count(here, laser):
    result = laser("eval", "p.lars", "s.stream", "--start", "37", "--rejects", "bad.jsonl", "--verbose")
    assert result.stdout == "38  + q(x2, y)\n"
    assert result.stderr == "1 fact, 5 time points, 1 change, 0 rejected, 0 undefined operations\n"
    assert (here / "bad.jsonl").read_text() == ""


def test_an_empty_stream_has_a_timeline_only_with_a_start(here, laser):
    (here / "e.stream").write_text("")
    (here / "e.lars").write_text("p :- not a.\n")
    assert laser("eval", "e.lars", "e.stream", "--as", "snapshots").stdout == ""
    result = laser("eval", "e.lars", "e.stream", "--as", "snapshots", "--start", "3", "--until", "4")
    assert result.stdout == "3: p.\n4: p.\n"


def test_constants_and_ticks(here, laser):
    (here / "c.lars").write_text("#const n = 1.\nq(X) :- a(X, Y) in [n].\n")
    assert "38  - q(x1)" in laser("eval", "c.lars", "s.stream").stdout
    assert "40  - q(x1)" in laser("eval", "c.lars", "s.stream", "--const", "n=3").stdout
    (here / "t.lars").write_text("q(X) :- a(X, Y) in [1 s].\n")
    assert "39  - q(x1)" in laser("eval", "t.lars", "s.stream", "--tick", "500 ms").stdout


def test_background_data(here, laser):
    (here / "b.lars").write_text("q(X, Z) :- a(X, Y), kind(Y, Z).\n")
    (here / "kinds.csv").write_text("predicate,args\nkind,y,7\n")
    assert "36  + q(x1, 7)" in laser("eval", "b.lars", "s.stream", "--background", "kinds.csv").stdout


def test_malformed_records_stop_the_run_or_are_set_aside(here, laser):
    (here / "m.stream").write_text("36: a(x1, y).\nnoise\n38: a(x2, y).\n37: a(x3, y).\n41:\n")
    result = laser("eval", "p.lars", "m.stream", code=1)
    assert result.stderr.startswith("error: m.stream:2: ")
    result = laser("eval", "p.lars", "m.stream", "--rejects", "bad.jsonl", "-v")
    assert result.stdout == CHANGES
    assert "2 rejected" in result.stderr
    entries = [json.loads(line) for line in (here / "bad.jsonl").read_text().splitlines()]
    assert [(entry["line"], entry["record"]) for entry in entries] == [(2, "noise"), (4, "37: a(x3, y).")]
    assert entries[1]["reason"] == "time 37 is before 38: records must be in order of time"


def test_output_appears_whole_or_not_at_all(here, laser):
    laser("eval", "p.lars", "s.stream", "--output", "out.csv")
    assert (here / "out.csv").read_text().startswith("time,holds,predicate,args\n36,true,q,x1,y\n")
    (here / "m.stream").write_text("36: a(x1, y).\nnoise\n")
    before = sorted(os.listdir(here))
    laser("eval", "p.lars", "m.stream", "--output", "other.txt", code=1)
    laser("eval", "p.lars", "m.stream", "--output", "out.csv", code=1)
    assert sorted(os.listdir(here)) == before
    assert "36,true" in (here / "out.csv").read_text()


@pytest.mark.parametrize("option", ["--output", "--rejects"])
@pytest.mark.parametrize("victim", ["p.lars", "s.stream"])
def test_input_is_never_overwritten(here, laser, option, victim):
    before = (here / victim).read_text()
    result = laser("eval", "p.lars", "s.stream", option, victim, code=2)
    assert "would overwrite" in result.stderr
    assert (here / victim).read_text() == before


def test_the_summary_is_shown_only_on_request(laser):
    result = laser("eval", "p.lars", "s.stream", "--verbose")
    assert result.stderr == "2 facts, 6 time points, 3 changes, 0 rejected, 0 undefined operations\n"


def test_reports_of_the_run_are_printed_once(here, laser):
    (here / "r.lars").write_text("hot(V) :- temp(V), V > 100.\n")
    (here / "r.stream").write_text("1: temp(off).\n2: temp(off).\n3: temp(200).\n")
    result = laser("eval", "r.lars", "r.stream")
    assert result.stdout == "3  + hot(200)\n"
    assert result.stderr.count("warning: ") == 1
    assert laser("eval", "r.lars", "r.stream", "--quiet").stderr == ""


def test_a_program_that_is_refused_says_where(here, laser):
    (here / "bad.lars").write_text("q(X) :- a(Y).\n")
    result = laser("eval", "bad.lars", "s.stream", code=1)
    assert "bad.lars:1:3: error[unsafe-variable]" in result.stderr
    assert result.stdout == ""


def test_an_endless_recursion_is_stopped(here, laser):
    (here / "loop.lars").write_text("n(X + 1) :- n(X).\nn(0) :- a(_, _).\n")
    result = laser("eval", "loop.lars", "s.stream", "--limit", "1000", code=1)
    assert result.stderr.startswith("error: ")


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--start", "noon"], "'noon' is not a time"),
        (["--start", "5", "--until", "3"], "--until 3 is before --start 5"),
        (["--tick", "often"], "'often' is not a tick"),
        (["--const", "n"], "write NAME=VALUE"),
        (["--const", "n=1", "--const", "n=2"], "given twice"),
        (["--as", "prose"], "prose"),
        (["--outptu", "x"], "--output"),
        (["--background", "missing"], "missing"),
    ],
)
def test_wrong_usage(laser, args, words):
    result = laser("eval", "p.lars", "s.stream", *args, code=2)
    assert result.stderr.startswith("error: ")
    assert words in result.stderr
    assert "Traceback" not in result.stderr


def test_an_unknown_constant_is_refused(laser):
    assert "n" in laser("eval", "p.lars", "s.stream", "--const", "n=1", code=1).stderr


def test_a_program_and_a_stream_that_are_swapped_are_noticed(laser):
    result = laser("eval", "s.stream", "p.lars", code=1)
    assert result.stderr.count("error") == 1
    assert "did you swap PROGRAM and STREAM?" in result.stderr


def test_an_output_of_an_unknown_format_is_not_written(laser, here):
    (here / "p.lars").write_text("q :- p.", "utf-8")
    (here / "s.stream").write_text("1: p.\n", "utf-8")
    result = laser("eval", here / "p.lars", here / "s.stream", "-o", here / "answers.xlsx", code=2)
    assert ".xlsx is not a format of answers" in result.stderr
    assert not (here / "answers.xlsx").exists()


OUT_OF_ORDER = "36: a(x1, y).\n39:\n37: a(x2, y).\n41:\n30: a(x3, y).\n50:\n"


def test_records_out_of_order_within_the_lateness_are_put_in_order(here, laser):
    (here / "o.stream").write_text(OUT_OF_ORDER)
    result = laser("eval", "p.lars", "o.stream", "--lateness", "3 s", "--late", "late.jsonl", "--verbose")
    assert result.stdout == "36  + q(x1, y)\n37  + q(x2, y)\n40  - q(x1, y)\n41  - q(x2, y)\n"
    assert result.stderr == "2 facts, 15 time points, 4 changes, 0 rejected, 1 late, 0 undefined operations\n"
    assert json.loads((here / "late.jsonl").read_text()) == {"fact": "a(x3, y)", "time": 30, "line": 5}


def test_late_facts_are_reported_if_no_file_collects_them(here, laser):
    (here / "o.stream").write_text(OUT_OF_ORDER)
    result = laser("eval", "p.lars", "o.stream", "--lateness", "0 s")
    assert result.stderr == "warning: 2 facts came too late and had no effect: to keep them, add --late FILE\n"
    assert laser("eval", "p.lars", "o.stream", "--lateness", "0 s", "--quiet").stderr == ""


def test_an_invalid_lateness_is_wrong_usage(laser):
    assert "'soon' is not a duration" in laser("eval", "p.lars", "s.stream", "--lateness", "soon", code=2).stderr


@pytest.mark.parametrize(("only", "expected"), [("begun", " + "), ("ended", " - ")])
def test_changes_as_events(laser, only, expected):
    lines = laser("eval", "p.lars", "s.stream", "--only", only).stdout.splitlines()
    assert lines == [line for line in CHANGES.splitlines() if expected in line]
    assert lines
    assert (
        "is for --as changes" in laser("eval", "p.lars", "s.stream", "--only", only, "--as", "intervals", code=2).stderr
    )


def test_with_the_clock_times_far_from_now_are_refused(laser):
    result = laser("eval", "p.lars", "-", "--clock", "wall", stdin="36: a(x1, y).\n", code=1)
    assert "--clock wall needs dates" in result.stderr


def test_a_date_far_ahead_is_refused_in_a_live_stream_and_reported_in_a_file(here, laser):
    rows = "2026-01-01T00:00:00Z: a(x1, y).\n2926-01-01T00:00:00Z: a(x2, y).\n2026-01-01T00:00:01Z: a(x2, y).\n"
    (here / "f.stream").write_text(rows)
    live = laser("eval", "p.lars", "-", "--rejects", "bad.jsonl", "--only", "begun", stdin=rows)
    assert live.stdout.splitlines() == ["2026-01-01T00:00:00Z  + q(x1, y)", "2026-01-01T00:00:01Z  + q(x2, y)"]
    reason = json.loads((here / "bad.jsonl").read_text())["reason"]
    assert reason == "2926-01-01T00:00:00Z is more than 1 d ahead of the clock (--max-ahead)"
    told = laser("eval", "p.lars", "f.stream", "--lateness", "1 s").stderr
    assert told.startswith("warning: line 2 is ahead of the clock, at 2926-01-01T00:00:00Z: to refuse such rows")
    assert "f.stream:2: 2926" in laser("eval", "p.lars", "f.stream", "--max-ahead", "1 d", code=1).stderr
    assert laser("eval", "p.lars", "-", "--max-ahead", "off", "--lateness", "0 s", "-q", stdin=rows).stderr == ""


def test_a_table_from_standard_input_is_followed_row_by_row(here, laser):
    (here / "hot.lars").write_text("#input temp(m: string, v: number).\nhot(M) :- temp(M, V), V > 90.\n")
    rows = "ts,m,v\n1,oven,95\n3,oven,10\n2,oven,99\n4,mill,n/a\n"
    result = laser("eval", "hot.lars", "--input", "temp=-", "--lateness", "1 s", "--rejects", "bad", "-v", stdin=rows)
    assert result.stdout == "1  + hot(oven)\n3  - hot(oven)\n"
    assert result.stderr == "3 facts, 3 time points, 2 changes, 1 rejected, 0 late, 0 undefined operations\n"
    two = ["--input", "temp=-", "--input", "temp/2=-"]
    assert "one table can be followed" in laser("eval", "hot.lars", *two, stdin=rows, code=2).stderr


def test_the_warnings_of_a_check_are_shown(here, laser):
    (here / "odd.lars").write_text("q(X) :- a(X, Y).\n")
    told = laser("eval", "odd.lars", "s.stream").stderr
    assert (
        told == "odd.lars:1:14: warning[single-variable]: `Y` occurs only here; write `_`, or `_Y` to keep the name\n"
    )
    for command in (["eval", "odd.lars", "s.stream"], ["plot", "odd.lars", "s.stream"]):
        assert laser(*command, "-q").stderr == ""
    assert laser("plot", "odd.lars", "s.stream").stderr == told
    assert laser("explain", "odd.lars", "s.stream", "q(x1)", "--at", "36").stderr == told


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("q(X) :- a(X).", "warning: a/2 is in the stream, but no rule reads it: the rules read `a/1`"),
        (
            "q(X) :- other(X).",
            "warning: no rule reads anything of the stream: it has `a/2`, but the rules read `other/1`",
        ),
        ("q(X) :- a(X, _).", ""),
        ("q(X) :- b(X) in [3 #].", ""),
    ],
)
def test_a_stream_that_no_rule_can_read_causes_a_warning(here, laser, program, words):
    (here / "r.lars").write_text(program)
    told = laser("eval", "r.lars", "s.stream").stderr
    assert told.startswith(words)
    assert bool(told) == bool(words)
    assert laser("eval", "r.lars", "s.stream", "-q").stderr == ""


ZONED = """#const open = 2026-07-01T00:00.
late(J, D) :- job(J, D) at T in [0], D > open, T >= 2026-03-02T22:00.
"""


@pytest.mark.parametrize(
    ("form", "line"),
    [
        ("text", "2026-03-02T22:00:00+01:00  + late(a, 2026-07-02T00:00:00+02:00)"),
        ("csv", "2026-03-02T22:00:00+01:00,true,late,a,2026-07-02T00:00:00+02:00"),
        (
            "jsonl",
            '{"time": "2026-03-02T22:00:00+01:00", "holds": true, "predicate": "late", '
            '"args": ["a", {"time": "2026-07-02T00:00:00+02:00"}]}',
        ),
    ],
)
@pytest.mark.parametrize("by", ["option", "program"])
def test_times_are_read_and_written_in_the_zone_of_the_run(here, laser, form, line, by):
    zone = '#zone "Europe/Vienna".\n' if by == "program" else ""
    (here / "z.lars").write_text(zone + ZONED)
    (here / "z.stream").write_text(
        "2026-03-02T21:59:59: job(b, 2026-07-02T00:00).\n2026-03-02T22:00: job(a, 2026-07-02T00:00).\n"
    )
    command = ["eval", "z.lars", "z.stream", "--format", form, *([] if zone else ["--zone", "Europe/Vienna"])]
    assert line in laser(*command).stdout.splitlines()
    assert "late" not in laser(*command, "--const", "open=2026-07-02T00:00").stdout
    piped = laser(*command[:2], "-", *command[3:], stdin=(here / "z.stream").read_text())
    assert line in piped.stdout.splitlines()


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl"])
def test_fields_without_a_zone_are_in_the_zone_of_the_run(here, laser, name):
    (here / "z.lars").write_text(f'#zone "Europe/Vienna".\n{ZONED}')
    (here / "t.csv").write_text("2026-03-02T22:00,job,a,2026-07-02T00:00\n")
    (here / "t.jsonl").write_text(
        '{"time": "2026-03-02T22:00", "predicate": "job", "args": ["a", {"time": "2026-07-02T00:00"}]}\n'
    )
    assert laser("eval", "z.lars", name).stdout == "2026-03-02T22:00:00+01:00  + late(a, 2026-07-02T00:00:00+02:00)\n"


def test_explanations_and_plots_are_in_the_zone_of_the_run(here, laser):
    (here / "z.lars").write_text(f'#zone "Europe/Vienna".\n{ZONED}')
    (here / "z.stream").write_text("2026-03-02T22:00: job(a, 2026-07-02T00:00).\n")
    why = laser("explain", "z.lars", "z.stream", "late(a, 2026-07-02T00:00)").stdout
    assert why.startswith("late(a, 2026-07-02T00:00:00+02:00) holds at 2026-03-02T22:00:00+01:00")
    assert "2026-03-02T22:00:00+01:00 >= 2026-03-02T22:00:00+01:00" in why
    assert "Z" not in why
    assert "a, 2026-07-02T00:00:00+02:00" in laser("plot", "z.lars", "z.stream", "--as", "svg").stdout


def test_options_of_tables_are_refused_if_there_is_no_table(here, laser):
    for option, value in {"--time": "ts", "--predicate": "kind", "--delimiter": ";", "--decimal": ","}.items():
        told = laser("eval", "p.lars", "s.stream", option, value, code=2).stderr
        assert f"{option} is for tables" in told


def test_a_column_of_predicates_is_refused_if_tables_are_named(here, laser):
    (here / "a.csv").write_text("time,x,y\n1,5,6\n")
    told = laser("eval", "p.lars", "--input", "a=a.csv", "--predicate", "kind", code=2).stderr
    assert "--predicate is for a table of several predicates" in told
