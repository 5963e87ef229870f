"""The report of ``check``."""

import json

from laser.checks.report import check
from laser.values import Predicate

TEXT = """\
machine(1..3).
@T hot(M) :- temp(M, V) at T in [1 min], V > 90.
alarm(M) :- hot(M) always in [30 s], not service(M) in [2 #].
idle(M) :- machine(M), not hot(M), not alarm(M).
"""


def test_the_report_for_a_person() -> None:
    assert (
        str(check(TEXT))
        == """\
predicate  comes from   kept
alarm/1    derived
hot/1      derived
idle/1     derived
machine/1  background
service/1  streamed in  the last 2 facts of the stream
temp/2     streamed in  the 60 ticks before the present

stratum 1: alarm/1, hot/1
stratum 2: idle/1
inputs: service(any), temp(any, number)
reach: the 60 ticks before the present and the last 2 facts of the stream, in ticks of 1 s
key: none: a tuple window counts the facts of the whole stream

<program>: 0 errors, 0 warnings"""
    )


def test_the_report_for_a_program_is_json() -> None:
    report = check(TEXT, inputs=["temp/2", "service"], tick="500 ms").to_json()
    assert json.loads(json.dumps(report)) == report
    assert (report["ok"], report["tick"]) == (True, "500 ms")
    assert report["strata"] == [["alarm/1", "hot/1"], ["idle/1"]]
    assert report["reach"]["ticks"] == 120
    assert report["predicates"][-1] == {
        "name": "temp",
        "arity": 2,
        "roles": ["streamed in"],
        "kept": {"ticks": 120, "tuples": 0, "latest": [], "text": "the 120 ticks before the present"},
    }


def test_findings_come_first_and_errors_replace_the_table() -> None:
    text = str(check("q(X) :- a(Y)."))
    assert text.startswith("<program>:1:3: error[unsafe-variable]")
    assert text.endswith("<program>: 1 error, 0 warnings")
    assert "stratum" not in text


def test_a_syntax_error_is_a_finding_too() -> None:
    report = check("q(X) :- ")
    assert not report.ok
    assert report.to_json()["findings"][0]["line"] == 1


def test_inputs_may_be_predicates_names_or_names_with_arities() -> None:
    program = "q(X) :- a(X), b(X)."
    for inputs in (["a/1", "b/1"], ["a", "b"], [Predicate("a", 1), "b"]):
        assert check(program, inputs=inputs).findings == ()
    assert [d.code for d in check(program, inputs="a").findings] == ["unknown-predicate"]


def test_an_empty_program_has_a_report() -> None:
    assert str(check("")) == "reach: only the present, in ticks of 1 s\n\n<program>: 0 errors, 0 warnings"
