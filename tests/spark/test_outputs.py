"""Answers of different predicates never share a directory."""

from __future__ import annotations

import json
from urllib.parse import unquote

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from laser.cli import main
from laser.spark.directories import directory_names

RULES = """
q(X) :- p(X), X = 1.      q(X, X) :- p(X), X = 2.   q_(X) :- p(X), X = 3.    q_1(X) :- p(X), X = 4.
<a:b-c>(X) :- p(X), X = 5.   <a:b_c>(X) :- p(X), X = 6.   qA(X) :- p(X), X = 7.   qa(X) :- p(X), X = 8.
"""
DIRECTORIES = ["q%2F1", "q%2F2", "q_", "q_1", "%3Ca%3Ab-c%3E", "%3Ca%3Ab_c%3E", "q%41", "qa"]


@given(st.sets(st.text(st.characters(exclude_categories=["Cs"]), min_size=1)))
def test_names_of_directories_are_made_from_the_predicate(names):
    found = directory_names(names)
    assert {name: unquote(directory) for name, directory in found.items()} == {name: name for name in names}
    assert len({directory.casefold() for directory in found.values()}) == len(names)


@pytest.mark.parametrize("flags", [[], ["--follow", "--every", "once"]], ids=["batch", "stream"])
def test_each_predicate_has_its_own_answers(spark, tmp_path, flags):
    (tmp_path / "rules.lars").write_text(RULES, "utf-8")
    (tmp_path / "in").mkdir()
    lines = ["x,t", *(f"{x},{x}" for x in range(1, 9)), "0,50"]
    (tmp_path / "in" / "p.csv").write_text("\n".join(lines) + "\n", "utf-8")
    where = ["--input", f"p={tmp_path}/in", "--input-format", "csv", "--time", "t", "--checkpoint", tmp_path / "state"]
    rest = ["--program", tmp_path / "rules.lars", "-o", tmp_path / "out", "--format", "jsonl", *flags]
    result = CliRunner().invoke(main, ["run", *map(str, [*where, *rest])], prog_name="laser")
    assert result.exit_code == 0, result.output
    found = {place.name: _values(place) for place in (tmp_path / "out").iterdir()}
    assert found == {name: {x} for x, name in enumerate(DIRECTORIES, 1)}


def _values(place):
    lines = [line for file in place.rglob("*.json") for line in file.read_text("utf-8").splitlines()]
    return {json.loads(line)["x"] for line in lines}
