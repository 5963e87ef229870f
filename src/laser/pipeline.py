"""A pipeline as data: what is read, what is asked, where the answers go. It comes from a TOML file, from flags, or both."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from laser.errors import LaserError

__all__ = ["Pipeline", "Table", "read_pipeline"]


@dataclass(frozen=True)
class Table:
    """A table that is read: its format and place, which columns are arguments, and the types that its text has."""

    path: str = ""
    format: str = ""
    columns: tuple[str, ...] = ()
    time: str = ""
    order: str = ""
    schema: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Pipeline:
    """All that a run needs to know."""

    program: str = ""
    tick: str = "1 s"
    time: str = ""
    key: str = ""
    order: str = ""
    start: str = ""
    until: str = ""
    constants: Mapping[str, Any] = field(default_factory=dict)
    inputs: Mapping[str, Table] = field(default_factory=dict)
    background: Mapping[str, Table] = field(default_factory=dict)
    output: str = ""
    format: str = "parquet"
    overwrite: bool = False
    rejects: str = ""
    late: str = ""
    mixed: bool = False
    buckets: int = 0
    slices: int = 0
    follow: bool = False
    lateness: str = "0 s"
    checkpoint: str = ""
    every: str = ""
    unbounded: bool = False
    master: str = ""
    spark: Mapping[str, str] = field(default_factory=dict)

    def checked(self) -> Pipeline:
        """The same, if it can run."""
        if not self.program:
            raise LaserError('there is no program: name one (program = "rules.lars", or --program rules.lars)')
        if not self.inputs:
            raise LaserError("there is no input: name one (an [inputs.…] table, or --input temp=readings.csv)")
        if self.follow and not self.checkpoint:
            raise LaserError("a stream that is followed needs a directory for its checkpoint (--checkpoint DIR)")
        return self


def read_pipeline(path: str, text: str) -> Pipeline:
    """The pipeline of a TOML file; paths in it are relative to the file."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise LaserError(f"{path}: {error}") from None
    inputs = {name: _table(path, "inputs", name, value) for name, value in data.pop("inputs", {}).items()}
    background = {name: _table(path, "background", name, value) for name, value in data.pop("background", {}).items()}
    spark = {str(key): _setting(value) for key, value in data.pop("spark", {}).items()}
    known = {f.name: f for f in fields(Pipeline)}
    for name, value in data.items():
        _check(path, name, value, known)
    base = Path(path).parent
    return _beside(Pipeline(**data, inputs=inputs, background=background, spark=spark), base)


def _beside(pipeline: Pipeline, base: Path) -> Pipeline:
    """Paths as seen from where the file lies."""

    def tables(given: Mapping[str, Table]) -> dict[str, Table]:
        return {name: replace(table, path=_path(base, table.path)) for name, table in given.items()}

    places: dict[str, Any] = {
        name: _path(base, getattr(pipeline, name)) for name in ("program", "output", "rejects", "late", "checkpoint")
    }
    return replace(pipeline, inputs=tables(pipeline.inputs), background=tables(pipeline.background), **places)


def _path(base: Path, path: str) -> str:
    return path if not path or "://" in path else str(base / path)


def _table(path: str, kind: str, name: str, value: Any) -> Table:
    if isinstance(value, str):
        return Table(value)
    known = {f.name: f for f in fields(Table)}
    for field_, given in value.items():
        _check(path, f"{kind}.{name}.{field_}", given, known)
    return Table(**{**value, "columns": tuple(value.get("columns", ()))})


def _check(path: str, name: str, value: Any, known: Mapping[str, Any]) -> None:
    field_ = known.get(name.rpartition(".")[2])
    if field_ is None:
        raise LaserError(f"{path}: there is no setting {name}; there are {', '.join(sorted(known))}")
    wanted = {"str": str, "bool": bool, "int": int}.get(str(field_.type), (dict, list))
    if not isinstance(value, wanted) or (wanted is int and isinstance(value, bool)):
        raise LaserError(f"{path}: {name} = {value!r} is no {field_.type}")


def _setting(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
