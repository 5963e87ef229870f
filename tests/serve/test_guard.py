"""Who is answered, and who is not."""

from __future__ import annotations

import socket

import pytest

from laser.errors import LaserError
from laser.serve.access import Access
from laser.serve.guard import Guard, authorities
from laser.serve.run import listen
from laser.serve.settings import Settings
from tests.serve.server import Server, running


async def _nothing(*_: object) -> None:
    """An application that says nothing."""


ACCESS = Access(8765)
GUARD = Guard(_nothing, authorities(["127.0.0.1", "localhost", "::1"], 8765), ACCESS)


def status(path: str = "/", method: str = "GET", **headers: str) -> int:
    headers = {"authorization": f"Bearer {ACCESS.token}", **headers}
    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    refusal = GUARD.refusal(method, path, raw)
    return 200 if refusal is None else int(refusal[0])


@pytest.mark.parametrize("host", ["127.0.0.1:8765", "localhost:8765", "LOCALHOST:8765", "[::1]:8765"])
def test_requests_to_its_own_names_are_answered(host: str) -> None:
    assert status(host=host) == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8765", "127.0.0.1", "localhost:80", "127.0.0.1:8765.evil.example", ""]
)
def test_foreign_hosts_are_refused(host: str) -> None:
    assert status(host=host) == 421


def test_two_hosts_or_none_are_refused() -> None:
    assert status() == 421
    assert GUARD.refusal("GET", "/", [(b"host", b"localhost:8765"), (b"host", b"evil.example")]) is not None


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://localhost:8765", "http://localhost:8766", "http://localhost"]
)
def test_foreign_origins_are_refused(origin: str) -> None:
    assert status("/api/evaluate", "POST", host="localhost:8765", origin=origin) == 403


def test_requests_from_its_own_origin_are_answered() -> None:
    assert (
        status(
            "/api/evaluate", "POST", host="localhost:8765", origin="http://localhost:8765", sec_fetch_site="same-origin"
        )
        == 200
    )


def test_a_link_from_another_site_opens_only_the_page() -> None:
    foreign = {"host": "localhost:8765", "sec_fetch_site": "cross-site"}
    assert status("/", sec_fetch_mode="navigate", **foreign) == 200
    assert status("/api/start", sec_fetch_mode="navigate", **foreign) == 403
    assert status("/", sec_fetch_mode="no-cors", **foreign) == 403
    assert status("/", "POST", sec_fetch_mode="navigate", **foreign) == 403


def test_the_running_server_refuses_too(server: Server) -> None:
    assert server.request("GET", "/", headers={"Host": "evil.example"})[0] == 421
    assert server.request("POST", "/api/evaluate", b"{}", {"Origin": "http://evil.example"})[0] == 403
    assert server.request("GET", "/")[0] == 200


def test_every_answer_forbids_content_from_other_origins(server: Server) -> None:
    for path in ("/", "/app.js", "/api/start", "/nowhere"):
        headers = server.request("GET", path)[1]
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "path",
    [
        "/../../../../etc/passwd",
        "/examples/cooling.lars",
        "/..%2f..%2fetc/passwd",
        "//etc/passwd",
        "/app.py",
        "/index.html",
    ],
)
def test_only_the_files_of_the_page_are_served(server: Server, path: str) -> None:
    assert server.request("GET", path)[0] == 404


def test_the_page_loads_nothing_from_elsewhere(server: Server) -> None:
    for path in (
        "/",
        "/app.js",
        "/style.css",
        "/editor.js",
        "/timeline.js",
        "/live.js",
        "/share.js",
        "/why.js",
        "/api.js",
        "/dom.js",
    ):
        status, _, body = server.request("GET", path)
        assert status == 200
        assert b"http://" not in body.replace(b"http://www.w3.org/2000/svg", b"")
        assert b"https://" not in body


def test_it_listens_on_loopback_only(server: Server) -> None:
    """Another address of this machine, where it has one, does not answer."""
    others = {entry[4][0] for entry in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    for address in others - {"127.0.0.1"}:
        if address.startswith("127."):
            continue
        with socket.socket() as knocking:
            knocking.settimeout(2)
            assert knocking.connect_ex((str(address), server.port)) != 0


def test_another_address_must_be_given_and_causes_a_warning() -> None:
    with running("--host", "0.0.0.0") as started:
        assert started.request("GET", "/")[0] == 200
        assert started.request("GET", "/", headers={"Host": f"0.0.0.0:{started.port}"})[0] == 421
        started.process.terminate()
        assert started.process.stderr is not None
        assert "not a loopback address" in started.process.stderr.read()


def test_a_port_in_use_and_a_foreign_address_are_refused_with_what_to_do() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(LaserError, match=f"port {port} of 127.0.0.1 is already in use: choose another with --port"):
            listen(Settings(port=port))
    with pytest.raises(LaserError, match=r"--host 203\.0\.113\.5 is not an address of this machine"):
        listen(Settings(host="203.0.113.5", port=0))
