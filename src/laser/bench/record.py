"""The measurements, one row for each system and case, and their CSV form."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, TextIO

from laser.bench.case import Case
from laser.errors import RecordError

__all__ = ["Record", "read_records", "write_records"]


@dataclass(frozen=True)
class Record:
    """``value`` is a median; ``ratio`` is the median of value divided by floor, each pair measured together, with the quartiles ``low``
    and ``high``. Without a value, ``note`` says why."""

    experiment: str
    n: int
    w: int
    r: int
    live: int
    system: str
    output: str
    unit: str
    value: float | None
    floor: float | None = None
    ratio: float | None = None
    low: float | None = None
    high: float | None = None
    note: str = ""

    @property
    def case(self) -> Case:
        return Case(self.n, self.w, self.r, self.live)

    @property
    def key(self) -> tuple[str, Case, str, str, str]:
        """Identifies the same measurement in another run."""
        return (self.experiment, self.case, self.system, self.output, self.unit)


_NAMES = [field.name for field in fields(Record)]
_NUMBERS = {
    "n": int,
    "w": int,
    "r": int,
    "live": int,
    **dict.fromkeys(("value", "floor", "ratio", "low", "high"), float),
}


def write_records(out: TextIO, records: Iterable[Record], about: dict[str, str]) -> None:
    """Write rows below comment lines that describe the machine."""
    for name, text in about.items():
        out.write(f"# {name}: {text}\n")
    writer = csv.DictWriter(out, _NAMES, lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _write(value) for name, value in asdict(record).items()} for record in records)


def _write(value: Any) -> str:
    return "" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)


def read_records(path: str) -> tuple[list[Record], dict[str, str]]:
    """The rows of a file, and what it says about the machine."""
    lines = Path(path).read_text("utf-8").splitlines()
    about = dict(line[2:].split(": ", 1) for line in lines if line.startswith("# ") and ": " in line)
    rows = csv.DictReader(line for line in lines if not line.startswith("#"))
    if rows.fieldnames != _NAMES:
        raise RecordError("this is not a table of 'laser bench --csv'", 1, path)
    try:
        return [Record(**{name: _read(name, text) for name, text in row.items()}) for row in rows], about
    except (TypeError, ValueError) as error:
        raise RecordError(f"this is not a table of 'laser bench --csv': {error}", rows.line_num, path) from None


def _read(name: str, text: str) -> Any:
    if name not in _NUMBERS:
        return text
    return None if not text else _NUMBERS[name](text)
