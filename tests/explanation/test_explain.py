"""What explanations say, and how they are asked for."""

from __future__ import annotations

import json
from itertools import pairwise
from xml.etree import ElementTree

import pytest

import laser
from laser import Atom, FactError, LimitError, Reasoner, TimeError, explain
from laser.explanation import Failure, ask, world

COOLING = """#const n = 10.
@T isSteam :- temp(V) at T in [n], V >= 100.
alarm :- isSteam always in [n].
"""
READINGS = [(t, [("temp", 95 if t == 38 else 100 + t)]) for t in range(25, 42)]


def failure_of(program: str, stream: list, atom: str, time: int) -> Failure:
    told = explain(program, stream, atom, time)
    assert not told.holds
    assert told.proofs == ()
    return told.failures[0]


def test_a_failure_names_the_time_point_that_is_missing_and_why() -> None:
    failure = failure_of(COOLING, READINGS, "alarm", 41)
    assert failure.reason == "isSteam is missing at 38, in [31, 41]"
    assert failure.element == "isSteam always in [n]"
    assert (failure.rule.line, failure.rule.text) == (3, "alarm :- isSteam always in [n].")
    assert failure.failures[0].reason == "temp(95) holds at 38, but 95 >= 100 is false"


def test_premises_quote_the_program_as_it_was_written() -> None:
    program = "q(X) ← ⊞3 ◇ a(X,  Y), Y≥3,\n  not ⊞#2 ◇ b(X)."
    premises = explain(program, [(1, ["a(x, 3)"])], "q(x)", 1).proofs[0].premises
    assert [p.text for p in premises] == ["⊞3 ◇ a(X, Y)", "Y≥3", "not ⊞#2 ◇ b(X)"]


def test_an_absent_atom_is_explained_with_its_window() -> None:
    program = "idle(X) :- machine(X), not job(X, _) in [5]. machine(m)."
    proof = explain(program, [(1, ["job(m, 1)"]), (9, [])], "idle(m)", 9).proofs[0]
    assert [p.says for p in proof.premises] == ["machine(m) is background data", "no job(m, _) in [4, 9]"]
    assert (proof.premises[1].window.first, proof.premises[1].window.last) == (4, 9)


def test_an_explanation_says_how_long_the_atom_holds() -> None:
    told = explain("q :- p in [3].", [(5, ["p"]), (7, ["p"]), (8, [])], "q", 8)
    assert (told.since, told.until, told.since_exact, told.until_exact) == (5, 10, True, True)
    told = explain("q :- not p in [3].", [(5, ["p"]), (12, [])], "q", 12)
    assert (told.since, told.until, told.until_exact) == (9, None, True)


def test_the_smallest_proof_comes_first() -> None:
    program = "q :- a, b. q :- c. q :- d, c. c :- a."
    told = explain(program, [(1, ["a", "b", "d"])], "q", 1, all=True)
    assert [proof.size for proof in told.proofs] == [3, 3, 4]
    assert explain(program, [(1, ["a", "b", "d"])], "q", 1).proofs[0].size == 3


def test_recursion_rests_on_facts_by_the_shortest_way() -> None:
    program = "p(X, Y) :- e(X, Y). p(X, Z) :- p(X, Y), e(Y, Z)."
    edges = ["e(a, b)", "e(b, c)", "e(c, d)", "e(d, a)", "e(a, c)"]
    proof = explain(program, [(1, edges)], "p(a, d)", 1).proofs[0]
    proof.check()
    assert proof.size == 4
    ring = explain(program, [(1, edges)], "p(a, a)", 1, all=True)
    assert [p.size for p in ring.proofs] == [6]


def test_a_deep_recursion_is_explained() -> None:
    program = "n(X) :- go, X = 0. n(Y) :- n(X), Y = X + 1, X < 2000."
    told = explain(program, [(1, ["go"])], "n(2000)", 1)
    told.proofs[0].check()
    assert told.proofs[0].size == 2002
    assert len(told.to_json()["nodes"]) == 2002
    assert max(map(len, told.to_text().splitlines())) <= 80
    assert told.to_svg()
    assert told._repr_html_()
    assert told.to_dot()


