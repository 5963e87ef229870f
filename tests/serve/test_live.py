"""Live streams: facts in over HTTP, changes out as events, nothing lost."""

from __future__ import annotations

import asyncio
import json
from itertools import islice
from pathlib import Path

import pytest

import laser
from laser.serve.follow import Follower, bodies
from laser.serve.log import Log
from laser.ticks import Tick
from laser.values.facts import parse_fact
from tests.serve.load import Client, Load, compare, run_load
from tests.serve.server import Server, running

PROGRAM = "q(X) :- p(X) in [2]."


def open_stream(server: Server, program: str = PROGRAM) -> str:
    return str(server.ask("live", program=program)["name"])


def test_what_is_posted_comes_out_as_facts_and_changes(server: Server) -> None:
    name = open_stream(server)
    lines = '{"time": 1, "predicate": "p", "args": ["a"]}\n2: p(b).\n6:\n'
    assert server.feed(name, lines) == {"facts": 2, "lines": 3, "rejected": []}
    number, kind, body = next(server.events(name))
    assert (number, kind, body["now"]) == (1, "step", 6)
    assert body["facts"] == [[1, "p(a)"], [2, "p(b)"]]
    assert body["changes"] == [[1, "q(a)", True], [2, "q(b)", True], [4, "q(a)", False], [5, "q(b)", False]]


def test_malformed_and_late_lines_are_reported_and_the_others_accepted(server: Server) -> None:
    name = open_stream(server)
    answer = server.feed(name, "5: p(a).\n4: p(b).\n6: p(\n7: p(c).\n")
    assert answer["facts"] == 2
    assert [rejected["line"] for rejected in answer["rejected"]] == [2, 3]


def test_an_endless_line_is_not_kept(server: Server) -> None:
    name = open_stream(server)
    answer = server.feed(name, "1: p(a).\n2: p(" + "x" * 200_000)
    assert answer["facts"] == 1
    assert answer["rejected"][0]["line"] == 2


def test_a_client_that_reconnects_continues_where_it_stopped(server: Server) -> None:
    name = open_stream(server)
    for time in range(5):
        server.feed(name, f"{time}: p(x{time}).\n")
    first = [number for number, _, _ in islice(server.events(name), 3)]
    then = [number for number, _, _ in islice(server.events(name, after=3), 2)]
    assert first + then == [1, 2, 3, 4, 5]


def test_a_program_with_errors_has_no_live_stream(server: Server) -> None:
    assert server.ask("live", program="q(X) :- p.")["error"]["kind"] == "program"


def test_a_live_program_that_explodes_does_not_end_the_others(server: Server) -> None:
    bad, good = open_stream(server, "n(0) :- p(_). n(X + 1) :- n(X)."), open_stream(server)
    answer = server.feed(bad, "1: p(a).\n")
    assert "error" in answer
    assert [kind for _, kind, _ in server.events(bad)] == ["failed"]
    assert "error" in server.feed(bad, "2: p(a).\n")
    assert server.feed(good, "1: p(a).\n")["facts"] == 1


def test_a_live_stream_is_explained(server: Server) -> None:
    pytest.importorskip("laser.explanation.text")
    name = open_stream(server)
    server.feed(name, "1: p(a).\n3: p(b).\n")
    told = server.ask(f"live/{name}/explain", atom="q(a)", at=2)
    assert told["holds"]
    assert "error" in server.ask(f"live/{name}/explain", atom="q(a)", at=9)


def test_the_number_of_live_streams_is_limited_and_they_can_be_ended(server: Server) -> None:
    names = []
    for _ in range(9):
        answer = server.ask("live", program=PROGRAM)
        if "name" not in answer:
            break
        names.append(answer["name"])
    assert "too many live streams" in answer["error"]["message"]
    for name in names:
        assert server.ask(f"live/{name}/end") == {"ended": name}
    name = open_stream(server)
    assert server.ask(f"live/{name}/end") == {"ended": name}
    assert server.request("GET", "/api/live/nothing/events")[0] == 404


def test_a_client_that_falls_behind_is_informed_and_gets_the_state() -> None:
    async def scenario() -> tuple[bytes, bytes]:
        log = Log(most=300)
        for time in range(20):
            log.add("step", {"now": time, "changes": [[time, f"q({time})", True], [time, f"q({time - 1})", False]]})
        log.close()
        late = b"".join([chunk async for chunk in log.read(1)])
        fresh = b"".join([chunk async for chunk in log.read(0)])
        return late, fresh

    late, fresh = asyncio.run(scenario())
    assert b'"missed":true' in late
    assert b'"missed":false' in fresh
    state = json.loads(fresh.split(b"data: ")[1].split(b"\n")[0])
    assert state["holding"] == [[f"q({state['now']})", state["now"]]]
    assert b"id: 20\n" in late


def test_an_output_that_grows_is_followed(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    follower = Follower(tmp_path, Tick())
    file = out / "part-0.jsonl"
    file.write_text('{"time": 1, "holds": true, "predicate": "q"}\n{"time": 4, "ho')
    assert [body["changes"] for body in bodies(list(follower.news()))] == [[(1, "q", True)]]
    with file.open("a") as more:
        more.write('lds": false, "predicate": "q"}\n')
    (out / "_SUCCESS").write_text("x")
    (out / ".part-1.jsonl.crc").write_text("x")
    (out / "part-1.csv").write_text("since,until,open,predicate,args\n2,3,false,r,x\n")
    (told,) = bodies(list(follower.news()))
    assert told["changes"] == [(4, "q", False)]
    assert told["bars"] == [("r(x)", 2, 3)]
    assert list(follower.news()) == []


def test_parquet_files_are_followed_once_they_are_whole(tmp_path: Path) -> None:
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    follower = Follower(tmp_path, Tick())
    (tmp_path / "half.parquet").write_bytes(b"PAR1....")
    assert list(follower.news()) == []
    folder = tmp_path / "hot"
    folder.mkdir()
    parquet.write_table(arrow.table({"machine": ["oven"], "time": [7], "holds": [True]}), folder / "part-0.parquet")
    (told,) = bodies(list(follower.news()))
    assert told["changes"] == [(7, "hot(oven)", True)]


def test_the_server_follows_the_output_named_on_the_command_line(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    with running("--follow", str(file)) as started:
        events = started.events("follow-1")
        file.write_text('{"time": 3, "holds": true, "predicate": "alarm", "args": []}\n')
        assert next(events)[2]["changes"] == [[3, "alarm", True]]
        assert started.request("POST", "/api/live/follow-1/facts", b"1: p.")[0] == 409
        events.close()


def test_many_clients_lose_nothing(server: Server) -> None:
    """The small version of ``make serve-load``."""
    result = run_load(server, Load(clients=10, rate=500, seconds=2.0))
    assert result.lost == 0
    assert result.sent == 1000
    assert result.received == 10 * 1000


def test_the_load_test_notices_a_lost_change() -> None:
    load = Load(clients=1, rate=100, seconds=1.0)
    assert sum(len(facts) for _, facts in load.stream()) == 100
    whole, lacking = Client(), Client()
    reasoner = laser.Reasoner(load.PROGRAM)
    for point, facts in load.stream():
        changes = [[at, str(atom), holds] for at, atom, holds in reasoner.advance(point, facts)]
        for client in (whole, lacking):
            client.facts += [[point, str(parse_fact(fact))] for fact in facts]
            client.changes += changes
    assert compare(load, [whole]) == 0
    lacking.facts.pop()
    lacking.changes.pop(0)
    assert compare(load, [lacking]) > 1
