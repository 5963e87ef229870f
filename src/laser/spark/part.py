"""A part of the stream and the reasoner, or reasoners, that answer it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, NamedTuple, Protocol

from laser.answers import Changes
from laser.engine.reasoner import Reasoner
from laser.spark.arrow import Fact
from laser.spark.job import Job, bucket_of
from laser.spark.lift import SEEN
from laser.values import Predicate

__all__ = ["Part", "Shift", "make_part"]


class Shift(NamedTuple):
    """What began and what ended of one predicate at one time point; the first place of a key is no argument."""

    time: int
    predicate: Predicate
    begun: Collection[Fact]
    ended: Collection[Fact]


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


class Labels:
    """Keys of one predicate with one label for ever: the engine's may change when it plans anew, and keys are looked up."""

    def __init__(self) -> None:
        self.known: dict[Predicate, Any] = {}

    def shifts(self, changes: Changes) -> list[Shift]:
        """Changes by predicate. The lists of the engine are taken as they are: a loop over changes would double the cost."""
        return [
            Shift(shift.time, predicate, self._same(predicate, shift.begun), self._same(predicate, shift.ended))
            for shift in changes.shifts
            if shift.begun or shift.ended
            for predicate in (Predicate(shift.name, len(_first(shift.begun or shift.ended)) - 1),)
        ]

    def _same(self, predicate: Predicate, keys: Collection[Fact]) -> Collection[Fact]:
        if not keys:
            return keys
        label = _first(keys)[0]
        known = self.known.setdefault(predicate, label)
        return keys if known == label else [(known, *key[1:]) for key in keys]


def _first(keys: Collection[Fact]) -> Fact:
    return next(iter(keys))


class Together:
    """One reasoner for all keys of a bucket."""

    def __init__(self, job: Job, bucket: int, start: int) -> None:
        own = job.own_of(bucket)
        self.lifted = job.mode == "lifted" and job.counts_keys
        self.seen: set[Any] = {atom[1] for atom in own}
        self.first = [(SEEN, key) for key in self.seen] if self.lifted else []
        self.reasoner = job.reasoner(start, (*job.background_of(bucket), *own))
        self.start = start
        self.labels = Labels()
        self.news: list[tuple[int, Any]] = []

    def advance(self, time: int, facts: list[Fact]) -> list[Shift]:
        shifts: list[Shift] = []
        if self.first:
            shifts = self._advance(self.start, [])
        return shifts + self._advance(time, facts)

    def _advance(self, time: int, facts: list[Fact]) -> list[Shift]:
        news: list[Fact] = []
        if self.lifted:
            news = [*self.first, *self._introduce(time, facts)]
            self.first = []
            facts = [fact for fact in facts if fact[0] != SEEN]  # told once is told for ever; twice would be kept twice
        return self.labels.shifts(self.reasoner.advance(time, [*news, *facts] if news else facts))

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
        return _with_key(key, Labels().shifts(self.reasoners[key].advance(time, facts)))

    def _begin(self, key: Any, time: int, facts: list[Fact]) -> Iterable[Shift]:
        """A key exists from its first fact on: what its silent past would have said is not said."""
        reasoner = self.reasoners[key] = self.job.reasoner(self.start, (*self.job.background, *self.own.get(key, [])))
        reasoner.advance(time, facts)
        holding = [Shift(time, atom.signature, [tuple(atom)], []) for atom in reasoner.holding()]
        return _with_key(key, holding)

    @property
    def next_wake(self) -> int | None:
        wakes = [wake for r in self.reasoners.values() if (wake := r.next_wake) is not None]
        return self.start if self.own.keys() - self.reasoners.keys() else min(wakes, default=None)


def _wakes(reasoner: Reasoner, time: int) -> bool:
    wake = reasoner.next_wake
    return wake is not None and wake <= time


def _with_key(key: Any, shifts: Iterable[Shift]) -> list[Shift]:
    def widen(shift: Shift, keys: Collection[Fact]) -> list[Fact]:
        return [(shift.predicate.name, key, *fact[1:]) for fact in keys]

    return [
        Shift(s.time, Predicate(s.predicate.name, s.predicate.arity + 1), widen(s, s.begun), widen(s, s.ended))
        for s in shifts
    ]


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
