"""Checks facts against the input types that a program declares."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, tzinfo

from laser.errors import FactError
from laser.syntax.tree import InputDirective
from laser.values import Atom, Predicate

__all__ = ["of_types"]


def of_types(fact: Atom, inputs: Mapping[Predicate, InputDirective], zone: tzinfo = UTC) -> Atom:
    """The fact, if its values have the declared types; otherwise FactError names the value that has not.

    A time without a zone is in ``zone``.

    >>> from laser.syntax.parser import parse_tree
    >>> inputs = parse_tree("#input hr(patient: string, bpm: number).").inputs
    >>> of_types(Atom("hr", ("p1", 80)), inputs)
    hr(p1, 80)
    """
    declared = inputs.get(fact.signature)
    if declared is None:
        _check_arity(fact, inputs)
        return fact
    values = []
    for (name, kind), value in zip(declared.fields, fact.args, strict=True):
        try:
            values.append(kind.check(value, zone))
        except FactError as error:
            raise FactError(f"{name} of {fact}: {error}") from None
    return Atom.of((fact.predicate, *values))


def _check_arity(fact: Atom, inputs: Mapping[Predicate, InputDirective]) -> None:
    """A fact with the name of an input and another number of arguments is a mistake, not another predicate."""
    arity = next((predicate.arity for predicate in inputs if predicate.name == fact.predicate), None)
    if arity is not None:
        raise FactError(f"{fact} has the wrong number of arguments: the program declares {fact.predicate}/{arity}")
