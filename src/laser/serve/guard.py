"""The guard in front of the application: it checks who sends a request and how large it is, and sets the security headers.

A page of another site can make a browser send requests to this server. Two headers distinguish them from those of our own page:
``Host``, the name that the browser used (a foreign name that points here is refused), and ``Origin``, the page that sends the
request. Other users of this machine can reach the server, too, so everything except the page needs the token (``access.py``).
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from http import HTTPStatus
from typing import TypeAlias

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from laser.serve.access import Access

__all__ = ["Guard", "authorities"]

Headers: TypeAlias = dict[bytes, bytes]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
ASK_FOR_ACCESS = (
    "open the address that `laser serve` printed, which has a token; programs send it as `Authorization: Bearer TOKEN`"
)
FOREIGN_ACCESS = "the token is not that of this server: each start of `laser serve` prints an address with a new one"
HEADERS = [
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
]


def authorities(names: Iterable[str], port: int) -> frozenset[str]:
    """The values of a ``Host`` header that are accepted.

    >>> sorted(authorities(["127.0.0.1", "::1"], 8080))
    ['127.0.0.1:8080', '[::1]:8080']
    """
    hosts = [f"[{name}]" if ":" in name else name.lower() for name in names]
    return frozenset(f"{host}:{port}" for host in hosts) | (frozenset(hosts) if port == 80 else frozenset())


class Guard:
    """An ASGI application around another one."""

    def __init__(self, app: ASGIApp, hosts: frozenset[str], access: Access) -> None:
        self._app = app
        self._access = access
        self._hosts = hosts
        self._origins = frozenset(f"http://{host}" for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] == "lifespan":
            return await self._app(scope, receive, send)
        if scope["type"] != "http":
            return await send({"type": "websocket.close", "code": 1008})

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), *HEADERS]
            await send(message)

        refusal = self.refusal(scope["method"], scope["path"], scope["headers"])
        if refusal is not None:
            return await _refuse(guarded, *refusal)
        login = self._access.is_login(scope.get("query_string", b"")) if scope["path"] == "/" else None
        if login is None:
            return await self._app(scope, receive, guarded)
        if not login:
            return await _refuse(guarded, HTTPStatus.UNAUTHORIZED, FOREIGN_ACCESS)
        # Redirect to the address without the token, to keep it out of the history; browsers keep the fragment.
        headers = [(b"location", b"/"), (b"set-cookie", self._access.cookie.encode())]
        return await _answer(guarded, HTTPStatus.SEE_OTHER, headers, b"")

    def refusal(self, method: str, path: str, raw: Iterable[tuple[bytes, bytes]]) -> tuple[HTTPStatus, str] | None:
        """Why a request is refused; None if it is not."""
        pairs = list(raw)
        headers: Headers = dict(pairs)
        hosts = [value for name, value in pairs if name == b"host"]
        if len(hosts) != 1 or hosts[0].decode("latin-1").lower() not in self._hosts:
            return HTTPStatus.MISDIRECTED_REQUEST, "the name in the address is not a name of this server"
        origin = headers.get(b"origin")
        if origin is not None and origin.decode("latin-1").lower() not in self._origins:
            return HTTPStatus.FORBIDDEN, "the request comes from a page of another site"
        foreign = headers.get(b"sec-fetch-site", b"none") not in (b"none", b"same-origin")
        # Links on other sites may lead to the page itself, but to nothing else.
        link = method == "GET" and path == "/" and headers.get(b"sec-fetch-mode") == b"navigate"
        if foreign and not link:
            return HTTPStatus.FORBIDDEN, "the request comes from a page of another site"
        if path.startswith("/api/") and not self._access.allows(headers):
            return HTTPStatus.UNAUTHORIZED, ASK_FOR_ACCESS
        return None


async def _refuse(send: Send, status: HTTPStatus, reason: str) -> None:
    body = json.dumps({"error": {"kind": "refused", "message": f"refused: {reason}"}}).encode()
    await _answer(send, status, [(b"content-type", b"application/json")], body)


async def _answer(send: Send, status: HTTPStatus, headers: list[tuple[bytes, bytes]], body: bytes) -> None:
    headers = [*headers, (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": int(status), "headers": headers})
    await send({"type": "http.response.body", "body": body})
