"""``docs/diagnostics.md`` has every code, and its examples do what it says."""

import re
from pathlib import Path

import pytest

from laser.checks import find
from laser.checks.report import check
from laser.errors import ProgramError
from laser.syntax.parser import parse_tree

ROOT = Path(__file__).parents[2]
DOCUMENT = (ROOT / "docs/diagnostics.md").read_text(encoding="utf-8")
SECTIONS = re.findall(r"^### `([a-z-]+)`\n(.*?)(?=^##|\Z)", DOCUMENT, re.M | re.S)
EXAMPLES = [(code, re.findall(r"```lars\n(.*?)```", text, re.S)) for code, text in SECTIONS]
CODE = re.compile(r'(?:Diagnostic|found|_refuse)\(\s*(?:\w+(?:\.\w+)*,\s*)?"([a-z]+(?:-[a-z]+)*)"')


def codes(text: str) -> set[str]:
    try:
        return {finding.code for finding in check(parse_tree(text)).findings}
    except ProgramError as error:
        return {finding.code for finding in error.diagnostics}


def test_every_code_is_documented_once() -> None:
    sources = (path.read_text(encoding="utf-8") for path in (ROOT / "src/laser").rglob("*.py"))
    used = {code for text in sources for code in CODE.findall(text)}
    documented = [code for code, _ in SECTIONS]
    assert len(documented) == len(set(documented))
    assert used - set(documented) == set()


@pytest.mark.parametrize(("code", "examples"), EXAMPLES, ids=[code for code, _ in EXAMPLES])
def test_the_first_example_has_the_finding_and_the_second_has_no_error(code: str, examples: list[str]) -> None:
    if examples:
        assert code in codes(examples[0])
    for cured in examples[1:]:
        assert code not in codes(cured)
        assert not [f for f in find(parse_tree(cured)) if f.severity == "error"]
