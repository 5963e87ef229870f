"""Every case of the suite by SQL, or by SQL and the reasoner in turns where some part has none."""

import pytest

from laser.checks.accept import accept
from laser.checks.load import parse
from laser.settings import RunSettings
from laser.sql.duck import Duck
from laser.sql.refusal import NotLowered
from tests.cases_reader import Case, case_paths, read_case, write_answers

CASES = [read_case(path) for path in case_paths()]


def by_sql(case: Case, whole: bool = True) -> dict[int, frozenset]:
    core = accept(parse(case.program, case.name), RunSettings.read(case.settings.program))
    first, last = min(case.expected), max(case.expected)
    facts = [(time, tuple(fact)) for time, facts in case.stream if time <= last for fact in facts]
    answers: dict[int, set] = {time: set() for time in case.expected}
    with Duck(core) as duck:
        duck.load(facts)
        duck.answer(first, last, whole)
        found = duck.intervals()
    for atom, since, until in found:
        for time in range(since, until + 1):
            answers[time].add(atom)
    return {time: frozenset(atoms) for time, atoms in answers.items()}


def refusal(case: Case) -> str | None:
    """Why a case is not lowered."""
    try:
        by_sql(case)
    except NotLowered as reason:
        return str(reason)
    return None


REFUSALS = {case.name: refusal(case) for case in CASES}


@pytest.mark.parametrize("case", [case for case in CASES if REFUSALS[case.name] is None], ids=str)
def test_the_output_is_the_expected_one(case: Case) -> None:
    assert write_answers(by_sql(case).items()) == write_answers(case.expected.items())


@pytest.mark.parametrize("case", [case for case in CASES if REFUSALS[case.name] is not None], ids=str)
def test_programs_that_are_only_partly_sql_are_answered_by_strata(case: Case) -> None:
    assert write_answers(by_sql(case, whole=False).items()) == write_answers(case.expected.items())


def test_all_cases_but_those_with_recursion_tuple_windows_or_aggregates_are_lowered() -> None:
    reasons = [reason for reason in REFUSALS.values() if reason is not None]
    known = (
        "recursion",
        "tuple window",
        "aggregate",
        "cannot represent exactly",
        "the function",
        "the test",
        "of several types",
        "need not be whole",
        "the record of",
    )
    assert all(any(word in reason for word in known) for reason in reasons), reasons
    assert len(reasons) < len(CASES) / 2
