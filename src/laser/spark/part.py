"""A part of the stream and the reasoner, or reasoners, that answer it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol, TypeAlias, assert_never

from laser.answers import Shift
from laser.engine.reasoner import Reasoner
from laser.spark.arrow import Fact
from laser.spark.job import Job
from laser.spark.lift import SEEN
from laser.spark.partition import ByKey, Lifted, PerKey, Whole
from laser.values import Predicate, write_value
from laser.values.facts import read_value

__all__ = ["Json", "Part", "make_part"]


Json: TypeAlias = dict[str, Any]


class Part(Protocol):
    """A part that the pipeline drives; ``new_keys`` has the keys seen for the first time, until it is cleared."""

    new_keys: list[tuple[int, Any]]

    def advance(self, time: int, facts: list[Fact]) -> Sequence[Shift]: ...

    def holding(self) -> frozenset[Fact]:
        """The answers at the present time point."""

    def save(self) -> Json:
        """The data from which ``make_part`` continues."""

    @property
    def next_wake(self) -> int | None: ...

    @property
    def key_count(self) -> int:
        """How many keys are remembered; 0 where the program needs no list of them."""


def make_part(job: Job, bucket: int, start: int, saved: Json | None = None) -> Part:
    """The part of the stream in one bucket: at the start of the timeline, or where it was saved."""
    match job.partition:
        case PerKey():
            return ReasonerPerKey(job, bucket, start, saved)
        case ByKey(drops_foreign=True) as by_key:
            return OwnKeysOnly(by_key, bucket, SharedReasoner(job, bucket, start, saved))
        case Lifted(counts_keys=True):
            return KeyCounter(job, bucket, start, saved)
        case Whole() | ByKey() | Lifted():
            return SharedReasoner(job, bucket, start, saved)
        case _:
            assert_never(job.partition)


class SharedReasoner:
    """One reasoner for all keys of a bucket."""

    def __init__(self, job: Job, bucket: int, start: int, saved: Json | None = None) -> None:
        state = None if saved is None else saved["state"].encode()
        self.reasoner = job.reasoner(start, (*job.background_of(bucket), *job.own_of(bucket)), state)
        self.new_keys: list[tuple[int, Any]] = []

    def advance(self, time: int, facts: list[Fact]) -> Sequence[Shift]:
        return self.reasoner.advance(time, facts).shifts

    def holding(self) -> frozenset[Fact]:
        return frozenset(map(tuple, self.reasoner.holding()))

    def save(self) -> Json:
        return {"state": self.reasoner.save().decode()}

    @property
    def next_wake(self) -> int | None:
        return self.reasoner.next_wake

    @property
    def key_count(self) -> int:
        return 0


class KeyCounter(SharedReasoner):
    """One reasoner for all keys of a lifted program whose rules depend on the set of keys."""

    def __init__(self, job: Job, bucket: int, start: int, saved: Json | None = None) -> None:
        super().__init__(job, bucket, start, saved)
        self.start = start
        self.seen: set[Any] = {atom[1] for atom in job.own_of(bucket)}
        self.waiting = [(SEEN, key) for key in self.seen] if saved is None else []
        """Keys of the background data, until the timeline begins."""
        self.seen |= {read_value(text) for text in saved["seen"]} if saved is not None else set()

    def advance(self, time: int, facts: list[Fact]) -> Sequence[Shift]:
        first, self.waiting = self.waiting, []
        shifts = super().advance(self.start, first) if first else []
        return [*shifts, *super().advance(time, [*self._introduce(time, facts), *_without_keys(facts)])]

    def save(self) -> Json:
        return {**super().save(), "seen": sorted(map(write_value, self.seen))}

    @property
    def key_count(self) -> int:
        return len(self.seen)

    def _introduce(self, time: int, facts: list[Fact]) -> list[Fact]:
        """A fact for each key that was not seen before, which makes the key known from then on."""
        fresh = {fact[1] for fact in facts} - self.seen
        self.seen |= fresh
        self.new_keys += [(time, key) for key in fresh]
        return [(SEEN, key) for key in fresh]


def _without_keys(facts: list[Fact]) -> list[Fact]:
    """Facts without those that only name a key: a key is announced once; a repeat would be stored twice."""
    return [fact for fact in facts if fact[0] != SEEN]


class ReasonerPerKey:
    """A reasoner for each key: if a tuple window counts, or if background data hold for every key."""

    def __init__(self, job: Job, bucket: int, start: int, saved: Json | None = None) -> None:
        self.job, self.start = job, start
        self.new_keys: list[tuple[int, Any]] = []
        self.reasoners: dict[Any, Reasoner] = {}
        self.own: dict[Any, list[Any]] = {}
        for atom in job.own_of(bucket):
            self.own.setdefault(atom[1], []).append((atom[0], *atom[2:]))
        for text, state in (saved or {}).items():
            key = read_value(text)
            self.reasoners[key] = self._reasoner(key, state.encode())

    def _reasoner(self, key: Any, saved: bytes | None = None) -> Reasoner:
        return self.job.reasoner(self.start, (*self.job.settings.background, *self.own.get(key, [])), saved)

    def save(self) -> Json:
        return {write_value(key): reasoner.save().decode() for key, reasoner in self.reasoners.items()}

    def advance(self, time: int, facts: list[Fact]) -> list[Shift]:
        given: dict[Any, list[Fact]] = {key: [] for key in self.own if key not in self.reasoners}
        shifts: list[Shift] = []
        if given:
            shifts = [shift for key in given for shift in self._begin(key, self.start, [])]
            given = {}
        for fact in facts:
            mine = given.setdefault(fact[1], [])
            if fact[0] != SEEN:
                mine.append((fact[0], *fact[2:]))
        idle = [key for key, r in self.reasoners.items() if key not in given and _wakes(r, time)]
        for key in (*given, *idle):
            shifts += self._step(key, time, given.get(key, []))
        return shifts

    def _step(self, key: Any, time: int, facts: list[Fact]) -> Iterable[Shift]:
        if key not in self.reasoners:
            return self._begin(key, time, facts)
        return _with_key(key, self.reasoners[key].advance(time, facts).shifts)

    def _begin(self, key: Any, time: int, facts: list[Fact]) -> Iterable[Shift]:
        """A key exists from its first fact on: nothing is reported about the time before."""
        if key not in self.own:
            self.new_keys.append((time, key))
        reasoner = self.reasoners[key] = self._reasoner(key)
        reasoner.advance(time, facts)
        holding = [Shift(time, atom.signature, atom.predicate, [tuple(atom)], []) for atom in reasoner.holding()]
        return _with_key(key, holding)

    def holding(self) -> frozenset[Fact]:
        every = ((key, atom) for key, reasoner in self.reasoners.items() for atom in reasoner.holding())
        return frozenset((atom.predicate, key, *atom[1:]) for key, atom in every)

    @property
    def next_wake(self) -> int | None:
        wakes = [wake for r in self.reasoners.values() if (wake := r.next_wake) is not None]
        return self.start if self.own.keys() - self.reasoners.keys() else min(wakes, default=None)

    @property
    def key_count(self) -> int:
        return len(self.reasoners)


def _wakes(reasoner: Reasoner, time: int) -> bool:
    wake = reasoner.next_wake
    return wake is not None and wake <= time


def _with_key(key: Any, shifts: Iterable[Shift]) -> list[Shift]:
    """The answers of one key's own reasoner, with the key as first argument."""
    return [_widened(shift, (shift.predicate.name, key)) for shift in shifts]


