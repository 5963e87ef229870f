"""Tables of declared inputs: columns by name, and of the declared types, by every engine."""

from __future__ import annotations

import pytest

import laser
from laser.errors import LaserError

pa = pytest.importorskip("pyarrow")
pytest.importorskip("duckdb")

EDGES = pa.table({"time": [1], "from": ["x"], "weight": [3], "to": ["y"]})


@pytest.mark.parametrize("engine", ["sql", "reasoner", "auto"])
def test_columns_are_found_by_their_names(engine):
    program = "#input edge(to: string, from: string). reached(X) :- edge(X, _)."
    (found,) = laser.intervals(program, {"edge": EDGES}, engine=engine)
    assert str(found.atom) == "reached(y)"


@pytest.mark.parametrize("engine", ["sql", "reasoner", "auto"])
@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ("to: integer", "does not have the type integer"),
        ("weight: string", "does not have the type string"),
        ("via: any", "no column 'via'"),
    ],
)
def test_columns_of_other_types_are_refused(engine, fields, says):
    program = f"#input edge({fields}). reached(X) :- edge(X)."
    with pytest.raises(LaserError, match=says):
        list(laser.intervals(program, {"edge": EDGES}, engine=engine))
