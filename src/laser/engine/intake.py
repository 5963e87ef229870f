"""Incoming facts: checks them, brings them into one form, and groups them by predicate.

One call may have hundreds of thousands of facts, so the checks run over whole batches in C if possible. Facts that
need conversion (strings, truth values, numbers of other libraries) are checked one by one, which is slower.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import chain
from typing import Any, TypeAlias

from laser.engine.relation import Key
from laser.errors import FactError
from laser.values import PLAIN_CLASSES, Atom, check_predicate_name
from laser.values.facts import FactInput, to_atom

__all__ = ["Groups", "listed", "receive"]

MOST_KNOWN = 10_000
"""The number of predicates whose names are remembered as valid; a stream may have new ones without end."""

Groups: TypeAlias = dict[tuple[str, int], set[Key]]
"""Facts by the name of their predicate and their length as tuples. The sets are shared: do not modify them."""


def receive(facts: Iterable[FactInput], known: set[tuple[str, int]]) -> tuple[list[Key], Groups]:
    """Facts in their order and by predicate. A FactError rejects all of them."""
    given = listed(facts)
    if not given:
        return given, {}
    given, groups = _single(given) or _in_bulk(given) or _one_by_one(given)
    if not known.issuperset(groups):
        unknown = groups.keys() - known
        for name in dict.fromkeys(fact[0] for fact in given):  # in order, so that the first bad name is reported
            check_predicate_name(name)
        if len(known) > MOST_KNOWN:
            known.clear()
        known |= unknown
    return given, groups


def to_keys(facts: Iterable[FactInput]) -> list[Key]:
    """Facts as flat tuples in their order. A FactError rejects all of them."""
    given = listed(facts)
    if given and set(map(type, given)) == {Atom}:
        return list(map(tuple, given))
    return [tuple(to_atom(fact)) for fact in given]


def listed(facts: Iterable[FactInput]) -> list[Any]:
    """Facts as a list; FactError if the argument is a single fact."""
    if isinstance(facts, str):
        raise FactError(f"facts must be in a list: write [{facts!r}]")
    if type(facts) is list:
        return facts
    try:
        each = iter(facts)
    except TypeError:
        each = None
    if each is None or isinstance(facts, Atom):
        raise FactError(f"facts must be in a list, not {type(facts).__name__}")
    return list(each)


def _one_by_one(given: list[Any]) -> tuple[list[Key], Groups]:
    taken = to_keys(given)
    return taken, _group(set(taken))


def _single(given: list[Any]) -> tuple[list[Key], Groups] | None:
    """The same for a single fact, the common case in a live stream."""
    fact = given[0]
    if len(given) > 1 or type(fact) is not tuple or not fact or type(fact[0]) is not str:
        return None
    return (given, {(fact[0], len(fact)): {fact}}) if PLAIN_CLASSES.issuperset(map(type, fact)) else None


def _in_bulk(given: list[Any]) -> tuple[list[Key], Groups] | None:
    """The same if all facts are tuples of Python's own strings and numbers, or IRIs; None otherwise.

    All facts are checked, not only the distinct ones: in a set, ``("p", True)`` equals ``("p", 1)``. The values are
    chained and not zipped, because a zip of many tuples creates as many iterators and triggers the garbage collector.
    """
    if list(map(type, given)).count(tuple) != len(given):
        return None
    values = list(chain.from_iterable(given))
    kinds = set(map(type, values))
    if not kinds <= PLAIN_CLASSES:
        decimals = _with_decimals(given, values) if kinds - PLAIN_CLASSES == {float} else None
        if decimals is None:
            return None
        given = decimals
    distinct = set(given)
    length = len(given[0])
    rows = distinct if 2 * len(distinct) < len(given) else given  # iterating over a set is slower
    if length and set(map(len, rows)) == {length}:
        names = values[::length]
        if names.count(names[0]) == len(names) and type(names[0]) is str:
            return given, {(names[0], length): distinct}
    if () in distinct:
        return None
    groups = _group(distinct)
    return (given, groups) if all(type(name) is str for name, _ in groups) else None


def _with_decimals(given: list[Any], values: list[Any]) -> list[Key] | None:
    """Facts with decimals, where 1.0 becomes 1; None if a closer look is needed."""
    decimals = [value for value in values if type(value) is float]
    if not all(map(math.isfinite, decimals)):
        return None
    if not any(map(float.is_integer, decimals)):
        return given
    length = len(given[0])
    if set(map(len, given)) != {length}:
        return None
    whole = [int(value) if type(value) is float and value.is_integer() else value for value in values]
    return list(zip(*[iter(whole)] * length, strict=True))


def _group(facts: set[Key]) -> Groups:
    """Facts by name and length."""
    groups: Groups = {}
    for fact in facts:
        signature = (fact[0], len(fact))
        several = groups.get(signature)
        if several is None:
            groups[signature] = {fact}
        else:
            several.add(fact)
    return groups
