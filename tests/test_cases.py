"""Every case, by every executor."""

import pytest

from tests.cases_reader import Case, case_paths, read_case, read_lines, write_answers
from tests.executors import EXECUTORS

CASES = [read_case(path) for path in case_paths()]


@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_output_is_the_expected_one(case: Case, executor: str) -> None:
    answers = EXECUTORS[executor](case)
    assert write_answers(answers.items()) == write_answers(case.expected.items())


@pytest.mark.parametrize("path", case_paths(), ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_expected_files_are_in_canonical_form(path) -> None:
    text = path.with_suffix(".expected").read_text("utf-8")
    assert text == write_answers(read_lines(text))
    times = [time for time, _ in read_lines(text)]
    assert times == list(range(times[0], times[-1] + 1))


def test_there_are_cases_for_every_area() -> None:
    areas = {case.name.split("/")[0] for case in CASES}
    assert areas >= {
        "background",
        "constants",
        "heads",
        "negation",
        "paper",
        "predicates",
        "recursion",
        "terms",
        "time",
        "time_windows",
        "tuple_windows",
    }
