"""The experiment of files: every format is measured, next to its floor."""

from __future__ import annotations

import pytest

from laser.bench.files import KINDS, files


@pytest.mark.parametrize("kind", KINDS)
def test_every_format_is_measured(kind):
    if kind == "parquet":
        pytest.importorskip("pyarrow")
    (record,) = files(kind, 2_000, 1)
    assert (record.experiment, record.unit) == (f"files-{kind}", "µs/fact")
    assert record.value > 0
    assert record.ratio > 0
