"""Two jobs from a raw, dirty file to alarms with one command: what does not fit is set aside, with its line and the reason."""

from __future__ import annotations

import json

import pytest

HEART = """#input hr(patient: string, bpm: number).
slow(P)  :- hr(P, B) in [1 min], B <= 120.
alarm(P) :- hr(P, _) in [1 min], not slow(P).
#show alarm/1.
"""
SILENT = """#input ping(host: string).
seen(H)   :- ping(H) in [10 min].
silent(H) :- seen(H), not ping(H) in [1 min].
#show silent/1.
"""
PATIENTS = [
    ("2026-03-02T22:00:30Z", "p1", "131", "3"),
    ("2026-03-02T22:00:00Z", "p1", "128", "3"),  # out of order
    ("2026-03-02T22:00:30Z", "p1", "131", "3"),  # twice
    ("2026-03-02T22:01:00Z", "p2", "n/a", "3"),
    ("2026-03-02T22:01:00Z", "p2", "", "3"),
    ("soon", "p2", "130", "3"),
    ("2926-03-02T22:01:00Z", "p2", "130", "3"),
    ("2026-03-02T22:01:10Z", "p1", "80", "3"),
]
HOSTS = [
    ("2026-03-02T22:00:00Z", "web1", "", "eu"),
    ("2026-03-02T22:00:20Z", "db1", "", "eu"),
    ("2026-03-02T22:00:10Z", "web1", "", "eu"),
    ("2026-03-02T22:02:00Z", "db1", "", "eu"),
    ("", "web1", "", "eu"),
    ("2926-03-02T22:02:00Z", "web1", "", "eu"),
]


def write(place, kind, names, rows):
    path = place / f"raw.{kind}"
    if kind == "csv":
        path.write_text("\n".join([",".join(names), *map(",".join, rows), "one field too few"]) + "\n", "utf-8")
    else:
        entries = [{name: _value(value) for name, value in zip(names, row, strict=True)} for row in rows]
        path.write_text("\n".join([*map(json.dumps, entries), "{not json"]) + "\n", "utf-8")
    return path


def _value(text):
    return None if text == "" else int(text) if text.isdigit() else text


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_heart_rate_above_120_at_every_reading_of_the_last_minute(here, laser, kind):
    (here / "heart.lars").write_text(HEART)
    path = write(here, kind, ("ts", "patient", "bpm", "ward"), PATIENTS)
    command = ["eval", "heart.lars", "--input", f"hr={path}", "--max-ahead", "1 d", "--rejects", "bad.jsonl", "-v"]
    result = laser(*command)
    assert result.stdout == "2026-03-02T22:00:00Z  + alarm(p1)\n2026-03-02T22:01:10Z  - alarm(p1)\n"
    assert result.stderr == "4 facts, 71 time points, 2 changes, 5 rejected, 0 undefined operations\n"
    first = 2 if kind == "csv" else 1
    rejected = [json.loads(line) for line in (here / "bad.jsonl").read_text().splitlines()]
    assert [entry["line"] - first for entry in rejected] == [3, 4, 5, 6, 8]
    assert rejected[0]["reason"] == "column bpm: 'n/a' is not a number"
    assert rejected[1]["reason"] == "column bpm is missing: a number is expected"
    assert rejected[2]["reason"].startswith("column ts: 'soon' is no")
    assert "is more than 1 d ahead of the clock" in rejected[3]["reason"]


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_hosts_that_fall_silent(here, laser, kind):
    (here / "silent.lars").write_text(SILENT)
    path = write(here, kind, ("time", "host", "note", "zone"), HOSTS)
    command = ["eval", "silent.lars", "--input", f"ping={path}", "--max-ahead", "1 d", "--rejects", "bad.jsonl"]
    result = laser(*command, "--only", "begun")
    assert result.stdout == "2026-03-02T22:01:11Z  + silent(web1)\n2026-03-02T22:01:21Z  + silent(db1)\n"
    assert result.stderr == ""
    first = 2 if kind == "csv" else 1
    rejected = [json.loads(line)["line"] - first for line in (here / "bad.jsonl").read_text().splitlines()]
    assert rejected == [4, 5, 6]
    live = laser("eval", "silent.lars", "--input", "ping=-", "--input-format", kind, "--rejects", "live.jsonl",
                 "--lateness", "1 min", "--only", "begun", stdin=path.read_text())  # fmt: skip
    assert live.stdout == result.stdout
    assert len((here / "live.jsonl").read_text().splitlines()) == 3
