"""The application: the page, its requests, and live streams."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from laser.serve.access import Access
from laser.serve.follow import follow
from laser.serve.guard import Guard, authorities
from laser.serve.live import Sessions, TooManyError
from laser.serve.log import Log
from laser.serve.pages import FILES, examples, initial
from laser.serve.pool import BusyError, Pool
from laser.serve.requests import QUESTIONS, BadRequestError, read_request
from laser.serve.settings import Settings
from laser.ticks import Tick

__all__ = ["make_app"]

LOOPBACK = ("127.0.0.1", "localhost", "::1")
SWEEP_SECONDS = 30.0
GRACE_SECONDS = 0.3


class RefusedError(Exception):
    """A request that is refused, with its status."""

    def __init__(self, status: int, message: str) -> None:
        self.status, self.message = status, message
        super().__init__(message)


def make_app(settings: Settings, port: int, access: Access) -> Guard:
    """The application, behind its guard."""
    server = Playground(settings, access.token)
    names = {*LOOPBACK, settings.host, *settings.names} - {"0.0.0.0", "::", ""}  # noqa: S104 - taken out, not listened on
    return Guard(Starlette(routes=server.routes(), lifespan=server.lifespan), authorities(names, port), access)


class Playground:
    """The handlers of the routes."""

    def __init__(self, settings: Settings, token: str) -> None:
        self._settings, self._token = settings, token
        self._pool = Pool(settings.limits)
        self._sessions = Sessions(settings.limits)

    @asynccontextmanager
    async def lifespan(self, _: Starlette) -> AsyncIterator[None]:
        """Start workers and followers, and end them."""
        await self._pool.start()
        tasks = [asyncio.create_task(self._sweep())]
        for number, path in enumerate(self._settings.follow, 1):
            session = self._sessions.add(f"follow-{number}", path.name)
            tasks.append(asyncio.create_task(follow(session, path, Tick.parse(self._settings.tick))))
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await self._sessions.stop()
            await self._pool.stop()

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            self._sessions.sweep()

    def routes(self) -> list[Route]:
        """All paths."""
        pages = [Route(path, _page(path)) for path in FILES]
        return [
            *pages,
            Route("/api/start", self.start, methods=["GET"]),
            Route("/api/live", answered(self.open_live), methods=["POST"]),
            Route("/api/live/{name}/facts", answered(self.feed), methods=["POST"]),
            Route("/api/live/{name}/explain", answered(self.explain_live), methods=["POST"]),
            Route("/api/live/{name}/end", answered(self.end_live), methods=["POST"]),
            Route("/api/live/{name}/events", answered(self.events), methods=["GET"]),
            Route("/api/{task:str}", answered(self.ask), methods=["POST"]),
        ]

    async def start(self, _: Request) -> Response:
        """The data that the page starts with."""
        told = {"examples": examples(), "given": initial(self._settings), "live": self._sessions.list()}
        return Json({**told, "token": self._token})

    async def ask(self, request: Request) -> Response:
        """A request that a worker answers."""
        task = request.path_params["task"]
        if task not in QUESTIONS:
            raise RefusedError(404, "there is no such request")
        body = await self._json(request, *QUESTIONS[task])
        try:
            return Json(await unless_gone(request, self._pool.ask({**body, "task": task})))
        except BusyError:
            raise RefusedError(503, "too many requests at once: try again in a moment") from None

    # -- live streams

    async def open_live(self, request: Request) -> Response:
        """A new live stream for a program."""
        try:
            session, answer = await self._sessions.open(await self._json(request, "program"))
        except TooManyError:
            raise RefusedError(503, "there are too many live streams: end one first") from None
        return Json(answer, 422 if session is None else 201)

    async def feed(self, request: Request) -> Response:
        """Facts for a live stream: JSON lines or text, in one piece or as they arrive."""
        session = self._session(request)
        if session.process is None:
            raise RefusedError(409, "this stream is read from files, so it takes no other facts")
        answer = await session.feed(request.stream())
        return Json(answer, 409 if "error" in answer else 200)

    async def events(self, request: Request) -> Response:
        """The events of a live stream, from the one after ``Last-Event-ID`` (or ``?after=``) on."""
        session = self._session(request)
        if session.log.readers >= self._settings.limits.clients:
            raise RefusedError(503, "too many clients watch this stream")
        session.log.readers += 1  # counted here, before any await; `Watching` subtracts it again
        last = request.headers.get("last-event-id") or request.query_params.get("after") or "0"
        after = int(last) if last.isascii() and last.isdigit() and len(last) < 16 else 0
        return Watching(session.log, after)

    async def explain_live(self, request: Request) -> Response:
        """Explain an atom of a live stream."""
        return Json(await self._session(request).explain(await self._json(request, "atom", "at")))

    async def end_live(self, request: Request) -> Response:
        """End a live stream that was opened here."""
        session = self._session(request)
        if session.process is None:
            raise RefusedError(409, "this stream is read from files, so it ends only with the server")
        session.end()
        return Json({"ended": session.name})

    def _session(self, request: Request) -> Any:
        session = self._sessions.get(request.path_params["name"])
        if session is None:
            raise RefusedError(404, "there is no such live stream, or it has ended")
        return session

    # -- request bodies

    async def _json(self, request: Request, *needed: str) -> dict[str, Any]:
        try:
            async with asyncio.timeout(self._settings.limits.head):
                return read_request(await self._body(request), *needed)
        except BadRequestError as error:
            raise RefusedError(400, str(error)) from None
        except TimeoutError:
            raise RefusedError(408, "the request took too long to arrive") from None

    async def _body(self, request: Request) -> bytes:
        """The body, up to the allowed size."""
        parts, size = [], 0
        async for chunk in request.stream():
            size += len(chunk)
            if size > self._settings.limits.body:
                raise RefusedError(413, f"too large: at most {self._settings.limits.body:,} bytes are accepted")
            parts.append(chunk)
        return b"".join(parts)


async def unless_gone(request: Request, work: Coroutine[Any, Any, dict[str, Any]]) -> dict[str, Any]:
    """The result of some work, which is cancelled if the client disconnects: while people type, old answers are useless."""
    asking, leaving = asyncio.create_task(work), asyncio.create_task(_gone(request))
    try:
        await asyncio.wait({asking, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not asking.done():  # letting it finish is cheaper than a new worker
            await asyncio.wait({asking}, timeout=GRACE_SECONDS)
        if not asking.done():
            raise ClientDisconnect
        return asking.result()
    finally:
        asking.cancel()
        leaving.cancel()


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def answered(handle: Callable[[Request], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
    """A handler that turns refusals into responses."""

    async def handler(request: Request) -> Response:
        with suppress(ClientDisconnect):
            try:
                return await handle(request)
            except RefusedError as refused:
                return Json({"error": {"kind": "refused", "message": refused.message}}, refused.status)
        return Response(status_code=400)

    return handler


class Json(JSONResponse):
    """JSON of any texts: half a surrogate pair is written as an escape."""

    def render(self, content: Any) -> bytes:
        return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "backslashreplace")


class Watching(StreamingResponse):
    """The events of a log for one reader, who was counted before, and is subtracted when this ends in any way."""

    def __init__(self, log: Log, after: int) -> None:
        self._log = log
        super().__init__(log.read(after), media_type="text/event-stream")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._log.readers -= 1


def _page(path: str) -> Callable[[Request], Awaitable[Response]]:
    data, kind = FILES[path]

    async def page(_: Request) -> Response:
        return Response(data, media_type=kind)

    return page
