"""The text of a stream as it stands in the page: records, and what is wrong with lines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from laser.io.formats import FORMATS, Format
from laser.io.lines import Line
from laser.io.records import Item, Malformed, Record, in_order, read_items
from laser.ticks import Tick

__all__ = ["divide", "guess_format", "read_items_of"]

_CSV = re.compile(r"(?i)time,|[\w.:+-]+,")


def guess_format(text: str) -> Format:
    """JSON Lines begin with ``{``, CSV with a time and a comma; everything else is the text format."""
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    if first.startswith("{"):
        return FORMATS["jsonl"]
    return FORMATS["csv" if _CSV.match(first) else "text"]


def read_items_of(text: str, form: Format, tick: Tick, start: int | None = None) -> Iterator[Item]:
    """Records and malformed lines of a text, in order."""
    lines = (Line(number, line) for number, line in enumerate(text.split("\n"), 1))
    return in_order(read_items(form.gather(lines), lambda row: form.record(row.rstrip("\r"), tick)), start)


def divide(items: Iterable[Item]) -> tuple[list[Record], list[dict[str, Any]]]:
    """The records, and the findings about the rest."""
    records: list[Record] = []
    findings: list[dict[str, Any]] = []
    for item in items:
        if isinstance(item, Malformed):
            findings.append(
                {"line": item.line, "severity": "error", "message": item.reason, "hint": None, "note": None}
            )
        else:
            records.append(item)
    return records, findings
