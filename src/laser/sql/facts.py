"""Facts as tables of DuckDB: each column has one kind, which is found by looking at every value."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from laser.sql.kinds import EXACT, Kind, join, kind_of
from laser.values import Iri, Predicate, Value
from laser.values.number import number

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Column", "arrow_table", "columns_of", "decoder", "kinds_of"]

Column = Sequence[Value]


def columns_of(keys: Iterable[tuple[Any, ...]]) -> list[tuple[Value, ...]]:
    """Rows as columns."""
    return list(zip(*keys, strict=True))


def kinds_of(columns: Sequence[Column]) -> tuple[Kind, ...] | None:
    """The kinds of columns; None if a value does not fit into a column."""
    found = [_kind_of(column) for column in columns]
    return None if None in found else tuple(kind for kind in found if kind is not None)


def _kind_of(column: Column) -> Kind | None:
    classes = set(map(type, column))
    kinds = {kind_of(value) for value in set(column)}
    if None in kinds:
        return None
    kind = join(each for each in kinds if each is not None)
    inexact = kind != Kind.INTEGER and int in classes and any(type(v) is int and abs(v) > EXACT for v in column)
    return None if inexact else kind


def arrow_table(columns: Mapping[str, tuple[Column, Kind]]) -> pa.Table:
    """A table of columns with these kinds."""
    import pyarrow as pa

    return pa.table({name: pa.array(*_encoded(column, kind)) for name, (column, kind) in columns.items()})


def _encoded(column: Column, kind: Kind) -> tuple[list[Any], Any]:
    import pyarrow as pa

    match kind:
        case Kind.INTEGER:
            return list(column), pa.int64()
        case Kind.NUMBER:
            return list(map(float, column)), pa.float64()  # type: ignore[arg-type]
        case Kind.STRING:
            return list(column), pa.string()
        case Kind.IRI:
            return [value.text for value in column if isinstance(value, Iri)], pa.string()
        case Kind.ANY:
            return list(map(_struct, column)), pa.struct([("k", pa.int8()), ("n", pa.float64()), ("s", pa.string())])


def _struct(value: Value) -> dict[str, Any]:
    match value:
        case Iri():
            return {"k": 2, "n": 0.0, "s": value.text}
        case str():
            return {"k": 1, "n": 0.0, "s": value}
        case _:
            return {"k": 0, "n": float(value), "s": ""}  # type: ignore[arg-type]  # other values have no kind


def decoder(kind: Kind) -> Callable[[Any], Value] | None:
    """A function from DuckDB's result to a value; None if no conversion is needed."""
    match kind:
        case Kind.INTEGER | Kind.STRING:
            return None
        case Kind.NUMBER:
            return number
        case Kind.IRI:
            return _iri
        case Kind.ANY:
            return _any


def _iri(text: str) -> Iri:
    return tuple.__new__(Iri, (text,))  # it was checked as input


def _any(row: Mapping[str, Any]) -> Value:
    if row["k"] == 0:
        return number(row["n"])
    text: str = row["s"]
    return text if row["k"] == 1 else _iri(text)


def by_predicate(
    facts: Iterable[tuple[int, tuple[Any, ...]]],
) -> dict[Predicate, tuple[list[tuple[Any, ...]], list[int]]]:
    """Facts grouped by predicate: keys without their name, and times."""
    found: dict[Predicate, tuple[list[tuple[Any, ...]], list[int]]] = {}
    for time, key in facts:
        rows, times = found.setdefault(Predicate(key[0], len(key) - 1), ([], []))
        rows.append(key[1:])
        times.append(time)
    return found
