"""Each limit by itself: memory, time, derivations, size of the answer; and a worker that is gone is replaced."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from laser.serve.pool import BusyError, Pool, Process
from laser.serve.settings import MEGABYTE, Limits

JOIN = "r(X, Y, Z) :- n(X), n(Y), n(Z), p. n(1..400)."
SMALL: dict[str, Any] = {"task": "evaluate", "program": "q :- p.", "stream": "1: p."}


def ask_both(limits: Limits, program: str, stream: str = "1: p.", **more: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The answer to a question that asks too much, and to a modest one after it, of the same worker."""

    async def scenario() -> tuple[dict[str, Any], dict[str, Any]]:
        process = Process(limits)
        try:
            large = await process.ask({"task": "evaluate", "program": program, "stream": stream, **more})
            return large, await process.ask(SMALL)
        finally:
            await process.gone()

    return asyncio.run(scenario())


def kind(answer: dict[str, Any]) -> str | None:
    return answer.get("error", {}).get("kind")


def test_a_question_that_needs_too_much_memory_is_ended() -> None:
    large, small = ask_both(Limits(memory=150 * MEGABYTE, seconds=60), JOIN)
    assert kind(large) == "memory"
    assert "timeline" in small


def test_a_question_that_takes_too_long_is_ended() -> None:
    endless = "r :- n(X), n(Y), n(Z), n(U), n(V), X + Y + Z + U + V < 0, p. n(1..200)."
    large, small = ask_both(Limits(seconds=3), endless)
    assert kind(large) == "time"
    assert "timeline" in small


def test_too_many_derivations_are_refused() -> None:
    large, small = ask_both(Limits(seconds=30), "n(0). n(X + 1) :- n(X), p.", limit=1000)
    assert kind(large) == "refused"
    assert "n(X + 1)" in large["error"]["message"]
    assert "timeline" in small


def test_an_answer_that_is_too_large_is_refused() -> None:
    stream = "\n".join(f"{n}: p({n}, x{'y' * 50})." for n in range(2000))
    large, small = ask_both(Limits(answer=10_000, seconds=30), "q(X, Y) :- p(X, Y) in [3].", stream)
    assert kind(large) == "size"
    assert "timeline" in small


@pytest.mark.parametrize("text", ["../../etc/passwd", "/etc/passwd"])
def test_no_text_in_a_question_is_read_as_a_file_name(text: str) -> None:
    large, _ = ask_both(Limits(seconds=30), text, text)
    assert "root:" not in str(large)


def test_a_worker_writes_no_files(tmp_path: Path) -> None:
    """The limit of the operating system holds in the process that evaluates."""
    script = f"from laser.serve.worker import _confine; _confine({512 * MEGABYTE}); open({str(tmp_path / 'x')!r}, 'w').write('x' * 10)"
    subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert (tmp_path / "x").read_bytes() == b""


def test_a_question_is_refused_at_once_if_too_many_wait() -> None:
    async def scenario() -> list[object]:
        pool = Pool(Limits(workers=1, waiting=2, seconds=10))
        await pool.start()
        try:
            return list(await asyncio.gather(*(pool.ask(SMALL) for _ in range(6)), return_exceptions=True))
        finally:
            await pool.stop()

    answers = asyncio.run(scenario())
    assert sum(isinstance(answer, BusyError) for answer in answers) >= 1
    assert sum(isinstance(answer, dict) and "timeline" in answer for answer in answers) >= 2
