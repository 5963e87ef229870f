"""Builds the plan of a program."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import reduce
from itertools import product
from typing import assert_never

from laser.plan.access import AccessPaths
from laser.plan.aggregates import Aggregates, threshold
from laser.plan.anonymous import anonymise
from laser.plan.gates import set_gates
from laser.plan.nodes import Node, Pending, Pinned, Plain, Points, Recorded, RecordedDated, Shared, Steady, Unit
from laser.plan.order import components
from laser.plan.plan import Part, Plan, PlanRule, Subgoal
from laser.plan.sharing import canonical, share_bodies, skip_copies
from laser.plan.stages import Option, Stage, stages
from laser.rules.body import Aggregate, Always, At, AtLeast, BodyElement, Comparison, ExtendedAtom, Now, Sometime
from laser.rules.rule import ResolvedProgram, Rule
from laser.syntax.tree import Term, Variable
from laser.values import Predicate
from laser.windows import HISTORY, TimeWindow

__all__ = ["build"]


def build(program: ResolvedProgram, also_streamed: frozenset[Predicate] = frozenset()) -> Plan:
    """The plan of a program, given the derived or background predicates that also stream in."""
    paths = AccessPaths(program, also_streamed)
    planner = _Planner(program, paths)
    written = [planned for rule in map(anonymise, program.rules) for planned in planner.rules(rule, _head(rule))]
    written += planner.aggregates.rules + planner.stages
    written += _arrivals(written)
    outputs = {predicate: paths.output(predicate) for predicate in sorted(program.derived) if program.shows(predicate)}
    recorded = {predicate: paths.output(predicate) for predicate in sorted(_recorded(written, paths))}
    made = share_bodies(list(dict.fromkeys(written)))
    made += [rule for several in paths.rules.values() for rule in several]
    rules, aliases = skip_copies(made)
    rules = set_gates(rules)
    return Plan(
        program=program,
        also_streamed=also_streamed,
        rules=tuple(rules),
        components=components(rules, [aliases.get(n, n) for n in (*outputs.values(), *recorded.values())]),
        outputs={predicate: aliases.get(node, node) for predicate, node in outputs.items()},
        records={predicate: aliases.get(node, node) for predicate, node in recorded.items()},
        aliases=aliases,
    )


class _Planner:
    """Plans rules of a program, and the aggregates in them."""

    def __init__(self, program: ResolvedProgram, paths: AccessPaths) -> None:
        self.paths = paths
        self.aggregates = Aggregates(program, self.rules, paths.project)
        self.staged: dict[frozenset[PlanRule], Shared] = {}
        self.stages: list[PlanRule] = []

    def rules(self, rule: Rule, head: Node) -> Iterator[PlanRule]:
        """A rule of the program as rules of the plan: more than one if an element is a disjunction."""
        options = [Option(element, tuple(self.ways(rule, element))) for element in rule.body]
        *first, last = stages(options, rule.head_terms)
        before: tuple[Subgoal, ...] = ()
        for stage in first:
            before = (self.stage(rule, before, stage),)
        yield from self.joined(rule, before, last, head, rule.head_terms)

    def stage(self, rule: Rule, before: tuple[Subgoal, ...], stage: Stage) -> Subgoal:
        """The node of a part of a body; equal parts share one node."""
        made = list(self.joined(rule, before, stage, Shared("stage", 0, len(stage.needed)), stage.needed))
        shape = frozenset(replace(canonical(each), text="") for each in made)
        node = self.staged.get(shape)
        if node is None:
            node = self.staged[shape] = Shared("stage", len(self.staged), len(stage.needed))
            self.stages += [replace(each, head=node) for each in made]
        return Subgoal(node, stage.needed)

    def joined(
        self, rule: Rule, before: tuple[Subgoal, ...], stage: Stage, head: Node, terms: tuple[Term, ...]
    ) -> Iterator[PlanRule]:
        """The rules that join the elements of a stage with the results of earlier stages."""
        project = self.paths.project
        for choice in product(*(option.ways for option in stage.options)):
            whole = reduce(Part.and_also, choice, Part(before))
            positives = whole.positives or (Subgoal(Unit(), ()),)
            if (
                len(whole.positives) + len(whole.negatives) > 1
            ):  # a body of one atom needs no projection: the head is one
                positives = tuple(map(project, positives))
            yield PlanRule(
                head=head,
                terms=terms,
                positives=positives,
                negatives=tuple(map(project, whole.negatives)),
                tests=whole.tests,
                text=rule.text,
            )

    def ways(self, rule: Rule, element: BodyElement) -> Iterator[Part]:
        """The ways to make an element of a rule true."""
        match element:
            case Comparison():
                compared = any(_speaks_of(element, each) for each in rule.aggregates if threshold(rule, each))
                yield Part() if compared else Part(tests=(element,))
            case Aggregate():
                yield from self.aggregates.parts(rule, element)
            case ExtendedAtom():
                yield from _atom(element, self.paths)
            case _:
                assert_never(element)


def _speaks_of(test: Comparison, aggregate: Aggregate) -> bool:
    return aggregate.result in test.terms


def _atom(element: ExtendedAtom, paths: AccessPaths) -> Iterator[Part]:
    """The ways to make an atom true."""
    if element.negated_inside:
        yield from _absent(element, paths)
    elif element.negated:
        yield Part((), (_node_for(element, paths),))
    else:
        yield Part(positives=(_subgoal(element, paths),))


def _absent(element: ExtendedAtom, paths: AccessPaths) -> Iterator[Part]:
    """``⊞ @T ¬ a`` and its negation: T is in the window, and a does not hold at T."""
    assert isinstance(element.modality, At)
    time = element.modality.time
    if _is_anonymous(time):
        yield from _absent_somewhere(element, time, paths)
        return
    there = _node_for(element, paths)
    if not element.negated:
        yield from map(Part((), (there,)).and_also, paths.inside(element.window, element.args, time))
    else:  # T is not in the window, or a holds there
        yield from paths.outside(element.window, element.args, time)
        yield Part((there,))


def _absent_somewhere(element: ExtendedAtom, time: Term, paths: AccessPaths) -> Iterator[Part]:
    """``⊞ @_ ¬ a``: the window has a time point at which a does not hold, so it does not hold at every one."""
    kept = tuple(i for i, term in enumerate(element.args) if not _is_anonymous(term))
    node = paths.always_some(element.predicate, element.window, kept)
    always = Subgoal(node, tuple(element.args[i] for i in kept))
    window = element.window
    some = (Subgoal(Points(window), (time,)),) if isinstance(window, TimeWindow) and window.may_be_empty else ()
    if not element.negated:
        yield Part(some, (always,))
    else:  # the window is empty, or a holds at every time point
        yield from (Part((), (point,)) for point in some)
        yield Part((always,))


def _subgoal(element: ExtendedAtom, paths: AccessPaths) -> Subgoal:
    """The subgoal for a positive atom; its reader may have to check if a key is in the window."""
    if isinstance(element.modality, At) and not _asks_for_any_time(element, element.modality.time):
        return paths.at(element.predicate, element.window, element.terms)
    return _node_for(element, paths)


def _node_for(element: ExtendedAtom, paths: AccessPaths) -> Subgoal:
    """The node for an extended atom, positive or negative, that knows when its keys end."""
    match element.modality:
        case Now() | Sometime():
            return Subgoal(paths.sometime(element.predicate, element.window), element.args)
        case Always():
            return Subgoal(paths.always(element.predicate, element.window), element.args)
        case AtLeast(times=times):
            return Subgoal(paths.at_least(element.predicate, element.window, times), element.args)
        case At(time=time):
            if _asks_for_any_time(element, time):
                return Subgoal(paths.sometime(element.predicate, element.window), element.args)
            return Subgoal(paths.dated(element.predicate, element.window), element.terms)
        case _:
            assert_never(element.modality)


def _asks_for_any_time(element: ExtendedAtom, time: Term) -> bool:
    """``⊞ @_ a`` is ``⊞ ◇ a``."""
    return element.window != HISTORY and _is_anonymous(time)


def _is_anonymous(term: Term) -> bool:
    return isinstance(term, Variable) and term.is_anonymous


def _head(rule: Rule) -> Node:
    if rule.time is None:
        return Plain(rule.predicate)
    return Pinned(rule.predicate) if _has_come(rule) else Pending(rule.predicate)


def _has_come(rule: Rule) -> bool:
    """Whether the time of a head is certain to be in the timeline, because some body atom holds at it."""
    times = {atom.time for atom in rule.found_atoms if not atom.negated}
    return isinstance(rule.time, Variable) and rule.time in times


def _recorded(written: list[PlanRule], paths: AccessPaths) -> set[Predicate]:
    """The predicates whose record is read."""
    rules = (*written, *(rule for several in paths.rules.values() for rule in several))
    found: set[Node] = set()
    new = {subgoal.node for rule in rules for subgoal in rule.subgoals}
    while new := new - found:
        found |= new
        new = {source for node in new for source in node.sources}
    kinds = (Recorded, RecordedDated, Steady)
    return {node.predicate for node in found if isinstance(node, kinds)}


def _arrivals(written: list[PlanRule]) -> list[PlanRule]:
    """The rules that activate atoms derived for a future time once that time has come."""
    pending = {rule.head for rule in written if isinstance(rule.head, Pending)}
    made = []
    for node in sorted(pending, key=str):
        terms = tuple(Variable(f"V{i}") for i in range(node.width))
        text = f"{node.predicate} when T has come"
        made.append(PlanRule(Pinned(node.predicate), terms, (Subgoal(node, terms),), text=text))
    return made
