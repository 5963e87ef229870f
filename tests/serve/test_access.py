"""Only who has the token, or the cookie for it, may ask."""

from __future__ import annotations

import http.client
from pathlib import Path

import pytest

from laser.serve.access import Access
from tests.serve.server import Server, running

SECRET = "secret(X) :- files_of_somebody(X)."


def bare(server: Server, method: str, path: str, headers: dict[str, str] | None = None) -> tuple[int, str, str]:
    """Status, body and cookie, for one who has nothing but what is said here."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    try:
        connection.request(method, path, b"{}" if method == "POST" else None, headers or {})
        answer = connection.getresponse()
        return answer.status, answer.read().decode(), answer.getheader("set-cookie") or ""
    finally:
        connection.close()


def test_another_user_of_the_machine_cannot_read_the_files_of_the_server(tmp_path: Path) -> None:
    (tmp_path / "secret.lars").write_text(SECRET)
    with running(str(tmp_path / "secret.lars")) as started:
        status, body, _ = bare(started, "GET", "/api/start")
        assert status == 401
        assert "files_of_somebody" not in body
        assert "laser serve" in body
        assert b"files_of_somebody" in started.request("GET", "/api/start")[2]


@pytest.mark.parametrize(
    "path", ["/api/evaluate", "/api/live", "/api/live/x/facts", "/api/live/x/events", "/api/nothing"]
)
def test_no_part_of_the_interface_answers_without_the_token(server: Server, path: str) -> None:
    assert bare(server, "GET" if path.endswith("events") else "POST", path)[0] == 401
    wrong = {"Authorization": "Bearer wrong", "Cookie": f"laser-{server.port}=wrong"}
    assert bare(server, "POST", path, wrong)[0] == 401


def test_the_token_is_exchanged_for_a_cookie_and_leaves_the_address(server: Server) -> None:
    status, _, cookie = bare(server, "GET", f"/?token={server.token}")
    assert status == 303
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert server.token not in cookie
    kept = cookie.partition(";")[0]
    assert bare(server, "GET", "/api/start", {"Cookie": f"other=1; {kept}"})[0] == 200
    assert bare(server, "GET", "/api/start")[0] == 401


def test_a_wrong_token_is_refused_with_a_message(server: Server) -> None:
    status, body, cookie = bare(server, "GET", "/?token=of-yesterday")
    assert status == 401
    assert "not that of this server" in body
    assert not cookie


def test_odd_headers_are_refused_without_a_server_error() -> None:
    access = Access(1)
    for headers in ({b"cookie": b"\xff=\xfe; ="}, {b"authorization": b"Bearer"}, {b"authorization": b"\xff \xfe"}):
        assert not access.allows(headers)
    assert access.is_login(b"token=") is None
    assert access.is_login(b"token=\xff") is False
    assert access.is_login(b"") is None


def test_every_start_has_its_own_token() -> None:
    assert Access(1).token != Access(1).token
