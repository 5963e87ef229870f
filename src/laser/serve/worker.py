"""A process that evaluates programs for the server, with little memory and no permission to write files.

It answers one message after another on its standard input until that ends. The server kills it if an answer takes too long.
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
    """Serve until the input ends, or the memory is used up."""
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # printed text must not mix with the messages
    warnings.simplefilter("ignore")  # the reports of a run are in its answer
    logging.getLogger("laser").addHandler(logging.NullHandler())
    memory, seconds = int(sys.argv[1]), float(sys.argv[2])
    _confine(memory)
    replies.write(pack({"ready": True}))  # from here on, the time counts as the program's
    replies.flush()
    answer_all(sys.stdin.buffer, replies, seconds)


def answer_all(requests: BinaryIO, replies: BinaryIO, seconds: float) -> None:
    """Answer one message after another; if memory runs out, that answer is the last."""
    worker = Worker()
    while (request := read_frame(requests)) is not None:
        _allow_time(seconds)
        try:
            reply: Any = worker.answer(request)
            message = pack(reply)
        except MemoryError:
            del worker
            replies.write(
                pack({"error": {"kind": "memory", "message": "the evaluation needs more memory than is allowed here"}})
            )
            replies.flush()
            return
        replies.write(message)
        replies.flush()


def _confine(memory: int) -> None:
    """Set the limits of the operating system, if it has them."""
    try:
        import resource
    except ImportError:  # on Windows, the server's clock is the only limit
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
    """Allow this much CPU time from now on. Normally the server stops the worker before; this is for a server that is gone."""
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
