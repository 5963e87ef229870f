"""Load: many clients follow one live stream, and each must receive everything.

python -m tests.serve.load --clients 50 --rate 1000 --seconds 20
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from operator import eq
from typing import Any, ClassVar

import laser
from laser.values.facts import parse_fact
from tests.serve.server import Server, running


@dataclass(frozen=True)
class Load:
    """How many watch, how much is sent a second, and for how long; a time point is a tenth of a second."""

    clients: int
    rate: int
    seconds: float
    PROGRAM: ClassVar[str] = "hot(M) :- temp(M, V) in [3], V >= 90.\nlast(N) :- number(N).\n"
    TICKS: ClassVar[int] = 10

    def stream(self) -> Iterator[tuple[int, list[str]]]:
        """Readings of machines, and a number in each time point, so that every time point changes something."""
        each = self.rate // self.TICKS
        for point in range(int(self.seconds * self.TICKS)):
            numbers = range(point * each, (point + 1) * each)
            facts = [f"temp(m{n % 37}, {n * 7919 % 100 + n / 1_000_000})" for n in numbers]
            yield point, [*facts[:-1], f"number({point})"]


@dataclass
class Result:
    """What came of it."""

    sent: int
    received: int
    lost: int
    seconds: float
    slowest: float
    """The longest time from sending a time point to its arrival at the last client."""

    def __str__(self) -> str:
        return (
            f"{self.sent:,} facts in {self.seconds:.1f} s ({self.sent / self.seconds:,.0f}/s), {self.received:,} received by all clients, "
            f"{self.lost} lost, slowest delivery {self.slowest * 1000:.0f} ms"
        )


class Client:
    """One who watches; what comes is counted as it comes, and compared at the end."""

    def __init__(self) -> None:
        self.facts: list[list[Any]] = []
        self.changes: list[list[Any]] = []
        self.times: dict[int, float] = {}

    async def watch(self, server: Server, name: str, ready: asyncio.Event, last: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(
            f"GET /api/live/{name}/events HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nAuthorization: Bearer {server.token}\r\n\r\n".encode()
        )
        await writer.drain()
        await reader.readuntil(b"\r\n\r\n")
        ready.set()
        buffer = b""
        while not self.times or max(self.times) < last:
            size = int((await reader.readline()).strip() or b"0", 16)  # the answer comes in chunks
            if not size:
                break
            buffer += (await reader.readexactly(size + 2))[:-2]
            *events, buffer = buffer.split(b"\n\n")
            for event in events:
                self.take(event)
        writer.close()

    def take(self, event: bytes) -> None:
        data = next((line[6:] for line in event.split(b"\n") if line.startswith(b"data: ")), None)
        if data is None:
            return
        body = json.loads(data)
        assert "missed" not in body, "a client missed events"
        self.facts += body["facts"]
        self.changes += body["changes"]
        self.times[body["now"]] = time.monotonic()


class Feeder(threading.Thread):
    """Posts the stream in one long request, a time point at a time, at its pace."""

    def __init__(self, server: Server, name: str, load: Load) -> None:
        super().__init__(daemon=True)
        self.server, self.name_, self.load = server, name, load
        self.sent: dict[int, float] = {}
        self.answer: dict[str, object] = {}

    def run(self) -> None:
        connection = self.server.connect()
        connection.request(
            "POST",
            f"/api/live/{self.name_}/facts",
            body=self.lines(),
            encode_chunked=True,
            headers={"Transfer-Encoding": "chunked", **self.server.authorization},
        )
        self.answer = json.loads(connection.getresponse().read())
        connection.close()

    def lines(self) -> Iterator[bytes]:
        began = time.monotonic()
        for point, facts in self.load.stream():
            time.sleep(max(0.0, began + point / self.load.TICKS - time.monotonic()))
            self.sent[point] = time.monotonic()
            yield f"{point}: {', '.join(facts)}.\n".encode()


def run_load(server: Server, load: Load) -> Result:
    """Run it, and compare what each client saw with what the reasoner says."""
    name = str(server.ask("live", program=load.PROGRAM)["name"])
    stream = list(load.stream())
    feeder = Feeder(server, name, load)
    clients = asyncio.run(_watch(server, name, load, feeder, stream[-1][0]))
    server.ask(f"live/{name}/end")
    return _summarise(load, feeder, clients)


async def _watch(server: Server, name: str, load: Load, feeder: Feeder, last: int) -> list[Client]:
    clients = [Client() for _ in range(load.clients)]
    readies = [asyncio.Event() for _ in clients]
    tasks = [asyncio.create_task(c.watch(server, name, r, last)) for c, r in zip(clients, readies, strict=True)]
    for ready in readies:
        await ready.wait()
    feeder.start()
    await asyncio.wait_for(asyncio.gather(*tasks), load.seconds * 3 + 30)
    await asyncio.to_thread(feeder.join, 30)
    return clients


def _summarise(load: Load, feeder: Feeder, clients: list[Client]) -> Result:
    slowest = max(client.times[point] - feeder.sent[point] for client in clients for point in client.times)
    seconds = max(max(client.times.values()) for client in clients) - feeder.sent[0]
    sent = sum(len(facts) for _, facts in load.stream())
    return Result(sent, sum(len(client.facts) for client in clients), compare(load, clients), seconds, slowest)


def compare(load: Load, clients: list[Client]) -> int:
    """How many facts and changes are not where they should be, in all."""
    stream = list(load.stream())
    facts = [[point, str(parse_fact(fact))] for point, facts in stream for fact in facts]
    reasoner = laser.Reasoner(load.PROGRAM)
    steps = [change for point, said in stream for change in reasoner.advance(point, said)]
    changes = [[at, str(atom), holds] for at, atom, holds in steps]
    return sum(_missing(facts, client.facts) + _missing(changes, client.changes) for client in clients)


def _missing(expected: list[list[Any]], found: list[list[Any]]) -> int:
    return max(len(expected), len(found)) - sum(map(eq, expected, found))


def main() -> int:
    """Run it on a server of its own, and say what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--rate", type=int, default=1000, help="facts a second")
    parser.add_argument("--seconds", type=float, default=20.0)
    wanted = parser.parse_args()
    load = Load(wanted.clients, wanted.rate, wanted.seconds)
    with running() as server:
        result = run_load(server, load)
    print(f"{load.clients} clients: {result}")
    return int(result.lost > 0 or result.received != load.clients * result.sent)


if __name__ == "__main__":
    sys.exit(main())
