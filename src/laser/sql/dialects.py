"""One text in two dialects: statements are written in DuckDB's dialect, and sqlglot translates them."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Literal, TypeAlias
from uuid import uuid4

from laser.errors import LaserError

if TYPE_CHECKING:
    from sqlglot.expressions import Expr

__all__ = ["DIALECTS", "Dialect", "for_spark", "pretty"]

Dialect: TypeAlias = Literal["duckdb", "spark"]
DIALECTS: tuple[Dialect, ...] = ("duckdb", "spark")


def pretty(query: str, dialect: Dialect) -> str:
    """A formatted query in a dialect.

    >>> print(pretty("select a1 // 2 as a1, error('no') as c from \\"p/1\\"", "spark"))
    SELECT
      a1 DIV 2 AS a1,
      RAISE_ERROR('no') AS c
    FROM `p/1`
    """
    return str(_tree(query, dialect).sql(dialect=dialect, pretty=True))


def for_spark(query: str, tables: Collection[str]) -> tuple[str, dict[str, str]]:
    """A query for ``SparkSession.sql`` with placeholders for tables in braces, and the table of each placeholder.

    >>> for_spark("select '{' as a1 from \\"p/1\\", h0", {"p/1"})
    ("SELECT '{{' AS a1 FROM {t0}, h0", {'t0': 'p/1'})
    """
    from sqlglot import exp

    tree, used, mark = _tree(query, "spark"), dict[str, str](), f"laser_{uuid4().hex}_"
    for table in tree.find_all(exp.Table):
        if table.name in tables:
            place = next((place for place, known in used.items() if known == table.name), f"t{len(used)}")
            used[place] = table.name
            table.set("this", exp.to_identifier(mark + place))
    text = str(tree.sql(dialect="spark")).replace("{", "{{").replace("}", "}}")
    for place in sorted(used, key=len, reverse=True):
        text = text.replace(mark + place, f"{{{place}}}")
    return text, used


def _tree(query: str, dialect: Dialect) -> Expr:
    """A query as a tree, with the functions that the dialect has."""
    try:
        from sqlglot import exp, parse_one
    except ImportError:
        raise LaserError(
            "SQL in another dialect needs sqlglot: pip install 'laser-reasoner[duckdb]', or [spark]"
        ) from None
    tree: Expr = parse_one(query, read="duckdb")
    if dialect == "spark":
        for call in tree.find_all(exp.Anonymous):
            if call.name.lower() == "error":
                call.set("this", "raise_error")
    return tree
