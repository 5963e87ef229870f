"""What was not defined is reported once a rule, and costs nothing more after that."""

from __future__ import annotations

import pytest

from laser import Reasoner
from laser.engine import reports


def test_an_operation_that_was_reported_is_not_written_again(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[object] = []

    def write(value: object) -> str:
        written.append(value)
        return str(value)

    monkeypatch.setattr(reports, "write_value", write)
    reasoner = Reasoner("q(X) :- a(X), X > 5. r(X) :- a(X), Y = X * 2, Y > 0.")
    for t in range(20):
        reasoner.advance(t, [("a", "x" * 1000 + str(t))])
    assert len(written) == 4  # two operands in each of two rules
    assert len(reasoner.reports) == 2
