"""What a user asks of Spark, read and checked once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypedDict

from pyspark.sql import DataFrame

from laser.checks.load import parse
from laser.settings import DEFAULT_LIMIT, RunSettings
from laser.spark.background import Background, read_background
from laser.spark.sources import Input, Source, read_sources
from laser.syntax.program import Program
from laser.ticks import SECOND, Tick, check_time
from laser.values.facts import FactInput

__all__ = ["ReasonOptions", "Request"]


class ReasonOptions(TypedDict, total=False):
    """What can be said of a run on Spark besides its program and its inputs; ``docs/spark.md`` says what each does."""

    time: str | tuple[str, str] | None
    tick: str | Tick
    key: str | bool | None
    background: Mapping[str, DataFrame] | Iterable[FactInput]
    constants: Mapping[str, Any] | None
    start: int | str | datetime | None
    until: int | str | datetime | None
    order: str | None
    columns: Mapping[str, Sequence[str]] | None
    mixed: bool
    buckets: int | None
    slices: int | None
    lateness: str | int
    unbounded: bool
    checkpoint: str
    limit: int


@dataclass(frozen=True, kw_only=True)
class Request:
    """A program, the sources of its facts, and the settings of its run; background data are still tables."""

    program: Program
    sources: tuple[Source, ...]
    settings: RunSettings
    background: tuple[Background, ...] = ()
    key: str | bool | None = None
    columns: Mapping[str, Sequence[str]]
    mixed: bool = False
    buckets: int | None = None
    slices: int | None = None
    lateness: str | int = 0
    unbounded: bool = False
    checkpoint: str = ""

    @classmethod
    def read(cls, program: Program | str, inputs: Mapping[str, DataFrame | Input], options: ReasonOptions) -> Request:
        """The request of a user; LaserError where something does not fit."""
        _check_names(options)
        tick = Tick.parse(options.get("tick", SECOND))
        settings = RunSettings.read(
            {
                "start": _point(options.get("start"), tick),
                "until": _point(options.get("until"), tick),
                "constants": options.get("constants"),
                "tick": tick,
                "limit": options.get("limit", DEFAULT_LIMIT),
            }
        )
        return cls(
            program=parse(program) if isinstance(program, str) else program,
            sources=tuple(read_sources(inputs, options.get("time"), tick, options.get("order"))),
            settings=settings,
            background=tuple(read_background(options.get("background", ()))),
            key=options.get("key"),
            columns=dict(options.get("columns") or {}),
            mixed=options.get("mixed", False),
            buckets=options.get("buckets"),
            slices=options.get("slices"),
            lateness=options.get("lateness", 0),
            unbounded=options.get("unbounded", False),
            checkpoint=str(options.get("checkpoint", "")),
        )


def _check_names(options: Mapping[str, Any]) -> None:
    known = ReasonOptions.__annotations__
    for name in options:
        if name not in known:
            raise TypeError(f"there is no option {name!r}; there are {', '.join(sorted(known))}")


def _point(given: int | str | datetime | None, tick: Tick) -> int | None:
    if given is None:
        return None
    if isinstance(given, datetime):
        return tick.from_datetime(given)
    return tick.from_text(given) if isinstance(given, str) else check_time(given)
