"""The reasoner as its users meet it: section 5 of the specification, and what was once wrong."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from laser import Atom, FactError, Iri, LaserError, LimitError, ProgramError, Reasoner, StateError, TimeError, run
from laser.engine import reasoner as engine


def held(reasoner: Reasoner) -> set[str]:
    return {str(atom) for atom in reasoner.holding()}


def test_advance_returns_the_changes_of_the_ticks_in_between_in_order() -> None:
    reasoner = Reasoner("q(X) :- p(X) in [2].", start=0)
    assert list(reasoner.advance(3, ["p(b)", "p(a)"])) == [(3, ("q", "a"), True), (3, ("q", "b"), True)]
    assert list(reasoner.advance(9, [("p", "b")])) == [
        (6, ("q", "a"), False),
        (6, ("q", "b"), False),
        (9, ("q", "b"), True),
    ]
    assert (reasoner.time, reasoner.start, held(reasoner)) == (9, 0, {"q(b)"})


def test_changes_may_be_read_long_after_the_call() -> None:
    reasoner = Reasoner("q(X) :- p(X) in [1]. r(X) :- s(X), not q(X).", start=0)
    kept = [reasoner.advance(t, [("p", t % 3), ("s", t % 2)]) for t in range(30)]
    again = Reasoner("q(X) :- p(X) in [1]. r(X) :- s(X), not q(X).", start=0)
    for t, changes in enumerate(kept):
        assert list(changes) == list(again.advance(t, [("p", t % 3), ("s", t % 2)]))
        assert len(changes) == len(list(changes))


def test_changes_show_themselves_in_a_notebook() -> None:
    reasoner = Reasoner("q(X) :- p(X) in [2].")
    shown = reasoner.advance(3, [("p", "<b>"), *(("p", i) for i in range(300))])._repr_html_()
    assert "&lt;b&gt;" not in shown
    assert "… and 101 more" in shown
    assert "&lt;b&gt;" in reasoner.advance(3, [("p", "<i> & <b>")])._repr_html_()
    assert "no change" in reasoner.advance(3)._repr_html_()


def test_facts_are_text_tuples_or_atoms() -> None:
    reasoner = Reasoner("q(X) :- p(X).")
    reasoner.advance(1, ["p(1)", ("p", 2.0), Atom("p", ["x"]), ("p", True), ("p", Iri("urn:a:b"))])
    assert held(reasoner) == {"q(1)", "q(2)", "q(x)", "q(true)", "q(<urn:a:b>)"}


def test_an_iri_may_name_a_predicate() -> None:
    reasoner = Reasoner("#prefix ex: <http://e.org/>. hot(S) :- ex:temp(S, V), V > 30.")
    reasoner.advance(1, [(Iri("http://e.org/temp"), "a", 31), ("<http://e.org/temp>", "b", 32)])
    assert held(reasoner) == {"hot(a)", "hot(b)"}


BAD_FACTS = [
    None,
    3,
    "P(x)",
    "p(x",
    ("p", None),
    ("p", float("nan")),
    ("p", float("inf")),
    (),
    ("not",),
    ("P", 1),
    b"p",
]


@pytest.mark.parametrize("fact", BAD_FACTS, ids=repr)
def test_a_malformed_fact_changes_nothing(fact: object) -> None:
    reasoner = Reasoner("q(X) :- p(X) in [5], not r(X) always in [2].", start=0)
    reasoner.advance(2, ["p(1)", "r(1)"])
    before = (reasoner.time, reasoner.holding(), reasoner.save())
    with pytest.raises(FactError):
        reasoner.advance(3, ["p(2)", fact])  # type: ignore[list-item]
    assert (reasoner.time, reasoner.holding(), reasoner.save()) == before


@pytest.mark.parametrize("time", [1, -1, 2.5, "3", True, None, 2**70], ids=repr)
def test_a_wrong_time_changes_nothing(time: object) -> None:
    reasoner = Reasoner("q(X) :- p(X) in [5].", start=0)
    reasoner.advance(2, ["p(1)"])
    before = (reasoner.time, reasoner.holding(), reasoner.save())
    with pytest.raises(TimeError):
        reasoner.advance(time, ["p(2)"])  # type: ignore[arg-type]
    assert (reasoner.time, reasoner.holding(), reasoner.save()) == before


def test_more_facts_of_the_present_revise_the_answer() -> None:
    reasoner = Reasoner("q(X) :- p(X), not r(X). s :- p(a) always in [1].", start=0)
    assert list(reasoner.advance(1, ["p(a)"])) == [(1, ("q", "a"), True)]
    assert list(reasoner.advance(1, ["r(a)"])) == [(1, ("q", "a"), False)]
    assert list(reasoner.advance(2)) == []
    assert list(reasoner.advance(2, ["p(a)"])) == [(2, ("q", "a"), True), (2, ("s",), True)]


def test_an_endless_recursion_is_stopped_and_its_rule_named() -> None:
    reasoner = Reasoner("n(X + 1) :- n(X). n(X) :- first(X).", limit=1000)
    with pytest.raises(LimitError, match=r"n\(X \+ 1\) :- n\(X\)") as caught:
        reasoner.advance(1, ["first(0)"])
    assert caught.value.rule == "n(X + 1) :- n(X)."
    uses = (lambda: reasoner.advance(2), reasoner.save, reasoner.holding, lambda: reasoner.next_change)
    for use in uses:
        with pytest.raises(LaserError, match="cannot continue"):
            use()


def test_the_limit_names_a_rule_of_the_program_even_if_views_are_in_the_loop() -> None:
    with pytest.raises(LimitError) as caught:
        Reasoner("n(0). n(X + 1) :- n(X).", limit=1000).advance(0)
    assert caught.value.rule == "n(X + 1) :- n(X)."


def test_repeated_squaring_ends_when_numbers_are_too_large() -> None:
    reasoner = Reasoner("n(X * X) :- n(X). n(X) :- first(X).")
    reasoner.advance(1, ["first(3)"])
    assert len(reasoner.holding()) == 10
    assert len(reasoner.reports) == 1


def test_the_next_change_is_found_without_moving_time() -> None:
    reasoner = Reasoner("q :- p in [3]. r :- not q.", start=0)
    assert reasoner.next_change == 0
    reasoner.advance(0)
    assert reasoner.next_change is None
    reasoner.advance(5, ["p"])
    reasoner.advance(7, ["p"])
    assert reasoner.next_wake is not None
    assert (reasoner.next_change, reasoner.time) == (11, 7)
    assert reasoner.next_wake <= 11


def test_the_cost_of_a_silence_depends_on_its_changes() -> None:
    reasoner = Reasoner("q(X) :- p(X) in [9], not r(X) in [3]. s :- p(_) always in [4].", start=0)
    reasoner.advance(1, ["p(1)", "r(1)"])
    assert [change.time for change in reasoner.advance(10**15)] == [5, 11]


def test_a_silence_is_skipped_once_derived_atoms_with_times_have_ended() -> None:
    reasoner = Reasoner("p(X) :- a(X) in [5]. q(X) :- p(X) at T in [3], T > 0.", start=0)
    reasoner.advance(1, ["a(1)"])
    assert [change.time for change in reasoner.advance(10**12)] == [7, 7]


def test_the_stats_count_what_is_alive() -> None:
    reasoner = Reasoner("q(X) :- p(X) in [3], X > 1. r(X) :- q(X).")
    reasoner.advance(0, ["p(1)", "p(2)", "p(3)"])
    stats = reasoner.stats
    assert {str(p): n for p, n in stats.facts.items()} == {"p/1": 3}
    assert {str(p): n for p, n in stats.derived.items()} == {"q/1": 2, "r/1": 2}
    reasoner.advance(9)
    assert reasoner.stats.keys == 0


def test_undefined_operations_are_reported_once_per_rule() -> None:
    reasoner = Reasoner("q(X) :- p(X), X > 3. r(Y) :- p(X), Y = X / 0.")
    reasoner.advance(1, ["p(a)", "p(b)", "p(4)"])
    reasoner.advance(2, ["p(c)"])
    assert held(reasoner) == set()
    assert len(reasoner.reports) == 2
    assert "q(X) :- p(X), X > 3." in reasoner.reports[0]


# -- saving


def test_a_state_is_refused_by_another_program_version_or_after_damage() -> None:
    text = "q(X) :- p(X) in [3]."
    reasoner = Reasoner(text)
    reasoner.advance(1, ["p(1)"])
    data = reasoner.save()
    document = json.loads(data)
    for wrong in (b"", b"[]", b"\x00", data[:-9], data.replace(b'"p"', b'"x"')):
        with pytest.raises(StateError):
            Reasoner.restore(text, wrong)
    with pytest.raises(StateError, match="version 1, which this Laser cannot read"):
        Reasoner.restore(text, json.dumps(document | {"version": 1}).encode())
    with pytest.raises(StateError, match="version 9"):
        Reasoner.restore(text, json.dumps(document | {"version": 9}).encode())
    for other in ("q(X) :- p(X) in [4].", "q(X) :- p(X) in [3]. q(1)."):
        with pytest.raises(StateError, match="another program"):
            Reasoner.restore(other, data)
    with pytest.raises(StateError, match="another program"):
        Reasoner.restore(text, data, tick="1 min")


def test_a_run_that_ended_may_resume_after_a_restore_at_the_same_time() -> None:
    text = "q :- a always in [3]."
    reasoner = Reasoner(text, start=0)
    reasoner.advance(1, ["a"])
    reasoner.advance(2)
    reasoner = Reasoner.restore(text, reasoner.save())
    for time in (2, 3, 4):
        reasoner.advance(time, ["a"])
    assert held(reasoner) == {"q"}


def test_restoring_again_and_again_does_not_let_the_state_grow() -> None:
    text = "q(X) :- a(X) in [2 #]."
    reasoner = Reasoner(text)
    sizes = []
    for time in range(100, 300):
        reasoner.advance(time, [("a", time)])
        data = reasoner.save()
        sizes.append(len(data))
        reasoner = Reasoner.restore(text, data)
    assert max(sizes[10:]) <= sizes[10] + 10


def test_a_state_does_not_depend_on_how_the_program_is_laid_out() -> None:
    reasoner = Reasoner("q(X) :- p(X) in [3], not r(X).")
    reasoner.advance(1, ["p(1)"])
    assert Reasoner.restore("q(X):-p( X )in[3],not r(X).", reasoner.save()).holding() == reasoner.holding()


def test_any_value_survives_a_restore() -> None:
    """The odd ones, too: half a surrogate pair, which UTF-8 does not have, and text that JSON must escape."""
    odd = ["\ud800", "\0", '"', "two\nlines", Iri("http://e.org/é"), 10**5000, -0.5, 1e23]
    text, background = "q(X) :- a(X) in [3]. r(X) :- b(X).", [("b", value) for value in odd]
    reasoner = Reasoner(text, background=background)
    reasoner.advance(1, [("a", value) for value in odd])
    again = Reasoner.restore(text, reasoner.save(), background=background)
    assert again.holding() == reasoner.holding() == {Atom(name, [value]) for name in "qr" for value in odd}


def test_integers_beyond_decimal_survive_a_restore() -> None:
    text = "q(X) :- a(X) in [2]."
    reasoner = Reasoner(text)
    changes = reasoner.advance(1, [("a", 10**5000)])
    assert "0x" in str(changes)
    assert Reasoner.restore(text, reasoner.save()).holding() == reasoner.holding()


# -- programs that were once compiled wrongly


def test_a_body_may_have_more_atoms_than_python_nests_loops() -> None:
    chain = ", ".join(f"e(X{i}, X{i + 1})" for i in range(45))
    reasoner = Reasoner(f"q(X0, X45) :- {chain}.")
    reasoner.advance(1, [("e", i, (i + 1) % 7) for i in range(7)])
    assert held(reasoner) == {f"q({i}, {(i + 45) % 7})" for i in range(7)}
    reasoner.advance(2, [("e", i, (i + 1) % 7) for i in range(7)])
    assert len(reasoner.holding()) == 7


def test_names_in_programs_do_not_clash_with_generated_names() -> None:
    reasoner = Reasoner("q(_is0, True, None) :- c(_is0, True, None), a(X), b(X + 1), not d(_).")
    reasoner.advance(0, ["c(9, 8, 7)", "a(1)", "b(2)"])
    assert held(reasoner) == {"q(9, 8, 7)"}


def test_a_head_may_take_its_time_from_data_and_ignores_invalid_times() -> None:
    reasoner = Reasoner("@T p(X) :- p(X, T) in [9]. r(X) :- p(X) at U.", start=5)
    reasoner.advance(5, ["p(1, 3)", "p(2, foo)", "p(3, 5)", "p(4, 7)", "p(5, 1.5)"])
    assert held(reasoner) == {"p(3)", "r(3)"}
    reasoner.advance(7)
    assert held(reasoner) == {"p(4)", "r(3)", "r(4)"}


def test_any_text_may_stand_in_a_string() -> None:
    reasoner = Reasoner('q("a\x00b", "\u2028", X) :- p(X, "\ud800").')
    assert len(reasoner.advance(1, [("p", 1, "\ud800")])) == 1


def test_many_negated_keys_can_end_together() -> None:
    reasoner = Reasoner("q(X) :- a(X) in [1], X > -1. alone :- c in [100], not q(_).")
    reasoner.advance(0, [*(("a", i) for i in range(5000)), ("c",)])
    assert str(reasoner.advance(3)[0]) == "2 + alone"


def test_a_run_is_refused_with_the_hint_of_check() -> None:
    with pytest.raises(ProgramError) as caught:
        Reasoner("q :- p in [1500 ms].")
    assert caught.value.code == "no-whole-ticks"
    assert caught.value.hint is not None
    with pytest.raises(ProgramError, match="no constant `m`"):
        Reasoner("#const n = 3. q :- p in [n].", constants={"m": 4})


def test_looking_ahead_ends_if_every_tick_has_work() -> None:
    reasoner = Reasoner("q :- clock at T in [0], T < 0. clock.", start=0)
    reasoner.advance(0)
    assert reasoner.next_change == engine.MOST_SILENT_TICKS + 1


def test_rules_with_constants_find_their_facts_after_other_facts_changed() -> None:
    reasoner = Reasoner(" ".join(f"q{i}(X) :- a({i}, X) in [5], b(X)." for i in range(9)), start=0)
    reasoner.advance(1, ["b(1)"])
    reasoner.advance(2, ["a(1, 1)", "b(1)"])
    assert held(reasoner) == {"q1(1)"}


# -- copying


def test_a_copy_is_independent_of_the_original() -> None:
    reasoner = Reasoner("q(X) :- a(X) in [5], b(X). r :- not q(1), a(1) always in [1].", start=0)
    reasoner.advance(1, ["a(1)"])
    for other in (copy.copy(reasoner), copy.deepcopy(reasoner)):
        other.advance(2, ["a(1)", "b(1)"])
        assert held(other) == {"q(1)"}
    reasoner.advance(2, ["a(1)"])
    assert held(reasoner) == {"r"}
    with pytest.raises(TypeError, match="save"):
        pickle.dumps(reasoner)


# -- nothing is kept for what is gone


BOUNDED = [
    ("@U p(X) :- a(X) at T in [1], U = T * 1000.", lambda t: [("a", 1)]),
    ("q(X, Y) :- m(X) in [1000000], b(Y) in [2 #].", lambda t: [("m", 1), ("b", t)]),
    ("q(X, Y) :- m(X) in [1000000], not b(Y) always in [1], c(Y).", lambda t: [("m", t % 3), ("c", t), ("b", t % 2)]),
    ("q(X) :- a(X) always in [1000000].", lambda t: [("a", t)]),
    ("q(X) :- a(X) in [3]. r(X) :- a(X) at _ in [3], not q(_).", lambda t: [("a", t % 7)]),
]


@pytest.mark.parametrize(("program", "facts"), BOUNDED, ids=[program for program, _ in BOUNDED])
def test_bookkeeping_does_not_outgrow_the_live_keys(program: str, facts: Callable[[int], list[Any]]) -> None:
    reasoner = Reasoner(program, start=0)
    for t in range(6000):
        reasoner.advance(t, facts(t))
    machine = reasoner._machine
    waiting = sum(len(keys) for relation in machine.relations for keys in relation.due.values())
    ripening = sum(len(keys) for r in machine.inputs for keys in getattr(r, "maturing", {}).values())
    assert max(waiting, ripening, len(machine.agenda._times)) < 2000


def test_values_under_an_underscore_are_not_joined() -> None:
    reasoner = Reasoner("q(X) :- m(X) in [100], not b(_, Y) in [3], c(Y). r :- d(X, _, _), e(X).", start=0)
    assert any("values 2" in str(node) for component in reasoner.plan.components for node in component.nodes)
    reasoner.advance(1, ["m(1)", "c(7)", "b(1, 7)", "b(2, 7)", "d(1, 2, 3)", "e(1)"])
    assert held(reasoner) == {"r"}
    reasoner.advance(2, ["c(7)", "b(3, 7)"])
    assert held(reasoner) == set()
    reasoner.advance(6, ["c(7)"])
    assert held(reasoner) == {"q(1)"}


def test_derivations_are_counted_for_each_tick_separately() -> None:
    program = "reach(X, Y) :- edge(X, Y) in [1000]. reach(X, Z) :- reach(X, Y), edge(Y, Z) in [1000]."
    reasoner = Reasoner(program, limit=20)
    for t in range(12):
        reasoner.advance(t, [("edge", t, t + 1)])
    assert len(reasoner.holding()) == 78
    restored = Reasoner.restore(program, reasoner.save(), limit=20)
    assert restored.holding() == copy.copy(reasoner).holding() == reasoner.holding()
    assert reasoner.next_change == 1001
    assert reasoner.advance(12, [("reach", 100, 101)]) == []


@pytest.mark.parametrize("stream", ["file.csv", 5, [1], [(1, ["p"], 3)]], ids=repr)
def test_an_argument_that_is_not_a_stream_gets_a_clear_error(stream: object) -> None:
    with pytest.raises(TypeError, match="stream"):
        list(run("q :- p.", stream))  # type: ignore[arg-type]


def test_a_tick_that_is_a_number_gets_a_clear_error() -> None:
    with pytest.raises(TimeError, match="as in '250 ms'"):
        Reasoner("q :- p.", tick=60)  # type: ignore[arg-type]


WARM = "#warmup 3. q(X) :- p(X) in [5]. late :- not p(_) in [8]."


def test_atoms_that_hold_when_the_warm_up_ends_begin_then():
    reasoner = Reasoner(WARM)
    assert list(reasoner.advance(1, ["p(a)"])) == []
    assert reasoner.holding() == frozenset()
    assert (reasoner.next_wake, reasoner.next_change) == (4, 4)
    assert list(reasoner.advance(3)) == []
    assert [str(change) for change in reasoner.advance(4, ["p(b)"])] == ["4 + q(a)", "4 + q(b)"]
    assert [str(change) for change in reasoner.advance(4, ["p(c)"])] == ["4 + q(c)"]
    assert [str(atom) for atom in sorted(reasoner.holding())] == ["q(a)", "q(b)", "q(c)"]
    assert [str(change) for change in reasoner.advance(8)] == ["7 - q(a)"]


def test_the_warm_up_may_end_within_an_advance_and_can_be_overridden():
    assert [str(c) for c in Reasoner(WARM, start=0).advance(9, ["p(a)"])] == ["3 + late", "9 - late", "9 + q(a)"]
    reasoner = Reasoner(WARM)
    reasoner.advance(1, ["p(a)"])
    assert [str(change) for change in reasoner.advance(7)] == ["4 + q(a)", "7 - q(a)"]
    assert [str(change) for change in Reasoner(WARM, warmup=0).advance(1, ["p(a)"])] == ["1 + q(a)"]
    with pytest.raises(TimeError, match="the warm-up: 250 ms is not a whole number of ticks of 1 s"):
        Reasoner(WARM, warmup="250 ms")


def test_a_saved_state_continues_its_warm_up():
    reasoner = Reasoner(WARM)
    reasoner.advance(1, ["p(a)"])
    again = Reasoner.restore(WARM, reasoner.save())
    assert again.holding() == frozenset()
    assert [str(change) for change in again.advance(4)] == ["4 + q(a)"]
    with pytest.raises(StateError):
        Reasoner.restore(WARM.replace("3", "2"), reasoner.save())


def test_if_nothing_holds_after_the_warm_up_the_next_change_is_later():
    reasoner = Reasoner("#warmup 2. late :- not p in [5].", start=0)
    reasoner.advance(0, ["p"])
    assert (reasoner.next_wake, reasoner.next_change) == (2, 6)
