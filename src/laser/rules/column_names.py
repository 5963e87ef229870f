"""The column names of answers: the names of input columns, passed on through the rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from laser.rules.rule import ResolvedProgram, Rule
from laser.syntax import tree
from laser.values import Predicate

__all__ = ["are_distinct", "column_names", "free_name"]

RESERVED = ("since", "until", "time", "holds")
"""The columns of every answer besides its arguments."""


def column_names(core: ResolvedProgram, given: Mapping[Predicate, Sequence[str]]) -> dict[Predicate, list[str]]:
    """A derived column has the name of the column that it comes from, or of the variable in the head of its first rule."""
    sources = {predicate: [{name} for name in names] for predicate, names in given.items()}
    while any(_spread(rule, sources) for rule in core.rules):
        pass
    first = {rule.predicate: rule for rule in reversed(core.rules)}
    return {predicate: _distinct(rule, sources[predicate]) for predicate, rule in first.items()}


def _spread(rule: Rule, sources: dict[Predicate, list[set[str]]]) -> bool:
    flowing: dict[tree.Term, set[str]] = {}
    for atom in rule.atoms:
        if atom.is_positive:
            for term, names in zip(atom.args, sources.get(atom.predicate, []), strict=False):
                flowing.setdefault(term, set()).update(names)
    known = sources.setdefault(rule.predicate, [set() for _ in rule.args])
    before = sum(map(len, known))
    for column, term in zip(known, rule.args, strict=True):
        if isinstance(term, tree.Variable):
            column |= flowing.get(term, set())
    return sum(map(len, known)) > before


def _distinct(rule: Rule, sources: list[set[str]]) -> list[str]:
    names: list[str] = []
    flowing = [next(iter(names)) if len(names) == 1 else None for names in sources]
    for i, term in enumerate(rule.args):
        variable = term.name if isinstance(term, tree.Variable) and not term.name.startswith("_") else None
        once = flowing[i] if flowing.count(flowing[i]) == 1 else None
        name = once or (variable.lower() if variable else f"arg{i + 1}")
        names.append(free_name(name, names))
    return names


def are_distinct(names: Sequence[str]) -> bool:
    """Whether these names can be used together for the arguments of an answer."""
    return len({name.lower() for name in (*names, *RESERVED)}) == len(names) + len(RESERVED)


def free_name(name: str, taken: Sequence[str]) -> str:
    """A free name for another argument of an answer.

    >>> free_name("m", ["M", "v"]), free_name("since", [])
    ('m_', 'since_')
    """
    while not are_distinct([*taken, name]):
        name += "_"
    return name
