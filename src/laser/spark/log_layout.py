"""The entries of a log contain their column layout, because changed rules may read other inputs."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa

from laser.spark.arrow import ARROW_TYPES
from laser.spark.layout import Layout, read_layout

__all__ = ["in_layout", "labelled"]

_LABEL = b"laser.layout"


def labelled(table: pa.Table, layout: Layout) -> pa.Table:
    """Facts labelled with their layout, with columns in the order that all entries have."""
    others = [name for name in ("order",) if name in table.column_names]
    return table.select(["tag", "time", *layout.slots, *others]).replace_schema_metadata({_LABEL: _text(layout)})


def in_layout(table: pa.Table, layout: Layout) -> pa.Table:
    """Facts of the log in the layout of a job, without those of inputs that the job does not read.

    The columns of a predicate have the same kinds in both, so they travel in the same slots.
    """
    found = (table.schema.metadata or {}).get(_LABEL, b"")
    if found == _text(layout):
        return table
    old = read_layout(json.loads(found))
    new_tags = np.array([layout.tags.get(columns.predicate, -1) for columns in old.predicates], dtype=np.int32)
    tags = new_tags[table.column("tag").to_numpy()]
    table = table.set_column(table.schema.get_field_index("tag"), "tag", pa.array(tags)).filter(pa.array(tags >= 0))
    for slot in layout.slots:
        if slot not in table.column_names:
            table = table.append_column(slot, pa.nulls(table.num_rows, ARROW_TYPES[slot.rstrip("0123456789")]))
    return labelled(table, layout)


def _text(layout: Layout) -> bytes:
    return json.dumps(layout.plain()).encode()
