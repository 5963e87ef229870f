"""Parquet files of answers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from laser.errors import LaserError, RecordError
from laser.plot.rows import Saying, read_row
from laser.ticks import Tick

__all__ = ["read_parquet"]


def read_parquet(path: Path, tick: Tick) -> Iterator[Saying]:
    """What the rows of a file say."""
    try:
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise LaserError(f"{path}: Parquet needs one more package: pip install pyarrow") from None
    number = 0
    with ParquetFile(path) as file:
        for batch in file.iter_batches():
            for row in batch.to_pylist():
                number += 1
                try:
                    yield read_row(row, path, tick)
                except LaserError as error:
                    raise RecordError(str(error), number, str(path)) from None
