"""Which variables are bound, and by what."""

import pytest

from laser.checks import find
from laser.syntax.parser import parse_tree

SAFE = [
    "q(X) :- a(X).",
    "q(Y) :- a(X), Y = X + 1.",
    "q(Y) :- a(X), X + 1 = Y.",
    "q(Z) :- Z = Y * 2, Y = X + 1, a(X).",
    "q(Y) :- Y = 3.",
    "q(X) :- a(X), b(X + 1).",
    "@T q :- a at T in [5].",
    "@T q :- a at T.",
    "@U q :- a at T in [5], U = T + 1.",
    "@T + 1 q :- a at T in [5].",
    "q :- not a(_).",
    "q(X) :- a(X), not b(X, _) in [5].",
    "q(X) :- a(X), not b(X) at _ in [5].",
    "q(T) ← ⊞5 @T ¬ a.",
    "q(T) ← ⊞5 @T ¬ a(_).",
    "q(X, T) ← b(X), ⊞5 @T ¬ a(X).",
    "q(T) ← b at T in [5], ⊞5 @T ¬ a(T).",
    "q(X) ← not ⊞5 □ ¬ a(X).",
    "q(X) ← not ⊞5 ◇ ¬ a(X).",
    "q :- 1 < 2.",
    "@5 q.",
]

UNSAFE = [
    ("q(X) :- a.", ["X"]),
    ("q(_) :- a(_).", ["_"]),
    ("q :- a(_), _ > 3.", ["_"]),
    ("q :- X > 3.", ["X"]),
    ("q :- a(X + 1).", ["X"]),
    ("q :- a(_ + 1).", ["_"]),
    ("q :- not a(_ + 1).", ["_"]),
    ("q :- a at T + 1 in [5].", ["T"]),
    ("q :- not a(X).", ["X"]),
    ("q :- not a at T in [5].", ["T"]),
    ("q(X) ← ⊞5 □ ¬ a(X).", ["X"]),
    ("q(X) ← ⊞5 ◇ ¬ a(X).", ["X"]),
    ("q(T) ← ⊞5 @T ¬ a(X).", ["X"]),
    ("q(T) ← not ⊞5 @T ¬ a.", ["T"]),
    ("q(T) ← ⊞5 @T ¬ a(T).", ["T"]),
    ("q(T) ← ⊞5 @T ¬ a(T + 1).", ["T"]),
    ("q ← ⊞5 @T ¬ a(U), U = T + 1.", ["U", "T"]),
    ("q ← ⊞5 @T ¬ a(U), ⊞5 @U ¬ a(T).", ["U", "T"]),
    ("q(N) ← N = count(U : ⊞5 @T ¬ a(U), U = T + 1).", ["U", "T"]),
    ("q(X) :- X = X + 1.", ["X"]),
    ("q(X) :- X = Y.", ["X", "Y"]),
    ("q(X) :- a(Y), X != Y.", ["X"]),
    ("q(X) :- a(Y), X >= Y.", ["X"]),
    ("q(X, Y) :- X = Y + 1, Y = Z + 1.", ["Z"]),
    ("@T q(X) :- a(X) in [5].", ["T"]),
    ("@T + U q(X) :- a(X) at T in [5].", ["U"]),
]


def unsafe(text: str) -> list[str]:
    found = [d for d in find(parse_tree(text)) if d.code == "unsafe-variable"]
    return [_under(text, d.span) for d in found]


def _under(text: str, span: object) -> str:
    return text[span.column - 1 : span.end_column - 1]  # type: ignore[attr-defined]


@pytest.mark.parametrize("text", SAFE)
def test_bound_variables_are_accepted(text: str) -> None:
    assert unsafe(text) == []


@pytest.mark.parametrize(("text", "names"), UNSAFE, ids=[text for text, _ in UNSAFE])
def test_unbound_variables_are_underlined_once_each(text: str, names: list[str]) -> None:
    assert unsafe(text) == names
