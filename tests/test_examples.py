"""The examples run, and the engine answers them as the reference does."""

import pytest

from laser.analysis.checks import find
from laser.analysis.load import load
from tests.cases_reader import EXAMPLES, Case, read_case, write_answers
from tests.executors import by_changes, by_reference

PATHS = sorted(EXAMPLES.glob("*.lars"))


@pytest.mark.parametrize("case", map(read_case, PATHS), ids=str)
def test_the_engine_answers_as_the_reference_does(case: Case) -> None:
    answers = by_reference(case)
    assert write_answers(by_changes(case).items()) == write_answers(answers.items())
    assert any(answers.values())


@pytest.mark.parametrize("case", map(read_case, PATHS), ids=str)
def test_everything_that_can_be_shown_is_shown_at_some_time(case: Case) -> None:
    program = load(EXAMPLES / f"{case.name.split('/')[-1]}.lars")
    shown = program.shown or {rule.head.predicate for rule in program.rules}
    seen = {atom.signature for atoms in by_reference(case).values() for atom in atoms}
    assert seen == set(shown)


@pytest.mark.parametrize("path", PATHS, ids=lambda p: p.stem)
def test_examples_are_without_findings(path) -> None:
    streamed = {fact.signature for _, facts in read_case(path).stream for fact in facts}
    program = load(path)
    findings = find(program, inputs=streamed)
    assert not findings, "\n".join(f.render(program.source, path.name) for f in findings)
