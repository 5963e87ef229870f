"""Common parts are computed once: equal joins and bodies become one node, and copies of a node are that node."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain, groupby, permutations, product
from math import factorial, prod
from typing import TypeAlias

from laser.plan.nodes import Node, Plain, Shared
from laser.plan.plan import Derivation, Use
from laser.rules.body import Comparison
from laser.rules.graph import reachable
from laser.syntax.tree import Arithmetic, Term, Variable

__all__ = ["share_bodies", "skip_copies", "variables_of"]

Body: TypeAlias = tuple[tuple[Use, ...], tuple[Use, ...], tuple[Comparison, ...]]
"""The positive part of a body, the negated one, and the comparisons."""

MOST_ORDERS = 24
"""Orders of like atoms that are tried to find the one that all rules with that body agree on."""

CROWD = 16
"""So many rules share a join even where comparisons thin out what each takes of it: together they ask for most of it."""


def share_bodies(derivations: list[Derivation]) -> list[Derivation]:
    """Rules with a join in common read it from a shared node, and so do those with a whole body in common.

    The order of a body and the names of variables do not matter.
    """
    originals: dict[Derivation, Derivation] = {}
    for derivation in derivations:
        originals.setdefault(_canonical(derivation), derivation)
    crowds = Counter(derivation.uses for derivation in originals)

    def join(derivation: Derivation) -> Body | None:
        thinned = bool(derivation.tests) and crowds[derivation.uses] < CROWD
        several = len(derivation.uses) > 1 and _is_connected(derivation.uses)
        return (derivation.uses, (), ()) if several and not thinned else None

    joined = _factor(list(originals), "join", join)
    shared = _factor(joined, "body", lambda d: (d.uses, d.negatives, d.tests) if d.negatives or d.tests else None)
    return [originals.get(derivation, derivation) for derivation in shared]


def _is_connected(uses: tuple[Use, ...]) -> bool:
    """Whether variables lead from every atom to every other: nobody wants to keep a cross product."""
    links: dict[int | Variable, list[int | Variable]] = defaultdict(list)
    for place, use in enumerate(uses):
        for variable in (v for term in use.terms for v in variables_of(term)):
            links[place].append(variable)
            links[variable].append(place)
    return reachable(links, [0]).issuperset(range(len(uses)))


def _factor(derivations: list[Derivation], what: str, part: Callable[[Derivation], Body | None]) -> list[Derivation]:
    """Put a part that several derivations have into a node of its own."""
    groups: dict[Body, list[Derivation]] = defaultdict(list)
    for derivation in derivations:
        if (body := part(derivation)) is not None:
            groups[body].append(derivation)
    made: list[Derivation] = []
    nodes: dict[Body, Use] = {}
    for body, group in groups.items():
        if len(group) > 1:
            needed = _needed(body, group)
            nodes[body] = Use(Shared(what, len(nodes), len(needed)), needed)
            made.append(Derivation(nodes[body].node, needed, *body, text=group[0].text))
    return made + [_through(derivation, part(derivation), nodes) for derivation in derivations]


def _through(derivation: Derivation, body: Body | None, nodes: dict[Body, Use]) -> Derivation:
    if body is None or body not in nodes:
        return derivation
    _, negatives, tests = body
    return replace(
        derivation,
        uses=(nodes[body],),
        negatives=() if negatives else derivation.negatives,
        tests=() if tests else derivation.tests,
    )


def _needed(body: Body, group: list[Derivation]) -> tuple[Variable, ...]:
    """The variables that a part of the body binds and the rest of some derivation asks for, heads first."""
    uses, negatives, tests = body
    bound = {variable for use in uses for term in use.terms for variable in variables_of(term)}
    bound |= {variable for test in tests for side in (test.left, test.right) for variable in variables_of(side)}
    asked = [term for derivation in group for term in derivation.terms]
    for derivation in group:
        asked += [term for use in derivation.negatives if use not in negatives for term in use.terms]
        asked += [side for test in derivation.tests if test not in tests for side in (test.left, test.right)]
    return tuple(dict.fromkeys(v for term in asked for v in variables_of(term) if v in bound))


def _canonical(derivation: Derivation) -> Derivation:
    """The same derivation, its body in an order and with variables that do not depend on how it was written."""
    uses = min(_orders(derivation.uses), key=_pattern)
    negatives = tuple(sorted(derivation.negatives, key=_skeleton))
    tests = tuple(sorted(derivation.tests, key=lambda t: (t.operator, _shape(t.left), _shape(t.right))))
    order = [term for use in (*uses, *negatives) for term in use.terms]
    order += [term for test in tests for term in (test.left, test.right)]
    names: dict[str, str] = {}
    for term in order:
        for variable in variables_of(term):
            mark = "_#" if variable.name.startswith("_#") else "X"
            names.setdefault(variable.name, f"{mark}{len(names)}")
    return replace(
        derivation,
        terms=tuple(_rename(term, names) for term in derivation.terms),
        uses=tuple(replace(use, terms=tuple(_rename(t, names) for t in use.terms)) for use in uses),
        negatives=tuple(replace(use, terms=tuple(_rename(t, names) for t in use.terms)) for use in negatives),
        tests=tuple(Comparison(t.operator, _rename(t.left, names), _rename(t.right, names)) for t in tests),
    )


def _orders(uses: tuple[Use, ...]) -> Iterator[tuple[Use, ...]]:
    """The orders of a body that its atoms' shapes allow; only the first of them where there are too many."""
    tied = [list(group) for _, group in groupby(sorted(uses, key=_skeleton), key=_skeleton)]
    if prod(factorial(len(group)) for group in tied) > MOST_ORDERS:
        yield tuple(chain.from_iterable(tied))
    else:
        yield from map(tuple, map(chain.from_iterable, product(*map(permutations, tied))))


