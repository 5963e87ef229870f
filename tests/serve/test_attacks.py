"""What is sent to harm the server: each is answered clearly, and the server goes on."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from laser.serve import follow as following
from laser.serve import log as logs
from laser.serve.follow import Follower, bodies
from laser.serve.log import Log
from laser.serve.protocol import make_protocol
from laser.ticks import Tick
from tests.serve.server import Server, running

PROGRAM = "q(X) :- p(X) in [2]."


# -- requests


@pytest.mark.parametrize(
    ("path", "body", "says"),
    [
        ("snapshot", {"program": PROGRAM, "stream": ""}, 'no "at"'),
        ("explain", {"at": 1}, 'no "program" and no "atom"'),
        ("tidy", {}, 'no "program"'),
        ("live", {}, 'no "program"'),
        ("evaluate", {"program": PROGRAM, "tick": 5}, '"tick" must be a string'),
        ("evaluate", {"program": ["x"]}, '"program" must be a string'),
        ("evaluate", {"program": PROGRAM, "start": [1]}, '"start" must be a time'),
        ("snapshot", {"program": PROGRAM, "stream": "", "at": "x"}, '"at" must be a time point'),
        ("snapshot", {"program": PROGRAM, "stream": "", "at": 10**40}, '"at" must be a time point'),
    ],
)
def test_the_error_of_an_incomplete_request_says_what_is_missing(
    server: Server, path: str, body: dict[str, Any], says: str
) -> None:
    status, _, answer = server.request("POST", f"/api/{path}", json.dumps(body))
    assert status == 400
    assert says in json.loads(answer)["error"]["message"]


@pytest.mark.parametrize("body", [b"[" * 100_000, b"\xff\xfe", b"", b"3", b'{"program": "' + b"1" * 5000, b"1" * 5000])
def test_a_body_that_is_not_a_json_object_is_refused(server: Server, body: bytes) -> None:
    assert server.request("POST", "/api/evaluate", body)[0] == 400


def test_half_a_character_is_refused(server: Server) -> None:
    body = rb'{"program": "q :- p.", "stream": "1: p(\"\ud800\")."}'
    status, _, answer = server.request("POST", "/api/evaluate", body)
    assert status == 400
    assert "surrogate" in json.loads(answer)["error"]["message"]


def test_half_a_character_in_a_fact_gets_an_answer(server: Server) -> None:
    name = str(server.ask("live", program=PROGRAM)["name"])
    lines = rb'{"time": 1, "predicate": "p", "args": ["\ud800"]}' + b"\n" + rb'{"time": "\ud800"}' + b"\n"
    status, _, answer = server.request("POST", f"/api/live/{name}/facts", lines)
    assert status == 200
    assert json.loads(answer)["lines"] == 2
    server.ask(f"live/{name}/end")


# -- workers


def children(process: int) -> list[int]:
    found = subprocess.run(["pgrep", "-P", str(process)], capture_output=True, text=True, check=False).stdout
    return [int(line) for line in found.split()]


def test_a_live_stream_whose_process_was_killed_says_so() -> None:
    with running() as started:
        name = str(started.ask("live", program=PROGRAM)["name"])
        assert started.feed(name, "1: p(a).\n")["facts"] == 1
        for worker in children(started.process.pid):
            os.kill(worker, signal.SIGKILL)
        time.sleep(0.5)
        message = started.feed(name, "2: p(b).\n")["error"]["message"]
        assert "mistake in Laser" not in message
        assert "was stopped" in message
        assert started.ask("evaluate", program=PROGRAM, stream="1: p(a).")["findings"] == []


# -- links


def test_a_link_that_unpacks_to_too_much_is_refused_by_the_page(server: Server) -> None:
    """Whatever it unpacks to is counted while it unpacks; the page is tested in a browser as well."""
    script = server.request("GET", "/share.js")[2].decode()
    assert "MOST_UNPACKED" in script
    assert "reader.cancel()" in script


# -- connections


def test_a_request_with_an_endless_head_is_closed() -> None:
    async def scenario() -> tuple[bytes, bytes]:
        server = await _serve(make_protocol(connections=100, seconds=0.3))
        port = server.sockets[0].getsockname()[1]
        half = await _exchange(port, b"GET / HTTP/1.1\r\nHost: x\r\n")
        whole = await _exchange(port, b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        server.close()
        return half, whole

    half, whole = asyncio.run(asyncio.wait_for(scenario(), 30))
    assert half == b""
    assert whole.startswith(b"HTTP/1.1 200")


def test_the_number_of_connections_is_limited() -> None:
    async def scenario() -> tuple[bytes, bytes]:
        server = await _serve(make_protocol(connections=3, seconds=60))
        port = server.sockets[0].getsockname()[1]
        idle = [await asyncio.open_connection("127.0.0.1", port) for _ in range(3)]
        await asyncio.sleep(0.1)
        refused = await _exchange(port, b"")
        for _, writer in idle:
            writer.close()
        await asyncio.sleep(0.1)
        answered = await _exchange(port, b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        server.close()
        return refused, answered

    refused, answered = asyncio.run(asyncio.wait_for(scenario(), 30))
    assert refused.startswith(b"HTTP/1.1 503")
    assert answered.startswith(b"HTTP/1.1 200")


async def _serve(protocol: Any) -> Any:
    """A server that says nothing, with a protocol."""
    import uvicorn
    from uvicorn.server import ServerState

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    config = uvicorn.Config(app, http=protocol, lifespan="off", log_level="critical")
    config.load()
    state = ServerState()
    loop = asyncio.get_running_loop()
    return await loop.create_server(lambda: protocol(config=config, server_state=state, app_state={}), "127.0.0.1", 0)


async def _exchange(port: int, sent: bytes) -> bytes:
    """All that comes back until the other side closes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(sent)
    answer = await reader.read()
    writer.close()
    return answer


