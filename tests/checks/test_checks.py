"""The laws: their codes, their order, and what depends on inputs, constants and the tick."""

import re
from pathlib import Path

import pytest

from laser.checks import CHECKS, find
from laser.checks.accept import accept
from laser.errors import Diagnostic
from laser.reference import answer_stream
from laser.syntax.parser import parse_tree
from laser.ticks import Tick
from laser.values import Atom, Predicate
from laser.values.facts import parse_facts

ROOT = Path(__file__).parents[2]
CODES = [check.__name__.replace("_", "-") for check in CHECKS]


def codes(text: str, **options: object) -> list[str]:
    return [finding.code for finding in find(parse_tree(text), **options)]  # type: ignore[arg-type]


def only(text: str, code: str, **options: object) -> Diagnostic:
    (finding,) = (d for d in find(parse_tree(text), **options) if d.code == code)  # type: ignore[arg-type]
    return finding


def test_each_check_has_a_file_a_function_and_a_code_of_one_name() -> None:
    checks = ROOT / "src/laser/checks"
    helpers = {"__init__", "accept", "bindings", "contradictions", "known_predicates", "load", "report", "subject"}
    files = {path.stem for path in checks.glob("*.py")} - helpers - {"mixed_types"}  # it asks the resolved program
    assert files == {check.__name__ for check in CHECKS}
    for check in CHECKS:
        text = (checks / f"{check.__name__}.py").read_text(encoding="utf-8")
        assert set(re.findall(r'Diagnostic\(\s*"([a-z-]+)"', text)) == {check.__name__.replace("_", "-")}


@pytest.mark.parametrize("code", CODES)
def test_each_check_has_a_golden_file(code: str) -> None:
    golden = (ROOT / "tests/cases/errors").glob(f"{code}*.err")
    assert any(f"[{code}]" in path.read_text(encoding="utf-8") for path in golden)


def test_findings_come_in_the_order_of_the_text() -> None:
    found = find(parse_tree("q(X) :- a(Y).\nr(Z) :- b in [0 #], c(W, Z).\n#show s/0."))
    assert [(d.span.line, d.code) for d in found if d.span] == [
        (1, "unsafe-variable"),
        (2, "window-size"),
        (2, "single-variable"),
        (3, "show-unknown"),
    ]


def test_each_finding_has_a_place_a_note_and_a_hint() -> None:
    for path in (ROOT / "tests/cases/errors").glob("*.lars"):
        if any(path.name.startswith(code) for code in CODES):
            text = path.with_suffix(".err").read_text(encoding="utf-8")
            assert text.count("note: ") == text.count(": error[") + text.count(": warning[")


COOLING = """
@T steam(V) :- temp(V) at T in [30 s], V >= 100.
@T isSteam :- steam(_) at T in [30 s].
alarm :- isSteam always in [30 s].
normal :- temp(V) in [5 s], V < 40.
freeze :- not alarm, not normal.
third at T :- car(C), rec(C) at T in [3 #], not rec(C) [2 #].
idle(X) :- machine(X), not job(X, _) in [5 min].
machine(1..3).
"""


def test_a_good_program_has_no_findings() -> None:
    assert codes(COOLING) == []
    inputs = [Predicate("temp", 1), Predicate("car", 1), Predicate("rec", 1), Predicate("job", 2)]
    assert codes(COOLING, inputs=inputs) == []


# What depends on the inputs.


def test_known_inputs_make_an_unknown_predicate_certain() -> None:
    finding = only("q :- temp(X), tmep(X).", "unknown-predicate", inputs=[Predicate("temp", 1)])
    assert (finding.message, finding.hint) == ("no input, rule or fact provides `tmep/1`", "did you mean `temp/1`?")


def test_a_wrong_arity_of_an_input_is_one_finding() -> None:
    finding = only("q(X) :- temp(X). r :- temp(_, _).", "unknown-predicate", inputs=[Predicate("temp", 2)])
    assert finding.hint == "did you mean `temp/2`?"
    assert codes("q(X) :- temp(X). r :- temp(_, _).", inputs=[Predicate("temp", 2)]) == ["unknown-predicate"]


