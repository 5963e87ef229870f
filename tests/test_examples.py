"""The examples run, from the command line too, and the engine answers them as the reference does."""

import os
import re

import pytest
from click.testing import CliRunner

from laser.checks import find
from laser.checks.load import load
from laser.cli import main
from laser.syntax.formatter import format_source
from tests.cases_reader import EXAMPLES, Case, Settings, read_case, write_answers
from tests.executors import by_changes, by_cli, by_reference

PATHS = sorted(EXAMPLES.glob("*.lars"))
CASES = [read_case(path) for path in PATHS]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_engine_answers_as_the_reference_does(case: Case) -> None:
    answers = by_reference(case)
    assert write_answers(by_changes(case).items()) == write_answers(answers.items())
    assert any(answers.values())


@pytest.mark.parametrize("case", CASES, ids=str)
def test_examples_need_no_options(case: Case) -> None:
    """Whoever types `laser eval` with no options sees what the tests see."""
    assert case.settings == Settings()
    assert write_answers(by_cli(case).items()) == write_answers(by_reference(case).items())


@pytest.mark.parametrize("path", PATHS, ids=lambda p: p.stem)
def test_examples_are_in_the_house_style(path) -> None:
    text = path.read_text("utf-8")
    assert text == format_source(text, path.name)


@pytest.mark.parametrize("case", CASES, ids=str)
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


TABLES = EXAMPLES / "tables"
PICTURES = {
    **{name: [f"{name}.lars", f"{name}.stream"] for name in ("congestion", "payments", "hosts", "sessions")},
    "heart": ["tables/heart.lars", "--input", "hr={clean}"],
}


@pytest.mark.parametrize("name", PICTURES)
def test_the_pictures_are_up_to_date(name: str, tmp_path, monkeypatch) -> None:
    """``LASER_REGOLD=1 pytest tests/test_examples.py`` draws them anew."""
    monkeypatch.chdir(EXAMPLES)
    drawn, clean = tmp_path / "drawn.svg", tmp_path / "heart.csv"
    rows = (TABLES / "heart.csv").read_text("utf-8").splitlines(keepends=True)
    clean.write_text("".join(row for row in rows if "n/a" not in row), "utf-8")
    words = [word.format(clean=clean) for word in PICTURES[name]]
    result = CliRunner().invoke(main, ["plot", *words, "-o", str(drawn), "--theme", "light", "--width", "800"])
    assert result.exit_code == 0, result.output
    picture = re.sub(r"\blaser\d+\b", "laser1", drawn.read_text("utf-8"))  # drawings of one process are numbered
    kept = EXAMPLES / "pictures" / f"{name}.svg"
    if os.environ.get("LASER_REGOLD"):
        kept.parent.mkdir(exist_ok=True)
        kept.write_text(picture, "utf-8")
    assert picture == kept.read_text("utf-8")
    assert re.search(r"<rect|<path", kept.read_text("utf-8"))


def test_the_picture_of_the_ward_is_up_to_date(tmp_path) -> None:
    """``make pictures`` draws it anew, and the playground beside it."""
    ward = [
        str(TABLES / "ward.lars"),
        "--input",
        f"hr={TABLES / 'ward.csv'}",
        "--max-ahead",
        "1 d",
        "--rejects",
        os.devnull,
    ]
    drawn = tmp_path / "ward.svg"
    result = CliRunner().invoke(main, ["plot", *ward, "-o", str(drawn), "--theme", "light", "--width", "800"])
    assert result.exit_code == 0, result.output
    kept = EXAMPLES.parent / "docs" / "pictures" / "ward.svg"
    assert re.sub(r"\blaser\d+\b", "laser1", drawn.read_text("utf-8")) == kept.read_text("utf-8")
