"""Reports about programs, against golden files: ``tests/cases/errors/<case>.lars`` with ``<case>.err`` beside it.

``LASER_REGOLD=1 pytest tests/test_errors.py`` writes the golden files anew; look at the difference before you keep it.
"""

import ast
import os
import re
from pathlib import Path

import pytest

from laser.checks import find
from laser.checks.accept import accept
from laser.errors import Diagnostic, ProgramError
from laser.syntax.parser import parse_tree
from tests.cases_reader import CASES

ROOT = Path(__file__).parent.parent
ERRORS = sorted((CASES / "errors").glob("*.lars"))
DOCUMENTS = [ROOT / "docs" / "language.md", ROOT / "docs" / "diagnostics.md"]


def findings(source: str, name: str) -> list[Diagnostic]:
    """All that is said about a program before it runs."""
    try:
        program = parse_tree(source, name, None if name == "no-include.lars" else CASES / "errors")
        found = find(program)
        if not any(d.severity == "error" for d in found):
            accept(program)
    except ProgramError as error:
        return list(error.diagnostics)
    return found


def report(path: Path) -> str:
    source = path.read_text("utf-8")
    return "".join(d.render(source, path.name) + "\n" for d in findings(source, path.name))


@pytest.mark.parametrize("path", ERRORS, ids=lambda p: p.stem)
def test_the_report_is_the_golden_one(path: Path) -> None:
    golden = path.with_suffix(".err")
    text = report(path)
    if os.environ.get("LASER_REGOLD"):
        golden.write_text(text, "utf-8")
    assert golden.exists(), f"no {golden.name}: write it with LASER_REGOLD=1"
    assert text == golden.read_text("utf-8")
    assert text, "a case of errors/ has a finding"


def codes() -> set[str]:
    """Every code of a diagnostic in the source: in these rooms, a text of words with hyphens is one, and nothing else is."""
    found: set[str] = set()
    for room in ("checks", "syntax"):
        for path in (ROOT / "src" / "laser" / room).rglob("*.py"):
            strings = (n.value for n in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(n, ast.Constant))
            found.update(s for s in strings if isinstance(s, str) and re.fullmatch(r"[a-z]+(-[a-z]+)+", s))
    return found


def golden_codes() -> set[str]:
    text = "".join(path.read_text("utf-8") for path in (CASES / "errors").glob("*.err"))
    return set(re.findall(r"(?:error|warning)\[([a-z-]+)\]", text))


def test_every_code_has_a_golden_file() -> None:
    assert codes() - golden_codes() == set()


def test_every_code_is_documented() -> None:
    text = "".join(path.read_text("utf-8") for path in DOCUMENTS if path.exists())
    missing = {code for code in codes() | golden_codes() if f"`{code}`" not in text}
    assert missing == set()
