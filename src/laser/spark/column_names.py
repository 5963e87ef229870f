"""Names of columns that Spark can tell apart: it does not tell upper from lower case unless a setting says so."""

from __future__ import annotations

from pyspark.sql import DataFrame

from laser.errors import LaserError

__all__ = ["REASON", "ROW", "check_distinct", "quoted"]

ROW = "_row"
"""A column that has the row as it was read, where its columns are what became of it."""
REASON = "_reason"
"""A column that says why a row does not fit, where its reader knows; null where it does."""


def check_distinct(what: str, table: DataFrame) -> None:
    """LaserError where two columns of a table have one name: nobody could say which of them is meant."""
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
    """A name of a column as SQL has it."""
    return "`" + name.replace("`", "``") + "`"
