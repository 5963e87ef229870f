"""What can be wrong with a row of an input, and what is said of it.

Tests are SQL text rather than columns: a query needs dozens of them, and each call to Java takes a millisecond.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812 - the name that every user of Spark knows

__all__ = ["Fault", "rejection", "valid_sql"]


@dataclass(frozen=True)
class Fault:
    """SQL that is true for a malformed row, and the reason: ``says``, then the text of ``shown``, another SQL expression, then ``after``."""

    test: str
    says: str
    shown: str = ""
    after: str = ""

    def reason(self) -> Column:
        """The reason; null for a row without this fault."""
        says = F.lit(self.says)
        if self.shown:
            says = F.concat(says, F.expr(self.shown).cast("string"), F.lit(self.after))
        return F.when(F.expr(self.test), says)


def rejection(faults: Iterable[Fault]) -> Column:
    """Why a row is malformed: its first fault, or null."""
    return F.coalesce(*(fault.reason() for fault in faults), F.lit(None).cast("string"))


def valid_sql(faults: Iterable[Fault]) -> str:
    """A condition that is true for rows without a fault, and false for the others.

    >>> valid_sql([Fault("`t` IS NULL", "t is missing"), Fault("`t` < 0", "t is negative")])
    'NOT coalesce(`t` IS NULL, false) AND NOT coalesce(`t` < 0, false)'
    """
    return " AND ".join(f"NOT coalesce({fault.test}, false)" for fault in faults)
