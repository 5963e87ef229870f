"""Rewritings of programs that must not change their answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

from laser.syntax import tree
from laser.syntax.program import Program
from laser.values import Atom, Predicate
from laser.values.fold import Fold
from tests.strategies import Choices, Stream, program_of


def shuffle(program: Program, choices: Choices) -> Program:
    """The same statements and the same bodies in another order; directives stay in front."""
    directives = [s for s in program.statements if not isinstance(s, tree.Rule | tree.Alternatives | tree.Fact)]
    others: list[tree.Statement] = [
        shuffled(s, choices) for s in program.statements if isinstance(s, tree.Rule | tree.Alternatives | tree.Fact)
    ]
    return program_of([*directives, *mixed(others, choices)])


def shuffled(statement: tree.Statement, choices: Choices) -> tree.Statement:
    """The same statement with its bodies, and their parts, in another order."""
    match statement:
        case tree.Rule(body=body):
            return replace(statement, body=tuple(mixed(body, choices)), span=None)
        case tree.Alternatives(bodies=bodies):
            return replace(statement, bodies=tuple(tuple(mixed(b, choices)) for b in mixed(bodies, choices)), span=None)
        case _:
            return statement


def mixed(items: Any, choices: Choices) -> list[Any]:
    rest = list(items)
    return [rest.pop(choices.integer(0, len(rest) - 1)) for _ in items]


def rename(program: Program, stream: Stream) -> tuple[Program, Stream, Callable[[Atom], Atom]]:
    """Other names for predicates and variables, so that their alphabetical order is reversed; and the way back."""
    names = sorted(
        {atom.name for atom in patterns(program)} | {fact.predicate for _, facts in stream for fact in facts}
    )
    new = {old: f"k{i:03}" for i, old in enumerate(reversed(names))}
    back = {value: key for key, value in new.items()}
    statements = [renamed(statement, new) for statement in program.statements]
    renamed_stream = [(time, [Atom(new[f.predicate], f.args) for f in facts]) for time, facts in stream]
    return program_of(statements), renamed_stream, lambda atom: Atom(back[atom.predicate], atom.args)


def patterns(program: Program) -> list[tree.AtomPattern]:
    heads = [rule.head for rule in program.rules] + [fact.atom for fact in program.facts]
    return heads + [e.atom for rule in program.rules for e in rule.all_literals]


def renamed(part: Any, new: dict[str, str]) -> Any:
    """Rename throughout a part of a tree."""
    match part:
        case tree.Variable(name=name):
            return part if name == "_" else tree.Variable(f"N{ord('Z') - ord(name[0]):02}{name}")
        case tree.AtomPattern():
            return tree.AtomPattern(new[part.name], renamed(part.args, new))
        case tree.ShowDirective():
            return tree.ShowDirective(tuple(Predicate(new.get(p.name, p.name), p.arity) for p in part.predicates))
        case tree.RecordDirective():
            return tree.RecordDirective(tuple(Predicate(new.get(p.name, p.name), p.arity) for p in part.predicates))
        case tree.Window():
            return replace(part, per=renamed(part.per, new), span=None)
        case tuple():
            return tuple(renamed(item, new) for item in part)
        case tree.Constant() | tree.ConstantName() | tree.ConstDirective() | Fold() | str() | bool() | int() | None:
            return part
        case _:
            names = [field.name for field in fields(part)]
            parts = {name: renamed(getattr(part, name), new) for name in names if name not in KEPT}
            return replace(part, **parts, **({"span": None} if "span" in names else {}))


KEPT = {"span", "operator"}
