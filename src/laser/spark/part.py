"""A part of the stream and the reasoner, or reasoners, that answer it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from laser.answers import Shift
from laser.engine.reasoner import Reasoner
from laser.spark.arrow import Fact
from laser.spark.job import Job, bucket_of
from laser.spark.lift import SEEN
from laser.values import Predicate

__all__ = ["Part", "make_part"]


class Part(Protocol):
    """What the pipeline drives; ``news`` are the keys seen for the first time, until somebody clears them."""

    news: list[tuple[int, Any]]

    def advance(self, time: int, facts: list[Fact]) -> list[Shift]: ...

    @property
    def next_wake(self) -> int | None: ...


def make_part(job: Job, bucket: int, start: int) -> Part:
    """The part of the stream that one bucket holds, at the start of the timeline."""
    part: Part = Apart(job, bucket, start) if job.mode == "apart" else Together(job, bucket, start)
    return Own(job, bucket, part) if job.checked else part


class Together:
    """One reasoner for all keys of a bucket."""

    def __init__(self, job: Job, bucket: int, start: int) -> None:
        own = job.own_of(bucket)
        self.lifted = job.mode == "lifted" and job.counts_keys
        self.seen: set[Any] = {atom[1] for atom in own}
        self.first = [(SEEN, key) for key in self.seen] if self.lifted else []
        self.reasoner = job.reasoner(start, (*job.background_of(bucket), *own))
        self.start = start
        self.news: list[tuple[int, Any]] = []

    def advance(self, time: int, facts: list[Fact]) -> list[Shift]:
        shifts = [*self._advance(self.start, [])] if self.first else []
        return [*shifts, *self._advance(time, facts)]

    def _advance(self, time: int, facts: list[Fact]) -> Sequence[Shift]:
        news: list[Fact] = []
        if self.lifted:
            news = [*self.first, *self._introduce(time, facts)]
            self.first = []
            facts = [fact for fact in facts if fact[0] != SEEN]  # told once is told for ever; twice would be kept twice
        return self.reasoner.advance(time, [*news, *facts] if news else facts).shifts

    def _introduce(self, time: int, facts: list[Fact]) -> list[Fact]:
        """A fact for each key that was not seen before; a key that was is known by it for ever."""
        news = {fact[1] for fact in facts} - self.seen
        self.seen |= news
        self.news += [(time, key) for key in news]
        return [(SEEN, key) for key in news]

    @property
    def next_wake(self) -> int | None:
        return self.reasoner.next_wake


class Apart:
    """A reasoner for each key: where a tuple window counts, or where background data hold for every key."""

    def __init__(self, job: Job, bucket: int, start: int) -> None:
        self.job, self.start = job, start
        self.news: list[tuple[int, Any]] = []
        self.reasoners: dict[Any, Reasoner] = {}
        self.own: dict[Any, list[Any]] = {}
        for atom in job.own_of(bucket):
            self.own.setdefault(atom[1], []).append((atom[0], *atom[2:]))

    def advance(self, time: int, facts: list[Fact]) -> list[Shift]:
        given: dict[Any, list[Fact]] = {key: [] for key in self.own if key not in self.reasoners}
        shifts: list[Shift] = []
        if given:
            shifts = [shift for key in given for shift in self._begin(key, self.start, [])]
            given = {}
        for fact in facts:
            news = given.setdefault(fact[1], [])
            if fact[0] != SEEN:
                news.append((fact[0], *fact[2:]))
        idle = [key for key, r in self.reasoners.items() if key not in given and _wakes(r, time)]
        for key in (*given, *idle):
            shifts += self._step(key, time, given.get(key, []))
        return shifts

    def _step(self, key: Any, time: int, facts: list[Fact]) -> Iterable[Shift]:
        if key not in self.reasoners:
            return self._begin(key, time, facts)
        return _with_key(key, self.reasoners[key].advance(time, facts).shifts)

    def _begin(self, key: Any, time: int, facts: list[Fact]) -> Iterable[Shift]:
        """A key exists from its first fact on: what its silent past would have said is not said."""
        reasoner = self.reasoners[key] = self.job.reasoner(self.start, (*self.job.background, *self.own.get(key, [])))
        reasoner.advance(time, facts)
        holding = [Shift(time, atom.signature, atom.predicate, [tuple(atom)], []) for atom in reasoner.holding()]
        return _with_key(key, holding)

    @property
    def next_wake(self) -> int | None:
        wakes = [wake for r in self.reasoners.values() if (wake := r.next_wake) is not None]
        return self.start if self.own.keys() - self.reasoners.keys() else min(wakes, default=None)


def _wakes(reasoner: Reasoner, time: int) -> bool:
    wake = reasoner.next_wake
    return wake is not None and wake <= time


def _with_key(key: Any, shifts: Iterable[Shift]) -> list[Shift]:
    """What one key's own reasoner says, with the key as first argument."""
    return [_widened(shift, (shift.predicate.name, key)) for shift in shifts]


def _widened(shift: Shift, first: Fact) -> Shift:
    name, arity = shift.predicate
    begun, ended = ([first + fact[1:] for fact in facts] for facts in (shift.begun, shift.ended))
    return Shift(shift.time, Predicate(name, arity + 1), name, begun, ended)


class Own:
    """A part without what it derived for keys of other parts: there their facts are, here they seem to have none."""

    def __init__(self, job: Job, bucket: int, part: Part) -> None:
        self.job, self.bucket, self.part = job, bucket, part
        self.known: dict[Any, bool] = {}
        self.news = part.news

    def advance(self, time: int, facts: list[Fact]) -> list[Shift]:
        return [self._own(shift) for shift in self.part.advance(time, facts)]

    def _own(self, shift: Shift) -> Shift:
        place = self.job.positions[shift.predicate] + 1
        begun = [key for key in shift.begun if self._is_own(key[place])]
        return shift._replace(begun=begun, ended=[key for key in shift.ended if self._is_own(key[place])])

    def _is_own(self, value: Any) -> bool:
        if value not in self.known:
            self.known[value] = bucket_of(value, self.job.buckets) == self.bucket
        return self.known[value]

    @property
    def next_wake(self) -> int | None:
        return self.part.next_wake
