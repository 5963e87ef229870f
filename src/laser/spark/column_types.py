"""Finds the columns of derived predicates before anything runs: their kinds, from the types of arguments, and their names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from laser.errors import LaserError
from laser.rules.column_names import column_names
from laser.rules.rule import ResolvedProgram
from laser.rules.types import ClashError, argument_types
from laser.spark.columns import kind_of, static_type
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
    """The columns of every predicate; ``inputs`` has the kinds and names of the input columns.

    If ``mixed``, a column with both numbers and strings becomes text in the notation of programs.
    """
    given = {predicate: list(map(static_type, kinds)) for predicate, (kinds, _) in inputs.items()}
    try:
        types = argument_types(core, given, mixed)
    except ClashError as clash:
        one, other = kind_of(clash.one), kind_of(clash.other)
        cure = "cast one of them, or allow columns of mixed terms (mixed=True)"
        raise LaserError(f"values of the types {one} and {other} would be in {clash.place}: {cure}") from None
    kinds = {predicate: list(map(kind_of, several)) for predicate, several in types.items()}
    return Flow(kinds, column_names(core, {predicate: names for predicate, (_, names) in inputs.items()}))
