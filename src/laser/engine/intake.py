"""Facts as they come in: checked, in one form, grouped by predicate.

Hundreds of thousands of facts may come in one call, so the checks run over whole batches in C where they can; what they
find odd (text, decimals, truth values, numbers of other libraries) takes the slow way, fact by fact.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

from laser.analysis.facts import GivenFact, to_atom
from laser.engine.relation import Key
from laser.errors import FactError
from laser.terms import Atom, Iri, check_predicate_name

__all__ = ["Groups", "receive", "take"]

Groups: TypeAlias = dict[tuple[Any, int], list[Key]]
"""Facts by the name of their predicate and their length as tuples."""

_PLAIN_VALUES = frozenset({str, int, Iri})


def receive(facts: Iterable[GivenFact], known: set[tuple[str, int]]) -> tuple[list[Key], Groups]:
    """Facts in their order and by predicate, or FactError and nothing taken."""
    given = _listed(facts)
    groups = _plain_group(given)
    if groups is None:
        given = take(given)
        groups = _group(given)
    for signature in groups.keys() - known:
        check_predicate_name(signature[0])
        known.add(signature)
    return given, groups


def take(facts: Iterable[GivenFact]) -> list[Key]:
    """Facts as flat tuples in their order, or FactError and nothing taken."""
    given = _listed(facts)
    if given and set(map(type, given)) == {Atom}:
        return list(map(tuple, given))
    return [tuple(to_atom(fact)) for fact in given]


def _listed(facts: Iterable[GivenFact]) -> list[Any]:
    if isinstance(facts, str):
        raise FactError(f"facts come in a list: write [{facts!r}]")
    if type(facts) is list:
        return facts
    try:
        each = iter(facts)
    except TypeError:
        each = None
    if each is None or isinstance(facts, Atom):
        raise FactError(f"facts come in a list, not as {type(facts).__name__}")
    return list(each)


def _plain_group(given: list[Any]) -> Groups | None:
    """The one group of facts that are tuples of one predicate, column by column of kinds that need no second look."""
    if set(map(type, given)) != {tuple}:
        return None
    try:
        names, *columns = zip(*given, strict=True)
    except ValueError:
        return None
    if set(map(type, names)) != {str} or len(several := set(names)) != 1:
        return None
    if not all(set(map(type, column)) <= _PLAIN_VALUES for column in columns):
        return None
    return {(several.pop(), len(columns) + 1): given}


def _group(facts: list[Key]) -> Groups:
    """Facts by name and length."""
    groups: Groups = {}
    for fact in facts:
        signature = (fact[0], len(fact))
        several = groups.get(signature)
        if several is None:
            groups[signature] = [fact]
        else:
            several.append(fact)
    return groups
