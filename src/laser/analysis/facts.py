"""Facts as users give them: text, tuples or atoms."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

from laser.errors import FactError
from laser.syntax.facts import parse_fact
from laser.terms import Atom

__all__ = ["GivenFact", "to_atom", "to_atoms"]

GivenFact: TypeAlias = str | tuple[Any, ...] | Atom


def to_atom(fact: GivenFact) -> Atom:
    """One fact as an atom, or FactError."""
    if type(fact) is Atom:
        return fact
    if isinstance(fact, str):
        return parse_fact(fact)
    if isinstance(fact, list | tuple) and fact:
        return Atom(fact[0], fact[1:])
    raise FactError(f"{fact!r} is no fact: give text like 'a(x, 1)', a tuple like ('a', 'x', 1) or an Atom")


def to_atoms(facts: Iterable[GivenFact]) -> list[Atom]:
    """Facts as atoms in their order, or FactError for the first that is none."""
    if isinstance(facts, str):
        raise FactError(f"facts come in a list: write [{facts!r}]")
    return [to_atom(fact) for fact in facts]
