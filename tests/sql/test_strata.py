"""Strata of SQL and of the reasoner in turns: who makes what, and at what cost."""

import logging

import pyarrow as pa
import pytest

import laser
from laser.checks.accept import accept
from laser.checks.load import parse
from laser.engine.inputs.given import Span
from laser.engine.machine import Machine
from laser.engine.part import merged, run_part
from laser.engine.reports import Reports
from laser.plan.build import build
from laser.plan.nodes import Given, Plain, Recent
from laser.plan.part import part_of
from laser.sql import History
from laser.sql.duck import Duck
from laser.values import Predicate
from laser.windows import Sliding

RULES = """
link(X, Y) :- edge(X, Y, V) in [9], V > 0.
reach(X, Y) :- link(X, Y).
reach(X, Z) :- reach(X, Y), link(Y, Z).
near(X, Y) :- reach(X, Y), not link(X, Y).
twice(X, Y) :- near(X, Y), latest(X) in [last 2].
"""


def edges(count: int) -> dict[str, pa.Table]:
    """A ring of nodes, whose edges come again and again, and now and then with a value that does not count."""
    numbers = range(count)
    return {
        "edge": pa.table(
            {
                "x": [i % 5 for i in numbers],
                "y": [(i + 1) % 5 for i in numbers],
                "v": [i % 7 for i in numbers],
                "time": [i // 2 for i in numbers],
            }
        ),
        "latest": pa.table({"x": [i % 3 for i in range(count // 9)], "time": [i * 4 for i in range(count // 9)]}),
    }


def test_a_history_says_which_engine_computes_which_predicate() -> None:
    with History(RULES, edges(15_000)) as history:
        assert history.why == (
            "SQL for `link/2` and `near/2`; the reasoner for `reach/2`: recursion through reach/2; "
            "the reasoner for `twice/2`: the tuple window [last 2]"
        )
        by_strata = list(history.intervals())
    with History(RULES, edges(15_000), engine="reasoner") as alone:
        assert by_strata == sorted(alone.intervals(), key=lambda each: (each.until, each.since, each.atom))


def part(program: str, made: Plain) -> tuple:
    """The part of a plan that makes one node, from what it reads."""
    plan = build(accept(parse(program)))
    return plan, part_of(plan, [made], {Predicate("out", made.width): made})


def test_the_cost_of_an_interval_does_not_depend_on_its_length(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks: list[int] = []
    tick = Machine.tick

    def counted(machine: Machine, t: int, *facts: object) -> list:
        ticks.append(t)
        return tick(machine, t, *facts)  # type: ignore[arg-type]

    monkeypatch.setattr(Machine, "tick", counted)
    read = Recent(Predicate("a", 1), Sliding(3600))
    _, plan = part("q(X) :- a(X) in [3600], X > 0. r :- q(_).", Plain(Predicate("q", 1)))
    assert plan.components[0].nodes == (Given(read),)
    spans = [Span(10_000 * i, 10_000 * i + 3600, ("a", i)) for i in range(50)]
    found = run_part(plan, merged({read: spans}), (), 0, 10_000_000, 1000, Reports())
    assert found == {Predicate("out", 1): [Span(b, e, ("q", *key[1:])) for b, e, key in spans[1:]]}
    assert len(ticks) <= 2 * len(spans) + 2


def test_values_that_tables_cannot_store_stay_with_the_reasoner() -> None:
    program = """
    power(1, 1).
    power(N + 1, V * 10) :- power(N, V), N < 25.
    large(V) :- power(_, V), V > 5.
    seen(X, V) :- a(X) in [3], large(V).
    """
    stream = [(time, [("a", time % 4)]) for time in range(30)]
    with Duck(accept(parse(program))) as duck:
        duck.load((time, fact) for time, facts in stream for fact in facts)
        duck.answer(0, 29, whole=False)
        found = duck.intervals()
    right = sorted(laser.intervals(program, stream, engine="reasoner"), key=lambda i: (i.until, i.since, i.atom))
    assert found == right
    assert any(interval.atom.args == (10**24,) for interval in found)


def test_undefined_operations_are_reported_once(caplog: pytest.LogCaptureFixture) -> None:
    tables = {"v": pa.table({"x": [1] * 20_000, "y": [0, 2] * 10_000, "time": [*range(20_000)]})}
    with caplog.at_level(logging.WARNING, "laser"):
        found = list(laser.intervals("q(X) :- v(X, Y), X / Y > 0. p(X) :- q(X), not v(X, 5) in [3].", tables))
    assert len(found) == 20_000
    assert [record.getMessage().partition(",")[0] for record in caplog.records] == ["not defined: 1 / 0"]


def test_an_endless_recursion_is_stopped() -> None:
    tables = {"v": pa.table({"x": [1] * 20_000, "time": [*range(20_000)]})}
    with pytest.raises(laser.LimitError, match="more than 50 derivations"):
        list(laser.intervals("n(X) :- v(X) in [5]. n(X + 1) :- n(X).", tables, limit=50))
