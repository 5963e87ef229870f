"""A playground in a process of its own, and a small client."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

ROOT = Path(__file__).parent.parent.parent


class Server:
    """A running server."""

    def __init__(self, address: str, process: subprocess.Popen[str]) -> None:
        self.address, self.process = address, process
        self.port = urlsplit(address).port or 80
        self.token = parse_qs(urlsplit(address).query)["token"][0]
        self.origin = f"http://127.0.0.1:{self.port}/"

    @property
    def authorization(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    def connect(self, timeout: float = 60) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def request(
        self, method: str, path: str, body: bytes | str | None = None, headers: dict[str, str] | None = None
    ) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body of an answer."""
        connection = self.connect()
        try:
            connection.request(method, path, body, {**self.authorization, **(headers or {})})
            response = connection.getresponse()
            return response.status, {name.lower(): value for name, value in response.getheaders()}, response.read()
        finally:
            connection.close()

    def ask(self, path: str, **body: Any) -> dict[str, Any]:
        """An answer of the interface."""
        answer: dict[str, Any] = json.loads(self.request("POST", f"/api/{path}", json.dumps(body))[2])
        return answer

    def feed(self, name: str, lines: str) -> dict[str, Any]:
        """Post lines to a live stream."""
        answer: dict[str, Any] = json.loads(self.request("POST", f"/api/live/{name}/facts", lines.encode())[2])
        return answer

    def events(self, name: str, after: int | None = None) -> Iterator[tuple[int, str, dict[str, Any]]]:
        """Number, kind and body of each event, as it comes."""
        connection = self.connect()
        headers = {**self.authorization, **({} if after is None else {"Last-Event-ID": str(after)})}
        connection.request("GET", f"/api/live/{name}/events", headers=headers)
        response = connection.getresponse()
        try:
            yield from read_events(response)
        finally:
            response.close()
            connection.close()


def read_events(response: http.client.HTTPResponse) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """Server-sent events, read line by line."""
    fields: dict[str, str] = {}
    for raw in response:
        line = raw.decode("utf-8").rstrip("\n")
        if line:
            name, _, value = line.partition(": ")
            fields[name] = value
        elif "data" in fields:
            yield int(fields["id"]), fields["event"], json.loads(fields["data"])
            fields = {}
        else:
            fields = {}


@contextmanager
def running(*options: str) -> Iterator[Server]:
    """``laser serve`` with options, on a port that is free."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, "-m", "laser", "serve", "--port", "0", "--no-open", *options]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        assert address.startswith("http://"), process.stderr.read() if process.stderr else ""
        yield Server(address, process)
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        for pipe in (process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()
