"""The workers as the server sees them: it starts them, asks them, and stops them if they take too long."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from laser.serve.frames import HEAD, decode_length, pack
from laser.serve.settings import Limits

__all__ = ["BusyError", "Pool", "Process"]

USES = 500
"""The number of requests after which a worker is replaced."""
START_SECONDS = 30.0
"""The time for starting an interpreter on a busy machine, in seconds; it is not part of the program's time."""


class BusyError(Exception):
    """Too many requests are waiting."""


class Process:
    """A worker process. It handles one request at a time."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._process: asyncio.subprocess.Process | None = None
        self._transport: asyncio.SubprocessTransport | None = None
        self.uses = 0

    async def start(self) -> None:
        """Start the interpreter, and wait until it is ready."""
        command = ["-P", "-m", "laser.serve.worker", str(self._limits.memory), str(self._limits.seconds)]
        pipe, loop = asyncio.subprocess.PIPE, asyncio.get_running_loop()
        # Like `create_subprocess_exec`, but with access to the transport, which can be closed at any moment.
        self._transport, protocol = await loop.subprocess_exec(
            lambda: asyncio.subprocess.SubprocessStreamProtocol(limit=2**16, loop=loop),
            sys.executable, *command, stdin=pipe, stdout=pipe, stderr=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
        self._process = asyncio.subprocess.Process(self._transport, protocol, loop)
        async with asyncio.timeout(START_SECONDS):
            await self._read()

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.returncode is None

    async def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """The answer, or an error; a worker that fails is gone."""
        try:
            if not self.alive:
                await self.start()
            self.uses += 1
            async with asyncio.timeout(self._limits.seconds):
                return await self._exchange(request)
        except TimeoutError:
            self.stop()
            return _error("time", f"stopped after {self._limits.seconds:g} s, the limit for one evaluation")
        except (asyncio.IncompleteReadError, ConnectionError):
            self.stop()
            return _error("memory", "the evaluation was stopped: it needs too much time or memory")
        except asyncio.CancelledError:
            self.stop()  # its answer would be mistaken for that of the next request
            raise

    async def _exchange(self, request: dict[str, Any]) -> dict[str, Any]:
        assert self._process is not None and self._process.stdin is not None
        self._process.stdin.write(pack(request))
        await self._process.stdin.drain()
        answer = await self._read()
        if answer.get("error", {}).get("kind") in ("memory", "size"):
            self.stop()
        return answer

    async def _read(self) -> dict[str, Any]:
        """The next message of the worker, if it is not too long."""
        assert self._process is not None and self._process.stdout is not None
        length = decode_length(await self._process.stdout.readexactly(HEAD))
        if length > self._limits.answer:
            return _error("size", "the answer is too large to be shown")
        answer: dict[str, Any] = json.loads(await self._process.stdout.readexactly(length))
        return answer

    def stop(self) -> None:
        """End the process at once."""
        if self._transport is not None:
            self._transport.close()  # this kills the process, if it still runs
        self._process = self._transport = None
        self.uses = 0

    async def gone(self) -> None:
        """End the process, and wait until it has ended."""
        process = self._process
        self.stop()
        if process is not None:
            await process.wait()


def _error(kind: str, message: str) -> dict[str, Any]:
    return {"error": {"kind": kind, "message": message}}


class Pool:
    """A few workers for independent requests."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._all = [Process(limits) for _ in range(limits.workers)]
        self._idle: asyncio.Queue[Process] = asyncio.Queue()
        self._waiting = 0
        self._returning: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Start all workers, so that the first request finds one."""
        for process in self._all:
            self._give_back(process)

    async def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Ask the next free worker."""
        if self._waiting >= self._limits.waiting:
            raise BusyError
        self._waiting += 1
        try:
            process = await self._idle.get()
        finally:
            self._waiting -= 1
        try:
            return await process.ask({**request, "limit": self._limits.derivations})
        finally:
            if process.uses >= USES:
                process.stop()
            self._give_back(process)

    def _give_back(self, process: Process) -> None:
        """Make a worker available again; if it is gone, start it first, while nobody waits for it."""
        if process.alive:
            self._idle.put_nowait(process)
            return
        task = asyncio.create_task(self._revive(process))
        self._returning.add(task)
        task.add_done_callback(self._returning.discard)

    async def _revive(self, process: Process) -> None:
        try:
            await process.start()
        except (TimeoutError, OSError, asyncio.IncompleteReadError):
            process.stop()  # the next request starts it again, and reports the error
        self._idle.put_nowait(process)

    async def stop(self) -> None:
        """End all workers."""
        for task in self._returning:
            task.cancel()
        await asyncio.gather(*(process.gone() for process in self._all))
