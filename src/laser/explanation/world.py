"""Finds what holds at one evaluation time, starting from the question.

Facts are looked up on demand. Atoms are derived only on demand, by rules that run with the values of the question. Only
recursive predicates are completed first, round by round.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain as joined
from typing import Any, TypeAlias, assert_never

from laser.errors import LimitError
from laser.explanation.element import Binding, Emit
from laser.explanation.explainers import explainer_of
from laser.explanation.questions import RuleQuery, Rules, emit_head, solver, steps
from laser.explanation.table import Facts, Positions, Table, TimedAtom, all_positions, given_values
from laser.rules.body import BodyElement, ExtendedAtom
from laser.rules.rule import Rule
from laser.values import Atom, Predicate, Value
from laser.windows import HISTORY, LastFacts, LastOf, TimeWindow, Window

__all__ = ["Instance", "OutOfBudget", "World"]

MOST_DERIVATIONS = 1_000_000
"""After this many derivations in one component, a recursion is assumed to be endless."""
MOST_REMEMBERED = 20_000
"""The number of rule instances of recursions that are kept; beyond it, only the first of each atom, which depends on earlier
atoms."""
FEW = 8
"""Up to this many atoms are followed through a window one by one; for more, the whole window is read once."""


@dataclass(frozen=True, slots=True)
class Instance:
    """A rule with values for its variables."""

    rule: Rule
    binding: dict[str, Value]
    """The values; those of ``_`` are not included."""

    @classmethod
    def of(cls, query: RuleQuery, binding: Binding) -> Instance:
        """The instance of a solution."""
        return cls(query.rule, {name: binding[name] for name in query.names})

    @property
    def key(self) -> Any:
        return id(self.rule), frozenset(self.binding.items())


class OutOfBudget(Exception):  # noqa: N818 - not an error: a question that costs too much is left open
    """The work limit is reached."""


class World:
    """The stream over [start, time] with what rules derive at ``time``."""

    def __init__(self, rules: Rules, facts: Facts, start: int, time: int, budget: list[int] | None = None) -> None:
        self.rules, self.facts, self.start, self.time = rules, facts, start, time
        self.core = rules.core
        self.budget = budget
        self.known: dict[tuple[Any, ...], list[TimedAtom]] = {}
        self.complete: dict[Predicate, Table] = {}
        self.instances: dict[TimedAtom, dict[Any, Instance]] = {}
        self.remembers = 0

    # -- windows

    def bounds(self, window: Window, key: tuple[Value, ...] | None = ()) -> tuple[int, int]:
        """The first and the last time point of a window; for an empty window, the first is after the last.

        If a window counts per key and the key is not known, it may cover the whole timeline.
        """
        if key is None:
            return self.start, self.time
        points = window.points(self.time, self.start, _Counted(self, window, key))
        return points.start, points.stop - 1

    def counted(self, window: LastFacts | LastOf, key: tuple[Value, ...], size: int) -> Sequence[TimedAtom]:
        """The last facts that a tuple window counts, as many as its size."""
        match window:
            case LastFacts():
                return self.facts.last(size, self.time)
            case LastOf():
                return self.facts.part(window, key, self.time)[-size:]
            case _:
                assert_never(window)

    # -- what is known

    def background(self, predicate: Predicate, positions: Positions, values: Any) -> list[Atom]:
        """Background data with these values."""
        table = self.rules.background.get(predicate)
        return [] if table is None else [atom for _, atom in table.find(positions, values, 0, 0)]

    def find(
        self, predicate: Predicate, positions: Positions, values: Any, low: int, high: int, window: Window = HISTORY
    ) -> Iterator[TimedAtom]:
        """Facts and derived atoms with these values in [low, high]; in a tuple window, the facts that it has."""
        match window:
            case LastFacts(size=size):
                found = self.facts.tail(size, self.time, predicate).find(positions, values, low, high)
                return iter(self._paid(found))
            case LastOf():
                return iter(self._paid(self.facts.latest(window, self.time).find(positions, values, low, high)))
            case TimeWindow():
                facts = self.facts.table(predicate, low).find(positions, values, low, high)
                if predicate not in self.core.derived:
                    return iter(self._paid(facts))
                recorded = self.facts.recorded(predicate, positions, values, low, min(high, self.time - 1))
                derived = self.derived(predicate, positions, values, low, high)
                return joined(self._paid(facts), self._paid(recorded), self._paid(derived))
            case _:
                assert_never(window)

    def _paid(self, entries: Sequence[TimedAtom]) -> Sequence[TimedAtom]:
        if self.budget is not None:
            self.budget[0] -= 1 + len(entries)
            if self.budget[0] < 0:
                raise OutOfBudget
        return entries

    def at_every_point(self, element: ExtendedAtom, positions: Positions, values: Any) -> Iterator[Atom]:
        """The atoms with these values that hold at every time point of a window, if it has any."""
        window = element.window
        if isinstance(window, LastOf):
            yield from self._at_every_point_of_its_key(element, window, positions, values)
            return
        low, high = self.bounds(window)
        if low > high:
            return
        background = self.background(element.predicate, positions, values)
        yield from background
        last = {atom for _, atom in self.find(element.predicate, positions, values, high, high, element.window)}
        last.difference_update(background)
        if low == high or not last:
            yield from last
        elif len(last) <= FEW:
            yield from (atom for atom in last if self._count(element, atom, low, high) == high - low + 1)
        else:
            there: dict[Atom, set[int]] = {atom: set() for atom in last}
            for time, atom in self.find(element.predicate, positions, values, low, high, element.window):
                if atom in there:
                    there[atom].add(time)
            yield from (atom for atom, times in there.items() if len(times) == high - low + 1)

    def _at_every_point_of_its_key(
        self, element: ExtendedAtom, window: LastOf, positions: Positions, values: Any
    ) -> Iterator[Atom]:
        """The same for a window per key, where each atom has the time points of its own key."""
        background = self.background(element.predicate, positions, values)
        yield from background
        now = {atom for _, atom in self.find(element.predicate, positions, values, self.time, self.time, window)}
        for atom in now.difference(background):
            low, high = self.bounds(window, window.key_of(atom))
            if self._count(element, atom, low, high) == high - low + 1:
                yield atom

    def at_many_points(self, element: ExtendedAtom, times: int, positions: Positions, values: Any) -> Iterator[Atom]:
        """The atoms with these values that hold at this many or more time points of a window."""
        window = element.window
        low, high = self.bounds(window, None if isinstance(window, LastOf) else ())
        background = self.background(element.predicate, positions, values)
        yield from (atom for atom in background if self._length(window, atom) >= times)
        found = set(self.find(element.predicate, positions, values, low, high, element.window)) if low <= high else ()
        counts = Counter(atom for _, atom in found)
        yield from (atom for atom, count in counts.items() if count >= times and atom not in background)

    def _length(self, window: Window, atom: Atom) -> int:
        """The number of time points in the window of an atom."""
        low, high = self.bounds(window, window.key_of(atom) if isinstance(window, LastOf) else ())
        return high - low + 1

    def _count(self, element: ExtendedAtom, atom: Atom, low: int, high: int) -> int:
        """The number of time points in [low, high] at which an atom is a fact (of the element's window) or derived."""
        positions, values = all_positions(atom), given_values(atom[1:])
        found = self.find(element.predicate, positions, values, low, high, element.window)
        return len({time for time, _ in found})

    def is_fact(self, time: int, atom: Atom) -> bool:
        return bool(self.facts.table(atom.signature, time).times_of(atom, time, time))

    def is_recorded(self, time: int, atom: Atom) -> bool:
        return time < self.time and self.facts.spell(time, atom) is not None

    def remember(self, entry: TimedAtom, instance: Instance) -> None:
        """Keep a rule instance of a recursion, because finding it again may need a search through all candidates."""
        known = self.instances.setdefault(entry, {})
        if not known or self.remembers < MOST_REMEMBERED:
            known[instance.key] = instance
            self.remembers += 1

    def remembered(self, entry: TimedAtom) -> list[Instance]:
        """The instances of a recursion that derive an entry."""
        self.ensure(entry[1].signature)
        return list(self.instances.get(entry, {}).values())

    # -- what is derived

    def derived(
        self, predicate: Predicate, positions: Positions, values: Any, low: int, high: int
    ) -> Sequence[TimedAtom]:
        """What rules derive with these values for [low, high]."""
        if predicate in self.rules.untimed:
            if not low <= self.time <= high:
                return ()
            low = high = self.time
        if predicate in self.rules.component:
            self.ensure(predicate)
            return self.complete[predicate].find(positions, values, low, high)
        name = (predicate, positions, values, low, high)
        found = self.known.get(name)
        if found is None:
            found = self.known[name] = self._derive(predicate, positions, values, low, high)
        return found

    def _derive(self, predicate: Predicate, positions: Positions, values: Any, low: int, high: int) -> list[TimedAtom]:
        found: dict[TimedAtom, None] = {}
        flat: Sequence[Value] = values if len(positions) != 1 else (values,)
        for rule in self.core.rules_of(predicate):
            if rule.time is not None or low <= self.time <= high:
                query = self.rules.query(rule, positions, low == high)
                binding = solver(query, positions, flat, low, high)
                if binding is not None:
                    query.step(self, binding, emit_head(query, (positions, flat, low, high), found, self.time))
        return list(found)

    def ensure(self, predicate: Predicate) -> None:
        """Complete a component, after all components that it may depend on."""
        for part in self.rules.order if predicate not in self.complete else ():
            if part & self.rules.component.keys() and not part & self.complete.keys():
                Rounds(self, part).run()
            if predicate in part:
                break


@dataclass(frozen=True, slots=True)
class _Counted:
    """The facts that a tuple window counts, read on demand."""

    world: World
    window: Window
    key: tuple[Value, ...]

    def time_of(self, back: int) -> int | None:
        """The time of the ``back``-th last fact; None if fewer facts have arrived."""
        assert isinstance(self.window, LastFacts | LastOf)
        last = self.world.counted(self.window, self.key, back)
        return last[0][0] if len(last) == back else None


Turn: TypeAlias = tuple[Rule, BodyElement | None, Predicate]
"""A rule, the element that reads something new (None: any), and the predicate that this element reads."""


class Rounds:
    """A component that is completed round by round: each round solves rules with the atoms of the previous round."""

    def __init__(self, world: World, part: frozenset[Predicate]) -> None:
        self.world, self.part = world, part
        self.tables = {predicate: Table(ordered=False) for predicate in part}
        self.seen: set[TimedAtom] = set()

    def run(self) -> None:
        world = self.world
        world.complete.update(self.tables)
        rules = [rule for rule in world.core.rules if rule.predicate in self.part]
        fresh = self._round([(rule, None, rule.predicate) for rule in rules], {})
        turns = [turn for rule in rules for turn in self._turns(rule)]
        while fresh:
            fresh = self._round(turns, fresh)

    def _turns(self, rule: Rule) -> Iterator[Turn]:
        """The elements through which a rule can read new atoms; None means that the whole rule is solved again."""
        inside = [(e, r.atom.predicate) for e in rule.body for r in e.reads() if r.atom.predicate in self.part]
        if all(explainer_of(element).joins_one_by_one(element) for element, _ in inside):
            yield from ((rule, element, predicate) for element, predicate in inside)
        else:
            yield rule, None, rule.predicate

    def _round(self, turns: Sequence[Turn], fresh: dict[Predicate, Table]) -> dict[Predicate, Table]:
        added: dict[TimedAtom, None] = {}
        for rule, element, predicate in turns:
            if element is None:
                self._solve(rule, added)
            elif predicate in fresh:
                self._solve_with(rule, element, _Once(predicate, self.tables[predicate], fresh[predicate]), added)
            if len(self.seen) + len(added) > MOST_DERIVATIONS:
                raise LimitError(
                    f"more than {MOST_DERIVATIONS} derivations by the recursive rule: {rule.text}", rule.text
                )
        return self._keep(added)

    def _solve(self, rule: Rule, added: dict[TimedAtom, None], first: BodyElement | None = None) -> None:
        """Add what a rule derives, solving one element of its body first."""
        world = self.world
        query = world.rules.query(rule, (), False)
        binding = solver(query, (), (), world.start, world.time)
        assert binding is not None
        step = query.step if first is None else steps(rule.body, frozenset(), query.ranged, first)
        found: dict[TimedAtom, None] = {}
        step(world, binding, self._remembering(query, found))
        added.update((entry, None) for entry in found if entry not in self.seen)

    def _solve_with(self, rule: Rule, element: BodyElement, news: _Once, added: dict[TimedAtom, None]) -> None:
        """Solve with one element reading the new atoms; it comes first, so that each is read once."""
        self.world.complete[news.predicate] = news
        try:
            self._solve(rule, added, element)
        finally:
            self.world.complete[news.predicate] = news.whole

    def _remembering(self, query: RuleQuery, found: dict[TimedAtom, None]) -> Emit:
        """Build the head, and keep the instance."""
        world = self.world
        made: dict[TimedAtom, None] = {}
        make = emit_head(query, ((), (), world.start, world.time), made, world.time)

        def emit(binding: Binding) -> bool:
            make(binding)
            for entry in made:
                found[entry] = None
                world.remember(entry, Instance.of(query, binding))
            made.clear()
            return False  # continue, because all instances are needed

        return emit

    def _keep(self, added: dict[TimedAtom, None]) -> dict[Predicate, Table]:
        fresh: dict[Predicate, Table] = {}
        for entry in added:
            self.seen.add(entry)
            self.tables[entry[1].signature].add(entry)
            fresh.setdefault(entry[1].signature, Table(ordered=False)).add(entry)
        return fresh


class _Once(Table):
    """A table that answers the first query with the new atoms, and all later queries with all atoms."""

    def __init__(self, predicate: Predicate, whole: Table, fresh: Table) -> None:
        super().__init__(ordered=False)
        self.predicate, self.whole, self.fresh, self.asked = predicate, whole, fresh, False

    def find(self, positions: Positions, values: Any, low: int, high: int) -> Sequence[TimedAtom]:
        table, self.asked = (self.whole if self.asked else self.fresh), True
        return table.find(positions, values, low, high)