def test_half_sent_requests_do_not_stay_open(server: Server) -> None:
    """Other clients are answered meanwhile."""
    half = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(50)]
    for one in half:
        one.sendall(b"POST /api/evaluate HTTP/1.1\r\nHost: ")
    assert server.request("GET", "/")[0] == 200
    for one in half:
        one.close()


# -- those who watch


def test_the_limit_on_watchers_holds_for_simultaneous_ones() -> None:
    async def scenario() -> list[int]:
        from starlette.requests import Request

        from laser.serve.app import Playground, RefusedError
        from laser.serve.settings import Limits, Settings

        playground = Playground(Settings(limits=Limits(clients=5)), "token")
        playground._sessions.add("x", "x")
        scope = {"type": "http", "path_params": {"name": "x"}, "headers": [], "query_string": b""}
        statuses = []
        for _ in range(20):  # all are let in before any of them begins to read
            try:
                statuses.append((await playground.events(Request(scope))).status_code)
            except RefusedError as refused:
                statuses.append(refused.status)
        return statuses

    assert asyncio.run(scenario()) == [200] * 5 + [503] * 15


def test_a_watcher_that_disconnects_makes_room_for_another(server: Server) -> None:
    name = str(server.ask("live", program=PROGRAM)["name"])
    server.feed(name, "1: p(a).\n")
    for _ in range(3):
        events = server.events(name)
        next(events)
        events.close()
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        server.feed(name, f"{int(time.monotonic() * 100)}: p(a).\n")
        (watchers,) = [one["watchers"] for one in _streams(server) if one["name"] == name]
        if not watchers:
            break
        time.sleep(0.1)
    assert watchers == 0
    server.ask(f"live/{name}/end")


def _streams(server: Server) -> list[dict[str, Any]]:
    streams: list[dict[str, Any]] = json.loads(server.request("GET", "/api/start")[2])["live"]
    return streams


def test_the_state_is_written_once_for_all_readers(monkeypatch: pytest.MonkeyPatch) -> None:
    written = []
    wire = logs._wire
    monkeypatch.setattr(logs, "_wire", lambda kind, body, number: (written.append(kind), wire(kind, body, number))[1])

    async def scenario() -> list[bytes]:
        log = Log(most=4000)
        for time_ in range(200):
            log.add("step", {"now": time_, "changes": [[time_, f"q({time_})", True]]})
        log.close()
        return [b"".join([chunk async for chunk in log.read(0)]) for _ in range(40)]

    answers = asyncio.run(scenario())
    assert len(set(answers)) == 1
    assert written.count("state") == 1


# -- what is followed


def test_a_broken_parquet_file_is_reported_and_the_others_are_followed(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    follower = Follower(tmp_path, Tick())
    (tmp_path / "broken.parquet").write_bytes(b"PAR1" + b"x" * 100 + b"PAR1")
    (tmp_path / "good.jsonl").write_text('{"time": 1, "holds": true, "predicate": "q"}\n')
    assert [body["changes"] for body in bodies(list(follower.news()))] == [[(1, "q", True)]]
    (trouble,) = follower.troubles()
    assert "broken.parquet" in trouble
    assert list(follower.news()) == []
    assert follower.troubles() == []


@pytest.mark.parametrize("size", [1, 2, 5])
def test_a_line_that_is_too_long_is_reported_and_skipped(
    tmp_path: Path, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "MOST_BYTES", 100)
    file = tmp_path / "answers.jsonl"
    follower = Follower(file, Tick())
    after = '{"time": 2, "holds": true, "predicate": "r"}\n'
    file.write_text('{"time": 1, "holds": true, "predicate": "q"}\n' + "x" * (100 * size) + "y\n" + after * 2)
    found = [answer for _ in range(12) for answer in follower.news()]
    assert [(said.time, str(said.atom)) for said in found] == [(1, "q"), (2, "r"), (2, "r")]  # type: ignore[union-attr]
    (trouble,) = follower.troubles()
    assert "longer than 100 bytes" in trouble


def test_following_survives_a_folder_that_disappears(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    follower = Follower(folder, Tick())
    assert list(follower.news()) == []
    folder.mkdir()
    (folder / "a.jsonl").symlink_to(tmp_path / "nowhere")
    list(follower.news())
    (folder / "b.jsonl").write_text('{"time": 1, "holds": true, "predicate": "q"}\n')
    assert len(list(follower.news())) == 1