def test_the_search_in_an_endless_recursion_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(world, "MOST_DERIVATIONS", 500)
    with pytest.raises(LimitError, match="n\\(X \\+ 1\\) :- n\\(X\\)"):
        explain("n(X) :- m(X). n(X + 1) :- n(X).", [(1, ["m(0)"])], "n(7)", 1)


def test_in_a_large_recursion_the_proof_is_sound_although_memory_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(world, "MOST_REMEMBERED", 3)
    program = "p(X, Y) :- e(X, Y). p(X, Z) :- p(X, Y), p(Y, Z)."
    edges = [f"e({i}, {i + 1})" for i in range(12)] + ["e(12, 0)"]
    told = explain(program, [(1, edges)], "p(0, 12)", 1, all=True)
    for proof in told.proofs:
        proof.check()
    assert len(told.proofs) > 1


def test_long_chains_of_predicates_are_explained() -> None:
    rules = "".join(f"p{i}(X) :- p{i - 1}(X) in [2], not q{i}.\np{i}(X) :- p{i - 1}(X), r.\n" for i in range(1, 200))
    told = explain(rules, [(1, ["p0(a)"])], "p199(a)", 1)
    assert told.proofs[0].size == 200
    told.proofs[0].check()
    told = explain(rules, [(1, ["p0(a)", "q150"])], "p199(a)", 1)
    assert told.failures[0].reason == "no p198(a) in [1, 1]"


@pytest.mark.parametrize(
    ("program", "facts", "reason", "nearest"),
    [
        ("q :- p(a) in [3].", [(1, "p(a)")], "no p(a) in [6, 9]", "p(a) was last seen at 1, but the window begins at 6"),
        ("q :- p(a) in [2 #].", [(1, "p(a)"), (2, "r"), (3, "r")], "no p(a) in [2, 9], the last 2 facts of the stream",
         "p(a) was last seen at 1, 3 facts ago"),
        ("q :- p(a, 2).", [(9, "p(a, 3)")], "no p(a, 2) at 9", "p(a, 3) holds at 9, but differs in argument 2"),
        ("q :- p(a) at 5.", [(4, "p(a)"), (6, "p(a)")], "no p(a) at 5", "p(a) holds at 4, 6"),
        ("q :- tmp(X) in [3], X > 3.", [(8, "temp(4)")], "no tmp(X) in [6, 9]",
         "no tmp/1 has arrived, and no rule derives it; did you mean `temp`?"),
        ("q :- p(X) in [3], X > 3.", [(8, "p(1)"), (7, "p(2)"), (6, "p(0)")][::-1],
         "p(2) holds at 7, but 2 > 3 is false", None),
        ("q :- p(X) in [3], X > 3.", [(8, "p(abc)")],
         "p(abc) holds at 8, but abc > 3 is not defined: values of different types cannot be ordered", None),
        ("q :- p(X) in [3], Y = 1 / X, Y > 3.", [(8, "p(0)")], "p(0) holds at 8, but 1 / 0 has no value", None),
        ("q :- p always in [3].", [(6, "p"), (8, "p")], "p is missing at 7, 9, in [6, 9]", None),
        ("q :- not p in [3].", [(7, "p")], "p holds at 7, in [6, 9]", None),
        ("q :- not p. p.", [], "p is background data", None),
        ("q :- ⊞3 @8 ¬ p.", [(8, "p")], "p holds at 8", None),
        ("q :- p at 3 in [3].", [(3, "p")], "3 is not a time point of [6, 9]", None),
        ("@(T + 3) q :- p at T in [5].", [(7, "p")], "it derives q at 10, not q at 9", None),
    ],
)  # fmt: skip
def test_a_failure_has_a_reason_and_the_nearest_atoms(
    program: str, facts: list, reason: str, nearest: str | None
) -> None:
    stream = [(1, []), *((time, [fact]) for time, fact in facts), (9, [])]
    failure = failure_of(program, stream, "q", 9)
    assert failure.reason == reason
    assert failure.nearest[:1] == (() if nearest is None else (nearest,))


def test_a_failing_negation_explains_the_atom_it_found() -> None:
    failure = failure_of("q :- not p. p :- a in [3].", [(1, ["a"]), (2, [])], "q", 2)
    assert failure.reason == "p holds at 2"
    failure.because[0].check()