def _pattern(uses: tuple[Use, ...]) -> list[int]:
    """Which variables are the same, told by where each occurs first."""
    seen: dict[Term, int] = {}
    return [seen.setdefault(term, len(seen)) for use in uses for term in use.terms]


def _skeleton(use: Use) -> tuple[str, str, str]:
    return (str(use.node), ",".join(map(_shape, use.terms)), str(use.cap))


def _shape(term: Term) -> str:
    match term:
        case Variable():
            return "V"
        case Arithmetic(operator=operator, operands=operands):
            return f"{operator}({','.join(map(_shape, operands))})"
        case _:
            return repr(term)


def _rename(term: Term, names: dict[str, str]) -> Term:
    match term:
        case Variable(name=name):
            return Variable(names[name])
        case Arithmetic(operator=operator, operands=operands):
            return Arithmetic(operator, tuple(_rename(operand, names) for operand in operands))
        case _:
            return term


def variables_of(term: Term) -> list[Variable]:
    """The variables of a term, in order, without their places."""
    match term:
        case Variable(name=name):
            return [Variable(name)]
        case Arithmetic(operands=operands):
            return [variable for operand in operands for variable in variables_of(operand)]
        case _:
            return []


def skip_copies(derivations: list[Derivation]) -> tuple[list[Derivation], dict[Node, Node]]:
    """A derived predicate that only repeats another node *is* that node: ``q(A, B) :- p(A, B) in [9]`` costs nothing."""
    made: dict[Node, list[Derivation]] = defaultdict(list)
    for derivation in derivations:
        made[derivation.head].append(derivation)
    aliases: dict[Node, Node] = {}
    for head, several in made.items():
        if len(several) == 1 and isinstance(head, Plain) and _is_copy(several[0]):
            source = several[0].uses[0].node
            while source in aliases:
                source = aliases[source]
            if source != head:
                aliases = {node: source if target == head else target for node, target in aliases.items()}
                aliases[head] = source
    kept = [_redirect(d, aliases) for d in derivations if d.head not in aliases]
    return kept, aliases


def _is_copy(derivation: Derivation) -> bool:
    use = derivation.uses[0]
    plain = len(derivation.uses) == 1 and use.cap is None and not derivation.negatives and not derivation.tests
    distinct = len(set(use.terms)) == len(use.terms) and all(isinstance(term, Variable) for term in use.terms)
    return plain and distinct and use.terms == derivation.terms


def _redirect(derivation: Derivation, aliases: dict[Node, Node]) -> Derivation:
    return replace(
        derivation,
        uses=tuple(replace(use, node=aliases.get(use.node, use.node)) for use in derivation.uses),
        negatives=tuple(replace(use, node=aliases.get(use.node, use.node)) for use in derivation.negatives),
    )