def test_without_inputs_only_typing_errors_are_reported() -> None:
    assert codes("warm :- temp(_). q :- warmm.") == ["unknown-predicate"] == codes("warm :- temp(_). q :- wram.")
    for other in ("cold", "warm2", "warming"):
        assert codes(f"warm :- temp(_). q :- {other}.") == []


def test_streamed_predicates_have_a_history() -> None:
    text = "q :- p in [3]. r :- q in [5]."
    assert codes(text) == ["no-history"]
    assert codes(text, inputs=[Predicate("p", 0), Predicate("q", 0)]) == []


@pytest.mark.parametrize(
    "text",
    [
        "@T q :- p at T in [3]. r :- q in [5].",
        "q. q :- p. r :- q in [5].",
        "q :- p. r :- q in [0].",
        "q :- p. r :- q in [this 1].",
    ],
)
def test_a_predicate_with_a_history_or_read_at_the_present_is_not_reported(text: str) -> None:
    assert "no-history" not in codes(text)


@pytest.mark.parametrize(
    "writer",
    [
        "q(M) :- machine(M), temp(M, T), T > 90, not off(M).",
        "q(M) :- temp(M, _), job(M).",
        "q(M) :- temp(M, _) in [0], machine(M).",
    ],
)
def test_a_rule_changed_as_the_hint_says_has_a_history(writer: str) -> None:
    readers = "some(M) :- q(M) in [2]. all(M) :- q(M) always in [4]. once(M) :- q(M) in [3 .. 5 ago]."
    finding = find(parse_tree(f"machine(oven). {writer}\n{readers}"))[0]
    (rule,) = re.findall(r"write `(.*?\.)` on line 1", finding.hint or "")
    assert "no-history" not in codes(f"machine(oven). {rule} {readers}")
    facts = {1: "temp(oven, 95), job(oven)", 2: "temp(oven, 91), job(oven), off(oven)", 3: "temp(oven, 99), job(oven)"}
    stream = [(t, parse_facts(facts.get(t, "temp(oven, 92), job(oven)"))) for t in range(12)]
    before = answers(f"machine(oven). {writer}", stream)
    after = answers(f"machine(oven). {rule} {readers}", stream)
    q, some, every, once = (Atom(name, ["oven"]) for name in ("q", "some", "all", "once"))
    for t in range(12):
        assert (q in after[t]) == (q in before[t])
        assert (some in after[t]) == any(q in before[u] for u in range(max(0, t - 2), t + 1))
        assert (every in after[t]) == all(q in before[u] for u in range(max(0, t - 4), t + 1))
        assert (once in after[t]) == any(q in before[u] for u in range(max(0, t - 5), t - 2))


def answers(text: str, stream: list[tuple[int, list[Atom]]]) -> dict[int, frozenset[Atom]]:
    return dict(answer_stream(accept(parse_tree(text)), stream))


def test_only_inputs_keep_their_whole_history() -> None:
    assert codes("q(T) :- p at T.") == ["whole-history"]
    assert codes("@T p :- a at T in [3]. q(T) :- p at T.") == []
    inputs = [Predicate("a", 0), Predicate("p", 0)]
    assert codes("@T p :- a at T in [3]. q(T) :- p at T.", inputs=inputs) == ["whole-history"]


def test_a_rule_that_needs_a_rule_that_never_fires_never_fires() -> None:
    found = codes("a :- b, in1. b :- a. c :- in1, not a.", inputs=[Predicate("in1", 0)])
    assert found == ["never-fires", "never-fires"]


# What depends on the run's constants and tick.


def test_an_override_must_name_a_constant() -> None:
    finding = only("#const window = 30. q :- a in [window].", "unknown-constant", constants={"windw": 5})
    assert (finding.span, finding.hint) == (None, "did you mean `window`?")
    assert only("q :- a.", "unknown-constant", constants={"n": 5}).hint == "declare it in the program: `#const n = 30.`"


def test_an_override_changes_the_findings() -> None:
    text = "#const n = 0. q :- a in [n #]."
    assert codes(text) == ["window-size"]
    assert codes(text, constants={"n": 3}) == []


