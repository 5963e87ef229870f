"""The notebooks run, and show what is stored in them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import laser
from tests.notebook import run_notebook, settled

EXAMPLES = Path(__file__).parent.parent / "examples"
NOTEBOOKS = sorted(EXAMPLES.glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_runs_and_shows_what_it_says(path: Path) -> None:
    assert settled(run_notebook(path)) == settled(json.loads(path.read_text("utf-8"))), (
        f"python -m tests.notebook {path}"
    )


def test_there_is_at_least_one_notebook() -> None:
    assert [path.name for path in NOTEBOOKS] == ["tour.ipynb"]


def test_a_program_shows_its_text_with_colours_and_as_text() -> None:
    shown = laser.parse('q(X) :- p(X, "<b>") in [3], not r(1).  % a < b')._repr_html_()
    assert "&lt;b&gt;" in shown
    assert "<b>" not in shown
    assert "% a &lt; b</span>" in shown
    assert shown.count("<span") == shown.count("</span>") == 8
