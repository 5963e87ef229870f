"""The experiment with histories: both ways have the same rows, and a difference would be told."""

from dataclasses import replace

import pytest

from laser.bench.history import history
from laser.bench.questions import HISTORIES, QUESTIONS
from laser.errors import LaserError


@pytest.mark.parametrize("name", HISTORIES)
def test_rules_and_sql_by_hand_have_the_same_rows(name: str) -> None:
    records = list(history(name, 20_000, 1))
    assert [record.system for record in records] == ["sql", "by hand", "reasoner"]
    assert all(record.value and record.ratio for record in records)


def test_a_difference_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    question = QUESTIONS["diamond"]
    wrong = replace(question, by_hand={"hot": question.by_hand["hot"].replace("180", "181")})
    monkeypatch.setitem(QUESTIONS, "diamond", wrong)
    with pytest.raises(LaserError, match="rows differ"):
        list(history("diamond", 20_000, 1))
