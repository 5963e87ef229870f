"""Common parts are computed once: equal bodies become one node, and copies of a node are that node."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TypeAlias

from laser.analysis.core import Test
from laser.plan.nodes import Node, Plain, Shared
from laser.plan.plan import Derivation, Use
from laser.syntax.tree import Arithmetic, Term, Variable

__all__ = ["share_bodies", "skip_copies", "variables_of"]

Body: TypeAlias = tuple[tuple[Use, ...], tuple[Use, ...], tuple[Test, ...]]


def share_bodies(derivations: list[Derivation]) -> list[Derivation]:
    """Rules with one body in common read it from a shared node; the order and the names of variables do not matter."""
    originals: dict[Derivation, Derivation] = {}
    for derivation in derivations:
        originals.setdefault(_canonical(derivation), derivation)
    groups: dict[Body, list[Derivation]] = defaultdict(list)
    for canonical in originals:
        groups[canonical.uses, canonical.negatives, canonical.tests].append(canonical)
    made: list[Derivation] = []
    for body, group in groups.items():
        worth_it = len(group) > 1 and (len(body[0]) > 1 or body[1] or body[2])
        made += _through_shared(len(made), group) if worth_it else [originals[d] for d in group]
    return made


def _through_shared(number: int, group: list[Derivation]) -> list[Derivation]:
    needed = tuple(dict.fromkeys(v for d in group for term in d.terms for v in variables_of(term)))
    node = Shared(number, len(needed))
    first = replace(group[0], head=node, terms=needed, text=group[0].text)
    return [first, *(Derivation(d.head, d.terms, (Use(node, needed),), text=d.text) for d in group)]


def _canonical(derivation: Derivation) -> Derivation:
    """The same derivation, its body in an order and with variables that do not depend on how it was written."""
    uses = tuple(sorted(derivation.uses, key=_skeleton))
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
        tests=tuple(Test(t.operator, _rename(t.left, names), _rename(t.right, names)) for t in tests),
    )


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
