"""``laser check``."""

from __future__ import annotations

import json

import pytest


def test_a_good_program_is_reported_on(laser):
    result = laser("check", "p.lars")
    assert "a/2" in result.stdout
    assert "q/2" in result.stdout
    assert result.stdout.endswith("p.lars: 0 errors, 0 warnings\n")
    assert result.stderr == ""


def test_errors_end_with_1(here, laser):
    (here / "bad.lars").write_text("q(X) :- a(Y).\nr(Z) :- a(1).\n")
    result = laser("check", "bad.lars", code=1)
    assert "bad.lars:1:3: error[unsafe-variable]" in result.stdout
    assert "bad.lars:2:3: error[unsafe-variable]" in result.stdout


def test_a_syntax_error_is_a_finding_like_others(here, laser):
    (here / "bad.lars").write_text("q(X) :- a(X\n")
    assert "bad.lars:" in laser("check", "bad.lars", code=1).stdout
    report = json.loads(laser("check", "bad.lars", "--json", code=1).stdout)
    assert report["ok"] is False
    assert report["findings"][0]["line"] in (1, 2)


def test_warnings_fail_only_with_strict(here, laser):
    (here / "w.lars").write_text("q(X) :- a(X, Y).\n")
    assert "warning[" in laser("check", "w.lars").stdout
    laser("check", "w.lars", "--strict", code=1)


def test_inputs_can_be_named_or_taken_from_a_stream(here, laser):
    (here / "typo.lars").write_text("q(X, Y) :- aa(X, Y) in [3].\n")
    laser("check", "typo.lars", "--strict")
    laser("check", "typo.lars", "--strict", "--inputs", "a/2", code=1)
    result = laser("check", "typo.lars", "--strict", "--stream", "s.stream", code=1)
    assert "aa" in result.stdout
    laser("check", "typo.lars", "--strict", "--stream", "s.stream", "--inputs", "aa/2, <http://e.org/p>/2")


def test_background_data_count_as_known(here, laser):
    (here / "b.lars").write_text("q(X) :- a(X, Y), kind(Y).\n")
    (here / "kinds.txt").write_text("kind(y).\n")
    laser("check", "b.lars", "--strict", "--stream", "s.stream", code=1)
    laser("check", "b.lars", "--strict", "--stream", "s.stream", "--background", "kinds.txt")


@pytest.mark.parametrize("known", [(), ("--stream", "s.stream"), ("--inputs", "a")])
def test_background_data_are_not_listed_as_streamed_in(here, laser, known):
    (here / "b.lars").write_text("q(X) :- a(X, Y), kind(Y).\n")
    (here / "kinds.txt").write_text("kind(y).\n")
    report = json.loads(laser("check", "b.lars", "--json", "--background", "kinds.txt", *known).stdout)
    roles = {each["name"]: each["roles"] for each in report["predicates"]}
    assert roles == {"a": ["streamed in"], "kind": ["background"], "q": ["derived"]}
    assert report["inputs"] == ["a(any, any)"]


def test_the_report_as_json(laser):
    report = json.loads(laser("check", "p.lars", "--json").stdout)
    assert report["ok"] is True
    assert report["name"] == "p.lars"


def test_constants_and_ticks_are_checked(here, laser):
    (here / "t.lars").write_text("#const n = 3.\nq(X, Y) :- a(X, Y) in [n], a(X, Y) in [500 ms].\n")
    laser("check", "t.lars", code=1)
    laser("check", "t.lars", "--tick", "250 ms")
    laser("check", "t.lars", "--tick", "250 ms", "--const", "n=-1", code=1)
    laser("check", "t.lars", "--tick", "250 ms", "--const", "m=1", code=1)


def test_a_missing_program_gets_a_suggestion(laser):
    assert "did you mean `p.lars`?" in laser("check", "pp.lars", code=2).stderr


def test_inputs_must_be_predicates(laser):
    assert "write NAME or NAME/ARITY" in laser("check", "p.lars", "--inputs", "a(X)", code=2).stderr


def test_an_input_without_arity_is_every_predicate_of_that_name(laser):
    laser("check", "p.lars", "--inputs", "a", "--strict")
    laser("check", "p.lars", "--inputs", "a,b/1", "--strict")
    assert "did you mean" not in laser("check", "p.lars", "--inputs", "b", code=0).stdout


def test_a_misspelt_input_gets_a_suggestion_for_both_names(here, laser):
    (here / "t.lars").write_text("hot(M) :- temperature(M, V), V > 90.\n")
    exact = laser("check", "t.lars", "--inputs", "temprature/2").stdout
    assert "did you mean `temprature/2`? Or is that input meant to be `temperature/2`?" in exact
    bare = laser("check", "t.lars", "--inputs", "temprature").stdout
    assert "the program has no predicate `temprature` that could stream in" in bare
    assert "did you mean `temperature`?" in bare


def test_the_report_says_which_engine_would_answer_a_history(here, laser):
    (here / "r.lars").write_text(
        "near(X, Y) :- link(X, Y) in [5].\nfar(X, Z) :- near(X, Z).\nfar(X, Z) :- far(X, Y), near(Y, Z).\n"
    )
    line = "history: SQL for `near/2`; the reasoner for `far/2`: recursion through far/2\n"
    assert line in laser("check", "r.lars").stdout
    report = json.loads(laser("check", "r.lars", "--json").stdout)
    assert report["history"] == {"far/2": "recursion through far/2", "near/2": None}


def test_the_text_of_a_key_of_many_predicates_stays_short(here, laser):
    rules = "".join(f"q{i}(X) :- a{i}(X, _) in [3].\n" for i in range(50))
    (here / "many.lars").write_text(rules)
    assert "and of 80 others" in laser("check", "many.lars").stdout
