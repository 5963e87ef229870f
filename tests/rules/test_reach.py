"""How far back an answer depends on facts, and what is kept of them."""

import pytest

from laser.checks.accept import accept
from laser.rules.reach import kept, reach
from laser.syntax.parser import parse_tree
from laser.values import Predicate
from laser.windows import LastOf, Reach

REACH = [
    ("q :- a.", ["a/0"], Reach(0, 0)),
    ("q :- a in [3], not b in [7].", ["a/0", "b/0"], Reach(7, 0)),
    ("q :- a in [2 min].", ["a/0"], Reach(120, 0)),
    ("q :- a in [3 #], b in [5].", ["a/0", "b/0"], Reach(5, 3)),
    (
        "q :- a(X) in [last 3 per X], b in [5].",
        ["a/1", "b/0"],
        Reach(5, 0, frozenset({LastOf(3, Predicate("a", 1), (0,))})),
    ),
    ("q :- a at T.", ["a/0"], Reach(None, 0)),
    ("q :- a at 5.", ["a/0"], Reach(None, 0)),
    ("q :- b, not a at 5.", ["a/0", "b/0"], Reach(None, 0)),
    # Windows do not add up: evaluation happens at t.
    ("@T q :- a at T in [3]. r :- q in [5].", ["a/0"], Reach(5, 0)),
    # A derived predicate without a window reaches as far as the times of its heads do.
    ("q :- a in [3]. r :- q at T.", ["a/0"], Reach(3, 0)),
    ("@T q :- a at T in [3]. r :- q at T.", ["a/0"], Reach(3, 0)),
    ("@T q :- a at T in [3 #]. r :- q at T.", ["a/0"], Reach(0, 3)),
    ("@T q :- a at T in [3]. @T p :- q at T. r :- p at T.", ["a/0"], Reach(3, 0)),
    ("@T q :- q at T, a. @T q :- a at T in [2]. r :- q at T.", ["a/0"], Reach(2, 0)),
    ("@T q :- a at T in [3]. r :- q at T.", ["a/0", "q/0"], Reach(None, 0)),
    ("@0 q :- a. r :- q at 0.", ["a/0"], Reach(None, 0)),
    ("@S q :- a at T in [3], S = T - 9. r :- q at S.", ["a/0"], Reach(None, 0)),
    ("@T q :- n(T), a. n(1..5). r :- q at T.", ["a/0"], Reach(None, 0)),
    # What was recorded was derived then, from the past of then.
    ("#record q/0. q :- a in [3]. r :- q in [5].", ["a/0"], Reach(8, 0)),
    ("#record q/0. q :- a in [3]. r :- q, a in [4].", ["a/0"], Reach(4, 0)),
    (
        "#record q/0, r/0. q :- a in [3]. p :- q in [5]. r :- p. s :- r always in [2 .. 4 ago], a in [9].",
        ["a/0"],
        Reach(12, 0),
    ),
    ("#record q/0. q :- a in [3]. q :- q in [1 ago], not a.", ["a/0"], Reach(None, 0)),
    ("#record q/0, r/0. q :- a, r in [1 ago]. r :- q in [2], a.", ["a/0"], Reach(None, 0)),
    ("#record q/0. q :- a in [3]. r :- q at T.", ["a/0"], Reach(None, 0)),
    ("#record q/0. q :- a in [3 #]. r :- q in [5].", ["a/0"], Reach(None, 3)),
    # Background data hold everywhere: a window over them needs no facts, but a question for the time does.
    ("car(1). q :- car(X) in [9], a(X).", ["a/1"], Reach(0, 0)),
    ("car(1). q :- car(X) at T in [9], a(X, T).", ["a/2"], Reach(9, 0)),
    ("car(1). q(T) :- car(1) at T.", [], Reach(None, 0)),
]


def predicates(names: list[str]) -> set[Predicate]:
    return {Predicate(name.split("/")[0], int(name.split("/")[1])) for name in names}


@pytest.mark.parametrize(("text", "inputs", "expected"), REACH, ids=[text for text, _, _ in REACH])
def test_reach_with_known_inputs(text: str, inputs: list[str], expected: Reach) -> None:
    assert reach(accept(parse_tree(text)), predicates(inputs)) == expected


def test_without_inputs_anything_might_stream_in() -> None:
    core = accept(parse_tree("car(1). q :- car(X) in [9]. r :- q at T."))
    assert reach(core) == Reach(None, 0)
    assert kept(core) == {Predicate("car", 1): Reach(9, 0), Predicate("q", 0): Reach(None, 0)}


def test_kept_is_the_longest_look_at_each_predicate() -> None:
    core = accept(parse_tree("q :- a in [3], a in [8], a in [2 #], b. r :- b at T, q in [5]."))
    keeps = kept(core, predicates(["a/0", "b/0"]))
    assert {predicate.name: str(keep) for predicate, keep in keeps.items()} == {
        "a": "the 8 ticks before the present and the last 2 facts of the stream",
        "b": "the whole history",
    }


def test_reach_reads_as_a_phrase() -> None:
    assert [str(Reach(*r)) for r in ((0, 0), (1, 0), (0, 1), (None, 5))] == [
        "only the present",
        "the 1 tick before the present",
        "the last 1 fact of the stream",
        "the whole history",
    ]
