"""Column names in Spark, which ignores upper and lower case unless a setting says otherwise."""

from __future__ import annotations

from pyspark.sql import DataFrame

from laser.errors import LaserError

__all__ = ["REASON", "ROW", "check_distinct", "quoted"]

ROW = "_row"
"""The column with the original row, if the other columns are converted."""
REASON = "_reason"
"""The column with the reason why a row is malformed, if its reader knows; null if it is not."""


def check_distinct(what: str, table: DataFrame) -> None:
    """LaserError if two columns of a table have the same name, because a reference would be ambiguous."""
    by_case = table.sparkSession.conf.get("spark.sql.caseSensitive") == "true"
    seen: dict[str, str] = {}
    for name in table.columns:
        plain = name if by_case else name.lower()
        if plain in seen:
            raise LaserError(f"{what}: {_clash(seen[plain], name)}; rename or drop one of them")
        seen[plain] = name


def _clash(name: str, other: str) -> str:
    return f"two columns are called {name}" if name == other else f"Spark takes the columns {name} and {other} for one"


def quoted(name: str) -> str:
    """The quoted name of a column in SQL."""
    return "`" + name.replace("`", "``") + "`"
