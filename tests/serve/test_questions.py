"""What the page asks, and what becomes of questions that ask too much."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from laser.serve.pages import EXAMPLES, examples
from tests.serve.server import Server, running

PROGRAM = "q(X) :- p(X) in [2].\nalarm :- q(_), not quiet.\n"
STREAM = "1: p(a).\n2: quiet.\n5:\n"


def rows(answer: dict[str, Any]) -> dict[str, list[list[int]]]:
    """Since and until of all bars, by atom."""
    groups = answer["timeline"]["groups"]
    return {row["atom"]: [bar[:2] for bar in row["bars"]] for group in groups for row in group["rows"]}


def test_a_program_and_a_stream_make_a_timeline(server: Server) -> None:
    answer = server.ask("evaluate", program=PROGRAM, stream=STREAM)
    assert answer["findings"] == answer["stream_findings"] == answer["reports"] == []
    assert rows(answer) == {"p(a)": [[1, 1]], "quiet": [[2, 2]], "q(a)": [[1, 3]], "alarm": [[1, 1], [3, 3]]}


def test_start_until_and_tick_are_those_of_a_run(server: Server) -> None:
    wanted = {"start": "0", "until": "9", "tick": "500 ms"}
    answer = server.ask("evaluate", program="q :- p in [1 s]. r :- not p in [2].", stream="2: p.", **wanted)
    assert rows(answer) == {"p": [[2, 2]], "q": [[2, 4]], "r": [[0, 1], [5, 9]]}


@pytest.mark.parametrize(
    "stream",
    [
        "1: p(a).\n3: p(b).",
        '{"time": 1, "predicate": "p", "args": ["a"]}\n{"time": 3, "predicate": "p", "args": ["b"]}',
        "1,p,a\n3,p,b",
    ],
)
def test_a_stream_may_have_any_format(server: Server, stream: str) -> None:
    assert rows(server.ask("evaluate", program="q(X) :- p(X).", stream=stream))["q(b)"] == [[3, 3]]


def test_findings_have_their_places(server: Server) -> None:
    answer = server.ask("evaluate", program="q(X) :- p(Y).\n", stream="1: p(a).\nno\n")
    errors = [finding for finding in answer["findings"] if finding["severity"] == "error"]
    assert [(error["code"], error["line"], error["column"]) for error in errors] == [("unsafe-variable", 1, 3)]
    assert [finding["line"] for finding in answer["stream_findings"]] == [2]
    assert "timeline" not in answer


def test_a_snapshot_is_what_holds_at_a_time(server: Server) -> None:
    answer = server.ask("snapshot", program=PROGRAM, stream=STREAM, at=2)
    assert answer == {"holding": ["q(a)"], "facts": ["quiet"]}


def test_explanations_say_why_and_why_not(server: Server) -> None:
    pytest.importorskip("laser.explanation.text")
    told = server.ask("explain", program=PROGRAM, stream=STREAM, atom="alarm", at=3)
    assert told["holds"]
    assert told["tree"][0]["rule"].startswith("alarm :-")
    assert told["tree"][0]["line"] == 2
    assert "p(a) at 1" in json.dumps(told["tree"])
    refused = server.ask("explain", program=PROGRAM, stream=STREAM, atom="alarm", at=2)
    assert not refused["holds"]
    assert "quiet" in json.dumps(refused["tree"])


def test_programs_are_put_in_order_and_in_the_other_notation(server: Server) -> None:
    assert server.ask("tidy", program="q:-p in[3].")["program"] == "q :- p in [3].\n"
    assert server.ask("tidy", program="q :- p in [3].", notation="formal")["program"] == "q ← ⊞3 ◇ p.\n"
    assert server.ask("tidy", program="q :-")["error"]["kind"] == "program"


EXPLOSIONS = {
    "endless recursion": ("n(0). n(X + 1) :- n(X), p.", "1: p."),
    "too long": ("r :- n(X), n(Y), n(Z), n(U), n(V), X + Y + Z + U + V < 0, p. n(1..200).", "1: p."),
    "too much memory": ("r(X, Y, Z) :- n(X), n(Y), n(Z), p. n(1..1000).", "1: p."),
    "change after change": (
        "a :- tick(T) at U in [9000000000], @W b, not c. r :- not a.",
        "1: tick(1), b.\n9000000000: .",
    ),
    "brackets": ("q(X) :- p(X), X > " + "(" * 20000 + "1" + ")" * 20000 + ".", "1: p(1)."),
}


@pytest.mark.parametrize("name", EXPLOSIONS)
def test_an_exploding_program_gets_an_answer_in_time_and_the_server_survives(server: Server, name: str) -> None:
    program, stream = EXPLOSIONS[name]
    began = time.monotonic()
    answer = server.ask("evaluate", program=program, stream=stream)
    assert time.monotonic() - began < 30
    if name != "change after change":
        assert "error" in answer or any(finding["severity"] == "error" for finding in answer["findings"])
    assert "timeline" in server.ask("evaluate", program=PROGRAM, stream=STREAM)


def test_a_client_that_disconnects_frees_its_worker() -> None:
    """Both workers are given work for ten minutes; who asked does not wait for it."""
    program, stream = EXPLOSIONS["too long"]
    with running("--seconds", "600") as started:
        for _ in range(2):
            connection = started.connect()
            connection.request("POST", "/api/evaluate", json.dumps({"program": program, "stream": stream}))
            time.sleep(0.3)
            connection.close()
        began = time.monotonic()
        assert "timeline" in started.ask("evaluate", program=PROGRAM, stream=STREAM)
        assert time.monotonic() - began < 55


def test_a_request_that_is_too_large_is_refused_before_it_is_read(server: Server) -> None:
    status, _, body = server.request("POST", "/api/evaluate", b'{"program": "' + b"x" * 3_000_000 + b'"}')
    assert status == 413
    assert b"too large" in body


@pytest.mark.parametrize("body", [b"", b"[]", b"nonsense", b'{"a":', b"\xff\xfe", b'"x"', b"[" * 100_000])
def test_malformed_questions_are_refused(server: Server, body: bytes) -> None:
    assert server.request("POST", "/api/evaluate", body)[0] == 400


@pytest.mark.parametrize(
    "fields", [{}, {"program": 3, "stream": None}, {"program": "q.", "tick": "x"}, {"start": "then"}, {"at": "x"}]
)
def test_odd_questions_have_answers(server: Server, fields: dict[str, Any]) -> None:
    for task in ("evaluate", "snapshot", "explain", "tidy"):
        assert isinstance(server.ask(task, **fields), dict)
    assert server.ask("nothing")["error"]["kind"] == "refused"
    assert "timeline" in server.ask("evaluate", program=PROGRAM, stream=STREAM)


def test_many_clients_can_ask_at_once(server: Server) -> None:
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda n: server.ask("evaluate", program=f"q{n} :- p.", stream="1: p."), range(24)))
    assert [f"q{n}" in rows(answer) for n, answer in enumerate(answers)] == [True] * 24


def test_the_examples_of_the_page_are_without_findings(server: Server) -> None:
    start = json.loads(server.request("GET", "/api/start")[2])
    assert [example["title"] for example in start["examples"]] == list(EXAMPLES.values())
    for example in examples():
        answer = server.ask(
            "evaluate", **{key: example.get(key, "") for key in ("program", "stream", "start", "until")}
        )
        assert answer["findings"] == answer["stream_findings"] == []
        assert answer["timeline"]["groups"]


def test_the_page_opens_with_the_files_of_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "p.lars").write_text(PROGRAM)
    (tmp_path / "s.stream").write_text(STREAM)
    with running(str(tmp_path / "p.lars"), str(tmp_path / "s.stream")) as started:
        given = json.loads(started.request("GET", "/api/start")[2])["given"]
    assert given["program"] == PROGRAM
    assert given["stream"] == STREAM.rstrip("\n")


def test_explanations_have_dates_if_the_stream_has_them(server: Server) -> None:
    stream = "2026-03-02T22:00:00Z: p(1772488800, 7).\n2026-03-02T22:00:02Z: r.\n"
    told = server.ask("explain", program="q(X) :- p(_, X) in [5].", stream=stream, atom="q(7)", at=1772488802)
    assert told["when"] == "2026-03-02T22:00:02Z"
    assert "since 2026-03-02T22:00:00Z, until 2026-03-02T22:00:05Z" in told["extent"]
    assert "at 2026-03-02T22:00:00Z" in json.dumps(told["tree"])
    assert "177248880" not in json.dumps(told["tree"][0]["text"])


HEART = """#input hr(patient: string, bpm: number).
#input ping(host: string).
high(P) :- hr(P, B) in [1 min], B > 120.
silent(H) :- ping(H) in [10 min], not ping(H) in [1 min].
"""


@pytest.mark.parametrize(
    "table",
    [
        "ts,patient,bpm,ward\n9,p1,130,3\n3,p1,90,3\n5,p2,n/a,3\n",
        "ts;bpm;patient\n9;130;p1\n3;90;p1\n5;n/a;p2\n",
        '{"ts": 9, "patient": "p1", "bpm": 130}\n{"ts": 3, "patient": "p1", "bpm": 90}\n{"ts": 5, "patient": "p2"}\n',
    ],
)
def test_a_table_with_the_columns_of_an_input_is_a_stream(server: Server, table: str) -> None:
    answer = server.ask("evaluate", program=HEART, stream=table)
    assert rows(answer)["high(p1)"] == [[9, 9]]
    (finding,) = answer["stream_findings"]
    assert finding["line"] == (3 if table.startswith("{") else 4)
    assert finding["message"].startswith("column bpm")
    told = server.ask("explain", program=HEART, stream=table, atom="high(p1)", at=9)
    assert told["holds"]
    assert server.ask("records", program=HEART, stream=table)["lines"] == ["3: hr(p1, 90).", "9: hr(p1, 130)."]


def test_a_table_of_several_predicates_and_how_it_is_read(server: Server) -> None:
    table = "wann;art;patient;bpm;host\n1;hr;p1;120,5;\n2;ping;;;web\n90;hr;p1;99;\n"
    how = {"time": "wann", "predicate": "art", "delimiter": ";", "decimal": ","}
    found = rows(server.ask("evaluate", program=HEART, stream=table, table=how))
    assert found["high(p1)"] == [[1, 61]]
    assert found["silent(web)"] == [[63, 90]]
    refused = server.request("POST", "/api/evaluate", json.dumps({"program": HEART, "table": {"time": 3}}))
    assert refused[0] == 400
    assert b'\\"table\\" must be an object of strings' in refused[2]


def test_a_record_of_the_wrong_type_is_reported(server: Server) -> None:
    answer = server.ask("evaluate", program=HEART, stream="1: hr(p1, high).\n2: hr(p1, 130).\n")
    assert [finding["line"] for finding in answer["stream_findings"]] == [1]
    assert rows(answer)["high(p1)"] == [[2, 2]]


def test_background_constants_and_a_zone_belong_to_a_question(server: Server) -> None:
    program = "#const limit = 5.\nodd(M, T) :- temp(M, V) at T in [0], machine(M), V > limit."
    beside = {"background": "machine(oven).\nmachine(mill).", "constants": {"limit": "90"}, "zone": "Europe/Vienna"}
    stream = "2026-03-02T22:00: temp(oven, 95), temp(mill, 20), temp(lathe, 99)."
    answer = server.ask("evaluate", program=program, stream=stream, **beside)
    assert answer["findings"] == []
    assert [atom for atom in rows(answer) if atom.startswith("odd")] == ["odd(oven, 2026-03-02T22:00:00+01:00)"]
    assert answer["timeline"]["zone"] == "Europe/Vienna"
    at = answer["timeline"]["start"]
    told = server.ask("explain", program=program, stream=stream, atom="odd(oven, _)", at=at, **beside)
    assert told["when"] == "2026-03-02T22:00:00+01:00"
    with running() as other:
        opened = other.ask("live", program=program, **beside)
        assert other.feed(opened["name"], stream + "\n")["facts"] == 3
        told = other.ask(f"live/{opened['name']}/explain", atom="odd(oven, _)", at=at)
    assert told["when"] == "2026-03-02T22:00:00+01:00"


def test_the_server_shows_the_tables_that_it_was_given(tmp_path: Path) -> None:
    (tmp_path / "heart.lars").write_text(HEART)
    (tmp_path / "hr.csv").write_bytes("wann;patient;bpm\n1;Jos\xe9;120,5\n".encode("latin1"))
    (tmp_path / "ping.jsonl").write_text('{"ts": 2, "host": "web"}\n')
    (tmp_path / "kinds.txt").write_text("kind(a).\n")
    words = ["--time", "wann", "--delimiter", ";", "--decimal", ",", "--encoding", "latin1"]
    one = ["--input", f"hr={tmp_path / 'hr.csv'}", *words, "--background", str(tmp_path / "kinds.txt")]
    with running(str(tmp_path / "heart.lars"), *one) as started:
        given = json.loads(started.request("GET", "/api/start")[2])["given"]
        assert given["stream"] == "wann;patient;bpm\n1;Jos\xe9;120,5\n"
        assert given["background"] == "kind(a)."
        beside = {name: given[name] for name in ("program", "stream", "table", "background")}
        assert 'high("Jos\xe9")' in rows(started.ask("evaluate", **beside))
    (tmp_path / "hr.csv").write_text("ts,patient,bpm\n1,p1,130\n")
    both = ["--input", f"hr={tmp_path / 'hr.csv'}", "--input", f"ping={tmp_path / 'ping.jsonl'}"]
    with running(str(tmp_path / "heart.lars"), *both) as started:
        given = json.loads(started.request("GET", "/api/start")[2])["given"]
        assert given["stream"] == "1: hr(p1, 130).\n2: ping(web)."
