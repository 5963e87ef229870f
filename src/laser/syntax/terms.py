"""Walks over terms: their parts, variables and values. Other modules use these functions.

(The reference and the proof checker have their own, so that they stay independent of what they check.)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from laser.syntax import tree
from laser.values import Time, Value
from laser.values.functions import FUNCTIONS
from laser.values.operations import apply
from laser.zones import zone_of

__all__ = ["evaluate", "in_zone", "is_ground", "rename", "subterms", "variables"]

NO_CONSTANTS: Mapping[str, Value] = MappingProxyType({})


def subterms(term: tree.Term) -> Iterator[tree.Term]:
    """A term and all its subterms, in the order of the text. An aggregate counts as one term, without its body."""
    stack = [term]
    while stack:
        top = stack.pop()
        yield top
        match top:
            case tree.Arithmetic(operands=operands):
                stack.extend(reversed(operands))
            case tree.Range(low=low, high=high):
                stack.extend((high, low))


def variables(terms: Iterable[tree.Term]) -> Iterator[tree.Variable]:
    """Every occurrence of a variable."""
    for outer in terms:
        if isinstance(outer, tree.Variable):
            yield outer
        elif isinstance(outer, tree.Arithmetic | tree.Range):  # others have no parts, and they are most
            yield from (term for term in subterms(outer) if isinstance(term, tree.Variable))


def evaluate(
    term: tree.Term, binding: Mapping[str, Value], constants: Mapping[str, Value] = NO_CONSTANTS
) -> Value | None:
    """The value of a term, given the values of variables and constants; None if it has no value."""
    match term:
        case tree.Constant(value=value):
            return value
        case tree.Variable(name=name):
            return binding.get(name)
        case tree.ConstantName(name=name):
            return constants.get(name)
        case tree.Arithmetic(operator=operator, operands=operands):
            parts = [evaluate(operand, binding, constants) for operand in operands]
            return apply(operator, *(part for part in parts if part is not None)) if None not in parts else None
        case tree.Range() | tree.Aggregate():
            return None


def in_zone(term: tree.Term, zone: str) -> tree.Term:
    """The same term, with the zone of the run added to functions that need it and to times that have none."""
    match term:
        case tree.Constant(value=Time() as value, span=span, is_local=True):
            return tree.Constant(Time.of(value.moment.replace(tzinfo=zone_of(zone))), span)
        case tree.Arithmetic(operator=operator, operands=operands, span=span):
            inner = tuple(in_zone(operand, zone) for operand in operands)
            function = FUNCTIONS.get(operator)
            told = (tree.Constant(zone),) if function is not None and function.in_zone else ()
            return tree.Arithmetic(operator, (*inner, *told), span)
        case _:
            return term


def is_ground(term: tree.Term) -> bool:
    """Whether a term contains no variable, so that it has at most one value."""
    return not any(isinstance(part, tree.Variable | tree.Range | tree.Aggregate) for part in subterms(term))


def rename(term: tree.Term, names: Mapping[str, str]) -> tree.Term:
    """The same term with other names for its variables."""
    match term:
        case tree.Variable(name=name):
            return tree.Variable(names[name])
        case tree.Arithmetic(operator=operator, operands=operands):
            return tree.Arithmetic(operator, tuple(rename(operand, names) for operand in operands))
        case _:
            return term