def test_atoms_with_variables_are_explained_for_each_match() -> None:
    program, stream = "q(X, Y) :- p(X, Y) in [3].", [(1, [("p", i, i % 2) for i in range(15)])]
    told = explain(program, stream, "q(X, 1)", 1)
    assert [proof.atom for proof in told.proofs] == [Atom("q", (i, 1)) for i in range(1, 15, 2)]
    assert (told.more, told.since) == (0, None)
    assert explain(program, stream, "q(_, _)", 1).more == 5
    assert [p.atom for p in explain(program, stream, "q(X, X)", 1).proofs] == [Atom("q", (0, 0)), Atom("q", (1, 1))]
    one = explain(program, stream, "q(4, _)", 1)
    assert (one.since, one.until) == (1, 4)
    assert not explain(program, stream, "q(X, 7)", 1).holds


def test_prefixes_and_constants_of_the_program_can_be_used() -> None:
    program = "#prefix ex: <http://e.org/>. #const n = 3.\nex:hot(X) :- ex:temp(X, n)."
    stream = [(1, ["<http://e.org/temp>(a, 3)"])]
    assert explain(program, stream, "ex:hot(a)", 1).holds
    assert explain(program, stream, "ex:temp(_, 3)", 1).holds


@pytest.mark.parametrize("goal", ["q(", "not q", "q in [3]", "q. r", "", "q, r", "X > 3", "q(X + 1)", 7])
def test_a_goal_that_is_not_an_atom_is_refused(goal: str) -> None:
    with pytest.raises(FactError):
        explain("q :- p.", [(1, ["p"])], goal, 1)


def test_times_outside_of_the_timeline_are_refused() -> None:
    with pytest.raises(TimeError, match="begins at 5"):
        explain("q :- p.", [(5, ["p"])], "q", 3)
    with pytest.raises(TimeError, match="is empty"):
        explain("q :- p.", [], "q", 3)
    with pytest.raises(TimeError, match="is before"):
        explain("q :- p.", [(5, ["p"]), (4, ["p"])], "q", 7)
    assert explain("q :- not p.", [], "q", 3, start=1).since == 1
    with pytest.raises(TimeError, match="before the timeline begins"):
        Reasoner("q :- p.").explain("q")


def test_later_facts_are_ignored() -> None:
    def stream():  # type: ignore[no-untyped-def]
        yield 1, ["p"]
        yield 2, ["p"]
        raise AssertionError("nobody needs this")

    assert explain("q :- p.", stream(), "q", 1).holds


def test_a_reasoner_explains_its_present() -> None:
    reasoner = Reasoner("hot(X) :- temp(X, V) in [2], V > 30.")
    reasoner.advance(5, ["temp(oven, 31)"])
    reasoner.advance(6)
    told = reasoner.explain("hot(oven)")
    assert (told.time, told.until, told.since, told.since_exact) == (6, 7, None, False)
    assert not reasoner.explain("hot(press)").holds
    assert reasoner.explain("hot(_)", all=True).holds


def test_facts_and_background_data_explain_themselves() -> None:
    told = explain("q :- p. r.", [(1, ["p"])], "p", 1)
    assert (told.proofs[0].source, told.since, told.until) == ("fact", 1, 1)
    told = explain("q :- p. r.", [(1, ["p"])], "r", 1)
    assert (told.proofs[0].source, told.since, told.until) == ("background", 1, None)


def test_the_function_is_exported_whatever_was_imported_before() -> None:
    import laser.explanation.world

    assert laser.explain("q :- p.", [(1, ["p"])], "q", 1).holds


COUNTS = "alarm(C) :- fail(C) at least 3 times in [10]. k :- c(a) at least 4 times in [9]. c(a)."
FAILURES = [(1, ["fail(a)"]), (4, ["fail(a)"]), (7, ["fail(a)"]), (8, [])]


def test_a_count_shows_the_time_points_that_are_enough_and_until_when_they_are() -> None:
    told = explain(COUNTS, FAILURES, "alarm(a)", 8)
    premise = told.proofs[0].premises[0]
    assert (premise.kind, premise.says) == ("times", "fail(a) 3 times in [1, 8]: 1, 4, 7")
    assert (told.since, told.until) == (7, 11)


