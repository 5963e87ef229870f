"""What holds at one evaluation time, found from the question backwards.

Facts are looked up where they are asked for. Derived atoms are derived when and as far as somebody asks: rules run with what the
question binds. Only predicates that depend on themselves are completed first, round by round.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain as joined
from typing import Any

from laser.errors import LimitError
from laser.explanation.questions import Question, Rules, arrange, emit_head, solver
from laser.explanation.solve import Binding, Emit, chain
from laser.explanation.table import Entry, Facts, Key, Table
from laser.rules.body import ALWAYS, ExtendedAtom
from laser.rules.rule import Rule
from laser.values import Atom, Predicate, Value
from laser.windows import HISTORY, TupleWindow, Window

__all__ = ["Instance", "OutOfBudget", "World", "key_values"]

MOST_DERIVATIONS = 1_000_000
"""After so many in one component, a recursion counts as endless."""
MOST_RECORDED = 100_000
"""So many rule instances of recursions are remembered; beyond, all are forgotten and searched for when they are needed."""
FEW = 8
"""So many atoms are followed through a window one by one; for more, the whole window is looked at once."""


@dataclass(frozen=True, slots=True)
class Instance:
    """A rule with values for its variables."""

    rule: Rule
    binding: dict[str, Value]

    @classmethod
    def of(cls, rule: Rule, binding: Binding) -> Instance:
        """The instance of a solution; what a lone ``_`` stands for is no part of it."""
        return cls(rule, {n: v for n, v in binding.items() if type(n) is str and not n.startswith("_#")})

    @property
    def key(self) -> Any:
        return id(self.rule), frozenset(self.binding.items())


class OutOfBudget(Exception):  # noqa: N818 - no error: a question that costs too much is left open
    """The work that was allowed is done."""


class World:
    """The stream over [start, time] with what rules derive at ``time``."""

    def __init__(self, rules: Rules, facts: Facts, start: int, time: int, budget: list[int] | None = None) -> None:
        self.rules, self.facts, self.start, self.time = rules, facts, start, time
        self.core = rules.core
        self.budget = budget
        self.known: dict[tuple[Any, ...], list[Entry]] = {}
        self.complete: dict[Predicate, Table] = {}
        self.ranks: dict[Entry, int] = {}
        self.recorded: dict[Entry, dict[Any, Instance]] | None = {}
        self.records = 0

    # -- windows

    def bounds(self, window: Window) -> tuple[int, int]:
        """The first and the last time point of a window; the first lies after the last where there is none."""
        points = window.points(self.time, self.start, self)
        return points.start, points.stop - 1

    def time_of(self, back: int) -> int | None:
        """The time of the ``back``-th last fact; None where fewer have come."""
        count = self.facts.count(self.time)
        return self.facts.history[count - back][0] if count >= back else None

    # -- what there is

    def background(self, predicate: Predicate, key: Key, values: Any) -> list[Atom]:
        """Background data with these values."""
        table = self.rules.background.get((predicate.name, predicate.arity + 1))
        return [] if table is None else [atom for _, atom in table.find(key, values, 0, 0)]

    def find(
        self, predicate: Predicate, key: Key, values: Any, low: int, high: int, window: Window = HISTORY
    ) -> Iterator[Entry]:
        """Facts and derived atoms with these values in [low, high]; in a tuple window, the facts that it has."""
        if isinstance(window, TupleWindow):
            found = self.facts.tail(window.reach.tuples, self.time, predicate).find(key, values, low, high)
            return iter(self._paid(found))
        facts = self.facts.table(predicate, low).find(key, values, low, high)
        if predicate not in self.rules.by_predicate:
            return iter(self._paid(facts))
        return joined(self._paid(facts), self._paid(self.derived(predicate, key, values, low, high)))

    def _paid(self, entries: Sequence[Entry]) -> Sequence[Entry]:
        if self.budget is not None:
            self.budget[0] -= 1 + len(entries)
            if self.budget[0] < 0:
                raise OutOfBudget
        return entries

    def steady(self, element: ExtendedAtom, key: Key, values: Any) -> Iterator[Atom]:
        """The atoms with these values that hold at every time point of a window."""
        low, high = self.bounds(element.window)
        background = self.background(element.predicate, key, values)
        yield from background
        now = {atom for _, atom in self.find(element.predicate, key, values, high, high, element.window)}
        now.difference_update(background)
        if low == high or not now:
            yield from now
        elif len(now) <= FEW:
            for atom in now:
                if len(self.times(element, atom, low, high)) == high - low + 1:
                    yield atom
        else:
            there: dict[Atom, set[int]] = {atom: set() for atom in now}
            for time, atom in self.find(element.predicate, key, values, low, high, element.window):
                if atom in there:
                    there[atom].add(time)
            yield from (atom for atom, times in there.items() if len(times) == high - low + 1)

    def times(self, element: ExtendedAtom, atom: Atom, low: int, high: int) -> set[int]:
        """The time points of [low, high] at which an atom is a fact (of the element's window) or derived."""
        key = tuple(range(1, len(atom)))
        return {time for time, _ in self.find(element.predicate, key, key_values(atom), low, high, element.window)}

    def is_fact(self, time: int, atom: Atom) -> bool:
        key = tuple(range(1, len(atom)))
        return bool(self.facts.table(atom.signature, time).find(key, key_values(atom), time, time))

    def record(self, entry: Entry, instance: Instance) -> None:
        """Keep a rule instance of a recursion, as long as they are not too many."""
        if self.recorded is not None:
            self.recorded.setdefault(entry, {})[instance.key] = instance
            self.records += 1
            if self.records > MOST_RECORDED:
                self.recorded = None

    def recalled(self, entry: Entry) -> list[Instance] | None:
        """The instances of a recursion that derive an entry; None where they were too many to remember."""
        self.ensure(entry[1].signature)
        return None if self.recorded is None else list(self.recorded.get(entry, {}).values())

    # -- what follows

    def derived(self, predicate: Predicate, key: Key, values: Any, low: int, high: int) -> Sequence[Entry]:
        """What rules derive with these values for [low, high]."""
        if predicate in self.rules.untimed:
            if not low <= self.time <= high:
                return ()
            low = high = self.time
        if predicate in self.rules.component:
            self.ensure(predicate)
            return self.complete[predicate].find(key, values, low, high)
        name = (predicate, key, values, low, high)
        found = self.known.get(name)
        if found is None:
            found = self.known[name] = self._derive(predicate, key, values, low, high)
        return found

    def _derive(self, predicate: Predicate, key: Key, values: Any, low: int, high: int) -> list[Entry]:
        found: dict[Entry, None] = {}
        flat: Sequence[Value] = values if len(key) != 1 else (values,)
        for rule in self.rules.by_predicate.get(predicate, ()):
            if rule.time is not None or low <= self.time <= high:
                self.solve(rule, key, flat, low, high, found)
        return list(found)

    def solve(
        self, rule: Rule, key: Key, values: Sequence[Value], low: int, high: int, found: dict[Entry, None]
    ) -> None:
        """Add to ``found`` what one rule derives."""
        question = self.rules.question(rule, key, low == high)
        binding = solver(question, key, values, low, high)
        if binding is not None:
            question.step(self, binding, emit_head(question, (key, values, low, high), found, self.time))

    def ensure(self, predicate: Predicate) -> None:
        """Complete a component, after all those on which it may depend."""
        for part in self.rules.order if predicate not in self.complete else ():
            if part & self.rules.component.keys() and not part & self.complete.keys():
                Rounds(self, part).run()
            if predicate in part:
                break


class Rounds:
    """A component, completed round by round: each round solves rules with what the round before added."""

    def __init__(self, world: World, part: frozenset[Predicate]) -> None:
        self.world, self.part = world, part
        self.tables = {predicate: Table(ordered=False) for predicate in part}
        self.seen: set[Entry] = set()
        self.rank = 0

    def run(self) -> None:
        world = self.world
        world.complete.update(self.tables)
        rules = [rule for rule in world.core.rules if rule.predicate in self.part]
        fresh = self._round([(rule, None) for rule in rules], {})
        turns = [turn for rule in rules for turn in self._turns(rule)]
        while fresh:
            fresh = self._round(turns, fresh)

    def _turns(self, rule: Rule) -> Iterator[tuple[Rule, ExtendedAtom | None]]:
        """The elements through which a rule can get something new; None stands for all of it anew."""
        inside = [e for e in rule.body if isinstance(e, ExtendedAtom) and e.predicate in self.part]
        if any(element.modality == ALWAYS for element in inside):
            yield rule, None
        else:
            yield from ((rule, element) for element in inside)

    def _round(
        self, turns: Sequence[tuple[Rule, ExtendedAtom | None]], fresh: dict[Predicate, Table]
    ) -> dict[Predicate, Table]:
        self.rank += 1
        added: dict[Entry, None] = {}
        for rule, element in turns:
            if element is None or element.predicate in fresh:
                self._solve(rule, element, fresh, added)
            if len(self.seen) + len(added) > MOST_DERIVATIONS:
                raise LimitError(
                    f"more than {MOST_DERIVATIONS} derivations by the recursive rule: {rule.text}", rule.text
                )
        return self._keep(added)

    def _solve(
        self, rule: Rule, element: ExtendedAtom | None, fresh: dict[Predicate, Table], added: dict[Entry, None]
    ) -> None:
        world = self.world
        question = world.rules.question(rule, (), False)
        binding = solver(question, (), (), world.start, world.time)
        assert binding is not None
        step = question.step
        if element is not None:
            step = chain(arrange(rule.body, frozenset(), question.ranged, element), frozenset(), question.ranged)
        found: dict[Entry, None] = {}
        emit = self._recording(rule, question, found)
        if element is None:
            step(world, binding, emit)
        else:
            self._with_delta(element, fresh[element.predicate], lambda: step(world, binding, emit))
        added.update((entry, None) for entry in found if entry not in self.seen)

    def _recording(self, rule: Rule, question: Question, found: dict[Entry, None]) -> Emit:
        """Make the head, and keep the instance: to search for it again would mean to go through all candidates."""
        world = self.world
        made: dict[Entry, None] = {}
        make = emit_head(question, ((), (), world.start, world.time), made, world.time)

        def emit(binding: Binding) -> bool:
            make(binding)
            for entry in made:
                found[entry] = None
                world.record(entry, Instance.of(rule, binding))
            made.clear()
            return False  # whatever was made: all instances are wanted

        return emit

    def _with_delta(self, element: ExtendedAtom, table: Table, run: Any) -> None:
        """Run with one element reading what is new; it comes first, so that what it reads is read once."""
        self.world.complete[element.predicate] = _Once(self.tables[element.predicate], table)
        try:
            run()
        finally:
            self.world.complete[element.predicate] = self.tables[element.predicate]

    def _keep(self, added: dict[Entry, None]) -> dict[Predicate, Table]:
        fresh: dict[Predicate, Table] = {}
        for entry in added:
            self.seen.add(entry)
            self.world.ranks[entry] = self.rank
            self.tables[entry[1].signature].add(entry)
            fresh.setdefault(entry[1].signature, Table(ordered=False)).add(entry)
        return fresh


class _Once(Table):
    """A table that answers its first question with what is new, and all later ones with everything."""

    def __init__(self, whole: Table, fresh: Table) -> None:
        super().__init__(ordered=False)
        self.whole, self.fresh, self.asked = whole, fresh, False

    def find(self, key: Key, values: Any, low: int, high: int) -> Sequence[Entry]:
        table, self.asked = (self.whole if self.asked else self.fresh), True
        return table.find(key, values, low, high)


def key_values(atom: Atom) -> Any:
    """All arguments of an atom, as tables are asked for them."""
    return atom[1] if len(atom) == 2 else tuple(atom[1:])
