"""One text in two dialects: the statements are written in DuckDB's, and sqlglot reads them as a tree and prints it."""

from __future__ import annotations

from typing import Literal, TypeAlias

from laser.errors import LaserError

__all__ = ["DIALECTS", "Dialect", "pretty"]

Dialect: TypeAlias = Literal["duckdb", "spark"]
DIALECTS: tuple[Dialect, ...] = ("duckdb", "spark")


def pretty(query: str, dialect: Dialect) -> str:
    """A query laid out for people, in a dialect.

    >>> print(pretty("select a1 // 2 as a1, error('no') as c from \\"p/1\\"", "spark"))
    SELECT
      a1 DIV 2 AS a1,
      RAISE_ERROR('no') AS c
    FROM `p/1`
    """
    try:
        from sqlglot import exp, parse_one
    except ImportError:
        raise LaserError("to print SQL, sqlglot is needed: pip install 'laser-reasoner[duckdb]'") from None
    tree = parse_one(query, read="duckdb")
    if dialect == "spark":
        for call in tree.find_all(exp.Anonymous):
            if call.name.lower() == "error":
                call.set("this", "raise_error")
    return tree.sql(dialect=dialect, pretty=True)