def test_an_override_must_be_a_value() -> None:
    assert codes("#const n = 3. q :- a in [n].", constants={"n": None}) == ["bad-constant"]
    assert codes("#const n = 3. q :- a in [n].", constants={"n": float("nan")}) == ["bad-constant"]


def test_the_tick_decides_which_durations_fit() -> None:
    text = "q :- a in [250 ms], b in [1 s]."
    assert codes(text) == ["no-whole-ticks"]
    assert codes(text, tick=Tick.parse("250 ms")) == codes(text, tick=None) == []


def test_the_hint_names_a_tick_that_fits_all_durations() -> None:
    found = find(parse_tree("q :- a in [750 ms], b in [1 s], c in [3 #], d in [7]."), tick=Tick.parse("1 s"))
    assert [d.hint for d in found] == ["run it with a tick of 250 ms, or write a duration that fits, such as `[1 s]`"]


# What is certain never to fire, and what only looks so.

NEVER = [
    "X > 5, X < 3", "X >= 5, X < 5", "5 < X, 3 > X", "X = 5, X > 7", "X = 1, X = 2", "X = red, X = blue", "X > 5, X > red",
    "X < Y, Y < X", "X < X", "X != X", "X + 1 < X + 1", "X = Y, X != Y", "X > 1 / 0", "X > red * 2", "1 = 2", "1 < red",
]  # fmt: skip
PERHAPS = [
    "X > 5, X < 7", "X >= 5, X <= 5", "X > 1, X < 2", "X != 5, X > 3", "X < Y, Y <= 5", "X = 5, Y = 6", "X < 5, Y > 7", "1 = 1.0",
    "X <= X", "X > red, X < sad", "X = Y, X >= Y", "X > 5, X > 6",
]  # fmt: skip


@pytest.mark.parametrize("tests", NEVER)
def test_contradictory_comparisons_never_fire(tests: str) -> None:
    assert codes(f"q(X, Y) :- a(X, Y), {tests}.") == ["never-fires"]


@pytest.mark.parametrize("tests", PERHAPS)
def test_comparisons_that_can_hold_are_not_reported(tests: str) -> None:
    assert codes(f"q(X, Y) :- a(X, Y), {tests}.") == []


def test_a_comparison_of_constants_is_a_switch_and_not_reported() -> None:
    assert codes("#const debug = 0. q :- a, debug = 1.") == []


CLASH = [
    "a(X), not a(X)", "a(X), not a(X) in [5]", "a(X) in [3], not a(X) in [5]", "a(X) always in [3], not a(X)",
    "a(X) always in [9], not a(X) in [1]", "a(X) at T in [3], not a(X) at T in [3]", "a(X) at _ in [3], not a(X) in [60 s]",
    "a(X), not a(X) in [this 5]", "a(X) always in [this 5], not a(X)", "a(X) in [each 5], not a(X) in [each 5]",
]  # fmt: skip
NO_CLASH = [
    "a(X), not a(X) always in [5]", "a(X) in [5], not a(X) in [3]", "a(X) in [3], not a(X)", "a(X), not a(X) in [3 #]",
    "a(X) always in [3 #], not a(X)", "a(X), not a(X, _)", "a(X), a(Y), not a(X) at Y",
    "a(X), not a(X) in [1 .. 5 ago]", "a(X), not a(X) in [5 every 2]", "a(X) always in [each 5], not a(X)",
]  # fmt: skip


@pytest.mark.parametrize("body", CLASH)
def test_a_literal_and_a_weaker_negated_one_never_fire(body: str) -> None:
    assert "never-fires" in codes(f"q(X) :- {body}.")


@pytest.mark.parametrize("body", NO_CLASH)
def test_a_literal_and_a_stronger_negated_one_can_fire(body: str) -> None:
    assert "never-fires" not in codes(f"q(X) :- {body}.")


@pytest.mark.parametrize("text", ["q(X) :- a(X, _).", "q(X) :- a(X, _Y).", "q :- a(X), b(X)."])
def test_variables_that_join_or_begin_with_an_underscore_are_not_reported(text: str) -> None:
    assert codes(text) == []
