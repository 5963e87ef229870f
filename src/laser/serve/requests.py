"""Checks a request before it is handled."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["QUESTIONS", "BadRequestError", "read_request"]

QUESTIONS: dict[str, tuple[str, ...]] = {
    "evaluate": ("program",),
    "snapshot": ("program", "at"),
    "explain": ("program", "atom", "at"),
    "tidy": ("program",),
    "records": ("stream",),
}
"""The requests to a worker, and the fields that each needs."""

_TEXTS = ("program", "stream", "tick", "atom", "notation", "title", "background", "zone")
_OF_TEXTS = ("constants", "table")
_TIMES = ("start", "until")


class BadRequestError(ValueError):
    """A request that cannot be answered."""


def read_request(body: bytes, *needed: str) -> dict[str, Any]:
    """The fields of a request; some are required, and each has its type."""
    try:
        read = json.loads(body)
        json.dumps(read, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise BadRequestError("the request has half of a surrogate pair, such as \\ud800") from None
    except (ValueError, RecursionError):
        raise BadRequestError("the request is not JSON") from None
    if not isinstance(read, dict):
        raise BadRequestError("the request is not a JSON object")
    missing = [name for name in needed if read.get(name) is None]
    if missing:
        raise BadRequestError(f"the request has no {' and no '.join(map(json.dumps, missing))}")
    for name, value in read.items():
        _check(name, value)
    return read


def _check(name: str, value: Any) -> None:
    if name in _TEXTS and not isinstance(value, str | None):
        raise BadRequestError(f'"{name}" must be a string, as in "{_EXAMPLES[name]}", not {_shown(value)}')
    if name in _TIMES and not isinstance(value, str | None) and not _is_whole(value):
        raise BadRequestError(f'"{name}" must be a time, as in 36 or "2026-03-02T22:00:00Z", not {_shown(value)}')
    if name in _OF_TEXTS and not _is_texts(value):
        raise BadRequestError(f'"{name}" must be an object of strings, as in {_EXAMPLES[name]}, not {_shown(value)}')
    if name == "at" and not _is_whole(value):
        raise BadRequestError(f'"at" must be a time point, a whole number as in 36, not {_shown(value)}')


_EXAMPLES = {
    "program": "q(X) :- p(X) in [3].",
    "stream": "1: p(a).",
    "tick": "1 s",
    "atom": "q(a)",
    "notation": "formal",
    "title": "live",
    "background": "machine(oven).",
    "zone": "Europe/Vienna",
    "constants": '{"n": "30"}',
    "table": '{"time": "ts", "delimiter": ";"}',
}


def _is_texts(value: Any) -> bool:
    return value is None or (isinstance(value, dict) and all(isinstance(text, str) for text in value.values()))


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63


def _shown(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 40 else f"{text[:40]} …"
