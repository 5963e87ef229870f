"""The predicate graph, loops through negation, and strata."""

import pytest

from laser.checks.accept import accept
from laser.rules.dependencies import components, cone, negative_loops, strata, written_edges
from laser.syntax.parser import parse_tree
from laser.values import Predicate

LOOPS = [
    ("a :- not a.", ["a/0 -> not a/0"]),
    ("a :- not b. b :- a.", ["a/0 -> not b/0, b/0 -> a/0"]),
    ("a :- not b. b :- not a.", ["a/0 -> not b/0, b/0 -> not a/0"]),
    ("a ← ⊞3 □ ¬ b. b :- a.", ["a/0 -> not b/0, b/0 -> a/0"]),
    ("a ← ⊞3 ◇ ¬ a.", ["a/0 -> not a/0"]),
    ("a ← ⊞3 @T ¬ a.", ["a/0 -> not a/0"]),
    ("a :- b at T in [3], not ⊞3 @T ¬ a.", ["a/0 -> not a/0"]),
    ("a :- not ⊞3 □ ¬ a.", []),
    ("a :- not ⊞3 ◇ ¬ a.", []),
    ("a(X) :- a(X) always in [3]. a(X) :- b(X), not c(X).", []),
    ("a :- not a(1). a(1) :- b.", []),
    ("a :- b, not c. b :- a, not d.", []),
    ("a :- not b. b :- a. c :- not d. d :- c.", ["a/0 -> not b/0, b/0 -> a/0", "c/0 -> not d/0, d/0 -> c/0"]),
]


@pytest.mark.parametrize(("text", "loops"), LOOPS, ids=[text for text, _ in LOOPS])
def test_the_error_of_a_loop_through_negation_lists_its_steps(text: str, loops: list[str]) -> None:
    found = negative_loops(written_edges(parse_tree(text)))
    assert [", ".join(map(str, loop)) for loop in found] == loops


def names(parts: object) -> list[str]:
    return ["".join(sorted(predicate.name for predicate in part)) for part in parts]  # type: ignore[attr-defined]


def test_components_come_after_what_they_depend_on() -> None:
    edges = written_edges(parse_tree("a :- b, c. b :- a. c :- d, c. d :- e."))
    assert names(components(edges)) == ["e", "d", "c", "ab"]


def test_components_of_a_long_chain_need_no_deep_stack() -> None:
    edges = written_edges(parse_tree(" ".join(f"a{i} :- a{i + 1}." for i in range(5000))))
    assert len(components(edges)) == 5001


def test_a_stratum_ends_before_a_negation_of_its_predicates() -> None:
    core = accept(parse_tree("a :- not b. b :- c, not in1. c :- b. d :- a, not b. e :- not a."))
    assert names(strata(core)) == ["bc", "ad", "e"]


def test_strata_hold_every_derived_predicate_and_no_other() -> None:
    core = accept(parse_tree("a(1). b(X) :- a(X), not c(X). @5 d."))
    assert strata(core) == (frozenset({Predicate("b", 1), Predicate("d", 0)}),)


def test_a_program_without_rules_has_no_strata() -> None:
    assert strata(accept(parse_tree("a(1)."))) == ()


def test_every_negative_edge_of_a_loop_is_in_a_loop_that_is_named() -> None:
    text = "a :- not b. b :- a, c. c :- not d. d :- b, not c. e :- not a. f :- not f."
    edges = written_edges(parse_tree(text))
    named = {str(edge) for loop in negative_loops(edges) for edge in loop if edge.negative}
    assert named == {"a/0 -> not b/0", "c/0 -> not d/0", "d/0 -> not c/0", "f/0 -> not f/0"}


def test_a_cone_holds_what_a_predicate_depends_on_and_nothing_else() -> None:
    program = accept(parse_tree("a :- b, not c. c :- d in [3]. d :- c. e :- a. f :- e, g."))
    assert names([cone(program, [Predicate("a", 0)])]) == ["abcd"]
    assert names([cone(program, [Predicate("c", 0), Predicate("g", 0)])]) == ["cdg"]
    assert names([cone(program, [])]) == [""]
