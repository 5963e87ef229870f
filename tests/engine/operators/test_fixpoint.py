"""Recursion: suspects that hold each other up are gone, others live on by another way."""

from __future__ import annotations

import pytest

from laser import LimitError, Reasoner

REACH = "r(X, Y) :- e(X, Y) in [9], not cut(X, Y) in [9]. r(X, Z) :- r(X, Y), r(Y, Z)."


def held(reasoner: Reasoner) -> set[str]:
    return {str(atom) for atom in reasoner.holding()}


def test_two_atoms_that_only_support_each_other_end_together() -> None:
    reasoner = Reasoner("on(X) :- start(X), not stop. on(X) :- twin(X, Y), on(Y). start(1). twin(1, 2). twin(2, 1).")
    reasoner.advance(1)
    assert held(reasoner) == {"on(1)", "on(2)"}
    reasoner.advance(2, ["stop"])
    assert held(reasoner) == set()


def test_an_atom_with_another_derivation_remains() -> None:
    reasoner = Reasoner(REACH)
    reasoner.advance(1, ["e(a, b)", "e(b, d)", "e(a, c)", "e(c, d)"])
    assert "r(a, d)" in held(reasoner)
    assert [str(change) for change in reasoner.advance(2, ["cut(a, b)"])] == ["2 - r(a, b)"]
    assert "r(a, d)" in held(reasoner)


def test_an_expired_atom_is_renewed_only_from_keys_that_last_longer() -> None:
    reasoner = Reasoner("r(X, Y) :- e(X, Y) in [3]. r(X, Z) :- r(X, Y), e(Y, Z) in [3].")
    reasoner.advance(1, ["e(a, b)", "e(b, a)"])
    reasoner.advance(3, ["e(a, b)"])
    reasoner.advance(4)
    assert held(reasoner) == {"r(a, b)", "r(b, a)", "r(a, a)", "r(b, b)"}
    reasoner.advance(5)
    assert held(reasoner) == {"r(a, b)"}


def test_a_recursion_that_never_ends_is_stopped_with_its_rule() -> None:
    reasoner = Reasoner("n(X) :- a(X). n(Y) :- n(X), Y = X + 1.", limit=50)
    with pytest.raises(LimitError, match=r"n\(Y\) :- n\(X\), Y = X \+ 1\."):
        reasoner.advance(1, ["a(1)"])


def test_pending_atoms_may_depend_on_themselves() -> None:
    reasoner = Reasoner("@U p(X) :- p(X) at T in [2], U = T + 2, T < 7. @T p(X) :- a(X) at T in [9].", start=0)
    reasoner.advance(1, ["a(x)"])
    found = [(change.time, change.holds) for change in reasoner.advance(12)]
    assert found == [(2, False), (3, True), (4, False)]
