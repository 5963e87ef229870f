"""Who may use the interface: everyone who has the token that was printed when the server started.

All users of a machine can reach the loopback address, so an address alone proves nothing. The printed address carries a token,
new for each start. A browser exchanges it for a cookie, which no script can read and no page of another site can send, and is
redirected to the address without it; programs send it in a header.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from hmac import compare_digest
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs

__all__ = ["Access"]


def _secret() -> str:
    return secrets.token_urlsafe(24)


@dataclass(frozen=True)
class Access:
    """The token of a server, and the cookie that is given in exchange.

    Browsers send cookies to all ports of a machine, so the name of the cookie contains the port.
    """

    port: int
    token: str = field(default_factory=_secret)
    session: str = field(default_factory=_secret)

    @property
    def _name(self) -> str:
        return f"laser-{self.port}"

    @property
    def cookie(self) -> str:
        """The cookie, which a browser keeps until it is closed."""
        return f"{self._name}={self.session}; Path=/; HttpOnly; SameSite=Strict"

    def is_login(self, query: bytes) -> bool | None:
        """Whether a query has the right token; None if it has none."""
        given = parse_qs(query.decode("latin-1")).get("token")
        return None if given is None else _equal(given[0], self.token)

    def allows(self, headers: Mapping[bytes, bytes]) -> bool:
        """Whether a request has the cookie, or the token in its header."""
        kind, _, given = headers.get(b"authorization", b"").decode("latin-1").partition(" ")
        if kind.lower() in ("bearer", "token") and _equal(given.strip(), self.token):
            return True
        try:
            cookies = SimpleCookie(headers.get(b"cookie", b"").decode("latin-1"))
        except CookieError:
            return False
        return self._name in cookies and _equal(cookies[self._name].value, self.session)


def _equal(given: str, right: str) -> bool:
    """A comparison in constant time, so that the time does not reveal how much was right."""
    return compare_digest(given.encode(), right.encode())
