"""A process that evaluates for the server, with little memory, no files to write, and nobody to harm.

It answers one message after another on its standard input until that ends. The server kills it when an answer takes too long.
"""

from __future__ import annotations

import logging
import os
import sys
import warnings
from typing import Any, BinaryIO

from laser.serve.frames import pack, read_frame
from laser.serve.tasks import Worker

__all__ = ["main"]

NEEDED_FILES = 64


def main() -> None:
    """Serve until the input ends, or memory does."""
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints must not come between the messages
    warnings.simplefilter("ignore")  # what a run reports is in its answer
    logging.getLogger("laser").addHandler(logging.NullHandler())
    memory, seconds = int(sys.argv[1]), float(sys.argv[2])
    _confine(memory)
    replies.write(pack({"ready": True}))  # from here on, the time is the program's
    replies.flush()
    answer_all(sys.stdin.buffer, replies, seconds)


def answer_all(requests: BinaryIO, replies: BinaryIO, seconds: float) -> None:
    """Answer message after message; where memory has run out, the answer is the last."""
    worker = Worker()
    while (request := read_frame(requests)) is not None:
        _allow_time(seconds)
        try:
            reply: Any = worker.answer(request)
            message = pack(reply)
        except MemoryError:
            del worker
            replies.write(pack({"error": {"kind": "memory", "message": "it needs more memory than is allowed here"}}))
            replies.flush()
            return
        replies.write(message)
        replies.flush()


def _confine(memory: int) -> None:
    """Limits of the operating system, where it has them."""
    try:
        import resource
    except ImportError:  # Windows: the server's clock is the only limit
        return
    limits = {
        resource.RLIMIT_AS: memory,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NOFILE: NEEDED_FILES,
    }
    for kind, most in limits.items():
        hard = resource.getrlimit(kind)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (most, most))


def _allow_time(seconds: float) -> None:
    """So much CPU from now on: the server's clock stops us first, unless the server is gone."""
    try:
        import resource
    except ImportError:
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    soft = int(used.ru_utime + used.ru_stime + seconds) + 2
    resource.setrlimit(resource.RLIMIT_CPU, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard))


if __name__ == "__main__":
    main()
