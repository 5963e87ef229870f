"""The formats by name: how a line is read, and how an answer is written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from laser.io.formats import csv, jsonl, text
from laser.io.lines import Line
from laser.io.records import Said
from laser.ticks import Tick
from laser.values import Atom

__all__ = ["FORMATS", "Format", "format_of"]


@dataclass(frozen=True)
class Format:
    """One format: its parsers, its writers, and the header line of each form of answer, where it has one."""

    name: str
    title: str
    suffixes: tuple[str, ...]
    record: Callable[[str, Tick], Said | None]
    background: Callable[[str], Sequence[Atom]]
    change: Callable[[int | str, Atom, bool], str]
    snapshot: Callable[[int | str, Sequence[Atom]], str]
    interval: Callable[[Atom, int | str, int | str, bool], str]
    gather: Callable[[Iterable[Line]], Iterator[Line]] = iter
    headers: Mapping[str, str] = field(default_factory=dict)


_TEXT = Format(
    "text",
    "text",
    (".stream", ".txt", ".lars"),
    text.parse_record,
    text.parse_background,
    text.write_change,
    text.write_snapshot,
    text.write_interval,
)
_JSONL = Format(
    "jsonl",
    "JSON Lines",
    (".jsonl", ".ndjson", ".json"),
    jsonl.parse_record,
    jsonl.parse_background,
    jsonl.write_change,
    jsonl.write_snapshot,
    jsonl.write_interval,
)
_CSV = Format(
    "csv",
    "CSV",
    (".csv",),
    csv.parse_record,
    csv.parse_background,
    csv.write_change,
    csv.write_snapshot,
    csv.write_interval,
    csv.join_quoted,
    {
        "changes": "time,holds,predicate,args",
        "snapshots": "time,predicate,args",
        "intervals": "since,until,open,predicate,args",
    },
)

FORMATS = {form.name: form for form in (_TEXT, _JSONL, _CSV)}


def format_of(path: str | Path, name: str | None = None) -> Format:
    """The format called ``name``, or else the one of the file's extension (before ``.gz``); text is the rest."""
    if name is not None:
        return FORMATS[name]
    suffix = Path(str(path).lower().removesuffix(".gz")).suffix
    return next((form for form in FORMATS.values() if suffix in form.suffixes), _TEXT)
