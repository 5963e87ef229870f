"""The id of a program, which depends on its meaning and not on how it is written.

Resolving a program removes layout and comments. The id also ignores the names of variables (they are numbered in the order in
which they occur in their rule) and the order of rules and of data (they are sets). The order of a body counts: it does not
change answers, but it is hard to find out that two bodies differ only in their order.

Saved states and Spark checkpoints contain this id, so it must not change with the names of classes or the version of Python.
The code below lists exactly what is hashed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import blake2b, sha256
from typing import Any, assert_never

from laser.rules.body import (
    Aggregate,
    Always,
    At,
    AtLeast,
    BodyElement,
    Comparison,
    ExtendedAtom,
    Modality,
    Now,
    Sometime,
)
from laser.rules.rule import ResolvedProgram, Rule
from laser.syntax import tree
from laser.values import Atom, write_value

__all__ = ["fingerprint"]


def fingerprint(program: ResolvedProgram) -> str:
    """The id of a program with the constants, the tick and the background data of its run, in hexadecimal digits."""
    content: dict[str, Any] = {
        "rules": sorted({json.dumps(_Rule().of(rule)) for rule in program.rules}),
        "shown": None if program.shown is None else sorted(program.shown),
        **({"recorded": sorted(program.recorded)} if program.recorded else {}),
        "tick": str(program.tick.seconds),
        "background": [len(program.background), _set_hash(program.background)],
    }
    if program.warmup:
        content["warmup"] = program.warmup
    return sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _set_hash(atoms: Iterable[Atom]) -> str:
    """The sum of the hashes of the atoms. A sum does not depend on the order, and sorting is slower than hashing."""
    total = 0
    for atom in atoms:
        text = "\n".join(map(write_value, atom))  # no written value contains a line feed
        total += int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass")).digest(), "big")
    return f"{total % 2**512:x}"


@dataclass(frozen=True)
class _Rule:
    """A rule as plain lists, with numbered variables."""

    numbers: dict[str, int] = field(default_factory=dict)

    def of(self, rule: Rule) -> list[Any]:
        head = [*rule.predicate, *map(self.term, rule.args)]
        time = None if rule.time is None else self.term(rule.time)
        return [head, time, *map(self.element, rule.body)]

    def element(self, element: BodyElement) -> list[Any]:
        match element:
            case ExtendedAtom():
                signs = [element.negated, element.negated_inside]
                terms = list(map(self.term, element.args))
                return [
                    "atom",
                    *element.predicate,
                    *terms,
                    self.modality(element.modality),
                    [*element.window.id],
                    signs,
                ]
            case Comparison(operator=operator, left=left, right=right):
                return ["comparison", operator, self.term(left), self.term(right)]
            case Aggregate():
                return [
                    "aggregate",
                    element.fold.value,
                    str(element.level),
                    list(map(self.term, element.folded)),
                    list(map(self.element, element.body)),
                    list(map(self.term, element.terms)),
                    element.may_be_empty,
                ]
            case _:
                assert_never(element)

    def modality(self, modality: Modality) -> list[Any]:
        match modality:
            case Now():
                return ["now"]
            case Sometime():
                return ["sometime"]
            case Always():
                return ["always"]
            case At(time=time):
                return ["at", self.term(time)]
            case AtLeast(times=times):
                return ["at least", times]
            case _:
                assert_never(modality)

    def term(self, term: tree.Term) -> list[Any]:
        match term:
            case tree.Variable(name=name):
                kind = "anonymous" if term.is_anonymous else "variable"
                return [kind, self.numbers.setdefault(name, len(self.numbers))]
            case tree.Constant(value=value):
                return ["value", write_value(value)]
            case tree.Arithmetic(operator=operator, operands=operands):
                return [operator, *map(self.term, operands)]
            case tree.ConstantName() | tree.Range() | tree.Aggregate():
                raise AssertionError(
                    "the terms of a resolved program have neither names of constants, nor ranges, nor aggregates"
                )
            case _:
                assert_never(term)
