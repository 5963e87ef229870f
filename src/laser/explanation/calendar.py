"""Replaces time points by dates in the texts of an explanation, if the run has dates."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from laser.explanation.explanation import Explanation, Failure, Premise, below
from laser.ticks import Tick

__all__ = ["dates_in"]

_NUMBER = re.compile(r"(?<![\w.-])\d{1,30}(?!\w|\.\d)")
_BEFORE_TIME = ("at ", "since ", "until ")


def dates_in(explanation: Explanation, tick: Tick) -> Callable[[str], str]:
    """A function that writes dates for the time points of the explanation, and for numbers after words such as `at`.

    Other numbers may be values, so they stay.
    """
    times = set(_times(explanation))

    def date(found: re.Match[str]) -> str:
        number = int(found[0])
        meant = number in times or found.string[: found.start()].endswith(_BEFORE_TIME)
        return tick.to_text(number) if meant else found[0]

    return lambda text: _NUMBER.sub(date, text)


def _times(explanation: Explanation) -> Iterator[int]:
    yield from (time for time in (explanation.time, explanation.since, explanation.until) if time is not None)
    for proof in explanation.proofs:
        for part in below(proof):
            yield part.time
            yield from _of_premises(part.premises)
    stack = list(explanation.failures)
    while stack:
        failure = stack.pop()
        stack += failure.failures
        yield from _of_failure(failure)


def _of_failure(failure: Failure) -> Iterator[int]:
    yield failure.time
    if failure.first is not None:
        yield failure.first
    if failure.window is not None:
        yield from (failure.window.first, failure.window.last)
    yield from _of_premises(failure.satisfied)
    premises = [premise.proofs for premise in failure.satisfied]
    for proof in (proof for proofs in (failure.because, *premises) for proof in proofs):
        for part in below(proof):
            yield part.time
            yield from _of_premises(part.premises)


def _of_premises(premises: tuple[Premise, ...]) -> Iterator[int]:
    for premise in premises:
        if premise.window is not None:
            yield from (premise.window.first, premise.window.last)
