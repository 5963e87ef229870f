"""The reasoner: facts in, changes out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC
from typing import TYPE_CHECKING, Any, NoReturn, Unpack

from laser.answers import Changes, Interval, Shift, Snapshot
from laser.checks.load import parse
from laser.engine.compiled import compiled
from laser.engine.intake import Groups, listed, receive
from laser.engine.machine import Machine
from laser.engine.relation import Key
from laser.engine.reports import Reports
from laser.engine.state import copy_inputs, decode, encode
from laser.errors import LaserError, TimeError
from laser.plan.plan import Plan
from laser.rules.declared import of_types
from laser.rules.rule import ResolvedProgram
from laser.settings import ReasonerOptions, RunSettings
from laser.syntax.program import Program, expect_program
from laser.ticks import Tick, TimeInput, check_time, is_date
from laser.values import Atom, Predicate
from laser.values.facts import FactInput, to_atom
from laser.values.time import texts_in

if TYPE_CHECKING:
    from laser.explanation.explanation import Explanation

__all__ = ["Reasoner", "Stats"]

MOST_SILENT_TICKS = 250
"""The number of silent ticks that ``next_change`` looks ahead if a program needs every tick."""


@dataclass(frozen=True, slots=True)
class Stats:
    """How much is alive: stream facts and derived atoms by predicate, and all keys that the engine keeps."""

    facts: Mapping[Predicate, int]
    derived: Mapping[Predicate, int]
    keys: int


class Reasoner:
    """A run of a program over a stream.

    >>> reasoner = Reasoner("hot(X) :- temp(X, V) in [2], V > 30.")
    >>> reasoner.advance(5, ["temp(oven, 31)"])
    [Change(time=5, atom=hot(oven), holds=True)]
    >>> reasoner.advance(9)
    [Change(time=8, atom=hot(oven), holds=False)]
    """

    def __init__(
        self,
        program: Program | str,
        start: TimeInput | None = None,
        **options: Unpack[ReasonerOptions],
    ) -> None:
        program = parse(program) if isinstance(program, str) else expect_program(program)
        self._begin(program, RunSettings.read(options, ReasonerOptions, program.zone, start=start))

    @classmethod
    def of(cls, program: Program | str, settings: RunSettings, saved: bytes | None = None) -> Reasoner:
        """A reasoner with settings that are already checked; with ``saved``, it continues from that state."""
        reasoner = cls.__new__(cls)
        reasoner._begin(program, settings)
        if saved is not None:
            reasoner._resume(saved)
        return reasoner

    def _begin(self, program: Program | str, settings: RunSettings) -> None:
        self._program = parse(program) if isinstance(program, str) else expect_program(program)
        self._settings = settings
        self._compiled = compiled(self._program, settings)
        self._core = self._compiled.core
        self._limit = settings.limit
        self._reports = Reports()
        self._start = settings.start
        self._known: set[tuple[str, int]] = set()
        self._broken: str | None = None
        self._machine = self._new_machine(frozenset())
        self._next: tuple[int, int | None] | None = None
        self._snapshot = Snapshot()
        self._not_streamed = self._find_not_streamed()

    def _new_machine(self, streamed: frozenset[Predicate]) -> Machine:
        return Machine(self._compiled.module(streamed), self._limit, self._reports)

    def _find_not_streamed(self) -> frozenset[tuple[str, int]]:
        """Predicates that the plan does not expect in the stream, until a fact of one arrives: their names and the lengths of facts."""
        background = {atom.signature for atom in self._core.background}
        bound = (self._core.derived | background) - self._machine.plan.also_streamed
        return frozenset((name, arity + 1) for name, arity in bound)

    # -- the present

    @property
    def time(self) -> int | None:
        """The present time point; None before the timeline begins."""
        return None if self._machine.time < 0 else self._machine.time

    @property
    def start(self) -> int | None:
        """Where the timeline begins."""
        return self._start

    @property
    def dates(self) -> bool:
        """Whether times are dates in this run."""
        return self._core.dates

    @property
    def core(self) -> ResolvedProgram:
        """The resolved program."""
        return self._core

    @property
    def tick(self) -> Tick:
        """The length of one time point."""
        return self._core.tick

    @property
    def plan(self) -> Plan:
        """How the program is evaluated."""
        return self._machine.plan

    @property
    def source(self) -> str:
        """The Python source that the program was compiled to."""
        return self._machine.module.source

    @property
    def reports(self) -> tuple[str, ...]:
        """The operations that were undefined in this run so far, reported once for each rule."""
        return tuple(self._reports.texts.values())

    @property
    def received(self) -> frozenset[Predicate]:
        """The predicates of the facts that have arrived."""
        return frozenset(Predicate(name, length - 1) for name, length in self._known)

    def holding(self) -> frozenset[Atom]:
        """The present output."""
        self._check_usable()
        if self._is_held:
            return frozenset()
        return self._snapshot.of(self._machine)

    def evidence(self) -> list[tuple[int, Atom]]:
        """Facts that are still stored, with their times, in arrival order.

        They are not all facts of the stream, but the present output follows from them alone, for the same reasons.
        """
        self._check_usable()
        return [(time, Atom.of(fact)) for time, fact in self._machine.evidence()]

    def recorded(self) -> list[Interval]:
        """The spells that ``#record`` still keeps: atoms with the first and the last time point before the present."""
        self._check_usable()
        present = self._machine.time
        return [
            Interval(Atom.of(spell.key), spell.since, present - 1 if spell.until is None else spell.until)
            for record in self._machine.records.values()
            for spell in record.spells()
            if spell.since < present
        ]

    def explain(self, atom: FactInput, all: bool = False) -> Explanation:  # noqa: A002 - the word of the specification
        """Why an atom holds now, or why not; with ``all``, every rule instance that derives it.

        >>> reasoner = Reasoner("hot(X) :- temp(X, V) in [2], V > 30.")
        >>> changes = reasoner.advance(5, ["temp(oven, 31)"])
        >>> print(reasoner.explain("hot(oven)"))
        hot(oven) holds at 5, until 7 if nothing arrives
        └─ hot(X) :- temp(X, V) in [2], V > 30.  (line 1; X = oven, V = 31)
           ├─ temp(oven, 31) at 5, in [5, 5]  (fact)
           └─ 31 > 30
        """
        from laser.explanation.ask import Recorded, ask  # imported only when it is needed
        from laser.explanation.lasting import Lasting
        from laser.explanation.pattern import read_goal

        evidence = self.evidence()
        if self.time is None or self._start is None:
            raise TimeError("there is nothing to explain before the timeline begins: call advance() with a time first")
        recorded = None
        if self._core.recorded:
            recorded = Recorded(self.recorded(), lambda goal: Lasting(None, *self._until(goal)))
        return ask(self._core, evidence, self._start, self.time, read_goal(atom), all, whole=False, recorded=recorded)

    def _until(self, atom: Atom) -> tuple[int | None, bool, bool]:
        """Until when an atom will hold if nothing arrives, that its begin is unknown, and whether the end is exact."""
        from laser.engine.explain import holds_until

        until, exact = holds_until(self, atom)
        return until, False, exact

    @property
    def stats(self) -> Stats:
        """The number of facts and atoms that are alive now."""
        facts: dict[Predicate, int] = {}
        for (name, length), relations in self._machine.inputs_by_predicate.items():
            facts[Predicate(name, length - 1)] = max(len(relation.live()) for relation in relations)
        derived = {predicate: len(relation.live()) for predicate, relation in self._machine.outputs}
        return Stats(facts, derived, sum(len(relation.live()) for relation in self._machine.relations))

    # -- moving on

    def point(self, time: TimeInput) -> int:
        """The time point of a date or a number. With the first date, the times of the run are dates."""
        if type(time) is int:
            return check_time(time)
        if is_date(time) and not self._core.dates:
            if self._machine.time >= 0:
                raise TimeError(f"{time!r} is a date, but the times of this run so far are numbers")
            self._begin(self._program, replace(self._settings, dates=True))
        return self._core.tick.point(time)

    def advance(self, time: TimeInput, facts: Iterable[FactInput] = ()) -> Changes:
        """Move to a time and take its facts; at the present, take more facts. Returns the changes of the output, in order."""
        self._check_usable()
        point = self._check_time(self.point(time))
        if self._program.inputs:
            with texts_in(self._core.tick.zone):
                facts = [of_types(to_atom(fact), self._program.inputs, self._core.tick.zone) for fact in listed(facts)]
        return self._take(point, facts)

    def take(self, point: int, facts: list[Any]) -> Changes:
        """The same for a time point and facts whose declared types a reader has already checked."""
        self._check_usable()
        return self._take(self._check_time(point), facts)

    def _take(self, point: int, facts: Iterable[FactInput]) -> Changes:
        if self._core.tick.zone is UTC:
            given, groups = receive(facts, self._known)
        else:
            with texts_in(self._core.tick.zone):
                given, groups = receive(facts, self._known)
        try:
            shifts = self._advance(point, groups, given)
            self._snapshot.note(shifts)
            return Changes(shifts)
        except BaseException as error:
            self._broken = f"{type(error).__name__}: {error}"
            raise

    def _check_usable(self) -> None:
        if self._broken is not None:
            raise LaserError(f"this reasoner failed before and cannot continue: {self._broken}")

    def _check_time(self, time: int) -> int:
        present = self._machine.time
        if time < present:
            raise TimeError(f"time {time} is before the present, {present}")
        if self._start is not None and time < self._start:
            raise TimeError(f"time {time} is before the start of the timeline, {self._start}")
        return time

    def _advance(self, time: int, groups: Groups, given: list[Key]) -> list[Shift]:
        self._next = None
        if not self._not_streamed.isdisjoint(groups):
            self._replan(groups)
        if self._start is None:
            self._start = time
        if not self._is_held:
            return self._move(time, groups, given)
        return self._warm_up(time, groups, given)

    @property
    def _is_held(self) -> bool:
        """Whether the warm-up is not over, so that there is no output yet."""
        return self._core.warmup > 0 and (self._start is None or self._machine.time < self._start + self._core.warmup)

    def _warm_up(self, time: int, groups: Groups, given: list[Key]) -> list[Shift]:
        """Move on without output; if the warm-up ends on the way, everything that holds then begins at that time."""
        assert self._start is not None
        end = self._start + self._core.warmup
        if time < end:
            self._move(time, groups, given)
            return []
        self._move(end, *((groups, given) if time == end else ({}, [])))
        held = [shift._replace(begun=tuple(shift.begun)) for shift in self._machine.holding() if shift.begun]
        return held if time == end else held + self._move(time, groups, given)

    def _move(self, time: int, groups: Groups, given: list[Key]) -> list[Shift]:
        """Move the machine to a time, beginning the timeline if necessary."""
        machine = self._machine
        shifts: list[Shift] = []
        if machine.time < 0:
            assert self._start is not None
            machine.begin(self._start)
            shifts = machine.tick(self._start, {}, ()) if self._start < time else []
        if machine.time == time and not given:
            return []
        if 0 <= machine.time < time - 1:
            shifts += machine.skip_to(time)
        return shifts + machine.tick(time, groups, given)

    def _replan(self, groups: Iterable[tuple[str, int]]) -> None:
        """Make a new plan, because a predicate that rules derive, or that has background data, also arrives in the stream."""
        news = {Predicate(name, length - 1) for name, length in self._not_streamed.intersection(groups)}
        machine = self._new_machine(self._machine.plan.also_streamed | news)
        self._machine = machine if self._machine.time < 0 else copy_inputs(self._machine, machine)
        self._not_streamed = self._find_not_streamed()

    @property
    def next_wake(self) -> int | None:
        """A time before which nothing changes if nothing arrives; None if nothing will ever change.

        It costs nothing and may be too early; ``next_change`` looks ahead instead. A driver sets its timer to this time.
        """
        self._check_usable()
        if self._machine.time < 0 or self._is_held:
            return None if self._start is None else self._start + self._core.warmup
        return self._machine.next_wake()

    @property
    def next_change(self) -> int | None:
        """The next time at which the output changes if nothing arrives; None if it never does.

        It is found by looking ahead in a copy. If a program needs every tick, it looks ahead a few hundred ticks, and then
        returns the first time that it did not look at.
        """
        self._check_usable()
        machine = self._machine
        if machine.time < 0:
            return self.next_wake
        if self._next is None or self._next[0] != machine.time:
            self._next = (machine.time, self._look_ahead())
        return self._next[1]

    def _look_ahead(self) -> int | None:
        if self._machine.next_wake() is None and not self._is_held:
            return None
        present = self._machine
        ahead = copy_inputs(present, Machine(present.module, self._limit, Reports(silent=True)))
        if self._is_held and self._start is not None:
            end = self._start + self._core.warmup
            ahead.skip_to(end)
            ahead.tick(end, {}, ())
            if any(shift.begun for shift in ahead.holding()):
                return end
        for _ in range(MOST_SILENT_TICKS):
            wake = ahead.next_wake()
            if wake is None or ahead.tick(wake, {}, ()):
                return wake
        return ahead.time + 1

    # -- copying and saving

    def __copy__(self) -> Reasoner:
        """An independent reasoner in the same state."""
        self._check_usable()
        other = object.__new__(Reasoner)
        other.__dict__.update(self.__dict__)
        other._known, other._snapshot, other._reports = set(self._known), Snapshot(), Reports()
        other._reports.texts.update(self._reports.texts)
        machine = Machine(self._machine.module, self._limit, other._reports)
        other._machine = machine if self._machine.time < 0 else copy_inputs(self._machine, machine)
        return other

    def __deepcopy__(self, memo: object) -> Reasoner:
        return self.__copy__()

    def __reduce__(self) -> NoReturn:
        raise TypeError("a reasoner cannot be pickled: use save() and Reasoner.restore()")

    def save(self) -> bytes:
        """The state as bytes, for ``restore``; docs/state.md describes the format."""
        self._check_usable()
        return encode(self._machine, self._start)

    @classmethod
    def restore(cls, program: Program | str, data: bytes, **options: Unpack[ReasonerOptions]) -> Reasoner:
        """A reasoner that continues from a saved state; StateError if the state belongs to another program."""
        program = parse(program) if isinstance(program, str) else expect_program(program)
        return cls.of(program, RunSettings.read(options, ReasonerOptions, program.zone), data)

    def _resume(self, data: bytes) -> None:
        fresh = self._machine
        self._machine, self._start = decode(
            data, self._core, lambda streamed: self._new_machine(streamed) if streamed else fresh
        )
        self._not_streamed = self._find_not_streamed()
