"""Facts as they come in: checked, in one form, grouped by predicate.

Hundreds of thousands of facts may come in one call, so the checks run over whole batches in C where they can; what they
find odd (text, decimals, truth values, numbers of other libraries) takes the slow way, fact by fact.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from operator import itemgetter
from typing import Any, TypeAlias

from laser.analysis.facts import GivenFact, to_atom
from laser.engine.relation import Key
from laser.errors import FactError
from laser.terms import Atom, Iri, check_predicate_name

__all__ = ["Groups", "receive", "take"]

Groups: TypeAlias = dict[tuple[Any, int], list[Key]]
"""Facts by the name of their predicate and their length as tuples."""

_PLAIN_VALUES = frozenset({str, int, Iri})
_name_of = itemgetter(0)


def take(facts: Iterable[GivenFact]) -> list[Key]:
    """Facts as flat tuples in their order, or FactError and nothing taken."""
    if isinstance(facts, str):
        raise FactError(f"facts come in a list: write [{facts!r}]")
    try:
        given: list[Any] = facts if type(facts) is list else list(facts)
    except TypeError:
        raise FactError(f"facts come in a list, not as {type(facts).__name__}") from None
    kinds = set(map(type, given))
    if kinds == {tuple} and _PLAIN_VALUES.issuperset(map(type, chain.from_iterable(given))):
        return given
    if kinds == {Atom}:
        return list(map(tuple, given))
    return [tuple(to_atom(fact)) for fact in given]


def receive(facts: Iterable[GivenFact], known: set[tuple[str, int]]) -> tuple[list[Key], Groups]:
    """Facts in their order and by predicate; signatures that are not known yet are checked."""
    given = take(facts)
    groups = group(given)
    if any(type(name) is Iri for name, _ in groups):
        given = [tuple(to_atom(fact)) for fact in given]
        groups = group(given)
    for signature in groups.keys() - known:
        if signature[1] == 0:
            raise FactError("() is no fact: a tuple begins with the name of a predicate")
        check_predicate_name(signature[0])
        known.add(signature)
    return given, groups


def group(facts: list[Key]) -> Groups:
    """Facts by name and length."""
    lengths = set(map(len, facts))
    if len(lengths) == 1 and 0 not in lengths and len(names := set(map(_name_of, facts))) == 1:
        return {(names.pop(), lengths.pop()): facts}
    groups: Groups = {}
    for fact in facts:
        signature = (fact[0] if fact else "", len(fact))
        several = groups.get(signature)
        if several is None:
            groups[signature] = [fact]
        else:
            several.append(fact)
    return groups