def test_a_failing_count_says_how_many_there_are_and_which_leaves_next() -> None:
    failure = explain(COUNTS, FAILURES, "alarm(a)", 5).failures[0]
    text = "fail(a) holds 2 times in [1, 5], but 3 are needed: 1, 4; 1 leaves the window after 11"
    assert failure.reason == text
    failure = explain(COUNTS, FAILURES, "k", 2).failures[0]
    assert failure.reason == "c(a) is background data, but [1, 2] has fewer than 4 time points"


# -- forms


def everything() -> list[laser.Explanation]:
    return [
        explain(COOLING, READINGS, "alarm", 37, start=20),
        explain(COOLING, READINGS, "alarm", 36),
        explain(COOLING, READINGS, "alarm", 41),
        explain(COOLING, READINGS, "isSteam", 41),
        explain("q(X) :- p(X), not r(X).", [(1, [("p", 'a "<b>" & \\c'), ("p", 2)])], "q(_)", 1),
        explain("q(X) :- p(X).", [(1, [])], "q(5)", 1),
    ]


@pytest.mark.parametrize("told", everything(), ids=lambda told: f"{told.atom} at {told.time}")
def test_pictures_are_well_formed(told: laser.Explanation) -> None:
    svg = ElementTree.fromstring(told.to_svg())
    assert svg.tag.endswith("svg")
    width, height = float(svg.get("width", 0)), float(svg.get("height", 0))
    boxes = [{k: float(box.get(k, 0)) for k in ("x", "y", "width", "height")} for box in svg.iter("{*}rect")]
    assert all(box["x"] + box["width"] <= width and box["y"] + box["height"] <= height for box in boxes)
    columns: dict[float, list[tuple[float, float]]] = {}
    for box in boxes:
        columns.setdefault(box["x"], []).append((box["y"], box["y"] + box["height"]))
    for spans in columns.values():
        ordered = sorted(spans)
        assert all(end <= begin for (_, end), (begin, _) in pairwise(ordered)), "boxes overlap"
    ElementTree.fromstring(told._repr_html_())
    assert told.to_dot().startswith("digraph explanation {")


@pytest.mark.parametrize("told", everything(), ids=lambda told: f"{told.atom} at {told.time}")
def test_json_is_complete_and_its_references_exist(told: laser.Explanation) -> None:
    data = json.loads(json.dumps(told.to_json()))
    count = len(data["nodes"])
    references = [
        *data["proofs"],
        *(i for node in data["nodes"] for p in node.get("premises", ()) for i in p["proofs"]),
    ]
    assert all(0 <= index < count for index in references)
    assert data["holds"] is told.holds
    assert data["holds"] == bool(data["proofs"])


@pytest.mark.parametrize("told", everything(), ids=lambda told: f"{told.atom} at {told.time}")
def test_text_fits_the_terminal_and_has_colours_only_on_request(told: laser.Explanation) -> None:
    assert max(map(len, told.to_text().splitlines())) <= 80
    assert "\x1b" not in told.to_text()
    assert "\x1b" in told.to_text(colour=True)
    assert str(told) == told.to_text()


def test_a_run_of_facts_is_followed_back() -> None:
    stream = [(t, ["p"]) for t in range(5, 30) if t != 9]
    told = explain("q :- p always in [4].", stream, "q", 20)
    assert (told.since, told.since_exact) == (14, True)
    assert explain("q :- p always in [4].", stream[:4], "q", 7).since == 5


def test_very_many_proofs_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ask, "MOST_PROOFS", 3)
    told = explain("q :- p(X).", [(1, [("p", i) for i in range(8)])], "q", 1, all=True)
    assert (len(told.proofs), told.more) == (3, 5)
    assert told.to_text().endswith("└─ … 5 more proofs")


def test_a_body_with_very_many_instances_is_explained() -> None:
    facts = [(kind, i) for i in range(300) for kind in ("a", "b", "c")]
    told = explain("q :- a(X), b(Y), c(Z).", [(1, facts)], "q", 1)
    told.proofs[0].check()
    assert told.proofs[0].size == 4
    told = explain("q :- r. r :- a(X), b(Y), c(Z), X + Y + Z < 0.", [(1, facts[:60])], "q", 1)
    assert not told.holds
