"""The columns of derived predicates, found before anything runs: their kinds, by the types of arguments, and their names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from laser.errors import LaserError
from laser.rules.rule import ResolvedProgram, Rule
from laser.rules.types import ClashError, argument_types
from laser.spark.column_names import free_name
from laser.spark.columns import kind_of, static_type
from laser.syntax import tree
from laser.values import Predicate

__all__ = ["Flow", "find_flow"]


@dataclass(frozen=True)
class Flow:
    """The kinds of the columns of every predicate, and the names of those that rules derive."""

    kinds: Mapping[Predicate, Sequence[str]]
    names: Mapping[Predicate, Sequence[str]]

    def of(self, predicate: Predicate) -> Sequence[str]:
        """The kinds of a predicate's columns."""
        return self.kinds.get(predicate, [kind_of(None)] * predicate.arity)


def find_flow(
    core: ResolvedProgram,
    inputs: Mapping[Predicate, tuple[Sequence[str], Sequence[str]]],
    mixed: bool = False,
) -> Flow:
    """The columns of every predicate; ``inputs`` has the kinds and the names of those of the input.

    If ``mixed``, a column into which numbers and strings flow becomes text in the notation of programs.
    """
    given = {predicate: list(map(static_type, kinds)) for predicate, (kinds, _) in inputs.items()}
    try:
        types = argument_types(core, given, mixed)
    except ClashError as clash:
        one, other = kind_of(clash.one), kind_of(clash.other)
        cure = "cast one of them, or allow columns of mixed terms (mixed=True)"
        raise LaserError(f"{one} and {other} meet in {clash.place}: {cure}") from None
    kinds = {predicate: list(map(kind_of, several)) for predicate, several in types.items()}
    return Flow(kinds, _names(core, {predicate: names for predicate, (_, names) in inputs.items()}))


def _names(core: ResolvedProgram, given: Mapping[Predicate, Sequence[str]]) -> dict[Predicate, list[str]]:
    """A derived column is called as the one that flows into it, or as the variable in the head of its first rule."""
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
