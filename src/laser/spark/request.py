"""What a user asks of Spark, read and checked once."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from typing import Any, TypeAlias, TypedDict

from pyspark.sql import DataFrame, SparkSession

from laser.checks.load import parse
from laser.errors import LaserError
from laser.settings import DEFAULT_LIMIT, RunSettings
from laser.spark.background import Background, read_background
from laser.spark.durations import NO_TIME, OFF, Ahead, Duration
from laser.spark.sources import Input, Source, read_sources
from laser.sql.engines import Engine, check_engine
from laser.syntax.chain import chain
from laser.syntax.program import Program
from laser.ticks import SECOND, Tick, TimeInput, read_length
from laser.values.facts import FactInput
from laser.zones import check_tick, zone_of

__all__ = ["Programs", "ReasonOptions", "Request", "read_point", "session_zone"]

Programs: TypeAlias = Program | str | Sequence[Program | str]
"""A program, or several, each of which takes the answers of those before it as facts."""
MAX_AHEAD = "1 d"
"""How far ahead of the clock rows of a stream may be: after a row with a wrong year, all others would be late."""


class ReasonOptions(TypedDict, total=False):
    """The options of a run on Spark besides its program and its inputs; ``docs/spark.md`` explains each."""

    time: str | tuple[str, str] | None
    tick: str | Tick
    key: str | bool | None
    background: Mapping[str, DataFrame] | Iterable[FactInput]
    constants: Mapping[str, Any] | None
    start: TimeInput | None
    until: TimeInput | None
    warmup: str | int | None
    order: str | None
    columns: Mapping[str, Sequence[str]] | None
    mixed: bool
    buckets: int | None
    slices: int | None
    engine: Engine
    lateness: str | int
    idle: str | int | None
    max_ahead: str | int
    unbounded: bool
    checkpoint: str
    keep: str | int | None
    inexact: bool
    flush: bool
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
    engine: Engine = "auto"
    lateness: Duration = NO_TIME
    idle: Duration | None = None
    unbounded: bool = False
    checkpoint: str = ""
    keep: int = 0
    """The least number of ticks for which a stream keeps its facts."""
    inexact: bool = False
    flush: bool = False

    @classmethod
    def read(cls, program: Programs, inputs: Mapping[str, DataFrame | Input], options: ReasonOptions) -> Request:
        """The request of a user; LaserError if something is wrong."""
        _check_names(options)
        tick = Tick.parse(options.get("tick", SECOND))
        sources = read_sources(inputs, options.get("time"), tick, options.get("order"))
        zone = _zone(sources, tick)
        settings = RunSettings.read(
            {
                "start": _point(options.get("start"), tick, zone),
                "until": _point(options.get("until"), tick, zone),
                "constants": options.get("constants"),
                "tick": tick,
                "warmup": options.get("warmup"),
                "limit": options.get("limit", DEFAULT_LIMIT),
                "zone": session_zone_name(sources[0].table.sparkSession),
            }
        )
        return cls(
            program=_program(program),
            sources=_limited(sources, options.get("max_ahead"), tick),
            settings=settings,
            background=tuple(read_background(options.get("background", ()))),
            key=options.get("key"),
            columns=dict(options.get("columns") or {}),
            mixed=options.get("mixed", False),
            buckets=options.get("buckets"),
            slices=options.get("slices"),
            engine=check_engine(options.get("engine", "auto")),
            lateness=Duration.read(options.get("lateness", 0), tick, "the lateness"),
            idle=_idle(options.get("idle"), sources, tick),
            unbounded=options.get("unbounded", False),
            checkpoint=str(options.get("checkpoint", "")),
            keep=_keep(options.get("keep"), tick),
            inexact=options.get("inexact", False),
            flush=options.get("flush", False),
        )


def _program(given: Programs) -> Program:
    several = [given] if isinstance(given, str | Program) else list(given)
    return chain([parse(each) if isinstance(each, str) else each for each in several])


def _keep(given: str | int | None, tick: Tick) -> int:
    """The number of ticks, rounded up."""
    return 0 if given is None else math.ceil(read_length(given, tick, "keep") / tick.seconds)


def _idle(given: str | int | None, sources: Sequence[Source], tick: Tick) -> Duration | None:
    """How long an input of a stream may pause before time follows the clock."""
    if given is None:
        return None
    for source in sources:
        if not source.table.isStreaming:
            raise LaserError(f"idle works only with streams, but input {source.name} is a static DataFrame")
        if not source.is_dated:
            raise LaserError(
                f"idle compares times with the clock, so they must be dates: those of input {source.name} are numbers"
            )
    return Duration.read(given, tick, "idle")


def _limited(sources: list[Source], given: str | int | None, tick: Tick) -> tuple[Source, ...]:
    """The sources with how far ahead of the clock their rows may be; streams with dates have a limit by default."""
    if given == OFF:
        return tuple(sources)
    undated = [source.name for source in sources if not source.is_dated]
    if given is not None and undated:
        raise LaserError(
            f"max_ahead compares times with the clock, so they must be dates: those of input {undated[0]} are numbers"
        )
    now = time.time_ns() // 1000
    return tuple(replace(source, ahead=_ahead(source, given, tick, now)) for source in sources)


def _ahead(source: Source, given: str | int | None, tick: Tick, now: int) -> Ahead | None:
    streams = source.table.isStreaming
    if given is None and not (streams and source.is_dated):
        return None
    length = Duration.read(MAX_AHEAD if given is None else given, tick, "max_ahead")
    return Ahead(length, None if streams else now)


def _check_names(options: Mapping[str, Any]) -> None:
    known = ReasonOptions.__annotations__
    for name in options:
        if name not in known:
            raise TypeError(f"there is no option {name!r}; the options are {', '.join(sorted(known))}")


def _zone(sources: Sequence[Source], tick: Tick) -> tzinfo:
    """The zone of the session, for all times without one: in columns, and in ``start`` and ``until``."""
    zone = session_zone(sources[0].table.sparkSession)
    if any(source.is_dated for source in sources):
        check_tick(tick.seconds, zone)
    return zone


def session_zone(spark: SparkSession) -> tzinfo:
    """The zone of a session."""
    return zone_of(session_zone_name(spark))


def session_zone_name(spark: SparkSession) -> str:
    return spark.conf.get("spark.sql.session.timeZone") or "UTC"


def _point(given: TimeInput | None, tick: Tick, zone: tzinfo) -> int | None:
    return None if given is None else read_point(given, tick, zone)


def read_point(given: TimeInput, tick: Tick, zone: tzinfo) -> int:
    """The time point of an integer, a date or a text; in a pipeline, numbers can be texts, too."""
    return tick.from_text(given, zone) if isinstance(given, str) else tick.point(given, zone)