def _widened(shift: Shift, first: Fact) -> Shift:
    name, arity = shift.predicate
    begun, ended = ([first + fact[1:] for fact in facts] for facts in (shift.begun, shift.ended))
    return Shift(shift.time, Predicate(name, arity + 1), name, begun, ended)


class OwnKeysOnly:
    """Drops answers about keys whose facts lie in another bucket: here those keys seem to have no facts."""

    def __init__(self, partition: ByKey, bucket: int, part: Part) -> None:
        self.partition, self.bucket, self.part = partition, bucket, part
        self.known: dict[Any, bool] = {}
        self.new_keys = part.new_keys

    def advance(self, time: int, facts: list[Fact]) -> list[Shift]:
        return [self._own(shift) for shift in self.part.advance(time, facts)]

    def _own(self, shift: Shift) -> Shift:
        place = self.partition.positions[shift.predicate] + 1
        begun = [key for key in shift.begun if self._is_own(key[place])]
        return shift._replace(begun=begun, ended=[key for key in shift.ended if self._is_own(key[place])])

    def holding(self) -> frozenset[Fact]:
        places = self.partition.positions
        facts = self.part.holding()
        return frozenset(f for f in facts if self._is_own(f[places[Predicate(f[0], len(f) - 1)] + 1]))

    def save(self) -> Json:
        return self.part.save()

    def _is_own(self, value: Any) -> bool:
        if value not in self.known:
            self.known[value] = self.partition.bucket_of(value) == self.bucket
        return self.known[value]

    @property
    def next_wake(self) -> int | None:
        return self.part.next_wake

    @property
    def key_count(self) -> int:
        return self.part.key_count
