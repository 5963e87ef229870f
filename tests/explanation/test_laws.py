"""Every derived atom has a proof that checks, and every other a failure that fails: for all cases and for random programs."""

from __future__ import annotations

import pytest

from laser import explain, intervals, parse
from laser.checks.accept import accept
from laser.settings import RunSettings
from tests.cases_reader import Case, case_paths, read_case
from tests.explanation.laws import Asked, try_trial, what_fails_fails, what_holds_is_proved

CASES = [read_case(path) for path in case_paths()]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_answer_of_a_case_is_explained_and_every_near_miss(case: Case) -> None:
    core = accept(parse(case.program, case.name), RunSettings.read(case.settings.program))
    start = min(case.expected)
    seen = sorted({atom for atoms in case.expected.values() for atom in atoms})
    for time, atoms in case.expected.items():
        asked = Asked(core, case.stream, start, time)
        for atom in sorted(atoms):
            what_holds_is_proved(asked, atom, every=True)
        for atom in [atom for atom in seen if atom not in atoms][:6]:
            what_fails_fails(asked, atom)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_since_and_until_are_those_of_the_intervals(case: Case) -> None:
    program = parse(case.program, case.name)
    last = max(case.expected)
    stream = [(time, facts) for time, facts in case.stream if time <= last]
    extra = {"start": min(case.expected), **case.settings.program}
    for atom, since, until in intervals(program, stream, until=last + 12, **extra):
        if since <= last <= until:
            told = explain(program, stream, atom, last, **extra)
            assert (told.since, told.since_exact) == (since, True)
            ends = last + 12 if told.until is None else min(told.until, last + 12)
            assert ends == until


@pytest.mark.parametrize("batch", range(8))
def test_random_programs_are_explained(batch: int) -> None:
    assert sum(try_trial(f"test/{batch}/{i}") for i in range(25)) > 15
