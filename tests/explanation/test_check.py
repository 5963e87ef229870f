"""A proof that was tampered with is refused: checking can fail."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from laser import Atom, ProofError, explain
from laser.explanation import Premise, Proof

PROGRAM = """
#const n = 2.
@T hot(M) :- temp(M, V) at T in [n], V >= 90.
alarm(M)  :- machine(M), hot(M) always in [n], not off(M) in [n], not quiet.
quiet     :- mute in [n].
last(M)   :- temp(M, _) in [2 #].
next(M)   :- temp(M, V), W = V + 1, temp(M, W) in [n].
gap(T)    :- ⊞2 @T ¬ off(oven).
machine(oven).
"""
STREAM = [
    (1, ["temp(oven, 91)", "off(oven)"]),
    (3, ["temp(oven, 93)"]),
    (4, ["temp(oven, 92)", "temp(press, 20)"]),
    (5, ["temp(oven, 95)"]),
]


def proof_of(atom: str, time: int = 5) -> Proof:
    proof = explain(PROGRAM, STREAM, atom, time).proofs[0]
    proof.check()
    return proof


def with_premise(proof: Proof, index: int, change: Callable[[Premise], Premise]) -> Proof:
    premises = list(proof.premises)
    premises[index] = change(premises[index])
    return replace(proof, premises=tuple(premises))


def with_part(proof: Proof, index: int, change: Callable[[Proof], Proof], place: int = 0) -> Proof:
    """The proof with one of the proofs of a premise changed."""

    def other(premise: Premise) -> Premise:
        proofs = list(premise.proofs)
        proofs[place] = change(proofs[place])
        return replace(premise, proofs=tuple(proofs))

    return with_premise(proof, index, other)


def refused(proof: Proof, reason: str) -> None:
    with pytest.raises(ProofError, match=reason):
        proof.check()


def test_a_head_that_does_not_follow_is_refused() -> None:
    refused(replace(proof_of("alarm(oven)"), atom=Atom("alarm", ["press"])), "does not derive alarm\\(press\\)")
    refused(replace(proof_of("alarm(oven)"), time=4), "for 5, not for 4")
    refused(replace(proof_of("alarm(oven)"), time=6), "not in the timeline")


def test_a_proof_with_another_rule_is_refused() -> None:
    proof = proof_of("alarm(oven)")
    assert proof.rule is not None
    refused(replace(proof, rule=None), "no rule of the program derives")
    refused(replace(proof, rule=replace(proof.rule, index=99)), "no rule of the program derives")
    refused(replace(proof, rule=replace(proof.rule, index=0)), "has no rule")
    refused(replace(proof, rule=replace(proof.rule, text="alarm(M).")), "has no rule")


def test_a_proof_with_other_bindings_is_refused() -> None:
    proof = proof_of("alarm(oven)")
    refused(replace(proof, bindings={"M": "press"}), "is not about machine\\(oven\\)")
    hot = proof.premises[1].proofs[0]
    refused(replace(hot, bindings={**hot.bindings, "V": 80}), "is not about")
    refused(replace(hot, bindings={"M": "oven", "V": 93, "T": 4}), "is not about 3")


def test_a_proof_without_one_of_its_premises_is_refused() -> None:
    proof = proof_of("alarm(oven)")
    refused(replace(proof, premises=proof.premises[1:]), "has 4 parts")
    refused(with_premise(proof, 0, lambda p: replace(p, proofs=())), "is not proved")


def test_invented_facts_and_background_data_are_refused() -> None:
    proof = proof_of("alarm(oven)")
    refused(with_part(proof, 0, lambda p: replace(p, source="fact")), "is not a fact at 5")
    hot = proof.premises[1].proofs[0]
    refused(with_part(hot, 0, lambda p: replace(p, source="background")), "is not background data")
    refused(with_part(hot, 0, lambda p: replace(p, time=5)), "is not a fact at 5")
    refused(with_part(hot, 0, lambda p: replace(p, atom=Atom("temp", ["oven", 99]))), "is not a fact")


def test_a_run_with_a_gap_is_refused() -> None:
    proof = proof_of("alarm(oven)")
    assert [part.time for part in proof.premises[1].proofs] == [3, 4, 5]
    gap = with_premise(proof, 1, lambda p: replace(p, proofs=(p.proofs[0], p.proofs[2])))
    refused(gap, "at every time point of the window")
    short = with_premise(proof, 1, lambda p: replace(p, proofs=p.proofs[1:]))
    refused(short, "at every time point of the window")


def test_a_fact_outside_of_the_window_is_refused() -> None:
    hot = proof_of("hot(oven)")
    late = replace(hot.premises[0].proofs[0], atom=Atom("temp", ["oven", 91]), time=1)
    late.check()
    moved = with_part(replace(hot, time=1, bindings={"M": "oven", "V": 91, "T": 1}), 0, lambda p: late)
    refused(moved, "is not in the window")


def test_wrong_places_in_a_tuple_window_are_refused() -> None:
    proof = proof_of("last(press)")
    assert proof.premises[0].proofs[0].position == 2
    refused(with_part(proof, 0, lambda p: replace(p, position=1)), "is not in the window")
    refused(with_part(proof, 0, lambda p: replace(p, position=3)), "is not in the window")
    refused(with_part(proof, 0, lambda p: replace(p, position=None)), "is not in the window")


def test_a_negation_that_does_not_hold_is_refused() -> None:
    proof = proof_of("alarm(oven)")
    assert proof.evidence is not None
    for news in ((4, Atom("off", ["oven"])), (5, Atom("mute"))):
        evidence = replace(proof.evidence, history=[*proof.evidence.history, news])
        refused(_on(proof, evidence), "does not hold")
    gap = proof_of("gap(4)")
    assert gap.evidence is not None
    refused(
        _on(gap, replace(gap.evidence, history=[*gap.evidence.history, (4, Atom("off", ["oven"]))])), "does not hold"
    )
    refused(replace(gap, bindings={"T": 1}, atom=Atom("gap", [1])), "does not hold")


def _on(proof: Proof, evidence: object) -> Proof:
    """The same proof over another stream."""
    premises = tuple(replace(p, proofs=tuple(_on(part, evidence) for part in p.proofs)) for p in proof.premises)
    return replace(proof, premises=premises, evidence=evidence)  # type: ignore[arg-type]


def test_parts_that_use_another_stream_are_refused() -> None:
    proof = proof_of("alarm(oven)")
    other = explain(PROGRAM, STREAM, "machine(oven)", 5).proofs[0]
    refused(with_part(proof, 0, lambda p: other), "another stream")
    refused(replace(proof, evidence=None), "has no evidence")


def test_a_false_comparison_is_refused() -> None:
    hot = proof_of("hot(oven)")
    fact = replace(hot.premises[0].proofs[0], atom=Atom("temp", ["press", 20]), time=4)
    cold = replace(hot, atom=Atom("hot", ["press"]), time=4, bindings={"M": "press", "V": 20, "T": 4})
    refused(with_part(cold, 0, lambda p: fact), "V >= 90 is not true")


def test_a_proof_of_another_atom_is_refused() -> None:
    """A sound proof of something else is not a proof of this."""
    proof = proof_of("alarm(oven)")
    refused(with_part(proof, 1, lambda p: proof.premises[0].proofs[0]), "is not about machine|must be about one atom")
    hot = proof_of("hot(oven)")
    refused(with_part(hot, 0, lambda p: replace(hot, evidence=hot.evidence)), "is not about")
