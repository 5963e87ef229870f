"""Shares common parts, so that they are computed once: equal joins and bodies become one node, and copies are removed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain, groupby, permutations, product
from math import factorial, prod
from typing import TypeAlias

from laser.plan.nodes import Aggregated, Node, Plain, Shared, Steady
from laser.plan.plan import PlanRule, Subgoal
from laser.rules.body import Comparison
from laser.rules.graph import reachable
from laser.syntax.terms import rename, variables
from laser.syntax.tree import Arithmetic, Term, Variable
from laser.windows import HISTORY

__all__ = ["canonical", "share_bodies", "skip_copies"]

Body: TypeAlias = tuple[tuple[Subgoal, ...], tuple[Subgoal, ...], tuple[Comparison, ...]]
"""The positive part of a body, the negated part, and the comparisons."""

MOST_ORDERS = 24
"""The number of orders of similar atoms that are tried to find a canonical one."""

CROWD = 16
"""This many rules share a join even if comparisons filter it in each: together they need most of it."""


def share_bodies(rules: list[PlanRule]) -> list[PlanRule]:
    """Rules with a common join read it from a shared node, and so do rules with a common body.

    The order of a body and the names of variables do not matter.
    """
    originals: dict[PlanRule, PlanRule] = {}
    for rule in rules:
        originals.setdefault(canonical(rule), rule)
    crowds = Counter(rule.positives for rule in originals)

    def join(rule: PlanRule) -> Body | None:
        thinned = bool(rule.tests) and crowds[rule.positives] < CROWD
        several = len(rule.positives) > 1 and _is_connected(rule.positives)
        return (rule.positives, (), ()) if several and not thinned else None

    joined = _factor(list(originals), "join", join)
    shared = _factor(joined, "body", lambda d: (d.positives, d.negatives, d.tests) if d.negatives or d.tests else None)
    return [originals.get(rule, rule) for rule in shared]


def _is_connected(positives: tuple[Subgoal, ...]) -> bool:
    """Whether variables connect all atoms, so that the join is not a cross product."""
    links: dict[int | Variable, list[int | Variable]] = defaultdict(list)
    for place, subgoal in enumerate(positives):
        for variable in variables(subgoal.terms):
            links[place].append(variable)
            links[variable].append(place)
    return reachable(links, [0]).issuperset(range(len(positives)))


def _factor(rules: list[PlanRule], what: str, part: Callable[[PlanRule], Body | None]) -> list[PlanRule]:
    """Move a part that several rules share into a node of its own."""
    groups: dict[Body, list[PlanRule]] = defaultdict(list)
    for rule in rules:
        if (body := part(rule)) is not None:
            groups[body].append(rule)
    made: list[PlanRule] = []
    nodes: dict[Body, Subgoal] = {}
    for body, group in groups.items():
        if len(group) > 1:
            needed = _needed(body, group)
            nodes[body] = Subgoal(Shared(what, len(nodes), len(needed)), needed)
            made.append(PlanRule(nodes[body].node, needed, *body, text=group[0].text))
    return made + [_through(rule, part(rule), nodes) for rule in rules]


def _through(rule: PlanRule, body: Body | None, nodes: dict[Body, Subgoal]) -> PlanRule:
    if body is None or body not in nodes:
        return rule
    _, negatives, tests = body
    return replace(
        rule,
        positives=(nodes[body],),
        negatives=() if negatives else rule.negatives,
        tests=() if tests else rule.tests,
    )


def _needed(body: Body, group: list[PlanRule]) -> tuple[Variable, ...]:
    """The variables that a part of the body binds and the rest of some rule needs, heads first."""
    positives, negatives, tests = body
    bound = {variable for subgoal in positives for term in subgoal.terms for variable in variables((term,))}
    bound |= {variable for test in tests for side in (test.left, test.right) for variable in variables((side,))}
    asked = [term for rule in group for term in rule.terms]
    for rule in group:
        asked += [term for subgoal in rule.negatives if subgoal not in negatives for term in subgoal.terms]
        asked += [side for test in rule.tests if test not in tests for side in (test.left, test.right)]
    return tuple(dict.fromkeys(v for term in asked for v in variables((term,)) if v in bound))


def canonical(rule: PlanRule) -> PlanRule:
    """The same rule in canonical form: the order of its body and its variables do not depend on how it was written."""
    positives = min(_orders(rule.positives), key=_pattern)
    negatives = tuple(sorted(rule.negatives, key=_skeleton))
    tests = tuple(sorted(rule.tests, key=lambda t: (t.operator, _shape(t.left), _shape(t.right))))
    order = [term for subgoal in (*positives, *negatives) for term in subgoal.terms]
    order += [term for test in tests for term in (test.left, test.right)]
    names: dict[str, str] = {}
    for term in order:
        for variable in variables((term,)):
            fresh = Variable.anonymous(len(names)).name if variable.is_anonymous else f"X{len(names)}"
            names.setdefault(variable.name, fresh)
    return replace(
        rule,
        terms=tuple(rename(term, names) for term in rule.terms),
        positives=tuple(
            replace(subgoal, terms=tuple(rename(t, names) for t in subgoal.terms)) for subgoal in positives
        ),
        negatives=tuple(
            replace(subgoal, terms=tuple(rename(t, names) for t in subgoal.terms)) for subgoal in negatives
        ),
        tests=tuple(Comparison(t.operator, rename(t.left, names), rename(t.right, names)) for t in tests),
    )


def _orders(positives: tuple[Subgoal, ...]) -> Iterator[tuple[Subgoal, ...]]:
    """The possible orders of a body with atoms sorted by shape; only the first if there are too many."""
    tied = [list(group) for _, group in groupby(sorted(positives, key=_skeleton), key=_skeleton)]
    if prod(factorial(len(group)) for group in tied) > MOST_ORDERS:
        yield tuple(chain.from_iterable(tied))
    else:
        yield from map(tuple, map(chain.from_iterable, product(*map(permutations, tied))))


def _pattern(positives: tuple[Subgoal, ...]) -> list[int]:
    """The positions at which each variable occurs first, which show the equal variables."""
    seen: dict[Term, int] = {}
    return [seen.setdefault(term, len(seen)) for subgoal in positives for term in subgoal.terms]


def _skeleton(subgoal: Subgoal) -> tuple[str, str, str]:
    return (str(subgoal.node), ",".join(map(_shape, subgoal.terms)), str(subgoal.window.reach.ticks))


def _shape(term: Term) -> str:
    match term:
        case Variable():
            return "V"
        case Arithmetic(operator=operator, operands=operands):
            return f"{operator}({','.join(map(_shape, operands))})"
        case _:
            return repr(term)


def skip_copies(rules: list[PlanRule]) -> tuple[list[PlanRule], dict[Node, Node]]:
    """A derived predicate that only repeats another node *is* that node: ``q(A, B) :- p(A, B) in [9]`` costs nothing."""
    made: dict[Node, list[PlanRule]] = defaultdict(list)
    for rule in rules:
        made[rule.head].append(rule)
    aliases: dict[Node, Node] = {}
    for head, several in made.items():
        if len(several) == 1 and isinstance(head, Plain) and _is_copy(several[0]):
            source = several[0].positives[0].node
            while source in aliases:
                source = aliases[source]
            if source != head:
                aliases = {node: source if target == head else target for node, target in aliases.items()}
                aliases[head] = source
    kept = [_redirect(d, aliases) for d in rules if d.head not in aliases]
    return kept, {head: _source(node, aliases) for head, node in aliases.items()}


def _is_copy(rule: PlanRule) -> bool:
    subgoal = rule.positives[0]
    plain = len(rule.positives) == 1 and subgoal.window == HISTORY and not rule.negatives and not rule.tests
    distinct = len(set(subgoal.terms)) == len(subgoal.terms) and all(
        isinstance(term, Variable) for term in subgoal.terms
    )
    return plain and distinct and subgoal.terms == rule.terms


def _redirect(rule: PlanRule, aliases: dict[Node, Node]) -> PlanRule:
    return replace(
        rule,
        positives=tuple(replace(subgoal, node=_source(subgoal.node, aliases)) for subgoal in rule.positives),
        negatives=tuple(replace(subgoal, node=_source(subgoal.node, aliases)) for subgoal in rule.negatives),
    )


def _source(node: Node, aliases: dict[Node, Node]) -> Node:
    """The node to read instead of another; its own source may be a copy, too."""
    source = aliases.get(node, node)
    match source:
        case Aggregated(tuples=tuples):
            return replace(source, tuples=_source(tuples, aliases))
        case Steady(source=below):
            return replace(source, source=_source(below, aliases))
        case _:
            return source
