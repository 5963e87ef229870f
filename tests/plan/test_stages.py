"""Long bodies are cut into stages, so that plan and code grow with their length."""

from __future__ import annotations

import pytest

from laser import Reasoner
from laser.checks.accept import accept
from laser.checks.load import parse
from laser.engine.codegen.module import LINES_A_PIECE, compile_plan
from laser.plan.nodes import Shared
from laser.reference import answer_stream
from laser.values.facts import parse_fact
from tests.plan.plans import plan_of


def absences(count: int) -> str:
    return "q(X) :- d(X, T) in [9], " + ", ".join(f"not ⊞{i + 1} @T ¬ a{i}(X)" for i in range(count)) + "."


def long_join(count: int) -> str:
    return "q(X0) :- " + ", ".join(f"a(X{i}, X{i + 1}) in [3]" for i in range(count)) + "."


def absent_facts(count: int) -> str:
    return "q(X) :- d(X) in [9], " + ", ".join(f"not a{i}(X) in [{i}]" for i in range(count)) + "."


def stages(text: str) -> list[Shared]:
    return [node for part in plan_of(text).components for node in part.nodes if isinstance(node, Shared)]


def test_disjunctions_add_rules_and_do_not_multiply_them() -> None:
    assert len(plan_of(absences(1)).rules) == 2  # T is not in the window, or a holds there
    assert len(plan_of(absences(12)).rules) == 24
    assert len(plan_of(absences(40)).rules) == 80


@pytest.mark.parametrize("shape", [absences, long_join, absent_facts])
def test_four_times_the_body_is_about_four_times_the_code(shape) -> None:  # type: ignore[no-untyped-def]
    few, many = (sum(map(len, compile_plan(plan_of(shape(size))).pieces)) for size in (40, 160))
    assert many <= 7 * few  # the square would be sixteen times


def test_large_sources_are_compiled_in_pieces() -> None:
    rules = "".join(f"q{i}(X) :- a{i}(X, Y) in [3], b{i}(Y) in [4]." for i in range(200))
    pieces = compile_plan(plan_of(rules)).pieces
    assert len(pieces) > 5
    assert all(piece.count("\n") < LINES_A_PIECE + 100 for piece in pieces)


def test_short_bodies_have_no_stages() -> None:
    assert stages(long_join(16)) == []
    assert len(stages(long_join(17))) == 1


def test_the_same_stage_is_one_node() -> None:
    body = long_join(40).removeprefix("q(X0) :- ")
    assert len(stages(f"q(X0) :- {body} r(X0, X0) :- {body}")) == len(stages(f"q(X0) :- {body}")) + 1  # the last join


LONG = (
    "q(X) :- d(X, T) in [9], not ⊞3 @T ¬ a(X), not ⊞6 @T ¬ b(X), not ⊞4 @U ¬ a(Y), e(X, Y), U = T + 1.",
    "q(X, T) :- d(X, _) in [9], ⊞#2[X] @T ¬ d(X, 3), not ⊞2 @T ¬ a(X), not ⊞5 @T ¬ b(X), T > 1.",
    "q(X, N) :- e(X, _), N = count(Y : e(X, Y), a(Y) in [3]), not ⊞3 @1 ¬ a(X), M = count(Y : d(X, Y) in [2]), M < 2.",
    "q(X) :- a(X) in [3], not ⊞[each 3] @_ ¬ a(X), not ⊞[each 2] @_ ¬ b(X), not ⊞[each 4] @_ ¬ b(X).",
    "q(X) :- count(Y : d(X, Y) in [5], not ⊞3 @Y ¬ a(X), not ⊞4 @Y ¬ b(X), not ⊞6 @Y ¬ a(X)) > 0.",
    "q(X) :- a(X) in [1]. q(Y) :- q(X), e(X, Y), not ⊞3 @2 ¬ a(X), not ⊞5 @2 ¬ b(X), not ⊞6 @1 ¬ b(Y).",
)


@pytest.mark.parametrize("text", LONG)
def test_answers_through_stages_are_those_of_the_definition(text: str) -> None:
    program = parse(text + " e(1, 2). e(2, 3). e(3, 1).")
    stream = [
        (t, [parse_fact(text) for k in range(1, 4) for text in facts(t, k)]) for t in range(14) if (t * 7) % 5 != 3
    ]
    reasoner = Reasoner(program, start=0)
    expected = dict(answer_stream(accept(program), stream, 0, 16))
    given = dict(stream)
    assert any(expected.values())
    for time in range(17):
        reasoner.advance(time, given.get(time, []))
        assert reasoner.holding() == expected[time], time


def facts(t: int, k: int) -> list[str]:
    """A stream in which things come, repeat and stop."""
    found = []
    if (t + k) % 3:
        found.append(f"a({k})")
    if (t * k) % 4 == 1:
        found.append(f"b({k})")
    if (t + 2 * k) % 5 == 0:
        found.append(f"d({k}, {max(0, t - k)})")
    return found
