"""A variable after ``per`` must be an argument of the atom, which gives its values."""

from __future__ import annotations

from collections.abc import Iterator

from laser.checks.subject import Subject
from laser.errors import Diagnostic
from laser.phrases import did_you_mean, listed
from laser.syntax import tree

__all__ = ["key_not_argument"]

NOTE = "`[last n per X]` counts the facts that have the same value of X, so X must be an argument of the atom"


def key_not_argument(subject: Subject) -> Iterator[Diagnostic]:
    """A variable after ``per`` that is not an argument of the atom before it; ``_`` never is."""
    for literal, key in subject.keys:
        atom = subject.atom_text(literal.atom)
        if key.name == "_":
            message = f"`_` does not say which argument of `{atom}` is meant"
            yield Diagnostic("key-not-argument", message, key.span, NOTE, "give the argument a name")
        elif key not in literal.atom.args:
            message = f"`{key.name}` is not an argument of `{atom}`"
            yield Diagnostic("key-not-argument", message, key.span, NOTE, _hint(literal, key))


def _hint(literal: tree.Literal, key: tree.Variable) -> str | None:
    names = list(dict.fromkeys(t.name for t in literal.atom.args if isinstance(t, tree.Variable) and t.name != "_"))
    if not names:
        return "write `[last n]` to count all facts of the predicate together, or give the argument a name"
    return did_you_mean(key.name, names, f"write a variable of the atom: {listed(names)}")
